//! The description of a manager, and the environment variables that complete it. Pure but for the environment; it must
//! not ask a driver.

use std::ffi::OsString;
use std::time::Duration;

use crate::core::error::{Error, Result};
use crate::core::print::PrintSink;
use crate::device::cache::PipelineCache;
use crate::device::choice::DeviceChoice;
use crate::device::host::HostOptions;
use crate::device::queues::QueueChoice;

/// How to make a manager.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{DeviceChoice, Manager, ManagerDesc};
///
/// // A program's own choice; what is not said comes from the environment.
/// let desc = ManagerDesc { device: DeviceChoice::Host, keeps_contents: true, ..ManagerDesc::from_env()? };
/// let manager = Manager::with(desc)?;
/// assert_eq!(manager.device().name, "host");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManagerDesc {
    /// The device to use.
    pub device: DeviceChoice,
    /// The queues of the device to use.
    pub queues: QueueChoice,
    /// Whether the Khronos validation layer, with synchronization validation, watches the driver calls.
    pub validation: bool,
    /// Whether to use no optional device features: all transfers are staged, descriptors come from pools, float controls are left
    /// out. It lets tests imitate devices that lack these features.
    pub baseline_only: bool,
    /// Whether atomic additions of floats use the device's own instructions even if these flush subnormal numbers (below 1.2e-38
    /// in an `f32`) and its other additions do not. The instructions are faster, most of all when many invocations add to one
    /// number. By default they are used only where they are as exact as other additions, and compare-exchange loops elsewhere.
    pub fast_float_atomics: bool,
    /// Whether launches of fewer than 16,384 items run several of them per invocation, too, where larger ones of the kernel do. For
    /// tests of what larger ones do: fewer keep no device busy, and the code of one item is compiled sooner.
    pub batches_small_launches: bool,
    /// Whether kernels access tensors by device addresses instead of descriptors, on devices with `bufferDeviceAddress`. By
    /// default they do where that is faster: NVIDIA's driver compares each access with the size in a descriptor. Drivers on the
    /// CPU use addresses only under validation: lavapipe executes a load from an address that all lanes share even if no lane
    /// reaches the load.
    pub by_address: Option<bool>,
    /// Bytes of the buffer for the prints of one launch; 1 MiB by default. Prints that do not fit are dropped and counted.
    pub print_bytes: Option<u32>,
    /// The sink for `println!`, `eprintln!` and `dbg!` in kernels; the standard streams by default.
    pub print: PrintSink,
    /// Whether the driver keeps statistics of compiled kernels, for [`Algorithm::executables`](crate::Algorithm::executables).
    pub executable_statistics: bool,
    /// How the host device runs kernels, if it is chosen.
    pub host: HostOptions,
    /// The place where compiled pipelines are kept between runs.
    pub pipeline_cache: PipelineCache,
    /// The time without progress after which a device counts as hung: a wait then ends with [`Error::DeviceHung`]. It must be
    /// longer than the longest launch. Without it, a wait for a hung device never ends.
    pub hang_timeout: Option<Duration>,
    /// Whether tensors and images keep copies in the host's memory of what the host wrote or read last, so that
    /// [`Recovery::tensor`](crate::Recovery::tensor) and [`Recovery::image`](crate::Recovery::image) can bring them back when the
    /// device is lost. Writing and reading copy once more; launches cost nothing.
    pub keeps_contents: bool,
}

