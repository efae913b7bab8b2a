//! Kernels that give up parts of exact arithmetic: their results stay near those of the others.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate};

const N: usize = 256;

fn polynomial_of(x: f64) -> f64 {
    ((x * 0.5 + 0.25) * x - 3.0) * x + 1.0 - x * 0.125
}

fn functions_of(x: f64) -> f64 {
    x.sin() + (x * 0.1).exp() * x.abs().sqrt() - (x.abs() + 1.0).ln() + x.mul_add(0.5, 0.25).tanh()
}

fn roots_of(x: f64) -> f64 {
    let v = [x, 0.5, 1.0 - x];
    let length = v.iter().map(|lane| lane * lane).sum::<f64>().sqrt();
    1.0 / (x * x + 1.0).sqrt() + x / (x.abs() + 0.5).sqrt() + v[0] / length - v[2] / length
}

/// Runs one of the kernels.
macro_rules! near {
    ($name:literal, $kernel:ident, $truth:path) => {
        case!(
            $name,
            [$kernel],
            |mgr| {
                let (x, mut out) = (mgr.tensor(&moderate(N, 1, 3.0))?, mgr.tensor(&vec![0f32; N])?);
                let seq = mgr.sequence()?;
                $kernel::dispatch(&seq, Grid::items(N), &x, &mut out)?;
                seq.eval()?;
                Ok(vec![Output::near(out.to_vec()?, 5e-3)])
            },
            || vec![Output::near(moderate(N, 1, 3.0).into_iter().map(|x| $truth(x.into()) as f32).collect(), 5e-3)]
        )
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    near!("fast_math::contract", Contract, polynomial_of),
    near!("fast_math::reassociate", Reassociate, polynomial_of),
    near!("fast_math::no_nan", NoNan, polynomial_of),
    near!("fast_math::approximate_functions", Approximate, functions_of),
    near!("fast_math::everything", Everything, functions_of),
    near!("fast_math::roots", Roots, roots_of),
];

#[device]
fn polynomial(x: f32) -> f32 {
    ((x * 0.5 + 0.25) * x - 3.0) * x + 1.0 - x * 0.125
}

#[device]
fn functions(x: f32) -> f32 {
    x.sin() + (x * 0.1).exp() * x.abs().sqrt() - (x.abs() + 1.0).ln() + x.mul_add(0.5, 0.25).tanh()
}

#[kernel(workgroup = 64, fast_math(contract))]
fn contract(x: &[f32], out: &mut [f32]) {
    out[global_id().x] = polynomial(x[global_id().x]);
}

#[kernel(workgroup = 64, fast_math(reassociate))]
fn reassociate(x: &[f32], out: &mut [f32]) {
    out[global_id().x] = polynomial(x[global_id().x]);
}

#[kernel(workgroup = 64, fast_math(no_nan))]
fn no_nan(x: &[f32], out: &mut [f32]) {
    out[global_id().x] = polynomial(x[global_id().x]);
}

#[kernel(workgroup = 64, fast_math(approximate_functions))]
fn approximate(x: &[f32], out: &mut [f32]) {
    out[global_id().x] = functions(x[global_id().x]);
}

#[kernel(workgroup = 64, fast_math)]
fn everything(x: &[f32], out: &mut [f32]) {
    out[global_id().x] = functions(x[global_id().x]);
}

#[kernel(workgroup = 64, fast_math(approximate_functions))]
fn roots(x: &[f32], out: &mut [f32]) {
    let x = x[global_id().x];
    let v = Vec3::new(x, 0.5, 1.0 - x);
    let unit = v.normalize();
    let quotient = x / (x.abs() + 0.5).sqrt();
    out[global_id().x] = 1.0 / (x * x + 1.0).sqrt() + quotient + unit.x - v.z / v.length();
}
