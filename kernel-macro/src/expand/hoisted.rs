//! Items inside the functions of a `#[device] mod` become items of the module, so that kernels know them: functions, types, traits and
//! their `impl`s. They stay where they are, and are refused there, where that might change what a name means.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

use super::globs::{blocks, names_any};
use super::renamed::renamed;
use crate::parse::{SourceItem, SourceItems};

/// `host`: the module's other items.
pub(super) fn hoist(items: &mut SourceItems, host: &[syn::Item]) {
    let mut at = 0;
    // Those that are moved may have items inside themselves.
    while at < items.0.len() {
        for body in 0..blocks(&mut items.0[at]).len() {
            rename_taken(items, host, (at, body));
            let inner = blocks(&mut items.0[at]).swap_remove(body).clone();
            if let Some(moved) = movable(&inner, (items, at, body), host) {
                blocks(&mut items.0[at])[body].stmts.retain(|statement| moved_item(statement).is_none());
                items.0.extend(moved);
            }
        }
        at += 1;
    }
}

/// Gives the functions of a body names of their own, where something else of the module has theirs, too.
fn rename_taken(items: &mut SourceItems, host: &[syn::Item], (at, number): (usize, usize)) {
    let inner = blocks(&mut items.0[at]).swap_remove(number).clone();
    for statement in &inner.stmts {
        let syn::Stmt::Item(syn::Item::Fn(function)) = statement else { continue };
        let name = &function.sig.ident;
        if !is_taken(items, host, (at, number), name) {
            continue;
        }
        let own = (0..).map(|count| Ident::new(&format!("{name}_{count}"), name.span()));
        let other = own.into_iter().find(|own| {
            let is_own = |tokens: &TokenStream| names_any(tokens, &|word| word == own);
            !items.0.iter().any(|item| is_own(&item.to_token_stream()))
                && !host.iter().any(|item| is_own(&item.to_token_stream()))
        });
        let Some(other) = other else { continue };
        let body = blocks(&mut items.0[at]).swap_remove(number).clone();
        if let Some(body) = renamed(&body, name, &other) {
            *blocks(&mut items.0[at]).swap_remove(number) = body;
        }
    }
}

/// Whether something of a module besides one body has a name.
fn is_taken(items: &SourceItems, host: &[syn::Item], (at, number): (usize, usize), name: &Ident) -> bool {
    let is_named = |tokens: &TokenStream| names_any(tokens, &|word| word == name);
    let mut around = items.0[at].clone();
    blocks(&mut around)[number].stmts.clear();
    let mut others = items.0.iter().enumerate().filter(|(other, _)| *other != at);
    others.any(|(_, item)| is_named(&item.to_token_stream()))
        || host.iter().any(|item| is_named(&item.to_token_stream()))
        || is_named(&around.to_token_stream())
}

/// The items of a body, if all may move.
fn movable(
    body: &syn::Block,
    (items, at, number): (&SourceItems, usize, usize),
    host: &[syn::Item],
) -> Option<Vec<SourceItem>> {
    let moved: Vec<SourceItem> = body.stmts.iter().filter_map(moved_item).filter_map(SourceItem::of).collect();
    if moved.is_empty() {
        return None;
    }
    let names: Vec<&Ident> = moved.iter().filter_map(SourceItem::name).map(|(name, _)| name).collect();
    // Their own imports and consts stay in the function.
    let stays = |statement: &syn::Stmt| matches!(statement, syn::Stmt::Item(_)) && moved_item(statement).is_none();
    let is_named = |tokens: &TokenStream| names_any(tokens, &|word| names.contains(&word));
    let others = items.0.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, item)| item.to_token_stream());
    let mut others = others.chain(host.iter().map(ToTokens::to_token_stream));
    // The signature, and the other functions of an `impl`, have no part in a body's names.
    let mut around = items.0[at].clone();
    blocks(&mut around)[number].stmts.clear();
    let is_free = !body.stmts.iter().any(stays)
        && !others.any(|tokens| is_named(&tokens))
        && !is_named(&around.to_token_stream());
    is_free.then_some(moved)
}

/// The item that a statement is, of those that may move.
pub(super) fn moved_item(statement: &syn::Stmt) -> Option<&syn::Item> {
    match statement {
        syn::Stmt::Item(
            item @ (syn::Item::Fn(_)
            | syn::Item::Struct(_)
            | syn::Item::Enum(_)
            | syn::Item::Impl(_)
            | syn::Item::Trait(_)
            | syn::Item::Type(_)),
        ) => Some(item),
        _ => None,
    }
}
