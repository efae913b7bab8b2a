//! Closures that run where they stand: the arguments of `map` and its like. Their variables are the function's own.

use gridwise_ir::ir::{BlockId, ValueId};

use super::function::{FnCx, Slot};
use super::place::Spot;
use crate::ast::{BindingId, Expr, ExprKind};
use crate::typed::{Ty, TypedFn};

/// What a `return` inside of a closure leaves, or of a function that is lowered where it is called.
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
    expr: &'e Expr,
    /// What a `move` closure took along, by variable.
    taken: Vec<(BindingId, Slot)>,
}

impl Callable<'_> {
    /// The type of its results.
    pub(super) fn result<'t>(&self, typed: &'t TypedFn) -> Option<&'t Ty> {
        typed.closures.get(&self.expr.id).map(|closure| &closure.result)
    }
}

impl<'p> FnCx<'p, '_, '_> {
    /// Evaluates an argument that is something to call: the closure comes into being, nothing runs yet.
    pub(super) fn callable<'e>(&mut self, expr: &'e Expr) -> Callable<'e> {
        let mut inner = expr;
        while let ExprKind::Paren(parenthesised) = &inner.kind {
            inner = parenthesised;
        }
        let mut taken = Vec::new();
        let typed = self.typed;
        if let (ExprKind::Closure(closure), Some(known)) = (&inner.kind, typed.closures.get(&inner.id))
            && closure.moves.is_some()
        {
            for binding in &known.captures {
                // What cannot change needs no copy.
                if let Slot::Local(_) = self.slot(*binding)
                    && let Some(value) = Spot::of_slot(self.slot(*binding)).and_then(|spot| self.read(spot))
                {
                    let holds_array = self.holds_array(typed.binding(*binding));
                    let copy = if holds_array { self.in_memory(value, "captured") } else { Slot::Value(value) };
                    taken.push((*binding, copy));
                }
            }
        }
        Callable { expr: inner, taken }
    }

    /// Calls it; arguments of unit type are `None`. The result is `None` when it is unit or control does not come out.
    pub(super) fn call_inline(&mut self, callable: &Callable<'_>, args: &[Option<ValueId>]) -> Option<ValueId> {
        let ExprKind::Closure(closure) = &callable.expr.kind else { return None };
        let typed = self.typed;
        let known = typed.closures.get(&callable.expr.id)?;
        let outside: Vec<_> = callable.taken.iter().map(|(binding, _)| (*binding, self.slot(*binding))).collect();
        for (binding, copy) in &callable.taken {
            self.set_slot(*binding, *copy);
        }
        for (((pattern, _), ty), value) in closure.params.iter().zip(&known.params).zip(args) {
            self.bind_pattern(pattern, ty, *value);
        }
        let value = if known.returns {
            self.lower_framed(&closure.body, &known.result)
        } else {
            self.lower_expr(&closure.body)
        };
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
            // Control does not come here.
            (true, None) => self.b.unreachable(),
        }
    }
}
