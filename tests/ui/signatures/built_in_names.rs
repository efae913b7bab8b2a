//! Functions of the program with the names of built-in ones.
use gridwise::prelude::*;

#[device]
fn fence(x: f32) -> f32 {
    x * 2.0
}

#[device]
fn vec2(x: f32) -> f32 {
    x * 3.0
}

#[device]
mod math {
    pub fn barrier(x: f32) -> f32 {
        x * 4.0
    }
}

fn main() {}
