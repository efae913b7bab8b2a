//! Reductions of runs, and the first elements of runs or the marked elements alone.

use super::states::{
    before_f32, before_i32, before_u32, bits_of_f32, bits_of_i32, bits_of_u32, from_bits_f32, from_bits_i32,
    from_bits_u32, take_tile,
};
use super::vectors::{
    VECTORS, ahead_of, flow_f32, flow_i32, flow_u32, heads_of, up_to_f32, up_to_i32, up_to_u32, with_f32, with_i32,
    with_u32,
};
use super::{Chain, FIRSTS, MARKED, ONES};
use crate::algorithms::lines::WIDTH;
use crate::algorithms::runs::is_same;
use crate::algorithms::segments::{
    MAX, after_f32, after_i32, after_u32, combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32,
    neutral_u32,
};
use crate::algorithms::stages::Stages;
use crate::algorithms::{Word, sealed};
use crate::prelude::*;
use crate::{Plain, Result};

/// The kernels for a type of elements.
macro_rules! reductions {
    (
        $ty:ident $Vector:ident, $neutral:ident $combined:ident $after:ident,
        $bits_of:ident $from:ident $up_to:ident $with:ident $flow:ident $before:ident, $reduce:ident $reduce_rest:ident
    ) => {
        /// First elements of runs, their results and their number.
        #[kernel(workgroup = WIDTH)]
        pub fn $reduce<const OP: u32>(
            tiles: u32,
            is_float: bool,
            vectors: &[UVec4],
            keys: &[u32],
            x: &[$Vector],
            states: &[Atomic<u64>],
            firsts: &mut [u32],
            results: &mut [$ty],
            total: &mut [u32],
        ) {
            let tails = Shared::<[$ty; 256]>::new();
            let counts = Shared::<[u32; 256]>::new();
            let number = Shared::<[u32; 1]>::new();
            let start = Shared::<[$ty; 1]>::new();
            let place = Shared::<[u32; 1]>::new();
            let len = (vectors.len() as u32).min(x.len() as u32);
            if len == 0 {
                return;
            }
            let (lane, tile) = (subgroup_local_id(), take_tile(states, &mut number[..]));
            let first = tile * (WIDTH * VECTORS) + subgroup_id() * subgroup_size() * VECTORS + lane;
            let mut key = [UVec4::ZERO; 4];
            let mut own = [$Vector::ONE; 4];
            let mut edge = [0; 4];
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                key[k] = vectors[i.min(len - 1)];
                if OP != ONES && OP != FIRSTS {
                    own[k] = x[i.min(len - 1)];
                }
            }
            if OP != MARKED && lane == 0 {
                edge = ahead_of(keys, first);
            }
            let mut flows = [$neutral(OP); 4];
            let mut ranks = [0; 4];
            let (mut heads, mut behind, mut count) = (0, 0, 0);
            let mut carry = $neutral(OP);
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                let before = subgroup::shuffle_up(key[k].w, 1);
                let mut bits = heads_of(OP == MARKED, is_float, i, if lane == 0 { edge[k] } else { before }, key[k]);
                if i >= len {
                    bits = 0;
                }
                let below = (1 << (lane & 31)) - 1;
                let (a, b) = (subgroup::ballot(bits & 1 != 0).x, subgroup::ballot(bits & 2 != 0).x);
                let (c, d) = (subgroup::ballot(bits & 4 != 0).x, subgroup::ballot(bits & 8 != 0).x);
                let lanes = a | b | c | d;
                ranks[k] = count
                    + (a & below).count_ones()
                    + (b & below).count_ones()
                    + (c & below).count_ones()
                    + (d & below).count_ones();
                if OP <= ONES {
                    if i >= len {
                        own[k] = $Vector::splat($neutral(OP));
                    }
                    own[k] = $up_to(OP, bits, own[k]);
                    let (flow, next) = $flow(OP, lanes, own[k].w, carry);
                    behind |= ((ranks[k] != 0) as u32) << k;
                    flows[k] = flow;
                    carry = next;
                }
                heads |= bits << (4 * k);
                count += a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones();
            }
            if subgroup::elect() {
                counts[subgroup_id()] = count;
                tails[subgroup_id()] = carry;
            }
            barrier();
            if subgroup_id() == 0 {
                let mut all = (counts[0], tails[0]);
                for slot in 1..num_subgroups() {
                    all = (all.0 + counts[slot], $after(OP, all.1, counts[slot], tails[slot]));
                }
                let mut before = (0, $neutral(OP));
                if tile < tiles {
                    before = $before(OP, true, states, tiles, tile, all);
                }
                if lane == 0 {
                    // SAFETY: one lane of one subgroup writes.
                    unsafe { start.unordered()[0] = before.1 };
                    // SAFETY: as above.
                    unsafe { place.unordered()[0] = before.0 };
                }
            }
            barrier();
            carry = start[0];
            count = place[0];
            for slot in 0..subgroup_id() {
                carry = $after(OP, carry, counts[slot], tails[slot]);
                count += counts[slot];
            }
            #[unroll]
            for k in 0..VECTORS {
                let (i, bits) = (first + k * subgroup_size(), heads >> (4 * k) & 15);
                let flow = $after(OP, carry, behind >> k & 1, flows[k]);
                let up_to = $with(OP, bits, flow, own[k]);
                // The run that ends where an element begins another.
                let ended = [flow, up_to.x, up_to.y, up_to.z];
                let mut picked = [key[k].x, key[k].y, key[k].z, key[k].w];
                if OP == MARKED {
                    picked = [$bits_of(own[k].x), $bits_of(own[k].y), $bits_of(own[k].z), $bits_of(own[k].w)];
                }
                let mut rank = count + ranks[k];
                #[unroll]
                for j in 0..4 {
                    if bits >> j & 1 != 0 {
                        if rank < firsts.len() as u32 {
                            // SAFETY: the heads before each are counted, so that each has a place of its own.
                            unsafe { firsts.unordered()[rank] = picked[j] };
                        }
                        if OP <= ONES && rank.wrapping_sub(1) < results.len() as u32 {
                            // SAFETY: as above; the first head ends no run.
                            unsafe { results.unordered()[rank.wrapping_sub(1)] = ended[j] };
                        }
                        rank += 1;
                    }
                }
                if i == len - 1 {
                    if OP <= ONES && rank.wrapping_sub(1) < results.len() as u32 {
                        // SAFETY: one lane has the last vector, and no head ends this run.
                        unsafe { results.unordered()[rank.wrapping_sub(1)] = up_to.w };
                    }
                    if total.len() > 0 {
                        // SAFETY: one lane has the last vector.
                        unsafe { total.unordered()[0] = rank };
                    }
                }
            }
        }

        /// The runs that begin or end behind the last vector.
        #[kernel(workgroup = 1)]
        pub fn $reduce_rest<const OP: u32>(
            is_float: bool,
            keys: &[u32],
            x: &[$ty],
            firsts: &mut [u32],
            results: &mut [$ty],
            total: &mut [u32],
        ) {
            let len = keys.len() as u32;
            let mut count = if total.len() > 0 { total[0] } else { 0 };
            for i in len / 4 * 4..len {
                let mut is_head = i == 0;
                if OP == MARKED {
                    is_head = keys[i] != 0;
                } else if i > 0 {
                    is_head = !is_same(is_float, keys[i - 1], keys[i]);
                }
                let mut own = $from(1);
                if OP != ONES && OP != FIRSTS && i < x.len() as u32 {
                    own = x[i];
                }
                if is_head {
                    if count < firsts.len() as u32 {
                        firsts[count] = if OP == MARKED { $bits_of(own) } else { keys[i] };
                    }
                    if OP <= ONES && count < results.len() as u32 {
                        results[count] = own;
                    }
                    count += 1;
                } else if OP <= ONES && count > 0 && count - 1 < results.len() as u32 {
                    results[count - 1] = $combined(OP, results[count - 1], own);
                }
            }
            if total.len() > 0 {
                total[0] = count;
            }
        }
    };
}

