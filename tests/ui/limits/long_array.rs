use gridwise::prelude::*;

#[kernel]
fn case(value: u32, out: &mut [u32]) {
    let i = global_id().x;
    let table = [value; 70_000];
    out[i] = table[i % 70_000];
}

fn main() {}
