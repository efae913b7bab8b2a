//! `#[device]` on functions, consts, structs and enums.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::derivative::Derivative;
use super::globs::gather_first;
use super::held::held_struct;
use super::incomplete::{check_incomplete, report_unmarked};
use super::own_items::set_apart;
use super::{Finished, advance, errors_of, has_keyword, internal_error, outward, start, unreadable_fn, wrong_item};
use crate::ast::{Fn, Item, Path, SpanRange};
use crate::attribute::check_no_arguments;
use crate::builtin::names::home_of_function;
use crate::check::check_item;
use crate::diag::{Diagnostics, code};
use crate::emit::codegen::{const_assertion, const_stub, discriminant_assertions, fn_stub, item_macro};
use crate::emit::codegen::{method_stub, value_impl};
use crate::emit::editor;
use crate::emit::render::render_fn;
use crate::gather::{
    Closure, Entry, EntryKind, Place, State, check_cycle, is_associated, names_of_alias, names_of_const, names_of_enum,
    names_of_fn, names_of_struct,
};
use crate::infer::infer_item;
use crate::krate::facade_path;
use crate::parse::{Role, const_of_static, parse_alias, parse_const, parse_device_struct, parse_enum, parse_fn};
use crate::program::assemble::{AssembleError, MainItem, assemble};
use crate::program::instantiate::instantiate;

/// A device item as syn reads it.
pub(super) enum DeviceItem {
    Fn(syn::ItemFn),
    Const(syn::ItemConst),
    Struct(syn::ItemStruct),
    Enum(syn::ItemEnum),
    Alias(syn::ItemType),
}

impl DeviceItem {
    pub(super) fn read(tokens: &TokenStream) -> Option<Self> {
        let read_fn = || syn::parse2(tokens.clone()).map(Self::Fn);
        read_fn()
            .or_else(|_| syn::parse2(tokens.clone()).map(Self::Const))
            .or_else(|error| {
                let item = syn::parse2::<syn::ItemStatic>(tokens.clone())?;
                const_of_static(&item).map(Self::Const).ok_or(error)
            })
            .or_else(|_| syn::parse2(tokens.clone()).map(Self::Struct))
            .or_else(|_| syn::parse2(tokens.clone()).map(Self::Enum))
            .or_else(|_| syn::parse2(tokens.clone()).map(Self::Alias))
            .ok()
    }

    fn name(&self) -> &Ident {
        match self {
            Self::Fn(item) => &item.sig.ident,
            Self::Const(item) => &item.ident,
            Self::Struct(item) => &item.ident,
            Self::Enum(item) => &item.ident,
            Self::Alias(item) => &item.ident,
        }
    }

    fn vis(&self) -> &syn::Visibility {
        match self {
            Self::Fn(item) => &item.vis,
            Self::Const(item) => &item.vis,
            Self::Struct(item) => &item.vis,
            Self::Enum(item) => &item.vis,
            Self::Alias(item) => &item.vis,
        }
    }

    fn kind(&self) -> EntryKind {
        match self {
            Self::Fn(_) => EntryKind::Fn,
            Self::Const(_) => EntryKind::Const,
            Self::Struct(_) => EntryKind::DeviceStruct,
            Self::Enum(_) => EntryKind::Enum,
            Self::Alias(_) => EntryKind::Alias,
        }
    }

    fn parse(&self, diags: &mut Diagnostics) -> Item {
        match self {
            Self::Fn(item) => Item::Fn(parse_fn(item, Role::Device, diags)),
            Self::Const(item) => Item::Const(parse_const(item, diags)),
            Self::Struct(item) => {
                check_no_cfg(item.fields.iter().flat_map(|field| &field.attrs), diags);
                Item::Struct(parse_device_struct(item, diags))
            }
            Self::Enum(item) => {
                for variant in &item.variants {
                    check_no_cfg(variant.attrs.iter().chain(variant.fields.iter().flat_map(|it| &it.attrs)), diags);
                }
                Item::Enum(parse_enum(item, diags))
            }
            Self::Alias(item) => Item::Alias(parse_alias(item, diags)),
        }
    }

    /// The item as other expansions read it, without attributes.
    fn bare_tokens(self) -> TokenStream {
        match self {
            Self::Fn(item) => syn::ItemFn { attrs: Vec::new(), ..item }.into_token_stream(),
            Self::Const(item) => syn::ItemConst { attrs: Vec::new(), ..item }.into_token_stream(),
            Self::Alias(item) => syn::ItemType { attrs: Vec::new(), ..item }.into_token_stream(),
            Self::Struct(mut item) => {
                item.attrs.retain(|attr| attr.path().is_ident("derive"));
                item.fields.iter_mut().for_each(|field| field.attrs.clear());
                item.into_token_stream()
            }
            Self::Enum(mut item) => {
                item.attrs.retain(|attr| attr.path().is_ident("repr") || attr.path().is_ident("derive"));
                for variant in &mut item.variants {
                    variant.attrs.retain(|attr| attr.path().is_ident("default"));
                    variant.fields.iter_mut().for_each(|field| field.attrs.clear());
                }
                item.into_token_stream()
            }
        }
    }

