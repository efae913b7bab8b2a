//! The parts that barriers cut a function into, and the loops and branches around them. It renders nothing.
//!
//! A function has a plan if each place where it waits is a barrier, or the call of a function that has a plan itself, in the body or in
//! loops and branches whose control is uniform; and if what lives from one part to another can be copied out and in.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;

use super::super::parallel::{is_of_ballot, waits};
use super::uniform::Uniform;
use crate::ast::walk::{self, walk, walk_statement};
use crate::ast::{BinaryOp, BindingId, Block, Expr, ExprId, ExprKind, Fn, Item, Pattern, Statement, TypeKind};
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
    /// What is done once for all invocations.
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
    Exchange,
}

/// What runs for one invocation after the other.
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
    /// The result of an operation of the subgroup is put where the expression around it finds it.
    Take(&'a Expr),
    /// An expression of no value, in place of a statement.
    Tail(&'a Expr),
    /// The function's result.
    Result(&'a Expr),
}

/// The places where the invocations of a function wait.
pub(super) struct Waiting<'a> {
    program: &'a Program,
    typed: &'a TypedFn,
}

impl Waiting<'_> {
    fn is(&self, expr: &Expr) -> bool {
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
    fn known(&self, body: &Block) -> usize {
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

    fn in_statement(&self, statement: &Statement) -> bool {
        let mut is = false;
        walk_statement(statement, &mut |node| {
            is |= matches!(node, walk::Node::Expr(expr) if self.is(expr));
            !is
        });
        is
    }
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
    let mut planner = Planner { function, typed, waiting, uniform, levels: BTreeSet::new(), placed: 0, calls: Vec::new() };
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
        && !function.gives_place
        && function.receiver.is_none()
        && typed.shared.is_empty()
        && function.params.iter().zip(&typed.params).all(can_take)
        && typed.result.as_ref().is_none_or(|ty| can_keep(program, ty))
        && waits(program, item)
        && plan(program, item, false).is_some()
}

/// Whether a value can be copied out of a part, and into another.
fn can_keep(program: &Program, ty: &Ty) -> bool {
    fn is_value(ty: &Ty) -> bool {
        match ty {
            Ty::Unit | Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat | Ty::Struct(_, None) | Ty::Enum(_, None) => true,
            Ty::Array(inner, _) | Ty::Option(inner) => is_value(inner),
            Ty::Tuple(members) => members.iter().all(is_value),
            _ => false,
        }
    }
    is_value(ty) && !program.may_move(ty)
}

struct Planner<'a> {
    function: &'a Fn,
    typed: &'a TypedFn,
    waiting: Waiting<'a>,
    uniform: Uniform<'a>,
    /// The loops that the workgroup goes through as a whole.
    levels: BTreeSet<ExprId>,
    /// How many waiting calls have a place in the plan.
    placed: usize,
    calls: Vec<&'a Expr>,
}

/// The nodes of a block so far, and the part that is not over yet.
#[derive(Default)]
struct Level<'a> {
    nodes: Vec<Node<'a>>,
    pending: Vec<Piece<'a>>,
}

