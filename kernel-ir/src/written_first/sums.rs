//! Numbers as sums: a fixed number, and multiples of counters of which each counts from zero on, whatever the others do. Sums, multiples
//! and differences keep that form, quotients and remainders do where nothing is carried; other numbers have none.

use crate::ir::{BlockId, Builtin, Constant, InstKind, Kernel, ValueId};
use crate::op::Op;
use crate::types::Size;

/// Values that a number is made of, at most: what is made of more is not looked into.
const MOST_VALUES: u32 = 64;

/// A counter of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter {
    /// A bit of the invocation's position along an axis, whose length is a power of two.
    Bit(usize, u32),
    /// The invocation's position along another axis.
    Axis(usize),
    /// The round of a loop.
    Round(BlockId),
    /// The numbers that a loop comes to whose steps are as many as there are positions along some axes, a bit each, at which its
    /// invocations start: each number once.
    Stride(BlockId, u8),
    /// The parts of a cell that are accessed together.
    Part,
    /// A value that may be any number below its count, or only some of them.
    Within(ValueId),
}

impl Counter {
    /// The axes that it hangs on, a bit each.
    fn axes(self) -> u8 {
        match self {
            Self::Bit(axis, _) | Self::Axis(axis) => 1 << axis,
            Self::Stride(_, axes) => axes,
            Self::Round(_) | Self::Part | Self::Within(_) => 0,
        }
    }

    /// Whether what one counts says something about the other.
    fn hangs_on(self, other: Self) -> bool {
        let is_stride = |counter| matches!(counter, Self::Stride(..));
        self != other && (is_stride(self) || is_stride(other)) && self.axes() & other.axes() != 0
    }
}

/// A counter that is below `count`, taken `times`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) counter: Counter,
    pub(super) times: u32,
    pub(super) count: u32,
}

/// A number that is such a sum, and at most the largest `u32`, whatever the counters are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) fixed: u32,
    /// No counter twice, none taken no times, and each with more than one value.
    pub(super) terms: Vec<Term>,
}

impl Sum {
    pub(super) fn fixed(number: u32) -> Self {
        Self { fixed: number, terms: Vec::new() }
    }

    pub(super) fn counter(counter: Counter, count: u32) -> Self {
        let terms = if count > 1 { vec![Term { counter, times: 1, count }] } else { Vec::new() };
        Self { fixed: 0, terms }
    }

    /// The largest value; `None` where that is no `u32`.
    pub(super) fn most(&self) -> Option<u32> {
        let add = |most: u32, term: &Term| most.checked_add(term.times.checked_mul(term.count - 1)?);
        self.terms.iter().try_fold(self.fixed, add)
    }

    /// Whether it takes all its values: the invocations and rounds make it do so.
    pub(super) fn is_exact(&self) -> bool {
        !self.terms.iter().any(|term| matches!(term.counter, Counter::Within(_)))
    }

    pub(super) fn plus(mut self, other: &Self) -> Option<Self> {
        self.fixed = self.fixed.checked_add(other.fixed)?;
        for term in &other.terms {
            if self.terms.iter().any(|own| own.counter.hangs_on(term.counter)) {
                return None;
            }
            match self.terms.iter_mut().find(|own| own.counter == term.counter) {
                Some(own) => own.times = own.times.checked_add(term.times)?,
                None => self.terms.push(*term),
            }
        }
        self.most().map(|_| self)
    }

    pub(super) fn times(mut self, by: u32) -> Option<Self> {
        if by == 0 {
            return Some(Self::fixed(0));
        }
        self.fixed = self.fixed.checked_mul(by)?;
        for term in &mut self.terms {
            term.times = term.times.checked_mul(by)?;
        }
        self.most().map(|_| self)
    }

    /// The quotient by a number and the remainder, where the latter is made of terms of its own.
    fn divided(self, by: u32) -> Option<(Self, Self)> {
        if by == 0 {
            return None;
        }
        let (quotients, rest) = self.terms.into_iter().partition(|term| term.times.is_multiple_of(by));
        let mut quotient = Self { fixed: self.fixed / by, terms: quotients };
        quotient.terms.iter_mut().for_each(|term| term.times /= by);
        let rest = Self { fixed: self.fixed % by, terms: rest };
        (rest.most()? < by).then_some((quotient, rest))
    }

    /// The axes of a sum of positions along them that takes each number below some number once: that number, and a bit for each axis.
    pub(super) fn positions(&self) -> Option<(u32, u8)> {
        let mut terms = self.terms.clone();
        terms.sort_unstable_by_key(|term| term.times);
        let (mut numbers, mut axes) = (1u32, 0);
        for term in terms {
            let is_position = matches!(term.counter, Counter::Bit(..) | Counter::Axis(_));
            if !is_position || term.times != numbers {
                return None;
            }
            numbers = numbers.checked_mul(term.count)?;
            axes |= term.counter.axes();
        }
        (self.fixed == 0).then_some((numbers, axes))
    }

