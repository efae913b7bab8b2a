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
/// How many operations deep a value of the launch may be.
const FACTORS: usize = 3;
/// The same for what a value is made of, where a guard has given a bound already.
const FUEL_BESIDE_GUARDS: usize = 16;

/// How a number is made of another one.
#[derive(Debug, Clone, Copy)]
enum Made {
    /// It is the other one and at least so much.
    Sum(u32),
    /// It is so many times the other one.
    Product(u32),
}

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
        self.limits(value, depth, fuel, &mut guards);
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
        if let Some(parts) = self.upper_of_division(value, found.as_ref(), depth, fuel) {
            found = Some(match found {
                Some(found) if found != parts => Bound::binary(BoundOp::Min, found, parts),
                _ => parts,
            });
        }
        let is_known = range.hi < Range::full(scalar).hi - 1;
        found.or_else(|| u32::try_from(range.hi).ok().filter(|_| is_known).map(Bound::Const))
    }

    /// Gathers what a value is known not to be above.
    fn limits(&self, value: ValueId, depth: usize, fuel: &Cell<usize>, found: &mut Vec<Bound>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let is_guarded = !self.uppers_of(value).is_empty();
        let is_of_launch = is_guarded && self.is_of_launch(value, FACTORS);
        let is_exact = is_of_launch && self.exact(value).is_some();
        for &(upper, is_above) in self.uppers_of(value) {
            // Of what the host knows, an invocation's position says nothing. Nor do other numbers where it knows all.
            let says_something =
                if is_exact { self.constant(upper) != Range::ANY } else { self.is_of_launch(upper, FACTORS) };
            if is_of_launch && !says_something {
                continue;
            }
            // A sum or product of it: what that is made of says nothing new, but for what it is itself known not to be above.
            if let Some(made) = self.made_of(upper, value) {
                let mut limits = Vec::new();
                self.limits(upper, depth, fuel, &mut limits);
                found.extend(limits.into_iter().map(|limit| match made {
                    Made::Sum(least) => Bound::binary(BoundOp::Sub, limit, Bound::Const(least)),
                    Made::Product(times) => Bound::binary(BoundOp::Div, limit, Bound::Const(times)),
                }));
                continue;
            }
            let Some(upper) = self.upper(upper, depth, fuel) else { continue };
            found.push(if is_above { Bound::binary(BoundOp::Sub, upper, Bound::Const(1)) } else { upper });
        }
    }

    /// Whether a value is made of lengths, parameters and constants alone.
    fn is_of_launch(&self, value: ValueId, depth: usize) -> bool {
        let range = self.range(value);
        if range.lo == range.hi {
            return true;
        }
        match self.definition(value) {
            Some(InstKind::Len(_) | InstKind::Param(_) | InstKind::ConstParam(_)) => true,
            Some(InstKind::Extract(composite, _)) => {
                matches!(self.definition(*composite), Some(InstKind::Param(_)))
            }
            Some(InstKind::Op(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Cast | Op::Min | Op::Max, of)) => {
                depth > 0 && of.iter().all(|part| self.is_of_launch(*part, depth - 1))
            }
            _ => false,
        }
    }

    /// How a value is made of another one, without wrapping around: the other one is known not to be above it.
    fn made_of(&self, whole: ValueId, value: ValueId) -> Option<Made> {
        let is_value = |part: ValueId| self.canonical(part) == self.canonical(value);
        if let Some((factor, times)) = self.times(whole) {
            let most = self.range(value).hi.saturating_mul(times);
            let is_whole = self.integer(whole).is_some_and(|scalar| most <= Range::full(scalar).hi);
            return (is_value(factor) && is_whole).then(|| u32::try_from(times).ok().map(Made::Product))?;
        }
        let Some(InstKind::Op(Op::Add, parts)) = self.definition(whole) else { return None };
        let other = match (is_value(parts[0]), is_value(parts[1])) {
            (true, false) => parts[1],
            (false, true) => parts[0],
            _ => return None,
        };
        u32::try_from(self.range(other).lo).ok().filter(|least| *least > 0).map(Made::Sum)
    }

    /// A bound of a number by its quotient and its remainder, one of which a guard has bounded: `x % width + 1 < width`.
    fn upper_of_division(
        &self,
        value: ValueId,
        known: Option<&Bound>,
        depth: usize,
        fuel: &Cell<usize>,
    ) -> Option<Bound> {
        let (depth, value) = (depth.checked_sub(1)?, self.canonical(value));
        let dividend = |part: ValueId| match self.definition(part) {
            Some(InstKind::Op(Op::Div | Op::Rem, of)) => Some(self.canonical(of[0])),
            _ => None,
        };
        let mut by = None;
        let (mut quotient, mut rest): (Option<Bound>, Option<Bound>) = (None, None);
        for guarded in self.guarded() {
            // A part of the number, or of a part of it: the row in a plane.
            let Some(of) = dividend(*guarded) else { continue };
            let part = if of == value { *guarded } else { of };
            if of != value && dividend(of) != Some(value) {
                continue;
            }
            let Some(InstKind::Op(op, of)) = self.definition(part) else { continue };
            if by.is_some_and(|by| by != of[1]) {
                continue;
            }
            by = Some(of[1]);
            let mut limits = Vec::new();
            if part == *guarded {
                self.limits(part, depth, fuel, &mut limits);
            } else {
                // What is known of the number says all of its parts, but for what guards say.
                let by = self.number_divided_by(of[1]).and_then(|by| self.factor(by)).map(|(by, _)| by);
                let known = by.and_then(|by| match op {
                    Op::Div => Some(Bound::binary(BoundOp::Div, known?.clone(), by)),
                    _ => Some(Bound::binary(BoundOp::Sub, by, Bound::Const(1))),
                });
                limits.extend(self.upper_of_division(part, known.as_ref(), depth, fuel));
            }
            let least = if *op == Op::Div { &mut quotient } else { &mut rest };
            for limit in limits {
                *least = Some(match least.take() {
                    Some(least) if least != limit => Bound::binary(BoundOp::Min, least, limit),
                    _ => limit,
                });
            }
        }
        if quotient.is_none() && rest.is_none() {
            return None;
        }
        let (by, excess) = self.factor(self.number_divided_by(by?)?)?;
        let quotient = match quotient {
            Some(quotient) => quotient,
            None => Bound::binary(BoundOp::Div, known?.clone(), by.clone()),
        };
        let rest = rest.unwrap_or_else(|| Bound::binary(BoundOp::Sub, by.clone(), Bound::Const(1)));
        let whole = Bound::binary(BoundOp::Add, Bound::binary(BoundOp::Mul, quotient, by), rest);
        Some(add_excess(whole, excess))
    }

    /// The divisor, where the host knows the number that the program names, or its two factors: the number, or one in place of zero. The other
    /// bound is nothing, but more than any length where the product wraps around, so that no obligation holds that adds it.
    fn factor(&self, number: ValueId) -> Option<(Bound, Option<Bound>)> {
        let at_least_one = |bound| match self.range(number).lo {
            1.. => bound,
            _ => Bound::binary(BoundOp::Max, bound, Bound::Const(1)),
        };
        if let Some(exact) = self.exact(number) {
            return Some((at_least_one(exact), None));
        }
        let Some(InstKind::Op(Op::Mul, of)) = self.definition(number).filter(|_| self.range(number).lo >= 0) else {
            return None;
        };
        let product = Bound::binary(BoundOp::Mul, self.exact(of[0])?, self.exact(of[1])?);
        let most = || Bound::Const(u32::MAX);
        let wraps = Bound::binary(BoundOp::Div, product.clone(), most());
        // As much as stays too much whatever it is divided by.
        let excess = Bound::binary(BoundOp::Mul, Bound::binary(BoundOp::Mul, wraps, most()), most());
        Some((at_least_one(product), Some(excess)))
    }

    /// A bound of a quotient that is rounded up.
    fn upper_of_rounded_up(&self, sum: &[ValueId], upper: &impl Fn(ValueId) -> Option<Bound>) -> Option<Bound> {
        let [whole, by] = self.rounded_up_sum(sum)?;
        let by = self.divisor(by).or_else(|| self.exact(by))?;
        let more = Bound::binary(BoundOp::Sub, by.clone(), Bound::Const(1));
        Some(Bound::binary(BoundOp::Div, Bound::binary(BoundOp::Add, upper(whole)?, more), by))
    }

    /// The number that was divided by one factor of a product, which the host does not know, to give the other one.
    fn whole_of_times(&self, factors: &[ValueId]) -> Option<ValueId> {
        [(factors[0], factors[1]), (factors[1], factors[0])].into_iter().find_map(|(times, quotient)| {
            let Some(InstKind::Op(Op::Div, of)) = self.definition(quotient) else { return None };
            let is_same = of[1] == times || self.number_divided_by(of[1]) == Some(times);
            let is_natural = self.range(of[0]).lo >= 0 && self.range(times).lo >= 0;
            (is_same && is_natural && self.exact(times).is_none()).then_some(of[0])
        })
    }

    fn upper_of_difference(&self, operands: &[ValueId], upper: &impl Fn(ValueId) -> Option<Bound>) -> Option<Bound> {
        let (whole, taken) = (operands[0], operands[1]);
        // `x - x % n`: the multiple that is not above.
        if let Some(InstKind::Op(Op::Rem, of)) = self.definition(taken)
            && of[0] == whole
            && self.range(whole).lo >= 0
            && let Some((by, excess)) = self.number_divided_by(of[1]).and_then(|by| self.factor(by))
        {
            let times = Bound::binary(BoundOp::Div, upper(whole)?, by.clone());
            return Some(add_excess(Bound::binary(BoundOp::Mul, times, by), excess));
        }
        if !self.is_below(taken, whole, false) {
            return self.upper_of_parts(whole, taken, ADDENDS, upper);
        }
        let least = match self.exact(taken) {
            Some(exact) => exact,
            None => Bound::Const(u32::try_from(self.range(taken).lo).ok()?),
        };
        Some(Bound::binary(BoundOp::Sub, upper(whole)?, least))
    }

    /// A bound of a sum less something, where a guard has bounded the difference of that and an addend: `row * width + x - 2` and
    /// `x - 2 < width`.
    fn upper_of_guarded_difference(
        &self,
        operands: &[ValueId],
        upper: &impl Fn(ValueId) -> Option<Bound>,
    ) -> Option<Bound> {
        let Some(InstKind::Op(Op::Add, parts)) = self.definition(operands[0]) else { return None };
        [(parts[0], parts[1]), (parts[1], parts[0])].into_iter().find_map(|(first, second)| {
            let is_rest = |guarded: &&ValueId| {
                matches!(self.definition(**guarded), Some(InstKind::Op(Op::Sub, of)) if of[..] == [second, operands[1]])
            };
            let rest = self.guarded().iter().find(is_rest)?;
            Some(Bound::binary(BoundOp::Add, upper(first)?, upper(*rest)?))
        })
    }

    /// A bound of a sum of three, two of which are a sum that a guard has bounded: `row * width + x` and `x + 1 < width`.
    fn upper_of_three(&self, operands: &[ValueId], upper: &impl Fn(ValueId) -> Option<Bound>) -> Option<Bound> {
        if self.guarded().is_empty() {
            return None;
        }
        [(operands[0], operands[1]), (operands[1], operands[0])].into_iter().find_map(|(sum, third)| {
            let Some(InstKind::Op(Op::Add, parts)) = self.definition(sum) else { return None };
            [(parts[0], parts[1]), (parts[1], parts[0])].into_iter().find_map(|(first, second)| {
                let is_both = |guarded: &&ValueId| {
                    matches!(self.definition(**guarded), Some(InstKind::Op(Op::Add, of))
                        if of[..] == [second, third] || of[..] == [third, second])
                };
                let both = self.guarded().iter().find(is_both)?;
                Some(Bound::binary(BoundOp::Add, upper(first)?, upper(*both)?))
            })
        })
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
                    // Not the last ones of the last workgroup: `if local_id().x == 0 { … }`.
                    if let Some((last, size)) = self.greatest_local_id(*axis as usize) {
                        let before = Bound::binary(BoundOp::Sub, Bound::Groups(*axis as u8), Bound::Const(1));
                        let before = Bound::binary(BoundOp::Mul, before, Bound::Const(size));
                        return Some(Bound::binary(BoundOp::Add, before, Bound::Const(last)));
                    }
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
                None => either(
                    self.upper_of_rounded_up(operands, upper).or_else(|| both(BoundOp::Add)),
                    self.upper_of_three(operands, upper),
                ),
            },
            Op::Mul => match self.whole_of_times(operands) {
                // `n * (x / n)`
                Some(whole) => upper(whole),
                None => both(BoundOp::Mul),
            },
            Op::Shl => {
                let by = constant(operands[1]).filter(|by| *by < 32)?;
                Some(Bound::binary(BoundOp::Mul, upper(operands[0])?, Bound::Const(1 << by)))
            }
            Op::Shr => {
                let by = constant(operands[1]).filter(|by| *by < 32)?;
                Some(Bound::binary(BoundOp::Div, upper(operands[0])?, Bound::Const(1 << by)))
            }
            Op::Div => {
                if let Some(by) = self.divisor(operands[1]) {
                    return Some(Bound::binary(BoundOp::Div, upper(operands[0])?, by));
                }
                if let Some((by, excess @ Some(_))) = self.number_divided_by(operands[1]).and_then(|by| self.factor(by))
                {
                    return Some(add_excess(Bound::binary(BoundOp::Div, upper(operands[0])?, by), excess));
                }
                let least = u32::try_from(self.range(operands[1]).lo).ok()?.max(1);
                Some(Bound::binary(BoundOp::Div, upper(operands[0])?, Bound::Const(least)))
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
            Op::Sub => {
                either(self.upper_of_difference(operands, upper), self.upper_of_guarded_difference(operands, upper))
            }
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
    pub(super) fn divisor(&self, value: ValueId) -> Option<Bound> {
        match self.exact(self.number_divided_by(value)?)? {
            Bound::Const(_) => None,
            bound => Some(bound),
        }
    }

    /// The number that a program divides by, behind the guard that divides by one in place of zero.
    pub(super) fn number_divided_by(&self, value: ValueId) -> Option<ValueId> {
        let operands = match self.definition(value) {
            // `select number == 0, 1, number`
            Some(InstKind::Op(Op::Select, operands)) if self.range(operands[1]) == Range::new(1, 1) => operands,
            _ => return Some(value),
        };
        let number = operands[2];
        let is = |condition: ValueId, wanted: i128| {
            matches!(self.definition(condition), Some(InstKind::Op(Op::Eq, compared))
                if compared[0] == number && self.range(compared[1]) == Range::new(wanted, wanted))
        };
        let is_guard = match self.definition(operands[0])? {
            // `number == 0 || whole == MIN && number == -1`, for a number that is not negative.
            InstKind::Op(Op::Or, parts) if self.range(number).lo >= 0 => {
                let never = |part: ValueId| match self.definition(part) {
                    Some(InstKind::Op(Op::And, both)) => both.iter().any(|part| is(*part, -1)),
                    _ => false,
                };
                is(parts[0], 0) && never(parts[1])
            }
            _ => is(operands[0], 0),
        };
        is_guard.then_some(number)
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

/// A bound, and what keeps its obligations from holding where a factor of it is too large.
fn add_excess(bound: Bound, excess: Option<Bound>) -> Bound {
    match excess {
        Some(excess) => Bound::binary(BoundOp::Add, bound, excess),
        None => bound,
    }
}
