//! Scans: running sums.

use super::lines::{RUN, TILE, WIDTH};
use super::progress::Progress;
use super::stages::Stages;
use super::{expect_len, operation, sealed};
use crate::prelude::*;
use crate::{DeviceKind, Result};

/// Running sums of a tensor: element `i` becomes the sum of the elements before it (exclusive), or up to it (inclusive).
///
/// The sum of integers wraps. The order of float additions depends only on the length and on the device's subgroup
/// size.
///
/// Integers are scanned in one pass if workgroups can wait for each other (see [`Progress`]) and subgroups have more
/// than one lane. Work space: eight bytes for each 8192 elements, and eight more. Otherwise, and for floats, the sums
/// of tiles of 2048 elements are taken and scanned first, so that `x` is read twice. Work space: 1/1023 of `x`, and one
/// element.
///
/// ```
/// use gridwise::algorithms::OpScan;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[3u32, 1, 4, 1])?;
/// let (mut before, mut up_to) = (mgr.tensor_of_len(4)?, mgr.tensor_of_len(4)?);
/// let seq = mgr.sequence()?;
/// seq.record(OpScan::exclusive(&x, &mut before)?)?.record(OpScan::inclusive(&x, &mut up_to)?)?.eval()?;
/// assert_eq!((before.to_vec()?, up_to.to_vec()?), (vec![0, 3, 4, 8], vec![3, 4, 8, 9]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpScan(pub(super) Stages);

operation!(OpScan);

impl OpScan {
    /// The sums of the elements before each element of `x`, into `sums`.
    ///
    /// # Errors
    /// When `sums` has another length, or there is no memory for the work space.
    pub fn exclusive<T: Scannable>(x: &Tensor<T>, sums: &mut Tensor<T>) -> Result<Self> {
        Self::new(Progress::of(&x.manager()), x, sums, false)
    }

    /// The sums of the elements up to and including each element of `x`, into `sums`.
    ///
    /// # Errors
    /// When `sums` has another length, or there is no memory for the work space.
    pub fn inclusive<T: Scannable>(x: &Tensor<T>, sums: &mut Tensor<T>) -> Result<Self> {
        Self::new(Progress::of(&x.manager()), x, sums, true)
    }

    /// As [`exclusive`](Self::exclusive) and [`inclusive`](Self::inclusive), for a device about which you know more
    /// than [`Progress::of`]. The device hangs if waiting workgroups keep those from running that they wait for.
    ///
    /// # Errors
    /// As those. On a device without 64-bit atomics, recording the operation is an error.
    pub fn with_progress<T: Scannable>(
        progress: Progress,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
        is_inclusive: bool,
    ) -> Result<Self> {
        Self::new(progress, x, sums, is_inclusive)
    }

    fn new<T: Scannable>(progress: Progress, x: &Tensor<T>, sums: &mut Tensor<T>, is_inclusive: bool) -> Result<Self> {
        expect_len("scanning into", (2, "sums"), sums, x.len())?;
        let mut stages = Stages::new(if is_inclusive { "inclusive scan" } else { "exclusive scan" });
        let mgr = x.manager();
        if progress == Progress::Unknown || !T::scan_in_one_pass(&mut stages, &mgr, x, sums, is_inclusive)? {
            scan(&mut stages, &mgr, x, sums, is_inclusive)?;
        }
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

/// The types that [`OpScan`] adds up: `f32`, `u32`, `i32`.
pub trait Scannable: GpuData + sealed::Scan {}

/// The sum of each tile, and the running sums in each tile with what is before it.
macro_rules! scans {
    ($ty:ty, $zero:literal, $tile_sums:ident $TileSums:ident, $scan_tiles:ident $ScanTiles:ident, |$a:ident, $b:ident| $sum:expr, $($in_one_pass:tt)*) => {
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
            if local_id().x == 0 && workgroup_id().x < sums.len() as u32 {
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
            let tile = workgroup_id().x;
            let mut start = if tile < offsets.len() as u32 { offsets[tile] } else { $zero };
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
                    let sum = if is_inclusive { $sum } else { exclusive };
                    // SAFETY: subgroups have runs of their own, and a lane has every so many elements of one.
                    unsafe { sums.unordered()[i] = sum };
                }
            }
        }

        impl Scannable for $ty {}

        impl sealed::Scan for $ty {
            type TileSums = $TileSums;
            type ScanTiles = $ScanTiles;

            $($in_one_pass)*
        }
    };
}

/// Vectors of an invocation in one pass.
#[device]
const VECTORS: u32 = 8;
/// Subgroups of a workgroup in one pass, at most.
#[device]
const SUBGROUPS: u32 = 128;

/// How far a tile is, in the upper half of its word: the lower half holds the sum of its elements, or that of all up to its end.
#[device]
const OWN_SUM: u64 = 1 << 32;
#[device]
const WHOLE_SUM: u64 = 2 << 32;

