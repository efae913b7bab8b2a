use gridwise::prelude::*;

#[kernel]
fn case(x: &f32, out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
