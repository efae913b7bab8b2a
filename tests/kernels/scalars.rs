//! Integers of all widths, `f64`, `f16` and `bf16`: in buffers, push constants, structs and arrays, with all operators and casts.

use gridwise::ops::OpFill;
use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, Scalar, bits, pairs, run_pairs};

/// Operands of casts and of floats.
const N: usize = 8192;
/// All values of 16 bits.
const ALL: usize = 65536;
/// Results of `operators` per pair.
const K: usize = 18;

/// The entries.
pub const CASES: &[Case] = &[
    case!("scalars::i8", [I8Operators], i8_run, i8_expected),
    case!("scalars::i16", [I16Operators], i16_run, i16_expected),
    case!("scalars::i64", [I64Operators], i64_run, i64_expected),
    case!("scalars::u8", [U8Operators], u8_run, u8_expected),
    case!("scalars::u16", [U16Operators], u16_run, u16_expected),
    case!("scalars::u64", [U64Operators], u64_run, u64_expected),
    case!("scalars::i8_casts", [I8Casts], i8_casts_run, i8_casts_expected),
    case!("scalars::i16_casts", [I16Casts], i16_casts_run, i16_casts_expected),
    case!("scalars::i32_casts", [I32Casts], i32_casts_run, i32_casts_expected),
    case!("scalars::i64_casts", [I64Casts], i64_casts_run, i64_casts_expected),
    case!("scalars::u8_casts", [U8Casts], u8_casts_run, u8_casts_expected),
    case!("scalars::u16_casts", [U16Casts], u16_casts_run, u16_casts_expected),
    case!("scalars::u32_casts", [U32Casts], u32_casts_run, u32_casts_expected),
    case!("scalars::u64_casts", [U64Casts], u64_casts_run, u64_casts_expected),
    case!("scalars::f64_casts", [F64Casts], f64_casts_run, f64_casts_expected),
    case!("scalars::f64", [F64Operators], f64_run, f64_expected),
    case!("scalars::f16", [F16Operators], f16_run, f16_expected),
    case!("scalars::bf16", [Bf16Operators], bf16_run, bf16_expected),
    case!("scalars::every_f16", [EveryHalf], every_half_run, every_half_expected),
    case!(
        "scalars::from_and_to_f16",
        [FromAndToHalf],
        |mgr| {
            let mut out = mgr.tensor(&vec![0f64; 256])?;
            let seq = mgr.sequence()?;
            FromAndToHalf::dispatch(&seq, Grid::items(256), &mut out)?;
            seq.eval()?;
            Ok(vec![bits(&out.to_vec()?)])
        },
        || vec![bits(&(0..=255u8).map(from_and_to).collect::<Vec<_>>())]
    ),
    case!(
        "scalars::parameters",
        [Parameters],
        |mgr| {
            let mut out = mgr.tensor(&[Wide::default(); 3])?;
            let seq = mgr.sequence()?;
            let (half, brain) = (f16::from_f32(1.5), bf16::from_f32(-2.5));
            Parameters::dispatch(&seq, Grid::items(3), -100, 60000, 1u64 << 40, half, 0.1, brain, WIDE, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::Bits(out.to_vec()?.iter().flat_map(Wide::bits).collect())])
        },
        || {
            let with = |i: u8| Wide {
                a: WIDE.a.wrapping_add(i),
                b: -100 - i64::from(WIDE.c),
                c: WIDE.c.wrapping_add(60000u16 as i16),
                d: [WIDE.d[2], WIDE.d[0].wrapping_mul(i), 7],
                e: 0.1 + 1.5,
                f: f16::from_f32(1.5 - 0.25),
                g: (1 << 40) + u64::from(i),
            };
            vec![Output::Bits((0..3).flat_map(|i| with(i).bits()).collect())]
        }
    ),
    case!(
        "scalars::few_bytes",
        [FewBytes],
        |mgr| {
            let mut bytes = mgr.tensor(&[7u8; 5])?;
            let mut halves = mgr.tensor(&[9u16; 3])?;
            let seq = mgr.sequence()?;
            seq.record(OpFill::new(&mut bytes, 3))?;
            FewBytes::dispatch(&seq, Grid::items(5), &mut bytes, &mut halves)?;
            seq.eval()?;
            Ok(vec![bits(&bytes.to_vec()?), bits(&halves.to_vec()?)])
        },
        || vec![bits(&[3u8, 4, 5, 6, 7]), bits(&[9u16, 10, 11])]
    ),
    case!(
        "scalars::shown",
        [Shown],
        |mgr| {
            let x = mgr.tensor(&[i64::MIN + 7])?;
            let seq = mgr.sequence()?;
            Shown::dispatch(&seq, Grid::items(1), &x)?;
            match seq.eval() {
                Err(gridwise::Error::KernelPanic { message, .. }) => Ok(vec![Output::Report(message)]),
                other => Ok(vec![Output::Report(format!("{other:?}"))]),
            }
        },
        || {
            vec![Output::Report(
            "-9223372036854775801, 9223372036854775815, -7, 200, -300, 60000, 0.1, 1.5, -2.5, (5, Some(9223372036854775807)), -3"
                .to_owned()
        )]
        }
    ),
    case!(
        "scalars::sizes",
        [Sizes],
        |mgr| {
            let (a, mut out) = (mgr.tensor(&i32::samples(4096, 5))?, mgr.tensor(&vec![0i32; 4096 * 4])?);
            let seq = mgr.sequence()?;
            Sizes::dispatch(&seq, Grid::items(4096), &a, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?)])
        },
        || vec![Output::I32(
            i32::samples(4096, 5)
                .into_iter()
                .flat_map(|a| [a.wrapping_mul(3), a.wrapping_neg() / 7, a >> 3, a.wrapping_abs() % 1000])
                .collect()
        )]
    ),
];