reductions!(
    u32 UVec4, neutral_u32 combined_u32 after_u32,
    bits_of_u32 from_bits_u32 up_to_u32 with_u32 flow_u32 before_u32, reduce_chained_u32 reduce_rest_u32
);
reductions!(
    i32 IVec4, neutral_i32 combined_i32 after_i32,
    bits_of_i32 from_bits_i32 up_to_i32 with_i32 flow_i32 before_i32, reduce_chained_i32 reduce_rest_i32
);
reductions!(
    f32 Vec4, neutral_f32 combined_f32 after_f32,
    bits_of_f32 from_bits_f32 up_to_f32 with_f32 flow_f32 before_f32, reduce_chained_f32 reduce_rest_f32
);

/// Appends a reduction of runs by an operator of [`segments`](crate::algorithms::segments), or one of those here, in one pass; false where there is
/// none. First elements and results lie side by side, `total` is the number of runs. For [`ONES`] and [`FIRSTS`] any `x` of that length will
/// do, and for [`FIRSTS`] and [`MARKED`] any `results`.
pub(in crate::algorithms) fn reduce<const OP: u32, K: Word, F: Word, T: Plain + sealed::Chained>(
    stages: &mut Stages,
    keys: &Tensor<K>,
    x: &Tensor<T>,
    firsts: &mut Tensor<F>,
    results: &mut Tensor<T>,
    total: &mut Tensor<u32>,
) -> Result<bool> {
    const { assert!(MAX < ONES && OP <= MARKED) };
    let mgr = &keys.manager();
    let (Ok(vectors), Ok(own)) = (keys.cast::<UVec4>(), x.cast::<T::Vectors>()) else { return Ok(false) };
    let Some(chain) = Chain::new(stages, mgr, keys.len())? else { return Ok(false) };
    let states = chain.states()?;
    stages.launch::<T::ReduceChained<OP>>(chain.grid(), |args| {
        let args = args.value(chain.tiles).value(K::IS_FLOAT).read(&vectors).read(keys).read(&own);
        args.read::<u64>(&states).write(firsts).write(results).write(total)
    });
    if !keys.len().is_multiple_of(4) {
        stages.launch::<T::ReduceRest<OP>>(Grid::groups(1), |args| {
            args.value(K::IS_FLOAT).read(keys).read(x).write(firsts).write(results).write(total)
        });
    }
    Ok(true)
}

/// Appends moving the elements of `x` that `keep` marks to the front of `kept`, and counting them, in one pass; false where there is none.
pub(in crate::algorithms) fn marked<T: Word>(
    stages: &mut Stages,
    x: &Tensor<T>,
    keep: &Tensor<u32>,
    kept: &mut Tensor<T>,
    count: &mut Tensor<u32>,
) -> Result<bool> {
    let mut results = x.manager().tensor_of_len::<u32>(1)?;
    // To a kernel that moves them, all elements are words.
    let Ok(words) = x.cast::<u32>() else { return Ok(false) };
    reduce::<MARKED, _, _, u32>(stages, keep, &words, kept, &mut results, count)
}
