//! Gradients that are known: an example that others publish, lists, and directions of no length.

use gridwise::Result;
use gridwise::prelude::*;
use gridwise_gradients::{Directions, Mixed, OfHalves, XTimesSine};

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

/// An example that LuisaCompute publishes with its derivatives: `src/tests/integration/ir/test_autodiff.cpp` in the repository
/// `LuisaGroup/LuisaCompute`. It takes `x = i` and `y = (i, i)`, states `sin y` and `x cos y` for `x sin y`, and prints the first 16.
#[test]
fn x_times_sine_of_y() -> Result<()> {
    for mgr in [Manager::host(), Manager::new()?] {
        let inputs: Vec<f32> = (0..16).map(|i| i as f32).collect();
        let (x, y) = (mgr.tensor(&inputs)?, mgr.tensor(&inputs.iter().map(|v| Vec2::splat(*v)).collect::<Vec<_>>())?);
        let (mut dx, mut dy) = (mgr.tensor(&[0.0f32; 16])?, mgr.tensor(&[Vec2::ZERO; 16])?);
        // The adjoint of the result is one, in both lanes.
        let (z, dz, seq) = (mgr.tensor(&[Vec2::ZERO; 16])?, mgr.tensor(&[Vec2::ONE; 16])?, mgr.sequence()?);
        XTimesSine::backward(&seq, Grid::items(16), &x, &mut dx, &y, &mut dy, &z, &dz)?.eval()?;
        for (i, (dx, dy)) in dx.to_vec()?.into_iter().zip(dy.to_vec()?).enumerate() {
            let v = i as f64;
            let close = |found: f32, expected: f64| (f64::from(found) - expected).abs() <= 1e-5 * (1.0 + v);
            assert!(close(dx, 2.0 * v.sin()), "{dx}, not {}, by x = {i}", 2.0 * v.sin());
            assert!(close(dy.x, v * v.cos()) && close(dy.y, v * v.cos()), "{dy}, not {}, by y = {i}", v * v.cos());
        }
        assert!(mgr.validation_messages().is_empty(), "{:?}", mgr.validation_messages());
    }
    Ok(())
}

#[test]
fn lists_beside_what_is_derived_by() -> Result<()> {
    let parts: [Vec<f32>; 3] = [vec![0.5, -1.0, 2.0], vec![1.5], (0..50).map(|i| i as f32 / 16.0).collect()];
    let (w, u): ([f32; 3], Vec<f32>) = ([0.25, -1.5, 1.0], (0..50).map(|i| 1.0 - i as f32 / 32.0).collect());
    let read = |k: usize, i: usize| parts[k][i % parts[k].len()];
    for mgr in [Manager::host(), Manager::new()?] {
        let [a, b, c] = [mgr.tensor(&parts[0])?, mgr.tensor(&parts[1])?, mgr.tensor(&parts[2])?];
        let (tw, mut dw, y, dy) =
            (mgr.tensor(&w)?, mgr.tensor(&[0.0f32; 3])?, mgr.tensor(&[0.0f32; 50])?, mgr.tensor(&u)?);
        let seq = mgr.sequence()?;
        Mixed::backward(&seq, Grid::items(50), &[&a, &b, &c], &tw, &mut dw, &y, &dy)?.eval()?;
        for (k, found) in dw.to_vec()?.into_iter().enumerate() {
            let sum = |i: usize| (0..3).map(|k| w[k] * read(k, i)).sum::<f32>();
            let expected: f32 = (0..50).map(|i| u[i] * 2.0 * sum(i) * read(k, i)).sum();
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{found}, not {expected}, by w[{k}]");
        }
    }
    Ok(())
}

/// Around zero the results do not change.
#[test]
fn directions_of_no_length() -> Result<()> {
    let points = [Vec3::ZERO, vec3(3.0, 0.0, 4.0), vec3(0.0, 0.0, 1e-45)];
    for mgr in [Manager::host(), Manager::new()?] {
        let (x, mut dx) = (mgr.tensor(&points)?, mgr.tensor(&[Vec3::ZERO; 3])?);
        let (y, dy, seq) = (mgr.tensor(&[Vec3::ZERO; 3])?, mgr.tensor(&[vec3(1.0, 0.0, 0.5); 3])?, mgr.sequence()?);
        Directions::backward(&seq, Grid::items(3), &x, &mut dx, &y, &dy)?.eval()?;
        let found = dx.to_vec()?;
        assert_eq!((found[0], found[2]), (Vec3::ZERO, Vec3::ZERO));
        // That of `normalize`: what is given, less its part along the direction, by the length.
        let (along, given) = (points[1] / 5.0, vec3(1.0, 0.0, 0.5) * 3.0 + vec3(1.5, 0.0, 0.0));
        let expected = (given - along * along.dot(given)) / 5.0;
        assert!(found[1].abs_diff_eq(expected, 1e-5), "{}, not {expected}", found[1]);
    }
    Ok(())
}
