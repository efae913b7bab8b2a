//! Inherent methods of `f32`.

use gridwise::prelude::*;

use super::arithmetic::flush;
use super::case;
use crate::case::{Case, Output, floats, moderate};

const N: usize = 4096;

/// Every `count`-th value is one method's output.
fn columns(values: &[f32], count: usize, tolerance: impl Fn(usize, Vec<f32>) -> Output) -> Vec<Output> {
    (0..count)
        .map(|column| tolerance(column, flush(values.iter().skip(column).step_by(count).copied().collect())))
        .collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("floats::exact_methods", [ExactMethods], |mgr| {
        let (a, b) = (mgr.tensor(&floats(N, 2))?, mgr.tensor(&floats(N, 3))?);
        let mut out = mgr.tensor(&vec![0f32; N * 12])?;
        let seq = mgr.sequence()?;
        ExactMethods::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
        seq.eval()?;
        Ok(columns(&out.to_vec()?, 12, |_, values| Output::exact(values)))
    }),
    case!("floats::classes", [Classes], |mgr| {
        let (a, mut out) = (mgr.tensor(&floats(N, 2))?, mgr.tensor(&vec![0u32; N])?);
        let seq = mgr.sequence()?;
        Classes::dispatch(&seq, Grid::items(N), &a, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?)])
    }),
    case!(
        "floats::mul_add",
        [MulAdd],
        |mgr| {
            let (a, b, c) = (moderate(N, 2, 1e3), moderate(N, 3, 1e3), moderate(N, 4, 1e6));
            let (a, b, c) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&c)?);
            let mut out = mgr.tensor(&vec![0f32; N])?;
            let seq = mgr.sequence()?;
            MulAdd::dispatch(&seq, Grid::items(N), &a, &b, &c, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?)])
        },
        || {
            let all = moderate(N, 2, 1e3).into_iter().zip(moderate(N, 3, 1e3)).zip(moderate(N, 4, 1e6));
            vec![Output::exact(all.map(|((a, b), c)| a.mul_add(b, c)).collect())]
        }
    ),
    case!(
        "floats::mul_add_at_the_ends",
        [MulAdd],
        |mgr| {
            let [a, b, c] = triples();
            let mut out = mgr.tensor(&vec![0f32; a.len()])?;
            let seq = mgr.sequence()?;
            let (a, b, c) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&c)?);
            MulAdd::dispatch(&seq, Grid::items(out.len()), &a, &b, &c, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?.into_iter().map(without_tiny).collect())])
        },
        || {
            let [a, b, c] = triples();
            let all = a.iter().zip(&b).zip(&c).map(|((a, b), c)| a.mul_add(*b, *c));
            vec![Output::exact(all.map(without_tiny).collect())]
        }
    ),
    case!("floats::trigonometry", [Trigonometry], |mgr| {
        let (a, mut out) = (mgr.tensor(&moderate(N, 2, 3.0))?, mgr.tensor(&vec![0f32; N * 5])?);
        let seq = mgr.sequence()?;
        Trigonometry::dispatch(&seq, Grid::items(N), &a, &mut out)?;
        seq.eval()?;
        // Vulkan asks for 2^-11 of sine and cosine, and 4096 ulp of the arcs.
        Ok(columns(&out.to_vec()?, 5, |column, values| Output::near(values, [5e-4, 5e-4, 1e-3, 1e-3, 1e-3][column])))
    }),
    case!("floats::wide_angles", [WideAngles], |mgr| {
        let (a, mut out) = (mgr.tensor(&moderate(N, 2, 2000.0))?, mgr.tensor(&vec![0f32; N * 2])?);
        let seq = mgr.sequence()?;
        WideAngles::dispatch(&seq, Grid::items(N), &a, &mut out)?;
        seq.eval()?;
        Ok(columns(&out.to_vec()?, 2, |_, values| Output::near(values, 1e-3)))
    }),
    case!(
        "floats::angles_together",
        [AnglesTogether],
        |mgr| {
            let a = [floats(N, 2), moderate(N, 3, 1e-3), moderate(N, 4, 4.0), moderate(N, 5, 3e4)].concat();
            let (a, mut out) = (mgr.tensor(&a)?, mgr.tensor(&vec![0u32; 4 * N])?);
            let seq = mgr.sequence()?;
            AnglesTogether::dispatch(&seq, Grid::items(4 * N), &a, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(vec![0; 4 * N])]
    ),
    case!("floats::exponentials", [Exponentials], |mgr| {
        let (a, mut out) = (mgr.tensor(&moderate(N, 2, 20.0))?, mgr.tensor(&vec![0f32; N * 8])?);
        let seq = mgr.sequence()?;
        Exponentials::dispatch(&seq, Grid::items(N), &a, &mut out)?;
        seq.eval()?;
        // Vulkan: exp 3 + 2|x| ulp; log 3 ulp, or 2^-21 near one.
        Ok(columns(&out.to_vec()?, 8, |column, values| match column {
            0 | 1 => Output::ulp(values, 64),
            2..=4 => Output::F32 { values, ulp: 8, absolute: 1e-6 },
            5 => Output::ulp(values, 4),
            _ => Output::F32 { values, ulp: 256, absolute: 1e-5 },
        }))
    }),
    case!("floats::powers", [Powers], |mgr| {
        let a: Vec<f32> = moderate(N, 2, 8.0);
        let b: Vec<f32> =
            moderate(N, 3, 4.0).into_iter().enumerate().map(|(i, v)| if i % 3 == 0 { v.round() } else { v }).collect();
        let (a, b, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0f32; N * 3])?);
        let seq = mgr.sequence()?;
        Powers::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
        seq.eval()?;
        Ok(columns(&out.to_vec()?, 3, |_, values| Output::ulp(values, 128)))
    }),
    case!("floats::special_values", [SpecialValues], |mgr| {
        let special = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -3.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let a: Vec<f32> = (0..144).map(|i| special[i / 12]).collect();
        let b: Vec<f32> = (0..144).map(|i| special[i % 12]).collect();
        let (a, b, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![0f32; 144 * 8])?);
        let seq = mgr.sequence()?;
        SpecialValues::dispatch(&seq, Grid::items(144), &a, &b, &mut out)?;
        seq.eval()?;
        Ok(columns(&out.to_vec()?, 8, |_, values| Output::F32 { values, ulp: 128, absolute: 1e-3 }))
    }),
];

