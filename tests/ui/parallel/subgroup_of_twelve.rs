use gridwise::prelude::*;

#[kernel(workgroup = 64, subgroup = 12)]
fn k(y: &mut [f32]) {
    y[0] = subgroup::ad(y[1]);
}

fn main() {}