/// Scans in one pass. Tiles are numbered as workgroups come, so that all tiles before one are under way. Each makes its own sum known, then adds
/// up what those before it made known, from the last one back to one that knows all before it. Its sum it makes known before it scans its own
/// elements, so that those behind it find it when they come to look.
macro_rules! one_pass {
    ($ty:ident $Vector:ident $vector:ident, $sum:ident, $scan:ident $Scan:ident) => {
        /// The sum of a whole subgroup's values. In subgroups of 32 by exchanging halves, quarters and so on, which an NVIDIA H200 does
        /// sooner than a reduction, see `benches/history/2026-11.md`.
        #[device]
        fn $sum(of: $ty, lanes: u32) -> $ty {
            if lanes != 32 {
                return subgroup::add(of);
            }
            let mut sum = of;
            #[unroll]
            for power in 0..5 {
                sum = sum.wrapping_add(subgroup::shuffle_xor(sum, 16 >> power));
            }
            sum
        }

        #[kernel(workgroup = WIDTH)]
        pub fn $scan<const INCLUSIVE: bool, const LANES: u32>(
            x: &[$Vector],
            tiles: &[Atomic<u64>],
            sums: &mut [$Vector],
        ) {
            let totals = Shared::<[$ty; 128]>::new();
            let number = Shared::<[u32; 1]>::new();
            let start = Shared::<[$ty; 1]>::new();
            let len = (x.len() as u32).min(sums.len() as u32);
            if len == 0 {
                return;
            }
            let count = num_workgroups().x;
            let lane = subgroup_local_id();
            if local_id().x == 0 && count < tiles.len() as u32 {
                number[0] = tiles[count].fetch_add(1, Relaxed) as u32;
            }
            barrier();
            let tile = number[0];
            // Each subgroup has a run of its own, of which neighbours read neighbours.
            let first = tile * (WIDTH * VECTORS) + subgroup_id() * subgroup_size() * VECTORS + lane;
            let mut own = [$Vector::ZERO; 8];
            let mut total: $ty = 0;
            // All lanes load, the last ones the same vector: no branch.
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                let vector = x[i.min(len - 1)];
                own[k] = if i < len { vector } else { $Vector::ZERO };
            }
            for k in 0..VECTORS {
                let (a, b) = (own[k].x.wrapping_add(own[k].y), own[k].z.wrapping_add(own[k].w));
                total = total.wrapping_add(a.wrapping_add(b));
            }
            let total = $sum(total, LANES);
            if subgroup::elect() && subgroup_id() < SUBGROUPS {
                totals[subgroup_id()] = total;
            }
            barrier();
            let last = subgroup_size().wrapping_sub(1);
            let mut all: $ty = 0;
            if subgroup_id() == 0 {
                let mut slot = lane;
                let slots = num_subgroups().min(SUBGROUPS);
                for _ in 0..slots.div_ceil(subgroup_size()) {
                    let own = if slot < slots { totals[slot] } else { 0 };
                    // Its last lane has what a reduction would give, without a second pass over the lanes.
                    let up_to = subgroup::inclusive_add(own);
                    if slot < slots {
                        // SAFETY: the lanes of one subgroup take turns with slots; no other subgroup is here.
                        unsafe { totals.unordered()[slot] = all.wrapping_add(up_to.wrapping_sub(own)) };
                    }
                    all = all.wrapping_add(subgroup::shuffle(up_to, last));
                    slot += subgroup_size();
                }
                if subgroup::elect() && tile < tiles.len() as u32 {
                    let known = if tile == 0 { WHOLE_SUM } else { OWN_SUM };
                    tiles[tile].store(known | all as u32 as u64, Relaxed);
                }
            }
            let mut before: $ty = 0;
            for k in 0..VECTORS {
                let a = own[k].x;
                let b = a.wrapping_add(own[k].y);
                let c = b.wrapping_add(own[k].z);
                let d = c.wrapping_add(own[k].w);
                let up_to = subgroup::inclusive_add(d);
                let start = before.wrapping_add(up_to.wrapping_sub(d));
                before = before.wrapping_add(subgroup::shuffle(up_to, last));
                let (a, b, c, d) =
                    (start.wrapping_add(a), start.wrapping_add(b), start.wrapping_add(c), start.wrapping_add(d));
                own[k] = if INCLUSIVE { $vector(a, b, c, d) } else { $vector(start, a, b, c) };
            }
            if subgroup_id() == 0 {
                let mut before: $ty = 0;
                let mut end = tile;
                let mut is_whole = tile == 0;
                while !is_whole {
                    // The tiles just before `end`, one for each lane, the last one first; before the first tile all is known.
                    let mut state = WHOLE_SUM;
                    let mut whole = uvec4(0, 0, 0, 0);
                    let mut is_waiting = true;
                    if lane < end {
                        state = 0;
                    }
                    while is_waiting {
                        if state == 0 && end - 1 - lane < tiles.len() as u32 {
                            state = tiles[end - 1 - lane].load(Relaxed);
                        }
                        whole = subgroup::ballot(state >= WHOLE_SUM);
                        is_whole = subgroup::any(state >= WHOLE_SUM);
                        // Tiles behind one that knows all are not waited for.
                        let is_needed = !is_whole || lane < subgroup::ballot_lowest(whole);
                        is_waiting = subgroup::any(is_needed && state == 0);
                    }
                    let is_added = !is_whole || lane <= subgroup::ballot_lowest(whole);
                    before = before.wrapping_add($sum(if is_added { state as u32 as $ty } else { 0 }, LANES));
                    end = end.saturating_sub(subgroup_size());
                }
                if subgroup::elect() {
                    if tile > 0 && tile < tiles.len() as u32 {
                        tiles[tile].store(WHOLE_SUM | before.wrapping_add(all) as u32 as u64, Relaxed);
                    }
                    // SAFETY: one lane of one subgroup writes.
                    unsafe { start.unordered()[0] = before };
                }
            }
            barrier();
            let before = start[0].wrapping_add(if subgroup_id() < SUBGROUPS { totals[subgroup_id()] } else { 0 });
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                if i < len {
                    let sum = $vector(
                        own[k].x.wrapping_add(before),
                        own[k].y.wrapping_add(before),
                        own[k].z.wrapping_add(before),
                        own[k].w.wrapping_add(before),
                    );
                    // SAFETY: tiles are taken one by one, and each lane has elements of its own in one.
                    unsafe { sums.unordered()[i] = sum };
                }
            }
        }
    };
}

