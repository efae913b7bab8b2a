//! The progress guarantee of a device: whether workgroups may wait for each other.

use std::cell::Cell;

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
        if let Some(assumed) = ASSUMED.get() {
            return assumed;
        }
        let device = mgr.device();
        let is_known = device.driver.contains("NVIDIA");
        if is_known && has_wide_atomics(device) { Self::Guaranteed } else { Self::Unknown }
    }

    /// Makes operations for a device about which you know more than [`of`](Self::of): it gives this progress while `make` runs, in this
    /// thread. The device hangs if waiting workgroups keep those from running that they wait for.
    ///
    /// ```
    /// use gridwise::algorithms::{OpScan, Progress};
    /// # use gridwise::prelude::*;
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let x = mgr.tensor(&[5u32, 5, 2, 5])?;
    /// let mut sums = mgr.tensor_of_len::<u32>(4)?;
    /// let op = Progress::Unknown.assumed(|| OpScan::inclusive_by_key(&x, &x, &mut sums))?;
    /// mgr.sequence()?.record(op)?.eval()?;
    /// assert_eq!(sums.to_vec()?, [5, 10, 2, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn assumed<R>(self, make: impl FnOnce() -> R) -> R {
        /// Puts back what was assumed before, also when `make` panics.
        struct Before(Option<Progress>);

        impl Drop for Before {
            fn drop(&mut self) {
                ASSUMED.set(self.0);
            }
        }

        let _before = Before(ASSUMED.replace(Some(self)));
        make()
    }
}

thread_local! {
    static ASSUMED: Cell<Option<Progress>> = const { Cell::new(None) };
}

/// Whether kernels can say what they found out and how far they are in one access.
pub(super) fn has_wide_atomics(device: &DeviceInfo) -> bool {
    [Feature::Int64, Feature::BufferInt64Atomics].iter().all(|feature| device.features.contains(feature))
}
