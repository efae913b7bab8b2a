//! Little programs as they are written without a look at the language's tables: parsers of bytes, a machine with a stack, rows
//! of sparse matrices, elimination, hashes, a scene of shapes.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 96;

#[device]
#[derive(Clone, Copy)]
enum ParseError {
    Empty,
    Invalid(u8),
    Overflow,
}

#[device]
fn parse(text: &[u8]) -> Result<u32, ParseError> {
    if text.is_empty() {
        return Err(ParseError::Empty);
    }
    let mut value = 0u32;
    for &b in text {
        let digit = match b {
            b'0'..=b'9' => (b - b'0') as u32,
            b'_' => continue,
            other => return Err(ParseError::Invalid(other)),
        };
        value = value.checked_mul(10).and_then(|v| v.checked_add(digit)).ok_or(ParseError::Overflow)?;
    }
    Ok(value)
}

/// One line of the text for each invocation.
#[kernel(workgroup = 32)]
fn parse_lines(text: &[u8], starts: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(slot) = out.get_mut(i) else { return };
    let line = &text[starts[i] as usize..starts[i + 1] as usize - 1];
    *slot = match parse(line) {
        Ok(v) => v,
        Err(ParseError::Empty) => u32::MAX,
        Err(ParseError::Invalid(b)) => 0x1000_0000 | b as u32,
        Err(ParseError::Overflow) => 0x2000_0000,
    };
}

#[device]
mod vm {
    #[derive(Clone, Copy)]
    pub(super) enum Op {
        Push(i32),
        Add,
        Mul,
        Dup,
        Swap,
        JumpIfZero(u32),
        Halt,
    }

    pub(super) fn decode(word: u32) -> Option<Op> {
        Some(match word >> 24 {
            0 => Op::Push((word & 0xff_ffff) as i32),
            1 => Op::Add,
            2 => Op::Mul,
            3 => Op::Dup,
            4 => Op::Swap,
            5 => Op::JumpIfZero(word & 0xffff),
            6 => Op::Halt,
            _ => return None,
        })
    }

    #[derive(Clone, Copy)]
    pub(super) struct Machine {
        stack: [i32; 8],
        top: usize,
    }

    impl Machine {
        pub(super) fn new() -> Self {
            Machine { stack: [0; 8], top: 0 }
        }
        pub(super) fn push(&mut self, v: i32) -> Option<()> {
            let Some(slot) = self.stack.get_mut(self.top) else { return None };
            *slot = v;
            self.top += 1;
            Some(())
        }
        pub(super) fn pop(&mut self) -> Option<i32> {
            self.top = self.top.checked_sub(1)?;
            Some(self.stack[self.top])
        }
        pub(super) fn step(&mut self, op: Op) -> Option<()> {
            match op {
                Op::Push(v) => self.push(v)?,
                Op::Add => {
                    let (a, b) = (self.pop()?, self.pop()?);
                    self.push(a.wrapping_add(b))?;
                }
                Op::Mul => {
                    let b = self.pop()?;
                    let a = self.pop()?;
                    self.push(a.wrapping_mul(b))?
                }
                Op::Dup => {
                    let a = self.pop()?;
                    self.push(a)?;
                    self.push(a)?;
                }
                Op::Swap => {
                    let (a, b) = (self.pop()?, self.pop()?);
                    self.push(a)?;
                    self.push(b)?;
                }
                _ => return None,
            }
            Some(())
        }
    }
}
use vm::{Machine, Op, decode};

#[kernel(workgroup = 32)]
fn interpret(code: &[u32], inputs: &[i32], out: &mut [i32]) {
    let i = global_id().x as usize;
    let mut m = Machine::new();
    let mut pc = i % 3;
    m.push(inputs[i]).unwrap();
    let mut fuel = 60;
    while let Some(op) = code.get(pc).copied().and_then(decode) {
        fuel -= 1;
        if fuel == 0 {
            break;
        }
        pc += 1;
        match op {
            Op::Halt => break,
            Op::JumpIfZero(target) => {
                if m.pop() == Some(0) {
                    pc = target as usize;
                }
            }
            op => {
                if m.step(op).is_none() {
                    break;
                }
            }
        }
    }
    out[i] = m.pop().unwrap_or(-1);
}