    /// The output after an error: the item with nothing in it that could fail, and a macro that says so.
    fn stub(&self, parsed: &Item, key: &str) -> TokenStream {
        let item = editor::unless_written(|| match self {
            Self::Fn(item) => fn_stub(item),
            Self::Const(item) => const_stub(item, parsed, &facade_path()),
            // Nothing in a type itself fails because of kernels.
            Self::Struct(item) => item.to_token_stream(),
            Self::Enum(item) => item.to_token_stream(),
            Self::Alias(item) => item.to_token_stream(),
        });
        let hidden = item_macro(self.name(), self.vis(), key, &Closure::Broken);
        quote!(#item #hidden)
    }
}

/// Members come and go with `cfg`s only after the macro has seen them.
fn check_no_cfg<'a>(attrs: impl Iterator<Item = &'a syn::Attribute>, diags: &mut Diagnostics) {
    for attr in attrs.filter(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")) {
        diags
            .error(code::BAD_STRUCT, SpanRange::of(attr), "`cfg` on members of device types is not supported")
            .help("put it on the whole item, and write the item twice");
    }
}

/// Reports a function with the name of a built-in one, which calls in kernels would mean.
pub(super) fn refuse_builtin_name(name: &Ident, diags: &mut Diagnostics) {
    if let Some(home) = home_of_function(&name.to_string()) {
        diags
            .error(code::BAD_SIGNATURE, SpanRange::token(name.span()), format!("`{name}` is a function of {home}"))
            .note("a call in a kernel means that one")
            .help("give this one another name");
    }
}

/// Expands `#[device] item`.
pub(crate) fn device(attr: TokenStream, item: TokenStream) -> TokenStream {
    let item = outward(item);
    if has_keyword(&item, "mod")
        && let Ok(module) = syn::parse2(item.clone())
    {
        return with_arguments(&attr, super::module::device_mod(module));
    }
    if has_keyword(&item, "trait")
        && let Ok(definition) = syn::parse2(item.clone())
    {
        return with_arguments(&attr, super::module::device_trait(definition));
    }
    let Some(read) = DeviceItem::read(&item) else {
        let mut tokens = unreadable_fn(&item).or_else(|| impl_alone(&item)).unwrap_or_else(|| {
            if has_keyword(&item, "static") && !has_keyword(&item, "fn") {
                let message = "`#[device]` is not for statics that change: kernels have no memory of the program's";
                return wrong_item(SpanRange::of(item.clone()), message, "write `const`");
            }
            wrong_item(
                SpanRange::of(item.clone()),
                "`#[device]` is for free functions, consts, structs, enums, type aliases, traits and modules",
                "structs that lie in buffers take `#[derive(Clone, Copy, GpuData)]`; put an `impl` beside its struct into a `#[device] mod`",
            )
        });
        tokens.extend(editor::unread(item));
        return tokens;
    };
    let mut diags = Diagnostics::new();
    if let DeviceItem::Fn(function) = &read
        && let Some(asked) = Derivative::read(&attr)
    {
        return super::derivative::with_derivatives(function, asked);
    }
    check_no_arguments("device", &attr, &mut diags);
    if let DeviceItem::Fn(function) = &read
        && function.sig.receiver().is_none()
    {
        refuse_builtin_name(&function.sig.ident, &mut diags);
    }
    let written = editor::written(&item);
    if let DeviceItem::Fn(function) = &read
        && (function.sig.receiver().is_some() || is_associated(&function.sig.ident, &item))
    {
        let span = SpanRange::token(function.sig.ident.span());
        diags
            .error(code::BAD_ATTRIBUTE, span, "`#[device]` is not for single functions of an `impl` or a trait")
            .help("put the type and its `impl` into a `#[device] mod`, where functions need no attribute");
        let stub = editor::unless_written(|| method_stub(function));
        return [written, errors_of(diags), stub].into_iter().collect();
    }
    if matches!(read, DeviceItem::Fn(_))
        && let Some(apart) = set_apart("device", &attr, &item)
    {
        // The expansion of these tokens reports the errors.
        drop(diags.into_list());
        return apart;
    }
    let (parsed, state) = device_state(&read, item, &mut diags);
    if let Item::Fn(function) = &parsed {
        check_cycle(function, &state.todo, &mut diags);
    }
    let failed = diags.has_errors();
    if failed {
        report_unmarked(&state.todo, read.name(), false, &mut diags);
    }
    let mut tokens = written;
    tokens.extend(errors_of(diags));
    tokens.extend(if failed { read.stub(&parsed, &state.key) } else { advance(state) });
    tokens
}