macro_rules! operators {
    ($($kernel:ident $entry:ident $run:ident $expected:ident $ty:ident;)+) => { $(
        #[kernel(workgroup = 64)]
        fn $kernel(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            let i = global_id().x;
            let (a, b) = (a[i], b[i]);
            let d = if b == 0 || a == $ty::MIN { 3 } else { b };
            let o = i * 18;
            out[o] = a + b;
            out[o + 1] = a - b;
            out[o + 2] = a * b;
            out[o + 3] = a / d;
            out[o + 4] = a % d;
            out[o + 5] = a & b;
            out[o + 6] = a | b;
            out[o + 7] = a ^ b;
            out[o + 8] = !a;
            out[o + 9] = a << b;
            out[o + 10] = a >> b;
            out[o + 11] = if a < b { 1 } else { 0 };
            out[o + 12] = if a >= b { 1 } else { 0 };
            out[o + 13] = a.min(b);
            out[o + 14] = a.max(b);
            out[o + 15] = (a.leading_zeros() + 100 * (a.trailing_zeros() ^ a.count_ones())) as $ty;
            out[o + 16] = a.reverse_bits();
            let mut cells = [a, b, 5];
            cells[(i % 3)] += a;
            out[o + 17] = cells[0] ^ cells[1] ^ cells[2];
        }

        fn $run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
            run_pairs(mgr, pairs(|byte| byte as $ty, $ty::BITS), K, $entry::dispatch)
        }

        fn $expected() -> Vec<Output> {
            let (a, b) = pairs(|byte| byte as $ty, $ty::BITS);
            let results = a.into_iter().zip(b).enumerate().flat_map(|(i, (a, b))| {
                let d = if b == 0 || a == $ty::MIN { 3 } else { b };
                let mut cells = [a, b, 5];
                cells[i % 3] = cells[i % 3].wrapping_add(a);
                let counts = a.leading_zeros() + 100 * (a.trailing_zeros() ^ a.count_ones());
                [
                    a.wrapping_add(b),
                    a.wrapping_sub(b),
                    a.wrapping_mul(b),
                    a / d,
                    a % d,
                    a & b,
                    a | b,
                    a ^ b,
                    !a,
                    a.wrapping_shl(b as u32),
                    a.wrapping_shr(b as u32),
                    (a < b).into(),
                    (a >= b).into(),
                    a.min(b),
                    a.max(b),
                    counts as $ty,
                    a.reverse_bits(),
                    cells[0] ^ cells[1] ^ cells[2],
                ]
            });
            vec![bits(&results.collect::<Vec<_>>())]
        }
    )+ };
}

operators! {
    i8_operators I8Operators i8_run i8_expected i8;
    i16_operators I16Operators i16_run i16_expected i16;
    i64_operators I64Operators i64_run i64_expected i64;
    u8_operators U8Operators u8_run u8_expected u8;
    u16_operators U16Operators u16_run u16_expected u16;
    u64_operators U64Operators u64_run u64_expected u64;
}

/// One value as every other type; with members of all alignments.
#[derive(Clone, Copy, Default, GpuData)]
#[repr(C)]
struct Casts {
    a: i8,
    b: u16,
    c: u8,
    d: i16,
    e: i32,
    f: u32,
    g: i64,
    h: u64,
    i: f32,
    j: f64,
}

