//! Products of many matrices of whole tiles: of `f32` in registers, as [`registers`](super::registers) computes one, and of 16-bit
//! elements by the device's own matrices, as [`tiles`](super::tiles) does. Either factor may lie by columns; its slices then lie in
//! shared memory as they lie in the tensor.

use super::registers::{SIDE, SLICE, add_products, place};
use super::strided::{AXIS, activated};
use super::{Activation, BatchedGemm, GemmShape, MANY_TILES, NARROW, Tiling, WIDE};
use crate::algorithms::lines::{self, item};
use crate::algorithms::stages::Stages;
use crate::descriptor::MatrixElement;
use crate::glam::Vec4;
use crate::prelude::*;
use crate::{GpuData, Kernel, Plain, Result};

/// Vectors from one step of the depth to the next in shared memory; one is padding.
#[device]
const PITCH: u32 = 33;

/// Vector `h` of an invocation's two in a slice of a factor, whose lines of the result begin at `line`: along the depth, or along the lines.
#[device]
fn vector_of(along_lines: bool, matrix: &[Vec4], base: u32, pitch: u32, line: u32, k: u32, t: u32, h: u32) -> Vec4 {
    let at = if along_lines {
        base + (k + (t >> 5) + h * 8) * pitch + (line >> 2) + (t & 31)
    } else {
        base + (line + (t >> 2) + h * 64) * pitch + (k >> 2) + (t & 3)
    };
    matrix[at]
}

/// An activation of each number.
#[device]
fn activated_all(activation: u32, v: Vec4) -> Vec4 {
    if activation == 0 {
        return v;
    }
    vec4(activated(activation, v.x), activated(activation, v.y), activated(activation, v.z), activated(activation, v.w))
}

/// The kernel for a way in which factors lie.
macro_rules! in_registers {
    ($name:ident $a_turned:literal $b_turned:literal) => {
        /// Products from number `first` on, of rows and columns that are multiples of [`SIDE`] and a depth that is a multiple of [`SLICE`] and not
        /// zero. Rows and matrices of `a` and `b` lie `pitch` and `stride` vectors apart.
        #[kernel(workgroup = 256, fast_math(contract))]
        pub fn $name(
            first: u32,
            columns: u32,
            rows: u32,
            depth: u32,
            alpha: f32,
            beta: f32,
            a_pitch: u32,
            a_stride: u32,
            b_pitch: u32,
            b_stride: u32,
            a: &[Vec4],
            b: &[Vec4],
            c: &mut [Vec4],
        ) {
            let left = Shared::<[Vec4; 16 * 33]>::new();
            let right = Shared::<[Vec4; 16 * 33]>::new();
            let t = local_id().x;
            let matrix = workgroup_id().z + first;
            let (row0, column0) = (workgroup_id().y * SIDE, workgroup_id().x * SIDE);
            let (a_base, b_base) = (matrix * a_stride, matrix * b_stride);
            let mut near = [Vec4::ZERO; 8];
            let mut far = [Vec4::ZERO; 8];
            let mut next_a = [Vec4::ZERO; 2];
            let mut next_b = [Vec4::ZERO; 2];
            for h in 0..2u32 {
                next_a[h as usize] = vector_of($a_turned, a, a_base, a_pitch, row0, 0, t, h);
                next_b[h as usize] = vector_of(!$b_turned, b, b_base, b_pitch, column0, 0, t, h);
            }
            let slices = depth / SLICE;
            for slice in 0..slices {
                for h in 0..2u32 {
                    let (m, lines) = ((t >> 2) + h * 64, ((t >> 5) + h * 8) * PITCH + (t & 31));
                    let (at, lane) = ((t & 3) * 4 * PITCH + (m >> 2), (m & 3) as usize);
                    let v = next_a[h as usize];
                    if $a_turned {
                        left[lines] = v;
                    } else {
                        left[at][lane] = v.x;
                        left[at + PITCH][lane] = v.y;
                        left[at + PITCH * 2][lane] = v.z;
                        left[at + PITCH * 3][lane] = v.w;
                    }
                    let v = next_b[h as usize];
                    if $b_turned {
                        right[at][lane] = v.x;
                        right[at + PITCH][lane] = v.y;
                        right[at + PITCH * 2][lane] = v.z;
                        right[at + PITCH * 3][lane] = v.w;
                    } else {
                        right[lines] = v;
                    }
                }
                barrier();
                let next = slice + 1;
                if next < slices {
                    for h in 0..2u32 {
                        next_a[h as usize] = vector_of($a_turned, a, a_base, a_pitch, row0, next * SLICE, t, h);
                        next_b[h as usize] = vector_of(!$b_turned, b, b_base, b_pitch, column0, next * SLICE, t, h);
                    }
                }
                add_products::<PITCH, PITCH>(&left[..], &right[..], place(t), &mut near, &mut far);
                barrier();
            }
            let (x, y) = place(t);
            let row_quads = columns >> 2;
            let corner = (matrix * rows + row0 + y * 4) * row_quads + (column0 >> 2) + x;
            for i in 0..8u32 {
                let at = corner + ((i & 3) + (i >> 2) * 16) * row_quads;
                let (mut close, mut distant) = (alpha * near[i as usize], alpha * far[i as usize]);
                if beta != 0.0 {
                    close += beta * c[at];
                    distant += beta * c[at + 8];
                }
                // SAFETY: the cells of a tile are dealt out, one to one invocation, and tiles lie side by side.
                unsafe { c.unordered()[at] = close };
                // SAFETY: as above.
                unsafe { c.unordered()[at + 8] = distant };
            }
        }
    };
}

