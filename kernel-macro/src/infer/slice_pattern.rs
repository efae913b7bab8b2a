//! Patterns of slices: `[first, .., last]`. The slice becomes a value, a start and a length, as if `split_at` had made it; so does
//! what `rest @ ..` names. The elements that a pattern names are values. Whether the patterns cover all lengths is rustc's to say.

use std::rc::Rc;

use crate::ast::{Expr, ExprId, ExprKind, Pattern, SpanRange, UnaryOp, rest_range};
use crate::diag::code;
use crate::source::text;

use super::Infer;
use super::block::strip;
use super::finish::Deferred;
use super::slice::sliced;
use super::unify::Term;

/// How patterns of slices may take a value apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Apart {
    /// Not: it is a parameter, an element of a loop, or inside of something else.
    #[default]
    Never,
    /// Always, whatever its length is: in a `let`.
    Always,
    /// If its length fits.
    Perhaps,
}

impl<'a> Infer<'a> {
    /// Infers a slice that patterns take apart; `None` for other values, of which nothing is inferred then.
    pub(super) fn infer_matched_slice(&mut self, value: &'a Expr) -> Option<Term> {
        let slice = matched_slice(value);
        let is_part = self.is_part(slice);
        if !is_part && !self.names_whole_slice(slice) {
            return self.is_part(sliced(value)).then(|| self.refuse_written_slice(value));
        }
        let before = self.diags.len();
        let found = if is_part { self.infer_sliced(slice, false) } else { self.infer_slice(slice, false) };
        let term = self.term(slice);
        let mut outer = value;
        while let ExprKind::Paren(inner, _)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Unary(UnaryOp::Deref, inner) = &outer.kind
            && !std::ptr::eq(outer, slice)
        {
            self.record(outer.id, term.clone());
            outer = inner;
        }
        let is_bare = std::ptr::eq(strip(value), slice) && !is_part;
        let matched = match found {
            Some((_, true)) if is_bare && self.diags.len() == before => self.refuse_written_slice(value),
            Some((element, _)) if self.diags.len() == before => self.matched(value, slice, element),
            _ => Term::Error,
        };
        if matched == Term::Error {
            self.record(value.id, Term::Error);
        }
        Some(matched)
    }

    /// The type of a slice that patterns take apart.
    fn matched(&mut self, value: &Expr, slice: &'a Expr, element: Term) -> Term {
        let whole = self.term(slice);
        let element = Rc::new(element);
        if self.refuse_list(slice, &whole) || self.refuse_atomics(slice, &element) || self.refuse_divided_member(slice)
        {
            return Term::Error;
        }
        if self.has_index(slice) {
            let array = match &slice.kind {
                ExprKind::Slice { base, .. } | ExprKind::Index { base, .. } => text(base),
                _ => text(slice),
            };
            self.error(code::REFERENCE_USE, value.span, "a slice of an array inside an array has no patterns here")
                .note("the slice could be used after the index that selects the array has changed")
                .help(format!("match the array, `match {array} {{ … }}`, or copy it to a variable first"));
            return Term::Error;
        }
        let owned = !matches!(self.table.shallow(&whole), Term::Buffer { .. });
        self.deferred.push(Deferred::Divided { receiver: slice, term: (*element).clone(), owned });
        self.note_origin(value.id, slice);
        let term = Term::Buffer { element, mutable: false, origin: Some(value.id) };
        self.sliced.push((value.id, term.clone()));
        term
    }

    /// Whether an expression is a variable that names a slice which no call made.
    fn names_whole_slice(&self, expr: &Expr) -> bool {
        let ExprKind::Path(path) = &expr.kind else { return false };
        let named = path.as_name().and_then(|name| self.variable(name));
        named.is_some_and(|(_, local)| matches!(self.table.shallow(&local.term), Term::Buffer { origin: None, .. }))
    }

