use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
enum E {
    A,
    B,
}

fn main() {}
