//! Gradients of quaternions and tuples, and of what a kernel writes in place.

use gridwise::Result;
use gridwise::prelude::*;
use gridwise_gradients::{Moved, Polars, Pose, Posed, Products, Projected, Quaternions};

use crate::{check, numbers};

const COUNT: usize = 12;

/// Numbers around a middle.
fn around(middle: f32, seed: u32, count: usize) -> Vec<f32> {
    numbers(seed, count).into_iter().map(|number| middle + number).collect()
}

fn turns(floats: &[f32]) -> Vec<Quat> {
    floats.chunks(4).map(Quat::from_slice).collect()
}

fn points(floats: &[f32]) -> Vec<Vec3> {
    floats.chunks(3).map(Vec3::from_slice).collect()
}

fn poses(floats: &[f32]) -> Vec<Pose> {
    let pose = |of: &[f32]| Pose { turn: Quat::from_slice(of), at: Vec3::from_slice(&of[4..]), scale: of[7] };
    floats.chunks(8).map(pose).collect()
}

fn floats(poses: &[Pose]) -> Vec<f32> {
    let of = |pose: &Pose| [&pose.turn.to_array()[..], &pose.at.to_array(), &[pose.scale]].concat();
    poses.iter().flat_map(of).collect()
}

#[test]
fn a_camera_and_parameters_called_as_those_of_backward() -> Result<()> {
    let seen = [vec2(0.1, -0.2); COUNT];
    check(
        &[vec![0.1, 0.2, 0.3, 0.9], vec![0.1, 0.2, 5.0], vec![1.5], numbers(4, 3 * COUNT)],
        |mgr, inputs| {
            let (turn, shift) = (Quat::from_slice(&inputs[0]), Vec3::from_slice(&inputs[1]));
            let (points, seen) = (mgr.tensor(&points(&inputs[3]))?, mgr.tensor(&seen)?);
            let (mut loss, seq) = (mgr.tensor(&[0.0f32; COUNT])?, mgr.sequence()?);
            let grid = Grid::items(COUNT);
            Projected::dispatch(&seq, grid, turn, shift, inputs[2][0], &points, &seen, &mut loss)?.eval()?;
            loss.to_vec()
        },
        |mgr, inputs, u| {
            let (turn, shift) = (Quat::from_slice(&inputs[0]), Vec3::from_slice(&inputs[1]));
            let (at, seen, seq) = (mgr.tensor(&points(&inputs[3]))?, mgr.tensor(&seen)?, mgr.sequence()?);
            let (loss, d_loss) = (mgr.tensor(u)?, mgr.tensor(u)?);
            let (mut d_turn, mut d_shift) = (mgr.tensor(&[Quat::from_array([0.0; 4])])?, mgr.tensor(&[Vec3::ZERO])?);
            let (mut d_focal, mut d_at) = (mgr.tensor(&[0.0f32])?, mgr.tensor(&[Vec3::ZERO; COUNT])?);
            Projected::backward(
                &seq,
                Grid::items(COUNT),
                turn,
                &mut d_turn,
                shift,
                &mut d_shift,
                inputs[2][0],
                &mut d_focal,
                &at,
                &mut d_at,
                &seen,
                &loss,
                &d_loss,
            )?
            .eval()?;
            let d_at = d_at.to_vec()?.into_iter().flat_map(|at| at.to_array()).collect();
            let d_turn = d_turn.to_vec()?[0].to_array().to_vec();
            Ok(vec![d_turn, d_shift.to_vec()?[0].to_array().to_vec(), d_focal.to_vec()?, d_at])
        },
    )
}

#[test]
fn quaternions_in_structs() -> Result<()> {
    let at = points(&numbers(5, 3 * COUNT));
    let zero = poses(&[0.0; 8 * COUNT]);
    check(
        &[around(1.0, 6, 8 * COUNT)],
        |mgr, inputs| {
            let (of, at, mut y) = (mgr.tensor(&poses(&inputs[0]))?, mgr.tensor(&at)?, mgr.tensor(&zero)?);
            let seq = mgr.sequence()?;
            Posed::dispatch(&seq, Grid::items(COUNT), &of, &at, &mut y)?.eval()?;
            Ok(floats(&y.to_vec()?))
        },
        |mgr, inputs, u| {
            let (of, mut d_of, at) = (mgr.tensor(&poses(&inputs[0]))?, mgr.tensor(&zero)?, mgr.tensor(&at)?);
            let (y, d_y, seq) = (mgr.tensor(&zero)?, mgr.tensor(&poses(u))?, mgr.sequence()?);
            Posed::backward(&seq, Grid::items(COUNT), &of, &mut d_of, &at, &y, &d_y)?.eval()?;
            Ok(vec![floats(&d_of.to_vec()?)])
        },
    )
}

