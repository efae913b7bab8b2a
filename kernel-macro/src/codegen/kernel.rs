//! Everything a kernel without errors becomes.

use gridwise_ir::compile::{Compiled, CompiledLocation};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::descriptor::descriptor_tokens;
use super::dispatch::type_name;
use crate::ast::{Fn, Item, ScalarName, TypeKind};
use crate::program::{ItemId, Program, ProgramItem, TypedItem};
use crate::render::{render_fn, render_host};
use crate::typed::Ty;

/// The checked original and the `Kernel` implementation with descriptor and host twin.
pub(crate) fn kernel_items(program: &Program, item: ItemId, compiled: &Compiled, krate: &TokenStream) -> TokenStream {
    let ProgramItem { item: Item::Fn(function), typed: TypedItem::Fn(typed), file, position, .. } =
        &program.items[item]
    else {
        return TokenStream::new();
    };
    let private = quote!(#krate::__private);
    let original = render_fn(program, item, true, krate);
    let place = CompiledLocation { file: file.clone(), line: position.0, column: position.1 };
    let descriptor = descriptor_tokens(compiled, &place, krate);
    let host = render_host(program, item, krate);
    let assertions = assertions(function, &typed.params, &private);
    let name = type_name(&function.name);
    let cfgs = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    quote! {
        #original
        #(#cfgs)*
        const _: () = {
            #assertions
            // SAFETY: both sides come from one checked tree, with every access in range or checked where it happens.
            unsafe impl #private::kernel::Kernel for #name {
                const DESCRIPTOR: &'static #private::descriptor::KernelDescriptor = #descriptor;
                #host
            }
        };
    }
}

/// What rustc must confirm about the parameters' types: the macro sees names only.
fn assertions(function: &Fn, types: &[Ty], private: &TokenStream) -> TokenStream {
    let mut tokens = TokenStream::new();
    for (param, ty) in function.params.iter().zip(types) {
        let written = match &param.ty.kind {
            TypeKind::Slice { element, .. } => element,
            _ if *ty == Ty::BOOL => continue,
            _ => &param.ty,
        };
        let (span, written) = (written.span.start, &written.tokens);
        tokens.extend(quote_spanned! {span=>
            const _: fn() = || {
                fn assert_gpu_data<T: #private::data::GpuData>() {}
                assert_gpu_data::<#written>();
            };
        });
    }
    if types.iter().any(holds_vec4) {
        tokens.extend(vec4_assertion(private));
    }
    tokens
}

fn holds_vec4(ty: &Ty) -> bool {
    match ty {
        Ty::Vector(ScalarName::F32, 4) => true,
        Ty::Buffer { element, .. } | Ty::Array(element, _) => holds_vec4(element),
        _ => false,
    }
}

/// That `Vec4` lies in memory as the compiler assumes.
fn vec4_assertion(private: &TokenStream) -> TokenStream {
    quote! {
        const _: () = ::core::assert!(
            ::core::mem::size_of::<#private::glam::Vec4>() == 16 && ::core::mem::align_of::<#private::glam::Vec4>() == 16,
            "gridwise needs glam's `Vec4` to be 16 bytes, 16 byte aligned: build glam with SIMD (without `scalar-math`)",
        );
    }
}
