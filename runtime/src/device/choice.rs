//! Chooses a device from a list by a request. Pure.

use gridwise_ir::descriptor::Feature;

use crate::core::error::{Error, Result};
use crate::device::address::DeviceUuid;
use crate::device::info::{DeviceInfo, DeviceKind};

/// The choice of a manager's device.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{DeviceChoice, Manager, ManagerDesc};
///
/// // The value of a program's own `--device`.
/// let choice = DeviceChoice::from("host");
/// assert_eq!(choice, DeviceChoice::Host);
/// let manager = Manager::with(ManagerDesc { device: choice, ..ManagerDesc::default() })?;
/// assert_eq!(manager.device().name, "host");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The best suitable device; the host device when there is no other.
    #[default]
    Best,
    /// The device at this position of [`Manager::list_devices`](crate::Manager::list_devices).
    Index(usize),
    /// The first device whose name contains this, upper or lower case; `host` is the host device.
    Name(String),
    /// The best suitable device that has all of these features. Foreign SPIR-V may need them; for kernels, the compiler finds the
    /// needed features, and the manager enables them where the device has them. The host device is the last candidate, with [its
    /// own features](crate::Manager::host).
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::descriptor::Feature;
    /// use gridwise::{DeviceChoice, Manager, ManagerDesc};
    ///
    /// let device = DeviceChoice::Having(vec![Feature::Float64, Feature::Int64]);
    /// let manager = Manager::with(ManagerDesc { device, ..ManagerDesc::default() })?;
    /// assert!(manager.device().features.contains(&Feature::Float64));
    /// # Ok(())
    /// # }
    /// ```
    Having(Vec<Feature>),
    /// The device with this UUID, at any position of the list.
    ///
    /// ```
    /// use gridwise_runtime::DeviceChoice;
    ///
    /// let choice = DeviceChoice::parse("7f3b0a52-91c8-4d1e-a6f0-3c5d2b1e0f99");
    /// assert!(matches!(choice, DeviceChoice::Uuid(_)));
    /// ```
    Uuid(DeviceUuid),
    /// The host device.
    Host,
    /// The sanitizer: kernels run in an interpreter that detects data races and other faults. Needs the feature `sanitizer`.
    Sanitizer,
}

impl From<&str> for DeviceChoice {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl DeviceChoice {
    /// Reads a choice as users write it in `GRIDWISE_DEVICE`: an index, a UUID, a part of a name, `host` or `sanitizer`.
    ///
    /// ```
    /// use gridwise::DeviceChoice;
    ///
    /// assert_eq!(DeviceChoice::parse("1"), DeviceChoice::Index(1));
    /// assert_eq!(DeviceChoice::parse("Radeon"), DeviceChoice::Name("Radeon".to_owned()));
    /// assert_eq!(DeviceChoice::parse(""), DeviceChoice::Best);
    /// ```
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        match text.parse() {
            _ if text.is_empty() => Self::Best,
            Ok(index) => Self::Index(index),
            Err(_) if text.eq_ignore_ascii_case("host") => Self::Host,
            Err(_) if text.eq_ignore_ascii_case("sanitizer") => Self::Sanitizer,
            Err(_) => text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Uuid),
        }
    }

    /// The position of the chosen device. `devices` ends with the host device.
    ///
    /// # Errors
    /// When no device fits, or the one asked for cannot run kernels.
    pub(crate) fn choose(&self, devices: &[DeviceInfo]) -> Result<usize> {
        let host = devices.len().saturating_sub(1);
        let found = match self {
            Self::Best => return Ok(best(devices, &[]).unwrap_or(host)),
            Self::Having(features) => best(devices, features),
            Self::Host | Self::Sanitizer => return Ok(host),
            Self::Index(index) => (*index < devices.len()).then_some(*index),
            Self::Uuid(uuid) => devices.iter().position(|device| device.uuid == Some(*uuid)),
            Self::Name(part) => {
                let part = part.to_lowercase();
                devices.iter().position(|device| device.name.to_lowercase().contains(&part))
            }
        };
        let found = found.ok_or_else(|| self.no_device(devices))?;
        match devices[found].is_suitable() {
            true => Ok(found),
            false => Err(Error::DeviceNotSuitable {
                name: devices[found].name.clone(),
                missing: devices[found].missing.join(", "),
            }),
        }
    }

    fn no_device(&self, devices: &[DeviceInfo]) -> Error {
        let requested = match self {
            Self::Index(index) => index.to_string(),
            Self::Name(name) => name.clone(),
            Self::Uuid(uuid) => uuid.to_string(),
            Self::Having(features) => {
                let features: Vec<_> = features.iter().map(Feature::to_string).collect();
                format!("a device with {}", features.join(", "))
            }
            Self::Best | Self::Host | Self::Sanitizer => DeviceKind::Host.to_string(),
        };
        let listed: Vec<_> = devices.iter().enumerate().map(|(index, device)| format!("{index}: {device}")).collect();
        Error::NoDevice { requested, available: listed.join("; ") }
    }
}