    /// Reports a slice to write through that patterns would take apart.
    fn refuse_written_slice(&mut self, value: &'a Expr) -> Term {
        let slice = sliced(value);
        if self.is_part(slice) {
            self.infer_sliced(slice, true);
        }
        let read = match self.is_part(slice) {
            true => text(slice),
            false => format!("{}[..]", text(slice)),
        };
        let name = match &slice.kind {
            ExprKind::Slice { base, .. } | ExprKind::Index { base, .. } => text(base),
            _ => text(slice),
        };
        self.error(code::REFERENCE_USE, value.span, "a pattern cannot take a `&mut` slice apart here")
            .help(format!("to read, write `&{read}`; to write, name an element: `let first = &mut {name}[0];`"));
        self.record(value.id, Term::Error);
        Term::Error
    }

    /// Declares the variables of a pattern of a value that calls made slices of.
    pub(super) fn bind_apart(&mut self, pattern: &'a Pattern, term: &Term, apart: Apart) {
        let outer = std::mem::replace(&mut self.apart, apart);
        self.bind_pattern(pattern, term);
        self.apart = outer;
    }

    /// Declares the variables of a pattern for a slice.
    pub(super) fn bind_elements(
        &mut self,
        id: ExprId,
        patterns: &'a [Pattern],
        span: SpanRange,
        (element, mutable, origin): (&Rc<Term>, bool, ExprId),
    ) {
        let is_open = patterns.len() == 1 && patterns[0].is_rest();
        let refusal = match self.apart {
            _ if mutable => Some((
                "the slice is `&mut`, and its elements would be references to write through",
                "take it by `get` or `split_at` to read, or name an element: `let first = &mut part[0];`",
            )),
            Apart::Never => Some((
                "slices are taken apart by `match`, `if let`, `while let`, `let … else` and `matches!`",
                "name the slice here, and match on the name",
            )),
            Apart::Always if !is_open => {
                Some(("the slice may have another length", "write `let … else { … }`, or `match`"))
            }
            Apart::Always | Apart::Perhaps => None,
        };
        if let Some((why, help)) = refusal {
            self.error(code::BAD_PATTERN, span, "this pattern cannot take a slice apart here").note(why).help(help);
            return self.bind_all(patterns, &Term::Error);
        }
        self.has_references = true;
        patterns.iter().for_each(|pattern| self.note_values(pattern));
        self.record(id, Term::Buffer { element: element.clone(), mutable, origin: Some(origin) });
        for pattern in patterns.iter().filter(|pattern| !pattern.is_rest()) {
            // Slices inside of slices do not exist.
            self.bind_apart(pattern, element, Apart::Never);
        }
        if let Some((Pattern::Binding { name, mutable, binding, .. }, ..)) = rest_range(patterns, patterns.len()) {
            let rest =
                Term::Buffer { element: element.clone(), mutable: false, origin: Some(self.rest_of(origin, id)) };
            self.bind_name(*binding, name, *mutable, &rest);
        }
    }

    /// The origin of the rests of slices of one origin, whatever pattern takes them. Slices of calls may all have one length, which rests
    /// have not.
    fn rest_of(&mut self, origin: ExprId, pattern: ExprId) -> ExprId {
        if self.sliced.iter().any(|(value, _)| *value == origin) {
            return origin;
        }
        match self.rests.iter().find(|(known, _)| *known == origin) {
            Some((_, rest)) => *rest,
            None => {
                self.rests.push((origin, pattern));
                if let Some(root) = self.origin_roots.get(&origin).copied() {
                    self.origin_roots.insert(pattern, root);
                }
                pattern
            }
        }
    }
}

/// The slice that patterns take apart by a reference that reads, or as a place.
pub(crate) fn matched_slice(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, None)
        | ExprKind::Borrow { mutable: false, operand: inner }
        | ExprKind::Unary(UnaryOp::Deref, inner) => matched_slice(inner),
        _ => expr,
    }
}
