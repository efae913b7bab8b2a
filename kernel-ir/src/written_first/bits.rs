//! Numbers as what the bits of an invocation's position make of them, each bit on its own: the exclusive or of a fixed number and of
//! one number for each bit that is set. Shifts, masks, exclusive ors and sums without a carry keep that form; others have none.

use crate::ir::{Builtin, Constant, InstKind, Kernel, ValueId};
use crate::op::Op;
use crate::types::Size;

/// Values that an index is made of, at most: what is made of more is not looked into.
const MOST_VALUES: u32 = 64;

/// A number made of the bits of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits {
    /// The value if no bit is set.
    pub(super) fixed: u32,
    /// The change that each bit makes.
    pub(super) by_bit: Vec<u32>,
}

impl Bits {
    pub(super) fn fixed(number: u32) -> Self {
        Self { fixed: number, by_bit: Vec::new() }
    }

    /// A number of which each bit is changed on its own.
    fn each(&self, change: impl Fn(u32) -> u32) -> Self {
        Self { fixed: change(self.fixed), by_bit: self.by_bit.iter().map(|bit| change(*bit)).collect() }
    }

    pub(super) fn shifted_left(&self, by: u32) -> Self {
        self.each(|bits| bits.checked_shl(by).unwrap_or(0))
    }

    fn exclusive_or(&self, other: &Self) -> Self {
        let len = self.by_bit.len().max(other.by_bit.len());
        let at = |bits: &Self, bit: usize| bits.by_bit.get(bit).copied().unwrap_or(0);
        Self { fixed: self.fixed ^ other.fixed, by_bit: (0..len).map(|bit| at(self, bit) ^ at(other, bit)).collect() }
    }

    /// The sum of two numbers that never have a bit in common; `None` where they might.
    pub(super) fn disjoint_sum(&self, other: &Self) -> Option<Self> {
        (self.possible() & other.possible() == 0).then(|| self.exclusive_or(other))
    }

    /// The bits that are ever set.
    pub(super) fn possible(&self) -> u32 {
        self.by_bit.iter().fold(self.fixed, |all, bit| all | bit)
    }

    /// The number, where no bit changes it.
    fn constant(&self) -> Option<u32> {
        self.by_bit.iter().all(|bit| *bit == 0).then_some(self.fixed)
    }

    /// Numbers of which every change is an exclusive or of some, none of them an exclusive or of others; the highest bit of each is its
    /// own.
    pub(super) fn basis(&self) -> Vec<u32> {
        let mut basis: Vec<u32> = Vec::new();
        for bit in &self.by_bit {
            let left = reduced(&basis, *bit);
            if left != 0 {
                basis.push(left);
                basis.sort_unstable_by(|a, b| b.cmp(a));
            }
        }
        basis
    }
}

/// The least number that exclusive ors with some of a basis, highest first, make of `number`: the same for all that differ by those only.
pub(super) fn reduced(basis: &[u32], number: u32) -> u32 {
    basis.iter().fold(number, |number, by| number.min(number ^ by))
}

/// How a workgroup's invocations are numbered: by a power of two along each axis.
#[derive(Debug)]
pub(super) struct Positions {
    /// The bits of each axis: where they begin in the number, and how many they are.
    axes: [(u32, u32); 3],
}

impl Positions {
    /// Of a kernel whose workgroup has such sides.
    pub(super) fn of(kernel: &Kernel) -> Option<Self> {
        let mut axes = [(0, 0); 3];
        let mut start = 0;
        for (axis, side) in axes.iter_mut().zip(kernel.workgroup) {
            let Size::Known(side) = side else { return None };
            if !side.is_power_of_two() {
                return None;
            }
            *axis = (start, side.trailing_zeros());
            start += side.trailing_zeros();
        }
        (start < u32::BITS).then_some(Self { axes })
    }

    /// The bits of the position from one on, as a number.
    fn part(&self, start: u32, len: u32) -> Bits {
        let before = std::iter::repeat_n(0, start as usize);
        Bits { fixed: 0, by_bit: before.chain((0..len).map(|bit| 1 << bit)).collect() }
    }

    /// A value by the bits of the position, if it is made so.
    pub(super) fn bits<'m>(
        &self,
        value: ValueId,
        definition: &dyn Fn(ValueId) -> Option<&'m InstKind>,
    ) -> Option<Bits> {
        self.of_value(value, definition, &mut { MOST_VALUES })
    }

    fn of_value<'m>(
        &self,
        value: ValueId,
        definition: &dyn Fn(ValueId) -> Option<&'m InstKind>,
        left: &mut u32,
    ) -> Option<Bits> {
        *left = left.checked_sub(1)?;
        match definition(value)? {
            InstKind::Builtin(Builtin::LocalIndex) => {
                let [.., (start, len)] = self.axes;
                Some(self.part(0, start + len))
            }
            InstKind::Extract(vector, path) => match (definition(*vector)?, &path[..]) {
                (InstKind::Builtin(Builtin::LocalId), [axis]) => {
                    let (start, len) = *self.axes.get(*axis as usize)?;
                    Some(self.part(start, len))
                }
                _ => None,
            },
            InstKind::Const(Constant::U32(number)) => Some(Bits::fixed(*number)),
            InstKind::Op(op, operands) => {
                let [a, b] = operands[..] else { return None };
                let (a, b) = (self.of_value(a, definition, left)?, self.of_value(b, definition, left)?);
                combined(*op, &a, &b)
            }
            _ => None,
        }
    }
}

/// The result of an operation on `u32`, if it has such a form.
fn combined(op: Op, a: &Bits, b: &Bits) -> Option<Bits> {
    let power = |number: u32| number.is_power_of_two().then(|| number.trailing_zeros());
    match (op, a.constant(), b.constant()) {
        (Op::Xor, ..) => Some(a.exclusive_or(b)),
        (Op::Or | Op::Add, ..) => a.disjoint_sum(b),
        (Op::And, _, Some(mask)) => Some(a.each(|bits| bits & mask)),
        (Op::And, Some(mask), _) => Some(b.each(|bits| bits & mask)),
        (Op::Shl, _, Some(by)) if by < u32::BITS => Some(a.shifted_left(by)),
        (Op::Shr, _, Some(by)) if by < u32::BITS => Some(a.each(|bits| bits >> by)),
        (Op::Mul, _, Some(by)) => Some(a.shifted_left(power(by)?)),
        (Op::Mul, Some(by), _) => Some(b.shifted_left(power(by)?)),
        (Op::Div, _, Some(by)) => {
            let by = power(by)?;
            Some(a.each(|bits| bits >> by))
        }
        (Op::Rem, _, Some(by)) if by.is_power_of_two() => Some(a.each(|bits| bits & (by - 1))),
        _ => None,
    }
}
