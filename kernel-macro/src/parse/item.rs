//! Functions, consts and structs.

use proc_macro2::Ident;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{FnArg, Pat, ReturnType, Type};

use super::Parser;
use super::checked::checked_element;
use super::pat::PatternPlace;
use super::scatter::scatter_element;
use super::ty::{is_iterator, ungroup};
use crate::ast::{
    Const, Derives, ExprKind, Fn, Generics, Param, Path, Pattern, ScalarName, Scattered, Shape, SpanRange, Statement,
    Struct, TypeExpr, TypeKind,
};
use crate::diag::{Diagnostics, code};

/// The role of a function in the language: kernels take buffers and return nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Kernel,
    Device,
    /// A function of an `impl` or trait.
    Method,
    /// The function of an `impl Index` or `impl IndexMut`, whose result is a reference to a part of `self`.
    Element,
}

impl Role {
    /// Whether it belongs to an `impl` or trait.
    fn is_owned(self) -> bool {
        matches!(self, Self::Method | Self::Element)
    }
}

/// The parameters of a function's signature, also those that are no part of the language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    /// Parameters with a name and a type.
    pub(crate) typed: usize,
    /// Whether there is a `self`.
    pub(crate) has_receiver: bool,
}

/// Reads a kernel.
///
/// # Errors
/// When the tokens are no function with a body.
pub(crate) fn read_kernel(item: &TokenStream, diags: &mut Diagnostics) -> syn::Result<(Signature, Fn)> {
    let source = syn::parse2::<syn::ItemFn>(item.clone())?;
    let function = parse_fn(&source, Role::Kernel, diags);
    let typed = source.sig.inputs.iter().filter(|input| matches!(input, syn::FnArg::Typed(_))).count();
    Ok((Signature { typed, has_receiver: source.sig.receiver().is_some() }, function))
}

/// Parses a kernel or a device function.
pub(crate) fn parse_fn(item: &syn::ItemFn, role: Role, diags: &mut Diagnostics) -> Fn {
    let mut parser = Parser::new(diags);
    parser.owned = role.is_owned();
    let receiver = item.sig.receiver().map(|receiver| &receiver.kind);
    parser.writes_self = matches!(receiver, Some(syn::ReceiverKind::Reference(_, _, Some(_))));
    parser.check_signature(&item.sig, role);
    let mut generics = match role {
        Role::Kernel => {
            parser.refuse_lifetimes(&item.sig.generics, "leave lifetimes out: they are elided");
            parser.check_kernel_generics(&item.sig.generics);
            parser.generics(&item.sig.generics)
        }
        Role::Device | Role::Method | Role::Element => parser.generics(&item.sig.generics),
    };
    let params = item.sig.inputs.iter().filter_map(|input| parser.param(input, role, &mut generics)).collect();
    let params = parser.told_apart(params);
    let params = parser.with_claims(params, &item.block);
    parser.note_slice_parameters(item.sig.inputs.iter());
    parser.note_written_parameters(item.sig.inputs.iter());
    let role = if parser.writes_self && gives_place(role, &item.sig.output) { Role::Element } else { role };
    let result = parser.result(&item.sig.output, role);
    let mut body = match item.sig.output {
        ReturnType::Default => parser.unit_block(&item.block),
        ReturnType::Type(..) => parser.block(&item.block),
    };
    body.statements.splice(0..0, std::mem::take(&mut parser.prelude));
    let assumed = parser.assumed_types();
    Fn {
        attrs: item.attrs.clone(),
        vis: item.vis.clone(),
        name: item.sig.ident.clone(),
        generics,
        receiver: item.sig.receiver().filter(|_| role.is_owned()).cloned(),
        is_const: item.sig.constness.is_some(),
        is_unsafe: role == Role::Kernel && is_unsafe(&item.sig),
        gives_place: role == Role::Element,
        params,
        result,
        body,
        expr_count: parser.exprs,
        binding_count: parser.bindings,
        has_debug: parser.has_debug,
        returns_early: parser.returns_early,
        moved: parser.moved,
        globs: parser.globs,
        assumed,
    }
}

/// Whether the result of a method with `&mut self` is a place: `&mut T`, and no slice.
fn gives_place(role: Role, output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else { return false };
    role == Role::Method
        && matches!(ungroup(ty), Type::Reference(reference)
            if reference.mutability.is_some() && !matches!(ungroup(&reference.elem), Type::Slice(_)))
}

