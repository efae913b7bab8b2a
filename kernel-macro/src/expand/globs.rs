//! `use State::*;` in functions, and what a `#[device] mod` imports for all of its functions: rewritten as `use` of
//! single names, which the parser knows. The names come from the enum's tokens, which are gathered first.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::UseTree;

use crate::ast::{Path, SpanRange};
use crate::diag::{Diagnostics, code};
use crate::gather::{Closure, Entry, EntryKind, State};
use crate::parse::{SourceItem, SourceItems};
use crate::program::module::member_key;

/// In `done`, what says that the item is still to be rewritten.
const MARK: &str = "*";

/// The gathering of the enums alone.
pub(super) fn gather_first(state: State, globs: &[Path]) -> State {
    let mut state = State { todo: globs.to_vec(), ..state };
    let mut seen = std::collections::BTreeSet::new();
    state.todo.retain(|path| seen.insert(path.text()));
    state.done.push((MARK.to_owned(), Closure::Items(Vec::new())));
    state
}

/// Whether a gathering is that of the enums alone.
pub(super) fn is_first(state: &State) -> bool {
    state.done.iter().any(|(path, _)| path == MARK)
}

/// Rewrites the item of a gathering that began with [`gather_first`]; `false` for another one.
pub(super) fn rewrite_item(state: &mut State, diags: &mut Diagnostics) -> bool {
    let Some(mark) = state.done.iter().position(|(path, _)| path == MARK) else { return false };
    state.done.remove(mark);
    let done = &mut state.done;
    let mut variants = |path: &Path| {
        let text = path.text();
        // A name may have been imported itself.
        let is_meant =
            |known: &str| known == text || known.strip_suffix(&text).is_some_and(|rest| rest.ends_with("::"));
        let (_, closure) = done.iter_mut().find(|(known, _)| is_meant(known))?;
        let Closure::Items(entries) = closure else { return Some(Vec::new()) };
        let found = variants_in(entries);
        if found.is_none() {
            let span = path.segments.last().map_or_else(proc_macro2::Span::call_site, Ident::span);
            let message = format!("`use` of all names of `{text}`, which is no enum, is not supported in kernels");
            diags
                .error(code::UNSUPPORTED_SYNTAX, SpanRange::token(span), message)
                .help(format!("name the items: `use {text}::{{A, B}};`"));
            *closure = Closure::Broken;
        }
        Some(found.unwrap_or_default())
    };
    state.item = rewrite(std::mem::take(&mut state.item), &mut variants);
    true
}

/// The variants of the enum that a closure belongs to.
fn variants_in(entries: &[Entry]) -> Option<Vec<Ident>> {
    let last = entries.last()?;
    let names = |item: &syn::ItemEnum| item.variants.iter().map(|variant| variant.ident.clone()).collect();
    match last.kind {
        EntryKind::Enum => syn::parse2::<syn::ItemEnum>(last.tokens.clone()).ok().map(|item| names(&item)),
        EntryKind::Member => entries.iter().filter(|entry| entry.kind == EntryKind::Module).find_map(|entry| {
            let items = syn::parse2::<SourceItems>(entry.tokens.clone()).ok()?;
            items.0.iter().find_map(|item| match item {
                SourceItem::Enum(item) if member_key(&entry.key, &item.ident) == last.key => Some(names(item)),
                _ => None,
            })
        }),
        _ => None,
    }
}

/// The variants of a path's enum; `None` if they are not known.
type Variants<'v> = dyn FnMut(&Path) -> Option<Vec<Ident>> + 'v;

/// Tokens with all `use` of an enum's names written out.
fn rewrite(tokens: TokenStream, variants: &mut Variants<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    let mut taken = names_used(tokens.clone());
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let mut made = Group::new(group.delimiter(), rewrite(group.stream(), variants));
                made.set_span(group.span());
                out.extend([TokenTree::Group(made)]);
            }
            TokenTree::Ident(word) if word == "use" => match read_use(word, &mut tokens) {
                Ok(mut read) => {
                    let leading_colon = read.leading_colon.is_some();
                    read.tree = named(read.tree, leading_colon, &mut Vec::new(), &mut taken, variants);
                    read.to_tokens(&mut out);
                }
                Err(item) => out.extend(item),
            },
            other => out.extend([other]),
        }
    }
    out
}

