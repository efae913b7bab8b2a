//! The items of a `#[device] mod`, or a single trait: read by syn, and turned into ours.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;

use super::{
    Role, parse_alias, parse_const, parse_device_struct, parse_enum, parse_fn, parse_impl, parse_struct, parse_trait,
};
use crate::ast::{Derives, Item};
use crate::diag::Diagnostics;
use crate::gather::{REVERSE, WRAPPING};

/// An item as syn reads it.
#[derive(Debug, Clone)]
pub(crate) enum SourceItem {
    Fn(syn::ItemFn),
    Const(syn::ItemConst),
    /// A `GpuData` struct.
    Struct(syn::DeriveInput),
    DeviceStruct(syn::ItemStruct),
    Enum(syn::ItemEnum),
    Impl(syn::ItemImpl),
    Trait(syn::ItemTrait),
    Alias(syn::ItemType),
}

/// The device items of a module.
#[derive(Debug, Clone)]
pub(crate) struct SourceItems(pub(crate) Vec<SourceItem>);

/// An item of a module, and its functions and consts if it is an `impl` or trait.
#[derive(Debug, Clone)]
pub(crate) struct ModuleItem {
    pub(crate) item: Item,
    pub(crate) members: Vec<Item>,
}

impl SourceItem {
    /// The item, if it is of a kind that the device knows.
    pub(crate) fn of(item: &syn::Item) -> Option<Self> {
        let mut read = Self::as_written(item)?;
        // Documentation in a function's body, `//!`, stands before the function from now on.
        let outward = |attrs: &mut Vec<syn::Attribute>| {
            attrs.iter_mut().for_each(|attr| attr.style = syn::AttrStyle::Outer);
        };
        outward(read.attrs_mut());
        match &mut read {
            Self::Impl(item) => item.items.iter_mut().for_each(|member| {
                if let syn::ImplItem::Fn(function) = member {
                    outward(&mut function.attrs);
                }
            }),
            Self::Trait(item) => item.items.iter_mut().for_each(|member| {
                if let syn::TraitItem::Fn(function) = member {
                    outward(&mut function.attrs);
                }
            }),
            _ => {}
        }
        Some(read)
    }

    fn as_written(item: &syn::Item) -> Option<Self> {
        Some(match item {
            syn::Item::Fn(item) => Self::Fn(item.clone()),
            syn::Item::Const(item) => Self::Const(item.clone()),
            syn::Item::Struct(item) if derives_named(&item.attrs, "GpuData") => {
                Self::Struct(syn::DeriveInput::from(item.clone()))
            }
            syn::Item::Struct(item) => Self::DeviceStruct(item.clone()),
            syn::Item::Enum(item) => Self::Enum(item.clone()),
            syn::Item::Impl(item) => Self::Impl(item.clone()),
            syn::Item::Trait(item) => Self::Trait(item.clone()),
            syn::Item::Type(item) => Self::Alias(item.clone()),
            _ => return None,
        })
    }

    /// The name and visibility of what others can name.
    pub(crate) fn name(&self) -> Option<(&Ident, &syn::Visibility)> {
        match self {
            Self::Fn(item) => Some((&item.sig.ident, &item.vis)),
            Self::Const(item) => Some((&item.ident, &item.vis)),
            Self::Struct(item) => Some((&item.ident, &item.vis)),
            Self::DeviceStruct(item) => Some((&item.ident, &item.vis)),
            Self::Enum(item) => Some((&item.ident, &item.vis)),
            Self::Trait(item) => Some((&item.ident, &item.vis)),
            Self::Alias(item) => Some((&item.ident, &item.vis)),
            Self::Impl(_) => None,
        }
    }

    pub(crate) fn attrs_mut(&mut self) -> &mut Vec<syn::Attribute> {
        match self {
            Self::Fn(item) => &mut item.attrs,
            Self::Const(item) => &mut item.attrs,
            Self::Struct(item) => &mut item.attrs,
            Self::DeviceStruct(item) => &mut item.attrs,
            Self::Enum(item) => &mut item.attrs,
            Self::Impl(item) => &mut item.attrs,
            Self::Trait(item) => &mut item.attrs,
            Self::Alias(item) => &mut item.attrs,
        }
    }

