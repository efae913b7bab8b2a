//! Running sums.

use super::stages::Stages;
use super::{expect_len, operation, sealed};
use crate::Result;
use crate::prelude::*;

/// Invocations of a workgroup.
#[device]
const WIDTH: u32 = 256;
/// Elements of an invocation.
#[device]
const RUN: u32 = 8;
/// Elements of a workgroup.
#[device]
const TILE: u32 = WIDTH * RUN;

/// Running sums of a tensor: element `i` becomes the sum of the elements before it (exclusive), or up to it (inclusive).
///
/// The sum of integers wraps. The order in which floats are added depends on the length and on the width of the device's
/// subgroups, and on nothing else.
///
/// Workgroups do not wait for each other: sums of tiles of 2048 elements are taken and scanned first, so that `x` is read
/// twice. Work space: 1/1023 of `x`, and one element.
///
/// ```
/// use gridwise::algorithms::OpScan;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[3u32, 1, 4, 1])?;
/// let (mut before, mut up_to) = (mgr.tensor_of_len(4)?, mgr.tensor_of_len(4)?);
/// let seq = mgr.sequence()?;
/// seq.record(OpScan::exclusive(&mgr, &x, &mut before)?)?.record(OpScan::inclusive(&mgr, &x, &mut up_to)?)?.eval()?;
/// assert_eq!((before.to_vec()?, up_to.to_vec()?), (vec![0, 3, 4, 8], vec![3, 4, 8, 9]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OpScan(Stages);

operation!(OpScan);

impl OpScan {
    /// The sums of what is before each element of `x`, into `sums`.
    ///
    /// # Errors
    /// When `sums` has another length, or the work space cannot be had.
    pub fn exclusive<T: Scannable>(mgr: &Manager, x: &Tensor<T>, sums: &mut Tensor<T>) -> Result<Self> {
        expect_len("scanning into", sums, x.len())?;
        let mut stages = Stages::new("exclusive scan");
        scan(&mut stages, mgr, x, sums, false)?;
        Ok(Self(stages))
    }

    /// The sums up to each element of `x`, it included, into `sums`.
    ///
    /// # Errors
    /// When `sums` has another length, or the work space cannot be had.
    pub fn inclusive<T: Scannable>(mgr: &Manager, x: &Tensor<T>, sums: &mut Tensor<T>) -> Result<Self> {
        expect_len("scanning into", sums, x.len())?;
        let mut stages = Stages::new("inclusive scan");
        scan(&mut stages, mgr, x, sums, true)?;
        Ok(Self(stages))
    }
}

/// Appends a scan; `sums` is as long as `x`.
pub(super) fn scan<T: Scannable>(
    stages: &mut Stages,
    mgr: &Manager,
    x: &Tensor<T>,
    sums: &mut Tensor<T>,
    is_inclusive: bool,
) -> Result<()> {
    let tiles = x.len().div_ceil(TILE as usize);
    let mut offsets = mgr.tensor_of_len::<T>(tiles.max(1))?;
    if tiles > 1 {
        let mut totals = mgr.tensor_of_len::<T>(tiles)?;
        stages.launch::<T::TileSums>(Grid::groups(tiles as u32), |args| args.read(x).write(&mut totals));
        scan(stages, mgr, &totals, &mut offsets, false)?;
    }
    stages.launch::<T::ScanTiles>(Grid::groups(tiles as u32), |args| {
        args.value(is_inclusive).read(x).read(&offsets).write(sums)
    });
    Ok(())
}

/// What [`OpScan`] adds up: `f32`, `u32`, `i32`.
pub trait Scannable: GpuData + sealed::Scan {}

/// The sum of each tile, and the running sums in each tile with what is before it.
macro_rules! scans {
    ($ty:ty, $zero:literal, $tile_sums:ident $TileSums:ident, $scan_tiles:ident $ScanTiles:ident, |$a:ident, $b:ident| $sum:expr) => {
        #[kernel(workgroup = WIDTH)]
        pub fn $tile_sums(x: &[$ty], sums: &mut [$ty]) {
            let slots = Shared::<[$ty; 256]>::new();
            let len = x.len() as u32;
            let first = workgroup_id().x * TILE;
            let mut own: $ty = $zero;
            for k in 0..RUN {
                // Neighbours read neighbours.
                let i = first.saturating_add(k * WIDTH + local_id().x);
                if i < len {
                    let ($a, $b) = (own, x[i]);
                    own = $sum;
                }
            }
            let own = subgroup::add(own);
            if subgroup::elect() {
                slots[subgroup_id()] = own;
            }
            barrier();
            if local_id().x == 0 {
                let mut all = slots[0];
                for slot in 1..num_subgroups() {
                    let ($a, $b) = (all, slots[slot]);
                    all = $sum;
                }
                sums[workgroup_id().x] = all;
            }
        }

        #[kernel(workgroup = WIDTH)]
        pub fn $scan_tiles(is_inclusive: bool, x: &[$ty], offsets: &[$ty], sums: &mut [$ty]) {
            let slots = Shared::<[$ty; 256]>::new();
            let len = (x.len() as u32).min(sums.len() as u32);
            // Each subgroup has a run of its own, of which neighbours read neighbours.
            let first =
                (workgroup_id().x * TILE).saturating_add(subgroup_id() * subgroup_size() * RUN + subgroup_local_id());
            let mut own: [$ty; 8] = [$zero; 8];
            let mut before: [$ty; 8] = [$zero; 8];
            let mut total: $ty = $zero;
            for k in 0..RUN {
                let i = first.saturating_add(k * subgroup_size());
                if i < len {
                    own[k] = x[i];
                }
                let ($a, $b) = (total, subgroup::exclusive_add(own[k]));
                before[k] = $sum;
                let ($a, $b) = (total, subgroup::add(own[k]));
                total = $sum;
            }
            if subgroup::elect() {
                slots[subgroup_id()] = total;
            }
            barrier();
            let mut start = offsets[workgroup_id().x];
            for slot in 0..subgroup_id() {
                let ($a, $b) = (start, slots[slot]);
                start = $sum;
            }
            for k in 0..RUN {
                let i = first.saturating_add(k * subgroup_size());
                if i < len {
                    let ($a, $b) = (start, before[k]);
                    let exclusive = $sum;
                    let ($a, $b) = (exclusive, own[k]);
                    sums[i] = if is_inclusive { $sum } else { exclusive };
                }
            }
        }

        impl Scannable for $ty {}

        impl sealed::Scan for $ty {
            type TileSums = $TileSums;
            type ScanTiles = $ScanTiles;
        }
    };
}

scans!(f32, 0.0, tile_sums_f32 TileSumsF32, scan_tiles_f32 ScanTilesF32, |a, b| a + b);
scans!(u32, 0, tile_sums_u32 TileSumsU32, scan_tiles_u32 ScanTilesU32, |a, b| a.wrapping_add(b));
scans!(i32, 0, tile_sums_i32 TileSumsI32, scan_tiles_i32 ScanTilesI32, |a, b| a.wrapping_add(b));
