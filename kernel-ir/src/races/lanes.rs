//! Numbers of a workgroup's invocations, each known or not, and what operations make of them.

use std::rc::Rc;

use crate::op::Op;
use crate::types::Scalar;

/// A value in all invocations of a workgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Known in none.
    Unknown,
    /// The same in all.
    Same(u32),
    /// For each invocation the number, if it is known.
    Each(Rc<[Option<u32>]>),
    /// The members of a composite value.
    Members(Rc<[Lanes]>),
}

impl Lanes {
    pub(super) fn at(&self, lane: usize) -> Option<u32> {
        match self {
            Self::Unknown | Self::Members(_) => None,
            Self::Same(number) => Some(*number),
            Self::Each(numbers) => numbers[lane],
        }
    }

    pub(super) fn each(numbers: impl Iterator<Item = Option<u32>>) -> Self {
        let numbers: Rc<[Option<u32>]> = numbers.collect();
        match numbers.first() {
            Some(first) if numbers.iter().all(|number| number == first) => first.map_or(Self::Unknown, Self::Same),
            _ => Self::Each(numbers),
        }
    }

    /// The knowledge of a value that is one or the other.
    pub(super) fn join(&self, other: &Self) -> Self {
        match (self, other) {
            _ if self == other => self.clone(),
            (Self::Each(a), Self::Each(b)) => {
                Self::each(a.iter().zip(&**b).map(|(a, b)| if a == b { *a } else { None }))
            }
            (Self::Each(a), Self::Same(b)) | (Self::Same(b), Self::Each(a)) => {
                Self::each(a.iter().map(|a| a.filter(|a| a == b)))
            }
            (Self::Members(a), Self::Members(b)) if a.len() == b.len() => {
                Self::Members(a.iter().zip(&**b).map(|(a, b)| a.join(b)).collect())
            }
            _ => Self::Unknown,
        }
    }

    /// The knowledge of a value that is one where `first` may be, and the other where `second` may be.
    pub(super) fn merge(&self, first: &[bool], other: &Self, second: &[bool]) -> Self {
        if self == other {
            return self.clone();
        }
        if matches!((self, other), (Self::Members(_), _) | (_, Self::Members(_))) {
            return self.join(other);
        }
        Self::each((0..first.len()).map(|lane| match (first[lane], second[lane]) {
            (true, false) => self.at(lane),
            (false, true) => other.at(lane),
            _ => self.at(lane).filter(|number| other.at(lane) == Some(*number)),
        }))
    }

    pub(super) fn member(&self, path: &[u32]) -> Self {
        let Some((first, rest)) = path.split_first() else { return self.clone() };
        match self {
            Self::Members(members) => members.get(*first as usize).map_or(Self::Unknown, |member| member.member(rest)),
            _ => Self::Unknown,
        }
    }

    /// The numbers at these indices of a table.
    pub(super) fn look_up(&self, table: &[u32]) -> Self {
        let at = |index: u32| table.get(index as usize).copied();
        match self {
            Self::Same(index) => at(*index).map_or(Self::Unknown, Self::Same),
            Self::Each(indices) => Self::each(indices.iter().map(|index| at((*index)?))),
            Self::Unknown | Self::Members(_) => Self::Unknown,
        }
    }

    /// The result of an operation on scalars.
    pub(super) fn apply(op: Op, operands: &[&Self], of: Scalar, to: Scalar, lanes: usize) -> Self {
        if operands.iter().all(|operand| matches!(operand, Self::Same(_))) {
            let numbers: Vec<Option<u32>> = operands.iter().map(|operand| operand.at(0)).collect();
            return evaluate(op, &numbers, of, to).map_or(Self::Unknown, Self::Same);
        }
        let may_be_known = matches!(op, Op::Select | Op::And | Op::Or | Op::Mul);
        if !may_be_known && operands.iter().any(|operand| matches!(operand, Self::Unknown | Self::Members(_))) {
            return Self::Unknown;
        }
        let mut numbers = [None; 3];
        Self::each((0..lanes).map(|lane| {
            for (number, operand) in numbers.iter_mut().zip(operands) {
                *number = operand.at(lane);
            }
            evaluate(op, &numbers[..operands.len().min(3)], of, to)
        }))
    }
}

/// The result for one invocation, if the operands say it.
fn evaluate(op: Op, operands: &[Option<u32>], of: Scalar, to: Scalar) -> Option<u32> {
    let is_signed = of == Scalar::I32;
    match (op, operands) {
        (Op::Select, [condition, a, b]) => {
            return match condition {
                Some(0) => *b,
                Some(_) => *a,
                None => a.filter(|a| Some(*a) == *b),
            };
        }
        (Op::And | Op::Mul, [Some(0), _] | [_, Some(0)]) => return Some(0),
        (Op::Or, [Some(1), _] | [_, Some(1)]) if of == Scalar::Bool => return Some(1),
        _ => {}
    }
    let mut known = operands.iter().copied();
    let a = known.next()??;
    let b = match known.next() {
        Some(b) => b?,
        None => 0,
    };
    let (x, y) = (a as i32, b as i32);
    let truth = |truth: bool| Some(u32::from(truth));
    match op {
        Op::Add => Some(a.wrapping_add(b)),
        Op::Sub => Some(a.wrapping_sub(b)),
        Op::Mul => Some(a.wrapping_mul(b)),
        Op::Neg => Some(a.wrapping_neg()),
        Op::Div if is_signed => x.checked_div(y).map(|number| number as u32),
        Op::Rem if is_signed => x.checked_rem(y).map(|number| number as u32),
        Op::Div => a.checked_div(b),
        Op::Rem => a.checked_rem(b),
        Op::And => Some(a & b),
        Op::Or => Some(a | b),
        Op::Xor => Some(a ^ b),
        Op::Not if of == Scalar::Bool => Some(a ^ 1),
        Op::Not => Some(!a),
        Op::Shl => Some(a << (b & 31)),
        Op::Shr if is_signed => Some((x >> (b & 31)) as u32),
        Op::Shr => Some(a >> (b & 31)),
        Op::Eq => truth(a == b),
        Op::Ne => truth(a != b),
        Op::Lt => truth(if is_signed { x < y } else { a < b }),
        Op::Le => truth(if is_signed { x <= y } else { a <= b }),
        Op::Gt => truth(if is_signed { x > y } else { a > b }),
        Op::Ge => truth(if is_signed { x >= y } else { a >= b }),
        Op::Min => Some(if is_signed { x.min(y) as u32 } else { a.min(b) }),
        Op::Max => Some(if is_signed { x.max(y) as u32 } else { a.max(b) }),
        Op::Abs if is_signed => Some(x.wrapping_abs() as u32),
        Op::CountOnes => Some(a.count_ones()),
        Op::LeadingZeros => Some(a.leading_zeros()),
        Op::TrailingZeros => Some(a.trailing_zeros()),
        Op::ReverseBits => Some(a.reverse_bits()),
        Op::Uniform => Some(a),
        Op::Cast if to == Scalar::Bool => truth(a != 0),
        Op::Cast | Op::Bitcast => Some(a),
        _ => None,
    }
}

/// Whether numbers of this type are followed.
pub(super) fn is_followed(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Bool | Scalar::U32 | Scalar::I32)
}
