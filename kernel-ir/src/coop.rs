//! Rules of matrices of subgroups: which there are, what their operations take, how they lie in memory. Shared by the builder,
//! the verifier and what runs them; changes nothing.

use crate::ir::{CoopLayout, CoopOp};
use crate::layout::Layout;
use crate::types::{CoopRole, CoopType, Scalar, Type, TypeId, Types};

/// Most rows and columns of a matrix: no device has any near to it.
pub const MOST_LINES: u32 = 256;

/// Bytes to which devices align what they load and store at once.
const WIDEST_ALIGNMENT: u32 = 16;

/// Checks that there can be matrices of a type.
///
/// # Errors
/// A sentence about the rule that is broken.
pub fn check_type(ty: CoopType) -> Result<(), String> {
    use Scalar::{Bf16, F16, F32, I8, I32, U8, U32};
    if !matches!(ty.scalar, F16 | Bf16 | F32 | I8 | U8 | I32 | U32) {
        return Err(format!("a matrix of `{}`", ty.scalar.name()));
    }
    let fits = |lines: u32| (1..=MOST_LINES).contains(&lines);
    if !fits(ty.rows) || !fits(ty.columns) {
        return Err(format!("a matrix of {} by {}", ty.rows, ty.columns));
    }
    Ok(())
}

/// Whether a product of elements of these types is summed up in the third.
pub const fn multiplies(a: Scalar, b: Scalar, sum: Scalar) -> bool {
    use Scalar::{Bf16, F16, F32, I8, I32, U8, U32};
    matches!((a, b, sum), (F16, F16, F16 | F32) | (Bf16, Bf16, F32) | (I8, I8, I32) | (U8, U8, U32))
}

/// Checks the types around an operation.
///
/// # Errors
/// A sentence about the rule that is broken.
pub fn check_op(types: &Types, op: CoopOp, operands: &[TypeId], result: TypeId) -> Result<(), String> {
    let name = op.name();
    if operands.len() != op.arity() {
        return Err(format!("`{name}` takes {} operands, not {}", op.arity(), operands.len()));
    }
    let matrix = |at: usize| match *types.get(operands[at]) {
        Type::Coop(ty) => Ok(ty),
        _ => Err(format!("`{name}` does not take `{}`", types.display(operands[at]))),
    };
    let made = match *types.get(result) {
        Type::Coop(made) if op != CoopOp::Held => made,
        Type::Scalar(Scalar::U32) if op == CoopOp::Held => return matrix(0).map(|_| ()),
        _ => return Err(format!("`{name}` gives no `{}`", types.display(result))),
    };
    let is_scalar = |at: usize| *types.get(operands[at]) == Type::Scalar(made.scalar);
    let computes = made.scalar != Scalar::Bf16;
    let fits = match op {
        CoopOp::Splat => is_scalar(0),
        CoopOp::Neg => matrix(0)? == made && computes && !made.scalar.is_unsigned(),
        CoopOp::Add | CoopOp::Sub => matrix(0)? == made && matrix(1)? == made && computes,
        CoopOp::Scale => matrix(0)? == made && is_scalar(1) && computes,
        CoopOp::Convert => {
            let from = matrix(0)?;
            let is_float = |scalar| matches!(scalar, Scalar::F16 | Scalar::Bf16 | Scalar::F32);
            CoopType { scalar: made.scalar, ..from } == made && is_float(from.scalar) && is_float(made.scalar)
        }
        CoopOp::Role => {
            let from = matrix(0)?;
            from.role == CoopRole::Accumulator
                && made.role != CoopRole::Accumulator
                && CoopType { role: made.role, ..from } == made
        }
        CoopOp::Transpose => {
            let from = matrix(0)?;
            let turned = CoopType { role: CoopRole::B, rows: from.columns, columns: from.rows, ..from };
            from.role == CoopRole::Accumulator && turned == made
        }
        CoopOp::Reduce(..) => matrix(0)? == made && made.role == CoopRole::Accumulator && computes,
        CoopOp::Held => false,
        CoopOp::MulAdd => {
            let (a, b, c) = (matrix(0)?, matrix(1)?, matrix(2)?);
            let roles = (a.role, b.role, c.role) == (CoopRole::A, CoopRole::B, CoopRole::Accumulator);
            let shapes = a.rows == c.rows && a.columns == b.rows && b.columns == c.columns;
            c == made && roles && shapes && multiplies(a.scalar, b.scalar, c.scalar)
        }
    };
    if fits {
        return Ok(());
    }
    let given: Vec<_> = operands.iter().map(|ty| format!("`{}`", types.display(*ty))).collect();
    Err(format!("`{name}` does not make `{}` of {}", types.display(result), given.join(", ")))
}

/// The layout of a matrix in memory: the place of each line among cells of some type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// How many lines there are.
    pub count: u32,
    /// Elements of a line.
    pub len: u32,
    /// Elements of a cell.
    pub per_cell: u32,
    /// Cells of a line.
    pub cells: u32,
    /// A common divisor of the numbers of cells from the beginning to each line.
    pub alignment: u32,
}

impl Lines {
    /// The lines of a matrix in memory with cells of a type.
    ///
    /// # Errors
    /// A sentence about why it cannot lie there.
    pub fn new(types: &Types, ty: CoopType, cell: TypeId, layout: CoopLayout) -> Result<Self, String> {
        let (count, len) = match layout {
            CoopLayout::RowMajor => (ty.rows, ty.columns),
            CoopLayout::ColumnMajor => (ty.columns, ty.rows),
        };
        let element = ty.scalar.bits() / 8;
        let size = match types.get(cell) {
            Type::Scalar(_) | Type::Vector(..) => Layout::of(types, cell).map(|layout| layout.size),
            _ => None,
        };
        let size =
            size.filter(|size| size.is_power_of_two() && *size >= element && (len * element).is_multiple_of(*size));
        let Some(size) = size else {
            let (matrix, cell) = (types.display_type(&Type::Coop(ty)).to_string(), types.display(cell));
            return Err(format!("lines of `{matrix}` are not made of cells of type `{cell}`"));
        };
        // The largest power of two that divides a line.
        let line = len * element;
        let natural = WIDEST_ALIGNMENT.min(line);
        Ok(Self { count, len, per_cell: size / element, cells: line / size, alignment: natural.div_ceil(size).max(1) })
    }

    /// The row and column of an element, given its line and its position in that.
    pub fn element(layout: CoopLayout, line: u32, at: u32) -> (u32, u32) {
        match layout {
            CoopLayout::RowMajor => (line, at),
            CoopLayout::ColumnMajor => (at, line),
        }
    }
}
