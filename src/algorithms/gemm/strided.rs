//! Products of many matrices, transposed or not, with what is done to their results.

use super::batched::{Lying, Many};
use super::tiled::{OWN, SLICE, TILE, tiled};
use super::{Factor, GemmShape, OpGemm};
use crate::algorithms::stages::Stages;
use crate::algorithms::{expect_len, sealed};
use crate::prelude::*;
use crate::{Error, KernelArgs, Result};

/// Workgroups along the third axis that every device has.
pub(in crate::algorithms) const AXIS: u32 = 65_535;

/// The products of [`OpGemm::batched`]: `c = activation(alpha · a · b + beta · c + bias)` for each of `count` pairs of matrices.
///
/// [`new`](Self::new) gives plain products; the other fields are changed as needed.
///
/// ```
/// use gridwise::algorithms::{Activation, BatchedGemm, GemmShape, Matrices, OpGemm};
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// // Two inputs of three numbers through a layer of two outputs, whose weights lie output by output.
/// let x = mgr.tensor(&[1.0f32, 2.0, 3.0, -1.0, 0.0, 1.0])?;
/// let (weights, bias) = (mgr.tensor(&[1.0f32, 1.0, 1.0, 0.0, 1.0, -1.0])?, mgr.tensor(&[0.5f32, 0.0])?);
/// let mut y = mgr.tensor_of_len::<f32>(4)?;
/// let shape = GemmShape { rows: 2, columns: 2, depth: 3 };
/// let layer = BatchedGemm { bias: Some(&bias), activation: Activation::Relu, ..BatchedGemm::new(shape, 1) };
/// let op = OpGemm::batched(layer, Matrices::new(&x), Matrices::new(&weights).transposed(), &mut y)?;
/// mgr.sequence()?.record(op)?.eval()?;
/// assert_eq!(y.to_vec()?, [6.5, 0.0, 0.5, 0.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BatchedGemm<'a> {
    /// The sizes of each product.
    pub shape: GemmShape,
    /// The number of products.
    pub count: u32,
    /// The factor of products.
    pub alpha: f32,
    /// The factor of the old result. With zero it is not read.
    pub beta: f32,
    /// A number for each column, which is added to all rows.
    pub bias: Option<&'a Tensor<f32>>,
    /// The function that is applied last.
    pub activation: Activation,
}

impl BatchedGemm<'_> {
    /// As many products of a shape, and nothing else.
    pub fn new(shape: GemmShape, count: u32) -> Self {
        Self { shape, count, alpha: 1.0, beta: 0.0, bias: None, activation: Activation::Identity }
    }
}

/// A function that is applied to each element of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Activation {
    /// The element itself.
    #[default]
    Identity,
    /// The element where it is positive, else zero.
    Relu,
    /// The Gaussian error linear unit, by `tanh`: `x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))`.
    Gelu,
    /// The sigmoid linear unit, `x / (1 + exp(-x))`.
    Silu,
    /// The logistic function, `1 / (1 + exp(-x))`.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
}

/// Matrices of one size in a tensor, row by row, with any distance between rows and between matrices.
#[derive(Debug, Clone, Copy)]
pub struct Matrices<'a, T: Factor> {
    tensor: &'a Tensor<T>,
    is_transposed: bool,
    pitch: Option<u32>,
    stride: Option<u32>,
}

impl<'a, T: Factor> Matrices<'a, T> {
    /// Matrices that lie one behind the other.
    pub fn new(tensor: &'a Tensor<T>) -> Self {
        Self { tensor, is_transposed: false, pitch: None, stride: None }
    }

