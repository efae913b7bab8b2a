//! The variables and expressions that are the same for all invocations of a workgroup, as far as their text shows: a conservative answer.
//! It knows scalars and vectors only, and never looks into memory or functions.
//!
//! A variable is uniform if each of its values is, and if it changes only where the workgroup comes as a whole: in statements of *level*
//! blocks. These are the body, and the blocks of loops and branches with barriers in them, whose control the plan wants to be uniform.

use std::collections::BTreeSet;

use gridwise_ir::ir::Builtin;

use super::waiting::Waiting;
use crate::ast::walk::{Node, walk_block};
use crate::ast::{BinaryOp, BindingId, Block, Expr, ExprId, ExprKind, Fn, Literal, Pattern, Statement, UnaryOp};
use crate::builtin::intrinsic::Intrinsic;
use crate::typed::{Callee, Resolution, Ty, TypedFn};

/// The uniform variables of a function.
pub(super) struct Uniform<'a> {
    function: &'a Fn,
    typed: &'a TypedFn,
    variables: BTreeSet<BindingId>,
}

/// The values that level blocks give variables.
#[derive(Default)]
struct Given<'a> {
    /// Variables that get their values together: all of them are uniform, or none.
    values: Vec<(Vec<BindingId>, Vec<&'a Expr>)>,
    /// The assignments among them.
    assignments: BTreeSet<ExprId>,
}

impl<'a> Uniform<'a> {
    /// `params_are`: whether the numbers among the parameters are uniform.
    pub(super) fn new(waiting: &Waiting<'a>, function: &'a Fn, typed: &'a TypedFn, params_are: bool) -> Self {
        let mut given = Given::default();
        given.block(waiting, typed, &function.body);
        let params = function.params.iter().filter(|param| params_are && !param.mutable).map(|param| param.binding);
        let lets = given.values.iter().flat_map(|(names, _)| names.iter().copied());
        let variables = params.chain(lets).filter(|binding| is_plain(typed.binding(*binding))).collect();
        let mut uniform = Self { function, typed, variables };
        uniform.remove_changed(&given.assignments);
        loop {
            let is_not = |(names, values): &&(Vec<BindingId>, Vec<&Expr>)| {
                let are_all = names.iter().all(|name| uniform.variables.contains(name));
                names.iter().any(|name| uniform.variables.contains(name))
                    && !(are_all && values.iter().all(|value| uniform.has(value)))
            };
            let Some((names, _)) = given.values.iter().find(is_not) else { return uniform };
            names.iter().for_each(|name| _ = uniform.variables.remove(name));
        }
    }

    /// Takes out what is changed elsewhere than by an assignment in a level block.
    fn remove_changed(&mut self, assignments: &BTreeSet<ExprId>) {
        let (typed, mut changed) = (self.typed, Vec::new());
        walk_block(&self.function.body, &mut |node| {
            let Node::Expr(expr) = node else { return false };
            match &expr.kind {
                ExprKind::Assign(target, _) | ExprKind::AssignOp(_, target, _, _)
                    if !assignments.contains(&expr.id) =>
                {
                    changed.extend(root(typed, target));
                }
                ExprKind::Borrow { mutable: true, operand } => changed.extend(root(typed, operand)),
                ExprKind::Method { receiver, .. } if typed.writes.contains(&expr.id) => {
                    changed.extend(root(typed, receiver));
                }
                ExprKind::Call { args, .. } if typed.writes.contains(&expr.id) => {
                    changed.extend(args.iter().filter_map(|arg| root(typed, arg)));
                }
                _ => {}
            }
            if typed.written_apart.contains_key(&expr.id) || typed.taken_apart.contains(&expr.id) {
                changed.extend(root(typed, expr));
            }
            true
        });
        changed.iter().for_each(|binding| _ = self.variables.remove(binding));
    }

    /// Whether a variable is uniform.
    pub(super) fn is(&self, binding: BindingId) -> bool {
        self.variables.contains(&binding)
    }

    /// Whether all names of a pattern are uniform variables.
    pub(super) fn binds(&self, pattern: &Pattern) -> bool {
        names(pattern).is_some_and(|names| names.iter().all(|name| self.is(*name)))
    }

    /// Whether an expression has one value for all, does nothing else, and cannot trap.
    pub(super) fn has(&self, expr: &Expr) -> bool {
        let ty = |expr: &Expr| self.typed.ty(expr.id);
        let is_number = |expr: &Expr| matches!(ty(expr), Ty::Scalar(_));
        match &expr.kind {
            ExprKind::Literal(_) => is_number(expr),
            ExprKind::Paren(inner, None) => self.has(inner),
            ExprKind::Path(_) => match self.typed.paths.get(&expr.id) {
                Some(Resolution::Binding(binding)) => self.is(*binding),
                Some(Resolution::Value(_) | Resolution::Const(_) | Resolution::Chosen(_)) => is_number(expr),
                _ => false,
            },
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Not, inner) => is_number(inner) && self.has(inner),
            ExprKind::Cast(inner, _) => is_number(inner) && self.has(inner),
            ExprKind::Binary(op, left, right, _) => {
                is_number(left) && is_number(right) && divides(*op, right) && self.has(left) && self.has(right)
            }
            ExprKind::Field { base, .. } => matches!(ty(base), Ty::Vector(..)) && self.has(base),
            ExprKind::Call { .. } => matches!(
                self.typed.calls.get(&expr.id),
                Some(Callee::Builtin(
                    Builtin::WorkgroupId
                        | Builtin::NumWorkgroups
                        | Builtin::WorkgroupSize
                        | Builtin::SubgroupSize
                        | Builtin::NumSubgroups
                ))
            ),
            ExprKind::Method { receiver, .. } => {
                let is_length = matches!(self.typed.calls.get(&expr.id), Some(Callee::Intrinsic(Intrinsic::Length(_))));
                is_length && self.is_slice_param(receiver)
            }
            _ => false,
        }
    }

    /// Whether all invocations go the same way through a loop or branch, and go there without a trap.
    pub(super) fn controls(&self, iterated: &Expr) -> bool {
        match &iterated.kind {
            ExprKind::Paren(inner, None) => self.controls(inner),
            ExprKind::Range { start, end: Some(end), .. } => self.has(start) && self.has(end),
            ExprKind::Method { receiver, name, args, .. } => {
                matches!(self.typed.calls.get(&iterated.id), Some(Callee::Iterate(_)))
                    && match args.as_slice() {
                        [] => name == "rev",
                        [step] => name == "step_by" && is_positive(step),
                        _ => false,
                    }
                    && self.controls(receiver)
            }
            _ => false,
        }
    }

    /// Whether an expression names a parameter that is a slice.
    pub(super) fn is_slice_param(&self, expr: &Expr) -> bool {
        let Some(Resolution::Binding(binding)) = self.typed.paths.get(&expr.id) else { return false };
        matches!(self.typed.binding(*binding), Ty::Buffer { origin: None, .. })
            && self.function.params.iter().any(|param| param.binding == *binding)
    }
}

