//! Names of functions as arguments: `apply(f32::sqrt, x)` becomes `apply(|a| f32::sqrt(a), x)` before anything is inferred. The functions that
//! are named tell how many parameters the closure has. Methods of Rust's library have closures of the parser's own, `FunctionArg`.

use std::collections::BTreeSet;
use std::rc::Rc;

use gridwise_ir::arena::EntityId as _;
use proc_macro2::{Ident, Span};

use super::{ItemId, Program};
use crate::ast::walk::{Node, walk_block};
use crate::ast::{BindingId, Block, Closure, Expr, ExprId, ExprKind, Fn, Item, Path, Pattern, Statement};
use crate::builtin::intrinsic::{Kind, rows};
use crate::infer::builtin_path;

/// Puts closures in place of the names of functions in the arguments of a function's calls.
pub(crate) fn close_over_names(program: &mut Program, item: ItemId) {
    let Item::Fn(function) = &program.items[item].item else { return };
    let mut bound: BTreeSet<String> = function.params.iter().map(|param| param.name.to_string()).collect();
    let mut named: Vec<(ExprId, usize)> = Vec::new();
    let mut candidates = Vec::new();
    walk_block(&function.body, &mut |node| {
        match node {
            Node::Pattern(pattern) => pattern.for_each_binding(&mut |name, _| _ = bound.insert(name.to_string())),
            Node::Expr(Expr { kind: ExprKind::Call { args, .. }, .. }) => {
                candidates.extend(args.iter().filter_map(|arg| Some((arg.id, named_function(arg)?))));
            }
            Node::Expr(Expr { kind: ExprKind::Method { name, args, functions, .. }, .. }) => {
                // Closures of the parser's own are for methods of Rust's library.
                let is_own = functions.is_empty() || has_method(program, name);
                candidates
                    .extend(args.iter().filter(|_| is_own).filter_map(|arg| Some((arg.id, named_function(arg)?))));
            }
            Node::Expr(_) => {}
        }
        true
    });
    for (id, path) in candidates {
        let is_variable = path.as_name().is_some_and(|name| bound.contains(&name.to_string()));
        if let Some(count) = parameters_of(program, item, path).filter(|_| !is_variable) {
            named.push((id, count));
        }
    }
    if named.is_empty() {
        return;
    }
    if let Item::Fn(function) = &mut program.items[item].item {
        let mut ids = Ids { exprs: function.expr_count, bindings: function.binding_count };
        let Fn { body, .. } = function;
        close_in_block(body, &named, &mut ids);
        (function.expr_count, function.binding_count) = (ids.exprs, ids.bindings);
    }
}

/// Whether some type or trait of the author's has a method of the name.
fn has_method(program: &Program, name: &Ident) -> bool {
    program.items.iter().any(|(_, known)| match &known.item {
        Item::Fn(function) => function.receiver.is_some() && function.name == *name,
        _ => false,
    })
}

/// The path of an argument that may name a function: its last name is written as functions are.
fn named_function(arg: &Expr) -> Option<&Path> {
    let ExprKind::Path(path) = &arg.kind else { return None };
    let name = path.segments.last()?.to_string();
    (name.starts_with(|first: char| first.is_ascii_lowercase()) && name != "self").then_some(path)
}

/// How many parameters a function has; `None` where no function is known by the name.
fn parameters_of(program: &Program, item: ItemId, path: &Path) -> Option<usize> {
    if let Some(known) = program.items[item].uses.get(&path.text()) {
        let Item::Fn(function) = &program.items[*known].item else { return None };
        return Some(function.params.len());
    }
    let [.., of, name] = path.segments.as_slice() else { return None };
    let owner = Path::plain(false, vec![of.clone()]);
    if path.through.is_none() && builtin_path(&owner).is_some() {
        let row = rows().find(|row| name == row.name)?;
        return Some(row.params.len() + usize::from(row.kind == Kind::Method));
    }
    program.items.iter().find_map(|(_, known)| match &known.item {
        Item::Fn(function) if known.owner.is_some() && function.name == *name => Some(function.params.len()),
        _ => None,
    })
}

/// The numbers that a function has given out.
struct Ids {
    exprs: usize,
    bindings: usize,
}

