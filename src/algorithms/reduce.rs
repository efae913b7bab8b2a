//! Reductions: sums, minima and maxima of all elements.

use super::stages::Stages;
use super::{expect_len, operation, sealed};
use crate::prelude::*;
use crate::{Kernel, Plain, Result};

/// Invocations of a workgroup.
#[device]
const WIDTH: u32 = 256;
/// Vectors of a tile; an invocation has four of them.
#[device]
const TILE: u32 = WIDTH * 4;
/// Workgroups of the first pass at most: enough to fill the largest devices several times.
const MAX_GROUPS: usize = 1056;

/// Reduces a tensor to one element of another tensor: sum, minimum or maximum.
///
/// The sum of integers wraps. The order of a float sum depends only on the length and on the device's subgroup size.
/// Minimum and maximum of floats ignore NaN, unless all elements are NaN. For zero elements, the sum is zero, the
/// minimum is the largest value of the type (of floats: infinity), and the maximum is the smallest.
///
/// Work space: at most 1056 elements.
///
/// ```
/// use gridwise::algorithms::OpReduce;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[7u32, 2, 9])?;
/// let (mut least, mut greatest) = (mgr.tensor_of_len(1)?, mgr.tensor_of_len(1)?);
/// let seq = mgr.sequence()?;
/// seq.record(OpReduce::min(&x, &mut least)?)?.record(OpReduce::max(&x, &mut greatest)?)?.eval()?;
/// assert_eq!((least.to_vec()?, greatest.to_vec()?), (vec![2], vec![9]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpReduce(pub(super) Stages);

operation!(OpReduce);

impl OpReduce {
    /// The sum of all elements of `x`, into the one element of `total`.
    ///
    /// # Errors
    /// When `total` does not have one element, or there is no memory for the work space.
    pub fn sum<T: Reducible>(x: &Tensor<T>, total: &mut Tensor<T>) -> Result<Self> {
        Self::new::<T, T::Sum>("sum", x, total)
    }

    /// The least element of `x`, into the one element of `least`.
    ///
    /// # Errors
    /// When `least` does not have one element, or there is no memory for the work space.
    pub fn min<T: Reducible>(x: &Tensor<T>, least: &mut Tensor<T>) -> Result<Self> {
        Self::new::<T, T::Min>("minimum", x, least)
    }

    /// The greatest element of `x`, into the one element of `greatest`.
    ///
    /// # Errors
    /// When `greatest` does not have one element, or there is no memory for the work space.
    pub fn max<T: Reducible>(x: &Tensor<T>, greatest: &mut Tensor<T>) -> Result<Self> {
        Self::new::<T, T::Max>("maximum", x, greatest)
    }

    fn new<T: Reducible, K: Kernel>(name: &'static str, x: &Tensor<T>, result: &mut Tensor<T>) -> Result<Self> {
        expect_len("reducing to", (2, "result"), result, 1)?;
        let mut stages = Stages::new(name);
        let vectors = x.cast::<T::Vector>()?;
        let groups = vectors.len().div_ceil(TILE as usize).clamp(1, MAX_GROUPS);
        if groups == 1 {
            stages.launch::<K>(Grid::groups(1), |args| args.read(&vectors).read(x).write(result));
            return Ok(Self(stages));
        }
        let mut parts = x.manager().tensor_of_len::<T>(groups)?;
        stages.launch::<K>(Grid::groups(groups as u32), |args| args.read(&vectors).read(x).write(&mut parts));
        let vectors = parts.cast::<T::Vector>()?;
        stages.launch::<K>(Grid::groups(1), |args| args.read(&vectors).read(&parts).write(result));
        Ok(Self(stages))
    }
}

/// The types that [`OpReduce`] reduces: `f32`, `u32`, `i32`.
pub trait Reducible:
    Plain + sealed::Reduce + sealed::Segments + sealed::Chained + sealed::Rows + sealed::Long + sealed::Runs
{
}

/// A kernel in which each workgroup strides through `x`, 16 bytes at a time, and leaves one value in `parts`.
macro_rules! reduction {
    ($name:ident, $ty:ty, $Vector:ident, $identity:expr, $subgroup:ident, |$a:ident, $b:ident| $combine:expr) => {
        #[kernel(workgroup = WIDTH)]
        pub fn $name(vectors: &[$Vector], x: &[$ty], parts: &mut [$ty]) {
            let slots = Shared::<[$ty; 256]>::new();
            let len = vectors.len() as u32;
            let stride = num_workgroups().x.saturating_mul(TILE);
            let mut own: [$ty; 4] = [$identity; 4];
            let mut tile = workgroup_id().x.saturating_mul(TILE);
            while tile < len {
                // Neighbours read neighbours; all four loads first.
                let mut loaded = [$Vector::splat($identity); 4];
                for k in 0..4 {
                    let i = tile.saturating_add(k * WIDTH + local_id().x);
                    if i < len {
                        loaded[k] = vectors[i];
                    }
                }
                for k in 0..4 {
                    let v = loaded[k];
                    let ($a, $b) = (own[k], v.x);
                    let ($a, $b) = ($combine, v.y);
                    let ($a, $b) = ($combine, v.z);
                    let ($a, $b) = ($combine, v.w);
                    own[k] = $combine;
                }
                tile = tile.saturating_add(stride);
            }
            // Less than a vector.
            let rest = (len * 4).saturating_add(global_id().x);
            if global_id().x < 4 && rest < x.len() as u32 {
                let ($a, $b) = (own[0], x[rest]);
                own[0] = $combine;
            }
            let ($a, $b) = (own[0], own[1]);
            let ($a, $b) = ($combine, own[2]);
            let ($a, $b) = ($combine, own[3]);
            let all = subgroup::$subgroup($combine);
            if subgroup::elect() {
                slots[subgroup_id()] = all;
            }
            barrier();
            if local_id().x == 0 && workgroup_id().x < parts.len() as u32 {
                let mut all = slots[0];
                for slot in 1..num_subgroups() {
                    let ($a, $b) = (all, slots[slot]);
                    all = $combine;
                }
                parts[workgroup_id().x] = all;
            }
        }
    };
}

reduction!(sum_f32, f32, Vec4, 0.0, add, |a, b| a + b);
reduction!(min_f32, f32, Vec4, f32::INFINITY, min, |a, b| a.min(b));
reduction!(max_f32, f32, Vec4, f32::NEG_INFINITY, max, |a, b| a.max(b));
reduction!(sum_u32, u32, UVec4, 0, add, |a, b| a.wrapping_add(b));
reduction!(min_u32, u32, UVec4, u32::MAX, min, |a, b| a.min(b));
reduction!(max_u32, u32, UVec4, 0, max, |a, b| a.max(b));
reduction!(sum_i32, i32, IVec4, 0, add, |a, b| a.wrapping_add(b));
reduction!(min_i32, i32, IVec4, i32::MAX, min, |a, b| a.min(b));
reduction!(max_i32, i32, IVec4, i32::MIN, max, |a, b| a.max(b));

macro_rules! reducible {
    ($ty:ty: $Vector:ident, $sum:ident, $min:ident, $max:ident) => {
        impl Reducible for $ty {}

        impl sealed::Reduce for $ty {
            type Vector = $Vector;
            type Sum = $sum;
            type Min = $min;
            type Max = $max;
        }
    };
}

reducible!(f32: Vec4, SumF32, MinF32, MaxF32);
reducible!(u32: UVec4, SumU32, MinU32, MaxU32);
reducible!(i32: IVec4, SumI32, MinI32, MaxI32);
