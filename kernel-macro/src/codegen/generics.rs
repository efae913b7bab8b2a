//! The generic parameters of a kernel, as its dispatch type and what implements it write them; and the checks of their values.

use gridwise_ir::compile::Compiled;
use gridwise_ir::descriptor::Size;
use proc_macro2::{Literal, TokenStream};
use quote::ToTokens;

use crate::ast::Fn;
use crate::ast::ScalarName;
use crate::attrs::{KernelAttr, MAX_INVOCATIONS};
use crate::program::Program;
use crate::tokens::{Tokens, tokens};

/// Whether a kernel has no generic parameters but those it may have; others are reported, and its dispatch type does not have
/// them.
pub(super) fn are_const(function: &Fn) -> bool {
    function.generics.source.params.iter().all(|param| matches!(param, syn::GenericParam::Const(_)))
}

/// `<const N: usize>` and `<N>`; nothing for a kernel without generic parameters.
pub(super) fn params_and_args(function: &Fn) -> (Option<TokenStream>, Option<TokenStream>) {
    if function.generics.params.is_empty() || !are_const(function) {
        return (None, None);
    }
    let (params, args, _) = function.generics.source.split_for_impl();
    (Some(params.to_token_stream()), Some(args.to_token_stream()))
}

/// `<const N: usize = 256>` of the dispatch type.
pub(super) fn params_with_defaults(function: &Fn, attr: &KernelAttr) -> Option<Tokens> {
    if function.generics.params.is_empty() || !are_const(function) {
        return None;
    }
    let params = function.generics.source.params.iter().map(|param| {
        let written = param.to_token_stream();
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
