//! First and last token of a syntax node, found by walking down its edges: printing every node would take quadratic time.

use proc_macro2::Span;
use syn::{Expr, Lit, Member, Type, UnOp};

use crate::ast::SpanRange;

/// From the first to the last token of an expression.
pub(super) fn expr_range(expr: &Expr) -> SpanRange {
    match (first(expr), last(expr)) {
        (Some(start), Some(end)) => SpanRange { start, end },
        // Attributes, generic arguments, and what kernels do not have: rare.
        _ => SpanRange::of(expr),
    }
}

/// From the first to the last token of a type.
pub(super) fn type_range(ty: &Type) -> SpanRange {
    if let Type::Path(path) = ty
        && path.qself.is_none()
        && let (Some(start), Some(end)) = (path_first(&path.path), path_last(&path.path))
    {
        return SpanRange { start, end };
    }
    SpanRange::of(ty)
}

/// From the first to the last token of a path.
pub(super) fn path_range(path: &syn::Path) -> SpanRange {
    match (path_first(path), path_last(path)) {
        (Some(start), Some(end)) => SpanRange { start, end },
        _ => SpanRange::of(path),
    }
}

fn first(mut expr: &Expr) -> Option<Span> {
    loop {
        let (attrs, inner) = match expr {
            Expr::Binary(it) => (&it.attrs, &it.left),
            Expr::Assign(it) => (&it.attrs, &it.left),
            Expr::Cast(it) => (&it.attrs, &it.expr),
            Expr::Call(it) => (&it.attrs, &it.func),
            Expr::MethodCall(it) => (&it.attrs, &it.receiver),
            Expr::Field(it) => (&it.attrs, &it.base),
            Expr::Index(it) => (&it.attrs, &it.expr),
            Expr::Try(it) => (&it.attrs, &it.expr),
            other => return first_token(other),
        };
        if !attrs.is_empty() {
            return None;
        }
        expr = inner;
    }
}

/// Of an expression that begins with a token of its own.
fn first_token(expr: &Expr) -> Option<Span> {
    let label = |label: &Option<syn::Label>, keyword| label.as_ref().map_or(keyword, |it| it.name.apostrophe);
    let (attrs, span) = match expr {
        Expr::Unary(it) => match it.op {
            UnOp::Neg(token) => (&it.attrs, token.span),
            UnOp::Not(token) => (&it.attrs, token.span),
            _ => return None,
        },
        Expr::If(it) => (&it.attrs, it.if_token.span),
        // A loop may say how it is unrolled, which is no part of it.
        Expr::While(it) => return Some(label(&it.label, it.while_token.span)),
        Expr::Loop(it) => return Some(label(&it.label, it.loop_token.span)),
        Expr::ForLoop(it) => return Some(label(&it.label, it.for_token.span)),
        Expr::Match(it) => (&it.attrs, it.match_token.span),
        Expr::Let(it) => (&it.attrs, it.let_token.span),
        Expr::Block(it) => (&it.attrs, label(&it.label, it.block.brace_token.span.join())),
        Expr::Break(it) => (&it.attrs, it.break_token.span),
        Expr::Continue(it) => (&it.attrs, it.continue_token.span),
        Expr::Return(it) => (&it.attrs, it.return_token.span),
        Expr::Path(it) if it.qself.is_none() => (&it.attrs, path_first(&it.path)?),
        Expr::Struct(it) if it.qself.is_none() => (&it.attrs, path_first(&it.path)?),
        other => return only_token(other),
    };
    attrs.is_empty().then_some(span)
}

/// Of an expression that is one token or one pair of delimiters.
fn only_token(expr: &Expr) -> Option<Span> {
    let (attrs, span) = match expr {
        Expr::Lit(it) => match &it.lit {
            Lit::Int(lit) => (&it.attrs, lit.span()),
            Lit::Float(lit) => (&it.attrs, lit.span()),
            Lit::Bool(lit) => (&it.attrs, lit.span),
            _ => return None,
        },
        Expr::Paren(it) => (&it.attrs, it.paren_token.span.join()),
        Expr::Tuple(it) => (&it.attrs, it.paren_token.span.join()),
        Expr::Array(it) => (&it.attrs, it.bracket_token.span.join()),
        Expr::Repeat(it) => (&it.attrs, it.bracket_token.span.join()),
        _ => return None,
    };
    attrs.is_empty().then_some(span)
}

fn last(mut expr: &Expr) -> Option<Span> {
    loop {
        expr = match expr {
            Expr::Binary(it) => &it.right,
            Expr::Assign(it) => &it.right,
            Expr::Unary(it) => &it.expr,
            Expr::Let(it) => &it.expr,
            Expr::If(it) => match &it.else_branch {
                Some((_, otherwise)) => otherwise,
                None => return Some(it.then_branch.brace_token.span.join()),
            },
            Expr::Break(syn::ExprBreak { expr: Some(value), .. }) => value,
            Expr::Return(syn::ExprReturn { expr: Some(value), .. }) => value,
            other => return last_token(other),
        };
    }
}

/// Of an expression that ends with a token of its own.
fn last_token(expr: &Expr) -> Option<Span> {
    let jump = |label: &Option<syn::Lifetime>, keyword| label.as_ref().map_or(keyword, |it| it.ident.span());
    Some(match expr {
        Expr::Cast(it) => type_range(&it.ty).end,
        Expr::Call(it) => it.paren_token.span.join(),
        Expr::MethodCall(it) => it.paren_token.span.join(),
        Expr::Field(it) => match &it.member {
            Member::Named(name) => name.span(),
            Member::Unnamed(index) => index.span,
        },
        Expr::Index(it) => it.bracket_token.span.join(),
        Expr::Struct(it) => it.brace_token.span.join(),
        Expr::While(it) => it.body.brace_token.span.join(),
        Expr::Loop(it) => it.body.brace_token.span.join(),
        Expr::ForLoop(it) => it.body.brace_token.span.join(),
        Expr::Match(it) => it.brace_token.span.join(),
        Expr::Try(it) => it.question_token.span,
        Expr::Block(it) => it.block.brace_token.span.join(),
        Expr::Break(it) => jump(&it.label, it.break_token.span),
        Expr::Continue(it) => jump(&it.label, it.continue_token.span),
        Expr::Return(it) => it.return_token.span,
        Expr::Path(it) if it.qself.is_none() => return path_last(&it.path),
        other => return only_token(other),
    })
}

fn path_first(path: &syn::Path) -> Option<Span> {
    match &path.leading_colon {
        Some(colons) => Some(colons.spans[0]),
        None => path.segments.first().map(|segment| segment.ident.span()),
    }
}

/// `None` for a path that ends with generic arguments.
fn path_last(path: &syn::Path) -> Option<Span> {
    path.segments.last().filter(|segment| segment.arguments.is_none()).map(|segment| segment.ident.span())
}
