//! Inference of what makes slices of a slice: `windows`, `chunks` and `split_at`. Unlike `&x[a..b]` these are values of a type
//! of their own, which knows what they are parts of by the call that made them.
//!
//! Such a value is two words, the start and the length of a slice, and the call gives the whole that it is a part of.
//! So it passes through options, tuples and closures. Methods with slices have, in the same `impl` or trait, a form of
//! another name that the twin calls.

use crate::ast::{Expr, ExprKind, MethodCall};
use crate::builtin::iteration::{Iteration, Parts};
use crate::builtin::slice::SliceMethod;
use crate::diag::code;
use crate::program::crossing::{refuse_element, refuse_slice_element};
use crate::source::text;
use crate::typed::{Callee, Resolution, Ty};

use super::block::strip;
use super::finish::Deferred;
use super::iterable::{Called, Elements};
use super::iterator::over;
use super::mismatch::Because;
use super::unify::Term;
use super::{Infer, range};

impl<'a> Infer<'a> {
    /// `x.windows(n)` and its like.
    pub(super) fn infer_parts(&mut self, called: Called<'a, '_>, parts: Parts) -> Term {
        let Called { expr, name, args, .. } = called;
        self.tables.calls.insert(expr.id, Callee::Iterate(Iteration::Parts(parts)));
        let [size] = args else {
            self.report_arity(&name.to_string(), 1, args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Term::Error;
        };
        self.check(size, &Term::USIZE, Because::Step);
        self.part_of(called, parts.writes()).map_or(Term::Error, |part| over(&part))
    }

    /// `remainder` of `x.chunks_exact(n)`, also in a variable; `None` for other iterators.
    pub(super) fn infer_remainder(&mut self, call: MethodCall<'a>, item: &Term) -> Option<Term> {
        let MethodCall { expr, receiver, args: [], .. } = call else { return None };
        let parts = self.unfold(receiver);
        let ExprKind::Method { receiver: whole, .. } = &parts.kind else { return None };
        match self.tables.calls.get(&parts.id) {
            Some(Callee::Iterate(Iteration::Parts(
                Parts::ChunksExact { mutable: false } | Parts::RChunksExact { mutable: false },
            ))) => {}
            _ => return None,
        }
        let Term::Buffer { element, .. } = self.table.shallow(item) else { return None };
        self.has_references = true;
        self.tables.calls.insert(expr.id, Callee::Slice(SliceMethod::Remainder));
        self.note_origin(expr.id, whole);
        Some(Term::Buffer { element, mutable: false, origin: Some(expr.id) })
    }

    /// The type of the slices that a call makes of its receiver; `None` after an error.
    pub(super) fn part_of(&mut self, called: Called<'a, '_>, mutable: bool) -> Option<Term> {
        let Called { expr: call, receiver, term, elements: Elements { element, slice }, .. } = called;
        let before = self.diags.len();
        if self.refuse_shared_elements(receiver, true)
            || self.refuse_atomics(receiver, element)
            || self.refuse_divided_member(receiver)
        {
            return None;
        }
        if mutable {
            self.require_written_elements(receiver, term, slice == Some(true));
        }
        let is_moving = self.has_moving_index(receiver);
        if slice.is_none() && self.diags.len() == before && !is_moving {
            self.refuse_remote(receiver);
        }
        if self.diags.len() == before && is_moving {
            let source = text(strip(receiver));
            self.error(code::REFERENCE_USE, receiver.span, "an array inside an array cannot be split into slices here")
                .note("the slices could be used after the index that selects the array has changed")
                .help(format!("copy it to a variable: `let mut own = {source};`, and split that"));
        }
        if self.diags.len() > before {
            return None;
        }
        self.has_references = true;
        self.deferred.push(Deferred::Divided { receiver, term: (**element).clone(), owned: slice.is_none() });
        self.note_origin(call.id, receiver);
        Some(Term::Buffer { element: element.clone(), mutable, origin: Some(call.id) })
    }

    /// Reports elements of which the host has no slices that others may share.
    pub(super) fn check_divided(&mut self, receiver: &Expr, ty: &Ty, owned: bool) {
        let refusal = match ty {
            Ty::Error if owned => Some((
                "the type of its elements depends on a parameter",
                "take a slice as a parameter, `x: &[T]`, or go through the indices",
            )),
            _ => refuse_element(ty).or_else(|| refuse_slice_element(self.program, ty)),
        };
        if let Some((why, help)) = refusal {
            let is_own = matches!(ty, Ty::Enum(..) | Ty::Tuple(_) | Ty::Option(_) | Ty::Result(..))
                && matches!(self.table.shallow(&self.term(strip(receiver))), Term::Array(..));
            let help = if is_own { "pass the array itself, `x: &[T; N]`; or go through the indices" } else { help };
            let source = text(receiver);
            let message = format!("`{source}` cannot be split into slices in kernels");
            self.error(code::REFERENCE_USE, receiver.span, message).note(why).help(help);
        }
    }

    /// Whether a place is found by an index that may be another one later.
    fn has_moving_index(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => self.has_moving_index(inner),
            ExprKind::Field { base, .. } | ExprKind::Slice { base, .. } => self.has_moving_index(base),
            ExprKind::Index { base, index } => match self.table.shallow(&self.term(index)) {
                Term::Range(..) => self.has_moving_index(base),
                _ => !self.stays(index) || self.has_moving_index(base),
            },
            _ => false,
        }
    }

    /// Whether an index is the same wherever it stands: a number, a const, or a variable that never changes.
    fn stays(&self, index: &Expr) -> bool {
        match &strip(index).kind {
            ExprKind::Literal(_) => true,
            ExprKind::Path(_) => match self.tables.paths.get(&strip(index).id) {
                Some(Resolution::Binding(binding)) => {
                    self.local(*binding).is_some_and(|local| !local.mutable)
                        && !self.tables.references.contains_key(binding)
                        && !self.assigned_later.contains(binding)
                }
                Some(Resolution::Const(_) | Resolution::Value(_)) => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a place is found by an index.
    pub(super) fn has_index(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => self.has_index(inner),
            ExprKind::Field { base, .. } | ExprKind::Slice { base, .. } => self.has_index(base),
            ExprKind::Index { base, index } => match self.table.shallow(&self.term(index)) {
                Term::Range(..) => self.has_index(base),
                _ => true,
            },
            _ => false,
        }
    }

    /// Reports a slice that is taken out of something by its position or name.
    pub(super) fn refuse_inner_slice(&mut self, expr: &Expr, term: &Term) -> bool {
        if !matches!(self.table.shallow(term), Term::Buffer { origin: Some(_), .. }) {
            return false;
        }
        self.error(code::REFERENCE_USE, expr.span, "a slice cannot be a member of another value")
            .help("name it by a pattern: `let (head, tail) = x.split_at(n);`");
        true
    }
}

/// Whether a slice is part of a type.
pub(crate) fn holds_slice(ty: &Ty) -> bool {
    match ty {
        Ty::Buffer { .. } => true,
        Ty::Array(element, _) | Ty::Option(element) | Ty::Iterator(element) => holds_slice(element),
        Ty::Result(value, error) => holds_slice(value) || holds_slice(error),
        Ty::Tuple(members) | Ty::Struct(_, Some(members)) | Ty::Enum(_, Some(members)) => {
            members.iter().any(holds_slice)
        }
        _ => false,
    }
}