in_registers!(multiply false false);
in_registers!(multiply_b false true);
in_registers!(multiply_a true false);
in_registers!(multiply_ab true true);

/// Adds a number to each column, and applies an activation.
#[kernel(workgroup = 256)]
pub fn finish<const BIAS: bool>(activation: u32, row_quads: u32, bias: &[Vec4], c: &mut [Vec4]) {
    let i = item();
    if i < c.len() as u32 {
        let mut value = c[i];
        if BIAS && row_quads > 0 && i % row_quads < bias.len() as u32 {
            value += bias[i % row_quads];
        }
        c[i] = activated_all(activation, value);
    }
}

/// The kernel for a type of factors and a shape of the device's matrices; all numbers as of the macro in [`tiles`](super::tiles), `cells`
/// the greater one of both.
macro_rules! products {
    (
        $name:ident, $ty:ident, turned $a_turned:literal $b_turned:literal,
        side $side:literal, lanes $lanes:literal, width $width:literal, blocks $blocks:literal [$($block:literal)+], tile $tile:literal,
        depth $depth:literal, rows $short:literal $long:literal, cells $cells:literal, moves $moves:literal,
        row |$vector:ident| $row:expr
    ) => {
        /// Products from number `first` on, of whole tiles. Rows and matrices of `a` and `b` lie `pitch` and `stride` vectors of eight
        /// elements apart, and the columns of `c` are `c_pitch` such vectors.
        #[kernel(workgroup = $width, subgroup = $lanes)]
        pub fn $name(
            first: u32,
            rows: u32,
            c_pitch: u32,
            steps: u32,
            alpha: f32,
            beta: f32,
            a_pitch: u32,
            a_stride: u32,
            b_pitch: u32,
            b_stride: u32,
            a: &[UVec4],
            b: &[UVec4],
            c: &mut [f32],
        ) {
            let left = Shared::<[UVec4; $cells]>::new();
            let right = Shared::<[UVec4; $cells]>::new();
            let (t, columns) = (local_index(), c_pitch * 8);
            let (x, y) = (subgroup_id() % 2, subgroup_id() / 2 % 2);
            let matrix = workgroup_id().z + first;
            let (row0, column0) = (workgroup_id().x * $tile, workgroup_id().y * $tile);
            let (a_base, b_base) = (matrix * a_stride, matrix * b_stride);
            let mut sums = [[CoopMatrix::<f32, Accumulator, $side, $side>::splat(0.0); $blocks]; $blocks];
            let mut next_a = [UVec4::ZERO; $moves];
            let mut next_b = [UVec4::ZERO; $moves];
            for i in 0..$moves {
                let $vector = i * $width + t;
                let (line, part) = ($vector / ($tile / 8), $vector % ($tile / 8));
                next_a[i] = if $a_turned {
                    a[a_base + line * a_pitch + row0 / 8 + part]
                } else {
                    a[a_base + (row0 + $row) * a_pitch + $vector % ($depth / 8)]
                };
                next_b[i] = if $b_turned {
                    b[b_base + (column0 + $row) * b_pitch + $vector % ($depth / 8)]
                } else {
                    b[b_base + line * b_pitch + column0 / 8 + part]
                };
            }
            let mut step = 0;
            while step < steps {
                for i in 0..$moves {
                    let $vector = i * $width + t;
                    let long = $vector / ($tile / 8) * $long + $vector % ($tile / 8);
                    let short = $row * $short + $vector % ($depth / 8);
                    if $a_turned {
                        left[long] = next_a[i];
                    } else {
                        left[short] = next_a[i];
                    }
                    if $b_turned {
                        right[short] = next_b[i];
                    } else {
                        right[long] = next_b[i];
                    }
                }
                let next = step + 1;
                if next < steps {
                    for i in 0..$moves {
                        let $vector = i * $width + t;
                        let (line, part) = (next * $depth + $vector / ($tile / 8), $vector % ($tile / 8));
                        let along = next * ($depth / 8) + $vector % ($depth / 8);
                        next_a[i] = if $a_turned {
                            a[a_base + line * a_pitch + row0 / 8 + part]
                        } else {
                            a[a_base + (row0 + $row) * a_pitch + along]
                        };
                        next_b[i] = if $b_turned {
                            b[b_base + (column0 + $row) * b_pitch + along]
                        } else {
                            b[b_base + line * b_pitch + column0 / 8 + part]
                        };
                    }
                }
                // Behind the loads, so that they are under way while this slice is multiplied.
                barrier();
                for k in 0..$depth / $side {
                    let lefts = [$(
                        if $a_turned {
                            CoopMatrix::<$ty, MatrixA, $side, $side>::load(
                                &left[..],
                                k * $side * $long + (y * $blocks + $block) * ($side / 8),
                                $long,
                                ColumnMajor,
                            )
                        } else {
                            CoopMatrix::<$ty, MatrixA, $side, $side>::load(
                                &left[..],
                                (y * $blocks + $block) * $side * $short + k * ($side / 8),
                                $short,
                                RowMajor,
                            )
                        }
                    ),+];
                    let rights = [$(
                        if $b_turned {
                            CoopMatrix::<$ty, MatrixB, $side, $side>::load(
                                &right[..],
                                (x * $blocks + $block) * $side * $short + k * ($side / 8),
                                $short,
                                ColumnMajor,
                            )
                        } else {
                            CoopMatrix::<$ty, MatrixB, $side, $side>::load(
                                &right[..],
                                k * $side * $long + (x * $blocks + $block) * ($side / 8),
                                $long,
                                RowMajor,
                            )
                        }
                    ),+];
                    for j in 0..$blocks {
                        for i in 0..$blocks {
                            sums[i][j] = lefts[i].mul_add(rights[j], sums[i][j]);
                        }
                    }
                }
                barrier();
                step = next;
            }
            for i in 0..$blocks {
                for j in 0..$blocks {
                    let row = matrix * rows + row0 + (y * $blocks + i) * $side;
                    let at = row * columns + column0 + (x * $blocks + j) * $side;
                    if beta == 0.0 {
                        // SAFETY: each subgroup stores tiles of its own, and the tiles of `c` lie side by side.
                        unsafe { (sums[i][j] * alpha).store(c.unordered(), at, columns, RowMajor) };
                    } else {
                        let old = CoopMatrix::<f32, Accumulator, $side, $side>::load(c, at, columns, RowMajor);
                        // SAFETY: as above.
                        unsafe { (sums[i][j] * alpha + old * beta).store(c.unordered(), at, columns, RowMajor) };
                    }
                }
            }
        }
    };
}

