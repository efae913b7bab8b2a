use gridwise::prelude::*;

#[kernel(workgroup = [8, 8, 1, 1])]
fn case(out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