impl Casts {
    fn bits(&self) -> [u64; 10] {
        let single = match self.i {
            single if single.is_nan() => f32::NAN,
            // A device may take these for zero.
            single if single.is_subnormal() => 0.0,
            single => single + 0.0,
        };
        [
            self.a.to_output(),
            self.b.to_output(),
            self.c.to_output(),
            self.d.to_output(),
            self.e.to_output(),
            self.f.to_output(),
            self.g.to_output(),
            self.h.to_output(),
            single.to_bits().into(),
            self.j.to_output(),
        ]
    }
}

macro_rules! casts {
    ($($kernel:ident $entry:ident $run:ident $expected:ident $ty:ident;)+) => { $(
        #[kernel(workgroup = 64)]
        fn $kernel(x: &[$ty], out: &mut [Casts]) {
            let i = global_id().x;
            let x = x[i];
            out[i] = Casts {
                a: x as i8,
                b: x as u16,
                c: x as u8,
                d: x as i16,
                e: x as i32,
                f: x as u32,
                g: x as i64,
                h: x as u64,
                i: x as f32,
                j: x as f64,
            };
            out[i].c = x as u8;
        }

        fn $run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
            let (x, mut out) = (mgr.tensor(&$ty::samples(N, 7))?, mgr.tensor(&vec![Casts::default(); N])?);
            let seq = mgr.sequence()?;
            $entry::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::Bits(out.to_vec()?.iter().flat_map(Casts::bits).collect())])
        }

        #[allow(clippy::unnecessary_cast, reason = "one list for all types")]
        fn $expected() -> Vec<Output> {
            let cast = |x: $ty| Casts {
                a: x as i8,
                b: x as u16,
                c: x as u8,
                d: x as i16,
                e: x as i32,
                f: x as u32,
                g: x as i64,
                h: x as u64,
                i: x as f32,
                j: x as f64,
            };
            vec![Output::Bits($ty::samples(N, 7).into_iter().flat_map(|x| cast(x).bits()).collect())]
        }
    )+ };
}

casts! {
    i8_casts I8Casts i8_casts_run i8_casts_expected i8;
    i16_casts I16Casts i16_casts_run i16_casts_expected i16;
    i32_casts I32Casts i32_casts_run i32_casts_expected i32;
    i64_casts I64Casts i64_casts_run i64_casts_expected i64;
    u8_casts U8Casts u8_casts_run u8_casts_expected u8;
    u16_casts U16Casts u16_casts_run u16_casts_expected u16;
    u32_casts U32Casts u32_casts_run u32_casts_expected u32;
    u64_casts U64Casts u64_casts_run u64_casts_expected u64;
    f64_casts F64Casts f64_casts_run f64_casts_expected f64;
}

#[kernel(workgroup = 64)]
fn f64_operators(a: &[f64], b: &[f64], out: &mut [f64]) {
    let i = global_id().x;
    let (a, b) = (a[i], b[i]);
    let o = i * 18;
    out[o] = a + b;
    out[o + 1] = a - b;
    out[o + 2] = a * b;
    out[o + 3] = a / b;
    out[o + 4] = a % b;
    out[o + 5] = -a;
    out[o + 6] = a.abs();
    out[o + 7] = a.floor();
    out[o + 8] = a.ceil();
    out[o + 9] = a.trunc();
    out[o + 10] = a.round();
    out[o + 11] = a.round_ties_even();
    out[o + 12] = a.abs().sqrt();
    out[o + 13] = a.copysign(b);
    out[o + 14] = if a < b { 1.0 } else { f64::MAX };
    out[o + 15] = if a != b { std::f64::consts::PI } else { 0.1 };
    out[o + 16] = a.fract();
    out[o + 17] = f64::from_bits(a.to_bits() ^ 1);
}

fn f64_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (a, b) = (mgr.tensor(&f64::samples(N, 2))?, mgr.tensor(&f64::samples(N, 3))?);
    let mut out = mgr.tensor(&vec![0f64; N * K])?;
    let seq = mgr.sequence()?;
    F64Operators::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
    seq.eval()?;
    Ok(vec![bits(&out.to_vec()?)])
}

fn f64_expected() -> Vec<Output> {
    let results = f64::samples(N, 2).into_iter().zip(f64::samples(N, 3)).flat_map(|(a, b)| {
        [
            a + b,
            a - b,
            a * b,
            a / b,
            a % b,
            -a,
            a.abs(),
            a.floor(),
            a.ceil(),
            a.trunc(),
            a.round(),
            a.round_ties_even(),
            a.abs().sqrt(),
            a.copysign(b),
            if a < b { 1.0 } else { f64::MAX },
            if a != b { std::f64::consts::PI } else { 0.1 },
            a.fract(),
            f64::from_bits(a.to_bits() ^ 1),
        ]
    });
    vec![bits(&results.collect::<Vec<_>>())]
}

