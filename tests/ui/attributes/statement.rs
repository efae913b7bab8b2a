//! Attributes inside of kernels.

use gridwise::prelude::*;

#[kernel]
fn case(out: &mut [f32]) {
    #[unrol]
    for k in 0..4 {
        out[k] = 1.0;
    }
    #[cfg(feature = "more")]
    {
        out[0] = 2.0;
    }
    #[inline]
    let last = 1.0;
    out[1] = last;
}

fn main() {}
