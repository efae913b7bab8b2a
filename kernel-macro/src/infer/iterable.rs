//! Types with elements: arrays, slices and buffers in loops, iterators and method calls. Elements that cannot be copied
//! are refused here, too.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{Expr, ExprId, ExprKind, Item, MethodCall, OptionPlace};
use crate::builtin::iteration::{Iteration, Parts};
use crate::builtin::slice::SliceMethod;
use crate::diag::code;
use crate::source::text;
use crate::typed::Callee;

use super::block::strip;
use super::finish::Deferred;
use super::iterator::over;
use super::slice_method::is_range;
use super::unify::Term;
use super::{Expect, Infer, range};

/// The elements of an array, slice or buffer.
#[derive(Clone, Copy)]
pub(super) struct Elements<'t> {
    pub(super) element: &'t Rc<Term>,
    /// Of a slice or buffer, whether its elements may be written; of an array, its place says that.
    pub(super) slice: Option<bool>,
}

impl<'t> Elements<'t> {
    /// The elements of something, if it has any.
    pub(super) fn of(term: &'t Term) -> Option<Self> {
        match term {
            Term::Array(element, _) | Term::ArrayOf(element, _) => Some(Self { element, slice: None }),
            Term::Buffer { element, mutable, .. } => Some(Self { element, slice: Some(*mutable) }),
            _ => None,
        }
    }
}

/// A method of what has elements, with its receiver.
#[derive(Clone, Copy)]
pub(super) struct Called<'a, 't> {
    pub(super) expr: &'a Expr,
    pub(super) receiver: &'a Expr,
    pub(super) term: &'t Term,
    pub(super) elements: Elements<'t>,
    pub(super) name: &'a Ident,
    pub(super) args: &'a [Expr],
}

impl<'a> Infer<'a> {
    /// A method of an array, slice or buffer; `None` for other receivers and methods.
    pub(super) fn infer_elements_method(&mut self, call: MethodCall<'a>, term: &Term) -> Option<Term> {
        let MethodCall { expr, receiver, name, args } = call;
        let called = Called { expr, receiver, term, elements: Elements::of(term)?, name, args };
        let text = name.to_string();
        if !matches!(text.as_str(), "len" | "is_empty") && self.refuse_list(receiver, term) {
            self.infer_unknown_arguments(args);
            return Some(Term::Error);
        }
        match text.as_str() {
            "iter" => return Some(self.infer_source(called, Iteration::Iter)),
            "iter_mut" => return Some(self.infer_source(called, Iteration::IterMut)),
            "into_iter" if called.elements.slice.is_none() => {
                return Some(self.infer_source(called, Iteration::IntoIter));
            }
            "is_sorted" | "is_sorted_by" | "is_sorted_by_key" => return Some(self.infer_is_sorted(called)),
            _ => {}
        }
        if let Some(parts) = Parts::from_name(&text) {
            return Some(self.infer_parts(called, parts));
        }
        let method = match args {
            // That of one element is the parser's.
            [arg] if text == "get_mut" && (is_range(arg) || self.names_range(arg)) => {
                SliceMethod::GetPart { mutable: true }
            }
            _ => SliceMethod::from_name(&text)?,
        };
        if called.elements.slice.is_some() && method == SliceMethod::Map {
            return None;
        }
        Some(self.infer_slice_method(called, method))
    }

    /// `if let Some(v) = x.get_mut(i) { … } else { … }`
    pub(super) fn infer_if_element(&mut self, expr: &'a Expr, option_place: &'a OptionPlace, expect: &Expect) -> Term {
        let ExprKind::Let { value, .. } = &option_place.condition.kind else { return Term::Error };
        if self.looks_for_element(expr.id, &option_place.receiver, value) {
            return self.infer(&option_place.element, expect);
        }
        let (condition, then_block, else_expr) = option_place.written();
        self.infer_if(expr, condition, then_block, else_expr, expect)
    }

    /// Whether `get_mut` or its like is that of arrays and slices, and no method of the author's.
    pub(super) fn looks_for_element(&mut self, id: ExprId, receiver: &'a Expr, call: &Expr) -> bool {
        let before = self.diags.len();
        let term = self.infer_base(receiver);
        let term = self.table.shallow(&term);
        let looks = match Elements::of(&term) {
            Some(_) => true,
            // Of a type parameter or of an array of unknown length, in a generic function as written.
            None if matches!(term, Term::Error) => self.diags.len() > before || !self.is_method_of_some(call),
            None => false,
        };
        if looks {
            self.tables.option_places.insert(id);
        }
        looks
    }

