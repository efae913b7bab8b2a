//! glam's matrices and quaternions: constructors, operators, methods, layout. Functions without an angle agree bit for
//! bit.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate};

const N: usize = 64;

/// A body in space, with members that have alignments of their own.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Body {
    mass: f32,
    turn2: Mat2,
    inertia: Mat3,
    pose: Mat4,
    spin: Quat,
    rest: f32,
}

fn bodies() -> Vec<Body> {
    let cells = moderate(N * 40, 3, 2.0);
    let body = |c: &[f32]| Body {
        mass: c[0],
        turn2: Mat2::from_cols_array(c[1..5].try_into().expect("four")),
        inertia: Mat3::from_cols_array(c[5..14].try_into().expect("nine")),
        pose: Mat4::from_cols_array(c[14..30].try_into().expect("sixteen")),
        spin: Quat::from_xyzw(c[30], c[31], c[32], c[33]),
        rest: c[34],
    };
    cells.chunks(40).map(body).collect()
}

fn mats4(seed: u32) -> Vec<Mat4> {
    moderate(N * 16, seed, 2.0).chunks(16).map(|c| Mat4::from_cols_array(c.try_into().expect("sixteen"))).collect()
}

fn mats3(seed: u32) -> Vec<Mat3> {
    moderate(N * 9, seed, 2.0).chunks(9).map(|c| Mat3::from_cols_array(c.try_into().expect("nine"))).collect()
}

fn mats2(seed: u32) -> Vec<Mat2> {
    moderate(N * 4, seed, 2.0).chunks(4).map(|c| Mat2::from_cols_array(c.try_into().expect("four"))).collect()
}

fn quats(seed: u32) -> Vec<Quat> {
    let quat = |c: &[f32]| Quat::from_xyzw(c[0], c[1], c[2], c[3] + 0.01).normalize();
    moderate(N * 4, seed, 1.0).chunks(4).map(quat).collect()
}

fn flat4(values: Vec<Mat4>) -> Output {
    Output::exact(values.into_iter().flat_map(|m| m.to_cols_array()).collect())
}

fn flat3(values: Vec<Mat3>) -> Output {
    Output::exact(values.into_iter().flat_map(|m| m.to_cols_array()).collect())
}

