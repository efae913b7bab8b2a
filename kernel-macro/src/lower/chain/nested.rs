//! `flat_map` and `flatten`: the elements that one element makes are a loop within the loop. The steps behind stand in
//! the inner one, so that leaving it leaves both.

use gridwise_ir::ir::{LocalId, Place, ValueId};
use gridwise_ir::op::Op;

use super::indexed::{At, Extent, Indexed};
use super::machine::{Machine, Made};
use super::pull::{Exits, Jump};
use crate::ast::{Expr, ExprKind};
use crate::lower::control::Target;
use crate::lower::function::FnCx;
use crate::typed::Ty;

impl<'e> Machine<'e> {
    /// Whether its elements come from a `flat_map` or its like that a loop of its own goes through.
    pub(super) fn is_nested(&self) -> bool {
        match self {
            Self::Nested { .. } => true,
            Self::Indexed { .. }
            | Self::Lockstep { .. }
            | Self::Chain { .. }
            | Self::Held(_)
            | Self::Own { .. }
            | Self::Kept(_)
            | Self::Given(_) => false,
            Self::Step { inner, .. }
            | Self::Flatten { inner, .. }
            | Self::Peekable { inner, .. }
            | Self::Enumerate { inner, .. }
            | Self::Take { inner, .. }
            | Self::Skip { inner, .. }
            | Self::StepBy { inner, .. }
            | Self::Zip { left: inner, .. } => inner.is_nested(),
        }
    }

    /// The machine that its elements come from, at the end of the steps.
    fn source(&mut self) -> &mut Self {
        match self {
            Self::Step { inner, .. }
            | Self::Flatten { inner, .. }
            | Self::Peekable { inner, .. }
            | Self::Enumerate { inner, .. }
            | Self::Take { inner, .. }
            | Self::Skip { inner, .. }
            | Self::StepBy { inner, .. }
            | Self::Zip { left: inner, .. } => inner.source(),
            source => source,
        }
    }

    /// Notes what tells that the last element of a `take` was given; how many are left of each.
    fn end_by(&mut self, done: LocalId, counters: &mut Vec<LocalId>) {
        match self {
            Self::Take { inner, left, done: end } => {
                *end = Some(done);
                counters.push(*left);
                inner.end_by(done, counters);
            }
            Self::Step { inner, .. }
            | Self::Flatten { inner, .. }
            | Self::Peekable { inner, .. }
            | Self::Enumerate { inner, .. }
            | Self::Skip { inner, .. }
            | Self::StepBy { inner, .. }
            | Self::Zip { left: inner, .. } => inner.end_by(done, counters),
            _ => {}
        }
    }
}

/// The code that runs for each element. In a box: a loop within a loop has code around it that is no type of its own.
type Body<'b, 'p, 'm, 's> = Box<dyn FnOnce(&mut FnCx<'p, 'm, 's>, Option<ValueId>, Target) + 'b>;

impl<'p, 'm, 's> FnCx<'p, 'm, 's> {
    /// Runs code for each element of a machine whose elements come from loops within a loop.
    pub(super) fn drive_nested(&mut self, mut machine: Machine<'_>, body: Body<'_, 'p, 'm, 's>) {
        let Machine::Nested { inner, made } = std::mem::replace(machine.source(), Machine::Given(None)) else { return };
        self.start_cursors(&mut machine, true);
        let no = self.bool(false);
        let (done, mut counters) = (self.spill(no, "done"), Vec::new());
        machine.end_by(done, &mut counters);
        let done = (!counters.is_empty()).then_some(done);
        let each: Body<'_, 'p, 'm, 's> = Box::new(|cx, element, outer| {
            let behind: Body<'_, 'p, 'm, 's> = Box::new(|cx, element, target| {
                let target = target.within(outer, done);
                *machine.source() = Machine::Given(element);
                let exits = Exits { none: Jump::Break(target.leaves()), skip: Jump::Round(target) };
                let element = cx.pull(&mut machine, &exits, None);
                if !cx.b.is_terminated() {
                    body(cx, element, target);
                }
                if !cx.b.is_terminated() {
                    cx.leave_if_done(target);
                }
            });
            cx.drive_made(&made, element, behind);
        });
        if counters.is_empty() {
            return self.drive(*inner, each);
        }
        // Nothing is asked for where nothing may come.
        let mut any = self.bool(true);
        for left in counters {
            let (left, zero) = (self.get(left), self.u32(0));
            let some = self.op(Op::Ne, &[left, zero]);
            any = self.op(Op::And, &[any, some]);
        }
        self.when(any, |cx| cx.drive(*inner, each));
    }

    /// Runs code for each element of what an element is made.
    fn drive_made(&mut self, made: &Made<'_>, element: Option<ValueId>, body: Body<'_, 'p, 'm, 's>) {
        match made {
            Made::By(call) => {
                self.in_closure(call, &[element], |cx, closure| {
                    let chain = cx.lower_to_tail(&closure.body)?;
                    let machine = cx.machine(chain, false)?;
                    let body: Body<'_, 'p, 'm, 's> =
                        Box::new(|cx, element, target| cx.away_from_home(call, |cx| body(cx, element, target)));
                    cx.drive(machine, body);
                    Some(())
                });
            }
            Made::Itself(ty) => {
                if let Some(indexed) = self.elements_of_value(ty, element) {
                    self.drive(Machine::Indexed { indexed, cursor: None }, body);
                }
            }
        }
    }

    /// Runs the statements of a block that ends in an iterator; the iterator. `None` when control does not come there.
    pub(in crate::lower) fn lower_to_tail<'e>(&mut self, body: &'e Expr) -> Option<&'e Expr> {
        match &body.kind {
            ExprKind::Paren(inner, ..) => self.lower_to_tail(inner),
            ExprKind::Block { label: None, block } => {
                self.lower_statements(block);
                if self.b.is_terminated() {
                    return None;
                }
                self.lower_to_tail(block.tail.as_ref()?)
            }
            _ => Some(body),
        }
    }

    /// The elements of an array or slice that is a value.
    fn elements_of_value(&mut self, ty: &Ty, value: Option<ValueId>) -> Option<Indexed> {
        let (place, offset, element, (count, chunk)) = match ty {
            Ty::Array(element, len) => {
                let place = value.map(|value| Place::local(self.spill(value, "elements")));
                (place, None, element, (self.len_value(*len), None))
            }
            Ty::Buffer { element, origin: Some(call), .. } => {
                let slice = value?;
                let (offset, len) = (self.lane(slice, 0), self.lane(slice, 1));
                let origin = self.origins.get(call)?.clone();
                let len = origin.len.map_or(len, |len| self.u32(len));
                (Some(origin.place), Some(offset), element, (len, origin.chunk))
            }
            _ => return None,
        };
        let at = At::Elements { place, offset, ty: (**element).clone(), chunk };
        Some(Indexed { extent: Extent::Count(count), at, trusted: false })
    }
}
