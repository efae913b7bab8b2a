//! From an attribute to its tokens: parse, gather, and when all is gathered, compile. Two checkpoints report errors:
//! after parsing, and after inference and checks. An item that fails leaves a stub, so that no use of the item fails
//! too.

mod derivative;
mod device;
mod globs;
mod gpu_data;
mod held;
mod hoisted;
mod host_impl;
mod incomplete;
mod inner_module;
mod instances;
mod invisible;
mod kernel;
mod macro_rules;
mod module;
mod own_items;
mod printed;
mod renamed;
mod slices;
#[cfg(test)]
mod tests;

pub(crate) use device::device;
pub(crate) use gpu_data::gpu_data;
pub(crate) use invisible::without_invisible;
pub(crate) use kernel::kernel;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use crate::ast::{Path, SpanRange};
use crate::diag::{Diagnostics, code};
use crate::gather::{
    self, Closure, EntryKind, Resumed, State, first_call, item_key, library_item, spelled_call, traits_in_scope,
};
use crate::krate::facade_path;

/// The result of a gathering that is over.
#[derive(Debug)]
struct Finished {
    tokens: TokenStream,
    /// The closure that the item hands out from now on; nothing for kernels.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the in-process driver of the tests"))]
    closure: Closure,
}

impl Default for Finished {
    fn default() -> Self {
        Self { tokens: TokenStream::new(), closure: Closure::Broken }
    }
}

/// The callback with an item that is not the last one: the call that asks for the next. It reads no item.
pub(crate) fn step(tokens: &TokenStream) -> Option<TokenStream> {
    spelled_call(tokens).or_else(|| gather::step(tokens, &facade_path()))
}

/// The callback with the last item.
pub(crate) fn resume(tokens: TokenStream) -> TokenStream {
    match syn::parse2::<Resumed>(tokens) {
        Ok(Resumed(mut state)) => state.next_call(&facade_path()).unwrap_or_else(|| complete(state)),
        Err(error) => {
            let mut diags = Diagnostics::new();
            diags
                .error(code::INTERNAL, SpanRange::token(error.span()), format!("a callback cannot be read: {error}"))
                .note("this macro is for those of gridwise only")
                .help("if you did not call it, please report this");
            errors_of(diags)
        }
    }
}

/// Gathers the first item, or finishes. Says which items surely cannot be gathered, and goes on without them.
fn advance(mut state: State) -> TokenStream {
    let krate = facade_path();
    let mut diags = Diagnostics::new();
    let used = incomplete::report_early(&mut state, &mut diags);
    let mut tokens = errors_of(diags);
    tokens.extend(used);
    let path = state.todo.first().cloned();
    tokens.extend(match state.next_call(&krate).zip(path) {
        Some((call, path)) => first_call(&call, &path, &krate),
        None => complete(state),
    });
    tokens
}

/// Compiles an item whose gathering is over, and says what was wrong.
fn complete(mut state: State) -> TokenStream {
    let mut diags = Diagnostics::new();
    if globs::rewrite_item(&mut state, &mut diags) {
        let todo = names_again(&mut state);
        let known = |path: &Path| state.done.iter().any(|(text, _)| *text == path.text());
        let is_broken = state.done.iter().any(|(_, closure)| matches!(closure, Closure::Broken));
        state.todo = todo.into_iter().filter(|path| !is_broken && !known(path)).collect();
        let mut tokens = errors_of(diags);
        tokens.extend(advance(state));
        return tokens;
    }
    let finished = finish(state, &mut diags);
    let mut tokens = errors_of(diags);
    tokens.extend(finished.tokens);
    tokens
}

/// The names to gather for an item that was rewritten; none if it has errors now, which its end reports.
fn names_again(state: &mut State) -> Vec<Path> {
    let mut errors = Diagnostics::new();
    let mut names = match state.kind {
        EntryKind::Kernel => kernel::names_of_state(state, &mut errors),
        EntryKind::Module => module::names_of_state(state, &mut errors),
        _ => device::names_of_state(state, &mut errors),
    };
    if errors.into_list().is_empty() {
        names.extend(incomplete::own_name(state).iter().flat_map(|name| traits_of(state.kind, name, &state.item)));
        return names;
    }
    state.done.push((String::new(), Closure::Broken));
    Vec::new()
}

/// Compiles an item whose gathering is over.
fn finish(state: State, diags: &mut Diagnostics) -> Finished {
    match state.kind {
        EntryKind::Kernel => kernel::finish(state, diags),
        EntryKind::Fn | EntryKind::Const | EntryKind::DeviceStruct | EntryKind::Enum | EntryKind::Alias => {
            device::finish(state, diags)
        }
        EntryKind::Struct => gpu_data::finish(state, diags),
        EntryKind::Module => module::finish(state, diags),
        // Only part of what an item hands out.
        EntryKind::Member => Finished::default(),
    }
}