fn flat2(values: Vec<Mat2>) -> Output {
    Output::exact(values.into_iter().flat_map(|m| m.to_cols_array()).collect())
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "matrices::four",
        [Four],
        |mgr| {
            let (a, b) = (mgr.tensor(&mats4(1))?, mgr.tensor(&mats4(2))?);
            let (mut out, mut numbers) = (mgr.tensor_of_len::<Mat4>(N)?, mgr.tensor(&vec![0f32; N * 12])?);
            let seq = mgr.sequence()?;
            Four::dispatch(&seq, Grid::items(N), &a, &b, &mut out, &mut numbers)?;
            seq.eval()?;
            Ok(vec![flat4(out.to_vec()?), Output::exact(numbers.to_vec()?)])
        },
        || {
            let pairs: Vec<_> = mats4(1).into_iter().zip(mats4(2)).collect();
            let out = pairs.iter().map(|(a, b)| (*a * *b + a.transpose() * 2.0 - 0.5 * b.inverse()) / 3.0).collect();
            let numbers = pairs.iter().flat_map(|(a, b)| {
                let v = Vec4::new(1.0, -2.0, 0.5, 3.0);
                let (p, d, q) = (
                    a.transform_point3(b.x_axis.truncate()),
                    a.transform_vector3(b.y_axis.truncate()),
                    a.project_point3(b.z_axis.truncate()),
                );
                let r = *a * v;
                [a.determinant(), r.x, r.y, r.z, r.w, p.x, p.y, d.z, q.x, q.z, b.row(2).w, b.diagonal().y]
            });
            vec![flat4(out), Output::exact(numbers.collect())]
        }
    ),
    case!(
        "matrices::three",
        [Three],
        |mgr| {
            let (a, b) = (mgr.tensor(&mats3(3))?, mgr.tensor(&mats3(4))?);
            let (mut out, mut numbers) = (mgr.tensor_of_len::<Mat3>(N)?, mgr.tensor(&vec![0f32; N * 6])?);
            let seq = mgr.sequence()?;
            Three::dispatch(&seq, Grid::items(N), &a, &b, &mut out, &mut numbers)?;
            seq.eval()?;
            Ok(vec![flat3(out.to_vec()?), Output::exact(numbers.to_vec()?)])
        },
        || {
            let pairs: Vec<_> = mats3(3).into_iter().zip(mats3(4)).collect();
            let out = pairs.iter().map(|(a, b)| a.inverse() * *b - b.transpose().abs() + 2.0 / *a).collect();
            let numbers = pairs.iter().flat_map(|(a, b)| {
                let (p, d) = (a.transform_point2(Vec2::new(1.5, -2.5)), b.transform_vector2(Vec2::new(0.5, 4.0)));
                let r = b.mul_vec3(a.x_axis);
                [b.determinant(), p.x, p.y, d.x, r.z, a.to_cols_array()[7]]
            });
            vec![flat3(out), Output::exact(numbers.collect())]
        }
    ),
    case!(
        "matrices::of_cells",
        [OfCells],
        |mgr| {
            let cells: Vec<_> = mats4(9).into_iter().map(|m| m.to_cols_array()).collect();
            let (cells, mut out) = (mgr.tensor(&cells)?, mgr.tensor_of_len::<[f32; 16]>(N)?);
            let seq = mgr.sequence()?;
            OfCells::dispatch(&seq, Grid::items(N), &cells, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?.into_flattened())])
        },
        || {
            let of = mats4(9).into_iter().enumerate().map(|(i, own)| {
                let other = mats4(9)[i / 32 * 32 + 31 - i % 32];
                let c = own.to_cols_array();
                let three =
                    Mat3::from_cols_slice(&c[..9]) * 0.5 + Mat3::from_cols_array(&std::array::from_fn(|k| k as f32));
                let two = Mat2::from_cols_array(&[c[3], 2.0, 0.5, -1.0]);
                own * other + Mat4::from_mat3(three + Mat3::from_mat2(two))
            });
            vec![flat4(of.collect())]
        }
    ),
    case!(
        "matrices::two",
        [Two],
        |mgr| {
            let (a, b) = (mgr.tensor(&mats2(5))?, mgr.tensor(&mats2(6))?);
            let mut out = mgr.tensor_of_len::<Mat2>(N)?;
            let seq = mgr.sequence()?;
            Two::dispatch(&seq, Grid::items(N), Mat2::from_cols(Vec2::X, Vec2::ONE), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![flat2(out.to_vec()?)])
        },
        || {
            let add = Mat2::from_cols(Vec2::X, Vec2::ONE);
            let out = mats2(5).into_iter().zip(mats2(6)).map(|(a, b)| {
                let mut m = a * b.inverse() + add;
                m.y_axis = a * b.x_axis;
                m.x_axis.y += b.determinant();
                m *= 0.5;
                -m
            });
            vec![flat2(out.collect())]
        }
    ),
    case!(
        "matrices::quaternions",
        [Quaternions],
        |mgr| {
            let (a, b) = (mgr.tensor(&quats(7))?, mgr.tensor(&quats(8))?);
            let (mut out, mut numbers) = (mgr.tensor_of_len::<Quat>(N)?, mgr.tensor(&vec![0f32; N * 8])?);
            let (mut turned, seq) = (mgr.tensor_of_len::<Mat4>(N)?, mgr.sequence()?);
            Quaternions::dispatch(&seq, Grid::items(N), &a, &b, &mut out, &mut turned, &mut numbers)?;
            seq.eval()?;
            let quats = out.to_vec()?.into_iter().flat_map(|q| q.to_array()).collect();
            Ok(vec![Output::near(quats, 4e-6), flat4(turned.to_vec()?), Output::ulp(numbers.to_vec()?, 4)])
        },
        || {
            let pairs: Vec<_> = quats(7).into_iter().zip(quats(8)).collect();
            let out = pairs.iter().flat_map(|(a, b)| (*a * b.lerp(*a, 0.25) * 2.0 - -a.inverse()).to_array());
            let turned = pairs.iter().map(|(a, b)| {
                Mat4::from_scale_rotation_translation(Vec3::new(1.0, 2.0, 3.0), *a, b.xyz())
                    * Mat4::from_mat3(Mat3::from_quat(*b))
            });
            let numbers = pairs.iter().flat_map(|(a, b)| {
                let (v, w) = (*a * Vec3::new(1.0, 2.0, 3.0), b.conjugate().mul_vec3(Vec3::Z));
                [v.x, v.y, v.z, w.x, w.y, w.z, a.dot(*b), a.length_squared() + a.w + f32::from(u8::from(*a == *b))]
            });
            vec![Output::near(out.collect(), 4e-6), flat4(turned.collect()), Output::ulp(numbers.collect(), 4)]
        }
    ),
    case!(
        "matrices::angles",
        [Angles],
        |mgr| {
            let angles = mgr.tensor(&moderate(N, 9, 3.0))?;
            let mut out = mgr.tensor_of_len::<Mat4>(N)?;
            let (mut spins, seq) = (mgr.tensor_of_len::<Quat>(N)?, mgr.sequence()?);
            Angles::dispatch(&seq, Grid::items(N), &angles, &mut out, &mut spins)?;
            seq.eval()?;
            let cells = out.to_vec()?.into_iter().flat_map(|m| m.to_cols_array()).collect();
            let spins = spins.to_vec()?.into_iter().flat_map(|q| q.to_array()).collect();
            Ok(vec![Output::near(cells, 2e-5), Output::near(spins, 1e-6)])
        },
        || {
            let axis = Vec3::new(0.6, 0.0, 0.8);
            let out = moderate(N, 9, 3.0).into_iter().flat_map(|t| {
                let turn = Mat3::from_angle(t) * Mat3::from_scale_angle_translation(Vec2::ONE, t, Vec2::new(1.0, t));
                let m = Mat4::from_rotation_x(t) * Mat4::from_rotation_y(t) * Mat4::from_rotation_z(t);
                let m = m * Mat4::from_axis_angle(axis, t) * Mat4::from_translation(axis) * Mat4::from_scale(axis);
                (m + Mat4::from_mat3(turn)).to_cols_array()
            });
            let spins = moderate(N, 9, 3.0).into_iter().flat_map(|t| {
                (Quat::from_rotation_x(t) * Quat::from_rotation_y(t) * Quat::from_axis_angle(axis, t)).to_array()
            });
            vec![Output::near(out.collect(), 2e-5), Output::near(spins.collect(), 1e-6)]
        }
    ),
    case!(
        "matrices::in_structs",
        [InStructs],
        |mgr| {
            let mut bodies = mgr.tensor(&bodies())?;
            let seq = mgr.sequence()?;
            InStructs::dispatch(&seq, Grid::items(N), Mat3::IDENTITY, Quat::IDENTITY, &mut bodies)?;
            seq.eval()?;
            Ok(vec![flat_bodies(&bodies.to_vec()?)])
        },
        || {
            let mut all = bodies();
            for (i, body) in all.iter_mut().enumerate() {
                body.inertia += Mat3::IDENTITY;
                body.pose.w_axis = body.pose * Vec4::W;
                body.pose.x_axis.y = 7.0;
                body.turn2.y_axis.x = body.mass;
                body.spin = Quat::IDENTITY * body.spin;
                body.spin.w = body.pose.col(i % 4).z;
                body.rest =
                    f32::from(u8::from(body.pose.is_finite() && body.inertia != Mat3::ZERO && !body.spin.is_nan()));
            }
            vec![flat_bodies(&all)]
        }
    ),
    case!(
        "matrices::abstraction",
        [Abstraction],
        |mgr| {
            let (a, mut out) = (mgr.tensor(&mats2(10))?, mgr.tensor_of_len::<Mat2>(N)?);
            let seq = mgr.sequence()?;
            Abstraction::dispatch(&seq, Grid::groups(2), &a, &mut out)?;
            seq.eval()?;
            Ok(vec![flat2(out.to_vec()?)])
        },
        || {
            let a = mats2(10);
            let out = (0..N).map(|i| {
                let own = a[i];
                let seen = if own.determinant() > 0.0 { own } else { Mat2::IDENTITY };
                let other = a[i / 32 * 32 + 31 - i % 32];
                own * seen + ((other - own) * 0.25 + own * 0.0) + Mat2::from_cols(Vec2::new(1.0, 2.0), Vec2::Y)
            });
            vec![flat2(out.collect())]
        }
    ),
    case!("matrices::out_of_range", [OutOfRange], |mgr| {
        let (a, mut out) = (mgr.tensor(&mats4(1))?, mgr.tensor_of_len::<Vec4>(N)?);
        let seq = mgr.sequence()?;
        OutOfRange::dispatch(&seq, Grid::items(N), &a, &mut out)?;
        Ok(vec![super::traps::report(&seq)?])
    }),
];

