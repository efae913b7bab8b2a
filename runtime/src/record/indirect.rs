//! Launches whose size the device computed: where the counts lie, what they may be, and the kernel that checks them. It must
//! never let a count reach the device that is over a limit.

use std::sync::Arc;

use crate::core::error::{Error, KernelName, Result};
use crate::core::grid::{Grid, Unit};
use crate::core::sync::hazard::Touch;
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::tensor::Tensor;

/// Words of one grid: workgroups along x, y and z.
pub(crate) const WORDS: u64 = 3;

/// A grid in a tensor on the device, which an earlier operation may write; created by [`Grid::indirect`].
///
/// ```standalone_crate
/// # #[path = "../../tests/devices/kernels.rs"]
/// # mod kernels;
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::Grid;
/// # use gridwise::KernelArgs;
/// # use kernels::Mark;
///
/// # let manager = gridwise::Manager::host();
/// let mut counts = manager.tensor(&[0u32, 1, 1])?;
/// let mut indices = manager.tensor_of_len::<u32>(64)?;
/// let sequence = manager.sequence()?;
/// let args = KernelArgs::new::<Mark>().value(0u32).write(&mut indices);
/// sequence.dispatch(Grid::indirect(&counts), args)?;
/// counts.write(&[1, 1, 1])?; // as late as this, or by a kernel
/// sequence.eval()?;
/// assert_eq!(indices.to_vec()?[63], 63);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct IndirectGrid {
    counts: Arc<Buffer>,
    /// The first of the words, which may be past the end.
    first: u64,
    /// Words of an element.
    stride: u64,
}

/// The grid of a launch: known now, or read from a tensor when the launch runs. Functions that take it accept either.
///
/// ```
/// use gridwise::{AnyGrid, Grid, Kernel, KernelArgs, Result, Sequence};
///
/// /// Launches kernel `K` over a grid, or the place of one.
/// fn launch<K: Kernel>(sequence: &Sequence, grid: impl Into<AnyGrid>) -> Result<()> {
///     sequence.dispatch(grid, KernelArgs::new::<K>())?;
///     Ok(())
/// }
/// let _: AnyGrid = Grid::items(3).into();
/// ```
#[derive(Debug, Clone)]
pub struct AnyGrid(pub(crate) GridSource);

/// The source of a launch's grid.
#[derive(Debug, Clone)]
pub(crate) enum GridSource {
    Known(Grid),
    Indirect(IndirectGrid),
}

impl AnyGrid {
    /// Whether it is known to have one axis.
    #[doc(hidden)]
    pub fn is_line(&self) -> bool {
        match &self.0 {
            GridSource::Known(grid) => grid.size[1..] == [1, 1],
            GridSource::Indirect(_) => false,
        }
    }

    /// The invocations along x, in workgroups of `width`, if the host knows them.
    #[doc(hidden)]
    pub fn line_items(&self, width: u32) -> Option<u128> {
        let GridSource::Known(grid) = &self.0 else { return None };
        let size = u128::try_from(grid.size[0]).unwrap_or(0);
        Some(if grid.unit == Unit::Items { size } else { size.saturating_mul(width.into()) })
    }
}

impl From<Grid> for AnyGrid {
    fn from(grid: Grid) -> Self {
        Self(GridSource::Known(grid))
    }
}

impl From<IndirectGrid> for AnyGrid {
    fn from(grid: IndirectGrid) -> Self {
        Self(GridSource::Indirect(grid))
    }
}

impl From<&IndirectGrid> for AnyGrid {
    fn from(grid: &IndirectGrid) -> Self {
        Self(GridSource::Indirect(grid.clone()))
    }
}

/// An element of a tensor that holds grids: `u32`, of which three are a grid, or `UVec3`.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Grid, glam::UVec3};
///
/// # let manager = gridwise::Manager::host();
/// let counts = manager.tensor(&[UVec3::new(4, 1, 1), UVec3::new(2, 2, 1)])?;
/// let second = Grid::indirect(&counts).at(1);
/// # drop(second);
/// # Ok(())
/// # }
/// ```
pub trait GridCounts: GpuData {}

impl GridCounts for u32 {}
impl GridCounts for glam::UVec3 {}

