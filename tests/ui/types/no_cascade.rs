use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let a = undefined + 1.0;
    let b = a * 2.0;
    let c = b.sqrt() + a;
    out[i] = c;
    let d: u32 = 1.0;
}

fn main() {}
