//! The trait that `#[kernel]` implements for each kernel.

use gridwise_ir::descriptor::KernelDescriptor;

use crate::twin::{HostArgs, HostGroup};

/// A compiled kernel; implemented by `#[kernel]` for the dispatch type it generates.
///
/// ```standalone_crate
/// # #[path = "../../tests/devices/kernels.rs"]
/// # mod kernels;
/// use gridwise::{Kernel, Manager, Result};
/// # use kernels::{Mark, Saxpy};
///
/// /// Makes ready kernels of any type, and says how they are called.
/// fn ready<A: Kernel, B: Kernel>(manager: &Manager) -> Result<[&'static str; 2]> {
///     Ok([manager.algorithm::<A>()?.name(), manager.algorithm::<B>()?.name()])
/// }
///
/// # fn main() -> Result<()> {
/// assert_eq!(ready::<Saxpy, Mark>(&Manager::host())?, ["saxpy", "mark"]);
/// # Ok(())
/// # }
/// ```
///
/// # Safety
/// The descriptor's module is valid for Vulkan 1.2, has the interface that the descriptor tells, stays within its buffers
/// and writes only those that are `writable`; `host` does the same.
pub unsafe trait Kernel: 'static {
    /// The descriptor of the compiled kernel.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// use gridwise::Kernel;
    /// # use kernels::Saxpy;
    ///
    /// # fn main() {
    /// assert_eq!(Saxpy::DESCRIPTOR.params.len(), 3);
    /// # }
    /// ```
    const DESCRIPTOR: &'static KernelDescriptor;

    /// The values of the const parameters for this type's launches, one for each of
    /// [`constants`](KernelDescriptor::constants).
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// use gridwise::Kernel;
    /// # use kernels::Saxpy;
    ///
    /// # fn main() {
    /// assert_eq!(Saxpy::CONSTANTS.len(), Saxpy::DESCRIPTOR.constants.len());
    /// # }
    /// ```
    const CONSTANTS: &'static [u64] = &[];

    /// Whether it is an `unsafe fn`: who launches it promises that its invocations do not race.
    const IS_UNSAFE: bool = false;

    /// Positions of the `&[T]` parameters that invocations write all the same, through atomics.
    const ATOMIC_PARAMS: &'static [usize] = &[];

    /// Runs one workgroup on the host: the function as rustc compiled it.
    fn host(args: &HostArgs<'_>, group: HostGroup<'_>);
}

/// [`Kernel::host`] of some kernel.
pub type HostFn = fn(&HostArgs<'_>, HostGroup<'_>);
