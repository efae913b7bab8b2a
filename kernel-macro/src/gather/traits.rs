//! Traits that an item imports for their methods alone: no path in it names them, so they are looked for in the text of the source
//! files, as rustc would look for them in its scopes.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use super::outline::Kind;
use super::place::{Found, Place, place_of};
use crate::ast::Path;

/// The traits with our attribute that are in scope at an item and have a function of the name of a method that it calls.
/// `in_module`: the item is a module, and what it imports counts.
pub(crate) fn traits_in_scope(item: &TokenStream, from: &Ident, in_module: bool) -> Vec<Path> {
    place_of(from, in_module).map(|place| traits_at(&place, item, from, in_module)).unwrap_or_default()
}

/// The same, in a file that is only a text.
#[cfg(test)]
pub(crate) fn traits_in(item: &TokenStream, from: &Ident, in_module: bool, text: &str) -> Vec<Path> {
    let place = super::place::place_in_text(from, in_module, text);
    place.map(|place| traits_at(&place, item, from, in_module)).unwrap_or_default()
}

fn traits_at(place: &Place, item: &TokenStream, from: &Ident, in_module: bool) -> Vec<Path> {
    // A trait by itself is a unit, too, and stands beside others that may need it.
    if in_module && place.scope().items.iter().any(|item| from == &item.name) {
        return Vec::new();
    }
    let mut found = place.imported_by(imports_of_body(item));
    for place in place.around() {
        // A module knows its own.
        found.extend(if in_module { Vec::new() } else { place.own() });
        let imports = &place.scope().imports;
        found.extend(place.imported_by(imports.iter().map(|import| (import.path.clone(), import.name.clone()))));
    }
    found.retain(|(_, found)| found.item().kind == Kind::Trait && found.is_marked());
    // As a rule there are none, and nobody need look through the item.
    if found.is_empty() {
        return Vec::new();
    }
    let mut called = BTreeSet::new();
    collect_methods(item.clone(), &mut called);
    let wanted = found.into_iter().filter(|(_, found)| has_function(found.text(), &called));
    let path = |(written, _): (Vec<String>, Found)| {
        Path::plain(false, written.iter().map(|segment| Ident::new(segment, from.span())).collect())
    };
    wanted.map(path).collect()
}

/// The imports among the statements of a function: paths and names, as written. Its items are told by their whole paths.
fn imports_of_body(item: &TokenStream) -> Vec<(Vec<String>, Option<String>)> {
    let mut found = Vec::new();
    let Some(TokenTree::Group(body)) = item.clone().into_iter().last() else { return found };
    let has_use = body.stream().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "use"));
    if !has_use {
        return found;
    }
    let Ok(function) = syn::parse2::<syn::ItemFn>(item.clone()) else { return found };
    for statement in &function.block.stmts {
        if let syn::Stmt::Item(syn::Item::Use(import)) = statement {
            leaves(&import.tree, &mut Vec::new(), &mut found);
        }
    }
    found
}

fn leaves(tree: &syn::UseTree, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, Option<String>)>) {
    let leaf = |name: &Ident, path: &[String]| {
        let mut path = path.to_vec();
        path.push(name.to_string());
        // By its path, as the name means nothing outside of the body.
        (path, Some("_".to_owned()))
    };
    match tree {
        syn::UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            leaves(&inner.tree, path, found);
            path.pop();
        }
        syn::UseTree::Name(name) => found.push(leaf(&name.ident, path)),
        syn::UseTree::Rename(rename) => found.push(leaf(&rename.ident, path)),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, path, found)),
        syn::UseTree::Glob(_) => found.push((path.clone(), Some("*".to_owned()))),
    }
}

/// Names of methods that are called: behind a point, before parentheses or generic arguments.
fn collect_methods(tokens: TokenStream, called: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect_methods(group.stream(), called),
            TokenTree::Ident(name) => {
                let is_behind_point =
                    at > 0 && matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == '.');
                let is_called = match tokens.get(at + 1) {
                    Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
                    Some(TokenTree::Punct(punct)) => punct.as_char() == ':',
                    _ => false,
                };
                if is_behind_point && is_called {
                    called.insert(name.to_string());
                }
            }
            _ => {}
        }
    }
}

/// Whether the text of a trait has a function of one of these names.
fn has_function(text: &str, names: &BTreeSet<String>) -> bool {
    let name = |rest: &str| -> String {
        rest.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    };
    text.split("fn ").skip(1).any(|rest| names.contains(&name(rest)))
}

impl Place {
    /// The items of a scope, each with its name.
    fn own(&self) -> Vec<(Vec<String>, Found)> {
        let items = (0..self.scope().items.len()).map(|item| Found { place: self.clone(), item });
        items.map(|found| (vec![found.item().name.clone()], found)).collect()
    }

    /// The items that imports bring into a scope, each with the path by which it is named there.
    fn imported_by(
        &self,
        imports: impl IntoIterator<Item = (Vec<String>, Option<String>)>,
    ) -> Vec<(Vec<String>, Found)> {
        let mut found = Vec::new();
        for (path, name) in imports {
            match name {
                Some(name) if name == "*" => {
                    let own = self.find_module(&path).iter().flat_map(Self::own).collect::<Vec<_>>();
                    found.extend(own.into_iter().map(|(name, item)| ([&path[..], &name].concat(), item)));
                }
                Some(name) => {
                    let item = self.find_item(&path);
                    let written = if name == "_" { path } else { vec![name] };
                    found.extend(item.map(|item| (written, item)));
                }
                None => found.extend(self.find_module(&path).iter().flat_map(Self::own)),
            }
        }
        found
    }
}