    /// The same matrices, used with rows and columns exchanged. They lie in the tensor as before.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { is_transposed: !self.is_transposed, ..self }
    }

    /// Matrices whose rows begin `pitch` elements after each other; by default rows have no gaps.
    #[must_use]
    pub fn pitch(self, pitch: u32) -> Self {
        Self { pitch: Some(pitch), ..self }
    }

    /// Matrices that begin `stride` elements after each other; zero uses one matrix for all products.
    #[must_use]
    pub fn stride(self, stride: u32) -> Self {
        Self { stride: Some(stride), ..self }
    }

    /// How they lie, if they are used as `rows` by `columns`.
    fn lying(&self, [rows, columns]: [u32; 2]) -> Lying<'a, T> {
        let [lines, length] = if self.is_transposed { [columns, rows] } else { [rows, columns] };
        let pitch = self.pitch.unwrap_or(length);
        // There is no second matrix where this is none.
        let stride = self.stride.unwrap_or_else(|| lines.checked_mul(pitch).unwrap_or(0));
        Lying { tensor: self.tensor, is_turned: self.is_transposed, pitch, stride }
    }

    /// Whether they lie without gaps, as they are used.
    fn is_plain(&self, [rows, columns]: [u32; 2]) -> bool {
        !self.is_transposed
            && self.pitch.is_none_or(|pitch| pitch == columns)
            && self.stride.is_none_or(|stride| u64::from(stride) == u64::from(rows) * u64::from(columns))
    }

    /// The distances of rows, columns and matrices as they are used, `rows` by `columns`; an error if the last one ends behind the tensor.
    fn steps(&self, param: &str, count: u32, [rows, columns]: [u32; 2]) -> Result<UVec3> {
        let [lines, length] = if self.is_transposed { [columns, rows] } else { [rows, columns] };
        let pitch = self.pitch.unwrap_or(length);
        let stride = self.stride.map_or_else(|| u64::from(lines) * u64::from(pitch), u64::from);
        let last = |number: u32, step: u64| u128::from(number.saturating_sub(1)) * u128::from(step);
        let end = last(count, stride) + last(lines, pitch.into()) + u128::from(length);
        let is_empty = count == 0 || lines == 0 || length == 0;
        if !is_empty && (end > self.tensor.len() as u128 || end > u128::from(u32::MAX)) {
            return Err(Error::ArgumentMismatch {
                kernel: "batched gemm".into(),
                param: format!("`{param}`"),
                expected: format!("a tensor of at least {end} elements for its matrices"),
                found: self.tensor.len().to_string(),
            });
        }
        // There is no second matrix where this is none.
        let stride = u32::try_from(stride).unwrap_or(0);
        Ok(if self.is_transposed { uvec3(1, pitch, stride) } else { uvec3(pitch, 1, stride) })
    }
}

