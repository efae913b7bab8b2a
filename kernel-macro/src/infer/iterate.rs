//! Inference of `for` loops, ranges and chains of iterators: what each step goes through. A chain is no value: something
//! consumes it where it stands.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{Block, Expr, ExprKind, Label, Pattern, ScalarName, SpanRange};
use crate::diag::code;
use crate::iteration::{Iteration, UNSUPPORTED};
use crate::source::text;
use crate::standard::Standard;
use crate::typed::{Callee, Ty};

use super::block::strip;
use super::choice::{Wanted, call, lending, option};
use super::finish::Deferred;
use super::mismatch::Because;
use super::suggest::nearest;
use super::unify::{Term, VarKind};
use super::{Expect, Infer, range};

/// A method with its parameters and result.
type Signature = (Vec<Wanted>, Term);

fn over(item: &Term) -> Term {
    Term::Iterator(Rc::new(item.clone()))
}

impl<'a> Infer<'a> {
    pub(super) fn infer_for(
        &mut self,
        expr: &'a Expr,
        label: Option<&'a Label>,
        pattern: &'a Pattern,
        iterated: &'a Expr,
        body: &'a Block,
    ) -> Term {
        let element = self.element_of(iterated);
        if self.writes_elements && self.is_written(iterated) {
            self.note_written(expr, pattern, iterated);
        } else if let Term::Iterator(_) | Term::Array(..) | Term::Buffer { .. } =
            self.table.shallow(&self.term(iterated))
        {
            self.note_values(pattern);
        }
        let scope = self.visible.len();
        self.bind_pattern(pattern, &element);
        self.infer_body(expr, label, body);
        self.visible.truncate(scope);
        Term::Unit
    }

    /// What something goes through that a `for`, `zip` or `chain` takes: an iterator or an array.
    pub(super) fn element_of(&mut self, expr: &'a Expr) -> Term {
        if let ExprKind::Borrow { operand, mutable } = &strip(expr).kind {
            return self.infer_borrowed_elements(expr, operand, *mutable);
        }
        let term = self.infer_base(expr);
        let term = self.table.shallow(&term);
        match &term {
            Term::Iterator(element) | Term::Array(element, _) | Term::ArrayOf(element, _) => (**element).clone(),
            Term::Error | Term::Never => Term::Error,
            Term::Buffer { element, mutable: false, .. } if !self.refuse_atomics(expr, element) => {
                self.has_references = true;
                (**element).clone()
            }
            Term::Buffer { mutable: false, .. } => Term::Error,
            _ => {
                let found = self.describe(&term);
                let source = text(expr);
                let error = self.diags.error(
                    code::MISMATCHED_TYPES,
                    expr.span,
                    format!("expected a range, an array or an iterator, found {found}"),
                );
                match &term {
                    Term::Buffer { .. } => error.help(format!("write `{source}.iter()`")),
                    Term::Scalar(scalar) if scalar.is_int() => error.help(format!("write `0..{source}`")),
                    Term::Vector(..) => error.help(format!("write `{source}.to_array()`")),
                    _ => error.note("kernels go through ranges, arrays and buffers"),
                };
                Term::Error
            }
        }
    }

    /// `&array` or `&x[a..b]` where something is gone through.
    fn infer_borrowed_elements(&mut self, expr: &'a Expr, operand: &'a Expr, mutable: bool) -> Term {
        let term = self.infer_elements(operand, mutable);
        let term = self.table.shallow(&term);
        let element = match &term {
            Term::Array(element, _) | Term::ArrayOf(element, _) => (**element).clone(),
            Term::Buffer { element, .. } => (**element).clone(),
            Term::Error | Term::Never => return Term::Error,
            _ => {
                let found = self.describe(&term);
                let message = format!("expected an array or a slice, found {found}");
                let error = self.diags.error(code::MISMATCHED_TYPES, operand.span, message);
                if let Term::Iterator(_) = term {
                    error.help("leave out the `&`");
                }
                return Term::Error;
            }
        };
        if mutable && !self.go_through_written(operand, &term) {
            return Term::Error;
        }
        if self.refuse_shared_elements(operand, false) || self.refuse_atomics(operand, &element) {
            return Term::Error;
        }
        self.has_references = true;
        let over = over(&element);
        let mut outer = expr;
        while let ExprKind::Paren(inner) = &outer.kind {
            self.record(outer.id, over.clone());
            outer = inner;
        }
        self.record(outer.id, over);
        element
    }

