//! Methods that make one value of the elements of a chain.

use gridwise_ir::ir::{LocalId, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, TypeId};

use crate::ast::{BinaryOp, Expr};
use crate::builtin::iteration::Iteration;
use crate::builtin::overflow::Arithmetic;
use crate::builtin::standard::Standard;
use crate::infer::is_place;
use crate::lower::control::Target;
use crate::lower::function::FnCx;
use crate::lower::inline::Callable;
use crate::lower::variant::{NONE, OK, SOME};
use crate::typed::Ty;

use super::indexed::{At, Extent};
use super::machine::Machine;

/// A variable that may hold a value.
#[derive(Clone)]
pub(in crate::lower) struct Found {
    pub(super) any: LocalId,
    /// Nothing when values of its type have no bits.
    pub(super) value: Option<LocalId>,
}

impl FnCx<'_, '_, '_> {
    /// A method that consumes the chain that is its receiver.
    pub(in crate::lower) fn lower_iteration(
        &mut self,
        expr: &Expr,
        iteration: Iteration,
        args: &[&Expr],
    ) -> Option<ValueId> {
        use Iteration as I;
        if let (I::Compare(_) | I::Cmp | I::PartialCmp, Ty::Array(..) | Ty::Buffer { .. }) =
            (iteration, self.ty_of(args[0]))
        {
            return self.compare_slices(expr, iteration, args);
        }
        let reversed = matches!(iteration, I::Rfind | I::Rfold | I::Rposition);
        let machine = match self.ty_of(args[0]) {
            Ty::Range(..) if iteration.borrows() && is_place(args[0]) => self.held_machine(args[0], reversed)?,
            _ if iteration.borrows() && is_place(args[0]) && self.own_element(args[0]).is_some() => {
                self.own_machine(args[0], true)?
            }
            _ => self.machine(args[0], reversed)?,
        };
        let item: &Ty = match self.ty_of(args[0]) {
            // Of a slice, what has a method of the same name as an iterator.
            Ty::Iterator(item) | Ty::Range(item, _) | Ty::Array(item, _) | Ty::Buffer { element: item, .. } => item,
            _ => self.own_element(args[0])?,
        };
        let closure = |cx: &mut Self, position: usize| args.get(position).and_then(|arg| cx.callable(arg));
        match iteration {
            I::Sum | I::Product => self.accumulate(machine, item, iteration),
            I::Count => Some(self.count_elements(machine)),
            I::ForEach => {
                let call = closure(self, 1)?;
                self.drive(machine, |cx, element, _| {
                    cx.call_inline(&call, &[element]);
                });
                None
            }
            I::Fold | I::Rfold => {
                let start = self.lower_expr(args[1]);
                let call = closure(self, 2)?;
                self.fold_elements(machine, start, &call)
            }
            I::TryFold => {
                let start = self.lower_expr(args[1]);
                let call = closure(self, 2)?;
                self.try_fold(expr, machine, start, &call, true)
            }
            I::TryForEach => {
                let call = closure(self, 1)?;
                self.try_fold(expr, machine, None, &call, false)
            }
            I::Any | I::All => {
                let call = closure(self, 1)?;
                Some(self.search(machine, &call, iteration == I::Any))
            }
            I::Nth => {
                let count = self.lower_expr(args[1])?;
                if let Some((at, all)) = self.by_position(&machine) {
                    return self.element_or_none(expr, item, &at, (count, all));
                }
                let left = self.spill(count, "left");
                self.first_that(expr, machine, item, |cx, _| {
                    let (count, zero) = (cx.get(left), cx.u32(0));
                    let is_it = cx.b.op(Op::Eq, &[count, zero]);
                    let one = cx.u32(1);
                    let next = cx.b.op(Op::Sub, &[count, one]);
                    cx.set(left, next);
                    Some(is_it)
                })
            }
            I::Next if self.by_position(&machine).is_some() => {
                let (at, all) = self.by_position(&machine)?;
                let first = self.u32(0);
                self.element_or_none(expr, item, &at, (first, all))
            }
            I::Next => self.first_that(expr, machine, item, |cx, _| Some(cx.bool(true))),
            I::Peek => {
                let (ahead, _) = self.peek(machine)?;
                self.option_found(expr, &ahead)
            }
            I::NextIf => {
                let call = closure(self, 1)?;
                let (ahead, has) = self.peek(machine)?;
                let (any, found) = (self.get(ahead.any), self.nothing_found(item));
                self.when(any, |cx| {
                    let value = ahead.value.map(|value| cx.get(value));
                    let Some(holds) = cx.call_inline(&call, &[value]) else { return };
                    cx.when(holds, |cx| {
                        let no = cx.bool(false);
                        cx.set(has, no);
                        cx.note(&found, value);
                    });
                });
                self.option_found(expr, &found)
            }
            I::Find | I::Rfind => {
                let call = closure(self, 1)?;
                self.first_that(expr, machine, item, |cx, element| cx.call_inline(&call, &[element]))
            }
            I::Position => {
                let call = closure(self, 1)?;
                self.position(expr, machine, &call)
            }
            I::FindMap => {
                let call = closure(self, 1)?;
                self.find_map(expr, machine, &call)
            }
            I::Last => {
                if let Some((at, all)) = self.by_position(&machine) {
                    // Where there is none, the number wraps around, and is not below zero.
                    let last = self.less_one(all);
                    return self.element_or_none(expr, item, &at, (last, all));
                }
                let found = self.nothing_found(item);
                self.drive(machine, |cx, element, _| cx.note(&found, element));
                self.option_found(expr, &found)
            }
            I::Reduce => {
                let call = closure(self, 1)?;
                let found = self.nothing_found(item);
                self.drive(machine, |cx, element, _| {
                    let any = cx.get(found.any);
                    let both = |cx: &mut Self| {
                        let before = found.value.map(|value| cx.get(value));
                        let made = cx.call_inline(&call, &[before, element]);
                        cx.note(&found, made);
                        None
                    };
                    let first = |cx: &mut Self| {
                        cx.note(&found, element);
                        None
                    };
                    cx.choose(any, None, both, first);
                });
                self.option_found(expr, &found)
            }
            I::Min | I::Max => {
                let found = self.nothing_found(item);
                self.drive(machine, |cx, element, _| {
                    cx.note_better(&found, element, (item, element), &found, iteration)
                });
                self.option_found(expr, &found)
            }
            I::MinBy | I::MaxBy => {
                let call = closure(self, 1)?;
                let found = self.nothing_found(item);
                self.drive(machine, |cx, element, _| {
                    let any = cx.get(found.any);
                    let before = found.value.map(|value| cx.get(value));
                    let flag = cx.b.value_type(any);
                    let asks = |cx: &mut Self| {
                        let order = cx.call_inline(&call, &[before, element])?;
                        Some(cx.is_better(iteration, order))
                    };
                    if let Some(takes) = cx.choose(any, Some(flag), asks, |cx| Some(cx.bool(true))) {
                        cx.when(takes, |cx| cx.note(&found, element));
                    }
                });
                self.option_found(expr, &found)
            }
            I::MinByKey | I::MaxByKey => {
                let call = closure(self, 1)?;
                let key_ty = call.result(self.typed)?;
                let (found, best) = (self.nothing_found(item), self.nothing_found(key_ty));
                self.drive(machine, |cx, element, _| {
                    let key = cx.call_inline(&call, &[element]);
                    if !cx.b.is_terminated() {
                        cx.note_better(&found, element, (key_ty, key), &best, iteration);
                    }
                });
                self.option_found(expr, &found)
            }
            I::Rposition => {
                let call = closure(self, 1)?;
                self.rposition(expr, machine, &call)
            }
            I::Compare(_) | I::Cmp | I::PartialCmp => self.compare_iterators(expr, iteration, machine, item, args[1]),
            I::IsSorted | I::IsSortedBy | I::IsSortedByKey => {
                let call = closure(self, 1);
                self.is_sorted(machine, item, iteration, call.as_ref())
            }
            // Adapters are part of what is consumed.
            I::IntoIter
            | I::Iter
            | I::IterMut
            | I::Parts(_)
            | I::ByRef
            | I::Same
            | I::Fork
            | I::Peekable
            | I::Rev
            | I::StepBy => None,
            I::Enumerate | I::Map | I::Filter | I::FilterMap | I::Flatten | I::Nested(_) | I::Zip | I::Chain => None,
            I::Cycle | I::Take | I::Skip | I::TakeWhile | I::SkipWhile | I::MapWhile | I::Scan | I::Inspect => None,
        }
    }

    fn accumulate(&mut self, machine: Machine<'_>, item: &Ty, iteration: Iteration) -> Option<ValueId> {
        let ty = self.ty(item)?;
        let is_sum = iteration == Iteration::Sum;
        if let Ty::Scalar(name) = item
            && name.is_wide()
        {
            return self.accumulate_wide(machine, is_sum, name.is_signed());
        }
        let model = self.zero(ty);
        let (scalar, _) = self.shape(model);
        let start = match (scalar.is_float(), item) {
            // As in Rust: nothing adds up to -0.0.
            (true, Ty::Scalar(_)) => self.float_like(model, if is_sum { -0.0 } else { 1.0 }),
            (true, _) => self.float_like(model, if is_sum { 0.0 } else { 1.0 }),
            (false, _) => self.int_like(model, i64::from(!is_sum)),
        };
        let total = self.spill(start, if is_sum { "sum" } else { "product" });
        self.drive(machine, |cx, element, _| {
            if let Some(element) = element {
                let before = cx.get(total);
                let after = cx.b.op(if is_sum { Op::Add } else { Op::Mul }, &[before, element]);
                cx.set(total, after);
            }
        });
        Some(self.get(total))
    }

    fn accumulate_wide(&mut self, machine: Machine<'_>, is_sum: bool, signed: bool) -> Option<ValueId> {
        let start = self.wide(u128::from(!is_sum), signed);
        let total = self.spill(start, if is_sum { "sum" } else { "product" });
        let op = if is_sum { Arithmetic::Add } else { Arithmetic::Mul };
        self.drive(machine, |cx, element, _| {
            if let Some(element) = element {
                let before = cx.get(total);
                let after = cx.wide_flagged(op, before, element).value;
                cx.set(total, after);
            }
        });
        Some(self.get(total))
    }

    /// The elements of a machine that are reached by position, and how many there are.
    fn by_position(&mut self, machine: &Machine<'_>) -> Option<(At, ValueId)> {
        let Machine::Indexed { indexed, cursor: None } = machine else { return None };
        match self.settled(indexed.extent) {
            Extent::Count(all) => Some((indexed.at.clone(), all)),
            _ => None,
        }
    }

    /// The element at a position, if it is below the number of elements.
    fn element_or_none(
        &mut self,
        expr: &Expr,
        item: &Ty,
        at: &At,
        (position, all): (ValueId, ValueId),
    ) -> Option<ValueId> {
        let inside = self.b.op(Op::Lt, &[position, all]);
        let ty = self.ty_of(expr).clone();
        let Some(element) = self.ty(item) else {
            let (some, none) = (self.make_variant(&ty, SOME, &[None])?, self.make_variant(&ty, NONE, &[])?);
            return Some(self.select(inside, some, none));
        };
        let value = match at.is_computed() {
            true => self.element_at(at, position)?,
            false => {
                self.choose(inside, Some(element), |cx| cx.element_at(at, position), |cx| Some(cx.zero(element)))?
            }
        };
        self.option_of(&ty, inside, value)
    }

    fn count_elements(&mut self, machine: Machine<'_>) -> ValueId {
        if let Some((_, all)) = self.by_position(&machine) {
            return all;
        }
        let zero = self.u32(0);
        let count = self.spill(zero, "count");
        self.drive(machine, |cx, _, _| cx.count_up(count));
        self.get(count)
    }

    fn count_up(&mut self, counter: LocalId) {
        let count = self.get(counter);
        let one = self.u32(1);
        let next = self.b.op(Op::Add, &[count, one]);
        self.set(counter, next);
    }

    fn fold_elements(&mut self, machine: Machine<'_>, start: Option<ValueId>, call: &Callable<'_>) -> Option<ValueId> {
        if self.b.is_terminated() {
            return None;
        }
        let state = start.map(|start| self.spill(start, "folded"));
        self.drive(machine, |cx, element, _| {
            let before = state.map(|state| cx.get(state));
            let after = cx.call_inline(call, &[before, element]);
            if let (Some(state), Some(after)) = (state, after) {
                cx.set(state, after);
            }
        });
        state.map(|state| self.get(state))
    }

    /// `has_state`: the closure gets a state, not only the element.
    fn try_fold(
        &mut self,
        expr: &Expr,
        machine: Machine<'_>,
        start: Option<ValueId>,
        call: &Callable<'_>,
        has_state: bool,
    ) -> Option<ValueId> {
        if self.b.is_terminated() {
            return None;
        }
        let ty = self.ty_of(expr).clone();
        let result = self.ty(&ty)?;
        let good = if let Ty::Option(_) = ty { SOME } else { OK };
        let state = start.map(|start| self.spill(start, "folded"));
        let (no, nothing) = (self.bool(false), self.zero(result));
        let (failed, failure) = (self.spill(no, "failed"), self.spill(nothing, "failure"));
        self.drive(machine, |cx, element, target| {
            let before = state.map(|state| cx.get(state));
            let given = if has_state { vec![before, element] } else { vec![element] };
            let Some(made) = cx.call_inline(call, &given) else { return };
            let Some(is_good) = cx.is_variant(&ty, made, good) else { return };
            let fail = |cx: &mut Self| {
                let yes = cx.bool(true);
                cx.set(failed, yes);
                cx.set(failure, made);
                cx.b.break_(target.leaves(), &[]);
                None
            };
            cx.choose(is_good, None, |_| None, fail);
            if let (Some(state), Some(after)) = (state, cx.variant_member(&ty, made, good, 0)) {
                cx.set(state, after);
            }
        });
        let failed = self.get(failed);
        let value = state.map(|state| self.get(state));
        let fine = self.make_variant(&ty, good, &[value])?;
        let failure = self.get(failure);
        Some(self.select(failed, failure, fine))
    }

    /// Whether an element makes the closure give `wanted`.
    fn search(&mut self, machine: Machine<'_>, call: &Callable<'_>, wanted: bool) -> ValueId {
        let otherwise = self.bool(!wanted);
        let result = self.spill(otherwise, "found");
        self.drive(machine, |cx, element, target| {
            let Some(holds) = cx.call_inline(call, &[element]) else { return };
            let found = |cx: &mut Self| {
                let decided = cx.bool(wanted);
                cx.set(result, decided);
                cx.b.break_(target.leaves(), &[]);
                None
            };
            match wanted {
                true => cx.choose(holds, None, found, |_| None),
                false => cx.choose(holds, None, |_| None, found),
            };
        });
        self.get(result)
    }

    /// The first element for which the test holds.
    fn first_that(
        &mut self,
        expr: &Expr,
        machine: Machine<'_>,
        item: &Ty,
        test: impl FnOnce(&mut Self, Option<ValueId>) -> Option<ValueId>,
    ) -> Option<ValueId> {
        if self.b.is_terminated() {
            return None;
        }
        let found = self.nothing_found(item);
        self.drive(machine, |cx, element, target| {
            let Some(holds) = test(cx, element) else { return };
            cx.when(holds, |cx| cx.note_and_leave(&found, element, target));
        });
        self.option_found(expr, &found)
    }

    /// Asks a `peekable` for its next element, unless that is there already: the element, and whether it is there.
    fn peek(&mut self, machine: Machine<'_>) -> Option<(Found, LocalId)> {
        let (inner, has, ahead) = match machine {
            Machine::Kept(inner) => return self.peek(*inner),
            Machine::Peekable { inner, has, ahead, .. } => (inner, has, ahead),
            _ => return None,
        };
        let (is_there, no) = (self.get(has), self.bool(false));
        let is_missing = self.b.op(Op::Eq, &[is_there, no]);
        self.when(is_missing, |cx| {
            let (yes, no) = (cx.bool(true), cx.bool(false));
            cx.set(ahead.any, no);
            cx.set(has, yes);
            cx.drive(Machine::Kept(inner), |cx, element, target| cx.note_and_leave(&ahead, element, target));
        });
        Some((ahead, has))
    }

    fn position(&mut self, expr: &Expr, machine: Machine<'_>, call: &Callable<'_>) -> Option<ValueId> {
        let zero = self.u32(0);
        self.position_from(zero, expr, machine, call, Self::count_up)
    }

    /// The position, from the first on, of the last element for which the closure holds.
    fn rposition(&mut self, expr: &Expr, machine: Machine<'_>, call: &Callable<'_>) -> Option<ValueId> {
        let len = machine.extent().map(|extent| self.last_of(extent))?;
        let len = self.cast(len, Scalar::U32);
        // The position of the last one; where there is none, nobody asks.
        self.position_from(len, expr, machine, call, Self::count_down)
    }

    /// The position of the first element for which the closure holds, in a count from `start`.
    fn position_from(
        &mut self,
        start: ValueId,
        expr: &Expr,
        machine: Machine<'_>,
        call: &Callable<'_>,
        step: fn(&mut Self, LocalId),
    ) -> Option<ValueId> {
        let count = self.spill(start, "count");
        let found = self.nothing_found(&Ty::USIZE);
        self.drive(machine, |cx, element, target| {
            let Some(holds) = cx.call_inline(call, &[element]) else { return };
            cx.when(holds, |cx| {
                let position = cx.get(count);
                cx.note_and_leave(&found, Some(position), target);
            });
            step(cx, count);
        });
        self.option_found(expr, &found)
    }

    fn find_map(&mut self, expr: &Expr, machine: Machine<'_>, call: &Callable<'_>) -> Option<ValueId> {
        let ty = self.ty_of(expr).clone();
        let Ty::Option(value_ty) = &ty else { return None };
        let found = self.nothing_found(value_ty);
        self.drive(machine, |cx, element, target| {
            let Some(made) = cx.call_inline(call, &[element]) else { return };
            let Some(is_some) = cx.is_variant(&ty, made, SOME) else { return };
            cx.when(is_some, |cx| {
                let value = cx.variant_member(&ty, made, SOME, 0);
                cx.note_and_leave(&found, value, target);
            });
        });
        self.option_found(expr, &found)
    }

    pub(super) fn nothing_found(&mut self, ty: &Ty) -> Found {
        let no = self.bool(false);
        let any = self.spill(no, "any");
        let ty: Option<TypeId> = self.ty(ty);
        let value = ty.map(|ty| {
            let nothing = self.zero(ty);
            self.spill(nothing, "found")
        });
        Found { any, value }
    }

    /// Keeps a value.
    pub(super) fn note(&mut self, found: &Found, value: Option<ValueId>) {
        if self.b.is_terminated() {
            return;
        }
        let yes = self.bool(true);
        self.set(found.any, yes);
        if let (Some(place), Some(value)) = (found.value, value) {
            self.set(place, value);
        }
    }

    fn note_and_leave(&mut self, found: &Found, value: Option<ValueId>, target: Target) {
        self.note(found, value);
        self.b.break_(target.leaves(), &[]);
    }

    /// Keeps an element if its key is better than the best one: of equals the first is the least, the last the largest.
    fn note_better(
        &mut self,
        found: &Found,
        element: Option<ValueId>,
        (ty, key): (&Ty, Option<ValueId>),
        best: &Found,
        iteration: Iteration,
    ) {
        let before = best.value.map(|place| self.get(place));
        let any = self.get(found.any);
        // A function of an `impl` sees no key but those that came.
        let takes = if self.shared.program.leads_to_functions(ty, Standard::Ord) {
            let flag = self.b.value_type(any);
            let asks = |cx: &mut Self| {
                let order = cx.order(ty, before, key, Standard::Ord);
                Some(cx.is_better(iteration, order))
            };
            self.choose(any, Some(flag), asks, |cx| Some(cx.bool(true)))
        } else {
            let is_better = match (ty, before, key) {
                (Ty::Scalar(_), Some(before), Some(key)) => {
                    let is_least = matches!(iteration, Iteration::Min | Iteration::MinByKey);
                    self.ordered(if is_least { Op::Lt } else { Op::Ge }, key, before)
                }
                _ => {
                    let order = self.order(ty, before, key, Standard::Ord);
                    self.is_better(iteration, order)
                }
            };
            let is_first = self.b.op(Op::Not, &[any]);
            Some(self.b.op(Op::Or, &[is_first, is_better]))
        };
        let Some(takes) = takes else { return };
        self.when(takes, |cx| {
            cx.note(best, key);
            cx.note(found, element);
        });
    }

    /// Whether the next one takes the place of the best one so far, which is ordered so to it.
    fn is_better(&mut self, iteration: Iteration, order: ValueId) -> ValueId {
        let is_least = matches!(iteration, Iteration::Min | Iteration::MinBy | Iteration::MinByKey);
        self.is_ordered(if is_least { BinaryOp::Gt } else { BinaryOp::Le }, order)
    }

    /// A comparison of integers, or of `bool`s, of which `false` is less.
    fn ordered(&mut self, op: Op, left: ValueId, right: ValueId) -> ValueId {
        if self.is_wide(left) {
            return self.compare_op(op, left, right);
        }
        let is_bool = self.shape(left).0 == gridwise_ir::types::Scalar::Bool;
        let word = |cx: &mut Self, value| if is_bool { cx.cast(value, gridwise_ir::types::Scalar::U32) } else { value };
        let (left, right) = (word(self, left), word(self, right));
        self.b.op(op, &[left, right])
    }

    /// The result of a search, in the form that the method gives.
    fn option_found(&mut self, expr: &Expr, found: &Found) -> Option<ValueId> {
        let ty = self.ty_of(expr).clone();
        let any = self.get(found.any);
        match found.value {
            Some(value) => {
                let value = self.get(value);
                let (some, none) = (self.make_variant(&ty, SOME, &[Some(value)])?, self.make_variant(&ty, NONE, &[])?);
                Some(self.select(any, some, none))
            }
            None => {
                let (some, none) = (self.make_variant(&ty, SOME, &[None])?, self.make_variant(&ty, NONE, &[])?);
                Some(self.select(any, some, none))
            }
        }
    }
}
