//! `detach` and `with_slope` take floats.
use gridwise::prelude::*;

#[kernel]
fn counts(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[detach(i)] = x[i];
}

#[kernel]
fn of_vectors(x: &[Vec2], y: &mut [Vec2]) {
    let i = global_id().x;
    y[i] = with_slope(x[i], x[i], x[i]);
}

#[kernel]
fn of_another_type(x: &[Vec2], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = with_slope(x[i].x, x[i], 1.0);
}

fn main() {}
