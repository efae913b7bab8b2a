//! Ranges in variables: `let rows = a..b;` is two variables, its ends, and the range itself where the name stands. Knows no types, and
//! leaves ranges that change to inference, which reports them.

use proc_macro2::Ident;
use syn::Expr as Syn;

use super::Parser;
use super::contains::{hidden, take_parens, without_parens as inner};
use crate::ast::{BinaryOp, Expr, ExprKind, Path, Pattern, SpanRange, Statement, UnaryOp};

/// The ends of a range in a variable, by the names that these have.
#[derive(Debug, Clone)]
pub(super) struct NamedRange {
    start: Ident,
    end: Ident,
    inclusive: bool,
}

impl Parser<'_> {
    /// `let name = a..b;` as `let (start, end) = (a, b);`; `None` for another statement.
    pub(super) fn let_range(&mut self, local: &syn::Local) -> Option<Statement> {
        let syn::Pat::Ident(pattern) = &local.pat else { return None };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let Syn::Range(range) = without_parens(&init.expr) else { return None };
        let (from, to) = (range.start.as_ref()?, range.end.as_ref()?);
        if pattern.mutability.is_some() || pattern.by_ref.is_some() || pattern.subpat.is_some() {
            return None;
        }
        let (name, span) = (&pattern.ident, SpanRange::of(&init.expr));
        let ends = vec![self.expr(from), self.expr(to)];
        let value = Expr { id: self.next_expr(), kind: ExprKind::Tuple(ends), span };
        let [start, end] = ["start", "end"].map(|end| hidden(&format!("__{end}_of_{name}"), name.span()));
        let bindings = [&start, &end].map(|name| Pattern::Binding {
            name: name.clone(),
            mutable: false,
            binding: self.next_binding(),
            inner: None,
        });
        let pattern = Pattern::Tuple(bindings.into(), SpanRange::token(name.span()));
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        self.name_range(name, NamedRange { start, end, inclusive });
        let span = SpanRange { start: local.let_token.span, end: local.semi_token.span };
        Some(Statement::Let { pattern, ty: None, value: Some(value), otherwise: None, span })
    }

    /// The range that an expression names, by itself or with `clone()`.
    pub(super) fn named_range(&mut self, expr: &Syn) -> Option<(Expr, Expr, bool)> {
        let path = match without_parens(expr) {
            Syn::Path(path) => path,
            Syn::MethodCall(call) if call.method == "clone" && call.args.is_empty() => match &*call.receiver {
                Syn::Path(path) => path,
                _ => return None,
            },
            _ => return None,
        };
        let NamedRange { start, end, inclusive } = self.range_of(path.path.get_ident()?)?.clone();
        let span = SpanRange::of(expr);
        let [start, end] = [start, end].map(|name| self.end_of(name, span));
        Some((start, end, inclusive))
    }

    /// `rows.start` and `rows.end` of a range in a variable.
    pub(super) fn end_named(&mut self, field: &syn::ExprField) -> Option<ExprKind> {
        let (Syn::Path(path), syn::Member::Named(member)) = (&*field.base, &field.member) else { return None };
        let range = self.range_of(path.path.get_ident()?).filter(|range| !range.inclusive)?.clone();
        let end = match member.to_string().as_str() {
            "start" => range.start,
            "end" => range.end,
            _ => return None,
        };
        Some(ExprKind::Path(Path::plain(false, vec![end])))
    }

    /// `len()` and `is_empty()` of a range; else the receiver.
    pub(super) fn range_method(
        &mut self,
        receiver: Box<Expr>,
        name: &Ident,
        count: usize,
    ) -> Result<ExprKind, Box<Expr>> {
        let is_meant = count == 0
            && matches!(&inner(&receiver).kind, ExprKind::Range { end: Some(_), inclusive, .. }
            if name == "is_empty" || name == "len" && !inclusive);
        if !is_meant {
            return Err(receiver);
        }
        if name == "len" {
            let name = Ident::new("count", name.span());
            return Ok(ExprKind::Method { receiver, name, turbofish: None, args: Vec::new(), functions: Vec::new() });
        }
        let span = receiver.span;
        let ExprKind::Range { start, end: Some(end), inclusive } = take_parens(*receiver).kind else {
            return Ok(ExprKind::Error);
        };
        let op = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let ordered = Expr { id: self.next_expr(), kind: ExprKind::Binary(op, start, end, span.end), span };
        Ok(ExprKind::Unary(UnaryOp::Not, Box::new(ordered)))
    }

    fn end_of(&mut self, name: Ident, span: SpanRange) -> Expr {
        Expr { id: self.next_expr(), kind: ExprKind::Path(Path::plain(false, vec![name])), span }
    }
}

fn without_parens(expr: &Syn) -> &Syn {
    match expr {
        Syn::Paren(paren) => without_parens(&paren.expr),
        other => other,
    }
}
