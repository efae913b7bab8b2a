//! The check that the elements of a tensor are offsets: on the device, and on the host where that finds something.

use gridwise_ir::descriptor::{KernelDescriptor, LaunchWord, LaunchWordKind, Location, Param, Spirv};

use crate::core::error::{Error, NotOffsets, Result};
use crate::core::grid::Grid;
use crate::device::Backend;
use crate::manager::Manager;
use crate::memory::offsets::OffsetsTensor;
use crate::memory::tensor::Tensor;
use crate::record::args::KernelArgs;
use crate::record::kernel::Kernel;
use crate::record::ops::OpCopy;
use crate::twin::{HostArgs, HostGroup};

/// The largest offset: the sum of an offset and a smaller distance does not wrap.
const MOST: u32 = i32::MAX as u32;

static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("find_descent.spv")),
    params: &[Param::buffer("x", 0, false, 4, 4), Param::buffer("found", 1, true, 4, 4), Param::value("most", 0, 4)],
    launch_words: &[
        LaunchWord { offset: 4, kind: LaunchWordKind::Items(0) },
        LaunchWord { offset: 8, kind: LaunchWordKind::FirstGroup },
    ],
    ..KernelDescriptor::new("find_descent", PLACE, &[], "main", [64, 1, 1], 12)
};

const PLACE: Location = Location { file: file!(), line: line!(), column: 1 };

/// The kernel in `find_descent.comp`.
struct FindDescent;

// SAFETY: the module is what glslang makes of the source, `x` has as many elements as the launch has items, and `found` has one.
unsafe impl Kernel for FindDescent {
    const DESCRIPTOR: &'static KernelDescriptor = &DESCRIPTOR;

    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {
        unreachable!("the host looks by itself")
    }
}

impl Manager {
    /// A read-only copy of a tensor whose elements never fall, checked once. Kernels take it as a parameter `starts: &Offsets<u32>`. Then
    /// `y[k] = v` for `k` in `starts[i]..starts[i + 1]` is proven and costs nothing: rows lie one behind the other.
    ///
    /// Later writes of the tensor do not change the copy. On a Vulkan device the check is a kernel launch.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::Error;
    ///
    /// let mgr = gridwise::Manager::host();
    /// let starts = mgr.offsets(&mgr.tensor(&[0u32, 3, 3, 7])?)?;
    /// assert_eq!(starts.len(), 4);
    /// match mgr.offsets(&mgr.tensor_named("falls", &[0u32, 3, 2])?) {
    ///     Err(Error::NotOffsets(found)) => assert_eq!((found.position, found.value, found.before), (2, 2, 3)),
    ///     other => panic!("{other:?}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotOffsets`] for a number that is less than the one before it or above `i32::MAX`, and when memory is exhausted or the
    /// device fails.
    pub fn offsets(&self, tensor: &Tensor<u32>) -> Result<OffsetsTensor<u32>> {
        let mut copy = self.scratch(tensor.name(), tensor.len())?;
        self.sequence()?.record(OpCopy::new(tensor, &mut copy))?.eval()?;
        let is_vulkan = matches!(self.device.backend, Backend::Vulkan(_));
        if !is_vulkan || self.falls(&copy)? {
            let mut before = 0;
            for (position, value) in copy.to_vec()?.into_iter().enumerate() {
                if value < before || value > MOST {
                    let tensor = tensor.name().into();
                    return Err(Error::NotOffsets(Box::new(NotOffsets { tensor, position, value, before })));
                }
                before = value;
            }
        }
        Ok(OffsetsTensor::new(copy))
    }

    /// Whether the device found an element that is less than the one before it, or too large.
    fn falls(&self, x: &Tensor<u32>) -> Result<bool> {
        let mut found = self.tensor_of_len::<u32>(1)?;
        let args = KernelArgs::new::<FindDescent>().read(x).write(&mut found).value(MOST);
        self.sequence()?.dispatch(Grid::items(x.len()), args)?.eval()?;
        Ok(found.to_vec()? != [0])
    }
}
