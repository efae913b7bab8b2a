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
use crate::types::Scalar;

/// How many operations deep a bound may be.
const DEPTH: usize = 12;
/// How many values are looked at for one bound.
const FUEL: usize = 128;
/// How many sums within sums are taken apart.
const ADDENDS: usize = 5;
/// The same for what a value is made of, where a guard has given a bound already.
const FUEL_BESIDE_GUARDS: usize = 16;

impl Facts<'_> {
    /// A bound of an integer that is not negative: on the current path it is never above. `None` when all that is known is
    /// its type.
    pub(super) fn upper_bound(&self, value: ValueId) -> Option<Bound> {
        self.is_out_of_fuel.set(false);
        self.upper(value, DEPTH, &Cell::new(FUEL))
    }

    /// Whether a value is a sum with another one in it.
    pub(super) fn adds_to(&self, value: ValueId, part: ValueId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.definition(value) {
            Some(InstKind::Op(Op::Add, parts)) => {
                parts.iter().any(|operand| *operand == part || self.adds_to(*operand, part, depth))
            }
            _ => false,
        }
    }

    /// The value of a `u32` in the last invocation of a launch along all axes, modulo 2^32: no other is greater unless it wraps around.
    /// `None` for what is not made of ids, lengths and parameters by sums and products.
    pub(super) fn last(&self, value: ValueId) -> Option<Bound> {
        self.last_within(value, DEPTH)
    }

    fn last_within(&self, value: ValueId, depth: usize) -> Option<Bound> {
        let depth = depth.checked_sub(1).filter(|_| self.integer(value) == Some(Scalar::U32))?;
        let range = self.range(value);
        if range.lo == range.hi {
            return u32::try_from(range.hi).ok().map(Bound::Const);
        }
        match self.definition(value)? {
            InstKind::Op(Op::Add, of) => {
                Some(Bound::binary(BoundOp::Add, self.last_within(of[0], depth)?, self.last_within(of[1], depth)?))
            }
            InstKind::Op(Op::Mul, of) => {
                Some(Bound::binary(BoundOp::Mul, self.last_within(of[0], depth)?, self.last_within(of[1], depth)?))
            }
            InstKind::Op(Op::Shl, of) => match (self.last_within(of[0], depth)?, self.range(of[1])) {
                (shifted, by) if by.lo == by.hi && (0..32).contains(&by.lo) => {
                    Some(Bound::binary(BoundOp::Mul, shifted, Bound::Const(1 << by.lo)))
                }
                _ => None,
            },
            kind => self.upper_of_source(kind),
        }
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
        let Some(definition) = self.definition(value) else { return self.upper_of_arms(value, &upper) };
        match definition {
            InstKind::Op(Op::Select, _) if self.euclidean(value).is_some() => {
                let divisor = self.euclidean(value)?;
                Some(Bound::binary(BoundOp::Sub, upper(divisor)?, Bound::Const(1)))
            }
            InstKind::Op(op, operands) => self.upper_of_op(*op, operands, &upper).or_else(|| {
                // Bits that are kept, and none that are made.
                let [to, from] = [value, operands[0]].map(|value| self.integer(value).map(Scalar::bits));
                let is_cut = *op == Op::Cast && from.is_some() && to <= from;
                if is_cut { self.upper_of_bits(operands[0], ADDENDS, &upper) } else { None }
            }),
            kind => self.upper_of_source(kind),
        }
    }

    /// The greatest that an arm of an `if` or `switch` gives.
    fn upper_of_arms(&self, value: ValueId, upper: &impl Fn(ValueId) -> Option<Bound>) -> Option<Bound> {
        let mut found: Option<Bound> = None;
        for given in self.given_by_arms(value)? {
            let bound = upper(given)?;
            found = Some(match found {
                Some(found) if found != bound => Bound::binary(BoundOp::Max, found, bound),
                _ => bound,
            });
        }
        found
    }

    /// The greatest that something is which is not computed: the last invocation has it.
    fn upper_of_source(&self, kind: &InstKind) -> Option<Bound> {
        match kind {
            InstKind::Len(buffer) => Some(Bound::Len(*buffer)),
            InstKind::Image(..) => self.extent(kind),
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
        let are_asked = matches!(op, Op::Add | Op::Mul | Op::Sub | Op::Max | Op::Select | Op::Cast);
        if !are_asked && !operands.iter().all(is_natural) {
            return None;
        }
        match op {
            Op::Add => match self.step_back(operands) {
                Some((from, by)) => Some(Bound::binary(BoundOp::Sub, upper(from)?, Bound::Const(by))),
                None => both(BoundOp::Add),
            },
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
                let least = || Some(Bound::Const(u32::try_from(self.range(operands[1]).lo).ok()?.max(1)));
                Some(Bound::binary(BoundOp::Div, upper(operands[0])?, self.divisor(operands[1]).or_else(least)?))
            }
            Op::Rem => {
                let below = upper(operands[1]).map(|end| Bound::binary(BoundOp::Sub, end, Bound::Const(1)));
                either(upper(operands[0]), below)
            }
            Op::And | Op::Min => either(upper(operands[0]), upper(operands[1])),
            Op::Max => both(BoundOp::Max),
            Op::Select => {
                let arm = |arm: usize| match self.less_when_chosen(operands[0], arm == 1, operands[arm]) {
                    Some((whole, taken)) => {
                        let least = u32::try_from(self.range(taken).lo).ok()?;
                        Some(Bound::binary(BoundOp::Sub, upper(whole)?, Bound::Const(least)))
                    }
                    None => match self.upper_when((operands[0], arm == 1), operands[arm], upper) {
                        Some(narrow) => either(upper(operands[arm]), Some(narrow)),
                        None => upper(operands[arm]),
                    },
                };
                Some(Bound::binary(BoundOp::Max, arm(1)?, arm(2)?))
            }
            Op::Sub if self.is_below(operands[1], operands[0], false) => {
                let least = u32::try_from(self.range(operands[1]).lo).ok()?;
                Some(Bound::binary(BoundOp::Sub, upper(operands[0])?, Bound::Const(least)))
            }
            Op::Sub => self.upper_of_parts(operands[0], operands[1], ADDENDS, upper),
            // A cast of a number that is not negative keeps it or cuts bits off.
            Op::Cast if self.integer(operands[0]).is_some() => upper(operands[0]),
            _ => None,
        }
    }

    /// The value that a sum steps back from, and by how much, if it adds so large a number that it always wraps around: `x.wrapping_add_signed(-3)` where `x` is
    /// at least 3.
    fn step_back(&self, operands: &[ValueId]) -> Option<(ValueId, u32)> {
        let step = |from: usize, by: usize| {
            let range = self.range(operands[by]);
            let large = u32::try_from(range.lo).ok().filter(|_| range.lo == range.hi)?;
            let by = large.wrapping_neg();
            let is_step =
                self.integer(operands[from]) == Some(Scalar::U32) && self.range(operands[from]).lo >= by.into();
            (large > u32::MAX / 2 && is_step).then_some((operands[from], by))
        };
        step(0, 1).or_else(|| step(1, 0))
    }

    /// The divisor, if the host knows it: a number of the launch, by which nothing is divided where it is zero.
    fn divisor(&self, value: ValueId) -> Option<Bound> {
        let number = match self.definition(value) {
            // `select number == 0, 1, number`
            Some(InstKind::Op(Op::Select, operands)) if self.range(operands[1]) == Range::new(1, 1) => {
                let Some(InstKind::Op(Op::Eq, compared)) = self.definition(operands[0]) else { return None };
                let is_zero = compared[0] == operands[2] && self.range(compared[1]) == Range::new(0, 0);
                Some(operands[2]).filter(|_| is_zero)?
            }
            _ => value,
        };
        match self.exact(number)? {
            Bound::Const(_) => None,
            bound => Some(bound),
        }
    }

    /// A bound of the bits of a signed sum or product as a number without sign: of parts that are not negative they are what the sum or
    /// product without sign would be.
    fn upper_of_bits(&self, value: ValueId, depth: usize, upper: &impl Fn(ValueId) -> Option<Bound>) -> Option<Bound> {
        let depth = depth.checked_sub(1)?;
        if self.range(value).lo >= 0 {
            return upper(value);
        }
        let Some(InstKind::Op(op @ (Op::Add | Op::Mul | Op::Sub), operands)) = self.definition(value) else {
            return None;
        };
        if *op == Op::Sub {
            return self.upper_of_parts(operands[0], operands[1], depth, upper);
        }
        let [a, b] = [operands[0], operands[1]].map(|operand| self.upper_of_bits(operand, depth, upper));
        Some(Bound::binary(if *op == Op::Add { BoundOp::Add } else { BoundOp::Mul }, a?, b?))
    }

    /// A bound of a sum, that may wrap, less what one of its parts alone is not below: `row * width + (x - 1)` where `x` is at least 1,
    /// `(row - 1) * width + x` where `row` is.
    fn upper_of_parts(
        &self,
        whole: ValueId,
        taken: ValueId,
        depth: usize,
        upper: &impl Fn(ValueId) -> Option<Bound>,
    ) -> Option<Bound> {
        let depth = depth.checked_sub(1)?;
        if self.range(whole).lo >= 0 && self.is_below(taken, whole, false) {
            let least = u32::try_from(self.range(taken).lo).ok()?;
            return Some(Bound::binary(BoundOp::Sub, upper(whole)?, Bound::Const(least)));
        }
        match self.definition(whole)? {
            InstKind::Op(Op::Add, parts) => {
                [(parts[0], parts[1]), (parts[1], parts[0])].into_iter().find_map(|(part, other)| {
                    let less = self.upper_of_parts(part, taken, depth, upper)?;
                    Some(Bound::binary(BoundOp::Add, less, self.upper_of_bits(other, depth, upper)?))
                })
            }
            InstKind::Op(Op::Mul, factors) => {
                let times = match (factors[0], factors[1]) {
                    (times, factor) | (factor, times) if factor == taken => times,
                    _ => return None,
                };
                if self.range(times).lo < 1 {
                    return None;
                }
                let less = Bound::binary(BoundOp::Sub, upper(times)?, Bound::Const(1));
                Some(Bound::binary(BoundOp::Mul, less, upper(taken)?))
            }
            _ => None,
        }
    }
}
