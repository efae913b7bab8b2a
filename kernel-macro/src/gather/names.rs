//! Finds the paths in an item that name other items: everything that is neither a variable nor built in.

use std::collections::BTreeSet;

use crate::ast::{
    Alias, Block, Bound, Const, Enum, Expr, ExprKind, Fn, GenericKind, Generics, Impl, Item, Path, PathArgs,
};
use crate::ast::{Pattern, SpanRange, Statement, Struct, Trait, TypeExpr, TypeKind};
use crate::builtin::names::{
    is_builtin_function, is_builtin_trait, is_builtin_type, is_builtin_value, is_variable_like, owner_type,
};
use crate::diag::{Diagnostics, code};
use crate::source::Spelling;

use super::library::may_be_library;
use super::locals::Locals;
use super::place::ITEMS_OF;

/// The paths to gather, each once, in order of their first use.
#[derive(Debug, Default)]
pub(crate) struct Names {
    paths: Vec<Path>,
    seen: BTreeSet<String>,
    /// Variables in scope, innermost last; const parameters among them.
    locals: Locals,
    /// Type parameters.
    params: Vec<String>,
    /// The function itself, and where it is called.
    own_name: Option<String>,
    self_calls: Vec<SpanRange>,
    /// The last names of what is called, where somebody asks for them.
    called: Option<BTreeSet<String>>,
}

/// The names in a function. A direct call of itself is an error.
pub(crate) fn names_of_fn(function: &Fn, diags: &mut Diagnostics) -> Vec<Path> {
    // The names that they bring are not known: the item is read once more.
    if !function.globs.is_empty() {
        return function.globs.clone();
    }
    let mut names = Names { own_name: Some(function.name.to_string()), ..Names::default() };
    names.function(function);
    for span in names.self_calls {
        diags
            .error(code::RECURSION, span, format!("`{}` calls itself", function.name))
            .note("there is no call stack on the device")
            .help("write a loop");
    }
    names.paths
}

/// The names in an `impl`, its functions and consts included.
pub(crate) fn names_of_impl(item: &Impl, members: &[Item]) -> Vec<Path> {
    let mut names = Names::default();
    names.params.push("Self".to_owned());
    names.generics(&item.generics);
    names.ty(&item.self_ty);
    if let Some(path) = &item.of {
        names.bounds(&[Bound::Trait { path: path.clone(), bindings: Vec::new() }]);
    }
    item.types.iter().for_each(|(_, ty)| names.ty(ty));
    names.members(members);
    names.paths
}

/// The names in a trait, its functions with a body included.
pub(crate) fn names_of_trait(item: &Trait, members: &[Item]) -> Vec<Path> {
    let mut names = Names::default();
    names.params.push("Self".to_owned());
    names.generics(&item.generics);
    names.bounds(&item.supertraits);
    names.members(members);
    names.paths
}

/// The names in a const.
pub(crate) fn names_of_const(item: &Const) -> Vec<Path> {
    let mut names = Names::default();
    names.ty(&item.ty);
    names.expr(&item.value);
    names.paths
}

/// The functions and methods that a const or function calls, by their last names.
pub(crate) fn calls_of(item: &Item) -> BTreeSet<String> {
    let mut names = Names { called: Some(BTreeSet::new()), ..Names::default() };
    match item {
        Item::Const(constant) => names.expr(&constant.value),
        Item::Fn(function) => names.block(&function.body),
        _ => {}
    }
    names.called.unwrap_or_default()
}

/// The names in a struct.
pub(crate) fn names_of_struct(item: &Struct) -> Vec<Path> {
    let mut names = Names::default();
    names.generics(&item.generics);
    for (_, ty) in &item.fields {
        names.ty(ty);
    }
    names.paths
}

/// The names in a type.
pub(crate) fn names_of_type(ty: &TypeExpr) -> Vec<Path> {
    let mut names = Names::default();
    names.ty(ty);
    names.paths
}

/// The names in an alias of a type.
pub(crate) fn names_of_alias(item: &Alias) -> Vec<Path> {
    let mut names = Names::default();
    names.generics(&item.generics);
    names.ty(&item.ty);
    names.paths
}

