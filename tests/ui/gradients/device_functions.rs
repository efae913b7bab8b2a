//! Functions that have no derivatives, and rules that do not fit.
use gridwise::prelude::*;

#[device(grad)]
fn generic<T: Copy>(x: T) -> T {
    x
}

#[device(grad)]
fn nothing(x: f32) {
    let _ = x;
}

#[device(grad)]
fn referred(x: &[f32; 2]) -> f32 {
    x[0] + x[1]
}

#[device(grad)]
fn taken_apart((x, y): (f32, f32)) -> f32 {
    x * y
}

#[device(grad)]
fn bits(x: f32) -> f32 {
    f32::from_bits(x.to_bits() + 1)
}

#[device(grad)]
fn of_a_choice(p: Option<f32>, x: f32) -> f32 {
    p.unwrap_or(2.0) * x
}

#[device(grad)]
fn to_pair(x: f32) -> u32 {
    x as u32
}

#[device]
fn slope(x: f32, seed: f32) -> f32 {
    x * seed
}

#[device(grad = slope)]
fn to_array(x: f32) -> [f32; 2] {
    [x, x]
}

#[device(grad = slope)]
fn of_integers(n: u32) -> f32 {
    n as f32
}

#[device(grad(x))]
fn by_names(x: f32) -> f32 {
    x
}

fn main() {}
