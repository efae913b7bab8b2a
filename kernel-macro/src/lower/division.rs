//! `/` and `%`: integers trap on a zero divisor and on overflow, and never reach the IR's op with operands it does not take.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::ast::Expr;

/// The result of a division that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    Quotient,
    Remainder,
}

/// The divisors to keep from the op, lane by lane, and where they trap.
struct Guard {
    zero: ValueId,
    /// Zero or overflow.
    bad: ValueId,
}

impl Division {
    const fn op(self) -> Op {
        match self {
            Self::Quotient => Op::Div,
            Self::Remainder => Op::Rem,
        }
    }

    pub(super) const fn zero(self) -> SiteKind {
        match self {
            Self::Quotient => SiteKind::DivideByZero,
            Self::Remainder => SiteKind::RemainderByZero,
        }
    }

    pub(super) const fn overflow(self) -> SiteKind {
        match self {
            Self::Quotient => SiteKind::DivideOverflow,
            Self::Remainder => SiteKind::RemainderOverflow,
        }
    }
}

impl FnCx<'_, '_, '_> {
    /// `a % b`. glam's `Vec4`, which lives in a SIMD register, rounds the quotient down where all else truncates it.
    pub(super) fn remainder(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        if self.shape(a) == (Scalar::F32, 4) {
            let quotient = self.b.op(Op::Div, &[a, b]);
            let floor = self.round_vector(Op::Floor, quotient);
            let product = self.b.op(Op::Mul, &[floor, b]);
            return self.b.op(Op::Sub, &[a, product]);
        }
        self.divide(expr, Division::Remainder, a, b)
    }

    /// Quotient or remainder of operands of one type.
    pub(super) fn divide(&mut self, expr: &Expr, division: Division, a: ValueId, b: ValueId) -> ValueId {
        let divisor = self.guard_divisor(expr, division, a, b);
        self.b.op(division.op(), &[a, divisor])
    }

    /// Traps for divisors that Rust panics on; gives back a divisor with 1 in their place.
    pub(super) fn guard_divisor(&mut self, expr: &Expr, division: Division, a: ValueId, b: ValueId) -> ValueId {
        let scalar = self.shape(a).0;
        if !scalar.is_int() || self.is_safe_divisor(a, b) {
            return b;
        }
        let zero = self.int_like(b, 0);
        let zero = self.b.op(Op::Eq, &[b, zero]);
        let bad = if scalar.is_signed() && self.may_overflow(a, b) {
            let (min, minus_one) = (self.min_like(a), self.int_like(b, -1));
            let is_min = self.b.op(Op::Eq, &[a, min]);
            let is_minus_one = self.b.op(Op::Eq, &[b, minus_one]);
            let overflow = self.b.op(Op::And, &[is_min, is_minus_one]);
            self.b.op(Op::Or, &[zero, overflow])
        } else {
            zero
        };
        let guard = Guard { zero, bad };
        let count = self.shape(a).1;
        let any = if count == 1 { bad } else { self.b.op(Op::Any, &[bad]) };
        self.when(any, |cx| cx.trap_first_lane(expr, division, (a, b), &guard, (0, count)));
        let one = self.int_like(b, 1);
        self.select(bad, one, b)
    }

    /// Traps for the first bad lane from `lane` on, as Rust panics at the first.
    fn trap_first_lane(
        &mut self,
        expr: &Expr,
        division: Division,
        (a, b): (ValueId, ValueId),
        guard: &Guard,
        (lane, count): (u8, u8),
    ) {
        let trap = |cx: &mut Self| {
            let (dividend, divisor) = (cx.lane(a, lane), cx.lane(b, lane));
            let operands = [cx.trap_operand(dividend), cx.trap_operand(divisor)];
            if guard.zero == guard.bad {
                cx.trap(expr, division.zero(), operands);
                return;
            }
            let zero = cx.lane(guard.zero, lane);
            let by_zero = |cx: &mut Self| {
                cx.trap(expr, division.zero(), operands);
                None
            };
            let overflow = |cx: &mut Self| {
                cx.trap(expr, division.overflow(), operands);
                None
            };
            cx.choose(zero, None, by_zero, overflow);
        };
        if lane + 1 == count {
            return trap(self);
        }
        let bad = self.lane(guard.bad, lane);
        let this = |cx: &mut Self| {
            trap(cx);
            None
        };
        let next = |cx: &mut Self| {
            cx.trap_first_lane(expr, division, (a, b), guard, (lane + 1, count));
            None
        };
        self.choose(bad, None, this, next);
    }

    /// Records a trap at an expression.
    pub(super) fn trap(&mut self, expr: &Expr, kind: SiteKind, operands: [ValueId; 2]) {
        let site = self.site(kind, expr);
        self.b.trap(site, &operands);
    }

    /// Whether constants prove that the division cannot panic.
    fn is_safe_divisor(&self, a: ValueId, b: ValueId) -> bool {
        let Some(divisors) = self.known.get(&b) else { return false };
        let signed = self.shape(b).0.is_signed();
        let may_overflow = signed && self.may_overflow(a, b);
        !divisors.contains(&0) && !may_overflow
    }

    /// Whether `MIN / -1` is possible as far as constants tell.
    fn may_overflow(&self, a: ValueId, b: ValueId) -> bool {
        let may_be = |value, bits| self.known.get(&value).is_none_or(|lanes| lanes.contains(&bits));
        let ones = self.shape(a).0.mask();
        may_be(a, ones ^ ones >> 1) && may_be(b, ones)
    }
}
