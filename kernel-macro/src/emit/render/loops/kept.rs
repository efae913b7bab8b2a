//! The variables that live in several parts: each part copies them in and out.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;

use super::plan::{Node, Part, Piece, Planner};
use super::waiting::Waiting;
use crate::ast::walk::{self, walk, walk_statement};
use crate::ast::{BindingId, Expr, ExprKind, Pattern, Statement, TypeKind};
use crate::program::Program;
use crate::typed::{Resolution, Ty, TypedFn};

impl<'a> Planner<'a> {
    /// Whether no invocation leaves a loop of the workgroup, or a turn of it, by itself.
    pub(super) fn jumps_stay_inside(&self, nodes: &[Node<'a>]) -> bool {
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
    pub(super) fn keep(
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
        // A variable that several parts name is kept, uniform, a parameter or shared memory.
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

fn each_part<'p, 'a>(nodes: &'p [Node<'a>], visit: &mut dyn FnMut(&'p Part<'a>)) {
    for node in nodes {
        match node {
            Node::Part(part) => visit(part),
            Node::Loop(_, body) | Node::Block(body) => each_part(body, visit),
            Node::If(_, then_nodes, else_nodes) => {
                each_part(then_nodes, visit);
                else_nodes.iter().for_each(|nodes| each_part(nodes, visit));
            }
            Node::Once(_) | Node::Call(_) | Node::Exchange(_) => {}
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
            Node::Once(_) | Node::Call(_) | Node::Exchange(_) => {}
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
            Self::Tail(expr) | Self::Result(expr) => walk(expr, visit),
        }
    }
}

/// The variables that pieces speak of.
#[derive(Default)]
pub(super) struct Names<'a> {
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
    pub(super) fn of_piece(&mut self, waiting: &Waiting<'a>, piece: Piece<'a>) {
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
        let all: BTreeSet<_> =
            self.used.iter().copied().chain(self.bound.iter().map(|(binding, ..)| *binding)).collect();
        all.into_iter()
    }

    /// The names that get a value, or begin to mean something.
    pub(super) fn changed(&self) -> impl Iterator<Item = String> {
        self.bound.iter().map(|(_, name, _)| name.to_string()).chain(self.assigned.iter().cloned())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = String> {
        self.texts.iter().cloned().chain(self.bound.iter().map(|(_, name, _)| name.to_string()))
    }
}

/// Whether a value can be copied out of a part, and into another.
pub(super) fn can_keep(program: &Program, ty: &Ty) -> bool {
    fn is_value(ty: &Ty) -> bool {
        match ty {
            Ty::Unit
            | Ty::Scalar(_)
            | Ty::Vector(..)
            | Ty::Matrix(_)
            | Ty::Quat
            | Ty::Struct(_, None)
            | Ty::Enum(_, None) => true,
            Ty::Array(inner, _) | Ty::Option(inner) => is_value(inner),
            Ty::Tuple(members) => members.iter().all(is_value),
            _ => false,
        }
    }
    is_value(ty) && !program.may_move(ty)
}