#[kernel(workgroup = 64)]
fn exact_methods(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let o = i * 12;
    out[o] = a.abs();
    out[o + 1] = a.floor();
    out[o + 2] = a.ceil();
    out[o + 3] = a.round();
    out[o + 4] = a.trunc();
    out[o + 5] = a.round_ties_even();
    out[o + 6] = a.fract();
    out[o + 7] = a.signum();
    out[o + 8] = a.copysign(b);
    out[o + 9] = a.min(b);
    out[o + 10] = a.max(b);
    out[o + 11] = a.clamp(-1.5, 2.5);
}

#[kernel(workgroup = 64)]
fn classes(a: &[f32], out: &mut [u32]) {
    let i = global_id().x;
    let x = a[i];
    out[i] = x.is_nan() as u32
        + 2 * x.is_infinite() as u32
        + 4 * x.is_finite() as u32
        + 8 * x.is_sign_negative() as u32
        + 16 * x.is_sign_positive() as u32
        + 32 * (f32::from_bits(x.to_bits()) == x) as u32;
}

/// A result, or the zero that a device may give for it: NVIDIA's `Fma` flushes what is below the smallest normal number before it is rounded to it.
fn without_tiny(x: f32) -> f32 {
    if x.abs() <= f32::MIN_POSITIVE { 0.0 } else { x }
}

