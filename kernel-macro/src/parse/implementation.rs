//! `impl` blocks and traits, taken apart: what they say about types, and their functions and consts as items of their own.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, ImplItem, ReceiverKind, TraitItem};

use super::Parser;
use super::item::{Role, parse_fn, parse_owned_const};
use crate::ast::{Impl, Item, Lent, Trait, TypeExpr};
use crate::diag::Diagnostics;

/// Parses an `impl`, and its functions and consts.
pub(crate) fn parse_impl(item: &syn::ItemImpl, diags: &mut Diagnostics) -> (Impl, Vec<Item>) {
    let mut parser = Parser::new(diags);
    parser.owned = true;
    if let Some(keyword) = &item.unsafety {
        parser.unsupported(keyword, "`unsafe impl` is", "remove the keyword");
    }
    let generics = parser.generics(&item.generics);
    // An operator's references stand for the values that they lead to, as its operands do.
    let is_operator = item.trait_.as_ref().is_some_and(|(path, _)| is_operator(path));
    let of_totals = item.trait_.as_ref().is_some_and(|(path, _)| is_total(path));
    parser.lends = is_operator || of_totals;
    let of = item.trait_.as_ref().and_then(|(path, _)| parser.path(path));
    let self_ty = match (&*item.self_ty, &of) {
        (syn::Type::Reference(reference), Some(of)) if !parser.lends => {
            let name = reference.elem.to_token_stream().to_string();
            let of = of.segments.last().map(ToString::to_string).unwrap_or_default();
            let help = match of.as_str() {
                "IntoIterator" => {
                    "write a method that gives the iterator, `fn iter(&self) -> impl Iterator<Item = T>`, and `for v in x.iter()`"
                        .to_owned()
                }
                _ => format!("write `impl {of} for {name}`, whose methods with `&self` are called by references, too"),
            };
            parser.unsupported(&item.self_ty, "an `impl` for a reference is", &help);
            parser.ty(&reference.elem)
        }
        _ => parser.ty(&item.self_ty),
    };
    parser.lends = false;
    let right = of.as_ref().and_then(|path| path.last_args()?.args.first()?.ty.as_ref());
    let lent = Lent { left: is_operator && is_lent(&self_ty), right: is_operator && right.is_some_and(is_lent) };
    let mut words = Vec::new();
    let mut types = Vec::new();
    let mut members = Vec::new();
    // References that functions return are refused, but here another spelling is meant.
    if let Some((name, help)) = of.as_ref().and_then(|path| unsupported_trait(path.segments.last()?)) {
        let what = format!("`impl {name}` is");
        parser.unsupported(item.trait_.as_ref().map(|(path, _)| path), &what, help);
        return (Impl { generics, of, self_ty, lent, words, types }, members);
    }
    let gives_place =
        of.as_ref().and_then(|path| path.segments.last()).is_some_and(|name| name == "Index" || name == "IndexMut");
    for member in &item.items {
        match member {
            ImplItem::Type(syn::ImplItemType { ty: syn::Type::Slice(slice), .. }) if gives_place => {
                let help = "give an array, `[T; N]`, or one element";
                parser.unsupported(slice, "an `Output` that is a slice is", help);
            }
            ImplItem::Type(alias) => types.push((alias.ident.clone(), parser.ty(&alias.ty))),
            ImplItem::Fn(function) => {
                if is_operator || of_totals {
                    add_words(function.block.to_token_stream(), &mut words);
                }
                let role = if gives_place { Role::Element } else { Role::Method };
                members.push(Item::Fn(parse_fn(&item_fn(function), role, parser.diags)));
            }
            ImplItem::Const(constant) => {
                let value = &constant.expr;
                members.push(Item::Const(parse_owned_const(&constant.ident, &constant.ty, value, parser.diags)));
            }
            other => {
                parser.unsupported(other, "this member of an `impl` is", "an `impl` has functions, consts and types");
            }
        }
    }
    (Impl { generics, of, self_ty, lent, words, types }, members)
}

/// Whether a trait is that of an operator whose operands may be references.
fn is_operator(path: &syn::Path) -> bool {
    const NAMES: [&str; 10] = ["Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr"];
    path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name == "Neg" || name == "Not" || NAMES.contains(&name.strip_suffix("Assign").unwrap_or(&name))
    })
}

