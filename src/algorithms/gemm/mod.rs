//! Products of matrices: which kernels compute which part of the result on which device.

mod registers;
mod scalar;
mod tiles;

use super::stages::Stages;
use super::{expect_len, operation, sealed};
use crate::descriptor::{Feature, MatrixElement, MatrixProduct};
use crate::glam::Vec4;
use crate::prelude::*;
use crate::{DeviceInfo, Kernel, KernelArgs, Plain, Result};

/// The product of two matrices, stored row by row and summed up in `f32`: `c = alpha · a · b + beta · c`. No work space.
///
/// Factors are of `f32`, `f16` or `bf16`. In which order products are added is the device's, as is whether it rounds each; those of
/// 16-bit elements are exact, and multiplied by the device's matrices where it has some that fit ([`CoopMatrix`]). These are
/// fastest where the depth is a multiple of 32 and `b` has a multiple of 8 columns; those of `f32`, where rows and columns are multiples
/// of 128 and the depth is one of 16. What is left over, and products of other sizes, are loaded element by element.
///
/// ```
/// use gridwise::algorithms::{GemmShape, OpGemm};
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let (a, b) = (mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0])?, mgr.tensor(&[5.0f32, 6.0])?);
/// let mut c = mgr.tensor_of_len::<f32>(2)?;
/// let shape = GemmShape { rows: 2, columns: 1, depth: 2 };
/// mgr.sequence()?.record(OpGemm::new(&mgr, shape, 1.0, &a, &b, 0.0, &mut c)?)?.eval()?;
/// assert_eq!(c.to_vec()?, [17.0, 39.0]);
///
/// let [a, b] = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]].map(|m| m.map(f16::from_f32));
/// let (a, b) = (mgr.tensor(&a)?, mgr.tensor(&b)?);
/// let mut c = mgr.tensor_of_len::<f32>(4)?;
/// let shape = GemmShape { rows: 2, columns: 2, depth: 2 };
/// mgr.sequence()?.record(OpGemm::new(&mgr, shape, 1.0, &a, &b, 0.0, &mut c)?)?.eval()?;
/// assert_eq!(c.to_vec()?, [19.0, 22.0, 43.0, 50.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
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
        mgr: &Manager,
        shape: GemmShape,
        alpha: f32,
        a: &Tensor<T>,
        b: &Tensor<T>,
        beta: f32,
        c: &mut Tensor<f32>,
    ) -> Result<Self> {
        let GemmShape { rows, columns, depth } = shape;
        expect_len("multiplying from the left", a, rows as usize * depth as usize)?;
        expect_len("multiplying from the right", b, depth as usize * columns as usize)?;
        expect_len("a product in", c, rows as usize * columns as usize)?;
        let mut product = Product { stages: Stages::new("gemm"), shape, alpha, a, b, beta, c };
        T::multiply(mgr.device(), &mut product)?;
        Ok(Self(product.stages))
    }
}

/// What [`OpGemm`] multiplies: `f32`, `f16`, `bf16`.
pub trait Factor: Plain + sealed::Multiply {}

impl Factor for f32 {}
impl Factor for f16 {}
impl Factor for bf16 {}

impl sealed::Multiply for f32 {
    fn multiply(_: &DeviceInfo, product: &mut Product<'_, Self>) -> Result<()> {
        product.in_registers()?;
        Ok(())
    }
}

impl sealed::Multiply for f16 {
    fn multiply(device: &DeviceInfo, product: &mut Product<'_, Self>) -> Result<()> {
        if WIDE.fits(device, MatrixElement::F16) {
            return product.by_tiles::<tiles::WideF16, tiles::WideF16Edge>(WIDE);
        }
        if NARROW.fits(device, MatrixElement::F16) {
            return product.by_tiles::<tiles::NarrowF16, tiles::NarrowF16Edge>(NARROW);
        }
        product.element_by_element::<scalar::MultiplyF16>();
        Ok(())
    }
}

