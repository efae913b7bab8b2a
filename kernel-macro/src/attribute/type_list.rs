//! The lists of types that a kernel's type parameters stand for: `T = [f32, Vec3]` in `#[kernel(…)]`. Reads them and puts their
//! combinations together; compiles nothing.
//!
//! Each combination of types is a kernel of its own: an instance like those of generic functions, with a descriptor and
//! a twin, in which `T` is another name of the listed type. `dispatch` demands a trait that the listed types implement
//! and that finds the kernel, so that any other type is an error that names the list.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Generics, Token};

use crate::ast::{SpanRange, TypeExpr};
use crate::diag::{Diagnostics, code};
use crate::infer::{infer_types, type_name};
use crate::parse::parse_type;
use crate::program::{ItemId, Program};
use crate::typed::Ty;

/// The most combinations of types that one kernel may be compiled for: each is a module of its own.
pub(crate) const MAX_INSTANCES: usize = 64;

/// The value of `T = [f32, Vec3]`, as syn reads it.
pub(crate) enum ListSyntax {
    List(Vec<syn::Type>),
    /// A type without brackets.
    Single(Box<syn::Type>),
}

impl ListSyntax {
    /// The list behind `T =`.
    ///
    /// # Errors
    /// When it is neither a type nor a list of types.
    pub(crate) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        let is_list =
            ahead.parse::<proc_macro2::Group>().is_ok_and(|group| group.delimiter() == proc_macro2::Delimiter::Bracket);
        if !is_list {
            return Ok(Self::Single(Box::new(input.parse()?)));
        }
        let list;
        syn::bracketed!(list in input);
        Ok(Self::List(Punctuated::<syn::Type, Token![,]>::parse_terminated(&list)?.into_iter().collect()))
    }
}

/// The types that one parameter stands for.
#[derive(Debug, Clone)]
pub(crate) struct TypeList {
    pub(crate) name: Ident,
    /// Empty after errors.
    pub(crate) types: Vec<TypeExpr>,
}

impl TypeList {
    /// Reads one list; `None` stands for a parameter that is named alone.
    pub(crate) fn read(name: &Ident, list: Option<ListSyntax>, diags: &mut Diagnostics) -> Self {
        let span = SpanRange::token(name.span());
        let types = match list {
            Some(ListSyntax::List(types)) if !types.is_empty() => {
                types.iter().map(|ty| parse_type(ty, diags)).collect()
            }
            Some(ListSyntax::List(_)) => {
                diags
                    .error(code::BAD_ATTRIBUTE, span, format!("the list of types for `{name}` is empty"))
                    .help(format!("name the types that the kernel is compiled for: `{name} = [f32, u32]`"));
                Vec::new()
            }
            Some(ListSyntax::Single(ty)) => {
                let written = quote::ToTokens::to_token_stream(&ty);
                diags
                    .error(code::BAD_ATTRIBUTE, SpanRange::of(&ty), format!("`{name}` stands for a list of types"))
                    .help(format!("write `{name} = [{written}]`"));
                Vec::new()
            }
            None => {
                diags
                    .error(code::BAD_ATTRIBUTE, span, format!("`{name}` needs a list of types"))
                    .help(format!("write `{name} = [f32, u32]`"));
                Vec::new()
            }
        };
        Self { name: name.clone(), types }
    }
}

/// The lists in the order of the kernel's parameters; those that are missing are reported.
pub(crate) fn complete(mut lists: Vec<TypeList>, generics: &Generics, diags: &mut Diagnostics) -> Vec<TypeList> {
    let mut complete = Vec::new();
    for param in generics.type_params() {
        match lists.iter().position(|list| list.name == param.ident) {
            Some(position) => complete.push(lists.swap_remove(position)),
            None => {
                let name = &param.ident;
                let message = format!("the type parameter `{name}` of the kernel has no list of types");
                diags
                    .error(code::BAD_ATTRIBUTE, SpanRange::token(name.span()), message)
                    .note("a kernel is compiled while the crate is built, once for each type it is dispatched with")
                    .help(format!("name them in the attribute: `#[kernel({name} = [f32, u32])]`"));
            }
        }
    }
    let count = complete.iter().fold(1usize, |count, list| count.saturating_mul(list.types.len()));
    if count > MAX_INSTANCES
        && let (Some(first), Some(last)) = (complete.first(), complete.last())
    {
        let span = SpanRange { start: first.name.span(), end: last.name.span() };
        let lengths: Vec<String> = complete.iter().map(|list| list.types.len().to_string()).collect();
        let message = format!("{count} combinations of types are over {MAX_INSTANCES}");
        diags
            .error(code::BAD_ATTRIBUTE, if complete.len() == 1 { SpanRange::token(span.start) } else { span }, message)
            .note(format!("the lists have {} types, and each combination is a module of its own", lengths.join(" × ")))
            .help("shorten the lists, or write a kernel for each group of types that belong together");
    }
    complete
}

/// Each combination of the listed types: what the parameters stand for, in their order.
pub(crate) fn combinations<'l>(
    lists: &'l [TypeList],
    program: &Program,
    kernel: ItemId,
    diags: &mut Diagnostics,
) -> Vec<Vec<(&'l TypeExpr, Ty)>> {
    let mut combinations = vec![Vec::new()];
    for list in lists {
        let types = infer_types(program, kernel, &list.types, diags);
        let mut known: Vec<(&TypeExpr, Ty)> = Vec::new();
        for (written, ty) in list.types.iter().zip(types) {
            if ty != Ty::Error && known.iter().any(|(_, known)| *known == ty) {
                let message = format!("`{}` is listed twice for `{}`", type_name(program, &ty), list.name);
                diags.error(code::BAD_ATTRIBUTE, written.span, message).help("keep one of them");
            }
            known.push((written, ty));
        }
        let longer = combinations.iter().flat_map(|combination| {
            known.iter().map(|one| {
                let mut longer: Vec<(&TypeExpr, Ty)> = combination.clone();
                longer.push(one.clone());
                longer
            })
        });
        combinations = longer.collect();
    }
    combinations
}