/// By elimination; nothing for a matrix that has no inverse.
#[device]
fn solve<const LEN: usize>(mut a: [[f32; LEN]; LEN], mut b: [f32; LEN]) -> Option<[f32; LEN]> {
    for col in 0..LEN {
        let pivot = (col..LEN).max_by(|&i, &j| a[i][col].abs().total_cmp(&a[j][col].abs()))?;
        if a[pivot][col].abs() < 1e-6 {
            return None;
        }
        a.swap(col, pivot);
        b.swap(col, pivot);
        for row in col + 1..LEN {
            let f = a[row][col] / a[col][col];
            for k in col..LEN {
                a[row][k] -= f * a[col][k];
            }
            b[row] -= f * b[col];
        }
    }
    let mut x = [0.0; LEN];
    for row in (0..LEN).rev() {
        let known: f32 = (row + 1..LEN).map(|k| a[row][k] * x[k]).sum();
        x[row] = (b[row] - known) / a[row][row];
    }
    Some(x)
}

#[kernel(workgroup = 32)]
fn solve_all(v: &[f32], x: &mut [[f32; 4]]) {
    let i = global_id().x as usize;
    let a: [[f32; 4]; 4] =
        std::array::from_fn(|r| std::array::from_fn(|c| v[(i * 7 + r * 5 + c * 3) % v.len()] + (r == c) as u32 as f32));
    if let Some(found) = solve(a, [1.0, -1.0, v[i], 0.5]) {
        x[i] = found;
    } else {
        x[i] = [f32::MAX; 4];
    }
}

#[kernel(workgroup = 32)]
fn sparse(row_ptr: &[u32], cols: &[u32], vals: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x as usize;
    let (begin, end) = (row_ptr[row] as usize, row_ptr[row + 1] as usize);
    y[row] = cols[begin..end].iter().zip(&vals[begin..end]).map(|(&c, &v)| v * x[c as usize]).sum();
}

/// The row of an entry, and its hash.
#[kernel(workgroup = 32)]
fn entries(row_ptr: &[u32], data: &[u8], rows: &mut [UVec2]) {
    let UVec3 { x: i, .. } = global_id();
    let row = row_ptr.partition_point(|&start| start <= i) - 1;
    let bytes = &data[i as usize * 7..][..7];
    let mut h = 42u32;
    let mut mix = |k: u32| {
        h ^= k.wrapping_mul(0xcc9e2d51).rotate_left(15).wrapping_mul(0x1b873593);
        h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe6546b64);
    };
    for chunk in bytes.chunks_exact(4) {
        mix(u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
    }
    let tail = bytes[4..].iter().enumerate().fold(0, |k, (j, &b)| k | (b as u32) << (8 * j));
    mix(tail);
    rows[i as usize] = uvec2(row as u32, h ^ h >> 16);
}

#[device]
mod sdf {
    use gridwise::prelude::*;