impl<'a> Given<'a> {
    fn block(&mut self, waiting: &Waiting<'a>, typed: &TypedFn, block: &'a Block) {
        for statement in &block.statements {
            match statement {
                Statement::Let { pattern, value: Some(value), otherwise: None, .. } => {
                    // One value for each name, or one for the only name.
                    let values = match (pattern, &value.kind) {
                        (Pattern::Tuple(..), ExprKind::Tuple(members)) => members.iter().collect(),
                        _ => vec![value],
                    };
                    if let Some(names) = names(pattern).filter(|names| names.len() == values.len()) {
                        self.values.push((names, values));
                    }
                }
                Statement::Expr { expr, .. } => self.expr(waiting, typed, expr),
                _ => {}
            }
        }
        block.tail.iter().for_each(|tail| self.expr(waiting, typed, tail));
    }

    fn expr(&mut self, waiting: &Waiting<'a>, typed: &TypedFn, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Assign(target, value) => {
                if let Some(binding) = variable(typed, target) {
                    self.assignments.insert(expr.id);
                    self.values.push((vec![binding], vec![value]));
                }
            }
            ExprKind::AssignOp(op, target, value, _) => {
                if let Some(binding) = variable(typed, target)
                    && matches!((typed.ty(target.id), typed.ty(value.id)), (Ty::Scalar(_), Ty::Scalar(_)))
                    && divides(*op, value)
                {
                    self.assignments.insert(expr.id);
                    self.values.push((vec![binding], vec![value]));
                }
            }
            _ if !waiting.in_expr(expr) => {}
            ExprKind::For { pattern, iterated, body, .. } => {
                if let Some(names) = names(pattern) {
                    // Its control is looked at by the plan, which has no loop whose control is not uniform.
                    self.values.push((names, ends(iterated)));
                }
                self.block(waiting, typed, body);
            }
            ExprKind::While { body, .. } => self.block(waiting, typed, body),
            ExprKind::If { then_block, else_expr, .. } => {
                self.block(waiting, typed, then_block);
                else_expr.iter().for_each(|other| self.expr(waiting, typed, other));
            }
            ExprKind::Block { block, .. } => self.block(waiting, typed, block),
            _ => {}
        }
    }
}

/// The expressions that decide which values a loop's variable has.
fn ends(iterated: &Expr) -> Vec<&Expr> {
    match &iterated.kind {
        ExprKind::Paren(inner, None) => ends(inner),
        ExprKind::Range { start, end: Some(end), .. } => vec![start, end],
        ExprKind::Method { receiver, .. } => ends(receiver),
        _ => vec![iterated],
    }
}

/// The names of a pattern that is one, or a tuple of such.
fn names(pattern: &Pattern) -> Option<Vec<BindingId>> {
    match pattern {
        Pattern::Binding { binding, inner: None, .. } => Some(vec![*binding]),
        Pattern::Tuple(members, _) => {
            let names: Vec<_> = members.iter().map(names).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
            (names.len() == members.len()).then_some(names)
        }
        _ => None,
    }
}

fn is_plain(ty: &Ty) -> bool {
    matches!(ty, Ty::Scalar(_) | Ty::Vector(..))
}

/// Whether an operator cannot trap: the twin checks divisors.
fn divides(op: BinaryOp, right: &Expr) -> bool {
    !matches!(op, BinaryOp::Div | BinaryOp::Rem) || is_positive(right)
}

fn is_positive(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner, None) => is_positive(inner),
        ExprKind::Literal(Literal::Int { value, .. }) => *value > 0,
        _ => false,
    }
}

/// The variable that an expression names.
fn variable(typed: &TypedFn, expr: &Expr) -> Option<BindingId> {
    match (&expr.kind, typed.paths.get(&expr.id)) {
        (ExprKind::Path(_), Some(Resolution::Binding(binding))) => Some(*binding),
        _ => None,
    }
}

/// The variable that a place is a part of.
fn root(typed: &TypedFn, place: &Expr) -> Option<BindingId> {
    match &place.kind {
        ExprKind::Paren(inner, _)
        | ExprKind::Unary(_, inner)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Field { base: inner, .. }
        | ExprKind::Index { base: inner, .. }
        | ExprKind::Slice { base: inner, .. }
        | ExprKind::Method { receiver: inner, .. } => root(typed, inner),
        _ => variable(typed, place),
    }
}
