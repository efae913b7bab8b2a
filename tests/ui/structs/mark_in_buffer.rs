use std::marker::PhantomData;

use gridwise::prelude::*;

/// Elements of buffers are what memory has.
#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Length<Unit> {
    value: f32,
    unit: PhantomData<Unit>,
}

fn main() {}
