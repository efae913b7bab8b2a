use gridwise::prelude::*;

#[kernel(T = [f32, u32])]
fn scale<T: Copy + std::ops::Mul<Output = T>>(x: &mut [T], k: T) {
    let i = global_id().x;
    x[i] = x[i] * k;
}

#[kernel(A = [f32], B = [u32, i32])]
fn pair<A: Copy, B: Copy>(a: &[A], b: &mut [B]) {
    b[0] = b[a.len() as u32];
}

fn launch(mgr: &Manager) -> gridwise::Result<()> {
    let (mut x, y) = (mgr.tensor(&[1f64, 2.0])?, mgr.tensor(&[1f32])?);
    let seq = mgr.sequence()?;
    Scale::dispatch(&seq, Grid::items(2), &mut x, 3.0)?;
    Pair::dispatch(&seq, Grid::items(2), &y, &mut x)?;
    Ok(())
}

fn main() {
    let _ = launch;
}
