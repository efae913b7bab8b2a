use gridwise::prelude::*;

/// # Safety
/// One invocation.
#[kernel(workgroup = 64)]
unsafe fn last(x: &[u32], y: &mut [u32]) {
    y[0] = x[global_id().x];
}

/// # Safety
/// One invocation.
#[kernel(workgroup = 64, T = [u32, f32])]
unsafe fn last_any<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[global_id().x];
}

fn launch(seq: &Sequence, x: &Tensor<u32>, y: &mut Tensor<u32>) -> gridwise::Result<()> {
    Last::dispatch(seq, Grid::items(1), x, y)?;
    LastAny::dispatch(seq, Grid::items(1), x, y)?;
    Ok(())
}

fn main() {}
