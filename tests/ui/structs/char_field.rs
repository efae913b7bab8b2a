use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Key {
    letter: char,
    place: u32,
}

fn main() {}
