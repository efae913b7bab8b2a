//! Proofs that a value is below another one, from what is known on the current path. They must not learn anything.

use std::cell::Cell;

use super::Facts;
use crate::arena::EntityId;
use crate::ir::{Builtin, ConstParamId, InstKind, ValueId};
use crate::op::Op;
use crate::passes::ranges::Range;
use crate::types::Size;

/// How many steps a proof may take from value to value.
const DEPTH: usize = 5;
/// How many values a proof may look at.
const FUEL: usize = 64;

impl Facts<'_> {
    /// Whether an unsigned value is certainly below a size.
    pub(in crate::passes) fn is_below_size(&self, value: ValueId, size: Size) -> bool {
        match size {
            Size::Known(size) => {
                let range = self.range(value);
                // A guard that comes behind a difference may be what keeps it from wrapping.
                range.hi < size.into() || self.without_wrap(value, range).hi < size.into()
            }
            Size::Param(param) => {
                self.range(value).hi < 1
                    || self.counts_below(self.stripped(value), param)
                    || self.const_params[param].is_some_and(|bound| self.is_below(value, bound, true))
            }
        }
    }

    /// Whether a value is the invocation's position along an axis, or in a workgroup, that is as wide as a const parameter.
    pub(super) fn counts_below(&self, value: ValueId, param: ConstParamId) -> bool {
        let Some(kernel) = self.kernel else { return false };
        match self.definition(value) {
            Some(InstKind::Builtin(Builtin::LocalIndex)) => {
                let mut wide = kernel.workgroup.iter().filter(|size| **size != Size::Known(1));
                wide.next() == Some(&Size::Param(param)) && wide.next().is_none()
            }
            Some(InstKind::Extract(composite, path)) => match (self.definition(*composite), &path[..]) {
                (Some(InstKind::Builtin(Builtin::LocalId)), [axis]) => {
                    kernel.workgroup[*axis as usize] == Size::Param(param)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether `value < bound` (strict) or `value <= bound` is certain. Both are integers.
    pub(in crate::passes) fn is_below(&self, value: ValueId, bound: ValueId, strict: bool) -> bool {
        self.proves(value, self.stripped(bound), strict, DEPTH, &Cell::new(FUEL))
    }

    pub(super) fn proves(
        &self,
        value: ValueId,
        bound: ValueId,
        strict: bool,
        depth: usize,
        fuel: &Cell<usize>,
    ) -> bool {
        let Some(left) = fuel.get().checked_sub(1) else { return false };
        fuel.set(left);
        let mut value = self.canonical(value);
        loop {
            if value == bound {
                return !strict;
            }
            let depth = depth.saturating_sub(1);
            let mut uppers = self.uppers[value.index()].iter();
            if depth > 0 && uppers.any(|(upper, above)| self.proves(*upper, bound, strict && !above, depth, fuel)) {
                return true;
            }
            match self.uncast(value) {
                Some(inner) => value = inner,
                None => break,
            }
        }
        if let Some(InstKind::ConstParam(param)) = self.definition(bound)
            && self.counts_below(value, *param)
        {
            return true;
        }
        let (range, limit) = (self.range(value), self.range(bound));
        if range.hi < limit.lo || (!strict && range.hi == limit.lo) {
            return true;
        }
        depth > 1
            && (self.proves_by_definition(value, bound, strict, depth - 1, fuel)
                || self.proves_below_less(value, bound, strict, depth - 1, fuel))
    }

    /// Whether a value is not above `whole - 1`: it is below `whole`, which is not zero.
    pub(super) fn proves_below_less(
        &self,
        value: ValueId,
        bound: ValueId,
        strict: bool,
        depth: usize,
        fuel: &Cell<usize>,
    ) -> bool {
        let Some(InstKind::Op(Op::Sub, parts)) = self.definition(bound).filter(|_| !strict) else { return false };
        let (whole, taken) = (self.range(parts[0]), self.range(parts[1]));
        let least = self.integer(bound).map_or(i128::MAX, |scalar| Range::full(scalar).lo);
        taken == Range::new(1, 1) && whole.lo > least && self.proves(value, self.stripped(parts[0]), true, depth, fuel)
    }

    pub(super) fn proves_by_definition(
        &self,
        value: ValueId,
        bound: ValueId,
        strict: bool,
        depth: usize,
        fuel: &Cell<usize>,
    ) -> bool {
        let Some(InstKind::Op(op, operands)) = self.definition(value) else { return false };
        let proves = |operand: usize, strict| self.proves(operands[operand], bound, strict, depth, fuel);
        let natural = || operands.iter().all(|operand| self.range(*operand).lo >= 0);
        if *op == Op::Select
            && let Some(divisor) = self.euclidean(value)
            && self.proves(divisor, bound, false, depth, fuel)
        {
            return true;
        }
        match op {
            Op::Min => proves(0, strict) || proves(1, strict),
            Op::Max => proves(0, strict) && proves(1, strict),
            Op::Select => [1, 2].into_iter().all(|arm| {
                // Nothing wraps where the arm is chosen.
                let less = self.less_when_chosen(operands[0], arm == 1, operands[arm]);
                let chosen = (operands[0], arm == 1);
                less.is_some_and(|(whole, _)| self.proves(whole, bound, strict, depth, fuel))
                    || proves(arm, strict)
                    || self.is_below_when(chosen, operands[arm], strict, |other, strict| {
                        self.proves(other, bound, strict, depth, fuel)
                    })
                    || strict && self.differs_when(chosen, operands[arm], bound) && proves(arm, false)
            }),
            // The divisor is not zero, and the remainder is below it.
            Op::Rem if natural() => proves(1, false) || proves(0, strict),
            Op::And if natural() => proves(0, strict) || proves(1, strict),
            // A number below the bound can go up by one, and does not wrap.
            Op::Add if !strict => [(0, 1), (1, 0)]
                .into_iter()
                .any(|(from, by)| self.range(operands[by]) == Range::new(1, 1) && proves(from, true)),
            Op::Shr | Op::Div if natural() => {
                // A part of what is not nothing is less than it.
                let by = self.range(operands[1]);
                let is_part = match op {
                    Op::Div => by.lo >= 2,
                    // A distance that is too large is masked.
                    _ => by.lo >= 1 && self.integer(value).is_some_and(|scalar| by.hi < scalar.bits().into()),
                };
                let is_less = is_part && self.range(operands[0]).lo >= 1;
                proves(0, strict && !is_less)
            }
            Op::Sub if natural() => {
                let taken = self.range(operands[1]);
                let least = self.integer(value).map_or(0, |scalar| Range::full(scalar).lo);
                let wraps_never = || {
                    self.range(operands[0]).lo.saturating_sub(taken.hi) >= least
                        || self.proves(operands[1], self.stripped(operands[0]), false, depth, fuel)
                };
                proves(0, strict && taken.lo == 0) && wraps_never()
            }
            _ => false,
        }
    }
}
