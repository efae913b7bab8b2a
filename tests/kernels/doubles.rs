//! Functions of `f64`, which devices do not have: exponentials, logarithms, angles of any size.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, Scalar as _, floats};

const N: usize = 512;

/// Numbers of every size.
fn numbers() -> Vec<f64> {
    let wide = floats(N, 2).into_iter().zip(f64::samples(N, 3));
    wide.map(|(near, far)| if near.abs() < 1e3 { near.into() } else { far }).collect()
}

/// How far results are from those of the host, in units in the last place; far ones are infinite.
fn errors(found: &[f64], truth: impl Fn(f64) -> [f64; 8]) -> Output {
    let wanted = numbers().into_iter().flat_map(truth);
    let is_close = |(found, wanted): (&f64, f64)| {
        let is_none = wanted.abs() < f64::MIN_POSITIVE && found.abs() <= f64::MIN_POSITIVE;
        is_none || wanted.is_nan() && found.is_nan() || found.to_bits().abs_diff(wanted.to_bits()) <= 7
    };
    Output::U32(found.iter().zip(wanted).map(|pair| u32::from(is_close(pair))).collect())
}

fn functions_of(x: f64) -> [f64; 8] {
    [x.exp(), x.exp2(), x.ln(), x.log2(), x.log10(), x.sin(), x.cos(), x.tan()]
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "doubles::functions",
    [Functions],
    |mgr| {
        let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![0f64; N * 8])?);
        let seq = mgr.sequence()?;
        Functions::dispatch(&seq, Grid::items(N), &x, &mut out)?;
        seq.eval()?;
        Ok(vec![errors(&out.to_vec()?, functions_of)])
    },
    || vec![Output::U32(vec![1; N * 8])]
)];

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
