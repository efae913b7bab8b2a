//! Chains of iterators that are refused, because Rust's library leaves open which closures run, or makes it depend on
//! the steps behind. Must not infer types: chains are known when it is asked.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, SpanRange};
use crate::builtin::iteration::Iteration;
use crate::diag::code;
use crate::source::text;
use crate::typed::Callee;

use super::iterable::Elements;
use super::unify::Term;
use super::{Infer, range};

impl<'a> Infer<'a> {
    /// Reports what cannot be reversed: what rustc refuses, and what it would have to evaluate more for than it yields.
    /// `exact`: the number of elements must be known, too.
    pub(super) fn check_reversible(&mut self, name: &Ident, receiver: &'a Expr, exact: bool) {
        let Some((span, what, help)) = self.irreversible(receiver, exact) else { return };
        self.error(
            code::UNSUPPORTED_SYNTAX,
            range(name.span()),
            format!("`{name}` after `{what}` is not supported in kernels"),
        )
        .note(format!("`{what}` stands at line {}", super::line_of(span.start)))
        .help(help);
    }

    /// The step of a chain that cannot be reversed. `exact`: the number of elements must be known, too.
    fn irreversible(&self, expr: &'a Expr, exact: bool) -> Option<(SpanRange, String, &'static str)> {
        use Iteration as I;
        if let Some(named) = self.goes_on_with(expr, false) {
            let help = match self.passed_iterator(named) {
                Some(_) => "reverse it where it is passed: `….rev()`",
                None => "reverse it where it is made: `let it = ….rev();`",
            };
            return Some((named.span, text(named), help));
        }
        let expr = self.unfold(expr);
        if let Some((_, name)) = self.given_iterator(expr) {
            let help = match self.tables.own_iterators.contains_key(&expr.id) {
                true => "write another type, whose `next` goes the other way",
                false => "reverse the iterator in the function that gives it",
            };
            return Some((expr.span, name.to_string(), help));
        }
        let ExprKind::Method { receiver, name, args, .. } = &expr.kind else {
            return match &expr.kind {
                _ if exact && self.draws(expr) => {
                    let (what, help) = ("&mut Range", "reverse it alone, or write its ends: `range.start..range.end`");
                    Some((expr.span, what.to_owned(), help))
                }
                ExprKind::Range { end: None, .. } => Some((expr.span, "..".to_owned(), "write both ends of the range")),
                _ => None,
            };
        };
        let Some(Callee::Iterate(iteration)) = self.tables.calls.get(&expr.id) else { return None };
        let refuse = |help| Some((range(name.span()), name.to_string(), help));
        match iteration {
            I::Iter | I::IterMut | I::Parts(_) => None,
            I::IntoIter => self.irreversible(receiver, exact),
            I::Same | I::Map | I::Inspect | I::Rev => self.irreversible(receiver, exact),
            I::Filter | I::FilterMap | I::Flatten if !exact => self.irreversible(receiver, false),
            I::Chain if !exact => self
                .irreversible(receiver, false)
                .or_else(|| args.first().and_then(|arg| self.irreversible(arg, false))),
            I::Enumerate => self.irreversible(receiver, true),
            I::Zip | I::Take | I::Skip | I::StepBy
                if self.has_closure(receiver) || args.iter().any(|arg| self.has_closure(arg)) =>
            {
                refuse("reverse before anything is computed: put `.map(…)` and its like after `.rev()`")
            }
            I::Zip => {
                self.irreversible(receiver, true).or_else(|| args.first().and_then(|arg| self.irreversible(arg, true)))
            }
            I::Take | I::Skip | I::StepBy => self.irreversible(receiver, true),
            _ => refuse("write a `for` loop, or reverse before it"),
        }
    }

    /// Reports a `skip` of which Rust's library does not say whether the closures before it run for what is skipped.
    pub(super) fn check_skippable(&mut self, name: &Ident, receiver: &'a Expr) {
        if self.is_by_position(receiver) && self.has_closure(receiver) {
            self.error(code::UNSUPPORTED_SYNTAX, range(name.span()), "`skip` after `map` is not supported in kernels")
                .note("whether the closure runs for elements that are skipped depends on the steps that follow")
                .help("put `.skip(…)` before `.map(…)`");
        }
    }

