use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let a: i32 = 3;
    let b = a + i;
    out[i] = b as f32;
}

fn main() {}
