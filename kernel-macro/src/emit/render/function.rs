//! Whole functions: the original, the device function, and what the host side of a kernel is made of.

use gridwise_ir::compile::Compiled;
use gridwise_ir::descriptor::{HostStack, Size};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

use super::held::held_params;
use super::loops::{LOOPS_FN, crew, has_loops, runs_in_loops};
use super::parallel::waits;
use super::site::{SiteUse, sites_tokens};
use super::slice::{STEPS_FN, TWIN_FN, method_twin};
use super::steps::{gives_way, runs_in_steps};
use super::{Mode, Renderer, twin_import};
use crate::ast::{Fn, GenericParam, Item, Param, TypeKind};
use crate::emit::tokens::{Plain, Tokens, Word, tokens, tokens_at};
use crate::program::crossing::is_shared_element;
use crate::program::held::{has_twin, held_type, owner_is_held};
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{Ty, TypedFn};

/// A kernel as its author wrote it with every type stated. `lints`: whether it says which lints are off; else the facade's
/// `implementation!` does.
pub(crate) fn render_original(program: &Program, item: ItemId, lints: bool, krate: &TokenStream) -> Option<Tokens> {
    rendered(program, item, Mode::Original, lints, krate)
}

/// A device function.
pub(crate) fn render_fn(program: &Program, item: ItemId, krate: &TokenStream) -> TokenStream {
    let has_twin = has_twin(program, item);
    let mode = if has_twin { Mode::Original } else { Mode::Device };
    let mut tokens = rendered(program, item, mode, true, krate).map(TokenStream::from).unwrap_or_default();
    if has_twin {
        tokens.extend(twin_of_fn(program, item, false, false, krate).map(TokenStream::from));
    }
    if gives_way(program, item) {
        tokens.extend(twin_of_fn(program, item, true, false, krate).map(TokenStream::from));
    }
    if has_loops(program, item) {
        tokens.extend(loops_of_fn(program, item, krate).map(TokenStream::from));
    }
    tokens
}

/// A function of a struct with slices: what belongs to the struct, and what belongs to its twin.
pub(crate) fn render_held_fn(program: &Program, item: ItemId, krate: &TokenStream) -> [TokenStream; 2] {
    let has_receiver = parts(program, item).is_some_and(|(function, _)| function.receiver.is_some());
    let mut own = rendered(program, item, Mode::Original, true, krate).map(TokenStream::from).unwrap_or_default();
    if !has_receiver {
        own.extend(twin_of_fn(program, item, false, true, krate).map(TokenStream::from));
    }
    let of_twin = twin_of_fn(program, item, false, false, krate).map(TokenStream::from);
    [own, of_twin.unwrap_or_default()]
}

