use gridwise::prelude::*;

#[kernel(T = [f32, u32])]
fn scale<T: Copy>(x: &mut [T], k: T) {
    let i = global_id().x;
    x[i] = x[i] * k;
}

fn main() {}
