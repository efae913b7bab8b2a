//! Reductions of long segments: each subgroup reduces what a span of elements has of each segment, and a second launch puts together the
//! segments that reach from one span into others. No workgroup waits for another.

use super::lines::{self, WIDTH, group, item};
use super::sealed;
use super::segments::{MAX, MIN, SUM, combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32, neutral_u32};
use super::stages::Stages;
use crate::prelude::*;
use crate::{Plain, Result};

/// Elements of a segment, on average, from which on subgroups are kept busy.
const LONG: usize = 128;
/// Spans that fill the largest devices.
const SPANS: usize = 8192;
/// Elements of a span, at least and at most.
const SPAN: [usize; 2] = [1024, 16_384];
/// The mark of a span in which no segment begins that goes on in the next one.
#[device]
const NO_SEGMENT: u32 = u32::MAX;

/// The number of a subgroup in the launch.
#[device]
fn subgroup_number() -> u32 {
    group() * num_subgroups() + subgroup_id()
}

/// Among the segments from `from` to `to`, the first one that ends behind `place`; `to` if there is none. The lanes of a subgroup look at
/// as many places at once.
#[device]
fn first_behind(starts: &[u32], place: u32, from: u32, to: u32) -> u32 {
    let (mut low, mut high) = (from, to);
    while low < high {
        let step = (high - low).div_ceil(subgroup_size() + 1);
        let probe = low + (subgroup_local_id() + 1) * step - 1;
        let mut is_before = 0;
        if probe < high && probe + 1 < starts.len() as u32 {
            is_before = (starts[probe + 1] <= place) as u32;
        }
        let before = subgroup::add(is_before);
        if before < subgroup_size() {
            high = high.min(low + (before + 1) * step - 1);
        }
        low = high.min(low + before * step);
    }
    low
}

/// The kernels for a type of elements.
macro_rules! long {
    ($ty:ident, $neutral:ident $combined:ident $all:ident, $reduce:ident $Reduce:ident $join:ident $Join:ident) => {
        /// The result of all lanes.
        #[device]
        fn $all(op: u32, own: $ty) -> $ty {
            match op {
                MIN => subgroup::min(own),
                MAX => subgroup::max(own),
                _ => subgroup::add(own),
            }
        }

        /// The results of the segments in a span; `fronts` gets what the span has of the segment that began before it, `backs` what it has
        /// of the one that goes on behind it, and `owners` the number of that one.
        #[kernel(workgroup = WIDTH)]
        pub fn $reduce<const OP: u32>(
            span: u32,
            starts: &[u32],
            x: &[$ty],
            fronts: &mut [$ty],
            backs: &mut [$ty],
            owners: &mut [u32],
            results: &mut [$ty],
        ) {
            let (number, lane, lanes) = (subgroup_number(), subgroup_local_id(), subgroup_size());
            let first = number.saturating_mul(span);
            let last = first.saturating_add(span).min(x.len() as u32);
            let count = (results.len() as u32).min((starts.len() as u32).saturating_sub(1));
            if first >= last || number >= owners.len() as u32 {
                return;
            }
            let (mut front, mut back, mut owner) = ($neutral(OP), $neutral(OP), NO_SEGMENT);
            let mut segment = first_behind(starts, first, 0, count);
            let mut place = first;
            while segment < count {
                // A segment for each lane, of which many may be empty.
                let (mut start, mut end) = (u32::MAX, 0);
                let own = segment.saturating_add(lane);
                if own < count {
                    start = starts[own];
                    end = starts[own + 1];
                }
                let mask = subgroup::ballot(start.max(first) < end.min(last));
                let words = [mask.x, mask.y, mask.z, mask.w];
                for word in 0..lanes.div_ceil(32) {
                    let mut bits = words[word];
                    while bits != 0 {
                        let k = word * 32 + bits.trailing_zeros();
                        bits &= bits - 1;
                        let (start, end) = (subgroup::shuffle(start, k), subgroup::shuffle(end, k));
                        let (begin, stop) = (start.max(first), end.min(last));
                        place = place.max(stop);
                        let mut own = $neutral(OP);
                        let mut i = begin + lane;
                        while i.saturating_add(3 * lanes) < stop {
                            let near = $combined(OP, x[i], x[i + lanes]);
                            let far = $combined(OP, x[i + 2 * lanes], x[i + 3 * lanes]);
                            own = $combined(OP, own, $combined(OP, near, far));
                            i += 4 * lanes;
                        }
                        while i < stop {
                            own = $combined(OP, own, x[i]);
                            i += lanes;
                        }
                        let result = $all(OP, own);
                        if start < first {
                            front = result;
                        } else if end > last {
                            back = result;
                            owner = segment + k;
                        } else if lane == 0 && segment + k < results.len() as u32 {
                            // SAFETY: the segment lies in this span, and one lane writes.
                            unsafe { results.unordered()[segment + k] = result };
                        }
                    }
                }
                let next = segment.saturating_add(lanes);
                if place >= last || subgroup::any(own < count && start >= last) {
                    segment = count;
                } else {
                    segment =
                        if mask != UVec4::ZERO { next } else { first_behind(starts, place, next.min(count), count) };
                }
            }
            if lane == 0 && number < fronts.len() as u32 && number < backs.len() as u32 {
                // SAFETY: one lane of the subgroup that has the span.
                unsafe {
                    fronts.unordered()[number] = front;
                    backs.unordered()[number] = back;
                    owners.unordered()[number] = owner;
                }
            }
        }

        /// The results of segments without elements, and of those that reach into several spans.
        #[kernel(workgroup = WIDTH)]
        pub fn $join<const OP: u32>(
            span: u32,
            starts: &[u32],
            x: &[$ty],
            fronts: &[$ty],
            backs: &[$ty],
            owners: &[u32],
            results: &mut [$ty],
        ) {
            let (segment, lane, lanes) = (item(), subgroup_local_id(), subgroup_size());
            let mut is_beyond = false;
            if segment < results.len() as u32 && segment + 1 < starts.len() as u32 {
                let end = starts[segment + 1];
                is_beyond = end > x.len() as u32 || starts[segment] > x.len() as u32;
                if starts[segment] >= end {
                    // SAFETY: an invocation for each segment, and nobody else writes one without elements.
                    unsafe { results.unordered()[segment] = $neutral(OP) };
                }
            }
            let number = subgroup_number();
            let mut owner = NO_SEGMENT;
            if number < owners.len() as u32 {
                owner = owners[number];
            }
            if owner < results.len() as u32 && owner + 1 < starts.len() as u32 {
                let end = starts[owner + 1].min(x.len() as u32);
                let mut own = $neutral(OP);
                // The span that the segment ends in is behind this one.
                let behind = end.div_ceil(span);
                let mut k = number + 1 + lane;
                while k < behind && k < fronts.len() as u32 {
                    own = $combined(OP, own, fronts[k]);
                    k = k.saturating_add(lanes);
                }
                let rest = $all(OP, own);
                if lane == 0 && number < backs.len() as u32 {
                    // SAFETY: a segment begins in one span, and one lane writes.
                    unsafe { results.unordered()[owner] = $combined(OP, backs[number], rest) };
                }
            }
            assert!(!is_beyond, "a start is beyond what is there");
        }

        impl sealed::Long for $ty {
            type Reduce<const OP: u32> = $Reduce<OP>;
            type Join<const OP: u32> = $Join<OP>;
        }
    };
}

