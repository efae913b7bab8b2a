//! Methods that compare the elements of two iterators, or of one with those behind them.

use gridwise_ir::ir::{LocalId, ValueId};
use gridwise_ir::op::Op;

use super::machine::Machine;
use super::pull::Jump;
use crate::ast::{BinaryOp, Expr};
use crate::builtin::iteration::Iteration;
use crate::builtin::standard::Standard;
use crate::lower::compare::{EQUAL, GREATER, LESS};
use crate::lower::function::FnCx;
use crate::lower::inline::Callable;
use crate::typed::Ty;

/// How two elements are compared.
#[derive(Clone, Copy)]
struct Sides<'t> {
    ty: &'t Ty,
    /// Of `eq` and `ne` nothing, of which nobody asks who is first.
    of: Standard,
}

impl FnCx<'_, '_, '_> {
    /// `a < b` and `a.cmp(b)` of slices.
    pub(super) fn compare_slices(&mut self, expr: &Expr, iteration: Iteration, sides: &[&Expr]) -> Option<ValueId> {
        let (Ty::Array(item, _) | Ty::Buffer { element: item, .. }) = self.ty_of(sides[0]) else { return None };
        let item = (**item).clone();
        let left = self.slice_machine(sides[0])?;
        let right = self.slice_machine(sides[1])?;
        self.compare_machines(expr, iteration, &item, (left, right))
    }

    /// `a.eq(b)` and its like.
    pub(super) fn compare_iterators(
        &mut self,
        expr: &Expr,
        iteration: Iteration,
        left: Machine<'_>,
        item: &Ty,
        other: &Expr,
    ) -> Option<ValueId> {
        let right = self.machine(other, false)?;
        self.compare_machines(expr, iteration, item, (left, right))
    }

    fn compare_machines(
        &mut self,
        expr: &Expr,
        iteration: Iteration,
        item: &Ty,
        (left, right): (Machine<'_>, Machine<'_>),
    ) -> Option<ValueId> {
        let of = match iteration {
            Iteration::Compare(BinaryOp::Eq | BinaryOp::Ne) => Standard::PartialEq,
            Iteration::Cmp => Standard::Ord,
            _ => Standard::PartialOrd,
        };
        let order = self.order_iterators(left, right, Sides { ty: item, of });
        match iteration {
            Iteration::Compare(op) => Some(self.is_ordered(op, order)),
            Iteration::PartialCmp => self.option_of_order(expr, order),
            _ => Some(order),
        }
    }

    /// Orders two iterators: the first elements that differ decide, and an iterator without a further element comes
    /// first.
    fn order_iterators(&mut self, left: Machine<'_>, mut right: Machine<'_>, sides: Sides<'_>) -> ValueId {
        self.start_cursors(&mut right, false);
        let equal = self.u32(EQUAL);
        let result = self.spill(equal, "order");
        self.drive(left, |cx, element, target| {
            let is_shorter = Jump::Store(result, GREATER, Box::new(Jump::Break(target.leaves())));
            let other = cx.pull_apart(&mut right, &is_shorter, sides.ty);
            if cx.b.is_terminated() {
                return;
            }
            let order = match sides.of {
                Standard::PartialEq => {
                    let Some(equal) = cx.equal_elements(sides.ty, element, other) else { return };
                    let (same, different) = (cx.u32(EQUAL), cx.u32(LESS));
                    cx.select(equal, same, different)
                }
                of => cx.order(sides.ty, element, other, of),
            };
            let same = cx.u32(EQUAL);
            let differs = cx.b.op(Op::Ne, &[order, same]);
            cx.when(differs, |cx| {
                cx.set(result, order);
                cx.b.break_(target.leaves(), &[]);
            });
        });
        // Where no element differed, the other side may have more.
        let order = self.get(result);
        let same = self.u32(EQUAL);
        let is_open = self.b.op(Op::Eq, &[order, same]);
        self.when(is_open, |cx| {
            let body = cx.b.new_loop_body(&[]);
            let parent = cx.b.switch_to(body);
            cx.pull_apart(&mut right, &Jump::Break(body), sides.ty);
            if !cx.b.is_terminated() {
                let less = cx.u32(LESS);
                cx.set(result, less);
                cx.b.break_(body, &[]);
            }
            cx.b.switch_to(parent);
            cx.b.push_loop(body, &[], &[]);
        });
        self.get(result)
    }

    /// `is_sorted` and its like: `call` says whether two are in order, or makes what is compared, of the type.
    pub(super) fn is_sorted(
        &mut self,
        machine: Machine<'_>,
        item: &Ty,
        iteration: Iteration,
        call: Option<&Callable<'_>>,
    ) -> Option<ValueId> {
        let compared = match call {
            Some(call) if iteration == Iteration::IsSortedByKey => call.result(self.typed)?,
            _ => item,
        };
        let (yes, before) = (self.bool(true), self.nothing_found(compared));
        let result = self.spill(yes, "sorted");
        self.drive(machine, |cx, element, target| {
            let key = match call {
                Some(call) if iteration == Iteration::IsSortedByKey => cx.call_inline(call, &[element]),
                _ => element,
            };
            if cx.b.is_terminated() {
                return;
            }
            let any = cx.get(before.any);
            cx.when(any, |cx| {
                let last = before.value.map(|value| cx.get(value));
                let in_order = match call {
                    Some(call) if iteration == Iteration::IsSortedBy => cx.call_inline(call, &[last, key]),
                    _ => cx.compare_values(BinaryOp::Le, compared, last, key),
                };
                let Some(in_order) = in_order else { return };
                cx.leave_unless_sorted(in_order, result, target.leaves());
            });
            cx.note(&before, key);
        });
        Some(self.get(result))
    }

    fn leave_unless_sorted(&mut self, in_order: ValueId, result: LocalId, body: gridwise_ir::ir::BlockId) {
        let is_wrong = self.b.op(Op::Not, &[in_order]);
        self.when(is_wrong, |cx| {
            let no = cx.bool(false);
            cx.set(result, no);
            cx.b.break_(body, &[]);
        });
    }
}
