use gridwise::image::*;
use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn duplicate(from: &Image2D<R32Float>, to: &mut Image2D<R32Float>) {
    let at = global_id().xy();
    to.store(at, from.load(at));
}

fn main() -> gridwise::Result<()> {
    let mgr = Manager::host();
    let mut image = mgr.image_2d::<R32Float>(4, 4)?;
    let bytes = mgr.image_2d::<R8Unorm>(4, 4)?;
    let line = mgr.image_1d::<R32Float>(4)?;
    let seq = mgr.sequence()?;
    Duplicate::dispatch(&seq, Grid::items([4, 4]), &image, &mut image)?;
    Duplicate::dispatch(&seq, Grid::items([4, 4]), &bytes, &mut image)?;
    Duplicate::dispatch(&seq, Grid::items([4, 4]), &line, &mut image)?;
    Ok(())
}
