use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct P<T = f32> {
    a: T,
}

fn main() {}
