use gridwise::prelude::*;

#[kernel]
fn sums(parts: &[&[f32]], to: &mut [f32]) {
    let i = global_id().x;
    to[i] = parts[i][0];
}

#[kernel]
fn clears(parts: &mut [&mut [f32]]) {
    let i = global_id().x;
    parts[i][0] = 0.0;
}

fn main() -> gridwise::Result<()> {
    let mgr = Manager::host();
    let seq = mgr.sequence()?;
    let (a, wide) = (mgr.tensor(&[1.0f32])?, mgr.tensor(&[1u64])?);
    let (mut b, mut to) = (mgr.tensor(&[2.0f32])?, mgr.tensor(&[0.0f32])?);
    Sums::dispatch(&seq, Grid::items(1), &a, &mut to)?;
    Sums::dispatch(&seq, Grid::items(1), &[&wide], &mut to)?;
    Clears::dispatch(&seq, Grid::items(1), &[&b])?;
    Clears::dispatch(&seq, Grid::items(1), &mut mgr.table(&[&b])?)?;
    mgr.table(&[&a])?.set(0, &wide)?;
    mgr.table_mut(&mut [&mut b])?.set(0, &a)?;
    Ok(())
}
