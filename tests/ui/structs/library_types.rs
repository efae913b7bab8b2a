//! Types of Rust's library as fields.

use std::cell::Cell;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Meters<T: Copy> {
    value: f32,
    unit: PhantomData<T>,
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Handle {
    id: NonZeroU32,
}

#[derive(GpuData)]
#[repr(C)]
struct Counter {
    count: Cell<u32>,
    seen: std::cell::RefCell<u32>,
}

fn main() {}
