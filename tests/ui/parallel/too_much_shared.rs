use gridwise::prelude::*;

#[kernel]
fn k(y: &mut [f32]) {
    let tile = Shared::<[[f32; 256]; 256]>::new();
    y[0] = tile[1][2];
}

fn main() {}
