//! Operators that an `impl` defines for values, for references, or for both. References have no type here, so the operands as written
//! tell which `impl` rustc takes. Must not guess: where they do not tell, the `impl`s have to do the same.

use crate::ast::{Expr, ExprKind, Fn, Item, Lent, UnaryOp};
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Resolution};

use super::Infer;
use super::associated::Candidate;
use super::block::strip;
use super::reference::is_self;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// Of operators that differ in references only, those that fit the operands.
    pub(super) fn fitting_operators(
        &mut self,
        expr: &'a Expr,
        candidates: Vec<Candidate>,
        left: &'a Expr,
        right: &[(&'a Expr, Term)],
    ) -> Vec<Candidate> {
        if candidates.len() < 2 || candidates.iter().all(|candidate| self.lent_of(candidate) == Lent::default()) {
            return candidates;
        }
        let assigns = matches!(expr.kind, ExprKind::AssignOp(..));
        let left_lent = if assigns { Some(false) } else { self.is_lent_operand(left) };
        let right_lent = right.first().map_or(Some(false), |(operand, _)| self.is_lent_operand(operand));
        let mut fitting = Vec::new();
        for candidate in &candidates {
            let lent = self.lent_of(candidate);
            let is_known =
                left_lent.is_none_or(|left| left == lent.left) && right_lent.is_none_or(|right| right == lent.right);
            if is_known && self.takes(candidate, right) {
                fitting.push(candidate.clone());
            }
        }
        if fitting.is_empty() {
            return candidates;
        }
        if fitting.len() > 1 && !self.do_the_same(&fitting) && !self.do_the_same(&candidates) {
            let source = text(expr);
            self.error(code::CANNOT_INFER, expr.span, format!("which `impl` of the operator `{source}` means is not known here"))
                .note("an operand may be a value or a reference, and the `impl`s for these differ")
                .help("write `*name` for the value behind a reference, or `&name`; or let one `impl` call the other: `*self + *other`");
        }
        fitting
    }

    /// Whether the right operand has the type that an operator takes.
    fn takes(&mut self, candidate: &Candidate, right: &[(&'a Expr, Term)]) -> bool {
        let Some(function) = self.method_of(candidate) else { return false };
        function.params.iter().skip(1).zip(right).all(|(param, (_, found))| {
            let term = self.member_term(candidate, function, &param.ty);
            self.table.would_unify(&term, found)
        })
    }

    fn lent_of(&self, candidate: &Candidate) -> Lent {
        let owner = self.program.items[candidate.member].owner.map(|owner| &self.program.items[owner].item);
        match owner {
            Some(Item::Impl(owner)) => owner.lent,
            _ => Lent::default(),
        }
    }

    /// Whether rustc sees a reference in an operand; `None` where only rustc knows.
    pub(super) fn is_lent_operand(&self, operand: &Expr) -> Option<bool> {
        let operand = strip(operand);
        if self.reference_of(operand).is_some() {
            return Some(true);
        }
        match &operand.kind {
            ExprKind::Path(_) if is_self(operand) => Some(self.takes_self_by_reference()),
            ExprKind::Path(_) => match self.tables.paths.get(&operand.id) {
                Some(Resolution::Binding(binding)) if self.own_values.contains(binding) => Some(false),
                Some(Resolution::Binding(_)) if self.has_references => None,
                _ => Some(false),
            },
            ExprKind::Unary(UnaryOp::Deref, _)
            | ExprKind::Literal(_)
            | ExprKind::Binary(..)
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Field { .. }
            | ExprKind::Index { .. } => Some(false),
            ExprKind::Call { .. } | ExprKind::Method { .. } => match self.tables.calls.get(&operand.id)? {
                Callee::Constructor | Callee::Clone | Callee::Default => Some(false),
                Callee::Device(item) => match &self.program.items[*item].item {
                    Item::Fn(function) => Some(function.lends()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether all operators have the same body, or call one of the others.
    pub(super) fn do_the_same(&self, candidates: &[Candidate]) -> bool {
        let own = |candidate: &&Candidate| self.method_of(candidate).is_some_and(|function| !passes_on(function));
        let mut bodies = candidates.iter().filter(own).map(|candidate| {
            let owner = self.program.items[candidate.member].owner.map(|owner| &self.program.items[owner].item);
            match owner {
                Some(Item::Impl(owner)) => &owner.words[..],
                _ => &[],
            }
        });
        let Some(first) = bodies.next() else { return false };
        bodies.all(|body| body == first)
    }
}

/// Whether a function does nothing but call the operator for values: `*self + other`.
fn passes_on(function: &Fn) -> bool {
    let Some(tail) = function.body.tail.as_ref().filter(|_| function.body.statements.is_empty()) else { return false };
    let name = |operand: &Expr| {
        let mut operand = strip(operand);
        while let ExprKind::Borrow { operand: inner, .. } | ExprKind::Unary(UnaryOp::Deref, inner) = &operand.kind {
            operand = strip(inner);
        }
        match &operand.kind {
            ExprKind::Path(path) => path.as_name().map(ToString::to_string),
            _ => None,
        }
    };
    let other = function.params.get(1).map(|param| param.name.to_string());
    match &strip(tail).kind {
        ExprKind::Binary(op, left, right, _) => {
            let method = super::op::operator_trait(*op).map(|(_, method)| method);
            name(left).as_deref() == Some("self")
                && name(right) == other
                && method.is_some_and(|own| function.name == own)
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => function.name == "neg" && name(inner).as_deref() == Some("self"),
        ExprKind::Unary(UnaryOp::Not, inner) => function.name == "not" && name(inner).as_deref() == Some("self"),
        _ => false,
    }
}
