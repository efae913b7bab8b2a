//! One value out of all elements: sums, minima, maxima.

use super::stages::Stages;
use super::{expect_len, operation, sealed};
use crate::prelude::*;
use crate::{Kernel, Result};

/// Invocations of a workgroup.
#[device]
const WIDTH: u32 = 256;
/// Elements of an invocation in a tile.
#[device]
const TURNS: u32 = 16;
/// Elements of a tile.
#[device]
const TILE: u32 = WIDTH * TURNS;
/// Workgroups of the first pass at most: enough to fill the largest devices several times.
const MAX_GROUPS: usize = 1024;

/// Reduces a tensor to its first element of another: sum, minimum or maximum.
///
/// The sum of integers wraps. The sum of floats is taken in an order that depends on the length and on the width of the
/// device's subgroups, and on nothing else. Minimum and maximum of floats leave out NaN where there is a number. Without
/// elements, the sum is zero, the minimum the largest value of the type (of floats: infinity), the maximum the smallest.
///
/// Work space: at most 1024 elements.
///
/// ```
/// use gridwise::algorithms::OpReduce;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[7u32, 2, 9])?;
/// let (mut least, mut greatest) = (mgr.tensor_of_len(1)?, mgr.tensor_of_len(1)?);
/// let seq = mgr.sequence()?;
/// seq.record(OpReduce::min(&mgr, &x, &mut least)?)?.record(OpReduce::max(&mgr, &x, &mut greatest)?)?.eval()?;
/// assert_eq!((least.to_vec()?, greatest.to_vec()?), (vec![2], vec![9]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OpReduce(Stages);

operation!(OpReduce);

impl OpReduce {
    /// The sum of all elements of `x`, into the one element of `total`.
    ///
    /// # Errors
    /// When `total` does not have one element, or the work space cannot be had.
    pub fn sum<T: Reducible>(mgr: &Manager, x: &Tensor<T>, total: &mut Tensor<T>) -> Result<Self> {
        Self::new::<T, T::Sum>("sum", mgr, x, total)
    }

    /// The least element of `x`, into the one element of `least`.
    ///
    /// # Errors
    /// When `least` does not have one element, or the work space cannot be had.
    pub fn min<T: Reducible>(mgr: &Manager, x: &Tensor<T>, least: &mut Tensor<T>) -> Result<Self> {
        Self::new::<T, T::Min>("minimum", mgr, x, least)
    }

    /// The greatest element of `x`, into the one element of `greatest`.
    ///
    /// # Errors
    /// When `greatest` does not have one element, or the work space cannot be had.
    pub fn max<T: Reducible>(mgr: &Manager, x: &Tensor<T>, greatest: &mut Tensor<T>) -> Result<Self> {
        Self::new::<T, T::Max>("maximum", mgr, x, greatest)
    }

    fn new<T: Reducible, K: Kernel>(
        name: &'static str,
        mgr: &Manager,
        x: &Tensor<T>,
        result: &mut Tensor<T>,
    ) -> Result<Self> {
        expect_len("reducing to", result, 1)?;
        let mut stages = Stages::new(name);
        let groups = x.len().div_ceil(TILE as usize).clamp(1, MAX_GROUPS);
        if groups == 1 {
            stages.launch::<K>(Grid::groups(1), |args| args.read(x).write(result));
            return Ok(Self(stages));
        }
        let mut parts = mgr.tensor_of_len::<T>(groups)?;
        stages.launch::<K>(Grid::groups(groups as u32), |args| args.read(x).write(&mut parts));
        stages.launch::<K>(Grid::groups(1), |args| args.read(&parts).write(result));
        Ok(Self(stages))
    }
}

/// What [`OpReduce`] reduces: `f32`, `u32`, `i32`.
pub trait Reducible: GpuData + sealed::Reduce {}

/// A kernel in which each workgroup strides through `x` and leaves one value in `parts`.
macro_rules! reduction {
    ($name:ident, $ty:ty, $identity:expr, $subgroup:ident, |$a:ident, $b:ident| $combine:expr) => {
        #[kernel(workgroup = WIDTH)]
        pub fn $name(x: &[$ty], parts: &mut [$ty]) {
            let slots = Shared::<[$ty; 256]>::new();
            let len = x.len() as u32;
            let stride = num_workgroups().x.saturating_mul(TILE);
            let mut all: $ty = $identity;
            let mut tile = workgroup_id().x.saturating_mul(TILE);
            while tile < len {
                for turn in 0..TURNS {
                    // Neighbours read neighbours.
                    let i = tile.saturating_add(turn * WIDTH + local_id().x);
                    if i < len {
                        let ($a, $b) = (all, x[i]);
                        all = $combine;
                    }
                }
                tile = tile.saturating_add(stride);
            }
            let all = subgroup::$subgroup(all);
            if subgroup::elect() {
                slots[subgroup_id()] = all;
            }
            barrier();
            if local_id().x == 0 {
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

reduction!(sum_f32, f32, 0.0, add, |a, b| a + b);
reduction!(min_f32, f32, f32::INFINITY, min, |a, b| a.min(b));
reduction!(max_f32, f32, f32::NEG_INFINITY, max, |a, b| a.max(b));
reduction!(sum_u32, u32, 0, add, |a, b| a.wrapping_add(b));
reduction!(min_u32, u32, u32::MAX, min, |a, b| a.min(b));
reduction!(max_u32, u32, 0, max, |a, b| a.max(b));
reduction!(sum_i32, i32, 0, add, |a, b| a.wrapping_add(b));
reduction!(min_i32, i32, i32::MAX, min, |a, b| a.min(b));
reduction!(max_i32, i32, i32::MIN, max, |a, b| a.max(b));

macro_rules! reducible {
    ($ty:ty, $sum:ident, $min:ident, $max:ident) => {
        impl Reducible for $ty {}

        impl sealed::Reduce for $ty {
            type Sum = $sum;
            type Min = $min;
            type Max = $max;
        }
    };
}

reducible!(f32, SumF32, MinF32, MaxF32);
reducible!(u32, SumU32, MinU32, MaxU32);
reducible!(i32, SumI32, MinI32, MaxI32);
