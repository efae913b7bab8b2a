//! References that functions return, and that types hold.

use gridwise::prelude::*;

#[device]
fn longer<'a>(x: &'a [f32], y: &'a [f32]) -> &'a [f32] {
    if x.len() > y.len() { x } else { y }
}

#[device]
struct View<'a> {
    values: &'a [f32],
    scale: &'a mut f32,
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Held<'a> {
    value: &'a f32,
}

#[kernel]
fn elided<'a>(x: &'a [f32], out: &'a mut [f32]) {
    out[0] = x[0];
}

#[device]
fn forever(x: &'static [f32]) -> f32 {
    x[0]
}

fn main() {}
