use gridwise::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
struct P {
    a: f32,
}

#[kernel]
fn case(x: &[P], out: &mut [f32]) {
    out[0] = x[0].a;
}

fn main() {}