/// The first of the best kind that can run kernels and has these features: drivers list their preferred device first.
fn best(devices: &[DeviceInfo], features: &[Feature]) -> Option<usize> {
    let has_all = |device: &DeviceInfo| features.iter().all(|feature| device.has(*feature));
    let suitable = (0..devices.len()).filter(|index| devices[*index].is_suitable() && has_all(&devices[*index]));
    suitable.min_by_key(|index| devices[*index].kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, kind: DeviceKind, missing: &[&str]) -> DeviceInfo {
        let missing = missing.iter().map(|&missing| missing.to_owned()).collect();
        DeviceInfo { name: name.to_owned(), kind, missing, ..DeviceInfo::host() }
    }

    fn devices() -> Vec<DeviceInfo> {
        vec![
            device("llvmpipe (LLVM)", DeviceKind::Cpu, &[]),
            device("Old Card", DeviceKind::DiscreteGpu, &["Vulkan 1.2"]),
            device("Iris", DeviceKind::IntegratedGpu, &[]),
            DeviceInfo::host(),
        ]
    }

    #[test]
    fn the_best_suitable_device_wins() {
        assert_eq!(DeviceChoice::Best.choose(&devices()).unwrap(), 2);
        assert_eq!(DeviceChoice::Best.choose(&devices()[3..]).unwrap(), 0);
    }

    #[test]
    fn a_name_is_a_part_in_any_case() {
        assert_eq!(DeviceChoice::parse("LLVMpipe").choose(&devices()).unwrap(), 0);
        assert_eq!(DeviceChoice::parse(" HOST ").choose(&devices()).unwrap(), 3);
        assert_eq!(DeviceChoice::parse("2").choose(&devices()).unwrap(), 2);
        assert_eq!(DeviceChoice::parse(""), DeviceChoice::Best);
    }

    #[test]
    fn a_uuid_names_one_device() {
        let uuid = DeviceUuid([7; 16]);
        let mut devices = devices();
        let error = DeviceChoice::Uuid(uuid).choose(&devices).unwrap_err();
        assert!(matches!(error, Error::NoDevice { requested, .. } if requested == uuid.to_string()));
        devices[2].uuid = Some(uuid);
        assert_eq!(DeviceChoice::parse(&format!("GPU-{uuid}")).choose(&devices).unwrap(), 2);
    }

    #[test]
    fn features_can_be_asked_for() {
        let mut devices = devices();
        devices[2].features = vec![Feature::Int64];
        devices.iter_mut().for_each(|device| device.features.retain(|feature| *feature != Feature::Int8));
        let having = |features: &[Feature]| DeviceChoice::Having(features.to_vec()).choose(&devices);
        assert_eq!(having(&[]).unwrap(), 2);
        assert_eq!(having(&[Feature::Int64]).unwrap(), 2);
        assert_eq!(having(&[Feature::Int64, Feature::Float64]).unwrap(), 0);
        let error = having(&[Feature::Int64, Feature::Int8]).unwrap_err();
        assert!(
            matches!(&error, Error::NoDevice { requested, .. }
            if requested == "a device with shaderInt64, shaderInt8"),
            "{error}"
        );
    }

    #[test]
    fn refusals_say_what_there_is() {
        for wrong in ["9", "radeon"] {
            let error = DeviceChoice::parse(wrong).choose(&devices()).unwrap_err();
            assert!(matches!(&error, Error::NoDevice { requested, available }
                if requested == wrong && available.contains("2: Iris")));
        }
        let error = DeviceChoice::parse("old").choose(&devices()).unwrap_err();
        assert!(matches!(error, Error::DeviceNotSuitable { missing, .. } if missing == "Vulkan 1.2"));
    }
}
