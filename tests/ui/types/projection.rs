//! Types that belong to others by way of traits.

use std::ops::{Mul, Neg};

use gridwise::prelude::*;

#[device]
fn product<A: Copy + Mul<B>, B: Copy>(a: A, b: B) -> <A as Mul<B>>::Output {
    a * b
}

#[device]
fn negated<A: Neg>(a: A) -> <A>::Output {
    -a
}

#[device]
fn wrong<A: Copy + Mul>(a: A) -> <A as Neg>::Output {
    a * a
}

#[kernel]
fn case(y: &mut [f32]) {
    let i = global_id().x;
    y[i] = product(y[i], i);
    let v: u32 = product(y[i], 2.0f32);
    y[i] = product(Vec2::ONE, 2.0f32);
}

fn main() {}
