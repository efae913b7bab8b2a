//! Items inside a kernel or a `#[device] fn` become those of a hidden `#[device] mod` beside it, from which its body imports them:
//! there the device knows functions, types and their `impl`s together. They mean the same there, as items in a function see
//! nothing of its parameters, generics and variables.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Item, Stmt, Visibility};

use super::globs::names_any;
use super::hoisted::moved_item;
use crate::ast::Path;
use crate::gather::{ITEMS_OF, Lookup, seek};
use crate::krate::facade_path;
use crate::parse::SourceItem;

/// The function and the module of its items; `None` for functions without items, and where the module around has their names.
pub(super) fn set_apart(attribute: &str, attr: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    // Parsing takes longer than a look at the words.
    let TokenTree::Group(body) = item.clone().into_iter().last()? else { return None };
    const KEYWORDS: [&str; 5] = ["fn", "struct", "enum", "trait", "type"];
    let is_keyword = |token| matches!(token, TokenTree::Ident(word) if KEYWORDS.iter().any(|known| word == known));
    if !body.stream().into_iter().any(is_keyword) {
        return None;
    }
    let mut function: syn::ItemFn = syn::parse2(item.clone()).ok()?;
    let mut moved: Vec<Item> = function.block.stmts.iter().filter_map(moved_item).cloned().collect();
    if moved.is_empty() {
        return None;
    }
    // rustc could not tell the macros of two items of one name apart in the module, which sees all that is around it.
    let is_around = |name: &Ident| {
        let path = Path::plain(false, vec![name.clone()]);
        matches!(seek(&path, &function.sig.ident, false), Lookup::Marked | Lookup::Unmarked(_))
    };
    if moved.iter().filter_map(SourceItem::of).any(|item| item.name().is_some_and(|(name, _)| is_around(name))) {
        return None;
    }
    // Consts of the body that no item names stay where they are.
    let mut rest = Vec::new();
    for statement in std::mem::take(&mut function.block.stmts) {
        match statement {
            Stmt::Item(Item::Const(item)) if names(&moved, &item.ident) => moved.push(Item::Const(item)),
            statement if moved_item(&statement).is_none() => rest.push(statement),
            _ => {}
        }
    }
    let imports: Vec<&Stmt> = rest.iter().filter(|statement| matches!(statement, Stmt::Item(Item::Use(_)))).collect();
    // Where the body imports names, those of the module around tell nothing of its items.
    let span = if imports.is_empty() { function.sig.ident.span() } else { Span::call_site() };
    let name = format_ident!("{ITEMS_OF}{}", function.sig.ident, span = span);
    let names = moved.iter().filter_map(SourceItem::of).filter_map(|item| item.name().map(|(name, _)| name.clone()));
    let import: Stmt = syn::parse2(quote!(use #name::{#(#names),*};)).ok()?;
    moved.iter_mut().for_each(show);
    let inside = one_deeper(quote!(#(#imports)* #(#moved)*));
    let krate = facade_path();
    let module = quote! {
        #[doc(hidden)]
        #[allow(unused_imports)]
        #[#krate::device]
        mod #name {
            use super::*;
            #inside
        }
    };
    function.block.stmts = std::iter::once(import).chain(rest).collect();
    let attribute = format_ident!("{attribute}");
    let arguments = (!attr.is_empty()).then(|| quote!((#attr)));
    Some(quote!(#module #[#krate::#attribute #arguments] #function))
}

fn names(items: &[Item], name: &Ident) -> bool {
    items.iter().any(|item| names_any(&item.to_token_stream(), &|word| word == name))
}

/// Lets the function see an item and the parts that it could see without a word.
fn show(item: &mut Item) {
    let show = |vis: &mut Visibility| {
        if matches!(vis, Visibility::Inherited) {
            *vis = syn::parse_quote!(pub(super));
        }
    };
    match item {
        Item::Fn(item) => show(&mut item.vis),
        Item::Const(item) => show(&mut item.vis),
        Item::Struct(item) => {
            show(&mut item.vis);
            item.fields.iter_mut().for_each(|field| show(&mut field.vis));
        }
        Item::Enum(item) => show(&mut item.vis),
        Item::Trait(item) => show(&mut item.vis),
        Item::Type(item) => show(&mut item.vis),
        Item::Impl(item) if item.trait_.is_none() => item.items.iter_mut().for_each(|member| match member {
            syn::ImplItem::Fn(member) => show(&mut member.vis),
            syn::ImplItem::Const(member) => show(&mut member.vis),
            _ => {}
        }),
        _ => {}
    }
}

/// Paths that begin at the module around, as a module inside it writes them.
fn one_deeper(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let mut deeper = TokenStream::new();
    for (at, token) in tokens.iter().enumerate() {
        let begins_path = is_colon(at + 1) && is_colon(at + 2) && (at == 0 || !is_colon(at - 1));
        match token {
            TokenTree::Ident(word) if begins_path && word == "self" => {
                deeper.extend([TokenTree::Ident(Ident::new("super", word.span()))]);
            }
            TokenTree::Ident(word) if begins_path && word == "super" => {
                let span = word.span();
                deeper.extend(quote_spanned!(span=> super::super));
            }
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), one_deeper(group.stream()));
                inside.set_span(group.span());
                deeper.extend([TokenTree::Group(inside)]);
            }
            other => deeper.extend([other.clone()]),
        }
    }
    deeper
}
