//! Inference of calls by path: device functions, built-in functions and associated functions.

use gridwise_ir::ir::Builtin;

use crate::ast::{Expr, ExprKind, Item, Path, PathCall, ScalarName, SpanRange, TypeExpr, TypeKind};
use crate::builtin::foreign;
use crate::builtin::intrinsic::{Intrinsic, Kind, Sig};
use crate::builtin::vector::Vector;
use crate::diag::{Code, code};
use crate::program::{ItemId, TypedItem};
use crate::source::text;
use crate::typed::{Callee, Ty};

use super::associated::wrong_count;
use super::closure::closure_literal;
use super::mismatch::{Because, cast_source};
use super::name::parent;
use super::suggest::nearest;
use super::ty::{BUILTIN_TYPES, UNSUPPORTED_TYPES, builtin_modules, builtin_path, builtin_type, kind_of};
use super::unify::Term;
use super::variant::Named;
use super::{Expect, Infer, infer_signature};

/// Functions of Rust that kernels spell otherwise. A gathered item of that name comes first.
const UNSUPPORTED_FUNCTIONS: &[(&str, &str)] = &[
    ("println", "write `println!(…)`"),
    ("drop", "values have no `Drop`: leave it out"),
    ("swap", "write `core::mem::swap(&mut a, &mut b)`, or `x.swap(i, j)` of a slice"),
    ("replace", "write `core::mem::replace(&mut a, value)`"),
    ("take", "write `core::mem::take(&mut a)`"),
    ("Reverse", "import it, `use std::cmp::Reverse;`, or name it in full"),
    ("panic", "write `panic!(…)`"),
    ("assert", "write `assert!(…)`"),
];

impl<'a> Infer<'a> {
    pub(super) fn infer_call(&mut self, expr: &'a Expr, path: &'a Path, span: SpanRange, args: &'a [Expr]) -> Term {
        let call = PathCall { expr, path, span, args };
        if let Some(name) = path.as_name()
            && !self.constant
            && let Some((binding, _)) = self.variable(name)
        {
            return self.infer_variable_call(expr, binding, path, span, args);
        }
        if is_default(path) && args.is_empty() {
            let term = self.fresh();
            self.open.push((expr, term.clone()));
            return self.infer_default(expr, term);
        }
        if let Some(term) = self.infer_user_associated(call) {
            return term;
        }
        match self.constructor_of(path) {
            Named::Constructor(constructor) => {
                self.unify_variant_args(&constructor, path);
                return self.infer_constructor_call(expr, &constructor, path, span, args);
            }
            Named::Broken => return self.infer_lost_arguments(args),
            Named::Other => {}
        }
        let program = self.program;
        if let Some(&item) = program.items[self.item].uses.get(&path.text()) {
            return self.infer_item_call(item, call);
        }
        if self.is_own_name(path) {
            return self.infer_item_call(self.item, call);
        }
        if let Some(term) = self.infer_memory_call(call) {
            return term;
        }
        if crate::builtin::names::is_from_fn(path) {
            return self.infer_from_fn(expr, span, args);
        }
        if crate::builtin::names::is_cmp_function(path) {
            return self.infer_cmp_call(expr, path, span, args);
        }
        let built_in = [Self::infer_parallel_call, Self::infer_coop_call, Self::infer_builtin_call];
        if let Some(term) = built_in.into_iter().find_map(|infer| infer(self, call)) {
            return term;
        }
        if let Some(ty) = builtin_path(&parent(path)).filter(|_| path.segments.len() > 1) {
            return self.infer_associated_call(expr, &ty, path, args);
        }
        if let Some(Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat) = self.known_owner(path) {
            let Some(ty) = self.known_owner(path) else { return Term::Error };
            return self.infer_associated_call(expr, &ty, path, args);
        }
        self.report_unknown_function(path, span, args);
        self.infer_unknown_arguments(args);
        Term::Error
    }

    /// Infers arguments whose types nothing demands, after an error.
    pub(super) fn infer_arguments_only(&mut self, args: &'a [Expr]) -> Term {
        for arg in args {
            let term = self.infer(arg, &Expect::Nothing);
            self.table.blur(&term);
        }
        Term::Error
    }

