use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let s = "text";
    let v = vec![1.0];
    out[i] = x[i].await;
    let t: u64 = 3;
}

fn main() {}
