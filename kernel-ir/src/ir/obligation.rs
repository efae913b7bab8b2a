//! What the host checks once before a launch, so that the invocations need not check it each.

use std::sync::Arc;

use super::{BufferId, ConstParamId, ParamId};
pub use crate::descriptor::BoundOp;
use crate::few::Few;

/// An index is below a length for every invocation of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Obligation {
    /// No invocation's index is above this.
    pub index: Bound,
    /// What it must be below.
    pub length: Bound,
}

/// A number that is known when a kernel is launched. Its arithmetic is that of whole numbers without end, except that a
/// difference is at least zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The number.
    Const(u32),
    /// Invocations of the grid along axis 0, 1 or 2.
    Items(u8),
    /// Workgroups of the grid along axis 0, 1 or 2.
    Groups(u8),
    /// Elements of a buffer.
    Len(BufferId),
    /// A const parameter that is an integer.
    Constant(ConstParamId),
    /// An unsigned integer in a by-value parameter: the parameter, and the way into it.
    Param(ParamId, Few<u32>),
    /// Of two numbers. Bounds of a kernel have much in common.
    Binary(BoundOp, Arc<[Bound; 2]>),
}

impl Bound {
    /// The number that `op` makes of two; a constant where both are.
    pub fn binary(op: BoundOp, a: Self, b: Self) -> Self {
        if let (Self::Const(a), Self::Const(b)) = (&a, &b)
            && let Ok(value) = u32::try_from(op.apply((*a).into(), (*b).into()))
        {
            return Self::Const(value);
        }
        let is_neutral = matches!(
            (op, &b),
            (BoundOp::Add | BoundOp::Sub, Self::Const(0)) | (BoundOp::Mul | BoundOp::Div, Self::Const(1))
        );
        if is_neutral || (matches!(op, BoundOp::Min | BoundOp::Max) && a == b) {
            return a;
        }
        Self::Binary(op, Arc::new([a, b]))
    }
}