    /// Infers arguments of a function of which nothing is known: it may take references, slices and functions.
    pub(super) fn infer_lost_arguments(&mut self, args: &'a [Expr]) -> Term {
        for arg in args {
            let before = std::mem::take(&mut self.diags);
            self.infer_unknown_arguments(std::slice::from_ref(arg));
            let found = std::mem::replace(&mut self.diags, before);
            let is_name = matches!(arg.kind, ExprKind::Path(_));
            let may_be_right = |error: Code| {
                error == code::REFERENCE_USE || error == code::BUFFER_USE || is_name && error == code::UNKNOWN_NAME
            };
            found.into_list().into_iter().filter(|error| !may_be_right(error.code)).for_each(|it| self.diags.push(it));
        }
        Term::Error
    }

    /// Infers arguments of a method of something unknown; closures among them take anything.
    pub(super) fn infer_unknown_arguments(&mut self, args: &'a [Expr]) {
        for arg in args {
            match closure_literal(arg) {
                Some((expr, closure)) => {
                    let term = self.infer_unknown_closure(expr, closure);
                    self.record(expr.id, term.clone());
                    self.record(arg.id, term);
                }
                None if self.is_slice_argument(arg) => {
                    self.infer_slice(arg, false);
                }
                // Maybe the name of a function, which is no value.
                None if (self.poisoned || self.diags.has_errors()) && matches!(arg.kind, ExprKind::Path(_)) => {
                    self.record(arg.id, Term::Error);
                }
                // In a generic function, too: its instances know the method.
                None if matches!(arg.kind, ExprKind::Path(_)) => {
                    let before = std::mem::take(&mut self.diags);
                    let term = self.infer_reference(arg, &Expect::Nothing);
                    self.table.blur(&term);
                    let found = std::mem::replace(&mut self.diags, before).into_list();
                    let others = found.into_iter().filter(|error| error.code != code::UNKNOWN_NAME);
                    others.for_each(|error| self.diags.push(error));
                }
                None => {
                    // A trait's method may take an iterator: each instance knows.
                    self.note_iterated(arg);
                    let term = self.infer_reference(arg, &Expect::Nothing);
                    self.table.blur(&term);
                }
            }
        }
    }

    fn is_own_name(&self, path: &Path) -> bool {
        let item = &self.program.items[self.item];
        match (&item.item, path.as_name()) {
            (Item::Fn(function), Some(name)) if item.owner.is_none() => function.name == *name,
            _ => false,
        }
    }

    fn infer_item_call(&mut self, item: ItemId, call: PathCall<'a>) -> Term {
        let PathCall { expr, path, span, args } = call;
        let program = self.program;
        let Item::Fn(function) = &program.items[item].item else {
            let kind = kind_of(&program.items[item].item);
            let error =
                self.error(code::UNKNOWN_NAME, span, format!("expected a function, found {kind} `{}`", path.text()));
            if kind == "struct" {
                error.help(format!("write `{} {{ … }}`", path.text()));
            }
            return self.infer_arguments_only(args);
        };
        if !function.generics.params.is_empty() {
            return self.infer_generic_call(item, function, call);
        }
        let (params, result) = match &program.items[item].typed {
            TypedItem::Fn(typed) => (typed.params.clone(), typed.result.clone().unwrap_or(Ty::Unit)),
            // A function that calls itself, directly or not: an error of `check`.
            TypedItem::None => infer_signature(program, item, function),
            _ => {
                self.poisoned = true;
                return self.infer_lost_arguments(args);
            }
        };
        if params.len() != args.len() {
            self.report_arity(&function.name.to_string(), params.len(), args, span);
            self.infer_arguments_only(args);
            return Term::from(&result);
        }
        for (position, (arg, param)) in (0u32..).zip(args.iter().zip(&params)) {
            let written = &function.params[position as usize].ty;
            if let TypeKind::Slice { .. } = written.kind {
                self.check_slice(arg, &Term::from(param), true);
                continue;
            }
            let term = self.reopened(&Term::from(param));
            self.check_argument(arg, &term, written, Because::Argument(item, position));
        }
        self.tables.calls.insert(expr.id, Callee::Device(item));
        let args: Vec<_> = args.iter().collect();
        let result = self.reopened(&Term::from(&result));
        self.call_result(expr, (item, function), &args, result)
    }

