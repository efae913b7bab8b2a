use gridwise::prelude::*;
use gridwise::{Kernel, Result};

#[kernel]
fn add_one(x: &mut [u32]) {
    x[global_id().x] += 1.0;
}

#[kernel(T = [f32, u32])]
fn scale<T: Copy>(x: &mut [T], by: T) {
    let i = global_id().x;
    x[i] = undefined;
}

#[kernel(workgroup = N)]
fn sum<const N: usize>(x: &mut [u32]) {
    x[global_id().x] = N;
}

#[kernel]
fn unread(x: &mut [u32]) {
    let y = async { 1 };
}

fn name<K: Kernel>() -> &'static str {
    K::DESCRIPTOR.name
}

fn main() -> Result<()> {
    let algorithm = Manager::new()?.algorithm::<AddOne>()?;
    let _ = algorithm.descriptor();
    println!("{} {} {}", name::<Scale<f32>>(), name::<Sum<64>>(), name::<Unread>());
    Ok(())
}
