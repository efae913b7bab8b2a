//! Histograms: counts of the values in a tensor.

use super::stages::Stages;
use super::{operation, sealed};
use crate::prelude::*;
use crate::{Error, KernelArgs, Plain, Result};

/// Invocations of a workgroup.
#[device]
const WIDTH: u32 = 256;
/// Bytes of a vector.
const VECTOR: usize = 16;
/// Vectors that an invocation counts in a turn.
#[device]
const RUN: u32 = 2;
/// Counters of a workgroup.
#[device]
const SLOTS: u32 = 2048;
/// Copies of a counter at most. More take turns less often, but where one value occurs everywhere, devices gather what
/// neighbours add to the same copy.
#[device]
const COPIES: u32 = 8;
/// Workgroups at most: enough to fill the largest devices several times.
const MAX_GROUPS: usize = 1056;

/// Counts values: `bins[v >> shift]` becomes the number of elements `v` of `x`. Elements beyond the last bin are not counted.
///
/// Workgroups count in shared memory first, 16 bytes of elements at a time. Up to 256 bins have eight copies of each
/// counter, so that a frequent value causes less contention; up to 2048 bins have one copy. More bins are counted in
/// the tensor itself. No work space.
///
/// ```
/// use gridwise::algorithms::OpHistogram;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[0u32, 17, 18, 40, 1000])?;
/// let mut bins = mgr.tensor_of_len::<u32>(3)?;
/// mgr.sequence()?.record(OpHistogram::new(&x, 4, &mut bins)?)?.eval()?;
/// assert_eq!(bins.to_vec()?, [1, 2, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpHistogram(Stages);

operation!(OpHistogram);

impl OpHistogram {
    /// Counts the elements of `x` by their bits from `shift` up.
    ///
    /// # Errors
    /// When `shift` is not below the number of bits of an element, or there are more bins than a `u32` counts.
    pub fn new<T: Countable>(x: &Tensor<T>, shift: u32, bins: &mut Tensor<u32>) -> Result<Self> {
        let bits = 8 * size_of::<T>() as u32;
        if shift >= bits {
            return Err(Error::ArgumentMismatch {
                kernel: "histogram".into(),
                param: "`shift`".to_owned(),
                expected: format!("less than the {bits} bits of an element"),
                found: shift.to_string(),
            });
        }
        let mut stages = Stages::new("histogram");
        stages.fill(bins, 0);
        let vectors = x.cast::<UVec4>()?;
        let groups = (x.len() * size_of::<T>()).div_ceil(VECTOR * (WIDTH * RUN) as usize).min(MAX_GROUPS);
        let (bins, grid) = (&*bins, Grid::groups(groups as u32));
        let copies = (SLOTS as usize / bins.len().next_power_of_two()).min(COPIES as usize) as u32;
        if bits == 8 && shift == 0 && bins.len() >= 256 {
            stages.launch::<T::CountBytes>(grid, |args| args.read(&vectors).read(x).read(bins));
        } else if copies > 0 {
            let launch = |args: KernelArgs| args.value(shift).value(copies).read(&vectors).read(x).read(bins);
            stages.launch::<T::Count>(grid, launch);
        } else {
            stages.launch::<T::CountAnywhere>(grid, |args| args.value(shift).read(x).read(bins));
        }
        Ok(Self(stages))
    }
}

/// The types that [`OpHistogram`] counts: `u8`, `u32`.
pub trait Countable: Plain + sealed::Count {}

