use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = x.iter().filter(|v| *v > 1.0).sum::<f32>();
    let most: Option<f32> = x.iter().max_by_key(|v| v.to_bits());
    out[i] += most.unwrap_or(0.0);
}

fn main() {}
