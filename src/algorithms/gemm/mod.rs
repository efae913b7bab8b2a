//! Products of matrices: which kernels compute which part of the result on which device.

mod batched;
mod padded;
mod registers;
mod scalar;
mod strided;
mod texels;
mod tiled;
mod tiles;
mod windows;

pub use batched::Many;
pub(super) use strided::AXIS;
pub use strided::{Activation, BatchedGemm, Matrices};
pub(super) use windows::{Activate, ConvolveWindows, FILTERS, PLACES};

use super::stages::Stages;
use super::{expect_len, operation, sealed};
use crate::descriptor::{Feature, MatrixElement, MatrixProduct};
use crate::glam::Vec4;
use crate::prelude::*;
use crate::{DeviceInfo, Kernel, KernelArgs, Plain, Result};

/// The product of two matrices, stored row by row and summed up in `f32`: `c = alpha · a · b + beta · c`.
///
/// Factors are of `f32`, `f16` or `bf16`. The device decides the order of the additions, and whether it rounds each product; products of
/// 16-bit elements are exact. They use cooperative matrices ([`CoopMatrix`]) if the device has suitable ones. Products of 16-bit elements
/// are fastest if the depth is a multiple of 32 and `b` has a multiple of 8 columns, or of 256 columns if it is large. Products of `f32`
/// are fastest if rows and columns are multiples of 128 and the depth is a multiple of 16. Large products of other sizes (all sides at
/// least 1024, or 256 of 16-bit elements) are computed on padded copies. The elements of small products, and of remainders, are loaded one
/// by one.
///
/// Work space: none, but those copies: of each factor that needs one, and of the result.
///
/// ```
/// use gridwise::algorithms::{GemmShape, OpGemm};
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let (a, b) = (mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0])?, mgr.tensor(&[5.0f32, 6.0])?);
/// let mut c = mgr.tensor_of_len::<f32>(2)?;
/// let shape = GemmShape { rows: 2, columns: 1, depth: 2 };
/// mgr.sequence()?.record(OpGemm::new(shape, 1.0, &a, &b, 0.0, &mut c)?)?.eval()?;
/// assert_eq!(c.to_vec()?, [17.0, 39.0]);
///
/// let [a, b] = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]].map(|m| m.map(f16::from_f32));
/// let (a, b) = (mgr.tensor(&a)?, mgr.tensor(&b)?);
/// let mut c = mgr.tensor_of_len::<f32>(4)?;
/// let shape = GemmShape { rows: 2, columns: 2, depth: 2 };
/// mgr.sequence()?.record(OpGemm::new(shape, 1.0, &a, &b, 0.0, &mut c)?)?.eval()?;
/// assert_eq!(c.to_vec()?, [19.0, 22.0, 43.0, 50.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpGemm(Stages);

operation!(OpGemm);

/// The sizes of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmShape {
    /// Rows of `a` and of `c`.
    pub rows: u32,
    /// Columns of `b` and of `c`.
    pub columns: u32,
    /// Columns of `a`, rows of `b`.
    pub depth: u32,
}

impl OpGemm {
    /// Multiplies `a`, of `rows` by `depth`, with `b`, of `depth` by `columns`. With a `beta` of zero `c` is not read.
    ///
    /// # Errors
    /// When a tensor does not have as many elements as its matrix.
    pub fn new<T: Factor>(
        shape: GemmShape,
        alpha: f32,
        a: &Tensor<T>,
        b: &Tensor<T>,
        beta: f32,
        c: &mut Tensor<f32>,
    ) -> Result<Self> {
        let GemmShape { rows, columns, depth } = shape;
        expect_len("multiplying from the left", (3, "a"), a, rows as usize * depth as usize)?;
        expect_len("multiplying from the right", (4, "b"), b, depth as usize * columns as usize)?;
        expect_len("a product in", (6, "c"), c, rows as usize * columns as usize)?;
        let mut product = Product { stages: Stages::new("gemm"), shape, alpha, a, b, beta, c };
        T::multiply(&a.manager(), &mut product)?;
        Ok(Self(product.stages))
    }
}

