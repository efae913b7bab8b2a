use gridwise::prelude::*;

/// As many elements as data says: together they may be more than the counter holds.
#[kernel(workgroup = 64)]
fn copies(x: &[u32], times: &[u32], count: &[Atomic<u32>], y: &mut [u32]) {
    let i = global_id().x;
    let first = count[0].fetch_add(times[i], Relaxed);
    for k in 0..times[i] {
        y[first + k] = x[i];
    }
}

fn main() {}
