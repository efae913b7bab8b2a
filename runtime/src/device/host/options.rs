//! How kernels run on the host device.

/// How a launch runs on the host.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{DeviceChoice, HostOptions, Manager, ManagerDesc};
///
/// // Other orders of invocations, and subgroups as some GPUs have them: does a kernel depend on either?
/// for seed in 0..4 {
///     let host = HostOptions { subgroup_size: 64, seed: Some(seed) };
///     let manager = Manager::with(ManagerDesc { device: DeviceChoice::Host, host, ..ManagerDesc::default() })?;
///     assert_eq!(manager.device().limits.subgroup.size, 64);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostOptions {
    /// Invocations per subgroup; a power of two, at most 128.
    pub subgroup_size: u32,
    /// The seed that permutes the order of workgroups and invocations.
    pub seed: Option<u64>,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self { subgroup_size: 32, seed: None }
    }
}
