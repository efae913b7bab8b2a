//! Reductions of runs: each part of the elements gives the results of the runs that lie in it, and what it has of those that do not. One
//! workgroup then puts these together.

use super::batch::{BATCH, batch_f32, batch_i32, batch_u32};
use super::heads::{before_stretch, part_again, stretch};
use crate::algorithms::chained::{up_to_f32, up_to_i32, up_to_u32, with_f32, with_i32, with_u32};
use crate::algorithms::lines::WIDTH;
use crate::algorithms::sealed;
use crate::algorithms::segments::{
    combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32, neutral_u32, row_f32, row_i32, row_u32,
};
use crate::prelude::*;

/// The kernels for a type of elements.
macro_rules! reductions {
    (
        $ty:ident $Vector:ident, $neutral:ident $combined:ident $row:ident $up_to:ident $with:ident,
        $batch:ident $reduce:ident $Reduce:ident $join:ident $Join:ident
    ) => {
        /// The results of runs that begin and end in a part. `fronts` gets the result up to its first head, `backs` that from its last head on.
        #[kernel(workgroup = WIDTH)]
        pub fn $reduce<const OP: u32>(
            rounds: u32,
            heads: &[u32],
            parts: &[UVec2],
            vectors: &[$Vector],
            x: &[$ty],
            fronts: &mut [$ty],
            backs: &mut [$ty],
            results: &mut [$ty],
        ) {
            let slots = Shared::<[UVec4; 256]>::new();
            let own_fronts = Shared::<[$ty; 256]>::new();
            let own_backs = Shared::<[$ty; 256]>::new();
            let (size, lane, part) = (subgroup_size(), subgroup_local_id(), part_again(parts.len() as u32));
            let (end, first) = (size - 1, stretch(part, rounds));
            let start = before_stretch(part, rounds, heads, parts, &mut slots[..]).x;
            let mut found = start;
            let mut carry = $neutral(OP);
            for round in 0..rounds {
                let block = first + round * size;
                let word = block + lane;
                let own = if word < heads.len() as u32 { heads[word] } else { 0 };
                let up_to = subgroup::inclusive_add(own.count_ones());
                let own_rank = found + up_to - own.count_ones();
                // The place in the block behind the last head before the word, or zero.
                let last = subgroup::inclusive_max(if own != 0 { 32 * lane + 32 - own.leading_zeros() } else { 0 });
                let before = subgroup::shuffle_up(last, 1);
                let own_behind = if lane == 0 { 0 } else { before };
                for half in 0..2 {
                    let start_at = block * 8 + half * BATCH * size;
                    let value = $batch(vectors, x, start_at, $neutral(OP));
                    #[unroll]
                    for k in 0..BATCH {
                        let row = (half * BATCH + k) * size;
                        let at = row + lane;
                        let (from, place) = (at / 8, 4 * (at & 7));
                        let all = subgroup::shuffle(own, from);
                        let below = all & ((1 << place) - 1);
                        let bits = all >> place & 15;
                        let mut rank = subgroup::shuffle(own_rank, from) + below.count_ones();
                        let mut behind = subgroup::shuffle(own_behind, from);
                        if below != 0 {
                            behind = 32 * from + 32 - below.leading_zeros();
                        }
                        // Behind the last lane of the row with a head before this one.
                        let head = behind.div_ceil(4).saturating_sub(row);
                        let own_head = if bits != 0 { lane + 1 } else { head };
                        let in_vector = $up_to(OP, bits, value[k]);
                        let in_row = $row(OP, own_head, in_vector.w);
                        let before = subgroup::shuffle_up(in_row, 1);
                        let mut flow = carry;
                        if lane > 0 {
                            flow = if head > 0 { before } else { $combined(OP, carry, before) };
                        }
                        let tail = subgroup::shuffle(in_row, end);
                        let is_begun = subgroup::shuffle(own_head, end) > 0;
                        carry = if is_begun { tail } else { $combined(OP, carry, tail) };
                        let with = $with(OP, bits, flow, in_vector);
                        let ended = [flow, with.x, with.y, with.z];
                        #[unroll]
                        for j in 0..4 {
                            let is_head = bits >> j & 1;
                            if is_head != 0 {
                                if rank == start {
                                    // SAFETY: one element of the subgroup is its first head.
                                    unsafe { own_fronts.unordered()[subgroup_id()] = ended[j] };
                                } else if rank.wrapping_sub(1) < results.len() as u32 {
                                    // SAFETY: each run ends at one head, and the heads before it are counted.
                                    unsafe { results.unordered()[rank.wrapping_sub(1)] = ended[j] };
                                }
                            }
                            // Behind a branch, LLVM 21 (lavapipe) gets ranks wrong on processors with AVX-512 where vectors have 256 bits.
                            rank += is_head;
                        }
                    }
                }
                found += subgroup::shuffle(up_to, end);
            }
            if subgroup::elect() {
                own_backs[subgroup_id()] = carry;
            }
            barrier();
            if subgroup_id() == 0 && lane == 0 {
                let mut flow = $neutral(OP);
                let mut front = flow;
                let mut rank = start;
                for slot in 0..num_subgroups() {
                    if slots[slot].x == 0 {
                        flow = $combined(OP, flow, own_backs[slot]);
                    } else {
                        let result = $combined(OP, flow, own_fronts[slot]);
                        if rank == start {
                            front = result;
                        } else if rank.wrapping_sub(1) < results.len() as u32 {
                            // SAFETY: the first head of a subgroup ends a run that nobody else has written.
                            unsafe { results.unordered()[rank.wrapping_sub(1)] = result };
                        }
                        rank += slots[slot].x;
                        flow = own_backs[slot];
                    }
                }
                if part < fronts.len() as u32 && part < backs.len() as u32 {
                    // SAFETY: one invocation of the workgroup that has the part.
                    unsafe {
                        fronts.unordered()[part] = front;
                        backs.unordered()[part] = flow;
                    }
                }
            }
        }

        /// The results of runs that reach over parts, and of the last run.
        #[kernel(workgroup = WIDTH)]
        pub fn $join<const OP: u32>(parts: &[UVec2], fronts: &[$ty], backs: &[$ty], results: &mut [$ty]) {
            let tails = Shared::<[$ty; 256]>::new();
            let counts = Shared::<[u32; 256]>::new();
            let (size, lane) = (subgroup_size(), subgroup_local_id());
            let len = (parts.len() as u32).min(fronts.len() as u32).min(backs.len() as u32);
            let own = len.div_ceil(WIDTH);
            // Each invocation has parts that follow each other.
            let first = (subgroup_id() * size + lane) * own;
            let (mut count, mut flow) = (0, $neutral(OP));
            for k in 0..own {
                let part = first + k;
                if part < len {
                    let heads = parts[part].x;
                    flow = if heads > 0 { backs[part] } else { $combined(OP, flow, backs[part]) };
                    count += heads;
                }
            }
            let up_to = subgroup::inclusive_add(count);
            let head = subgroup::inclusive_max(if count > 0 { lane + 1 } else { 0 });
            let in_row = $row(OP, head, flow);
            if lane == size - 1 {
                // SAFETY: one lane of each subgroup.
                unsafe {
                    tails.unordered()[subgroup_id()] = in_row;
                    counts.unordered()[subgroup_id()] = up_to;
                }
            }
            let before = subgroup::shuffle_up(in_row, 1);
            let before_head = subgroup::shuffle_up(head, 1);
            barrier();
            let (mut rank, mut carry) = (0, $neutral(OP));
            for slot in 0..subgroup_id() {
                carry = if counts[slot] > 0 { tails[slot] } else { $combined(OP, carry, tails[slot]) };
                rank += counts[slot];
            }
            rank += up_to - count;
            if lane > 0 {
                carry = if before_head > 0 { before } else { $combined(OP, carry, before) };
            }
            for k in 0..own {
                let part = first + k;
                if part < len {
                    if parts[part].x > 0 {
                        if rank.wrapping_sub(1) < results.len() as u32 {
                            // SAFETY: the first head of a part ends a run that nobody else has written.
                            unsafe { results.unordered()[rank.wrapping_sub(1)] = $combined(OP, carry, fronts[part]) };
                        }
                        rank += parts[part].x;
                        carry = backs[part];
                    } else {
                        carry = $combined(OP, carry, backs[part]);
                    }
                    if part + 1 == len && rank.wrapping_sub(1) < results.len() as u32 {
                        // SAFETY: one invocation has the last part, and no head ends the last run.
                        unsafe { results.unordered()[rank.wrapping_sub(1)] = carry };
                    }
                }
            }
        }

        impl sealed::Runs for $ty {
            type Vectors = $Vector;
            type ReduceRuns<const OP: u32> = $Reduce<OP>;
            type JoinRuns<const OP: u32> = $Join<OP>;
        }
    };
}

reductions!(
    u32 UVec4, neutral_u32 combined_u32 row_u32 up_to_u32 with_u32,
    batch_u32 reduce_runs_u32 ReduceRunsU32 join_runs_u32 JoinRunsU32
);
reductions!(
    i32 IVec4, neutral_i32 combined_i32 row_i32 up_to_i32 with_i32,
    batch_i32 reduce_runs_i32 ReduceRunsI32 join_runs_i32 JoinRunsI32
);
reductions!(
    f32 Vec4, neutral_f32 combined_f32 row_f32 up_to_f32 with_f32,
    batch_f32 reduce_runs_f32 ReduceRunsF32 join_runs_f32 JoinRunsF32
);