#[test]
fn quaternions_in_arrays() -> Result<()> {
    let pairs = |floats: &[f32]| turns(floats).chunks(2).map(|pair| [pair[0], pair[1]]).collect::<Vec<_>>();
    let all = |turns: Vec<Quat>| turns.into_iter().flat_map(|turn| turn.to_array()).collect::<Vec<_>>();
    check(
        &[around(1.0, 7, 4 * COUNT), numbers(8, 8 * COUNT)],
        |mgr, inputs| {
            let (q, pairs) = (mgr.tensor(&turns(&inputs[0]))?, mgr.tensor(&pairs(&inputs[1]))?);
            let (mut y, seq) = (mgr.tensor(&[Quat::IDENTITY; COUNT])?, mgr.sequence()?);
            Quaternions::dispatch(&seq, Grid::items(COUNT), &q, &pairs, &mut y)?.eval()?;
            Ok(all(y.to_vec()?))
        },
        |mgr, inputs, u| {
            let zero = Quat::from_array([0.0; 4]);
            let (q, mut dq) = (mgr.tensor(&turns(&inputs[0]))?, mgr.tensor(&[zero; COUNT])?);
            let (pairs, mut d_pairs) = (mgr.tensor(&pairs(&inputs[1]))?, mgr.tensor(&[[zero; 2]; COUNT])?);
            let (y, dy, seq) = (mgr.tensor(&[zero; COUNT])?, mgr.tensor(&turns(u))?, mgr.sequence()?);
            Quaternions::backward(&seq, Grid::items(COUNT), &q, &mut dq, &pairs, &mut d_pairs, &y, &dy)?.eval()?;
            Ok(vec![all(dq.to_vec()?), all(d_pairs.to_vec()?.concat())])
        },
    )
}

/// The adjoint of what was written becomes that of what was there.
#[test]
fn old_contents_have_an_adjoint() -> Result<()> {
    let places = |floats: &[f32]| floats.chunks(2).map(Vec2::from_slice).collect::<Vec<_>>();
    let all = |places: Vec<Vec2>| places.into_iter().flat_map(|at| at.to_array()).collect::<Vec<_>>();
    check(
        &[numbers(9, 2 * COUNT), numbers(10, 2 * COUNT)],
        |mgr, inputs| {
            let (speed, mut at) = (mgr.tensor(&places(&inputs[0]))?, mgr.tensor(&places(&inputs[1]))?);
            let seq = mgr.sequence()?;
            Moved::dispatch(&seq, Grid::items(COUNT), 0.5, &speed, &mut at)?.eval()?;
            Ok(all(at.to_vec()?))
        },
        |mgr, inputs, u| {
            let (speed, mut d_speed) = (mgr.tensor(&places(&inputs[0]))?, mgr.tensor(&[Vec2::ZERO; COUNT])?);
            let (at, mut d_at, seq) = (mgr.tensor(&places(&inputs[1]))?, mgr.tensor(&places(u))?, mgr.sequence()?);
            Moved::backward(&seq, Grid::items(COUNT), 0.5, &speed, &mut d_speed, &at, &mut d_at)?.eval()?;
            Ok(vec![all(d_speed.to_vec()?), all(d_at.to_vec()?)])
        },
    )
}

#[test]
fn functions_of_tuples_and_quaternions() -> Result<()> {
    let (x, q) = (around(2.0, 11, 2 * COUNT), numbers(12, 4 * COUNT));
    let x: Vec<Vec2> = x.chunks(2).map(Vec2::from_slice).collect();
    for mgr in [Manager::host(), Manager::new()?] {
        let (x, q) = (mgr.tensor(&x)?, mgr.tensor(&turns(&q))?);
        let (mut y, mut values) = (mgr.tensor(&[[Vec2::ZERO; 5]; COUNT])?, mgr.tensor(&[0.0f32; COUNT])?);
        let seq = mgr.sequence()?;
        Products::dispatch(&seq, Grid::items(COUNT), &x, &q, &mut y, &mut values)?.eval()?;
        assert!(values.to_vec()?.iter().all(|far| far.abs() < 1e-5), "{:?}", values.to_vec()?);
        let at = |step: f32| {
            let mut y = mgr.tensor(&[0.0f32; COUNT])?;
            let seq = mgr.sequence()?;
            Polars::dispatch(&seq, Grid::items(COUNT), step, &x, &mut y)?.eval()?;
            y.to_vec()
        };
        let step = 1.0 / 256.0;
        let (behind, before) = (at(step)?, at(-step)?);
        for (i, of_functions) in y.to_vec()?.into_iter().enumerate() {
            for (function, found) in of_functions.into_iter().enumerate() {
                assert!((found.x - found.y).abs() <= 1e-4 * (1.0 + found.y.abs()), "function {function}, {i}: {found}");
                assert!(found.x != 0.0, "function {function}, {i}");
            }
            let slope = (behind[i] - before[i]) / (2.0 * step);
            assert!(
                (of_functions[0].y - slope).abs() <= 5e-3 * (1.0 + slope.abs()),
                "{i}: {} beside {slope}",
                of_functions[0]
            );
        }
        assert!(mgr.validation_messages().is_empty(), "{:?}", mgr.validation_messages());
    }
    Ok(())
}
