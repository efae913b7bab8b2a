//! The heads of runs, as bits: which elements differ from the one before, or are marked.
//!
//! Each bit stands for an element, in their order. A part is what a workgroup looks at: some rounds of a word of bits for each invocation. Each
//! subgroup has a stretch of a part, and goes through it in blocks of a word for each of its lanes.

use super::batch::{BATCH, batch_u32};
use super::is_same;
use crate::algorithms::lines::{WIDTH, group};
use crate::prelude::*;

/// Elements that are numbers.
#[device]
pub(super) const NUMBERS: u32 = 0;
/// Elements that are floats, compared as such.
#[device]
pub(super) const FLOATS: u32 = 1;
/// Marks: what is not zero is a head.
#[device]
pub(super) const MARKS: u32 = 2;

/// The first word of the stretch that a subgroup has of a part.
#[device]
pub(super) fn stretch(part: u32, rounds: u32) -> u32 {
    (part * WIDTH + subgroup_id() * subgroup_size()) * rounds
}

/// The part of a workgroup that reads elements again: the last ones first, which are in caches. Workgroups without a part get one that is not
/// there.
#[device]
pub(super) fn part_again(parts: u32) -> u32 {
    let number = group();
    if number < parts { parts - 1 - number } else { number }
}

/// Which elements of a vector are heads, as four bits; `before` is the element before it.
#[device]
fn heads_of(kind: u32, i: u32, before: u32, v: UVec4) -> u32 {
    if kind == MARKS {
        return (v.x != 0) as u32 | ((v.y != 0) as u32) << 1 | ((v.z != 0) as u32) << 2 | ((v.w != 0) as u32) << 3;
    }
    let is_float = kind == FLOATS;
    (i == 0 || !is_same(is_float, before, v.x)) as u32
        | (!is_same(is_float, v.x, v.y) as u32) << 1
        | (!is_same(is_float, v.y, v.z) as u32) << 2
        | (!is_same(is_float, v.z, v.w) as u32) << 3
}

/// The bits of all elements; of each part, the number of heads and the place behind the last one, or zero.
#[kernel(workgroup = WIDTH)]
pub fn find_heads<const KIND: u32>(
    rounds: u32,
    vectors: &[UVec4],
    keys: &[u32],
    heads: &mut [u32],
    parts: &mut [UVec2],
) {
    let counts = Shared::<[u32; 256]>::new();
    let lasts = Shared::<[u32; 256]>::new();
    let (size, lane) = (subgroup_size(), subgroup_local_id());
    let first = stretch(group(), rounds);
    // The last lane has the element before each block, which goes around to the first one.
    let mut behind = 0;
    if KIND != MARKS && lane == size - 1 && (first * 32).wrapping_sub(1) < keys.len() as u32 {
        behind = keys[(first * 32).wrapping_sub(1)];
    }
    let (mut count, mut last) = (0u32, 0u32);
    for round in 0..rounds {
        let block = first + round * size;
        let mut nibbles = 0;
        for half in 0..2 {
            let start = block * 8 + half * BATCH * size;
            let key = batch_u32(vectors, keys, start, 0);
            #[unroll]
            for k in 0..BATCH {
                let i = start + k * size + lane;
                let mut before = 0;
                if KIND != MARKS {
                    let offered = if lane == size - 1 { behind } else { key[k].w };
                    before = subgroup::shuffle(offered, (lane + size - 1) & (size - 1));
                    behind = key[k].w;
                }
                nibbles |= heads_of(KIND, i, before, key[k]) << (4 * (half * BATCH + k));
            }
        }
        // Eight vectors that follow each other make a word.
        let mut bits = 0;
        #[unroll]
        for q in 0..8 {
            let vector = 8 * lane + q;
            let row = vector >> size.trailing_zeros();
            bits |= (subgroup::shuffle(nibbles, vector & (size - 1)) >> (4 * row & 31) & 15) << (4 * q);
        }
        let word = block + lane;
        if word < heads.len() as u32 {
            let left = (keys.len() as u32) - 32 * word;
            if left < 32 {
                bits &= (1 << left) - 1;
            }
            // SAFETY: parts, stretches, blocks and words lie side by side.
            unsafe { heads.unordered()[word] = bits };
            count += bits.count_ones();
            if bits != 0 {
                last = 32 * word + 32 - bits.leading_zeros();
            }
        }
    }
    count = subgroup::add(count);
    last = subgroup::max(last);
    if subgroup::elect() {
        counts[subgroup_id()] = count;
        lasts[subgroup_id()] = last;
    }
    barrier();
    if subgroup_id() == 0 && lane == 0 && group() < parts.len() as u32 {
        for slot in 1..num_subgroups() {
            count += counts[slot];
            last = last.max(lasts[slot]);
        }
        // SAFETY: one invocation of the workgroup that has the part.
        unsafe { parts.unordered()[group()] = uvec2(count, last) };
    }
}

/// The heads before the stretch of a subgroup, and the place behind the last one of them, or zero. `slots` is shared memory of its own, and
/// keeps the same of each subgroup's stretch alone in front.
#[device]
pub(super) fn before_stretch(part: u32, rounds: u32, heads: &[u32], parts: &[UVec2], slots: &mut [UVec4]) -> UVec2 {
    let (size, lane, first) = (subgroup_size(), subgroup_local_id(), stretch(part, rounds));
    let (mut before, mut behind) = (0u32, 0u32);
    let end = part.min(parts.len() as u32);
    let mut i = local_id().x;
    while i < end {
        let found = parts[i];
        before += found.x;
        behind = behind.max(found.y);
        i += WIDTH;
    }
    let (mut count, mut last) = (0u32, 0u32);
    for round in 0..rounds {
        let word = first + round * size + lane;
        let bits = if word < heads.len() as u32 { heads[word] } else { 0 };
        count += bits.count_ones();
        if bits != 0 {
            last = 32 * word + 32 - bits.leading_zeros();
        }
    }
    count = subgroup::add(count);
    last = subgroup::max(last);
    before = subgroup::add(before);
    behind = subgroup::max(behind);
    if subgroup::elect() && subgroup_id() < slots.len() as u32 {
        slots[subgroup_id()] = uvec4(count, last, before, behind);
    }
    barrier();
    before = 0;
    behind = 0;
    for slot in 0..num_subgroups().min(slots.len() as u32) {
        let found = slots[slot];
        let is_before = slot < subgroup_id();
        before += found.z + if is_before { found.x } else { 0 };
        behind = behind.max(found.w).max(if is_before { found.y } else { 0 });
    }
    uvec2(before, behind)
}
