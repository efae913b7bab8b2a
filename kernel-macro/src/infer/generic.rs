//! Generic parameters in scope, and calls of generic functions: what each parameter stands for is found by unification.
//!
//! A generic function is inferred twice. As written, whatever depends on a parameter is [`Term::Error`], which fits
//! everything: rustc checks that against the bounds. And once for each list of arguments, with all types known.

use crate::ast::{
    Alias, Bound, Enum, Expr, ExprKind, Fn, GenericKind, GenericParam, Generics, Item, Path, PathArgs, PathCall,
    ScalarName, SpanRange, Struct, TypeExpr,
};
use crate::diag::code;
use crate::program::{Binding, ItemId, ProgramItem, TypedItem};
use crate::typed::{Callee, ConstValue, GivenIterator, InstanceRequest, Len, Resolution, Ty};

use super::block::strip;
use super::closure::closure_literal;
use super::mismatch::Because;
use super::projection::is_operator;
use super::split::holds_slice;
use super::ty::builtin_path;
use super::unify::{Term, TermArgs, VarKind};
use super::{Expect, Infer};

/// A generic parameter in scope.
#[derive(Debug, Clone)]
pub(super) struct Param {
    pub(super) name: String,
    /// The type that the parameter stands for; unknown ([`Term::Error`]) in an item as written.
    pub(super) term: Term,
    /// The type of a const parameter.
    pub(super) scalar: Option<ScalarName>,
}

/// A call of a generic function whose arguments are not resolved yet.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) expr: crate::ast::ExprId,
    pub(super) span: SpanRange,
    pub(super) item: ItemId,
    pub(super) params: Vec<Param>,
    /// The chains that are passed, by the parameters that are their types.
    pub(super) chains: Vec<(String, GivenIterator)>,
}

/// The parameters in scope of an item: known in an instance, unknown in an item as written.
pub(super) fn params_of(item: &ProgramItem) -> Vec<Param> {
    if !item.bindings.is_empty() {
        let param = |binding: &Binding| Param {
            name: binding.name.clone(),
            term: Term::from(&binding.ty),
            scalar: binding.scalar,
        };
        return item.bindings.iter().map(param).collect();
    }
    match &item.item {
        Item::Fn(function) => unknown_params(&function.generics),
        Item::Struct(Struct { generics, .. })
        | Item::Enum(Enum { generics, .. })
        | Item::Alias(Alias { generics, .. }) => positional_params(generics),
        _ => Vec::new(),
    }
}

/// The parameters of a struct or enum in its definition: each is known by its position.
fn positional_params(generics: &Generics) -> Vec<Param> {
    let params = (0..).zip(&generics.params).map(|(position, param)| Param {
        name: param.name.to_string(),
        term: Term::Param(position),
        scalar: scalar_of(&param.kind),
    });
    params.collect()
}

/// The const parameters in order, with their types.
pub(crate) fn const_params(generics: &Generics) -> impl Iterator<Item = (&proc_macro2::Ident, ScalarName)> {
    generics.params.iter().filter_map(|param| Some((&param.name, scalar_of(&param.kind)?)))
}

pub(super) fn unknown_params(generics: &Generics) -> Vec<Param> {
    let params = generics.params.iter().map(|param| Param {
        name: param.name.to_string(),
        term: Term::Error,
        scalar: scalar_of(&param.kind),
    });
    params.collect()
}

/// The type of a const parameter. Types that const parameters can have are rustc's to check.
fn scalar_of(kind: &GenericKind) -> Option<ScalarName> {
    match kind {
        GenericKind::Type { .. } => None,
        GenericKind::Const(ty) => match &ty.kind {
            crate::ast::TypeKind::Path(path) => match builtin_path(path) {
                Some(Ty::Scalar(scalar)) => Some(scalar),
                _ => Some(ScalarName::Usize),
            },
            _ => Some(ScalarName::Usize),
        },
    }
}

impl<'a> Infer<'a> {
    /// The parameter that a path names.
    fn param(&self, path: &Path) -> Option<&Param> {
        let name = path.as_name()?;
        self.params.iter().rev().find(|param| name == param.name.as_str())
    }

