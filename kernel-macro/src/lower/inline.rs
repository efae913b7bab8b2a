//! Closures that run where they stand: the arguments of `map` and its like. Their variables are the function's own.

use gridwise_ir::ir::{BlockId, LocalId, Place, ValueId};

use super::function::{FnCx, Slot};
use super::function_of;
use super::place::Spot;
use super::reference::Argument;
use crate::ast::{BindingId, Closure, Expr, ExprId, Pattern, spread};
use crate::infer::callable_of;
use crate::program::ItemId;
use crate::typed::{Ty, TypedFn};

/// The frame that a `return` leaves: of a closure, or of a function that is lowered in place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'p> {
    body: BlockId,
    has_result: bool,
    /// The closure's result.
    pub(super) ty: &'p Ty,
}

impl<'p> Frame<'p> {
    /// A loop of one round whose body a `return` leaves with a value of type `ty`.
    pub(super) const fn new(body: BlockId, has_result: bool, ty: &'p Ty) -> Self {
        Self { body, has_result, ty }
    }
}

/// A closure that is about to be called, perhaps many times.
#[derive(Debug, Clone)]
pub(super) struct Callable<'e> {
    id: ExprId,
    closure: &'e Closure,
    /// The values that a `move` closure took along, by variable.
    taken: Vec<(BindingId, Slot)>,
    /// The functions that it runs in, if these gave iterators to the one that calls it: the innermost last.
    homes: Vec<u32>,
    /// The position among the callers of the one that it runs in, if that passed an iterator on.
    caller: Option<usize>,
}

impl Callable<'_> {
    /// The type of its results.
    pub(super) fn result<'t>(&self, typed: &'t TypedFn) -> Option<&'t Ty> {
        typed.closures.get(&self.id).map(|closure| &closure.result)
    }

    /// Notes that a function was left, with an iterator that calls it; whether it runs in that function.
    pub(super) fn leave_home(&mut self, home: u32, caller: usize) -> bool {
        match self.caller {
            // The function was passed the iterator by its caller, which goes on.
            Some(own) => {
                self.caller = Some(own).filter(|own| *own < caller);
                false
            }
            None => {
                self.homes.insert(0, home);
                true
            }
        }
    }

    /// Notes that it is passed on, while it runs in the caller at a position.
    pub(super) fn keep_home(&mut self, caller: usize) {
        self.caller.get_or_insert(caller);
    }
}