impl<'a> Level<'a> {
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pending);
        if !pieces.is_empty() {
            self.nodes.push(Node::Part(Part { pieces, ..Part::default() }));
        }
    }

    fn push(&mut self, node: Node<'a>) {
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
        // What it reads, pending pieces cannot change.
        own.changed().any(|name| theirs.all().any(|other| other == name))
    }

    /// The calls in an expression that waits are done before it.
    fn calls_in(&mut self, expr: &'a Expr, level: &mut Level<'a>) -> Option<()> {
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
            ExprKind::AssignOp(_, target, value, _) if self.is_number(target) && self.is_number(value) => {
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

    fn is_barrier(&self, expr: &Expr) -> bool {
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
            level.push(Node::Exchange);
            level.pending.push(Piece::Take(call));
            return Some(());
        };
        let Item::Fn(called) = &self.waiting.program.items[*item].item else { return None };
        for (param, arg) in called.params.iter().zip(args) {
            match param.ty.kind {
                TypeKind::Slice { .. } => {
                    let whole = whole_of(arg);
                    let is_shared = matches!(self.typed.paths.get(&whole.id),
                        Some(Resolution::Binding(binding)) if matches!(self.typed.binding(*binding), Ty::Shared(_)));
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

    /// Whether no invocation leaves a loop of the workgroup, or a turn of it, by itself.
    fn jumps_stay_inside(&self, nodes: &[Node<'a>]) -> bool {
        let mut stay = true;
        each_part(nodes, &mut |part| {
            for piece in &part.pieces {
                piece.walk(&mut |node| {
                    if let walk::Node::Expr(expr) = node
                        && let Some(target) = self.typed.targets.get(&expr.id)
                    {
                        stay &= !self.levels.contains(target);
                    }
                    true
                });
            }
        });
        stay
    }

    /// Finds the variables that live in several parts, and what each part copies.
    fn keep(
        &self,
        program: &Program,
        nodes: &mut [Node<'a>],
        is_kernel: bool,
    ) -> Option<BTreeMap<BindingId, (&'a Ident, bool)>> {
        let mut found: Vec<Names<'a>> = Vec::new();
        each_part(nodes, &mut |part| {
            let mut names = Names::default();
            part.pieces.iter().for_each(|piece| names.of_piece(&self.waiting, *piece));
            found.push(names);
        });
        let mut variables: BTreeMap<BindingId, (&'a Ident, bool)> = BTreeMap::new();
        let params: BTreeSet<_> = self.function.params.iter().map(|param| param.binding).collect();
        if !is_kernel {
            let values = self.function.params.iter().filter(|param| !matches!(param.ty.kind, TypeKind::Slice { .. }));
            variables.extend(values.map(|param| (param.binding, (&param.name, param.mutable))));
        }
        let mut parts: BTreeMap<BindingId, usize> = BTreeMap::new();
        for names in &found {
            names.bindings().for_each(|binding| *parts.entry(binding).or_default() += 1);
        }
        for names in &found {
            for (binding, name, mutable) in &names.bound {
                if parts.get(binding).is_some_and(|count| *count > 1) {
                    variables.insert(*binding, (name, *mutable));
                }
            }
        }
        let is_bad = |binding: &BindingId| {
            self.typed.references.contains_key(binding) || !can_keep(program, self.typed.binding(*binding))
        };
        if variables.keys().any(is_bad) || found.iter().any(|names| names.late.iter().any(|late| parts[late] > 1)) {
            return None;
        }
        // What several parts name is kept, uniform, a parameter or shared memory.
        let is_known = |binding: &BindingId| {
            variables.contains_key(binding)
                || self.uniform.is(*binding)
                || params.contains(binding)
                || matches!(self.typed.binding(*binding), Ty::Shared(_))
        };
        if parts.iter().any(|(binding, count)| *count > 1 && !is_known(binding)) {
            return None;
        }
        let mut found = found.into_iter();
        let mut is_clear = true;
        each_part_mut(nodes, &mut |part| {
            let Some(names) = found.next() else { return };
            let is_own = |binding: BindingId| names.bound.iter().any(|(bound, _, _)| *bound == binding);
            for binding in names.bindings() {
                let Some((name, mutable)) = variables.get(&binding) else { continue };
                let is_own = is_own(binding);
                if !is_own {
                    part.loads.push(binding);
                }
                if is_own || *mutable {
                    part.stores.push(binding);
                    // The name means it to the end of the part.
                    is_clear &= names.bound.iter().all(|(other, known, _)| *other == binding || known != name);
                }
            }
        });
        is_clear.then_some(variables)
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

fn each_part<'p, 'a>(nodes: &'p [Node<'a>], visit: &mut dyn FnMut(&'p Part<'a>)) {
    for node in nodes {
        match node {
            Node::Part(part) => visit(part),
            Node::Loop(_, body) | Node::Block(body) => each_part(body, visit),
            Node::If(_, then_nodes, else_nodes) => {
                each_part(then_nodes, visit);
                else_nodes.iter().for_each(|nodes| each_part(nodes, visit));
            }
            Node::Once(_) | Node::Call(_) | Node::Exchange => {}
        }
    }
}

fn each_part_mut<'a>(nodes: &mut [Node<'a>], visit: &mut dyn FnMut(&mut Part<'a>)) {
    for node in nodes {
        match node {
            Node::Part(part) => visit(part),
            Node::Loop(_, body) | Node::Block(body) => each_part_mut(body, visit),
            Node::If(_, then_nodes, else_nodes) => {
                each_part_mut(then_nodes, visit);
                else_nodes.iter_mut().for_each(|nodes| each_part_mut(nodes, visit));
            }
            Node::Once(_) | Node::Call(_) | Node::Exchange => {}
        }
    }
}

impl<'a> Piece<'a> {
    fn walk(self, visit: &mut dyn FnMut(walk::Node<'a>) -> bool) {
        match self {
            Self::Statement(statement) => walk_statement(statement, visit),
            Self::Args(call) => {
                if let ExprKind::Call { args, .. } = &call.kind {
                    args.iter().for_each(|arg| walk(arg, visit));
                }
            }
            Self::Take(_) => {}
            Self::Tail(expr) | Self::Result(expr) => walk(expr, visit),
        }
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

/// The variables that pieces speak of.
#[derive(Default)]
struct Names<'a> {
    /// Those that are named.
    used: BTreeSet<BindingId>,
    /// Their names where they are named.
    texts: BTreeSet<String>,
    /// Those of patterns, with whether they change.
    bound: Vec<(BindingId, &'a Ident, bool)>,
    /// Those of `let`s that give no value.
    late: Vec<BindingId>,
    /// Those that are assigned to.
    assigned: BTreeSet<String>,
}

impl<'a> Names<'a> {
    fn of_piece(&mut self, waiting: &Waiting<'a>, piece: Piece<'a>) {
        if let Piece::Statement(Statement::Let { pattern, value: None, .. }) = piece {
            pattern.for_each_binding(&mut |_, binding| self.late.push(binding));
        }
        piece.walk(&mut |node| match node {
            walk::Node::Pattern(pattern) => {
                self.of_pattern(pattern);
                true
            }
            // Its arguments were evaluated in a part before.
            walk::Node::Expr(expr) if waiting.is(expr) => false,
            walk::Node::Expr(expr) => {
                self.of_expr(waiting.typed, expr);
                true
            }
        });
    }

    fn of_expr(&mut self, typed: &TypedFn, expr: &'a Expr) {
        let path = match &expr.kind {
            ExprKind::Path(path) | ExprKind::Call { callee: path, .. } => path,
            ExprKind::Assign(target, _) | ExprKind::AssignOp(_, target, _, _) => {
                if let ExprKind::Path(path) = &target.kind {
                    self.assigned.extend(path.as_name().map(Ident::to_string));
                }
                return;
            }
            _ => return,
        };
        if let Some(Resolution::Binding(binding)) = typed.paths.get(&expr.id) {
            self.used.insert(*binding);
            self.texts.extend(path.as_name().map(Ident::to_string));
        }
    }

    fn of_pattern(&mut self, pattern: &'a Pattern) {
        if let Pattern::Binding { name, mutable, binding, .. } = pattern {
            self.bound.push((*binding, name, *mutable));
        }
        pattern.children().into_iter().for_each(|child| self.of_pattern(child));
    }

    fn bindings(&self) -> impl Iterator<Item = BindingId> {
        let all: BTreeSet<_> = self.used.iter().copied().chain(self.bound.iter().map(|(binding, ..)| *binding)).collect();
        all.into_iter()
    }

    /// The names that get a value, or begin to mean something.
    fn changed(&self) -> impl Iterator<Item = String> {
        self.bound.iter().map(|(_, name, _)| name.to_string()).chain(self.assigned.iter().cloned())
    }

    fn all(&self) -> impl Iterator<Item = String> {
        self.texts.iter().cloned().chain(self.bound.iter().map(|(_, name, _)| name.to_string()))
    }
}