    /// The type that a path beginning with a type parameter stands for.
    pub(super) fn param_type(&mut self, path: &'a Path) -> Option<Term> {
        let first = path.segments.first().filter(|_| !path.leading_colon)?;
        let param = self.params.iter().rev().find(|param| first == param.name.as_str() && param.scalar.is_none())?;
        let term = param.term.clone();
        let term = if param.name == "Self" { self.reopened(&term) } else { term };
        if path.segments.len() == 1 { Some(term) } else { Some(self.projection(&term, path)) }
    }

    /// The struct or enum that `Self` stands for, with its arguments.
    pub(super) fn own_item(&mut self, path: &Path) -> Option<(ItemId, TermArgs)> {
        let param = self.param(path).filter(|param| param.scalar.is_none())?;
        let term = param.term.clone();
        match self.reopened(&term) {
            Term::Struct(item, args) | Term::Enum(item, args) => Some((item, args)),
            _ => None,
        }
    }

    /// The struct or enum that a path names, with its arguments: those written behind the last segment that has some, else open.
    pub(super) fn named_item(&mut self, path: &Path, written: Option<&'a PathArgs>) -> Option<(ItemId, TermArgs)> {
        if let Some(own) = self.own_item(path) {
            return Some(own);
        }
        let program = self.program;
        let item = *program.items[self.item].uses.get(&path.text())?;
        let args = self.open_args(item, written);
        let TypedItem::Alias(ty) = &program.items[item].typed else { return Some((item, args)) };
        let term = Term::member(ty, &args);
        match self.reopened(&term) {
            Term::Struct(item, args) | Term::Enum(item, args) => Some((item, args)),
            _ => None,
        }
    }

    /// New arguments for the parameters of a struct or enum, as far as they are written.
    pub(super) fn open_args(&mut self, item: ItemId, written: Option<&'a PathArgs>) -> TermArgs {
        let program = self.program;
        let (name, generics) = match &program.items[item].item {
            Item::Struct(Struct { name, generics, .. })
            | Item::Enum(Enum { name, generics, .. })
            | Item::Alias(Alias { name, generics, .. }) => (name, generics),
            _ => return None,
        };
        let held = self.open_held(item);
        if generics.params.is_empty() && held.is_empty() {
            return None;
        }
        let params = self.open_params(generics);
        if let Some(written) = written {
            self.unify_written(&name.to_string(), generics, &params, written);
            self.unify_defaults(item, generics, &params, written.args.len());
        }
        Some(params.into_iter().map(|param| param.term).chain(held).collect())
    }

    /// The arguments of a struct, enum or alias that a type names without any: the defaults.
    pub(super) fn default_args(&mut self, item: ItemId, generics: &'a Generics) -> TermArgs {
        let params = self.open_params(generics);
        self.unify_defaults(item, generics, &params, 0);
        let held = self.open_held(item);
        Some(params.into_iter().map(|param| param.term).chain(held).collect())
    }

    /// Gives the parameters from `given` on their defaults, which may name those before them.
    fn unify_defaults(&mut self, item: ItemId, generics: &'a Generics, params: &[Param], given: usize) {
        for (param, GenericParam { default, .. }) in params.iter().zip(&generics.params).skip(given) {
            let Some(default) = default else { continue };
            let term = self.within(item, params.to_vec(), |cx| match (param.scalar, &default.ty, &default.value) {
                (Some(scalar), _, Some(value)) => cx.const_argument(scalar, value),
                (_, Some(ty), _) => cx.term_of(ty),
                _ => Term::Error,
            });
            self.table.unify(&param.term, &term);
        }
    }

    /// Whether a path is a type parameter.
    pub(super) fn names_param(&self, path: &Path) -> bool {
        self.param(path).is_some_and(|param| param.scalar.is_none())
    }

    /// `T::Name`
    fn projection(&mut self, term: &Term, path: &'a Path) -> Term {
        let Some(name) = path.segments.get(1) else { return Term::Error };
        match self.bound_with(&path.segments[0], name) {
            Some(through) => self.projected(term, through, name),
            None => self.associated_type(term, name),
        }
    }