    /// Checks an argument of a device function, which may be a reference.
    pub(super) fn check_argument(&mut self, arg: &'a Expr, term: &Term, param: &TypeExpr, because: Because) {
        if let TypeKind::Slice { .. } = param.kind {
            return self.check_slice(arg, term, false);
        }
        let found = self.infer_reference(arg, &Expect::Type(term.clone(), because));
        self.coerce_argument(arg, &found, term, param, because);
    }

    /// `global_id()`, `vec3(…)`.
    fn infer_builtin_call(&mut self, PathCall { expr, path, span, args }: PathCall<'a>) -> Option<Term> {
        let (last, modules) = path.segments.split_last()?;
        if !builtin_modules(modules.iter().map(ToString::to_string)) {
            return None;
        }
        let name = last.to_string();
        if let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == name) {
            if !args.is_empty() {
                self.report_arity(&name, 0, args, span);
                self.infer_arguments_only(args);
            }
            self.tables.calls.insert(expr.id, Callee::Builtin(builtin));
            return Some(match builtin.is_scalar() {
                true => Term::Scalar(ScalarName::U32),
                false => Term::Vector(ScalarName::U32, 3),
            });
        }
        if let Some(ty) = linear_function(&name) {
            let row = super::method::find_row(
                if ty == Ty::Quat { "from_xyzw" } else { "from_cols" },
                &Term::from(&ty),
                None,
            )?;
            let params = super::method::params_of(row, &Term::from(&ty));
            self.check_arguments(&name, &params, args, span);
            self.tables.calls.insert(expr.id, Callee::Intrinsic(row.intrinsic));
            return Some(Term::from(&ty));
        }
        let Ty::Vector(scalar, lanes) = vector_function(&name)? else { return None };
        let params = vec![Term::Scalar(scalar); usize::from(lanes)];
        if args.len() == params.len() {
            self.check_arguments(&name, &params, args, span);
        } else {
            self.report_lanes(&name, scalar, lanes, args, span);
        }
        self.tables.calls.insert(expr.id, Callee::Intrinsic(Intrinsic::Vector(Vector::New)));
        Some(Term::Vector(scalar, lanes))
    }

    /// Reports a vector made of something else than one number per lane, as shading languages have it.
    fn report_lanes(&mut self, name: &str, scalar: ScalarName, lanes: u8, args: &'a [Expr], span: SpanRange) {
        self.report_arity(name, usize::from(lanes), args, span);
        let terms: Vec<Term> = args.iter().map(|arg| self.infer(arg, &Expect::Nothing)).collect();
        let terms: Vec<Term> = terms.iter().map(|term| self.table.shallow(term)).collect();
        let ty = format!("{}{lanes}", super::ty::vector_prefix(scalar));
        let help = match (terms.as_slice(), args) {
            ([Term::Vector(_, own)], [arg]) if *own > lanes => format!("write `{}.truncate()`", cast_source(arg)),
            ([Term::Scalar(_) | Term::Var(_)], [arg]) => format!("write `{ty}::splat({})`", text(arg)),
            ([Term::Vector(_, own), Term::Scalar(_) | Term::Var(_)], [vector, last]) if own + 1 == lanes => {
                format!("write `{}.extend({})`", cast_source(vector), text(last))
            }
            _ => format!("write one number per lane, or `{ty}::splat(x)`, `v.extend(x)`, `v.truncate()`"),
        };
        self.diags.help_last(help);
    }

    /// `T::name(…)` of a built-in type.
    fn infer_associated_call(&mut self, expr: &'a Expr, ty: &Ty, path: &'a Path, args: &'a [Expr]) -> Term {
        let receiver = Term::from(ty);
        let Some(name) = path.segments.last() else { return Term::Error };
        if let Some(term) = self.infer_standard_function(expr, &receiver, &name.to_string(), args) {
            return term;
        }
        let Some(row) = super::method::find_row(&name.to_string(), &receiver, None) else {
            self.report_no_method(name, &receiver, None);
            self.infer_unknown_arguments(args);
            return Term::Error;
        };
        let mut params = super::method::params_of(row, &receiver);
        if row.kind == Kind::Method {
            params.insert(0, receiver.clone());
        }
        // glam takes cells and other matrices by reference.
        let wanted = |sig: &Sig| sig.is_lent().then_some(false);
        let (name, span) = (name.to_string(), SpanRange::token(name.span()));
        match row.params.iter().any(|sig| wanted(sig).is_some()) {
            true => {
                let own = (row.kind == Kind::Method).then_some(None);
                let references: Vec<_> = own.into_iter().chain(row.params.iter().map(wanted)).collect();
                self.check_lent_arguments(&name, (&params, &references), args, span);
            }
            false => self.check_arguments(&name, &params, args, span),
        }
        self.tables.calls.insert(expr.id, Callee::Intrinsic(row.intrinsic));
        super::method::result_of(row, &receiver)
    }

    /// Checks arguments of a built-in against its parameters.
    pub(super) fn check_arguments(&mut self, name: &str, params: &[Term], args: &'a [Expr], span: SpanRange) {
        if params.len() != args.len() {
            self.report_arity(name, params.len(), args, span);
            self.infer_arguments_only(args);
            return;
        }
        for (arg, param) in args.iter().zip(params) {
            self.check(arg, param, Because::Nothing);
        }
    }

    /// Arguments of which some are references: of closures, and of built-ins that take what they read by reference.
    pub(super) fn check_lent_arguments(
        &mut self,
        name: &str,
        (params, references): (&[Term], &[Option<bool>]),
        args: &'a [Expr],
        span: SpanRange,
    ) {
        if params.len() != args.len() {
            return self.check_arguments(name, params, args, span);
        }
        for ((arg, param), wanted) in args.iter().zip(params).zip(references) {
            if let slice @ Term::Buffer { origin: None, .. } = self.table.shallow(param) {
                self.check_slice(arg, &slice, false);
                continue;
            }
            let found = self.infer_reference(arg, &Expect::Type(param.clone(), Because::Nothing));
            let before = self.diags.len();
            self.coerce(arg, &found, param, Because::Nothing);
            if self.diags.len() == before && !self.is_lent(arg, *wanted) {
                self.check_reference_to(arg, &found, *wanted);
            }
        }
    }

    /// Reports a wrong number of arguments, at the first that is too many or at the name.
    pub(super) fn report_arity(&mut self, name: &str, expected: usize, args: &[Expr], span: SpanRange) {
        let message = wrong_count(name, expected, args.len());
        let span = match (args.get(expected), args.last()) {
            (Some(first), Some(last)) => SpanRange { start: first.span.start, end: last.span.end },
            _ => span,
        };
        self.error(code::WRONG_ARGUMENTS, span, message);
    }

    fn report_unknown_function(&mut self, path: &Path, span: SpanRange, args: &[Expr]) {
        if self.is_lost(path) {
            return;
        }
        let name = path.segments.last().map(ToString::to_string).unwrap_or_default();
        if let Some(ty) = path.as_name().and_then(|name| builtin_type(&name.to_string())) {
            return self.report_type_as_function(&ty, span, args);
        }
        let unsupported_type =
            parent(path).segments.last().and_then(|ty| UNSUPPORTED_TYPES.iter().find(|(name, _)| ty == name));
        if let Some((ty, instead)) = unsupported_type {
            self.error(code::UNKNOWN_TYPE, span, format!("type `{ty}` is not available in kernels yet")).help(*instead);
            return;
        }
        if let (Some(of), [receiver, rest @ ..]) = (path.segments.iter().rev().nth(1), args)
            && crate::builtin::names::is_builtin_trait(&Path::plain(false, vec![of.clone()]))
        {
            let (receiver, rest) =
                (text(super::slice::sliced(receiver)), rest.iter().map(text).collect::<Vec<_>>().join(", "));
            let receiver = receiver.trim_start_matches('*');
            let receiver = if receiver.contains(' ') { format!("({receiver})") } else { receiver.to_owned() };
            self.error(code::UNKNOWN_NAME, span, format!("`{}` is not called by its trait in kernels", path.text()))
                .help(format!("write the method: `{receiver}.{name}({rest})`"));
            return;
        }
        let segments: Vec<String> = path.segments.iter().map(ToString::to_string).collect();
        if let Some(instead) = foreign::library_function(&segments) {
            let message = format!("function `{}` is not available in kernels", path.text());
            self.error(code::UNKNOWN_NAME, span, message).help(instead);
            return;
        }
        if let [.., owner, _] = segments.as_slice()
            && let Some(instead) = foreign::ty(owner)
        {
            let message = format!("type `{owner}` is not available in kernels");
            self.error(code::UNKNOWN_TYPE, span, message).help(instead);
            return;
        }
        let rust =
            UNSUPPORTED_FUNCTIONS.iter().find(|(unsupported, _)| *unsupported == name).map(|(_, instead)| *instead);
        if let Some(instead) = foreign::function(&name).or(rust) {
            self.error(code::UNKNOWN_NAME, span, format!("function `{name}` is not available in kernels"))
                .help(instead);
            return;
        }
        if let ([name], [receiver, rest @ ..]) = (segments.as_slice(), args)
            && is_method(name)
        {
            let rest: Vec<String> = rest.iter().map(text).collect();
            let written = match receiver.kind {
                ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(..) => format!("({})", text(receiver)),
                _ => text(receiver),
            };
            self.error(code::UNKNOWN_NAME, span, format!("cannot find function `{name}` in this scope"))
                .help(format!("it is a method: write `{written}.{name}({})`", rest.join(", ")));
            return;
        }
        let items = &self.program.items[self.item].uses;
        let is_struct = items.get(&parent(path).text()).is_some();
        let functions = items
            .iter()
            .filter(|(_, item)| matches!(self.program.items[**item].item, Item::Fn(_)))
            .map(|(name, _)| name.as_str());
        let builtins = Builtin::ALL.iter().map(|builtin| builtin.name());
        let vectors = ["vec2", "vec3", "vec4", "uvec2", "uvec3", "uvec4", "ivec2", "ivec3", "ivec4"];
        let help = match nearest(&name, functions.chain(builtins).chain(vectors)) {
            _ if is_struct => "write it in an `impl` beside the struct, in a `#[device] mod`".to_owned(),
            Some(suggestion) => format!("a function with a similar name exists: `{suggestion}`"),
            None => match nearest(&parent(path).text(), BUILTIN_TYPES.iter().copied()) {
                Some(ty) => format!("a type with a similar name exists: `{ty}`"),
                None => "a function needs `#[device]` to be called from kernels".to_owned(),
            },
        };
        let message = format!("cannot find function `{}` in this scope", path.text());
        self.error(code::UNKNOWN_NAME, span, message).help(help);
    }

    fn report_type_as_function(&mut self, ty: &Ty, span: SpanRange, args: &[Expr]) {
        let name = self.name_of(ty);
        let error = self.error(code::UNKNOWN_NAME, span, format!("expected a function, found type `{name}`"));
        match (ty, args) {
            (Ty::Scalar(_), [arg]) => error.help(format!("write `{} as {name}`", cast_source(arg))),
            (Ty::Vector(..), [arg]) if !matches!(arg.kind, ExprKind::Error) => {
                error.help(format!("write `{name}::splat({})`", text(arg)))
            }
            (Ty::Matrix(_), _) => error.help(format!("write `{name}::from_cols(…)`")),
            (Ty::Quat, _) => error.help("write `Quat::from_xyzw(…)`"),
            (Ty::Vector(..), _) => error.help(format!("write `{name}::new(…)`")),
            _ => error,
        };
    }
}

