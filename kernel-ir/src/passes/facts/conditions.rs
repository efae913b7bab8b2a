//! Facts that conditions give which have come out one way, and conditions that cannot come out one way.

use super::{Facts, Undo};
use crate::arena::EntityId;
use crate::ir::{InstKind, ValueId};
use crate::op::Op;
use crate::passes::edit::yields;
use crate::passes::eval;
use crate::passes::ranges::Range;

impl Facts<'_> {
    /// Learns that a condition has come out as `truth`.
    pub(in crate::passes) fn assume(&mut self, condition: ValueId, truth: bool) {
        let Some((id, index)) = self.definitions[condition.index()] else { return };
        match &self.function.insts[id].kind {
            InstKind::Op(Op::Not, operands) => self.assume(operands[0], !truth),
            InstKind::Op(Op::And, operands) if truth => operands.iter().for_each(|part| self.assume(*part, true)),
            InstKind::Op(Op::Or, operands) if !truth => operands.iter().for_each(|part| self.assume(*part, false)),
            InstKind::Op(op, operands) if operands.len() == 2 => self.compare(*op, operands[0], operands[1], truth),
            // `!a || b` is `if a { b } else { true }`.
            InstKind::Op(Op::Select, operands) => {
                let (condition, yes, no) = (operands[0], operands[1], operands[2]);
                if self.is_bool(no, !truth) {
                    self.assume(condition, true);
                    self.assume(yes, truth);
                } else if self.is_bool(yes, !truth) {
                    self.assume(condition, false);
                    self.assume(no, truth);
                }
            }
            InstKind::If { condition, then_block, else_block } => {
                let (condition, then_block, else_block) = (*condition, *then_block, *else_block);
                let parts = [then_block, else_block].map(|b| yields(self.function, b).map(|values| values[index]));
                // `a && b` is `if a { b } else { false }`, and `a || b` is `if a { true } else { b }`: where one block's
                // constant differs from what came out, the other block ran.
                let ran = match parts {
                    [Some(then), Some(other)] if self.is_bool(other, !truth) => Some((true, then)),
                    [Some(then), Some(other)] if self.is_bool(then, !truth) => Some((false, other)),
                    [Some(then), None] => Some((true, then)),
                    [None, Some(other)] => Some((false, other)),
                    _ => None,
                };
                if let Some((taken, part)) = ran {
                    self.assume(condition, taken);
                    self.assume(part, truth);
                }
            }
            _ => {}
        }
    }

    /// Whether a condition certainly does not come out as `truth`.
    pub(in crate::passes) fn never(&self, condition: ValueId, truth: bool) -> bool {
        match self.definition(condition) {
            Some(InstKind::Const(constant)) => eval::is_true(*constant) == Some(!truth),
            Some(InstKind::Op(Op::Not, operands)) => self.never(operands[0], !truth),
            Some(InstKind::Op(Op::Any, operands)) if truth => self.never_in_a_lane(operands[0]),
            Some(InstKind::Op(op @ (Op::And | Op::Or), operands)) => {
                let mut parts = operands.iter().map(|part| self.never(*part, truth));
                if (*op == Op::And) == truth {
                    parts.any(|never| never) || self.never_both([operands[0], operands[1]], truth)
                } else {
                    parts.all(|never| never)
                }
            }
            Some(InstKind::Op(op, operands)) if operands.len() == 2 && self.integer(operands[0]).is_some() => {
                let (a, b) = (operands[0], operands[1]);
                match (op, truth) {
                    (Op::Lt, true) | (Op::Ge, false) => self.is_below(b, a, false),
                    (Op::Le, true) | (Op::Gt, false) => self.is_below(b, a, true),
                    (Op::Gt, true) | (Op::Le, false) => self.is_below(a, b, false),
                    (Op::Ge, true) | (Op::Lt, false) => self.is_below(a, b, true),
                    (Op::Eq, true) | (Op::Ne, false) => {
                        self.is_below(a, b, true) || self.is_below(b, a, true) || self.differ(a, b)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    pub(super) fn is_bool(&self, value: ValueId, wanted: bool) -> bool {
        match self.definition(value) {
            Some(InstKind::Const(constant)) => eval::is_true(*constant) == Some(wanted),
            _ => false,
        }
    }

    pub(super) fn compare(&mut self, op: Op, a: ValueId, b: ValueId, truth: bool) {
        if self.integer(a).is_none() {
            return;
        }
        match (op, truth) {
            (Op::Lt, true) | (Op::Ge, false) => self.learn_below(a, b, true),
            (Op::Le, true) | (Op::Gt, false) => self.learn_below(a, b, false),
            (Op::Gt, true) | (Op::Le, false) => self.learn_below(b, a, true),
            (Op::Ge, true) | (Op::Lt, false) => self.learn_below(b, a, false),
            (Op::Eq, true) | (Op::Ne, false) => {
                self.learn_below(a, b, false);
                self.learn_below(b, a, false);
            }
            (Op::Ne, true) | (Op::Eq, false) => {
                self.learn_differs(a, b);
                self.learn_differs(b, a);
            }
            _ => {}
        }
    }

    /// Learns `a <= b` of two integers.
    pub(in crate::passes) fn assume_below(&mut self, a: ValueId, b: ValueId) {
        self.learn_below(a, b, false);
    }

    /// Learns `a < b` (strict) or `a <= b`.
    pub(super) fn learn_below(&mut self, a: ValueId, b: ValueId, strict: bool) {
        let (a, b) = (self.canonical(a), self.canonical(b));
        let gap = i128::from(strict);
        let (below, above) = (self.range(a), self.range(b));
        self.narrow(a, Range::new(i128::MIN, above.hi - gap));
        self.narrow(b, Range::new(below.lo + gap, i128::MAX));
        let (a, b) = (self.stripped(a), self.stripped(b));
        if a != b {
            self.note_upper(a, b, strict);
            self.learn_addends(a);
            self.learn_factors(a);
        }
    }

    pub(super) fn note_upper(&mut self, value: ValueId, upper: ValueId, above: bool) {
        self.bounds.get_mut().clear();
        self.uppers[value.index()].push((upper, above));
        if matches!(self.definition(value), Some(InstKind::Op(Op::Add | Op::Sub | Op::Div | Op::Rem, _))) {
            self.guarded.push(value);
        }
        self.undo.push(Undo::Upper(value));
    }

    /// Learns about the addends of a sum that does not wrap: they are not above the sum.
    pub(super) fn learn_addends(&mut self, sum: ValueId) {
        let Some(InstKind::Op(Op::Add, operands)) = self.definition(sum) else { return };
        let Some(scalar) = self.integer(sum) else { return };
        let (a, b) = (self.range(operands[0]), self.range(operands[1]));
        if a.lo < 0 || b.lo < 0 || !Range::new(a.lo + b.lo, a.hi + b.hi).is_within(Range::full(scalar)) {
            return;
        }
        let whole = self.range(sum);
        for (part, other) in [(operands[0], b), (operands[1], a)] {
            self.narrow(part, Range::new(i128::MIN, whole.hi - other.lo));
            let part = self.stripped(part);
            self.note_upper(part, sum, other.lo > 0);
            self.learn_factors(part);
        }
    }

    /// Learns about the factor of a product with a constant that does not wrap: it is not above the product.
    fn learn_factors(&mut self, product: ValueId) {
        let Some((factor, times)) = self.times(product) else { return };
        let (range, whole) = (self.range(factor), self.range(product));
        let is_whole = |scalar| Range::new(0, range.hi.saturating_mul(times)).is_within(Range::full(scalar));
        if range.lo < 0 || !self.integer(product).is_some_and(is_whole) {
            return;
        }
        self.narrow(factor, Range::new(i128::MIN, whole.hi / times));
        let factor = self.stripped(factor);
        self.note_upper(factor, product, false);
    }

    /// The number in a product of it and a positive constant, and that constant.
    pub(in crate::passes) fn times(&self, product: ValueId) -> Option<(ValueId, i128)> {
        let constant = |value: ValueId| {
            let range = self.range(value);
            (range.lo == range.hi && range.lo > 0).then_some(range.lo)
        };
        match self.definition(product)? {
            InstKind::Op(Op::Mul, of) => match (constant(of[0]), constant(of[1])) {
                (None, Some(times)) => Some((of[0], times)),
                (Some(times), None) => Some((of[1], times)),
                _ => None,
            },
            InstKind::Op(Op::Shl, of) => {
                let by = constant(of[1]).filter(|by| *by < 31)?;
                Some((of[0], 1 << by))
            }
            _ => None,
        }
    }

    /// Learns about the operands of a product, quotient or remainder that is now known to be positive.
    fn learn_operands(&mut self, part: ValueId) {
        let Some(InstKind::Op(op @ (Op::Mul | Op::Div | Op::Rem), of)) = self.definition(part) else { return };
        if *op == Op::Mul {
            // Nothing times anything is nothing.
            for factor in of {
                if self.range(*factor).lo == 0 {
                    self.narrow(*factor, Range::new(1, i128::MAX));
                }
            }
            return;
        }
        let (whole, by) = (of[0], of[1]);
        if self.range(whole).lo < 0 || self.range(by).lo < 1 {
            return;
        }
        if *op == Op::Rem {
            let least = self.range(part).lo;
            self.narrow(whole, Range::new(least, i128::MAX));
            return;
        }
        // Where a quotient is positive, the divisor is not above what was divided. Nor is zero, in place of which one divides.
        let number = self.number_divided_by(by).filter(|number| *number != by);
        for divisor in [Some(by), number].into_iter().flatten() {
            if self.range(divisor).lo >= 0 && !self.is_below(divisor, whole, false) {
                self.learn_below(divisor, whole, false);
            }
        }
    }

    /// Learns `a != b`, which says something when `a <= b`, or when `b` is an end of the interval of `a`.
    pub(super) fn learn_differs(&mut self, a: ValueId, b: ValueId) {
        if self.is_below(a, b, false) {
            self.learn_below(a, b, true);
        }
        let (range, other) = (self.range(a), self.range(b));
        if other.lo != other.hi {
            return;
        }
        if range.lo == other.lo {
            self.narrow(a, Range::new(range.lo + 1, i128::MAX));
        }
        if range.hi == other.hi {
            self.narrow(a, Range::new(i128::MIN, range.hi - 1));
        }
        if range.lo < other.lo && other.lo < range.hi {
            self.holes.push((self.stripped(a), other.lo));
            self.undo.push(Undo::Hole);
        }
    }

    pub(super) fn narrow(&mut self, value: ValueId, to: Range) {
        let mut value = self.canonical(value);
        loop {
            let old = self.ranges[value.index()];
            let new = old.meet(to);
            if new != old {
                self.bounds.get_mut().clear();
                self.undo.push(Undo::Range(value, old));
                self.set_range(value, new);
                if old.lo < 1 && new.lo >= 1 {
                    self.learn_operands(value);
                }
                if old.lo < 0 && new.lo >= 0 {
                    for (upper, _) in self.uppers[value.index()].clone() {
                        self.narrow(upper, Range::new(0, i128::MAX));
                    }
                }
            }
            // A cast that keeps the number passes the interval on.
            match self.uncast(value) {
                Some(inner) => value = inner,
                None => return,
            }
        }
    }
}