/// The types that [`OpGemm`] multiplies: `f32`, `f16`, `bf16`.
pub trait Factor: Plain + sealed::Multiply + sealed::Strided {}

impl Factor for f32 {}
impl Factor for f16 {}
impl Factor for bf16 {}

impl sealed::Multiply for f32 {
    fn multiply(mgr: &Manager, product: &mut Product<'_, Self>) -> Result<()> {
        product.in_registers(mgr)
    }
}

impl sealed::Multiply for f16 {
    fn multiply(mgr: &Manager, product: &mut Product<'_, Self>) -> Result<()> {
        if product.is_for_texels(mgr.device(), MatrixElement::F16) {
            return product.by_tiles::<texels::TexelsF16, tiles::WideF16Edge, padded::WidenF16>(mgr, LARGE);
        }
        if WIDE.fits(mgr.device(), MatrixElement::F16) {
            return product.by_tiles::<tiles::WideF16, tiles::WideF16Edge, padded::WidenF16>(mgr, WIDE);
        }
        if NARROW.fits(mgr.device(), MatrixElement::F16) {
            return product.by_tiles::<tiles::NarrowF16, tiles::NarrowF16Edge, padded::WidenF16>(mgr, NARROW);
        }
        product.element_by_element::<scalar::MultiplyF16>();
        Ok(())
    }
}

impl sealed::Multiply for bf16 {
    fn multiply(mgr: &Manager, product: &mut Product<'_, Self>) -> Result<()> {
        if product.is_for_texels(mgr.device(), MatrixElement::Bf16) {
            return product.by_tiles::<texels::TexelsBf16, tiles::WideBf16Edge, padded::WidenBf16>(mgr, LARGE);
        }
        if WIDE.fits(mgr.device(), MatrixElement::Bf16) {
            return product.by_tiles::<tiles::WideBf16, tiles::WideBf16Edge, padded::WidenBf16>(mgr, WIDE);
        }
        product.element_by_element::<scalar::MultiplyBf16>();
        Ok(())
    }
}

/// Kernels for a shape of the device's matrices.
#[derive(Debug, Clone, Copy)]
struct Tiling {
    /// Rows, columns and depth of a matrix.
    side: u32,
    lanes: u32,
    invocations: u32,
    shared_bytes: u32,
    /// Rows and columns of a whole tile.
    tile: [u32; 2],
    /// How deep its slices are.
    depth: u32,
    /// Whether its kernel is told where the last slice begins, and not how many there are.
    is_told_last: bool,
    /// Rows and columns of a tile at the edge.
    edge: u32,
}

const LARGE: Tiling = Tiling {
    side: 16,
    lanes: 32,
    invocations: 256,
    shared_bytes: 32 << 10,
    tile: texels::TILE,
    depth: texels::DEPTH,
    is_told_last: true,
    edge: tiles::WIDE_EDGE,
};

const WIDE: Tiling = Tiling {
    side: 16,
    lanes: 32,
    invocations: 128,
    shared_bytes: 32 << 10,
    tile: [tiles::WIDE_TILE; 2],
    depth: tiles::WIDE_DEPTH,
    is_told_last: false,
    edge: tiles::WIDE_EDGE,
};

const NARROW: Tiling = Tiling {
    side: 8,
    lanes: 8,
    invocations: 32,
    shared_bytes: 16 << 10,
    tile: [tiles::NARROW_TILE; 2],
    depth: tiles::NARROW_DEPTH,
    is_told_last: false,
    edge: tiles::NARROW_EDGE,
};

/// Tiles from which on a product is computed in registers, or from texels: fewer would leave much of a large device without work.
const MANY_TILES: u64 = 96;

/// Least sides of a product that is computed on copies with whole tiles: of smaller ones copies take longer than they bring, which is
/// a seventh of the time where factors are `f32`, and nearly all of it where they are not.
const PADDED: u32 = 1024;
const PADDED_TILES: u32 = 256;

