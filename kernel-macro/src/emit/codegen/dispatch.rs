//! The dispatch type of a kernel: its name, and `dispatch` with the types its author wrote.

use gridwise_ir::ir::Checked;
use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt as _;

use super::generics::{params_and_args, params_with_defaults, type_params};
use super::listed::{is_incomplete, type_clauses, types_name, types_trait, types_tuple};
use super::tuning::tuning;
use crate::ast::{Fn, Param, ScalarName, Scattered, TypeExpr, TypeKind};
use crate::attribute::KernelAttr;
use crate::builtin::names::is_gathered_type;
use crate::emit::tokens::{Plain, Tokens, Word, tokens, tokens_at};
use crate::parse::Signature;

/// The dispatch type's name: `to_srgb` → `ToSrgb`.
pub(crate) fn type_name(function: &Ident) -> Ident {
    let function_name = function.unraw().to_string();
    let leading = function_name.chars().take_while(|letter| *letter == '_').count();
    let mut name = "_".repeat(leading);
    for word in function_name.split('_').filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.push_str(letters.as_str());
    }
    // `self_` makes the only keyword that this can make.
    if name == "Self" {
        name.push('_');
    }
    Ident::new(&name, function.span())
}

/// The attributes of a kernel that its dispatch type shares: documentation and `cfg`.
fn shared_attrs(attrs: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("doc") || attr.path().is_ident("cfg"))
}

