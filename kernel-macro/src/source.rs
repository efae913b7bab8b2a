//! Places and text of source expressions, as trap sites and errors show them.

use std::fmt::{Result, Write};
use std::ops::Deref;

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};

use crate::ast::{Expr, ExprKind, Literal, MacroCall, MacroKind, Member, Path, Scattered, SpanRange, UnaryOp};
use crate::program::message::compared;

/// File, line and column (both from 1) where a span starts.
pub(crate) fn location(span: Span) -> (String, u32, u32) {
    let start = span.start();
    (span.file(), start.line as u32, start.column as u32 + 1)
}

/// The token that begins at a line and column, both from 1.
pub(crate) fn token_at(tokens: TokenStream, line: u32, column: u32) -> Option<Span> {
    range_at(tokens, line, column).map(|range| range.start)
}

/// The token that begins at a line and column, both from 1, with the indices behind it: `y[i]`.
pub(crate) fn range_at(tokens: TokenStream, line: u32, column: u32) -> Option<SpanRange> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(tree) = tokens.next() {
        let (_, at, from) = location(tree.span());
        if (at, from) == (line, column) {
            let mut range = match &tree {
                TokenTree::Group(group) => SpanRange { start: group.span_open(), end: group.span_close() },
                other => SpanRange::token(other.span()),
            };
            while let Some(TokenTree::Group(index)) = tokens.peek().filter(|tree| is_index(tree)) {
                range.end = index.span_close();
                tokens.next();
            }
            return Some(range);
        }
        if let TokenTree::Group(group) = tree
            && let Some(range) = range_at(group.stream(), line, column)
        {
            return Some(range);
        }
    }
    None
}

fn is_index(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
}

/// A name as text. Most names are short, and then nothing is allocated for it.
#[derive(Default)]
pub(crate) struct Spelling {
    bytes: [u8; Self::SHORT],
    len: usize,
    /// All of it, if it is longer.
    long: String,
}

impl Spelling {
    const SHORT: usize = 24;

    pub(crate) fn of(name: &Ident) -> Self {
        let mut spelling = Self::default();
        // Writing into memory cannot fail.
        let _ = write!(spelling, "{name}");
        spelling
    }
}

impl Write for Spelling {
    fn write_str(&mut self, text: &str) -> Result {
        let end = self.len + text.len();
        match self.bytes.get_mut(self.len..end) {
            Some(free) if self.long.is_empty() => {
                free.copy_from_slice(text.as_bytes());
                self.len = end;
            }
            _ => {
                let before = std::mem::take(self);
                self.long = [&*before, text].concat();
            }
        }
        Ok(())
    }
}

impl Deref for Spelling {
    type Target = str;

    fn deref(&self) -> &str {
        match self.long.is_empty() {
            true => std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default(),
            false => &self.long,
        }
    }
}

/// An expression as text on one line, long parts cut to `…`: stable Rust cannot give the text between two tokens.
pub(crate) fn text(expr: &Expr) -> String {
    let mut text = Text { text: String::with_capacity(32), depth: 0 };
    if write_expr(expr, &mut text).is_err() {
        text.text.push('…');
    }
    text.text
}

/// The text of an expression: each expression around another has its own, so both length and depth have a limit.
struct Text {
    text: String,
    depth: u32,
}

