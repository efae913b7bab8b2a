//! Reductions of runs: each part of the elements gives the results of the runs that lie in it, and what it has of those that do not. The last
//! workgroup to be done puts these together; so none waits for another.

use super::heads::{BATCH, before_stretch, part_again, stretch, words_at};
use crate::algorithms::chained::{
    bits_of_f32, bits_of_i32, bits_of_u32, from_bits_f32, from_bits_i32, from_bits_u32, up_to_f32, up_to_i32,
    up_to_u32, with_f32, with_i32, with_u32,
};
use crate::algorithms::lines::WIDTH;
use crate::algorithms::sealed;
use crate::algorithms::segments::{
    combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32, neutral_u32, row_f32, row_i32, row_u32,
};
use crate::prelude::*;

/// The kernels for a type of elements.
macro_rules! reductions {
    (
        $ty:ident $Vector:ident $vector:ident, $neutral:ident $combined:ident $row:ident $up_to:ident $with:ident,
        $bits_of:ident $from:ident $rest:ident $close:ident $join:ident $reduce:ident $Reduce:ident
    ) => {
        /// Vector `i` of elements that are not among the vectors, with neutral ones behind the end.
        #[device]
        fn $rest(op: u32, x: &[$ty], i: u32) -> $Vector {
            let mut found = [$neutral(op); 4];
            if i < (x.len() as u32).div_ceil(4) {
                #[unroll]
                for j in 0..4 {
                    if 4 * i + j < x.len() as u32 {
                        found[j] = x[4 * i + j];
                    }
                }
            }
            $vector(found[0], found[1], found[2], found[3])
        }

        /// The results of runs that reach over parts, of the last run, and the number of runs. `tails` and `counts` are shared memory of their own.
        #[device]
        fn $join(
            op: u32,
            parts: &[UVec2],
            fronts: &[Atomic<u32>],
            backs: &[Atomic<u32>],
            results: &mut [$ty],
            total: &[Atomic<u32>],
            tails: &mut [$ty],
            counts: &mut [u32],
        ) {
            let (size, lane) = (subgroup_size(), subgroup_local_id());
            let len = (parts.len() as u32).min(fronts.len() as u32).min(backs.len() as u32);
            let own = len.div_ceil(WIDTH);
            // Each invocation has parts that follow each other.
            let first = (subgroup_id() * size + lane) * own;
            let (mut count, mut flow) = (0, $neutral(op));
            for k in 0..own {
                let part = first + k;
                if part < len {
                    let (heads, back) = (parts[part].x, $from(backs[part].load(Relaxed)));
                    flow = if heads > 0 { back } else { $combined(op, flow, back) };
                    count += heads;
                }
            }
            let up_to = subgroup::inclusive_add(count);
            let head = subgroup::inclusive_max(if count > 0 { lane + 1 } else { 0 });
            let in_row = $row(op, head, flow);
            if lane == size - 1 && subgroup_id() < tails.len() as u32 && subgroup_id() < counts.len() as u32 {
                tails[subgroup_id()] = in_row;
                counts[subgroup_id()] = up_to;
            }
            let before = subgroup::shuffle_up(in_row, 1);
            let before_head = subgroup::shuffle_up(head, 1);
            barrier();
            let (mut rank, mut carry) = (0, $neutral(op));
            for slot in 0..subgroup_id().min(tails.len() as u32).min(counts.len() as u32) {
                carry = if counts[slot] > 0 { tails[slot] } else { $combined(op, carry, tails[slot]) };
                rank += counts[slot];
            }
            rank += up_to - count;
            if lane > 0 {
                carry = if before_head > 0 { before } else { $combined(op, carry, before) };
            }
            for k in 0..own {
                let part = first + k;
                if part < len {
                    let back = $from(backs[part].load(Relaxed));
                    if parts[part].x > 0 {
                        if rank.wrapping_sub(1) < results.len() as u32 {
                            let front = $from(fronts[part].load(Relaxed));
                            // SAFETY: the first head of a part ends a run that nobody else has written.
                            unsafe { results.unordered()[rank.wrapping_sub(1)] = $combined(op, carry, front) };
                        }
                        rank += parts[part].x;
                        carry = back;
                    } else {
                        carry = $combined(op, carry, back);
                    }
                    if part + 1 == len {
                        if rank.wrapping_sub(1) < results.len() as u32 {
                            // SAFETY: one invocation has the last part, and no head ends the last run.
                            unsafe { results.unordered()[rank.wrapping_sub(1)] = carry };
                        }
                        if total.len() > 0 {
                            total[0].store(rank, Relaxed);
                        }
                    }
                }
            }
        }

        /// The results of a part up to its first head, which is head `start`, and from its last head on. `fronts` and `backs` are those of its
        /// subgroups, and `slots` begin with their numbers of heads; runs that reach over subgroups end here.
        #[device]
        fn $close(
            op: u32,
            start: u32,
            slots: &[UVec4],
            fronts: &[$ty],
            backs: &[$ty],
            results: &mut [$ty],
        ) -> ($ty, $ty) {
            let mut back = $neutral(op);
            let mut front = back;
            let mut rank = start;
            let len = (slots.len() as u32).min(fronts.len() as u32).min(backs.len() as u32);
            for slot in 0..num_subgroups().min(len) {
                if slots[slot].x == 0 {
                    back = $combined(op, back, backs[slot]);
                } else {
                    let result = $combined(op, back, fronts[slot]);
                    if rank == start {
                        front = result;
                    } else if rank.wrapping_sub(1) < results.len() as u32 {
                        // SAFETY: the first head of a subgroup ends a run that nobody else has written.
                        unsafe { results.unordered()[rank.wrapping_sub(1)] = result };
                    }
                    rank += slots[slot].x;
                    back = backs[slot];
                }
            }
            (front, back)
        }

        /// The first keys and the results of runs. `fronts` gets the result of each part up to its first head, `backs` that from its last head on;
        /// `total` counts the parts that are done, from zero, and then is the number of runs.
        #[kernel(workgroup = WIDTH)]
        pub fn $reduce<const OP: u32>(
            rounds: u32,
            heads: &[u32],
            parts: &[UVec2],
            vectors: &[$Vector],
            x: &[$ty],
            key_vectors: &[UVec4],
            keys: &[u32],
            fronts: &[Atomic<u32>],
            backs: &[Atomic<u32>],
            firsts: &mut [u32],
            results: &mut [$ty],
            total: &[Atomic<u32>],
        ) {
            let slots = Shared::<[UVec4; 256]>::new();
            let own_fronts = Shared::<[$ty; 256]>::new();
            let own_backs = Shared::<[$ty; 256]>::new();
            let own_counts = Shared::<[u32; 256]>::new();
            let (size, lane, part) = (subgroup_size(), subgroup_local_id(), part_again(parts.len() as u32));
            let (end, first) = (size - 1, stretch(part, rounds));
            let (whole, keys_whole) = (vectors.len() as u32, key_vectors.len() as u32);
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
                    let mut value = [$Vector::splat($neutral(OP)); 4];
                    if whole > 0 {
                        // All lanes load, the last ones the same vector: no branch.
                        #[unroll]
                        for k in 0..BATCH {
                            value[k] = vectors[(start_at + k * size + lane).min(whole - 1)];
                        }
                    }
                    if start_at + BATCH * size > whole {
                        #[unroll]
                        for k in 0..BATCH {
                            let i = start_at + k * size + lane;
                            if i >= whole {
                                value[k] = $rest(OP, x, i);
                            }
                        }
                    }
                    let mut bits = [0; 4];
                    let mut ranks = [0; 4];
                    // Behind the last lane of the row with a head before this one.
                    let mut nearest = [0; 4];
                    let mut key = [UVec4::ZERO; 4];
                    #[unroll]
                    for k in 0..BATCH {
                        let row = (half * BATCH + k) * size;
                        let (from, place) = ((row + lane) / 8, 4 * ((row + lane) & 7));
                        let all = subgroup::shuffle(own, from);
                        let below = all & ((1 << place) - 1);
                        bits[k] = all >> place & 15;
                        ranks[k] = subgroup::shuffle(own_rank, from) + below.count_ones();
                        let mut behind = subgroup::shuffle(own_behind, from);
                        if below != 0 {
                            behind = 32 * from + 32 - below.leading_zeros();
                        }
                        nearest[k] = behind.div_ceil(4).saturating_sub(row);
                        let i = block * 8 + row + lane;
                        if bits[k] != 0 && i < keys_whole {
                            key[k] = key_vectors[i];
                        }
                    }
                    if start_at + BATCH * size > keys_whole {
                        #[unroll]
                        for k in 0..BATCH {
                            let i = start_at + k * size + lane;
                            if bits[k] != 0 && i >= keys_whole {
                                key[k] = words_at(keys, i);
                            }
                        }
                    }
                    #[unroll]
                    for k in 0..BATCH {
                        let head = nearest[k];
                        let own_head = if bits[k] != 0 { lane + 1 } else { head };
                        let in_vector = $up_to(OP, bits[k], value[k]);
                        let in_row = $row(OP, own_head, in_vector.w);
                        let before = subgroup::shuffle_up(in_row, 1);
                        let mut flow = carry;
                        if lane > 0 {
                            flow = if head > 0 { before } else { $combined(OP, carry, before) };
                        }
                        let tail = subgroup::shuffle(in_row, end);
                        let is_begun = subgroup::shuffle(own_head, end) > 0;
                        carry = if is_begun { tail } else { $combined(OP, carry, tail) };
                        let with = $with(OP, bits[k], flow, in_vector);
                        let ended = [flow, with.x, with.y, with.z];
                        let first_keys = [key[k].x, key[k].y, key[k].z, key[k].w];
                        let mut rank = ranks[k];
                        #[unroll]
                        for j in 0..4 {
                            if bits[k] >> j & 1 != 0 {
                                if rank < firsts.len() as u32 {
                                    // SAFETY: the heads before each are counted, so that each has a place of its own.
                                    unsafe { firsts.unordered()[rank] = first_keys[j] };
                                }
                                if rank == start {
                                    // SAFETY: one element of the subgroup is its first head.
                                    unsafe { own_fronts.unordered()[subgroup_id()] = ended[j] };
                                } else if rank.wrapping_sub(1) < results.len() as u32 {
                                    // SAFETY: each run ends at one head, and the heads before it are counted.
                                    unsafe { results.unordered()[rank.wrapping_sub(1)] = ended[j] };
                                }
                                rank += 1;
                            }
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
                let (front, back) = $close(OP, start, &slots[..], &own_fronts[..], &own_backs[..], results);
                let mut is_last = false;
                if part < fronts.len() as u32 && part < backs.len() as u32 && total.len() > 0 {
                    fronts[part].store($bits_of(front), Relaxed);
                    backs[part].store($bits_of(back), Relaxed);
                    is_last = total[0].fetch_add(1, AcqRel) + 1 == parts.len() as u32;
                }
                slots[0].x = is_last as u32;
            }
            barrier();
            if slots[0].x != 0 {
                $join(OP, parts, fronts, backs, results, total, &mut own_backs[..], &mut own_counts[..]);
            }
        }

        impl sealed::Runs for $ty {
            type Vectors = $Vector;
            type ReduceRuns<const OP: u32> = $Reduce<OP>;
        }
    };
}

reductions!(
    u32 UVec4 uvec4, neutral_u32 combined_u32 row_u32 up_to_u32 with_u32,
    bits_of_u32 from_bits_u32 rest_u32 close_u32 join_u32 reduce_runs_u32 ReduceRunsU32
);
reductions!(
    i32 IVec4 ivec4, neutral_i32 combined_i32 row_i32 up_to_i32 with_i32,
    bits_of_i32 from_bits_i32 rest_i32 close_i32 join_i32 reduce_runs_i32 ReduceRunsI32
);
reductions!(
    f32 Vec4 vec4, neutral_f32 combined_f32 row_f32 up_to_f32 with_f32,
    bits_of_f32 from_bits_f32 rest_f32 close_f32 join_f32 reduce_runs_f32 ReduceRunsF32
);
