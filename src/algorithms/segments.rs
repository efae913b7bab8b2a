//! Scans and reductions of segments: parts of a tensor that lie side by side, of any lengths.
//!
//! All of them are one scan of marked elements, in which a mark begins anew: of tiles, of their ends, and of what flows into
//! them. How long segments are does not matter to it.

use super::chained::{self, Heads};
use super::stages::Stages;
use super::{OpReduce, OpScan, Reducible, expect_len, lines, long, rows, sealed};
use crate::prelude::*;
use crate::{Error, Plain, Result};

use lines::{RUN, TILE, WIDTH, group, item};

/// Sums.
#[device]
pub(super) const SUM: u32 = 0;
/// Least elements.
#[device]
pub(super) const MIN: u32 = 1;
/// Greatest elements.
#[device]
pub(super) const MAX: u32 = 2;

impl OpScan {
    /// The sums of the elements before each element of `x` in its segment, into `sums`. Segment `s` is `x[starts[s]..starts[s + 1]]`; the
    /// elements before the first segment, and those after the last one, are segments of their own.
    ///
    /// `starts` must ascend, else the sums are those of other segments. A start beyond `x` is [`Error::KernelPanic`]. Work space: five
    /// words for four elements.
    ///
    /// # Errors
    /// When `sums` has another length, `starts` is empty, or there is no memory for the work space.
    pub fn exclusive_of_segments<T: Reducible>(
        starts: &Tensor<u32>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
    ) -> Result<Self> {
        Self::of_segments("exclusive scan of segments", starts, x, sums, false)
    }

    /// The sums up to each element of `x` in its segment, it included, into `sums`; else as
    /// [`exclusive_of_segments`](Self::exclusive_of_segments).
    ///
    /// ```
    /// # use gridwise::{algorithms::OpScan, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (starts, x) = (mgr.tensor(&[0u32, 3, 3, 5])?, mgr.tensor(&[1u32, 2, 3, 4, 5])?);
    /// let mut sums = mgr.tensor_of_len(5)?;
    /// mgr.sequence()?.record(OpScan::inclusive_of_segments(&starts, &x, &mut sums)?)?.eval()?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 6, 4, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn inclusive_of_segments<T: Reducible>(
        starts: &Tensor<u32>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
    ) -> Result<Self> {
        Self::of_segments("inclusive scan of segments", starts, x, sums, true)
    }

    fn of_segments<T: Reducible>(
        name: &'static str,
        starts: &Tensor<u32>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
        is_inclusive: bool,
    ) -> Result<Self> {
        expect_len("scanning into", (3, "sums"), sums, x.len())?;
        let mut stages = Stages::new(name);
        let marks = mark_starts(name, &mut stages, starts, x.len())?;
        if !chained::scan(&mut stages, &Heads { keys: &marks, are_marks: true }, x, sums, is_inclusive)? {
            scan_segments(&mut stages, &x.manager(), (SUM, is_inclusive), &marks, x, sums)?;
        }
        Ok(Self(stages))
    }
}

impl OpReduce {
    /// The sum of each segment of `x`, into `sums`. Segment `s` is `x[starts[s]..starts[s + 1]]`; the sum of an empty segment is zero.
    /// Elements before the first segment and after the last one do not count.
    ///
    /// The average length of the segments decides how they are reduced; the variation of the lengths does not. The order of float additions
    /// depends on the starts and the device's subgroup size. `starts` must ascend, else the results are those of other segments. A start
    /// beyond `x` is [`Error::KernelPanic`].
    ///
    /// Segments of at least 128 elements on average: two launches, if there are fewer than 2^31 elements, with at most 12 bytes of work space
    /// for 1024 of them. Shorter segments: one pass over fewer than 2^31 starts and elements, with four words of work space for each 1792 of
    /// them, if workgroups can wait for each other (see [`Progress`](super::Progress)) and subgroups have at most 32 lanes. Else work space:
    /// nine words for four elements.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpReduce, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (starts, x) = (mgr.tensor(&[0u32, 3, 3, 5])?, mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?);
    /// let mut sums = mgr.tensor_of_len(3)?;
    /// mgr.sequence()?.record(OpReduce::sum_of_segments(&starts, &x, &mut sums)?)?.eval()?;
    /// assert_eq!(sums.to_vec()?, [6.0, 0.0, 9.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `starts` does not have one element more than `sums`, or there is no memory for the work space.
    pub fn sum_of_segments<T: Reducible>(starts: &Tensor<u32>, x: &Tensor<T>, sums: &mut Tensor<T>) -> Result<Self> {
        Self::of_segments("sums of segments", SUM, starts, x, sums)
    }