/// A kernel that counts in shared memory, in copies whose number is a power of two; `$slot` is where an element counts.
macro_rules! counts {
    (
        $ty:ty, $name:ident($($param:ident),*), copies $copies:expr,
        slot |$element:ident, $own:ident, $count:ident| $slot:expr, up_to $end:expr,
        $per_vector:literal, $vector:ident: $($part:expr),+
    ) => {
        #[kernel(workgroup = WIDTH)]
        pub fn $name($($param: u32,)* vectors: &[UVec4], x: &[$ty], bins: &[Atomic<u32>]) {
            // Behind the counters are those of elements beyond the last bin: to count them costs less than a branch.
            let slots = Shared::<[Atomic<u32>; 2056]>::new();
            let (len, $count) = (vectors.len() as u32, bins.len() as u32);
            let $own = local_id().x & ($copies - 1) & (COPIES - 1);
            let stride = num_workgroups().x * WIDTH * RUN;
            barrier();
            let mut tile = workgroup_id().x * WIDTH * RUN;
            while tile < len {
                // Both loads first.
                let mut loaded = [UVec4::ZERO; 2];
                for k in 0..RUN {
                    let i = tile + k * WIDTH + local_id().x;
                    if i < len {
                        loaded[k] = vectors[i];
                    }
                }
                for k in 0..RUN {
                    if tile + k * WIDTH + local_id().x < len {
                        let $vector = loaded[k];
                        $(
                            let $element = $part;
                            slots[$slot].fetch_add(1, Relaxed);
                        )+
                    }
                }
                tile = tile.saturating_add(stride);
            }
            // Less than a vector.
            let (at, left) = (global_id().x, x.len() as u32 % $per_vector);
            let i = len * $per_vector + at;
            if at < left && i < x.len() as u32 {
                let $element = x[i] as u32;
                slots[$slot].fetch_add(1, Relaxed);
            }
            barrier();
            let mut bin = local_id().x;
            while bin < $end {
                let mut found = 0;
                for copy in 0..$copies {
                    found += slots[(bin * $copies + copy) & (SLOTS - 1)].load(Relaxed);
                }
                if found > 0 && bin < $count {
                    bins[bin].fetch_add(found, Relaxed);
                }
                bin += WIDTH;
            }
        }
    };
}

/// Elements of which `shift` bits do not count, in some number of copies.
macro_rules! count_by_bits {
    ($ty:ty, $name:ident, $($parts:tt)+) => {
        counts!(
            $ty, $name(shift, copies), copies copies,
            slot |element, own, count| {
                let slot = ((element >> shift) * copies + own) & (SLOTS - 1);
                if element >> shift < count { slot } else { SLOTS + own }
            },
            up_to count, $($parts)+
        );
    };
}

/// Bytes that all have a bin of their own: nothing is left to be asked for each.
macro_rules! count_bytes {
    ($name:ident, $($parts:tt)+) => {
        counts!(
            u8, $name(), copies COPIES,
            slot |byte, own, count| byte * COPIES + own, up_to 256, $($parts)+
        );
    };
}

/// A kernel that counts in the tensor itself.
macro_rules! counts_anywhere {
    ($ty:ty, $name:ident) => {
        #[kernel(workgroup = WIDTH)]
        pub fn $name(shift: u32, x: &[$ty], bins: &[Atomic<u32>]) {
            let (len, count) = (x.len() as u32, bins.len() as u32);
            let stride = num_workgroups().x.saturating_mul(WIDTH);
            let mut i = global_id().x;
            while i < len {
                let bin = x[i] as u32 >> shift;
                if bin < count {
                    bins[bin].fetch_add(1, Relaxed);
                }
                i = i.saturating_add(stride);
            }
        }
    };
}

/// The bytes of a vector.
macro_rules! bytes {
    ($make:ident!($($begin:tt)*)) => {
        $make!(
            $($begin)*, 16, v:
            v.x & 255, v.x >> 8 & 255, v.x >> 16 & 255, v.x >> 24,
            v.y & 255, v.y >> 8 & 255, v.y >> 16 & 255, v.y >> 24,
            v.z & 255, v.z >> 8 & 255, v.z >> 16 & 255, v.z >> 24,
            v.w & 255, v.w >> 8 & 255, v.w >> 16 & 255, v.w >> 24
        );
    };
}

bytes!(count_by_bits!(u8, count_u8));
bytes!(count_bytes!(count_bytes));
count_by_bits!(u32, count_u32, 4, v: v.x, v.y, v.z, v.w);
counts_anywhere!(u8, count_u8_anywhere);
counts_anywhere!(u32, count_u32_anywhere);

macro_rules! countable {
    ($ty:ty: $Count:ident $CountBytes:ident $CountAnywhere:ident) => {
        impl Countable for $ty {}

        impl sealed::Count for $ty {
            type Count = $Count;
            type CountBytes = $CountBytes;
            type CountAnywhere = $CountAnywhere;
        }
    };
}

countable!(u8: CountU8 CountBytes CountU8Anywhere);
// The second one never runs.
countable!(u32: CountU32 CountU32 CountU32Anywhere);
