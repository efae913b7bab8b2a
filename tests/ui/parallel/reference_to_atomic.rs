use gridwise::prelude::*;

#[device]
fn count(cell: &Atomic<u32>) {
    cell.fetch_add(1, Relaxed);
}

#[device]
fn first(tile: &Shared<[u32; 4]>) -> u32 {
    tile[0]
}

fn main() {}
