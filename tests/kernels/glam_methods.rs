//! Methods of glam's vectors, matrices and quaternions beyond those of everyday use, on values that tell the orders of operations apart.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, floats, moderate, patterns};

const N: usize = 256;

/// Vectors with all kinds of numbers in them, not finite ones, too.
fn wild(seed: u32) -> Vec<Vec4> {
    floats(N * 4, seed).chunks(4).map(|c| Vec4::new(c[0], c[1], c[2], c[3])).collect()
}

/// Vectors of numbers between -4 and 4; the first ones are axes.
fn tame(seed: u32) -> Vec<Vec4> {
    let noise = moderate(N * 4, seed, 4.0);
    let mut all: Vec<Vec4> = noise.chunks(4).map(|c| Vec4::new(c[0], c[1], c[2], c[3])).collect();
    all[..5].copy_from_slice(&[Vec4::X, Vec4::Y, Vec4::Z, Vec4::W, -Vec4::X]);
    all
}

fn words(seed: u32) -> Vec<UVec4> {
    patterns(N * 4, seed).chunks(4).map(|c| UVec4::new(c[0], c[1], c[2], c[3])).collect()
}

type OfWords = for<'s> fn(
    &'s Sequence,
    Grid,
    &Tensor<UVec4>,
    &Tensor<UVec4>,
    &mut Tensor<[u32; 32]>,
) -> gridwise::Result<&'s Sequence>;

fn run_words(mgr: &Manager, dispatch: OfWords) -> gridwise::Result<Vec<Output>> {
    let (a, b) = (mgr.tensor(&words(1))?, mgr.tensor(&words(2))?);
    let mut out = mgr.tensor(&vec![[0u32; 32]; N])?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?.concat())])
}

fn each_word(expected: fn(UVec4, UVec4) -> [u32; 32]) -> Vec<Output> {
    vec![Output::U32(words(1).into_iter().zip(words(2)).flat_map(|(a, b)| expected(a, b)).collect())]
}

type OfFloats = for<'s> fn(
    &'s Sequence,
    Grid,
    &Tensor<Vec4>,
    &Tensor<Vec4>,
    &mut Tensor<[f32; 32]>,
) -> gridwise::Result<&'s Sequence>;

fn run_floats(mgr: &Manager, [a, b]: [Vec<Vec4>; 2], dispatch: OfFloats) -> gridwise::Result<Vec<f32>> {
    let (a, b) = (mgr.tensor(&a)?, mgr.tensor(&b)?);
    let mut out = mgr.tensor(&vec![[0f32; 32]; N])?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
    seq.eval()?;
    Ok(out.to_vec()?.concat())
}

fn each_float([a, b]: [Vec<Vec4>; 2], expected: fn(Vec4, Vec4) -> [f32; 32]) -> Vec<f32> {
    a.into_iter().zip(b).flat_map(|(a, b)| expected(a, b)).collect()
}

/// A case of floats: exact, or near where angles are computed.
macro_rules! of_floats {
    ($name:literal, $kernel:ident, $plain:ident, $values:expr, $output:expr) => {
        case!($name, [$kernel], |mgr| Ok(vec![$output(run_floats(mgr, $values, $kernel::dispatch)?)]), || vec![
            $output(each_float($values, plain::$plain))
        ])
    };
}

fn near(values: Vec<f32>) -> Output {
    Output::near(values, 2e-3)
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("glam_methods::lanes", [Lanes], |mgr| run_words(mgr, Lanes::dispatch), || each_word(plain::lanes_of)),
    case!("glam_methods::checked", [Checked], |mgr| run_words(mgr, Checked::dispatch), || each_word(plain::checked_of)),
    case!("glam_methods::distances", [Distances], |mgr| run_words(mgr, Distances::dispatch), || each_word(
        plain::distances_of
    )),
    case!("glam_methods::parts", [Parts], |mgr| run_words(mgr, Parts::dispatch), || each_word(plain::parts_of)),
    of_floats!("glam_methods::tests", Tests, tests_of, [wild(3), wild(4)], Output::exact),
    of_floats!("glam_methods::sums", Sums, sums_of, [tame(5), tame(6)], Output::exact),
    of_floats!("glam_methods::cells", Cells, cells_of, [tame(7), tame(8)], Output::exact),
    of_floats!("glam_methods::lengths", Lengths, lengths_of, [tame(9), tame(10)], near),
    of_floats!("glam_methods::turns", Turns, turns_of, [tame(11), tame(12)], near),
    of_floats!("glam_methods::quats", Quats, quats_of, [tame(13), tame(14)], near),
    of_floats!("glam_methods::constants", Constants, constants_of, [tame(15), tame(16)], Output::exact),
];

