//! The hidden macro beside each device item, by which other expansions gather it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident};
use syn::Visibility;
use syn::ext::IdentExt as _;

use crate::emit::tokens::tokens;
use crate::gather::{Closure, key_digest};

/// A macro that hands `closure` to its callback, named like the item and as visible.
pub(crate) fn item_macro(name: &Ident, vis: &Visibility, key: &str, closure: &Closure) -> TokenStream {
    let macro_name = format_ident!("__gridwise_{}_{}", name.unraw(), key_digest(key), span = name.span());
    let export = matches!(vis, Visibility::Public(_)).then(|| tokens!(#[macro_export]));
    let closure = closure.to_token_stream();
    let macro_and_name = tokens! {
        #[doc(hidden)]
        #export
        #[allow(unused_macros, non_local_definitions, clippy::crate_in_macro_def)]
        macro_rules! #macro_name {
            ([$($callback:tt)*] { $($state:tt)* }) => { $($callback)* ! { $($state)* => #closure } };
        }
        #[doc(hidden)]
        #[allow(unused_imports, unreachable_pub)]
        #vis use #macro_name as #name;
    };
    macro_and_name.into()
}
