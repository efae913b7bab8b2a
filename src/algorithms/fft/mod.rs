//! Fourier transforms of complex numbers, by Stockham's algorithm: each pass is a transform of up to 1024 points in shared
//! memory, by steps of four, and leaves its results in order (van Loan, Computational Frameworks for the Fast Fourier Transform, 1.7). First and
//! last passes of 64 points and more take more of their steps in registers.

mod real;
mod registers;

use std::f64::consts::TAU;

use super::stages::Stages;
use super::{expect_len, operation};
use crate::prelude::*;
use crate::{Error, KernelArgs, Result};

/// Invocations of a workgroup.
#[device]
const WIDTH: u32 = 256;
/// Points of a workgroup.
#[device]
const POINTS: u32 = 4096;
/// Points of an invocation.
#[device]
const OWN: u32 = 16;
/// The longest transform of one pass, as a power of two.
const MAX_LOG: u32 = 10;
/// Roots of unity in a table, as a power of two.
#[device]
const TABLE_LOG: u32 = 10;

/// A batch of Fourier transforms, each of a power of two of complex numbers; the tensor holds one after the other.
///
/// A complex number is a `Vec2` of its real and its imaginary part. Forward: `y[k] = Σ x[j] · exp(-2πi·j·k / len)`; inverse: with
/// the opposite sign and divided by `len`. One pass over the tensor makes up to 1024 points, two 2^20, three 2^30.
///
/// Work space: as much as the tensor, where there is more than one pass, and tables of roots of unity: 8 KiB, and for each further pass as
/// much again and 1/1024 of the transform made so far.
///
/// ```
/// use gridwise::algorithms::OpFft;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[vec2(1.0, 0.0), vec2(2.0, 0.0), vec2(3.0, 0.0), vec2(4.0, 0.0)])?;
/// let mut y = mgr.tensor_of_len::<Vec2>(4)?;
/// mgr.sequence()?.record(OpFft::forward(4, &x, &mut y)?)?.eval()?;
/// let expected = [vec2(10.0, 0.0), vec2(-2.0, 2.0), vec2(-2.0, 0.0), vec2(-2.0, -2.0)];
/// assert!(y.to_vec()?.iter().zip(expected).all(|(found, expected)| found.distance(expected) < 1e-5));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpFft(Stages);

operation!(OpFft);

impl OpFft {
    /// Transforms each `len` numbers of `x` into `y`.
    ///
    /// # Errors
    /// When `len` is not a power of two or does not divide the length of `x`, `y` has another length, or there is no memory for
    /// the work space.
    pub fn forward(len: u32, x: &Tensor<Vec2>, y: &mut Tensor<Vec2>) -> Result<Self> {
        Self::new("forward transform", len, x, y, -TAU, 1.0)
    }

    /// Transforms each `len` numbers of `x` back into `y`.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn inverse(len: u32, x: &Tensor<Vec2>, y: &mut Tensor<Vec2>) -> Result<Self> {
        Self::new("inverse transform", len, x, y, TAU, 1.0 / len as f32)
    }

    fn new(
        name: &'static str,
        len: u32,
        x: &Tensor<Vec2>,
        y: &mut Tensor<Vec2>,
        turn: f64,
        scale: f32,
    ) -> Result<Self> {
        expect_len("transforming into", (3, "y"), y, x.len())?;
        if !len.is_power_of_two() || !x.len().is_multiple_of(len as usize) {
            return Err(Error::ArgumentMismatch {
                kernel: name.into(),
                param: "`len`".to_owned(),
                expected: format!("a power of two that divides {}", x.len()),
                found: len.to_string(),
            });
        }
        let mgr = &x.manager();
        let mut stages = Stages::new(name);
        let count = len.ilog2().div_ceil(MAX_LOG).max(1);
        let mut spare = if count > 1 { Some(mgr.tensor_of_len::<Vec2>(x.len())?) } else { None };
        let roots = Roots::new(mgr, turn)?;
        let mut done = 0;
        for pass in 0..count {
            // Passes of about the same length.
            let log = (len.ilog2() - done).div_ceil(count - pass);
            let scale = if pass + 1 == count { scale } else { 1.0 };
            let apart = len.ilog2() - log;
            let is_last_but_even = (count - 1 - pass).is_multiple_of(2);
            let (from, to) = match (&mut spare, pass, is_last_but_even) {
                (Some(spare), 0, false) => (x, &mut *spare),
                (Some(spare), 1.., true) => (&*spare, &mut *y),
                (Some(spare), 1.., false) => (&*y, &mut *spare),
                (_, _, _) => (x, &mut *y),
            };
            if done == 0 {
                roots.first(&mut stages, log, apart, scale, from, to);
            } else {
                roots.later(&mut stages, log, apart, done, scale, from, to)?;
            }
            done += log;
        }
        Ok(Self(stages))
    }
}