long!(u32, neutral_u32 combined_u32 all_u32, reduce_long_u32 ReduceLongU32 join_long_u32 JoinLongU32);
long!(i32, neutral_i32 combined_i32 all_i32, reduce_long_i32 ReduceLongI32 join_long_i32 JoinLongI32);
long!(f32, neutral_f32 combined_f32 all_f32, reduce_long_f32 ReduceLongF32 join_long_f32 JoinLongF32);

/// Appends a reduction of segments; false where they are not long.
pub(super) fn reduce<T: Plain + sealed::Long>(
    stages: &mut Stages,
    op: u32,
    starts: &Tensor<u32>,
    x: &Tensor<T>,
    results: &mut Tensor<T>,
) -> Result<bool> {
    if x.is_empty() || results.len().saturating_mul(LONG) > x.len() || x.len() >= 1 << 31 {
        return Ok(false);
    }
    let mgr = &x.manager();
    let lanes = mgr.device().limits.subgroup.size as usize;
    let span = x.len().div_ceil(SPANS).next_multiple_of(128).clamp(SPAN[0], SPAN[1]);
    let spans = x.len().div_ceil(span);
    let (mut fronts, mut backs) = (mgr.tensor_of_len::<T>(spans)?, mgr.tensor_of_len::<T>(spans)?);
    let mut owners = mgr.tensor_of_len::<u32>(spans)?;
    let (of_spans, all) = (spans * lanes, (spans * lanes).max(results.len()));
    macro_rules! launch {
        ($op:ident) => {{
            stages.launch::<T::Reduce<$op>>(lines::items(of_spans), |args| {
                let args = args.value(span as u32).read(starts).read(x);
                args.write(&mut fronts).write(&mut backs).write(&mut owners).write(results)
            });
            stages.launch::<T::Join<$op>>(lines::items(all), |args| {
                let args = args.value(span as u32).read(starts).read(x);
                args.read(&fronts).read(&backs).read(&owners).write(results)
            });
        }};
    }
    match op {
        SUM => launch!(SUM),
        MIN => launch!(MIN),
        _ => launch!(MAX),
    }
    Ok(true)
}
