//! glam's vectors: operators, methods, components.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 512;

fn vec3s(seed: u32) -> Vec<Vec3> {
    moderate(N * 3, seed, 4.0).chunks(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect()
}

fn vec4s(seed: u32) -> Vec<Vec4> {
    moderate(N * 4, seed, 4.0).chunks(4).map(|c| Vec4::new(c[0], c[1], c[2], c[3])).collect()
}

fn flat3(values: Vec<Vec3>) -> Vec<f32> {
    values.into_iter().flat_map(|v| v.to_array()).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "vectors::operators",
        [Operators],
        |mgr| {
            let (a, b) = (mgr.tensor(&vec3s(1))?, mgr.tensor(&vec3s(2))?);
            let mut out = mgr.tensor_of_len::<Vec3>(N)?;
            let seq = mgr.sequence()?;
            Operators::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::F32 { values: flat3(out.to_vec()?), ulp: 4, absolute: 1e-5 }])
        },
        || vec![Output::F32 {
            values: flat3(
                vec3s(1).into_iter().zip(vec3s(2)).map(|(a, b)| { -(a + b * 2.0) / (b * b + 1.0) - 3.0 * a }).collect()
            ),
            ulp: 4,
            absolute: 1e-5
        }]
    ),
    case!("vectors::geometry", [Geometry], |mgr| {
        let (a, b) = (mgr.tensor(&vec3s(3))?, mgr.tensor(&vec3s(4))?);
        let mut out = mgr.tensor(&vec![0f32; N * 8])?;
        let seq = mgr.sequence()?;
        Geometry::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::F32 { values: out.to_vec()?, ulp: 16, absolute: 2e-5 }])
    }),
    case!(
        "vectors::lengths_and_directions",
        [LengthsAndDirections],
        |mgr| {
            let (a, b) = (mgr.tensor(&directions(11))?, mgr.tensor(&directions(12))?);
            let mut out = mgr.tensor(&vec![0f32; N * 40])?;
            let seq = mgr.sequence()?;
            LengthsAndDirections::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::F32 { values: out.to_vec()?, ulp: 64, absolute: 1e-4 }])
        },
        || {
            let pairs = directions(11).into_iter().zip(directions(12));
            let values = pairs.flat_map(|(a, b)| plain::all_directions(a, b)).collect();
            vec![Output::F32 { values, ulp: 64, absolute: 1e-4 }]
        }
    ),
    case!("vectors::four_lanes", [FourLanes], |mgr| {
        let (a, b) = (mgr.tensor(&vec4s(5))?, mgr.tensor(&vec4s(6))?);
        let mut out = mgr.tensor_of_len::<Vec4>(N)?;
        let seq = mgr.sequence()?;
        FourLanes::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
        seq.eval()?;
        let values = out.to_vec()?.into_iter().flat_map(|v| v.to_array()).collect();
        Ok(vec![Output::F32 { values, ulp: 16, absolute: 2e-5 }])
    }),
    case!("vectors::integers", [Integers], |mgr| {
        let a: Vec<IVec3> =
            patterns(N * 3, 7).chunks(3).map(|c| IVec3::new(c[0] as i32, c[1] as i32, c[2] as i32)).collect();
        let (a, mut out) = (mgr.tensor(&a)?, mgr.tensor_of_len::<UVec2>(N)?);
        let seq = mgr.sequence()?;
        Integers::dispatch(&seq, Grid::items(N), &a, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.into_iter().flat_map(|v| v.to_array()).collect())])
    }),
    case!("vectors::components", [Components], |mgr| {
        let (a, mut out) = (mgr.tensor(&vec4s(8))?, mgr.tensor(&vec![0f32; N])?);
        let seq = mgr.sequence()?;
        Components::dispatch(&seq, Grid::items(N), &a, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::exact(out.to_vec()?)])
    }),
    case!("vectors::masks", [Masks], |mgr| {
        let (a, b) = (mgr.tensor(&vec3s(9))?, mgr.tensor(&vec3s(10))?);
        let (mut out, mut flags) = (mgr.tensor_of_len::<Vec3>(N)?, mgr.tensor(&vec![0u32; N])?);
        let seq = mgr.sequence()?;
        Masks::dispatch(&seq, Grid::items(N), &a, &b, &mut out, &mut flags)?;
        seq.eval()?;
        Ok(vec![Output::exact(flat3(out.to_vec()?)), Output::U32(flags.to_vec()?)])
    }),
];

#[kernel(workgroup = 32)]
fn operators(a: &[Vec3], b: &[Vec3], out: &mut [Vec3]) {
    let i = global_id().x;
    out[i] = -(a[i] + b[i] * 2.0) / (b[i] * b[i] + 1.0) - 3.0 * a[i];
}