    pub(super) fn constant(&self) -> Option<u32> {
        self.terms.is_empty().then_some(self.fixed)
    }
}

/// The values of a kernel as sums.
pub(super) struct Sums<'m, D> {
    pub(super) kernel: &'m Kernel,
    pub(super) definition: D,
    /// The sums of the parameters of loops whose rounds are looked at.
    pub(super) counted: Vec<(ValueId, Sum)>,
}

impl<'m, D: Fn(ValueId) -> Option<&'m InstKind>> Sums<'m, D> {
    pub(super) fn of(&self, value: ValueId) -> Option<Sum> {
        self.of_value(value, &mut { MOST_VALUES })
    }

    fn of_value(&self, value: ValueId, left: &mut u32) -> Option<Sum> {
        *left = left.checked_sub(1)?;
        if let Some((_, sum)) = self.counted.iter().find(|(param, _)| *param == value) {
            return Some(sum.clone());
        }
        match (self.definition)(value)? {
            InstKind::Builtin(Builtin::LocalIndex) => {
                let [x, y, z] = [0, 1, 2].map(|axis| self.axis(axis));
                let [width, height, _] = self.kernel.workgroup;
                let rows = z?.times(height.known()?)?.plus(&y?)?;
                rows.times(width.known()?)?.plus(&x?)
            }
            InstKind::Extract(vector, path) => match ((self.definition)(*vector)?, &path[..]) {
                (InstKind::Builtin(Builtin::LocalId), [axis]) => self.axis(*axis as usize),
                _ => None,
            },
            InstKind::Const(Constant::U32(number)) => Some(Sum::fixed(*number)),
            InstKind::Const(Constant::Zero) => Some(Sum::fixed(0)),
            InstKind::Op(op, operands) => {
                let [a, b] = operands[..] else { return None };
                let [a, b] = [a, b].map(|operand| self.of_value(operand, left));
                let within = |count: u32| Some(Sum::counter(Counter::Within(value), count));
                match (combined(*op, a.clone(), b.clone()), op, constant(&a).or(constant(&b))) {
                    (Some(sum), ..) => Some(sum),
                    (None, Op::And | Op::Min, Some(most)) => within(most.checked_add(1)?),
                    (None, Op::Rem, _) => constant(&b).filter(|by| *by > 0).and_then(within),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The invocation's position along an axis.
    fn axis(&self, axis: usize) -> Option<Sum> {
        let Size::Known(side) = *self.kernel.workgroup.get(axis)? else { return None };
        if !side.is_power_of_two() {
            return Some(Sum::counter(Counter::Axis(axis), side));
        }
        let bit = |bit: u32| Term { counter: Counter::Bit(axis, bit), times: 1 << bit, count: 2 };
        Some(Sum { fixed: 0, terms: (0..side.trailing_zeros()).map(bit).collect() })
    }
}

fn constant(sum: &Option<Sum>) -> Option<u32> {
    sum.as_ref().and_then(Sum::constant)
}

/// The result of an operation on `u32`, if it has such a form.
fn combined(op: Op, a: Option<Sum>, b: Option<Sum>) -> Option<Sum> {
    let (a, b) = (a?, b?);
    match (op, a.constant(), b.constant()) {
        (Op::Add, ..) => a.plus(&b),
        (Op::Sub, _, Some(by)) => Some(Sum { fixed: a.fixed.checked_sub(by)?, terms: a.terms }),
        (Op::Mul, _, Some(by)) => a.times(by),
        (Op::Mul, Some(by), _) => b.times(by),
        (Op::Shl, _, Some(by)) => a.times(1u32.checked_shl(by)?),
        (Op::Shr, _, Some(by)) => a.divided(1u32.checked_shl(by)?).map(|(quotient, _)| quotient),
        (Op::Div, _, Some(by)) => a.divided(by).map(|(quotient, _)| quotient),
        (Op::Rem, _, Some(by)) => a.divided(by).map(|(_, rest)| rest),
        (Op::And, _, Some(mask)) => masked(a, mask),
        (Op::And, Some(mask), _) => masked(b, mask),
        (Op::Or, ..) => {
            let is_below = |low: &Sum, high: &Sum| {
                let unit = low.most()?.checked_add(1)?.checked_next_power_of_two()?;
                let (_, rest) = high.clone().divided(unit)?;
                (rest.constant() == Some(0)).then_some(())
            };
            is_below(&a, &b).or_else(|| is_below(&b, &a)).and_then(|()| a.plus(&b))
        }
        _ => None,
    }
}

/// The lowest bits of a number, for a mask of those.
fn masked(sum: Sum, mask: u32) -> Option<Sum> {
    let count = mask.checked_add(1)?;
    if !count.is_power_of_two() {
        return None;
    }
    sum.divided(count).map(|(_, rest)| rest)
}
