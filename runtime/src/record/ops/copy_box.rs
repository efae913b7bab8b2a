//! The operation that copies a box of elements out of a box: rows and planes that lie apart.

use std::ops::Range;

use super::{Access, Op, Recorder};
use crate::core::error::{Error, RecordingError, Result};
use crate::memory::data::GpuData;
use crate::memory::tensor::{Tensor, TensorRef};
use crate::record::steps::{CopyBoxStep, Row, Step};

/// The place of a box in a tensor.
///
/// ```
/// use gridwise::ops::BoxIn;
///
/// let width = 501;
/// let second_row = BoxIn { first: width, row: width, ..BoxIn::default() };
/// let column_7 = BoxIn { first: 7, row: width, ..BoxIn::default() };
/// assert_eq!((second_row.first, column_7.plane), (501, 0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoxIn {
    /// The box's first element.
    pub first: usize,
    /// Elements from the beginning of a row to that of the next; of a box with one row in each plane it does not matter.
    pub row: usize,
    /// Elements from the beginning of a plane to that of the next; of a box with one plane it does not matter.
    pub plane: usize,
}

/// Copies a box of elements from one tensor to a box in another, or in the same: a tile, a column, the face of a volume.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::{BoxIn, OpCopyBox};
///
/// # let manager = gridwise::Manager::host();
/// let plane = manager.tensor(&[
///     11, 12, 13, 14, //
///     21, 22, 23, 24, //
///     31, 32, 33, 34,
/// ])?;
/// let mut column = manager.tensor(&[0; 3])?;
/// let (second, whole) = (BoxIn { first: 1, row: 4, plane: 0 }, BoxIn { first: 0, row: 1, plane: 0 });
/// manager.sequence()?.record(OpCopyBox::new(&plane, second, &mut column, whole, [1, 3, 1]))?.eval()?;
/// assert_eq!(column.to_vec()?, [12, 22, 32]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpCopyBox {
    from: (TensorRef, BoxIn),
    to: (TensorRef, BoxIn),
    extent: [usize; 3],
}

impl OpCopyBox {
    /// Copies `extent` elements along each axis, rows first.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{BoxIn, OpCopyBox};
    ///
    /// # let manager = gridwise::Manager::host();
    /// // Rows of 3 elements, which begin 4 elements apart in the copy.
    /// let dense = manager.tensor(&[1, 2, 3, 4, 5, 6])?;
    /// let mut padded = manager.tensor(&[0; 8])?;
    /// let (from, to) = (BoxIn { row: 3, ..BoxIn::default() }, BoxIn { row: 4, ..BoxIn::default() });
    /// manager.sequence()?.record(OpCopyBox::new(&dense, from, &mut padded, to, [3, 2, 1]))?.eval()?;
    /// assert_eq!(padded.to_vec()?, [1, 2, 3, 0, 4, 5, 6, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<T: GpuData>(
        from: &Tensor<T>,
        from_box: BoxIn,
        to: &mut Tensor<T>,
        to_box: BoxIn,
        extent: [usize; 3],
    ) -> Self {
        Self { from: (from.handle(), from_box), to: (to.handle(), to_box), extent }
    }

    /// Copies a box within one tensor; what is read and what is written have no element in common.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{BoxIn, OpCopyBox};
    ///
    /// # let manager = gridwise::Manager::host();
    /// // The left edge of a plane with periodic sides, from the last column but one.
    /// let mut plane = manager.tensor(&[0, 1, 2, 0, 0, 3, 4, 0])?;
    /// let column = |first| BoxIn { first, row: 4, plane: 0 };
    /// manager.sequence()?.record(OpCopyBox::within(&mut plane, column(2), column(0), [1, 2, 1]))?.eval()?;
    /// assert_eq!(plane.to_vec()?, [2, 1, 2, 0, 4, 3, 4, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn within<T: GpuData>(tensor: &mut Tensor<T>, from_box: BoxIn, to_box: BoxIn, extent: [usize; 3]) -> Self {
        Self { from: (tensor.handle(), from_box), to: (tensor.handle(), to_box), extent }
    }
}

impl Op for OpCopyBox {
    fn name(&self) -> &str {
        "copy box"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access::read(&self.from.0), Access::write(&self.to.0)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let ((from, from_box), (to, to_box)) = (&self.from, &self.to);
        recorder.copy_box((from, *from_box), (to, *to_box), self.extent)
    }
}

/// The rows of a box that was checked: positions of their first elements.
struct Rows {
    place: BoxIn,
    extent: [usize; 3],
    /// From the first element to behind the last one.
    span: Range<usize>,
}

