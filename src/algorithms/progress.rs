//! The progress guarantee of a device: whether workgroups may wait for each other.

use crate::prelude::*;
use crate::{DeviceInfo, descriptor::Feature};

/// Whether a workgroup that runs goes on running, whatever the others do.
///
/// With that guarantee a workgroup can wait for the results of those that began before it, and an algorithm passes over
/// its input once instead of twice. Vulkan gives no such guarantee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is known: workgroups do not wait for each other.
    Unknown,
    /// Every workgroup that has begun comes to its end, and the device's loops have no bound.
    Guaranteed,
}

impl Progress {
    /// The progress that a manager's device guarantees. Only NVIDIA's own driver is known to guarantee it.
    pub fn of(mgr: &Manager) -> Self {
        let device = mgr.device();
        let is_known = device.driver.contains("NVIDIA");
        if is_known && has_wide_atomics(device) { Self::Guaranteed } else { Self::Unknown }
    }
}

/// Whether kernels can say what they found out and how far they are in one access.
pub(super) fn has_wide_atomics(device: &DeviceInfo) -> bool {
    [Feature::Int64, Feature::BufferInt64Atomics].iter().all(|feature| device.features.contains(feature))
}