    fn parse(&self, diags: &mut Diagnostics) -> ModuleItem {
        let alone = |item| ModuleItem { item, members: Vec::new() };
        match self {
            Self::Fn(item) => alone(Item::Fn(parse_fn(item, Role::Device, diags))),
            Self::Const(item) => alone(Item::Const(parse_const(item, diags))),
            Self::Struct(item) => alone(Item::Struct(parse_struct(item, diags))),
            Self::DeviceStruct(item) => alone(Item::Struct(parse_device_struct(item, diags))),
            Self::Enum(item) => alone(Item::Enum(parse_enum(item, diags))),
            Self::Impl(item) => {
                let (implementation, members) = parse_impl(item, diags);
                ModuleItem { item: Item::Impl(implementation), members }
            }
            Self::Alias(item) => alone(Item::Alias(parse_alias(item, diags))),
            Self::Trait(item) => {
                let (definition, members) = parse_trait(item, diags);
                ModuleItem { item: Item::Trait(definition), members }
            }
        }
    }
}

impl ToTokens for SourceItem {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Fn(item) => item.to_tokens(tokens),
            Self::Const(item) => item.to_tokens(tokens),
            Self::Struct(item) => item.to_tokens(tokens),
            Self::DeviceStruct(item) => item.to_tokens(tokens),
            Self::Enum(item) => item.to_tokens(tokens),
            Self::Impl(item) => item.to_tokens(tokens),
            Self::Trait(item) => item.to_tokens(tokens),
            Self::Alias(item) => item.to_tokens(tokens),
        }
    }
}

impl SourceItems {
    /// All items in the kernel's tree.
    pub(crate) fn parse_all(&self, diags: &mut Diagnostics) -> Vec<ModuleItem> {
        self.0.iter().map(|item| item.parse(diags)).collect()
    }
}

impl Parse for SourceItems {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            let item: syn::Item = input.parse()?;
            let read = SourceItem::of(&item).ok_or_else(|| syn::Error::new_spanned(&item, "not a device item"))?;
            items.push(read);
        }
        Ok(Self(items))
    }
}

impl ToTokens for SourceItems {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.iter().for_each(|item| item.to_tokens(tokens));
    }
}

/// The paths of a `derive`.
fn derives(attr: &syn::Attribute) -> Vec<syn::Path> {
    let tokens = match &attr.meta {
        syn::Meta::List(list) if attr.path().is_ident("derive") => list.tokens.clone(),
        _ => return Vec::new(),
    };
    let paths = Punctuated::<syn::Path, syn::Token![,]>::parse_terminated.parse2(tokens);
    paths.map(|paths| paths.into_iter().collect()).unwrap_or_default()
}

/// Whether attributes derive the trait of this name.
fn derives_named(attrs: &[syn::Attribute], name: &str) -> bool {
    let is_named = |path: &syn::Path| path.segments.last().is_some_and(|last| last.ident == name);
    attrs.iter().any(|attr| derives(attr).iter().any(is_named))
}

/// The traits that attributes derive and that kernels know.
pub(super) fn derives_of(attrs: &[syn::Attribute]) -> Derives {
    let mut found = Derives::default();
    for path in attrs.iter().flat_map(derives) {
        match path.segments.last().map(|last| last.ident.to_string()).as_deref() {
            Some("Clone") => found.clone = true,
            Some("Copy") => found.copy = true,
            Some("PartialEq") => found.partial_eq = true,
            Some("PartialOrd") => found.partial_ord = true,
            Some("Ord") => found.ord = true,
            Some("Default") => found.default = true,
            Some("GpuData") => found.gpu_data = true,
            Some(REVERSE) => found.reverse = true,
            Some(WRAPPING) => found.wrapping = true,
            _ => {}
        }
    }
    found
}
