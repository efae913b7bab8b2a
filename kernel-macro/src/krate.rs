//! The facade's path in the crate that is being compiled.

use std::sync::Mutex;

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The last answer, with the manifest folder it is for.
static CACHE: Mutex<Option<(String, String)>> = Mutex::new(None);

/// `::gridwise`, or what the crate calls it.
pub(crate) fn facade_path() -> TokenStream {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let mut cache = CACHE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let name = match &*cache {
        Some((known, name)) if *known == manifest => name.clone(),
        _ => {
            // The facade names itself `gridwise`, too; without a manifest the usual name is the best guess.
            let name = match crate_name("gridwise") {
                Ok(FoundCrate::Name(name)) => name,
                Ok(FoundCrate::Itself) | Err(_) => "gridwise".to_owned(),
            };
            *cache = Some((manifest, name.clone()));
            name
        }
    };
    let name = Ident::new(&name, Span::call_site());
    quote!(::#name)
}