    /// The least element of each segment of `x`, into `least`; else as [`sum_of_segments`](Self::sum_of_segments).
    ///
    /// # Errors
    /// As there.
    pub fn min_of_segments<T: Reducible>(starts: &Tensor<u32>, x: &Tensor<T>, least: &mut Tensor<T>) -> Result<Self> {
        Self::of_segments("minima of segments", MIN, starts, x, least)
    }

    /// The greatest element of each segment of `x`, into `greatest`; else as [`sum_of_segments`](Self::sum_of_segments).
    ///
    /// # Errors
    /// As there.
    pub fn max_of_segments<T: Reducible>(
        starts: &Tensor<u32>,
        x: &Tensor<T>,
        greatest: &mut Tensor<T>,
    ) -> Result<Self> {
        Self::of_segments("maxima of segments", MAX, starts, x, greatest)
    }

    fn of_segments<T: Reducible>(
        name: &'static str,
        op: u32,
        starts: &Tensor<u32>,
        x: &Tensor<T>,
        results: &mut Tensor<T>,
    ) -> Result<Self> {
        expect_len("reducing segments between", (1, "starts"), starts, results.len() + 1)?;
        let (mut stages, mgr) = (Stages::new(name), &x.manager());
        if long::reduce(&mut stages, op, starts, x, results)? || rows::reduce(&mut stages, op, starts, x, results)? {
            return Ok(Self(stages));
        }
        let marks = mark_starts(name, &mut stages, starts, x.len())?;
        let mut up_to = mgr.tensor_of_len::<T>(x.len())?;
        scan_segments(&mut stages, mgr, (op, true), &marks, x, &mut up_to)?;
        let grid = lines::items(results.len());
        stages.launch::<T::SegmentEnds>(grid, |args| args.value(op).read(starts).read(&up_to).write(results));
        Ok(Self(stages))
    }
}

/// Marks that begin a segment each, and what is behind the last one.
fn mark_starts(name: &'static str, stages: &mut Stages, starts: &Tensor<u32>, len: usize) -> Result<Tensor<u32>> {
    if starts.is_empty() {
        return Err(Error::ArgumentMismatch {
            kernel: name.into(),
            param: "`starts`".to_owned(),
            expected: "the start of each segment, and the end of the last one".to_owned(),
            found: "no element".to_owned(),
        });
    }
    let mut marks = starts.manager().tensor_of_len::<u32>(len)?;
    stages.fill(&mut marks, 0);
    stages.launch::<MarkSegments>(lines::items(starts.len()), |args| args.read(starts).read(&marks));
    Ok(marks)
}

/// Marks the first element of each segment that has some, and the one behind the last.
#[kernel(workgroup = 256)]
fn mark_segments(starts: &[u32], marks: &[Atomic<u32>]) {
    let s = item();
    if s < starts.len() as u32 {
        let start = starts[s];
        let is_last = s + 1 == starts.len() as u32;
        if if is_last { start != marks.len() as u32 } else { start != starts[s + 1] } {
            marks[start].store(1, Relaxed);
        }
    }
}

/// Appends a scan of segments by an operator, inclusive or not: each element that is marked begins one. All tensors are of one length.
pub(super) fn scan_segments<T: sealed::Segments + Plain>(
    stages: &mut Stages,
    mgr: &Manager,
    (op, is_inclusive): (u32, bool),
    marks: &Tensor<u32>,
    x: &Tensor<T>,
    results: &mut Tensor<T>,
) -> Result<()> {
    let tiles = x.len().div_ceil(TILE as usize);
    let mut carries = mgr.tensor_of_len::<T>(tiles.max(1))?;
    let grid = lines::groups(tiles);
    macro_rules! launches {
        ($op:ident) => {{
            if tiles > 1 {
                let (mut totals, mut tile_marks) = (mgr.tensor_of_len::<T>(tiles)?, mgr.tensor_of_len::<u32>(tiles)?);
                stages.launch::<T::SegmentTiles<$op>>(grid, |args| {
                    args.read(marks).read(x).write(&mut tile_marks).write(&mut totals)
                });
                scan_segments(stages, mgr, (op, true), &tile_marks, &totals, &mut carries)?;
            }
            if is_inclusive {
                stages.launch::<T::SegmentScan<$op, true>>(grid, |args| {
                    args.read(marks).read(x).read(&carries).write(results)
                });
            } else {
                stages.launch::<T::SegmentScan<$op, false>>(grid, |args| {
                    args.read(marks).read(x).read(&carries).write(results)
                });
            }
        }};
    }
    match op {
        SUM => launches!(SUM),
        MIN => launches!(MIN),
        _ => launches!(MAX),
    }
    Ok(())
}

