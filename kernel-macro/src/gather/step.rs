//! The steps of a gathering between its first and its last: what came goes into the state, and the next path is asked for.
//! They move groups of tokens without a look inside, except for the keys of items, so that a step costs little however
//! much was gathered. Tokens that are no state are left to [`Resumed`](super::Resumed), which says what is wrong.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::parse::Parser as _;

use super::state::{ask, paths_of};

/// Tokens of an [`Entry`](super::Entry), and the place of its key among them.
const ENTRY: usize = 7;
const KEY: usize = 1;

/// The call of the next item's macro; `None` where nothing is left to ask for.
pub(crate) fn step(tokens: &TokenStream, krate: &TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let [kind, key, attr, item, TokenTree::Group(done), TokenTree::Group(todo), rest @ ..] = tokens.as_slice() else {
        return None;
    };
    if todo.stream().is_empty() {
        return None;
    }
    let mut todo = paths_of.parse2(todo.stream()).ok()?;
    let path = todo.remove(0);
    let todo = todo.iter().map(super::path_tokens);
    let (debug, rest) = match rest {
        [TokenTree::Ident(debug), rest @ ..] => (Some(debug), rest),
        rest => (None, rest),
    };
    let [current @ TokenTree::Literal(_), TokenTree::Punct(_), TokenTree::Punct(_), closure @ ..] = rest else {
        return None;
    };
    let closure = without_known(closure, &done.stream());
    let done = done.stream();
    let state = quote!(#kind #key #attr #item { #done #current #closure } [ #(#todo),* ] #debug);
    Some(ask(&path, &state, krate))
}

/// A closure in braces, without the items that others have brought. Its last item is the one that it belongs to, and stays.
fn without_known(closure: &[TokenTree], done: &TokenStream) -> TokenTree {
    let mut known = BTreeSet::new();
    let mut is_whole = false;
    for token in done.clone() {
        match token {
            TokenTree::Group(group) => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                known.extend(tokens.chunks_exact(ENTRY).map(|entry| entry[KEY].to_string()));
            }
            // The names of an enum's variants are looked for in its closure.
            path => is_whole |= path.to_string() == "\"*\"",
        }
    }
    let entries = closure.chunks_exact(ENTRY);
    let is_of_entries = entries.remainder().is_empty();
    let last = entries.len().saturating_sub(1);
    let kept: TokenStream = if is_of_entries && !is_whole {
        let kept = entries.enumerate().filter(|(at, entry)| *at == last || !known.contains(&entry[KEY].to_string()));
        kept.flat_map(|(_, entry)| entry.iter().cloned()).collect()
    } else {
        closure.iter().cloned().collect()
    };
    TokenTree::Group(Group::new(Delimiter::Brace, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::{Closure, Resumed};

    fn entry(name: &str) -> TokenStream {
        let body: TokenStream = format!("fn {name}() {{ {name} }}").parse().expect("tokens");
        quote!(device_fn #name "a.rs" 1u32 2u32 { #body } { "other" #name })
    }

    #[test]
    fn a_step_is_what_reading_the_whole_state_gives() {
        let krate = quote!(::gridwise);
        let (a, b, c) = (entry("a"), entry("b"), entry("c"));
        for debug in [quote!(), quote!(true)] {
            for came in [quote!(#b #c), quote!(!), quote!()] {
                let tokens = quote! {
                    kernel_fn "k" { workgroup = 64 } { fn k() {} } { "a" { #a } } [x::y, ::z] #debug "c" => #came
                };
                let mut read = syn::parse2::<Resumed>(tokens.clone()).expect("a state").0;
                let expected = read.next_call(&krate).expect("a path is left");
                assert_eq!(step(&tokens, &krate).expect("a path is left").to_string(), expected.to_string());
            }
        }
        assert!(step(&quote!(kernel_fn "k" {} {} {} [] "c" => #a), &krate).is_none());
        assert!(step(&quote!(nothing of ours), &krate).is_none());
    }

    #[test]
    fn an_item_comes_once_and_each_closure_keeps_its_own() {
        let krate = quote!(::gridwise);
        let (a, b, c) = (entry("a"), entry("b"), entry("c"));
        let done = |path: &str| {
            let state = quote!(kernel_fn "k" {} {} { #path { #a #b } } [z] "c" => #b #a #c);
            let next = step(&state, &krate).expect("a path is left");
            let mut groups = next.into_iter().filter_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream()),
                _ => None,
            });
            let state = groups.next().expect("the macro's arguments").into_iter().nth(1).expect("a state");
            let TokenTree::Group(state) = state else { panic!("no state") };
            let resumed = state.stream();
            let came = syn::parse2::<Resumed>(quote!(#resumed => !)).expect("a state").0.done.swap_remove(1).1;
            let Closure::Items(items) = came else { panic!("items came") };
            items.into_iter().map(|item| item.key).collect::<String>()
        };
        assert_eq!(done("b"), "c");
        assert_eq!(done("*"), "bac");
    }
}
