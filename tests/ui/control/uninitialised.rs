use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let part: &[f32];
    let v: &f32;
    out[i] = x[i];
}

#[kernel]
fn on_one_way(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v;
    if i > 2 {
        v = x[i];
    }
    out[i] = v;
}

fn main() {}
