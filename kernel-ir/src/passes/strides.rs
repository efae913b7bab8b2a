//! Values that go up in steps, `start + k * step` where `k` counts to the number of steps that fit: they stay below the end that this
//! number was made of. So does the middle of a search.

use super::facts::Facts;
use super::ranges::Range;
use crate::ir::{InstKind, ValueId};
use crate::op::Op;

impl Facts<'_> {
    /// Learns what a value is below that the walk now defines, if it is one that goes up in steps.
    pub(super) fn learn_stride(&mut self, value: ValueId) {
        match self.definition(value) {
            Some(InstKind::Op(Op::Mul, operands)) => {
                let (a, b) = (operands[0], operands[1]);
                for (count, step) in [(a, b), (b, a)] {
                    if let Some((whole, is_above)) = self.whole_of(count, step) {
                        self.learn(value, whole, is_above);
                        return;
                    }
                }
            }
            Some(InstKind::Op(Op::Add, operands)) => {
                let (a, b) = (operands[0], operands[1]);
                for (start, way) in [(a, b), (b, a)] {
                    if let Some((end, is_above)) = self.end_of(start, way) {
                        self.learn(value, end, is_above);
                        return;
                    }
                }
            }
            Some(InstKind::Op(op @ (Op::Div | Op::Shr), operands)) => {
                let halves = if *op == Op::Div { 2 } else { 1 };
                if self.range(operands[1]) == Range::new(halves, halves)
                    && let Some(high) = self.higher_of_sum(operands[0])
                {
                    self.learn(value, high, true);
                }
            }
            _ => {}
        }
    }

    /// The greater one of two different numbers whose sum does not wrap: half of that is below it.
    fn higher_of_sum(&self, sum: ValueId) -> Option<ValueId> {
        let Some(InstKind::Op(Op::Add, parts)) = self.definition(sum) else { return None };
        let most = Range::full(self.integer(sum)?).hi / 2;
        [(parts[0], parts[1]), (parts[1], parts[0])].into_iter().find_map(|(low, high)| {
            let is_small = |value: ValueId| self.range(value).hi <= most;
            let are_small = is_small(high) || self.uppers_of(high).iter().any(|(upper, _)| is_small(*upper));
            (are_small && self.range(low).lo >= 0 && self.is_below(low, high, true)).then_some(high)
        })
    }

    /// The value that `count * step` is not above, or is below: the one that was divided by `step` to give the bound of `count`.
    fn whole_of(&self, count: ValueId, step: ValueId) -> Option<(ValueId, bool)> {
        let is_unsigned = self.integer(count).is_some_and(|scalar| scalar.is_unsigned());
        if !is_unsigned || self.range(step).lo < 1 {
            return None;
        }
        let divided = |value: ValueId, by: Op| match self.definition(value)? {
            InstKind::Op(op, operands) if *op == by && self.is_same(operands[1], step) => Some(operands[0]),
            _ => None,
        };
        let of_number = |upper: ValueId, is_above: bool| {
            if let Some(whole) = divided(upper, Op::Div) {
                // The quotient is rounded down: so many steps are not above the whole, and fewer steps are below it.
                return Some((whole, is_above));
            }
            let [whole, by] = self.rounded_up(upper)?;
            (is_above && self.is_same(by, step)).then_some((whole, true))
        };
        narrowest(self.uppers_of(count).iter().filter_map(|&(upper, is_above)| match self.definition(upper) {
            // Below both is below either.
            Some(InstKind::Op(Op::Min, parts)) => parts.iter().find_map(|part| of_number(*part, is_above)),
            _ => of_number(upper, is_above),
        }))
    }

    /// The two integers of which a value is the quotient that is rounded up: one more where something is left over.
    fn rounded_up(&self, value: ValueId) -> Option<[ValueId; 2]> {
        match self.definition(value) {
            Some(InstKind::Op(Op::Add, parts)) => self.rounded_up_sum(parts),
            _ => None,
        }
    }

    /// The same of the sum's addends.
    pub(super) fn rounded_up_sum(&self, parts: &[ValueId]) -> Option<[ValueId; 2]> {
        let Some(InstKind::Op(Op::Div, divided)) = self.definition(parts[0]) else { return None };
        let is_left = match self.definition(parts[1])? {
            InstKind::Op(Op::Cast, rest) => rest[0],
            InstKind::Op(Op::Select, rest) if self.range(rest[1]).hi == 1 && self.is_zero(rest[2]) => rest[0],
            _ => return None,
        };
        let Some(InstKind::Op(Op::Ne, rest)) = self.definition(is_left) else { return None };
        let Some(InstKind::Op(Op::Rem, left)) = self.definition(rest[0]) else { return None };
        let is_same = left[0] == divided[0] && self.is_same(left[1], divided[1]);
        (is_same && self.is_zero(rest[1])).then_some([divided[0], divided[1]])
    }

    /// The interval of a value that is a quotient which is rounded up.
    pub(super) fn range_of_rounded_up(&self, value: ValueId) -> Option<Range> {
        let [whole, step] = self.rounded_up(value)?;
        let (whole, step) = (self.range(whole), self.range(step));
        let up = |a: i128, b: i128| (a + b - 1) / b;
        (whole.lo >= 0 && step.lo >= 1).then(|| Range::new(up(whole.lo, step.hi), up(whole.hi, step.lo)))
    }

    /// The end that `start + way` is not above, or is below, where `way` is so of the distance from `start` to it.
    fn end_of(&self, start: ValueId, way: ValueId) -> Option<(ValueId, bool)> {
        if !self.integer(start).is_some_and(|scalar| scalar.is_unsigned()) {
            return None;
        }
        if let Some(InstKind::Op(op @ (Op::Div | Op::Shr), parts)) = self.definition(way)
            && self.range(parts[1]).lo >= if *op == Op::Div { 2 } else { 1 }
            && let Some(end) = self.end_from(parts[0], start)
            && self.is_below(start, end, true)
        {
            // At most half of the way, which is not nothing.
            return Some((end, true));
        }
        narrowest(self.uppers_of(way).iter().filter_map(|&(left, is_above)| match self.definition(left)? {
            // `if start < end { end - start } else { 0 }`: where anything is below it, it is the difference.
            InstKind::Op(Op::Select, parts) if is_above && self.is_zero(parts[2]) => {
                let InstKind::Op(Op::Lt, compared) = self.definition(parts[0])? else { return None };
                let end = self.end_from(parts[1], start)?;
                (compared[..] == [start, end]).then_some((end, true))
            }
            _ => {
                let end = self.end_from(left, start)?;
                self.is_below(start, end, false).then_some((end, is_above))
            }
        }))
    }

    /// The end in `end - start`.
    fn end_from(&self, difference: ValueId, start: ValueId) -> Option<ValueId> {
        match self.definition(difference)? {
            InstKind::Op(Op::Sub, operands) if operands[1] == start => Some(operands[0]),
            _ => None,
        }
    }

    fn is_zero(&self, value: ValueId) -> bool {
        let range = self.range(value);
        range.lo == 0 && range.hi == 0
    }

    /// Whether two values are one, or the same constant.
    pub(super) fn is_same(&self, a: ValueId, b: ValueId) -> bool {
        let (x, y) = (self.range(a), self.range(b));
        a == b || x.lo == x.hi && x == y
    }
}

/// The first limit that something is below, or else the first one that it is not above.
fn narrowest(mut limits: impl Iterator<Item = (ValueId, bool)>) -> Option<(ValueId, bool)> {
    let first = limits.next()?;
    match first.1 {
        true => Some(first),
        false => limits.find(|(_, is_above)| *is_above).or(Some(first)),
    }
}
