//! Fourier transforms of complex numbers, by Stockham's algorithm: each pass is a transform of up to 512 points in shared
//! memory, and leaves its results in order (van Loan, Computational Frameworks for the Fast Fourier Transform, 1.7).

use std::f32::consts::TAU;

use super::stages::Stages;
use super::{expect_len, operation};
use crate::prelude::*;
use crate::{Error, Result};

/// Invocations of a workgroup.
#[device]
const WIDTH: u32 = 256;
/// Points of a workgroup.
#[device]
const POINTS: u32 = 2048;
/// The longest transform of one pass, as a power of two.
const MAX_LOG: u32 = 9;

/// Fourier transforms of a power of two of complex numbers, as many as the tensor holds one behind the other.
///
/// A complex number is a `Vec2` of its real and its imaginary part. Forward: `y[k] = Σ x[j] · exp(-2πi·j·k / len)`; inverse: with
/// the opposite sign and divided by `len`. Each 512 points more take a pass over the tensor.
///
/// Work space: as much as the tensor, where there is more than one pass.
///
/// ```
/// use gridwise::algorithms::OpFft;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[vec2(1.0, 0.0), vec2(2.0, 0.0), vec2(3.0, 0.0), vec2(4.0, 0.0)])?;
/// let mut y = mgr.tensor_of_len::<Vec2>(4)?;
/// mgr.sequence()?.record(OpFft::forward(&mgr, 4, &x, &mut y)?)?.eval()?;
/// let expected = [vec2(10.0, 0.0), vec2(-2.0, 2.0), vec2(-2.0, 0.0), vec2(-2.0, -2.0)];
/// assert!(y.to_vec()?.iter().zip(expected).all(|(found, expected)| found.distance(expected) < 1e-5));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OpFft(Stages);

operation!(OpFft);

impl OpFft {
    /// Transforms each `len` numbers of `x` into `y`.
    ///
    /// # Errors
    /// When `len` is not a power of two or does not divide the length of `x`, `y` has another length, or the work space
    /// cannot be had.
    pub fn forward(mgr: &Manager, len: u32, x: &Tensor<Vec2>, y: &mut Tensor<Vec2>) -> Result<Self> {
        Self::new("forward transform", mgr, len, x, y, -TAU, 1.0)
    }

    /// Transforms each `len` numbers of `x` back into `y`.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn inverse(mgr: &Manager, len: u32, x: &Tensor<Vec2>, y: &mut Tensor<Vec2>) -> Result<Self> {
        Self::new("inverse transform", mgr, len, x, y, TAU, 1.0 / len as f32)
    }

    fn new(
        name: &'static str,
        mgr: &Manager,
        len: u32,
        x: &Tensor<Vec2>,
        y: &mut Tensor<Vec2>,
        turn: f32,
        scale: f32,
    ) -> Result<Self> {
        expect_len("transforming into", y, x.len())?;
        if !len.is_power_of_two() || !x.len().is_multiple_of(len as usize) {
            return Err(Error::ArgumentMismatch {
                kernel: name.into(),
                param: "`len`".to_owned(),
                expected: format!("a power of two that divides {}", x.len()),
                found: len.to_string(),
            });
        }
        let mut stages = Stages::new(name);
        let count = len.ilog2().div_ceil(MAX_LOG).max(1);
        let mut spare = if count > 1 { Some(mgr.tensor_of_len::<Vec2>(x.len())?) } else { None };
        let mut done = 0;
        for pass in 0..count {
            // Passes of about the same length.
            let log = (len.ilog2() - done).div_ceil(count - pass);
            let columns = x.len() >> log;
            let groups = (columns << log).div_ceil(POINTS as usize) as u32;
            let scale = if pass + 1 == count { scale } else { 1.0 };
            let is_last_but_even = (count - 1 - pass).is_multiple_of(2);
            let launch =
                |args: crate::KernelArgs| args.value(turn).value(scale).value(len).value(1u32 << done).value(log);
            let grid = Grid::groups(groups);
            match (&mut spare, pass, is_last_but_even) {
                (_, 0, true) => stages.launch::<Pass>(grid, |args| launch(args).read(x).write(y)),
                (Some(spare), 0, false) => stages.launch::<Pass>(grid, |args| launch(args).read(x).write(spare)),
                (Some(spare), _, true) => stages.launch::<Pass>(grid, |args| launch(args).read(spare).write(y)),
                (Some(spare), _, false) => stages.launch::<Pass>(grid, |args| launch(args).read(y).write(spare)),
                (None, ..) => unreachable!("one pass goes from `x` to `y`"),
            }
            done += log;
        }
        Ok(Self(stages))
    }
}

/// The product of two complex numbers.
#[device]
fn times(a: Vec2, b: Vec2) -> Vec2 {
    vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

/// `exp(i · turn · part / whole)`.
#[device]
fn root(turn: f32, part: u32, whole: u32) -> Vec2 {
    let (sin, cos) = (turn * (part as f32 / whole as f32)).sin_cos();
    vec2(cos, sin)
}

/// Transforms columns of `1 << log` points, which lie `len >> log` apart; transforms of `done` points have been made before.
#[kernel(workgroup = WIDTH)]
fn pass(turn: f32, scale: f32, len: u32, done: u32, log: u32, x: &[Vec2], y: &mut [Vec2]) {
    let points = Shared::<[Vec2; 2048]>::new();
    let radix = 1u32 << log;
    let (columns, apart) = (POINTS >> log, len >> log);
    let (all_columns, first) = (x.len() as u32 >> log, workgroup_id().x * columns);
    for k in 0..8u32 {
        let at = local_id().x + k * WIDTH;
        // Neighbours in memory are neighbours of a column where there is one column, else of a row.
        let (column, row) = if apart == 1 { (at >> log, at & (radix - 1)) } else { (at % columns, at / columns) };
        if first + column < all_columns {
            let j = first + column;
            let v = x[j / apart * len + j % apart + row * apart];
            points[(column << log) + row] = times(v, root(turn, row * (j % apart % done), done << log));
        }
    }
    let mut size = 1;
    while size < radix {
        let mut sums = [Vec2::ZERO; 4];
        let mut differences = [Vec2::ZERO; 4];
        barrier();
        for k in 0..4u32 {
            let at = local_id().x + k * WIDTH;
            let (column, b) = (at >> (log - 1), at & (radix / 2 - 1));
            let (u, v) = (points[(column << log) + b], points[(column << log) + b + radix / 2]);
            let v = times(v, root(turn, b & (size - 1), 2 * size));
            sums[k] = u + v;
            differences[k] = u - v;
        }
        barrier();
        for k in 0..4u32 {
            let at = local_id().x + k * WIDTH;
            let (column, b) = (at >> (log - 1), at & (radix / 2 - 1));
            let to = (column << log) + (b / size) * 2 * size + (b & (size - 1));
            points[to] = sums[k];
            points[to + size] = differences[k];
        }
        size *= 2;
    }
    barrier();
    for k in 0..8u32 {
        let at = local_id().x + k * WIDTH;
        let (column, row) = if done == 1 { (at >> log, at & (radix - 1)) } else { (at % columns, at / columns) };
        if first + column < all_columns {
            let j = first + column;
            let within = j % apart;
            let to = j / apart * len + within / done * (done << log) + within % done + row * done;
            y[to] = points[(column << log) + row] * scale;
        }
    }
}