/// Rows of tiles that workgroups which run together have at most.
const ROWS_TOGETHER: u32 = 8;

impl Tiling {
    /// Whether a device has these matrices, and subgroups of this size.
    fn fits(self, device: &DeviceInfo, factors: MatrixElement) -> bool {
        let side = self.side;
        let product = MatrixProduct { factors, sum: MatrixElement::F32, rows: side, columns: side, depth: side };
        let limits = &device.limits;
        device.features.contains(&Feature::CooperativeProduct(product))
            && (limits.subgroup.min_size..=limits.subgroup.max_size).contains(&self.lanes)
            && limits.subgroup.max_subgroups >= self.invocations / self.lanes
            && limits.max_workgroup_invocations >= self.invocations
            && limits.max_shared_bytes >= self.shared_bytes
    }
}

/// A product that is being put together.
#[derive(Debug)]
pub struct Product<'a, T: GpuData> {
    stages: Stages,
    shape: GemmShape,
    alpha: f32,
    a: &'a Tensor<T>,
    b: &'a Tensor<T>,
    beta: f32,
    c: &'a mut Tensor<f32>,
}

impl Product<'_, f32> {
    /// By large tiles where there are many of them, and by vectors where all of them are whole.
    fn in_registers(&mut self, mgr: &Manager) -> Result<()> {
        let GemmShape { rows, columns, depth } = self.shape;
        let [across, down] = [columns, rows].map(|side| side.div_ceil(registers::SIDE));
        if u64::from(across) * u64::from(down) < MANY_TILES {
            self.element_by_element::<scalar::Multiply>();
            return Ok(());
        }
        let sides = GemmShape { rows: registers::SIDE, columns: registers::SIDE, depth: registers::SLICE };
        if self.shape.is_multiple_of(sides) && self.has_vectors() {
            return self.whole_in_registers();
        }
        if self.shape.least() >= PADDED {
            return self.on_copies::<padded::WidenF32, Vec4>(mgr, sides, |whole| whole.whole_in_registers());
        }
        self.stages.launch::<registers::MultiplyScalars>(Grid::groups([across, down]), |args| {
            let args = args.value(rows).value(columns).value(depth).value(self.alpha).value(self.beta);
            args.read(self.a).read(self.b).write(self.c)
        });
        Ok(())
    }

    /// Whether all matrices begin at whole vectors.
    fn has_vectors(&self) -> bool {
        [self.a, self.b, &*self.c].iter().all(|matrix| matrix.cast::<Vec4>().is_ok())
    }

    fn whole_in_registers(&mut self) -> Result<()> {
        let GemmShape { rows, columns, depth } = self.shape;
        let (a, b, mut c) = (self.a.cast::<Vec4>()?, self.b.cast::<Vec4>()?, self.c.cast_mut::<Vec4>()?);
        let grid = Grid::groups([columns, rows].map(|side| side / registers::SIDE));
        self.stages.launch::<registers::MultiplyWhole>(grid, |args| {
            let args = args.value(columns).value(depth).value(self.alpha).value(self.beta);
            args.read(&a).read(&b).write(&mut c)
        });
        Ok(())
    }
}

impl GemmShape {
    fn least(self) -> u32 {
        self.rows.min(self.columns).min(self.depth)
    }

    fn is_multiple_of(self, sides: Self) -> bool {
        // Each by itself: the next multiple of a long side may not be a number.
        let are_multiples = self.rows.is_multiple_of(sides.rows) && self.columns.is_multiple_of(sides.columns);
        self.depth > 0 && self.depth.is_multiple_of(sides.depth) && are_multiples
    }

    fn rounded_up(self, sides: Self) -> Self {
        Self {
            rows: self.rows.next_multiple_of(sides.rows),
            columns: self.columns.next_multiple_of(sides.columns),
            depth: self.depth.next_multiple_of(sides.depth),
        }
    }
}

