//! From Rust source to an inferred program with its errors, without a proc macro around it.

use std::collections::BTreeMap;

use expect_test::Expect;
use quote::ToTokens;

use crate::ast::Item;
use crate::check::{check_item, check_kernel};
use crate::diag::Diagnostics;
use crate::diag::test_support::render;
use gridwise_ir::descriptor::Size;

use crate::emit::render::{Way, render_host, render_original};
use crate::infer::infer_item;
use crate::lower::lower_kernel;
use crate::parse::{Role, parse_const, parse_device_struct, parse_enum, parse_fn, parse_struct};
use crate::program::instantiate::instantiate;
use crate::program::{ItemId, Program, ProgramItem, TypedItem};

/// The items of a source text, inferred and checked. A `fn` named `kernel` is a kernel, all others are device functions.
/// An item may name those above it.
pub(crate) fn infer_source(source: &str) -> (Program, Diagnostics) {
    let file: syn::File = syn::parse_str(source).expect("the test is Rust");
    let mut program = Program::default();
    let mut diags = Diagnostics::new();
    let mut names: BTreeMap<String, ItemId> = BTreeMap::new();
    for item in &file.items {
        let (name, item) = parse_item(item, &mut diags);
        let is_kernel = name == "kernel";
        let id = program.items.push(ProgramItem {
            item,
            uses: names.clone(),
            file: "src/kernel.rs".to_owned(),
            position: (name.span().start().line as u32, name.span().start().column as u32 + 1),
            owner: None,
            bindings: Vec::new(),
            typed: TypedItem::None,
        });
        infer_item(&mut program, id, &mut diags);
        instantiate(&mut program, id, &mut diags);
        let check = if is_kernel { check_kernel } else { check_item };
        check(&program, id, &mut diags);
        names.insert(name.to_string(), id);
    }
    (program, diags)
}

/// The last item as written: instances stand behind it.
pub(crate) fn kernel_of(program: &Program) -> ItemId {
    let written = program.items.iter().filter(|(_, item)| item.bindings.is_empty());
    written.map(|(id, _)| id).next_back().expect("a kernel")
}

/// An item by itself, with its name.
pub(crate) fn parse_item(item: &syn::Item, diags: &mut Diagnostics) -> (proc_macro2::Ident, Item) {
    match item {
        syn::Item::Fn(item) => {
            let role = if item.sig.ident == "kernel" { Role::Kernel } else { Role::Device };
            (item.sig.ident.clone(), Item::Fn(parse_fn(item, role, diags)))
        }
        syn::Item::Const(item) => (item.ident.clone(), Item::Const(parse_const(item, diags))),
        syn::Item::Struct(item) if !matches!(item.fields, syn::Fields::Named(_)) => {
            (item.ident.clone(), Item::Struct(parse_device_struct(item, diags)))
        }
        syn::Item::Enum(item) => (item.ident.clone(), Item::Enum(parse_enum(item, diags))),
        syn::Item::Struct(item) => {
            let input = syn::parse2(item.to_token_stream()).expect("a struct");
            (item.ident.clone(), Item::Struct(parse_struct(&input, diags)))
        }
        _ => panic!("tests are made of functions, consts, structs and enums"),
    }
}

/// The errors of a source text.
pub(crate) fn check_errors(source: &str, expected: Expect) {
    check_each(&[source], expected);
}

/// The errors of source texts, each by itself, one after the other.
pub(crate) fn check_each(sources: &[&str], expected: Expect) {
    let errors = sources.iter().map(|source| {
        let source = source.trim_matches('\n');
        render(infer_source(source).1, source)
    });
    expected.assert_eq(&errors.collect::<String>());
}

/// Asserts that a source text has no errors, and returns its program.
pub(crate) fn accepted(source: &str) -> Program {
    let (program, diags) = infer_source(source);
    let errors = render(diags, source);
    assert!(errors.is_empty(), "{errors}\n{source}");
    program
}

/// Asserts that what inference accepts passes every later stage.
pub(crate) fn accepted_to_the_end(source: &str) {
    let program = accepted(source);
    let kernel = kernel_of(&program);
    let module = lower_kernel(&program, kernel, [64, 1, 1], true).module;
    if let Err(errors) = gridwise_ir::verify::verify(&module) {
        panic!("{errors}\n{source}\n{module}");
    }
    let krate = quote::quote!(::gridwise);
    let original = render_original(&program, kernel, true, &krate).expect("a function");
    let size = [Size::Known(64), Size::Known(1), Size::Known(1)];
    let body = render_host(&program, kernel, Way::Alone, &size).expect("a function").body;
    let twin = crate::emit::tokens::tokens!(fn twin() #body);
    for tokens in [original, twin].map(proc_macro2::TokenStream::from) {
        syn::parse2::<syn::File>(tokens.clone()).unwrap_or_else(|error| panic!("{error}\n{tokens}"));
    }
}

/// Asserts that the body of a kernel with some parameters is accepted.
pub(crate) fn accepted_body(body: &str) {
    accepted_to_the_end(&format!(
        "fn kernel(a: f32, n: u32, m: i32, x: &[f32], y: &mut [f32], u: &mut [u32]) {{ {body} }}"
    ));
}
