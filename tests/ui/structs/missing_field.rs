use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct P {
    a: f32,
    b: f32,
}

#[kernel]
fn case(out: &mut [P]) {
    out[0] = P { a: 1.0 };
    out[1] = P { a: 1.0, b: 2.0, c: 3.0 };
}

fn main() {}
