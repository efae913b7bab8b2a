//! The first kernel: y = a·x + y for a million numbers, on whatever device is there, checked. Must need no file and no GPU.

use gridwise::prelude::*;

#[kernel(workgroup = 256)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

fn main() -> gridwise::Result<()> {
    let mgr = Manager::new()?; // best Vulkan device; the host device when there is none
    println!("device: {}", mgr.device());

    let x = mgr.tensor(&vec![1.0f32; 1 << 20])?;
    let mut y = mgr.tensor(&vec![2.0f32; 1 << 20])?;
    let seq = mgr.sequence()?;
    Saxpy::dispatch(&seq, Grid::items(1 << 20), 3.0, &x, &mut y)?;
    seq.eval()?;

    let result = y.to_vec()?;
    assert!(result.iter().all(|&v| v == 5.0));
    println!("checked: {} results, all 3 × 1 + 2 = 5", result.len());
    Ok(())
}
