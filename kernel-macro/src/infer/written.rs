//! `for` loops that write the elements they go through: `for (i, v) in x.iter_mut().enumerate()`. Each name that stands for an
//! element is a reference to its place, so that a loop must know the places: it goes by position, and nothing is computed on
//! the way.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Pattern, UnaryOp};
use crate::builtin::iteration::Iteration;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Resolution};

use super::block::strip;
use super::unify::Term;
use super::{BindingId, Infer, range};

impl<'a> Infer<'a> {
    /// Notes that elements are gone through to write them; false when they cannot be written.
    pub(super) fn go_through_written(&mut self, receiver: &'a Expr, term: &Term) -> bool {
        let before = self.diags.len();
        self.require_written_elements(receiver, term, matches!(term, Term::Buffer { mutable: true, .. }));
        self.writes_elements = true;
        self.diags.len() == before
    }

    /// Whether a chain goes through elements to write them.
    pub(super) fn is_written(&self, expr: &'a Expr) -> bool {
        match &strip(expr).kind {
            ExprKind::Borrow { mutable, operand } => {
                *mutable
                    && !matches!(
                        self.table.shallow(&self.term(operand)),
                        Term::Iterator(_) | Term::Range(..) | Term::Struct(..) | Term::Enum(..)
                    )
            }
            ExprKind::Method { receiver, args, .. } => match self.tables.calls.get(&strip(expr).id) {
                Some(Callee::Iterate(Iteration::IterMut)) => true,
                Some(Callee::Iterate(_)) => self.is_written(receiver) || args.iter().any(|arg| self.is_written(arg)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Reports a method that needs the elements themselves.
    pub(super) fn report_written(&mut self, name: &Ident) {
        self.error(
            code::UNSUPPORTED_SYNTAX,
            range(name.span()),
            format!("`{name}` after `iter_mut` is not supported in kernels"),
        )
        .note("elements are written in `for` loops, after `enumerate`, `zip`, `rev`, `skip`, `take` and `step_by`")
        .help("write `for v in x.iter_mut() { … }`");
    }

    /// Notes which names of a loop's pattern are references to elements.
    pub(super) fn note_written(&mut self, looped: &'a Expr, pattern: &'a Pattern, iterated: &'a Expr) {
        let before = self.diags.len();
        self.note_places(pattern, iterated, true);
        if self.diags.len() == before {
            self.tables.written_loops.insert(looped.id);
        }
    }

    /// `is_whole`: nothing but `enumerate` stands behind, so that a `zip` may have any iterator beside the elements.
    fn note_places(&mut self, pattern: &'a Pattern, expr: &'a Expr, is_whole: bool) {
        use Iteration as I;
        let expr = strip(expr);
        if !self.is_written(expr) {
            return self.note_values(pattern);
        }
        let ExprKind::Method { receiver, args, .. } = &expr.kind else {
            if let ExprKind::Borrow { mutable: true, operand } = &expr.kind {
                self.note_place(pattern, operand);
            }
            return;
        };
        match self.tables.calls.get(&expr.id) {
            Some(Callee::Iterate(I::IterMut)) => self.note_place(pattern, receiver),
            Some(Callee::Iterate(I::Rev | I::StepBy | I::Take | I::Skip)) => self.note_places(pattern, receiver, false),
            Some(Callee::Iterate(I::IntoIter)) => self.note_places(pattern, receiver, is_whole),
            Some(Callee::Iterate(I::Enumerate)) => match pair_of(pattern) {
                Some([_, element]) => self.note_places(element, receiver, is_whole),
                None => self.report_unnamed(pattern, "(i, v)"),
            },
            Some(Callee::Iterate(I::Zip)) => match (pair_of(pattern), args.as_slice()) {
                (Some([left, right]), [arg]) => {
                    let may_be_any = is_whole && !self.is_written(arg);
                    let others = [&**receiver, arg];
                    let other = others.into_iter().take(if may_be_any { 1 } else { 2 }).find(|it| !self.has_places(it));
                    if let Some(other) = other.filter(|it| !self.is_written(it)) {
                        self.report_beside(other);
                    }
                    self.note_places(left, receiver, false);
                    self.note_places(right, arg, false);
                }
                _ => self.report_unnamed(pattern, "(a, b)"),
            },
            _ => {}
        }
    }

    /// Whether the elements of a chain are reached by position.
    fn has_places(&self, expr: &'a Expr) -> bool {
        use Iteration as I;
        let expr = self.unfold_fixed(expr);
        let is_source = |it: &Expr| match self.table.shallow(&self.term(it)) {
            Term::Array(..) | Term::ArrayOf(..) | Term::Buffer { .. } | Term::Error => true,
            Term::Range(..) => !matches!(it.kind, ExprKind::Path(_)) || self.reference_of(it).is_none(),
            _ => false,
        };
        match (&expr.kind, self.tables.calls.get(&expr.id)) {
            (ExprKind::Range { .. }, _) => true,
            (ExprKind::Borrow { operand, mutable }, _) => {
                is_source(operand) && !(*mutable && matches!(self.table.shallow(&self.term(operand)), Term::Range(..)))
            }
            (ExprKind::Method { .. }, Some(Callee::Iterate(I::Iter | I::IterMut | I::Parts(_)))) => true,
            (ExprKind::Method { receiver, args, .. }, Some(Callee::Iterate(iteration))) => match iteration {
                I::IntoIter | I::Same | I::Rev | I::StepBy | I::Take | I::Skip | I::Enumerate => {
                    self.has_places(receiver)
                }
                I::Zip => self.has_places(receiver) && args.iter().all(|arg| self.has_places(arg)),
                _ => false,
            },
            _ => is_source(expr),
        }
    }

    /// `of`: what the elements are of.
    fn note_place(&mut self, pattern: &'a Pattern, of: &'a Expr) {
        match pattern {
            Pattern::Binding { binding, inner: None, mutable: false, .. } => {
                self.note_reference(*binding, true);
                if self.is_own(of) {
                    self.rows.insert(*binding);
                }
            }
            Pattern::Wild(_) => {}
            _ => self.report_unnamed(pattern, "v"),
        }
    }

    /// Whether a place is one of the function's own variables or a part of one, also by way of loops.
    fn is_own(&self, place: &'a Expr) -> bool {
        let (root, Some(binding)) = self.root_of(place) else { return false };
        let is_held =
            self.local(binding).is_some_and(|local| !matches!(local.term, Term::Buffer { .. } | Term::Shared(_)));
        is_held
            && (!self.tables.references.contains_key(&binding)
                || self.rows.contains(&binding)
                || self.is_parameter(root))
    }

    /// As [`is_own`](Self::is_own), also by way of variables that are references.
    pub(super) fn leads_to_own(&self, place: &'a Expr) -> bool {
        self.is_own(place)
            || matches!(self.root_of(place), (_, Some(binding)) if self.own_references.contains(&binding))
    }

    /// The root of a place, and its variable.
    pub(super) fn root_of(&self, place: &'a Expr) -> (&'a Expr, Option<BindingId>) {
        let mut root = strip(place);
        loop {
            root = match &root.kind {
                ExprKind::Paren(inner, ..)
                | ExprKind::Unary(UnaryOp::Deref, inner)
                | ExprKind::Borrow { operand: inner, .. }
                | ExprKind::Field { base: inner, .. }
                | ExprKind::Index { base: inner, .. } => inner,
                ExprKind::Method { receiver, .. } if self.tables.place_call(self.program, root).is_some() => receiver,
                _ => break,
            };
        }
        match self.tables.paths.get(&root.id) {
            Some(Resolution::Binding(binding)) => (root, Some(*binding)),
            _ => (root, None),
        }
    }

    fn report_unnamed(&mut self, pattern: &Pattern, name: &str) {
        self.error(code::UNSUPPORTED_SYNTAX, pattern.span(), "an element of `iter_mut` must be bound to a plain name")
            .help(format!("write `{name}`, and take it apart in the loop"));
        // Their use in the loop is no further error.
        pattern.for_each_binding(&mut |_, binding| self.note_reference(binding, true));
    }

    /// Reports a chain that is not reached by position, where it has to be.
    fn report_beside(&mut self, other: &'a Expr) {
        let (span, name) = match &strip(other).kind {
            ExprKind::Method { name, .. } => (range(name.span()), name.to_string()),
            _ => (other.span, text(other)),
        };
        self.error(code::UNSUPPORTED_SYNTAX, span, format!("`{name}` beside `iter_mut` is not supported here"))
            .note("a loop that writes elements goes by position: through arrays, slices and ranges")
            .help(
                "put it last, and nothing but `enumerate` behind it, `x.iter_mut().zip(…)`; or compute it in the loop",
            );
    }
}

/// Both patterns of a pair.
fn pair_of(pattern: &Pattern) -> Option<&[Pattern; 2]> {
    match pattern {
        Pattern::Tuple(members, _) if !members.iter().any(|member| matches!(member, Pattern::Rest(_))) => {
            members.as_slice().try_into().ok()
        }
        _ => None,
    }
}
