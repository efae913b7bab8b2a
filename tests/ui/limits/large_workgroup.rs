use gridwise::prelude::*;

#[kernel(workgroup = 2048)]
fn case(out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
