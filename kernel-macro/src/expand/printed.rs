//! Kernels compiled from what the printer of modules makes of them, in the crate that `KERNEL_PRINTED` names. A corpus of kernels
//! then tries the printer, which otherwise sees derived modules only.

use std::sync::OnceLock;

use gridwise_ir::ir::{Function, InstKind};
use gridwise_ir::{passes, rust};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use super::kernel::{bind_const_params, compile_kernel};
use crate::ast::Item;
use crate::attribute::KernelAttr;
use crate::check::check_kernel;
use crate::diag::Diagnostics;
use crate::dump::dump;
use crate::emit::{placed, print_options};
use crate::gather::Closure;
use crate::infer::infer_item;
use crate::lower::lower_kernel;
use crate::parse::read_kernel;
use crate::program::TypedItem;
use crate::program::assemble::{MainItem, assemble};
use crate::program::instantiate::instantiate;

/// Whether the kernel is to be compiled from its printed text.
pub(super) fn is_wanted(attr: &KernelAttr) -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    let is_crate = *WANTED.get_or_init(|| {
        let wanted = std::env::var("KERNEL_PRINTED").ok();
        wanted.is_some() && wanted == std::env::var("CARGO_CRATE_NAME").ok()
    });
    is_crate && !attr.is_derived() && !attr.is_derivative() && attr.type_lists().is_empty()
}

/// The items of the kernel as printed; `None` where it cannot be printed or compiled so, with the reason in the dump `printed`.
pub(super) fn compile_printed(
    (attr, item): (&KernelAttr, &TokenStream),
    place: (&str, (u32, u32)),
    done: &[(String, Closure)],
    debug_assertions: bool,
    krate: &TokenStream,
) -> Option<TokenStream> {
    let main = |item: &TokenStream| {
        let (_, function) = read_kernel(item, &mut Diagnostics::new()).ok()?;
        Some(MainItem { item: Item::Fn(function), file: place.0.to_owned(), position: place.1 })
    };
    let mut diags = Diagnostics::new();
    let mut assembled = assemble(main(item)?, done.to_vec()).ok()?;
    let (program, id) = (&mut assembled.program, assembled.item);
    let Item::Fn(function) = &program.items[id].item else { return None };
    let name = function.name.to_string();
    let report = |outcome: &str, text: &str| dump("printed", &name, || format!("// {outcome}\n// {}\n{text}", place.0));
    bind_const_params(program, id, attr, &mut diags);
    infer_item(program, id, &mut diags);
    instantiate(program, id, &mut diags);
    check_kernel(program, id, &mut diags);
    if diags.has_errors() || !program.lost.is_empty() {
        drop(diags.into_list());
        return None;
    }
    let workgroup = attr.workgroup(program, id, &mut diags);
    let lowered = lower_kernel(program, id, workgroup, debug_assertions);
    let module = &lowered.module;
    let (Item::Fn(function), typed) = (&program.items[id].item, &program.items[id].typed) else { return None };
    let TypedItem::Fn(typed) = typed else { return None };
    // The printer leaves messages out: derived kernels print none.
    let prints = |function: &Function| function.insts.iter().any(|(_, inst)| matches!(inst.kind, InstKind::Print(..)));
    if module.functions.iter().any(|(_, function)| prints(function)) {
        report("not printed: it prints", "");
        return None;
    }
    let mut flat = module.clone();
    if passes::simplify(&mut flat).is_err() {
        report("not printed: too large", "");
        return None;
    }
    let options = rust::Options { marks: true, ..print_options(function, (program, &typed.params), &lowered) };
    let text = match rust::print(&flat, &options) {
        Ok(text) => text,
        Err(unprintable) => {
            report(&format!("not printed: {unprintable}"), "");
            return None;
        }
    };
    let Ok(body) = text.parse::<TokenStream>() else {
        report("not read", &text);
        return None;
    };
    let body = placed(function, module, item, body);
    let printed = with_body(item, body)?;
    let mut diags = Diagnostics::new();
    let assembled = assemble(main(&printed)?, done.to_vec()).ok()?;
    let attr = attr.printed();
    let tokens = compile_kernel(assembled, (&attr, &printed), debug_assertions, krate, &mut diags);
    let errors: Vec<_> = diags.into_list();
    if let Some(error) = errors.first() {
        report(&format!("not compiled: {}", error.message), &text);
        return None;
    }
    report("compiled", &text);
    tokens
}

/// The function with another body.
fn with_body(item: &TokenStream, body: TokenStream) -> Option<TokenStream> {
    let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(TokenTree::Group(group)) = trees.pop() else { return None };
    let orderings = quote!(
        use ::core::sync::atomic::Ordering;
    );
    let has_orderings = body.to_string().contains("Ordering :: ");
    let inside = has_orderings.then_some(orderings).into_iter().chain([body]).collect();
    let mut block = Group::new(Delimiter::Brace, inside);
    block.set_span(group.span());
    let lints = quote!(#[allow(warnings, clippy::all, clippy::pedantic)]);
    Some(lints.into_iter().chain(trees).chain([TokenTree::Group(block)]).collect())
}
