use gridwise::image::*;
use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn methods(image: &Image2D<Rgba8Unorm>, texture: &Sampled2D<Rgba8Uint>, floats: &Sampled1D<R16Float>, out: &mut [f32]) {
    let at = global_id().xy();
    out[0] = image.sample(vec2(0.5, 0.5)).x;
    out[1] = texture.sample(vec2(0.5, 0.5)).x as f32;
    out[2] = texture.load(at).x as f32;
    out[3] = floats.levle() as f32;
    out[4] = image.width() as f32;
    out[5] = image.load(at.x).x;
    out[6] = image.load(at, 0).x;
    out[7] = floats.sample(0);
    let texel: f32 = image.load(at);
}

fn main() {}
