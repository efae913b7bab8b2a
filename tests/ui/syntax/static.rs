//! Statics that change are the program's memory, which kernels do not have.

use gridwise::prelude::*;

#[device]
mod counted {
    use std::sync::atomic::{AtomicU32, Ordering};

    static CALLS: AtomicU32 = AtomicU32::new(0);

    pub fn next(x: u32) -> u32 {
        CALLS.fetch_add(x, Ordering::Relaxed)
    }
}

#[device]
static mut TOTAL: u32 = 0;

#[kernel]
fn case(x: &[u32], y: &mut [u32]) {
    static mut SUM: u32 = 0;
    let i = global_id().x;
    y[i] = counted::next(x[i]);
}

fn main() {}
