use gridwise::prelude::*;

#[kernel(workgroup = A)]
fn case<const A: i32, const B: char, const C: u128>(out: &mut [u32]) {
    out[0] = 1;
}

#[kernel(workgroup = N)]
fn signed<const N: i32>(out: &mut [u32]) {
    out[0] = 1;
}

#[kernel(workgroup = 64)]
fn length<const N: u32>(out: &mut [u32]) {
    let values = [1u32; N];
    out[0] = values[0];
}

fn main() {}
