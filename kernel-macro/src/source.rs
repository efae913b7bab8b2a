//! Places and text of source expressions, as trap sites and errors show them.

use proc_macro2::Span;

use crate::ast::{Expr, ExprKind, Literal, MacroCall, MacroKind, Member, UnaryOp};
use crate::message::compared;

/// File, line and column (both from 1) where a span starts.
pub(crate) fn location(span: Span) -> (String, u32, u32) {
    let start = span.start();
    (span.file(), start.line as u32, start.column as u32 + 1)
}

/// An expression as text on one line, long parts cut to `…`: stable Rust cannot give the text between two tokens.
pub(crate) fn text(expr: &Expr) -> String {
    let list = |exprs: &[Expr]| exprs.iter().map(text).collect::<Vec<_>>().join(", ");
    match &expr.kind {
        ExprKind::Literal(Literal::Int { value, suffix }) => {
            format!("{value}{}", suffix.map_or("", |suffix| suffix.name()))
        }
        ExprKind::Literal(Literal::Float { text, suffix }) => {
            format!("{text}{}", suffix.map_or("", |suffix| suffix.name()))
        }
        ExprKind::Literal(Literal::Bool(value)) => value.to_string(),
        ExprKind::Path(path) => path.text(),
        ExprKind::Paren(inner) => format!("({})", text(inner)),
        ExprKind::Unary(UnaryOp::Neg, operand) => format!("-{}", text(operand)),
        ExprKind::Unary(UnaryOp::Deref, operand) => format!("*{}", text(operand)),
        ExprKind::Unary(UnaryOp::Not, operand) => format!("!{}", text(operand)),
        ExprKind::Binary(op, left, right, _) => format!("{} {} {}", text(left), op.symbol(), text(right)),
        ExprKind::AssignOp(op, left, right, _) => format!("{} {}= {}", text(left), op.symbol(), text(right)),
        ExprKind::Cast(operand, ty) => format!("{} as {}", text(operand), ty.tokens),
        ExprKind::Call { callee, args, .. } => format!("{}({})", callee.text(), list(args)),
        ExprKind::Method { receiver, name, args, .. } => format!("{}.{name}({})", text(receiver), list(args)),
        ExprKind::Field { base, member: Member::Named(name) } => format!("{}.{name}", text(base)),
        ExprKind::Field { base, member: Member::Index(index, _) } => format!("{}.{index}", text(base)),
        ExprKind::Index { base, index } => format!("{}[{}]", text(base), text(index)),
        ExprKind::Slice { base, start, end } => {
            let end_text = |end: &Option<Box<Expr>>| end.as_ref().map_or(String::new(), |end| text(end));
            format!("{}[{}..{}]", text(base), end_text(start), end_text(end))
        }
        ExprKind::Borrow { mutable: false, operand } => format!("&{}", text(operand)),
        ExprKind::Borrow { mutable: true, operand } => format!("&mut {}", text(operand)),
        ExprKind::Tuple(members) => format!("({})", list(members)),
        ExprKind::Array(elements) => format!("[{}]", list(elements)),
        ExprKind::Macro(call) => match (&call.kind, call.operands.first()) {
            (MacroKind::Unwrap { .. }, Some(value)) => {
                let message =
                    call.message.as_ref().map_or(String::new(), |message| format!("{:?}", message.literal.value()));
                format!("{}.{}({message})", text(value), call.name)
            }
            _ => format!("{}!{}", call.name, macro_text(call)),
        },
        _ => "…".to_owned(),
    }
}

/// The values a macro takes, in parentheses; nothing where there are none.
fn macro_text(call: &MacroCall) -> String {
    let operands: Vec<String> = match (compared(call), call.operands.as_slice()) {
        (Some(sides), _) if call.kind != MacroKind::Assert && call.kind != MacroKind::Dbg => sides.map(text).into(),
        (_, operands) => operands.iter().map(text).collect(),
    };
    if operands.is_empty() { String::new() } else { format!("({})", operands.join(", ")) }
}
