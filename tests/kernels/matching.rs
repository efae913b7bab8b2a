//! Patterns, `match`, enums, `Option` and `Result`, in every place they can stand.

use gridwise::prelude::*;
use gridwise_device_lib::shape::{self, Meters, Shape};

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 1000;

fn input() -> Vec<u32> {
    patterns(N, 1).into_iter().enumerate().map(|(i, v)| if i % 3 == 0 { v } else { v % 40 }).collect()
}

fn map(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(&input())?, mgr.tensor(&vec![0u32; N])?);
    let seq = mgr.sequence()?;
    run(&seq, Grid::items(N), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn expect(f: impl Fn(u32) -> u32) -> Vec<Output> {
    vec![Output::U32(input().into_iter().map(f).collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("matching::numbers", [Numbers], |mgr| map(mgr, Numbers::dispatch), || expect(|x| {
        let class = match x {
            0 => 1,
            1 | 2 => 2,
            3..=9 => 3,
            10..19 => 4,
            u32::MAX => 5,
            0x8000_0000.. => 6,
            n if n & 1 == 0 => n,
            n @ (21 | 23) => n * 100,
            _ => 7,
        };
        let signed = match x as i32 {
            i32::MIN..=-1 => 10,
            0 => 20,
            1..=i32::MAX => 30,
        };
        class ^ signed
    })),
    case!("matching::switches", [Switches], |mgr| map(mgr, Switches::dispatch), || expect(|x| {
        let mut stack = 1u32;
        for step in 0..8 {
            stack = match (x >> (step * 2)) % 8 {
                0 => stack.wrapping_add(x),
                1 => stack.wrapping_mul(3),
                2 | 3 => stack ^ 0x55,
                4 => break,
                5 => continue,
                6 if stack > 100 => stack / 3,
                _ => !stack,
            };
        }
        stack
    })),
    case!("matching::tuples_and_arrays", [TuplesAndArrays], |mgr| map(mgr, TuplesAndArrays::dispatch), || expect(
        |x| {
            let digits = [x % 5, x / 5 % 5, x / 25 % 5, x / 125 % 5];
            let a = match (digits[0], digits[1]) {
                (0, n) | (n, 0) => n,
                (n, _) | (_, n) if n > 3 => n * 10,
                (a, b) => a * b + 100,
            };
            let b = match digits {
                [0, .., last] => last,
                [first, rest @ ..] if rest[0] == rest[1] => first * 1000,
                [_, middle @ .., 1 | 2] => middle[0] + middle[1],
                [.., c, _] => c * 7,
            };
            a * 10_000 + b
        }
    )),
    case!("matching::conditions", [Conditions], |mgr| map(mgr, Conditions::dispatch), || expect(|x| {
        let half = |v: u32| if v & 1 == 0 { Some(v / 2) } else { None };
        let mut n = x;
        let mut rounds = 0;
        while let Some(next) = half(n)
            && rounds < 40
        {
            n = next;
            rounds += 1;
        }
        let tail = if let Some(a) = half(x)
            && let Some(b) = half(a)
            && a > 3
        {
            a ^ b
        } else if let 1..=9 = x {
            x
        } else {
            77
        };
        let Some(quarter) = half(x).and_then(half) else { return n ^ rounds ^ tail };
        quarter.wrapping_mul(31)
    })),
    case!("matching::enums", [Enums], |mgr| map(mgr, Enums::dispatch), || expect(|x| {
        let shapes = [
            Shape::Point,
            Shape::Circle(Meters((x % 10) as f32)),
            Shape::Rect { width: Meters((x % 7) as f32), height: Meters(2.0) },
        ];
        let shape = shapes[(x % 3) as usize];
        let area = match shape {
            Shape::Point => 0.0,
            Shape::Circle(Meters(r)) => 3.0 * r * r,
            Shape::Rect { width, height } => width.0 * height.0,
        };
        let square = matches!(shape, Shape::Rect { width: Meters(2.0), .. });
        area as u32 * 2 + u32::from(square)
    })),
    case!("matching::numbered", [Numbered], |mgr| map(mgr, Numbered::dispatch), || expect(|x| {
        let code = [3, 7, 8, (-1i32) as u32][(x % 4) as usize];
        let order = [0, 1, 2][(x % 3) as usize];
        code.wrapping_mul(10).wrapping_add(order)
    })),
    case!("matching::options", [Options], |mgr| map(mgr, Options::dispatch), || expect(|x| {
        let small = if x < 30 { Some(x) } else { None };
        let even = if x & 1 == 0 { Some(x / 2) } else { None };
        let a = small.xor(even).unwrap_or(5) % 1000;
        let b = small.or(even).unwrap_or_default() % 1000;
        let c = small.zip(even).map_or(9, |(p, q)| p * q);
        let d = small.and(even).is_some() as u32;
        let e = match small.ok_or(x) {
            Ok(v @ 0..=9) => v,
            Ok(_) => 50,
            Err(e) => e % 17,
        };
        a * 7 + b * 5 + c * 3 + d * 2 + e
    })),
    case!("matching::question_mark", [QuestionMark], |mgr| map(mgr, QuestionMark::dispatch), || expect(|x| {
        let digit = |v: u32| if v % 16 < 10 { Ok(v % 16) } else { Err(v % 16) };
        let number = || Ok::<u32, u32>(digit(x)? + 10 * digit(x / 16)? + 100 * digit(x / 256)?);
        match number() {
            Ok(n) => n,
            Err(e) => 100_000 + e,
        }
    })),
    case!("matching::structs", [Structs], |mgr| map(mgr, Structs::dispatch), || expect(|x| {
        let (low, high) = (x % 16, x / 16 % 16);
        match (low, high) {
            (0, h) => h,
            (l, 1..=5) => l * 2,
            (l, h) => l + h * 100,
        }
    })),
    case!("matching::out_of_range", [OutOfRange], |mgr| {
        let (x, mut out) = (mgr.tensor(&[0u32, 2, 3, 9])?, mgr.tensor(&[7u32; 4])?);
        let seq = mgr.sequence()?;
        OutOfRange::dispatch(&seq, Grid::items(4), &x, &mut out)?;
        let report = match seq.eval() {
            Ok(_) => String::new(),
            Err(gridwise::Error::KernelPanic { .. }) => String::from("true"),
            Err(error) => return Err(error),
        };
        Ok(vec![Output::U32(out.to_vec()?), Output::Report(report)])
    }),
    case!("matching::equality", [Equality], |mgr| map(mgr, Equality::dispatch), || expect(|x| {
        let (a, b) = (x % 4, x / 4 % 4);
        let option = |v: u32| if v > 1 { Some(v) } else { None };
        let shape = |v: u32| match v {
            0 => Shape::Point,
            1 => Shape::Circle(Meters(1.0)),
            v => Shape::Rect { width: Meters(v as f32), height: Meters(2.0) },
        };
        let tests = [
            option(a) == option(b),
            shape(a) == shape(b),
            shape(a) != Shape::Circle(Meters(1.0)),
            (a, [b, 1]) == (b, [a, 1]),
            option(a).is_some() && Some(2) == option(b),
        ];
        tests.iter().fold(0, |bits, &test| bits * 2 + u32::from(test))
    })),
    case!("matching::swizzles", [Swizzles], |mgr| map(mgr, Swizzles::dispatch), || expect(|x| {
        let v = [x % 7, x / 7 % 7, x / 49 % 7];
        v[2] + 10 * v[0] + 100 * v[2] + 1000 * v[1] + 3 * v[1] + 5 * v[0]
    })),
    case!(
        "matching::unwrap",
        [Unwrap],
        |mgr| {
            let mut outputs = Vec::new();
            for which in 0..4u32 {
                let (x, mut out) = (mgr.tensor(&[8u32, 3, 2, 6])?, mgr.tensor(&[7u32; 4])?);
                let seq = mgr.sequence()?;
                Unwrap::dispatch(&seq, Grid::items(4), which, &x, &mut out)?;
                let report = match seq.eval() {
                    Err(gridwise::Error::KernelPanic { message, .. }) => message,
                    _ => String::new(),
                };
                outputs.extend([Output::U32(out.to_vec()?), Output::Report(report)]);
            }
            Ok(outputs)
        },
        || {
            let report = |text: &str| Output::Report(text.to_owned());
            vec![
                Output::U32(vec![4, 7, 1, 3]),
                report("called `Option::unwrap()` on a `None` value"),
                Output::U32(vec![8, 3, 2, 6]),
                report(""),
                Output::U32(vec![8, 7, 2, 6]),
                report("not a {digit}: (3, 1.5)"),
                Output::U32(vec![7, 3, 7, 7]),
                // The first of several is not defined.
                report("called `Result::unwrap_err()` on an `Ok` value: 0"),
            ]
        }
    ),
];

#[device]
fn beyond_one(v: u32) -> Option<u32> {
    if v > 1 { Some(v) } else { None }
}

#[device]
fn shape_of(v: u32) -> Shape {
    match v {
        0 => Shape::Point,
        1 => Shape::Circle(Meters(1.0)),
        v => Shape::Rect { width: Meters(v as f32), height: Meters(2.0) },
    }
}

#[kernel]
fn equality(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let (a, b) = (x[i] % 4, x[i] / 4 % 4);
    let tests = [
        beyond_one(a) == beyond_one(b),
        shape_of(a) == shape_of(b),
        shape_of(a) != Shape::Circle(Meters(1.0)),
        (a, [b, 1]) == (b, [a, 1]),
        beyond_one(a) != None && Some(2) == beyond_one(b),
    ];
    let mut bits = 0;
    for test in tests {
        bits = bits * 2 + test as u32;
    }
    out[i] = bits;
}

#[kernel]
fn swizzles(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let v = uvec3(x[i] % 7, x[i] / 7 % 7, x[i] / 49 % 7);
    out[i] = v.zxzy().dot(uvec4(1, 10, 100, 1000)) + v.yx().dot(uvec2(3, 5));
}

#[device]
fn even(v: u32) -> Result<u32, (u32, f32)> {
    if v & 1 == 0 { Ok(v) } else { Err((v, 1.5)) }
}

#[kernel]
fn unwrap(which: u32, x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let v = x[i];
    out[i] = match which {
        0 => half(v).unwrap(),
        1 => Some(v).expect("never"),
        2 => even(v).expect("not a {digit}"),
        _ => even(v).and(Ok(0u32)).unwrap_err().0,
    };
}

#[kernel]
fn numbers(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let class = match x[i] {
        0 => 1,
        1 | 2 => 2,
        3..=9 => 3,
        10..19 => 4,
        u32::MAX => 5,
        0x8000_0000.. => 6,
        n if n & 1 == 0 => n,
        n @ (21 | 23) => n * 100,
        _ => 7,
    };
    let signed = match x[i] as i32 {
        i32::MIN..=-1 => 10,
        0 => 20,
        1..=i32::MAX => 30,
    };
    out[i] = class ^ signed;
}

#[kernel]
fn switches(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let mut stack = 1;
    for step in 0..8u32 {
        stack = match (x[i] >> (step * 2)) % 8 {
            0 => stack + x[i],
            1 => stack * 3,
            2 | 3 => stack ^ 0x55,
            4 => break,
            5 => continue,
            6 if stack > 100 => stack / 3,
            _ => !stack,
        };
    }
    out[i] = stack;
}

#[kernel]
fn tuples_and_arrays(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let x = x[i];
    let digits = [x % 5, x / 5 % 5, x / 25 % 5, x / 125 % 5];
    let a = match (digits[0], digits[1]) {
        (0, n) | (n, 0) => n,
        (n, _) | (_, n) if n > 3 => n * 10,
        (a, b) => a * b + 100,
    };
    let b = match digits {
        [0, .., last] => last,
        [first, rest @ ..] if rest[0] == rest[1] => first * 1000,
        [_, middle @ .., 1 | 2] => middle[0] + middle[1],
        [.., c, _] => c * 7,
    };
    out[i] = a * 10_000 + b;
}

#[device]
fn half(v: u32) -> Option<u32> {
    if v & 1 == 0 { Some(v / 2) } else { None }
}

#[device]
fn quarter(v: u32) -> Option<u32> {
    half(half(v)?)
}

#[kernel]
fn conditions(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let x = x[i];
    let mut n = x;
    let mut rounds = 0;
    while let Some(next) = half(n)
        && rounds < 40
    {
        n = next;
        rounds += 1;
    }
    let tail = if let Some(a) = half(x)
        && let Some(b) = half(a)
        && a > 3
    {
        a ^ b
    } else if let 1..=9 = x {
        x
    } else {
        77
    };
    let Some(quarter) = quarter(x) else {
        out[i] = n ^ rounds ^ tail;
        return;
    };
    out[i] = quarter * 31;
}

#[kernel]
fn enums(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let x = x[i];
    let shapes = [
        Shape::Point,
        Shape::Circle(Meters((x % 10) as f32)),
        Shape::Rect { height: Meters(2.0), width: Meters((x % 7) as f32) },
    ];
    let shape = shapes[x % 3];
    let square = if let Some(Meters(2.0)) = shape::side(shape) { 1 } else { 0 };
    out[i] = shape::area(shape) as u32 * 2 + square;
}

#[device]
#[derive(Clone, Copy)]
enum Code {
    A = 3,
    B = 7,
    C,
    D = -1,
}

#[device]
#[derive(Clone, Copy)]
enum Order {
    Less,
    Same,
    More,
}

#[kernel]
fn numbered(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let code = match x[i] % 4 {
        0 => Code::A,
        1 => Code::B,
        2 => Code::C,
        _ => Code::D,
    };
    let order = match x[i] % 3 {
        0 => Order::Less,
        1 => Order::Same,
        _ => Order::More,
    };
    out[i] = code as u32 * 10 + order as u32;
}

#[kernel]
fn options(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let x = x[i];
    let small = if x < 30 { Some(x) } else { None };
    let even = half(x);
    let a = small.xor(even).unwrap_or(5) % 1000;
    let b = small.or(even).unwrap_or_default() % 1000;
    let c = match small.zip(even) {
        Some((p, q)) => p * q,
        None => 9,
    };
    let d = small.and(even).is_some() as u32;
    let e = match small.ok_or(x) {
        Ok(v @ 0..=9) => v,
        Ok(_) => 50,
        Err(e) => e % 17,
    };
    out[i] = a * 7 + b * 5 + c * 3 + d * 2 + e;
}

#[device]
fn digit(v: u32) -> Result<u32, u32> {
    if v % 16 < 10 { Ok(v % 16) } else { Err(v % 16) }
}

#[device]
fn number(v: u32) -> Result<u32, u32> {
    Ok(digit(v)? + 10 * digit(v / 16)? + 100 * digit(v / 256)?)
}

#[kernel]
fn question_mark(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = match number(x[i]) {
        Ok(n) => n,
        Err(e) => 100_000 + e,
    };
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Nibbles {
    low: u32,
    high: u32,
}

#[device]
const ZERO: Nibbles = Nibbles { low: 0, high: 0 };

#[kernel]
fn structs(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let nibbles = Nibbles { high: x[i] / 16 % 16, ..Nibbles { low: x[i] % 16, ..ZERO } };
    out[i] = match nibbles {
        Nibbles { low: 0, high } => high,
        Nibbles { low, high: 1..=5 } => low * 2,
        Nibbles { low: l, high: h } => l + h * 100,
    };
}

#[kernel]
fn out_of_range(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let choices = [Some(5), None, Some(6)];
    let codes = [Code::B, Code::B, Code::C];
    out[i] = choices[x[i]].unwrap_or(1) + 100 * codes[x[i]] as u32;
}
