use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct P {
    a: f32,
    flag: bool,
}

fn main() {}
