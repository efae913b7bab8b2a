//! Functions of Rust's own traits by the trait's name.

use gridwise::prelude::*;

#[kernel]
fn case(x: &[u32], y: &mut [u32]) {
    y[0] = Ord::max(x[0], 7);
    y[1] = Clone::clone(&x[1]);
}

fn main() {}
