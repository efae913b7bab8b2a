//! Matrices that the invocations of a subgroup hold together: operations, and accesses to memory. All invocations of the subgroup
//! come to each of them, with the same operands.

use super::{Place, ValueId};

/// An operation on matrices of the subgroup that touches no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoopOp {
    /// A matrix with the scalar in every element.
    Splat,
    /// `a * b + c`: products are exact, and how their sum is rounded, and in which order, is open.
    MulAdd,
    /// The matrix with its elements as another type of float.
    Convert,
    /// Each element negated.
    Neg,
    /// Sums of elements; integers wrap.
    Add,
    /// Differences of elements; integers wrap.
    Sub,
    /// Each element times a scalar; integers wrap.
    Scale,
    /// How many elements of the matrix the invocation holds, a `u32`. Each element is held by some invocation.
    Held,
    /// A sum as the left or right factor of another product.
    Role,
    /// A sum as the right factor of another product, its rows as columns.
    Transpose,
    /// In each element what all of its row, or column, are combined to.
    Reduce(CoopLine, CoopFold),
}

/// The line of a matrix whose elements are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoopLine {
    /// Those of a row.
    Row,
    /// Those of a column.
    Column,
}

/// How elements are combined. In which order, is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoopFold {
    /// Sums; integers wrap.
    Sum,
    /// The smallest; of floats none that is a number.
    Min,
    /// The largest; likewise.
    Max,
}

impl CoopOp {
    /// All of them, with their names in the text format.
    pub const NAMED: [(Self, &'static str); 16] = [
        (Self::Splat, "coop_splat"),
        (Self::MulAdd, "coop_mul_add"),
        (Self::Convert, "coop_convert"),
        (Self::Neg, "coop_neg"),
        (Self::Add, "coop_add"),
        (Self::Sub, "coop_sub"),
        (Self::Scale, "coop_scale"),
        (Self::Held, "coop_held"),
        (Self::Role, "coop_role"),
        (Self::Transpose, "coop_transpose"),
        (Self::Reduce(CoopLine::Row, CoopFold::Sum), "coop_row_sum"),
        (Self::Reduce(CoopLine::Row, CoopFold::Min), "coop_row_min"),
        (Self::Reduce(CoopLine::Row, CoopFold::Max), "coop_row_max"),
        (Self::Reduce(CoopLine::Column, CoopFold::Sum), "coop_column_sum"),
        (Self::Reduce(CoopLine::Column, CoopFold::Min), "coop_column_min"),
        (Self::Reduce(CoopLine::Column, CoopFold::Max), "coop_column_max"),
    ];

    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        match self {
            Self::Splat | Self::Convert | Self::Neg => 1,
            Self::Held | Self::Role | Self::Transpose | Self::Reduce(..) => 1,
            Self::Add | Self::Sub | Self::Scale => 2,
            Self::MulAdd => 3,
        }
    }

    /// Its name in the text format.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(op, _)| *op == self).map_or("", |(_, name)| *name)
    }
}

/// How a matrix lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoopLayout {
    /// Row after row.
    RowMajor,
    /// Column after column.
    ColumnMajor,
}

impl CoopLayout {
    /// Both.
    pub const ALL: [Self; 2] = [Self::RowMajor, Self::ColumnMajor];

    /// Its name in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowMajor => "row_major",
            Self::ColumnMajor => "column_major",
        }
    }
}

/// The memory that a matrix is loaded from or stored to: lines (rows or columns) of elements that stand side by side.
///
/// Memory may have cells of another type than the matrix has elements, scalars or vectors; it is then taken as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CoopAccess {
    /// The cell where the last line ends: the one furthest behind, so that its check is one for all of them.
    pub place: Place,
    /// The index, in place of the place's last one, of the cell where the first line begins; not above that.
    pub first: ValueId,
    /// How many cells lie between the beginnings of two lines.
    pub stride: ValueId,
    /// The layout of the lines.
    pub layout: CoopLayout,
}
