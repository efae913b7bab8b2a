//! Expands all marked items of a source text in order, taking the place of rustc's name resolution.

use std::collections::BTreeMap;
use std::path::Path;

use expect_test::Expect;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

use super::super::own_items::set_apart;
use super::super::{Finished, device, finish, globs, gpu_data, incomplete, kernel, module, report_depth};
use crate::diag::Diagnostics;
use crate::diag::test_support::render;
use crate::gather::{Closure, Lookup, Resumed, State, seek_in, traits_in};
use crate::guard::{beyond, on_own_stack};
use crate::spirv_file;

/// The expansion of a source text.
pub(super) struct Expanded {
    pub(super) errors: String,
    /// By the item's name.
    pub(super) tokens: BTreeMap<String, TokenStream>,
}

/// Compares the errors of a source text.
pub(super) fn check_errors(source: &str, expected: Expect) {
    check_each(&[source], expected);
}

/// Compares the errors of source texts, each by itself, one after the other.
pub(super) fn check_each(sources: &[&str], expected: Expect) {
    expected.assert_eq(&sources.iter().map(|source| expand_source(source).errors).collect::<String>());
}

/// Expands a source text without errors.
pub(super) fn accepted(source: &str) -> Expanded {
    let expanded = expand_source(source);
    assert_eq!(expanded.errors, "", "errors in\n{source}");
    expanded
}

/// Expands a source text. Paths are looked up by their last segment among the items above.
pub(super) fn expand_source(source: &str) -> Expanded {
    on_own_stack(|levels| {
        let tokens: TokenStream = source.parse().expect("the test has tokens");
        if let Some(at) = beyond(&tokens, levels) {
            let mut diags = Diagnostics::new();
            report_depth(at, &mut diags);
            return Expanded { errors: render(diags, source), tokens: BTreeMap::new() };
        }
        expand_file(syn::parse2(tokens).expect("the test is Rust"), source)
    })
}

/// Expands parsed items; `source` is for the errors.
pub(super) fn expand_file(file: syn::File, source: &str) -> Expanded {
    let mut diags = Diagnostics::new();
    let mut closures = BTreeMap::new();
    let mut tokens = BTreeMap::new();
    for item in file.items {
        let members = match &item {
            syn::Item::Mod(item) => member_names(item),
            _ => Vec::new(),
        };
        if let syn::Item::Macro(item) = &item {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/tests/modules");
            let items = spirv_file::include_or_report(item.mac.tokens.clone(), Some(folder), &mut diags);
            tokens.insert("include_spirv".to_owned(), items.unwrap_or_default());
            continue;
        }
        let Some((name, state)) = start_item(item, &mut diags) else { continue };
        let finished = match state {
            Some(mut state) => {
                let seek = |path: &crate::ast::Path, from: &Ident, in_module| {
                    // Members of a module above are known here without an import.
                    let is_above = path.segments.last().is_some_and(|last| closures.contains_key(&last.to_string()));
                    match seek_in(path, from, in_module, source) {
                        Lookup::Absent if is_above => Lookup::Marked,
                        lookup => lookup,
                    }
                };
                incomplete::leave_unmarked(&mut state, &seek, &mut diags);
                gather(state, &closures, &mut diags)
            }
            None => Finished::default(),
        };
        // An item of a module hands out all of them, so any stands for the module.
        for member in members {
            closures.insert(member.clone(), with_member(&finished.closure, &member));
        }
        closures.insert(name.clone(), finished.closure);
        tokens.insert(name, finished.tokens);
    }
    Expanded { errors: render(diags, source), tokens }
}

