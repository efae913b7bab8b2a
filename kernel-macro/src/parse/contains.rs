//! `(a..b).contains(&x)`: two comparisons, of values that are evaluated once and in Rust's order. Knows no types: what has an
//! order is inference's to say.

use proc_macro2::{Ident, Span};

use super::Parser;
use crate::ast::{BinaryOp, Block, Expr, ExprKind, Path, Pattern, SpanRange, Statement, UnaryOp};

/// Whether a method call is that of a range as it is written.
pub(super) fn is_contains(receiver: &Expr, name: &Ident, args: &[Expr]) -> bool {
    args.len() == 1 && name == "contains" && matches!(without_parens(receiver).kind, ExprKind::Range { .. })
}

impl Parser<'_> {
    /// `{ let start = a; let end = b; let value = x; start <= value && value < end }`
    pub(super) fn contains(&mut self, receiver: Expr, args: Vec<Expr>) -> ExprKind {
        let span = receiver.span;
        let ExprKind::Range { start, end, inclusive } = take_parens(receiver).kind else { return ExprKind::Error };
        let Some(value) = args.into_iter().next() else { return ExprKind::Error };
        let whole = SpanRange { start: span.start, end: value.span.end };
        let mut statements = vec![self.let_named("__start", *start)];
        let has_end = end.is_some();
        statements.extend(end.map(|end| self.let_named("__end", *end)));
        let value = match take_parens(value) {
            Expr { kind: ExprKind::Borrow { mutable: false, operand }, .. } => *operand,
            other => {
                let span = other.span;
                self.node(ExprKind::Unary(UnaryOp::Deref, Box::new(other)), span)
            }
        };
        statements.push(self.let_named("__value", value));
        let mut inside = self.ordered("__start", BinaryOp::Le, "__value", whole);
        if has_end {
            let op = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
            let below = self.ordered("__value", op, "__end", whole);
            inside = self.node(ExprKind::Binary(BinaryOp::And, Box::new(inside), Box::new(below), whole.end), whole);
        }
        ExprKind::Block {
            label: None,
            block: Block { statements, tail: Some(Box::new(inside)), span: whole, safety: None },
        }
    }

    fn let_named(&mut self, name: &str, value: Expr) -> Statement {
        let span = value.span;
        let pattern = Pattern::Binding {
            name: hidden(name, span.end),
            mutable: false,
            binding: self.next_binding(),
            inner: None,
        };
        Statement::Let { pattern, ty: None, value: Some(value), otherwise: None, span }
    }

    fn ordered(&mut self, left: &str, op: BinaryOp, right: &str, span: SpanRange) -> Expr {
        let mut named = |name: &str| {
            let path = Path::plain(false, vec![hidden(name, span.end)]);
            Box::new(self.node(ExprKind::Path(path), SpanRange::token(span.end)))
        };
        let (left, right) = (named(left), named(right));
        self.node(ExprKind::Binary(op, left, right, span.end), span)
    }
}

/// A name that no author can mean.
pub(super) fn hidden(name: &str, at: Span) -> Ident {
    Ident::new(name, at.resolved_at(Span::mixed_site()))
}

pub(super) fn without_parens(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) => without_parens(inner),
        _ => expr,
    }
}

pub(super) fn take_parens(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Paren(inner, ..) => take_parens(*inner),
        _ => expr,
    }
}
