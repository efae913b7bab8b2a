use gridwise::prelude::*;

// By its name a slice that is written is moved, as in Rust.
#[kernel]
fn by_name(a: &mut [u32], b: &mut [u32]) {
    let i = global_id().x;
    let to = if i % 2 == 0 { a } else { b };
    to[i] = 1;
    a[i] = 2;
}

fn main() {}
