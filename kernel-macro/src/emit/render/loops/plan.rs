//! The parts that barriers cut a function into, and the loops and branches around them. It renders nothing.
//!
//! A function has a plan if each place where it waits is a barrier, or the call of a function that has a plan itself, in the body or in
//! loops and branches whose control is uniform; and if what lives from one part to another can be copied out and in.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;

use super::super::parallel::waits;
use super::kept::{Names, can_keep};
use super::uniform::Uniform;
use super::waiting::Waiting;
use crate::ast::{BindingId, Block, Expr, ExprId, ExprKind, Fn, Item, Pattern, Statement, TypeKind};
use crate::program::crossing::is_shared_element;
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{Callee, Resolution, Ty, TypedFn};

/// A function in parts.
pub(super) struct Plan<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// The variables that have a place for each invocation: with their names, and whether they change.
    pub(super) kept: BTreeMap<BindingId, (&'a Ident, bool)>,
    /// The calls of functions that have plans, and those of operations of subgroups.
    pub(super) calls: Vec<&'a Expr>,
}

/// A step of a workgroup.
pub(super) enum Node<'a> {
    /// A statement that is done once for all invocations.
    Once(&'a Statement),
    Part(Part<'a>),
    /// A `for` or `while`.
    Loop(&'a Expr, Vec<Node<'a>>),
    /// The condition and both branches.
    If(&'a Expr, Vec<Node<'a>>, Option<Vec<Node<'a>>>),
    Block(Vec<Node<'a>>),
    /// A function that has a plan.
    Call(&'a Expr),
    /// The subgroups do an operation.
    Exchange(&'a Expr),
}

/// A part: it runs for one invocation after the other.
#[derive(Default)]
pub(super) struct Part<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    /// The variables that are copied in, and those that are copied out.
    pub(super) loads: Vec<BindingId>,
    pub(super) stores: Vec<BindingId>,
}

#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Statement(&'a Statement),
    /// The arguments of a call are put where the function finds them.
    Args(&'a Expr),
    /// An expression of no value, in place of a statement.
    Tail(&'a Expr),
    /// The function's result.
    Result(&'a Expr),
}

/// The plan of a kernel, or of a device function that has a form in loops.
pub(super) fn plan(program: &Program, item: ItemId, is_kernel: bool) -> Option<Plan<'_>> {
    let (Item::Fn(function), TypedItem::Fn(typed)) = (&program.items[item].item, &program.items[item].typed) else {
        return None;
    };
    // Calls that nobody sees have no place in a plan.
    let is_hidden = typed.implied.values().flatten().any(|item| waits(program, *item));
    let is_other = |callee: &Callee| {
        matches!(callee, Callee::Coop(_))
            || matches!(callee, Callee::Device(item) if waits(program, *item) && !has_loops(program, *item))
    };
    if function.returns_early || is_hidden || typed.calls.values().any(is_other) {
        return None;
    }
    let waiting = Waiting { program, typed };
    if is_kernel && function.params.iter().any(|param| param.mutable || typed.binding(param.binding).is_list()) {
        return None;
    }
    let uniform = Uniform::new(&waiting, function, typed, is_kernel);
    let mut planner =
        Planner { function, typed, waiting, uniform, levels: BTreeSet::new(), placed: 0, calls: Vec::new() };
    let mut nodes = planner.block(&function.body, function.result.is_some())?;
    if planner.placed != planner.waiting.known(&function.body) || !planner.jumps_stay_inside(&nodes) {
        return None;
    }
    let kept = planner.keep(program, &mut nodes, is_kernel)?;
    Some(Plan { nodes, kept, calls: planner.calls })
}

/// Whether a device function has a form in loops, beside its twin. What it is called with does not change that.
pub(in super::super) fn has_loops(program: &Program, item: ItemId) -> bool {
    let (Item::Fn(function), TypedItem::Fn(typed)) = (&program.items[item].item, &program.items[item].typed) else {
        return false;
    };
    let is_free = program.items[item].owner.is_none() && function.generics.params.is_empty();
    let can_take = |(param, ty): (&crate::ast::Param, &Ty)| match (&param.ty.kind, ty) {
        (TypeKind::Slice { .. }, Ty::Buffer { element, origin: None, .. }) => is_shared_element(program, element),
        _ => !typed.references.contains_key(&param.binding) && can_keep(program, ty),
    };
    is_free
        && !function.is_const
        && function.takes_slices()
        && !function.lends_slices()
        && !function.lends()
        && !function.gives_place
        && function.receiver.is_none()
        && typed.shared.is_empty()
        && function.params.iter().zip(&typed.params).all(can_take)
        && typed.result.as_ref().is_none_or(|ty| can_keep(program, ty))
        && waits(program, item)
        && plan(program, item, false).is_some()
}

pub(super) struct Planner<'a> {
    pub(super) function: &'a Fn,
    pub(super) typed: &'a TypedFn,
    pub(super) waiting: Waiting<'a>,
    pub(super) uniform: Uniform<'a>,
    /// The loops that the workgroup goes through as a whole.
    pub(super) levels: BTreeSet<ExprId>,
    /// How many waiting calls have a place in the plan.
    pub(super) placed: usize,
    pub(super) calls: Vec<&'a Expr>,
}

/// The nodes of a block so far, and the part that is not over yet.
#[derive(Default)]
pub(super) struct Level<'a> {
    nodes: Vec<Node<'a>>,
    pub(super) pending: Vec<Piece<'a>>,
}

impl<'a> Level<'a> {
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pending);
        if !pieces.is_empty() {
            self.nodes.push(Node::Part(Part { pieces, ..Part::default() }));
        }
    }

    pub(super) fn push(&mut self, node: Node<'a>) {
        self.flush();
        self.nodes.push(node);
    }
}

impl<'a> Planner<'a> {
    /// The nodes of a block. `has_result`: whether its value is the function's.
    fn block(&mut self, block: &'a Block, has_result: bool) -> Option<Vec<Node<'a>>> {
        let mut level = Level::default();
        for statement in &block.statements {
            self.statement(statement, &mut level)?;
        }
        match block.tail.as_deref() {
            Some(tail) if has_result => {
                self.calls_in(tail, &mut level)?;
                level.pending.push(Piece::Result(tail));
            }
            Some(tail) if self.waiting.in_expr(tail) => self.waiting_expr(tail, Piece::Tail(tail), &mut level)?,
            Some(tail) => level.pending.push(Piece::Tail(tail)),
            None if has_result => return None,
            None => {}
        }
        level.flush();
        Some(level.nodes)
    }

    fn statement(&mut self, statement: &'a Statement, level: &mut Level<'a>) -> Option<()> {
        if !self.waiting.in_statement(statement) {
            if self.is_once(statement) {
                if self.meets(&level.pending, statement) {
                    level.flush();
                }
                level.nodes.push(Node::Once(statement));
            } else {
                level.pending.push(Piece::Statement(statement));
            }
            return Some(());
        }
        match statement {
            Statement::Let { value: Some(value), otherwise: None, .. } => {
                self.calls_in(value, level)?;
                level.pending.push(Piece::Statement(statement));
                Some(())
            }
            Statement::Expr { expr, .. } => self.waiting_expr(expr, Piece::Statement(statement), level),
            _ => None,
        }
    }

    /// An expression that waits and has no value.
    fn waiting_expr(&mut self, expr: &'a Expr, whole: Piece<'a>, level: &mut Level<'a>) -> Option<()> {
        match &expr.kind {
            ExprKind::Call { .. } if self.is_barrier(expr) => {
                self.placed += 1;
                level.flush();
            }
            ExprKind::For { pattern, iterated, body, .. } => {
                let is_plain = matches!(pattern.as_ref(), Pattern::Wild(_)) || self.uniform.binds(pattern);
                if !is_plain || !self.uniform.controls(iterated) {
                    return None;
                }
                self.levels.insert(expr.id);
                let body = self.block(body, false)?;
                level.push(Node::Loop(expr, body));
            }
            ExprKind::While { condition, body, .. } => {
                if condition.has_let() || !self.uniform.has(condition) {
                    return None;
                }
                self.levels.insert(expr.id);
                let body = self.block(body, false)?;
                level.push(Node::Loop(expr, body));
            }
            ExprKind::If { condition, then_block, else_expr } if self.waiting.in_expr(condition) => {
                let branches = [then_block.tail.as_deref(), else_expr.as_deref()];
                let has_more = branches.into_iter().flatten().any(|branch| self.waiting.in_expr(branch))
                    || then_block.statements.iter().any(|statement| self.waiting.in_statement(statement));
                if has_more || condition.has_let() {
                    return None;
                }
                self.calls_in(condition, level)?;
                level.pending.push(whole);
            }
            ExprKind::If { .. } => {
                let node = self.branch(expr)?;
                level.push(node);
            }
            ExprKind::Block { label: None, block } => {
                let nodes = self.block(block, false)?;
                level.push(Node::Block(nodes));
            }
            _ => {
                self.calls_in(expr, level)?;
                // A call of no value is over now.
                let is_over = self.waiting.is(expr) && matches!(self.typed.ty(expr.id), Ty::Unit);
                if !is_over {
                    level.pending.push(whole);
                }
            }
        }
        Some(())
    }

    fn branch(&mut self, expr: &'a Expr) -> Option<Node<'a>> {
        let ExprKind::If { condition, then_block, else_expr } = &expr.kind else { return None };
        if condition.has_let() || !self.uniform.has(condition) {
            return None;
        }
        let then_nodes = self.block(then_block, false)?;
        let else_nodes = match else_expr.as_deref() {
            None => None,
            Some(other) => Some(match &other.kind {
                ExprKind::Block { label: None, block } => self.block(block, false)?,
                _ => vec![self.branch(other)?],
            }),
        };
        Some(Node::If(expr, then_nodes, else_nodes))
    }

    /// Whether a statement is done once for all invocations.
    fn is_once(&self, statement: &Statement) -> bool {
        let variable = |expr: &Expr| match (&expr.kind, self.typed.paths.get(&expr.id)) {
            (ExprKind::Path(_), Some(Resolution::Binding(binding))) => self.uniform.is(*binding),
            _ => false,
        };
        match statement {
            Statement::Let { value: Some(value), .. } if matches!(value.kind, ExprKind::NewShared { .. }) => true,
            Statement::Let { pattern, value: Some(_), .. } => self.uniform.binds(pattern),
            Statement::Expr { expr, .. } => match &expr.kind {
                ExprKind::Assign(target, _) | ExprKind::AssignOp(_, target, _, _) => variable(target),
                _ => false,
            },
            Statement::Const(_) | Statement::Use(_) => true,
            _ => false,
        }
    }

    /// Whether a statement that is done once speaks of what pending pieces speak of, so that it stays behind them.
    fn meets(&self, pending: &[Piece<'a>], statement: &'a Statement) -> bool {
        let mut own = Names::default();
        own.of_piece(&self.waiting, Piece::Statement(statement));
        let mut theirs = Names::default();
        pending.iter().for_each(|piece| theirs.of_piece(&self.waiting, *piece));
        // Pending pieces cannot change the values that it reads.
        own.changed().any(|name| theirs.all().any(|other| other == name))
    }
}
