//! Gradients that are known: an example that others publish, lists, and directions of no length.

use gridwise::Result;
use gridwise::prelude::*;
use gridwise_gradients::OfHalves;

/// Sums of halves are `f32`: 2048 and one more are 2049.
#[test]
fn halves_that_all_invocations_read() -> Result<()> {
    let x: Vec<f32> = (0..100).map(|i| (i % 9) as f32 / 8.0 - 0.5).collect();
    let u: Vec<f32> = (0..100).map(|i| if i == 3 { 2048.0 } else { (i % 2) as f32 }).collect();
    for mgr in [Manager::host(), Manager::new()?] {
        let (w, mut dw) = (mgr.tensor(&[f16::ONE; 2])?, mgr.tensor(&[0.0f32; 2])?);
        let (x_, y, dy, seq) = (mgr.tensor(&x)?, mgr.tensor(&u)?, mgr.tensor(&u)?, mgr.sequence()?);
        OfHalves::backward(&seq, Grid::items(100), &w, &mut dw, &x_, &y, &dy)?.eval()?;
        let expected = [x.iter().zip(&u).map(|(x, u)| 2.0 * x * u).sum::<f32>(), u.iter().sum()];
        assert_eq!(dw.to_vec()?, expected);
    }
    Ok(())
}
