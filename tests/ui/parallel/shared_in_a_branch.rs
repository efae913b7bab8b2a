use gridwise::prelude::*;

#[kernel]
fn k(y: &mut [f32]) {
    if y[0] > 0.0 {
        let tile = Shared::<[f32; 64]>::new();
        tile[0] = 1.0;
    }
}

fn main() {}
