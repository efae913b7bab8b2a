//! Scans of runs.

use super::states::{before_f32, before_i32, before_u32, take_tile};
use super::vectors::{
    VECTORS, ahead_of, flow_f32, flow_i32, flow_u32, heads_of, up_to_f32, up_to_i32, up_to_u32, with_f32, with_i32,
    with_u32,
};
use super::{Chain, Heads};
use crate::algorithms::lines::WIDTH;
use crate::algorithms::runs::is_same;
use crate::algorithms::segments::{
    SUM, after_f32, after_i32, after_u32, combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32,
    neutral_u32,
};
use crate::algorithms::stages::Stages;
use crate::algorithms::{Word, sealed};
use crate::prelude::*;
use crate::{Plain, Result};

/// The kernels for a type of elements.
macro_rules! scans {
    (
        $ty:ident $Vector:ident $vector:ident, $neutral:ident $combined:ident $after:ident,
        $up_to:ident $with:ident $flow:ident $before:ident, $scan:ident $scan_rest:ident
    ) => {
        /// Scans of runs.
        #[kernel(workgroup = WIDTH)]
        pub fn $scan<const INCLUSIVE: bool, const MARKS: bool>(
            tiles: u32,
            is_float: bool,
            vectors: &[UVec4],
            keys: &[u32],
            x: &[$Vector],
            states: &[Atomic<u64>],
            sums: &mut [$Vector],
        ) {
            let tails = Shared::<[$ty; 256]>::new();
            let marked = Shared::<[u32; 256]>::new();
            let number = Shared::<[u32; 1]>::new();
            let start = Shared::<[$ty; 1]>::new();
            let len = (vectors.len() as u32).min(x.len() as u32).min(sums.len() as u32);
            if len == 0 {
                return;
            }
            let (lane, tile) = (subgroup_local_id(), take_tile(states, &mut number[..]));
            // Each subgroup has a run of its own, of which neighbours read neighbours.
            let first = tile * (WIDTH * VECTORS) + subgroup_id() * subgroup_size() * VECTORS + lane;
            let mut key = [UVec4::ZERO; 4];
            let mut own = [$Vector::ZERO; 4];
            let mut edge = [0; 4];
            // All lanes load, the last ones the same vector: no branch.
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                key[k] = vectors[i.min(len - 1)];
                own[k] = x[i.min(len - 1)];
            }
            if !MARKS && lane == 0 {
                edge = ahead_of(keys, first);
            }
            let mut flows = [$neutral(SUM); 4];
            let (mut heads, mut behind, mut is_marked) = (0, 0, 0);
            let mut carry = $neutral(SUM);
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                let before = subgroup::shuffle_up(key[k].w, 1);
                let mut bits = heads_of(MARKS, is_float, i, if lane == 0 { edge[k] } else { before }, key[k]);
                if i >= len {
                    bits = 0;
                    own[k] = $Vector::ZERO;
                }
                own[k] = $up_to(SUM, bits, own[k]);
                let lanes = subgroup::ballot(bits != 0).x;
                let (flow, next) = $flow(SUM, lanes, own[k].w, carry);
                let is_behind = is_marked | lanes & ((1 << (lane & 31)) - 1);
                heads |= bits << (4 * k);
                behind |= ((is_behind != 0) as u32) << k;
                flows[k] = flow;
                carry = next;
                is_marked |= lanes;
            }
            if subgroup::elect() {
                marked[subgroup_id()] = (is_marked != 0) as u32;
                tails[subgroup_id()] = carry;
            }
            barrier();
            if subgroup_id() == 0 {
                let mut all = (marked[0], tails[0]);
                for slot in 1..num_subgroups() {
                    all = (all.0 | marked[slot], $after(SUM, all.1, marked[slot], tails[slot]));
                }
                let mut before = (0, $neutral(SUM));
                if tile < tiles {
                    before = $before(SUM, false, states, tiles, tile, all);
                }
                if lane == 0 {
                    // SAFETY: one lane of one subgroup writes.
                    unsafe { start.unordered()[0] = before.1 };
                }
            }
            barrier();
            carry = start[0];
            for slot in 0..subgroup_id() {
                carry = $after(SUM, carry, marked[slot], tails[slot]);
            }
            #[unroll]
            for k in 0..VECTORS {
                let (i, bits) = (first + k * subgroup_size(), heads >> (4 * k) & 15);
                let flow = $after(SUM, carry, behind >> k & 1, flows[k]);
                let mut result = $with(SUM, bits, flow, own[k]);
                if !INCLUSIVE {
                    let none = $neutral(SUM);
                    result = $vector(
                        if bits & 1 != 0 { none } else { flow },
                        if bits & 2 != 0 { none } else { result.x },
                        if bits & 4 != 0 { none } else { result.y },
                        if bits & 8 != 0 { none } else { result.z },
                    );
                }
                if i < len {
                    // SAFETY: tiles are taken one by one, and each lane has elements of its own in one.
                    unsafe { sums.unordered()[i] = result };
                }
            }
        }

        /// The sums behind the last vector.
        #[kernel(workgroup = 1)]
        pub fn $scan_rest<const INCLUSIVE: bool, const MARKS: bool>(
            is_float: bool,
            keys: &[u32],
            x: &[$ty],
            sums: &mut [$ty],
        ) {
            let len = (keys.len() as u32).min(x.len() as u32).min(sums.len() as u32);
            for i in len / 4 * 4..len {
                let mut sum = if INCLUSIVE { x[i] } else { $neutral(SUM) };
                if i > 0 {
                    let is_head = if MARKS { keys[i] != 0 } else { !is_same(is_float, keys[i - 1], keys[i]) };
                    if !is_head {
                        sum = $combined(SUM, sums[i - 1], if INCLUSIVE { x[i] } else { x[i - 1] });
                    }
                }
                sums[i] = sum;
            }
        }
    };
}

