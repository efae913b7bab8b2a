use gridwise::image::*;
use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn used(image: &Image2D<R32Float>, other: &mut Image1D<R32Float>, out: &mut [f32]) {
    let i = global_id().x;
    let alias = image;
    out[i] = image[i];
    other = image;
    out[i] = image.x + out[i];
}

fn main() {}
