//! The check that all elements of a tensor differ: on the device by a hash table, on the host where that does not settle it.

use std::collections::HashMap;

use gridwise_ir::descriptor::{KernelDescriptor, LaunchWord, LaunchWordKind, Location, Param, Spirv};

use crate::core::error::{Error, NotDistinct, Result};
use crate::core::grid::Grid;
use crate::device::Backend;
use crate::manager::Manager;
use crate::memory::distinct::DistinctTensor;
use crate::memory::tensor::{Contents, Tensor, TensorDesc};
use crate::record::args::KernelArgs;
use crate::record::kernel::Kernel;
use crate::record::ops::OpCopy;
use crate::twin::{HostArgs, HostGroup};

/// Places of the table that are tried for a number: with half of them free, a tenth of these would do.
const PROBES: u32 = 512;
/// A table for more numbers than these would be larger than many devices' buffers: the host looks instead.
const MOST: usize = 1 << 24;

static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("find_equal.spv")),
    params: &[
        Param::buffer("x", 0, false, 4, 4),
        Param::buffer("table", 1, true, 4, 4),
        Param::buffer("found", 2, true, 4, 4),
        Param::value("mask", 0, 4),
        Param::value("probes", 4, 4),
    ],
    launch_words: &[
        LaunchWord { offset: 8, kind: LaunchWordKind::Items(0) },
        LaunchWord { offset: 12, kind: LaunchWordKind::FirstGroup },
    ],
    ..KernelDescriptor::new("find_equal", PLACE, &[], "main", [64, 1, 1], 16)
};

const PLACE: Location = Location { file: file!(), line: line!(), column: 1 };

/// The kernel in `find_equal.comp`.
struct FindEqual;

// SAFETY: the module is what glslang makes of the source, `x` has as many elements as the launch has items, `table` has one more than
// `mask` and holds positions in `x`, and `found` has one.
unsafe impl Kernel for FindEqual {
    const DESCRIPTOR: &'static KernelDescriptor = &DESCRIPTOR;

    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {
        unreachable!("the host looks by itself")
    }
}

impl Manager {
    /// A read-only copy of a tensor, checked once for duplicates. Kernels take it as a parameter `ix: &Distinct<u32>`. Then `y[ix[i]] = v`
    /// is proven and costs nothing: two invocations with different `i` write different elements.
    ///
    /// Later writes of the tensor do not change the copy. On a Vulkan device the check is a kernel launch, which takes 8 to 16 bytes per
    /// element while it runs. For more than 2^24 elements, and on the host device, it is a loop on the host.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::Error;
    ///
    /// let mgr = gridwise::Manager::host();
    /// let order = mgr.distinct(&mgr.tensor(&[3u32, 1, 2])?)?;
    /// assert_eq!(order.len(), 3);
    /// match mgr.distinct(&mgr.tensor_named("again", &[3u32, 1, 3])?) {
    ///     Err(Error::NotDistinct(equal)) => assert_eq!((equal.value, equal.first, equal.second), (3, 0, 2)),
    ///     other => panic!("{other:?}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotDistinct`] for a number that is there twice, and when memory is exhausted or the device fails.
    pub fn distinct(&self, tensor: &Tensor<u32>) -> Result<DistinctTensor<u32>> {
        let mut copy = self.scratch(tensor.name(), tensor.len())?;
        self.sequence()?.record(OpCopy::new(tensor, &mut copy))?.eval()?;
        let is_vulkan = matches!(self.device.backend, Backend::Vulkan(_));
        let is_settled = is_vulkan && copy.len() <= MOST && self.all_differ(&copy)?;
        if !is_settled {
            // The device does not tell which numbers are equal, or whether any are.
            let mut seen = HashMap::with_capacity(copy.len());
            for (second, value) in copy.to_vec()?.into_iter().enumerate() {
                if let Some(first) = seen.insert(value, second) {
                    let tensor = tensor.name().into();
                    return Err(Error::NotDistinct(Box::new(NotDistinct { tensor, value, first, second })));
                }
            }
        }
        Ok(DistinctTensor::new(copy))
    }

    pub(super) fn scratch(&self, name: &str, len: usize) -> Result<Tensor<u32>> {
        self.tensor_with(TensorDesc { name, contents: Contents::Uninit(len) })
    }

    /// Whether the device found that all elements differ.
    fn all_differ(&self, x: &Tensor<u32>) -> Result<bool> {
        let places = (2 * x.len()).next_power_of_two();
        let (mut table, mut found) = (self.tensor_of_len::<u32>(places)?, self.tensor_of_len::<u32>(1)?);
        let args = KernelArgs::new::<FindEqual>().read(x).write(&mut table).write(&mut found);
        let args = args.value(places as u32 - 1).value(PROBES.min(places as u32));
        self.sequence()?.dispatch(Grid::items(x.len()), args)?.eval()?;
        Ok(found.to_vec()? == [0])
    }
}
