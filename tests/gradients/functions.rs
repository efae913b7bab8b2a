//! `vjp`, `jvp`, rules of one's own, what counts as constant, and functions of `f64`, beside differences.

use gridwise::Result;
use gridwise::prelude::*;
use gridwise_gradients::{Derivatives, Doubles, Functions, OfNamed, OfStructs, Ruled, SecondDerivatives};

use crate::numbers;

const COUNT: usize = 40;

fn both(check: impl Fn(&Manager) -> Result<()>) -> Result<()> {
    for mgr in [Manager::host(), Manager::new()?] {
        check(&mgr)?;
        assert!(mgr.validation_messages().is_empty(), "{:?}", mgr.validation_messages());
    }
    Ok(())
}

fn is_near(found: f32, expected: f32, tolerance: f32) -> bool {
    (found - expected).abs() <= tolerance * (1.0 + expected.abs())
}

#[test]
fn functions_have_derivatives() -> Result<()> {
    let points: Vec<Vec4> = numbers(5, 4 * COUNT).chunks_exact(4).map(Vec4::from_slice).collect();
    let step = 1.0 / 512.0;
    both(|mgr| {
        let tensor = mgr.tensor(&points)?;
        let [mut swirled, mut bent, mut gradient] = [0; 3].map(|_| mgr.tensor(&[Vec4::ZERO; COUNT]));
        let (swirled, bent, gradient) = (swirled.as_mut().unwrap(), bent.as_mut().unwrap(), gradient.as_mut().unwrap());
        let seq = mgr.sequence()?;
        Derivatives::dispatch(&seq, Grid::items(COUNT as u32), &tensor, swirled, bent, gradient)?;
        seq.eval()?;
        let values = |step: f32| {
            let (mut swirled, mut bent) = (mgr.tensor(&[0.0f32; COUNT])?, mgr.tensor(&[Vec2::ZERO; COUNT])?);
            let seq = mgr.sequence()?;
            Functions::dispatch(&seq, Grid::items(COUNT as u32), step, &tensor, &mut swirled, &mut bent)?;
            seq.eval()?;
            Ok::<_, gridwise::Error>((swirled.to_vec()?, bent.to_vec()?))
        };
        let (now, behind, before) = (values(0.0)?, values(step)?, values(-step)?);
        let (swirled, bent, gradient) = (swirled.to_vec()?, bent.to_vec()?, gradient.to_vec()?);
        let mut kinks = 0;
        for (i, at) in points.iter().enumerate() {
            let found = swirled[i];
            assert!(is_near(found.z, now.0[i], 1e-5), "{i}: {found} beside {}", now.0[i]);
            // The seed is two.
            assert!(is_near(2.0 * found.w, found.x * at.z + found.y * at.w, 1e-4), "{i}: {found}");
            let slope = (behind.0[i] - before.0[i]) / (2.0 * step);
            kinks += u32::from(!is_near(found.w, slope, 1e-2));

            let (value, change) = (bent[i].truncate().truncate(), vec2(bent[i].z, bent[i].w));
            assert!(value.abs_diff_eq(now.1[i], 1e-5), "{i}: {value} beside {}", now.1[i]);
            let slope = (behind.1[i] - before.1[i]) / (2.0 * step);
            assert!(change.abs_diff_eq(slope, 2e-2), "{i}: {change} beside {slope}");
            let (seed, direction) = (vec2(1.0, -0.5), vec4(0.3, -0.2, 0.5, 1.0));
            assert!(is_near(gradient[i].dot(direction), seed.dot(change), 1e-4), "{i}: {}", gradient[i]);
        }
        assert!(kinks <= 2, "{kinks} slopes differ from differences");
        Ok(())
    })
}

#[test]
fn rules_of_ones_own() -> Result<()> {
    let (x, p) = (numbers(1, COUNT), numbers(2, 2 * COUNT));
    let p: Vec<Vec2> = p.chunks_exact(2).map(Vec2::from_slice).collect();
    both(|mgr| {
        let (tensor, points) = (mgr.tensor(&x)?, mgr.tensor(&p)?);
        let (mut dx, mut dp) = (mgr.tensor(&[0.0f32; COUNT])?, mgr.tensor(&[Vec2::ZERO; COUNT])?);
        let (mut y, dy) = (mgr.tensor(&[0.0f32; COUNT])?, mgr.tensor(&[1.0f32; COUNT])?);
        let (seq, grid) = (mgr.sequence()?, Grid::items(COUNT as u32));
        Ruled::dispatch(&seq, grid, &tensor, &points, &mut y)?;
        Ruled::backward(&seq, grid, &tensor, &mut dx, &points, &mut dp, &y, &dy)?;
        seq.eval()?;
        let (y, dx, dp) = (y.to_vec()?, dx.to_vec()?, dp.to_vec()?);
        for i in 0..COUNT {
            let (x, p) = (x[i], p[i]);
            let value = if x > 0.0 { 3.0 } else { 0.0 } + x * x + 2.0 * p.x - p.y;
            assert!(is_near(y[i], value, 1e-5), "{i}: {} beside {value}", y[i]);
            let soft = 1.0 / (1.0 + (-2.0 * x).exp());
            let slope = 3.0 * soft * (1.0 - soft) * 2.0 + x;
            assert!(is_near(dx[i], slope, 1e-4), "{i}: {} beside {slope}", dx[i]);
            let slope = p * p.dot(vec2(2.0, -1.0));
            assert!(dp[i].abs_diff_eq(slope, 1e-4), "{i}: {} beside {slope}", dp[i]);
        }
        Ok(())
    })
}

