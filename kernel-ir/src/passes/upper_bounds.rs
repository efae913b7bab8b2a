//! Numbers that a value cannot exceed and that are known when the kernel is launched: grid, lengths, parameters. Proves
//! nothing itself; the host compares.
//!
//! A bound speaks of whole numbers without end. A wrapping sum or product of numbers that are not negative is never
//! above the exact one, so a bound of the parts is a bound of the whole.

use std::cell::Cell;

use super::facts::Facts;
use super::ranges::Range;
use crate::ir::{Bound, BoundOp, Builtin, InstKind, ValueId};
use crate::op::Op;

/// How many operations deep a bound may be.
const DEPTH: usize = 12;
/// How many values are looked at for one bound.
const FUEL: usize = 128;
/// The same for what a value is made of, where a guard has given a bound already.
const FUEL_BESIDE_GUARDS: usize = 16;

impl Facts<'_> {
    /// A bound of an integer that is not negative: on the current path it is never above. `None` when all that is known is
    /// its type.
    pub(super) fn upper_bound(&self, value: ValueId) -> Option<Bound> {
        self.is_out_of_fuel.set(false);
        self.upper(value, DEPTH, &Cell::new(FUEL))
    }

    fn upper(&self, value: ValueId, depth: usize, fuel: &Cell<usize>) -> Option<Bound> {
        if let Some((taken, found)) = self.bounds.borrow().get(&(value, depth))
            && let Some(left) = fuel.get().checked_sub(*taken)
        {
            fuel.set(left);
            return found.clone();
        }
        let given = fuel.get();
        let Some(left) = given.checked_sub(1) else {
            self.is_out_of_fuel.set(true);
            return None;
        };
        fuel.set(left);
        let found = self.upper_anew(value, depth, fuel);
        // With more fuel there may be more to find.
        if matches!(found, Some(Bound::Binary(..))) && !self.is_out_of_fuel.get() {
            self.bounds.borrow_mut().insert((value, depth), (given - fuel.get(), found.clone()));
        }
        found
    }

    fn upper_anew(&self, value: ValueId, depth: usize, fuel: &Cell<usize>) -> Option<Bound> {
        let scalar = self.integer(value)?;
        let range = self.range(value);
        if depth == 0 || range.lo < 0 {
            return None;
        }
        if range.lo == range.hi {
            return u32::try_from(range.hi).ok().map(Bound::Const);
        }
        // Below something that is known: a loop's end, a guard. Looked at first, as what a value is made of may lead far.
        let mut guards = Vec::new();
        for &(upper, is_above) in self.uppers_of(value) {
            let Some(upper) = self.upper(upper, depth - 1, fuel) else { continue };
            guards.push(if is_above { Bound::binary(BoundOp::Sub, upper, Bound::Const(1)) } else { upper });
        }
        let unit = if guards.is_empty() { 0 } else { self.low_zeros(value) };
        if unit > 0 {
            // The greatest multiple that is not above.
            let unit = || Bound::Const(1 << unit);
            let whole = |bound| Bound::binary(BoundOp::Mul, Bound::binary(BoundOp::Div, bound, unit()), unit());
            guards = guards.into_iter().map(whole).collect();
        }
        let share = Cell::new(if guards.is_empty() { fuel.get() } else { fuel.get().min(FUEL_BESIDE_GUARDS) });
        let given = share.get();
        let mut found = self.upper_by_definition(value, depth - 1, &share);
        fuel.set(fuel.get() - (given - share.get()));
        for upper in guards {
            found = Some(match found {
                Some(found) if found != upper => Bound::binary(BoundOp::Min, found, upper),
                _ => upper,
            });
        }
        let is_known = range.hi < Range::full(scalar).hi - 1;
        found.or_else(|| u32::try_from(range.hi).ok().filter(|_| is_known).map(Bound::Const))
    }

    fn upper_by_definition(&self, value: ValueId, depth: usize, fuel: &Cell<usize>) -> Option<Bound> {
        let upper = |value: ValueId| self.upper(value, depth, fuel);
        match self.definition(value)? {
            InstKind::Len(buffer) => Some(Bound::Len(*buffer)),
            InstKind::ConstParam(param) => Some(Bound::Constant(*param)),
            InstKind::Param(param) => Some(Bound::Param(*param, [].into())),
            InstKind::Extract(composite, path) => match (self.definition(*composite)?, &path[..]) {
                (InstKind::Param(param), path) => Some(Bound::Param(*param, path.into())),
                // Masked or not, ids stay below what the launch counts.
                (InstKind::Builtin(Builtin::GlobalId), [axis]) => {
                    Some(Bound::binary(BoundOp::Sub, Bound::Items(*axis as u8), Bound::Const(1)))
                }
                (InstKind::Builtin(Builtin::WorkgroupId), [axis]) => {
                    Some(Bound::binary(BoundOp::Sub, Bound::Groups(*axis as u8), Bound::Const(1)))
                }
                (InstKind::Builtin(Builtin::NumWorkgroups), [axis]) => Some(Bound::Groups(*axis as u8)),
                _ => None,
            },
            InstKind::Op(op, operands) => self.upper_of_op(*op, operands, &upper),
            _ => None,
        }
    }

    fn upper_of_op(&self, op: Op, operands: &[ValueId], upper: &impl Fn(ValueId) -> Option<Bound>) -> Option<Bound> {
        let both = |op: BoundOp| Some(Bound::binary(op, upper(operands[0])?, upper(operands[1])?));
        // One of them is enough.
        let either = |a: Option<Bound>, b: Option<Bound>| match (a, b) {
            (Some(a), Some(b)) => Some(Bound::binary(BoundOp::Min, a, b)),
            (a, b) => a.or(b),
        };
        let constant = |value: ValueId| {
            let range = self.range(value);
            u32::try_from(range.lo).ok().filter(|_| range.lo == range.hi)
        };
        // Where both operands have a bound, neither is negative.
        let is_natural = |value: &ValueId| self.range(*value).lo >= 0;
        let are_asked = matches!(op, Op::Add | Op::Mul | Op::Max | Op::Select | Op::Cast);
        if !are_asked && !operands.iter().all(is_natural) {
            return None;
        }
        match op {
            Op::Add => both(BoundOp::Add),
            Op::Mul => both(BoundOp::Mul),
            Op::Shl => {
                let by = constant(operands[1]).filter(|by| *by < 32)?;
                Some(Bound::binary(BoundOp::Mul, upper(operands[0])?, Bound::Const(1 << by)))
            }
            Op::Shr => {
                let by = constant(operands[1]).filter(|by| *by < 32)?;
                Some(Bound::binary(BoundOp::Div, upper(operands[0])?, Bound::Const(1 << by)))
            }
            Op::Div => {
                let least = u32::try_from(self.range(operands[1]).lo).ok()?;
                Some(Bound::binary(BoundOp::Div, upper(operands[0])?, Bound::Const(least.max(1))))
            }
            Op::Rem => {
                let below = upper(operands[1]).map(|end| Bound::binary(BoundOp::Sub, end, Bound::Const(1)));
                either(upper(operands[0]), below)
            }
            Op::And | Op::Min => either(upper(operands[0]), upper(operands[1])),
            Op::Max => both(BoundOp::Max),
            Op::Select => Some(Bound::binary(BoundOp::Max, upper(operands[1])?, upper(operands[2])?)),
            Op::Sub if self.is_below(operands[1], operands[0], false) => {
                let least = u32::try_from(self.range(operands[1]).lo).ok()?;
                Some(Bound::binary(BoundOp::Sub, upper(operands[0])?, Bound::Const(least)))
            }
            // A cast of a number that is not negative keeps it or cuts bits off.
            Op::Cast if self.integer(operands[0]).is_some() => upper(operands[0]),
            _ => None,
        }
    }
}
