//! The gradient of a kernel: its derived module as a kernel of its own, printed as Rust, and `backward`, which launches it.
//!
//! The derived kernel is expanded by `#[kernel]` once more, so that it gets a host twin, proofs and launch conditions like any other.

use std::collections::HashMap;

use gridwise_ir::arena::EntityId;
use gridwise_ir::grad::{By, Derived, Refusal, Refused, Shadow, ShadowKind, derive};
use gridwise_ir::ir::{Bound, BoundOp, BufferId, InstKind, Module, Obligation, ParamId, SourceLocation};
use gridwise_ir::rust::{self, Options};
use gridwise_ir::types::{Scalar, Type};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::format_ident;

use super::codegen::{dispatch_param, plain_element, type_name};
use crate::ast::{Fn, Param, SpanRange, TypeKind};
use crate::attribute::{DERIVED, KernelAttr};
use crate::diag::{Diagnostics, code};
use crate::emit::tokens::{Tokens, tokens};
use crate::source;

/// The gradient's items; `None` after errors. `source`: the kernel's tokens, in which places are looked up.
pub(crate) fn gradient(
    function: &Fn,
    attr: &KernelAttr,
    module: &Module,
    source: &TokenStream,
    options: Options,
    krate: &TokenStream,
    diags: &mut Diagnostics,
) -> Option<TokenStream> {
    let cx = Cx { function, module, source };
    let by = cx.by(attr.gradient(), diags)?;
    let derived = match derive(module, &by) {
        Ok(derived) => derived,
        Err(refusal) => {
            cx.report(&refusal, attr.gradient(), diags);
            return None;
        }
    };
    crate::dump::dump("gradient", &function.name.to_string(), || derived.module.to_string());
    let options = with_shadows(Options { marks: true, ..options }, &derived);
    let body = match rust::print(&derived.module, &options) {
        Ok(text) => text,
        Err(unprintable) => {
            let span = cx.span(unprintable.location);
            diags
                .error(
                    code::NO_GRADIENT,
                    span,
                    format!("the gradient of this kernel needs {}, which no derived kernel has yet", unprintable.what),
                )
                .help("write the gradient by hand, as a kernel of its own");
            return None;
        }
    };
    crate::dump::dump("gradient", &function.name.to_string(), || body.clone());
    let Ok(body) = body.parse::<TokenStream>() else {
        diags.error(code::INTERNAL, SpanRange::token(function.name.span()), "the derived kernel cannot be read");
        return None;
    };
    let body = cx.placed(body, Some(&derived));
    Some(cx.items(attr, &derived, &body, krate))
}

/// The printed text with the places that marks in it name; the marks are gone.
pub(crate) fn placed(function: &Fn, module: &Module, source: &TokenStream, tokens: TokenStream) -> TokenStream {
    Cx { function, module, source }.placed(tokens, None)
}

/// The same for the derived kernel: an adjoint has quaternions where its parameter does.
pub(super) fn with_shadows(mut options: Options, derived: &Derived) -> Options {
    let of_buffers = options.buffers.iter().map(|(id, found)| (derived.buffer(*id), found));
    let of_params = options.params.iter().map(|(id, found)| (derived.param(*id), found));
    let shadows = of_buffers.chain(of_params).filter_map(|(shadow, found)| match shadow {
        // Those that are added to atomically are floats.
        Some(Shadow { kind: ShadowKind::Atomic(_), .. }) | None => None,
        Some(shadow) => Some((shadow.buffer, found.clone())),
    });
    let shadows: Vec<_> = shadows.collect();
    options.buffers.extend(shadows);
    options
}

/// A parameter of the kernel: which buffer or value of the module it is.
#[derive(Clone, Copy)]
enum Place {
    Buffer(BufferId),
    Value(ParamId),
}

struct Cx<'a> {
    function: &'a Fn,
    module: &'a Module,
    source: &'a TokenStream,
}

