use gridwise::prelude::*;

#[device]
fn half(x: f32) -> u32 {
    x * 0.5
}

fn main() {}
