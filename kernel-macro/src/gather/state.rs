//! The state of one gathering, carried from callback to callback as tokens.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Token, braced, bracketed};

use super::entry::{Closure, EntryKind};
use crate::ast::Path;
use crate::infer::is_math_constant;

/// An item being expanded, what was gathered for it and what is still to gather.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) kind: EntryKind,
    /// Key of the item itself.
    pub(crate) key: String,
    /// Arguments of the attribute.
    pub(crate) attr: TokenStream,
    /// The item as written, our attribute removed.
    pub(crate) item: TokenStream,
    /// By the text of the path that named it.
    pub(crate) done: Vec<(String, Closure)>,
    pub(crate) todo: Vec<Path>,
    /// Whether the crate being compiled has debug assertions; `None` until somebody asked.
    pub(crate) debug: Option<bool>,
}

impl State {
    /// The call of the next item's macro, which will come back through the callback; `None` when nothing is left.
    pub(crate) fn next_call(&mut self, krate: &TokenStream) -> Option<TokenStream> {
        if self.todo.is_empty() {
            return None;
        }
        let path = self.todo.remove(0);
        Some(ask(&path, &self.to_token_stream(), krate))
    }

    /// The item once more, told whether there are debug assertions: rustc knows, and drops one of the two.
    pub(crate) fn ask_for_debug(self, krate: &TokenStream) -> TokenStream {
        let on = Self { debug: Some(true), ..self };
        let callback = callback(krate, None);
        let with = quote!(#callback! { #on "" => });
        let off = Self { debug: Some(false), ..on };
        quote! {
            #[cfg(debug_assertions)]
            #with
            #[cfg(not(debug_assertions))]
            #callback! { #off "" => }
        }
    }
}

/// The call of the macro of a path's item, which hands a state back with it.
pub(super) fn ask(path: &Path, state: &TokenStream, krate: &TokenStream) -> TokenStream {
    let text = path.text();
    let span = path.segments.last().map_or_else(Span::call_site, proc_macro2::Ident::span);
    let call = spelled(macro_path(path));
    // Not at the name: editors would take it for another meaning of it.
    let resume = callback(krate, Some(path));
    quote_spanned! {span=> #call ! { [ #resume ] { #state #text } } }
}

/// The callback. If a name has no macro beside it, rustc names the macro that asked for it: so this macro's name says
/// what is missing then.
fn callback(krate: &TokenStream, path: Option<&Path>) -> TokenStream {
    match path.and_then(Path::as_name) {
        Some(name) if is_math_constant(&name.to_string()) => {
            quote!(#krate::imported_constants_need_their_whole_path_in_kernels)
        }
        _ => quote!(#krate::names_in_kernels_need_the_device_attribute),
    }
}

/// The first call of a gathering, by way of the callback, as it is the attribute that rustc would name otherwise.
pub(crate) fn first_call(call: &TokenStream, path: &Path, krate: &TokenStream) -> TokenStream {
    let callback = callback(krate, Some(path));
    quote!(#callback! { @ #call })
}

/// The call in a first call, as if the callback had made it; `None` for what is none.
pub(crate) fn spelled_call(tokens: &TokenStream) -> Option<TokenStream> {
    let mut tokens = tokens.clone().into_iter();
    let is_first = matches!(tokens.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '@');
    is_first.then(|| spelled(tokens.collect()))
}

/// A path, or what begins with one, as written by the macro that runs, at the place where its author wrote it.
fn spelled(tokens: TokenStream) -> TokenStream {
    let spelled = tokens.into_iter().map(|mut token| {
        // The span of `$crate` says which crate it is.
        if let TokenTree::Ident(name) = &mut token
            && *name != "$crate"
        {
            name.set_span(name.span().resolved_at(Span::call_site()));
        }
        token
    });
    spelled.collect()
}

/// Macros that every module sees; a bare name finds them before it finds an item that is still to expand.
pub(super) const STD_MACROS: &[&str] = &[
    "addr_of",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "pin",
    "print",
    "println",
    "ready",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// The path of the macro beside the item that `path` names.
fn macro_path(path: &Path) -> TokenStream {
    let tokens = path_tokens(path);
    match path.as_name() {
        Some(name) if STD_MACROS.contains(&name.to_string().as_str()) => {
            quote_spanned!(name.span()=> self::#tokens)
        }
        _ => tokens,
    }
}

/// A path as tokens, with the spans of its segments.
pub(crate) fn path_tokens(path: &Path) -> TokenStream {
    let mut tokens = TokenStream::new();
    for (position, segment) in path.segments.iter().enumerate() {
        if position > 0 || path.leading_colon {
            quote_spanned!(segment.span()=> ::).to_tokens(&mut tokens);
        }
        segment.to_tokens(&mut tokens);
    }
    tokens
}

impl ToTokens for State {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { kind, key, attr, item, done, todo, debug } = self;
        let debug = debug.iter();
        let done = done.iter().map(|(path, closure)| quote!(#path { #closure }));
        let todo = todo.iter().map(path_tokens);
        quote!(#kind #key { #attr } { #item } { #(#done)* } [ #(#todo),* ] #(#debug)*).to_tokens(tokens);
    }
}

/// The input of a callback: the state, the path just gathered, `=>`, and the tokens that its macro handed out.
#[derive(Debug)]
pub(crate) struct Resumed(pub(crate) State);

impl Parse for Resumed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let kind = input.parse()?;
        let key = input.parse::<LitStr>()?.value();
        let (attr, item, done_tokens, todo_tokens);
        braced!(attr in input);
        braced!(item in input);
        braced!(done_tokens in input);
        bracketed!(todo_tokens in input);
        let mut done = Vec::new();
        while !done_tokens.is_empty() {
            let path = done_tokens.parse::<LitStr>()?.value();
            let closure;
            braced!(closure in done_tokens);
            done.push((path, closure.parse()?));
        }
        let todo = paths_of(&todo_tokens)?;
        let debug = if input.peek(syn::LitBool) { Some(input.parse::<syn::LitBool>()?.value) } else { None };
        let current = input.parse::<LitStr>()?.value();
        input.parse::<Token![=>]>()?;
        // The answer about debug assertions comes without an item.
        if !current.is_empty() {
            done.push((current, input.parse()?));
        }
        Ok(Self(State { kind, key, attr: attr.parse()?, item: item.parse()?, done, todo, debug }))
    }
}

/// The paths that are still to gather.
pub(super) fn paths_of(input: ParseStream<'_>) -> syn::Result<Vec<Path>> {
    let paths = input.parse_terminated(syn::Path::parse_mod_style, Token![,])?;
    let plain = paths.into_iter().map(|path| {
        let segments = path.segments.into_iter().map(|segment| segment.ident).collect();
        Path::plain(path.leading_colon.is_some(), segments)
    });
    Ok(plain.collect())
}
