use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Cell {
    mass: Atomic<f16>,
    votes: [Atomic<u8>; 2],
    count: Atomic<u32>,
}

#[kernel]
fn k(cells: &[Cell]) {
    let done = Shared::<[Atomic<bool>; 4]>::new();
    cells[0].count.fetch_add(1, Relaxed);
    cells[0].mass.fetch_add(f16::ONE, Relaxed);
    cells[0].votes[1].fetch_or(1, Relaxed);
}

fn main() {}