/// Parses a device const.
pub(crate) fn parse_const(item: &syn::ItemConst, diags: &mut Diagnostics) -> Const {
    let mut parser = Parser::new(diags);
    if !item.generics.params.is_empty() {
        parser.unsupported(&item.generics.params, "generic parameters of consts are", "write a `const` of an `impl`");
    }
    if item.ident == "_" {
        let error =
            parser.diags.error(code::BAD_SIGNATURE, SpanRange::token(item.ident.span()), "a device const needs a name");
        error.help("name it, or remove `#[device]`");
    }
    let ty = parser.const_ty(&item.ty);
    let value = parser.expr(&item.expr);
    Const { attrs: item.attrs.clone(), name: item.ident.clone(), ty, value, expr_count: parser.exprs }
}

/// Parses a const of an `impl` or trait.
pub(super) fn parse_owned_const(name: &Ident, ty: &Type, value: &syn::Expr, diags: &mut Diagnostics) -> Const {
    let mut parser = Parser::new(diags);
    parser.owned = true;
    let ty = parser.const_ty(ty);
    let value = parser.expr(value);
    Const { attrs: Vec::new(), name: name.clone(), ty, value, expr_count: parser.exprs }
}

/// Parses a `GpuData` struct.
pub(crate) fn parse_struct(item: &syn::DeriveInput, diags: &mut Diagnostics) -> Struct {
    let mut parser = Parser::new(diags);
    let generics = parser.generics(&item.generics);
    let before = parser.diags.len();
    let (shape, fields) = parser.fields(item);
    parser.refuse_data_lifetimes(&item.generics, before);
    let derives = Derives { gpu_data: true, ..super::module::derives_of(&item.attrs) };
    Struct { name: item.ident.clone(), generics, fields, shape, derives }
}

/// The `T` of `Option<&mut T>`, as written.
fn found_place(ty: &Type) -> Option<TokenStream> {
    let Type::Path(path) = ungroup(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        syn::GenericArgument::Type(Type::Reference(reference)) if reference.mutability.is_some() => {
            Some(ungroup(&reference.elem).to_token_stream())
        }
        _ => None,
    }
}

/// Whether a function is an `unsafe fn`.
fn is_unsafe(signature: &syn::Signature) -> bool {
    matches!(signature.safety, syn::Safety::Unsafe(_))
}

