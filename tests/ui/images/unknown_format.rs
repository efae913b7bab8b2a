use gridwise::image::*;
use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn unknown(image: &mut Image2D<Rgba8>) {
    image.store(uvec2(0, 0), Vec4::ONE);
}

fn main() {}
