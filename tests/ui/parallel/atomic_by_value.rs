use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Flags {
    flag: Atomic<bool>,
}

#[kernel]
fn k(counter: Atomic<u32>) {
    counter.fetch_add(1, Relaxed);
}

fn main() {}
