use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    for v in i {
        out[i] += v as f32;
    }
    let all: Vec<f32> = x.iter().map(|v| v * 2.0).collect();
}

fn main() {}