    pub trait Sdf {
        fn distance(&self, p: Vec3) -> f32;
        fn gradient(&self, p: Vec3) -> Vec3 {
            let e = Vec2::new(0.125, 0.0);
            Vec3::new(
                self.distance(p + e.xyy()) - self.distance(p - e.xyy()),
                self.distance(p + e.yxy()) - self.distance(p - e.yxy()),
                self.distance(p + e.yyx()) - self.distance(p - e.yyx()),
            )
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Sphere {
        pub center: Vec3,
        pub radius: f32,
    }

    impl Sdf for Sphere {
        fn distance(&self, p: Vec3) -> f32 {
            (p - self.center).length() - self.radius
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Plane(pub Vec3, pub f32);

    impl Sdf for Plane {
        fn distance(&self, p: Vec3) -> f32 {
            p.dot(self.0) + self.1
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Union<A, B>(pub A, pub B);

    impl<A: Sdf, B: Sdf> Sdf for Union<A, B> {
        fn distance(&self, p: Vec3) -> f32 {
            self.0.distance(p).min(self.1.distance(p))
        }
    }

    pub(super) fn march<S: Sdf>(scene: &S, origin: Vec3, dir: Vec3) -> Option<(Vec3, u32)> {
        let mut t = 0.0;
        for i in 0..32 {
            let p = origin + dir * t;
            let d = scene.distance(p);
            if d < 0.01 {
                return Some((p, i));
            }
            t += d;
            if t > 100.0 {
                break;
            }
        }
        None
    }
}
use sdf::{Plane, Sdf, Sphere, Union, march};

#[kernel(workgroup = [8, 4])]
fn render(pixels: &mut [[u8; 4]], size: UVec2) {
    let id = global_id().xy();
    if id.cmpge(size).any() {
        return;
    }
    let uv = (id.as_vec2() / size.as_vec2() - 0.5) * vec2(2.0, -2.0);
    let scene = Union(Sphere { center: Vec3::new(0.0, 0.0, 5.0), radius: 1.0 }, Plane(Vec3::Y, 1.0));
    let color = match march(&scene, Vec3::ZERO, uv.extend(1.5)) {
        Some((p, steps)) => scene.gradient(p).signum() * 0.25 + 0.5 + vec3(0.0, 0.0, (steps > 3) as u32 as f32 * 0.25),
        None => Vec3::splat(0.125),
    };
    let [r, g, b] = (color * 255.0).as_uvec3().to_array().map(|v| v as u8);
    pixels[(id.y * size.x + id.x) as usize] = [r, g, b, 255];
}

fn lines() -> (Vec<u8>, Vec<u32>) {
    let lines: Vec<String> = (0..N as u32)
        .map(|i| match i % 8 {
            0 => String::new(),
            1 => format!("{}x1", i * 77),
            2 => format!("4_29{}", 4_967_290 + i),
            3 => format!("1_000_{i:03}"),
            4 => "99999999999x".to_owned(),
            5 => "_".to_owned(),
            _ => (i * i * 31).to_string(),
        })
        .collect();
    let text: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
    let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at as u32 + 1);
    let starts = std::iter::once(0).chain(ends).collect();
    (text, starts)
}

fn expected_numbers() -> Vec<Output> {
    let (text, _) = lines();
    let value = |line: &[u8]| {
        let mut value = 0u64;
        for b in line.iter().filter(|b| **b != b'_') {
            if !b.is_ascii_digit() {
                return 0x1000_0000 | u32::from(*b);
            }
            value = value * 10 + u64::from(b - b'0');
            if value > u64::from(u32::MAX) {
                return 0x2000_0000;
            }
        }
        if line.is_empty() { u32::MAX } else { value as u32 }
    };
    vec![Output::U32(text.strip_suffix(b"\n").unwrap_or(&text).split(|b| *b == b'\n').map(value).collect())]
}

/// Doubles, multiplies and exchanges in a loop that ends at a zero, at too much or too little on the stack, or without fuel.
const CODE: [u32; 14] = [
    3 << 24,
    0x7,
    2 << 24,
    3 << 24,
    0xff_ffff,
    1 << 24,
    4 << 24,
    0x2,
    1 << 24,
    3 << 24,
    5 << 24 | 13,
    0,
    5 << 24,
    6 << 24,
];

fn inputs() -> Vec<i32> {
    (0..N as i32).map(|i| i * i - 300).collect()
}

fn expected_machine() -> Vec<Output> {
    let run = |(i, input): (usize, i32)| {
        let (mut stack, mut pc) = (vec![input], i % 3);
        for _ in 1..60 {
            let Some(word) = CODE.get(pc) else { break };
            pc += 1;
            let (low, len) = (word & 0xff_ffff, stack.len());
            let missing = match word >> 24 {
                0 | 6 => 0,
                3 | 5 => 1,
                _ => 2,
            };
            let is_jump = word >> 24 == 5;
            if len < missing && !is_jump {
                stack.clear();
                break;
            }
            match word >> 24 {
                0 => stack.push(low as i32),
                1 | 2 => {
                    let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
                    stack.push(if word >> 24 == 1 { a.wrapping_add(b) } else { a.wrapping_mul(b) });
                }
                3 => stack.push(stack[len - 1]),
                4 => stack.swap(len - 1, len - 2),
                5 => {
                    if stack.pop() == Some(0) {
                        pc = low as usize & 0xffff;
                    }
                }
                _ => break,
            }
            if stack.len() > 8 {
                stack.pop();
                break;
            }
        }
        stack.pop().unwrap_or(-1)
    };
    vec![Output::I32(inputs().into_iter().enumerate().map(run).collect())]
}

fn row_starts() -> Vec<u32> {
    (0..=N as u32).map(|row| row * 3 + row % 4).scan(0, |last, v| Some(std::mem::replace(last, v))).collect()
}

fn columns() -> Vec<u32> {
    patterns(3 * N + 4, 81).into_iter().map(|v| v % N as u32).collect()
}

fn expected_sparse() -> Vec<Output> {
    let (starts, cols, vals, x) = (row_starts(), columns(), moderate(3 * N + 4, 82, 4.0), moderate(N, 83, 4.0));
    let row = |row: usize| {
        let entries = starts[row] as usize..starts[row + 1] as usize;
        entries.map(|k| vals[k] * x[cols[k] as usize]).sum::<f32>()
    };
    vec![Output::exact((0..N).map(row).collect())]
}

fn data() -> Vec<u8> {
    patterns(7 * N, 84).into_iter().map(|v| v as u8).collect()
}

fn expected_entries() -> Vec<Output> {
    let (starts, data) = (row_starts(), data());
    let entry = |i: usize| {
        let row = starts.iter().filter(|start| **start as usize <= i).count() - 1;
        let b = &data[7 * i..7 * i + 7];
        let words = [u32::from_le_bytes([b[0], b[1], b[2], b[3]]), u32::from_le_bytes([b[4], b[5], b[6], 0])];
        let h = words.into_iter().fold(42u32, |h, k| {
            let h = h ^ k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
            h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
        });
        [row as u32, h ^ h >> 16]
    };
    vec![Output::U32((0..N).flat_map(entry).collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "natural::parse_lines",
        [ParseLines],
        |mgr| {
            let (text, starts) = lines();
            let mut out = mgr.tensor(&[0u32; N])?;
            let seq = mgr.sequence()?;
            ParseLines::dispatch(&seq, Grid::items(N + 9), &mgr.tensor(&text)?, &mgr.tensor(&starts)?, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        expected_numbers
    ),
    case!(
        "natural::interpret",
        [Interpret],
        |mgr| {
            let mut out = mgr.tensor(&[0i32; N])?;
            let seq = mgr.sequence()?;
            Interpret::dispatch(&seq, Grid::items(N), &mgr.tensor(&CODE)?, &mgr.tensor(&inputs())?, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?)])
        },
        expected_machine
    ),
    case!("natural::solve_all", [SolveAll], |mgr| {
        let mut x = mgr.tensor(&[[0f32; 4]; N])?;
        let seq = mgr.sequence()?;
        SolveAll::dispatch(&seq, Grid::items(N), &mgr.tensor(&moderate(N + 3, 85, 4.0))?, &mut x)?;
        seq.eval()?;
        Ok(vec![Output::exact(x.to_vec()?.concat())])
    }),
    case!(
        "natural::sparse",
        [Sparse],
        |mgr| {
            let (starts, cols) = (mgr.tensor(&row_starts())?, mgr.tensor(&columns())?);
            let (vals, x) = (mgr.tensor(&moderate(3 * N + 4, 82, 4.0))?, mgr.tensor(&moderate(N, 83, 4.0))?);
            let mut y = mgr.tensor(&[0f32; N])?;
            let seq = mgr.sequence()?;
            Sparse::dispatch(&seq, Grid::items(N), &starts, &cols, &vals, &x, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::exact(y.to_vec()?)])
        },
        expected_sparse
    ),
    case!(
        "natural::entries",
        [Entries],
        |mgr| {
            let mut rows = mgr.tensor(&[UVec2::ZERO; N])?;
            let seq = mgr.sequence()?;
            Entries::dispatch(&seq, Grid::items(N), &mgr.tensor(&row_starts())?, &mgr.tensor(&data())?, &mut rows)?;
            seq.eval()?;
            Ok(vec![Output::U32(rows.to_vec()?.into_iter().flat_map(|pair| pair.to_array()).collect())])
        },
        expected_entries
    ),
    case!("natural::render", [Render], |mgr| {
        let mut pixels = mgr.tensor(&[[0u8; 4]; 24 * 20])?;
        let seq = mgr.sequence()?;
        Render::dispatch(&seq, Grid::items([24, 20]), &mut pixels, uvec2(24, 20))?;
        seq.eval()?;
        Ok(vec![Output::U32(pixels.to_vec()?.into_iter().map(u32::from_le_bytes).collect())])
    }),
];
