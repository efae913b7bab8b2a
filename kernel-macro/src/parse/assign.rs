//! Assignments. One to a pattern is what Rust makes of it: a `let` of new variables, then an assignment for each.

use proc_macro2::{Ident, Span};
use quote::{quote, quote_spanned};
use syn::{BinOp, Expr as Syn, UnOp};

use super::Parser;
use super::span::expr_range;
use crate::ast::{Block, Expr, ExprKind, Path, Pattern, SpanRange, Statement};

impl Parser<'_> {
    pub(super) fn assign(&mut self, assign: &syn::ExprAssign) -> ExprKind {
        if let Some(written) = written_insertion(&assign.left, &assign.right, None) {
            return self.expr_kind(&written);
        }
        if let Some(written) = self.written_element(&assign.left, &assign.right, None) {
            return self.expr_kind(&written);
        }
        if let Some(scattered) = self.scattered(assign) {
            return scattered;
        }
        if !is_pattern(&assign.left) {
            return ExprKind::Assign(self.boxed(&assign.left), self.boxed(&assign.right));
        }
        let value = self.expr(&assign.right);
        let mut assignments = Vec::new();
        let pattern = self.assignee(&assign.left, &mut assignments);
        let span = expr_range(&assign.left);
        let mut statements = vec![Statement::Let { pattern, ty: None, value: Some(value), otherwise: None, span }];
        statements.extend(assignments);
        ExprKind::Block { label: None, block: Block { statements, tail: None, span, safety: None } }
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
                let members = array.elems.iter().map(|member| self.assignee(member, assignments)).collect();
                Pattern::Slice { id: self.next_expr(), members, span }
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
        let value = self.node(kind, span);
        let kind = ExprKind::Assign(place, Box::new(value));
        Statement::Expr { expr: self.node(kind, span), semicolon: true }
    }
}

/// `*option.get_or_insert(v) += value`, `*option.insert(v) = value` and their like, as two calls: the value that is there then, and the
/// insertion of the new one. Not where naming the option twice would do something twice. `op`: the operator, of which some assign.
pub(super) fn written_insertion(left: &Syn, right: &Syn, op: Option<&BinOp>) -> Option<Syn> {
    let mut call = left;
    while let Syn::Paren(paren) = call {
        call = &paren.expr;
    }
    let Syn::Unary(syn::ExprUnary { op: UnOp::Deref(_), expr, .. }) = call else { return None };
    let Syn::MethodCall(call) = &**expr else { return None };
    let inserts = ["insert", "get_or_insert", "get_or_insert_with"].iter().any(|name| call.method == name);
    if !inserts || call.args.len() != 1 || !is_named(&call.receiver) {
        return None;
    }
    let option = &call.receiver;
    let span = call.method.span();
    let [by, old, new] = ["__by", "__old", "__new"].map(|name| Ident::new(name, Span::mixed_site().located_at(span)));
    let op = match op {
        Some(op) => Some(without_assignment(op)?),
        None => None,
    };
    let value = op.map_or_else(|| quote!(#by), |op| quote!(#old #op #by));
    syn::parse2(quote_spanned!(span=> {
        let #by = #right;
        let #old = *#call;
        let #new = #value;
        let #old = *#option.insert(#new);
    }))
    .ok()
}

/// Whether an expression only names a place: it may stand twice.
pub(super) fn is_named(place: &Syn) -> bool {
    match place {
        Syn::Path(_) => true,
        Syn::Field(field) => is_named(&field.base),
        Syn::Index(index) => is_named(&index.expr) && (is_named(&index.index) || matches!(*index.index, Syn::Lit(_))),
        _ => false,
    }
}

/// The operator of `op=`; `None` for one that does not assign.
fn without_assignment(op: &BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::AddAssign(it) => BinOp::Add(syn::token::Plus { spans: [it.spans[0]] }),
        BinOp::SubAssign(it) => BinOp::Sub(syn::token::Minus { spans: [it.spans[0]] }),
        BinOp::MulAssign(it) => BinOp::Mul(syn::token::Star { spans: [it.spans[0]] }),
        BinOp::DivAssign(it) => BinOp::Div(syn::token::Slash { spans: [it.spans[0]] }),
        BinOp::RemAssign(it) => BinOp::Rem(syn::token::Percent { spans: [it.spans[0]] }),
        BinOp::BitXorAssign(it) => BinOp::BitXor(syn::token::Caret { spans: [it.spans[0]] }),
        BinOp::BitAndAssign(it) => BinOp::BitAnd(syn::token::And { spans: [it.spans[0]] }),
        BinOp::BitOrAssign(it) => BinOp::BitOr(syn::token::Or { spans: [it.spans[0]] }),
        BinOp::ShlAssign(it) => BinOp::Shl(syn::token::Shl { spans: [it.spans[0], it.spans[1]] }),
        BinOp::ShrAssign(it) => BinOp::Shr(syn::token::Shr { spans: [it.spans[0], it.spans[1]] }),
        _ => return None,
    })
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