/// Whether numbers or vectors have a method of this name.
fn is_method(name: &str) -> bool {
    let of = [Term::Scalar(ScalarName::F32), Term::Scalar(ScalarName::U32), Term::Vector(ScalarName::F32, 3)];
    of.iter().any(|term| super::method::find_row(name, term, Some(Kind::Method)).is_some())
}

/// Whether a path is `Default::default`.
fn is_default(path: &Path) -> bool {
    match path.segments.as_slice() {
        [modules @ .., owner, name] => {
            owner == "Default" && name == "default" && builtin_modules(modules.iter().map(ToString::to_string))
        }
        _ => false,
    }
}

/// glam's free functions `mat2`, `mat3`, `mat4` and `quat`.
fn linear_function(name: &str) -> Option<Ty> {
    Some(match name {
        "mat2" => Ty::Matrix(2),
        "mat3" => Ty::Matrix(3),
        "mat4" => Ty::Matrix(4),
        "quat" => Ty::Quat,
        _ => return None,
    })
}

/// glam's free functions: `vec3`, `uvec2`, ….
fn vector_function(name: &str) -> Option<Ty> {
    let ty = match name.as_bytes().first()? {
        b'v' => format!("V{}", &name[1..]),
        first @ (b'u' | b'i' | b'b') if name.as_bytes().get(1) == Some(&b'v') => {
            format!("{}V{}", char::from(first.to_ascii_uppercase()), &name[2..])
        }
        _ => return None,
    };
    builtin_type(&ty)
}
