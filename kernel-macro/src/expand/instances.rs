//! A kernel with type parameters: compiled once for each combination of the types that its attribute lists. Each combination is a
//! kernel of its own, whose types are all known; as written the function is only checked by rustc.

use proc_macro2::TokenStream;

use super::kernel::build;
use crate::ast::{Fn, GenericKind, Item, SpanRange, TypeKind};
use crate::attribute::KernelAttr;
use crate::attribute::type_list::combinations;
use crate::diag::{Diagnostics, code};
use crate::emit::codegen::{instance_items, original};
use crate::infer::infer_item;
use crate::krate::facade_path;
use crate::program::instantiate::{compare, instance_name};
use crate::program::{Binding, ItemId, Program};
use crate::typed::Ty;

/// Compiles all combinations; `None` after errors, of which those of the first combination that has any are reported.
pub(super) fn compile_instances(
    program: &mut Program,
    item: ItemId,
    (attr, source): (&KernelAttr, &TokenStream),
    debug_assertions: bool,
    diags: &mut Diagnostics,
) -> Option<TokenStream> {
    let Item::Fn(function) = &program.items[item].item else { return None };
    let function = function.clone();
    check_signature(&function, diags);
    let combinations = combinations(attr.type_lists(), program, item, diags);
    let chosen = program.items[item].bindings.clone();
    bind_unknown_types(program, item, attr);
    infer_item(program, item, diags);
    if diags.has_errors() {
        return None;
    }
    let krate = facade_path();
    let mut tokens = original(program, item, true, &krate).map(TokenStream::from).unwrap_or_default();
    for combination in combinations {
        let types: Vec<Ty> = combination.iter().map(|(_, ty)| ty.clone()).collect();
        let mut errors = Diagnostics::new();
        let instance = program.items[item].instance(bindings(&function, &types, &chosen));
        let instance = program.items.push(instance);
        infer_item(program, instance, &mut errors);
        compare(program, item, instance, &mut errors);
        let name = instance_name(program, instance);
        match build(program, instance, (attr, source), debug_assertions, &mut errors) {
            Some(mut built) => {
                built.compiled.name = name.trim_matches('`').to_owned();
                let written: Vec<_> = combination.iter().map(|(written, _)| *written).collect();
                tokens.extend(instance_items(program, instance, &built, &written, &krate));
            }
            None => {
                report(errors, &name, diags);
                return None;
            }
        }
    }
    Some(tokens)
}

/// The type parameters as of unknown types: what is wrong whatever they stand for is found.
pub(super) fn bind_unknown_types(program: &mut Program, item: ItemId, attr: &KernelAttr) {
    let Item::Fn(function) = &program.items[item].item else { return };
    let function = function.clone();
    let unknown: Vec<Ty> = attr.type_lists().iter().map(|_| Ty::Error).collect();
    let chosen = std::mem::take(&mut program.items[item].bindings);
    program.items[item].bindings = bindings(&function, &unknown, &chosen);
}

/// The values of the parameters: the types, and the const parameters that each launch chooses.
fn bindings(function: &Fn, types: &[Ty], chosen: &[Binding]) -> Vec<Binding> {
    let mut types = types.iter();
    let bound = function.generics.params.iter().filter_map(|param| match param.kind {
        GenericKind::Type { .. } => {
            Some(Binding { name: param.name.to_string(), ty: types.next()?.clone(), scalar: None, chain: None })
        }
        GenericKind::Const(_) => chosen.iter().find(|binding| param.name == binding.name.as_str()).cloned(),
    });
    bound.collect()
}

/// Hands on the errors of an instance, each with the types it is about.
fn report(errors: Diagnostics, name: &str, diags: &mut Diagnostics) {
    for error in errors.into_list() {
        let report = diags.error(error.code, error.span, error.message).note(format!("in {name}"));
        report.lines.extend(error.lines);
    }
}

/// Reports `T::Name` in the signature: the types of a launch are those that are listed.
fn check_signature(function: &Fn, diags: &mut Diagnostics) {
    for param in &function.params {
        let mut ty = &param.ty;
        while let TypeKind::Slice { element, .. } | TypeKind::List { element, .. } | TypeKind::Array { element, .. } =
            &ty.kind
        {
            ty = element;
        }
        let TypeKind::Path(path) = &ty.kind else { continue };
        let is_type = |name: &proc_macro2::Ident| function.generics.source.type_params().any(|it| it.ident == *name);
        if let [first, _, ..] = path.segments.as_slice()
            && is_type(first)
        {
            diags
                .error(
                    code::BAD_SIGNATURE,
                    SpanRange::of(&ty.tokens),
                    format!("`{}` in the signature of a kernel is not supported", path.text()),
                )
                .help("make it a type parameter with a list of its own");
        }
    }
}
