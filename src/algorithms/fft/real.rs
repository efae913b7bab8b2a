//! Fourier transforms of real numbers, by complex ones of half the length, and in two dimensions, by rows and by columns.

use std::f64::consts::TAU;

use super::{MAX_LOG, OpFft, Roots, TABLE_LOG, roots, times};
use crate::algorithms::expect_len;
use crate::algorithms::lines::{self, item};
use crate::algorithms::stages::Stages;
use crate::algorithms::transpose::transpose_points;
use crate::prelude::*;
use crate::{Error, Result};

impl OpFft {
    /// Transforms each `len` real numbers of `x` into the first `len / 2 + 1` numbers of their transform; the others are the conjugates of
    /// these. Work space: half as much as `x`, and that of a transform of half the length.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpFft, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let x = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = mgr.tensor_of_len::<Vec2>(3)?;
    /// mgr.sequence()?.record(OpFft::forward_real(4, &x, &mut y)?)?.eval()?;
    /// let expected = [vec2(10.0, 0.0), vec2(-2.0, 2.0), vec2(-2.0, 0.0)];
    /// assert!(y.to_vec()?.iter().zip(expected).all(|(found, expected)| found.distance(expected) < 1e-5));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `len` is not a power of two from two up or does not divide the length of `x`, `y` does not have `len / 2 + 1` elements for each
    /// `len` of `x`, or there is no memory for the work space.
    pub fn forward_real(len: u32, x: &Tensor<f32>, y: &mut Tensor<Vec2>) -> Result<Self> {
        let name = "forward real transform";
        let (half, count) = halved(name, len, x.len())?;
        expect_len("transforming into", (3, "y"), y, count * (half as usize + 1))?;
        let mgr = &x.manager();
        let points = x.cast::<Vec2>()?;
        let mut spectrum = mgr.tensor_of_len::<Vec2>(points.len())?;
        let mut stages = Stages::new(name);
        stages.append(Self::forward(half, &points, &mut spectrum)?.0);
        let (fine, coarse) = tables(mgr, -TAU, len)?;
        stages.launch::<SplitSpectrum>(lines::items(y.len()), |args| {
            args.value(half).read(&fine).read(&coarse).read(&spectrum).write(y)
        });
        Ok(Self(stages))
    }

    /// Transforms each `len / 2 + 1` numbers of `x` back into `len` real ones, and divides by `len`. The imaginary parts of the first and the last
    /// one do not count. Work space as of [`forward_real`](Self::forward_real).
    ///
    /// # Errors
    /// As there, with `x` and `y` exchanged.
    pub fn inverse_real(len: u32, x: &Tensor<Vec2>, y: &mut Tensor<f32>) -> Result<Self> {
        let name = "inverse real transform";
        let (half, count) = halved(name, len, y.len())?;
        expect_len("transforming", (2, "x"), x, count * (half as usize + 1))?;
        let mgr = &x.manager();
        let mut spectrum = mgr.tensor_of_len::<Vec2>(count * half as usize)?;
        let mut stages = Stages::new(name);
        let (fine, coarse) = tables(mgr, TAU, len)?;
        stages.launch::<JoinSpectrum>(lines::items(spectrum.len()), |args| {
            args.value(half).read(&fine).read(&coarse).read(x).write(&mut spectrum)
        });
        let mut points = y.cast_mut::<Vec2>()?;
        stages.append(Self::inverse(half, &spectrum, &mut points)?.0);
        Ok(Self(stages))
    }

    /// Transforms images of `rows` by `columns` numbers, stored row by row, in both dimensions: as many as `x` holds one behind the other.
    /// Work space: as much as `x`; where a side has more than 1024 numbers, twice as much, and that of its transforms.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpFft, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let x = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0].map(|re| vec2(re, 0.0)))?;
    /// let mut y = mgr.tensor_of_len::<Vec2>(4)?;
    /// mgr.sequence()?.record(OpFft::forward_2d([2, 2], &x, &mut y)?)?.eval()?;
    /// assert_eq!(y.to_vec()?, [10.0f32, -2.0, -4.0, 0.0].map(|re| vec2(re, 0.0)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a side is not a power of two, images do not fill `x`, `y` has another length, or there is no memory for the work space.
    pub fn forward_2d(sides: [u32; 2], x: &Tensor<Vec2>, y: &mut Tensor<Vec2>) -> Result<Self> {
        Self::of_images("forward transform of images", sides, x, y, -TAU)
    }

    /// Transforms images back, and divides by `rows` times `columns`; else as [`forward_2d`](Self::forward_2d).
    ///
    /// # Errors
    /// As there.
    pub fn inverse_2d(sides: [u32; 2], x: &Tensor<Vec2>, y: &mut Tensor<Vec2>) -> Result<Self> {
        Self::of_images("inverse transform of images", sides, x, y, TAU)
    }

