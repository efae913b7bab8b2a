//! The types that a kernel with type parameters is compiled for, as its `dispatch` asks for them: a trait that they implement, so
//! that a type which is not listed is an error that names the list.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};

use super::dispatch::{launch_args, plain_element, type_name};
use super::generics::{const_params, type_params};
use crate::ast::{Fn, TypeExpr, TypeKind};
use crate::attribute::KernelAttr;
use crate::attribute::type_list::MAX_INSTANCES;
use crate::emit::tokens::{Tokens, tokens};

/// Whether the attribute does not tell the types of all parameters, which is reported.
pub(super) fn is_incomplete(function: &Fn, attr: &KernelAttr) -> bool {
    attr.type_lists().len() != type_params(function).count()
        || attr.type_lists().iter().any(|list| list.types.is_empty())
}

/// The name of the trait of the types that a kernel is compiled for.
pub(super) fn types_name(function: &Fn) -> Ident {
    Ident::new(&format!("{}Types", type_name(&function.name)), function.name.span())
}

/// The type parameters, or the tuple of them, as the types trait is implemented for it.
pub(super) fn types_tuple(function: &Fn) -> Tokens {
    let types: Vec<_> = type_params(function).collect();
    match types.as_slice() {
        [ty] => tokens!(#ty),
        types => tokens!((#(#types),*)),
    }
}

/// `trait ScaleTypes` with an implementation for each combination of types: it finds the kernel of that combination.
pub(super) fn types_trait(function: &Fn, name: &Ident, attr: &KernelAttr, private: &TokenStream) -> Tokens {
    let (trait_name, vis, kernel) = (types_name(function), &function.vis, &function.name);
    let lists = attr.type_lists().iter().map(|list| {
        let types: Vec<String> = list.types.iter().map(|ty| ty.tokens.to_string()).collect();
        format!("{} = [{}]", list.name, types.join(", "))
    });
    let lists = lists.collect::<Vec<_>>().join(", ");
    let message = format!("the kernel `{kernel}` is not compiled for `{{Self}}`");
    let note = format!("its attribute lists `{lists}`");
    let doc = format!("The types that the kernel `{kernel}` is compiled for: `{lists}`.");
    let consts = const_params(function);
    let mut combinations: Vec<Vec<&TypeExpr>> = vec![Vec::new()];
    for list in attr.type_lists() {
        let longer = combinations
            .iter()
            .flat_map(|start| list.types.iter().map(move |ty| start.iter().copied().chain([ty]).collect::<Vec<_>>()));
        combinations = longer.take(MAX_INSTANCES).collect();
    }
    let cfgs = || function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    // Types that are listed twice are reported later.
    let mut seen = BTreeSet::new();
    combinations.retain(|types| seen.insert(types.iter().map(|ty| ty.tokens.to_string()).collect::<Vec<_>>()));
    let implementations = combinations.iter().map(|combination| {
        let types: Vec<_> = combination.iter().map(|ty| &ty.tokens).collect();
        let of = match types.as_slice() {
            [ty] => tokens!(#ty),
            types => tokens!((#(#types),*)),
        };
        let mut types = types.iter();
        let args = function.generics.source.params.iter().map(|param| match param {
            syn::GenericParam::Const(param) => {
                let name = &param.ident;
                tokens!(#name)
            }
            _ => {
                let ty = types.next();
                tokens!(#ty)
            }
        });
        let (cfgs, consts) = (cfgs(), consts.as_ref().map(Tokens::copy));
        let launch = launch_args(function, &tokens!(#name<#(#args),*>), private);
        let safety = function.is_unsafe.then(|| tokens!(unsafe));
        tokens! {
            #(#cfgs)*
            impl #trait_name for #of {
                #safety fn __launch #consts () -> #private::KernelArgs {
                    use #private::launch::NoKernel as _;
                    #launch
                }
            }
        }
    });
    let implementations: Vec<_> = implementations.collect();
    let cfgs = cfgs();
    let safety = function.is_unsafe.then(|| tokens!(unsafe));
    tokens! {
        #(#cfgs)*
        #[doc = #doc]
        #[diagnostic::on_unimplemented(message = #message, label = "not in the kernel's list of types", note = #note)]
        #[allow(dead_code)]
        #vis trait #trait_name {
            #[doc(hidden)]
            #[allow(clippy::missing_safety_doc)]
            #safety fn __launch #consts () -> #private::KernelArgs;
        }
        #(#implementations)*
    }
}

/// The bounds of a launch's types: in the list, and able to travel.
pub(super) fn type_clauses(function: &Fn, private: &TokenStream) -> Tokens {
    let (types, trait_name) = (types_tuple(function), types_name(function));
    let names_type = |ty: &TypeExpr| type_params(function).any(|param| mentions(&ty.tokens, param));
    let mut seen = Vec::new();
    let bounds = function.params.iter().filter_map(|param| {
        let (ty, bound) = match &param.ty.kind {
            TypeKind::Image { .. } => return None,
            TypeKind::Slice { element, .. } | TypeKind::List { element, .. } => {
                (plain_element(element), tokens!(#private::data::GpuData))
            }
            _ => (param.ty.tokens.clone(), tokens!(#private::ValueArg)),
        };
        let text = (ty.to_string(), matches!(param.ty.kind, TypeKind::Slice { .. } | TypeKind::List { .. }));
        if !names_type(&param.ty) || seen.contains(&text) {
            return None;
        }
        seen.push(text);
        Some(tokens!(#ty: #bound,))
    });
    let bounds: Vec<_> = bounds.collect();
    tokens!(where #types: #trait_name, #(#bounds)*)
}

/// Whether a name stands somewhere in tokens.
fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}