impl Parser<'_> {
    fn check_kernel_generics(&mut self, generics: &syn::Generics) {
        for param in generics.const_params() {
            let name = match &param.ty {
                Type::Path(path) => path.path.get_ident().and_then(|name| ScalarName::from_name(&name.to_string())),
                _ => None,
            };
            if name.is_none_or(|scalar| scalar.is_float() || scalar.is_wide() || scalar == ScalarName::Char) {
                let what = format!("a const parameter of a kernel of type `{}` is", param.ty.to_token_stream());
                self.unsupported(&param.ty, &what, "use an integer of at most 64 bits, or `bool`");
            }
        }
    }

    fn check_signature(&mut self, signature: &syn::Signature, role: Role) {
        if let Some(keyword) = signature.constness.filter(|_| role == Role::Kernel) {
            let help = "remove `const`: a kernel is launched; consts call a `#[device] const fn`";
            self.unsupported(keyword, "`const fn` as a kernel is", help);
        }
        if let Some(keyword) = &signature.asyncness {
            self.unsupported(keyword, "`async fn` is", "remove `async`");
        }
        let safety = &signature.safety;
        let is_unsafe_kernel = role == Role::Kernel && is_unsafe(signature);
        if !is_unsafe_kernel && !safety.to_token_stream().is_empty() {
            let help = "remove the keyword: an access whose order nothing tells is `unsafe { y.unordered()[k] }`";
            self.unsupported(safety, "`unsafe fn` other than a kernel is", help);
        }
        if let Some(abi) = &signature.abi {
            self.unsupported(abi, "`extern` is", "remove it");
        }
        if let Some(variadic) = &signature.variadic {
            self.unsupported(variadic, "variadic functions are", "name each parameter");
        }
    }

    fn param(&mut self, input: &FnArg, role: Role, generics: &mut Generics) -> Option<Param> {
        let typed = match input {
            FnArg::Typed(typed) => typed,
            FnArg::Receiver(receiver) if role.is_owned() => return self.receiver(receiver),
            FnArg::Receiver(receiver) => {
                let error =
                    self.error(code::BAD_SIGNATURE, SpanRange::of(receiver), "`self` parameters are not supported");
                error.help("write a free function that takes the value by name");
                return None;
            }
        };
        let mut texels = None;
        for attr in &typed.attrs {
            if attr.path().is_ident("texels") {
                texels = Some(self.texels(attr, role));
            // Of a comment rustc itself says that it can be none.
            } else if !attr.path().is_ident("doc") {
                let help = match attr.path().is_ident("cfg") {
                    true => "put it on the function, and write the function twice with opposite `cfg`s",
                    false => "put it on the function",
                };
                self.unsupported(attr, "attributes on parameters are", help);
            }
        }
        let (checked, elements) = (role == Role::Kernel).then(|| self.checked_param(&typed.ty)).flatten().unzip();
        let scatter = (role == Role::Kernel).then(|| self.scatter_param(&typed.ty)).flatten();
        let scattered = scatter.is_some().then_some(Scattered::Elements);
        let ty = match role {
            _ if checked.is_some() || scattered.is_some() => TypeExpr {
                kind: elements.or(scatter).unwrap_or(TypeKind::Error),
                span: SpanRange::of(&typed.ty),
                tokens: typed.ty.to_token_stream(),
            },
            Role::Kernel => self.kernel_param_ty(&typed.ty),
            Role::Device | Role::Method | Role::Element => match self.implicit_param(&typed.ty, generics) {
                Some(ty) => ty,
                None => self.device_param_ty(&typed.ty),
            },
        };
        let (name, mutable) = match role {
            Role::Kernel => self.param_name(&typed.pat)?,
            Role::Device | Role::Method | Role::Element => self.param_pattern(&typed.pat),
        };
        let (ty, lends_iterator) = lent_iterator(ty, generics);
        let is_read = matches!(ty.kind, TypeKind::Slice { mutable: false, .. });
        let moves = mutable && is_read && role != Role::Kernel;
        let param = Param {
            mutable: mutable && !moves,
            ty,
            binding: self.next_binding(),
            lends_iterator,
            texels,
            checked,
            scattered,
            name,
        };
        if moves {
            self.move_param(&param);
        }
        Some(param)
    }

    /// `let mut x = x;` at the start of the body, for a slice that becomes others.
    fn move_param(&mut self, param: &Param) {
        let span = SpanRange::token(param.name.span());
        let path = Path::plain(false, vec![param.name.clone()]);
        let value = Some(self.node(ExprKind::Path(path), span));
        let (name, binding) = (param.name.clone(), self.next_binding());
        let pattern = Pattern::Binding { name, mutable: true, binding, inner: None };
        self.prelude.push(Statement::Let { pattern, ty: None, value, otherwise: None, span });
    }

    /// `#[texels]`; what the parameter may be then is checked when its type is known.
    fn texels(&mut self, attr: &syn::Attribute, role: Role) -> SpanRange {
        let span = SpanRange::of(attr);
        if !matches!(attr.meta, syn::Meta::Path(_)) {
            self.error(code::BAD_ATTRIBUTE, span, "`texels` takes nothing").help("write `#[texels]`");
        } else if role != Role::Kernel {
            self.error(code::BAD_ATTRIBUTE, span, "`#[texels]` is for parameters of kernels")
                .help("remove it: an argument is read in the same way as the kernel's parameter");
        }
        span
    }

    /// `self`, `mut self` or `&self`: values are copied, so that a reference to one is the value.
    fn receiver(&mut self, receiver: &syn::Receiver) -> Option<Param> {
        let mutable = match &receiver.kind {
            syn::ReceiverKind::Value => receiver.mutability.is_some(),
            syn::ReceiverKind::Reference(_, _, mutability) => mutability.is_some(),
            _ => {
                let error =
                    self.error(code::BAD_SIGNATURE, SpanRange::of(receiver), "a receiver with a type is not supported");
                error.help("write `self` or `&self`");
                return None;
            }
        };
        let name = Ident::new("self", receiver.self_token.span);
        let path = Path::plain(false, vec![Ident::new("Self", receiver.self_token.span)]);
        let ty = TypeExpr {
            kind: TypeKind::Path(path),
            span: SpanRange::of(receiver),
            tokens: quote::ToTokens::to_token_stream(&quote::format_ident!("Self")),
        };
        let binding = self.next_binding();
        Some(Param { name, mutable, ty, binding, lends_iterator: false, texels: None, checked: None, scattered: None })
    }

    /// Reports names that two parameters have. rustc does, too, where it sees both.
    fn told_apart(&mut self, mut params: Vec<Param>) -> Vec<Param> {
        for position in 1..params.len() {
            let (before, rest) = params.split_at_mut(position);
            let Some(param) = rest.first_mut().filter(|param| before.iter().any(|other| other.name == param.name))
            else {
                continue;
            };
            let message = format!("two parameters are called `{}`", param.name);
            let span = SpanRange::token(param.name.span());
            self.error(code::BAD_SIGNATURE, span, message).help("give each a name of its own");
            param.name = quote::format_ident!("__again{position}");
        }
        params
    }

    /// The name of a device fn's parameter; a pattern gets one, and is taken apart at the start of the body.
    fn param_pattern(&mut self, pat: &Pat) -> (Ident, bool) {
        if let Pat::Ident(ident) = pat
            && ident.by_ref.is_none()
            && ident.subpat.is_none()
        {
            return (ident.ident.clone(), ident.mutability.is_some());
        }
        let span = SpanRange::of(pat);
        let number = self.prelude.len();
        let name = Ident::new(&format!("__param{number}"), proc_macro2::Span::mixed_site().located_at(span.start));
        let path = crate::ast::Path::plain(false, vec![name.clone()]);
        let value = self.node(ExprKind::Path(path), span);
        let pattern = self.pattern(pat, PatternPlace::Always);
        self.prelude.push(Statement::Let { pattern, ty: None, value: Some(value), otherwise: None, span });
        (name, false)
    }

    /// The name of a parameter, and whether it is `mut`.
    fn param_name(&mut self, pat: &Pat) -> Option<(Ident, bool)> {
        if let Pat::Ident(ident) = pat
            && ident.by_ref.is_none()
            && ident.subpat.is_none()
        {
            return Some((ident.ident.clone(), ident.mutability.is_some()));
        }
        let error = self.error(code::BAD_SIGNATURE, SpanRange::of(pat), "a parameter must be a plain name");
        error.help(match pat {
            Pat::Wild(_) => "name it; a leading underscore says that it is not used: `_unused`",
            _ => "take the value by a name and take it apart with `let` in the body",
        });
        None
    }

    /// The type of a parameter that is no kernel's.
    fn device_param_ty(&mut self, ty: &Type) -> TypeExpr {
        if let Type::Reference(reference) = ungroup(ty)
            && let Type::Slice(_) = ungroup(&reference.elem)
        {
            return self.param_ty(ty);
        }
        if let Some((checked, ..)) = checked_element(ty) {
            let help = "take a slice, `ix: &[u32]`, and pass the kernel's parameter";
            self.unsupported(ty, &format!("`&{}<T>` as the type of this parameter is", checked.name()), help);
            return TypeExpr { kind: TypeKind::Error, span: SpanRange::of(ty), tokens: ty.to_token_stream() };
        }
        if scatter_element(ty).is_some() {
            let help = "write the elements in the kernel, `y[k] = v`, with what the function returns";
            self.unsupported(ty, "`&mut Scatter<T>` as the type of this parameter is", help);
            return TypeExpr { kind: TypeKind::Error, span: SpanRange::of(ty), tokens: ty.to_token_stream() };
        }
        let reference = self.reference_ty(ty);
        if let TypeKind::Ref { target, .. } = &reference.kind
            && let TypeKind::Atomic(_) | TypeKind::Shared(_) = target.kind
        {
            let (what, help) = match target.kind {
                TypeKind::Atomic(_) => {
                    ("an atomic", "take a slice, `cells: &[Atomic<u32>]`, and pass `&bins[i..i + 1]`")
                }
                _ => ("a shared variable", "take a slice, `tile: &mut [f32]`, and pass `&mut tile[..]`"),
            };
            let error = self.error(
                code::REFERENCE_USE,
                reference.span,
                format!("a parameter that is a reference to {what} is not supported"),
            );
            error.help(help);
            return TypeExpr { kind: TypeKind::Error, ..reference };
        }
        reference
    }

    fn result(&mut self, output: &ReturnType, role: Role) -> Option<TypeExpr> {
        let ReturnType::Type(_, ty) = output else { return None };
        let unit = matches!(ungroup(ty), Type::Tuple(tuple) if tuple.elems.is_empty());
        if role == Role::Element
            && let Type::Reference(reference) = ungroup(ty)
        {
            // Reported at the type `Output`.
            if let Type::Slice(_) = ungroup(&reference.elem) {
                let (span, tokens) = (SpanRange::of(ty), ty.to_token_stream());
                return Some(TypeExpr { kind: TypeKind::Error, span, tokens });
            }
            let target = self.ty(&reference.elem);
            return Some(TypeExpr { tokens: ty.to_token_stream(), ..target });
        }
        if role != Role::Kernel
            && let Type::Reference(reference) = ungroup(ty)
            && let Type::Slice(_) = ungroup(&reference.elem)
        {
            return Some(self.param_ty(ty));
        }
        if role != Role::Kernel
            && let Type::Reference(reference) = ungroup(ty)
            && reference.mutability.is_some()
        {
            let target = ungroup(&reference.elem).to_token_stream();
            let help = format!(
                "return the index, and name the element where the function is called: `&mut x[index]`; or write a method with `&mut self`, of a part of `self`; or `-> {target}`, the value"
            );
            let message = "a `&mut` reference as a function's result is not supported in kernels";
            self.error(code::UNSUPPORTED_SYNTAX, SpanRange::of(ty), message)
                .note("kernels have no pointers: the place that a reference names must be known when the kernel is compiled")
                .help(help);
            return Some(TypeExpr { kind: TypeKind::Error, span: SpanRange::of(ty), tokens: ty.to_token_stream() });
        }
        if role != Role::Kernel
            && let Some(target) = found_place(ty)
        {
            let help = format!(
                "return the position, `-> Option<usize>`, and name the element where the function is called: `if let Some(i) = … {{ let found = &mut x[i]; … }}`; or `-> Option<{target}>`, the value"
            );
            let message = "an option of a `&mut` reference as a function's result is not supported in kernels";
            self.error(code::UNSUPPORTED_SYNTAX, SpanRange::of(ty), message)
                .note("kernels have no pointers: the place that a reference names must be known when the kernel is compiled")
                .help(help);
            return Some(TypeExpr { kind: TypeKind::Error, span: SpanRange::of(ty), tokens: ty.to_token_stream() });
        }
        if role != Role::Kernel
            && let Type::Never(_) = ungroup(ty)
        {
            return Some(TypeExpr { kind: TypeKind::Never, span: SpanRange::of(ty), tokens: ty.to_token_stream() });
        }
        if role != Role::Kernel
            && let Type::ImplTrait(some) = ungroup(ty)
            && is_iterator(some)
        {
            return Some(self.iterator_ty(ty, some));
        }
        if role != Role::Kernel {
            return Some(self.lent_ty(ty)).filter(|_| !unit);
        }
        if !unit {
            let error = self.error(code::BAD_SIGNATURE, SpanRange::of(ty), "a kernel returns nothing");
            error.note("a kernel runs once per invocation: there is no single value to return");
            error.help("write results into a `&mut [T]` parameter");
        }
        None
    }

    /// Reports a `PhantomData` in a struct of buffers.
    fn refuse_mark(&mut self, ty: &Type) {
        if let Type::Path(path) = ungroup(ty)
            && path.path.segments.last().is_some_and(|last| last.ident == "PhantomData")
        {
            let help = "leave it out, and make the marked struct of the value where it is read: `Meters::new(x[i])`";
            self.unsupported(ty, "`PhantomData` in a struct of buffers is", help);
        }
    }

    fn fields(&mut self, item: &syn::DeriveInput) -> (Shape, Vec<(Ident, TypeExpr)>) {
        let (span, message, help) = match &item.data {
            syn::Data::Struct(data) => match &data.fields {
                fields @ (syn::Fields::Named(_) | syn::Fields::Unnamed(_)) => {
                    fields.iter().for_each(|field| self.refuse_mark(&field.ty));
                    return self.members_of(fields);
                }
                syn::Fields::Unit => (
                    SpanRange::token(item.ident.span()),
                    "a `GpuData` struct needs at least one field",
                    "add a field, or do not pass the struct",
                ),
            },
            syn::Data::Enum(data) => (
                SpanRange::token(data.enum_token.span),
                "an enum cannot be `GpuData`",
                "mark it `#[device]` instead of deriving: it is a type of variables; in buffers keep a `u32`",
            ),
            syn::Data::Union(data) => (
                SpanRange::token(data.union_token.span),
                "a union cannot be `GpuData`",
                "use a struct with `u32` fields",
            ),
        };
        self.error(code::BAD_STRUCT, span, message).help(help);
        (Shape::Named, Vec::new())
    }
}

