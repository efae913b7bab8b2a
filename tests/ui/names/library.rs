//! Functions of Rust's library that kernels have no use or no place for.

use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let start = std::time::Instant::now();
    std::thread::spawn(|| 1);
    let path = std::env::temp_dir();
    let drawn = thread_rng();
    let seen = std::collections::HashMap::new();
    let pairs = std::iter::zip(x, x);
    let none = core::iter::empty::<f32>();
    let bytes = std::mem::size_of::<f32>();
    let bits: u32 = core::mem::transmute(x[i]);
    out[i] = std::hint::black_box(x[i]);
}

fn main() {}
