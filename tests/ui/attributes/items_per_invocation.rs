use gridwise::prelude::*;

#[kernel(items_per_invocation = 4)]
fn tells(out: &mut [u32]) {
    out[global_id().x] = local_id().x;
}

#[kernel(items_per_invocation = 4)]
fn panics(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = 7 / x[i];
}

#[kernel(items_per_invocation = 2)]
fn prints(out: &mut [u32]) {
    out[global_id().x] = 1;
    println!("one");
}

#[kernel(items_per_invocation = 2)]
fn has_none(out: &mut [u32]) {
    out[2 * global_id().x] = 1;
}

#[kernel(items_per_invocation = 2, workgroup = [8, 8])]
fn is_flat(out: &mut [u32]) {
    out[global_id().x] = 1;
}

#[kernel(items_per_invocation = 3)]
fn odd(out: &mut [u32]) {
    out[global_id().x] = 1;
}

#[kernel(items_per_invocation)]
fn unsaid(out: &mut [u32]) {
    out[global_id().x] = 1;
}

fn main() {}
