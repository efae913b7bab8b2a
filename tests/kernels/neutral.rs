//! Arithmetic of floats with zeros and ones that are written out, and of a value with itself: nothing is to do for most values, and
//! something for a zero's sign, an infinity or a NaN.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// Results of each value.
#[device]
const RESULTS: usize = 32;

/// Zeros that are no literals where they are used.
#[device]
const WEIGHTS: [f32; 6] = [0.0, 1.0, -0.0, 0.5, 0.0, 2.0];

/// Of both signs, and no other than exact results.
const NUMBERS: [f32; 16] = {
    let inf = f32::INFINITY;
    [0.0, 1.0, 2.0, 0.5, 1024.0, 3.0, inf, f32::NAN, -0.0, -1.0, -2.0, -0.5, -1024.0, -3.0, -inf, 0.25]
};

macro_rules! kernels {
    ($($name:ident, $results:ident, $ty:ty, $zero:expr, $one:expr;)+) => {$(
        #[device]
        fn $results(x: $ty) -> [$ty; RESULTS] {
            let (zero, one) = ($zero, $one);
            [
                x * zero, zero * x, x * -zero, -zero * x,
                x * one, one * x, x * -one, -one * x,
                x + zero, zero + x, x + -zero, -zero + x,
                x - zero, zero - x, x - -zero, -zero - x,
                x / one, x / -one, x / zero, x / -zero, zero / x, -zero / x,
                x - x, x / x, x + -x, x * x - x * x, x.max(x), x.min(x),
                one / x, -one / x, x % one, zero % x,
            ]
        }

        #[kernel(workgroup = 16)]
        fn $name(x: &[$ty], out: &mut [[$ty; RESULTS]]) {
            let i = global_id().x;
            out[i] = $results(x[i]);
        }
    )+};
}

kernels! {
    singles, of_single, f32, 0.0f32, 1.0f32;
    doubles, of_double, f64, 0.0f64, 1.0f64;
    halves, of_half, f16, f16::ZERO, f16::ONE;
}

/// The bits, of all NaNs the same.
macro_rules! bits {
    ($ty:ty, $values:expr) => {{
        let bits = |value: &$ty| if value != value { u64::MAX } else { value.to_bits().into() };
        Output::Bits($values.as_flattened().iter().map(bits).collect())
    }};
}

/// Tables that drivers keep as such, until a loop is unrolled.
#[device]
const TABLE: [f32; 100] = [0.0; 100];

#[device]
const STEPS: [f32; 100] = {
    let mut steps = [0.0; 100];
    let mut k = 0;
    while k < 100 {
        steps[k] = if k % 3 == 0 { 0.0 } else { k as f32 };
        k += 1;
    }
    steps
};

#[device]
fn of_tables(x: f32) -> [f32; 32] {
    let mut out = [0.0f32; 32];
    for k in 0..32 {
        out[k] = x * STEPS[k] + x / TABLE[k + 7];
        if x > 5.0 {
            out[k] = STEPS[k] * x;
        }
    }
    out
}

#[kernel(workgroup = 16)]
fn tables(x: &[f32], out: &mut [[f32; 32]]) {
    let i = global_id().x;
    out[i] = of_tables(x[i]);
}

#[device]
fn found(x: f32, four: u32) -> [f32; 32] {
    let mut out = [0.0f32; 32];
    let mut sum = 0.0;
    for k in 0..4 {
        out[k] = x * k as f32;
        out[4 + k] = x / (k as i32 - 2) as f32;
        sum += x;
    }
    out[8] = sum;
    for k in 0..6 {
        out[9 + k] = WEIGHTS[k] * x;
    }
    out[15] = x * if x < 2.0 { 0.0 } else { 1.0 };
    out[16] = x * (x > 2.0) as u32 as f32;
    out[17] = x + f32::from_bits(0);
    let v = Vec3::new(x, 1.0, x);
    let scaled = v * Vec3::ZERO;
    (out[18], out[19], out[20]) = (scaled.x, scaled.y, scaled.z);
    out[21] = v.dot(Vec3::Y);
    let turned = Mat2::IDENTITY * Vec2::new(x, 3.0);
    (out[22], out[23]) = (turned.x, turned.y);
    out[24] = x % 0.0;
    out[25] = x.mul_add(0.0, 1.0);
    let mut product = 1.0;
    let mut k = 0u8;
    while (k as u32) < four {
        product *= (k as f32) + x;
        out[26 + k as usize] = x - k as f32;
        k += 1;
    }
    out[30] = product;
    out[31] = (0i64 as f64 * x as f64) as f32;
    out
}

#[kernel(workgroup = 16)]
fn zeros(x: &[f32], four: u32, out: &mut [[f32; 32]]) {
    let i = global_id().x;
    out[i] = found(x[i], four);
}

macro_rules! entry {
    ($name:literal, $kernel:ident, $results:ident, $ty:ty, $from:expr) => {
        case!(
            $name,
            [$kernel],
            |mgr| {
                let (x, mut out) = (mgr.tensor(&NUMBERS.map($from))?, mgr.tensor_of_len(NUMBERS.len())?);
                let seq = mgr.sequence()?;
                $kernel::dispatch(&seq, Grid::items(NUMBERS.len()), &x, &mut out)?;
                seq.eval()?;
                Ok(vec![bits!($ty, out.to_vec()?)])
            },
            || vec![bits!($ty, NUMBERS.map($from).map($results))]
        )
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    entry!("neutral::singles", Singles, of_single, f32, |x| x),
    entry!("neutral::doubles", Doubles, of_double, f64, f64::from),
    entry!("neutral::halves", Halves, of_half, f16, f16::from_f32),
    case!(
        "neutral::tables",
        [Tables],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&NUMBERS)?, mgr.tensor_of_len(NUMBERS.len())?);
            let seq = mgr.sequence()?;
            Tables::dispatch(&seq, Grid::items(NUMBERS.len()), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![bits!(f32, out.to_vec()?)])
        },
        || vec![bits!(f32, NUMBERS.map(of_tables))]
    ),
    case!(
        "neutral::zeros",
        [Zeros],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&NUMBERS)?, mgr.tensor_of_len(NUMBERS.len())?);
            let seq = mgr.sequence()?;
            Zeros::dispatch(&seq, Grid::items(NUMBERS.len()), &x, 4, &mut out)?;
            seq.eval()?;
            Ok(vec![bits!(f32, out.to_vec()?)])
        },
        || vec![bits!(f32, NUMBERS.map(|x| found(x, 4)))]
    ),
];
