//! `#[kernel]`.

use gridwise_ir::compile::{CompileOptions, compile};
use proc_macro2::{Ident, TokenStream};

use super::{Finished, advance, errors_of, internal_error, start, wrong_item};
use crate::assemble::{AssembleError, Assembled, MainItem, assemble};
use crate::ast::{Fn, Item, SpanRange, TypeKind};
use crate::attrs::KernelAttr;
use crate::check::check_kernel;
use crate::codegen::{check_push_constants, dispatch_items, fn_stub, kernel_items, type_name};
use crate::diag::{Diagnostics, code};
use crate::dump::{dump, words_text};
use crate::gather::{Closure, EntryKind, Place, State, names_of_fn};
use crate::infer::infer_item;
use crate::krate::facade_path;
use crate::lower::lower_kernel;
use crate::parse::{Role, parse_fn};

/// Expands `#[kernel(attr)] item`. The dispatch type comes first: it stays whatever fails later.
pub(crate) fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(function) = syn::parse2::<syn::ItemFn>(item.clone()) else {
        let mut tokens = wrong_item(
            SpanRange::of(item.clone()),
            "`#[kernel]` is for free functions with a body",
            "put it on a `fn`; consts and helper functions take `#[device]`, structs `#[derive(GpuData)]`",
        );
        tokens.extend(item);
        return tokens;
    };
    let mut diags = Diagnostics::new();
    let (parsed, state) = kernel_state(attr, item, &function, &mut diags);
    let mut tokens = errors_of(diags);
    if type_name(&parsed.name) != parsed.name {
        tokens.extend(dispatch_items(&function, &parsed, &facade_path()));
    }
    tokens.extend(state.map_or_else(|| fn_stub(&function), advance));
    tokens
}

/// The first half, up to the first checkpoint: what there is to gather.
pub(crate) fn kernel_state(
    attr: TokenStream,
    item: TokenStream,
    function: &syn::ItemFn,
    diags: &mut Diagnostics,
) -> (Fn, Option<State>) {
    let attr_args = KernelAttr::parse(attr.clone(), diags);
    let parsed = parse_fn(function, Role::Kernel, diags);
    check_name(&parsed.name, diags);
    let mut todo = names_of_fn(&parsed, diags);
    todo.extend(attr_args.const_paths().cloned());
    dump("ast", &parsed.name.to_string(), || format!("{parsed:#?}"));
    let state = (!diags.has_errors()).then(|| start(EntryKind::Kernel, &parsed.name, attr, item, todo));
    (parsed, state)
}

/// The second half, with everything gathered.
pub(super) fn finish(state: State, diags: &mut Diagnostics) -> Finished {
    let Ok(function) = syn::parse2::<syn::ItemFn>(state.item) else { return Finished::default() };
    let attr = KernelAttr::parse(state.attr, diags);
    let parsed = parse_fn(&function, Role::Kernel, diags);
    let place = Place::of(&parsed.name);
    let main = MainItem { item: Item::Fn(parsed.clone()), file: place.file, position: place.position };
    let tokens = match assemble(main, state.done) {
        Ok(assembled) => compile_kernel(assembled, &parsed, &attr, diags),
        Err(AssembleError::Broken) => None,
        Err(AssembleError::Internal(detail)) => {
            internal_error(&parsed.name, "gathering", &detail, diags);
            None
        }
    };
    Finished { tokens: tokens.unwrap_or_else(|| fn_stub(&function)), closure: Closure::Broken }
}

/// Everything after gathering; `None` after errors.
fn compile_kernel(
    assembled: Assembled,
    function: &Fn,
    attr: &KernelAttr,
    diags: &mut Diagnostics,
) -> Option<TokenStream> {
    let Assembled { mut program, item, .. } = assembled;
    infer_item(&mut program, item, diags);
    check_kernel(&program, item, diags);
    let workgroup = attr.workgroup(&program, item, diags);
    if diags.has_errors() {
        return None;
    }
    let name = function.name.to_string();
    let module = lower_kernel(&program, item, workgroup);
    dump("ir", &name, || module.to_string());
    let compiled = match compile(module, &compile_options(function)) {
        Ok(compiled) => compiled,
        Err(error) => {
            internal_error(&function.name, "code generation", &error.to_string(), diags);
            return None;
        }
    };
    dump("spv", &name, || words_text(&compiled.words));
    check_push_constants(function, &compiled, diags);
    if diags.has_errors() { None } else { Some(kernel_items(&program, item, &compiled, &facade_path())) }
}

fn compile_options(function: &Fn) -> CompileOptions {
    let slices = (0..).zip(&function.params).filter(|(_, param)| matches!(param.ty.kind, TypeKind::Slice { .. }));
    CompileOptions { buffer_positions: slices.map(|(position, _)| position).collect() }
}

/// The dispatch type needs a name other than the function's.
fn check_name(name: &Ident, diags: &mut Diagnostics) {
    if type_name(name) == *name {
        diags
            .error(
                code::BAD_SIGNATURE,
                SpanRange::token(name.span()),
                format!("the kernel `{name}` needs a snake_case name"),
            )
            .note(format!("the type with its `dispatch` is called `{name}`"))
            .help("begin the function's name with a small letter");
    }
}
