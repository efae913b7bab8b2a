use gridwise::image::*;
use gridwise::prelude::*;

#[device]
fn first(image: &Image2D<R32Float>) -> f32 {
    image.load(uvec2(0, 0))
}

#[kernel(workgroup = 64)]
fn by_value(image: Image2D<R32Float>, out: &mut [f32]) {
    out[0] = image.load(uvec2(0, 0));
}

fn main() {}
