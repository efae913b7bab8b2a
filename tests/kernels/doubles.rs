//! Functions of `f64`, which devices do not have: exponentials, logarithms, powers, roots, angles of any size.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, Scalar as _, bits, floats};

const N: usize = 512;

/// Numbers of every size.
fn numbers() -> Vec<f64> {
    let wide = floats(N, 2).into_iter().zip(f64::samples(N, 3));
    wide.map(|(near, far)| if near.abs() < 1e3 { near.into() } else { far }).collect()
}

/// For each result, whether it is near the host's, within units in the last place or a part of the value.
fn errors(found: &[f64], wanted: impl Iterator<Item = f64>, ulp: u64, part: f64) -> Output {
    let is_close = |(found, wanted): (&f64, f64)| {
        let is_none = wanted.abs() < f64::MIN_POSITIVE && found.abs() <= f64::MIN_POSITIVE;
        let is_near = (found - wanted).abs() <= part * wanted.abs();
        is_none || is_near || wanted.is_nan() && found.is_nan() || found.to_bits().abs_diff(wanted.to_bits()) <= ulp
    };
    Output::U32(found.iter().zip(wanted).map(|pair| u32::from(is_close(pair))).collect())
}

fn functions_of(x: f64) -> [f64; 8] {
    [x.exp(), x.exp2(), x.ln(), x.log2(), x.log10(), x.sin(), x.cos(), x.tan()]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "doubles::functions",
        [Functions],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![0f64; N * 8])?);
            let seq = mgr.sequence()?;
            Functions::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![errors(&out.to_vec()?, numbers().into_iter().flat_map(functions_of), 7, 0.0)])
        },
        || vec![Output::U32(vec![1; N * 8])]
    ),
    case!(
        "doubles::hyperbolic_and_arc",
        [MoreFunctions],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![0f64; N * 9])?);
            let seq = mgr.sequence()?;
            MoreFunctions::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![errors(&out.to_vec()?, numbers().into_iter().flat_map(more_functions_of), 6, 0.0)])
        },
        || vec![Output::U32(vec![1; N * 9])]
    ),
    case!(
        "doubles::inverse_hyperbolic",
        [InverseFunctions],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![0f64; N * 3])?);
            let seq = mgr.sequence()?;
            InverseFunctions::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            // Rust's own lose digits: `acosh` near 1, `asinh` and `atanh` of negative numbers.
            let truth = numbers().into_iter().flat_map(|x| [x.asinh(), x.acosh(), x.abs().atanh().copysign(x)]);
            Ok(vec![errors(&out.to_vec()?, truth, 8, 1e-6)])
        },
        || vec![Output::U32(vec![1; N * 3])]
    ),
    case!(
        "doubles::of_two_numbers",
        [OfPairs],
        |mgr| {
            let (x, y) = pairs();
            let count = x.len();
            let (x, y, mut out) = (mgr.tensor(&x)?, mgr.tensor(&y)?, mgr.tensor(&vec![0f64; count * 4])?);
            let seq = mgr.sequence()?;
            OfPairs::dispatch(&seq, Grid::items(count), &x, &y, &mut out)?;
            seq.eval()?;
            let (x, y) = pairs();
            let truth = x.into_iter().zip(y).flat_map(|(x, y)| [x.powf(y), x.atan2(y), x.hypot(y), x.log(y)]);
            Ok(vec![errors(&out.to_vec()?, truth, 6, 0.0)])
        },
        || vec![Output::U32(vec![1; pairs().0.len() * 4])]
    ),
    case!(
        "doubles::there_and_back",
        [ThereAndBackAgain],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&wide_numbers())?, mgr.tensor(&vec![[0f64; 4]; 4 * N])?);
            let seq = mgr.sequence()?;
            ThereAndBackAgain::dispatch(&seq, Grid::items(4 * N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![bits(&out.to_vec()?.concat())])
        },
        || vec![bits(&wide_numbers().into_iter().flat_map(there_and_back).collect::<Vec<_>>())]
    ),
    case!(
        "doubles::mul_add",
        [MulAdd],
        |mgr| {
            let [a, b, c] = triples();
            let count = a.len();
            let (a, b, c) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&c)?);
            let (mut out, mut narrow) = (mgr.tensor(&vec![0f64; count])?, mgr.tensor(&vec![0f32; count])?);
            let seq = mgr.sequence()?;
            MulAdd::dispatch(&seq, Grid::items(count), &a, &b, &c, &mut out, &mut narrow)?;
            seq.eval()?;
            Ok(vec![exact_bits(out.to_vec()?), Output::exact(narrow.to_vec()?)])
        },
        || {
            let [a, b, c] = triples();
            let all = || a.iter().zip(&b).zip(&c).map(|((a, b), c)| (*a, *b, *c));
            let narrow = all().map(|(a, _, _)| (a as f32).mul_add(2.0, 1.0)).collect();
            vec![exact_bits(all().map(|(a, b, c)| a.mul_add(b, c)).collect()), Output::exact(narrow)]
        }
    ),
];

