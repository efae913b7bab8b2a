use gridwise::prelude::*;

#[kernel]
fn case(x: &[u128], out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