macro_rules! halves {
    ($($kernel:ident $entry:ident $run:ident $expected:ident $ty:ident;)+) => { $(
        #[kernel(workgroup = 64)]
        fn $kernel(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            let i = global_id().x;
            let (a, b) = (a[i], b[i]);
            let o = i * 18;
            out[o] = a + b;
            out[o + 1] = a - b;
            out[o + 2] = a * b;
            out[o + 3] = a / b;
            out[o + 4] = a % b;
            out[o + 5] = -a;
            out[o + 6] = a.max(b);
            out[o + 7] = a.min(b);
            out[o + 8] = a.copysign(b);
            out[o + 9] = a.signum();
            out[o + 10] = $ty::from_f32(a.to_f32() * 1.1);
            out[o + 11] = $ty::from_bits(a.to_bits() + 1);
            out[o + 12] = if a < b { $ty::ONE } else { $ty::MAX };
            out[o + 13] = if a == b { $ty::EPSILON } else { $ty::PI };
            out[o + 14] = if a.is_nan() || b.is_infinite() || a.is_sign_negative() { $ty::ONE } else { $ty::ZERO };
            out[o + 15] = a.clamp(-$ty::ONE, $ty::ONE);
            let mut sum = a;
            sum += b;
            sum *= $ty::from_f32(0.3);
            out[o + 16] = sum;
            out[o + 17] = $ty::from_f32(a.to_f64() as f32);
        }

        fn $run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
            let (a, b) = (mgr.tensor(&$ty::samples(N, 2))?, mgr.tensor(&$ty::samples(N, 3))?);
            let mut out = mgr.tensor(&vec![$ty::ZERO; N * K])?;
            let seq = mgr.sequence()?;
            $entry::dispatch(&seq, Grid::items(N), &a, &b, &mut out)?;
            seq.eval()?;
            Ok(vec![bits(&out.to_vec()?)])
        }

        fn $expected() -> Vec<Output> {
            let results = $ty::samples(N, 2).into_iter().zip($ty::samples(N, 3)).flat_map(|(a, b)| {
                let is_odd = a.is_nan() || b.is_infinite() || a.is_sign_negative();
                [
                    a + b,
                    a - b,
                    a * b,
                    a / b,
                    a % b,
                    -a,
                    a.max(b),
                    a.min(b),
                    a.copysign(b),
                    a.signum(),
                    $ty::from_f32(a.to_f32() * 1.1),
                    $ty::from_bits(a.to_bits().wrapping_add(1)),
                    if a < b { $ty::ONE } else { $ty::MAX },
                    if a == b { $ty::EPSILON } else { $ty::PI },
                    if is_odd { $ty::ONE } else { $ty::ZERO },
                    a.clamp(-$ty::ONE, $ty::ONE),
                    (a + b) * $ty::from_f32(0.3),
                    a,
                ]
            });
            vec![bits(&results.collect::<Vec<_>>())]
        }
    )+ };
}

halves! {
    f16_operators F16Operators f16_run f16_expected f16;
    bf16_operators Bf16Operators bf16_run bf16_expected bf16;
}

/// `From` conversions of and to `f16` and `bf16`.
#[device]
fn from_and_to(byte: u8) -> f64 {
    let (half, brain) = (f16::from(byte), bf16::from(byte as i8));
    let wide = f64::from(if byte % 3 == 0 { half } else { -half }) / f64::from(brain + bf16::from(200u8));
    wide + f64::from(f32::from(brain) * f32::from(f16::from(byte as i8)))
}

#[kernel(workgroup = 64)]
fn from_and_to_half(out: &mut [f64]) {
    let i = global_id().x;
    out[i] = from_and_to(i as u8);
}

/// Every `f16` and `bf16`, subnormal ones too, and back from `f32`.
#[kernel(workgroup = 64)]
fn every_half(halves: &[f16], brains: &[bf16], out: &mut [f32], back: &mut [u16]) {
    let i = global_id().x;
    out[2 * i] = halves[i].to_f32();
    out[2 * i + 1] = brains[i].to_f32();
    let near = f32::from_bits(halves[i].to_bits() as u32 * 65536 + i % 7 * 4096 + i % 2);
    back[2 * i] = f16::from_f32(near).to_bits();
    back[2 * i + 1] = bf16::from_f32(near).to_bits();
}

