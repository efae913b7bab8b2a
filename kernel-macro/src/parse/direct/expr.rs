//! Operators between operands, and what they bind.

use super::Parser;
use super::cursor::{Cursor, Operator, Word};
use crate::ast::{COMPARISON, Expr, ExprKind, SpanRange, TypeExpr, TypeKind, UnaryOp};

impl Parser<'_> {
    /// An expression, assignments included. `structs`: whether braces behind a path are a struct's.
    pub(super) fn direct_expr(&mut self, cursor: &mut Cursor<'_>, structs: bool) -> Option<Box<Expr>> {
        let left = self.direct_binary(cursor, structs, 0)?;
        let (operator, len) = cursor.operator();
        let op = match operator {
            Operator::Assign if !may_be_pattern(&left) => None,
            Operator::AssignOp(op) => Some(op),
            Operator::Range { inclusive } => {
                cursor.at += len;
                return self.direct_range(cursor, structs, left, inclusive);
            }
            Operator::Assign => return None,
            Operator::Binary(_) | Operator::Other => return Some(left),
        };
        let op_span = cursor.peek()?.span();
        cursor.at += len;
        let right = self.direct_expr(cursor, structs)?;
        let span = SpanRange { start: left.span.start, end: right.span.end };
        let kind = match op {
            Some(op) => ExprKind::AssignOp(op, left, right, op_span),
            None => ExprKind::Assign(left, right),
        };
        Some(self.direct(kind, span))
    }

    /// A range, behind its dots.
    fn direct_range(
        &mut self,
        cursor: &mut Cursor<'_>,
        structs: bool,
        start: Box<Expr>,
        inclusive: bool,
    ) -> Option<Box<Expr>> {
        let is_open = cursor.is_end()
            || cursor.is_punct(cursor.at, ',')
            || cursor.is_punct(cursor.at, ';')
            || (!structs && cursor.group(cursor.at, proc_macro2::Delimiter::Brace).is_some());
        let (end, last) = match is_open {
            true => (None, cursor.tokens[cursor.at - 1].span()),
            false => {
                let end = self.direct_binary(cursor, structs, 0)?;
                let last = end.span.end;
                (Some(end), last)
            }
        };
        let span = SpanRange { start: start.span.start, end: last };
        // Where another one follows, rustc says why not.
        let is_last = !matches!(cursor.operator().0, Operator::Range { .. });
        is_last.then(|| self.direct(ExprKind::Range { start, end, inclusive }, span))
    }

    /// Operands between operators that bind at least as tightly as `least`.
    pub(super) fn direct_binary(&mut self, cursor: &mut Cursor<'_>, structs: bool, least: u8) -> Option<Box<Expr>> {
        let mut left = self.direct_cast(cursor, structs)?;
        loop {
            let (Operator::Binary(op), len) = cursor.operator() else { return Some(left) };
            let power = op.power();
            if power < least {
                return Some(left);
            }
            let op_span = cursor.peek()?.span();
            cursor.at += len;
            let right = self.direct_binary(cursor, structs, power + 1)?;
            let span = SpanRange { start: left.span.start, end: right.span.end };
            left = self.direct(ExprKind::Binary(op, left, right, op_span), span);
            // `a < b < c` is an error.
            if let (COMPARISON, (Operator::Binary(next), _)) = (power, cursor.operator())
                && next.power() == COMPARISON
            {
                return None;
            }
        }
    }

    fn direct_cast(&mut self, cursor: &mut Cursor<'_>, structs: bool) -> Option<Box<Expr>> {
        let mut operand = self.direct_unary(cursor, structs)?;
        while cursor.ident(cursor.at).is_some_and(|word| word == "as") {
            cursor.at += 1;
            let name = cursor.ident(cursor.at)?;
            cursor.at += 1;
            // More than a name.
            if cursor.is_colons(cursor.at) || cursor.is_punct(cursor.at, '<') {
                return None;
            }
            let ty = self.named_type(name)?;
            let span = SpanRange { start: operand.span.start, end: ty.span.end };
            operand = self.direct(ExprKind::Cast(operand, Box::new(ty)), span);
        }
        Some(operand)
    }

    /// A type that is one name; `None` for those that mean more.
    pub(super) fn named_type(&mut self, name: &proc_macro2::Ident) -> Option<TypeExpr> {
        let is_plain = !matches!(
            Word::of(name).text(),
            "Shared"
                | "Atomic"
                | "Self"
                | "self"
                | "super"
                | "crate"
                | "_"
                | "dyn"
                | "impl"
                | "fn"
                | "unsafe"
                | "extern"
        );
        let path = crate::ast::Path::plain(false, vec![name.clone()]);
        let tokens = proc_macro2::TokenTree::from(name.clone()).into();
        is_plain.then(|| TypeExpr { kind: TypeKind::Path(path), span: SpanRange::token(name.span()), tokens })
    }

    fn direct_unary(&mut self, cursor: &mut Cursor<'_>, structs: bool) -> Option<Box<Expr>> {
        let (op, span) = match cursor.peek()? {
            proc_macro2::TokenTree::Punct(punct) => match punct.as_char() {
                '-' => (UnaryOp::Neg, punct.span()),
                '!' => (UnaryOp::Not, punct.span()),
                '*' => (UnaryOp::Deref, punct.span()),
                '&' => return self.direct_borrow(cursor, structs),
                _ => return self.direct_postfix(cursor, structs),
            },
            _ => return self.direct_postfix(cursor, structs),
        };
        cursor.at += 1;
        let operand = self.direct_unary(cursor, structs)?;
        let span = SpanRange { start: span, end: operand.span.end };
        Some(self.direct(ExprKind::Unary(op, operand), span))
    }

    fn direct_borrow(&mut self, cursor: &mut Cursor<'_>, structs: bool) -> Option<Box<Expr>> {
        let start = cursor.take_punct('&')?;
        let word = cursor.ident(cursor.at).map(Word::of);
        let mutable = match word.as_ref().map(Word::text) {
            Some("raw") => return None,
            Some("mut") => true,
            _ => false,
        };
        cursor.at += usize::from(mutable);
        let operand = self.direct_unary(cursor, structs)?;
        let span = SpanRange { start, end: operand.span.end };
        Some(self.direct(ExprKind::Borrow { mutable, operand }, span))
    }

    /// An expression with the next id; in its box at once, as it passes through a function for each kind of operator.
    pub(super) fn direct(&mut self, kind: ExprKind, span: SpanRange) -> Box<Expr> {
        Box::new(Expr { id: self.next_expr(), kind, span })
    }
}

/// Whether an assignment to it takes something apart.
fn may_be_pattern(left: &Expr) -> bool {
    match &left.kind {
        ExprKind::Tuple(_) | ExprKind::Array(_) => true,
        ExprKind::Paren(inner) => may_be_pattern(inner),
        _ => false,
    }
}