impl<'p> FnCx<'p, '_, '_> {
    /// Evaluates an argument that is something to call: the closure comes into being, nothing runs yet.
    pub(super) fn callable(&mut self, expr: &Expr) -> Option<Callable<'p>> {
        let id = callable_of(expr).id;
        let typed = self.typed;
        let closure = &typed.closures.get(&id)?.closure;
        let taken = self.taken_by(id, closure);
        Some(Callable { id, closure, taken, homes: Vec::new(), caller: None })
    }

    /// A closure of a function, which is this one.
    pub(super) fn callable_by_id(&mut self, item: ItemId, id: ExprId) -> Option<Callable<'p>> {
        let (_, typed) = function_of(self.shared.program, item);
        let closure = &typed.closures.get(&id)?.closure;
        let taken = self.taken_by(id, closure);
        Some(Callable { id, closure, taken, homes: Vec::new(), caller: None })
    }

    /// The values that a `move` closure takes along.
    fn taken_by(&mut self, id: ExprId, closure: &Closure) -> Vec<(BindingId, Slot)> {
        let mut taken = Vec::new();
        let typed = self.typed;
        if let Some(known) = typed.closures.get(&id)
            && closure.moves.is_some()
        {
            for binding in &known.captures {
                // A variable that cannot change needs no copy.
                if let Slot::Local(_) = self.slot(*binding)
                    && let Some(value) = Spot::of_slot(self.slot(*binding)).and_then(|spot| self.read(spot))
                {
                    let holds_array = self.holds_array(typed.binding(*binding));
                    let copy = if holds_array { self.in_memory(value, "captured") } else { Slot::Value(value) };
                    taken.push((*binding, copy));
                }
            }
        }
        taken
    }

    /// Calls it with a reference to a state, which lies in a variable unless it has no value, and an element.
    pub(super) fn call_with_state(
        &mut self,
        callable: &Callable<'_>,
        state: Option<LocalId>,
        element: Option<ValueId>,
    ) -> Option<ValueId> {
        self.at_home(callable, |cx| {
            let typed = cx.typed;
            let ty = typed.closures.get(&callable.id).and_then(|known| known.params.first());
            if let (Some((pattern, _)), Some(ty)) = (callable.closure.params.first(), ty) {
                cx.bind_state(pattern, ty, state.map(|state| Spot::at(Place::local(state))));
            }
            cx.call_behind(callable, 1, &[element])
        })
    }

    /// Runs code in the function that a closure is part of.
    fn at_home<R>(&mut self, callable: &Callable<'_>, run: impl FnOnce(&mut Self) -> R) -> R {
        self.in_caller(callable.caller, |cx| {
            cx.go_home(&callable.homes);
            let result = run(cx);
            cx.leave_homes(&callable.homes);
            result
        })
    }

    /// Runs code of the function that calls a closure, while the closure runs.
    pub(super) fn away_from_home<R>(&mut self, callable: &Callable<'_>, run: impl FnOnce(&mut Self) -> R) -> R {
        self.leave_homes(&callable.homes);
        let result = self.in_caller(callable.caller, run);
        self.go_home(&callable.homes);
        result
    }

    /// Makes the names in a pattern of tuples references to the parts of a place that they stand for.
    fn bind_state(&mut self, pattern: &Pattern, ty: &Ty, spot: Option<Spot>) {
        match (pattern, ty) {
            (Pattern::Binding { binding, .. }, _) => {
                let slot = spot.map_or(Slot::Nothing, |spot| self.alias(spot));
                self.set_slot(*binding, slot);
            }
            (Pattern::Tuple(patterns, _), Ty::Tuple(members)) => {
                for (member, pattern) in spread(patterns, members.len()).unwrap_or_default() {
                    let has_value = self.ty(&members[member]).is_some();
                    let part = spot.clone().filter(|_| has_value).map(|spot| {
                        let position = self.shared.types.position(self.b.types_mut(), ty, member as u32);
                        spot.member(position)
                    });
                    self.bind_state(pattern, &members[member], part);
                }
            }
            _ => {}
        }
    }

    /// Calls it, with references to places among the arguments.
    pub(super) fn call_with_places(&mut self, callable: &Callable<'_>, args: &[Argument]) -> Option<ValueId> {
        let mut values = Vec::with_capacity(args.len());
        for ((pattern, _), arg) in callable.closure.params.iter().zip(args) {
            values.push(match (arg, pattern) {
                (Argument::Value(value), _) => *value,
                (Argument::Place(slot), Pattern::Binding { binding, .. }) => {
                    self.set_slot(*binding, *slot);
                    None
                }
                (Argument::Place(_), _) => None,
            });
        }
        self.call_inline(callable, &values)
    }

    /// Calls it; arguments of unit type are `None`. The result is `None` when it is unit or control does not come out.
    pub(super) fn call_inline(&mut self, callable: &Callable<'_>, args: &[Option<ValueId>]) -> Option<ValueId> {
        self.at_home(callable, |cx| cx.call_behind(callable, 0, args))
    }

    /// As [`call_inline`](Self::call_inline), the first `skip` parameters apart, which are bound.
    fn call_behind(&mut self, callable: &Callable<'_>, skip: usize, args: &[Option<ValueId>]) -> Option<ValueId> {
        self.in_closure_here(callable, skip, args, |cx, closure| {
            let typed = cx.typed;
            let known = typed.closures.get(&callable.id)?;
            match known.returns {
                true => cx.lower_framed(&closure.body, &known.result),
                false => cx.lower_expr(&closure.body),
            }
        })
    }

    /// Runs code where a closure's parameters and what it took along have their values.
    pub(super) fn in_closure<'e, R>(
        &mut self,
        callable: &Callable<'e>,
        args: &[Option<ValueId>],
        run: impl FnOnce(&mut Self, &'e Closure) -> Option<R>,
    ) -> Option<R> {
        self.at_home(callable, |cx| cx.in_closure_here(callable, 0, args, run))
    }

    /// As [`in_closure`](Self::in_closure), in the function that the closure is part of; the first `skip` parameters are bound.
    fn in_closure_here<'e, R>(
        &mut self,
        callable: &Callable<'e>,
        skip: usize,
        args: &[Option<ValueId>],
        run: impl FnOnce(&mut Self, &'e Closure) -> Option<R>,
    ) -> Option<R> {
        let (closure, typed) = (callable.closure, self.typed);
        let known = typed.closures.get(&callable.id)?;
        let outside: Vec<_> = callable.taken.iter().map(|(binding, _)| (*binding, self.slot(*binding))).collect();
        for (binding, copy) in &callable.taken {
            self.set_slot(*binding, *copy);
        }
        for (((pattern, _), ty), value) in closure.params.iter().zip(&known.params).skip(skip).zip(args) {
            // A slice, or a reference to write through, is bound already.
            let is_place = matches!(ty, Ty::Buffer { origin: None, .. })
                || matches!(pattern, Pattern::Binding { binding, .. } if typed.references.get(binding) == Some(&true));
            if !is_place {
                self.bind_pattern(pattern, ty, *value);
            }
        }
        self.copies += 1;
        let value = run(self, closure);
        self.copies -= 1;
        for (binding, slot) in outside {
            self.set_slot(binding, slot);
        }
        value
    }

    /// The body of a closure that a `return` can leave: a loop of one round.
    fn lower_framed(&mut self, closure: &Expr, ty: &'p Ty) -> Option<ValueId> {
        let result = self.ty(ty);
        let body = self.b.new_loop_body(&[]);
        self.inlined.push(Frame { body, has_result: result.is_some(), ty });
        let parent = self.b.switch_to(body);
        let value = self.lower_expr(closure);
        self.emit_return(value);
        self.inlined.pop();
        self.b.switch_to(parent);
        let results = self.b.push_loop(body, &[], result.as_slice());
        results.first().copied().filter(|_| !self.b.is_terminated())
    }

    /// Leaves the closure around with its result.
    pub(super) fn leave_inline(&mut self, frame: Frame<'_>, value: Option<ValueId>) {
        match (frame.has_result, value) {
            (false, _) => self.b.break_(frame.body, &[]),
            (true, Some(value)) => self.b.break_(frame.body, &[value]),
            (true, None) => self.expect_left(),
        }
    }
}