macro_rules! wide {
    ($ty:ident: $($name:ident $a_turned:literal $b_turned:literal)*) => {$(
        products!(
            $name, $ty, turned $a_turned $b_turned,
            side 16, lanes 32, width 128, blocks 4 [0 1 2 3], tile 128,
            depth 32, rows 5 17, cells 640, moves 4,
            row |at| (at / 32 * 8 + at / 4 % 2 * 4 + at / 8 % 4)
        );
    )*};
}

macro_rules! narrow {
    ($ty:ident: $($name:ident $a_turned:literal $b_turned:literal)*) => {$(
        products!(
            $name, $ty, turned $a_turned $b_turned,
            side 8, lanes 8, width 32, blocks 2 [0 1], tile 32,
            depth 16, rows 3 5, cells 96, moves 2,
            row |at| (at / 2)
        );
    )*};
}

// Of a kernel for all ways in which factors lie, a launch would be checked for all of them.
wide!(f16: wide_f16 false false wide_f16_b false true wide_f16_a true false wide_f16_ab true true);
wide!(bf16: wide_bf16 false false wide_bf16_b false true wide_bf16_a true false wide_bf16_ab true true);
narrow!(f16: narrow_f16 false false narrow_f16_b false true narrow_f16_a true false narrow_f16_ab true true);

