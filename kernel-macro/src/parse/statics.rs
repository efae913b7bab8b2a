//! Statics that do not change are consts to kernels: nothing can tell the two apart.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// Types that are changed behind a shared reference.
const CELLS: [&str; 8] = ["Mutex", "RwLock", "OnceLock", "LazyLock", "Cell", "RefCell", "OnceCell", "UnsafeCell"];

/// The const with a static's value; `None` of one that may change.
pub(crate) fn const_of_static(item: &syn::ItemStatic) -> Option<syn::ItemConst> {
    if !matches!(item.mutability, syn::StaticMutability::None) || names_cell(item.ty.to_token_stream()) {
        return None;
    }
    let syn::ItemStatic { attrs, vis, static_token, ident, ty, expr, .. } = item;
    let keyword = Ident::new("const", static_token.span);
    syn::parse2(quote!(#(#attrs)* #vis #keyword #ident: #ty = #expr;)).ok()
}

fn names_cell(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => {
            let word = word.to_string();
            word.starts_with("Atomic") || CELLS.contains(&word.as_str())
        }
        TokenTree::Group(group) => names_cell(group.stream()),
        _ => false,
    })
}