impl<T: Factor> Product<'_, T> {
    /// Whether it is computed from texels: it has many tiles, leaves no such column of tiles over as smaller ones would fill, and the device
    /// fetches as many texels.
    fn is_for_texels(&self, device: &DeviceInfo, factors: MatrixElement) -> bool {
        let GemmShape { rows, columns, depth } = self.shape;
        let [down, across] = LARGE.tile;
        let tiles = u64::from(rows / down) * u64::from(columns.div_ceil(across));
        let is_copied = !self.has_slices(LARGE) && self.shape.least() >= PADDED_TILES;
        // As long as copies are.
        let texels = |lines: u32, of: u32, length: u32, parts: u32| {
            u64::from(lines).next_multiple_of(of.into()) * (u64::from(length).next_multiple_of(parts.into()) / 8)
        };
        let most = texels(rows, down, depth, LARGE.depth).max(texels(depth, LARGE.depth, columns, across));
        LARGE.fits(device, factors)
            && tiles >= MANY_TILES
            && (is_copied || columns % across < WIDE.tile[1])
            && most <= device.limits.max_texels.into()
            && device.limits.texel_alignment <= size_of::<UVec4>() as u64
    }

    /// Whether rows begin at whole vectors, and the depth has whole slices.
    fn has_slices(&self, tiling: Tiling) -> bool {
        let GemmShape { columns, depth, .. } = self.shape;
        depth > 0 && depth.is_multiple_of(tiling.depth) && columns.is_multiple_of(8)
    }

    fn element_by_element<K: Kernel>(&mut self) {
        let GemmShape { rows, columns, depth } = self.shape;
        let grid = Grid::groups([columns.div_ceil(tiled::TILE), rows.div_ceil(tiled::TILE)]);
        self.stages.launch::<K>(grid, |args| {
            let args = args.value(rows).value(columns).value(depth).value(self.alpha).value(self.beta);
            args.read(self.a).read(self.b).write(self.c)
        });
    }

    /// Appends a product of copies whose sides are multiples of these, by a function for such, and what of it lies in `c`. The kernel
    /// makes copies of factors in vectors of `V`.
    fn on_copies<Widen: Kernel, V: Plain>(
        &mut self,
        mgr: &Manager,
        sides: GemmShape,
        multiply: impl FnOnce(&mut Product<'_, T>) -> Result<()>,
    ) -> Result<()> {
        let GemmShape { rows, columns, depth } = self.shape;
        let shape = self.shape.rounded_up(sides);
        let a = self.copy::<Widen, V>(mgr, self.a, [rows, depth], [shape.rows, shape.depth])?;
        let b = self.copy::<Widen, V>(mgr, self.b, [depth, columns], [shape.depth, shape.columns])?;
        let mut c = mgr.tensor_of_len::<f32>(shape.rows as usize * shape.columns as usize)?;
        let stages = std::mem::replace(&mut self.stages, Stages::new("gemm"));
        let (a, b) = (a.as_ref().unwrap_or(self.a), b.as_ref().unwrap_or(self.b));
        let mut whole = Product { stages, shape, alpha: self.alpha, a, b, beta: 0.0, c: &mut c };
        multiply(&mut whole)?;
        self.stages = whole.stages;
        let (wide, pitch) = (c.cast::<Vec4>()?, shape.columns / 4);
        self.stages.launch::<padded::Narrow>(Grid::items([pitch, rows]), |args| {
            args.value(rows).value(columns).value(pitch).value(self.beta).read(&wide).write(self.c)
        });
        Ok(())
    }

    /// A matrix with zeros behind its lines and its last line; none where it has that size already and begins at a whole vector.
    fn copy<Widen: Kernel, V: Plain>(
        &mut self,
        mgr: &Manager,
        matrix: &Tensor<T>,
        [rows, columns]: [u32; 2],
        size: [u32; 2],
    ) -> Result<Option<Tensor<T>>> {
        if size == [rows, columns] && matrix.cast::<V>().is_ok() {
            return Ok(None);
        }
        let mut copy = mgr.tensor_of_len::<T>(size[0] as usize * size[1] as usize)?;
        let pitch = size[1] / (size_of::<V>() / size_of::<T>()) as u32;
        let mut wide = copy.cast_mut::<V>()?;
        self.stages.launch::<Widen>(Grid::items([pitch, size[0]]), |args| {
            args.value(rows).value(columns).value(pitch).read(matrix).write(&mut wide)
        });
        Ok(Some(copy))
    }

    /// Whole tiles where rows begin at whole vectors and the depth has whole slices; the rest by tiles of the edge.
    fn by_tiles<Whole: Kernel, Edge: Kernel, Widen: Kernel>(&mut self, mgr: &Manager, tiling: Tiling) -> Result<()> {
        let is_whole = self.has_slices(tiling);
        if !is_whole && self.shape.least() >= PADDED_TILES {
            let [rows, columns] = tiling.tile;
            let sides = GemmShape { rows, columns, depth: tiling.depth };
            return self.on_copies::<Widen, UVec4>(mgr, sides, |whole| whole.in_tiles::<Whole, Edge>(tiling, true));
        }
        self.in_tiles::<Whole, Edge>(tiling, is_whole)
    }

    fn in_tiles<Whole: Kernel, Edge: Kernel>(&mut self, tiling: Tiling, is_whole: bool) -> Result<()> {
        let GemmShape { rows, columns, .. } = self.shape;
        let [tile_rows, tile_columns] = tiling.tile;
        let (down, across) = if is_whole { (rows / tile_rows, columns / tile_columns) } else { (0, 0) };
        if down > 0 && across > 0 {
            // Rows of tiles in blocks of so many, and then what is left of them.
            let (blocks, left) = (down / ROWS_TOGETHER, down % ROWS_TOGETHER);
            self.whole_tiles::<Whole>(tiling, 0, [ROWS_TOGETHER, across, blocks])?;
            self.whole_tiles::<Whole>(tiling, blocks * ROWS_TOGETHER, [left, across, 1])?;
        }
        let (row, column) = if across > 0 { (down * tile_rows, across * tile_columns) } else { (0, 0) };
        // Below the whole tiles, and to the right of them.
        self.edge_tiles::<Edge>(tiling, [row, 0], [rows - row, columns]);
        self.edge_tiles::<Edge>(tiling, [0, column], [row, columns - column]);
        Ok(())
    }

    fn whole_tiles<K: Kernel>(&mut self, tiling: Tiling, first_row: u32, grid: [u32; 3]) -> Result<()> {
        if grid.contains(&0) {
            return Ok(());
        }
        let GemmShape { columns, depth, .. } = self.shape;
        let slices = if tiling.is_told_last { depth - tiling.depth } else { depth / tiling.depth };
        let (a, b) = (self.a.cast::<UVec4>()?, self.b.cast::<UVec4>()?);
        self.stages.launch::<K>(Grid::groups(grid), |args| {
            let args = args.value(first_row).value(slices).value(depth / 8).value(columns / 8);
            args.value(self.alpha).value(self.beta).read(&a).read(&b).write(self.c)
        });
        Ok(())
    }

    fn edge_tiles<K: Kernel>(&mut self, tiling: Tiling, first: [u32; 2], size: [u32; 2]) {
        if size.contains(&0) {
            return;
        }
        let GemmShape { rows, columns, depth } = self.shape;
        // Not beyond the part that is asked for: those behind it are whole tiles.
        let end = [first[0] + size[0], first[1] + size[1]];
        let rows_here = if end[0] < rows { end[0] } else { rows };
        let grid = Grid::groups([size[1].div_ceil(tiling.edge), size[0].div_ceil(tiling.edge)]);
        self.stages.launch::<K>(grid, |args: KernelArgs| {
            let args = args.value(rows_here).value(columns).value(depth).value(first[0]).value(first[1]);
            args.value(self.alpha).value(self.beta).read(self.a).read(self.b).write(self.c)
        });
    }
}
