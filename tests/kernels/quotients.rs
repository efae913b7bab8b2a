//! Quotients by constants, remainders, and floats that become integers: devices have short ways for those that are near one, and the long way
//! for all others.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, floats, moderate, patterns};

const N: usize = 4096;

/// Kernels whose code is compiled by rustc as well.
macro_rules! both {
    ($($(#[$meta:meta])* fn $kernel:ident / $plain:ident($x:ident: $from:ty) -> [$to:ty; $len:literal] $body:block)+) => {
        $(
            #[device]
            fn $plain($x: $from) -> [$to; $len] $body

            #[kernel]
            fn $kernel(x: &[$from], out: &mut [[$to; $len]]) {
                let i = global_id().x as usize;
                out[i] = $plain(x[i]);
            }
        )+
    };
}

both! {
    fn by_constants / divided(x: f32) -> [f32; 8] {
        [x / 255.0, x / 6.0, x / -3.0, x / 0.1, x / 1_048_575.9, x / 1.999_999_9, x / 3.0e-7, x / 1.0e30]
    }
    fn whole_by_constants / whole_divided(x: u32) -> [f32; 6] {
        [
            f32::from(x as u8) / 255.0,
            f32::from(x as u16) / 65_535.0,
            x as f32 / 7.0,
            x.cast_signed() as f32 / -1.7,
            f32::from(x as i8) / 127.0,
            (u64::from(x) << (x % 33)) as f32 / 1000.0,
        ]
    }
    fn rests / rests_of(x: f32) -> [f32; 8] {
        [
            x % 1.0,
            x % 6.0,
            x % -0.1,
            x.rem_euclid(360.0),
            x.rem_euclid(core::f32::consts::TAU),
            x % 1.0e-30,
            x % 3.0e38,
            x % 262_143.0,
        ]
    }
    fn narrowed / narrowed_from(x: f32) -> [i32; 8] {
        [
            i32::from(x as u8),
            i32::from(x as i8),
            i32::from((x * 100.0) as u16),
            i32::from((x * 100.0) as i16),
            x as i32,
            (x as u32).cast_signed(),
            i32::from((x * 255.0 + 0.5) as u8),
            i32::from((x / 0.0) as u8),
        ]
    }
}

#[kernel]
fn rests_by(x: &[f32], y: &[f32], out: &mut [[f32; 2]]) {
    let i = global_id().x as usize;
    out[i] = [x[i] % y[i], x[i].rem_euclid(y[i])];
}

#[kernel]
fn vectors(x: &[Vec4], out: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    let third = x[i].truncate() / 3.0;
    out[i] = (x[i] / 255.0 + third.extend(0.0)).to_array();
}

/// Floats of all sizes, and such as programs have.
fn numbers() -> Vec<f32> {
    [floats(N / 2, 3), moderate(N / 4, 5, 300.0), moderate(N / 4, 9, 1.0e6)].concat()
}

fn divisors() -> Vec<f32> {
    [floats(N / 4, 11), moderate(N / 2, 13, 8.0), floats(N / 4, 17)].concat()
}

/// Equal but for subnormal numbers, which some devices take for zero.
fn equal(values: Vec<f32>) -> Output {
    Output::F32 { values, ulp: 0, absolute: f32::MIN_POSITIVE }
}

fn whole() -> Vec<u32> {
    (0..256).chain(patterns(N - 256, 21)).collect()
}

/// Runs a kernel from one tensor to another.
macro_rules! ran {
    ($kernel:ident, $mgr:ident, $x:expr, $zero:expr) => {{
        let (x, mut out) = ($mgr.tensor(&$x)?, $mgr.tensor(&vec![$zero; $x.len()])?);
        let seq = $mgr.sequence()?;
        $kernel::dispatch(&seq, Grid::items($x.len()), &x, &mut out)?.eval()?;
        out.to_vec()?.concat()
    }};
}

fn vectors_of() -> Vec<Vec4> {
    numbers().as_chunks::<4>().0.iter().map(|lanes| Vec4::from_array(*lanes)).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "quotients::by_constants",
        [ByConstants],
        |mgr| Ok(vec![equal(ran!(ByConstants, mgr, numbers(), [0.0f32; 8]))]),
        || vec![equal(numbers().into_iter().flat_map(divided).collect())]
    ),
    case!(
        "quotients::whole_by_constants",
        [WholeByConstants],
        |mgr| Ok(vec![Output::exact(ran!(WholeByConstants, mgr, whole(), [0.0f32; 6]))]),
        || vec![Output::exact(whole().into_iter().flat_map(whole_divided).collect())]
    ),
    case!("quotients::rests", [Rests], |mgr| Ok(vec![equal(ran!(Rests, mgr, numbers(), [0.0f32; 8]))]), || vec![
        equal(numbers().into_iter().flat_map(rests_of).collect())
    ]),
    case!(
        "quotients::narrowed",
        [Narrowed],
        |mgr| Ok(vec![Output::I32(ran!(Narrowed, mgr, numbers(), [0i32; 8]))]),
        || vec![Output::I32(numbers().into_iter().flat_map(narrowed_from).collect())]
    ),
    case!(
        "quotients::rests_by",
        [RestsBy],
        |mgr| {
            let (x, y) = (mgr.tensor(&numbers())?, mgr.tensor(&divisors())?);
            let mut out = mgr.tensor(&vec![[0.0f32; 2]; N])?;
            let seq = mgr.sequence()?;
            RestsBy::dispatch(&seq, Grid::items(N), &x, &y, &mut out)?.eval()?;
            Ok(vec![equal(out.to_vec()?.concat())])
        },
        || {
            let rests = numbers().into_iter().zip(divisors()).flat_map(|(x, y)| [x % y, x.rem_euclid(y)]);
            vec![equal(rests.collect())]
        }
    ),
    case!(
        "quotients::vectors",
        [Vectors],
        |mgr| Ok(vec![equal(ran!(Vectors, mgr, vectors_of(), [0.0f32; 4]))]),
        || {
            let one = |x: Vec4| (x / 255.0 + (x.truncate() / 3.0).extend(0.0)).to_array();
            vec![equal(vectors_of().into_iter().flat_map(one).collect())]
        }
    ),
];
