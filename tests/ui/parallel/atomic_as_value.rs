use gridwise::prelude::*;

#[kernel]
fn k(bins: &[Atomic<u32>], y: &mut [u32]) {
    bins[1] += 1;
    match bins[0] {
        _ => y[0] = bins[0],
    }
}

fn main() {}
