//! Functions without their parentheses, and buffers as values.

use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id.x;
    barrier;
    let all = x;
    println!("{:?} {}", |v: f32| v + 1.0, |v: f32| v + 1.0);
    out[0] = x[0];
}

fn main() {}