impl Ids {
    fn expr(&mut self, kind: ExprKind, like: &Expr) -> Expr {
        self.exprs += 1;
        Expr { id: ExprId::new(self.exprs - 1), kind, span: like.span }
    }

    /// `|a| path(a)` with `count` parameters.
    fn closure(&mut self, path: &Path, count: usize, arg: &Expr) -> Expr {
        let place = Span::mixed_site().located_at(arg.span.start);
        let (mut params, mut args) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for position in 0..count {
            let name = Ident::new(&format!("__given{position}"), place);
            let binding = BindingId::new(self.bindings);
            self.bindings += 1;
            params.push((Pattern::Binding { name: name.clone(), mutable: false, binding, inner: None }, None));
            args.push(self.expr(ExprKind::Path(Path::plain(false, vec![name])), arg));
        }
        let call = ExprKind::Call { callee: path.clone(), callee_span: arg.span, args };
        let body = self.expr(call, arg);
        let closure = Closure { moves: None, params, result: None, body, jumps: false };
        self.expr(ExprKind::Closure(Rc::new(closure)), arg)
    }
}

fn close_in_block(block: &mut Block, named: &[(ExprId, usize)], ids: &mut Ids) {
    for statement in &mut block.statements {
        match statement {
            Statement::Let { value, otherwise, .. } => {
                value.iter_mut().for_each(|value| close_in(value, named, ids));
                otherwise.iter_mut().for_each(|otherwise| close_in_block(otherwise, named, ids));
            }
            Statement::Expr { expr, .. } => close_in(expr, named, ids),
            Statement::OptionPlace(_) | Statement::Const(_) | Statement::Use(_) => {}
        }
    }
    block.tail.iter_mut().for_each(|tail| close_in(tail, named, ids));
}

/// Puts closures in place of names below an expression.
fn close_in(expr: &mut Expr, named: &[(ExprId, usize)], ids: &mut Ids) {
    let mut each = |expr: &mut Expr| close_in(expr, named, ids);
    match &mut expr.kind {
        ExprKind::Paren(inner, ..)
        | ExprKind::Unary(_, inner)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Try(inner)
        | ExprKind::Cast(inner, _)
        | ExprKind::Let { value: inner, .. }
        | ExprKind::Field { base: inner, .. } => each(inner),
        ExprKind::Binary(_, first, second, _)
        | ExprKind::Assign(first, second)
        | ExprKind::AssignOp(_, first, second, _)
        | ExprKind::Index { base: first, index: second } => [first, second].into_iter().for_each(|it| each(it)),
        ExprKind::If { condition, then_block, else_expr } => {
            each(condition);
            else_expr.iter_mut().for_each(|other| each(other));
            close_in_block(then_block, named, ids);
        }
        ExprKind::Match { scrutinee, arms } => {
            each(scrutinee);
            arms.iter_mut().for_each(|arm| each(&mut arm.body));
        }
        ExprKind::While { condition: head, body, .. } | ExprKind::For { iterated: head, body, .. } => {
            each(head);
            close_in_block(body, named, ids);
        }
        ExprKind::Loop { body: block, .. } | ExprKind::Block { block, .. } => close_in_block(block, named, ids),
        ExprKind::Break { value, .. } | ExprKind::Return(value) => value.iter_mut().for_each(|value| each(value)),
        ExprKind::Tuple(members) | ExprKind::Array(members) => members.iter_mut().for_each(each),
        ExprKind::Struct { fields, .. } => fields.iter_mut().for_each(|(_, value)| each(value)),
        ExprKind::Closure(closure) => {
            if let Some(closure) = Rc::get_mut(closure) {
                each(&mut closure.body);
            }
        }
        ExprKind::Call { args, .. } => close_args(args, named, ids),
        ExprKind::Method { receiver, args, .. } => {
            each(receiver);
            close_args(args, named, ids);
        }
        _ => {}
    }
}

fn close_args(args: &mut [Expr], named: &[(ExprId, usize)], ids: &mut Ids) {
    for arg in args {
        let count = named.iter().find(|(id, _)| *id == arg.id).map(|(_, count)| *count);
        match (count, &arg.kind) {
            (Some(count), ExprKind::Path(path)) => *arg = ids.closure(&path.clone(), count, arg),
            _ => close_in(arg, named, ids),
        }
    }
}
