//! Whole functions: the original, the device function, and the host entry with the twin inside.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident};

use super::parallel::waits;
use super::site::{SiteUse, sites_tokens};
use super::slice::{TWIN_FN, method_twin};
use super::{Mode, Renderer, context, local, twin_import};
use crate::ast::{Fn, Item, Param, TypeKind};
use crate::program::{ItemId, Program, TypedItem};
use crate::tokens::{Local, Plain, Tokens, Word, tokens, tokens_at};
use crate::typed::{Ty, TypedFn};

/// A kernel as its author wrote it with every type stated.
pub(crate) fn render_original(program: &Program, item: ItemId, krate: &TokenStream) -> Option<Tokens> {
    rendered(program, item, Mode::Original, krate)
}

/// A device function.
pub(crate) fn render_fn(program: &Program, item: ItemId, krate: &TokenStream) -> TokenStream {
    let takes_slices = parts(program, item).is_some_and(|(function, _)| function.takes_slices());
    let mode = if takes_slices { Mode::Original } else { Mode::Device };
    let mut tokens = rendered(program, item, mode, krate).map(TokenStream::from).unwrap_or_default();
    if takes_slices {
        tokens.extend(slice_twin(program, item, krate).map(TokenStream::from));
    }
    tokens
}

/// What the twin calls instead of a device function that takes slices. That of a method stands beside it; that of a function
/// belongs to a type of the function's name, which comes along wherever the function is imported.
fn slice_twin(program: &Program, item: ItemId, krate: &TokenStream) -> Option<Tokens> {
    let (function, typed) = parts(program, item)?;
    let mut renderer = Renderer::new(program, &program.items[item], typed, Mode::Slices);
    let body = renderer.body(&function.body);
    let import = twin_import(krate);
    let sites = sites_tokens(&renderer.sites.into_inner());
    let conditions = || function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let (for_type, for_fn) = (conditions(), conditions());
    let (vis, name) = (&function.vis, &function.name);
    let generics = Some(&function.generics.source).filter(|generics| !generics.params.is_empty());
    let clauses = shared_clauses(program, item, function, krate);
    // The parameters' types are written outside of the body.
    let twin = tokens!(#krate::__private::twin);
    let receiver = function.receiver.as_ref();
    let params = function.params.iter().skip(usize::from(receiver.is_some())).map(|param| match &param.ty.kind {
        TypeKind::Slice { mutable, element } => {
            let (name, element) = (&param.name, &element.tokens);
            let slice = Ident::new(if *mutable { "SliceMut" } else { "Slice" }, Span::call_site());
            {
                let twin = twin.copy();
                tokens!(#name: #twin::#slice<'_, #element>)
            }
        }
        _ => parameter(param),
    });
    let params: Vec<_> = receiver.map(|receiver| tokens!(#receiver)).into_iter().chain(params).collect();
    let result = function.result.as_ref().map(|ty| {
        let tokens = &ty.tokens;
        tokens!(-> #tokens)
    });
    let body = tokens_at!(function.body.span.end=> { #import #sites #body });
    if program.items[item].owner.is_some() {
        let called = method_twin(name);
        return Some(tokens! {
            #(#for_fn)*
            #[doc(hidden)]
            #[allow(warnings, clippy::all)]
            #vis fn #called #generics (#(#params),*) #result #clauses #body
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
            Some(quote::quote!(#element: #krate::GpuData,))
        }
        _ => None,
    });
    let bounds: TokenStream = bounds.collect();
    let written = &function.generics.source.where_clause;
    match (written, bounds.is_empty()) {
        (_, true) => written.to_token_stream(),
        (None, false) => quote::quote!(where #bounds),
        (Some(written), false) => {
            let predicates = written.predicates.iter();
            quote::quote!(where #(#predicates,)* #bounds)
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

fn rendered(program: &Program, item: ItemId, mode: Mode, krate: &TokenStream) -> Option<Tokens> {
    let (function, typed) = parts(program, item)?;
    let mut renderer = Renderer::new(program, &program.items[item], typed, mode);
    let body = renderer.body(&function.body);
    let import = renderer.uses_twin.get().then(|| twin_import(krate));
    let sites = sites_tokens(&renderer.sites.into_inner());
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
    // The original of a kernel never runs: its dispatch type does.
    let allow = (mode == Mode::Original).then(|| tokens!(dead_code,));
    let body = tokens_at!(function.body.span.end=> { #import #sites #body });
    // Lints that the rendering's own shape would set off; those about the author's code stay on.
    Some(tokens! {
        #(#attrs)*
        #[allow(#allow unused_parens, unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
        #vis fn #name #generics (#(#params),*) #result #clauses #body
    })
}

/// The host side of a kernel.
pub(crate) struct Host {
    /// `fn host(…)` of the kernel's `Kernel` implementation: takes the arguments out and runs the twin for each
    /// invocation. Names `TWIN` and `SITES`.
    pub(crate) tokens: Tokens,
    /// The table of sites.
    pub(crate) sites: Vec<SiteUse>,
}

/// The host side of a kernel.
pub(crate) fn render_host(program: &Program, item: ItemId) -> Option<Host> {
    let (function, typed) = parts(program, item)?;
    let mut renderer = Renderer::new(program, &program.items[item], typed, Mode::Twin);
    let body = renderer.block(&function.body);
    let (twin_path, cx) = (renderer.twin(), context());
    let (args, group, twin) = (local("__args"), local("__group"), local("__gridwise_twin"));
    let is_atomic = |param: &Param| typed.atomic_buffers.contains(&param.binding);
    let params = function.params.iter().map(|param| twin_parameter(param, is_atomic(param), twin_path));
    let taken = function.params.iter().zip(&typed.params).enumerate();
    let taken = taken.map(|(position, (param, ty))| {
        let value = taken_argument(param, ty, is_atomic(param), position, args);
        let name = argument_name(position);
        tokens!(let #name = #value;)
    });
    let names = (0..function.params.len()).map(argument_name);
    let calls_device = typed.callees().next().is_some();
    let run = match (waits(program, item), calls_device) {
        (true, _) => "run_fibers",
        (false, true) => "run_ambient",
        (false, false) => "run",
    };
    let run = Word(run);
    let (generics, turbofish, clauses) = if function.generics.params.is_empty() {
        (None, None, None)
    } else {
        // Type parameters are names of the instance's types here.
        let mut source = function.generics.source.clone();
        let is_generic = source.type_params().next().is_some();
        source.params = source.params.into_iter().filter(|it| matches!(it, syn::GenericParam::Const(_))).collect();
        source.where_clause = source.where_clause.filter(|_| !is_generic);
        let (generics, args, clauses) = source.split_for_impl();
        let turbofish = args.as_turbofish().to_token_stream();
        (Some(generics.to_token_stream()), Some(turbofish), Some(clauses.to_token_stream()))
    };
    let tokens = tokens! {
        fn host(#args: &#twin_path::HostArgs<'_>, #group: #twin_path::HostGroup<'_>) {
            #[allow(warnings, clippy::all)]
            #[inline(always)]
            fn #twin #generics (#cx: &#twin_path::Invocation<'_>, #(#params),*) #clauses #body
            #(#taken)*
            #group.#run(|#cx| #twin #turbofish (#cx, #(#names),*));
        }
    };
    Some(Host { tokens, sites: renderer.sites.into_inner() })
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

fn twin_parameter(param: &Param, is_atomic: bool, twin: Word) -> Tokens {
    match &param.ty.kind {
        TypeKind::Slice { mutable, element } if *mutable || is_atomic => {
            let (name, element) = (&param.name, &element.tokens);
            tokens!(#name: #twin::SliceMut<'_, #element>)
        }
        TypeKind::Image { target, .. } => {
            let name = &param.name;
            tokens!(#name: #target)
        }
        _ => parameter(param),
    }
}

fn argument_name(position: usize) -> Ident {
    const NAMES: [&str; 4] = ["__argument0", "__argument1", "__argument2", "__argument3"];
    let span = Span::mixed_site();
    NAMES
        .get(position)
        .map_or_else(|| format_ident!("__argument{position}", span = span), |name| Ident::new(name, span))
}

fn taken_argument(param: &Param, ty: &Ty, is_atomic: bool, position: usize, args: Local) -> Tokens {
    let position = Plain(position as u32);
    match (&param.ty.kind, ty) {
        (TypeKind::Slice { mutable, element }, _) => {
            let element = &element.tokens;
            let take = if *mutable || is_atomic { tokens!(slice_mut) } else { tokens!(slice) };
            tokens!(#args.#take::<#element>(#position))
        }
        (TypeKind::Image { target, .. }, _) => tokens!(#args.image::<#target>(#position)),
        (_, ty) if *ty == Ty::BOOL => tokens!(#args.value_bool(#position)),
        _ => {
            let ty = &param.ty.tokens;
            tokens!(#args.value::<#ty>(#position))
        }
    }
}
