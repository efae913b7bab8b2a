//! The error of each function of `f32` and `f64` on the device that `GRIDWISE_DEVICE` selects, in units of the last
//! place.
//!
//! Prints a table and fails where a bound stated for Vulkan devices is exceeded. It tries 2^16 inputs of all magnitudes; `GRIDWISE_LONG=1` tries
//! all 2^32 of them, `GRIDWISE_LONG=64` each 64th, and `GRIDWISE_FUNCTIONS=sin,cos` only these functions of `f32`. While the device computes,
//! all processors compute what is true: all inputs of a function take a processor core minutes.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use gridwise::prelude::*;

/// Inputs of one launch of the functions of `f64`.
const N: u32 = 1 << 16;
/// Most inputs of one launch of a function of `f32`.
const CHUNK: u64 = 1 << 22;
/// Functions.
const K: usize = 38;

/// The function of that number in `ROWS` of floats by their bits.
#[kernel(workgroup = 64)]
fn function(which: u32, first: u32, stride: u32, out: &mut [f32]) {
    let i = global_id().x;
    let x = f32::from_bits(first + i * stride);
    out[i] = match which {
        0 => x.sin(),
        1 => x.cos(),
        2 => x.tan(),
        3 => x.asin(),
        4 => x.acos(),
        5 => x.atan(),
        6 => x.sinh(),
        7 => x.cosh(),
        8 => x.tanh(),
        9 => x.exp(),
        10 => x.exp2(),
        11 => x.ln(),
        12 => x.log2(),
        13 => x.log10(),
        14 => x.sqrt(),
        15 => x.cbrt(),
        16 => x.exp_m1(),
        17 => x.ln_1p(),
        18 => x.asinh(),
        19 => x.acosh(),
        20 => x.atanh(),
        21 => x.recip(),
        22 => x.powf(0.7),
        23 => x.hypot(1.5),
        24 => x.atan2(0.3),
        25 => x.floor(),
        26 => x.ceil(),
        27 => x.round(),
        28 => x.trunc(),
        29 => x.fract(),
        30 => x.round_ties_even(),
        31 => x.powf(-20.3),
        32 => 1.7f32.powf(x),
        33 => f16::from_f32(x).to_f32(),
        34 => x / 255.0,
        35 => x / 0.3,
        36 => x % 6.0,
        _ => 1.0 / x.sqrt(),
    };
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
    ("sinh", f64::sinh, 4.0),
    ("cosh", f64::cosh, 4.0),
    ("tanh", f64::tanh, 4.0),
    ("exp", f64::exp, 3.5),
    ("exp2", f64::exp2, 2.5),
    ("ln", f64::ln, 2.0),
    ("log2", f64::log2, 2.0),
    ("log10", f64::log10, 3.0),
    ("sqrt", f64::sqrt, 3.0),
    ("cbrt", f64::cbrt, 3.0),
    ("exp_m1", f64::exp_m1, 2.0),
    ("ln_1p", f64::ln_1p, 2.0),
    ("asinh", |x| if x.abs() > HALF { f64::INFINITY.copysign(x) } else { x.asinh() }, 4.0),
    ("acosh", |x| if x > HALF { f64::INFINITY } else { x.acosh() }, 4.0),
    ("atanh", f64::atanh, 4.0),
    ("recip", f64::recip, 2.5),
    ("powf(0.7)", |x| x.powf(f64::from(0.7f32)), 4.0),
    ("hypot(1.5)", |x| x.hypot(1.5), 4.0),
    ("atan2(0.3)", |x| x.atan2(f64::from(0.3f32)), 5.0),
    ("floor", f64::floor, 0.0),
    ("ceil", f64::ceil, 0.0),
    ("round", f64::round, 0.0),
    ("trunc", f64::trunc, 0.0),
    ("fract", |x| (x as f32).fract().into(), 0.0),
    ("round_ties_even", f64::round_ties_even, 0.0),
    ("powf(-20.3)", |x| x.powf(f64::from(-20.3f32)), 4.0),
    ("1.7.powf", |x| f64::from(1.7f32).powf(x), 4.0),
    ("to f16 and back", |x| f16::from_f32(x as f32).to_f64(), 0.0),
    ("by 255", |x| x / 255.0, 2.5),
    ("by 0.3", |x| x / f64::from(0.3f32), 2.5),
    ("rest of 6", |x| (x as f32 % 6.0).into(), 0.0),
    ("one by sqrt", |x| f64::from(1.0 / (x as f32).sqrt()), 6.0),
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

/// Results of a launch: the first input's bits, and the results.
struct Chunk {
    first: u64,
    results: Vec<f32>,
}

/// The largest error that was seen, and where.
type Worst = (f64, f32);

/// Looks for errors in what the device sends, on one of many threads.
fn check(chunks: &Mutex<Receiver<Chunk>>, truth: fn(f64) -> f64, stride: u64) -> Worst {
    let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let mut worst = (0.0, 0.0);
    while let Ok(Chunk { first, results }) = next() {
        for (index, result) in (0..).zip(results) {
            let x = f32::from_bits((first + index * stride) as u32);
            // A device may take subnormal numbers for zero.
            if x.is_subnormal() {
                continue;
            }
            let error = error_of(result, truth(x.into()));
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
    worst
}

/// Every how many floats are tried, from `GRIDWISE_LONG`; a prime number, so that all digits occur, when it is not set.
fn stride() -> u64 {
    match std::env::var("GRIDWISE_LONG") {
        Ok(text) => text.parse().unwrap_or(1),
        Err(_) => 65_521,
    }
}

/// Whether `GRIDWISE_FUNCTIONS` leaves out a function.
fn is_left_out(name: &str) -> bool {
    std::env::var("GRIDWISE_FUNCTIONS").is_ok_and(|names| names.split(',').all(|wanted| wanted != name))
}

/// Threads that have the device compute: while one copies what it has, it computes for another.
const ASKING: u64 = 4;

/// Has the device compute the inputs of one function, chunk by chunk, beginning at chunk `turn`.
fn compute(mgr: &Manager, which: usize, turn: u64, stride: u64, send: &SyncSender<Chunk>) -> gridwise::Result<()> {
    let inputs = (1u64 << 32).div_ceil(stride);
    let mut out = mgr.tensor(&vec![0f32; inputs.min(CHUNK) as usize])?;
    for done in (turn * CHUNK..inputs).step_by((ASKING * CHUNK) as usize) {
        let (first, count) = (done * stride, CHUNK.min(inputs - done));
        let seq = mgr.sequence()?;
        Function::dispatch(&seq, Grid::items(count as u32), which as u32, first as u32, stride as u32, &mut out)?;
        seq.eval()?;
        let mut results = out.to_vec()?;
        results.truncate(count as usize);
        send.send(Chunk { first, results }).expect("threads receive as long as there is somebody who sends");
    }
    Ok(())
}

/// The largest error of one function.
fn measure(mgr: &Manager, which: usize, stride: u64) -> gridwise::Result<Worst> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (send, receive) = sync_channel(threads);
    let receive = Mutex::new(receive);
    let truth = ROWS[which].1;
    thread::scope(|scope| {
        let checks: Vec<_> = (0..threads).map(|_| scope.spawn(|| check(&receive, truth, stride))).collect();
        let computed: Vec<_> = (0..ASKING)
            .map(|turn| {
                let send = send.clone();
                scope.spawn(move || compute(mgr, which, turn, stride, &send))
            })
            .collect();
        // Threads that check end when nobody sends.
        drop(send);
        for computed in computed {
            computed.join().expect("no function panics")?;
        }
        let worst = checks.into_iter().map(|check| check.join().expect("a check does not panic"));
        Ok(worst.fold((0.0, 0.0), |worst: Worst, it| if it.0 > worst.0 { it } else { worst }))
    })
}

#[test]
fn functions_are_within_their_bounds() -> gridwise::Result<()> {
    let mgr = Manager::new()?;
    let stride = stride();
    println!("{}, {} inputs", mgr.device(), (1u64 << 32).div_ceil(stride));
    println!("| function | largest error (ulp) | at | stated |\n| --- | --- | --- | --- |");
    let mut wrong = Vec::new();
    for (which, (name, _, bound)) in ROWS.iter().enumerate().filter(|(_, row)| !is_left_out(row.0)) {
        let (error, x) = measure(&mgr, which, stride)?;
        println!("| `{name}` | {error:.2} | {x:e} | {bound} |");
        if error > *bound {
            wrong.push(format!("`{name}` of {x:e} is {error:.2} units off"));
        }
    }
    // On the host device the functions are Rust's own, as exact as they may be.
    assert!(wrong.is_empty() || mgr.device().kind == gridwise::DeviceKind::Host, "{}", wrong.join("\n"));
    Ok(())
}

/// Functions of `f64`.
const WIDE: usize = 23;

#[kernel(workgroup = 64)]
fn wide_functions(x: &[f64], y: &[f64], out: &mut [f64]) {
    let i = global_id().x;
    let (x, y) = (x[i], y[i]);
    let o = i * 23;
    out[o] = x.exp();
    out[o + 1] = x.exp2();
    out[o + 2] = x.ln();
    out[o + 3] = x.log2();
    out[o + 4] = x.log10();
    out[o + 5] = x.sin();
    out[o + 6] = x.cos();
    out[o + 7] = x.tan();
    out[o + 8] = x.asin();
    out[o + 9] = x.acos();
    out[o + 10] = x.atan();
    out[o + 11] = x.sinh();
    out[o + 12] = x.cosh();
    out[o + 13] = x.tanh();
    out[o + 14] = x.asinh();
    out[o + 15] = x.acosh();
    out[o + 16] = x.atanh();
    out[o + 17] = x.exp_m1();
    out[o + 18] = x.ln_1p();
    out[o + 19] = x.cbrt();
    out[o + 20] = x.powf(y);
    out[o + 21] = x.atan2(y);
    out[o + 22] = x.hypot(y);
}

/// Half the largest number: Rust's own `asinh` and `acosh` overflow above.
const WIDE_HALF: f64 = f64::MAX / 2.0;

/// `ln(1 + argument)` for the inverse hyperbolic functions, which the standard library loses digits of.
fn inverse(size: f64, argument: f64) -> f64 {
    match size {
        _ if size > WIDE_HALF => f64::INFINITY,
        _ if size > 1e9 => size.ln() + std::f64::consts::LN_2,
        _ => argument.ln_1p(),
    }
}

fn true_asinh(x: f64) -> f64 {
    let a = x.abs();
    inverse(a, a + a * a / (1.0 + (1.0 + a * a).sqrt())).copysign(x)
}

fn true_acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    let t = x - 1.0;
    inverse(x, t + (2.0 * t + t * t).sqrt())
}

/// A function's name, its value on the host, and the bound that is stated for all devices.
type WideRow = (&'static str, fn(f64, f64) -> f64, u64);

const WIDE_ROWS: [WideRow; WIDE] = [
    ("exp", |x, _| x.exp(), 2),
    ("exp2", |x, _| x.exp2(), 2),
    ("ln", |x, _| x.ln(), 2),
    ("log2", |x, _| x.log2(), 2),
    ("log10", |x, _| x.log10(), 2),
    ("sin", |x, _| x.sin(), 3),
    ("cos", |x, _| x.cos(), 3),
    ("tan", |x, _| x.tan(), 7),
    ("asin", |x, _| x.asin(), 3),
    ("acos", |x, _| x.acos(), 3),
    ("atan", |x, _| x.atan(), 3),
    ("sinh", |x, _| x.sinh(), 5),
    ("cosh", |x, _| x.cosh(), 3),
    ("tanh", |x, _| x.tanh(), 5),
    ("asinh", |x, _| true_asinh(x), 3),
    ("acosh", |x, _| true_acosh(x), 3),
    ("atanh", |x, _| x.abs().atanh().copysign(x), 3),
    ("exp_m1", |x, _| x.exp_m1(), 3),
    ("ln_1p", |x, _| x.ln_1p(), 2),
    ("cbrt", |x, _| x.cbrt(), 2),
    ("powf", f64::powf, 2),
    ("atan2", f64::atan2, 4),
    ("hypot", f64::hypot, 2),
];

/// Numbers of all magnitudes, and many where functions bend; never subnormal, which a device may take for zero.
fn wide_numbers(count: usize, mut state: u64) -> Vec<f64> {
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let unit = |bits: u64| bits as f64 / u64::MAX as f64 - 0.5;
    let mut numbers = Vec::with_capacity(count);
    while numbers.len() < count {
        let bits = next();
        let x = match numbers.len() % 4 {
            0 => f64::from_bits(bits),
            1 => unit(bits) * 4.0,
            2 => unit(bits) * 60.0,
            _ => unit(bits) * 1500.0,
        };
        if !x.is_subnormal() {
            numbers.push(x);
        }
    }
    numbers
}

/// How many numbers of `f64` lie between two.
fn steps_between(a: f64, b: f64) -> u64 {
    let key = |x: f64| {
        let bits = x.to_bits().cast_signed();
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) if a.abs() <= f64::MIN_POSITIVE && b.abs() <= f64::MIN_POSITIVE => 0,
        (false, false) => key(a).abs_diff(key(b)),
        _ => u64::MAX,
    }
}

/// The host's own functions are within one unit, so what is found may be one more or less.
#[test]
fn functions_of_f64_are_within_their_bounds() -> gridwise::Result<()> {
    let mgr = Manager::new()?;
    let launches = if std::env::var_os("GRIDWISE_LONG").is_some() { 512 } else { 2 };
    let mut worst = [(0u64, 0.0f64, 0.0f64); WIDE];
    let count = N as usize;
    let mut out = mgr.tensor(&vec![0f64; count * WIDE])?;
    for launch in 0..launches {
        let (x, y) = (wide_numbers(count, 3 + 2 * launch), wide_numbers(count, 1_000_003 + 2 * launch));
        let (first, second) = (mgr.tensor(&x)?, mgr.tensor(&y)?);
        let seq = mgr.sequence()?;
        WideFunctions::dispatch(&seq, Grid::items(N), &first, &second, &mut out)?;
        seq.eval()?;
        for ((x, y), results) in x.iter().zip(&y).zip(out.to_vec()?.chunks_exact(WIDE)) {
            for ((worst, (_, truth, _)), found) in worst.iter_mut().zip(&WIDE_ROWS).zip(results) {
                let error = steps_between(*found, truth(*x, *y));
                if error > worst.0 {
                    *worst = (error, *x, *y);
                }
            }
        }
    }
    println!("{}, {} inputs", mgr.device(), launches * u64::from(N));
    println!("| function of `f64` | largest difference (ulp) | at | stated |\n| --- | --- | --- | --- |");
    for ((name, _, bound), (error, x, y)) in WIDE_ROWS.iter().zip(worst) {
        println!("| `{name}` | {error} | {x:e}, {y:e} | {bound} |");
    }
    if mgr.device().kind == gridwise::DeviceKind::Host {
        return Ok(());
    }
    for ((name, _, bound), (error, x, y)) in WIDE_ROWS.iter().zip(worst) {
        assert!(error <= *bound, "`{name}` of {x:e}, {y:e} is {error} units off");
    }
    Ok(())
}