    /// The operator that a bound of the parameter `owner` names, of which `Output` is the result.
    fn bound_with(&self, owner: &proc_macro2::Ident, name: &proc_macro2::Ident) -> Option<&'a Path> {
        if name != "Output" {
            return None;
        }
        let program = self.program;
        let item = &program.items[self.item];
        let around = item.owner.map(|owner| &program.items[owner].item);
        let generics = std::iter::once(&item.item).chain(around).filter_map(|item| match item {
            Item::Fn(function) => Some(&function.generics),
            Item::Impl(implementation) => Some(&implementation.generics),
            _ => None,
        });
        let params = generics.flat_map(|generics| &generics.params).filter(|param| param.name == *owner);
        let mut operators = params.filter_map(|param| match &param.kind {
            GenericKind::Type { bounds, .. } => Some(bounds),
            GenericKind::Const(_) => None,
        });
        let mut operators = operators.next()?.iter().filter_map(|bound| match bound {
            Bound::Trait { path, .. } => {
                path.segments.last().filter(|last| is_operator(&last.to_string())).map(|_| path)
            }
            Bound::Fn { .. } => None,
        });
        // Of several, rustc asks for `<T as Trait>::Output`.
        operators.next_back()
    }

    /// A const parameter as a value.
    pub(super) fn infer_param(&mut self, expr: &Expr, path: &Path) -> Option<Term> {
        let param = self.param(path)?;
        let scalar = param.scalar?;
        let resolution = match self.table.shallow(&param.term) {
            Term::Const(value) => Resolution::Value(const_value(scalar, value)),
            Term::Chosen(number) => Resolution::Chosen(number),
            _ => Resolution::Param,
        };
        self.tables.paths.insert(expr.id, resolution);
        Some(Term::Scalar(scalar))
    }

    /// Whether a constant expression names a const parameter whose value is unknown.
    pub(super) fn depends_on_param(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Path(_) => self.tables.paths.get(&expr.id) == Some(&Resolution::Param),
            ExprKind::Paren(inner, ..) | ExprKind::Unary(_, inner) | ExprKind::Cast(inner, _) => {
                self.depends_on_param(inner)
            }
            ExprKind::Binary(_, left, right, _) => self.depends_on_param(left) || self.depends_on_param(right),
            _ => false,
        }
    }

    /// The kernel's const parameter that an expression names.
    pub(super) fn chosen(&self, expr: &Expr) -> Option<u32> {
        match self.tables.paths.get(&strip(expr).id) {
            Some(Resolution::Chosen(number)) => Some(*number),
            _ => None,
        }
    }

    /// Reports a const parameter that is a length but no `usize`: a cast would be computing with it.
    pub(super) fn report_narrow_len(&mut self, len: &Expr) -> bool {
        let ExprKind::Path(path) = &strip(len).kind else { return false };
        let Some(Param { name, scalar: Some(scalar), .. }) = self.param(path) else { return false };
        if *scalar == ScalarName::Usize {
            return false;
        }
        let (message, name) = (format!("expected `usize`, found `{}`", scalar.name()), name.clone());
        self.error(code::MISMATCHED_TYPES, len.span, message)
            .note("the length of an array is a `usize`, and cannot be computed from a generic parameter")
            .help(format!("declare the parameter as `const {name}: usize`"));
        true
    }

    /// The const parameter that an array's length is, while its value is open.
    pub(super) fn open_len(&self, len: &Expr) -> Option<Term> {
        let ExprKind::Path(path) = &strip(len).kind else { return None };
        let term = &self.param(path)?.term;
        let is_open = matches!(term, Term::Param(_)) || self.table.kind(term).is_some();
        is_open.then(|| term.clone())
    }

    /// Looks at types of another item, with its names and its parameters in scope.
    pub(super) fn within<R>(&mut self, item: ItemId, params: Vec<Param>, look: impl FnOnce(&mut Self) -> R) -> R {
        let outer = (
            std::mem::replace(&mut self.item, item),
            std::mem::replace(&mut self.params, params),
            std::mem::take(&mut self.exprs),
            std::mem::take(&mut self.tables),
            std::mem::take(&mut self.visible),
        );
        let result = look(self);
        (self.item, self.params, self.exprs, self.tables, self.visible) = outer;
        result
    }

    /// New variables for the parameters of an item.
    pub(super) fn open_params(&mut self, generics: &Generics) -> Vec<Param> {
        let params = generics.params.iter().map(|param| Param {
            name: param.name.to_string(),
            term: self.table.fresh(VarKind::Any),
            scalar: scalar_of(&param.kind),
        });
        params.collect()
    }

    /// A call of a generic function.
    pub(super) fn infer_generic_call(&mut self, item: ItemId, function: &'a Fn, call: PathCall<'a>) -> Term {
        let params = self.open_params(&function.generics);
        if let Some(written) = call.path.last_args() {
            self.unify_written(&function.name.to_string(), &function.generics, &params, written);
        }
        self.infer_instance_call(call.expr, item, function, params, call.span, call.args)
    }

    /// Checks the arguments of a call whose callee has open parameters, and asks for the instance.
    pub(super) fn infer_instance_call(
        &mut self,
        expr: &'a Expr,
        item: ItemId,
        function: &'a Fn,
        params: Vec<Param>,
        span: SpanRange,
        args: &'a [Expr],
    ) -> Term {
        self.tables.calls.insert(expr.id, Callee::Device(item));
        let mut chains = Vec::new();
        if function.params.len() != args.len() {
            self.report_arity(&function.name.to_string(), function.params.len(), args, span);
            self.infer_arguments_only(args);
        } else {
            // Closures last, as in rustc: the other arguments tell their types.
            for closures in [false, true] {
                for (position, (arg, param)) in (0u32..).zip(args.iter().zip(&function.params)) {
                    let literal = closure_literal(arg);
                    if literal.is_some() != closures {
                        continue;
                    }
                    if let Some((named, element)) = function.iterator_param(param) {
                        let found = self.element_of(arg);
                        chains.extend(self.accept_iterator(arg, &found, (item, &params), named, element));
                        continue;
                    }
                    let demand = self.demand_of(item, function, &params, position as usize);
                    let term = self.within(item, params.clone(), |cx| cx.term_of(&param.ty));
                    match (literal, demand) {
                        (Some((inner, closure)), Some(demand)) => {
                            let found = self.infer_closure(inner, closure, Some(&demand));
                            self.note_passed(inner);
                            self.record(inner.id, found.clone());
                            self.record(arg.id, found.clone());
                            self.coerce(arg, &found, &term, Because::Argument(item, position));
                        }
                        (_, Some(demand)) => {
                            let found = self.infer_reference(arg, &Expect::Nothing);
                            self.accept_callable(arg, &demand);
                            self.fit_closure(arg, &found, &demand);
                            self.coerce(arg, &found, &term, Because::Argument(item, position));
                        }
                        _ => {
                            self.check_generic_argument(arg, &term, &param.ty, Because::Argument(item, position));
                        }
                    }
                }
            }
        }
        self.fit_literals(item, &function.generics, &params);
        let result = match &function.result {
            Some(ty) => self.within(item, params.clone(), |cx| cx.term_of(ty)),
            None => Term::Unit,
        };
        let passed: Vec<_> = args.iter().collect();
        let result = self.call_result(expr, (item, function), &passed, result);
        self.requests.push(Request { expr: expr.id, span, item, params, chains });
        result
    }

    fn check_generic_argument(&mut self, arg: &'a Expr, term: &Term, param: &TypeExpr, because: Because) {
        // A literal takes the type it is given; an open parameter takes that of its argument.
        if self.table.kind(term) == Some(VarKind::Any) {
            let found = self.infer_reference(arg, &Expect::Nothing);
            self.coerce_argument(arg, &found, term, param, because);
        } else {
            self.check_argument(arg, term, param, because);
        }
    }

    /// Binds parameters to the arguments of a turbofish.
    pub(super) fn unify_written(&mut self, name: &str, generics: &Generics, params: &[Param], written: &'a PathArgs) {
        let is_implicit = |kind: &GenericKind| matches!(kind, GenericKind::Type { implicit: true, .. });
        let count = generics.params.iter().filter(|param| !is_implicit(&param.kind)).count();
        let required =
            generics.params.iter().filter(|param| !is_implicit(&param.kind) && param.default.is_none()).count();
        if !(required..=count).contains(&written.args.len()) {
            let plural = if count == 1 { "" } else { "s" };
            let found = written.args.len();
            let message = format!("`{name}` takes {count} generic argument{plural}, but {found} were given");
            self.error(code::WRONG_ARGUMENTS, SpanRange::of(&written.tokens), message);
            params.iter().for_each(|param| self.table.poison(&param.term));
            return;
        }
        for (param, arg) in params.iter().zip(&written.args) {
            let term = match (param.scalar, &arg.ty, &arg.value) {
                (Some(scalar), _, Some(value)) => self.const_argument(scalar, value),
                (None, Some(ty), _) => self.term_of(ty),
                (scalar, ..) => {
                    let what = if scalar.is_some() { "a constant" } else { "a type" };
                    let message = format!("expected {what} for the parameter `{}` of `{name}`", param.name);
                    self.error(code::WRONG_ARGUMENTS, arg.span, message);
                    Term::Error
                }
            };
            self.table.unify(&param.term, &term);
        }
    }

    /// The value of a const argument.
    pub(super) fn const_argument(&mut self, scalar: ScalarName, value: &'a Expr) -> Term {
        // Its type may still be open.
        if let ExprKind::Path(path) = &strip(value).kind
            && let Some(Param { term, scalar: Some(own), .. }) = self.param(path)
            && *own == scalar
        {
            return term.clone();
        }
        let outer = (std::mem::replace(&mut self.constant, true), self.diverges);
        let before = self.diags.len();
        self.check(value, &Term::Scalar(scalar), Because::Nothing);
        (self.constant, self.diverges) = outer;
        if self.diags.len() > before || self.depends_on_param(value) {
            return Term::Error;
        }
        if let Some(number) = self.chosen(value) {
            return Term::Chosen(number);
        }
        match self.evaluate(value) {
            Some(ConstValue::Bool(value)) => Term::Const(i128::from(value)),
            Some(ConstValue::I32(value)) => Term::Const(i128::from(value)),
            Some(ConstValue::U32(value)) => Term::Const(i128::from(value)),
            Some(ConstValue::Int(_, value)) => Term::Const(value),
            _ => Term::Error,
        }
    }

    /// Resolves the parameters of all calls of generic functions; reports what nothing determines.
    pub(super) fn finish_requests(&mut self) {
        let program = self.program;
        for request in std::mem::take(&mut self.requests) {
            let mut bindings = Vec::with_capacity(request.params.len());
            for param in &request.params {
                let ty = match param.name == "Self" {
                    true => self.table.resolve(&self.without_held(&param.term)),
                    false => self.table.resolve(&param.term),
                };
                if ty.is_none()
                    && let Item::Fn(function) = &program.items[request.item].item
                {
                    let name = &function.name;
                    let message = format!("cannot infer the parameter `{}` of `{name}`", param.name);
                    self.error(code::CANNOT_INFER, request.span, message).help(format!("write it: `{name}::<…>(…)`"));
                }
                let chain = request.chains.iter().find(|(name, _)| *name == param.name).map(|(_, chain)| *chain);
                let (name, scalar) = (param.name.clone(), param.scalar);
                bindings.push(Binding { name, ty: ty.unwrap_or(Ty::Error), scalar, chain });
            }
            if let Some(binding) = bindings.iter().find(|binding| holds_slice(&binding.ty)) {
                let (message, ty) =
                    (format!("the parameter `{}` cannot be a slice", binding.name), self.name_of(&binding.ty));
                self.error(code::REFERENCE_USE, request.span, message)
                    .note(format!(
                        "it would be `{ty}`, and the buffer of each slice must be known when the kernel is compiled"
                    ))
                    .help("take a slice as a parameter of its own, `x: &[T]`, or pass its elements");
                continue;
            }
            if bindings.iter().all(|binding| is_known(&binding.ty)) {
                let Request { expr, span, item, .. } = request;
                self.tables.requests.push(InstanceRequest { expr, span, item, bindings });
            }
        }
    }
}

/// Whether no part of a type is unknown.
fn is_known(ty: &Ty) -> bool {
    match ty {
        Ty::Error | Ty::Array(_, Len::Unknown) => false,
        Ty::Array(element, _) | Ty::Option(element) | Ty::Iterator(element) => is_known(element),
        Ty::Result(value, error) => is_known(value) && is_known(error),
        Ty::Tuple(members) | Ty::Struct(_, Some(members)) | Ty::Enum(_, Some(members)) => members.iter().all(is_known),
        _ => true,
    }
}

/// A const parameter's value in its type.
fn const_value(scalar: ScalarName, value: i128) -> ConstValue {
    match scalar {
        ScalarName::Bool => ConstValue::Bool(value != 0),
        ScalarName::I32 => ConstValue::I32(value as i32),
        ScalarName::U32 | ScalarName::Usize => ConstValue::U32(value as u32),
        other => ConstValue::Int(other, value),
    }
}