scans!(
    u32 UVec4 uvec4, neutral_u32 combined_u32 after_u32, up_to_u32 with_u32 flow_u32 before_u32,
    scan_chained_u32 scan_rest_u32
);
scans!(
    i32 IVec4 ivec4, neutral_i32 combined_i32 after_i32, up_to_i32 with_i32 flow_i32 before_i32,
    scan_chained_i32 scan_rest_i32
);
scans!(
    f32 Vec4 vec4, neutral_f32 combined_f32 after_f32, up_to_f32 with_f32 flow_f32 before_f32,
    scan_chained_f32 scan_rest_f32
);

/// Appends a scan of runs in one pass; false where there is none. All tensors are of one length.
pub(in crate::algorithms) fn scan<K: Word, T: Plain + sealed::Chained>(
    stages: &mut Stages,
    heads: &Heads<'_, K>,
    x: &Tensor<T>,
    sums: &mut Tensor<T>,
    is_inclusive: bool,
) -> Result<bool> {
    let (mgr, keys, is_whole) = (&x.manager(), heads.keys, x.len().is_multiple_of(4));
    let (Ok(vectors), Ok(own), Ok(_)) = (keys.cast::<UVec4>(), x.cast::<T::Vectors>(), sums.cast_mut::<T::Vectors>())
    else {
        return Ok(false);
    };
    let Some(chain) = Chain::new(stages, mgr, x.len())? else { return Ok(false) };
    let states = chain.states()?;
    macro_rules! launch {
        ($is_inclusive:literal, $are_marks:literal) => {{
            let mut whole = sums.cast_mut::<T::Vectors>()?;
            stages.launch::<T::ScanChained<$is_inclusive, $are_marks>>(chain.grid(), |args| {
                let args = args.value(chain.tiles).value(K::IS_FLOAT).read(&vectors).read(keys);
                args.read(&own).read::<u64>(&states).write(&mut whole)
            });
            if !is_whole {
                stages.launch::<T::ScanRest<$is_inclusive, $are_marks>>(Grid::groups(1), |args| {
                    args.value(K::IS_FLOAT).read(keys).read(x).write(sums)
                });
            }
        }};
    }
    match (is_inclusive, heads.are_marks) {
        (false, false) => launch!(false, false),
        (false, true) => launch!(false, true),
        (true, false) => launch!(true, false),
        (true, true) => launch!(true, true),
    }
    Ok(true)
}
