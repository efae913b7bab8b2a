//! Patterns through which values are written: `if let Some(v) = &mut o`, `match self { … }` where the method has `&mut self`, and
//! `ref mut`. Each name stands for the part of the place that the pattern leads to, as a reference in `let` does. Must not take places
//! that other invocations reach, of which the host has copies only.

use crate::ast::{Expr, ExprKind, Item, Pattern};
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, ChoiceMethod};

use super::block::strip;
use super::reference::{is_place, is_self};
use super::unify::Term;
use super::{Expect, Infer};

/// Alternatives with names are arms of their own when lowered.
const MOST_ALTERNATIVES: usize = 16;

impl<'a> Infer<'a> {
    /// Whether patterns name parts of a place to write them, by way of a reference or by `ref mut`.
    pub(super) fn is_written_apart(&self, value: &Expr, patterns: &[&Pattern]) -> bool {
        self.is_written_through(value) || patterns.iter().any(|pattern| pattern.writes())
    }

    /// Whether a value leads to a place to write: `&mut place`, a variable that is such a reference, `self`, or `place.as_mut()`.
    fn is_written_through(&self, value: &Expr) -> bool {
        self.reference_of(value) == Some(true) || is_self(value) && self.writes_self() || self.is_as_mut(value)
    }

    fn is_as_mut(&self, value: &Expr) -> bool {
        matches!(strip(value).kind, ExprKind::Method { .. })
            && matches!(self.tables.calls.get(&strip(value).id), Some(Callee::Choice(ChoiceMethod::AsMut)))
    }

    /// Makes the names of patterns references to the parts of a place; the type of the place.
    pub(super) fn take_apart_to_write(&mut self, value: &'a Expr, patterns: &[&'a Pattern], term: Term) -> Term {
        let (place, through) = (taken_place(value), self.is_written_through(value));
        self.note_written_names(patterns, through);
        if matches!(self.table.shallow(&term), Term::Error | Term::Never) {
            return term;
        }
        let before = self.diags.len();
        if is_place(place) && (self.is_as_mut(value) || !through) {
            self.require_place(place);
        }
        if is_place(place) && !self.leads_to_own(place) {
            self.refuse_taken_apart(value);
        }
        if self.table.resolve(&term).is_some_and(|ty| super::holds_atomics(self.program, &ty)) {
            self.error(code::ATOMIC_USE, value.span, format!("`{}` holds atomics and is no value", text(place)))
                .help("name a field instead of a pattern: `let part = &mut place.field;`");
        }
        patterns.iter().for_each(|pattern| self.check_written_pattern(value, pattern));
        if self.diags.len() > before {
            self.record(value.id, Term::Error);
            return Term::Error;
        }
        self.tables.written_apart.insert(value.id, through);
        term
    }

    fn check_written_pattern(&mut self, value: &Expr, pattern: &Pattern) {
        if is_name(pattern) && self.is_as_mut(value) {
            self.error(code::REFERENCE_USE, pattern.span(), "an option of a reference is no value in kernels")
                .help(format!("name what it holds, `Some(value)`, or write `&mut {}`", text(taken_place(value))));
        } else if alternatives_of(pattern) > MOST_ALTERNATIVES {
            self.error(
                code::NESTING,
                pattern.span(),
                "this pattern has too many alternatives with names that are written",
            )
            .help("write an arm for some of them");
        } else if has_named_rest(pattern) {
            self.error(code::REFERENCE_USE, pattern.span(), "a pattern cannot name the rest of an array to write it")
                .help("name single elements, or take a slice: `let rest = &mut array[1..];`");
        }
    }

    /// Reports alternatives with names that are written where only a `match` can choose among their places.
    pub(super) fn refuse_written_alternatives(&mut self, value: &Expr, pattern: &Pattern) {
        if self.tables.written_apart.contains_key(&value.id) && pattern.has_named_alternatives() {
            self.error(code::REFERENCE_USE, pattern.span(), "alternatives with names that are written need a `match`")
                .note("each of them leads to another place")
                .help(format!("write `match {} {{ … }}`", text(value)));
        }
    }

    /// `place.as_mut()` of an option or result, where patterns take it apart; `None` for other values.
    pub(super) fn infer_as_mut(&mut self, value: &'a Expr) -> Option<Term> {
        let place = taken_place(value);
        let ExprKind::Method { receiver, .. } = &strip(value).kind else { return None };
        if !std::ptr::eq(place, strip(receiver)) || !is_place(place) {
            return None;
        }
        let term = self.infer_reference(receiver, &Expect::Nothing);
        if !matches!(self.table.shallow(&term), Term::Option(_) | Term::Result(..)) {
            return None;
        }
        self.tables.calls.insert(strip(value).id, Callee::Choice(ChoiceMethod::AsMut));
        self.record(strip(value).id, term.clone());
        self.record(value.id, term.clone());
        Some(term)
    }

    /// Reports `ref mut` where nothing makes its name a reference.
    pub(super) fn check_ref_mut(&mut self, inner: &Pattern, span: proc_macro2::Span) {
        let mut is_noted = true;
        inner.for_each_binding(&mut |_, binding| is_noted &= self.tables.references.contains_key(&binding));
        if !is_noted {
            self.error(code::UNSUPPORTED_SYNTAX, super::range(span), "`ref mut` is not supported here")
                .note("it is in `let`, `match`, `if let` and `while let`, but not of slices, and not as a parameter")
                .help("borrow the place by itself: `let part = &mut place.field;`");
            self.note_written_names(&[inner], true);
        }
    }

    fn writes_self(&self) -> bool {
        matches!(&self.program.items[self.item].item, Item::Fn(function) if function.writes_self())
    }

    /// `all`: every name is a reference to write through, and not only those of `ref mut`.
    fn note_written_names(&mut self, patterns: &[&Pattern], all: bool) {
        for pattern in patterns {
            match pattern {
                Pattern::RefMut(inner, _) => self.note_written_names(&[inner], true),
                Pattern::Binding { binding, .. } if all => {
                    self.note_reference(*binding, true);
                    self.own_references.insert(*binding);
                    self.note_written_names(&pattern.children(), all);
                }
                _ => self.note_written_names(&pattern.children(), all),
            }
        }
    }
}

