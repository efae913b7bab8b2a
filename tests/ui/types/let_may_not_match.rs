use gridwise::prelude::*;

#[device]
fn half(n: u32) -> Option<u32> {
    if n & 1 == 0 { Some(n / 2) } else { None }
}

#[kernel]
fn case(out: &mut [u32]) {
    let i = global_id().x;
    let Some(n) = half(i);
    out[i] = n;
}

fn main() {}
