//! The generic parameters of a kernel, as its dispatch type and what implements it write them; and the checks of their values.

use std::collections::BTreeSet;

use gridwise_ir::compile::Compiled;
use gridwise_ir::descriptor::Size;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::ToTokens;

use crate::ast::{Bound, Fn, GenericKind, ScalarName, TypeExpr};
use crate::attribute::{KernelAttr, MAX_INVOCATIONS};
use crate::emit::tokens::{Tokens, tokens};
use crate::gather::path_tokens;
use crate::program::Program;

/// The type parameters.
pub(super) fn type_params(function: &Fn) -> impl Iterator<Item = &Ident> {
    function.generics.source.type_params().map(|param| &param.ident)
}

/// `<T, const N: usize>` and `<T, N>`, without bounds; nothing for a kernel without generic parameters.
pub(super) fn params_and_args(function: &Fn) -> (Option<Tokens>, Option<Tokens>) {
    if function.generics.params.is_empty() {
        return (None, None);
    }
    let params = function.generics.source.params.iter().map(bare_param);
    let args = function.generics.source.params.iter().filter_map(name_of).map(|name| tokens!(#name));
    (Some(tokens!(<#(#params),*>)), Some(tokens!(<#(#args),*>)))
}

/// `<const N: usize>`: what is left where the types are known.
pub(super) fn const_params(function: &Fn) -> Option<Tokens> {
    let mut params = function.generics.source.const_params().map(ToTokens::to_token_stream).peekable();
    params.peek()?;
    Some(tokens!(<#(#params),*>))
}

fn bare_param(param: &syn::GenericParam) -> Tokens {
    match param {
        syn::GenericParam::Type(param) => {
            let name = &param.ident;
            tokens!(#name)
        }
        other => other.to_token_stream().into(),
    }
}

fn name_of(param: &syn::GenericParam) -> Option<&Ident> {
    match param {
        syn::GenericParam::Type(param) => Some(&param.ident),
        syn::GenericParam::Const(param) => Some(&param.ident),
        syn::GenericParam::Lifetime(_) => None,
    }
}

/// The parameters' names for the types of an instance, and the traits in whose methods bounds give a part.
pub(super) fn type_names(function: &Fn, written: &[&TypeExpr]) -> Tokens {
    let aliases = type_params(function).zip(written).map(|(name, ty)| {
        let ty = &ty.tokens;
        tokens!(#[allow(dead_code, non_camel_case_types)] type #name = #ty;)
    });
    let mut seen = BTreeSet::new();
    let mut traits = Vec::new();
    for param in &function.generics.params {
        let GenericKind::Type { bounds, .. } = &param.kind else { continue };
        for bound in bounds {
            let Bound::Trait { path, .. } = bound else { continue };
            if seen.insert(path.text()) {
                let path = path_tokens(path);
                traits.push(tokens!(#[allow(unused_imports)] use #path as _;));
            }
        }
    }
    tokens!(#(#aliases)* #(#traits)*)
}

/// `<const N: usize = 256>` of the dispatch type.
pub(super) fn params_with_defaults(function: &Fn, attr: &KernelAttr) -> Option<Tokens> {
    if function.generics.params.is_empty() {
        return None;
    }
    let params = function.generics.source.params.iter().map(|param| {
        let written = bare_param(param);
        let default = match param {
            syn::GenericParam::Const(param) => attr.default_of(&param.ident),
            _ => None,
        };
        let default = default.map(|default| {
            let value = &default.tokens;
            tokens!(= #value)
        });
        tokens!(#written #default)
    });
    Some(tokens!(<#(#params),*>))
}

/// Generics in which each type parameter, and each of some types, has a bound; without parameters as they are.
pub(super) fn bounded(
    generics: &syn::Generics,
    types: impl Iterator<Item = TokenStream>,
    bound: &TokenStream,
) -> syn::Generics {
    let mut generics = generics.clone();
    if generics.params.is_empty() {
        return generics;
    }
    let bound = || syn::TypeParamBound::Verbatim(bound.clone());
    generics.type_params_mut().for_each(|param| param.bounds.push(bound()));
    let clauses = types.map(|ty| {
        syn::WherePredicate::Type(syn::PredicateType {
            attrs: Vec::new(),
            lifetimes: None,
            bounded_ty: syn::Type::Verbatim(ty),
            colon_token: <syn::Token![:]>::default(),
            bounds: std::iter::once(bound()).collect(),
        })
    });
    generics.make_where_clause().predicates.extend(clauses);
    generics
}

/// The values of the const parameters for a launch, with what is wrong with any of them as an error of rustc's.
pub(super) fn constants(program: &Program, function: &Fn, compiled: &Compiled) -> Option<Tokens> {
    if program.chosen.is_empty() {
        return None;
    }
    let kernel = &function.name;
    let mut checks = Vec::new();
    for (chosen, constant) in program.chosen.iter().zip(&compiled.constants) {
        let name = &chosen.name;
        if constant.is_size {
            let message = format!(
                "kernel `{kernel}`: `{name}` is the size of a workgroup or the length of an array, and cannot be 0"
            );
            checks.push(tokens!(::core::assert!(#name != 0, #message);));
        }
        let narrow = match chosen.scalar {
            ScalarName::Usize => tokens!(u32),
            ScalarName::Isize => tokens!(i32),
            _ => continue,
        };
        let ty = chosen.scalar.name();
        let message = format!("kernel `{kernel}`: `{name}` is over 32 bits, which `{ty}` has in kernels");
        checks.push(tokens! {
            ::core::assert!(
                (#name as ::core::primitive::#narrow) as ::core::primitive::i128 == #name as ::core::primitive::i128,
                #message
            );
        });
    }
    if compiled.workgroup.iter().any(|size| matches!(size, Size::Param(_))) {
        let axes = compiled.workgroup.iter().map(|size| {
            let size = match size {
                Size::Known(size) => Literal::u32_unsuffixed(*size).to_token_stream(),
                Size::Param(param) => program.chosen[*param as usize].name.to_token_stream(),
            };
            tokens!(* (#size as ::core::primitive::u128))
        });
        let message = format!("kernel `{kernel}`: a workgroup has at most {MAX_INVOCATIONS} invocations");
        let max = Literal::u64_unsuffixed(MAX_INVOCATIONS);
        checks.push(tokens!(::core::assert!(1 #(#axes)* <= #max, #message);));
    }
    let values = program.chosen.iter().map(|chosen| {
        let name = &chosen.name;
        tokens!(#name as ::core::primitive::u64)
    });
    Some(tokens! {
        const CONSTANTS: &'static [::core::primitive::u64] = {
            #(#checks)*
            &[#(#values),*]
        };
    })
}
