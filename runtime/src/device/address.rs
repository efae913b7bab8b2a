//! The address of a device: its UUID, and its place on the PCI bus. No Vulkan calls.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The UUID of a device: the same in each process and at each start of the machine.
///
/// It reads and writes the form that tools print, with or without a prefix such as `GPU-`.
///
/// ```
/// use gridwise_runtime::DeviceUuid;
///
/// let uuid: DeviceUuid = "GPU-7f3b0a52-91c8-4d1e-a6f0-3c5d2b1e0f99".parse().unwrap();
/// assert_eq!(uuid.to_string(), "7f3b0a52-91c8-4d1e-a6f0-3c5d2b1e0f99");
/// assert!("7f3b0a52".parse::<DeviceUuid>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceUuid(pub [u8; 16]);

/// A text that is no UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no UUID: 32 hexadecimal digits with hyphens behind the 8th, 12th, 16th and 20th are one")]
pub struct NotAUuid(String);

/// The bytes of a UUID before which a hyphen stands.
const HYPHENS: [usize; 4] = [4, 6, 8, 10];

impl FromStr for DeviceUuid {
    type Err = NotAUuid;

    fn from_str(text: &str) -> Result<Self, NotAUuid> {
        let refused = || NotAUuid(text.to_owned());
        let digits = text.trim();
        let digits = digits.strip_prefix("GPU-").unwrap_or(digits);
        let groups: Vec<_> = digits.split('-').collect();
        let lens: Vec<_> = groups.iter().map(|group| group.len()).collect();
        let digits = groups.concat();
        if lens != [8, 4, 4, 4, 12] || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(refused());
        }
        u128::from_str_radix(&digits, 16).map(|number| Self(number.to_be_bytes())).map_err(|_| refused())
    }
}

impl fmt::Display for DeviceUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, byte) in self.0.iter().enumerate() {
            let hyphen = if HYPHENS.contains(&position) { "-" } else { "" };
            write!(f, "{hyphen}{byte:02x}")?;
        }
        Ok(())
    }
}

/// The place of a device on the PCI bus.
///
/// ```
/// use gridwise_runtime::PciAddress;
///
/// let address = PciAddress { domain: 0, bus: 0x3b, device: 0, function: 0 };
/// assert_eq!(address.to_string(), "0000:3b:00.0");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PciAddress {
    /// The domain.
    pub domain: u32,
    /// The bus within the domain.
    pub bus: u32,
    /// The device on the bus.
    pub device: u32,
    /// The function of the device.
    pub function: u32,
}

impl PciAddress {
    /// The NUMA node whose memory is nearest, where the system tells: Linux does for machines of several nodes.
    ///
    /// ```
    /// for device in gridwise_runtime::Manager::list_devices() {
    ///     if let Some(node) = device.pci.and_then(|address| address.numa_node()) {
    ///         println!("{device}: bind its process to the NUMA node {node}");
    ///     }
    /// }
    /// ```
    pub fn numa_node(&self) -> Option<u32> {
        self.numa_node_in(Path::new("/sys/bus/pci/devices"))
    }

    /// The same, as a folder with the system's devices tells.
    fn numa_node_in(&self, devices: &Path) -> Option<u32> {
        let node = std::fs::read_to_string(devices.join(self.to_string()).join("numa_node")).ok()?;
        // -1 where there is one node.
        node.trim().parse().ok()
    }
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.domain, self.bus, self.device, self.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_those_of_the_system() {
        let devices = std::env::temp_dir().join(format!("gridwise-numa-{}", std::process::id()));
        let address = |bus| PciAddress { domain: 0, bus, device: 0x1f, function: 7 };
        for (bus, node) in [(1, "1\n"), (0xab, "12"), (2, "-1\n"), (3, "many")] {
            let folder = devices.join(format!("0000:{bus:02x}:1f.7"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("numa_node"), node).unwrap();
        }
        let found = [1, 0xab, 2, 3, 4].map(|bus| address(bus).numa_node_in(&devices));
        std::fs::remove_dir_all(&devices).unwrap();
        assert_eq!(found, [Some(1), Some(12), None, None, None]);
    }

    #[test]
    fn uuids_are_read_as_they_are_written() {
        let uuid = DeviceUuid(std::array::from_fn(|byte| byte as u8 * 17));
        assert_eq!(uuid.to_string(), "00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(uuid.to_string().parse(), Ok(uuid));
        assert_eq!(uuid.to_string().to_uppercase().parse(), Ok(uuid));
        for wrong in [
            "",
            "GPU-",
            "00112233445566778899aabbccddeeff",
            "00112233-4455-6677-8899-aabbccddeefg",
            "+0112233-4455-6677-8899-aabbccddeeff",
        ] {
            assert_eq!(wrong.parse::<DeviceUuid>(), Err(NotAUuid(wrong.to_owned())));
        }
    }
}