/// The `use` that begins with a word, up to its semicolon; the tokens of something else.
fn read_use(word: Ident, tokens: &mut impl Iterator<Item = TokenTree>) -> Result<syn::ItemUse, TokenStream> {
    let mut item = TokenStream::from(TokenTree::Ident(word));
    for token in tokens {
        let is_end = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
        item.extend([token]);
        if is_end {
            break;
        }
    }
    syn::parse2(item.clone()).map_err(|_| item)
}

/// The names that the `use` of one block imports, which hide those that others bring by a star.
fn names_used(tokens: TokenStream) -> Vec<Ident> {
    let mut names = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if let TokenTree::Ident(word) = token
            && word == "use"
            && let Ok(read) = read_use(word, &mut tokens)
        {
            collect(&read.tree, &mut Vec::new(), &mut |_, name| names.push(name.clone()));
        }
    }
    names
}

/// A tree with names in place of the stars that are known, but for those that are taken.
fn named(
    tree: UseTree,
    leading_colon: bool,
    before: &mut Vec<Ident>,
    taken: &mut Vec<Ident>,
    variants: &mut Variants<'_>,
) -> UseTree {
    match tree {
        UseTree::Path(mut path) => {
            before.push(path.ident.clone());
            path.tree = Box::new(named(*path.tree, leading_colon, before, taken, variants));
            before.pop();
            UseTree::Path(path)
        }
        UseTree::Group(mut group) => {
            group.items =
                group.items.into_iter().map(|tree| named(tree, leading_colon, before, taken, variants)).collect();
            UseTree::Group(group)
        }
        UseTree::Glob(glob) => match variants(&Path::plain(leading_colon, before.clone())) {
            Some(names) => {
                let span = glob.star_token.spans[0];
                let mut items = syn::punctuated::Punctuated::new();
                for mut name in names {
                    if !taken.contains(&name) {
                        taken.push(name.clone());
                        name.set_span(span);
                        items.push(UseTree::Name(syn::UseName { ident: name }));
                    }
                }
                UseTree::Group(syn::UseGroup { brace_token: syn::token::Brace(span), items })
            }
            None => UseTree::Glob(glob),
        },
        other => other,
    }
}