/// The roots of unity by which passes in one direction turn points.
struct Roots {
    /// A full turn in that direction.
    turn: f64,
    all: Tensor<Vec2>,
    /// Those of forward transforms, which passes in registers are, where the direction is the other.
    forward: Option<Tensor<Vec2>>,
}

impl Roots {
    fn new(mgr: &Manager, turn: f64) -> Result<Self> {
        let forward = if turn > 0.0 { Some(roots(mgr, -turn, TABLE_LOG, TABLE_LOG)?) } else { None };
        Ok(Self { turn, all: roots(mgr, turn, TABLE_LOG, TABLE_LOG)?, forward })
    }

    /// The grid of a pass in registers of columns of `1 << log` points that are `1 << apart` from each other, where there is one.
    fn grid_in_registers(log: u32, apart: u32, points: usize) -> Option<Grid> {
        let columns = registers::columns_log(log)?;
        let groups = [1 << apart.checked_sub(columns)?, (points >> (log + apart)) as u32];
        // Every device has so many.
        groups.iter().all(|groups| *groups <= 65_535).then(|| Grid::groups(groups))
    }

    /// The arguments that passes in registers share.
    fn in_registers(&self, args: KernelArgs, log: u32, apart: u32, scale: f32) -> KernelArgs {
        let args =
            args.value(scale).value(u32::from(self.turn > 0.0)).value(1u32 << (log + apart)).value(1u32 << apart);
        args.read(self.forward.as_ref().unwrap_or(&self.all))
    }

    /// Transforms columns of `1 << log` points that are `1 << apart` from each other. Each comes out as a row.
    fn first(&self, stages: &mut Stages, log: u32, apart: u32, scale: f32, x: &Tensor<Vec2>, y: &mut Tensor<Vec2>) {
        if let Some(grid) = Self::grid_in_registers(log, apart, x.len()) {
            let arguments = |args| self.in_registers(args, log, apart, scale).read(x).write(y);
            return match log {
                6 => stages.launch::<registers::First64>(grid, arguments),
                7 => stages.launch::<registers::First128>(grid, arguments),
                8 => stages.launch::<registers::First256>(grid, arguments),
                9 => stages.launch::<registers::First512>(grid, arguments),
                _ => stages.launch::<registers::First1024>(grid, arguments),
            };
        }
        let roots = &self.all;
        launch(stages, log, x.len(), |args| {
            let args = args.value(self.turn.signum() as f32).value(scale).value(apart).value(0u32);
            args.read(roots).read(roots).read(roots).read(x).write(y)
        });
    }

    /// Transforms columns where those of `1 << done` points have been transformed.
    #[expect(clippy::too_many_arguments, reason = "a pass is told by all of them, and there is one caller")]
    fn later(
        &self,
        stages: &mut Stages,
        log: u32,
        apart: u32,
        done: u32,
        scale: f32,
        x: &Tensor<Vec2>,
        y: &mut Tensor<Vec2>,
    ) -> Result<()> {
        // The points of a row are turned by roots of all that has been transformed: by a coarse step and a fine one.
        let all = done + log;
        let tables = |turn| -> Result<_> {
            let (mgr, coarse) = (&x.manager(), all - TABLE_LOG);
            Ok((roots(mgr, turn, all, TABLE_LOG)?, roots(mgr, turn, coarse, coarse)?))
        };
        // There is a kernel for the last pass.
        if let Some(grid) = Self::grid_in_registers(log, apart, x.len()).filter(|_| done == apart) {
            let (fine, coarse) = tables(-self.turn.abs())?;
            let arguments =
                |args| self.in_registers(args, log, apart, scale).read(&fine).read(&coarse).read(x).write(y);
            match log {
                6 => stages.launch::<registers::Last64>(grid, arguments),
                7 => stages.launch::<registers::Last128>(grid, arguments),
                8 => stages.launch::<registers::Last256>(grid, arguments),
                9 => stages.launch::<registers::Last512>(grid, arguments),
                _ => stages.launch::<registers::Last1024>(grid, arguments),
            }
            return Ok(());
        }
        let (fine, coarse) = tables(self.turn)?;
        launch(stages, log, x.len(), |args| {
            let args = args.value(self.turn.signum() as f32).value(scale).value(apart).value(done);
            args.read(&self.all).read(&fine).read(&coarse).read(x).write(y)
        });
        Ok(())
    }
}

