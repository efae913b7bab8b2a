//! The first elements of runs side by side, and how long the runs are.

use super::batch::{BATCH, rest_u32};
use super::heads::{before_stretch, part_again, stretch};
use crate::algorithms::lines::WIDTH;
use crate::prelude::*;

/// The element of each head, and the number of heads; with `LENGTHS` how far it is from each head to the next one.
#[kernel(workgroup = WIDTH)]
pub fn pick_firsts<const LENGTHS: bool>(
    rounds: u32,
    heads: &[u32],
    parts: &[UVec2],
    vectors: &[UVec4],
    words: &[u32],
    firsts: &mut [u32],
    lengths: &mut [u32],
    total: &mut [u32],
) {
    let slots = Shared::<[UVec4; 256]>::new();
    let (size, lane, part) = (subgroup_size(), subgroup_local_id(), part_again(parts.len() as u32));
    let (whole, first) = (vectors.len() as u32, stretch(part, rounds));
    // The heads up to here, and the place behind the last one of them.
    let mut found = before_stretch(part, rounds, heads, parts, &mut slots[..]);
    for round in 0..rounds {
        let block = first + round * size;
        let word = block + lane;
        let own = if word < heads.len() as u32 { heads[word] } else { 0 };
        let up_to = subgroup::inclusive_add(own.count_ones());
        let own_rank = found.x + up_to - own.count_ones();
        let (mut own_behind, mut last) = (0, 0);
        if LENGTHS {
            last = subgroup::inclusive_max(if own != 0 { 32 * word + 32 - own.leading_zeros() } else { 0 });
            let before = subgroup::shuffle_up(last, 1);
            own_behind = if lane == 0 { found.y } else { before.max(found.y) };
        }
        for half in 0..2 {
            let mut bits = [0; 4];
            let mut ranks = [0; 4];
            let mut behind = [0; 4];
            let mut picked = [UVec4::ZERO; 4];
            #[unroll]
            for k in 0..BATCH {
                let at = (half * BATCH + k) * size + lane;
                let (from, place) = (at / 8, 4 * (at & 7));
                let all = subgroup::shuffle(own, from);
                let below = all & ((1 << place) - 1);
                bits[k] = all >> place & 15;
                ranks[k] = subgroup::shuffle(own_rank, from) + below.count_ones();
                if LENGTHS {
                    behind[k] = subgroup::shuffle(own_behind, from);
                    if below != 0 {
                        behind[k] = 32 * (block + from) + 32 - below.leading_zeros();
                    }
                }
                let i = block * 8 + at;
                if bits[k] != 0 && i < whole {
                    picked[k] = vectors[i];
                }
            }
            if (block + size) * 8 > whole {
                #[unroll]
                for k in 0..BATCH {
                    let i = block * 8 + (half * BATCH + k) * size + lane;
                    if bits[k] != 0 && i >= whole {
                        picked[k] = rest_u32(words, i, 0);
                    }
                }
            }
            #[unroll]
            for k in 0..BATCH {
                let from = 4 * (block * 8 + (half * BATCH + k) * size + lane);
                let elements = [picked[k].x, picked[k].y, picked[k].z, picked[k].w];
                let mut rank = ranks[k];
                let mut start = behind[k];
                #[unroll]
                for j in 0..4 {
                    if bits[k] >> j & 1 != 0 {
                        if rank < firsts.len() as u32 {
                            // SAFETY: the heads before each are counted, so that each has a place of its own.
                            unsafe { firsts.unordered()[rank] = elements[j] };
                        }
                        if LENGTHS {
                            // The run that ends here has the place before; the first head ends none.
                            if rank.wrapping_sub(1) < lengths.len() as u32 {
                                // SAFETY: as above.
                                unsafe { lengths.unordered()[rank.wrapping_sub(1)] = from + j + 1 - start };
                            }
                            start = from + j + 1;
                        }
                        rank += 1;
                    }
                }
            }
        }
        let end = size - 1;
        found.x += subgroup::shuffle(up_to, end);
        if LENGTHS {
            found.y = found.y.max(subgroup::shuffle(last, end));
        }
    }
    if part + 1 == parts.len() as u32 && subgroup_id() + 1 == num_subgroups() && lane == 0 {
        if total.len() > 0 {
            // SAFETY: one lane of the last subgroup.
            unsafe { total.unordered()[0] = found.x };
        }
        if LENGTHS && found.x.wrapping_sub(1) < lengths.len() as u32 {
            // SAFETY: as above, and no head ends the last run.
            unsafe { lengths.unordered()[found.x.wrapping_sub(1)] = words.len() as u32 + 1 - found.y };
        }
    }
}
