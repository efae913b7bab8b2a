//! Methods of glam's vectors and quaternions about angles and turns, and those that work lane by lane.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, floats};

const N: usize = 256;

/// Directions of length 1, the axes first.
fn directions(seed: u32) -> Vec<Vec3> {
    let mut all = vec![Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z, Vec3::Z, Vec3::Y];
    let noise = floats(3 * N, seed).chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2]) * 1e-3).collect::<Vec<_>>();
    let noise = noise.into_iter().map(|v| v.clamp(Vec3::splat(-5.0), Vec3::splat(5.0)));
    all.extend(noise.map(|v| v.try_normalize().unwrap_or(Vec3::new(0.6, 0.0, 0.8))));
    all.truncate(N);
    all
}

/// The expected result of `Turns`, on the host.
fn turns_of(a: Vec3, b: Vec3) -> Vec<f32> {
    let t = a.x * 3.0;
    let (p, q) = (Quat::from_rotation_arc(a, b), Quat::from_axis_angle(a, t));
    let (first, second) = a.any_orthonormal_pair();
    let vectors = [
        (a * 2.0).rotate_x(t),
        b.rotate_y(t),
        b.rotate_z(t),
        b.rotate_axis(a, t),
        a.any_orthogonal_vector(),
        a.any_orthonormal_vector(),
        first,
        second,
    ];
    let numbers = [
        a.angle_between(b * 3.0),
        a.angle_to(b, Vec3::Z).abs(),
        a.truncate().angle_to(b.truncate()),
        p.angle_between(q),
        f32::from(u8::from(a.is_normalized())) + f32::from(u8::from((q * 1.5).is_normalized())) * 2.0,
        f32::from(u8::from(p.is_normalized())),
    ];
    let quats = [p.slerp(q, 0.3), q.slerp(q, 0.5), p];
    vectors.iter().flat_map(|v| v.to_array()).chain(numbers).chain(quats.iter().flat_map(|q| q.to_array())).collect()
}

/// Near a whole turn and none, an angle is the root of what is lost of a cosine.
fn near(values: Vec<f32>) -> Output {
    Output::near(values, 1e-3)
}

/// Vectors of four lanes.
fn vectors(seed: u32) -> Vec<Vec4> {
    floats(4 * N, seed).chunks_exact(4).map(|v| Vec4::new(v[0], v[1], v[2], v[3])).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "directions::turns",
        [Turns],
        |mgr| {
            let (a, b) = (mgr.tensor(&directions(3))?, mgr.tensor(&directions(4))?);
            let (mut turned, mut numbers) = (mgr.tensor_of_len::<[Vec3; 8]>(N)?, mgr.tensor(&vec![[0f32; 6]; N])?);
            let (mut quats, seq) = (mgr.tensor_of_len::<[Quat; 3]>(N)?, mgr.sequence()?);
            Turns::dispatch(&seq, Grid::items(N), &a, &b, &mut turned, &mut numbers, &mut quats)?;
            seq.eval()?;
            let rows = turned.to_vec()?.into_iter().zip(numbers.to_vec()?).zip(quats.to_vec()?);
            let all = rows.flat_map(|((vectors, numbers), quats)| {
                let vectors = vectors.into_iter().flat_map(|v| v.to_array());
                vectors.chain(numbers).chain(quats.into_iter().flat_map(|q| q.to_array())).collect::<Vec<_>>()
            });
            Ok(vec![near(all.collect())])
        },
        || {
            let pairs = directions(3).into_iter().zip(directions(4));
            vec![near(pairs.flat_map(|(a, b)| turns_of(a, b)).collect())]
        }
    ),
    case!(
        "directions::lanes",
        [Lanes],
        |mgr| {
            let (a, b) = (mgr.tensor(&vectors(5))?, mgr.tensor(&vectors(6))?);
            let (mut exact, mut near) = (mgr.tensor_of_len::<[Vec4; 5]>(N)?, mgr.tensor_of_len::<[Vec2; 6]>(N)?);
            let seq = mgr.sequence()?;
            Lanes::dispatch(&seq, Grid::items(N), &a, &b, &mut exact, &mut near)?;
            seq.eval()?;
            let exact = exact.to_vec()?.concat().into_iter().flat_map(|v| v.to_array());
            let near = near.to_vec()?.concat().into_iter().flat_map(|v| v.to_array());
            Ok(vec![Output::exact(exact.collect()), Output::ulp(near.collect(), 4)])
        },
        || {
            let pairs: Vec<_> = vectors(5).into_iter().zip(vectors(6)).collect();
            let exact = pairs.iter().flat_map(|(a, b)| {
                let whole = IVec3::new(7, -8, 9).with_y(3).with_z(5).as_vec3().extend(1.0);
                [a.step(*b), a.saturate(), a.fract_gl(), b.with_x(1.0).with_y(a.z).with_z(-2.0).with_w(a.w), whole]
            });
            let near = pairs.iter().flat_map(|(a, b)| {
                let (x, y) = (a.truncate().truncate(), b.truncate().truncate().abs());
                let t = x.saturate();
                [t.sin(), t.cos(), t.exp2(), (y.saturate() + 2.0).ln(), (y.saturate() + 2.0).log2(), y.sqrt()]
            });
            let flat = exact.flat_map(|v| v.to_array()).collect();
            vec![Output::exact(flat), Output::ulp(near.flat_map(|v| v.to_array()).collect(), 4)]
        }
    ),
];

#[kernel(workgroup = 32)]
fn turns(a: &[Vec3], b: &[Vec3], turned: &mut [[Vec3; 8]], numbers: &mut [[f32; 6]], quats: &mut [[Quat; 3]]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let t = a.x * 3.0;
    let p = Quat::from_rotation_arc(a, b);
    let q = Quat::from_axis_angle(a, t);
    let (first, second) = a.any_orthonormal_pair();
    turned[i] = [
        (a * 2.0).rotate_x(t),
        b.rotate_y(t),
        b.rotate_z(t),
        b.rotate_axis(a, t),
        a.any_orthogonal_vector(),
        a.any_orthonormal_vector(),
        first,
        second,
    ];
    let of_vector = if a.is_normalized() { 1.0 } else { 0.0 };
    let of_quat = if (q * 1.5).is_normalized() { 2.0 } else { 0.0 };
    numbers[i] = [
        a.angle_between(b * 3.0),
        a.angle_to(b, Vec3::Z).abs(),
        a.truncate().angle_to(b.truncate()),
        p.angle_between(q),
        of_vector + of_quat,
        if p.is_normalized() { 1.0 } else { 0.0 },
    ];
    quats[i] = [p.slerp(q, 0.3), q.slerp(q, 0.5), p];
}

#[kernel(workgroup = 32)]
fn lanes(a: &[Vec4], b: &[Vec4], exact: &mut [[Vec4; 5]], near: &mut [[Vec2; 6]]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let whole = ivec3(7, -8, 9).with_y(3).with_z(5);
    exact[i] = [
        a.step(b),
        a.saturate(),
        a.fract_gl(),
        b.with_x(1.0).with_y(a.z).with_z(-2.0).with_w(a.w),
        whole.as_vec3().extend(1.0),
    ];
    let (x, y) = (a.truncate().truncate(), b.truncate().truncate().abs());
    let t = x.saturate();
    near[i] = [t.sin(), t.cos(), t.exp2(), (y.saturate() + 2.0).ln(), (y.saturate() + 2.0).log2(), y.sqrt()];
}
