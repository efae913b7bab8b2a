//! How a manager is made, and what the environment says of it. Pure but for the environment; it must not ask a driver.

use std::time::Duration;

use super::choice::DeviceChoice;
use super::queues::QueueChoice;
use crate::cache::PipelineCache;
use crate::print::PrintSink;
use crate::twin::HostOptions;

/// How to make a manager.
///
/// ```
/// # fn main() -> gridwise_runtime::Result<()> {
/// use gridwise_runtime::{DeviceChoice, Manager, ManagerDesc};
///
/// // A program's own choice; what is not said comes from the environment.
/// let desc = ManagerDesc { device: DeviceChoice::Host, keeps_contents: true, ..ManagerDesc::from_env() };
/// let manager = Manager::with(desc)?;
/// assert_eq!(manager.device().name, "host");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManagerDesc {
    /// Which device to use.
    pub device: DeviceChoice,
    /// Which of its queues to use.
    pub queues: QueueChoice,
    /// Whether the Khronos validation layer, with synchronization validation, watches the driver calls.
    pub validation: bool,
    /// Whether to do without everything that not all devices have: all transfers are staged, descriptors come from pools,
    /// float controls are left out. For tests of what poorer devices do.
    pub baseline_only: bool,
    /// Whether the device's own instructions add to atomic floats also where they may take subnormal numbers (below 1.2e-38 in
    /// an `f32`) for zero and its other additions do not. They are faster, most of all when many invocations add to one number.
    /// Without it they are used where they are as exact as other additions, and loops of exchanges elsewhere.
    pub fast_float_atomics: bool,
    /// Bytes of the buffer that takes what one launch prints; 1 MiB when not said. What finds no room is counted.
    pub print_bytes: Option<u32>,
    /// Where `println!` and its like in kernels go; the standard streams when not said.
    pub print: PrintSink,
    /// Whether the driver keeps what it knows of compiled kernels, for [`Algorithm::executables`](crate::Algorithm::executables).
    pub executable_statistics: bool,
    /// How the host device runs kernels, if it is chosen.
    pub host: HostOptions,
    /// Where compiled pipelines are kept between runs.
    pub pipeline_cache: PipelineCache,
    /// After how long without any progress, while somebody waits, a device counts as hung: the wait ends with
    /// [`Error::DeviceHung`](crate::Error::DeviceHung). Longer than the longest launch takes. Without it such waits have no end.
    pub hang_timeout: Option<Duration>,
    /// Whether tensors and images keep copies in the host's memory of what the host wrote or read last, so that
    /// [`Recovery::tensor`](crate::Recovery::tensor) and [`Recovery::image`](crate::Recovery::image) can bring them back when the
    /// device is lost. Writing and reading copy once more; launches cost nothing.
    pub keeps_contents: bool,
}

impl ManagerDesc {
    /// The description that the environment asks for: `GRIDWISE_DEVICE` (an index, a part of a name, `host` or `sanitizer`),
    /// `GRIDWISE_VALIDATION` (`1`), `GRIDWISE_HOST_SUBGROUP` and `GRIDWISE_HOST_SEED` (numbers for [`HostOptions`]).
    ///
    /// ```
    /// use gridwise_runtime::{DeviceChoice, ManagerDesc};
    ///
    /// // `GRIDWISE_DEVICE=nvidia my-program` overrules what the program would take.
    /// let mut desc = ManagerDesc::from_env();
    /// if desc.device == DeviceChoice::Best {
    ///     desc.device = DeviceChoice::Host;
    /// }
    /// assert_ne!(desc.device, DeviceChoice::Best);
    /// ```
    pub fn from_env() -> Self {
        let device = std::env::var("GRIDWISE_DEVICE").map_or(DeviceChoice::Best, |text| DeviceChoice::parse(&text));
        let validation = std::env::var("GRIDWISE_VALIDATION").is_ok_and(|text| !matches!(text.trim(), "" | "0"));
        let number = |name| std::env::var(name).ok().and_then(|text| text.trim().parse::<u64>().ok());
        let mut host = HostOptions { seed: number("GRIDWISE_HOST_SEED"), ..HostOptions::default() };
        if let Some(size) = number("GRIDWISE_HOST_SUBGROUP") {
            host.subgroup_size = u32::try_from(size).unwrap_or(u32::MAX);
        }
        Self { device, validation, host, ..Self::default() }
    }
}
