use gridwise::prelude::*;

#[kernel(workgroup = N)]
fn case<const N: u32>(out: &mut [u32]) {
    out[global_id().x] = 1;
}

fn run(seq: &Sequence, out: &mut Tensor<u32>) -> gridwise::Result<()> {
    Case::dispatch(seq, Grid::items(64), out)?;
    Case::<f32>::dispatch(seq, Grid::items(64), out)?;
    Case::<64, 64>::dispatch(seq, Grid::items(64), out)?;
    Case::<-1>::dispatch(seq, Grid::items(64), out)?;
    Ok(())
}

fn main() {}
