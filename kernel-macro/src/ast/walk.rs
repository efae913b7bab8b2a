//! Walks over statements and expressions, with all that they hold, in no promised order. The visitor says whether a walk goes into an
//! expression; for a pattern, its answer does not matter.

use super::{Arm, Block, Expr, ExprKind, Pattern, Statement};

/// A part of a tree.
#[derive(Clone, Copy)]
pub(crate) enum Node<'n> {
    Expr(&'n Expr),
    /// A pattern as a whole; those inside of it are not handed over by themselves.
    Pattern(&'n Pattern),
}

/// Hands over every expression and pattern of a block.
pub(crate) fn walk_block<'n>(block: &'n Block, visit: &mut dyn FnMut(Node<'n>) -> bool) {
    block.statements.iter().for_each(|statement| walk_statement(statement, visit));
    block.tail.iter().for_each(|tail| walk(tail, visit));
}

/// Hands over every expression and pattern of a statement.
pub(crate) fn walk_statement<'n>(statement: &'n Statement, visit: &mut dyn FnMut(Node<'n>) -> bool) {
    match statement {
        Statement::Let { pattern, value, otherwise, .. } => {
            let _ = visit(Node::Pattern(pattern));
            value.iter().for_each(|value| walk(value, visit));
            otherwise.iter().for_each(|otherwise| walk_block(otherwise, visit));
        }
        Statement::OptionPlace(option_place) => {
            walk(&option_place.receiver, visit);
            walk_statement(&option_place.written, visit);
            walk_statement(&option_place.element, visit);
        }
        Statement::Use(_) => {}
        Statement::Const(constant) => walk(&constant.value, visit),
        Statement::Expr { expr, .. } => walk(expr, visit),
    }
}

/// Hands over an expression and every expression and pattern in it.
pub(crate) fn walk<'n>(expr: &'n Expr, visit: &mut dyn FnMut(Node<'n>) -> bool) {
    if !visit(Node::Expr(expr)) {
        return;
    }
    match &expr.kind {
        ExprKind::NewShared { .. }
        | ExprKind::Literal(_)
        | ExprKind::Path(_)
        | ExprKind::Continue { .. }
        | ExprKind::Error => {}
        ExprKind::Closure(closure) => {
            closure.params.iter().for_each(|(pattern, _)| _ = visit(Node::Pattern(pattern)));
            walk(&closure.body, visit);
        }
        ExprKind::Paren(inner, ..)
        | ExprKind::Unary(_, inner)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Try(inner)
        | ExprKind::Cast(inner, _)
        | ExprKind::Field { base: inner, .. } => walk(inner, visit),
        ExprKind::Range { start, end, .. } => {
            walk(start, visit);
            end.iter().for_each(|end| walk(end, visit));
        }
        ExprKind::Binary(_, first, second, _)
        | ExprKind::Assign(first, second)
        | ExprKind::AssignOp(_, first, second, _)
        | ExprKind::Repeat { element: first, len: second }
        | ExprKind::Index { base: first, index: second } => {
            walk(first, visit);
            walk(second, visit);
        }
        ExprKind::If { condition, then_block, else_expr } => {
            walk(condition, visit);
            walk_block(then_block, visit);
            else_expr.iter().for_each(|other| walk(other, visit));
        }
        ExprKind::OptionPlace(option_place) => {
            walk(&option_place.receiver, visit);
            walk(&option_place.condition, visit);
            walk(&option_place.element, visit);
        }
        ExprKind::Let { pattern, value } => {
            let _ = visit(Node::Pattern(pattern));
            walk(value, visit);
        }
        ExprKind::Match { scrutinee, arms } => {
            walk(scrutinee, visit);
            arms.iter().for_each(|arm| walk_arm(arm, visit));
        }
        ExprKind::While { condition, body, .. } => {
            walk(condition, visit);
            walk_block(body, visit);
        }
        ExprKind::For { pattern, iterated, body, .. } => {
            let _ = visit(Node::Pattern(pattern));
            walk(iterated, visit);
            walk_block(body, visit);
        }
        ExprKind::Const(block) | ExprKind::Loop { body: block, .. } | ExprKind::Block { block, .. } => {
            walk_block(block, visit);
        }
        ExprKind::Break { value, .. } | ExprKind::Return(value) => value.iter().for_each(|value| walk(value, visit)),
        ExprKind::Call { args, .. } | ExprKind::Tuple(args) | ExprKind::Array(args) => {
            args.iter().for_each(|arg| walk(arg, visit));
        }
        ExprKind::Method { receiver, args, functions, .. } => {
            walk(receiver, visit);
            args.iter().for_each(|arg| walk(arg, visit));
            functions.iter().flat_map(|function| &function.closures).for_each(|closure| walk(closure, visit));
        }
        ExprKind::Slice { base, start, end, .. } => {
            walk(base, visit);
            start.iter().chain(end).for_each(|end| walk(end, visit));
        }
        ExprKind::Struct { fields, base, .. } => {
            fields.iter().for_each(|(_, value)| walk(value, visit));
            base.iter().for_each(|base| walk(base, visit));
        }
        ExprKind::Macro(call) => call.exprs().for_each(|value| walk(value, visit)),
    }
}

fn walk_arm<'n>(arm: &'n Arm, visit: &mut dyn FnMut(Node<'n>) -> bool) {
    let _ = visit(Node::Pattern(&arm.pattern));
    arm.guard.iter().for_each(|guard| walk(guard, visit));
    walk(&arm.body, visit);
}