/// The item's name, and its gathering if there is one to do.
fn start_item(item: syn::Item, diags: &mut Diagnostics) -> Option<(String, Option<State>)> {
    let mut here = Diagnostics::new();
    let (name, state) = match item {
        syn::Item::Struct(item) => {
            let input = syn::parse2(item.to_token_stream()).expect("a struct can be derived from");
            let state = gpu_data::gpu_data_state(&input, &mut here);
            (input.ident.to_string(), Some(state))
        }
        syn::Item::Fn(mut item) => {
            let attr = take_first(&mut item.attrs)?;
            let arguments = match &attr.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let name = item.sig.ident.to_string();
            if attr.path().is_ident("kernel") {
                let tokens = item.to_token_stream();
                let kernel = kernel::KernelItem::read(arguments.clone(), &tokens, &mut here).expect("a function");
                let names = kernel.names(&mut here);
                (name, Some(kernel.state(arguments, tokens, names)))
            } else {
                (name, Some(start_device(item.to_token_stream(), &mut here)))
            }
        }
        syn::Item::Const(mut item) => {
            take_first(&mut item.attrs)?;
            (item.ident.to_string(), Some(start_device(item.to_token_stream(), &mut here)))
        }
        syn::Item::Mod(item) => {
            let items = item.content.expect("a module with items").1;
            let state = module::test_state(&item.ident, items, &mut here);
            (item.ident.to_string(), Some(state))
        }
        _ => return None,
    };
    let state = state.filter(|_| !here.has_errors());
    diags.append(here);
    Some((name, state))
}

/// The attribute of an item; one without is no item of ours.
fn take_first(attrs: &mut Vec<syn::Attribute>) -> Option<syn::Attribute> {
    (!attrs.is_empty()).then(|| attrs.remove(0))
}

fn member_names(item: &syn::ItemMod) -> Vec<String> {
    let items = item.content.iter().flat_map(|(_, items)| items);
    let names = items.filter_map(|item| match item {
        syn::Item::Struct(item) => Some(item.ident.to_string()),
        syn::Item::Enum(item) => Some(item.ident.to_string()),
        syn::Item::Trait(item) => Some(item.ident.to_string()),
        syn::Item::Fn(item) => Some(item.sig.ident.to_string()),
        syn::Item::Const(item) => Some(item.ident.to_string()),
        syn::Item::Type(item) => Some(item.ident.to_string()),
        _ => None,
    });
    names.collect()
}

/// A closure of a module for another of its items.
fn with_member(closure: &Closure, name: &str) -> Closure {
    let mut closure = closure.clone();
    if let Closure::Items(entries) = &mut closure
        && let Some(last) = entries.last_mut()
        && let Some((module, _)) = last.key.rsplit_once('#')
    {
        last.key = format!("{module}#{name}");
    }
    closure
}

fn start_device(item: TokenStream, diags: &mut Diagnostics) -> State {
    let read = device::DeviceItem::read(&item).expect("the test is a device item");
    device::device_state(&read, item, diags).1
}

/// Takes each path to the item of that name, through the tokens that rustc would carry.
fn gather(mut state: State, closures: &BTreeMap<String, Closure>, diags: &mut Diagnostics) -> Finished {
    while !state.todo.is_empty() {
        let path = state.todo.remove(0);
        let name = path.segments.last().expect("a path has segments").to_string();
        let closure = closures.get(&name).unwrap_or_else(|| panic!("the test has no item `{name}`"));
        let text = path.text();
        let resumed = quote::quote!(#state #text => #closure);
        state = syn::parse2::<Resumed>(resumed).expect("a state reads what it writes").0;
    }
    finish(state, diags)
}

/// Reports what is wrong with an item whatever it names; whether it is one of ours. Functions with items of their own are read apart.
pub(super) fn errors_without_names(mut item: syn::Item, source: &str, diags: &mut Diagnostics) -> bool {
    let tokens = item.to_token_stream();
    let is_module = matches!(item, syn::Item::Mod(_));
    let (attrs, name) = match &mut item {
        syn::Item::Fn(item) if set_apart("kernel", &TokenStream::new(), &tokens).is_none() => {
            (&mut item.attrs, item.sig.ident.clone())
        }
        syn::Item::Const(item) => (&mut item.attrs, item.ident.clone()),
        syn::Item::Mod(item) => (&mut item.attrs, item.ident.clone()),
        _ => return false,
    };
    attrs.retain(|attr| ["kernel", "device"].iter().any(|name| attr.path().is_ident(name)));
    let is_ours = !attrs.is_empty();
    if is_ours
        && let Some((_, Some(mut state))) = start_item(item, diags)
        && !globs::is_first(&state)
    {
        state.todo.extend(traits_in(&tokens, &name, is_module, source));
        incomplete::report_without_names(state, diags);
    }
    is_ours
}