/// The error of an `impl` outside of a `#[device] mod`; `None` for other items.
fn impl_alone(item: &TokenStream) -> Option<TokenStream> {
    let block = syn::parse2::<syn::ItemImpl>(item.clone()).ok()?;
    let ty = block.self_ty.to_token_stream().to_string().replace(' ', "");
    let mut diags = Diagnostics::new();
    diags
        .error(code::BAD_ATTRIBUTE, SpanRange::token(block.impl_token.span), "`#[device]` is not for an `impl` alone")
        .note(format!("a kernel that names `{ty}` is told of its methods by the type's own item, which has no part in this one"))
        .help(format!(
            "put both into a module, where neither needs the attribute: `#[device] mod name {{ pub struct {ty} …; impl {ty} {{ … }} }}`, and then `use name::{ty};`"
        ));
    Some(errors_of(diags))
}

/// An expansion, after the errors of the attribute's arguments.
fn with_arguments(attr: &TokenStream, expansion: TokenStream) -> TokenStream {
    let mut diags = Diagnostics::new();
    check_no_arguments("device", attr, &mut diags);
    let mut tokens = errors_of(diags);
    tokens.extend(expansion);
    tokens
}

/// The first half, up to the first checkpoint: what there is to gather.
pub(super) fn device_state(read: &DeviceItem, item: TokenStream, diags: &mut Diagnostics) -> (Item, State) {
    let parsed = read.parse(diags);
    let todo = match &parsed {
        Item::Fn(function) => names_of_fn(function, diags),
        Item::Const(constant) => names_of_const(constant),
        Item::Struct(definition) => names_of_struct(definition),
        Item::Enum(definition) => names_of_enum(definition),
        Item::Alias(alias) => names_of_alias(alias),
        Item::Impl(_) | Item::Trait(_) => Vec::new(),
    };
    let state = start(read.kind(), read.name(), TokenStream::new(), item, todo);
    match &parsed {
        Item::Fn(Fn { globs, .. }) if !globs.is_empty() => {
            let state = gather_first(state, globs);
            (parsed, state)
        }
        _ => (parsed, state),
    }
}

/// The names to gather for an item that was rewritten.
pub(super) fn names_of_state(state: &State, diags: &mut Diagnostics) -> Vec<Path> {
    match DeviceItem::read(&state.item).map(|read| read.parse(diags)) {
        Some(Item::Fn(function)) => names_of_fn(&function, diags),
        _ => Vec::new(),
    }
}

/// The second half, with everything gathered.
pub(super) fn finish(state: State, diags: &mut Diagnostics) -> Finished {
    let Some(read) = DeviceItem::read(&state.item) else { return Finished::default() };
    let item = read.parse(diags);
    let place = Place::of(read.name());
    let main = MainItem { item: item.clone(), file: place.file.clone(), position: place.position };
    let compiled = match assemble(main, state.done) {
        Ok(mut assembled) if !assembled.program.lost.is_empty() => {
            let id = assembled.item;
            check_incomplete(
                &mut assembled.program,
                |program, diags| {
                    infer_item(program, id, diags);
                    check_item(program, id, diags);
                },
                diags,
            );
            None
        }
        Ok(mut assembled) => {
            infer_item(&mut assembled.program, assembled.item, diags);
            instantiate(&mut assembled.program, assembled.item, diags);
            check_item(&assembled.program, assembled.item, diags);
            Some(assembled).filter(|_| !diags.has_errors())
        }
        Err(AssembleError(detail)) => {
            internal_error(read.name(), "gathering", &detail, diags);
            None
        }
    };
    let Some(assembled) = compiled else {
        return Finished { tokens: read.stub(&item, &state.key), closure: Closure::Broken };
    };
    let mut tokens = editor::unless_written(|| match &read {
        DeviceItem::Fn(_) => render_fn(&assembled.program, assembled.item, &facade_path()),
        _ => state.item.clone(),
    });
    match &read {
        DeviceItem::Fn(_) | DeviceItem::Alias(_) => {}
        DeviceItem::Const(_) => tokens.extend(const_assertion(&assembled.program, assembled.item)),
        DeviceItem::Struct(source) if assembled.program.held_slices.contains_key(&assembled.item) => {
            tokens.extend(held_struct(&assembled.program, assembled.item, source, &facade_path()));
        }
        DeviceItem::Struct(_) | DeviceItem::Enum(_) => {
            tokens.extend(value_impl(&item, &facade_path()));
            tokens.extend(discriminant_assertions(&assembled.program, assembled.item));
        }
    }
    let (name, vis, kind) = (read.name().clone(), read.vis().clone(), read.kind());
    let mut entries = assembled.entries;
    entries.push(Entry {
        key: state.key.clone(),
        file: place.file,
        position: place.position,
        kind,
        tokens: read.bare_tokens(),
        uses: assembled.uses,
    });
    let closure = Closure::Items(entries);
    tokens.extend(item_macro(&name, &vis, &state.key, &closure));
    Finished { tokens, closure }
}
