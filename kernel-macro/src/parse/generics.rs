//! Generic parameters, their bounds, and generic arguments of paths. rustc checks the bounds.

use proc_macro2::Ident;
use quote::{ToTokens, format_ident};
use syn::{GenericArgument, GenericParam as Param, PathArguments, ReturnType, TypeParamBound, WherePredicate};

use super::Parser;
use super::ty::ungroup;
use crate::ast::{
    Bound, ExprKind, GenericArg, GenericKind, GenericParam, Generics, Path, PathArgs, SpanRange, UnaryOp, is_iterator,
};
use crate::ast::{TypeExpr, TypeKind};

impl Parser<'_> {
    /// The parameters of an item, `where` clauses joined to them.
    pub(super) fn generics(&mut self, source: &syn::Generics) -> Generics {
        let mut generics = Generics { source: source.clone(), ..Generics::default() };
        for param in &source.params {
            match param {
                Param::Type(param) => {
                    let kind = GenericKind::Type { bounds: self.bounds(&param.bounds), implicit: false };
                    let default = param.default.as_ref().map(|(_, ty)| {
                        let span = SpanRange::of(ty);
                        GenericArg { ty: Some(self.ty(ty)), value: None, span }
                    });
                    generics.params.push(GenericParam { name: param.ident.clone(), kind, default });
                }
                Param::Const(param) => {
                    let kind = GenericKind::Const(self.ty(&param.ty));
                    let default = param.default.as_ref().map(|(_, value)| {
                        let span = SpanRange::of(value);
                        GenericArg { ty: None, value: Some(self.expr(value)), span }
                    });
                    generics.params.push(GenericParam { name: param.ident.clone(), kind, default });
                }
                // rustc checks lifetimes, in the rendering.
                Param::Lifetime(_) => {}
            }
        }
        for predicate in source.where_clause.iter().flat_map(|clause| &clause.predicates) {
            let WherePredicate::Type(predicate) = predicate else { continue };
            let bounds = self.bounds(&predicate.bounds);
            let subject = match ungroup(&predicate.bounded_ty) {
                syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
                _ => None,
            };
            let param = subject.and_then(|name| generics.params.iter_mut().find(|param| param.name == *name));
            match param {
                Some(GenericParam { kind: GenericKind::Type { bounds: known, .. }, .. }) => known.extend(bounds),
                _ => generics.clauses.push((self.ty(&predicate.bounded_ty), bounds)),
            }
        }
        generics
    }

    /// Reports lifetimes of what is no function.
    pub(super) fn refuse_lifetimes(&mut self, source: &syn::Generics, help: &str) {
        for param in source.lifetimes() {
            self.unsupported(param, "lifetime parameters here are", help);
        }
    }

    /// Bounds; lifetimes are left to rustc.
    pub(super) fn bounds<'b>(&mut self, bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> Vec<Bound> {
        let traits = bounds.into_iter().filter_map(|bound| match bound {
            TypeParamBound::Trait(bound) => Some(bound),
            _ => None,
        });
        traits.filter_map(|bound| self.bound(bound)).collect()
    }

    fn bound(&mut self, bound: &syn::TraitBound) -> Option<Bound> {
        let last = bound.path.segments.last()?;
        match &last.arguments {
            PathArguments::Parenthesized(signature) => {
                let params: Vec<_> = signature.inputs.iter().map(|input| self.variable_ty(&input.ty)).collect();
                let result = match &signature.output {
                    ReturnType::Type(_, ty) => Some(self.ty(ty)),
                    ReturnType::Default => None,
                };
                // A closure that writes through a parameter runs where it is called, too.
                let writes = params.iter().any(TypeExpr::writes);
                Some(Bound::Fn { params, result, changes: writes || last.ident != "Fn" })
            }
            PathArguments::AngleBracketed(args) => {
                let bindings = args.args.iter().filter_map(|arg| match arg {
                    GenericArgument::AssocType(binding) if is_iterator(&last.ident) => {
                        Some((binding.ident.clone(), self.iterated_ty(&binding.ty)))
                    }
                    GenericArgument::AssocType(binding) => Some((binding.ident.clone(), self.ty(&binding.ty))),
                    _ => None,
                });
                let bindings = bindings.collect();
                Some(Bound::Trait { path: self.path(&bound.path)?, bindings })
            }
            PathArguments::None => Some(Bound::Trait { path: self.path(&bound.path)?, bindings: Vec::new() }),
        }
    }

    /// The generic arguments in `<…>`; names of associated types and lifetimes are left to rustc.
    pub(super) fn path_args(&mut self, segment: usize, args: &syn::AngleBracketedGenericArguments) -> PathArgs {
        let list = args.args.iter().filter_map(|arg| self.generic_arg(arg)).collect();
        PathArgs { segment, args: list, tokens: args.to_token_stream() }
    }

    fn generic_arg(&mut self, arg: &GenericArgument) -> Option<GenericArg> {
        let span = SpanRange::of(arg);
        match arg {
            GenericArgument::Type(ty) => {
                let ty = self.ty(ty);
                // `N` may be a const parameter or a const: the callee's parameter decides.
                let value = match &ty.kind {
                    TypeKind::Path(path) => {
                        let kind = ExprKind::Path(path.clone());
                        Some(self.node(kind, span))
                    }
                    _ => None,
                };
                Some(GenericArg { ty: Some(ty), value, span })
            }
            GenericArgument::Const(value) => {
                let value = match negative(value) {
                    Some(positive) => {
                        let literal = self.literal(&positive);
                        let operand = Box::new(self.node(literal, span));
                        self.node(ExprKind::Unary(UnaryOp::Neg, operand), span)
                    }
                    None => self.expr(value),
                };
                Some(GenericArg { ty: None, value: Some(value), span })
            }
            _ => None,
        }
    }

    /// The type `impl Trait` of a parameter, or a reference to it: a type parameter without a name that users could write.
    pub(super) fn implicit_param(&mut self, ty: &syn::Type, generics: &mut Generics) -> Option<TypeExpr> {
        if let syn::Type::Reference(reference) = ungroup(ty)
            && let Some(target) = self.implicit_param(&reference.elem, generics)
        {
            let kind = TypeKind::Ref { mutable: reference.mutability.is_some(), target: Box::new(target) };
            return Some(TypeExpr { kind, span: SpanRange::of(ty), tokens: ty.to_token_stream() });
        }
        let syn::Type::ImplTrait(it) = ungroup(ty) else { return None };
        let name = implicit_name(generics.params.len());
        let bounds = self.bounds(&it.bounds);
        let kind = GenericKind::Type { bounds, implicit: true };
        generics.params.push(GenericParam { name: name.clone(), kind, default: None });
        Some(TypeExpr {
            kind: TypeKind::Path(Path::plain(false, vec![name])),
            span: SpanRange::of(ty),
            tokens: ty.to_token_stream(),
        })
    }
}

fn implicit_name(position: usize) -> Ident {
    format_ident!("__Impl{position}")
}

/// The literal behind the sign, which is a part of the literal where it is an argument.
fn negative(value: &syn::Expr) -> Option<syn::Lit> {
    let syn::Expr::Lit(syn::ExprLit { lit: lit @ syn::Lit::Int(int), .. }) = value else { return None };
    let digits = int.base10_digits().strip_prefix('-')?;
    Some(syn::Lit::Int(syn::LitInt::new(&format!("{digits}{}", int.suffix()), lit.span())))
}