/// The last elements of a tensor whose length is no multiple of four.
macro_rules! rest {
    ($ty:ident, $finish:ident) => {
        /// The sums behind the last vector.
        #[kernel(workgroup = 1)]
        pub fn $finish<const INCLUSIVE: bool>(x: &[$ty], sums: &mut [$ty]) {
            let len = (x.len() as u32).min(sums.len() as u32);
            for i in len / 4 * 4..len {
                let mut sum: $ty = if INCLUSIVE { x[i] } else { 0 };
                if i > 0 {
                    sum = sum.wrapping_add(sums[i - 1]);
                    if !INCLUSIVE {
                        sum = sum.wrapping_add(x[i - 1]);
                    }
                }
                sums[i] = sum;
            }
        }
    };
}

one_pass!(u32 UVec4 uvec4, sum_u32, scan_once_u32 ScanOnceU32);
rest!(u32, finish_u32);
one_pass!(i32 IVec4 ivec4, sum_i32, scan_once_i32 ScanOnceI32);
rest!(i32, finish_i32);

/// The scan in one pass with its stages.
macro_rules! in_one_pass {
    ($Vector:ident $Once:ident $Finish:ident) => {
        fn scan_in_one_pass(
            stages: &mut Stages,
            mgr: &Manager,
            x: &Tensor<Self>,
            sums: &mut Tensor<Self>,
            is_inclusive: bool,
        ) -> Result<bool> {
            let (limits, kind) = (&mgr.device().limits, mgr.device().kind);
            if limits.max_workgroup_invocations < WIDTH || WIDTH.div_ceil(limits.subgroup.size) > SUBGROUPS {
                return Ok(false);
            }
            let vectors = x.cast::<$Vector>()?;
            let tiles = vectors.len().div_ceil((WIDTH * VECTORS) as usize);
            let mut states = mgr.tensor_of_len::<u32>(2 * (tiles + 1))?;
            stages.fill(&mut states, 0);
            let states = states.cast()?;
            macro_rules! launch {
                ($is_inclusive:literal, $lanes:literal) => {{
                    let mut whole = sums.cast_mut::<$Vector>()?;
                    let grid = Grid::groups(tiles as u32);
                    stages.launch::<$Once<$is_inclusive, $lanes>>(grid, |args| {
                        args.read(&vectors).read::<u64>(&states).write(&mut whole)
                    });
                    if !x.len().is_multiple_of(4) {
                        stages.launch::<$Finish<$is_inclusive>>(Grid::groups(1), |args| args.read(x).write(sums));
                    }
                }};
            }
            // Where a device has several sizes, a driver may fill only a part of a subgroup, and the sum would read lanes that are not there.
            // The host device has the size it is told.
            let subgroup = &limits.subgroup;
            let is_fixed = subgroup.min_size == subgroup.max_size || kind == DeviceKind::Host;
            match (is_inclusive, is_fixed && subgroup.size == 32) {
                (false, false) => launch!(false, 0),
                (true, false) => launch!(true, 0),
                (false, true) => launch!(false, 32),
                (true, true) => launch!(true, 32),
            }
            Ok(true)
        }
    };
}

scans!(f32, 0.0, tile_sums_f32 TileSumsF32, scan_tiles_f32 ScanTilesF32, |a, b| a + b,);
scans!(
    u32, 0, tile_sums_u32 TileSumsU32, scan_tiles_u32 ScanTilesU32, |a, b| a.wrapping_add(b),
    in_one_pass!(UVec4 ScanOnceU32 FinishU32);
);
scans!(
    i32, 0, tile_sums_i32 TileSumsI32, scan_tiles_i32 ScanTilesI32, |a, b| a.wrapping_add(b),
    in_one_pass!(IVec4 ScanOnceI32 FinishI32);
);
