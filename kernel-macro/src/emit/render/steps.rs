//! The kernels whose twins run in steps: as async functions, which give way where invocations wait for each other.
//!
//! A step costs a fraction of a fiber's switch of stacks. But `.await` cannot stand in Rust's closures, which some renderings are made
//! of. So each place where the kernel waits must be one that is rendered as it stands; other kernels run as fibers.

use super::parallel::waits;
use crate::ast::{Block, Expr, ExprKind, Fn, Item, Pattern, Statement};
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{Callee, Ty, TypedFn};

/// Whether the host device can run a kernel that waits in steps.
pub(super) fn runs_in_steps(program: &Program, kernel: ItemId) -> bool {
    has_steps(program, kernel)
}

/// Whether a device function that waits has a form that gives way, beside its twin.
pub(super) fn gives_way(program: &Program, item: ItemId) -> bool {
    let Item::Fn(function) = &program.items[item].item else { return false };
    let is_free = program.items[item].owner.is_none() && function.generics.params.is_empty();
    is_free
        && !function.is_const
        && crate::program::held::has_twin(program, item)
        && waits(program, item)
        && has_steps(program, item)
}

/// Whether a function waits in places that are rendered as they stand, if at all, and all that it calls does so.
fn has_steps(program: &Program, item: ItemId) -> bool {
    let (Item::Fn(function), TypedItem::Fn(typed)) = (&program.items[item].item, &program.items[item].typed) else {
        return false;
    };
    let mut waiting = 0;
    for callee in typed.calls.values() {
        match callee {
            Callee::Barrier | Callee::Subgroup(_) | Callee::SubgroupBarrier => waiting += 1,
            Callee::Device(item) if waits(program, *item) => {
                if !gives_way(program, *item) {
                    return false;
                }
                waiting += 1;
            }
            _ => {}
        }
    }
    waiting == Plain { program, typed }.in_fn(function)
}

/// Counts the calls that wait in places that are rendered as they stand.
struct Plain<'a> {
    program: &'a Program,
    typed: &'a TypedFn,
}

impl Plain<'_> {
    fn in_fn(&self, function: &Fn) -> usize {
        self.block(&function.body)
    }

    fn block(&self, block: &Block) -> usize {
        let statements = block.statements.iter().map(|statement| match statement {
            Statement::Let { pattern: Pattern::Binding { .. }, value: Some(value), otherwise: None, .. } => {
                self.expr(value)
            }
            Statement::Expr { expr, .. } => self.expr(expr),
            _ => 0,
        });
        statements.sum::<usize>() + block.tail.as_ref().map_or(0, |tail| self.expr(tail))
    }

    fn expr(&self, expr: &Expr) -> usize {
        match &expr.kind {
            ExprKind::Call { .. } => usize::from(self.waits_in(expr)),
            ExprKind::Paren(inner, _) | ExprKind::Cast(inner, _) => self.expr(inner),
            ExprKind::Binary(_, left, right, _) if self.is_number(left) && self.is_number(right) => {
                self.expr(left) + self.expr(right)
            }
            ExprKind::Assign(_, value) => self.expr(value),
            ExprKind::AssignOp(_, target, value, _)
                if self.is_number(target) && self.is_number(value) && !self.typed.is_reference(value) =>
            {
                self.expr(value)
            }
            ExprKind::If { then_block, else_expr, .. } => {
                self.block(then_block) + else_expr.as_ref().map_or(0, |other| self.expr(other))
            }
            ExprKind::While { body, .. } | ExprKind::Loop { body, .. } | ExprKind::For { body, .. } => self.block(body),
            ExprKind::Block { block, .. } => self.block(block),
            _ => 0,
        }
    }

    fn waits_in(&self, call: &Expr) -> bool {
        match self.typed.calls.get(&call.id) {
            Some(Callee::Barrier | Callee::Subgroup(_) | Callee::SubgroupBarrier) => true,
            Some(Callee::Device(item)) => waits(self.program, *item),
            _ => false,
        }
    }

    fn is_number(&self, expr: &Expr) -> bool {
        matches!(self.typed.ty(expr.id), Ty::Scalar(_))
    }
}