    /// Whether some type or trait has a method of the name that is called.
    fn is_method_of_some(&self, call: &Expr) -> bool {
        let ExprKind::Method { name, .. } = &call.kind else { return false };
        self.program.items.iter().any(|(_, item)| match &item.item {
            Item::Fn(function) => item.owner.is_some() && function.name == *name,
            _ => false,
        })
    }

    /// `array.iter()`, `buffer.iter()`, `array.into_iter()`
    fn infer_source(&mut self, called: Called<'a, '_>, iteration: Iteration) -> Term {
        let Called { expr, receiver, term, elements: Elements { element, .. }, name, args } = called;
        if !args.is_empty() {
            self.report_arity(&name.to_string(), 0, args, range(name.span()));
            self.infer_arguments_only(args);
        }
        if self.refuse_shared_elements(receiver, iteration != Iteration::IntoIter)
            || self.refuse_atomics(receiver, element)
        {
            return Term::Error;
        }
        if iteration == Iteration::IterMut && !self.go_through_written(receiver, term) {
            return Term::Error;
        }
        self.has_references |= iteration == Iteration::Iter;
        if iteration == Iteration::Iter {
            self.deferred.push(Deferred::Lent { receiver, term: (**element).clone() });
        }
        self.tables.calls.insert(expr.id, Callee::Iterate(iteration));
        over(element)
    }

