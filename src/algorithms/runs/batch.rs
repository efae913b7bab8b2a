//! Batches of vectors: what an invocation asks for at once. All lanes load together, and nothing is read beyond a tensor.

use crate::prelude::*;

/// Vectors of a batch; a word has the bits of twice as many.
#[device]
pub(super) const BATCH: u32 = 4;

/// The loads for a type of elements.
macro_rules! batches {
    ($ty:ident $Vector:ident $vector:ident, $rest:ident $batch:ident) => {
        /// Vector `i` of elements that are not among the vectors: those behind the last vector, or all if they do not lie where vectors can.
        /// Behind the end stands `neutral`.
        #[device]
        pub(super) fn $rest(x: &[$ty], i: u32, neutral: $ty) -> $Vector {
            let mut found = [neutral; 4];
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

        /// The vectors of a lane in the rows that begin at vector `start`: one of each row.
        #[device]
        pub(super) fn $batch(vectors: &[$Vector], x: &[$ty], start: u32, neutral: $ty) -> [$Vector; 4] {
            let (size, lane, whole) = (subgroup_size(), subgroup_local_id(), vectors.len() as u32);
            let mut found = [$Vector::splat(neutral); 4];
            if whole > 0 {
                // All lanes load, the last ones the same vector: no branch.
                #[unroll]
                for k in 0..BATCH {
                    found[k] = vectors[(start + k * size + lane).min(whole - 1)];
                }
            }
            if start + BATCH * size > whole {
                #[unroll]
                for k in 0..BATCH {
                    let i = start + k * size + lane;
                    if i >= whole {
                        found[k] = $rest(x, i, neutral);
                    }
                }
            }
            found
        }
    };
}

batches!(u32 UVec4 uvec4, rest_u32 batch_u32);
batches!(i32 IVec4 ivec4, rest_i32 batch_i32);
batches!(f32 Vec4 vec4, rest_f32 batch_f32);
