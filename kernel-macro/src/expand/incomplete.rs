//! Items that name others which cannot be gathered: items without the attribute, which are reported here, and items
//! with errors. An item that names them is checked all the same, so that its other errors show at once; nothing is
//! generated for it.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use crate::ast::{Path, SpanRange};
use crate::builtin::foreign;
use crate::diag::{Code, Diagnostics, code};
use crate::emit::editor;
use crate::gather::{
    Closure, Entry, EntryKind, Lookup, State, Unmarked, names_of_fn, names_of_type, path_tokens, seek,
};
use crate::parse::{Role, parse_fn};
use crate::program::Program;
use crate::program::assemble::assemble_gathered;

/// Takes items that surely lack their attribute out of a gathering, with an error for each. A function's signature
/// stays known. If the text of the files leaves open whether the rest exists, all other errors of the item are reported
/// now: without that rustc may end the gathering, and an error that is reported twice is shown once.
pub(super) fn report_early(state: &mut State, diags: &mut Diagnostics) -> TokenStream {
    let before = state.todo.clone();
    let all_known = leave_unmarked(state, &seek, diags);
    if !all_known && !super::globs::is_first(state) && !editor::is_running() {
        report_without_names(state.clone(), diags);
    }
    let left = before.iter().filter(|path| state.done.iter().any(|(text, _)| *text == path.text()));
    left.map(used).collect()
}

/// So that rustc takes what brings a name for used, as it was meant to be.
fn used(path: &Path) -> TokenStream {
    let path = path_tokens(path);
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #path as _;
        };
    }
}

/// Reports what is wrong with an item whatever it names.
pub(super) fn report_without_names(mut state: State, diags: &mut Diagnostics) {
    let names = std::mem::take(&mut state.todo);
    state.done.extend(names.iter().map(|path| (path.text(), Closure::Broken)));
    super::finish(state, diags);
}

/// A search for the item that a path names, by the name of the item that is expanded, and whether that is a module.
type Seek<'f> = dyn Fn(&Path, &Ident, bool) -> Lookup + 'f;

/// Takes from a gathering what lacks its attribute. Whether the rest is there for all that is known.
pub(super) fn leave_unmarked(state: &mut State, seek: &Seek<'_>, diags: &mut Diagnostics) -> bool {
    let Some(name) = own_name(state) else { return false };
    let in_module = state.kind == EntryKind::Module;
    let (mut all_known, mut has_unmarked) = (true, false);
    let mut rest = Vec::new();
    for path in std::mem::take(&mut state.todo) {
        match seek(&path, &name, in_module) {
            Lookup::Unmarked(unmarked) => {
                report(&path, &unmarked, diags);
                has_unmarked = true;
                state.done.push((path.text(), signature_of(&unmarked).unwrap_or(Closure::Broken)));
            }
            Lookup::Library(of) => {
                report_library(&path, &of, diags);
                has_unmarked = true;
                state.done.push((path.text(), Closure::Broken));
            }
            Lookup::Absent => {}
            lookup @ (Lookup::Marked | Lookup::Unknown) => {
                all_known &= matches!(lookup, Lookup::Marked);
                rest.push(path);
            }
        }
    }
    state.todo = rest;
    if has_unmarked {
        // Whatever is known, nothing is made of the item.
        state.done.push((String::new(), Closure::Broken));
    }
    all_known
}

/// Reports those of some paths whose items surely lack their attribute.
pub(super) fn report_unmarked(paths: &[Path], from: &Ident, in_module: bool, diags: &mut Diagnostics) {
    for path in paths {
        match seek(path, from, in_module) {
            Lookup::Unmarked(unmarked) => report(path, &unmarked, diags),
            Lookup::Library(of) => report_library(path, &of, diags),
            Lookup::Absent | Lookup::Marked | Lookup::Unknown => {}
        }
    }
}

