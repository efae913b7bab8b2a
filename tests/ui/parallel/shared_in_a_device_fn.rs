use gridwise::prelude::*;

#[device]
fn helper(x: f32) -> f32 {
    let tile = Shared::<[f32; 64]>::new();
    tile[0] = x;
    tile[1]
}

fn main() {}
