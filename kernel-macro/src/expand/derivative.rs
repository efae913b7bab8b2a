//! `#[device(grad)]` and `#[device(grad = rule)]`: the function, the module with its derivatives, and the rule in place of its insides.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{ParseStream, Parser};

use super::errors_of;
use crate::ast::SpanRange;
use crate::attribute::{DERIVATIVE, ITSELF};
use crate::diag::{Diagnostics, code};
use crate::krate::facade_path;

/// The derivatives that the attribute asks for.
pub(super) struct Derivative {
    /// The function that gives the derivative.
    rule: Option<syn::Path>,
}

impl Derivative {
    /// Reads `grad` or `grad = rule`; `None` for other arguments.
    pub(super) fn read(attr: &TokenStream) -> Option<Self> {
        let read = |input: ParseStream<'_>| {
            let key: Ident = input.parse()?;
            if key != "grad" {
                return Err(input.error("another argument"));
            }
            let rule = match input.parse::<Option<syn::Token![=]>>()? {
                Some(_) => Some(input.parse()?),
                None => None,
            };
            Ok(Self { rule })
        };
        read.parse2(attr.clone()).ok()
    }
}

/// A parameter by value.
struct Param {
    name: Ident,
    ty: syn::Type,
}

/// The items that take the place of the function.
pub(super) fn with_derivatives(function: &syn::ItemFn, asked: Derivative) -> TokenStream {
    let mut diags = Diagnostics::new();
    let params = check(function, &mut diags);
    let krate = facade_path();
    let Some(params) = params else {
        let mut tokens = errors_of(diags);
        tokens.extend(quote!(#[#krate::device] #function));
        return tokens;
    };
    let (function_itself, inner) = match &asked.rule {
        None => (quote!(#[#krate::device] #function), TokenStream::new()),
        Some(rule) => match with_rule(function, rule, &params, &krate, &mut diags) {
            Some(functions) => functions,
            None => {
                let mut tokens = errors_of(diags);
                tokens.extend(quote!(#[#krate::device] #function));
                return tokens;
            }
        },
    };
    let module = module(function, &params, &inner, &krate);
    quote!(#function_itself #module)
}

/// The parameters; `None` after errors.
fn check(function: &syn::ItemFn, diags: &mut Diagnostics) -> Option<Vec<Param>> {
    let mut refuse = |span: &dyn ToTokens, message: &str, help: &str| {
        diags.error(code::BAD_ATTRIBUTE, SpanRange::of(span.to_token_stream()), message).help(help);
    };
    let signature = &function.sig;
    if !signature.generics.params.is_empty() {
        let help = "write a function for each type that calls the generic one, and derive these";
        refuse(&signature.generics, "a generic function has no `vjp` and `jvp`", help);
        return None;
    }
    if matches!(signature.output, syn::ReturnType::Default) {
        refuse(&signature.ident, "a function without a result has no derivative", "let it give what it computes");
        return None;
    }
    let mut params = Vec::new();
    for input in &signature.inputs {
        match input {
            syn::FnArg::Typed(syn::PatType { pat, ty, .. }) => match (&**pat, &**ty) {
                (_, syn::Type::Reference(reference)) => {
                    let help = "pass the values that it needs; a kernel with `grad(…)` goes through references, too";
                    refuse(reference, "a function with references has no `vjp` and `jvp`", help);
                    return None;
                }
                (syn::Pat::Ident(name), ty) if name.subpat.is_none() => {
                    params.push(Param { name: name.ident.clone(), ty: ty.clone() });
                }
                (pattern, _) => {
                    let help = "give the parameter a name, and take it apart in the body";
                    refuse(pattern, "a parameter of a function with derivatives needs a name", help);
                    return None;
                }
            },
            syn::FnArg::Receiver(receiver) => {
                refuse(receiver, "a method has no `vjp` and `jvp`", "write a function");
                return None;
            }
        }
    }
    Some(params)
}

/// The module named as the function, in which a kernel stands for it; `inner`: what else stands there.
fn module(function: &syn::ItemFn, params: &[Param], inner: &TokenStream, krate: &TokenStream) -> TokenStream {
    let (name, vis) = (&function.sig.ident, &function.vis);
    let cfgs: Vec<_> = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect();
    let syn::ReturnType::Type(_, result) = &function.sig.output else { return TokenStream::new() };
    let (names, types): (Vec<_>, Vec<_>) = params.iter().map(|param| (&param.name, &param.ty)).unzip();
    let (value, derivative) = (format_ident!("__value"), format_ident!("{DERIVATIVE}"));
    let doc = format!(" Derivatives of `{name}`.");
    let itself = (!is_number(result)).then(|| {
        let itself = Ident::new(ITSELF, Span::call_site());
        quote!(#[#krate::device] fn #itself(#(#names: #types),*) -> #result { super::#name(#(#names),*) })
    });
    let kernel = Ident::new("derivative", name.span().resolved_at(Span::call_site()));
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[allow(warnings, clippy::all, clippy::pedantic)]
        #vis mod #name {
            use super::*;
            use #krate::prelude::*;
            #inner
            #itself
            #[#krate::kernel(#derivative)]
            fn #kernel(#(#names: #types,)* #value: &mut [#result]) {
                #value[0] = super::#name(#(#names),*);
            }
        }
    }
}

/// A function whose slopes are those of the rule; and what it calls for its value, for the module named as it.
fn with_rule(
    function: &syn::ItemFn,
    rule: &syn::Path,
    params: &[Param],
    krate: &TokenStream,
    diags: &mut Diagnostics,
) -> Option<(TokenStream, TokenStream)> {
    let syn::ReturnType::Type(_, result) = &function.sig.output else { return None };
    let active: Vec<_> = params.iter().filter(|param| has_floats(&param.ty)).map(|param| &param.name).collect();
    let result_name = last_name(result);
    let lanes = match result_name.as_deref() {
        Some("f32" | "f64" | "f16") => 1,
        Some("Vec2") => 2,
        Some("Vec3") => 3,
        Some("Vec4") => 4,
        _ => 0,
    };
    if lanes == 0 || active.is_empty() {
        let (place, message, help) = match lanes {
            0 => (
                result.to_token_stream(),
                "a function with a rule of its own gives a float or a vector of floats",
                "split other results into such parts, each with a function and a rule",
            ),
            _ => (
                function.sig.inputs.to_token_stream(),
                "a rule is for parameters with floats, and there is none",
                "leave out `grad = …`",
            ),
        };
        diags.error(code::BAD_ATTRIBUTE, SpanRange::of(place), message).help(help);
        return None;
    }
    let (name, vis, attrs) = (&function.sig.ident, &function.vis, &function.attrs);
    let value = Ident::new("value", name.span());
    let mut plain = function.clone();
    plain.sig.ident = value.clone();
    plain.vis = syn::parse_quote!(pub);
    plain.attrs.clear();
    let plain = one_module_further_in(plain.into_token_stream());
    let (names, types): (Vec<_>, Vec<_>) = params.iter().map(|param| (&param.name, &param.ty)).unzip();
    let slopes: Vec<_> = (0..active.len()).map(|at| format_ident!("__slope_{at}")).collect();
    let pattern = if let [one] = slopes.as_slice() { quote!(#one) } else { quote!((#(#slopes),*)) };
    let sum = |value: TokenStream| {
        let parts = active.iter().zip(&slopes).enumerate().map(|(at, (x, slope))| {
            let part = if at == 0 { value.clone() } else { quote!(-0.0) };
            quote!(#krate::with_slope(#part, #x, #slope))
        });
        quote!(#(#parts)+*)
    };
    let body = if lanes == 1 {
        let sum = sum(quote!(__value));
        quote!(let #pattern = #rule(#(#names,)* 1.0); #sum)
    } else {
        let fields = ["x", "y", "z", "w"].map(|lane| Ident::new(lane, Span::call_site()));
        let each = (0..lanes).map(|lane| {
            let seed = (0..lanes).map(|at| if at == lane { quote!(1.0) } else { quote!(0.0) });
            let field = &fields[lane];
            let sum = sum(quote!(__value.#field));
            quote!({ let #pattern = #rule(#(#names,)* #result::new(#(#seed),*)); #sum })
        });
        quote!(#result::new(#(#each),*))
    };
    let outer = quote! {
        #[#krate::device]
        #(#attrs)*
        #vis fn #name(#(#names: #types),*) -> #result {
            let __value = #name::#value(#(#names),*);
            #body
        }
    };
    Some((outer, quote!(#[#krate::device] #plain)))
}

/// Tokens that mean in a module what they mean around it: `super` is one module further out.
fn one_module_further_in(tokens: TokenStream) -> TokenStream {
    let mut after_colon = false;
    let mut moved = TokenStream::new();
    for tree in tokens {
        let is_super = !after_colon && matches!(&tree, TokenTree::Ident(ident) if ident == "super");
        after_colon = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ':');
        match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), one_module_further_in(group.stream()));
                inner.set_span(group.span());
                moved.extend([TokenTree::Group(inner)]);
            }
            tree if is_super => moved.extend(quote!(#tree::super)),
            tree => moved.extend([tree]),
        }
    }
    moved
}

/// The last name of a path.
fn last_name(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}

/// Whether a type is certainly no struct and no tuple.
fn is_number(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Array(array) => is_number(&array.elem),
        _ => {
            last_name(ty).is_some_and(|name| matches!(name.as_str(), "f16" | "f32" | "f64" | "Vec2" | "Vec3" | "Vec4"))
        }
    }
}

/// Whether a type may have floats in it: all but integers, `bool`, `char` and their vectors.
fn has_floats(ty: &syn::Type) -> bool {
    let Some(name) = last_name(ty) else { return true };
    let is_int = matches!(
        name.as_str(),
        "bool" | "char" | "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize"
    );
    !is_int && !["UVec", "IVec", "BVec"].iter().any(|prefix| name.starts_with(prefix))
}
