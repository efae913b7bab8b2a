//! `//^ i32` below an expression or variable states its type; this file finds what the carets point at.

use crate::ast::{Block, Expr, ExprKind, Item, Pattern, Statement};
use crate::infer::type_name;
use crate::program::{Program, TypedItem};
use crate::typed::Ty;

use super::harness::accepted;

/// A place of the source with its type: line, first column, column after the last.
type Typed = (usize, usize, usize, Ty);

/// Checks all caret comments of a source text without errors.
pub(super) fn check_types(source: &str) {
    let program = accepted(source);
    let mut found: Vec<Typed> = Vec::new();
    for (_, item) in program.items.iter() {
        if let (Item::Fn(function), TypedItem::Fn(typed)) = (&item.item, &item.typed) {
            walk_block(&function.body, &mut |node| {
                let (span, ty) = match node {
                    Node::Expr(expr) => (expr.span, typed.ty(expr.id).clone()),
                    Node::Name(name, binding) => {
                        (crate::ast::SpanRange::token(name.span()), typed.binding(binding).clone())
                    }
                };
                assert_ne!(ty, Ty::Error, "an expression without a type at {:?}", span.start.start());
                found.push((span.start.start().line, span.start.start().column, span.end.end().column, ty));
            });
        }
    }
    let mut carets = 0;
    let mut line = 0;
    for (number, text) in (1..).zip(source.lines()) {
        let Some(comment) = text.trim_start().strip_prefix("//").filter(|comment| comment.contains('^')) else {
            line = number;
            continue;
        };
        carets += 1;
        let start = text.find('^').expect("a caret");
        let end = text.rfind('^').expect("a caret") + 1;
        let expected = comment.trim_start().trim_start_matches('^').trim();
        let names: Vec<String> = found
            .iter()
            .filter(|(at, first, last, _)| (*at, *first, *last) == (line, start, end))
            .map(|(_, _, _, ty)| name(&program, ty))
            .collect();
        assert!(
            names.iter().any(|name| name == expected),
            "line {number}: expected {expected}, found {names:?}\n{source}"
        );
    }
    assert!(carets > 0, "no carets in the test");
}

fn name(program: &Program, ty: &Ty) -> String {
    type_name(program, ty)
}

enum Node<'n> {
    Expr(&'n Expr),
    Name(&'n proc_macro2::Ident, crate::ast::BindingId),
}

fn walk_block<'n>(block: &'n Block, visit: &mut dyn FnMut(Node<'n>)) {
    for statement in &block.statements {
        match statement {
            Statement::Let { pattern, value, otherwise, .. } => {
                walk_pattern(pattern, visit);
                value.iter().for_each(|value| walk(value, visit));
                otherwise.iter().for_each(|otherwise| walk_block(otherwise, visit));
            }
            Statement::OptionPlace(_) | Statement::Use(_) => {}
            Statement::Const(constant) => walk(&constant.value, visit),
            Statement::Expr { expr, .. } => walk(expr, visit),
        }
    }
    block.tail.iter().for_each(|tail| walk(tail, visit));
}

fn walk_pattern<'n>(pattern: &'n Pattern, visit: &mut dyn FnMut(Node<'n>)) {
    pattern.for_each_binding(&mut |name, binding| visit(Node::Name(name, binding)));
}

fn walk<'n>(expr: &'n Expr, visit: &mut dyn FnMut(Node<'n>)) {
    visit(Node::Expr(expr));
    match &expr.kind {
        ExprKind::NewShared { .. }
        | ExprKind::Literal(_)
        | ExprKind::Path(_)
        | ExprKind::Continue { .. }
        | ExprKind::Error => {}
        ExprKind::Closure(closure) => {
            closure.params.iter().for_each(|(pattern, _)| walk_pattern(pattern, visit));
            walk(&closure.body, visit);
        }
        ExprKind::Paren(inner, ..)
        | ExprKind::Unary(_, inner)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Try(inner)
        | ExprKind::Cast(inner, _)
        | ExprKind::Field { base: inner, .. }
        | ExprKind::Repeat { element: inner, .. } => walk(inner, visit),
        ExprKind::Range { start, end, .. } => {
            walk(start, visit);
            end.iter().for_each(|end| walk(end, visit));
        }
        ExprKind::Binary(_, a, b, _)
        | ExprKind::Assign(a, b)
        | ExprKind::AssignOp(_, a, b, _)
        | ExprKind::Index { base: a, index: b } => {
            walk(a, visit);
            walk(b, visit);
        }
        ExprKind::OptionPlace(option_place) => walk(&option_place.element, visit),
        ExprKind::If { condition, then_block, else_expr } => {
            walk(condition, visit);
            walk_block(then_block, visit);
            else_expr.iter().for_each(|expr| walk(expr, visit));
        }
        ExprKind::While { condition, body, .. } => {
            walk(condition, visit);
            walk_block(body, visit);
        }
        ExprKind::Let { pattern, value } => {
            walk_pattern(pattern, visit);
            walk(value, visit);
        }
        ExprKind::Match { scrutinee, arms } => {
            walk(scrutinee, visit);
            for arm in arms {
                walk_pattern(&arm.pattern, visit);
                arm.guard.iter().for_each(|guard| walk(guard, visit));
                walk(&arm.body, visit);
            }
        }
        ExprKind::Loop { body: block, .. } | ExprKind::Block { block, .. } | ExprKind::Const(block) => {
            walk_block(block, visit)
        }
        ExprKind::For { pattern, iterated, body, .. } => {
            walk_pattern(pattern, visit);
            walk(iterated, visit);
            walk_block(body, visit);
        }
        ExprKind::Slice { base, start, end, .. } => {
            walk(base, visit);
            start.iter().chain(end).for_each(|end| walk(end, visit));
        }
        ExprKind::Break { value, .. } | ExprKind::Return(value) => value.iter().for_each(|value| walk(value, visit)),
        ExprKind::Call { args, .. } => args.iter().for_each(|arg| walk(arg, visit)),
        ExprKind::Method { receiver, args, .. } => {
            walk(receiver, visit);
            args.iter().for_each(|arg| walk(arg, visit));
        }
        ExprKind::Tuple(members) | ExprKind::Array(members) => members.iter().for_each(|member| walk(member, visit)),
        ExprKind::Macro(call) => call.exprs().for_each(|expr| walk(expr, visit)),
        ExprKind::Struct { fields, base, .. } => {
            fields.iter().for_each(|(_, value)| walk(value, visit));
            base.iter().for_each(|base| walk(base, visit));
        }
    }
}