fn every_half_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let all = || 0..=u16::MAX;
    let halves = mgr.tensor(&all().map(f16::from_bits).collect::<Vec<_>>())?;
    let brains = mgr.tensor(&all().map(bf16::from_bits).collect::<Vec<_>>())?;
    let (mut out, mut back) = (mgr.tensor(&vec![0f32; 2 * ALL])?, mgr.tensor(&vec![0u16; 2 * ALL])?);
    let seq = mgr.sequence()?;
    EveryHalf::dispatch(&seq, Grid::items(ALL), &halves, &brains, &mut out, &mut back)?;
    seq.eval()?;
    Ok(vec![Output::exact(out.to_vec()?), Output::Bits(canonical(&back.to_vec()?))])
}

fn every_half_expected() -> Vec<Output> {
    let singles = (0..=u16::MAX).flat_map(|i| [f16::from_bits(i).to_f32(), bf16::from_bits(i).to_f32()]);
    let back = (0..=u16::MAX).flat_map(|i| {
        let near = f32::from_bits(u32::from(i) * 65536 + u32::from(i) % 7 * 4096 + u32::from(i) % 2);
        [f16::from_f32(near).to_bits(), bf16::from_f32(near).to_bits()]
    });
    vec![Output::exact(singles.collect()), Output::Bits(canonical(&back.collect::<Vec<_>>()))]
}

/// Bits of an `f16` and a `bf16` in turn, with one NaN each.
fn canonical(bits: &[u16]) -> Vec<u64> {
    let of_pair = |pair: &[u16]| [f16::from_bits(pair[0]).to_output(), bf16::from_bits(pair[1]).to_output()];
    bits.chunks_exact(2).flat_map(of_pair).collect()
}

/// Members of all alignments.
#[derive(Clone, Copy, Default, GpuData)]
#[repr(C)]
struct Wide {
    a: u8,
    b: i64,
    c: i16,
    d: [u8; 3],
    e: f64,
    f: f16,
    g: u64,
}

const WIDE: Wide = Wide { a: 250, b: -1 << 40, c: -300, d: [1, 2, 200], e: 0.5, f: f16::ONE, g: u64::MAX };

impl Wide {
    fn bits(&self) -> [u64; 9] {
        let [x, y, z] = self.d.map(u64::from);
        [self.a.into(), self.b as u64, self.c as u64, x, y, z, self.e.to_bits(), self.f.to_bits().into(), self.g]
    }
}

#[kernel(workgroup = 64)]
#[allow(clippy::too_many_arguments, reason = "each type once")]
fn parameters(a: i8, b: u16, c: u64, d: f16, e: f64, g: bf16, wide: Wide, out: &mut [Wide]) {
    let i = global_id().x;
    out[i] = wide;
    out[i].a = wide.a + i as u8;
    out[i].b = a as i64 - wide.c as i64;
    out[i].c += b as i16;
    out[i].d[0] = wide.d[2];
    out[i].d[1] = wide.d[0] * i as u8;
    out[i].d[2] = 7;
    out[i].e = e + d.to_f64();
    out[i].f = d + f16::from_f32(g.to_f32() / 10.0);
    out[i].g = c + i as u64;
}

#[kernel(workgroup = 64)]
fn few_bytes(bytes: &mut [u8], halves: &mut [u16]) {
    let i = global_id().x;
    bytes[i] += i as u8;
    if i < halves.len() as u32 {
        halves[i] += i as u16;
    }
}

/// Values of all widths in a message.
#[kernel(workgroup = 1)]
fn shown(x: &[i64]) {
    let x = x[0];
    let (a, b, c, d) = ((x as i8) * -1, 200u8, -300i16, 60000u16);
    let (e, f, g) = (0.1f64, f16::from_f32(1.5), bf16::from_f32(-2.5));
    let pair = (5u64, (x - 8).checked_abs().or(Some(-1i64)));
    panic!("{x}, {}, {a}, {b}, {c}, {d}, {e}, {f}, {g}, {pair:?}, {}", x as u64, -3isize);
}

#[kernel(workgroup = 64)]
fn sizes(a: &[i32], out: &mut [i32]) {
    let i = global_id().x;
    let a = a[i] as isize;
    out[i * 4] = (a * 3) as i32;
    out[i * 4 + 1] = (-a / 7) as i32;
    out[i * 4 + 2] = (a >> 3) as i32;
    out[i * 4 + 3] = (a.abs() % 1000) as i32;
}
