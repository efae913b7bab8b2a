//! `#[device]` on modules and traits: a type with its `impl` blocks, or a trait with what implements it, as one unit, so
//! that whoever names the type has its methods and operators, too.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;

use super::device::refuse_builtin_name;
use super::globs::{blocks, gather_first, import_into_functions, names_any, rewrite_own};
use super::held::{held_impl, held_struct};
use super::hoisted::hoist;
use super::host_impl::{imports, is_of_host};
use super::incomplete::check_incomplete;
use super::inner_module::{mark_inner, refuse_circles, refuse_unmarked_inner};
use super::macro_rules::expand_own;
use super::slices::twin_declaration;
use super::{Finished, advance, errors_of, internal_error, start};
use crate::ast::{Item, Path, SpanRange};
use crate::check::check_item;
use crate::diag::{Diagnostics, code};
use crate::emit::codegen::{check_fields, check_repr, const_assertion, data_assertions, discriminant_assertions};
use crate::emit::codegen::{fn_stub, item_macro, method_stub, value_impl};
use crate::emit::editor;
use crate::emit::render::{render_fn, render_held_fn};
use crate::gather::{Closure, Entry, EntryKind, Place, State};
use crate::gather::{
    names_of_alias, names_of_const, names_of_enum, names_of_fn, names_of_impl, names_of_struct, names_of_trait,
};
use crate::krate::facade_path;
use crate::parse::{ModuleItem, SourceItem, SourceItems, const_of_static, default_fn, item_fn};
use crate::program::assemble::{AssembleError, Gathered, assemble_gathered};
use crate::program::held::is_held_impl;
use crate::program::instantiate::instantiate;
use crate::program::module::{infer_module, member_key, name_of, push_module};
use crate::program::{ItemId, Program};

