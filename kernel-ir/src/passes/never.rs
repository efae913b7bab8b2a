//! Conditions that a launch can keep from coming true: comparisons of numbers that the host has bounds of.
//!
//! A slice is checked where it is made and where it is indexed: its start is not above its end, the end not above the length, an index is
//! below their difference. All of that is a question of whole numbers, once nothing in it wraps around.

use super::facts::Facts;
use super::ranges::Range;
use crate::ir::{Bound, BoundOp, BufferId, Constant, ImageOp, InstKind, Obligation, ValueId};
use crate::op::Op;
use crate::types::Scalar;

/// How many quotients within quotients are exact.
const QUOTIENTS: usize = 3;

/// How many operations of a value are looked through.
const DEPTH: usize = 4;

impl Facts<'_> {
    /// The obligations under which a condition never comes out as `truth`; `None` where the host cannot be asked.
    pub(super) fn never_if(&self, condition: ValueId, truth: bool) -> Option<Vec<Obligation>> {
        if self.never(condition, truth) {
            return Some(Vec::new());
        }
        let Some(InstKind::Op(op, operands)) = self.definition(condition) else { return None };
        match (op, truth) {
            (Op::Not, _) => return self.never_if(operands[0], !truth),
            (Op::Or, true) | (Op::And, false) => {
                let parts = operands.iter().map(|part| self.never_if(*part, truth)).collect::<Option<Vec<_>>>();
                return parts.map(|parts| parts.concat());
            }
            (Op::And, true) | (Op::Or, false) => return operands.iter().find_map(|part| self.never_if(*part, truth)),
            _ => {}
        }
        if operands.len() != 2
            || !operands.iter().all(|operand| self.range(*operand).lo >= 0 && self.integer(*operand).is_some())
        {
            return None;
        }
        let (a, b) = (operands[0], operands[1]);
        match (op, truth) {
            (Op::Gt, true) | (Op::Le, false) => self.not_above(a, b, DEPTH),
            (Op::Lt, true) | (Op::Ge, false) => self.not_above(b, a, DEPTH),
            (Op::Ge, true) | (Op::Lt, false) => self.in_rows(a, b).or_else(|| self.below(self.upper_bound(a)?, b)),
            (Op::Le, true) | (Op::Gt, false) => self.in_rows(b, a).or_else(|| self.below(self.upper_bound(b)?, a)),
            // What is not zero is above it.
            (Op::Eq, true) | (Op::Ne, false) if self.range(b).hi == 0 => self.below(Bound::Const(0), a),
            _ => None,
        }
    }

    /// The obligations under which what has the bound is below a value.
    fn below(&self, bound: Bound, value: ValueId) -> Option<Vec<Obligation>> {
        if let Some((length, mut obligations)) = self.least_of(value) {
            obligations.push(Obligation { index: bound, length, in_all: None });
            return Some(obligations);
        }
        match self.definition(value)? {
            // Below what is left behind `start`: the two together are below the whole, so that `start` is, too.
            InstKind::Op(Op::Sub, parts) => {
                let index = Bound::binary(BoundOp::Add, bound, self.upper_bound(parts[1])?);
                let (length, mut obligations) = self.least_of(parts[0])?;
                obligations.push(Obligation { index, length, in_all: None });
                Some(obligations)
            }
            // Below the number of parts of a size: the end of the part with that number is in the whole.
            InstKind::Op(Op::Div, parts) if self.range(parts[1]).lo >= 1 => {
                let next = Bound::binary(BoundOp::Add, bound, Bound::Const(1));
                let end = Bound::binary(BoundOp::Mul, next, self.upper_bound(parts[1])?);
                let (length, mut obligations) = self.least_of(parts[0])?;
                obligations.push(Obligation { index: end, length: one_more(length), in_all: None });
                Some(obligations)
            }
            InstKind::Op(Op::Min, parts) => {
                let [mut first, second] = [parts[0], parts[1]].map(|part| self.below(bound.clone(), part));
                first.as_mut()?.extend(second?);
                first
            }
            _ => None,
        }
    }

    /// The obligations under which `a` is not above `b`.
    fn not_above(&self, a: ValueId, b: ValueId, depth: usize) -> Option<Vec<Obligation>> {
        if self.is_below(a, b, false) {
            return Some(Vec::new());
        }
        if let Some((limit, mut obligations)) = self.least_of(b) {
            obligations.push(Obligation { index: self.upper_bound(a)?, length: one_more(limit), in_all: None });
            return Some(obligations);
        }
        let depth = depth.checked_sub(1)?;
        match self.definition(b)? {
            InstKind::Op(Op::Min, parts) => {
                let [mut first, second] = [parts[0], parts[1]].map(|part| self.not_above(a, part, depth));
                first.as_mut()?.extend(second?);
                first
            }
            // Not above what is left behind `start`: the two together are not above the whole.
            InstKind::Op(Op::Sub, parts) => {
                let index = Bound::binary(BoundOp::Add, self.upper_bound(a)?, self.upper_bound(parts[1])?);
                let (length, mut obligations) = self.least_of(parts[0])?;
                obligations.push(Obligation { index, length: one_more(length), in_all: None });
                Some(obligations)
            }
            _ => {
                let index = self.holds(a, b, depth)?;
                Some(vec![Obligation { index, length: Bound::Const(u32::MAX), in_all: None }])
            }
        }
    }

    /// A bound of the whole number that sums and products make of `b`, if `a` is not above that number whatever their parts are. Where
    /// the bound is below 2^32, nothing wraps, and `a` is not above `b`.
    fn holds(&self, a: ValueId, b: ValueId, depth: usize) -> Option<Bound> {
        if self.integer(b) != Some(Scalar::U32) {
            return None;
        }
        if self.is_below(a, b, false) {
            return self.upper_bound(b);
        }
        let depth = depth.checked_sub(1)?;
        let Some(InstKind::Op(op @ (Op::Add | Op::Mul), whole)) = self.definition(b) else { return None };
        let bound_op = if *op == Op::Add { BoundOp::Add } else { BoundOp::Mul };
        let ways = [(whole[0], whole[1]), (whole[1], whole[0])];
        let part_of = |(part, other): (ValueId, ValueId)| {
            // A product with zero holds nothing but zero.
            if *op == Op::Mul && self.range(other).lo < 1 {
                return None;
            }
            Some(Bound::binary(bound_op, self.holds(a, part, depth)?, self.upper_bound(other)?))
        };
        let found = ways.into_iter().find_map(part_of);
        let Some(InstKind::Op(of, parts)) = self.definition(a).filter(|_| found.is_none()) else { return found };
        if of != op {
            return None;
        }
        ways.into_iter().find_map(|(first, second)| {
            let first = self.holds(parts[0], first, depth)?;
            Some(Bound::binary(bound_op, first, self.holds(parts[1], second, depth)?))
        })
    }

    /// The obligation under which a position in rows, `row * width + column`, is below their number times their width: that product does
    /// not wrap.
    fn in_rows(&self, position: ValueId, count: ValueId) -> Option<Vec<Obligation>> {
        let index = self.whole_of_rows(position, count, DEPTH).filter(|_| !self.is_below(position, count, true))?;
        Some(vec![Obligation { index, length: Bound::Const(u32::MAX), in_all: None }])
    }

    /// A bound of the whole number that products make of `count`, if the whole number of `position` is below it, whatever their parts are.
    fn whole_of_rows(&self, position: ValueId, count: ValueId, depth: usize) -> Option<Bound> {
        if self.is_below(position, count, true) {
            return self.upper_bound(count);
        }
        let depth = depth.checked_sub(1).filter(|_| self.integer(count) == Some(Scalar::U32))?;
        let InstKind::Op(Op::Mul, whole) = self.definition(count)? else { return None };
        // The first column of a row.
        if let InstKind::Op(Op::Mul, of_start) = self.definition(position)? {
            return [(whole[0], whole[1]), (whole[1], whole[0])].into_iter().find_map(|(rows, width)| {
                let row = match (of_start[0], of_start[1]) {
                    (row, by) | (by, row) if self.is_same(by, width) => row,
                    _ => return None,
                };
                let rows_bound = self.whole_of_rows(row, rows, depth).filter(|_| self.range(width).lo >= 1)?;
                Some(Bound::binary(BoundOp::Mul, rows_bound, self.upper_bound(width)?))
            });
        }
        let InstKind::Op(Op::Add, sum) = self.definition(position)? else { return None };
        [(sum[0], sum[1]), (sum[1], sum[0])].into_iter().find_map(|(start, column)| {
            let InstKind::Op(Op::Mul, of_start) = self.definition(start)? else { return None };
            let both = |of: &[ValueId]| [(of[0], of[1]), (of[1], of[0])];
            both(of_start).into_iter().flat_map(|row| both(whole).map(|rows| (row, rows))).find_map(|(row, rows)| {
                if !self.is_same(row.1, rows.1) || !self.is_below(column, rows.1, true) {
                    return None;
                }
                let rows_bound = self.whole_of_rows(row.0, rows.0, depth)?;
                Some(Bound::binary(BoundOp::Mul, rows_bound, self.upper_bound(rows.1)?))
            })
        })
    }

    /// A number that a value is not below, and the obligations under which that is so: of one of a list the host knows the least.
    fn least_of(&self, value: ValueId) -> Option<(Bound, Vec<Obligation>)> {
        match self.definition(value) {
            Some(InstKind::MemberLen(list, member)) => Some((Bound::Least(*list), self.is_member_if(*list, *member)?)),
            Some(InstKind::Image(ImageOp::Size(axis), image, operands)) if self.is_list(*image) => {
                let (member, level) = operands.split_first()?;
                let is_first = level.iter().all(|level| self.constant(*level) == Range::new(0, 0));
                let obligations = self.is_member_if(*image, *member).filter(|_| is_first)?;
                Some((Bound::LeastExtent(*image, *axis), obligations))
            }
            // The size of an image that is there, or else nothing.
            None => {
                let (is_there, size) = self.size_if_there(value)?;
                let mut obligations = self.never_if(is_there, false)?;
                let (least, others) = self.least_of(size)?;
                obligations.extend(others);
                Some((least, obligations))
            }
            // A product that does not wrap around.
            Some(InstKind::Op(Op::Mul, of)) if self.integer(value) == Some(Scalar::U32) => {
                let [(a, mut obligations), (b, others)] = [self.least_of(of[0])?, self.least_of(of[1])?];
                let most = Bound::binary(BoundOp::Mul, self.upper_bound(of[0])?, self.upper_bound(of[1])?);
                obligations.extend(others);
                obligations.push(Obligation { index: most, length: Bound::Const(u32::MAX), in_all: None });
                Some((Bound::binary(BoundOp::Mul, a, b), obligations))
            }
            _ => self.exact(value).map(|exact| (exact, Vec::new())),
        }
    }

    /// The condition and the size in `if is_there { size } else { 0 }`, of an image.
    pub(super) fn size_if_there(&self, value: ValueId) -> Option<(ValueId, ValueId)> {
        let (condition, [size, nothing]) = self.given_by_both(value)?;
        let is_size = matches!(self.definition(size), Some(InstKind::Image(ImageOp::Size(_), ..)));
        (is_size && self.constant(nothing) == Range::new(0, 0)).then_some((condition, size))
    }

    /// The obligations under which a list has a member at a position. None else has its least length.
    pub(super) fn is_member_if(&self, list: BufferId, member: ValueId) -> Option<Vec<Obligation>> {
        if self.is_member(list, member) {
            return Some(Vec::new());
        }
        let index = self.upper_bound(member)?;
        Some(vec![Obligation { index, length: Bound::Len(list), in_all: None }])
    }

    /// The bound that a value equals, if the host knows it exactly.
    pub(super) fn exact(&self, value: ValueId) -> Option<Bound> {
        self.exact_within(value, QUOTIENTS)
    }

    fn exact_within(&self, value: ValueId, quotients: usize) -> Option<Bound> {
        let is_natural = match self.integer(value)? {
            Scalar::U32 => true,
            // The bits of a number that is not negative, which is all that the host reads.
            Scalar::I32 => self.range(value).lo >= 0,
            _ => false,
        };
        if !is_natural {
            return None;
        }
        match self.definition(value)? {
            InstKind::Len(buffer) => Some(Bound::Len(*buffer)),
            kind @ InstKind::Image(..) => self.extent(kind),
            InstKind::Param(param) => Some(Bound::Param(*param, [].into())),
            InstKind::Extract(composite, path) => match self.definition(*composite)? {
                InstKind::Param(param) => Some(Bound::Param(*param, path.clone())),
                _ => None,
            },
            InstKind::Op(Op::Cast, of) => self.exact_within(of[0], quotients),
            InstKind::Op(Op::Div, of) if quotients > 0 && self.range(of[1]).lo > 0 => {
                let whole = self.exact_within(of[0], quotients - 1)?;
                let by = self.divisor(of[1]).or_else(|| self.exact_within(of[1], quotients - 1))?;
                Some(Bound::binary(BoundOp::Div, whole, by))
            }
            InstKind::Op(Op::Shr, of) if quotients > 0 => match self.range(of[1]) {
                by if by.lo == by.hi && (0..32).contains(&by.lo) => {
                    let whole = self.exact_within(of[0], quotients - 1)?;
                    Some(Bound::binary(BoundOp::Div, whole, Bound::Const(1 << by.lo)))
                }
                _ => None,
            },
            _ => {
                let range = self.range(value);
                u32::try_from(range.lo).ok().filter(|_| range.lo == range.hi).map(Bound::Const)
            }
        }
    }

    /// The size of an image along an axis that an instruction asks for, if the host knows it: which one of a list it is, and the size of
    /// a level, the host does not know.
    pub(super) fn extent(&self, kind: &InstKind) -> Option<Bound> {
        let InstKind::Image(ImageOp::Size(axis), image, operands) = kind else { return None };
        let is_first = |level: &ValueId| self.constant(*level) == Range::new(0, 0);
        (!self.is_list(*image) && operands.iter().all(is_first)).then_some(Bound::Extent(*image, *axis))
    }

    /// The index that a check of a slice lets through, and the check: `select check, index, u32::MAX`.
    pub(super) fn let_through(&self, value: ValueId) -> Option<(ValueId, ValueId)> {
        let Some(InstKind::Op(Op::Select, operands)) = self.definition(value) else { return None };
        let is_nowhere = matches!(self.definition(operands[2]), Some(InstKind::Const(Constant::U32(u32::MAX))));
        is_nowhere.then_some((operands[1], operands[0]))
    }
}

fn one_more(bound: Bound) -> Bound {
    Bound::binary(BoundOp::Add, bound, Bound::Const(1))
}
