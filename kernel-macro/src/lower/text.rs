//! An expression as one line of source text, for the messages of traps. Blocks are shown as `{ … }`.

use crate::ast::{Expr, ExprKind, Literal, Member, UnaryOp};

/// How tightly a kind of expression binds: an operand that binds looser than its operator was written in parentheses,
/// which the tree keeps, so none are ever added.
pub(super) fn expr_text(expr: &Expr) -> String {
    let mut text = String::new();
    write_expr(&mut text, expr);
    text
}

fn write_expr(out: &mut String, expr: &Expr) {
    match &expr.kind {
        ExprKind::Literal(literal) => write_literal(out, literal),
        ExprKind::Path(path) => out.push_str(&path.text()),
        ExprKind::Paren(inner) => write_list(out, "(", std::slice::from_ref(&**inner), ")"),
        ExprKind::Unary(op, operand) => {
            out.push(if *op == UnaryOp::Neg { '-' } else { '!' });
            write_expr(out, operand);
        }
        ExprKind::Binary(op, left, right, _) => write_infix(out, left, op.symbol(), right),
        ExprKind::Assign(left, right) => write_infix(out, left, "=", right),
        ExprKind::AssignOp(op, left, right, _) => write_infix(out, left, &format!("{}=", op.symbol()), right),
        ExprKind::Cast(inner, ty) => {
            write_expr(out, inner);
            out.push_str(" as ");
            out.push_str(&ty.tokens.to_string());
        }
        ExprKind::Call { callee, args, .. } => {
            out.push_str(&callee.text());
            write_list(out, "(", args, ")");
        }
        ExprKind::Method { receiver, name, args } => {
            write_expr(out, receiver);
            out.push('.');
            out.push_str(&name.to_string());
            write_list(out, "(", args, ")");
        }
        ExprKind::Field { base, member } => {
            write_expr(out, base);
            out.push('.');
            match member {
                Member::Named(name) => out.push_str(&name.to_string()),
                Member::Index(index, _) => out.push_str(&index.to_string()),
            }
        }
        ExprKind::Index { base, index } => {
            write_expr(out, base);
            write_list(out, "[", std::slice::from_ref(&**index), "]");
        }
        ExprKind::Tuple(members) if members.len() == 1 => write_list(out, "(", members, ",)"),
        ExprKind::Tuple(members) => write_list(out, "(", members, ")"),
        ExprKind::Array(members) => write_list(out, "[", members, "]"),
        ExprKind::Repeat { element, len } => {
            out.push('[');
            write_expr(out, element);
            out.push_str("; ");
            write_expr(out, len);
            out.push(']');
        }
        ExprKind::Struct { path, .. } => {
            out.push_str(&path.text());
            out.push_str(" { … }");
        }
        ExprKind::If { condition, .. } => {
            out.push_str("if ");
            write_expr(out, condition);
            out.push_str(" { … } else { … }");
        }
        _ => out.push_str("{ … }"),
    }
}

fn write_infix(out: &mut String, left: &Expr, symbol: &str, right: &Expr) {
    write_expr(out, left);
    out.push(' ');
    out.push_str(symbol);
    out.push(' ');
    write_expr(out, right);
}

fn write_list(out: &mut String, open: &str, members: &[Expr], close: &str) {
    out.push_str(open);
    for (index, member) in members.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write_expr(out, member);
    }
    out.push_str(close);
}

fn write_literal(out: &mut String, literal: &Literal) {
    let suffix = match literal {
        Literal::Bool(value) => {
            out.push_str(if *value { "true" } else { "false" });
            return;
        }
        Literal::Int { value, suffix } => {
            out.push_str(&value.to_string());
            suffix
        }
        Literal::Float { text, suffix } => {
            out.push_str(text);
            suffix
        }
    };
    if let Some(suffix) = suffix {
        out.push_str(suffix.name());
    }
}