/// The first `1 << count` of the `1 << all` roots of unity.
fn roots(mgr: &Manager, turn: f64, all: u32, count: u32) -> Result<Tensor<Vec2>> {
    let root = |part: u32| {
        let (sin, cos) = (turn * f64::from(part) / f64::from(all).exp2()).sin_cos();
        vec2(cos as f32, sin as f32)
    };
    mgr.tensor(&(0..1 << count).map(root).collect::<Vec<_>>())
}

/// Appends a pass of transforms of `1 << log` of the points.
fn launch(stages: &mut Stages, log: u32, points: usize, arguments: impl FnOnce(KernelArgs) -> KernelArgs) {
    let grid = Grid::groups(points.div_ceil(POINTS as usize) as u32);
    match log {
        0 => stages.launch::<Pass1>(grid, arguments),
        1 => stages.launch::<Pass2>(grid, arguments),
        2 => stages.launch::<Pass4>(grid, arguments),
        3 => stages.launch::<Pass8>(grid, arguments),
        4 => stages.launch::<Pass16>(grid, arguments),
        5 => stages.launch::<Pass32>(grid, arguments),
        6 => stages.launch::<Pass64>(grid, arguments),
        7 => stages.launch::<Pass128>(grid, arguments),
        8 => stages.launch::<Pass256>(grid, arguments),
        9 => stages.launch::<Pass512>(grid, arguments),
        _ => stages.launch::<Pass1024>(grid, arguments),
    }
}

