//! The operation that multiplies two tensors element by element.

use gridwise_ir::descriptor::{KernelDescriptor, LaunchWord, Location, Param, Spirv};

use super::{Access, Op, OpDispatch, Recorder};
use crate::core::error::{Error, Result, TensorName};
use crate::core::grid::Grid;
use crate::memory::tensor::Tensor;
use crate::record::args::KernelArgs;
use crate::record::kernel::Kernel;
use crate::twin::{HostArgs, HostGroup};

/// Multiplies two tensors of `f32` element by element.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, ops::OpMultiply};
///
/// let manager = Manager::host();
/// let (x, y) = (manager.tensor(&[1.0f32, 2.0, 3.0])?, manager.tensor(&[4.0f32, 5.0, 6.0])?);
/// let mut product = manager.tensor_of_len::<f32>(3)?;
/// manager.sequence()?.record(OpMultiply::new(&x, &y, &mut product))?.eval()?;
/// assert_eq!(product.to_vec()?, [4.0, 10.0, 18.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpMultiply {
    launch: Result<OpDispatch>,
}

impl OpMultiply {
    /// Sets `product` to `x` times `y`; all have one length, or recording the operation fails.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, ops::OpMultiply};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (x, y) = (manager.tensor(&[1.0f32, 2.0])?, manager.tensor(&[3.0f32])?);
    /// let refused = manager.sequence()?.record(OpMultiply::new(&x, &y, &mut manager.tensor_of_len(2)?)).map(drop);
    /// assert!(matches!(refused, Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(x: &Tensor<f32>, y: &Tensor<f32>, product: &mut Tensor<f32>) -> Self {
        let expected = product.len();
        let other = [(1, "x", x), (2, "y", y)].into_iter().find(|(_, _, factor)| factor.len() != expected);
        let launch = match other {
            Some((position, param, other)) => {
                let tensor =
                    TensorName::from(other.name()).at(format!("argument {position}, `{param}`, of `OpMultiply`"));
                Err(Error::LengthMismatch { operation: "multiplying", tensor, expected, found: other.len() })
            }
            None => {
                let args = KernelArgs::new::<Multiply>().read(x).read(y).write(product);
                Ok(OpDispatch::new(Grid::items(expected), args))
            }
        };
        Self { launch }
    }
}

impl Op for OpMultiply {
    fn name(&self) -> &str {
        "multiply"
    }

    fn accesses(&self) -> Vec<Access> {
        self.launch.as_ref().map_or_else(|_| Vec::new(), Op::accesses)
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        self.launch.clone()?.record(recorder)
    }
}

struct Multiply;

static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("multiply.spv")),
    params: &[
        Param::buffer("x", 0, false, 4, 4),
        Param::buffer("y", 1, false, 4, 4),
        Param::buffer("product", 2, true, 4, 4),
    ],
    launch_words: &[LaunchWord::items(0, 0), LaunchWord::first_group(4)],
    ..KernelDescriptor::new(
        "multiply",
        Location { file: file!(), line: line!(), column: 1 },
        &[],
        "main",
        [64, 1, 1],
        8,
    )
};

// SAFETY: the module and the function do what the descriptor says.
unsafe impl Kernel for Multiply {
    const DESCRIPTOR: &'static KernelDescriptor = &DESCRIPTOR;

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        let (x, y, product) = (args.slice::<f32>(0), args.slice::<f32>(1), args.slice_mut::<f32>(2));
        group.run(|invocation| {
            let i = invocation.global_id().x as usize;
            if let (Some(x), Some(y)) = (x.get(i), y.get(i)) {
                product.set(invocation, &SITE, i, |whole| Some(whole), x * y);
            }
        });
    }
}

/// Never recorded: all lengths are equal.
static SITE: gridwise_ir::descriptor::Site = gridwise_ir::descriptor::Site::index(file!(), line!(), 1, "product[i]");