#[kernel(workgroup = 32)]
fn geometry(a: &[Vec3], b: &[Vec3], out: &mut [f32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let o = i * 8;
    out[o] = a.dot(b);
    let c = a.cross(b);
    out[o + 1] = c.x;
    out[o + 2] = c.length();
    out[o + 3] = (a + Vec3::splat(9.0)).normalize().y;
    out[o + 4] = a.distance(b);
    out[o + 5] = a.lerp(b, 0.25).z;
    out[o + 6] = a.min(b).max_element();
    out[o + 7] = a.truncate().extend(b.x).element_sum();
}

#[kernel(workgroup = 32)]
fn four_lanes(a: &[Vec4], b: &[Vec4], out: &mut [Vec4]) {
    let i = global_id().x;
    let mut v = a[i] * b[i];
    v += vec4(1.0, 2.0, 3.0, 4.0);
    v *= 0.5;
    v = v.clamp(Vec4::NEG_ONE, Vec4::splat(3.0));
    out[i] = v.abs() + Vec4::W * a[i].dot(b[i]);
}

#[kernel(workgroup = 32)]
fn integers(a: &[IVec3], out: &mut [UVec2]) {
    let i = global_id().x;
    let v = a[i] * 3 - IVec3::new(1, -2, 3);
    let q = v / 7;
    let r = v % IVec3::splat(1000);
    out[i] = uvec2((q.x + q.y) as u32, r.z as u32 + (v == a[i]) as u32);
}

#[kernel(workgroup = 32)]
fn components(a: &[Vec4], out: &mut [f32]) {
    let i = global_id().x;
    let mut v = a[i];
    v.x = v.w;
    v.y += 1.0;
    let k = i as usize % 4;
    v[k] = 10.0;
    let p: [f32; 4] = v.to_array();
    out[i] = v.x + v.y * 2.0 + v[3 - k] * 4.0 + p[k] * 8.0;
}

#[kernel(workgroup = 32)]
fn masks(a: &[Vec3], b: &[Vec3], out: &mut [Vec3], flags: &mut [u32]) {
    let i = global_id().x;
    let less = a[i].cmplt(b[i]);
    out[i] = Vec3::select(less, a[i], b[i]);
    flags[i] = less.any() as u32 + 2 * less.all() as u32 + 4 * (a[i] == b[i]) as u32;
}

/// Vectors, some of no length and some with lanes that are no numbers.
fn directions(seed: u32) -> Vec<Vec4> {
    let mut vectors = vec4s(seed);
    vectors[3] = Vec4::ZERO;
    vectors[5] = Vec4::new(f32::NAN, 1.0, 2.0, 3.0);
    vectors[7] = Vec4::new(1.0, f32::INFINITY, 2.0, 3.0);
    vectors[9] = Vec4::splat(1e-30);
    vectors
}

macro_rules! of_each_size {
    ($($name:ident $vector:ident;)+) => { twice! { $(
        fn $name(a: $vector, b: $vector) -> [f32; 12] {
            let unit = b.normalize_or($vector::X);
            let some = a.try_normalize();
            let way = a.clamp_length(1.0, 2.0) + a.clamp_length_max(1.5) + a.clamp_length_min(3.0);
            let flags = a.is_nan() as u32 + 2 * a.is_finite() as u32 + 4 * a.abs_diff_eq(b, 2.5) as u32;
            [
                a.normalize_or_zero().dot(b),
                unit.x,
                some.map_or(-1.0, |v| v.y),
                way.x - way.y,
                a.project_onto_normalized(unit).dot(b),
                if b.length_squared() > 0.01 { a.reject_from(b).length() } else { 0.0 },
                a.midpoint(b).x,
                a.move_towards(b, 0.5).y,
                a.normalize_or_zero().refract(unit, 0.7).x,
                a.normalize_or_zero().refract(-unit, 1.8).y,
                flags as f32,
                if a.length_squared() > 0.01 { a.length_recip() } else { 0.0 },
            ]
        }
    )+
        fn turned(a: Vec2, b: Vec2) -> [f32; 4] {
            let turn = Vec2::from_angle(a.x).rotate(b);
            [turn.x, turn.y, a.perp().dot(b), if b.x.abs() + b.y.abs() > 0.1 { b.to_angle() } else { 0.0 }]
        }
        fn all_directions(a: Vec4, b: Vec4) -> [f32; 40] {
            let (two, three, four) = (
                of_two(a.truncate().truncate(), b.truncate().truncate()),
                of_three(a.truncate(), b.truncate()),
                of_four(a, b),
            );
            let turned = turned(a.truncate().truncate(), b.truncate().truncate());
            let mut all = [0.0; 40];
            for i in 0..12 {
                all[i] = two[i];
                all[12 + i] = three[i];
                all[24 + i] = four[i];
            }
            for i in 0..4 {
                all[36 + i] = turned[i];
            }
            all
        }
    } };
}
of_each_size! {
    of_two Vec2;
    of_three Vec3;
    of_four Vec4;
}

#[kernel(workgroup = 32)]
fn lengths_and_directions(a: &[Vec4], b: &[Vec4], out: &mut [f32]) {
    let i = global_id().x;
    let all = all_directions(a[i], b[i]);
    for j in 0..40u32 {
        out[i * 40 + j] = all[j];
    }
}
