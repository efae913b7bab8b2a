//! The places where the invocations of a function wait for each other. It decides nothing about parts.

use std::collections::BTreeSet;

use super::super::parallel::{is_of_ballot, waits};
use crate::ast::walk::{self, walk, walk_statement};
use crate::ast::{Block, Expr, ExprId, ExprKind, Statement};
use crate::program::Program;
use crate::typed::{Callee, TypedFn};

/// The places where the invocations of a function wait.
pub(super) struct Waiting<'a> {
    pub(super) program: &'a Program,
    pub(super) typed: &'a TypedFn,
}

impl Waiting<'_> {
    pub(super) fn is(&self, expr: &Expr) -> bool {
        match (self.typed.calls.get(&expr.id), &expr.kind) {
            (Some(Callee::Barrier | Callee::SubgroupBarrier), _) => true,
            (Some(Callee::Subgroup(_)), ExprKind::Call { callee, .. }) => !is_of_ballot(callee),
            (Some(Callee::Device(item)), _) => waits(self.program, *item),
            _ => false,
        }
    }

    fn count(&self, expr: &Expr) -> usize {
        let mut count = 0;
        walk(expr, &mut |node| {
            count += usize::from(matches!(node, walk::Node::Expr(expr) if self.is(expr)));
            true
        });
        count
    }

    /// How many calls of the function wait, wherever these are, as far as inference knows.
    pub(super) fn known(&self, body: &Block) -> usize {
        let mut of_ballots = BTreeSet::new();
        walk::walk_block(body, &mut |node| {
            if let walk::Node::Expr(expr) = node
                && matches!(&expr.kind, ExprKind::Call { callee, .. } if is_of_ballot(callee))
            {
                of_ballots.insert(expr.id);
            }
            true
        });
        let waits = |(id, callee): &(&ExprId, &Callee)| match callee {
            Callee::Barrier | Callee::SubgroupBarrier => true,
            Callee::Subgroup(_) => !of_ballots.contains(id),
            Callee::Device(item) => waits(self.program, *item),
            _ => false,
        };
        self.typed.calls.iter().filter(waits).count()
    }

    pub(super) fn in_expr(&self, expr: &Expr) -> bool {
        self.count(expr) > 0
    }

    pub(super) fn in_statement(&self, statement: &Statement) -> bool {
        let mut is = false;
        walk_statement(statement, &mut |node| {
            is |= matches!(node, walk::Node::Expr(expr) if self.is(expr));
            !is
        });
        is
    }
}
