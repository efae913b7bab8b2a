//! Ranges that are values: their ends, and of those that have the last element in them whether that has been given.

use gridwise_ir::ir::{Place, Step, ValueId};
use gridwise_ir::op::Op;

use super::function::FnCx;
use super::variant::{NONE, SOME};
use crate::ast::Expr;
use crate::typed::{RangeMethod, Ty};

/// A range whose elements are taken out of it.
#[derive(Debug, Clone)]
pub(super) struct HeldRange {
    place: Place,
    inclusive: bool,
    /// From its end on.
    pub(super) from_end: bool,
}

/// A range as it is now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) start: ValueId,
    pub(super) end: ValueId,
    /// Of `a..=b`, whether nothing is left though the ends do not say so.
    pub(super) exhausted: Option<ValueId>,
}

impl FnCx<'_, '_, '_> {
    /// `start..end` as a value.
    pub(super) fn make_range(&mut self, expr: &Expr, start: &Expr, end: &Expr, inclusive: bool) -> Option<ValueId> {
        let (start, end) = (self.lower_expr(start), self.lower_expr(end));
        let mut members = vec![start?, end?];
        if inclusive {
            members.push(self.bool(false));
        }
        let ty = self.ty(self.ty_of(expr))?;
        self.compose_or_zero(ty, &members)
    }

    /// The ends of a range that is a value.
    pub(super) fn lower_ends(&mut self, expr: &Expr) -> Option<Ends> {
        let Ty::Range(_, inclusive) = *self.ty_of(expr) else { return None };
        let value = self.lower_expr(expr)?;
        let (start, end) = (self.b.extract(value, &[0]), self.b.extract(value, &[1]));
        let exhausted = inclusive.then(|| self.b.extract(value, &[2]));
        Some(Ends { start, end, exhausted })
    }

    /// The ends with which a range goes through what is left: of one that is exhausted such that nothing is.
    pub(super) fn ends_of_rest(&mut self, ends: Ends) -> (ValueId, ValueId) {
        let Some(exhausted) = ends.exhausted else { return (ends.start, ends.end) };
        let (one, zero) = (self.int_like(ends.start, 1), self.int_like(ends.end, 0));
        (self.select(exhausted, one, ends.start), self.select(exhausted, zero, ends.end))
    }

    /// The place of a range that is changed.
    pub(super) fn lower_held(&mut self, expr: &Expr) -> Option<HeldRange> {
        let Ty::Range(_, inclusive) = *self.ty_of(expr) else { return None };
        let place = self.lower_target(expr)?;
        Some(HeldRange { place, inclusive, from_end: false })
    }

    fn held_member(&mut self, range: &HeldRange, member: u32) -> Place {
        let mut place = range.place.clone();
        place.path.push(Step::Field(member));
        place
    }

    fn held_ends(&mut self, range: &HeldRange) -> Ends {
        let member = |cx: &mut Self, member: u32| {
            let place = cx.held_member(range, member);
            cx.b.load(place)
        };
        let (start, end) = (member(self, 0), member(self, 1));
        let exhausted = range.inclusive.then(|| member(self, 2));
        Ends { start, end, exhausted }
    }

    /// Whether a range has elements.
    fn has_more(&mut self, ends: Ends) -> ValueId {
        match ends.exhausted {
            None => self.op(Op::Lt, &[ends.start, ends.end]),
            Some(exhausted) => {
                let (in_order, left) = (self.op(Op::Le, &[ends.start, ends.end]), self.op(Op::Not, &[exhausted]));
                self.op(Op::And, &[in_order, left])
            }
        }
    }

    /// Whether a range that is held has elements.
    pub(super) fn held_has_more(&mut self, range: &HeldRange) -> ValueId {
        let ends = self.held_ends(range);
        self.has_more(ends)
    }

    /// Takes the next element, which there is.
    pub(super) fn take_next(&mut self, range: &HeldRange) -> ValueId {
        let ends = self.held_ends(range);
        let (near, at, op) = if range.from_end { (ends.end, 1, Op::Sub) } else { (ends.start, 0, Op::Add) };
        let one = self.int_like(near, 1);
        let next = self.op(op, &[near, one]);
        let place = self.held_member(range, at);
        let Some(before) = ends.exhausted else {
            self.b.store(place, next);
            return if range.from_end { next } else { near };
        };
        // The last one leaves the ends as they are.
        let is_last = self.op(Op::Eq, &[ends.start, ends.end]);
        let next = self.select(is_last, near, next);
        self.b.store(place, next);
        let exhausted = self.op(Op::Or, &[before, is_last]);
        let place = self.held_member(range, 2);
        self.b.store(place, exhausted);
        near
    }

    /// A method of a range.
    pub(super) fn lower_range_method(&mut self, expr: &Expr, method: RangeMethod, args: &[&Expr]) -> Option<ValueId> {
        if method == RangeMethod::Clone {
            return self.lower_expr(args[0]);
        }
        if method.writes() {
            let mut range = self.lower_held(args[0])?;
            range.from_end = method == RangeMethod::NextBack;
            let more = self.held_has_more(&range);
            let ty = self.ty_of(expr).clone();
            let result = self.ty(&ty);
            let some = |cx: &mut Self| {
                let element = cx.take_next(&range);
                cx.make_variant(&ty, SOME, &[Some(element)])
            };
            return self.choose(more, result, some, |cx| cx.make_variant(&ty, NONE, &[]));
        }
        let ends = self.lower_ends(args[0])?;
        match method {
            RangeMethod::Start => Some(ends.start),
            RangeMethod::End => Some(ends.end),
            RangeMethod::IsEmpty => {
                let more = self.has_more(ends);
                Some(self.op(Op::Not, &[more]))
            }
            RangeMethod::Contains => {
                let value = self.lower_expr(args.get(1)?)?;
                let (above, below) = (
                    self.op(Op::Le, &[ends.start, value]),
                    match ends.exhausted {
                        None => self.op(Op::Lt, &[value, ends.end]),
                        Some(exhausted) => {
                            // Rust leaves the end out once it was given.
                            let (to, before) =
                                (self.op(Op::Le, &[value, ends.end]), self.op(Op::Lt, &[value, ends.end]));
                            self.select(exhausted, before, to)
                        }
                    },
                );
                Some(self.op(Op::And, &[above, below]))
            }
            _ => Some(self.count_between(ends.start, ends.end)),
        }
    }
}