    /// Reports a `zip` of which Rust's library does not say whether the closures before it run for what has no partner.
    pub(super) fn check_zipped(&mut self, name: &Ident, left: &'a Expr, right: &'a Expr) {
        if let Some(named) = self.goes_on_with(right, true).filter(|_| self.has_closure(left)) {
            let source = text(named);
            let message =
                format!("`zip` of closures with the iterator `{source}` in a variable is not supported in kernels");
            self.error(code::UNSUPPORTED_SYNTAX, range(name.span()), message)
                .note("whether they run for an element without a partner depends on the steps that follow")
                .help("put `.zip(…)` before `.map(…)`");
            return;
        }
        if self.draws(left) {
            self.error(
                code::UNSUPPORTED_SYNTAX,
                range(name.span()),
                "`zip` after `by_ref` is not supported in kernels",
            )
            .note("whether the element without a partner is taken depends on the steps that follow")
            .help("put it second: `other.zip(range.by_ref())`");
            return;
        }
        let by_position = self.is_by_position(left) && self.is_by_position(right);
        if by_position && self.has_closure(left) && (self.owns_array(left) || self.owns_array(right)) {
            self.error(code::UNSUPPORTED_SYNTAX, range(name.span()), "this `zip` is not supported in kernels")
                .note("whether the closures before it run for an element without a partner depends on the steps that follow")
                .help("put `.zip(…)` before `.map(…)`, or go through arrays with `.iter()`");
        }
    }

    /// Reports a `cycle` of more than what is reached by position: Rust would begin anew with copies of all closures.
    pub(super) fn check_cycled(&mut self, name: &Ident, receiver: &'a Expr) {
        let Some(what) = self.computed(receiver) else { return };
        let help = match self.gives_iterator(receiver) {
            true => "write `.cycle()` in the function, or index by the remainder: `x[i % n]`".to_owned(),
            false => format!("put `.cycle()` before `.{what}(…)`, or index by the remainder: `x[i % n]`"),
        };
        self.error(
            code::UNSUPPORTED_SYNTAX,
            range(name.span()),
            format!("`cycle` after `{what}` is not supported in kernels"),
        )
        .note("only sources with positions can begin anew: ranges, arrays and slices")
        .help(help);
    }

    /// The first step of a chain from its end that does more than tell which positions come.
    fn computed(&self, expr: &'a Expr) -> Option<String> {
        use Iteration as I;
        if let Some(named) = self.goes_on_with(expr, true) {
            return Some(text(named));
        }
        let expr = self.unfold(expr);
        if let Some((_, name)) = self.given_iterator(expr) {
            return Some(name.to_string());
        }
        let ExprKind::Method { receiver, name, args, .. } = &expr.kind else { return None };
        match self.tables.calls.get(&expr.id) {
            Some(Callee::Iterate(I::Iter | I::IterMut | I::Parts(_))) => None,
            Some(Callee::Iterate(
                I::IntoIter | I::Same | I::Fork | I::Rev | I::StepBy | I::Enumerate | I::Take | I::Skip | I::Cycle,
            )) => self.computed(receiver),
            Some(Callee::Iterate(I::Zip)) => {
                self.computed(receiver).or_else(|| args.first().and_then(|arg| self.computed(arg)))
            }
            Some(Callee::Iterate(_)) => Some(name.to_string()),
            _ => None,
        }
    }

    /// Reports a chain with a loop of its own where elements are asked for one by one.
    pub(super) fn refuse_nested(&mut self, name: &Ident, chain: &'a Expr) {
        let Some((span, step)) = self.nested_step(chain) else { return };
        self.error(
            code::UNSUPPORTED_SYNTAX,
            span,
            format!("`{step}` in the argument of `{name}` is not supported in kernels"),
        )
        .note("it would be a loop inside the loop of the chain")
        .help("write nested `for` loops");
    }

    /// The step of a chain that has a loop of its own.
    pub(super) fn nested_step(&self, chain: &'a Expr) -> Option<(SpanRange, String)> {
        let expr = self.unfold(chain);
        if let Some((given, name)) = self.given_iterator(expr) {
            return given.is_nested.then(|| (expr.span, name.to_string()));
        }
        match (&expr.kind, self.tables.calls.get(&expr.id)) {
            (ExprKind::Method { name, .. }, Some(Callee::Iterate(Iteration::Nested(_)))) => {
                Some((range(name.span()), name.to_string()))
            }
            (ExprKind::Method { receiver, .. }, Some(Callee::Iterate(_))) => self.nested_step(receiver),
            _ => None,
        }
    }

    /// Reports an `eq` of which Rust's library does not say whether closures run where the lengths differ.
    pub(super) fn check_equated(&mut self, name: &Ident, left: &'a Expr, right: &'a Expr) {
        let has_closures = self.has_closure(left) || self.has_closure(right);
        if has_closures && self.knows_length(left) && self.knows_length(right) {
            self.error(
                code::UNSUPPORTED_SYNTAX,
                range(name.span()),
                format!("`{name}` after a step with a closure is not supported in kernels"),
            )
            .note("the version of Rust decides whether the closure runs for the rest of the longer side")
            .help("compare the lengths first, then the elements: `a.zip(b).all(|(a, b)| a == b)`");
        }
    }