impl Cx<'_> {
    fn places(&self) -> Vec<(&Param, Place)> {
        let (mut buffers, mut values) = (0, 0);
        let next = |count: &mut usize| std::mem::replace(count, *count + 1);
        let of = |param: &Param| match param.ty.kind {
            TypeKind::Slice { .. } | TypeKind::List { .. } | TypeKind::Image { .. } => {
                Place::Buffer(BufferId::new(next(&mut buffers)))
            }
            _ => Place::Value(ParamId::new(next(&mut values))),
        };
        let mut of = of;
        self.function.params.iter().map(|param| (param, of(param))).collect()
    }

    fn by(&self, names: &[Ident], diags: &mut Diagnostics) -> Option<By> {
        let mut by = By::default();
        let places = self.places();
        for name in names {
            match places.iter().find(|(param, _)| param.name == *name) {
                Some((_, Place::Buffer(buffer))) => by.buffers.push(*buffer),
                Some((_, Place::Value(value))) => by.params.push(*value),
                None => {
                    let known: Vec<_> = places.iter().map(|(param, _)| format!("`{}`", param.name)).collect();
                    diags
                        .error(
                            code::GRADIENT_OF,
                            SpanRange::token(name.span()),
                            format!("the kernel has no parameter `{name}`"),
                        )
                        .help(format!("name some of its parameters: {}", known.join(", ")));
                }
            }
        }
        (!diags.has_errors()).then_some(by)
    }

    /// Reports what cannot be derived, at its place if that stands in the kernel.
    fn report(&self, refusal: &Refusal, names: &[Ident], diags: &mut Diagnostics) {
        let code = match &refusal.refused {
            Refused::Overwritten { .. } => code::LOST_VALUE,
            Refused::Element { .. }
            | Refused::NoFloats { .. }
            | Refused::Kind { .. }
            | Refused::Written { .. }
            | Refused::NoPath { .. } => code::GRADIENT_OF,
            _ => code::NO_GRADIENT,
        };
        let name = match &refusal.refused {
            Refused::Element { name, .. }
            | Refused::NoFloats { name }
            | Refused::Kind { name, .. }
            | Refused::Written { name }
            | Refused::NoPath { name } => names.iter().find(|known| *known == name),
            _ => None,
        };
        let span = name.map_or_else(|| self.span(refusal.location), |name| SpanRange::token(name.span()));
        let error = diags.error(code, span, refusal.refused.to_string());
        if let Some(at) = refusal.location.filter(|at| self.token(*at).is_none()) {
            error.note(format!(
                "in a function that it calls, at {}:{}:{}",
                self.module.files[at.file], at.line, at.column
            ));
        }
        error.help(refusal.refused.help());
    }

    fn span(&self, location: Option<SourceLocation>) -> SpanRange {
        let span = location.and_then(|at| self.token(at));
        SpanRange::token(span.unwrap_or_else(|| self.function.name.span()))
    }

    /// The token of the kernel that begins at a place.
    fn token(&self, at: SourceLocation) -> Option<Span> {
        let file = &self.module.files[at.file];
        (*file == source::location(self.function.name.span()).0)
            .then(|| source::token_at(self.source.clone(), at.line, at.column))
            .flatten()
    }

    /// The tokens with the places that marks in them name; the marks are gone. Names of parameters are looked up where those were
    /// written: in a `macro_rules!`, perhaps.
    fn placed(&self, tokens: TokenStream, derived: Option<&Derived>) -> TokenStream {
        let mut span = self.function.name.span().resolved_at(Span::call_site());
        let mut names: HashMap<String, Span> = HashMap::new();
        for param in self.function.generics.source.const_params() {
            names.insert(param.ident.to_string(), param.ident.span());
        }
        for (param, place) in self.places() {
            names.insert(param.name.to_string(), param.name.span());
            let shadow = derived.and_then(|derived| match place {
                Place::Buffer(buffer) => derived.buffer(buffer),
                Place::Value(value) => derived.param(value),
            });
            if let (Some(shadow), Some(kernel)) = (shadow, derived.and_then(|derived| derived.module.kernel.as_ref())) {
                names.insert(kernel.buffers[shadow.buffer].name.clone(), param.name.span());
            }
        }
        self.place_all(tokens, &names, &mut span)
    }

    fn place_all(&self, tokens: TokenStream, names: &HashMap<String, Span>, span: &mut Span) -> TokenStream {
        let mut placed = Vec::new();
        for mut tree in tokens {
            if let TokenTree::Ident(ident) = &tree
                && let Some(mark) = ident.to_string().strip_prefix("__at_")
            {
                let numbers: Vec<u32> = mark.split('_').filter_map(|number| number.parse().ok()).collect();
                if let [file, line, column] = numbers[..] {
                    let at = SourceLocation { file: EntityId::new(file as usize), line, column };
                    *span = self.span(Some(at)).start.resolved_at(Span::call_site());
                }
                continue;
            }
            if let TokenTree::Group(group) = &tree {
                tree = TokenTree::Group(Group::new(group.delimiter(), self.place_all(group.stream(), names, span)));
            }
            let named = match &tree {
                TokenTree::Ident(ident) => names.get(&ident.to_string()),
                _ => None,
            };
            tree.set_span(span.resolved_at(*named.unwrap_or(span)));
            placed.push(tree);
        }
        placed.into_iter().collect()
    }

    /// Whether a parameter's elements, or it itself, are scalars.
    fn is_scalar(&self, place: Place) -> bool {
        let Some(kernel) = &self.module.kernel else { return true };
        let ty = match place {
            Place::Buffer(buffer) => kernel.buffers[buffer].element,
            Place::Value(param) => kernel.params[param].ty,
        };
        matches!(self.module.types.get(ty), Type::Scalar(_))
    }

    /// Whether a parameter's elements are numbers of 16 bits, whose adjoints are `f32` where several invocations add to them.
    fn is_narrow(&self, place: Place) -> bool {
        let (Some(kernel), Place::Buffer(buffer)) = (&self.module.kernel, place) else { return false };
        matches!(self.module.types.get(kernel.buffers[buffer].element), Type::Scalar(Scalar::F16 | Scalar::Bf16))
    }

    fn items(&self, attr: &KernelAttr, derived: &Derived, body: &TokenStream, krate: &TokenStream) -> TokenStream {
        let private = &TokenStream::from(tokens!(#krate::__private));
        let (mut params, mut outer, mut arguments, mut checks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (param, place) in self.places() {
            let shadow = match place {
                Place::Buffer(buffer) => derived.buffer(buffer),
                Place::Value(value) => derived.param(value),
            };
            let written = matches!(param.ty.kind, TypeKind::Slice { mutable: true, .. })
                || matches!(param.ty.kind, TypeKind::Slice { ref element, .. } if matches!(element.kind, TypeKind::Atomic(_)));
            let name = &param.name;
            match &param.ty.kind {
                TypeKind::Slice { element, .. } if written => {
                    let element = plain_element(element);
                    outer.push(tokens!(#name: &#private::Tensor<#element>));
                    if has_len(derived, place) {
                        params.push(tokens!(#name: &[#element]));
                        arguments.push(tokens!(#name));
                    } else {
                        checks.push(tokens!(let _ = #name;));
                    }
                }
                TypeKind::Image { image, .. } if image.mutable => {
                    outer.push(dispatch_param(param, private));
                    checks.push(tokens!(let _ = #name;));
                }
                _ => {
                    let texels = param.texels.is_some().then(|| tokens!(#[texels]));
                    let ty = &param.ty.tokens;
                    params.push(tokens!(#texels #name: #ty));
                    outer.push(dispatch_param(param, private));
                    arguments.push(tokens!(#name));
                }
            }
            if let Some(shadow) = shadow {
                self.shadow(
                    (param, place),
                    shadow,
                    derived,
                    private,
                    (&mut params, &mut outer, &mut arguments, &mut checks),
                );
            }
        }
        self.emit(attr, derived, body, krate, (&params, &outer, &arguments, &checks))
    }

    /// A number that lengths and the line decide, a `u128`.
    fn number(&self, bound: &Bound, private: &TokenStream) -> Tokens {
        let places = self.places();
        match bound {
            Bound::Const(number) => tokens!(#number as u128),
            Bound::Len(buffer) => {
                let is_it = |place: &Place| matches!(place, Place::Buffer(id) if id == buffer);
                let name = places.iter().find(|(_, place)| is_it(place)).map(|(param, _)| &param.name);
                tokens!((#name.len() as u128))
            }
            Bound::Items(_) => {
                let width = self.module.kernel.as_ref().and_then(|kernel| kernel.workgroup[0].known()).unwrap_or(1);
                let grid = local("grid");
                tokens!(#private::gradient::items(&#grid, #width))
            }
            Bound::Binary(op, parts) => {
                let (a, b) = (self.number(&parts[0], private), self.number(&parts[1], private));
                match op {
                    BoundOp::Mul => tokens!((#a).saturating_mul(#b)),
                    _ => tokens!((#a).saturating_add(#b)),
                }
            }
            _ => unreachable!("conditions of gradients are of lengths"),
        }
    }

    /// The adjoint of a parameter: a parameter of the derived kernel, one of `backward`, and what is passed and checked.
    fn shadow(
        &self,
        (param, place): (&Param, Place),
        shadow: &Shadow,
        derived: &Derived,
        private: &TokenStream,
        (params, outer, arguments, checks): (&mut Vec<Tokens>, &mut Vec<Tokens>, &mut Vec<Tokens>, &mut Vec<Tokens>),
    ) {
        let Some(kernel) = &derived.module.kernel else { return };
        let (name, adjoint) = (&param.name, Ident::new(&kernel.buffers[shadow.buffer].name, param.name.span()));
        let element = match &param.ty.kind {
            TypeKind::Slice { element, .. } => plain_element(element),
            _ => param.ty.tokens.clone(),
        };
        let written = (name.to_string(), adjoint.to_string());
        let (name_text, adjoint_text) = (&written.0, &written.1);
        let len = match place {
            Place::Buffer(_) => tokens!(#name.len()),
            Place::Value(_) => tokens!(1),
        };
        checks.push(tokens!(#private::gradient::same_length(#name_text, #len, #adjoint_text, #adjoint.len())?;));
        match shadow.kind {
            ShadowKind::Own | ShadowKind::Apart | ShadowKind::Taken => {
                params.push(tokens!(#adjoint: &mut [#element]));
                outer.push(tokens!(#adjoint: &mut #private::Tensor<#element>));
                arguments.push(tokens!(#adjoint));
            }
            ShadowKind::Read => {
                params.push(tokens!(#adjoint: &[#element]));
                outer.push(tokens!(#adjoint: &#private::Tensor<#element>));
                arguments.push(tokens!(#adjoint));
            }
            ShadowKind::Atomic(scalar) => {
                let is_narrow = self.is_narrow(place);
                let scalar = Ident::new(if scalar == Scalar::F64 { "f64" } else { "f32" }, Span::call_site());
                params.push(tokens!(#adjoint: &[Atomic<#scalar>]));
                outer.push(match is_narrow {
                    true => tokens!(#adjoint: &mut #private::Tensor<#scalar>),
                    false => tokens!(#adjoint: &mut #private::Tensor<#element>),
                });
                match self.is_scalar(place) {
                    true => arguments.push(tokens!(&*#adjoint)),
                    false => {
                        checks.push(tokens!(let #adjoint = #adjoint.__floats::<#scalar>()?;));
                        arguments.push(tokens!(&#adjoint));
                    }
                }
            }
        }
    }

    fn emit(
        &self,
        attr: &KernelAttr,
        derived: &Derived,
        body: &TokenStream,
        krate: &TokenStream,
        (params, outer, arguments, checks): (&[Tokens], &[Tokens], &[Tokens], &[Tokens]),
    ) -> TokenStream {
        let private = &TokenStream::from(tokens!(#krate::__private));
        let function = self.function;
        let name = &function.name;
        let text = syn::ext::IdentExt::unraw(name).to_string();
        let module = format_ident!("__{}_gradient", text, span = Span::call_site());
        let backward = Ident::new(&format!("{text}_backward"), name.span());
        let (kernel, inner) = (type_name(name), type_name(&backward));
        let (vis, forwarded) = (&function.vis, attr.forwarded());
        let derived_key = Ident::new(DERIVED, Span::call_site());
        let generics = &function.generics.source;
        let (impl_generics, type_generics, clauses) = generics.split_for_impl();
        let turbofish = type_generics.as_turbofish();
        let cfgs = &function.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect::<Vec<_>>();
        let (seq, grid) = (local("seq"), local("grid"));
        let line = derived.needs_line.then(|| tokens!(let #grid = #private::gradient::line(#text, #grid.into())?;));
        let fits = derived.conditions.iter().map(|Obligation { index, length, .. }| {
            let (index, length) = (self.number(index, private), self.number(length, private));
            tokens!(#private::gradient::fits(#text, #index, #length)?;)
        });
        let doc = format!(
            "Records a launch that adds the gradient of the kernel `{text}` to the adjoints of its inputs, given those of its outputs.\n\n\
             # Errors\nWhen an adjoint has another length than its parameter, when an argument belongs to another manager or is used already, \
             or when the device cannot run the kernel.",
        );
        let tokens = tokens! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(warnings, clippy::all, clippy::pedantic)]
            mod #module {
                use super::*;
                use #krate::prelude::*;
                use ::core::sync::atomic::Ordering;
                #[#krate::kernel(#derived_key, #forwarded)]
                pub fn #backward #impl_generics (#(#params),*) #clauses { #body }
            }
            #(#cfgs)*
            #[allow(dead_code)]
            impl #impl_generics #kernel #type_generics #clauses {
                #[doc = #doc]
                #[allow(clippy::too_many_arguments, clippy::pedantic)]
                #vis fn backward<'__seq>(
                    #seq: &'__seq #private::Sequence,
                    #grid: impl ::core::convert::Into<#private::AnyGrid>,
                    #(#outer),*
                ) -> #private::Result<&'__seq #private::Sequence> {
                    #(#checks)*
                    #line
                    #(#fits)*
                    #module::#inner #turbofish::dispatch(#seq, #grid, #(#arguments),*)
                }
            }
        };
        tokens.into()
    }
}

/// A name that no parameter of the kernel has.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Whether the derived kernel asks for the length of an output.
fn has_len(derived: &Derived, place: Place) -> bool {
    let (Some(kernel), Place::Buffer(buffer)) = (&derived.module.kernel, place) else { return false };
    let mut insts = derived.module.functions[kernel.function].insts.iter();
    insts.any(|(_, inst)| matches!(inst.kind, InstKind::Len(of) if of == buffer))
}
