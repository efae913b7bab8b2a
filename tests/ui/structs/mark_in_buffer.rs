use std::marker::PhantomData;

use gridwise::prelude::*;

/// Memory holds no marks.
#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Length<Unit> {
    value: f32,
    unit: PhantomData<Unit>,
}

fn main() {}