fn flat_bodies(bodies: &[Body]) -> Output {
    let cells = bodies.iter().flat_map(|body| {
        let head = [body.mass, body.rest].into_iter().chain(body.turn2.to_cols_array());
        let middle = body.inertia.to_cols_array().into_iter().chain(body.pose.to_cols_array());
        head.chain(middle).chain(body.spin.to_array())
    });
    Output::exact(cells.collect())
}

#[kernel(workgroup = 32)]
fn four(a: &[Mat4], b: &[Mat4], out: &mut [Mat4], numbers: &mut [f32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    out[i] = (a * b + a.transpose() * 2.0 - 0.5 * b.inverse()) / 3.0;
    let r = a * vec4(1.0, -2.0, 0.5, 3.0);
    let p = a.transform_point3(b.x_axis.truncate());
    let d = a.transform_vector3(b.y_axis.truncate());
    let q = a.project_point3(b.z_axis.truncate());
    let all = [a.determinant(), r.x, r.y, r.z, r.w, p.x, p.y, d.z, q.x, q.z, b.row(2).w, b.diagonal().y];
    for k in 0..12 {
        numbers[i * 12 + k] = all[k];
    }
}

#[kernel(workgroup = 32)]
fn three(a: &[Mat3], b: &[Mat3], out: &mut [Mat3], numbers: &mut [f32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    out[i] = a.inverse() * b - b.transpose().abs() + 2.0 / a;
    let p = a.transform_point2(vec2(1.5, -2.5));
    let d = b.transform_vector2(vec2(0.5, 4.0));
    numbers[i * 6] = b.determinant();
    numbers[i * 6 + 1] = p.x;
    numbers[i * 6 + 2] = p.y;
    numbers[i * 6 + 3] = d.x;
    numbers[i * 6 + 4] = b.mul_vec3(a.x_axis).z;
    numbers[i * 6 + 5] = a.to_cols_array()[7];
}

#[kernel(workgroup = 32)]
fn two(add: Mat2, a: &[Mat2], b: &[Mat2], out: &mut [Mat2]) {
    let i = global_id().x;
    let b = b[i];
    let mut m = a[i] * b.inverse() + add;
    m.y_axis = a[i] * b.x_axis;
    m.x_axis.y += b.determinant();
    m *= 0.5;
    out[i] = -m;
}

#[kernel(workgroup = 32)]
fn quaternions(a: &[Quat], b: &[Quat], out: &mut [Quat], turned: &mut [Mat4], numbers: &mut [f32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    out[i] = a * b.lerp(a, 0.25) * 2.0 - -a.inverse();
    turned[i] =
        Mat4::from_scale_rotation_translation(vec3(1.0, 2.0, 3.0), a, b.xyz()) * Mat4::from_mat3(Mat3::from_quat(b));
    let v = a * vec3(1.0, 2.0, 3.0);
    let w = b.conjugate().mul_vec3(Vec3::Z);
    let same = if a == b { 1.0 } else { 0.0 };
    let all = [v.x, v.y, v.z, w.x, w.y, w.z, a.dot(b), a.length_squared() + a.w + same];
    for k in 0..8 {
        numbers[i * 8 + k] = all[k];
    }
}

#[kernel(workgroup = 32)]
fn angles(angles: &[f32], out: &mut [Mat4], spins: &mut [Quat]) {
    let i = global_id().x;
    let t = angles[i];
    let axis = vec3(0.6, 0.0, 0.8);
    let turn = Mat3::from_angle(t) * Mat3::from_scale_angle_translation(Vec2::ONE, t, vec2(1.0, t));
    let m = Mat4::from_rotation_x(t) * Mat4::from_rotation_y(t) * Mat4::from_rotation_z(t);
    let m = m * Mat4::from_axis_angle(axis, t) * Mat4::from_translation(axis) * Mat4::from_scale(axis);
    out[i] = m + Mat4::from_mat3(turn);
    spins[i] = Quat::from_rotation_x(t) * Quat::from_rotation_y(t) * Quat::from_axis_angle(axis, t);
}

#[kernel(workgroup = 32)]
fn in_structs(inertia: Mat3, turn: Quat, bodies: &mut [Body]) {
    let i = global_id().x;
    let mut body = bodies[i];
    body.inertia += inertia;
    body.pose.w_axis = body.pose * Vec4::W;
    body.spin = turn * body.spin;
    bodies[i] = body;
    bodies[i].pose.x_axis.y = 7.0;
    bodies[i].turn2.y_axis.x = body.mass;
    bodies[i].spin.w = bodies[i].pose.col(i as usize % 4).z;
    let is_good = bodies[i].pose.is_finite() && body.inertia != Mat3::ZERO && !bodies[i].spin.is_nan();
    bodies[i].rest = is_good as u32 as f32;
}

#[device]
mod mixed {
    use std::ops::{Add, Mul, Sub};

    use gridwise::prelude::*;

    /// A point between two values of any type that has the operators.
    pub(super) fn between<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>>(a: T, b: T, s: f32) -> T {
        (b - a) * s + a * 0.0
    }

    pub(super) const SHEAR: Mat2 = Mat2::IDENTITY;

    pub(super) fn positive(m: Mat2) -> Option<Mat2> {
        if m.determinant() > 0.0 { Some(m) } else { None }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Pair {
        pub(super) first: Mat2,
        pub(super) second: Mat2,
    }

    impl Pair {
        pub(super) fn product(self) -> Mat2 {
            self.first * self.second
        }
    }
}

#[kernel(workgroup = 32)]
fn abstraction(a: &[Mat2], out: &mut [Mat2]) {
    let tile = Shared::<[Mat2; 32]>::new();
    let i = global_id().x;
    let l = local_index();
    tile[l] = a[i];
    barrier();
    let own = a[i];
    let pair = mixed::Pair { first: own, second: mixed::positive(own).unwrap_or_default() };
    let other = mixed::between(own, tile[31 - l], 0.25);
    let shear = mat2(vec2(1.0, 2.0), Vec2::ZERO) + mixed::SHEAR - mat2(Vec2::X, Vec2::ZERO);
    out[i] = pair.product() + other + shear;
}

#[device]
fn scaled(cells: &[f32; 9], by: f32) -> Mat3 {
    Mat3::from_cols_array(cells) * by
}

#[kernel(workgroup = 32)]
fn of_cells(cells: &[[f32; 16]], out: &mut [[f32; 16]]) {
    let tile = Shared::<[[f32; 16]; 32]>::new();
    let i = global_id().x;
    let l = local_index();
    tile[l] = cells[i];
    barrier();
    let other = Mat4::from_cols_array(&tile[31 - l]);
    let own = Mat4::from_cols_array(&cells[i]);
    let mut nine = [1.0; 9];
    for k in 0..9 {
        nine[k] = cells[i][k];
    }
    let two = [[cells[i][3], 2.0], [0.5, -1.0]];
    let three = scaled(&nine, 0.5) + Mat3::from_cols_array_2d(&[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]);
    let sum = own * other + Mat4::from_mat3(three + Mat3::from_mat2(Mat2::from_cols_array_2d(&two)));
    out[i] = sum.to_cols_array();
}

#[kernel(workgroup = 32)]
fn out_of_range(a: &[Mat4], out: &mut [Vec4]) {
    let i = global_id().x;
    out[i] = a[i].col(out.len() / 16);
}
