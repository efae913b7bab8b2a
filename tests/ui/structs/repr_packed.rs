use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C, packed)]
struct P {
    a: f32,
}

fn main() {}
