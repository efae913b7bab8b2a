//! `#[kernel]`, `#[device]` and `#[derive(GpuData)]`: tokens → AST → gather → infer → check → IR → SPIR-V → generated items.

mod ast;
mod attribute;
mod builtin;
mod check;
mod diag;
mod dump;
mod emit;
mod expand;
mod gather;
mod guard;
mod infer;
mod krate;
mod lower;
mod parse;
mod program;
mod source;
mod spirv_file;
mod typed;

use proc_macro::TokenStream;

use guard::guarded;

#[expect(missing_docs, reason = "the facade documents it where it re-exports it")]
#[proc_macro_attribute]
pub fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    guarded([attr.into(), item.into()], |[attr, item]| expand::kernel(attr, expand::without_invisible(item))).into()
}

#[expect(missing_docs, reason = "the facade documents it where it re-exports it")]
#[proc_macro_attribute]
pub fn device(attr: TokenStream, item: TokenStream) -> TokenStream {
    guarded([attr.into(), item.into()], |[attr, item]| expand::device(attr, expand::without_invisible(item))).into()
}

#[expect(missing_docs, reason = "the facade documents it where it re-exports it")]
#[proc_macro_derive(GpuData, attributes(__gridwise_member))]
pub fn gpu_data(item: TokenStream) -> TokenStream {
    guarded([item.into()], |[item]| expand::gpu_data(expand::without_invisible(item))).into()
}

#[expect(missing_docs, reason = "the facade documents it where it re-exports it")]
#[proc_macro]
pub fn include_spirv(tokens: TokenStream) -> TokenStream {
    let file = tokens.clone().into_iter().next().and_then(|token| token.span().local_file());
    let folder = file.and_then(|file| file.parent().map(std::path::Path::to_owned));
    guarded([tokens.into()], |[tokens]| spirv_file::include(tokens, folder)).into()
}

/// The callback of gathering, called by generated code only. rustc shows its name for an item without a macro.
#[doc(hidden)]
#[proc_macro]
pub fn names_in_kernels_need_the_device_attribute(tokens: TokenStream) -> TokenStream {
    callback(tokens.into()).into()
}

/// The same for the names of Rust's constants.
#[doc(hidden)]
#[proc_macro]
pub fn imported_constants_need_their_whole_path_in_kernels(tokens: TokenStream) -> TokenStream {
    callback(tokens.into()).into()
}

/// The next step of a gathering. The tokens are looked through once, with the last item.
fn callback(tokens: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    expand::step(&tokens).unwrap_or_else(|| guarded([tokens], |[tokens]| expand::resume(tokens)))
}
