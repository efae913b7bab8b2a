//! Helpers without the attribute, here and in modules: each is told at its call, beside all other errors.

use gridwise::prelude::*;
use math::{dark, deep};

fn helper(v: f32) -> f32 {
    other(v) + 1.0
}

fn other(v: f32) -> f32 {
    v
}

mod math {
    pub fn luma(v: f32) -> f32 {
        v
    }

    pub fn dark(v: f32) -> f32 {
        v
    }

    pub mod deep {
        pub fn light(v: f32) -> f32 {
            v
        }
    }
}

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = helper(x[i]) + math::luma(x[i]) + dark(1.0) + deep::light(2.0);
    out[i] = helper(1);
    out[i] = true;
}

fn main() {}
