//! Kernels that a printer could get wrong: selects of four lanes, lanes by number, names that a macro wrote, and what panics.

use gridwise::prelude::*;

macro_rules! clamped {
    ($name:ident, $low:expr) => {
        /// The lanes of a vector between two bounds, and one of them by its number. The parameters' names are the macro's.
        #[kernel(workgroup = 64, grad(a, x))]
        pub fn $name(a: f32, x: &[f32], y: &mut [f32]) {
            let i = global_id().x as usize;
            let v = Vec4::new(x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]);
            let v = v.max(Vec4::splat($low)).min(Vec4::splat(0.75)) * a;
            let k = i % 4;
            y[i] = v.x * v.w + v[k] * v.y;
        }
    };
}

clamped!(lanes_between, -0.5);

/// Divides by what a launch may set to zero, and ends with a message of its own.
#[kernel(workgroup = 64, grad(x))]
pub fn grouped(width: u32, most: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let column = i % width;
    if column > most {
        panic!("a column too many {{}}");
    }
    y[i] = x[i] * x[i] * (column + 1) as f32;
}