/// The traits that an item names only by their methods. A kernel's are among its names, of which it asks whether there are any.
fn traits_of(kind: EntryKind, name: &Ident, item: &TokenStream) -> Vec<Path> {
    if kind == EntryKind::Kernel { Vec::new() } else { traits_in_scope(item, name, kind == EntryKind::Module) }
}

/// The start of a gathering: `todo` without repetitions.
fn start(kind: EntryKind, name: &Ident, attr: TokenStream, item: TokenStream, todo: Vec<Path>) -> State {
    let mut seen = std::collections::BTreeSet::new();
    let todo = todo.into_iter().chain(traits_of(kind, name, &item)).filter(|path| seen.insert(path.text()));
    let (mut done, mut asked) = (Vec::new(), Vec::new());
    for path in todo {
        match library_item(&path) {
            Some(closure) => done.push((path.text(), closure)),
            None => asked.push(path),
        }
    }
    State { kind, key: item_key(name), attr, item, done, todo: asked, debug: None }
}

/// The errors as tokens; empty when there are none.
fn errors_of(diags: Diagnostics) -> TokenStream {
    diags.finish().err().unwrap_or_default()
}

/// Reports a bug of the compiler at the item's name.
fn internal_error(name: &Ident, stage: &str, detail: &str, diags: &mut Diagnostics) {
    diags
        .error(code::INTERNAL, SpanRange::token(name.span()), format!("internal compiler error in {stage}"))
        .note(detail.replace('\n', "; "))
        .help("this is a bug in gridwise: please report it together with the function");
}

/// Reports input that is not the item an attribute is for.
fn wrong_item(span: SpanRange, message: &str, help: &str) -> TokenStream {
    let mut diags = Diagnostics::new();
    diags.error(code::BAD_ATTRIBUTE, span, message).help(help);
    errors_of(diags)
}

/// Reports a function with syntax that is not known here; `None` for other items.
fn unreadable_fn(item: &TokenStream) -> Option<TokenStream> {
    let is_body = |last: TokenTree| matches!(last, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    if !has_keyword(item, "fn") || !item.clone().into_iter().last().is_some_and(is_body) {
        return None;
    }
    let error = syn::parse2::<syn::ItemFn>(item.clone()).err()?;
    let mut diags = Diagnostics::new();
    diags
        .error(code::UNSUPPORTED_SYNTAX, SpanRange::token(error.span()), format!("this cannot be read: {error}"))
        .help("finish it; if it is valid Rust, the parser does not know this syntax yet: write it in an older form");
    Some(errors_of(diags))
}

/// An item with what its body says of it as a whole, `//!` and `#![…]`, before it.
fn outward(item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.last() else { return tokens.into_iter().collect() };
    let inner: Vec<TokenTree> = body.stream().into_iter().collect();
    let is_mark = |token: &TokenTree, mark| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    let mut attrs = Vec::new();
    let mut rest = inner.as_slice();
    while let [hash, bang, brackets @ TokenTree::Group(_), after @ ..] = rest
        && body.delimiter() == Delimiter::Brace
        && is_mark(hash, '#')
        && is_mark(bang, '!')
    {
        attrs.extend([hash.clone(), brackets.clone()]);
        rest = after;
    }
    if !attrs.is_empty() {
        let mut without = Group::new(Delimiter::Brace, rest.iter().cloned().collect());
        without.set_span(body.span());
        tokens.pop();
        tokens.push(TokenTree::Group(without));
    }
    attrs.into_iter().chain(tokens).collect()
}

/// Whether a word stands in an item outside of all brackets.
fn has_keyword(item: &TokenStream, keyword: &str) -> bool {
    item.clone().into_iter().any(|token| matches!(&token, TokenTree::Ident(ident) if ident == keyword))
}

/// Reports an item that is nested more deeply than can be compiled.
pub(crate) fn too_deep(at: SpanRange) -> TokenStream {
    let mut diags = Diagnostics::new();
    report_depth(at, &mut diags);
    errors_of(diags)
}

fn report_depth(at: SpanRange, diags: &mut Diagnostics) {
    diags
        .error(code::NESTING, at, "this is nested too deeply")
        .note("each bracket, operator, method and `else` is a level, up to the end of its statement")
        .help("give parts of it names: `let part = …;`");
}

/// Reports a panic of the compiler.
pub(crate) fn panic_error(span: SpanRange, panic: &(dyn std::any::Any + Send)) -> TokenStream {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let mut diags = Diagnostics::new();
    diags
        .error(code::INTERNAL, SpanRange::token(span.start), "internal compiler error: the macro panicked")
        .note(text.replace('\n', "; "))
        .help("this is a bug in gridwise: please report it together with the item");
    errors_of(diags)
}
