//! Shared memory of one number: there is none without an array around it.

use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn case(y: &mut [u32]) {
    let mut base = Shared::<u32>::new();
    if local_index() == 0 {
        *base = 7;
    }
    barrier();
    y[global_id().x] = *base;
}

#[kernel(workgroup = 64)]
fn method(y: &mut [Vec2]) {
    let sum: Shared<Vec2> = Shared::new();
    sum.set(Vec2::ONE);
    y[global_id().x] = sum.get();
}

fn main() {}