/// Reports one, where it is named first.
fn report(path: &Path, unmarked: &Unmarked, diags: &mut Diagnostics) {
    let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else { return };
    let Unmarked { kind, name, place, others, .. } = unmarked;
    let span = SpanRange { start: first.span(), end: last.span() };
    if *kind == "static" {
        let error = diags.error(code::UNMARKED, span, format!("kernels cannot use the static `{}`", path.text()));
        error
            .note("kernels have no memory of the program's")
            .help(format!("write `#[device] const {name}: …` ({place})"));
        return;
    }
    let message = format!("the {kind} `{}` lacks the attribute that makes it available to kernels", path.text());
    let error = diags.error(code::UNMARKED, span, message);
    match *kind {
        "struct" => error
            .help(format!("add `#[device]` to `{name}` ({place}), or with an `impl` put both into a `#[device] mod`"))
            .help("if it lies in buffers: `#[repr(C)] #[derive(Clone, Copy, GpuData)]`"),
        _ => error.help(format!("add `#[device]` to `{name}` ({place})")),
    };
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
        error.help(format!("and to {}, which it calls", names.join(", ")));
    }
}

/// Reports an item of Rust's library; `of`: its whole path.
fn report_library(path: &Path, of: &str, diags: &mut Diagnostics) {
    let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else { return };
    let span = SpanRange { start: first.span(), end: last.span() };
    let name = of.rsplit("::").next().unwrap_or_default();
    let is_type = name.starts_with(|first: char| first.is_uppercase()) && name.contains(|it: char| it.is_lowercase());
    let code = if is_type { code::UNKNOWN_TYPE } else { code::UNKNOWN_NAME };
    let by = if path.text() == of { "" } else { " by an imported name" };
    let error = diags.error(code, span, format!("`{of}` is not available in kernels{by}"));
    if let Some(instead) = foreign::library_item(of) {
        error.help(instead);
    }
}

/// The signature that a kernel sees of a function that needs nothing but built-in types; `None` for all else.
fn signature_of(unmarked: &Unmarked) -> Option<Closure> {
    let mut function: syn::ItemFn = syn::parse_str(&unmarked.text).ok()?;
    function.sig.constness = None;
    *function.block = syn::parse_quote!({ panic!() });
    let mut diags = Diagnostics::new();
    let parsed = parse_fn(&function, Role::Device, &mut diags);
    let names = names_of_fn(&parsed, &mut diags);
    let types = parsed.params.iter().map(|param| &param.ty).chain(&parsed.result);
    let known = names.is_empty() && types.flat_map(names_of_type).next().is_none();
    if !diags.into_list().is_empty() || !known {
        return None;
    }
    let entry = Entry {
        key: unmarked.place.clone(),
        file: String::new(),
        position: (0, 0),
        kind: EntryKind::Fn,
        tokens: quote!(#function),
        uses: Vec::new(),
    };
    let closure = Closure::Items(vec![entry]);
    assemble_gathered(vec![(String::new(), closure.clone())]).ok().map(|_| closure)
}

/// The name of the item that is expanded.
pub(super) fn own_name(state: &State) -> Option<Ident> {
    if state.kind == EntryKind::Module {
        return syn::parse2(state.attr.clone()).ok();
    }
    let mut tokens = state.item.clone().into_iter();
    const KEYWORDS: &[&str] = &["fn", "const", "struct", "enum", "type", "union"];
    while let Some(token) = tokens.next() {
        let is_keyword = |word: &Ident| KEYWORDS.iter().any(|keyword| word == keyword);
        if let TokenTree::Ident(word) = &token
            && is_keyword(word)
            && let Some(TokenTree::Ident(name)) = tokens.clone().next()
            && !is_keyword(&name)
            && name != "unsafe"
        {
            return Some(name);
        }
    }
    None
}

/// Checks an item that names something lost; of the errors those that do not depend on it.
pub(super) fn check_incomplete(
    program: &mut Program,
    check: impl FnOnce(&mut Program, &mut Diagnostics),
    diags: &mut Diagnostics,
) {
    if diags.has_errors() {
        // It cannot be read: what is missing may be what was wrong.
        return;
    }
    let mut found = Diagnostics::new();
    check(program, &mut found);
    // A type or trait that is lost may have methods and bring traits to others.
    let has_methods = program.lost.iter().any(|path| {
        let last = path.rsplit("::").next().unwrap_or_default();
        last.starts_with(|first: char| first.is_uppercase())
    });
    // A function that is lost may take references to whatever stands in its call.
    let depends = |error: Code| match error {
        code::CANNOT_INFER | code::REFERENCE_USE => true,
        code::UNKNOWN_METHOD => has_methods,
        _ => false,
    };
    for error in found.into_list().into_iter().filter(|error| !depends(error.code)) {
        diags.push(error);
    }
}
