use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct P {
    name: &'static str,
}

fn main() {}
