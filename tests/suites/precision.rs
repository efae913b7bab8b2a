//! How far each function of `f32` is from the true value on the device that `GRIDWISE_DEVICE` selects, in units of the last place.
//!
//! Prints a table and fails where a bound stated for Vulkan devices is exceeded. It tries 2^16 inputs of all magnitudes; `GRIDWISE_LONG=1` tries
//! all 2^32 of them, which takes hours on a processor and minutes on a GPU.

use gridwise::prelude::*;

/// Inputs of one launch.
const N: u32 = 1 << 16;
/// Functions.
const K: usize = 25;

#[kernel(workgroup = 64)]
fn functions(first: u32, stride: u32, out: &mut [f32]) {
    let i = global_id().x;
    let x = f32::from_bits(first + i * stride);
    let o = i * 25;
    out[o] = x.sin();
    out[o + 1] = x.cos();
    out[o + 2] = x.tan();
    out[o + 3] = x.asin();
    out[o + 4] = x.acos();
    out[o + 5] = x.atan();
    out[o + 6] = x.sinh();
    out[o + 7] = x.cosh();
    out[o + 8] = x.tanh();
    out[o + 9] = x.exp();
    out[o + 10] = x.exp2();
    out[o + 11] = x.ln();
    out[o + 12] = x.log2();
    out[o + 13] = x.log10();
    out[o + 14] = x.sqrt();
    out[o + 15] = x.cbrt();
    out[o + 16] = x.exp_m1();
    out[o + 17] = x.ln_1p();
    out[o + 18] = x.asinh();
    out[o + 19] = x.acosh();
    out[o + 20] = x.atanh();
    out[o + 21] = x.recip();
    out[o + 22] = x.powf(0.7);
    out[o + 23] = x.hypot(1.5);
    out[o + 24] = x.atan2(0.3);
}

/// A function's name, its true value, and the bound that is stated for all devices.
type Row = (&'static str, fn(f64) -> f64, f64);

/// Above this, Rust's own `asinh` and `acosh` of `f32` overflow on the way, and so do kernels.
const HALF: f64 = f32::MAX as f64 / 2.0;

const ROWS: [Row; K] = [
    ("sin", f64::sin, 3.0),
    ("cos", f64::cos, 3.0),
    ("tan", f64::tan, 5.0),
    ("asin", f64::asin, 3.0),
    ("acos", f64::acos, 3.0),
    ("atan", f64::atan, 5.0),
    ("sinh", f64::sinh, 2.0),
    ("cosh", f64::cosh, 2.0),
    ("tanh", f64::tanh, 4.0),
    ("exp", f64::exp, 2.0),
    ("exp2", f64::exp2, 2.0),
    ("ln", f64::ln, 2.0),
    ("log2", f64::log2, 2.0),
    ("log10", f64::log10, 3.0),
    ("sqrt", f64::sqrt, 3.0),
    ("cbrt", f64::cbrt, 3.0),
    ("exp_m1", f64::exp_m1, 8.0),
    ("ln_1p", f64::ln_1p, 8.0),
    ("asinh", |x| if x.abs() > HALF { f64::INFINITY.copysign(x) } else { x.asinh() }, 8.0),
    ("acosh", |x| if x > HALF { f64::INFINITY } else { x.acosh() }, 8.0),
    ("atanh", f64::atanh, 8.0),
    ("recip", f64::recip, 2.5),
    ("powf(0.7)", |x| x.powf(f64::from(0.7f32)), 2.0),
    ("hypot(1.5)", |x| x.hypot(1.5), 4.0),
    ("atan2(0.3)", |x| x.atan2(f64::from(0.3f32)), 5.0),
];

/// The error of a result in units of the last place of the true value.
fn error_of(found: f32, truth: f64) -> f64 {
    let nearest = truth as f32;
    if nearest.is_nan() || found.is_nan() {
        return if nearest.is_nan() && found.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if found == nearest || nearest.abs() < f32::MIN_POSITIVE && found.abs() <= f32::MIN_POSITIVE {
        // A device may take subnormal numbers for zero.
        return 0.0;
    }
    if nearest.is_infinite() || found.is_infinite() {
        // Next to the largest number, one unit further is infinity.
        let limit = f64::from(f32::MAX);
        return if truth.abs() > limit * (1.0 - 1e-6) && (truth > 0.0) == (found > 0.0) { 0.0 } else { f64::INFINITY };
    }
    let unit = f64::from(nearest.abs().next_up() - nearest.abs());
    (f64::from(found) - truth).abs() / unit
}

#[test]
fn functions_are_within_their_bounds() -> gridwise::Result<()> {
    let mgr = Manager::new()?;
    let is_long = std::env::var_os("GRIDWISE_LONG").is_some();
    let mut out = mgr.tensor(&vec![0f32; N as usize * K])?;
    let mut worst = [(0.0f64, 0f32); K];
    let (launches, stride) = if is_long { (1u32 << 16, 1) } else { (1, 65_521) };
    for launch in 0..launches {
        let first = launch.wrapping_mul(N);
        let seq = mgr.sequence()?;
        Functions::dispatch(&seq, Grid::items(N), first, stride, &mut out)?;
        seq.eval()?;
        let results = out.to_vec()?;
        for (index, results) in (0u32..).zip(results.chunks_exact(K)) {
            let x = f32::from_bits(first.wrapping_add(index.wrapping_mul(stride)));
            if x.is_subnormal() {
                continue;
            }
            for ((worst, (_, truth, _)), found) in worst.iter_mut().zip(&ROWS).zip(results) {
                let error = error_of(*found, truth(x.into()));
                if error > worst.0 {
                    *worst = (error, x);
                }
            }
        }
    }
    println!("{}, {} inputs", mgr.device(), u64::from(launches) * u64::from(N));
    println!("| function | largest error (ulp) | at | stated |\n| --- | --- | --- | --- |");
    for ((name, _, bound), (error, x)) in ROWS.iter().zip(worst) {
        println!("| `{name}` | {error:.2} | {x:e} | {bound} |");
    }
    // On the host device the functions are Rust's own, as exact as they may be.
    if mgr.device().kind == gridwise::DeviceKind::Host {
        return Ok(());
    }
    for ((name, _, bound), (error, x)) in ROWS.iter().zip(worst) {
        assert!(error <= *bound, "`{name}` of {x:e} is {error:.2} units off");
    }
    Ok(())
}
