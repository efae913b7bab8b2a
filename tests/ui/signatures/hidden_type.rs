//! A kernel whose dispatch type has the name of a type that it uses.
use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn scatter(to: &[u32], x: &[f32], y: &mut Scatter<f32>) {
    let i = global_id().x;
    y[to[i]] = x[i];
}

mod elsewhere {
    use gridwise::prelude::*;

    #[kernel(workgroup = 64)]
    fn atomic(y: &[gridwise::Atomic<u32>]) {
        y[0].fetch_add(1, Relaxed);
    }
}

fn main() {}
