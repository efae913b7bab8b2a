use gridwise::prelude::*;

#[kernel(workgroups = 64)]
fn case(out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
