//! `if let Some(v) = x.get_mut(i)`, `let Some(v) = x.get_mut(i) else { … };` and their like with `first_mut`, `last_mut` and
//! `iter_mut().find(…)`: an option of a reference is no value here, but where it is taken apart at once, it is a position that is compared with the
//! length, and a reference to the element there. A struct may have a method of such a name, too: which of the two it is, the
//! receiver's type says, which inference knows. Must not accept a receiver that has an effect, since it is evaluated twice.

use proc_macro2::{Ident, Span};

use super::Parser;
use super::found_place::Search;
use crate::ast::{
    Arm, BinaryOp, Block, Expr, ExprKind, Literal, OptionPlace, OptionPlaceLet, Path, Pattern, ScalarName, SpanRange,
    Statement, TypeExpr, TypeKind, UnaryOp,
};
use crate::diag::code;

/// In how many `else` blocks of `let` an element may be looked for: each block is kept twice, as written and as that of the
/// comparison.
const MOST_ELSE_BLOCKS: usize = 6;

/// The variable that holds the position while the element is named.
const POSITION: &str = "__position";

/// `x.get_mut(i)` or its like, taken apart.
struct Asked {
    receiver: Expr,
    position: Expr,
    span: SpanRange,
}

impl Parser<'_> {
    /// `if condition { … } else { … }`, where the condition may look for an element to write.
    pub(super) fn if_expr(&mut self, condition: Expr, then_block: Block, else_expr: Option<Box<Expr>>) -> ExprKind {
        match condition.kind {
            ExprKind::Let { pattern, value } if is_some_of_a_name(&pattern) && is_option_place(&value) => {
                self.if_element(*pattern, *value, then_block, else_expr)
            }
            kind => ExprKind::If { condition: Box::new(Expr { kind, ..condition }), then_block, else_expr },
        }
    }

    /// `match x.get_mut(i) { Some(v) => …, None => … }` is that `if`; others are left as they are.
    pub(super) fn match_element(&mut self, scrutinee: Box<Expr>, mut arms: Vec<Arm>) -> ExprKind {
        let is_both = match arms.as_slice() {
            [some, none] => {
                let is_none = match &none.pattern {
                    Pattern::Wild(_) => true,
                    Pattern::Path { path, .. } => path.as_name().is_some_and(|name| name == "None"),
                    _ => false,
                };
                is_none && is_some_of_a_name(&some.pattern) && some.guard.is_none() && none.guard.is_none()
            }
            _ => false,
        };
        if !is_both || !is_option_place(&scrutinee) {
            return ExprKind::Match { scrutinee, arms };
        }
        let (Some(none), Some(some)) = (arms.pop(), arms.pop()) else { return ExprKind::Error };
        let span = some.body.span;
        let then_block = Block { statements: Vec::new(), tail: Some(Box::new(some.body)), span, safety: None };
        let span = none.body.span;
        let otherwise = Block { statements: Vec::new(), tail: Some(Box::new(none.body)), span, safety: None };
        let otherwise = self.node(ExprKind::Block { label: None, block: otherwise }, span);
        self.if_element(some.pattern, *scrutinee, then_block, Some(Box::new(otherwise)))
    }

    /// `let pattern = value else { … };`, where the value may look for an element to write.
    pub(super) fn let_else(
        &mut self,
        (pattern, ty): (Pattern, Option<Box<TypeExpr>>),
        value: Option<Expr>,
        otherwise: Option<Box<Block>>,
        span: SpanRange,
    ) -> Vec<Statement> {
        vec![match (value, otherwise) {
            (Some(value), Some(otherwise))
                if ty.is_none() && is_some_of_a_name(&pattern) && is_option_place(&value) =>
            {
                match self.else_blocks > MOST_ELSE_BLOCKS {
                    true => {
                        let error = self.error(code::NESTING, value.span, "this is nested too deeply");
                        error.help("let the `else` blocks around it do less: put it in front of them");
                        Statement::Let { pattern, ty, value: Some(value), otherwise: Some(otherwise), span }
                    }
                    false => self.let_element(pattern, value, *otherwise, span),
                }
            }
            (Some(value), None) if ty.is_none() => return self.let_parts(pattern, value, span),
            (value, otherwise) => Statement::Let { pattern, ty, value, otherwise, span },
        }]
    }

    /// `{ let position = i; if position < x.len() { let v = &mut x[position]; … } else { … } }`
    fn if_element(
        &mut self,
        pattern: Pattern,
        value: Expr,
        then_block: Block,
        else_expr: Option<Box<Expr>>,
    ) -> ExprKind {
        let written = ExprKind::Let { pattern: Box::new(pattern.clone()), value: Box::new(value.clone()) };
        let condition = self.node(written, value.span);
        let asked = self.asked(value);
        let receiver = self.again(&asked.receiver);
        let whole = then_block.span;
        let inside = self.is_inside(&asked, BinaryOp::Lt);
        let reference = self.reference_at(&asked, None);
        let named = named_by(pattern, reference, asked.span);
        // The names that the author gives stand in a block of their own, as in Rust.
        let body = self.node(ExprKind::Block { label: None, block: then_block }, whole);
        let then_block = Block { statements: vec![named], tail: Some(Box::new(body)), span: whole, safety: None };
        let kind = ExprKind::If { condition: Box::new(inside), then_block, else_expr };
        let tail = Box::new(self.node(kind, whole));
        let position = self.let_position(asked.position);
        let block = Block { statements: vec![position], tail: Some(tail), span: whole, safety: None };
        let element = self.node(ExprKind::Block { label: None, block }, whole);
        ExprKind::OptionPlace(Box::new(OptionPlace { receiver, condition, element }))
    }

    /// `let v = &mut x[{ let position = i; if position >= x.len() { … } position }];`
    fn let_element(&mut self, pattern: Pattern, value: Expr, otherwise: Block, span: SpanRange) -> Statement {
        let written = Statement::Let {
            pattern: pattern.clone(),
            ty: None,
            value: Some(value.clone()),
            otherwise: Some(Box::new(otherwise.clone())),
            span,
        };
        let asked = self.asked(value);
        let whole = self.again(&asked.receiver);
        let outside = self.is_inside(&asked, BinaryOp::Ge);
        let kind = ExprKind::If { condition: Box::new(outside), then_block: otherwise, else_expr: None };
        let test = Statement::Expr { expr: self.node(kind, asked.span), semicolon: false };
        let found = self.position(asked.position.span.start);
        let Asked { receiver, position, span: call } = asked;
        let statements = vec![self.let_position(position), test];
        let block = Block { statements, tail: Some(Box::new(found)), span: call, safety: None };
        let index = self.node(ExprKind::Block { label: None, block }, call);
        let empty = self.node(ExprKind::Tuple(Vec::new()), call);
        let asked = Asked { receiver, position: empty, span: call };
        let reference = self.reference_at(&asked, Some(index));
        let element = named_by(pattern, reference, span);
        Statement::OptionPlace(Box::new(OptionPlaceLet { id: self.next_expr(), receiver: whole, written, element }))
    }

    /// The parts of a call that [`is_option_place`].
    fn asked(&mut self, value: Expr) -> Asked {
        let span = value.span;
        if let Some(search) = Search::of(&value) {
            let (receiver, place) = (search.place.clone(), self.again(search.place));
            let position = self.found_position(&search, place);
            return Asked { receiver, position, span };
        }
        let ExprKind::Method { receiver, name, mut args, .. } = value.kind else {
            let position = self.node(ExprKind::Error, span);
            return Asked { receiver: position.clone(), position, span };
        };
        let position = match args.pop() {
            Some(position) => position,
            None if name == "first_mut" => self.number(0, span),
            None => {
                // Of nothing, the largest number there is.
                let (len, one) = (self.len_of(&receiver), self.number(1, span));
                let name = Ident::new("wrapping_sub", name.span());
                let kind = self.method_of(Box::new(len), name, None, vec![one]);
                self.node(kind, span)
            }
        };
        Asked { receiver: *receiver, position, span }
    }

    fn is_inside(&mut self, asked: &Asked, op: BinaryOp) -> Expr {
        let at = asked.span.end;
        let (position, len) = (self.position(at), self.len_of(&asked.receiver));
        self.node(ExprKind::Binary(op, Box::new(position), Box::new(len), at), asked.span)
    }

    /// `&mut x[position]`
    fn reference_at(&mut self, asked: &Asked, index: Option<Expr>) -> Expr {
        let base = Box::new(self.again(&asked.receiver));
        let index = match index {
            Some(index) => index,
            None => self.position(asked.span.end),
        };
        let element = self.node(ExprKind::Index { base, index: Box::new(index) }, asked.span);
        self.node(ExprKind::Borrow { mutable: true, operand: Box::new(element) }, asked.span)
    }

    /// `let position: usize = i;`
    fn let_position(&mut self, value: Expr) -> Statement {
        let span = value.span;
        let name = Ident::new(POSITION, span.end.resolved_at(Span::mixed_site()));
        let usize = Ident::new("usize", span.end);
        let tokens = proc_macro2::TokenTree::from(usize.clone()).into();
        let path = Path::plain(false, vec![usize]);
        let ty = TypeExpr { kind: TypeKind::Path(path), span, tokens };
        let pattern = Pattern::Binding { name, mutable: false, binding: self.next_binding(), inner: None };
        Statement::Let { pattern, ty: Some(Box::new(ty)), value: Some(value), otherwise: None, span }
    }

    fn position(&mut self, at: Span) -> Expr {
        let name = Ident::new(POSITION, at.resolved_at(Span::mixed_site()));
        self.node(ExprKind::Path(Path::plain(false, vec![name])), SpanRange::token(at))
    }

    fn len_of(&mut self, receiver: &Expr) -> Expr {
        let span = receiver.span;
        let receiver = Box::new(self.again(receiver));
        let kind = self.method_of(receiver, Ident::new("len", span.end), None, Vec::new());
        self.node(kind, span)
    }

    fn number(&mut self, value: u128, span: SpanRange) -> Expr {
        self.node(ExprKind::Literal(Literal::Int { value, suffix: Some(ScalarName::Usize) }), span)
    }

    /// A place once more, as a tree of its own.
    fn again(&mut self, place: &Expr) -> Expr {
        let kind = match &place.kind {
            ExprKind::Paren(inner, name) => ExprKind::Paren(Box::new(self.again(inner)), name.clone()),
            ExprKind::Unary(UnaryOp::Deref, inner) => ExprKind::Unary(UnaryOp::Deref, Box::new(self.again(inner))),
            ExprKind::Field { base, member } => {
                ExprKind::Field { base: Box::new(self.again(base)), member: member.clone() }
            }
            ExprKind::Index { base, index } => {
                ExprKind::Index { base: Box::new(self.again(base)), index: Box::new(self.again(index)) }
            }
            ExprKind::Binary(op, left, right, span) => {
                ExprKind::Binary(*op, Box::new(self.again(left)), Box::new(self.again(right)), *span)
            }
            ExprKind::Cast(value, ty) => ExprKind::Cast(Box::new(self.again(value)), ty.clone()),
            other => other.clone(),
        };
        self.node(kind, place.span)
    }
}

