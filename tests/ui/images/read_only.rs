use gridwise::image::*;
use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn read_only(image: &Image2D<R32Float>) {
    image.store(global_id().xy(), 1.0);
}

fn main() {}
