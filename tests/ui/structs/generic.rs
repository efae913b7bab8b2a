use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct P<T> {
    a: T,
}

fn main() {}
