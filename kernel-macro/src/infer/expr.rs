//! Inference of one expression: hands each kind to the file that knows it.

use std::rc::Rc;

use crate::ast::{Expr, ExprKind, MethodCall, Path, SpanRange, TypeExpr};
use crate::typed::Len;

use super::finish::Deferred;
use super::mismatch::Because;
use super::unify::Term;
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// Infers an expression and records its type. A demanded type guides, but the caller checks it.
    pub(super) fn infer(&mut self, expr: &'a Expr, expect: &Expect) -> Term {
        match self.tables.given_slices.get(&expr.id) {
            Some(None) => return self.infer_given_slice(expr),
            Some(Some(origin)) => return self.infer_chosen_slice(expr, *origin),
            None => {}
        }
        let term = self.infer_any(expr, expect);
        if self.refuse_reference(expr) || self.refuse_value(expr, &term) {
            self.record(expr.id, Term::Error);
            return Term::Error;
        }
        term
    }

    /// As [`infer`](Self::infer), also for what is no value: shared variables and atomics, of which parts are used.
    pub(super) fn infer_any(&mut self, expr: &'a Expr, expect: &Expect) -> Term {
        // As in rustc: an expression is looked at as if it were reached.
        let outer = std::mem::replace(&mut self.diverges, false);
        let term = self.infer_kind(expr, expect);
        let term = self.within_limits(term, expr.span);
        self.diverges |= outer || self.table.is_never(&term);
        self.record(expr.id, term.clone());
        term
    }

    fn infer_kind(&mut self, expr: &'a Expr, expect: &Expect) -> Term {
        match &expr.kind {
            ExprKind::Literal(literal) => self.infer_literal(expr, literal, expect),
            ExprKind::Path(path) => self.infer_value_path(expr, path),
            ExprKind::Paren(inner, ..) => self.infer(inner, expect),
            ExprKind::Unary(op, operand) => self.infer_unary(expr, *op, operand, expect),
            ExprKind::Borrow { mutable, operand } => self.infer_borrow(expr, *mutable, operand, expect),
            ExprKind::Binary(op, left, right, _) => self.infer_binary(expr, *op, left, right),
            ExprKind::Assign(place, value) => self.infer_assign(place, value),
            ExprKind::AssignOp(op, place, value, _) => self.infer_assign_op(expr, *op, place, value),
            ExprKind::Cast(value, ty) => self.infer_cast(value, ty),
            ExprKind::If { condition, then_block, else_expr } => {
                self.infer_if(expr, condition, then_block, else_expr.as_deref(), expect)
            }
            ExprKind::OptionPlace(option_place) => self.infer_if_element(expr, option_place, expect),
            ExprKind::While { label, condition, body, .. } => self.infer_while(expr, label.as_deref(), condition, body),
            ExprKind::Loop { label, body, .. } => self.infer_loop(expr, label.as_deref(), body, expect),
            ExprKind::For { label, pattern, iterated, body, .. } => {
                self.infer_for(expr, label.as_deref(), pattern, iterated, body)
            }
            ExprKind::Block { label: None, block } => {
                let found = self.infer_block(block, expect);
                self.block_value(block, found, expect)
            }
            ExprKind::Block { label: Some(label), block } => self.infer_labelled_block(expr, label, block, expect),
            ExprKind::Break { label, value } => self.infer_break(expr, label.as_deref(), value.as_deref()),
            ExprKind::Continue { label } => self.infer_continue(expr, label.as_deref()),
            ExprKind::Return(value) => self.infer_return(expr, value.as_deref()),
            ExprKind::Call { callee, callee_span, args } => self.infer_call(expr, callee, *callee_span, args),
            ExprKind::Method { receiver, name, args, .. } => {
                self.infer_method(MethodCall { expr, receiver, name, args }, expect)
            }
            ExprKind::Range { start, end, inclusive } => self.infer_range(start, end.as_deref(), *inclusive),
            ExprKind::Field { base, member } => self.infer_field(expr, base, member),
            ExprKind::Index { base, index } => self.infer_index(expr, base, index),
            ExprKind::Slice { .. } => self.infer_stray_slice(expr),
            ExprKind::NewShared { ty, .. } => self.infer_stray_shared(expr, ty.as_deref()),
            ExprKind::Tuple(members) => self.infer_tuple(members, expect),
            ExprKind::Array(elements) => self.infer_array(expr, elements, expect),
            ExprKind::Repeat { element, len } => self.infer_repeat(element, len, expect),
            ExprKind::Macro(call) => self.infer_macro(call, expect),
            ExprKind::Struct { path, fields, base } => self.infer_struct(expr, path, fields, base.as_deref()),
            ExprKind::Match { scrutinee, arms } => self.infer_match(scrutinee, arms, expect),
            ExprKind::Let { pattern, value } => self.infer_stray_let(expr, pattern, value),
            ExprKind::Const(block) => {
                let outer = std::mem::replace(&mut self.constant, true);
                let found = self.infer_block(block, expect);
                let term = self.block_value(block, found, expect);
                self.constant = outer;
                term
            }
            ExprKind::Try(operand) => self.infer_try(expr, operand),
            ExprKind::Closure(closure) => self.infer_closure(expr, closure, None),
            ExprKind::Error => {
                self.poisoned = true;
                Term::Error
            }
        }
    }

    fn infer_cast(&mut self, value: &'a Expr, ty: &'a TypeExpr) -> Term {
        let target = self.term_of(ty);
        let found = self.infer(value, &Expect::Cast(target.clone()));
        if self.table.kind(&target).is_some() {
            self.open.push((value, target.clone()));
        }
        self.deferred.push(Deferred::Cast { value, found, target: target.clone(), ty: ty.span });
        target
    }

    fn infer_tuple(&mut self, members: &'a [Expr], expect: &Expect) -> Term {
        let expected = match expect {
            Expect::Type(term, because) => match self.table.shallow(term) {
                Term::Tuple(terms) if terms.len() == members.len() => Some((terms, *because)),
                _ => None,
            },
            _ => None,
        };
        let Some((terms, because)) = expected else {
            return Term::tuple(members.iter().map(|member| self.infer(member, &Expect::Nothing)).collect());
        };
        for (member, term) in members.iter().zip(terms.iter()) {
            self.check(member, term, because);
        }
        Term::Tuple(terms)
    }

    fn infer_array(&mut self, expr: &'a Expr, elements: &'a [Expr], expect: &Expect) -> Term {
        let len = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        let mut known = self.expected_element(expect);
        for element in elements {
            match &known {
                Some((term, because)) => self.check(element, &term.clone(), *because),
                None => {
                    let term = self.infer(element, &Expect::Nothing);
                    if !self.table.is_never(&term) {
                        known = Some((term, Because::FirstElement));
                    }
                }
            }
        }
        let element = known.map_or_else(|| self.fresh(), |(term, _)| term);
        let term = Term::Array(Rc::new(element), Len::Known(len));
        if elements.is_empty() {
            self.open.push((expr, term.clone()));
        }
        term
    }

    fn infer_repeat(&mut self, element: &'a Expr, len: &'a Expr, expect: &Expect) -> Term {
        let element = match self.expected_element(expect) {
            Some((term, because)) => {
                self.check(element, &term, because);
                term
            }
            None => self.infer(element, &Expect::Nothing),
        };
        match self.array_len(len) {
            Some(Len::Unknown) => {
                let term = self.table.array_of_unknown(&Rc::new(element.clone()));
                if term == Term::Error {
                    // rustc finds the types of numbers.
                    self.table.blur(&element);
                }
                term
            }
            Some(len) => Term::Array(Rc::new(element), len),
            None => Term::Error,
        }
    }

    /// The element type of an expected array.
    fn expected_element(&mut self, expect: &Expect) -> Option<(Term, Because)> {
        let Expect::Type(term, because) = expect else { return None };
        match self.table.shallow(term) {
            Term::Array(element, _) => Some(((*element).clone(), *because)),
            _ => None,
        }
    }
}

/// From the first to the last segment.
pub(super) fn path_span(path: &Path) -> SpanRange {
    match (path.segments.first(), path.segments.last()) {
        (Some(first), Some(last)) => SpanRange { start: first.span(), end: last.span() },
        _ => SpanRange::token(proc_macro2::Span::call_site()),
    }
}
