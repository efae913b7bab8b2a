//! The closure that an item's macro hands out: the item and everything it names, as tokens; written and read here only.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, LitStr, Token, braced};

/// The kind of item of an entry or an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Kernel,
    Fn,
    Const,
    /// A `GpuData` struct.
    Struct,
    /// A struct that lies in no buffer.
    DeviceStruct,
    Enum,
    /// Another name of a type.
    Alias,
    /// The items of a `#[device] mod`.
    Module,
    /// An item of a module, whose entry stands before it.
    Member,
}

/// One item, ready to be read in another expansion.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) file: String,
    pub(crate) position: (u32, u32),
    pub(crate) kind: EntryKind,
    pub(crate) tokens: TokenStream,
    /// From the text of a path in the item to the key of the item it names.
    pub(crate) uses: Vec<(String, String)>,
}

/// An item with all it needs: dependencies first, the item itself last.
#[derive(Debug, Clone)]
pub(crate) enum Closure {
    Items(Vec<Entry>),
    /// The item, or one it names, has errors that were reported where it stands.
    Broken,
}

impl EntryKind {
    const ALL: [Self; 9] = [
        Self::Kernel,
        Self::Fn,
        Self::Const,
        Self::Struct,
        Self::DeviceStruct,
        Self::Enum,
        Self::Alias,
        Self::Module,
        Self::Member,
    ];

    const fn keyword(self) -> &'static str {
        match self {
            Self::Kernel => "kernel_fn",
            Self::Fn => "device_fn",
            Self::Const => "device_const",
            Self::Struct => "gpu_struct",
            Self::DeviceStruct => "device_struct",
            Self::Enum => "device_enum",
            Self::Alias => "device_type",
            Self::Module => "device_mod",
            Self::Member => "member",
        }
    }
}

impl Parse for EntryKind {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let keyword: Ident = input.parse()?;
        let kind = Self::ALL.into_iter().find(|kind| keyword == kind.keyword());
        kind.ok_or_else(|| syn::Error::new(keyword.span(), "not a kind of gridwise item"))
    }
}

impl ToTokens for EntryKind {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        Ident::new(self.keyword(), proc_macro2::Span::call_site()).to_tokens(tokens);
    }
}

impl Closure {
    /// Items of several closures, each once; a broken one has none.
    pub(crate) fn merge(closures: impl IntoIterator<Item = Self>) -> Vec<Entry> {
        let mut merged = Vec::new();
        let mut seen = BTreeSet::new();
        for closure in closures {
            let Self::Items(items) = closure else { continue };
            merged.extend(items.into_iter().filter(|item| seen.insert(item.key.clone())));
        }
        merged
    }

    /// Key of the item the closure belongs to.
    pub(crate) fn key(&self) -> Option<&str> {
        match self {
            Self::Items(items) => items.last().map(|item| item.key.as_str()),
            Self::Broken => None,
        }
    }
}

impl Parse for Closure {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![!]) {
            input.parse::<Token![!]>()?;
            return Ok(Self::Broken);
        }
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Self::Items(items))
    }
}

impl ToTokens for Closure {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Items(items) => items.iter().for_each(|item| item.to_tokens(tokens)),
            Self::Broken => quote!(!).to_tokens(tokens),
        }
    }
}

/// `kind "key" "file" line column { item } { "path" "key" … }`
impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let kind = input.parse()?;
        let key = input.parse::<LitStr>()?.value();
        let file = input.parse::<LitStr>()?.value();
        let line = input.parse::<LitInt>()?.base10_parse()?;
        let column = input.parse::<LitInt>()?.base10_parse()?;
        let (item, pairs);
        braced!(item in input);
        braced!(pairs in input);
        let mut uses = Vec::new();
        while !pairs.is_empty() {
            uses.push((pairs.parse::<LitStr>()?.value(), pairs.parse::<LitStr>()?.value()));
        }
        Ok(Self { key, file, position: (line, column), kind, tokens: item.parse()?, uses })
    }
}

impl ToTokens for Entry {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { key, file, position: (line, column), kind, tokens: item, uses } = self;
        let uses = uses.iter().map(|(path, key)| quote!(#path #key));
        quote!(#kind #key #file #line #column { #item } { #(#uses)* }).to_tokens(tokens);
    }
}
