//! The flow of results through the vectors of a subgroup: which elements begin runs, and the results from the last of these on.

use crate::algorithms::runs::is_same;
use crate::algorithms::segments::{after_f32, after_i32, after_u32, row_f32, row_i32, row_u32};
use crate::prelude::*;

/// Vectors of an invocation.
#[device]
pub(super) const VECTORS: u32 = 4;

/// Which elements of vector `i` begin runs, as four bits; `before` is the element before it.
#[device]
pub(super) fn heads_of(are_marks: bool, is_float: bool, i: u32, before: u32, v: UVec4) -> u32 {
    if are_marks {
        return (v.x != 0) as u32 | ((v.y != 0) as u32) << 1 | ((v.z != 0) as u32) << 2 | ((v.w != 0) as u32) << 3;
    }
    let first = (i == 0 || !is_same(is_float, before, v.x)) as u32;
    first
        | (!is_same(is_float, v.x, v.y) as u32) << 1
        | (!is_same(is_float, v.y, v.z) as u32) << 2
        | (!is_same(is_float, v.z, v.w) as u32) << 3
}

/// The keys just before each of a lane's vectors.
#[device]
pub(super) fn ahead_of(keys: &[u32], first: u32) -> [u32; 4] {
    let mut edge = [0; 4];
    #[unroll]
    for k in 0..VECTORS {
        let at = (4 * (first + k * subgroup_size())).wrapping_sub(1);
        if at < keys.len() as u32 {
            edge[k] = keys[at];
        }
    }
    edge
}

/// The functions for a type of elements.
macro_rules! vectors {
    (
        $ty:ident $Vector:ident $vector:ident, $after:ident $row:ident,
        $up_to:ident $with:ident $flow:ident
    ) => {
        /// Results up to each element of a vector, from the last head in it on.
        #[device]
        pub(in crate::algorithms) fn $up_to(op: u32, heads: u32, v: $Vector) -> $Vector {
            let y = $after(op, v.x, heads & 2, v.y);
            let z = $after(op, y, heads & 4, v.z);
            $vector(v.x, y, z, $after(op, z, heads & 8, v.w))
        }

        /// The same with what flows into the vector.
        #[device]
        pub(in crate::algorithms) fn $with(op: u32, heads: u32, flow: $ty, v: $Vector) -> $Vector {
            $vector(
                $after(op, flow, heads & 1, v.x),
                $after(op, flow, heads & 3, v.y),
                $after(op, flow, heads & 7, v.z),
                $after(op, flow, heads, v.w),
            )
        }

        /// The result that flows into a lane from those before it in its subgroup, and out of all of them. `heads` has the lanes with heads,
        /// `carry` what flows into the first lane.
        #[device]
        pub(super) fn $flow(op: u32, heads: u32, own: $ty, carry: $ty) -> ($ty, $ty) {
            let lane = subgroup_local_id() & 31;
            let below = heads & ((1 << lane) - 1);
            let head = 32 - (heads & (u32::MAX >> (31 - lane))).leading_zeros();
            let up_to = $row(op, head, own);
            let before = subgroup::shuffle_up(up_to, 1);
            let tail = subgroup::shuffle(up_to, subgroup_size() - 1);
            let flow = if lane == 0 { carry } else { $after(op, carry, below, before) };
            (flow, $after(op, carry, heads, tail))
        }
    };
}

vectors!(u32 UVec4 uvec4, after_u32 row_u32, up_to_u32 with_u32 flow_u32);
vectors!(i32 IVec4 ivec4, after_i32 row_i32, up_to_i32 with_i32 flow_i32);
vectors!(f32 Vec4 vec4, after_f32 row_f32, up_to_f32 with_f32 flow_f32);