/// Expands `#[device] mod name { … }`.
pub(super) fn device_mod(item: syn::ItemMod) -> TokenStream {
    let syn::ItemMod { attrs, vis, mod_token, ident, content, .. } = item;
    let mut diags = Diagnostics::new();
    let Some((brace, items)) = content else {
        let span = SpanRange::token(ident.span());
        let error = diags.error(code::BAD_ATTRIBUTE, span, "`#[device]` needs the module's items");
        error.help(
            "write them here: `#[device] mod name { … }`; stable Rust gives macros nothing of a module in a file",
        );
        return errors_of(diags);
    };
    let (mut device, mut host) = split(expand_own(items));
    hoist(&mut device, &host);
    import_into_functions(&mut device, &mut host);
    if !host.iter().any(imports_derive) {
        device.0.iter_mut().for_each(name_derive);
    }
    name_statics(&mut device, &mut host, &mut diags);
    mark_inner(&device, &mut host);
    refuse_unmarked_inner(&device, &host, &mut diags);
    refuse_circles(&device, &host, &mut diags);
    for item in &device.0 {
        if let SourceItem::Fn(function) = item {
            refuse_builtin_name(&function.sig.ident, &mut diags);
        }
    }
    let (state, failed) = module_state(&ident, device.clone(), &mut diags);
    let mut inner = written(&device);
    inner.extend(errors_of(diags));
    inner.extend(if failed { stubs(&device, &state.key) } else { advance(state) });
    let mut tokens = quote!(#(#attrs)* #vis #mod_token #ident);
    let mut group = proc_macro2::Group::new(proc_macro2::Delimiter::Brace, quote!(#(#host)* #inner));
    group.set_span(brace.span.join());
    tokens.extend([proc_macro2::TokenTree::Group(group)]);
    tokens
}

/// Expands `#[device] trait Name { … }`.
pub(super) fn device_trait(item: syn::ItemTrait) -> TokenStream {
    let mut diags = Diagnostics::new();
    let name = item.ident.clone();
    let items = SourceItems(vec![SourceItem::Trait(item)]);
    let (state, failed) = module_state(&name, items.clone(), &mut diags);
    let mut tokens = written(&items);
    tokens.extend(errors_of(diags));
    tokens.extend(if failed { stubs(&items, &state.key) } else { advance(state) });
    tokens
}

/// Statics that the module's functions name become consts: kernels know the values of these, and nothing can tell the two apart that
/// does not change. Reports those that may change.
fn name_statics(device: &mut SourceItems, host: &mut Vec<syn::Item>, diags: &mut Diagnostics) {
    host.retain(|item| {
        let syn::Item::Static(item) = item else { return true };
        let is_named = |body: &mut syn::Block| names_any(&body.to_token_stream(), &|word| *word == item.ident);
        if !device.0.iter_mut().flat_map(blocks).any(is_named) {
            return true;
        }
        if let Some(constant) = const_of_static(item) {
            device.0.push(SourceItem::Const(constant));
            return false;
        }
        let message = "statics that change are not supported in kernels";
        diags
            .error(code::UNSUPPORTED_SYNTAX, SpanRange::token(item.ident.span()), message)
            .note("kernels have no memory of the program's")
            .help(format!("write `const {}: …`; what kernels share lies in buffers", item.ident));
        true
    });
}

/// The gathering of a module's items, for tests.
#[cfg(test)]
pub(super) fn test_state(name: &Ident, items: Vec<syn::Item>, diags: &mut Diagnostics) -> State {
    let (mut device, host) = split(items);
    hoist(&mut device, &host);
    module_state(name, device, diags).0
}

/// The items that the device knows, and those that stay as they are: imports, kernels, tests, modules, ….
fn split(items: Vec<syn::Item>) -> (SourceItems, Vec<syn::Item>) {
    let (mut device, mut host) = (Vec::new(), Vec::new());
    let imports = imports(&items);
    let is_host = |read: &SourceItem| match read {
        SourceItem::Impl(item) if is_of_host(item, &imports) => true,
        read => is_host(read),
    };
    for item in items {
        match SourceItem::of(&item).filter(|read| !is_host(read)) {
            Some(mut read) => {
                read.attrs_mut().retain(|attr| attr.path().segments.last().is_none_or(|last| last.ident != "device"));
                device.push(read);
            }
            None => host.push(item),
        }
    }
    (SourceItems(device), host)
}

/// Whether an item may import `GpuData`, by its name or among others.
fn imports_derive(item: &syn::Item) -> bool {
    fn brings(tree: &syn::UseTree) -> bool {
        match tree {
            syn::UseTree::Path(path) => brings(&path.tree),
            syn::UseTree::Name(name) => name.ident == "GpuData",
            syn::UseTree::Rename(_) => false,
            syn::UseTree::Glob(_) => true,
            syn::UseTree::Group(group) => group.items.iter().any(brings),
        }
    }
    matches!(item, syn::Item::Use(import) if brings(&import.tree))
}

/// Names the derive `GpuData` by its whole path: a module that imports nothing needs no import for it.
fn name_derive(item: &mut SourceItem) {
    let SourceItem::Struct(input) = item else { return };
    for attr in &mut input.attrs {
        let syn::Meta::List(list) = &mut attr.meta else { continue };
        if !list.path.is_ident("derive") {
            continue;
        }
        let paths = list.parse_args_with(Punctuated::<syn::Path, syn::Token![,]>::parse_terminated);
        let Ok(paths) = paths else { continue };
        let krate = facade_path();
        let paths =
            paths.iter().map(|path| if path.is_ident("GpuData") { quote!(#krate::#path) } else { quote!(#path) });
        list.tokens = quote!(#(#paths),*);
    }
}

fn is_host(item: &SourceItem) -> bool {
    let mut item = item.clone();
    let names = ["kernel", "test", "cfg"];
    item.attrs_mut()
        .iter()
        .any(|attr| attr.path().segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name)))
}

/// The first half, up to the first checkpoint: what there is to gather, and whether there were errors.
pub(super) fn module_state(name: &Ident, mut items: SourceItems, diags: &mut Diagnostics) -> (State, bool) {
    let mut parsed = items.parse_all(diags);
    if !globs_of(&parsed).is_empty() && !diags.has_errors() {
        rewrite_own(&mut items);
        parsed = items.parse_all(diags);
    }
    for source in &items.0 {
        if let SourceItem::Struct(input) = source {
            check_repr(input, diags);
        }
    }
    let todo = names_of(&parsed, diags);
    let state = start(EntryKind::Module, name, name.to_token_stream(), items.to_token_stream(), todo);
    let globs = globs_of(&parsed);
    let state = if globs.is_empty() { state } else { gather_first(state, &globs) };
    (state, diags.has_errors())
}

/// The enums of which functions import all names.
fn globs_of(parsed: &[ModuleItem]) -> Vec<Path> {
    let members = parsed.iter().flat_map(|item| std::iter::once(&item.item).chain(&item.members));
    let globs = members.filter_map(|item| match item {
        Item::Fn(function) => Some(&function.globs),
        _ => None,
    });
    globs.flatten().cloned().collect()
}

/// The names to gather for a module that was rewritten.
pub(super) fn names_of_state(state: &State, diags: &mut Diagnostics) -> Vec<Path> {
    let items = syn::parse2::<SourceItems>(state.item.clone());
    items.map(|items| names_of(&items.parse_all(diags), diags)).unwrap_or_default()
}

/// The names that the items of a module use besides each other.
fn names_of(parsed: &[ModuleItem], diags: &mut Diagnostics) -> Vec<Path> {
    let own: Vec<String> = parsed.iter().filter_map(|item| name_of(&item.item)).map(ToString::to_string).collect();
    let mut todo = Vec::new();
    for ModuleItem { item, members } in parsed {
        todo.extend(match item {
            Item::Fn(function) => names_of_fn(function, diags),
            Item::Const(constant) => names_of_const(constant),
            Item::Struct(definition) => names_of_struct(definition),
            Item::Enum(definition) => names_of_enum(definition),
            Item::Alias(alias) => names_of_alias(alias),
            Item::Impl(implementation) => names_of_impl(implementation, members),
            Item::Trait(definition) => names_of_trait(definition, members),
        });
    }
    let is_own = |path: &Path| match path.segments.as_slice() {
        [name] => own.iter().any(|own| name == own),
        [module, name] => module == "self" && own.iter().any(|own| name == own),
        _ => false,
    };
    todo.retain(|path| path.leading_colon || !is_own(path));
    todo
}

/// The second half, with everything gathered.
pub(super) fn finish(state: State, diags: &mut Diagnostics) -> Finished {
    let (Ok(items), Ok(name)) =
        (syn::parse2::<SourceItems>(state.item.clone()), syn::parse2::<Ident>(state.attr.clone()))
    else {
        return Finished::default();
    };
    let parsed = items.parse_all(diags);
    let place = Place::of(&name);
    let gathered = match assemble_gathered(state.done) {
        Ok(gathered) => gathered,
        Err(AssembleError(detail)) => {
            internal_error(&name, "gathering", &detail, diags);
            return broken(&items, &state.key);
        }
    };
    let Gathered { mut program, mut entries, uses, linked } = gathered;
    let first = program.items.len();
    let ids = push_module(&mut program, parsed, &linked, &place);
    let end = program.items.len();
    if !program.lost.is_empty() {
        check_incomplete(&mut program, |program, diags| infer_module(program, first..end, diags), diags);
        return broken(&items, &state.key);
    }
    infer_module(&mut program, first..end, diags);
    check(&mut program, &ids, &items, first..end, diags);
    if diags.has_errors() {
        return broken(&items, &state.key);
    }
    entries.push(Entry {
        key: state.key.clone(),
        file: place.file,
        position: place.position,
        kind: EntryKind::Module,
        tokens: bare(&items).to_token_stream(),
        uses,
    });
    let mut tokens = TokenStream::new();
    for (item, id) in items.0.iter().zip(&ids) {
        tokens.extend(rendered(&program, *id, item));
    }
    let mut closure = Closure::Items(entries.clone());
    for item in &items.0 {
        let Some((name, vis)) = item.name() else { continue };
        let key = member_key(&state.key, name);
        closure = member_closure(entries.clone(), &key, name);
        tokens.extend(item_macro(name, vis, &key, &closure));
    }
    Finished { tokens, closure }
}

fn check(
    program: &mut Program,
    ids: &[ItemId],
    items: &SourceItems,
    all: std::ops::Range<usize>,
    diags: &mut Diagnostics,
) {
    use gridwise_ir::arena::EntityId as _;
    if !diags.has_errors() {
        for id in all.clone() {
            instantiate(program, ItemId::new(id), diags);
        }
    }
    for id in all {
        check_item(program, ItemId::new(id), diags);
    }
    for (item, id) in items.0.iter().zip(ids) {
        if let (SourceItem::Struct(_), Item::Struct(definition)) = (item, &program.items[*id].item) {
            check_fields(program, *id, definition, diags);
        }
    }
}

/// The closure that the macro of one item hands out.
fn member_closure(mut entries: Vec<Entry>, key: &str, name: &Ident) -> Closure {
    let Place { file, position } = Place::of(name);
    entries.push(Entry {
        key: key.to_owned(),
        file,
        position,
        kind: EntryKind::Member,
        tokens: TokenStream::new(),
        uses: Vec::new(),
    });
    Closure::Items(entries)
}

/// The items as other expansions read them: without attributes, but for derives.
fn bare(items: &SourceItems) -> SourceItems {
    let mut items = items.clone();
    for item in &mut items.0 {
        item.attrs_mut().retain(|attr| attr.path().is_ident("derive") || attr.path().is_ident("repr"));
        match item {
            SourceItem::Struct(input) => {
                if let syn::Data::Struct(data) = &mut input.data {
                    data.fields.iter_mut().for_each(|field| field.attrs.clear());
                }
            }
            SourceItem::DeviceStruct(item) => item.fields.iter_mut().for_each(|field| field.attrs.clear()),
            SourceItem::Enum(item) => {
                for variant in &mut item.variants {
                    variant.attrs.retain(|attr| attr.path().is_ident("default"));
                    variant.fields.iter_mut().for_each(|field| field.attrs.clear());
                }
            }
            SourceItem::Impl(item) => {
                for member in &mut item.items {
                    match member {
                        syn::ImplItem::Fn(function) => function.attrs.clear(),
                        syn::ImplItem::Const(constant) => constant.attrs.clear(),
                        _ => {}
                    }
                }
            }
            SourceItem::Trait(item) => {
                for member in &mut item.items {
                    if let syn::TraitItem::Fn(function) = member {
                        function.attrs.clear();
                    }
                }
            }
            SourceItem::Fn(_) | SourceItem::Const(_) | SourceItem::Alias(_) => {}
        }
    }
    items
}

/// The items in an editor, where they stand for both what is rendered of them and their stubs.
fn written(items: &SourceItems) -> TokenStream {
    let written = items.0.iter().map(|item| match item {
        SourceItem::Struct(input) => editor::written(&struct_tokens(input)),
        other => editor::written(&other.to_token_stream()),
    });
    written.collect()
}

/// An item without errors as Rust, with what goes with it.
fn rendered(program: &Program, id: ItemId, item: &SourceItem) -> TokenStream {
    let mut tokens = editor::unless_written(|| rendered_item(program, id, item));
    match (item, &program.items[id].item) {
        (SourceItem::Const(_), _) => tokens.extend(const_assertion(program, id)),
        (SourceItem::Struct(_), Item::Struct(definition)) => {
            tokens.extend(data_assertions(program, id, definition, &facade_path()));
        }
        (SourceItem::DeviceStruct(source), _) if program.held_slices.contains_key(&id) => {
            tokens.extend(held_struct(program, id, source, &facade_path()));
        }
        (SourceItem::DeviceStruct(_), item) => tokens.extend(value_impl(item, &facade_path())),
        (SourceItem::Enum(_), item) => {
            tokens.extend(value_impl(item, &facade_path()));
            tokens.extend(discriminant_assertions(program, id));
        }
        _ => {}
    }
    tokens
}

fn rendered_item(program: &Program, id: ItemId, item: &SourceItem) -> TokenStream {
    let krate = facade_path();
    let mut members = program.members(id).map(|(member, _)| member);
    match item {
        SourceItem::Fn(_) => render_fn(program, id, &krate),
        SourceItem::Const(item) => item.to_token_stream(),
        SourceItem::Struct(input) => struct_tokens(input),
        SourceItem::DeviceStruct(item) => item.to_token_stream(),
        SourceItem::Enum(item) => item.to_token_stream(),
        SourceItem::Alias(item) => item.to_token_stream(),
        SourceItem::Impl(item) if is_held_impl(program, id) => {
            let mut of_twin = TokenStream::new();
            let mut tokens = implementation_tokens(item, |function| {
                let member = members.next();
                let Some((member, _)) = member.zip(function) else { return TokenStream::new() };
                let [own, twin] = render_held_fn(program, member, &krate);
                of_twin.extend(twin);
                own
            });
            tokens.extend(held_impl(program, id, item, &of_twin));
            tokens
        }
        SourceItem::Impl(item) => implementation_tokens(item, |_| {
            members.next().map(|member| render_fn(program, member, &krate)).unwrap_or_default()
        }),
        SourceItem::Trait(item) => {
            trait_tokens(item, |_| members.next().map(|member| render_fn(program, member, &krate)).unwrap_or_default())
        }
    }
}

/// The struct; its derive does only what needs no other item.
fn struct_tokens(input: &syn::DeriveInput) -> TokenStream {
    let mut emitted = input.clone();
    emitted.attrs.push(syn::parse_quote!(#[__gridwise_member]));
    emitted.into_token_stream()
}

/// An `impl` with other functions; consts, in between, are asked for, too, and stay as they are.
fn implementation_tokens(
    item: &syn::ItemImpl,
    mut function_tokens: impl FnMut(Option<&syn::ItemFn>) -> TokenStream,
) -> TokenStream {
    let members = item.items.iter().map(|member| match member {
        syn::ImplItem::Fn(function) => function_tokens(Some(&item_fn(function))),
        syn::ImplItem::Const(constant) => {
            function_tokens(None);
            constant.to_token_stream()
        }
        other => other.to_token_stream(),
    });
    let members: Vec<_> = members.collect();
    let (attrs, generics, self_ty) = (&item.attrs, &item.generics, &item.self_ty);
    let of = item.trait_.as_ref().map(|(path, keyword)| quote!(#path #keyword));
    let clauses = &item.generics.where_clause;
    quote!(#(#attrs)* impl #generics #of #self_ty #clauses { #(#members)* })
}

/// A trait with other bodies; consts with a value are asked for, too, and stay as they are.
fn trait_tokens(
    item: &syn::ItemTrait,
    mut function_tokens: impl FnMut(Option<&syn::ItemFn>) -> TokenStream,
) -> TokenStream {
    let krate = facade_path();
    let members = item.items.iter().map(|member| match member {
        syn::TraitItem::Fn(function) => match default_fn(function) {
            Some(function) => function_tokens(Some(&function)),
            None => {
                let mut tokens = function.to_token_stream();
                tokens.extend(twin_declaration(item, function, &krate));
                tokens
            }
        },
        syn::TraitItem::Const(constant) => {
            if constant.default.is_some() {
                function_tokens(None);
            }
            constant.to_token_stream()
        }
        other => other.to_token_stream(),
    });
    let members: Vec<_> = members.collect();
    let syn::ItemTrait { attrs, vis, trait_token, ident, generics, colon_token, supertraits, .. } = item;
    let clauses = &generics.where_clause;
    quote!(#(#attrs)* #vis #trait_token #ident #generics #colon_token #supertraits #clauses { #(#members)* })
}

fn broken(items: &SourceItems, key: &str) -> Finished {
    Finished { tokens: stubs(items, key), closure: Closure::Broken }
}

/// The output after an error: all items with nothing in them that could fail, and macros that say so.
fn stubs(items: &SourceItems, key: &str) -> TokenStream {
    let stub = |function: Option<&syn::ItemFn>| function.map(method_stub).unwrap_or_default();
    let mut tokens = TokenStream::new();
    for item in &items.0 {
        tokens.extend(editor::unless_written(|| match item {
            SourceItem::Fn(item) => fn_stub(item),
            SourceItem::Const(item) => quote!(#[allow(dead_code)] #item),
            SourceItem::Struct(input) => struct_tokens(input),
            SourceItem::DeviceStruct(item) => item.to_token_stream(),
            SourceItem::Enum(item) => item.to_token_stream(),
            SourceItem::Alias(item) => item.to_token_stream(),
            SourceItem::Impl(item) => implementation_tokens(item, stub),
            SourceItem::Trait(item) => trait_tokens(item, stub),
        }));
        if let Some((name, vis)) = item.name() {
            tokens.extend(item_macro(name, vis, &member_key(key, name), &Closure::Broken));
        }
    }
    tokens
}
