use gridwise::prelude::*;

#[kernel]
fn case(x: &[bool], out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