impl Text {
    const LONGEST: usize = 1000;
    const DEEPEST: u32 = 100;

    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn push(&mut self, character: char) {
        self.text.push(character);
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> Result {
        self.text.push_str(text);
        Ok(())
    }
}

fn write_expr(expr: &Expr, out: &mut Text) -> Result {
    if out.text.len() > Text::LONGEST {
        return Err(std::fmt::Error);
    }
    if out.depth == Text::DEEPEST {
        return out.write_str("…");
    }
    out.depth += 1;
    let result = write_kind(expr, out);
    out.depth -= 1;
    result
}

fn write_kind(expr: &Expr, out: &mut Text) -> Result {
    match &expr.kind {
        ExprKind::Literal(Literal::Int { value, suffix }) => {
            write!(out, "{value}{}", suffix.map_or("", |suffix| suffix.name()))
        }
        ExprKind::Literal(Literal::Float { text, suffix }) => {
            write!(out, "{text}{}", suffix.map_or("", |suffix| suffix.name()))
        }
        ExprKind::Literal(Literal::Bool(value)) => write!(out, "{value}"),
        ExprKind::Literal(Literal::Text(text, _)) => write!(out, "{text:?}"),
        ExprKind::Literal(Literal::Char(value)) => write!(out, "{value:?}"),
        ExprKind::Path(path) => write_path(path, out),
        ExprKind::Paren(inner, Some(name)) => {
            write_expr(inner, out)?;
            write!(out, ".{name}()")
        }
        ExprKind::Paren(inner, None) => write_list("(", std::slice::from_ref(&**inner), ")", out),
        ExprKind::Unary(op, operand) => {
            out.push(match op {
                UnaryOp::Neg => '-',
                UnaryOp::Deref => '*',
                UnaryOp::Not => '!',
            });
            write_expr(operand, out)
        }
        ExprKind::Binary(op, left, right, _) => write_operator(left, [" ", op.symbol(), " "], right, out),
        ExprKind::AssignOp(op, left, right, _) => write_operator(left, [" ", op.symbol(), "= "], right, out),
        ExprKind::Cast(operand, ty) => {
            write_expr(operand, out)?;
            write!(out, " as {}", ty.tokens)
        }
        ExprKind::Call { callee, args, .. } => {
            write_path(callee, out)?;
            write_list("(", args, ")", out)
        }
        ExprKind::Method { receiver, name, args, .. } => {
            write_expr(receiver, out)?;
            write!(out, ".{name}")?;
            write_list("(", args, ")", out)
        }
        ExprKind::Field { base, member } => {
            write_expr(base, out)?;
            match member {
                Member::Named(name) => write!(out, ".{name}"),
                Member::Index(index, _) => write!(out, ".{index}"),
            }
        }
        ExprKind::Index { base, index } => {
            // The author named the elements.
            if let ExprKind::Path(path) = &base.kind
                && let Some(name) = path.as_name()
                && let Some(elements) = name.to_string().strip_prefix(Scattered::CLAIMS)
            {
                return write!(out, "{elements}[…]");
            }
            write_expr(base, out)?;
            write_list("[", std::slice::from_ref(&**index), "]", out)
        }
        ExprKind::Slice { base, start, end, inclusive } => {
            write_expr(base, out)?;
            out.push('[');
            start.iter().try_for_each(|start| write_expr(start, out))?;
            out.push_str(if *inclusive { "..=" } else { ".." });
            end.iter().try_for_each(|end| write_expr(end, out))?;
            out.push(']');
            Ok(())
        }
        ExprKind::Range { start, end, inclusive } => {
            write_expr(start, out)?;
            out.push_str(if *inclusive { "..=" } else { ".." });
            end.iter().try_for_each(|end| write_expr(end, out))
        }
        ExprKind::Borrow { mutable, operand } => {
            out.push_str(if *mutable { "&mut " } else { "&" });
            write_expr(operand, out)
        }
        ExprKind::Tuple(members) => write_list("(", members, ")", out),
        ExprKind::Array(elements) => write_list("[", elements, "]", out),
        ExprKind::Macro(call) => write_macro(call, out),
        _ => out.write_str("…"),
    }
}

fn write_path(path: &Path, out: &mut Text) -> Result {
    for (position, segment) in path.segments.iter().enumerate() {
        if position > 0 || path.leading_colon {
            out.push_str("::");
        }
        write!(out, "{segment}")?;
    }
    Ok(())
}

fn write_operator(left: &Expr, symbol: [&str; 3], right: &Expr, out: &mut Text) -> Result {
    write_expr(left, out)?;
    symbol.iter().for_each(|part| out.push_str(part));
    write_expr(right, out)
}

fn write_list(open: &str, exprs: &[Expr], close: &str, out: &mut Text) -> Result {
    out.push_str(open);
    for (position, expr) in exprs.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        write_expr(expr, out)?;
    }
    out.push_str(close);
    Ok(())
}

/// A macro with the values it takes; without parentheses where there are none.
fn write_macro(call: &MacroCall, out: &mut Text) -> Result {
    if let (MacroKind::Unwrap { .. }, Some(value)) = (&call.kind, call.operands.first()) {
        write_expr(value, out)?;
        return match &call.message {
            Some(message) => write!(out, ".{}({:?})", call.name, message.literal.value()),
            None => write!(out, ".{}()", call.name),
        };
    }
    write!(out, "{}!", call.name)?;
    match (compared(call), call.operands.as_slice()) {
        (Some([left, right]), _) if call.kind != MacroKind::Assert && call.kind != MacroKind::Dbg => {
            out.push('(');
            write_operator(left, [",", " ", ""], right, out)?;
            out.push(')');
            Ok(())
        }
        (_, []) => Ok(()),
        (_, operands) => write_list("(", operands, ")", out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_are_spelled() {
        for len in [1, 23, 24, 25, 200] {
            let name = "n".repeat(len);
            assert_eq!(*Spelling::of(&Ident::new(&name, Span::call_site())), *name);
            let raw = format!("r#{name}");
            assert_eq!(*Spelling::of(&Ident::new_raw(&name, Span::call_site())), *raw);
        }
    }
}
