use gridwise::prelude::*;

#[kernel]
fn k(bins: &[Atomic<u32>]) {
    bins[0].fetch_add(1, Relaxed);
}

fn run(seq: &Sequence, floats: &Tensor<f32>) -> gridwise::Result<()> {
    K::dispatch(seq, Grid::items(1), floats)?;
    Ok(())
}

fn main() {}