/// The kernels for a type of elements.
macro_rules! segments {
    (
        $ty:ident, [$zero:expr, $largest:expr, $smallest:expr], |$a:ident, $b:ident| $sum:expr,
        $neutral:ident $combined:ident $after:ident $row:ident $element:ident $behind:ident,
        $tiles:ident $Tiles:ident $scan:ident $Scan:ident $ends:ident $Ends:ident
    ) => {
        /// The neutral element of an operator.
        #[device]
        pub(super) fn $neutral(op: u32) -> $ty {
            match op {
                MIN => $largest,
                MAX => $smallest,
                _ => $zero,
            }
        }

        #[device]
        pub(super) fn $combined(op: u32, $a: $ty, $b: $ty) -> $ty {
            match op {
                MIN => $a.min($b),
                MAX => $a.max($b),
                _ => $sum,
            }
        }

        /// A result behind another: itself where it begins behind a mark.
        #[device]
        pub(super) fn $after(op: u32, before: $ty, mark: u32, own: $ty) -> $ty {
            if mark > 0 { own } else { $combined(op, before, own) }
        }

        /// Results up to each lane of a subgroup, from the lane before `head` on; zero stands for the lanes before the first one.
        #[device]
        pub(super) fn $row(op: u32, head: u32, own: $ty) -> $ty {
            let lane = subgroup_local_id();
            let mut value = own;
            #[unroll]
            for power in 0..7 {
                let delta = 1 << power;
                if delta < subgroup_size() {
                    let before = subgroup::shuffle_up(value, delta);
                    if lane >= delta && lane + 1 >= head + delta {
                        value = $combined(op, before, value);
                    }
                }
            }
            value
        }

        /// The lane behind the last mark in a subgroup's elements up to one, or zero, and the result from there to it.
        #[device]
        fn $element(op: u32, marks: &[u32], x: &[$ty], len: u32, i: u32) -> (u32, $ty) {
            let mut own = $neutral(op);
            let mut head = 0;
            if i < len {
                own = x[i];
                head = if marks[i] != 0 { subgroup_local_id() + 1 } else { 0 };
            }
            let head = subgroup::inclusive_max(head);
            (head, $row(op, head, own))
        }

        /// Whether there is a mark up to the last lane of a subgroup, and the result from there on, where there was one before.
        #[device]
        fn $behind(op: u32, before: (u32, $ty), own: (u32, $ty)) -> (u32, $ty) {
            let last = subgroup_size() - 1;
            let head = subgroup::shuffle(own.0, last);
            let tail = subgroup::shuffle(own.1, last);
            (before.0 | head, $after(op, before.1, head, tail))
        }

        /// The results of what stands behind the last mark of each tile, and whether it has one.
        #[kernel(workgroup = WIDTH)]
        pub fn $tiles<const OP: u32>(marks: &[u32], x: &[$ty], tile_marks: &mut [u32], totals: &mut [$ty]) {
            let tails = Shared::<[$ty; 256]>::new();
            let marked = Shared::<[u32; 256]>::new();
            let (tile, lane) = (group(), subgroup_local_id());
            let len = (x.len() as u32).min(marks.len() as u32);
            let first = tile.saturating_mul(TILE).saturating_add(subgroup_id() * subgroup_size() * RUN + lane);
            let mut up_to = (0, $neutral(OP));
            for k in 0..RUN {
                let i = first.saturating_add(k * subgroup_size());
                up_to = $behind(OP, up_to, $element(OP, marks, x, len, i));
            }
            if subgroup::elect() {
                marked[subgroup_id()] = up_to.0;
                tails[subgroup_id()] = up_to.1;
            }
            barrier();
            if local_id().x == 0 && tile < totals.len() as u32 && tile < tile_marks.len() as u32 {
                let mut all = tails[0];
                let mut is_marked = marked[0];
                for slot in 1..num_subgroups() {
                    all = $after(OP, all, marked[slot], tails[slot]);
                    is_marked |= marked[slot];
                }
                totals[tile] = all;
                tile_marks[tile] = is_marked;
            }
        }

        /// The scan of each tile, where `carries` has what flows into the tile behind each.
        #[kernel(workgroup = WIDTH)]
        pub fn $scan<const OP: u32, const INCLUSIVE: bool>(
            marks: &[u32],
            x: &[$ty],
            carries: &[$ty],
            results: &mut [$ty],
        ) {
            let tails = Shared::<[$ty; 256]>::new();
            let marked = Shared::<[u32; 256]>::new();
            let (tile, lane) = (group(), subgroup_local_id());
            let len = (x.len() as u32).min(marks.len() as u32).min(results.len() as u32);
            let first = tile.saturating_mul(TILE).saturating_add(subgroup_id() * subgroup_size() * RUN + lane);
            let last = subgroup_size() - 1;
            let mut values: [$ty; 8] = [$neutral(OP); 8];
            let mut heads = [0u32; 8];
            let mut up_to = (0, $neutral(OP));
            for k in 0..RUN {
                let i = first.saturating_add(k * subgroup_size());
                let own = $element(OP, marks, x, len, i);
                heads[k] = own.0;
                values[k] = own.1;
                up_to = $behind(OP, up_to, own);
            }
            if subgroup::elect() {
                marked[subgroup_id()] = up_to.0;
                tails[subgroup_id()] = up_to.1;
            }
            barrier();
            let mut carry = $neutral(OP);
            if tile > 0 && tile - 1 < carries.len() as u32 {
                carry = carries[tile - 1];
            }
            for slot in 0..subgroup_id() {
                carry = $after(OP, carry, marked[slot], tails[slot]);
            }
            for k in 0..RUN {
                let i = first.saturating_add(k * subgroup_size());
                let up_to = $after(OP, carry, heads[k], values[k]);
                let before = subgroup::shuffle_up(up_to, 1);
                let mut result = up_to;
                if !INCLUSIVE {
                    result = if lane == 0 { carry } else { before };
                    if heads[k] == lane + 1 {
                        result = $neutral(OP);
                    }
                }
                if i < len {
                    // SAFETY: subgroups have runs of their own, and a lane has every so many elements of one.
                    unsafe { results.unordered()[i] = result };
                }
                carry = subgroup::shuffle(up_to, last);
            }
        }

        /// The last result of each segment.
        #[kernel(workgroup = 256)]
        pub fn $ends(op: u32, starts: &[u32], up_to: &[$ty], results: &mut [$ty]) {
            let s = item();
            if s < results.len() as u32 && s + 1 < starts.len() as u32 {
                let mut result = $neutral(op);
                if starts[s] < starts[s + 1] {
                    result = up_to[starts[s + 1] - 1];
                }
                results[s] = result;
            }
        }

        impl sealed::Segments for $ty {
            type SegmentTiles<const OP: u32> = $Tiles<OP>;
            type SegmentScan<const OP: u32, const INCLUSIVE: bool> = $Scan<OP, INCLUSIVE>;
            type SegmentEnds = $Ends;
        }
    };
}