impl Parser<'_> {
    /// The type of a const: a slice is an array of as many elements as the value has, and so is a reference to an array.
    pub(super) fn const_ty(&mut self, ty: &Type) -> TypeExpr {
        if let Type::Array(array) = ungroup(ty)
            && let Type::Reference(_) = ungroup(&array.elem)
        {
            let Some(text) = Self::text_ty(&array.elem, true) else { return self.refuse_rows(ty) };
            let kind = TypeKind::Array { element: Box::new(text), len: Box::new(self.expr(&array.len)) };
            return TypeExpr { kind, span: SpanRange::of(ty), tokens: ty.to_token_stream() };
        }
        if let Some(text) = Self::text_ty(ty, true) {
            return text;
        }
        let Type::Reference(reference) = ungroup(ty) else { return self.ty(ty) };
        // `&[T; N]`, too: rustc checks that the value has `N` elements.
        let element = match ungroup(&reference.elem) {
            Type::Slice(slice) => &*slice.elem,
            Type::Array(array) => &*array.elem,
            _ => return self.ty(ty),
        };
        if reference.mutability.is_some() {
            let element = element.to_token_stream();
            self.unsupported(ty, "a const that is a `&mut` reference is", &format!("write `&[{element}]`"));
            return TypeExpr { kind: TypeKind::Error, span: SpanRange::of(ty), tokens: ty.to_token_stream() };
        }
        let element = match (Self::text_ty(element, true), ungroup(element)) {
            (Some(text), _) => text,
            (None, Type::Reference(_)) => return self.refuse_rows(ty),
            (None, _) => self.ty(element),
        };
        let kind = TypeKind::Table(Box::new(element));
        TypeExpr { kind, span: SpanRange::of(ty), tokens: ty.to_token_stream() }
    }

    /// Reports a const that is a table of references.
    fn refuse_rows(&mut self, ty: &Type) -> TypeExpr {
        let elements = match ungroup(ty) {
            Type::Array(array) => Some(&*array.elem),
            Type::Reference(reference) => match ungroup(&reference.elem) {
                Type::Slice(slice) => Some(&*slice.elem),
                Type::Array(array) => Some(&*array.elem),
                _ => None,
            },
            _ => None,
        };
        let row = elements.and_then(|element| match ungroup(element) {
            Type::Reference(row) => Some(ungroup(&row.elem)).filter(|row| matches!(row, Type::Array(_))),
            _ => None,
        });
        let help = match row {
            Some(row) => {
                let row = row.to_token_stream().to_string().replace(" ;", ";");
                format!("write the arrays themselves: elements of the type `{row}`, and `*b\"ab\"` for `b\"ab\"`")
            }
            None => "write rows of one length, `&[[u32; 4]]`; or one slice of all elements, and one of where each part begins".to_owned(),
        };
        self.unsupported(ty, "a const that is a slice of references is", &help);
        TypeExpr { kind: TypeKind::Error, span: SpanRange::of(ty), tokens: ty.to_token_stream() }
    }
}

/// The type of a parameter, without `&mut` where that lends an iterator; whether it does.
fn lent_iterator(ty: TypeExpr, generics: &Generics) -> (TypeExpr, bool) {
    let is_iterator = |target: &TypeExpr| match &target.kind {
        TypeKind::Path(path) => path
            .as_name()
            .is_some_and(|name| generics.params.iter().any(|param| param.name == *name && param.iterated().is_some())),
        _ => false,
    };
    match ty.kind {
        TypeKind::Ref { mutable: true, target } if is_iterator(&target) => {
            (TypeExpr { kind: target.kind, span: ty.span, tokens: ty.tokens }, true)
        }
        kind => (TypeExpr { kind, span: ty.span, tokens: ty.tokens }, false),
    }
}
