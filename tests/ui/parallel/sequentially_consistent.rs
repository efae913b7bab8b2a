use std::sync::atomic::Ordering::SeqCst;

use gridwise::prelude::*;

#[kernel]
fn k(bins: &[Atomic<u32>]) {
    bins[0].fetch_add(1, SeqCst);
}

fn main() {}
