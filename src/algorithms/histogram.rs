//! How often values occur.

use super::stages::Stages;
use super::{operation, sealed};
use crate::prelude::*;
use crate::{Error, Result};

/// Invocations of a workgroup.
#[device]
const WIDTH: u32 = 256;
/// Elements that an invocation counts in a turn.
#[device]
const RUN: u32 = 16;
/// Counters of a workgroup.
#[device]
const SLOTS: u32 = 2048;
/// Workgroups at most: enough to fill the largest devices several times.
const MAX_GROUPS: usize = 1024;

/// Counts values: `bins[v >> shift]` becomes the number of elements `v` of `x`. Elements beyond the last bin are not counted.
///
/// Workgroups count in shared memory first: up to 256 bins in eight copies, so that one value that occurs everywhere does not
/// make all wait for one counter, up to 2048 in one. More bins are counted in the tensor itself. No work space.
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
        let groups = x.len().div_ceil((WIDTH * RUN) as usize).min(MAX_GROUPS);
        let bins = &*bins;
        let copies = (SLOTS as usize / bins.len().next_power_of_two()).min(8) as u32;
        stages
            .launch::<T::Count>(Grid::groups(groups as u32), |args| args.value(shift).value(copies).read(x).read(bins));
        Ok(Self(stages))
    }
}

/// What [`OpHistogram`] counts: `u8`, `u32`.
pub trait Countable: GpuData + sealed::Count {}

macro_rules! counts {
    ($ty:ty, $name:ident $Name:ident) => {
        /// With `copies` of zero it counts in `bins` itself.
        #[kernel(workgroup = WIDTH)]
        pub fn $name(shift: u32, copies: u32, x: &[$ty], bins: &[Atomic<u32>]) {
            let slots = Shared::<[Atomic<u32>; 2048]>::new();
            let (len, count) = (x.len() as u32, bins.len() as u32);
            let own = if copies > 0 { local_id().x % copies } else { 0 };
            let stride = num_workgroups().x.saturating_mul(WIDTH * RUN);
            barrier();
            let mut tile = workgroup_id().x.saturating_mul(WIDTH * RUN);
            while tile < len {
                // Elements side by side: a byte at a time costs a load each, whoever reads its neighbour.
                let first = tile.saturating_add(local_id().x * RUN);
                let end = if first < len && len - first > RUN { first + RUN } else { len };
                for i in first..end {
                    let bin = x[i] as u32 >> shift;
                    if bin < count {
                        if copies > 0 {
                            slots[bin * copies + own].fetch_add(1, Relaxed);
                        } else {
                            bins[bin].fetch_add(1, Relaxed);
                        }
                    }
                }
                tile = tile.saturating_add(stride);
            }
            barrier();
            if copies > 0 {
                let mut bin = local_id().x;
                while bin < count {
                    let mut found = 0;
                    for copy in 0..copies {
                        found += slots[bin * copies + copy].load(Relaxed);
                    }
                    if found > 0 {
                        bins[bin].fetch_add(found, Relaxed);
                    }
                    bin += WIDTH;
                }
            }
        }

        impl Countable for $ty {}

        impl sealed::Count for $ty {
            type Count = $Name;
        }
    };
}

counts!(u8, count_u8 CountU8);
counts!(u32, count_u32 CountU32);