/// A device function in loops: it belongs to the type of its twin. Behind the slices it takes the places of the other arguments and of the
/// result.
fn loops_of_fn(program: &Program, item: ItemId, krate: &TokenStream) -> Option<Tokens> {
    let (function, typed) = parts(program, item)?;
    let mut renderer = Renderer::new(program, &program.items[item], typed, Mode::Slices);
    let body = renderer.function_in_loops(item)?;
    let (kept, result_place) = renderer.kept_params(function);
    let import = twin_import(krate);
    let sites = sites_tokens(&renderer.sites.into_inner().into_rows());
    let conditions = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let (name, called, crew) = (&function.name, Ident::new(LOOPS_FN, Span::call_site()), crew());
    let twin = tokens!(#krate::__private::twin);
    let slices = function.params.iter().filter_map(|param| match &param.ty.kind {
        TypeKind::Slice { mutable, element } => {
            let (name, element) = (&param.name, &element.tokens);
            let slice = Ident::new(if *mutable { "SliceMut" } else { "Slice" }, Span::call_site());
            let twin = twin.copy();
            Some(tokens!(#name: #twin::#slice<'_, #element>))
        }
        _ => None,
    });
    let places = kept.into_iter().filter_map(|(binding, place)| {
        let ty = &function.params.iter().find(|param| param.binding == binding)?.ty.tokens;
        Some(tokens!(#place: &[::core::cell::Cell<#ty>]))
    });
    let of_result = result_place.zip(function.result.as_ref()).map(|(place, ty)| {
        let ty = &ty.tokens;
        tokens!(#place: &[::core::cell::Cell<#ty>])
    });
    let params: Vec<_> = slices.collect::<Vec<_>>().into_iter().chain(places).chain(of_result).collect();
    let (extent, of_crew) = (twin.copy(), twin.copy());
    Some(tokens! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(warnings, clippy::all)]
        impl #name {
            #[inline]
            pub fn #called<__S: #extent::Extent>(#crew: &#of_crew::Loops<'_, __S>, #(#params),*) { #import #sites #body }
        }
    })
}

/// The function that the twin calls in place of a device function that takes slices or is a `const fn`. That of a
/// method stands beside it; that of a function belongs to a type of the function's name, which comes along wherever the
/// function is imported. `in_steps`: the form that gives way, of a function that has a twin. `of_original`: the form that belongs to a
/// struct with slices, and not to the twin of the struct.
fn twin_of_fn(
    program: &Program,
    item: ItemId,
    in_steps: bool,
    of_original: bool,
    krate: &TokenStream,
) -> Option<Tokens> {
    let (function, typed) = parts(program, item)?;
    let mut renderer = Renderer::new(program, &program.items[item], typed, Mode::Slices);
    renderer.in_steps = in_steps;
    renderer.of_original = of_original;
    let values = renderer.values_of_iterators(function);
    let body = renderer.body(&function.body);
    let import = twin_import(krate);
    let sites = sites_tokens(&renderer.sites.into_inner().into_rows());
    let conditions = || function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let (for_type, for_fn) = (conditions(), conditions());
    let (vis, name) = (&function.vis, &function.name);
    // Members of a trait are as public as the trait.
    let of_trait = syn::Visibility::Public(<syn::Token![pub]>::default());
    let vis = if is_of_trait(program, item) && owner_is_held(program, item) { &of_trait } else { vis };
    let generics = Some(&function.generics.source).filter(|generics| !generics.params.is_empty());
    let of_twin = |tokens: TokenStream| match function.lends_slices() {
        true => lend_twin_slices(tokens, krate),
        false => tokens,
    };
    let generics = generics.map(|generics| of_twin(generics.to_token_stream()));
    let clauses = of_twin(shared_clauses(program, item, function, krate));
    // The parameters' types are written outside of the body.
    let twin = tokens!(#krate::__private::twin);
    let receiver = function.receiver.as_ref();
    let types = function.params.iter().zip(&typed.params).skip(usize::from(receiver.is_some()));
    let holds = |ty: &Ty| program.has_held(ty);
    let twin_path = TokenStream::from(twin.copy());
    let params = types.map(|(param, ty)| match &param.ty.kind {
        _ if holds(ty) => {
            let (name, ty) =
                (&param.name, held_type(program, &program.items[item], &param.ty.tokens, of_original, &twin_path));
            let mutable = param.mutable.then(|| tokens_at!(name.span()=> mut));
            tokens!(#mutable #name: #ty)
        }
        TypeKind::Slice { mutable, element } if ty.slice_element().is_none_or(|it| is_shared_element(program, it)) => {
            let name = &param.name;
            let slice = twin_slice(&param.ty.tokens, *mutable, &element.tokens, twin.copy());
            tokens!(#name: #slice)
        }
        _ if function.lends_slices() => {
            let (name, ty) = (&param.name, of_twin(param.ty.tokens.clone()));
            let mutable = param.mutable.then(|| tokens_at!(name.span()=> mut));
            tokens!(#mutable #name: #ty)
        }
        _ => parameter(param),
    });
    let params: Vec<_> = receiver.map(|receiver| tokens!(#receiver)).into_iter().chain(params).collect();
    let result = function.result.as_ref().map(|ty| match &ty.kind {
        _ if typed.result.as_ref().is_some_and(holds) => {
            let ty = held_type(program, &program.items[item], &ty.tokens, of_original, &twin_path);
            tokens!(-> #ty)
        }
        TypeKind::Slice { mutable, element } => {
            let slice = twin_slice(&ty.tokens, *mutable, &element.tokens, twin.copy());
            tokens!(-> #slice)
        }
        TypeKind::Iterator(element) => {
            let element = element.of_values();
            tokens!(-> impl ::core::iter::Iterator<Item = #element>)
        }
        _ if function.lends() => {
            let tokens = ty.of_values();
            tokens!(-> #tokens)
        }
        _ => {
            let tokens = &ty.tokens;
            tokens!(-> #tokens)
        }
    });
    let body = tokens_at!(function.body.span.end=> { #import #sites #values #body });
    if program.items[item].owner.is_some() {
        let called = method_twin(name);
        return Some(tokens! {
            #(#for_fn)*
            #[doc(hidden)]
            #[allow(warnings, clippy::all)]
            #vis fn #called #generics (#(#params),*) #result #clauses #body
        });
    }
    if in_steps {
        let called = Ident::new(STEPS_FN, Span::call_site());
        return Some(tokens! {
            #(#for_fn)*
            #[doc(hidden)]
            #[allow(warnings, clippy::all)]
            impl #name {
                pub async fn #called(#(#params),*) #result #body
            }
        });
    }
    let called = Ident::new(TWIN_FN, Span::call_site());
    Some(tokens! {
        #(#for_type)*
        #[doc(hidden)]
        #[allow(warnings)]
        #vis enum #name {}
        #(#for_fn)*
        #[doc(hidden)]
        #[allow(warnings, clippy::all)]
        impl #name {
            pub fn #called #generics (#(#params),*) #result #clauses #body
        }
    })
}

/// Whether a function is one of an `impl` of a trait.
fn is_of_trait(program: &Program, item: ItemId) -> bool {
    let owner = program.items[item].owner.map(|owner| &program.items[owner].item);
    matches!(owner, Some(Item::Impl(owner)) if owner.of.is_some())
}

/// The type of a slice in the twin, with the lifetime as written.
fn twin_slice(written: &TokenStream, mutable: bool, element: &TokenStream, twin: Tokens) -> Tokens {
    let slice = Ident::new(if mutable { "SliceMut" } else { "Slice" }, Span::call_site());
    let lifetime = lifetime_of(written);
    match lifetime {
        Some(lifetime) => tokens!(#twin::#slice<#lifetime, #element>),
        None => tokens!(#twin::#slice<'_, #element>),
    }
}

/// The lifetime of a reference.
fn lifetime_of(written: &TokenStream) -> Option<syn::Lifetime> {
    match syn::parse2::<syn::Type>(written.clone()) {
        Ok(syn::Type::Reference(reference)) => reference.lifetime,
        _ => None,
    }
}

/// The bounds of closures as what runs on the host has them: `Fn(Slice<'_, T>)` for `Fn(&[T])`.
fn lend_twin_slices(tokens: TokenStream, krate: &TokenStream) -> TokenStream {
    let mut is_bound = false;
    let trees = tokens.into_iter().map(|tree| {
        let was_bound = std::mem::replace(&mut is_bound, false);
        match tree {
            TokenTree::Ident(name) => {
                is_bound = name == "Fn" || name == "FnMut" || name == "FnOnce";
                TokenTree::Ident(name)
            }
            TokenTree::Group(group) => {
                let inner = match was_bound && group.delimiter() == Delimiter::Parenthesis {
                    true => slices_to_twin(group.stream(), krate),
                    false => lend_twin_slices(group.stream(), krate),
                };
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            tree => tree,
        }
    });
    trees.collect()
}

/// `Slice<'_, T>` for each `&[T]` of a list of types, and `SliceMut<'_, T>` for each `&mut [T]`.
fn slices_to_twin(types: TokenStream, krate: &TokenStream) -> TokenStream {
    let (mut made, mut front) = (TokenStream::new(), Vec::new());
    for tree in types {
        let is_front = match (&tree, front.first()) {
            (TokenTree::Punct(punct), None) => punct.as_char() == '&',
            (TokenTree::Punct(punct), Some(_)) => punct.as_char() == '\'',
            (TokenTree::Ident(_), Some(_)) => true,
            _ => false,
        };
        if is_front {
            front.push(tree);
            continue;
        }
        let is_slice = |group: &Group| {
            let mut inner = group.stream().into_iter();
            let is_array = inner.any(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ';'));
            group.delimiter() == Delimiter::Bracket && !is_array
        };
        match &tree {
            TokenTree::Group(group) if !front.is_empty() && is_slice(group) => {
                let mutable = front.iter().any(|tree| matches!(tree, TokenTree::Ident(word) if word == "mut"));
                let name = Ident::new(if mutable { "SliceMut" } else { "Slice" }, Span::call_site());
                let element = group.stream();
                front.clear();
                made.extend(TokenStream::from(tokens!(#krate::__private::twin::#name<'_, #element>)));
            }
            _ => {
                made.extend(front.drain(..));
                made.extend([tree]);
            }
        }
    }
    made.extend(front);
    made
}

/// The clauses of a twin with slices: elements whose type is a parameter's must be what the host shares.
fn shared_clauses(program: &Program, item: ItemId, function: &Fn, krate: &TokenStream) -> TokenStream {
    let owner = program.items[item].owner.map(|owner| &program.items[owner].item);
    let mut names: Vec<String> = function.generics.source.type_params().map(|param| param.ident.to_string()).collect();
    match owner {
        Some(Item::Impl(owner)) => {
            names.extend(owner.generics.source.type_params().map(|param| param.ident.to_string()))
        }
        Some(Item::Trait(owner)) => {
            names.push("Self".to_owned());
            names.extend(owner.generics.source.type_params().map(|param| param.ident.to_string()));
        }
        _ => {}
    }
    let bounds = function.params.iter().filter_map(|param| match &param.ty.kind {
        TypeKind::Slice { element, .. } if names_any(&element.tokens, &names) => {
            let element = &element.tokens;
            Some(TokenStream::from(tokens!(#element: #krate::GpuData,)))
        }
        _ => None,
    });
    let lent = function.generics.params.iter().flat_map(GenericParam::lent_elements);
    let lent = lent.filter(|element| names_any(&element.tokens, &names)).map(|element| {
        let element = &element.tokens;
        tokens!(#element: #krate::GpuData,).into()
    });
    // A value that a reference leads to is copied out.
    let is_of_trait = matches!(owner, Some(Item::Impl(owner)) if owner.of.is_some());
    let copied = function.generics.source.type_params().filter(|_| function.lends() && !is_of_trait).map(|param| {
        let name = &param.ident;
        tokens!(#name: ::core::marker::Copy,).into()
    });
    let held = parts(program, item).map(|(function, typed)| held_params(program, item, function, typed));
    let held = held.into_iter().flatten().map(|(name, is_shared)| match is_shared {
        true => tokens!(#name: #krate::GpuData,).into(),
        false => tokens!(#name: ::core::marker::Copy,).into(),
    });
    let bounds: TokenStream = bounds.chain(lent).chain(copied).chain(held).collect();
    let written = &function.generics.source.where_clause;
    match (written, bounds.is_empty()) {
        (_, true) => written.to_token_stream(),
        (None, false) => tokens!(where #bounds).into(),
        (Some(written), false) => {
            let predicates = written.predicates.iter();
            tokens!(where #(#predicates,)* #bounds).into()
        }
    }
}

/// Whether one of the names stands in tokens.
pub(crate) fn names_any(tokens: &TokenStream, names: &[String]) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => names.iter().any(|name| ident == name),
        proc_macro2::TokenTree::Group(group) => names_any(&group.stream(), names),
        _ => false,
    })
}

fn rendered(program: &Program, item: ItemId, mode: Mode, lints: bool, krate: &TokenStream) -> Option<Tokens> {
    let (function, typed) = parts(program, item)?;
    let mut renderer = Renderer::new(program, &program.items[item], typed, mode);
    let values = renderer.values_of_iterators(function);
    let body = renderer.body(&function.body);
    let assumed = renderer.assumed_types(function);
    let import = renderer.uses_twin.get().then(|| twin_import(krate));
    let sites = sites_tokens(&renderer.sites.into_inner().into_rows());
    let (attrs, vis, name) = (&function.attrs, &function.vis, &function.name);
    let generics = Some(&function.generics.source).filter(|generics| !generics.params.is_empty());
    let clauses = &function.generics.source.where_clause;
    let receiver = function.receiver.as_ref();
    let params = function.params.iter().skip(usize::from(receiver.is_some())).map(parameter);
    let params = receiver.map(|receiver| tokens!(#receiver)).into_iter().chain(params);
    let result = function.result.as_ref().map(|ty| {
        let tokens = &ty.tokens;
        tokens!(-> #tokens)
    });
    // Lints that the rendering's own shape would set off; those about the author's code stay on.
    let lints = lints.then(|| {
        // The original of a kernel never runs: its dispatch type does.
        let allow = (mode == Mode::Original).then(|| tokens!(dead_code,));
        tokens!(#[allow(#allow unused_parens, unused_braces, clippy::all, clippy::pedantic, clippy::nursery)])
    });
    let body = tokens_at!(function.body.span.end=> { #import #assumed #sites #values #body });
    let constness = function.is_const.then(|| tokens!(const));
    let safety = function.is_unsafe.then(|| tokens!(unsafe));
    Some(tokens! {
        #(#attrs)*
        #lints
        #vis #constness #safety fn #name #generics (#(#params),*) #result #clauses #body
    })
}

/// The host side of a kernel: what the facade's `implementation!` is told of the twin.
pub(crate) struct Host {
    /// The method of the group that runs the twin.
    pub(crate) run: Word,
    /// For each parameter its name and how its argument is taken out of the launch's, and the type that it is taken as: `x slice 0` and
    /// `f32`.
    pub(crate) params: Vec<(Tokens, Tokens)>,
    /// The twin's body. Names `TWIN` and `SITES`.
    pub(crate) body: Tokens,
    /// Generic parameters of the twin, the arguments for them, and the `where` clauses.
    pub(crate) generics: Option<[TokenStream; 3]>,
    /// The table of sites.
    pub(crate) sites: Vec<SiteUse>,
}

/// How the host device runs the invocations of a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// One after the other.
    Alone,
    /// In loops between the barriers.
    Loops,
    /// As async functions.
    Steps,
    Fibers,
}

/// How the host device runs a kernel.
pub(crate) fn way_of(program: &Program, kernel: ItemId, compiled: &Compiled) -> Way {
    // Variables that live across a barrier are kept for all invocations of a workgroup at once, and moved once.
    let is_little = compiled.host_stack == HostStack::LITTLE;
    match waits(program, kernel) {
        false => Way::Alone,
        true if is_little && runs_in_loops(program, kernel) => Way::Loops,
        true if is_little && runs_in_steps(program, kernel) => Way::Steps,
        true => Way::Fibers,
    }
}

/// The host side of a kernel with workgroups of a size.
pub(crate) fn render_host(program: &Program, item: ItemId, way: Way, size: &[Size; 3]) -> Option<Host> {
    let (function, typed) = parts(program, item)?;
    let mut renderer = Renderer::new(program, &program.items[item], typed, Mode::Twin);
    renderer.in_steps = way == Way::Steps;
    let body = match way {
        Way::Loops => renderer.kernel_in_loops(item, size)?,
        _ => renderer.block(&function.body),
    };
    let is_atomic = |param: &Param| typed.atomic_buffers.contains(&param.binding);
    let params = (0..).zip(function.params.iter().zip(&typed.params));
    let params = params.map(|(position, (param, ty))| twin_parameter(param, ty, is_atomic(param), Plain(position)));
    let calls_device = typed.callees().next().is_some();
    let run = Word(match way {
        Way::Loops => "run_loops",
        Way::Steps => "run_steps",
        Way::Fibers => "run_fibers",
        Way::Alone if calls_device => "run_ambient",
        Way::Alone => "run",
    });
    let generics = (!function.generics.params.is_empty()).then(|| {
        // Type parameters are names of the instance's types here.
        let mut source = function.generics.source.clone();
        let is_generic = source.type_params().next().is_some();
        source.params = source.params.into_iter().filter(|it| matches!(it, syn::GenericParam::Const(_))).collect();
        source.where_clause = source.where_clause.filter(|_| !is_generic);
        let (generics, args, clauses) = source.split_for_impl();
        [generics.to_token_stream(), args.as_turbofish().to_token_stream(), clauses.to_token_stream()]
    });
    Some(Host { run, params: params.collect(), body, generics, sites: renderer.sites.into_inner().into_rows() })
}

fn parts(program: &Program, item: ItemId) -> Option<(&Fn, &TypedFn)> {
    match &program.items[item] {
        crate::program::ProgramItem {
            item: Item::Fn(function),
            typed: TypedItem::Fn(typed) | TypedItem::Generic(typed),
            ..
        } => Some((function, typed)),
        _ => None,
    }
}

fn parameter(param: &Param) -> Tokens {
    let (name, ty) = (&param.name, &param.ty.tokens);
    let mutable = param.mutable.then(|| tokens_at!(name.span()=> mut));
    tokens!(#mutable #name: #ty)
}

/// `mut` stands behind the name, so that the name stands alone.
fn twin_parameter(param: &Param, ty: &Ty, is_atomic: bool, position: Plain) -> (Tokens, Tokens) {
    let name = &param.name;
    let mutable = param.mutable.then(|| tokens!((mut)));
    let (take, of) = match &param.ty.kind {
        TypeKind::Slice { mutable, element } if *mutable || is_atomic => ("slice_mut", &element.tokens),
        TypeKind::Slice { element, .. } => ("slice", &element.tokens),
        TypeKind::List { mutable, element } => (if *mutable { "list_mut" } else { "list" }, &element.tokens),
        TypeKind::Image { target, is_list, .. } => (if *is_list { "images" } else { "image" }, target),
        _ if *ty == Ty::BOOL => ("value_bool", &param.ty.tokens),
        _ => ("value", &param.ty.tokens),
    };
    let take = Word(take);
    (tokens!(#name #mutable #take #position), tokens!(#of))
}
