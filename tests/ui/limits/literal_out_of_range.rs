use gridwise::prelude::*;

#[kernel]
fn case(out: &mut [u32]) {
    out[0] = 4294967296;
    let a: i32 = 2147483648;
}

fn main() {}