impl Grid {
    /// A grid of whole workgroups. The device reads the numbers of workgroups along x, y and z from the first three
    /// numbers of `counts` when the launch begins; an earlier operation may have written them. [`at`](IndirectGrid::at)
    /// chooses other elements of `counts`.
    ///
    /// All invocations of the workgroups run, so the kernel itself tests its index. Bounds checks that depend on the
    /// grid stay in, because the grid is not known when the launch is recorded. If a number is zero, nothing runs. If a
    /// number exceeds the limits of the device or of 32-bit ids, nothing runs either, and the evaluation ends with
    /// [`Error::IndirectGridTooLarge`].
    ///
    /// ```no_run
    /// # use gridwise::{Grid, Kernel, KernelArgs, Manager, Result};
    /// # fn f<Choose: Kernel, Work: Kernel>(manager: &Manager) -> Result<()> {
    /// let items = manager.tensor(&[1u32, 2, 3])?;
    /// let mut counts = manager.tensor(&[0u32, 1, 1])?;
    /// let sequence = manager.sequence()?;
    /// // A kernel finds out how much there is to do, and another does it: the host learns nothing of it.
    /// sequence.dispatch(Grid::items(3), KernelArgs::new::<Choose>().read(&items).write(&mut counts))?;
    /// sequence.dispatch(Grid::indirect(&counts), KernelArgs::new::<Work>().read(&items))?;
    /// sequence.eval()
    /// # }
    /// ```
    pub fn indirect<T: GridCounts>(counts: &Tensor<T>) -> IndirectGrid {
        IndirectGrid { counts: counts.buffer.clone(), first: 0, stride: size_of::<T>() as u64 / 4 }
    }
}

impl IndirectGrid {
    /// The grid that begins with this element of the tensor. If it would reach beyond the end of the tensor, recording
    /// a launch fails.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::Grid;
    /// # use gridwise::KernelArgs;
    /// # use kernels::Mark;
    ///
    /// # let manager = gridwise::Manager::host();
    /// // Two grids in one tensor; the second begins with its fourth number.
    /// let counts = manager.tensor(&[0u32, 1, 1, 2, 1, 1])?;
    /// let mut indices = manager.tensor_of_len::<u32>(128)?;
    /// let sequence = manager.sequence()?;
    /// let args = KernelArgs::new::<Mark>().value(0u32).write(&mut indices);
    /// sequence.dispatch(Grid::indirect(&counts).at(3), args)?;
    /// sequence.eval()?;
    /// assert_eq!(indices.to_vec()?[127], 127);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        self.first = (index as u64).saturating_mul(self.stride);
        self
    }

    /// The tensor.
    pub(crate) fn counts(&self) -> &Arc<Buffer> {
        &self.counts
    }
}

/// An indirect launch's grid: checked, and where the device finds it.
#[derive(Debug, Clone)]
pub(crate) struct Indirect {
    /// The counts, on the host device; else what the guard made of them.
    pub(crate) command: Arc<Buffer>,
    /// The first word of the grid in it.
    pub(crate) first: u32,
    /// The upper limits of the counts.
    pub(crate) limit: [u32; 3],
}

impl Indirect {
    /// The bytes of the grid.
    pub(crate) fn bytes(&self) -> std::ops::Range<u64> {
        let start = u64::from(self.first) * 4;
        start..start + WORDS * 4
    }

    /// The grid is read.
    pub(crate) fn touch(&self) -> Touch {
        self.command.touch(self.bytes(), false)
    }

    /// The numbers of workgroups that the host device launches.
    ///
    /// # Errors
    /// When a count is over its limit.
    ///
    /// # Safety
    /// The buffer is on the host device, and nobody else accesses it now.
    pub(crate) unsafe fn read_on_host(&self, kernel: &KernelName) -> Result<[u32; 3]> {
        let data = self.command.host_data(self.bytes().start).cast::<[u32; 3]>();
        // SAFETY: the range was checked when the launch was recorded; the caller's promise.
        let asked = unsafe { data.read_unaligned() };
        match (0..3).any(|axis| asked[axis] > self.limit[axis]) {
            true => Err(too_large(kernel.clone(), asked, self.limit)),
            false => Ok(asked),
        }
    }
}

/// The error of a launch with such counts.
pub(crate) fn too_large(kernel: KernelName, asked: [u32; 3], limit: [u32; 3]) -> Error {
    Error::IndirectGridTooLarge { kernel, asked, limit }
}

/// The upper limits of counts: ids have 32 bits, and the device its own limits.
pub(crate) fn limit_of(workgroup: [u32; 3], max_groups: [u32; 3]) -> [u32; 3] {
    std::array::from_fn(|axis| max_groups[axis].min(u32::MAX / workgroup[axis].max(1)))
}

/// The launch's grid where it lies in the tensor.
///
/// # Errors
/// When the tensor has no three numbers there.
pub(crate) fn in_tensor(grid: &IndirectGrid, limit: [u32; 3]) -> Result<Indirect> {
    let (counts, first) = (&grid.counts, grid.first);
    let (offset, bytes) = (first.saturating_mul(4), WORDS * 4);
    match (u32::try_from(first), offset.checked_add(bytes)) {
        (Ok(first), Some(end)) if end <= counts.bytes() => Ok(Indirect { command: counts.clone(), first, limit }),
        _ => {
            let (operation, tensor, size) = ("reading a grid", counts.name().into(), counts.bytes());
            Err(Error::OutOfRange { operation, tensor, offset, bytes, size })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_devices_limit_counts() {
        assert_eq!(limit_of([64, 1, 0], [u32::MAX, 65_535, 7]), [u32::MAX / 64, 65_535, 7]);
    }
}
