//! Copies of matrices with lines of zeros behind them, so that all tiles are whole and lines begin at whole vectors.

use crate::glam::Vec4;
use crate::prelude::*;

/// `x` with `rows` and `columns`, as lines of so many vectors, of which an invocation makes one; zeros stand for what is outside.
#[kernel(workgroup = [32, 8])]
pub fn widen_f32(rows: u32, columns: u32, pitch: u32, x: &[f32], wide: &mut [Vec4]) {
    let (row, quad) = (global_id().y, global_id().x);
    let mut values = Vec4::ZERO;
    for lane in 0..4u32 {
        let column = quad * 4 + lane;
        if row < rows && column < columns {
            values[lane as usize] = x[row * columns + column];
        }
    }
    if quad < pitch {
        wide[row * pitch + quad] = values;
    }
}

/// The same of 16-bit elements, eight to a vector.
macro_rules! widen {
    ($name:ident, $ty:ident) => {
        #[kernel(workgroup = [32, 8])]
        pub fn $name(rows: u32, columns: u32, pitch: u32, x: &[$ty], wide: &mut [UVec4]) {
            let (row, octet) = (global_id().y, global_id().x);
            let mut values = UVec4::ZERO;
            for lane in 0..8u32 {
                let column = octet * 8 + lane;
                if row < rows && column < columns {
                    let bits = u32::from(x[row * columns + column].to_bits());
                    values[(lane / 2) as usize] |= bits << (lane % 2 * 16);
                }
            }
            if octet < pitch {
                wide[row * pitch + octet] = values;
            }
        }
    };
}

widen!(widen_f16, f16);
widen!(widen_bf16, bf16);

/// Copies the part of a wide result that belongs to `c`, of `rows` by `columns`, and adds `beta` times the old value of
/// `c`.
#[kernel(workgroup = [32, 8])]
pub fn narrow(rows: u32, columns: u32, pitch: u32, beta: f32, wide: &[Vec4], c: &mut [f32]) {
    let (row, quad) = (global_id().y, global_id().x);
    if row < rows && quad < pitch {
        let values = wide[row * pitch + quad];
        for lane in 0..4u32 {
            let column = quad * 4 + lane;
            if column < columns {
                let at = row * columns + column;
                let value = values[lane as usize];
                c[at] = if beta == 0.0 { value } else { value + beta * c[at] };
            }
        }
    }
}
