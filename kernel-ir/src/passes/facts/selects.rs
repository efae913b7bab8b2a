//! Facts that a `select` gives: differences that do not wrap, and Euclidean remainders. They must not learn anything.

use super::Facts;
use crate::ir::{Bound, BoundOp, InstKind, ValueId};
use crate::op::Op;
use crate::passes::ranges::{self, Range};
use crate::types::Scalar;

/// How many conditions within conditions are looked through.
const CONDITIONS: usize = 3;

/// How many selections within selections are looked through.
const ARMS: usize = 3;

/// How two integers relate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Less,
    NotAbove,
    Above,
    NotLess,
    Equal,
    Differs,
}

impl Relation {
    /// The relation that a comparison states which comes out as `truth`.
    fn of(op: Op, truth: bool) -> Option<Self> {
        Some(match (op, truth) {
            (Op::Lt, true) | (Op::Ge, false) => Self::Less,
            (Op::Le, true) | (Op::Gt, false) => Self::NotAbove,
            (Op::Gt, true) | (Op::Le, false) => Self::Above,
            (Op::Ge, true) | (Op::Lt, false) => Self::NotLess,
            (Op::Eq, true) | (Op::Ne, false) => Self::Equal,
            (Op::Ne, true) | (Op::Eq, false) => Self::Differs,
            _ => return None,
        })
    }

    /// The same of the two in the other order.
    fn turned(self) -> Self {
        match self {
            Self::Less => Self::Above,
            Self::NotAbove => Self::NotLess,
            Self::Above => Self::Less,
            Self::NotLess => Self::NotAbove,
            Self::Equal | Self::Differs => self,
        }
    }

    /// The part of an interval whose values relate so to one in another interval; `None` where there is none.
    fn narrowed(self, range: Range, other: Range) -> Option<Range> {
        let left = match self {
            Self::Less => Range::new(range.lo, range.hi.min(other.hi - 1)),
            Self::NotAbove => Range::new(range.lo, range.hi.min(other.hi)),
            Self::Above => Range::new(range.lo.max(other.lo + 1), range.hi),
            Self::NotLess => Range::new(range.lo.max(other.lo), range.hi),
            Self::Equal => Range::new(range.lo.max(other.lo), range.hi.min(other.hi)),
            Self::Differs if other.lo != other.hi => range,
            Self::Differs if range.lo == other.lo => Range::new(range.lo + 1, range.hi),
            Self::Differs if range.hi == other.hi => Range::new(range.lo, range.hi - 1),
            Self::Differs => range,
        };
        (left.lo <= left.hi).then_some(left)
    }
}