/// Gives the functions of a module what the module imports of its own enums and of Rust's library, as far as they name it.
pub(super) fn import_into_functions(device: &mut SourceItems, host: &mut [syn::Item]) {
    let mut uses: Vec<&mut syn::ItemUse> = host
        .iter_mut()
        .filter_map(|item| match item {
            syn::Item::Use(item) => Some(item),
            _ => None,
        })
        .collect();
    if uses.is_empty() {
        return;
    }
    let enums = own_enums(device);
    let mut own = |path: &Path| variants_of(&enums, path);
    let (mut imports, mut taken) = (Vec::new(), Vec::new());
    for item in &uses {
        collect(&item.tree, &mut Vec::new(), &mut |_, name| taken.push(name.clone()));
    }
    for item in uses.iter_mut().filter(|item| item.leading_colon.is_none()) {
        let before = imports.len();
        let tree = named(item.tree.clone(), false, &mut Vec::new(), &mut taken, &mut own);
        collect(&tree, &mut Vec::new(), &mut |path, name| {
            let is_enum = path.len() > 1 && own(&Path::plain(false, path[..path.len() - 1].to_vec())).is_some();
            if is_enum || is_of_library(path) {
                imports.push((name.clone(), quote!(#(#path)::*)));
            }
        });
        // The functions have their own from now on.
        if imports.len() > before {
            item.attrs.push(syn::parse_quote!(#[allow(unused_imports)]));
        }
    }
    if imports.is_empty() {
        return;
    }
    rewrite_own(device);
    for block in device.0.iter_mut().flat_map(blocks) {
        let mut own_names = Vec::new();
        for statement in &block.stmts {
            if let syn::Stmt::Item(syn::Item::Use(item)) = statement {
                collect(&item.tree, &mut Vec::new(), &mut |_, name| own_names.push(name.clone()));
            }
        }
        let tokens = block.to_token_stream();
        let mut used = Vec::new();
        for (name, path) in imports.iter().filter(|(name, _)| !own_names.contains(name)) {
            if names_any(&tokens, &|word| word == name) {
                used.push(syn::parse_quote!(use #path as #name;));
            }
        }
        block.stmts.splice(0..0, used);
    }
}

/// Writes out what the functions of a module import of all names of its own enums.
pub(super) fn rewrite_own(device: &mut SourceItems) {
    let enums = own_enums(device);
    for block in device.0.iter_mut().flat_map(blocks) {
        let tokens = block.to_token_stream();
        if names_any(&tokens, &|word| word == "use")
            && let Ok(read) = syn::parse2(rewrite(tokens, &mut |path| variants_of(&enums, path)))
        {
            *block = read;
        }
    }
}

/// The enums of a module, with their variants.
fn own_enums(device: &SourceItems) -> Vec<(Ident, Vec<Ident>)> {
    let enums = device.0.iter().filter_map(|item| match item {
        SourceItem::Enum(item) => {
            Some((item.ident.clone(), item.variants.iter().map(|variant| variant.ident.clone()).collect()))
        }
        _ => None,
    });
    enums.collect()
}

fn variants_of(enums: &[(Ident, Vec<Ident>)], path: &Path) -> Option<Vec<Ident>> {
    let name = match path.segments.as_slice() {
        [name] => name,
        [module, name] if module == "self" => name,
        _ => return None,
    };
    enums.iter().find(|(known, _)| known == name).map(|(_, variants)| variants.clone())
}

/// Whether a path leads to a function or constant of Rust's library; traits and types are known without.
fn is_of_library(path: &[Ident]) -> bool {
    let [first, .., module, last] = path else { return false };
    let is_function = || last.to_string().starts_with(|first: char| first.is_lowercase());
    let is_module = module == "consts" || module == "mem" || (module == "array" || module == "cmp") && is_function();
    (first == "std" || first == "core") && is_module
}

/// All names that a tree imports, with their paths.
fn collect(tree: &UseTree, before: &mut Vec<Ident>, found: &mut impl FnMut(&[Ident], &Ident)) {
    let (last, name) = match tree {
        UseTree::Path(path) => {
            before.push(path.ident.clone());
            collect(&path.tree, before, found);
            before.pop();
            return;
        }
        UseTree::Group(group) => return group.items.iter().for_each(|tree| collect(tree, before, found)),
        UseTree::Glob(_) => return,
        UseTree::Name(name) => (&name.ident, &name.ident),
        UseTree::Rename(rename) => (&rename.ident, &rename.rename),
    };
    if last != "self" && name != "_" {
        before.push(last.clone());
        found(before, name);
        before.pop();
    }
}

/// The bodies of an item's functions.
pub(super) fn blocks(item: &mut SourceItem) -> Vec<&mut syn::Block> {
    match item {
        SourceItem::Fn(item) => vec![&mut item.block],
        SourceItem::Impl(item) => item
            .items
            .iter_mut()
            .filter_map(|member| match member {
                syn::ImplItem::Fn(function) => Some(&mut function.block),
                _ => None,
            })
            .collect(),
        SourceItem::Trait(item) => item
            .items
            .iter_mut()
            .filter_map(|member| match member {
                syn::TraitItem::Fn(function) => function.default.as_mut(),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn names_any(tokens: &TokenStream, is_meant: &dyn Fn(&Ident) -> bool) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(word) => is_meant(&word),
        TokenTree::Group(group) => names_any(&group.stream(), is_meant),
        _ => false,
    })
}
