//! `#[derive(GpuData)]`.

use proc_macro2::TokenStream;
use quote::ToTokens;

use super::incomplete::check_incomplete;
use super::{Finished, advance, errors_of, internal_error, start, wrong_item};
use crate::ast::{Item, SpanRange};
use crate::diag::Diagnostics;
use crate::emit::codegen::{check_fields, check_repr, data_assertions, data_impls, item_macro};
use crate::gather::{Closure, Entry, EntryKind, Place, State, names_of_struct};
use crate::infer::infer_item;
use crate::krate::facade_path;
use crate::parse::parse_struct;
use crate::program::assemble::{AssembleError, MainItem, assemble};

/// Expands `#[derive(GpuData)] item`.
pub(crate) fn gpu_data(item: TokenStream) -> TokenStream {
    let Ok(input) = syn::parse2::<syn::DeriveInput>(item.clone()) else {
        return wrong_item(SpanRange::of(item), "`GpuData` is for structs", "put it on a struct");
    };
    if input.attrs.iter().any(|attr| attr.path().is_ident("__gridwise_member")) {
        // The module around does the rest.
        return data_impls(&input, &facade_path());
    }
    let mut diags = Diagnostics::new();
    let state = gpu_data_state(&input, &mut diags);
    let failed = diags.has_errors();
    let mut tokens = errors_of(diags);
    tokens.extend(data_impls(&input, &facade_path()));
    tokens.extend(if failed { broken_macro(&input, &state.key) } else { advance(state) });
    tokens
}

/// The first half, up to the first checkpoint: what there is to gather.
pub(crate) fn gpu_data_state(input: &syn::DeriveInput, diags: &mut Diagnostics) -> State {
    let parsed = parse_struct(input, diags);
    if matches!(input.data, syn::Data::Struct(_)) {
        check_repr(input, diags);
    }
    let todo = names_of_struct(&parsed);
    start(EntryKind::Struct, &input.ident, TokenStream::new(), bare_tokens(input), todo)
}

/// The second half, with everything gathered.
pub(super) fn finish(state: State, diags: &mut Diagnostics) -> Finished {
    let Ok(input) = syn::parse2::<syn::DeriveInput>(state.item.clone()) else { return Finished::default() };
    let parsed = parse_struct(&input, diags);
    let place = Place::of(&input.ident);
    let main = MainItem { item: Item::Struct(parsed.clone()), file: place.file.clone(), position: place.position };
    let compiled = match assemble(main, state.done) {
        Ok(mut assembled) if !assembled.program.lost.is_empty() => {
            let id = assembled.item;
            check_incomplete(&mut assembled.program, |program, diags| infer_item(program, id, diags), diags);
            None
        }
        Ok(mut assembled) => {
            infer_item(&mut assembled.program, assembled.item, diags);
            check_fields(&assembled.program, assembled.item, &parsed, diags);
            Some(assembled).filter(|_| !diags.has_errors())
        }
        Err(AssembleError(detail)) => {
            internal_error(&input.ident, "gathering", &detail, diags);
            None
        }
    };
    let Some(assembled) = compiled else {
        return Finished { tokens: broken_macro(&input, &state.key), closure: Closure::Broken };
    };
    let mut tokens = data_assertions(&assembled.program, assembled.item, &parsed, &facade_path());
    let mut entries = assembled.entries;
    entries.push(Entry {
        key: state.key.clone(),
        file: place.file,
        position: place.position,
        kind: EntryKind::Struct,
        tokens: state.item,
        uses: assembled.uses,
    });
    let closure = Closure::Items(entries);
    tokens.extend(item_macro(&input.ident, &input.vis, &state.key, &closure));
    Finished { tokens, closure }
}

fn broken_macro(input: &syn::DeriveInput, key: &str) -> TokenStream {
    item_macro(&input.ident, &input.vis, key, &Closure::Broken)
}

/// The struct without attributes, its own and its fields'.
fn bare_tokens(input: &syn::DeriveInput) -> TokenStream {
    let mut bare = input.clone();
    bare.attrs.clear();
    if let syn::Data::Struct(data) = &mut bare.data {
        data.fields.iter_mut().for_each(|field| field.attrs.clear());
    }
    bare.into_token_stream()
}