/// Operands of `a * b + c` near both ends of the range: all triples of edges, and products with addends that cancel all but their last
/// digits or lie half a unit beside them. A device may take subnormal numbers for zero, so there are none.
fn triples() -> [Vec<f32>; 3] {
    const EDGES: [u32; 20] = [
        0x0000_0000,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0001,
        0x3fff_ffff,
        0x4b00_0001,
        0xb300_0001,
        0x0080_0000,
        0x8080_0001,
        0x0100_0001,
        0x1f80_0001,
        0x5f12_3457,
        0x7e80_0001,
        0x7f00_0001,
        0xff12_3457,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
    ];
    let edges = EDGES.map(f32::from_bits);
    let mut all: Vec<[f32; 3]> = Vec::new();
    for a in edges {
        for b in edges {
            all.extend(edges.map(|c| [a, b, c]));
        }
    }
    for (i, (a, b)) in floats(4 * N, 4).into_iter().zip(floats(4 * N, 7)).enumerate() {
        let product = a * b;
        let unit = product.abs().next_up() - product.abs();
        all.push([
            a,
            b,
            [-product, -product + unit, product * 0.75, unit / 2.0, -unit * 0.75, f32::MIN_POSITIVE][i % 6],
        ]);
    }
    all.retain(|triple| !triple.iter().any(|x| x.is_subnormal()));
    [0, 1, 2].map(|i| all.iter().map(|triple| triple[i]).collect())
}

#[kernel(workgroup = 64)]
fn mul_add(a: &[f32], b: &[f32], c: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = a[i].mul_add(b[i], c[i]);
}

#[kernel(workgroup = 64)]
fn trigonometry(a: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let x = a[i];
    let o = i * 5;
    out[o] = x.sin();
    out[o + 1] = x.cos();
    out[o + 2] = (x / 3.0).asin();
    out[o + 3] = x.atan();
    out[o + 4] = x.atan2(1.5 - x);
}

#[kernel(workgroup = 64)]
fn wide_angles(a: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let (sin, cos) = a[i].sin_cos();
    out[i * 2] = sin;
    out[i * 2 + 1] = cos;
}

#[kernel(workgroup = 64)]
fn exponentials(a: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let x = a[i];
    let o = i * 8;
    out[o] = x.exp();
    out[o + 1] = x.exp2();
    out[o + 2] = x.abs().ln();
    out[o + 3] = x.abs().log2();
    out[o + 4] = x.abs().log10();
    out[o + 5] = x.sqrt();
    out[o + 6] = x.tanh();
    out[o + 7] = (x / 4.0).sinh() / (x / 4.0).cosh();
}

#[kernel(workgroup = 64)]
fn powers(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let o = i * 3;
    out[o] = a[i].powf(b[i]);
    out[o + 1] = a[i].powi(3);
    out[o + 2] = a[i].hypot(b[i]);
}

#[kernel(workgroup = 16)]
fn special_values(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let o = i * 8;
    out[o] = a.powf(b);
    out[o + 1] = a.sqrt();
    out[o + 2] = a.ln();
    out[o + 3] = a.exp();
    out[o + 4] = a.tanh();
    out[o + 5] = a.atan2(b);
    out[o + 6] = a.asin();
    out[o + 7] = a.recip();
}

/// Writes whether sine and cosine of an angle are others together than alone.
#[kernel(workgroup = 64)]
fn angles_together(a: &[f32], out: &mut [u32]) {
    let i = global_id().x;
    let angle = a[i];
    // In these blocks there is no other function of the angle.
    let alone = if i % 2 == 0 { angle.sin() } else { angle.cos() };
    let (sine, cosine) = angle.sin_cos();
    let together = if i % 2 == 0 { sine } else { cosine };
    out[i] = u32::from(alone.to_bits() != together.to_bits() && !(alone.is_nan() && together.is_nan()));
}
