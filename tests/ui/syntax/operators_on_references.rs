use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let mut own = x[i];
    let written = &mut own;
    let turned = -written;
    let sum = written + 1.0;
    let is_less = x[0] < &x[1];
    out[i] = if is_less { turned } else { sum };
}

// rustc checks the items of iterators.
#[kernel]
fn lent(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = x.iter().copied().filter(|v| v > 1.0).count() as f32;
    out[i] += x.iter().copied().map(|v| if v > &1.0 { 1.0 } else { 0.0 }).sum::<f32>();
}

fn main() {}