/// The names in an enum.
pub(crate) fn names_of_enum(item: &Enum) -> Vec<Path> {
    let mut names = Names::default();
    names.generics(&item.generics);
    for variant in &item.variants {
        for (_, ty) in &variant.fields {
            names.ty(ty);
        }
        names.exprs(&variant.discriminant);
    }
    names.paths
}

impl Names {
    fn members(&mut self, members: &[Item]) {
        for member in members {
            let scope = (self.params.len(), self.locals.len());
            match member {
                Item::Fn(function) => self.function(function),
                Item::Const(constant) => {
                    self.ty(&constant.ty);
                    self.expr(&constant.value);
                }
                _ => {}
            }
            self.params.truncate(scope.0);
            self.locals.truncate(scope.1);
        }
    }

    fn function(&mut self, function: &Fn) {
        self.generics(&function.generics);
        for param in &function.params {
            self.ty(&param.ty);
            self.locals.push(&param.name.to_string());
        }
        if let Some(result) = &function.result {
            self.ty(result);
        }
        self.block(&function.body);
    }

    fn add(&mut self, path: &Path) {
        if self.seen.insert(path.text()) {
            self.paths.push(path.clone());
        }
    }

    fn is_local(&self, path: &Path) -> bool {
        path.as_name().is_some_and(|name| self.locals.contains(&Spelling::of(name)))
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Path(path) => {
                if !self.is_param(path) && !is_builtin_type(path) {
                    self.add(path);
                }
                self.path_args(path);
            }
            TypeKind::Projection { of, through, .. } => {
                self.ty(of);
                self.bounds(&[Bound::Trait { path: through.clone(), bindings: Vec::new() }]);
            }
            TypeKind::Slice { element, .. }
            | TypeKind::List { element, .. }
            | TypeKind::Table(element)
            | TypeKind::Ref { target: element, .. }
            | TypeKind::Range { of: element, .. }
            | TypeKind::Iterator(element)
            | TypeKind::Option(element) => self.ty(element),
            TypeKind::Result(value, error) => {
                self.ty(value);
                self.ty(error);
            }
            TypeKind::Array { element, len } => {
                self.ty(element);
                self.expr(len);
            }
            TypeKind::Tuple(members) => members.iter().for_each(|member| self.ty(member)),
            TypeKind::Shared(inner) | TypeKind::Atomic(inner) => self.ty(inner),
            TypeKind::Infer | TypeKind::Never | TypeKind::Error | TypeKind::Image { .. } => {}
        }
    }

    /// Whether a path begins with a type parameter: `T`, `T::Output`.
    fn is_param(&self, path: &Path) -> bool {
        path.segments.first().is_some_and(|first| self.params.iter().any(|param| first == param))
    }

    /// The names in a path's generic arguments.
    fn path_args(&mut self, path: &Path) {
        path.generics.iter().for_each(|args| self.args(args));
    }

    fn args(&mut self, args: &PathArgs) {
        for arg in &args.args {
            match (&arg.ty, &arg.value) {
                // A name that may be a const's.
                (Some(TypeExpr { kind: TypeKind::Path(path), .. }), Some(_)) if self.is_local(path) => {}
                (Some(ty), _) => self.ty(ty),
                (None, Some(value)) => self.expr(value),
                (None, None) => {}
            }
        }
    }

    /// Declares parameters and names what their bounds name.
    fn generics(&mut self, generics: &Generics) {
        for param in &generics.params {
            match &param.kind {
                GenericKind::Type { .. } => self.params.push(param.name.to_string()),
                GenericKind::Const(_) => self.locals.push(&param.name.to_string()),
            }
        }
        for param in &generics.params {
            if let GenericKind::Type { bounds, .. } = &param.kind {
                self.bounds(bounds);
            }
            if let Some(default) = &param.default {
                default.ty.iter().for_each(|ty| self.ty(ty));
                self.exprs(&default.value);
            }
        }
        for (ty, bounds) in &generics.clauses {
            self.ty(ty);
            self.bounds(bounds);
        }
    }

    fn bounds(&mut self, bounds: &[Bound]) {
        for bound in bounds {
            match bound {
                Bound::Trait { path, bindings } => {
                    if !is_builtin_trait(path) {
                        self.add(path);
                    }
                    self.path_args(path);
                    bindings.iter().for_each(|(_, ty)| self.ty(ty));
                }
                Bound::Fn { params, result, .. } => params.iter().chain(result).for_each(|ty| self.ty(ty)),
            }
        }
    }

    fn block(&mut self, block: &Block) {
        let depth = self.locals.len();
        // A const is in scope in all of its block.
        for statement in &block.statements {
            if let Statement::Const(constant) = statement {
                self.locals.push(&constant.name.to_string());
            }
        }
        block.statements.iter().for_each(|statement| self.statement(statement));
        block.tail.iter().for_each(|tail| self.expr(tail));
        self.locals.truncate(depth);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Const(constant) => {
                self.ty(&constant.ty);
                self.expr(&constant.value);
            }
            Statement::Let { pattern, ty, value, otherwise, .. } => {
                ty.iter().for_each(|ty| self.ty(ty));
                value.iter().for_each(|value| self.expr(value));
                otherwise.iter().for_each(|otherwise| self.block(otherwise));
                self.bind(pattern);
            }
            Statement::OptionPlace(option_place) => self.statement(&option_place.written),
            Statement::Use(import) => self.own_items(import),
            Statement::Expr { expr, .. } => self.expr(expr),
        }
    }

    /// The items of the function itself are one unit, of which methods may be called that no path names.
    fn own_items(&mut self, import: &proc_macro2::TokenStream) {
        let Ok(import) = syn::parse2::<syn::ItemUse>(import.clone()) else { return };
        if let syn::UseTree::Path(module) = import.tree
            && module.ident.to_string().starts_with(ITEMS_OF)
            && let syn::UseTree::Group(names) = *module.tree
            && let Some(syn::UseTree::Name(name)) = names.items.first()
        {
            self.paths.push(Path::plain(false, vec![module.ident, name.ident.clone()]));
        }
    }

    /// Brings a pattern's variables into scope; what it names besides is gathered.
    fn bind(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Binding { name, .. } => self.locals.push(&name.to_string()),
            Pattern::Literal(_) | Pattern::Wild(_) | Pattern::Rest(_) => {}
            Pattern::Range { start, end, .. } => self.exprs(start.iter().chain(end).map(|end| &**end)),
            Pattern::Path { path, .. } => self.constructor(path),
            Pattern::TupleStruct { path, .. } | Pattern::Struct { path, .. } => self.constructor(path),
            Pattern::Tuple(..) | Pattern::Slice { .. } | Pattern::Or(..) => {}
            Pattern::Reference(..) | Pattern::Ref(..) | Pattern::RefMut(..) => {}
        }
        pattern.children().into_iter().for_each(|child| self.bind(child));
    }

    /// A path that names a const, a struct, or a variant, which its enum is gathered for.
    fn constructor(&mut self, path: &Path) {
        if self.is_local(path) {
            return;
        }
        self.owner(path);
        if may_be_library(path) {
            self.add(path);
            return;
        }
        if owner_type(path).is_none() && !is_builtin_value(path) && !is_builtin_type(path) && !self.is_param(path) {
            self.add(path);
        }
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Continue { .. } | ExprKind::Error => {}
            ExprKind::Path(path) => {
                self.owner(path);
                if let Some(through) = &path.through {
                    self.bounds(&[Bound::Trait { path: (**through).clone(), bindings: Vec::new() }]);
                    return;
                }
                let is_self = path.as_name().is_some_and(|name| name == "Self");
                if !is_self && !self.is_local(path) && !is_builtin_value(path) && !is_variable_like(path) {
                    self.add(path);
                }
            }
            ExprKind::Call { callee, callee_span, args } => {
                if let (Some(called), Some(name)) = (&mut self.called, callee.segments.last()) {
                    called.insert(name.to_string());
                }
                match &callee.through {
                    Some(through) => {
                        self.owner(callee);
                        self.bounds(&[Bound::Trait { path: (**through).clone(), bindings: Vec::new() }]);
                    }
                    None => self.callee(callee, *callee_span),
                }
                self.exprs(args);
            }
            ExprKind::NewShared { ty, .. } => ty.iter().for_each(|ty| self.ty(ty)),
            ExprKind::Struct { path, fields, base } => {
                self.constructor(path);
                self.exprs(base.as_deref());
                self.exprs(fields.iter().map(|(_, value)| value));
            }
            ExprKind::Closure(closure) => {
                let depth = self.locals.len();
                for (pattern, ty) in &closure.params {
                    ty.iter().for_each(|ty| self.ty(ty));
                    self.bind(pattern);
                }
                closure.result.iter().for_each(|ty| self.ty(ty));
                self.expr(&closure.body);
                self.locals.truncate(depth);
            }
            ExprKind::Cast(operand, ty) => {
                self.expr(operand);
                self.ty(ty);
            }
            ExprKind::Paren(inner, ..)
            | ExprKind::Try(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Borrow { operand: inner, .. }
            | ExprKind::Field { base: inner, .. } => self.expr(inner),
            ExprKind::Binary(_, left, right, _)
            | ExprKind::AssignOp(_, left, right, _)
            | ExprKind::Assign(left, right)
            | ExprKind::Index { base: left, index: right }
            | ExprKind::Repeat { element: left, len: right } => self.exprs([&**left, &**right]),
            ExprKind::Slice { base, start, end, .. } => {
                self.expr(base);
                self.exprs(start.iter().chain(end).map(|end| &**end));
            }
            ExprKind::Break { value, .. } | ExprKind::Return(value) => self.exprs(value.as_deref()),
            ExprKind::Method { receiver, name, turbofish, args, functions } => {
                self.called.iter_mut().for_each(|called| {
                    called.insert(name.to_string());
                });
                turbofish.iter().for_each(|turbofish| self.args(turbofish));
                self.expr(receiver);
                self.exprs(args);
                self.exprs(functions.iter().filter_map(|function| function.closures.first()));
            }
            ExprKind::Tuple(members) | ExprKind::Array(members) => self.exprs(members),
            ExprKind::Macro(call) => self.exprs(call.exprs()),
            ExprKind::OptionPlace(option_place) => self.expr(&option_place.element),
            ExprKind::If { .. }
            | ExprKind::While { .. }
            | ExprKind::Loop { .. }
            | ExprKind::For { .. }
            | ExprKind::Range { .. }
            | ExprKind::Match { .. }
            | ExprKind::Let { .. } => self.control(expr),
            ExprKind::Block { block, .. } | ExprKind::Const(block) => self.block(block),
        }
    }

    fn control(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::If { condition, then_block, else_expr } => {
                let depth = self.locals.len();
                self.expr(condition);
                self.block(then_block);
                self.locals.truncate(depth);
                self.exprs(else_expr.as_deref());
            }
            ExprKind::While { condition, body, .. } => {
                let depth = self.locals.len();
                self.expr(condition);
                self.block(body);
                self.locals.truncate(depth);
            }
            // In scope until the `if` or `while` around ends.
            ExprKind::Let { pattern, value } => {
                self.expr(value);
                self.bind(pattern);
            }
            ExprKind::Match { scrutinee, arms } => {
                self.expr(scrutinee);
                for arm in arms {
                    let depth = self.locals.len();
                    self.bind(&arm.pattern);
                    self.exprs(&arm.guard);
                    self.expr(&arm.body);
                    self.locals.truncate(depth);
                }
            }
            ExprKind::Loop { body, .. } => self.block(body),
            ExprKind::Range { start, end, .. } => self.exprs(std::iter::once(&**start).chain(end.as_deref())),
            ExprKind::For { pattern, iterated, body, .. } => {
                self.expr(iterated);
                let depth = self.locals.len();
                self.bind(pattern);
                self.block(body);
                self.locals.truncate(depth);
            }
            _ => {}
        }
    }

    /// The type that an associated function or const belongs to.
    fn owner(&mut self, path: &Path) {
        self.path_args(path);
        if let Some(owner) = owner_type(path).filter(|owner| !self.is_param(owner)) {
            self.add(&owner);
        }
    }

    fn callee(&mut self, callee: &Path, span: SpanRange) {
        self.owner(callee);
        if may_be_library(callee) && !self.is_local(callee) && !self.is_param(callee) {
            self.add(callee);
            return;
        }
        // `Self(…)` among the params.
        if self.is_local(callee) || self.is_param(callee) || is_builtin_function(callee) {
            return;
        }
        if callee.as_name().is_some_and(|name| self.own_name.as_deref() == Some(&name.to_string())) {
            self.self_calls.push(span);
            return;
        }
        self.add(callee);
    }
}