    /// `x.is_sorted()` and its like, which iterators have too.
    fn infer_is_sorted(&mut self, called: Called<'a, '_>) -> Term {
        let Called { expr, receiver, elements: Elements { element, .. }, name, args, .. } = called;
        if self.refuse_shared_elements(receiver, true) || self.refuse_atomics(receiver, element) {
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        self.has_references = true;
        self.infer_iterator_method(MethodCall { expr, receiver, name, args }, element, &Expect::Nothing)
    }

    /// The element type of the argument of a `for`, `zip` or `chain`: an iterator or an array.
    pub(super) fn element_of(&mut self, expr: &'a Expr) -> Term {
        if let ExprKind::Borrow { operand, mutable } = &strip(expr).kind {
            return self.infer_borrowed_elements(expr, operand, *mutable);
        }
        let term = self.infer_base(expr);
        let term = self.table.shallow(&term);
        if self.refuse_list(expr, &term) {
            return Term::Error;
        }
        match (&term, Elements::of(&term)) {
            (Term::Array(..) | Term::ArrayOf(..), _) if self.reference_of(expr) == Some(true) => {
                let source = text(expr);
                self.error(
                    code::REFERENCE_USE,
                    expr.span,
                    format!("cannot iterate over the `&mut` reference `{source}` directly"),
                )
                .help(format!("write `{source}.iter_mut()`, or `{source}.iter()` to read"));
                Term::Error
            }
            (Term::Iterator(element), _) | (_, Some(Elements { element, slice: None })) => {
                self.has_references |= self.reference_of(expr).is_some();
                (**element).clone()
            }
            (Term::Range(element, _), _) => self.counted(expr, element),
            (_, Some(Elements { element, slice: Some(false) })) => {
                if self.refuse_atomics(expr, element) {
                    return Term::Error;
                }
                self.has_references = true;
                (**element).clone()
            }
            (Term::Error | Term::Never, _) => Term::Error,
            _ => match self.own_elements(expr, &term) {
                Some(element) => element,
                None => {
                    self.report_not_iterable(expr, &term);
                    Term::Error
                }
            },
        }
    }

    /// Reports what a `for` or its like cannot go through.
    fn report_not_iterable(&mut self, expr: &Expr, term: &Term) {
        let found = self.describe(term);
        let source = text(expr);
        let message = format!("expected a range, an array or an iterator, found {found}");
        let error = self.error(code::MISMATCHED_TYPES, expr.span, message);
        match term {
            Term::Buffer { mutable: true, .. } => {
                error.help(format!("write `{source}.iter_mut()`, or `{source}.iter()` to read"))
            }
            Term::Buffer { .. } => error.help(format!("write `{source}.iter()`")),
            Term::Scalar(scalar) if scalar.is_int() => error.help(format!("write `0..{source}`")),
            Term::Vector(..) => error.help(format!("write `{source}.to_array()`")),
            Term::Option(_) => error.help(format!("write `if let Some(v) = {source} {{ … }}`")),
            Term::Struct(..) | Term::Enum(..) => error
                .note("kernels go through ranges, arrays, buffers and types with an `impl Iterator`")
                .help("write the `impl Iterator` in its `#[device] mod`, or call its own method: `while let Some(v) = it.next() { … }`"),
            _ => error.note("kernels go through ranges, arrays and buffers"),
        };
    }

    /// `&array` or `&x[a..b]` where something is gone through.
    fn infer_borrowed_elements(&mut self, expr: &'a Expr, operand: &'a Expr, mutable: bool) -> Term {
        let term = self.infer_elements(operand, mutable);
        let term = self.table.shallow(&term);
        let Some(Elements { element, .. }) = Elements::of(&term) else {
            if mutable && let Some(element) = self.own_elements(expr, &term) {
                self.require_written(operand, true);
                self.record(expr.id, term.clone());
                self.record(strip(expr).id, term);
                return element;
            }
            if mutable && let Some(element) = self.lent_iterator(operand, &term) {
                let given = over(&element);
                self.record(expr.id, given.clone());
                self.record(strip(expr).id, given);
                return element;
            }
            if !matches!(term, Term::Error | Term::Never) {
                let found = self.describe(&term);
                let message = format!("expected an array or a slice, found {found}");
                let error = self.error(code::MISMATCHED_TYPES, operand.span, message);
                match term {
                    Term::Iterator(_) if mutable => {
                        error.help(format!("write `{}.by_ref()`", text(operand)));
                    }
                    Term::Iterator(_) | Term::Range(..) => {
                        error.help("leave out the `&`");
                    }
                    _ => {}
                }
            }
            return Term::Error;
        };
        if mutable && !self.go_through_written(operand, &term) {
            return Term::Error;
        }
        if self.refuse_shared_elements(operand, false) || self.refuse_atomics(operand, element) {
            return Term::Error;
        }
        self.has_references = true;
        if !mutable {
            self.deferred.push(Deferred::Lent { receiver: operand, term: (**element).clone() });
        }
        let over = over(element);
        let mut outer = expr;
        while let ExprKind::Paren(inner, ..) = &outer.kind {
            self.record(outer.id, over.clone());
            outer = inner;
        }
        self.record(outer.id, over);
        (**element).clone()
    }

    /// The elements of an iterator or a range in a variable, which `&mut` lends.
    fn lent_iterator(&mut self, operand: &'a Expr, term: &Term) -> Option<Term> {
        match term {
            Term::Iterator(element) if self.asks_kept(operand) => Some((**element).clone()),
            Term::Range(item, _)
                if self.reference_of(operand).is_none() && matches!(strip(operand).kind, ExprKind::Path(_)) =>
            {
                self.require_range_place(operand, "by_ref");
                Some(self.counted(operand, item))
            }
            _ => None,
        }
    }

    /// Reports elements that are not `Copy`, where an iterator would lend them.
    pub(super) fn check_lent_elements(&mut self, receiver: &Expr, term: &Term) {
        let Some(ty) = self.table.resolve(term) else { return };
        let copies = |item: &Item| match item {
            Item::Impl(of) => of.of.as_ref().and_then(|path| path.segments.last()).is_some_and(|name| name == "Copy"),
            _ => false,
        };
        // An `impl Copy` may be of the type.
        if !self.program.may_move(&ty) || self.program.items.iter().any(|(_, item)| copies(&item.item)) {
            return;
        }
        let (source, name) = (text(receiver), self.name_of(&ty));
        self.error(code::REFERENCE_USE, receiver.span, format!("an iterator cannot lend the elements of `{source}`"))
            .note(format!("`{name}` is not `Copy`, and iterators in kernels give values"))
            .help(format!("derive `Clone, Copy` for it, or go through the indices: `for k in 0..{source}.len()`, and `{source}[k]`"));
    }

    /// Reports elements that are atomics; whether it did.
    pub(super) fn refuse_atomics(&mut self, receiver: &Expr, element: &Term) -> bool {
        if !self.table.resolve(element).is_some_and(|ty| super::holds_atomics(self.program, &ty)) {
            return false;
        }
        let source = text(receiver);
        self.error(code::ATOMIC_USE, receiver.span, format!("`{source}` holds atomics and cannot be copied"))
            .help(format!("go through the indices: `(0..{source}.len()).map(|i| {source}[i].load(Relaxed))`"));
        true
    }

    /// Reports a shared variable that is an array, where `whole` does not allow it; whether it did.
    pub(super) fn refuse_shared_elements(&mut self, receiver: &Expr, whole: bool) -> bool {
        let is_slice = matches!(self.table.shallow(&self.term(receiver)), Term::Buffer { .. });
        if is_slice || whole || !self.is_shared_variable(receiver) {
            return false;
        }
        let source = text(receiver);
        self.error(code::SHARED_USE, receiver.span, format!("the shared variable `{source}` is used as a value"))
            .help(format!("write `{source}.iter()`"));
        true
    }

    /// Whether an expression is the name of a shared variable.
    fn is_shared_variable(&self, expr: &Expr) -> bool {
        match self.tables.paths.get(&strip(expr).id) {
            Some(crate::typed::Resolution::Binding(binding)) => {
                self.local(*binding).is_some_and(|local| matches!(local.term, Term::Shared(_)))
            }
            _ => false,
        }
    }
}
