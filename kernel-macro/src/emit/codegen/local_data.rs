//! The items beside a `#[device]` struct or enum: its zero, and proof that variants have the numbers kernels use.

use proc_macro2::{Ident, Literal, TokenStream};

use super::generics::bounded;
use crate::ast::{Derives, Enum, Item, Shape, Struct, TypeExpr};
use crate::emit::tokens::{Tokens, tokens, tokens_at};
use crate::program::{ItemId, Program, TypedItem};

/// `Value`, whose zero a read out of range gives. `None` for other items.
pub(crate) fn value_impl(item: &Item, krate: &TokenStream) -> Option<TokenStream> {
    let (name, generics, zero, fields) = match item {
        Item::Struct(Struct { name, generics, fields, shape, .. }) => {
            (name, generics, zero_of(tokens!(Self), fields, *shape, krate), fields)
        }
        Item::Enum(Enum { name, generics, variants, .. }) => {
            let first = variants.first()?;
            let variant = &first.name;
            (name, generics, zero_of(tokens!(Self::#variant), &first.fields, first.shape, krate), &first.fields)
        }
        Item::Fn(_) | Item::Const(_) | Item::Impl(_) | Item::Trait(_) | Item::Alias(_) => return None,
    };
    let derives = match item {
        Item::Struct(Struct { derives, .. }) | Item::Enum(Enum { derives, .. }) => *derives,
        _ => Derives::default(),
    };
    let without_drop = (!derives.copy).then(|| without_drop(name, &generics.source));
    let value = tokens!(#krate::__private::data::Value).into();
    let generics = bounded(&generics.source, fields.iter().map(|(_, ty)| ty.tokens.clone()), &value);
    let (params, args, clauses) = generics.split_for_impl();
    let tokens = tokens_at! {name.span()=>
        #[automatically_derived]
        impl #params #krate::__private::data::Value for #name #args #clauses {
            const ZEROED: Self = #zero;
        }
        #without_drop
    };
    Some(tokens.into())
}

/// Proof that nothing runs where a value ends: a device would not run it. A `Copy` type needs none.
fn without_drop(name: &Ident, generics: &syn::Generics) -> Tokens {
    if generics.params.is_empty() {
        let message = format!(
            "a device ends no values, and `{name}` has a `Drop`, or holds something that has: do the work in a method that takes `self`, and call it"
        );
        return tokens_at! {name.span()=>
            const _: () = ::core::assert!(!::core::mem::needs_drop::<#name>(), #message);
        };
    }
    let (params, args, clauses) = generics.split_for_impl();
    // Whatever the arguments are: two `impl`s where there is a `Drop`.
    tokens_at! {name.span()=>
        const _: () = {
            #[allow(dead_code)]
            trait ADeviceDropsNothing {}
            #[allow(drop_bounds)]
            impl<T: ::core::ops::Drop> ADeviceDropsNothing for T {}
            impl #params ADeviceDropsNothing for #name #args #clauses {}
        };
    }
}

fn zero_of(path: Tokens, fields: &[(Ident, TypeExpr)], shape: Shape, krate: &TokenStream) -> Tokens {
    let zero = |ty: &TypeExpr| {
        let tokens = &ty.tokens;
        tokens_at!(ty.span.start=> <#tokens as #krate::__private::data::Value>::ZEROED)
    };
    match shape {
        Shape::Unit => path,
        Shape::Tuple => {
            let fields = fields.iter().map(|(_, ty)| zero(ty));
            tokens!(#path(#(#fields),*))
        }
        Shape::Named => {
            let fields = fields.iter().map(|(name, ty)| {
                let zero = zero(ty);
                tokens!(#name: #zero)
            });
            tokens!(#path { #(#fields),* })
        }
    }
}

/// Assertions about the numbers of an enum's variants, where Rust has them.
pub(crate) fn discriminant_assertions(program: &Program, item: ItemId) -> TokenStream {
    let (Item::Enum(definition), TypedItem::Enum(variants)) = (&program.items[item].item, &program.items[item].typed)
    else {
        return TokenStream::new();
    };
    if definition.variants.iter().any(|variant| variant.shape != Shape::Unit) {
        return TokenStream::new();
    }
    let name = &definition.name;
    let assertions = definition.variants.iter().zip(variants).map(|(variant, typed)| {
        let number = match definition.unsigned {
            true => Literal::i128_suffixed(i128::from(typed.discriminant)),
            false => Literal::i128_suffixed(i128::from(typed.discriminant.cast_signed())),
        };
        let variant = &variant.name;
        let message = format!("gridwise: `{name}::{variant}` has another number in kernels: please report this");
        tokens!(::core::assert!(#name::#variant as i128 == #number, #message);)
    });
    let tokens = tokens! {
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = { #(#assertions)* };
    };
    tokens.into()
}