    /// Whether Rust's library may know how many elements a chain has.
    pub(super) fn knows_length(&self, expr: &'a Expr) -> bool {
        use Iteration as I;
        let expr = self.unfold(expr);
        if let Some((given, _)) = self.given_iterator(expr) {
            return given.knows_length;
        }
        let ExprKind::Method { receiver, args, .. } = &expr.kind else { return true };
        match self.tables.calls.get(&expr.id) {
            Some(Callee::Iterate(I::Iter | I::IterMut | I::Parts(_))) => true,
            Some(Callee::Iterate(
                I::Filter
                | I::FilterMap
                | I::Flatten
                | I::Nested(_)
                | I::TakeWhile
                | I::SkipWhile
                | I::MapWhile
                | I::Scan,
            )) => false,
            Some(Callee::Iterate(I::Zip | I::Chain)) => {
                self.knows_length(receiver) && args.iter().all(|arg| self.knows_length(arg))
            }
            Some(Callee::Iterate(_)) => self.knows_length(receiver),
            _ => true,
        }
    }

    /// Whether Rust's library reaches the elements of a chain by position where it is zipped.
    pub(super) fn is_by_position(&self, expr: &'a Expr) -> bool {
        use Iteration as I;
        let expr = self.unfold(expr);
        if let Some((given, _)) = self.given_iterator(expr) {
            return given.is_by_position;
        }
        if let Term::Range(_, inclusive) = self.table.shallow(&self.term(expr)) {
            return !inclusive && !self.draws(expr);
        }
        let ExprKind::Method { receiver, args, .. } = &expr.kind else {
            return !matches!(&expr.kind, ExprKind::Range { .. });
        };
        match self.tables.calls.get(&expr.id) {
            Some(Callee::Iterate(I::Map | I::Enumerate | I::Same | I::Skip | I::IntoIter)) => {
                self.is_by_position(receiver)
            }
            Some(Callee::Iterate(I::Zip)) => {
                self.is_by_position(receiver) && args.iter().all(|arg| self.is_by_position(arg))
            }
            Some(Callee::Iterate(I::Iter | I::IterMut | I::Parts(_))) => true,
            Some(Callee::Iterate(_)) => false,
            _ => true,
        }
    }

    /// Whether a chain takes elements out of a range that is there behind it.
    pub(super) fn draws(&self, expr: &'a Expr) -> bool {
        let expr = self.unfold(expr);
        if let Some((given, _)) = self.given_iterator(expr) {
            return given.draws;
        }
        match (&expr.kind, self.tables.calls.get(&expr.id)) {
            (_, Some(Callee::Iterate(Iteration::ByRef))) => true,
            (ExprKind::Borrow { operand, .. }, _) => matches!(self.table.shallow(&self.term(operand)), Term::Range(..)),
            (ExprKind::Method { receiver, args, .. }, Some(Callee::Iterate(iteration))) => {
                let is_pair = matches!(iteration, Iteration::Zip | Iteration::Chain);
                self.draws(receiver) || is_pair && args.iter().any(|arg| self.draws(arg))
            }
            (ExprKind::Path(_), _) => {
                let is_range = matches!(self.table.shallow(&self.term(expr)), Term::Range(..));
                is_range && self.reference_of(expr).is_some()
            }
            _ => false,
        }
    }

    /// Whether a chain goes through an array by value.
    pub(super) fn owns_array(&self, expr: &'a Expr) -> bool {
        let expr = self.unfold(expr);
        if let Some((given, _)) = self.given_iterator(expr) {
            return given.owns_array;
        }
        if Elements::of(&self.table.shallow(&self.term(expr))).is_some_and(|elements| elements.slice.is_none()) {
            return true;
        }
        match (&expr.kind, self.tables.calls.get(&expr.id)) {
            (_, Some(Callee::Iterate(Iteration::Iter | Iteration::IterMut | Iteration::Parts(_)))) => false,
            (ExprKind::Method { receiver, args, .. }, Some(Callee::Iterate(iteration))) => {
                let is_zip = *iteration == Iteration::Zip;
                self.owns_array(receiver) || (is_zip && args.iter().any(|arg| self.owns_array(arg)))
            }
            _ => false,
        }
    }

    /// Whether a chain calls closures.
    pub(super) fn has_closure(&self, expr: &'a Expr) -> bool {
        let expr = self.unfold(expr);
        if let Some((given, _)) = self.given_iterator(expr) {
            return given.has_closure;
        }
        let ExprKind::Method { receiver, args, .. } = &expr.kind else { return false };
        match self.tables.calls.get(&expr.id) {
            Some(Callee::Iterate(Iteration::Parts(_))) => false,
            Some(Callee::Iterate(Iteration::Iter | Iteration::IterMut | Iteration::IntoIter)) if args.is_empty() => {
                self.has_closure(receiver)
            }
            Some(Callee::Iterate(Iteration::Zip | Iteration::Chain)) => {
                self.has_closure(receiver) || args.iter().any(|arg| self.has_closure(arg))
            }
            Some(Callee::Iterate(
                Iteration::Same
                | Iteration::Fork
                | Iteration::Rev
                | Iteration::StepBy
                | Iteration::Enumerate
                | Iteration::Cycle
                | Iteration::Take
                | Iteration::Skip,
            )) => self.has_closure(receiver),
            Some(Callee::Iterate(_)) => true,
            _ => false,
        }
    }
}
