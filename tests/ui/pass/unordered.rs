//! Accesses in any order, and kernels that are `unsafe fn`s, without a warning.
#![deny(
    warnings,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    unsafe_op_in_unsafe_fn,
    unused_unsafe
)]

use gridwise::Unordered as _;
use gridwise::{Grid, Sequence, Shared, Tensor, global_id, kernel};

/// Whether any element is zero.
#[kernel(workgroup = 64)]
pub fn any_zero(x: &[u32], found: &mut [u32]) {
    let seen = Shared::<[u32; 1]>::new();
    if x[global_id().x] == 0 {
        // SAFETY: all write the same.
        unsafe {
            found.unordered()[0] = 1;
            seen.unordered()[0] = 1;
        }
    }
}

/// The last element that is written.
///
/// # Safety
/// One invocation.
#[kernel(workgroup = 64)]
pub unsafe fn last(x: &[u32], y: &mut [u32]) {
    y[0] = x[global_id().x];
}

pub fn launch(seq: &Sequence, x: &Tensor<u32>, y: &mut Tensor<u32>) -> gridwise::Result<()> {
    AnyZero::dispatch(seq, Grid::items(1), x, y)?;
    // SAFETY: one invocation.
    unsafe { Last::dispatch(seq, Grid::items(1), x, y)? };
    Ok(())
}

fn main() {}