#[test]
fn functions_of_doubles() -> Result<()> {
    let x: Vec<f64> = numbers(3, 96).into_iter().map(f64::from).collect();
    both(|mgr| {
        let at = |step: f64| {
            let x = mgr.tensor(&x.iter().map(|x| x + step).collect::<Vec<_>>())?;
            let mut y = mgr.tensor(&[0.0f64; 96])?;
            let seq = mgr.sequence()?;
            Doubles::dispatch(&seq, Grid::items(96), &x, &mut y)?;
            seq.eval()?;
            y.to_vec()
        };
        let step = 1e-5;
        let (behind, before) = (at(step)?, at(-step)?);
        let (tensor, mut dx) = (mgr.tensor(&x)?, mgr.tensor(&[0.0f64; 96])?);
        let (y, dy) = (mgr.tensor(&[0.0f64; 96])?, mgr.tensor(&[1.0f64; 96])?);
        let seq = mgr.sequence()?;
        Doubles::backward(&seq, Grid::items(96), &tensor, &mut dx, &y, &dy)?;
        seq.eval()?;
        for (i, found) in dx.to_vec()?.into_iter().enumerate() {
            let slope = (behind[i] - before[i]) / (2.0 * step);
            let near = (found - slope).abs() <= 1e-6 * (1.0 + slope.abs());
            assert!(near, "{i}, at {}: {found}, by differences {slope}", x[i]);
        }
        Ok(())
    })
}

#[test]
fn structs_and_matrices() -> Result<()> {
    let points: Vec<Vec4> = numbers(7, 4 * COUNT).chunks_exact(4).map(Vec4::from_slice).collect();
    both(|mgr| {
        let tensor = mgr.tensor(&points)?;
        let at = |slope: f32| {
            let (mut values, mut out) = (mgr.tensor(&[Vec2::ZERO; COUNT])?, mgr.tensor(&[Vec4::ZERO; COUNT])?);
            let seq = mgr.sequence()?;
            OfStructs::dispatch(&seq, Grid::items(COUNT as u32), &tensor, slope, &mut values, &mut out)?;
            seq.eval()?;
            Ok::<_, gridwise::Error>((values.to_vec()?, out.to_vec()?))
        };
        let step = 1.0 / 512.0;
        let (now, behind, before) = (at(0.0)?, at(step)?, at(-step)?);
        for (i, found) in now.1.iter().enumerate() {
            let slope = (behind.0[i] - before.0[i]) / (2.0 * step);
            let change = vec2(found.x, found.y);
            assert!(change.abs_diff_eq(slope, 5e-3), "{i}: {change} beside {slope}");
            assert!(found.z.abs() < 1e-4 && found.w.abs() < 1e-4, "{i}: {found}");
        }
        Ok(())
    })
}

#[test]
fn second_derivatives() -> Result<()> {
    let points: Vec<Vec4> = numbers(8, 4 * COUNT).chunks_exact(4).map(Vec4::from_slice).collect();
    both(|mgr| {
        let at = |step: f32| {
            let moved: Vec<_> = points.iter().map(|p| *p + vec4(p.z, p.w, 0.0, 0.0) * step).collect();
            let points = mgr.tensor(&moved)?;
            let (mut slopes, mut products) = (mgr.tensor(&[Vec2::ZERO; COUNT])?, mgr.tensor(&[Vec4::ZERO; COUNT])?);
            let seq = mgr.sequence()?;
            SecondDerivatives::dispatch(&seq, Grid::items(COUNT as u32), &points, &mut slopes, &mut products)?;
            seq.eval()?;
            Ok::<_, gridwise::Error>((slopes.to_vec()?, products.to_vec()?))
        };
        let step = 1.0 / 256.0;
        let (now, behind, before) = (at(0.0)?, at(step)?, at(-step)?);
        for (i, found) in now.1.iter().enumerate() {
            let slope = (behind.0[i] - before.0[i]) / (2.0 * step);
            let (forward, reverse) = (vec2(found.x, found.y), vec2(found.z, found.w));
            assert!(forward.abs_diff_eq(slope, 1e-2), "{i}: {forward} beside {slope}");
            // The matrix of second derivatives is symmetric.
            assert!(reverse.abs_diff_eq(forward, 1e-4), "{i}: {reverse} beside {forward}");
        }
        Ok(())
    })
}

#[test]
fn names_of_values_are_not_those_of_parameters() -> Result<()> {
    let points: Vec<Vec4> = numbers(9, 4 * COUNT).chunks_exact(4).map(Vec4::from_slice).collect();
    both(|mgr| {
        let (tensor, mut gradient) = (mgr.tensor(&points)?, mgr.tensor(&[Vec4::ZERO; COUNT])?);
        let seq = mgr.sequence()?;
        OfNamed::dispatch(&seq, Grid::items(COUNT as u32), &tensor, &mut gradient)?;
        seq.eval()?;
        for (at, found) in points.iter().zip(gradient.to_vec()?) {
            let expected = vec4(at.y * at.y, 2.0 * at.x * at.y, at.w * at.w, 2.0 * at.z * at.w);
            assert!(found.abs_diff_eq(expected, 1e-5), "{found} beside {expected}");
        }
        Ok(())
    })
}
