//! Everything a kernel without errors becomes.

use gridwise_ir::compile::{Compiled, CompiledLocation};
use proc_macro2::TokenStream;

use super::data::layout_assertions;
use super::descriptor::{descriptor_tokens, param_tokens};
use super::dispatch::type_name;
use super::generics::{const_params, constants, params_and_args, type_names};
use crate::ast::{Fn, Item, Path, ScalarName, TypeExpr, TypeKind};
use crate::emit::editor;
use crate::emit::render::{Host, context, render_host, render_original, sites_rows, sites_tokens, way_of};
use crate::emit::tokens::{Tokens, tokens};
use crate::program::message::Message;
use crate::program::{ItemId, Program, ProgramItem, TypedItem};
use crate::typed::Ty;

/// The compiled kernel.
pub(crate) struct BuiltKernel {
    pub(crate) compiled: Compiled,
    /// The same for devices that add to atomic floats.
    pub(crate) variant: Option<Compiled>,
    pub(crate) messages: Vec<Message>,
}

/// The checked original and the `Kernel` implementation with descriptor and host twin.
pub(crate) fn kernel_items(program: &Program, item: ItemId, built: &BuiltKernel, krate: &TokenStream) -> TokenStream {
    if matches!(&program.items[item].item, Item::Fn(function) if function.is_unsafe) {
        // `implementation!` knows safe functions only.
        let original = original(program, item, true, krate).map(TokenStream::from);
        let implementation = implementation(program, item, built, (None, None), krate).map(TokenStream::from);
        return original.into_iter().chain(implementation).collect();
    }
    let original = original(program, item, false, krate);
    implementation(program, item, built, (original, None), krate).map(TokenStream::from).unwrap_or_default()
}

/// The checked original. `lints`: whether it says which lints are off.
pub(crate) fn original(program: &Program, item: ItemId, lints: bool, krate: &TokenStream) -> Option<Tokens> {
    editor::unless_written(|| render_original(program, item, lints, krate))
}

/// The `Kernel` implementation of an instance of a kernel with type parameters, which have other names for the types: `written`,
/// in their order.
pub(crate) fn instance_items(
    program: &Program,
    item: ItemId,
    built: &BuiltKernel,
    written: &[&TypeExpr],
    krate: &TokenStream,
) -> TokenStream {
    let Item::Fn(function) = &program.items[item].item else { return TokenStream::new() };
    let names = type_names(function, written);
    implementation(program, item, built, (None, Some(names)), krate).map(TokenStream::from).unwrap_or_default()
}