/// `struct Saxpy;` with its documentation.
fn dispatch_struct(item: &Fn, name: &Ident, attr: &KernelAttr) -> Tokens {
    let shared = shared_attrs(&item.attrs);
    let params = params_with_defaults(item, attr);
    let (function, vis) = (&item.name, &item.vis);
    // Mentions the type parameters, and is of the same size for all of them.
    let types: Vec<_> = type_params(item).collect();
    let members = (!types.is_empty()).then(|| tokens!((::core::marker::PhantomData<fn() -> (#(#types,)*)>)));
    // A paragraph of its own, behind the author's.
    let sentence = format!("\n\nLaunches the kernel `{function}`: see [`dispatch`](Self::dispatch).");
    tokens! {
        #(#shared)*
        #[doc = #sentence]
        #[derive(Debug, Clone, Copy)]
        #[allow(non_camel_case_types)]
        #vis struct #name #params #members;
    }
}

/// The dispatch type with `fn dispatch`, as far as the signature tells: gathering is still to come.
///
/// It compiles also when gathering or anything after it fails, so that the kernel's uses do not fail, too: then there is
/// no `Kernel` implementation, and `LaunchOf` falls back to a function that is never run.
pub(crate) fn dispatch_items(
    signature: Signature,
    function: &Fn,
    attr: &KernelAttr,
    krate: &TokenStream,
) -> TokenStream {
    let private = &TokenStream::from(tokens!(#krate::__private));
    let is_plausible = !signature.has_receiver
        && arguments(function).count() == signature.typed
        && function.params.iter().all(|param| may_reach_device(&param.ty));
    let is_generic = type_params(function).next().is_some();
    if is_plausible && !is_generic && !function.is_unsafe {
        return short_dispatch(function, attr, private).into();
    }
    let name = type_name(&function.name);
    let dispatch_type = dispatch_struct(function, &name, attr);
    let (params, args) = params_and_args(function);
    let cfgs = cfgs(&function.attrs);
    let types = (is_generic && !is_incomplete(function, attr)).then(|| types_trait(function, &name, attr, private));
    let dispatch = match (is_plausible, types.is_some(), is_generic) {
        (true, true, _) => listed_dispatch(function, private),
        (true, false, false) => unsafe_dispatch(function, private),
        _ => any_dispatch(signature, function, private),
    };
    let tuning = (is_plausible && !is_generic).then(|| tuning(function, attr, private)).flatten();
    let doc = format!(
        "Records a launch of the kernel `{}` into `seq`, and gives that back.\n\n# Errors\nWhen an argument belongs to another manager or is used \
         already, or when the device cannot run the kernel.{}",
        function.name,
        if function.is_unsafe { SAFETY } else { "" }
    );
    let tokens = tokens! {
        #dispatch_type
        #types
        #(#cfgs)*
        impl #params #name #args {
            #[doc = #doc]
            #[allow(dead_code, unused_imports, clippy::too_many_arguments)]
            #dispatch
        }
        #tuning
    };
    tokens.into()
}

/// The dispatch type of a kernel without type parameters: most of it is written by a macro of the facade.
fn short_dispatch(function: &Fn, attr: &KernelAttr, private: &TokenStream) -> Tokens {
    let (vis, kernel, name) = (&function.vis, &function.name, type_name(&function.name));
    let params = arguments(function).map(|param| open_param(param, private));
    let values = arguments(function).map(|param| value_param(param, private));
    let pushes = arguments(function).map(push);
    let dispatch = dispatch_name(function);
    let is_plain = function.attrs.is_empty() && function.generics.params.is_empty();
    let rest = (!is_plain).then(|| {
        let (shared, cfgs) = (shared_attrs(&function.attrs), cfgs(&function.attrs));
        let (defaults, (params, args)) = (params_with_defaults(function, attr), params_and_args(function));
        tokens!([#(#shared)*] [#(#cfgs)*] [#defaults] [#params] [#args])
    });
    let tuning = tuning(function, attr, private);
    tokens! {
        #private::dispatch_type! { #vis #name #kernel #dispatch (#(#params),*) (#(#values),*) (#(#pushes)*) #rest }
        #tuning
    }
}

/// The conditions of a kernel.
pub(super) fn cfgs(attrs: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg"))
}

/// Errors about a call point here: at the kernel's name, not at the attribute.
fn dispatch_name(function: &Fn) -> Ident {
    Ident::new("dispatch", function.name.span())
}

/// The parameters that a launch has arguments for.
pub(super) fn arguments(function: &Fn) -> impl Iterator<Item = &Param> {
    function.params.iter().filter(|param| param.scattered != Some(Scattered::Claims))
}

/// How an argument is passed on.
pub(super) fn push(param: &Param) -> Tokens {
    let name = &param.name;
    match &param.ty.kind {
        TypeKind::Slice { .. } if param.checked == Some(Checked::Distinct) => tokens!(.distinct(#name)),
        TypeKind::Slice { .. } if param.checked == Some(Checked::Offsets) => tokens!(.offsets(#name)),
        TypeKind::Slice { .. } if param.scattered.is_some() => tokens!(.scatter(#name)),
        TypeKind::Slice { mutable: true, .. } => tokens!(.write(#name)),
        TypeKind::Slice { mutable: false, .. } => tokens!(.read(#name)),
        TypeKind::List { mutable: true, .. } => tokens!(.list_mut(#name)),
        TypeKind::List { mutable: false, .. } => tokens!(.list(#name)),
        TypeKind::Image { image, is_list: true, .. } => match image.mutable {
            true => tokens!(.list_mut(#name)),
            false => tokens!(.list(#name)),
        },
        TypeKind::Image { image, .. } => match (image.image.is_sampled, image.mutable) {
            (true, _) => tokens!(.sampled(#name)),
            (false, true) => tokens!(.image_mut(#name)),
            (false, false) => tokens!(.image(#name)),
        },
        _ => tokens!(.argument(#name)),
    }
}

/// The promise of who launches a kernel that is an `unsafe fn`.
const SAFETY: &str = "\n\n# Safety\nIn no launch may an invocation access an element that another one writes, unless barriers or atomic \
    operations put both in an order. The kernel's own documentation says what that asks of grid and arguments.";

/// `unsafe`, for a kernel that is.
fn safety(function: &Fn) -> Option<Tokens> {
    function.is_unsafe.then(|| tokens!(unsafe))
}

/// The arguments of a launch of `Self`, to be filled: those of a kernel that is an `unsafe fn` are for its callers only.
pub(super) fn launch_args(function: &Fn, of: &Tokens, private: &TokenStream) -> Tokens {
    let of = of.copy();
    match function.is_unsafe {
        // SAFETY: who calls the function in which this stands makes the promise.
        true => tokens!(unsafe { #private::launch::LaunchOf::<#of>::NEW.args_of_unsafe() }),
        false => tokens!(#private::launch::LaunchOf::<#of>::NEW.args()),
    }
}

/// Of a kernel without type parameters that is an `unsafe fn`.
fn unsafe_dispatch(function: &Fn, private: &TokenStream) -> Tokens {
    let vis = &function.vis;
    // Hygiene keeps these apart from the author's names.
    let local = |name| Ident::new(name, Span::mixed_site());
    let (seq, grid, args) = (local("seq"), local("grid"), local("args"));
    let params = arguments(function).map(|param| open_param(param, private));
    let pushes = arguments(function).map(push);
    let (dispatch, launch) = (dispatch_name(function), launch_args(function, &tokens!(Self), private));
    tokens! {
        #vis unsafe fn #dispatch<'__seq>(
            #seq: &'__seq #private::Sequence,
            #grid: impl ::core::convert::Into<#private::AnyGrid>,
            #(#params),*
        ) -> #private::Result<&'__seq #private::Sequence>
        {
            use #private::launch::NoKernel as _;
            let #args = #launch #(#pushes)*;
            #seq.dispatch(#grid, #args)
        }
    }
}

/// Of a kernel with type parameters, and a trait of the types they may stand for.
fn listed_dispatch(function: &Fn, private: &TokenStream) -> Tokens {
    let vis = &function.vis;
    // Hygiene keeps these apart from the author's names.
    let local = |name| Ident::new(name, Span::mixed_site());
    let (seq, grid, args) = (local("seq"), local("grid"), local("args"));
    let params = arguments(function).map(|param| open_param(param, private));
    let pushes = arguments(function).map(push);
    let dispatch = dispatch_name(function);
    let (types, trait_name) = (types_tuple(function), types_name(function));
    let consts = function.generics.source.const_params().map(|param| &param.ident);
    let (clauses, safety) = (type_clauses(function, private), safety(function));
    let launch = tokens!(<#types as #trait_name>::__launch::<#(#consts),*>());
    // SAFETY: who calls `dispatch` makes the promise.
    let launch = if function.is_unsafe { tokens!(unsafe { #launch }) } else { launch };
    tokens! {
        #vis #safety fn #dispatch<'__seq>(
            #seq: &'__seq #private::Sequence,
            #grid: impl ::core::convert::Into<#private::AnyGrid>,
            #(#params),*
        ) -> #private::Result<&'__seq #private::Sequence>
        #clauses
        {
            let #args = #launch #(#pushes)*;
            #seq.dispatch(#grid, #args)
        }
    }
}

/// A `dispatch` that takes anything, for a signature that is reported anyway.
fn any_dispatch(signature: Signature, function: &Fn, private: &TokenStream) -> Tokens {
    let vis = &function.vis;
    let params = (0..signature.typed).map(|_| tokens!(_: impl ::core::marker::Sized));
    let message = format!("`{}` has errors", function.name);
    let (dispatch, safety) = (dispatch_name(function), safety(function));
    tokens! {
        #vis #safety fn #dispatch<'__seq>(
            _: &'__seq #private::Sequence,
            _: impl ::core::convert::Into<#private::AnyGrid>,
            #(#params),*
        ) -> #private::Result<&'__seq #private::Sequence> {
            ::core::panic!(#message)
        }
    }
}

/// Whether a type is one that parameters can have, or one to be gathered. Others are reported by inference and checks.
fn may_reach_device(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Path(path) => is_gathered_type(path) || path.segments.last().is_some_and(is_data_name),
        TypeKind::Slice { element, .. }
        | TypeKind::List { element, .. }
        | TypeKind::Table(element)
        | TypeKind::Array { element, .. } => !is_named(element, "bool") && may_reach_device(element),
        TypeKind::Atomic(value) => may_reach_device(value),
        TypeKind::Image { .. } => true,
        TypeKind::Projection { .. }
        | TypeKind::Shared(_)
        | TypeKind::Ref { .. }
        | TypeKind::Option(_)
        | TypeKind::Range { .. }
        | TypeKind::Iterator(_)
        | TypeKind::Result(..)
        | TypeKind::Tuple(_)
        | TypeKind::Infer
        | TypeKind::Never
        | TypeKind::Error => false,
    }
}

fn is_named(ty: &TypeExpr, name: &str) -> bool {
    matches!(&ty.kind, TypeKind::Path(path) if path.segments.last().is_some_and(|last| last == name))
}

fn is_data_name(name: &Ident) -> bool {
    let name = name.to_string();
    let vector = name.strip_prefix(['U', 'I']).unwrap_or(&name);
    let is_none = |scalar| matches!(scalar, ScalarName::Usize | ScalarName::Isize | ScalarName::Char);
    ScalarName::from_name(&name).is_some_and(|scalar| !is_none(scalar))
        || ["Vec2", "Vec3", "Vec4", "Mat2", "Mat3", "Mat4", "Quat"].contains(&vector)
}

pub(crate) fn dispatch_param(param: &Param, private: &TokenStream) -> Tokens {
    let name = &param.name;
    let span = param.ty.span.start;
    match &param.ty.kind {
        TypeKind::Slice { element, .. } if param.checked == Some(Checked::Distinct) => {
            let element = plain_element(element);
            tokens_at!(span=> #name: &#private::DistinctTensor<#element>)
        }
        TypeKind::Slice { element, .. } if param.checked == Some(Checked::Offsets) => {
            let element = plain_element(element);
            tokens_at!(span=> #name: &#private::OffsetsTensor<#element>)
        }
        TypeKind::Slice { element, .. } if param.scattered.is_some() => {
            let element = plain_element(element);
            tokens_at!(span=> #name: &mut #private::ScatterTensor<#element>)
        }
        TypeKind::Slice { mutable, element } => {
            let element = plain_element(element);
            let mutable = mutable.then(|| tokens_at!(span=> mut));
            tokens_at!(span=> #name: &#mutable #private::Tensor<#element>)
        }
        TypeKind::List { mutable, element } => {
            let element = plain_element(element);
            let mutable = || mutable.then(|| tokens_at!(span=> mut));
            let (list, of) = (mutable(), mutable());
            tokens_at!(span=> #name: &#list [&#of #private::Tensor<#element>])
        }
        TypeKind::Image { image, format, is_list, .. } => {
            let mutable = || image.mutable.then(|| tokens_at!(span=> mut));
            let (list, mutable) = (mutable(), mutable());
            let of = Word(if image.image.is_sampled { "Sampled" } else { "Image" });
            let dimensions = Plain(image.image.dimensions.into());
            let one = tokens_at!(span=> &#mutable #private::#of<#format, #dimensions>);
            if *is_list { tokens_at!(span=> #name: &#list [#one]) } else { tokens_at!(span=> #name: #one) }
        }
        _ => {
            let ty = &param.ty.tokens;
            tokens_at!(span=> #name: impl #private::Argument<#ty>)
        }
    }
}

/// A parameter of a `dispatch` that takes all that fits: of lists also tables.
fn open_param(param: &Param, private: &TokenStream) -> Tokens {
    let (name, span) = (&param.name, param.ty.span.start);
    let list = |is_written: bool, of: Tokens| {
        let list = Word(if is_written { "WriteList" } else { "ReadList" });
        tokens_at!(span=> #name: impl #private::#list<#of>)
    };
    match &param.ty.kind {
        TypeKind::List { mutable, element } => {
            let element = plain_element(element);
            list(*mutable, tokens_at!(span=> #private::Tensor<#element>))
        }
        TypeKind::Image { image, format, is_list: true, .. } => {
            let of = Word(if image.image.is_sampled { "Sampled" } else { "Image" });
            let dimensions = Plain(image.image.dimensions.into());
            list(image.mutable, tokens_at!(span=> #private::#of<#format, #dimensions>))
        }
        _ => dispatch_param(param, private),
    }
}

/// A parameter of a `dispatch` that takes values and nothing in their place.
fn value_param(param: &Param, private: &TokenStream) -> Tokens {
    let (name, ty) = (&param.name, &param.ty.tokens);
    match &param.ty.kind {
        TypeKind::Slice { .. } | TypeKind::List { .. } | TypeKind::Image { .. } => dispatch_param(param, private),
        _ => tokens_at!(param.ty.span.start=> #name: #ty),
    }
}

/// The element of the tensor that is passed: a tensor of numbers for a slice of atomics, which lie in memory alike.
pub(crate) fn plain_element(element: &TypeExpr) -> TokenStream {
    match &element.kind {
        TypeKind::Atomic(value) => value.tokens.clone(),
        _ => element.tokens.clone(),
    }
}
