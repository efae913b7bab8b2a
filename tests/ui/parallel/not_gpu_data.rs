use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Part {
    sum: u32,
    count: u32,
}

#[kernel(workgroup = 64)]
fn sums(x: &[u32], out: &mut [u32]) {
    let parts = Shared::<[Part; 64]>::new();
    let i = local_id().x;
    parts[i] = Part { sum: x[i], count: 1 };
    out[i] = parts[i].sum + parts[i].count;
}

fn main() {}