segments!(
    u32, [0, u32::MAX, 0], |a, b| a.wrapping_add(b), neutral_u32 combined_u32 after_u32 row_u32 element_u32 behind_u32,
    segment_tiles_u32 SegmentTilesU32 segment_scan_u32 SegmentScanU32 segment_ends_u32 SegmentEndsU32
);
segments!(
    i32, [0, i32::MAX, i32::MIN], |a, b| a.wrapping_add(b), neutral_i32 combined_i32 after_i32 row_i32 element_i32 behind_i32,
    segment_tiles_i32 SegmentTilesI32 segment_scan_i32 SegmentScanI32 segment_ends_i32 SegmentEndsI32
);
segments!(
    f32, [0.0, f32::INFINITY, f32::NEG_INFINITY], |a, b| a + b, neutral_f32 combined_f32 after_f32 row_f32 element_f32 behind_f32,
    segment_tiles_f32 SegmentTilesF32 segment_scan_f32 SegmentScanF32 segment_ends_f32 SegmentEndsF32
);
segments!(
    f64, [0.0, f64::INFINITY, f64::NEG_INFINITY], |a, b| a + b, neutral_f64 combined_f64 after_f64 row_f64 element_f64 behind_f64,
    segment_tiles_f64 SegmentTilesF64 segment_scan_f64 SegmentScanF64 segment_ends_f64 SegmentEndsF64
);
