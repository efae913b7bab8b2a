use gridwise::prelude::*;

#[kernel]
fn count(data: &[u32], bins: &mut [u32]) {
    let i = global_id().x as usize;
    bins[data[i] as usize % bins.len()].fetch_add(1, Relaxed);
}

fn main() {}
