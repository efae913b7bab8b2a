use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct P<T = f32> {
    a: T,
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Q<T> {
    a: T,
    b: u32,
}

#[kernel]
fn flags(x: &mut [Q<bool>]) {
    x[0].b = 1;
}

fn main() {}