/// The `let` of the name in a pattern that [`is_some_of_a_name`].
fn named_by(pattern: Pattern, reference: Expr, span: SpanRange) -> Statement {
    let name = match pattern {
        Pattern::TupleStruct { mut members, .. } => members.pop(),
        _ => None,
    };
    let pattern = name.unwrap_or(Pattern::Wild(span.start));
    Statement::Let { pattern, ty: None, value: Some(reference), otherwise: None, span }
}

/// Whether a pattern is `Some(name)`.
fn is_some_of_a_name(pattern: &Pattern) -> bool {
    let Pattern::TupleStruct { path, members, .. } = pattern else { return false };
    let is_name = matches!(members.as_slice(), [Pattern::Binding { mutable: false, inner: None, .. }]);
    is_name && path.as_name().is_some_and(|name| name == "Some")
}

/// Whether an expression is `x.get_mut(i)`, `x.first_mut()`, `x.last_mut()` or `x.iter_mut().find(…)` of a place without an effect.
fn is_option_place(value: &Expr) -> bool {
    if let Some(search) = Search::of(value) {
        return is_place(search.place) && (!has_index(search.place) || search.is_pure(is_pure));
    }
    let ExprKind::Method { receiver, name, turbofish: None, args, .. } = &value.kind else { return false };
    let arity = match name.to_string().as_str() {
        "get_mut" => 1,
        "first_mut" | "last_mut" => 0,
        _ => return false,
    };
    // `get_mut` of a range is another matter.
    let is_range = matches!(args.first(), Some(Expr { kind: ExprKind::Range { .. }, .. }));
    args.len() == arity && !is_range && is_place(receiver) && (!has_index(receiver) || args.iter().all(is_pure))
}

/// Whether a place is found by an index, which an effect of the arguments could change before it is evaluated again.
fn has_index(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner, ..) | ExprKind::Unary(UnaryOp::Deref, inner) | ExprKind::Field { base: inner, .. } => {
            has_index(inner)
        }
        ExprKind::Index { .. } => true,
        _ => false,
    }
}

/// Whether an expression evidently has no effect.
fn is_pure(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Path(_) | ExprKind::Literal(_) => true,
        ExprKind::Paren(inner, ..) | ExprKind::Field { base: inner, .. } | ExprKind::Unary(_, inner) => is_pure(inner),
        ExprKind::Binary(_, left, right, _) => is_pure(left) && is_pure(right),
        ExprKind::Cast(value, _) => is_pure(value),
        _ => false,
    }
}

fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Path(_) => true,
        ExprKind::Paren(inner, ..) | ExprKind::Unary(UnaryOp::Deref, inner) | ExprKind::Field { base: inner, .. } => {
            is_place(inner)
        }
        ExprKind::Index { base, index } => is_place(base) && is_pure(index),
        _ => false,
    }
}