/// Numbers that narrower types do not have; none that is subnormal there, which a device may take for zero.
fn wide_numbers() -> Vec<f64> {
    let all = f64::samples(4 * N, 9).into_iter();
    all.map(|x| if (x as f32).is_subnormal() { 1.0 / 3.0 } else { x }).collect()
}

/// To narrower types and back.
fn there_and_back(x: f64) -> [f64; 4] {
    let single = x as f32;
    [
        f16::from_f32(single).to_f32().into(),
        single.into(),
        bf16::from_f32(single).to_f32().into(),
        f16::from_f32(f16::from_f32(single).to_f32() + 1.0).to_f32().into(),
    ]
}

/// All bits, of subnormal numbers too, but those of NaNs.
fn exact_bits(values: Vec<f64>) -> Output {
    Output::Bits(values.into_iter().map(|x| if x.is_nan() { f64::NAN } else { x }.to_bits()).collect())
}

/// Operands of `a * b + c`: all triples of edges, and products with addends that cancel all but their last digits or lie half a unit
/// beside them.
fn triples() -> [Vec<f64>; 3] {
    const EDGES: [u64; 24] = [
        0x0000_0000_0000_0000,
        0x8000_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0xbff0_0000_0000_0000,
        0x3ff0_0000_0000_0001,
        0xbfef_ffff_ffff_ffff,
        0x3fff_ffff_ffff_ffff,
        0x4330_0000_0000_0001,
        0x3ca0_0000_0000_0000,
        0xbc90_0000_0000_0001,
        0x0000_0000_0000_0001,
        0x8000_0000_0000_0003,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x8010_0000_0000_0001,
        0x1ff0_0000_0000_0001,
        0x2000_0000_0000_0000,
        0x5fef_ffff_ffff_ffff,
        0x7fef_ffff_ffff_ffff,
        0xffef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0x5fe1_2345_6789_abcd,
    ];
    let edges = EDGES.map(f64::from_bits);
    let mut all: Vec<[f64; 3]> = Vec::new();
    for a in edges {
        for b in edges {
            all.extend(edges.map(|c| [a, b, c]));
        }
    }
    for (i, (a, b)) in f64::samples(4 * N, 4).into_iter().zip(f64::samples(4 * N, 7)).enumerate() {
        let product = a * b;
        let unit = product.abs().next_up() - product.abs();
        let c = [-product, -product + unit, product * 0.75, unit / 2.0, -unit * 0.75, f64::MIN_POSITIVE][i % 6];
        all.push([a, b, c]);
    }
    // Where nothing is left to compute, an ordinary product and sum does, and there a device may take subnormal numbers for zero.
    let is_decided = |x: f64| x == 0.0 || !x.is_finite();
    all.retain(|triple| {
        let has_subnormals = triple.iter().any(|x| x.is_subnormal());
        !has_subnormals || !is_decided(triple[0]) && !is_decided(triple[1])
    });
    [0, 1, 2].map(|i| all.iter().map(|triple| triple[i]).collect())
}