/// The product of two complex numbers.
#[device]
fn times(a: Vec2, b: Vec2) -> Vec2 {
    vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

/// The number a quarter of a turn further, in the direction of `sign`.
#[device]
fn quarter(sign: f32, v: Vec2) -> Vec2 {
    vec2(-sign * v.y, sign * v.x)
}

/// The place of a point in shared memory: points that 16 neighbouring invocations access together lie in different
/// banks.
#[device]
fn place(radix: u32, column: u32, row: u32) -> u32 {
    let mut at = column * radix + row;
    if radix >= 16 {
        at ^= ((row >> 4 & 3) * 5) ^ ((column & 3) << 2);
    }
    at & (POINTS - 1)
}

/// A kernel that transforms columns of `$radix` points, which lie `1 << apart` from each other; transforms of `1 << done` points have
/// been made before.
macro_rules! pass {
    (
        $name:ident, log $log:literal, radix $radix:literal, columns $columns:literal,
        by_two [$($half:literal)?],
        |$sign:ident, $roots:ident| by_four [$($fourth:literal: $($size:literal)+)?]
    ) => {
        #[kernel(workgroup = WIDTH)]
        fn $name(
            $sign: f32,
            scale: f32,
            apart: u32,
            done: u32,
            $roots: &[Vec2],
            fine: &[Vec2],
            coarse: &[Vec2],
            x: &[Vec2],
            y: &mut [Vec2],
        ) {
            let points = Shared::<[Vec2; 4096]>::new();
            let (local, first) = (local_id().x, workgroup_id().x * $columns);
            let apart_mask = (1 << apart) - 1;
            let done_mask = (1 << done) - 1;
            for k in 0..OWN {
                let at = local + k * WIDTH;
                // Neighbours in memory are neighbours of a column where there is one column, else of a row.
                let mut column = at / $radix;
                let mut row = at % $radix;
                if apart > 0 {
                    column = at % $columns;
                    row = at / $columns;
                }
                let j = first + column;
                // Beyond the last column, this is beyond the end, too.
                let from = ((j >> apart) << (apart + $log)) + (j & apart_mask) + (row << apart);
                let mut v = Vec2::ZERO;
                if from < x.len() as u32 {
                    v = x[from];
                }
                if done > 0 {
                    let turns = row * (j & apart_mask & done_mask);
                    if turns >> TABLE_LOG < coarse.len() as u32 {
                        let root = times(fine[turns & 1023], coarse[turns >> TABLE_LOG]);
                        v = times(v, root);
                    }
                }
                // SAFETY: `at` numbers rows and columns, and `place` gives each pair a cell of its own.
                unsafe { points.unordered()[place($radix, column, row)] = v };
            }
            $(
                let mut sums = [Vec2::ZERO; 8];
                let mut differences = [Vec2::ZERO; 8];
                barrier();
                for k in 0..8u32 {
                    let at = local + k * WIDTH;
                    let column = at / $half;
                    let row = at % $half;
                    let u = points[place($radix, column, row)];
                    let row = at % $half + $half;
                    let v = points[place($radix, column, row)];
                    sums[k] = u + v;
                    differences[k] = u - v;
                }
                barrier();
                for k in 0..8u32 {
                    let at = local + k * WIDTH;
                    let column = at / $half;
                    let row = at % $half * 2;
                    points[place($radix, column, row)] = sums[k];
                    let row = at % $half * 2 + 1;
                    points[place($radix, column, row)] = differences[k];
                }
            )?
            $(
                let mut v0 = [Vec2::ZERO; 4];
                let mut v1 = [Vec2::ZERO; 4];
                let mut v2 = [Vec2::ZERO; 4];
                let mut v3 = [Vec2::ZERO; 4];
                $(
                    barrier();
                    for k in 0..4u32 {
                        let at = local + k * WIDTH;
                        let (column, b) = (at / $fourth, at % $fourth);
                        let row = b;
                        let a = points[place($radix, column, row)];
                        let row = b + $fourth;
                        let mut c = points[place($radix, column, row)];
                        let row = b + 2 * $fourth;
                        let mut d = points[place($radix, column, row)];
                        let row = b + 3 * $fourth;
                        let mut e = points[place($radix, column, row)];
                        if $size > 1 {
                            let root = $roots[b % $size * (256 / $size)];
                            let twice = times(root, root);
                            c = times(c, root);
                            d = times(d, twice);
                            e = times(e, times(twice, root));
                        }
                        let (even, odd) = (a + d, a - d);
                        let (sum, turned) = (c + e, quarter($sign, c - e));
                        v0[k] = even + sum;
                        v1[k] = odd + turned;
                        v2[k] = even - sum;
                        v3[k] = odd - turned;
                    }
                    barrier();
                    for k in 0..4u32 {
                        let at = local + k * WIDTH;
                        let (column, b) = (at / $fourth, at % $fourth);
                        let row = b / $size * (4 * $size) + b % $size;
                        points[place($radix, column, row)] = v0[k];
                        let row = b / $size * (4 * $size) + b % $size + $size;
                        points[place($radix, column, row)] = v1[k];
                        let row = b / $size * (4 * $size) + b % $size + 2 * $size;
                        points[place($radix, column, row)] = v2[k];
                        let row = b / $size * (4 * $size) + b % $size + 3 * $size;
                        points[place($radix, column, row)] = v3[k];
                    }
                )+
            )?
            barrier();
            for k in 0..OWN {
                let at = local + k * WIDTH;
                let mut column = at / $radix;
                let mut row = at % $radix;
                if done > 0 {
                    column = at % $columns;
                    row = at / $columns;
                }
                let j = first + column;
                let within = j & apart_mask;
                let to = ((j >> apart) << (apart + $log))
                    + ((within >> done) << (done + $log))
                    + (within & done_mask)
                    + (row << done);
                if to < y.len() as u32 {
                    // SAFETY: `to` is the number of row and column with its digits in another order.
                    unsafe { y.unordered()[to] = points[place($radix, column, row)] * scale };
                }
            }
        }
    };
}

pass!(pass_1, log 0, radix 1, columns 4096, by_two [], |_sign, _roots| by_four []);
pass!(pass_2, log 1, radix 2, columns 2048, by_two [1], |_sign, _roots| by_four []);
pass!(pass_4, log 2, radix 4, columns 1024, by_two [], |sign, roots| by_four [1: 1]);
pass!(pass_8, log 3, radix 8, columns 512, by_two [4], |sign, roots| by_four [2: 2]);
pass!(pass_16, log 4, radix 16, columns 256, by_two [], |sign, roots| by_four [4: 1 4]);
pass!(pass_32, log 5, radix 32, columns 128, by_two [16], |sign, roots| by_four [8: 2 8]);
pass!(pass_64, log 6, radix 64, columns 64, by_two [], |sign, roots| by_four [16: 1 4 16]);
pass!(pass_128, log 7, radix 128, columns 32, by_two [64], |sign, roots| by_four [32: 2 8 32]);
pass!(pass_256, log 8, radix 256, columns 16, by_two [], |sign, roots| by_four [64: 1 4 16 64]);
pass!(pass_512, log 9, radix 512, columns 8, by_two [256], |sign, roots| by_four [128: 2 8 32 128]);
pass!(pass_1024, log 10, radix 1024, columns 4, by_two [], |sign, roots| by_four [256: 1 4 16 64 256]);
