use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn mark(x: &[u32], y: &mut [u32]) {
    let seen = Shared::<[u32; 4]>::new();
    seen.unordered()[0] = 1;
    let old = y.unordered()[1];
    y.unordered()[0] = x[global_id().x] + old;
}

fn main() {}
