//! `into` where no `From` is: numbers that lose something, structs without one, types that nothing tells; and one with type parameters.

use gridwise::prelude::*;

#[device]
mod degrees {
    #[derive(Clone, Copy)]
    pub struct Celsius(pub f32);

    #[derive(Clone, Copy)]
    pub struct Kelvin<T>(pub T);

    impl<T> From<T> for Kelvin<T> {
        fn from(degrees: T) -> Self {
            Self(degrees)
        }
    }
}
use degrees::{Celsius, Kelvin};

#[kernel]
fn narrowed(x: &[u32], y: &mut [u8]) {
    let i = global_id().x;
    y[i] = x[i].into();
}

#[kernel]
fn made(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let warm: Celsius = x[i].into();
    let cold: Kelvin<f32> = x[i].into();
    y[i] = warm.0 + cold.0;
}

#[kernel]
fn unknown(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let wide = x[i].into();
    y[i] = 1;
}

fn main() {}
