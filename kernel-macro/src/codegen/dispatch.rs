//! The dispatch type of a kernel: its name, and `dispatch` with the types its author wrote.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;

use crate::ast::{Fn, Param, TypeKind};

/// The dispatch type's name: `to_srgb` → `ToSrgb`.
pub(crate) fn type_name(function: &Ident) -> Ident {
    let function_name = function.unraw().to_string();
    let leading = function_name.chars().take_while(|letter| *letter == '_').count();
    let mut name = "_".repeat(leading);
    for word in function_name.split('_').filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.push_str(letters.as_str());
    }
    // `self_` makes the only keyword that this can make.
    if name == "Self" {
        name.push('_');
    }
    Ident::new(&name, function.span())
}

/// The attributes of a kernel that its dispatch type shares: documentation and `cfg`.
pub(super) fn shared_attrs(attrs: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("doc") || attr.path().is_ident("cfg"))
}

/// `struct Saxpy;` with its documentation.
pub(super) fn dispatch_struct(function: &Ident, vis: &syn::Visibility, attrs: &[syn::Attribute]) -> TokenStream {
    let name = type_name(function);
    let shared = shared_attrs(attrs);
    let sentence = format!("Launches the kernel `{function}`: see [`dispatch`](Self::dispatch).");
    quote! {
        #(#shared)*
        #[doc = ""]
        #[doc = #sentence]
        #[derive(Debug, Clone, Copy)]
        #[allow(non_camel_case_types)]
        #vis struct #name;
    }
}

/// `impl Saxpy { fn dispatch(…) }`.
pub(super) fn dispatch_impl(function: &Fn, krate: &TokenStream) -> TokenStream {
    let private = quote!(#krate::__private);
    let (name, vis) = (type_name(&function.name), &function.vis);
    // Hygiene keeps these apart from the author's names.
    let local = |name| Ident::new(name, Span::mixed_site());
    let (seq, grid, args) = (local("seq"), local("grid"), local("args"));
    let params = function.params.iter().map(|param| dispatch_param(param, &private));
    let pushes = function.params.iter().map(|param| {
        let name = &param.name;
        match &param.ty.kind {
            TypeKind::Slice { mutable: true, .. } => quote!(.write(#name)),
            TypeKind::Slice { mutable: false, .. } => quote!(.read(#name)),
            _ => quote!(.value(#name)),
        }
    });
    let doc = format!("Records a launch of the kernel `{}` into `seq`.", function.name);
    let cfgs = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    quote! {
        #(#cfgs)*
        impl #name {
            #[doc = #doc]
            ///
            /// # Errors
            /// When an argument belongs to another manager or is used already, or when the device cannot run the kernel.
            #[allow(dead_code, clippy::too_many_arguments)]
            #vis fn dispatch(#seq: &#private::Sequence, #grid: #private::Grid, #(#params),*) -> #private::Result<()> {
                let #args = #private::KernelArgs::new::<Self>() #(#pushes)*;
                #seq.dispatch(#grid, #args)
            }
        }
    }
}

fn dispatch_param(param: &Param, private: &TokenStream) -> TokenStream {
    let name = &param.name;
    let span = param.ty.span.start;
    match &param.ty.kind {
        TypeKind::Slice { mutable, element } => {
            let element = &element.tokens;
            let mutable = mutable.then(|| quote_spanned!(span=> mut));
            quote_spanned!(span=> #name: &#mutable #private::Tensor<#element>)
        }
        _ => {
            let ty = &param.ty.tokens;
            quote!(#name: #ty)
        }
    }
}
