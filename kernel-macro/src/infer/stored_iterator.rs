//! Iterators in variables. One that is not `mut` is consumed once, as Rust sees to, and means the chain itself. One that is `mut`
//! may be asked for an element at a time, and is refused where what it gives behind its end depends on who asks.

use proc_macro2::Ident;

use crate::ast::{BindingId, Expr, ExprKind, SpanRange};
use crate::builtin::iteration::Iteration;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Resolution};

use super::block::strip;
use super::unify::Term;
use super::{Infer, range};

impl<'a> Infer<'a> {
    /// Makes a chain the value of a variable.
    pub(super) fn keep_iterator(&mut self, binding: BindingId, mutable: bool, value: &'a Expr, term: Term) -> Term {
        if let Some((span, message, help)) = self.unkept(value, mutable) {
            self.error(code::UNSUPPORTED_SYNTAX, span, message)
                .note("the chain of an iterator in a variable runs where the variable is used")
                .help(help);
            return Term::Error;
        }
        if self.refuse_remote_source(value) {
            return Term::Error;
        }
        self.kept.insert(binding, (value, mutable));
        term
    }

    /// The part of a chain that no variable can hold.
    pub(super) fn unkept(&self, expr: &'a Expr, mutable: bool) -> Option<(SpanRange, String, &'static str)> {
        use Iteration as I;
        let expr = self.unfold(expr);
        if let Some((given, name)) = self.given_iterator(expr) {
            let message = format!("the iterator of `{name}` in a `let mut` variable is not supported in kernels");
            let help = "go through it with `for`, or take what is asked for where it is called: `.take(n)`, `.nth(n)`";
            return (mutable && given.moves_on_by_loops).then_some((expr.span, message, help));
        }
        let ExprKind::Method { receiver, name, args, .. } = &expr.kind else { return None };
        let Some(Callee::Iterate(iteration)) = self.tables.calls.get(&expr.id) else { return None };
        let refuse = |help| {
            let what = if mutable { "a `let mut` iterator" } else { "an iterator in a variable" };
            Some((range(name.span()), format!("`{name}` in {what} is not supported in kernels"), help))
        };
        match iteration {
            I::IterMut => {
                return refuse("write the whole chain in the head of the `for` loop that stores to the elements");
            }
            I::Parts(parts) if parts.writes() => {
                return refuse("write the whole chain in the head of the `for` loop that stores to the elements");
            }
            I::Iter | I::Parts(_) => return None,
            I::TakeWhile | I::MapWhile | I::Scan if mutable => {
                return refuse("call it where the elements are used: `it.by_ref().take_while(…)`");
            }
            I::Nested(_) if mutable => return refuse("write nested `for` loops"),
            I::Zip if mutable && (self.has_closure(receiver) || args.iter().any(|arg| self.has_closure(arg))) => {
                return refuse("put `.zip(…)` before `.map(…)`");
            }
            _ => {}
        }
        let is_pair = matches!(iteration, I::Zip | I::Chain);
        let other = args.first().filter(|_| is_pair).and_then(|arg| self.unkept(arg, mutable));
        other.or_else(|| self.unkept(receiver, mutable))
    }

    /// The iterator that an expression names, also by `&mut it`, with what makes it and whether it is `mut`.
    fn kept_at(&self, expr: &Expr) -> Option<(&'a Expr, bool)> {
        let mut expr = strip(expr);
        if let ExprKind::Borrow { mutable: true, operand } = &expr.kind {
            expr = strip(operand);
        }
        let ExprKind::Path(_) = &expr.kind else { return None };
        match self.tables.paths.get(&expr.id) {
            Some(Resolution::Binding(binding)) => self.kept.get(binding).copied(),
            _ => None,
        }
    }

    /// The chain that an expression is or names.
    pub(super) fn unfold(&self, expr: &'a Expr) -> &'a Expr {
        match self.kept_at(expr) {
            Some((value, _)) => self.unfold(value),
            None => strip(expr),
        }
    }

    /// The chain that an expression is, or names by a variable that is not `mut`.
    pub(super) fn unfold_fixed(&self, expr: &'a Expr) -> &'a Expr {
        match self.kept_at(expr) {
            Some((value, false)) => self.unfold_fixed(value),
            _ => strip(expr),
        }
    }

    /// The iterator in a variable that a chain goes on with, as written. `mutable`: one that may have given elements.
    pub(super) fn goes_on_with(&self, expr: &'a Expr, mutable: bool) -> Option<&'a Expr> {
        let expr = strip(expr);
        if let Some((value, is_mutable)) = self.kept_at(expr) {
            return match is_mutable || !mutable {
                true => Some(expr),
                false => self.goes_on_with(value, mutable),
            };
        }
        if let Some(passed) = self.passed_iterator(expr) {
            return (passed.mutable || !mutable).then_some(expr);
        }
        match (&expr.kind, self.tables.calls.get(&expr.id)) {
            (ExprKind::Method { receiver, args, .. }, Some(Callee::Iterate(iteration))) => {
                let is_pair = matches!(iteration, Iteration::Zip | Iteration::Chain);
                let other = args.first().filter(|_| is_pair).and_then(|arg| self.goes_on_with(arg, mutable));
                other.or_else(|| self.goes_on_with(receiver, mutable))
            }
            _ => None,
        }
    }

    /// Reports a method that has to know how a chain begins, of one that begins with an iterator in a variable; whether it did.
    pub(super) fn refuse_kept(&mut self, iteration: Iteration, name: &Ident, chain: &'a Expr) -> bool {
        use Iteration as I;
        let mutable = match iteration {
            I::Rev | I::Rfind | I::Rfold | I::Rposition => false,
            I::Cycle | I::Zip => true,
            _ => return false,
        };
        let Some(named) = self.goes_on_with(chain, mutable) else { return false };
        let source = text(named);
        let is_passed = self.passed_iterator(named).is_some();
        let holder = if is_passed { "parameter" } else { "variable" };
        let message = format!("`{name}` of the iterator `{source}` in a {holder} is not supported in kernels");
        let help = match iteration {
            I::Cycle if is_passed => "write it where the iterator is passed: `….cycle()`".to_owned(),
            I::Rev | I::Rfind | I::Rfold | I::Rposition if is_passed => {
                "reverse it where it is passed: `….rev()`".to_owned()
            }
            I::Zip => format!("put it second: `other.zip({source})`"),
            I::Cycle => format!("write it where the iterator is made: `let {source} = ….cycle();`"),
            _ => format!("reverse it where it is made: `let {source} = ….rev();`"),
        };
        self.error(code::UNSUPPORTED_SYNTAX, range(name.span()), message).help(help);
        true
    }

    /// Whether a method asks an iterator in a variable for some elements and leaves the others: then it must be `mut`.
    pub(super) fn asks_kept(&mut self, receiver: &'a Expr) -> bool {
        let is_kept = self.kept_at(receiver).is_some() || self.passed_iterator(receiver).is_some();
        if is_kept {
            self.require_written(receiver, true);
        }
        is_kept
    }

    /// Reports an iterator of the function around that a closure names.
    pub(super) fn refuse_captured_iterator(&mut self, expr: &Expr, binding: BindingId) -> bool {
        let is_iterator = self.kept.contains_key(&binding) || self.iterators.contains_key(&binding);
        if !is_iterator || !self.is_outside(binding) {
            return false;
        }
        let source = text(expr);
        let message = format!("the iterator `{source}` in a closure is not supported in kernels");
        self.error(code::UNSUPPORTED_SYNTAX, expr.span, message)
            .help("go through it in a `for` loop, or make it in the closure");
        true
    }
}