#[device]
const CELLS: Mat3 = Mat3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0]);
#[device]
const ROWS: Mat2 = Mat2::from_rows_array(&[1.0, 2.0, 3.0, 4.0]);
#[device]
const COLUMNS: Mat3 = Mat3::from_cols(Vec3::new(0.0, 1.0, 0.5), Vec3::NEG_X, Vec3::splat(2.0));
#[device]
const GRID: Mat2 = Mat2::from_cols_array_2d(&[[0.5, 1.5], [2.5, 3.5]]);
#[device]
const TURN: Quat = Quat::from_xyzw(0.5, -0.5, 0.5, 0.5);

twice! {
    fn lanes_of(a: UVec4, b: UVec4) -> [u32; 32] {
        let (c, d) = (a.as_ivec4(), b.as_ivec4());
        let (e, f) = (a.truncate(), d.truncate());
        let divisor = uvec4(3, 5, 7, 11);
        let odd = ivec4(3, -5, 7, -11);
        let q = a.wrapping_div(divisor) ^ a.saturating_div(divisor).wxyz();
        let r = c.wrapping_div(odd) ^ c.saturating_div(odd).wxyz();
        let s = e.wrapping_add_signed(f) ^ e.saturating_add_signed(f).zxy();
        let t = c.wrapping_add_unsigned(b) ^ c.wrapping_sub_unsigned(b).yzwx();
        let u = c.saturating_add_unsigned(b) ^ c.saturating_sub_unsigned(b).yzwx();
        let v = (c >> 1u32).div_euclid(odd) ^ (c >> 1u32).rem_euclid(odd);
        let w = f.rem_euclid(ivec3(5, -6, 7));
        let x = (f >> 3u32).map(|lane| lane * 5 - 1);
        let y = e.map(|lane| lane.rotate_left(3));
        [
            q.x ^ q.y, q.z ^ q.w, (r.x ^ r.y) as u32, (r.z ^ r.w) as u32, s.x, s.y, s.z, t.x as u32, t.y as u32,
            t.z as u32, t.w as u32, u.x as u32, u.y as u32, u.z as u32, u.w as u32, (v.x ^ v.y) as u32, v.z as u32,
            v.w as u32, w.x as u32, w.y as u32, w.z as u32, x.x as u32, x.y as u32, x.z as u32, y.x, y.y, y.z,
            c.is_negative_bitmask(), d.truncate().is_negative_mask().bitmask(), a.min_position() as u32,
            c.max_position() as u32, (a.xy().min_position() * 2 + b.zw().max_position()) as u32,
        ]
    }

    fn checked_of(a: UVec4, b: UVec4) -> [u32; 32] {
        let (c, d) = (a.as_ivec4(), b.as_ivec4());
        let (low, high) = (a & 0xffff, b >> 16u32);
        let (e, f) = (c >> 1u32, d >> 1u32);
        let mut out = [7; 32];
        if let Some(v) = (a >> 1u32).checked_add(b >> 1u32) {
            out[0] = v.x ^ v.y ^ v.z ^ v.w;
        }
        if let Some(v) = a.checked_sub(b & 3) {
            out[1] = v.x ^ v.y;
        }
        out[2] = low.checked_mul(high).map_or(1, |v| v.w);
        out[3] = a.checked_div(high).map_or(2, |v| v.x);
        out[4] = c.checked_add(f).map_or(3, |v| v.x as u32);
        out[5] = e.checked_sub(f).map_or(4, |v| v.y as u32);
        out[6] = (e >> 18u32).checked_mul(f >> 12u32).map_or(5, |v| v.z as u32);
        out[7] = c.checked_div(d).map_or(6, |v| v.w as u32);
        out[8] = c.xyz().checked_add_unsigned(high.xyz()).map_or(7, |v| v.x as u32);
        out[9] = c.xyz().checked_sub_unsigned(high.xyz()).map_or(8, |v| v.y as u32);
        out[10] = low.xy().checked_add_signed((d >> 14u32).xy()).map_or(9, |v| v.x);
        out[11] = a.checked_manhattan_distance(b).unwrap_or(10);
        out[12] = (c >> 2u32).checked_manhattan_distance(d >> 2u32).unwrap_or(11);
        let mask = a.cmplt(b);
        out[14] = mask.bitmask();
        out[15] = mask.test(3) as u32 + mask.test(2) as u32;
        let flags = BVec3::from_array([a.x > b.y, a.y > b.z, a.z > b.x]);
        out[16] = flags.bitmask() + flags.test(1) as u32;
        out
    }

    fn distances_of(a: UVec4, b: UVec4) -> [u32; 32] {
        let (a, b) = (a >> 4u32, b >> 4u32);
        let (c, d) = (a.as_ivec4() - (1 << 27), b.as_ivec4() - (1 << 27));
        let (e, f) = (c >> 16u32, d >> 16u32);
        let (g, h) = (e.xy(), f.zw());
        let (i, j) = (a.xyz() >> 14u32, b.xyz() >> 14u32);
        let turned = g.rotate(h) + g.perp();
        let normal = e.xyz().cross(f.xyz());
        let ordered = UVec3::new(0, i.y + 1, 0).cross(UVec3::new(0, 0, j.z));
        [
            a.manhattan_distance(b), c.manhattan_distance(d), a.chebyshev_distance(b), c.chebyshev_distance(d),
            a.xy().manhattan_distance(b.zw()), c.xyz().chebyshev_distance(d.xyz()), e.distance_squared(f) as u32,
            g.distance_squared(h) as u32, g.perp_dot(h) as u32, turned.x as u32, turned.y as u32, normal.x as u32,
            normal.y as u32, normal.z as u32, ordered.y.wrapping_add(ordered.x), e.dot_into_vec(f).w as u32,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
    }

    fn parts_of(a: UVec4, b: UVec4) -> [u32; 32] {
        let c = UVec4::from((a.xyz(), b.w)) ^ UVec4::from((a.x, b.xyz()));
        let d = UVec4::from((a.xy(), b.x, 5)) ^ UVec4::from((b.zw(), a.zw())) ^ UVec4::from((1, 2, a.x, 4));
        let e = IVec3::from((ivec2(a.x as i32, 4), 9)) ^ IVec3::from((1, 2, b.x as i32));
        let mask = a.cmplt(b);
        let f = UVec4::from(mask) ^ UVec4::from([b.x, 1, 2, 3]);
        let g: UVec3 = (a.zw(), b.y).into();
        let h: [u32; 4] = b.into();
        let (x, y): (u32, u32) = a.xy().into();
        let flags = Vec3::from(a.xyz().cmpgt(b.xyz()));
        let turn = Quat::from_xyzw(1.0, 2.0, 3.0, a.w as f32);
        let v = Vec4::from(turn) + Vec4::from((flags, 1.0));
        let axes = UVec3::AXES[a.x as usize % 3];
        [
            c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w, e.x as u32, e.y as u32, e.z as u32, f.x, f.y, f.z, f.w, g.x, g.y,
            g.z, h[0], h[3], x, y, v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), v.w.to_bits(), axes.x, axes.y, axes.z,
            0, 0, 0,
        ]
    }

    fn tests_of(a: Vec4, b: Vec4) -> [f32; 32] {
        let (c, d) = (a.xyz(), b.xy());
        let clamped = c.map(|lane| if lane > 1.0 { 1.0 } else { -lane });
        let swapped = b.map(f32::abs);
        let (e, f) = (a.with_wyx(b.xyz()), c.with_zx(d));
        [
            a.min_position() as f32, a.max_position() as f32, c.min_position() as f32, c.max_position() as f32,
            d.min_position() as f32, d.max_position() as f32, a.is_negative_bitmask() as f32,
            c.is_negative_mask().bitmask() as f32, a.is_negative_mask().bitmask() as f32,
            a.is_finite_mask().bitmask() as f32, a.is_nan_mask().bitmask() as f32, d.is_nan_mask().bitmask() as f32,
            d.is_finite_mask().bitmask() as f32, clamped.x, clamped.y, clamped.z, swapped.x, swapped.y, swapped.z,
            swapped.w, a.cmple(b).bitmask() as f32, e.x, e.y, e.z, e.w, f.x, f.y, f.z, 0.0, 0.0, 0.0,
            0.0,
        ]
    }

    fn sums_of(a: Vec4, b: Vec4) -> [f32; 32] {
        let (c, d) = (a.xyz(), b.xyz());
        let (e, f) = (a.xy(), b.xy());
        let b = b + Vec4::splat(4.5);
        let q = a.div_euclid(b);
        let r = a.rem_euclid(b);
        let s = (c * 5.0).div_euclid(Vec3::new(0.75, -1.5, 2.0)) + (c * 5.0).rem_euclid(Vec3::new(0.75, -1.5, 2.0));
        let t = a.lerp_monotonic(b, 0.3);
        let u = c.lerp_monotonic(d, e.x);
        let v = a.dot_into_vec(b);
        let w = c.dot_into_vec(d);
        let x = c.reject_from_normalized(Vec3::new(0.6, 0.0, 0.8));
        let y = a.reject_from_normalized(Vec4::new(0.5, 0.5, -0.5, 0.5));
        let z = (b + Vec4::W).project() + Vec3::from_homogeneous(b) + d.to_homogeneous().xyz();
        [
            q.x, q.y, q.z, q.w, r.x, r.y, r.z, r.w, s.x, s.y, s.z, t.x + t.w, t.y, t.z, u.x, u.y, u.z, v.x, v.w,
            w.z, x.x, x.y, x.z, y.x, y.y, y.z, y.w, z.x, z.y, z.z, e.lerp_monotonic(f, 2.0).x, e.dot_into_vec(f).y,
        ]
    }

    fn cells_of(a: Vec4, b: Vec4) -> [f32; 32] {
        let m = Mat4::from_cols(a, b, a.wzyx() + Vec4::ONE, b.yxwz());
        let n = Mat3::from_rows_array(&[a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, 3.0]);
        let o = Mat2::from_rows_array(&a.to_array());
        let p = n.mul_mat3(&n.transpose()).add_mat3(&n).sub_mat3(&Mat3::IDENTITY);
        let q = m.transpose_mul_vec4(b) + m.transpose_mul_vec4(a);
        let r = n.transpose_mul_vec3(b.xyz()) + n.mul_diagonal_scale(a.xyz()).y_axis;
        let s = o.transpose_mul_vec2(b.xy()) + o.transpose_mul_vec2(b.zw()) + o.mul_diagonal_scale(b.xy()).x_axis;
        let t = (n * n + Mat3::from_diagonal(Vec3::splat(9.0))).recip();
        let u = m.to_rows_array();
        let v = o.mul_mat2(&o).add_mat2(&o).sub_mat2(&Mat2::IDENTITY).to_rows_array();
        let w = m.mul_mat4(&m).add_mat4(&m).sub_mat4(&Mat4::IDENTITY).w_axis;
        [
            p.x_axis.x, p.x_axis.y, p.x_axis.z, p.z_axis.y, q.x, q.y, q.z, q.w, r.x, r.y, r.z, s.x, s.y, t.x_axis.x,
            t.y_axis.y, t.z_axis.z, u[0], u[1], u[4], u[11], u[14], v[0], v[1], v[2], v[3], w.x, w.y, w.z, w.w,
            f32::from(n.abs_diff_eq(n + Mat3::IDENTITY, 0.5)) + f32::from(m.abs_diff_eq(m, 0.0)) * 2.0,
            f32::from(o.try_inverse().is_some()), f32::from(Mat3::ZERO.try_inverse().is_none()),
        ]
    }

    fn lengths_of(a: Vec4, b: Vec4) -> [f32; 32] {
        let (c, length) = a.normalize_and_length();
        let (d, none) = Vec3::ZERO.normalize_and_length();
        let (e, short) = b.xy().normalize_and_length();
        let (sin, cos) = a.sin_cos();
        let (sin3, cos3) = b.xyz().sin_cos();
        let m = Mat3::from_cols(a.xyz(), b.xyz(), Vec3::new(0.5, -1.0, 9.0)) + Mat3::from_diagonal(Vec3::splat(20.0));
        let n = m.try_inverse().unwrap_or(Mat3::ZERO).y_axis * 10.0 + m.inverse_or_zero().x_axis;
        let o = Mat4::from_cols(a, b, Vec4::ONE, Vec4::Z) + Mat4::from_diagonal(Vec4::splat(20.0));
        let p = o.inverse_or_zero().z_axis + Mat4::ZERO.inverse_or_zero().x_axis;
        let q = Mat2::from_cols(a.xy(), b.xy()) + Mat2::from_diagonal(Vec2::splat(10.0));
        let q = q.inverse_or_zero();
        [
            c.x, c.y, c.z, c.w, length, d.x, none, e.x, e.y, short, sin.x, sin.y, cos.z, cos.w, sin3.x, cos3.z, n.x,
            n.y, n.z, p.x, p.y, p.z, p.w, q.x_axis.x, q.x_axis.y, q.y_axis.x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        ]
    }

    fn turns_of(a: Vec4, b: Vec4) -> [f32; 32] {
        let (c, d) = (a.xyz() + Vec3::new(0.01, 0.02, 0.03), b.xyz() + Vec3::new(0.3, -0.2, 0.15));
        let (e, f) = (c.xy(), d.xy());
        let t = a.w * 0.25;
        let g = c.slerp(d, 0.3);
        let h = c.slerp(c * 2.0, 0.5);
        let i = c.slerp(-c, 0.25);
        let j = c.rotate_towards(d, 0.2);
        let k = c.rotate_towards(d, -0.2);
        let l = c.rotate_towards(d, 9.0);
        let m = e.rotate_towards(f, 0.3);
        let n = e.rotate_towards(f, -0.3);
        let o = e.rotate_angle(t);
        let p = Quat::from_rotation_arc_2d(e.normalize(), f.normalize());
        let q = Quat::from_rotation_arc_colinear(c.normalize(), d.normalize());
        [
            g.x, g.y, g.z, h.x, h.y, h.z, i.length(), i.dot(c), j.x, j.y, j.z, k.x, k.y, k.z, l.x, l.y, l.z, m.x, m.y,
            n.x, n.y, o.x, o.y, p.z, p.w, q.x, q.y, q.z, q.w, 0.0, 0.0, 0.0,
        ]
    }

    fn quats_of(a: Vec4, b: Vec4) -> [f32; 32] {
        let (p, q) = (Quat::from_scaled_axis(a.xyz()), Quat::from_scaled_axis(b.xyz() * 0.5));
        let (m, n) = (Mat3::from_quat(p), Mat4::from_quat(q));
        let (r, s) = (Quat::from_mat3(&m), Quat::from_mat4(&n));
        let (axis, angle) = q.to_axis_angle();
        let scaled = q.to_scaled_axis();
        let whole = Mat4::from_scale_rotation_translation(Vec3::new(-2.0, 0.5, 3.0), q, a.xyz());
        let (scale, turn, at) = whole.to_scale_rotation_translation();
        let t = p.slerp_long(q, 0.25);
        let u = p.rotate_towards(q, 0.1);
        let v = p.rotate_towards(q, -0.1);
        let none = Quat::from_scaled_axis(Vec3::ZERO);
        let flags = f32::from(none.is_near_identity()) + f32::from(p.abs_diff_eq(q, 0.5)) * 2.0;
        [
            r.x * r.w, r.y * r.w, r.z * r.x, s.x * s.w, s.y * s.z, s.w * s.w, axis.x, axis.y, axis.z, angle, scaled.x,
            scaled.y, scaled.z, scale.x, scale.y, scale.z, turn.x * turn.y, turn.z * turn.w, at.x, at.y, at.z, t.x,
            t.y, t.z, t.w, u.x, u.y, u.w, v.x, v.y, v.z + flags, v.w,
        ]
    }

    fn constants_of(a: Vec4, b: Vec4) -> [f32; 32] {
        let c = CELLS * a.xyz() + COLUMNS * b.xyz();
        let d = ROWS * a.xy() + GRID * b.xy();
        let axes = Vec3::AXES;
        [
            c.x, c.y, c.z, d.x, d.y, TURN.x, TURN.w, axes[0].x, axes[1].y, axes[2].x, ROWS.x_axis.y, GRID.x_axis.y,
            f32::MAX_EXP as f32, f32::DIGITS as f32, f64::MIN_10_EXP as f32, f32::RADIX as f32,
            f64::MANTISSA_DIGITS as f32, Vec4::AXES[a.x.abs() as usize % 4].w, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        ]
    }
}

/// A kernel of one of the functions.
macro_rules! kernels {
    ($($kernel:ident $function:ident $input:ty, $result:ty;)+) => { $(
        #[kernel(workgroup = 32)]
        fn $kernel(a: &[$input], b: &[$input], out: &mut [[$result; 32]]) {
            let i = global_id().x;
            out[i] = $function(a[i], b[i]);
        }
    )+ };
}

kernels! {
    lanes lanes_of UVec4, u32;
    checked checked_of UVec4, u32;
    distances distances_of UVec4, u32;
    parts parts_of UVec4, u32;
    tests tests_of Vec4, f32;
    sums sums_of Vec4, f32;
    cells cells_of Vec4, f32;
    lengths lengths_of Vec4, f32;
    turns turns_of Vec4, f32;
    quats quats_of Vec4, f32;
    constants constants_of Vec4, f32;
}