/// Matrices of a factor: whether they lie by columns, and how far their rows and they themselves lie apart.
#[derive(Debug)]
pub struct Lying<'a, T: GpuData> {
    pub(super) tensor: &'a Tensor<T>,
    pub(super) is_turned: bool,
    pub(super) pitch: u32,
    pub(super) stride: u32,
}

/// A batch that is being put together.
#[derive(Debug)]
pub struct Many<'a, T: GpuData> {
    pub(super) batch: &'a BatchedGemm<'a>,
    pub(super) a: Lying<'a, T>,
    pub(super) b: Lying<'a, T>,
    pub(super) c: &'a mut Tensor<f32>,
}

impl<T: Plain> Many<'_, T> {
    /// How far rows and matrices of both factors lie apart in vectors of so many elements; none where a vector would begin in another one,
    /// or the result has tiles that are not whole.
    fn places(&self, sides: GemmShape, per_vector: u32) -> Option<[u32; 4]> {
        let places = [self.a.pitch, self.a.stride, self.b.pitch, self.b.stride];
        let are_whole = places.iter().all(|place| place.is_multiple_of(per_vector)) && self.batch.count > 0;
        let GemmShape { rows, columns, .. } = self.batch.shape;
        let is_whole = are_whole && rows > 0 && columns > 0 && self.batch.shape.is_multiple_of(sides);
        is_whole.then(|| places.map(|place| place / per_vector))
    }

    /// Appends what is done to the results behind the products.
    fn finish(&mut self, stages: &mut Stages) -> Result<()> {
        let BatchedGemm { bias, activation, shape, .. } = *self.batch;
        if bias.is_none() && activation == Activation::Identity {
            return Ok(());
        }
        let none = self.c.manager().tensor_of_len::<f32>(4)?;
        let (of_columns, mut c) = (bias.unwrap_or(&none).cast::<Vec4>()?, self.c.cast_mut::<Vec4>()?);
        let (grid, activation, quads) = (lines::items(c.len()), activation as u32, shape.columns / 4);
        if bias.is_some() {
            stages.launch::<Finish<true>>(grid, |args| {
                args.value(activation).value(quads).read(&of_columns).write(&mut c)
            });
        } else {
            stages.launch::<Finish<false>>(grid, |args| {
                args.value(activation).value(quads).read(&of_columns).write(&mut c)
            });
        }
        Ok(())
    }

    /// Whether results and biases begin at whole vectors.
    fn has_vectors(&self) -> bool {
        self.c.cast::<Vec4>().is_ok() && self.batch.bias.is_none_or(|bias| bias.cast::<Vec4>().is_ok())
    }

    /// Appends products by the device's matrices; false where tiles are not whole.
    fn by_tiles<K00: Kernel, K01: Kernel, K10: Kernel, K11: Kernel>(
        &mut self,
        stages: &mut Stages,
        tiling: Tiling,
    ) -> Result<bool> {
        let [rows_of_tile, columns_of_tile] = tiling.tile;
        let sides = GemmShape { rows: rows_of_tile, columns: columns_of_tile, depth: tiling.depth };
        let Some(places) = self.places(sides, 8) else { return Ok(false) };
        let (Ok(a), Ok(b)) = (self.a.tensor.cast::<UVec4>(), self.b.tensor.cast::<UVec4>()) else { return Ok(false) };
        if !self.has_vectors() {
            return Ok(false);
        }
        let BatchedGemm { shape: GemmShape { rows, columns, depth }, alpha, beta, .. } = *self.batch;
        let mut first = 0;
        while first < self.batch.count {
            let count = (self.batch.count - first).min(AXIS);
            let grid = Grid::groups([rows / rows_of_tile, columns / columns_of_tile, count]);
            let c = &mut *self.c;
            macro_rules! launch {
                ($kernel:ident) => {
                    stages.launch::<$kernel>(grid, |args| {
                        let args = args.value(first).value(rows).value(columns / 8).value(depth / tiling.depth);
                        let args = args.value(alpha).value(beta).value(places[0]).value(places[1]);
                        args.value(places[2]).value(places[3]).read(&a).read(&b).write(c)
                    })
                };
            }
            match (self.a.is_turned, self.b.is_turned) {
                (false, false) => launch!(K00),
                (false, true) => launch!(K01),
                (true, false) => launch!(K10),
                (true, true) => launch!(K11),
            }
            first += count;
        }
        drop((a, b));
        self.finish(stages)?;
        Ok(true)
    }
}

