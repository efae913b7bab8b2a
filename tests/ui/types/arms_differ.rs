use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v = if i > 3 { 1.0 } else { 2u32 };
    out[i] = 1.0;
}

fn main() {}