impl ManagerDesc {
    /// The description that the environment asks for: `GRIDWISE_DEVICE` (an index, a UUID, a part of a name, `host` or `sanitizer`),
    /// `GRIDWISE_VALIDATION` and `GRIDWISE_BATCH_SMALL` (`1`), `GRIDWISE_BY_ADDRESS` (`1` or `0`), `GRIDWISE_HOST_SUBGROUP` and
    /// `GRIDWISE_HOST_SEED` (numbers for [`HostOptions`]).
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{DeviceChoice, ManagerDesc};
    ///
    /// // `GRIDWISE_DEVICE=nvidia my-program` overrules what the program would take.
    /// let mut desc = ManagerDesc::from_env()?;
    /// if desc.device == DeviceChoice::Best {
    ///     desc.device = DeviceChoice::Host;
    /// }
    /// assert_ne!(desc.device, DeviceChoice::Best);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::BadEnvironment`] if one of these variables has an invalid value. [`Manager::with`](crate::Manager::with) reports
    /// a device or a subgroup size that does not exist.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    fn from_variables(value_of: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let refused = |variable, value: OsString, expected| Error::BadEnvironment {
            variable,
            value: value.to_string_lossy().into_owned(),
            expected,
        };
        let text = |variable: &'static str, expected| match value_of(variable).map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(Err(value)) => Err(refused(variable, value, expected)),
        };
        let number = |variable| {
            const EXPECTED: &str = "a number";
            let parse = |text: String| text.parse::<u64>().map_err(|_| refused(variable, text.into(), EXPECTED));
            text(variable, EXPECTED)?.map(parse).transpose()
        };
        let device = text("GRIDWISE_DEVICE", "an index, a UUID, a part of a name, `host` or `sanitizer`")?;
        let device = device.map_or(DeviceChoice::Best, |text| DeviceChoice::parse(&text));
        let choice = |variable| Ok(text(variable, "`1` or `0`")?.map(|text| text != "0"));
        let switch = |variable| Ok(choice(variable)?.unwrap_or(false));
        let (validation, batches_small_launches) = (switch("GRIDWISE_VALIDATION")?, switch("GRIDWISE_BATCH_SMALL")?);
        let by_address = choice("GRIDWISE_BY_ADDRESS")?;
        let mut host = HostOptions { seed: number("GRIDWISE_HOST_SEED")?, ..HostOptions::default() };
        if let Some(size) = number("GRIDWISE_HOST_SUBGROUP")? {
            // A size that is too large is refused with other impossible sizes.
            host.subgroup_size = u32::try_from(size).unwrap_or(u32::MAX);
        }
        Ok(Self { device, validation, batches_small_launches, by_address, host, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<ManagerDesc> {
        ManagerDesc::from_variables(|name| Some(variables.iter().find(|(key, _)| *key == name)?.1.into()))
    }

    #[test]
    fn the_environment_is_taken_at_its_word() {
        for nothing in [&[][..], &[("GRIDWISE_DEVICE", ""), ("GRIDWISE_HOST_SEED", " ")]] {
            let desc = of(nothing).unwrap();
            assert_eq!((desc.device, desc.validation, desc.host), (DeviceChoice::Best, false, HostOptions::default()));
        }
        let all = [
            ("GRIDWISE_DEVICE", "host"),
            ("GRIDWISE_VALIDATION", "1"),
            ("GRIDWISE_BATCH_SMALL", "1"),
            ("GRIDWISE_BY_ADDRESS", "0"),
            ("GRIDWISE_HOST_SEED", " 7 "),
            ("GRIDWISE_HOST_SUBGROUP", "16"),
        ];
        let desc = of(&all).unwrap();
        assert_eq!((desc.device, desc.validation, desc.batches_small_launches), (DeviceChoice::Host, true, true));
        assert_eq!(desc.by_address, Some(false));
        assert_eq!((desc.host.seed, desc.host.subgroup_size), (Some(7), 16));
        assert!(!of(&[("GRIDWISE_VALIDATION", "0")]).unwrap().validation);
        assert_eq!(of(&[("GRIDWISE_HOST_SUBGROUP", "99999999999")]).unwrap().host.subgroup_size, u32::MAX);
    }

    #[test]
    fn what_it_cannot_mean_is_an_error() {
        for (variable, value) in
            [("GRIDWISE_HOST_SEED", "abc"), ("GRIDWISE_HOST_SEED", "-1"), ("GRIDWISE_HOST_SUBGROUP", "1e3")]
        {
            let error = of(&[(variable, value)]).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "the environment variable `{variable}` is `{value}`, which is not a number; correct or unset it"
                )
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_text_is_an_error() {
        use std::os::unix::ffi::OsStringExt;
        let error = ManagerDesc::from_variables(|_| Some(OsString::from_vec(vec![0xff]))).unwrap_err();
        assert!(matches!(error, Error::BadEnvironment { variable: "GRIDWISE_DEVICE", .. }), "{error}");
    }
}
