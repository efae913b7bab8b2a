use gridwise::prelude::*;

#[kernel]
fn case(first: char, x: &[char], out: &mut [u32]) {
    out[0] = x[0] as u32 + first as u32;
}

fn main() {}
