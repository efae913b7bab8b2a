//! Kernels and device functions in `impl` blocks.

use gridwise::prelude::*;

struct Filter;

impl Filter {
    #[kernel]
    fn apply(x: &[f32], out: &mut [f32]) {
        static SCALE: f32 = 2.0;
        let i = global_id().x;
        out[i] = x[i];
    }

    #[device]
    fn weight(self, x: f32) -> f32 {
        x
    }

    #[device]
    pub fn bias(x: f32) -> f32 {
        x
    }
}

mod inner {
    use gridwise::prelude::*;

    #[kernel]
    fn fine(out: &mut [f32]) {
        out[0] = 1.0;
    }
}

fn main() {}