/// `original`: the function as rustc is to check it, if it stands here; `names`: what gives the types of an instance the names of the
/// parameters.
fn implementation(
    program: &Program,
    item: ItemId,
    built: &BuiltKernel,
    (original, names): (Option<Tokens>, Option<Tokens>),
    krate: &TokenStream,
) -> Option<Tokens> {
    let ProgramItem { item: Item::Fn(function), typed: TypedItem::Fn(typed), file, position, .. } =
        &program.items[item]
    else {
        return None;
    };
    let BuiltKernel { compiled, variant, messages } = built;
    let host = render_host(program, item, way_of(program, item, compiled), &compiled.workgroup)?;
    let private = &TokenStream::from(tokens!(#krate::__private));
    let place = CompiledLocation { file: file.clone(), line: position.0, column: position.1 };
    let place = compiled.location.as_ref().unwrap_or(&place);
    let descriptor = descriptor_tokens(program, (compiled, variant.as_ref()), messages, place, &host.sites);
    let atomics = function.params.iter().zip(&typed.params).enumerate().filter_map(|(position, (param, ty))| {
        let is_shared = matches!(ty, Ty::Buffer { mutable: false, .. });
        (is_shared && typed.atomic_buffers.contains(&param.binding)).then_some(position)
    });
    let atomics: Vec<_> = atomics.collect();
    let atomics = (!atomics.is_empty()).then(|| tokens!(const ATOMIC_PARAMS: &'static [usize] = &[#(#atomics),*];));
    let unsafety = function.is_unsafe.then(|| {
        tokens!(
            const IS_UNSAFE: bool = true;
        )
    });
    let constants = constants(program, function, compiled);
    let (asserted, layouts) = assertions(program, function, &typed.params);
    let vec4 = typed.params.iter().any(holds_vec4).then(|| {
        let cfgs = cfgs(function);
        tokens!(#(#cfgs)* #private::vec4_assertion! {})
    });
    let (name, cfgs, cx) = (type_name(&function.name), cfgs(function), context());
    let Host { run, params, body, generics, sites } = host;
    let file = &place.file;
    let (rows, table) = match sites_rows(&sites, file) {
        Some(rows) => (rows, None),
        None => (tokens!(), sites_tokens(&sites)),
    };
    let is_plain = names.is_none()
        && layouts.is_empty()
        && table.is_none()
        && atomics.is_none()
        && unsafety.is_none()
        && constants.is_none()
        && generics.is_none();
    let rest = (!is_plain).then(|| {
        let (params, (_, args)) = (const_params(function), params_and_args(function));
        let [generics, turbofish, clauses] = generics.unwrap_or_default();
        tokens! {
            [#names #table #(#layouts)*] [#params] [#args] [#constants #atomics #unsafety] [#generics] [#turbofish] [#clauses]
        }
    });
    let params = params.into_iter().zip(&compiled.params).map(|((taken, ty), param)| {
        let described = param_tokens(param);
        tokens!(#taken #described: #ty)
    });
    let original = original.map(|original| tokens!(original [#original]));
    Some(tokens! {
        #vec4
        #(#cfgs)*
        #private::implementation! {
            #name #cx #run [#(#asserted),*] #file #rows [#(#params),*] #descriptor #body #original #rest
        }
    })
}

fn cfgs(function: &Fn) -> impl Iterator<Item = &syn::Attribute> {
    function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"))
}

/// The assertions about the parameters' types that rustc must confirm, as the macro sees names only: which of them are
/// `GpuData`, and the offsets of the fields of generic ones.
fn assertions<'f>(program: &Program, function: &'f Fn, types: &[Ty]) -> (Vec<&'f TokenStream>, Vec<Tokens>) {
    let (mut written, mut layouts) = (Vec::new(), Vec::new());
    for (param, ty) in function.params.iter().zip(types) {
        let (of, tokens) = match (&param.ty.kind, ty) {
            (TypeKind::Slice { element, .. }, Ty::Buffer { element: of, .. }) => (&**of, &element.tokens),
            (TypeKind::List { element, .. }, Ty::Buffer { element: of, .. }) => {
                (of.slice_element().unwrap_or(of), &element.tokens)
            }
            _ => (ty, &param.ty.tokens),
        };
        // Others say so themselves, where they are defined.
        if let Ty::Struct(_, Some(_)) = of {
            layouts.extend(layout_assertions(program, of, tokens));
        }
        match &param.ty.kind {
            TypeKind::Slice { element, .. } | TypeKind::List { element, .. } => written.push(&**element),
            TypeKind::Image { .. } => {}
            _ if *ty == Ty::BOOL => {}
            _ => written.push(&param.ty),
        }
    }
    // The same name means the same type.
    let mut seen = Vec::new();
    written.retain(|ty| {
        let TypeKind::Path(path) = &ty.kind else { return true };
        if !path.generics.is_empty() {
            return true;
        }
        let is_new = !seen.iter().any(|known: &&Path| known.is_written_as(path));
        seen.push(path);
        is_new
    });
    (written.into_iter().map(|ty| &ty.tokens).collect(), layouts)
}

fn holds_vec4(ty: &Ty) -> bool {
    match ty {
        Ty::Vector(ScalarName::F32, 4) | Ty::Matrix(2 | 4) | Ty::Quat => true,
        Ty::Buffer { element, .. } | Ty::Array(element, _) => holds_vec4(element),
        _ => false,
    }
}
