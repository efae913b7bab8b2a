use gridwise::prelude::*;

#[derive(GpuData)]
#[repr(C)]
struct P {
    a: f32,
}

fn main() {}
