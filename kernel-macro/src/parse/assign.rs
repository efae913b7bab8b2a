//! Assignments. One to a pattern is what Rust makes of it: a `let` of new variables, then an assignment for each.

use proc_macro2::{Ident, Span};
use syn::Expr as Syn;

use super::Parser;
use super::span::expr_range;
use crate::ast::{Block, Expr, ExprKind, Path, Pattern, SpanRange, Statement};

impl Parser<'_> {
    pub(super) fn assign(&mut self, assign: &syn::ExprAssign) -> ExprKind {
        if !is_pattern(&assign.left) {
            return ExprKind::Assign(self.boxed(&assign.left), self.boxed(&assign.right));
        }
        let value = self.expr(&assign.right);
        let mut assignments = Vec::new();
        let pattern = self.assignee(&assign.left, &mut assignments);
        let span = expr_range(&assign.left);
        let mut statements = vec![Statement::Let { pattern, ty: None, value: Some(value), otherwise: None, span }];
        statements.extend(assignments);
        ExprKind::Block { label: None, block: Block { statements, tail: None, span } }
    }

    /// The pattern for what is assigned to; a variable for each place, and the statements that write them.
    fn assignee(&mut self, left: &Syn, assignments: &mut Vec<Statement>) -> Pattern {
        let span = expr_range(left);
        match left {
            Syn::Infer(it) => Pattern::Wild(it.underscore_token.span),
            Syn::Range(range) if range.start.is_none() && range.end.is_none() => Pattern::Rest(span.start),
            Syn::Paren(paren) => self.assignee(&paren.expr, assignments),
            Syn::Group(group) => self.assignee(&group.expr, assignments),
            Syn::Tuple(tuple) => {
                Pattern::Tuple(tuple.elems.iter().map(|member| self.assignee(member, assignments)).collect(), span)
            }
            Syn::Array(array) => {
                Pattern::Slice(array.elems.iter().map(|member| self.assignee(member, assignments)).collect(), span)
            }
            place => {
                let place = self.boxed(place);
                let name =
                    Ident::new(&format!("__assigned{}", assignments.len()), Span::mixed_site().located_at(span.start));
                assignments.push(self.assignment(place, &name, span));
                Pattern::Binding { name, mutable: false, binding: self.next_binding(), inner: None }
            }
        }
    }

    /// `place = name;`
    fn assignment(&mut self, place: Box<Expr>, name: &Ident, span: SpanRange) -> Statement {
        let kind = ExprKind::Path(Path::plain(false, vec![name.clone()]));
        let value = Expr { id: self.next_expr(), kind, span };
        let kind = ExprKind::Assign(place, Box::new(value));
        Statement::Expr { expr: Expr { id: self.next_expr(), kind, span }, semicolon: true }
    }
}

/// Whether something is taken apart by an assignment to it.
fn is_pattern(left: &Syn) -> bool {
    match left {
        Syn::Infer(_) | Syn::Tuple(_) | Syn::Array(_) => true,
        Syn::Paren(paren) => is_pattern(&paren.expr),
        Syn::Group(group) => is_pattern(&group.expr),
        _ => false,
    }
}
