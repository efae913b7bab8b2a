//! References and slices that cannot be chosen or returned.

use gridwise::prelude::*;

#[device]
mod own {
    pub struct Path {
        pub len: u32,
    }

    pub fn longer<'a>(a: &'a Path, b: &'a Path) -> &'a Path {
        if a.len > b.len { a } else { b }
    }

    pub fn either<'a>(x: &'a [u32], z: &'a [u32], c: bool) -> &'a [u32] {
        if c { &x[1..] } else { z }
    }
}

#[device]
fn first(x: &mut [u32]) -> &mut u32 {
    &mut x[0]
}

#[device]
mod lists {
    use gridwise::prelude::*;

    #[derive(GpuData, Clone, Copy)]
    #[repr(C)]
    pub struct List {
        items: [u32; 4],
        len: u32,
    }

    impl List {
        pub fn as_slice(&self) -> &[u32] {
            &self.items[..self.len as usize]
        }
    }
}

#[kernel]
fn element(x: &[lists::List], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i].as_slice()[0];
}

#[kernel]
fn atomics(cells: &[Atomic<u32>], y: &mut [u32]) {
    let i = global_id().x;
    let slot = if i > 3 { &cells[0] } else { &cells[1] };
    y[i] = slot.load(Relaxed);
}

fn main() {}