/// Whether a trait is that of `sum` or `product`, which may be of references.
fn is_total(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "Sum" || last.ident == "Product")
}

/// The words of tokens, without `&` and `*` that stand before an operand.
fn add_words(tokens: TokenStream, words: &mut Vec<String>) {
    let mut is_before_operand = true;
    for token in tokens {
        let is_prefix = |punct: &proc_macro2::Punct| matches!(punct.as_char(), '&' | '*');
        match &token {
            TokenTree::Punct(punct) if is_before_operand && is_prefix(punct) => continue,
            TokenTree::Group(group) => {
                words.push(format!("{:?}", group.delimiter()));
                add_words(group.stream(), words);
                words.push(String::new());
            }
            other => words.push(other.to_string()),
        }
        is_before_operand = matches!(token, TokenTree::Punct(_));
    }
}

/// Whether a type is a reference as written.
fn is_lent(ty: &TypeExpr) -> bool {
    matches!(ty.tokens.clone().into_iter().next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '&')
}

/// A trait whose functions return references or run unasked, and what to write instead.
fn unsupported_trait(name: &proc_macro2::Ident) -> Option<(String, &'static str)> {
    let name = name.to_string();
    let help = match name.as_str() {
        "Deref" | "AsRef" | "Borrow" => "write a method that gives the value",
        "FromIterator" | "Extend" => {
            "devices have no memory to collect into: write a function with the iterator as a parameter, which fills an array, `for (slot, v) in own.iter_mut().zip(it) { *slot = v; }`"
        }
        "Drop" => "a device ends no values: do the work in a method that takes `self`, and call it",
        "DerefMut" | "AsMut" | "BorrowMut" => "write a method that stores a value",
        _ => return None,
    };
    Some((name, help))
}

/// Parses a trait, and its functions that have a body.
pub(crate) fn parse_trait(item: &syn::ItemTrait, diags: &mut Diagnostics) -> (Trait, Vec<Item>) {
    let mut parser = Parser::new(diags);
    parser.owned = true;
    if let Some(keyword) = &item.unsafety {
        parser.unsupported(keyword, "`unsafe trait` is", "remove the keyword");
    }
    let generics = parser.generics(&item.generics);
    parser.refuse_lifetimes(&item.generics, "leave them out: kernels hold values");
    let supertraits = parser.bounds(&item.supertraits);
    let (mut members, mut methods) = (Vec::new(), Vec::new());
    for member in &item.items {
        match member {
            TraitItem::Fn(function) => {
                if let Some(FnArg::Receiver(receiver)) = function.sig.inputs.first() {
                    let writes = matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)));
                    methods.push((function.sig.ident.clone(), writes));
                }
                if let Some(function) = default_fn(function) {
                    members.push(Item::Fn(parse_fn(&function, Role::Method, parser.diags)));
                }
            }
            TraitItem::Const(constant) => {
                if let Some((_, value)) = &constant.default {
                    members.push(Item::Const(parse_owned_const(&constant.ident, &constant.ty, value, parser.diags)));
                }
            }
            TraitItem::Type(_) => {}
            other => {
                parser.unsupported(other, "this member of a trait is", "a trait has functions, consts and types");
            }
        }
    }
    (Trait { name: item.ident.clone(), generics, supertraits, methods }, members)
}

/// A function of an `impl` as a free function; `self` stays a parameter.
pub(crate) fn item_fn(function: &syn::ImplItemFn) -> syn::ItemFn {
    syn::ItemFn {
        attrs: function.attrs.clone(),
        vis: function.vis.clone(),
        modifiers: function.modifiers.clone(),
        sig: function.sig.clone(),
        block: Box::new(function.block.clone()),
    }
}

/// A function of a trait with a body as a free function.
pub(crate) fn default_fn(function: &syn::TraitItemFn) -> Option<syn::ItemFn> {
    let block = Box::new(function.default.clone()?);
    Some(syn::ItemFn {
        attrs: function.attrs.clone(),
        vis: syn::Visibility::Inherited,
        modifiers: function.modifiers.clone(),
        sig: function.sig.clone(),
        block,
    })
}