impl Facts<'_> {
    /// Calls `visit` with each relation of the value to another one that a condition says which comes out as `truth`.
    fn relations(
        &self,
        (condition, truth): (ValueId, bool),
        value: ValueId,
        depth: usize,
        visit: &mut dyn FnMut(Relation, ValueId),
    ) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Some(InstKind::Op(op, operands)) = self.definition(condition) else { return };
        match (op, truth) {
            (Op::Not, _) => self.relations((operands[0], !truth), value, depth, visit),
            (Op::And, true) | (Op::Or, false) => {
                operands.iter().for_each(|part| self.relations((*part, truth), value, depth, visit));
            }
            _ => {
                let (Some(relation), [a, b]) = (Relation::of(*op, truth), &operands[..]) else { return };
                if self.integer(*a).is_none() {
                    return;
                }
                let value = self.stripped(value);
                if self.stripped(*a) == value {
                    visit(relation, *b);
                }
                if self.stripped(*b) == value {
                    visit(relation.turned(), *a);
                }
            }
        }
    }

    /// The interval of a value where a condition has come out as `truth`: of what it compares, and of what is made of that by one operation.
    /// `None` where the condition never comes out so.
    fn range_when(&self, chosen: (ValueId, bool), value: ValueId, depth: usize) -> Option<Range> {
        let mut range = Some(self.range_within(value, depth));
        self.relations(chosen, value, CONDITIONS, &mut |relation, other| {
            let other = self.range_within(other, depth);
            range = range.and_then(|range| relation.narrowed(range, other));
        });
        range
    }

    /// The interval of what a `select` gives, whose arms are narrowed by its condition.
    pub(super) fn range_of_select(&self, operands: &[ValueId], scalar: Scalar, depth: usize) -> Range {
        let [condition, arms @ ..] = operands else { return Range::full(scalar) };
        let of_arm = |arm: ValueId, truth: bool| {
            let own = self.range_when((condition.to_owned(), truth), arm, depth)?;
            let Some(InstKind::Op(op @ (Op::Add | Op::Sub | Op::Mul | Op::Cast), parts)) = self.definition(arm) else {
                return Some(own);
            };
            if parts.iter().any(|part| self.integer(*part).is_none()) {
                return Some(own);
            }
            let mut ranges = [Range::ANY; 2];
            for (range, part) in ranges.iter_mut().zip(parts) {
                *range = self.range_when((*condition, truth), *part, depth)?;
            }
            let (made, known) = (ranges::of_op(*op, scalar, &ranges[..parts.len()]), own);
            Some(known.meet(made))
        };
        let found = [(0, true), (1, false)].into_iter().filter_map(|(at, truth)| of_arm(*arms.get(at)?, truth));
        found.reduce(Range::join).unwrap_or(Range::full(scalar))
    }

    /// Whether an arm that a `select` takes is below a bound because of its condition.
    pub(super) fn is_below_when(
        &self,
        chosen: (ValueId, bool),
        arm: ValueId,
        strict: bool,
        mut proves: impl FnMut(ValueId, bool) -> bool,
    ) -> bool {
        let mut is_below = false;
        self.relations(chosen, arm, CONDITIONS, &mut |relation, other| {
            is_below |= match relation {
                Relation::Less => proves(other, false),
                Relation::NotAbove | Relation::Equal => proves(other, strict),
                Relation::Differs | Relation::Above | Relation::NotLess => false,
            };
        });
        is_below
    }

    /// Whether a condition that comes out as `truth` says that a value is not the bound.
    pub(super) fn differs_when(&self, chosen: (ValueId, bool), value: ValueId, bound: ValueId) -> bool {
        let mut differs = false;
        self.relations(chosen, value, CONDITIONS, &mut |relation, other| {
            differs |= relation == Relation::Differs && self.stripped(other) == bound;
        });
        differs
    }

    /// Whether two integers are certainly not the same: one is a number that a guard excludes, zero where a bit of the other is
    /// set, or what no arm of the selection gives which the other is.
    pub(in crate::passes) fn differ(&self, a: ValueId, b: ValueId) -> bool {
        [(a, b), (b, a)].into_iter().any(|(value, other)| {
            let number = self.range(other);
            number.lo == number.hi
                && (self.holes.contains(&(self.stripped(value), number.lo))
                    || number.lo == 0 && self.has_a_bit(value)
                    || self.differs_from(value, number.lo, ARMS, &|_, _| false))
        })
    }

    /// Whether two conditions never come out as `truth` together: one compares a selection with a number, and each of its arms either is
    /// another number or is taken only where the other condition comes out differently.
    pub(super) fn never_both(&self, conditions: [ValueId; 2], truth: bool) -> bool {
        let [first, second] = conditions;
        [(first, second), (second, first)].into_iter().any(|(equal, other)| {
            let Some((value, number)) = self.says_equal(equal, truth) else { return false };
            self.differs_from(value, number, ARMS, &|chosen, depth| self.refutes(chosen, (other, truth), depth))
        })
    }

    /// The value and the number that a condition says are the same where it comes out as `truth`.
    fn says_equal(&self, condition: ValueId, truth: bool) -> Option<(ValueId, i128)> {
        let Some(InstKind::Op(op, operands)) = self.definition(condition) else { return None };
        if Relation::of(*op, truth) != Some(Relation::Equal) || self.integer(operands[0]).is_none() {
            return None;
        }
        let number = self.range(operands[1]);
        (number.lo == number.hi).then_some((operands[0], number.lo))
    }

    /// Whether a selected value is certainly not a number. Arms for which `is_out` holds are never taken.
    fn differs_from(
        &self,
        value: ValueId,
        number: i128,
        depth: usize,
        is_out: &dyn Fn((ValueId, bool), usize) -> bool,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some(InstKind::Op(Op::Select, operands)) = self.definition(self.stripped(value)) else { return false };
        [(operands[1], true), (operands[2], false)].into_iter().all(|(arm, truth)| {
            let chosen = (operands[0], truth);
            self.is_not(chosen, arm, number, depth)
                || is_out(chosen, depth)
                || self.differs_from(arm, number, depth, is_out)
        })
    }

    /// Whether a value is certainly not a number where a condition has come out as `truth`.
    fn is_not(&self, chosen: (ValueId, bool), value: ValueId, number: i128, depth: usize) -> bool {
        let Some(range) = self.range_when(chosen, value, depth) else { return true };
        let mut differs = number < range.lo || range.hi < number;
        self.relations(chosen, value, CONDITIONS, &mut |relation, other| {
            let other = self.range(other);
            differs |= relation == Relation::Differs && other.lo == other.hi && other.lo == number;
        });
        differs
    }

    /// Whether a condition that says two numbers are the same does not come out so where another one has come out as `truth`.
    fn refutes(&self, chosen: (ValueId, bool), (claim, truth): (ValueId, bool), depth: usize) -> bool {
        self.says_equal(claim, truth).is_some_and(|(value, number)| self.is_not(chosen, value, number, depth))
    }

    /// A bound of an arm that a `select` takes, by its condition alone: none where it may be negative.
    pub(in crate::passes) fn upper_when(
        &self,
        chosen: (ValueId, bool),
        arm: ValueId,
        upper: &impl Fn(ValueId) -> Option<Bound>,
    ) -> Option<Bound> {
        // Where the arm is never taken, nothing is asked of it.
        if self.range_when(chosen, arm, 1).is_some_and(|range| range.lo < 0) {
            return None;
        }
        let mut found = None;
        self.relations(chosen, arm, CONDITIONS, &mut |relation, other| {
            if found.is_some() {
                return;
            }
            found = match relation {
                Relation::Less => upper(other).map(|end| Bound::binary(BoundOp::Sub, end, Bound::Const(1))),
                Relation::NotAbove | Relation::Equal => upper(other),
                // What is not above it, and differs, is below it.
                Relation::Differs if self.is_below(arm, other, false) => {
                    upper(other).map(|end| Bound::binary(BoundOp::Sub, end, Bound::Const(1)))
                }
                Relation::Above | Relation::NotLess | Relation::Differs => None,
            };
        });
        // `x + 1` where `x` is below something.
        if found.is_none()
            && let Some(InstKind::Op(Op::Add, parts)) = self.definition(arm)
            && let Some(more) = u32::try_from(self.range(parts[1]).hi).ok().filter(|more| *more > 0)
            && self.range(parts[1]).lo >= 0
        {
            self.relations(chosen, parts[0], CONDITIONS, &mut |relation, other| {
                let more = match relation {
                    Relation::Less => more - 1,
                    Relation::NotAbove | Relation::Equal => more,
                    Relation::Above | Relation::NotLess | Relation::Differs => return,
                };
                found = found.take().or_else(|| Some(Bound::binary(BoundOp::Add, upper(other)?, Bound::Const(more))));
            });
        }
        found
    }

    /// The operands of a difference which does not wrap where a `select` takes it: `select x < n, 0, x - n`, `select x == 0, n, x - 1`.
    pub(in crate::passes) fn less_when_chosen(
        &self,
        condition: ValueId,
        truth: bool,
        arm: ValueId,
    ) -> Option<(ValueId, ValueId)> {
        let Some(InstKind::Op(Op::Sub, parts)) = self.definition(arm) else { return None };
        let Some(InstKind::Op(op, compared)) = self.definition(condition) else { return None };
        let ([whole, taken], [a, b]) = ([parts[0], parts[1]], [*compared.first()?, *compared.get(1)?]);
        if self.range(whole).lo < 0 || self.range(taken).lo < 0 {
            return None;
        }
        let most = self.range(taken).hi;
        let is_at_least = match (op, truth) {
            (Op::Lt, false) | (Op::Ge, true) => a == whole && (b == taken || most <= self.range(b).lo),
            (Op::Gt, true) | (Op::Le, false) => a == whole && (b == taken || most <= self.range(b).lo + 1),
            (Op::Eq, false) | (Op::Ne, true) => a == whole && self.range(b) == Range::new(0, 0) && most <= 1,
            _ => false,
        };
        is_at_least.then_some((whole, taken))
    }

    /// The divisor of a Euclidean remainder, if it is positive: `select r < 0, r + abs(d), r` of `r = a % d`. The remainder is not
    /// negative, and below the divisor.
    pub(in crate::passes) fn euclidean(&self, value: ValueId) -> Option<ValueId> {
        let Some(InstKind::Op(Op::Select, chosen)) = self.definition(value) else { return None };
        let [is_negative, sum, rest] = [chosen[0], chosen[1], chosen[2]];
        let (
            Some(InstKind::Op(Op::Lt, compared)),
            Some(InstKind::Op(Op::Add, parts)),
            Some(InstKind::Op(Op::Rem, divided)),
        ) = (self.definition(is_negative), self.definition(sum), self.definition(rest))
        else {
            return None;
        };
        if compared[0] != rest || parts[0] != rest || self.range(compared[1]) != Range::new(0, 0) {
            return None;
        }
        let size = match self.definition(parts[1]) {
            Some(InstKind::Op(Op::Abs, of)) => of[0],
            _ => parts[1],
        };
        if size != divided[1] {
            return None;
        }
        // `select may_not_divide, 1, d`
        let divisor = match self.definition(size) {
            Some(InstKind::Op(Op::Select, chosen)) if self.range(chosen[1]) == Range::new(1, 1) => chosen[2],
            _ => size,
        };
        (self.range(divisor).lo >= 1).then_some(divisor)
    }
}
