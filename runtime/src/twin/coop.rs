//! Matrices of subgroups on their ways from and to memory. Every invocation reads all of a matrix; the first of the subgroup writes.

use gridwise_ir::descriptor::Site;

use super::launch::TrapSink;
use super::{Slice, SliceMut};
use crate::memory::data::GpuData;
use crate::parallel::{CoopElement, CoopMatrix, MatrixLayout, MatrixRole};

/// Bytes to which devices align what they load and store at once.
const WIDEST_ALIGNMENT: usize = 16;

/// Bytes of the largest element of memory that a matrix can lie in: a vector of four.
const WIDEST_CELL: usize = 16;

/// The place of a matrix in memory.
#[derive(Debug, Clone, Copy)]
pub struct Position {
    /// The element where the first line begins.
    pub offset: u32,
    /// Elements from line to line.
    pub stride: u32,
    /// The layout of the lines.
    pub layout: MatrixLayout,
}

/// The lines of a matrix in memory of `M`.
struct Lines {
    first: usize,
    stride: usize,
    count: usize,
    /// Cells of a line.
    cells: usize,
}

impl Lines {
    /// The lines, if all of them are in range; else what is wrong is recorded.
    fn new<T, M, const R: usize, const C: usize>(
        sink: impl TrapSink,
        [index, alignment]: [&'static Site; 2],
        len: usize,
        position: Position,
    ) -> Option<Self> {
        let (count, elements) = match position.layout {
            MatrixLayout::RowMajor => (R, C),
            MatrixLayout::ColumnMajor => (C, R),
        };
        let Position { offset, stride, .. } = position;
        let bytes = elements * size_of::<T>();
        let multiple = (bytes.min(WIDEST_ALIGNMENT) / size_of::<M>()).max(1) as u32;
        if (offset | stride) & (multiple - 1) != 0 {
            sink.panic(
                alignment,
                format_args!("a matrix at {offset} with stride {stride}, which must be multiples of {multiple}"),
            );
        }
        let cells = bytes / size_of::<M>();
        // In 32 bits, as on the device: what does not fit is as far behind the end.
        let (steps, rest) = (count as u32 - 1, cells as u32 - 1);
        let most = (u32::MAX - rest).checked_div(steps).unwrap_or_default();
        let span = stride.min(most) * steps + rest;
        let last = offset.min(u32::MAX - span) + span;
        if last as usize >= len {
            sink.trap(index, [last, len as u32]);
            return None;
        }
        Some(Self { first: offset as usize, stride: stride as usize, count, cells })
    }
}

/// The row and column of an element of a line.
fn element(layout: MatrixLayout, line: usize, at: usize) -> (usize, usize) {
    match layout {
        MatrixLayout::RowMajor => (line, at),
        MatrixLayout::ColumnMajor => (at, line),
    }
}

/// `CoopMatrix::load`; zeros after a trap.
pub fn load<T: CoopElement, U: MatrixRole, M: GpuData, const R: usize, const C: usize>(
    sink: impl TrapSink,
    sites: [&'static Site; 2],
    memory: Slice<'_, M>,
    position: Position,
) -> CoopMatrix<T, U, R, C> {
    let mut rows = [[T::ZEROED; C]; R];
    let Some(lines) = Lines::new::<T, M, R, C>(sink, sites, memory.len(), position) else {
        return CoopMatrix::from_rows(rows);
    };
    for line in 0..lines.count {
        for cell in 0..lines.cells {
            let value = memory.load(sink, sites[0], lines.first + line * lines.stride + cell);
            let raw = bytes_of(&value);
            for (at, part) in raw[..size_of::<M>()].chunks_exact(size_of::<T>()).enumerate() {
                let (row, column) = element(position.layout, line, cell * (size_of::<M>() / size_of::<T>()) + at);
                rows[row][column] = T::from_bytes(part);
            }
        }
    }
    CoopMatrix::from_rows(rows)
}

/// `CoopMatrix::store`, by the invocation of its subgroup that `writes`.
pub fn store<T: CoopElement, U: MatrixRole, M: GpuData, const R: usize, const C: usize>(
    sink: impl TrapSink,
    sites: [&'static Site; 2],
    memory: SliceMut<'_, M>,
    matrix: CoopMatrix<T, U, R, C>,
    position: Position,
    writes: bool,
) {
    let Some(lines) = Lines::new::<T, M, R, C>(sink, sites, memory.len(), position) else { return };
    if !writes {
        return;
    }
    for line in 0..lines.count {
        for cell in 0..lines.cells {
            let mut raw = [0; WIDEST_CELL];
            for (at, part) in raw[..size_of::<M>()].chunks_exact_mut(size_of::<T>()).enumerate() {
                let (row, column) = element(position.layout, line, cell * (size_of::<M>() / size_of::<T>()) + at);
                matrix.rows[row][column].to_bytes(part);
            }
            let index = lines.first + line * lines.stride + cell;
            memory.store(sink, sites[0], from_bytes(&raw), index);
        }
    }
}

/// The bytes of a scalar or vector.
fn bytes_of<M: GpuData>(value: &M) -> [u8; WIDEST_CELL] {
    let mut raw = [0; WIDEST_CELL];
    assert!(size_of::<M>() <= WIDEST_CELL, "scalars and vectors are no larger");
    // SAFETY: so many bytes are there, and `GpuData` that is a scalar or vector of 2 or 4 lanes has no padding.
    unsafe { std::ptr::copy_nonoverlapping(std::ptr::from_ref(value).cast(), raw.as_mut_ptr(), size_of::<M>()) };
    raw
}

/// The scalar or vector with these bytes.
fn from_bytes<M: GpuData>(raw: &[u8; WIDEST_CELL]) -> M {
    assert!(size_of::<M>() <= WIDEST_CELL, "scalars and vectors are no larger");
    // SAFETY: so many bytes are there, and any are a valid value of `GpuData`.
    unsafe { std::ptr::read_unaligned(raw.as_ptr().cast()) }
}
