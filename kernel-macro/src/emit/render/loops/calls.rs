//! The calls in which invocations wait, in the middle of expressions: they are done in parts before. The order in which Rust evaluates stays.

use super::plan::{Level, Node, Piece, Planner};
use crate::ast::walk::{self, walk};
use crate::ast::{BinaryOp, Expr, ExprKind, Item, TypeKind};
use crate::typed::{Callee, Resolution, Ty};

impl<'a> Planner<'a> {
    /// The calls in an expression that waits are done before it.
    pub(super) fn calls_in(&mut self, expr: &'a Expr, level: &mut Level<'a>) -> Option<()> {
        let mut calls = Vec::new();
        self.in_order(expr, &mut calls)?;
        calls.into_iter().try_for_each(|call| self.call(call, level))
    }

    /// Finds the calls in an expression that wait, in order, if nothing that matters is evaluated before the last one's arguments.
    fn in_order(&self, expr: &'a Expr, calls: &mut Vec<&'a Expr>) -> Option<()> {
        if !self.waiting.in_expr(expr) {
            return Some(());
        }
        match &expr.kind {
            ExprKind::Call { args, .. } if self.waiting.is(expr) && !self.is_barrier(expr) => {
                let are_plain = args.iter().all(|arg| !self.waiting.in_expr(arg) && !changes(arg));
                are_plain.then(|| calls.push(expr))
            }
            ExprKind::Paren(inner, None) | ExprKind::Cast(inner, _) | ExprKind::Unary(_, inner) => {
                self.in_order(inner, calls)
            }
            // Of numbers, the value comes before the place.
            ExprKind::AssignOp(_, target, value, _)
                if self.is_number(target) && self.is_number(value) && !self.typed.is_reference(value) =>
            {
                self.in_order_without(&[target], value, calls)
            }
            ExprKind::Assign(target, value) => self.in_order_without(&[target], value, calls),
            ExprKind::Binary(op, left, right, _)
                if !matches!(op, BinaryOp::And | BinaryOp::Or) && self.is_number(left) && self.is_number(right) =>
            {
                if self.waiting.in_expr(right) && !self.is_steady(left) {
                    return None;
                }
                self.in_order(left, calls)?;
                self.in_order(right, calls)
            }
            ExprKind::Method { receiver, args, .. }
                if matches!(self.typed.calls.get(&expr.id), Some(Callee::Intrinsic(_))) =>
            {
                let others: Vec<_> = args.iter().collect();
                self.in_order_without(&others, receiver, calls)
            }
            _ => None,
        }
    }

    /// As [`in_order`](Self::in_order), where nothing waits in `others`.
    fn in_order_without(&self, others: &[&'a Expr], expr: &'a Expr, calls: &mut Vec<&'a Expr>) -> Option<()> {
        if others.iter().any(|other| self.waiting.in_expr(other)) {
            return None;
        }
        self.in_order(expr, calls)
    }

    /// Whether an expression has the same value before and after a call that waits, but for the calls in it.
    fn is_steady(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Path(_) => {
                let is_shared = matches!(self.typed.ty(expr.id), Ty::Shared(_) | Ty::Buffer { .. });
                self.is_name(expr) && !is_shared && self.is_number(expr)
            }
            ExprKind::Call { .. } => self.waiting.is(expr),
            ExprKind::Paren(inner, None) | ExprKind::Cast(inner, _) => self.is_number(inner) && self.is_steady(inner),
            ExprKind::Binary(op, left, right, _) => {
                let is_total = !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Div | BinaryOp::Rem);
                is_total && [left, right].into_iter().all(|side| self.is_number(side) && self.is_steady(side))
            }
            _ => false,
        }
    }

    fn is_number(&self, expr: &Expr) -> bool {
        matches!(self.typed.ty(expr.id), Ty::Scalar(_))
    }

    pub(super) fn is_barrier(&self, expr: &Expr) -> bool {
        matches!(self.typed.calls.get(&expr.id), Some(Callee::Barrier | Callee::SubgroupBarrier))
    }

    /// A name of the invocation's own.
    fn is_name(&self, expr: &Expr) -> bool {
        match (&expr.kind, self.typed.paths.get(&expr.id)) {
            (ExprKind::Path(_), Some(Resolution::Binding(binding))) => !self.typed.references.contains_key(binding),
            _ => false,
        }
    }

    /// The call of a function that has a plan, with the arguments before it.
    fn call(&mut self, call: &'a Expr, level: &mut Level<'a>) -> Option<()> {
        let (ExprKind::Call { args, .. }, Some(callee)) = (&call.kind, self.typed.calls.get(&call.id)) else {
            return None;
        };
        let Callee::Device(item) = callee else {
            self.placed += 1;
            self.calls.push(call);
            level.pending.push(Piece::Args(call));
            level.push(Node::Exchange(call));
            return Some(());
        };
        let Item::Fn(called) = &self.waiting.program.items[*item].item else { return None };
        for (param, arg) in called.params.iter().zip(args) {
            match param.ty.kind {
                TypeKind::Slice { .. } => {
                    let whole = whole_of(arg);
                    let is_shared = match self.typed.paths.get(&whole.id) {
                        Some(Resolution::Binding(binding)) => {
                            matches!(self.typed.binding(*binding), Ty::Shared(_)) && self.is_name(whole)
                        }
                        _ => false,
                    };
                    if !is_shared && !self.uniform.is_slice_param(whole) {
                        return None;
                    }
                }
                _ if self.typed.lent.contains(&arg.id) || matches!(arg.kind, ExprKind::Borrow { .. }) => return None,
                _ => {}
            }
        }
        self.placed += 1;
        self.calls.push(call);
        level.pending.push(Piece::Args(call));
        level.push(Node::Call(call));
        Some(())
    }
}

/// The array or buffer of which an argument is all.
pub(super) fn whole_of(arg: &Expr) -> &Expr {
    match &arg.kind {
        ExprKind::Paren(inner, None) | ExprKind::Borrow { operand: inner, .. } => whole_of(inner),
        ExprKind::Slice { base, start: None, end: None, .. } => whole_of(base),
        _ => arg,
    }
}

/// Whether an expression may change something, or say something.
fn changes(expr: &Expr) -> bool {
    let mut changes = false;
    walk(expr, &mut |node| {
        changes |= match node {
            walk::Node::Pattern(_) => false,
            walk::Node::Expr(expr) => matches!(
                expr.kind,
                ExprKind::Assign(..)
                    | ExprKind::AssignOp(..)
                    | ExprKind::Block { .. }
                    | ExprKind::Closure(_)
                    | ExprKind::Match { .. }
                    | ExprKind::Macro(_)
            ),
        };
        !changes
    });
    changes
}