    fn of_images(
        name: &'static str,
        [rows, columns]: [u32; 2],
        x: &Tensor<Vec2>,
        y: &mut Tensor<Vec2>,
        turn: f64,
    ) -> Result<Self> {
        expect_len("transforming into", (3, "y"), y, x.len())?;
        let size = rows.checked_mul(columns).filter(|_| rows.is_power_of_two() && columns.is_power_of_two());
        let Some(size) = size.filter(|size| x.len().is_multiple_of(*size as usize)) else {
            return Err(Error::ArgumentMismatch {
                kernel: name.into(),
                param: "`sides`".to_owned(),
                expected: format!("powers of two whose product divides {}", x.len()),
                found: format!("{rows} and {columns}"),
            });
        };
        let (mgr, mut stages) = (&x.manager(), Stages::new(name));
        let mut turned = mgr.tensor_of_len::<Vec2>(x.len())?;
        let scale = |side: u32| if turn > 0.0 { 1.0 / side as f32 } else { 1.0 };
        let [down, across] = [rows.ilog2(), columns.ilog2()];
        if down.max(across) <= MAX_LOG {
            // Columns come out as rows: what were rows are columns then, and are rows again after their own pass.
            let roots = Roots::new(mgr, turn)?;
            roots.first(&mut stages, down, across, scale(rows), x, &mut turned);
            roots.first(&mut stages, across, down, scale(columns), &turned, y);
            return Ok(Self(stages));
        }
        let transform = if turn > 0.0 { Self::inverse } else { Self::forward };
        let mut by_rows = mgr.tensor_of_len::<Vec2>(x.len())?;
        let planes = (x.len() / size as usize) as u32;
        stages.append(transform(columns, x, &mut by_rows)?.0);
        transpose_points(&mut stages, planes, [rows, columns], &by_rows, &mut turned);
        stages.append(transform(rows, &turned, &mut by_rows)?.0);
        transpose_points(&mut stages, planes, [columns, rows], &by_rows, y);
        Ok(Self(stages))
    }
}

/// Half of a length, and how often the length is in so many numbers.
fn halved(name: &'static str, len: u32, all: usize) -> Result<(u32, usize)> {
    if len >= 2 && len.is_power_of_two() && all.is_multiple_of(len as usize) {
        return Ok((len / 2, all / len as usize));
    }
    Err(Error::ArgumentMismatch {
        kernel: name.into(),
        param: "`len`".to_owned(),
        expected: format!("a power of two from 2 up that divides {all}"),
        found: len.to_string(),
    })
}

/// The roots of unity of a length: fine steps, and coarse ones of 1024 fine ones.
fn tables(mgr: &Manager, turn: f64, len: u32) -> Result<(Tensor<Vec2>, Tensor<Vec2>)> {
    let log = len.ilog2();
    let coarse = log.saturating_sub(TABLE_LOG);
    Ok((roots(mgr, turn, log, log.min(TABLE_LOG))?, roots(mgr, turn, coarse, coarse)?))
}

/// The transform of real numbers, from that of pairs of them.
#[kernel(workgroup = 256)]
fn split_spectrum(half: u32, fine: &[Vec2], coarse: &[Vec2], pairs: &[Vec2], y: &mut [Vec2]) {
    let i = item();
    let (row, k) = (i / (half + 1), i % (half + 1));
    if i < y.len() as u32 {
        let a = pairs[row * half + k % half];
        let b = pairs[row * half + (half - k) % half];
        let even = 0.5 * vec2(a.x + b.x, a.y - b.y);
        let odd = 0.5 * vec2(a.y + b.y, b.x - a.x);
        y[i] = even + times(times(fine[k & 1023], coarse[k >> TABLE_LOG]), odd);
    }
}

/// The transform of pairs of real numbers, from that of the numbers.
#[kernel(workgroup = 256)]
fn join_spectrum(half: u32, fine: &[Vec2], coarse: &[Vec2], x: &[Vec2], pairs: &mut [Vec2]) {
    let i = item();
    let (row, k) = (i / half, i % half);
    if i < pairs.len() as u32 {
        let mut a = x[row * (half + 1) + k];
        let mut b = x[row * (half + 1) + (half - k)];
        if k == 0 {
            a.y = 0.0;
            b.y = 0.0;
        }
        let even = 0.5 * vec2(a.x + b.x, a.y - b.y);
        let odd = times(times(fine[k & 1023], coarse[k >> TABLE_LOG]), 0.5 * vec2(a.x - b.x, a.y + b.y));
        pairs[i] = even + vec2(-odd.y, odd.x);
    }
}