impl sealed::Multiply for bf16 {
    fn multiply(device: &DeviceInfo, product: &mut Product<'_, Self>) -> Result<()> {
        if WIDE.fits(device, MatrixElement::Bf16) {
            return product.by_tiles::<tiles::WideBf16, tiles::WideBf16Edge>(WIDE);
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
    tile: u32,
    /// How deep its slices are.
    depth: u32,
    /// Rows and columns of a tile at the edge.
    edge: u32,
}

const WIDE: Tiling = Tiling {
    side: 16,
    lanes: 32,
    invocations: 128,
    shared_bytes: 32 << 10,
    tile: tiles::WIDE_TILE,
    depth: tiles::WIDE_DEPTH,
    edge: tiles::WIDE_EDGE,
};

const NARROW: Tiling = Tiling {
    side: 8,
    lanes: 8,
    invocations: 32,
    shared_bytes: 16 << 10,
    tile: tiles::NARROW_TILE,
    depth: tiles::NARROW_DEPTH,
    edge: tiles::NARROW_EDGE,
};

/// Tiles from which on a product of `f32` is computed in registers: fewer would leave much of a large device without work.
const MANY_TILES: u64 = 96;

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
    fn in_registers(&mut self) -> Result<()> {
        let GemmShape { rows, columns, depth } = self.shape;
        let [across, down] = [columns, rows].map(|side| side.div_ceil(registers::SIDE));
        if u64::from(across) * u64::from(down) < MANY_TILES {
            self.element_by_element::<scalar::Multiply>();
            return Ok(());
        }
        let grid = Grid::groups([across, down]);
        let is_whole = [rows, columns].iter().all(|side| side.is_multiple_of(registers::SIDE))
            && depth > 0
            && depth.is_multiple_of(registers::SLICE);
        if is_whole && [self.a, self.b, &*self.c].iter().all(|matrix| matrix.cast::<Vec4>().is_ok()) {
            let (a, b, mut c) = (self.a.cast::<Vec4>()?, self.b.cast::<Vec4>()?, self.c.cast_mut::<Vec4>()?);
            self.stages.launch::<registers::MultiplyWhole>(grid, |args| {
                let args = args.value(columns).value(depth).value(self.alpha).value(self.beta);
                args.read(&a).read(&b).write(&mut c)
            });
        } else {
            self.stages.launch::<registers::MultiplyScalars>(grid, |args| {
                let args = args.value(rows).value(columns).value(depth).value(self.alpha).value(self.beta);
                args.read(self.a).read(self.b).write(self.c)
            });
        }
        Ok(())
    }
}

impl<T: Factor> Product<'_, T> {
    fn element_by_element<K: Kernel>(&mut self) {
        let GemmShape { rows, columns, depth } = self.shape;
        let grid = Grid::groups([columns.div_ceil(scalar::TILE), rows.div_ceil(scalar::TILE)]);
        self.stages.launch::<K>(grid, |args| {
            let args = args.value(rows).value(columns).value(depth).value(self.alpha).value(self.beta);
            args.read(self.a).read(self.b).write(self.c)
        });
    }

    /// Whole tiles where rows begin at whole vectors and the depth has whole slices; the rest by tiles of the edge.
    fn by_tiles<Whole: Kernel, Edge: Kernel>(&mut self, tiling: Tiling) -> Result<()> {
        let GemmShape { rows, columns, depth } = self.shape;
        let is_whole = depth > 0 && depth.is_multiple_of(tiling.depth) && columns.is_multiple_of(8);
        let (down, across) = if is_whole { (rows / tiling.tile, columns / tiling.tile) } else { (0, 0) };
        if down > 0 && across > 0 {
            // Rows of tiles in blocks of so many, and then what is left of them.
            let (blocks, left) = (down / ROWS_TOGETHER, down % ROWS_TOGETHER);
            self.whole_tiles::<Whole>(tiling, 0, [ROWS_TOGETHER, across, blocks])?;
            self.whole_tiles::<Whole>(tiling, blocks * ROWS_TOGETHER, [left, across, 1])?;
        }
        let (row, column) = if across > 0 { (down * tiling.tile, across * tiling.tile) } else { (0, 0) };
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
        let (a, b) = (self.a.cast::<UVec4>()?, self.b.cast::<UVec4>()?);
        self.stages.launch::<K>(Grid::groups(grid), |args| {
            let args = args.value(first_row).value(depth / tiling.depth).value(depth / 8).value(columns / 8);
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