    /// Reports elements that are atomics; whether it did.
    pub(super) fn refuse_atomics(&mut self, receiver: &Expr, element: &Term) -> bool {
        if !self.table.resolve(element).is_some_and(|ty| super::holds_atomics(self.program, &ty)) {
            return false;
        }
        let source = text(receiver);
        self.diags
            .error(code::ATOMIC_USE, receiver.span, format!("`{source}` holds atomics and cannot be copied"))
            .help(format!("go through the indices: `(0..{source}.len()).map(|i| {source}[i].load(Relaxed))`"));
        true
    }

    /// Reports an array that is a part of a shared variable, or a whole one where `whole` does not allow it; whether it did.
    pub(super) fn refuse_shared_elements(&mut self, receiver: &Expr, whole: bool) -> bool {
        let is_slice = matches!(self.table.shallow(&self.term(receiver)), Term::Buffer { .. });
        let is_whole = matches!(strip(receiver).kind, ExprKind::Path(_));
        if is_slice || is_whole && whole || !self.is_shared_place(receiver) {
            return false;
        }
        let source = text(receiver);
        self.diags
            .error(code::SHARED_USE, receiver.span, format!("the shared variable `{source}` is used as a value"))
            .help(match is_whole {
                true => format!("write `{source}.iter()`"),
                false => format!("go through the indices: `(0..{source}.len()).map(|i| {source}[i])`"),
            });
        true
    }

    /// `start..end` and its like, where an iterator may stand.
    pub(super) fn infer_range(&mut self, start: &'a Expr, end: Option<&'a Expr>) -> Term {
        let first = self.infer(start, &Expect::Nothing);
        let last = end.map(|end| (end, self.infer(end, &Expect::Nothing)));
        for (bound, term) in std::iter::once((start, &first)).chain(last.as_ref().map(|(end, term)| (*end, term))) {
            let term = self.table.shallow(term);
            if !matches!(term, Term::Error | Term::Never) && !self.is_integer(&term) {
                let found = self.describe(&term);
                let error =
                    self.diags.error(code::MISMATCHED_TYPES, bound.span, format!("expected an integer, found {found}"));
                error.note("ranges count with integers");
                if self.table.kind(&term) == Some(VarKind::Float) || term == Term::F32 {
                    error.help("count with integers and convert inside: `i as f32`");
                }
                return over(&Term::Error);
            }
        }
        let Some((end, last)) = last else { return over(&first) };
        match (self.table.shallow(&first), self.table.shallow(&last)) {
            (Term::Never, other) | (other, Term::Never) => return over(&other),
            _ => {}
        }
        if !self.table.unify(&first, &last) {
            self.report_mismatch(end, &first, &last, Because::RangeStart);
            return over(&Term::Error);
        }
        over(&first)
    }