#[kernel(workgroup = 64)]
fn there_and_back_again(x: &[f64], out: &mut [[f64; 4]]) {
    let i = global_id().x;
    let x = x[i];
    let single = x as f32;
    out[i] = [
        f16::from_f32(single).to_f32() as f64,
        single as f64,
        bf16::from_f32(single).to_f32() as f64,
        f16::from_f32(f16::from_f32(single).to_f32() + 1.0).to_f32() as f64,
    ];
}

#[kernel(workgroup = 64)]
fn mul_add(a: &[f64], b: &[f64], c: &[f64], out: &mut [f64], narrow: &mut [f32]) {
    let i = global_id().x;
    out[i] = a[i].mul_add(b[i], c[i]);
    // In one kernel with the other width.
    narrow[i] = (a[i] as f32).mul_add(2.0, 1.0);
}

/// All pairs of edges, and others.
fn pairs() -> (Vec<f64>, Vec<f64>) {
    const EDGES: [f64; 22] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        1e300,
        -1e300,
        1e-300,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1.0 + f64::EPSILON,
        1.0 - f64::EPSILON,
        7.25,
        1e17,
    ];
    let mut pairs: Vec<(f64, f64)> = EDGES.iter().flat_map(|x| EDGES.iter().map(|y| (*x, *y))).collect();
    pairs.extend(floats(N, 5).into_iter().zip(floats(N, 6)).map(|(x, y)| (x.into(), y.into())));
    pairs.extend(f64::samples(N, 8).into_iter().zip(f64::samples(N, 9)));
    // A device may take subnormal numbers for zero.
    pairs.into_iter().filter(|(x, y)| !x.is_subnormal() && !y.is_subnormal()).unzip()
}

fn more_functions_of(x: f64) -> [f64; 9] {
    [x.exp_m1(), x.ln_1p(), x.sinh(), x.cosh(), x.tanh(), x.cbrt(), x.asin(), x.acos(), x.atan()]
}

#[kernel(workgroup = 64)]
fn more_functions(x: &[f64], out: &mut [f64]) {
    let i = global_id().x;
    let x = x[i];
    out[i * 9] = x.exp_m1();
    out[i * 9 + 1] = x.ln_1p();
    out[i * 9 + 2] = x.sinh();
    out[i * 9 + 3] = x.cosh();
    out[i * 9 + 4] = x.tanh();
    out[i * 9 + 5] = x.cbrt();
    out[i * 9 + 6] = x.asin();
    out[i * 9 + 7] = x.acos();
    out[i * 9 + 8] = x.atan();
}

#[kernel(workgroup = 64)]
fn inverse_functions(x: &[f64], out: &mut [f64]) {
    let i = global_id().x;
    let x = x[i];
    out[i * 3] = x.asinh();
    out[i * 3 + 1] = x.acosh();
    out[i * 3 + 2] = x.abs().atanh().copysign(x);
}

#[kernel(workgroup = 64)]
fn of_pairs(x: &[f64], y: &[f64], out: &mut [f64]) {
    let i = global_id().x;
    let (x, y) = (x[i], y[i]);
    out[i * 4] = x.powf(y);
    out[i * 4 + 1] = x.atan2(y);
    out[i * 4 + 2] = x.hypot(y);
    out[i * 4 + 3] = x.log(y);
}

#[kernel(workgroup = 64)]
fn functions(x: &[f64], out: &mut [f64]) {
    let i = global_id().x;
    let x = x[i];
    out[i * 8] = x.exp();
    out[i * 8 + 1] = x.exp2();
    out[i * 8 + 2] = x.ln();
    out[i * 8 + 3] = x.log2();
    out[i * 8 + 4] = x.log10();
    let (sin, cos) = x.sin_cos();
    out[i * 8 + 5] = sin;
    out[i * 8 + 6] = cos;
    out[i * 8 + 7] = x.tan();
}
