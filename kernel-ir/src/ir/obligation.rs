//! Obligations: checks that the host makes once before a launch, so that the invocations need not make them.

use std::sync::Arc;

use super::{BufferId, ConstParamId, ParamId, SiteId};
pub use crate::descriptor::BoundOp;
use crate::few::Few;

/// An index is below a length for every invocation of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Obligation {
    /// No invocation's index is above this.
    pub index: Bound,
    /// The exclusive upper bound.
    pub length: Bound,
    /// The site of an access that every invocation of a launch does, where `index` is what the last one computes, modulo 2^32. Where the
    /// obligation does not hold, and `index` is below 2^32, that access is out of range for certain.
    pub in_all: Option<SiteId>,
}

impl Obligation {
    /// Whether this one says all that another one does, as far as their forms tell, and stands for it: the other holds wherever this one
    /// does, and where the other is broken for certain, this one is.
    pub fn implies(&self, other: &Self) -> bool {
        let says_as_much = other.in_all.is_none() || self.in_all.is_some();
        // What one number is above, another number need not be for the same reason: `letters > 255` and `letters > 0`.
        let is_number = matches!(self.length, Bound::Param(..));
        let is_as_strict = if is_number { self.index == other.index } else { self.index.is_at_least(&other.index) };
        says_as_much && self.length == other.length && is_as_strict
    }

    /// Whether both ask for the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.index == other.index && self.length == other.length
    }
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
    /// Texels of an image along axis 0, 1 or 2, of its first level.
    Extent(BufferId, u8),
    /// Elements of the shortest buffer in a list; zero where there is none.
    Least(BufferId),
    /// The fewest texels along axis 0, 1 or 2 that an image in a list has in its first level; zero where there is none.
    LeastExtent(BufferId, u8),
    /// A const parameter that is an integer.
    Constant(ConstParamId),
    /// The bits of an integer in a by-value parameter, as a number without sign: the parameter, and the way into it. A negative one is
    /// large.
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
            (BoundOp::Add | BoundOp::Sub | BoundOp::Shl, Self::Const(0))
                | (BoundOp::Mul | BoundOp::Div, Self::Const(1))
        );
        if is_neutral || (matches!(op, BoundOp::Min | BoundOp::Max) && a == b) {
            return a;
        }
        Self::Binary(op, Arc::new([a, b]))
    }

    /// Whether the smaller of two bounds is a part of it.
    pub(crate) fn has_least(&self) -> bool {
        match self {
            Self::Binary(op, parts) => *op == BoundOp::Min || parts.iter().any(Self::has_least),
            _ => false,
        }
    }

    /// Whether it is never below another, as far as their forms tell.
    pub(crate) fn is_at_least(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Const(a), Self::Const(b)) => a >= b,
            // A power of more may be a smaller one: only some bits of it count.
            (Self::Binary(BoundOp::Shl, a), Self::Binary(BoundOp::Shl, b)) => a[1] == b[1] && a[0].is_at_least(&b[0]),
            (Self::Binary(op, a), Self::Binary(other, b)) if op == other => {
                // Less is left where more is taken away, or where there are more to divide among.
                let (more, less) = if matches!(op, BoundOp::Sub | BoundOp::Div) { (b, a) } else { (a, b) };
                a[0].is_at_least(&b[0]) && more[1].is_at_least(&less[1])
            }
            (Self::Binary(BoundOp::Add, parts), other) if matches!(parts[1], Self::Const(_)) => {
                parts[0].is_at_least(other)
            }
            _ => self == other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::EntityId;

    #[test]
    fn one_obligation_stands_for_what_it_implies() {
        use BoundOp::{Add, Div, Mul, Sub};
        let number = |of: u32| Bound::Const(of);
        let param = |of: u32| Bound::Param(ParamId::new(0), [of].into());
        // (items(1) + row) * param + column
        let index = |row: u32, column: u32| {
            let rows = Bound::binary(Add, Bound::Items(1), number(row));
            Bound::binary(Add, Bound::binary(Mul, rows, param(0)), number(column))
        };
        let implies = |a: Bound, b: Bound| {
            let below = |index| Obligation { index, length: Bound::Len(BufferId::new(0)), in_all: None };
            below(a).implies(&below(b))
        };
        assert!(implies(index(2, 3), index(2, 3)));
        assert!(
            implies(index(2, 3), index(1, 3)) && implies(index(2, 3), index(2, 0)) && implies(index(2, 3), index(0, 0))
        );
        assert!(!implies(index(1, 3), index(2, 0)) && !implies(index(1, 0), index(0, 1)));
        assert!(!implies(param(1), param(0)) && !implies(param(0), number(1)));
        for op in [Sub, Div] {
            let less = |by: u32| Bound::binary(op, Bound::Items(0), Bound::binary(Add, param(0), number(by)));
            assert!(implies(less(1), less(2)) && !implies(less(2), less(1)));
        }
        let of = |buffer| Obligation { index: index(0, 0), length: Bound::Len(BufferId::new(buffer)), in_all: None };
        assert!(!of(0).implies(&of(1)));
        let certain = Obligation { in_all: Some(SiteId::new(0)), ..of(0) };
        assert!(certain.implies(&of(0)) && !of(0).implies(&certain) && of(0).is_same(&certain));
    }
}