impl OpGemm {
    /// Multiplies many pairs of matrices, which may be transposed and lie apart, and finishes each element of the results: see
    /// [`BatchedGemm`]. Results lie one behind the other in `c`.
    ///
    /// One product of matrices that lie as [`new`](Self::new) takes them, with neither bias nor activation, is computed as there.
    /// Others are computed in tiles of 128 rows and columns where these are whole, rows and matrices begin at multiples of 16 bytes and the
    /// depth has whole slices (of 16, or 32 of 16-bit elements): many tiles of `f32` in registers, those of 16-bit elements by the device's
    /// matrices. The rest is computed in tiles of 64 rows and columns. No work space.
    ///
    /// # Errors
    /// When matrices end behind their tensors, `c` does not have as many elements as the results, or `bias` as many as a result has columns.
    pub fn batched<T: Factor>(
        batch: BatchedGemm<'_>,
        a: Matrices<'_, T>,
        b: Matrices<'_, T>,
        c: &mut Tensor<f32>,
    ) -> Result<Self> {
        let GemmShape { rows, columns, depth } = batch.shape;
        let left = a.steps("a", batch.count, [rows, depth])?;
        let right = b.steps("b", batch.count, [depth, columns])?;
        let len = u128::from(batch.count) * u128::from(rows) * u128::from(columns);
        expect_len("products in", (4, "c"), c, usize::try_from(len).unwrap_or(usize::MAX))?;
        if let Some(bias) = batch.bias {
            expect_len("a number for each column in", (1, "bias"), bias, columns as usize)?;
        }
        let (sizes_a, sizes_b) = (rows as usize * depth as usize, depth as usize * columns as usize);
        let is_plain = a.is_plain([rows, depth]) && b.is_plain([depth, columns]);
        let is_finished = batch.bias.is_none() && batch.activation == Activation::Identity;
        if batch.count == 1 && is_plain && is_finished && a.tensor.len() == sizes_a && b.tensor.len() == sizes_b {
            return Self::new(batch.shape, batch.alpha, a.tensor, b.tensor, batch.beta, c);
        }
        let mut stages = Stages::new("batched gemm");
        let mut many = Many { batch: &batch, a: a.lying([rows, depth]), b: b.lying([depth, columns]), c };
        if T::multiply_many(&mut stages, &mut many)? {
            return Ok(Self(stages));
        }
        let none = c.manager().tensor_of_len::<f32>(1)?;
        let bias = batch.bias.unwrap_or(&none);
        let mut first = 0;
        while first < batch.count && rows > 0 && columns > 0 {
            let count = (batch.count - first).min(AXIS);
            let grid = Grid::groups([columns.div_ceil(TILE), rows.div_ceil(TILE), count]);
            let arguments = |args: KernelArgs| {
                let args = args.value(rows).value(columns).value(depth).value(first);
                let args = args.value(batch.alpha).value(batch.beta).value(batch.activation as u32).value(left);
                args.value(right).read(a.tensor).read(b.tensor).read(bias).write(c)
            };
            if batch.bias.is_some() {
                stages.launch::<T::Strided<COLUMNS>>(grid, arguments);
            } else {
                stages.launch::<T::Strided<NONE>>(grid, arguments);
            }
            first += count;
        }
        Ok(Self(stages))
    }
}

/// No bias.
const NONE: u32 = 0;
/// A bias for each column.
#[device]
const COLUMNS: u32 = 1;
/// An activation by its number.
#[device]
pub(super) fn activated(activation: u32, x: f32) -> f32 {
    match activation {
        0 => x,
        1 => x.max(0.0),
        2 => 0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh()),
        3 => x / (1.0 + (-x).exp()),
        4 => 1.0 / (1.0 + (-x).exp()),
        _ => x.tanh(),
    }
}

/// The kernel for matrices of a type, whose rows, columns and matrices lie so many steps apart.
macro_rules! of_matrices {
    ($name:ident $Name:ident, $ty:ty, $many:ident, |$factor:ident| $as_f32:expr) => {
        tiled! {
            fn $name[<const BIAS: u32>](
                rows,
                columns,
                depth,
                first: u32,
                alpha: f32,
                beta: f32,
                activation: u32,
                steps: UVec3,
                others: UVec3,
                a: &[$ty],
                b: &[$ty],
                bias: &[f32],
                c: &mut [f32],
            ),
            by_rows steps.x == 1,
            left |row, k| {
                let $factor = a[(workgroup_id().z + first) * steps.z + row * steps.x + k * steps.y];
                $as_f32
            },
            right |k, column| {
                let $factor = b[(workgroup_id().z + first) * others.z + k * others.x + column * others.y];
                $as_f32
            },
            result |row, column, sum| {
                let at = ((workgroup_id().z + first) * rows + row) * columns + column;
                let mut value = alpha * sum;
                if beta != 0.0 {
                    value += beta * c[at];
                }
                if BIAS == COLUMNS {
                    value += bias[column];
                }
                c[at] = activated(activation, value);
            }
        }

        impl sealed::Strided for $ty {
            type Strided<const BIAS: u32> = $Name<BIAS>;

            fn multiply_many(stages: &mut Stages, many: &mut Many<'_, Self>) -> Result<bool> {
                many.$many(stages)
            }
        }
    };
}

of_matrices!(strided_f32 StridedF32, f32, in_registers, |value| value);
of_matrices!(strided_f16 StridedF16, f16, by_matrices, |value| value.to_f32());
of_matrices!(strided_bf16 StridedBf16, bf16, by_matrices, |value| value.to_f32());