impl Rows {
    /// # Errors
    /// When the box reaches beyond the tensor, or its rows share elements.
    fn new(tensor: &TensorRef, place: BoxIn, extent: [usize; 3]) -> Result<Self> {
        let [width, height, depth] = extent;
        let steps = |count: usize, each: usize| (count - 1).checked_mul(each);
        let end = || {
            place
                .first
                .checked_add(steps(depth, place.plane)?)?
                .checked_add(steps(height, place.row)?)?
                .checked_add(width)
        };
        let end = end().filter(|end| *end <= tensor.len());
        let Some(end) = end else {
            return Err(Error::Recording(RecordingError::BoxBeyond {
                tensor: tensor.name().to_owned(),
                first: place.first,
                row: place.row,
                plane: place.plane,
                extent,
                len: tensor.len(),
            }));
        };
        let of_plane = steps(height, place.row).and_then(|rows| rows.checked_add(width)).unwrap_or(usize::MAX);
        let (is_row_short, is_plane_short) = (height > 1 && place.row < width, depth > 1 && place.plane < of_plane);
        if is_row_short || is_plane_short {
            let (tensor, row, plane) = (tensor.name().to_owned(), place.row, place.plane);
            return Err(Error::Recording(RecordingError::BoxFolded { tensor, row, plane, extent }));
        }
        Ok(Self { place, extent, span: place.first..end })
    }

    fn starts(&self) -> impl Iterator<Item = usize> {
        let ([_, height, depth], BoxIn { first, row, plane }) = (self.extent, self.place);
        (0..depth).flat_map(move |z| (0..height).map(move |y| first + z * plane + y * row))
    }

    /// The span in bytes.
    fn bytes(&self, stride: u64) -> Range<u64> {
        self.span.start as u64 * stride..self.span.end as u64 * stride
    }
}

/// Whether two lists of rows of one length, in order, have bytes in common.
fn overlap(from: impl Iterator<Item = u64>, to: impl Iterator<Item = u64>, bytes: u64) -> bool {
    let (mut from, mut to) = (from.peekable(), to.peekable());
    while let (Some(a), Some(b)) = (from.peek().copied(), to.peek().copied()) {
        if a < b + bytes && b < a + bytes {
            return true;
        }
        if a < b {
            from.next()
        } else {
            to.next()
        };
    }
    false
}

impl Recorder<'_> {
    /// Copies a box of elements out of a tensor to a box in another, or in the same.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::{BoxIn, Recorder}};
    ///
    /// /// Part of an operation: the first column of a plane, to a tensor of its own.
    /// fn first_column(recorder: &mut Recorder<'_>, plane: &TensorRef, width: usize, column: &TensorRef) -> Result<()> {
    ///     let (from, to) = (BoxIn { row: width, ..BoxIn::default() }, BoxIn { row: 1, ..BoxIn::default() });
    ///     recorder.copy_box((plane, from), (column, to), [1, column.len(), 1])
    /// }
    /// ```
    ///
    /// # Errors
    /// When the elements have different sizes, a box reaches beyond its tensor or has rows that share elements, both boxes have bytes in
    /// common, or a tensor was not declared or is of another manager.
    pub fn copy_box(
        &mut self,
        (from, from_box): (&TensorRef, BoxIn),
        (to, to_box): (&TensorRef, BoxIn),
        extent: [usize; 3],
    ) -> Result<()> {
        self.check_bytes(&from.buffer, false)?;
        self.check_bytes(&to.buffer, true)?;
        if from.stride() != to.stride() {
            let (tensor, expected, found) = (to.name().into(), from.stride() as usize, to.stride() as usize);
            return Err(Error::LengthMismatch {
                operation: "copying a box, by its bytes per element,",
                tensor,
                expected,
                found,
            });
        }
        if extent.contains(&0) {
            return Ok(());
        }
        let (read, written) = (Rows::new(from, from_box, extent)?, Rows::new(to, to_box, extent)?);
        let stride = u64::from(from.stride());
        let bytes = extent[0] as u64 * stride;
        let starts =
            |rows: &Rows, at: u64| rows.starts().map(move |start| at + start as u64 * stride).collect::<Vec<_>>();
        let in_memory = |tensor: &TensorRef, rows: &Rows| starts(rows, tensor.buffer.start());
        if from.buffer.is_same_memory(&to.buffer)
            && overlap(in_memory(from, &read).into_iter(), in_memory(to, &written).into_iter(), bytes)
        {
            return Err(Error::AliasedTensor { operation: "copying a box".to_owned(), tensor: to.name().into() });
        }
        let mut rows: Vec<Row> = Vec::new();
        for (from, to) in starts(&read, 0).into_iter().zip(starts(&written, 0)) {
            match rows.last_mut() {
                // Rows that follow each other on both sides are one.
                Some(last) if last.from + last.bytes == from && last.to + last.bytes == to => last.bytes += bytes,
                _ => rows.push(Row { from, to, bytes }),
            }
        }
        self.steps.push(Step::CopyBox(Box::new(CopyBoxStep {
            from: (from.buffer.clone(), read.bytes(stride)),
            to: (to.buffer.clone(), written.bytes(stride)),
            rows,
        })));
        Ok(())
    }
}