/// Whether `rest @ ..` stands in a pattern.
fn has_named_rest(pattern: &Pattern) -> bool {
    pattern.is_rest() && !matches!(pattern, Pattern::Rest(_)) || pattern.children().into_iter().any(has_named_rest)
}

/// The place that a value to take apart names: that of a reference, or the receiver of `as_mut`.
pub(crate) fn taken_place(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Paren(inner, None) | ExprKind::Borrow { operand: inner, .. } => taken_place(inner),
        ExprKind::Method { receiver, name, args, turbofish: None, .. } if name == "as_mut" && args.is_empty() => {
            strip(receiver)
        }
        _ => value,
    }
}

/// Whether a value has the form of `place.as_mut()`.
pub(super) fn is_as_mut(value: &Expr) -> bool {
    matches!(strip(value).kind, ExprKind::Method { .. }) && !std::ptr::eq(taken_place(value), strip(value))
}

fn is_name(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Binding { .. } => true,
        Pattern::Or(cases, _) => cases.iter().any(is_name),
        Pattern::Ref(inner, _) | Pattern::RefMut(inner, _) | Pattern::Reference(inner, _) => is_name(inner),
        _ => false,
    }
}

/// How many alternatives a pattern has, those of its parts multiplied out.
fn alternatives_of(pattern: &Pattern) -> usize {
    if !pattern.has_named_alternatives() {
        return 1;
    }
    let counts = pattern.children().into_iter().map(alternatives_of);
    match pattern {
        Pattern::Or(..) => counts.fold(0, usize::saturating_add),
        _ => counts.fold(1, usize::saturating_mul),
    }
}