    /// `array.iter()`, `buffer.iter()`, `array.into_iter()`; `None` for other receivers and methods.
    pub(super) fn infer_source(
        &mut self,
        expr: &'a Expr,
        (receiver, term): (&'a Expr, &Term),
        name: &'a Ident,
        args: &'a [Expr],
    ) -> Option<Term> {
        let (iteration, element) = match (term, name.to_string().as_str()) {
            (Term::Array(element, _) | Term::ArrayOf(element, _), "iter") => (Iteration::Iter, (**element).clone()),
            (Term::Array(element, _) | Term::ArrayOf(element, _), "into_iter") => {
                (Iteration::IntoIter, (**element).clone())
            }
            (Term::Buffer { element, .. }, "iter") => (Iteration::Iter, (**element).clone()),
            (Term::Array(element, _) | Term::ArrayOf(element, _), "iter_mut") => {
                (Iteration::IterMut, (**element).clone())
            }
            (Term::Buffer { element, .. }, "iter_mut") => (Iteration::IterMut, (**element).clone()),
            _ => return None,
        };
        if !args.is_empty() {
            self.report_arity(&name.to_string(), 0, args, range(name.span()));
            self.infer_arguments_only(args);
        }
        if self.refuse_shared_elements(receiver, iteration != Iteration::IntoIter)
            || self.refuse_atomics(receiver, &element)
        {
            return Some(Term::Error);
        }
        if iteration == Iteration::IterMut && !self.go_through_written(receiver, term) {
            return Some(Term::Error);
        }
        self.has_references |= iteration == Iteration::Iter;
        self.tables.calls.insert(expr.id, Callee::Iterate(iteration));
        Some(over(&element))
    }

    /// Whether an expression names a shared variable or a part of one.
    fn is_shared_place(&self, expr: &Expr) -> bool {
        match &strip(expr).kind {
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => self.is_shared_place(base),
            ExprKind::Path(_) => match self.tables.paths.get(&strip(expr).id) {
                Some(crate::typed::Resolution::Binding(binding)) => {
                    self.local(*binding).is_some_and(|local| matches!(local.term, Term::Shared(_)))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A method of an iterator.
    pub(super) fn infer_iterator_method(
        &mut self,
        expr: &'a Expr,
        (receiver, item): (&'a Expr, &Term),
        name: &'a Ident,
        args: &'a [Expr],
        expect: &Expect,
    ) -> Term {
        let text = name.to_string();
        let Some(iteration) = Iteration::from_name(&text) else {
            self.report_no_iteration(name, &text);
            self.infer_unknown_arguments(args);
            return Term::Error;
        };
        self.tables.calls.insert(expr.id, Callee::Iterate(iteration));
        if self.writes_elements && !iteration.keeps_places() && self.is_written(receiver) {
            self.report_written(name);
            self.tables.calls.remove(&expr.id);
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        self.has_references |= iteration.lends();
        let before = self.diags.len();
        match iteration {
            Iteration::Rev | Iteration::Rfind | Iteration::Rfold => self.check_reversible(name, receiver),
            Iteration::Skip => self.check_skippable(name, receiver),
            _ => {}
        }
        let (wanted, found) = match self.adapter(iteration, item).or_else(|| self.searcher(iteration, item)) {
            Some(signature) => signature,
            None => self.folder(expr, iteration, name, item, expect),
        };
        if wanted.len() != args.len() {
            self.report_arity(&text, wanted.len(), args, range(name.span()));
            self.infer_unknown_arguments(args);
            self.table.poison(&found);
            return found;
        }
        self.open.push((expr, found.clone()));
        self.infer_wanted(expr, args, &wanted);
        if let Iteration::TryFold | Iteration::TryForEach = iteration {
            let state = match wanted.first() {
                Some(Wanted::Value(state)) => state.clone(),
                _ => Term::Unit,
            };
            self.check_tried(range(name.span()), &found, &state);
        }
        if let (Iteration::Zip, [other]) = (iteration, args) {
            self.check_zipped(name, receiver, other);
        }
        if self.diags.len() > before {
            self.table.poison(&found);
        }
        found
    }

    fn report_no_iteration(&mut self, name: &Ident, text: &str) {
        let message = format!("iterators in kernels have no method `{name}`");
        let error = self.diags.error(code::UNKNOWN_METHOD, range(name.span()), message);
        if let Some((_, instead)) = UNSUPPORTED.iter().find(|(method, _)| *method == text) {
            error.help(*instead);
        } else if let Some(near) = nearest(text, Iteration::NAMES.iter().copied()) {
            error.help(format!("a method with a similar name exists: `{near}`"));
        } else {
            error.help("write a `for` loop");
        }
    }

    /// Methods that make another iterator.
    fn adapter(&mut self, iteration: Iteration, item: &Term) -> Option<Signature> {
        use Iteration as I;
        let given = || vec![item.clone()];
        Some(match iteration {
            I::IntoIter | I::Same | I::Rev => (Vec::new(), over(item)),
            I::Enumerate => (Vec::new(), over(&Term::tuple(vec![Term::USIZE, item.clone()]))),
            I::StepBy | I::Take | I::Skip => (vec![Wanted::Count], over(item)),
            I::Filter | I::TakeWhile | I::SkipWhile => (vec![lending(given(), &Term::BOOL)], over(item)),
            I::Inspect => (vec![lending(given(), &Term::Unit)], over(item)),
            I::Map => {
                let made = self.fresh();
                (vec![call(given(), &made)], over(&made))
            }
            I::FilterMap | I::MapWhile => {
                let made = self.fresh();
                (vec![call(given(), &option(&made))], over(&made))
            }
            I::Flatten => match self.table.shallow(item) {
                Term::Option(value) => (Vec::new(), over(&value)),
                _ => return None,
            },
            I::Zip => {
                let other = self.fresh();
                let pair = Term::tuple(vec![item.clone(), other.clone()]);
                (vec![Wanted::Iterator(other)], over(&pair))
            }
            I::Chain => (vec![Wanted::Iterator(item.clone())], over(item)),
            _ => return None,
        })
    }

    /// Methods that look for something.
    fn searcher(&mut self, iteration: Iteration, item: &Term) -> Option<Signature> {
        use Iteration as I;
        let given = || vec![item.clone()];
        Some(match iteration {
            I::Any | I::All => (vec![call(given(), &Term::BOOL)], Term::BOOL),
            I::Position => (vec![call(given(), &Term::BOOL)], option(&Term::USIZE)),
            I::Find | I::Rfind => (vec![lending(given(), &Term::BOOL)], option(item)),
            I::FindMap => {
                let made = self.fresh();
                (vec![call(given(), &option(&made))], option(&made))
            }
            I::Last => (Vec::new(), option(item)),
            I::Nth => (vec![Wanted::Count], option(item)),
            I::Count => (Vec::new(), Term::USIZE),
            I::ForEach => (vec![call(given(), &Term::Unit)], Term::Unit),
            _ => return None,
        })
    }

    /// Methods that make one value of all elements.
    fn folder(
        &mut self,
        expr: &'a Expr,
        iteration: Iteration,
        name: &'a Ident,
        item: &Term,
        expect: &Expect,
    ) -> Signature {
        use Iteration as I;
        match iteration {
            I::Sum | I::Product => {
                let ExprKind::Method { turbofish, .. } = &expr.kind else { return (Vec::new(), Term::Error) };
                let written = turbofish.as_ref().and_then(|args| args.args.first()).and_then(|arg| arg.ty.as_ref());
                let made = match (written, expect) {
                    (Some(ty), _) => self.term_of(ty),
                    (None, Expect::Nothing | Expect::Cast(_)) => {
                        let example = self.written(item).replace('_', "f32");
                        self.diags
                            .error(
                                code::CANNOT_INFER,
                                range(name.span()),
                                format!("the type of this {name} must be written"),
                            )
                            .note("a type may be the sum of others: rustc asks for it, too")
                            .help(format!("write `.{name}::<{example}>()`"));
                        item.clone()
                    }
                    _ => item.clone(),
                };
                let span = range(name.span());
                if !self.table.unify(&made, item) {
                    let (made, item) = (self.describe(&made), self.describe(item));
                    let message = format!("the elements are {item}, their {name} cannot be {made}");
                    self.diags.error(code::MISMATCHED_TYPES, span, message).help("convert them first, with `.map(…)`");
                }
                self.deferred.push(Deferred::Summed { span, term: item.clone() });
                (Vec::new(), made)
            }
            I::Fold | I::Rfold => {
                let state = self.fresh();
                (vec![Wanted::Value(state.clone()), call(vec![state.clone(), item.clone()], &state)], state)
            }
            I::Reduce => (vec![call(vec![item.clone(), item.clone()], item)], option(item)),
            I::TryFold => {
                let (state, made) = (self.fresh(), self.fresh());
                (vec![Wanted::Value(state.clone()), call(vec![state, item.clone()], &made)], made)
            }
            I::TryForEach => {
                let made = self.fresh();
                (vec![call(vec![item.clone()], &made)], made)
            }
            I::Min | I::Max => {
                self.order_later(expr, name, item, false);
                (Vec::new(), option(item))
            }
            I::MinBy | I::MaxBy => (vec![lending(vec![item.clone(), item.clone()], &Term::Ordering)], option(item)),
            I::MinByKey | I::MaxByKey => {
                let key = self.fresh();
                self.order_later(expr, name, &key, true);
                (vec![lending(vec![item.clone()], &key)], option(item))
            }
            // `flatten` of something else than options.
            _ => {
                let found = self.describe(item);
                self.diags
                    .error(code::BAD_OPERAND, range(name.span()), format!("`{name}` is for options, found {found}"))
                    .help("write nested `for` loops");
                (Vec::new(), Term::Error)
            }
        }
    }

    /// The arguments of a method, as it wants them.
    pub(super) fn infer_wanted(&mut self, expr: &'a Expr, args: &'a [Expr], wanted: &[Wanted]) {
        for (position, (arg, wanted)) in args.iter().zip(wanted).enumerate() {
            match wanted {
                Wanted::Value(term) if self.table.kind(term) == Some(VarKind::Any) => {
                    let found = self.infer(arg, &Expect::Nothing);
                    self.coerce(arg, &found, term, Because::Alternative);
                }
                Wanted::Value(term) => self.check(arg, term, Because::Alternative),
                Wanted::Count => self.check(arg, &Term::USIZE, Because::Step),
                Wanted::Call(demand) => self.infer_called(expr, position, arg, demand),
                Wanted::Iterator(element) => {
                    let found = self.element_of(arg);
                    if !self.table.unify(element, &found) {
                        let (expected, found) = (self.describe(element), self.describe(&found));
                        let message = format!("expected an iterator over {expected}, found one over {found}");
                        self.diags.error(code::MISMATCHED_TYPES, arg.span, message);
                    }
                }
            }
        }
    }

    /// Reports what cannot be reversed: what rustc refuses, and what it would have to evaluate more for than it yields.
    fn check_reversible(&mut self, name: &Ident, receiver: &'a Expr) {
        let Some((span, what, help)) = self.irreversible(receiver, false) else { return };
        self.diags
            .error(
                code::UNSUPPORTED_SYNTAX,
                range(name.span()),
                format!("`{name}` behind `{what}` is not supported in kernels"),
            )
            .note(format!("`{what}` stands at line {}", super::line_of(span.start)))
            .help(help);
    }

    /// What in a chain cannot be reversed. `exact`: the number of elements must be known, too.
    fn irreversible(&self, expr: &'a Expr, exact: bool) -> Option<(SpanRange, String, &'static str)> {
        use Iteration as I;
        let expr = strip(expr);
        let ExprKind::Method { receiver, name, args, .. } = &expr.kind else {
            return match &expr.kind {
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
                refuse("reverse before anything is computed: put `.map(…)` and its like behind `.rev()`")
            }
            I::Zip => {
                self.irreversible(receiver, true).or_else(|| args.first().and_then(|arg| self.irreversible(arg, true)))
            }
            I::Take | I::Skip | I::StepBy => self.irreversible(receiver, true),
            _ => refuse("write a `for` loop, or reverse before it"),
        }
    }

    /// Reports a `skip` of which Rust's library does not say whether the closures before it run for what is skipped.
    fn check_skippable(&mut self, name: &Ident, receiver: &'a Expr) {
        if self.is_by_position(receiver) && self.has_closure(receiver) {
            self.diags
                .error(code::UNSUPPORTED_SYNTAX, range(name.span()), "`skip` behind `map` is not supported in kernels")
                .note("whether the closure runs for elements that are skipped depends on what follows")
                .help("put `.skip(…)` before `.map(…)`");
        }
    }

    /// Reports a `zip` of which Rust's library does not say whether the closures before it run for what has no partner.
    fn check_zipped(&mut self, name: &Ident, left: &'a Expr, right: &'a Expr) {
        let by_position = self.is_by_position(left) && self.is_by_position(right);
        if by_position && self.has_closure(left) && (self.owns_array(left) || self.owns_array(right)) {
            self.diags
                .error(code::UNSUPPORTED_SYNTAX, range(name.span()), "this `zip` is not supported in kernels")
                .note("whether the closures before it run for an element without a partner depends on what follows")
                .help("put `.zip(…)` before `.map(…)`, or go through arrays with `.iter()`");
        }
    }

    /// Whether Rust's library reaches the elements of a chain by position where it is zipped.
    fn is_by_position(&self, expr: &'a Expr) -> bool {
        use Iteration as I;
        let expr = strip(expr);
        let ExprKind::Method { receiver, args, .. } = &expr.kind else {
            return match &expr.kind {
                ExprKind::Range { end, inclusive, .. } => end.is_some() && !inclusive,
                _ => true,
            };
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

    /// Whether a chain goes through an array by value.
    fn owns_array(&self, expr: &'a Expr) -> bool {
        let expr = strip(expr);
        if let Term::Array(..) | Term::ArrayOf(..) = self.table.shallow(&self.term(expr)) {
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
    fn has_closure(&self, expr: &'a Expr) -> bool {
        let expr = strip(expr);
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
                | Iteration::Rev
                | Iteration::StepBy
                | Iteration::Enumerate
                | Iteration::Take
                | Iteration::Skip,
            )) => self.has_closure(receiver),
            Some(Callee::Iterate(_)) => true,
            _ => false,
        }
    }

    /// Reports elements that cannot be added up.
    pub(super) fn check_summed(&mut self, span: SpanRange, term: &Term) {
        let is_number = match self.table.shallow(term) {
            Term::Scalar(scalar) => scalar != ScalarName::Bool && !scalar.is_half(),
            Term::Vector(scalar, _) => scalar != ScalarName::Bool,
            Term::Error | Term::Never => true,
            _ => false,
        };
        if !is_number {
            let found = self.describe(term);
            self.diags
                .error(code::BAD_OPERAND, span, format!("cannot add or multiply {found} this way"))
                .help("fold: `.fold(start, |a, b| a + b)`");
        }
    }

    fn order_later(&mut self, expr: &'a Expr, name: &'a Ident, term: &Term, key: bool) {
        self.deferred.push(Deferred::Ordered { expr, span: range(name.span()), term: term.clone(), key });
    }

    /// Reports what has no order, and notes which functions the order leads to.
    pub(super) fn check_ordered(&mut self, expr: &Expr, span: SpanRange, term: &Term, key: bool) {
        let mut found = Vec::new();
        let ty = self.table.resolve(term).unwrap_or(Ty::Error);
        let Err(part) = self.program.implied(&ty, Standard::Ord, &mut found) else {
            if !found.is_empty() {
                self.tables.implied.insert(expr.id, found);
            }
            return;
        };
        match part {
            Ty::Scalar(_) => {
                let error = self.diags.error(code::BAD_OPERAND, span, "floats have no total order, because of NaN");
                match key {
                    true => error.help(
                        "say how to compare, `.min_by(|a, b| a.total_cmp(b))`, or order by the bits of a float that is not negative: `x.to_bits()`",
                    ),
                    false => error.help(
                        "say how to compare, `.min_by(|a, b| a.total_cmp(b))`, or fold: `.fold(f32::INFINITY, f32::min)`",
                    ),
                };
            }
            part => {
                let (found, part_name) = (self.describe(term), self.name_of(&part));
                let help = match part {
                    Ty::Struct(item, _) | Ty::Enum(item, _) => self.help_to_derive(item, "Ord"),
                    _ => "order by an integer: `.min_by_key(|v| …)`".to_owned(),
                };
                let error = self.diags.error(code::BAD_OPERAND, span, format!("kernels cannot order {found}"));
                if part != ty {
                    error.note(format!("it contains `{part_name}`"));
                }
                error.help(help);
            }
        }
    }

    /// Reports a closure of `try_fold` that gives no `Option` or `Result` of the state.
    fn check_tried(&mut self, span: SpanRange, term: &Term, state: &Term) {
        let fits = match self.table.shallow(term) {
            Term::Option(value) => self.table.unify(&value, state),
            Term::Result(value, _) => self.table.unify(&value, state),
            Term::Error | Term::Never => true,
            _ => false,
        };
        if !fits {
            let (option, found) = (self.describe(&option(state)), self.describe(term));
            self.diags.error(
                code::MISMATCHED_TYPES,
                span,
                format!("expected a closure that gives {option} or a `Result`, found one that gives {found}"),
            );
        }
    }
}