impl Many<'_, f32> {
    /// Appends products in registers; false where tiles are not whole, or so few that smaller ones are faster.
    pub(super) fn in_registers(&mut self, stages: &mut Stages) -> Result<bool> {
        let mgr = self.c.manager();
        let limits = &mgr.device().limits;
        let is_large = limits.max_workgroup_invocations >= 256 && limits.max_shared_bytes >= 2 * 16 * 33 * 16;
        let Some(places) = self.places(GemmShape { rows: SIDE, columns: SIDE, depth: SLICE }, 4) else {
            return Ok(false);
        };
        let BatchedGemm { shape: GemmShape { rows, columns, depth }, count, alpha, beta, .. } = *self.batch;
        let tiles = u64::from(rows / SIDE) * u64::from(columns / SIDE) * u64::from(count);
        if !is_large || tiles < MANY_TILES || !self.has_vectors() {
            return Ok(false);
        }
        let (Ok(a), Ok(b)) = (self.a.tensor.cast::<Vec4>(), self.b.tensor.cast::<Vec4>()) else { return Ok(false) };
        let mut c = self.c.cast_mut::<Vec4>()?;
        let mut first = 0;
        while first < count {
            let part = (count - first).min(AXIS);
            let grid = Grid::groups([columns / SIDE, rows / SIDE, part]);
            macro_rules! launch {
                ($kernel:ident) => {
                    stages.launch::<$kernel>(grid, |args| {
                        let args = args.value(first).value(columns).value(rows).value(depth).value(alpha).value(beta);
                        let args = args.value(places[0]).value(places[1]).value(places[2]).value(places[3]);
                        args.read(&a).read(&b).write(&mut c)
                    })
                };
            }
            match (self.a.is_turned, self.b.is_turned) {
                (false, false) => launch!(Multiply),
                (false, true) => launch!(MultiplyB),
                (true, false) => launch!(MultiplyA),
                (true, true) => launch!(MultiplyAb),
            }
            first += part;
        }
        drop((a, b, c));
        self.finish(stages)?;
        Ok(true)
    }
}

impl Many<'_, f16> {
    /// Appends products by the device's matrices; false where it has none that fit, or tiles are not whole.
    pub(super) fn by_matrices(&mut self, stages: &mut Stages) -> Result<bool> {
        let mgr = self.c.manager();
        if WIDE.fits(mgr.device(), MatrixElement::F16) {
            return self.by_tiles::<WideF16, WideF16B, WideF16A, WideF16Ab>(stages, WIDE);
        }
        if NARROW.fits(mgr.device(), MatrixElement::F16) {
            return self.by_tiles::<NarrowF16, NarrowF16B, NarrowF16A, NarrowF16Ab>(stages, NARROW);
        }
        Ok(false)
    }
}

impl Many<'_, bf16> {
    /// As of `f16`.
    pub(super) fn by_matrices(&mut self, stages: &mut Stages) -> Result<bool> {
        if !WIDE.fits(self.c.manager().device(), MatrixElement::Bf16) {
            return Ok(false);
        }
        self.by_tiles::<WideBf16, WideBf16B, WideBf16A, WideBf16Ab>(stages, WIDE)
    }
}
