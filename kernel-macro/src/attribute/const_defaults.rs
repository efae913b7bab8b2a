//! The values of const parameters in `#[kernel(…)]`: `N = 256`, or `N = [64, 128]` for a value that is tuned. It reads
//! them and puts the combinations together; it measures nothing.
//!
//! A const parameter of a kernel is a parameter of its dispatch type and of the twin, where rustc knows its value, and
//! a specialization constant of the module, where the driver does. In between its value is open: inference has
//! `Ty::Chosen` and `Len::Chosen`, the IR an instruction and `Size::Param`. Proofs hold for every value. A value that
//! is a size is at least 1, which `Kernel::CONSTANTS` asserts at compile time and the runtime checks again. The
//! interpreter gets numbers in their place from `passes/fix_constants`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Expr, Lit};

use crate::ast::SpanRange;
use crate::diag::{Diagnostics, code};

/// The most lists of const arguments that one kernel is tuned with.
const MAX_CANDIDATES: usize = 64;

/// `N = 256`
#[derive(Debug, Clone)]
pub(crate) struct ConstDefault {
    pub(crate) name: Ident,
    pub(crate) value: i128,
    pub(crate) tokens: TokenStream,
    pub(crate) span: SpanRange,
    /// All values, where a list stands in its place: the first is the default.
    pub(crate) listed: Vec<(i128, TokenStream)>,
}

/// Values of const parameters where nothing else is said.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConstDefaults(Vec<ConstDefault>);

impl ConstDefaults {
    /// `N = 256` or `N = [64, 128]`.
    pub(crate) fn read(&mut self, name: &Ident, value: Option<&Expr>, diags: &mut Diagnostics) {
        if let Some(Expr::Array(list)) = value {
            return self.read_candidates(name, list, diags);
        }
        let Some(number) = value.and_then(literal_number) else {
            let span = value.map_or_else(|| SpanRange::token(name.span()), SpanRange::of);
            diags
                .error(code::BAD_ATTRIBUTE, span, format!("the default of `{name}` is a number, `true` or `false`"))
                .help(format!("write `{name} = 256`, or leave it out and name the value at each dispatch"));
            return;
        };
        let (tokens, span) =
            (value.to_token_stream(), value.map_or_else(|| SpanRange::token(name.span()), SpanRange::of));
        self.0.push(ConstDefault { name: name.clone(), value: number, tokens, span, listed: Vec::new() });
    }

    /// `N = [64, 128, 256]`: values to tune, the first of which is the default.
    fn read_candidates(&mut self, name: &Ident, list: &syn::ExprArray, diags: &mut Diagnostics) {
        let span = SpanRange::of(list);
        let mut listed: Vec<(i128, TokenStream)> = Vec::new();
        for value in &list.elems {
            let span = SpanRange::of(value);
            match literal_number(value) {
                Some(number) if listed.iter().all(|(other, _)| *other != number) => {
                    listed.push((number, value.to_token_stream()));
                }
                Some(number) => {
                    let message = format!("{number} stands twice among the values of `{name}`");
                    diags.error(code::BAD_ATTRIBUTE, span, message).help("keep one of them");
                }
                None => {
                    diags
                        .error(code::BAD_ATTRIBUTE, span, format!("a value of `{name}` is a number, `true` or `false`"))
                        .help(format!("write `{name} = [64, 128, 256]`"));
                }
            }
        }
        let Some((value, tokens)) = listed.first().cloned() else {
            if list.elems.is_empty() {
                diags
                    .error(code::BAD_ATTRIBUTE, span, format!("`{name}` has no values to choose from"))
                    .help(format!("write `{name} = [64, 128, 256]`; the first is the default"));
            }
            return;
        };
        self.0.push(ConstDefault { name: name.clone(), value, tokens, span, listed });
    }

    /// Checks that listed values give whole lists of const arguments, and not too many of them; drops them otherwise.
    pub(crate) fn check(&mut self, generics: &syn::Generics, diags: &mut Diagnostics) {
        let Some(first) = self.0.iter().find(|default| !default.listed.is_empty()) else { return };
        let (span, name) = (first.span, first.name.clone());
        let count = self.0.iter().map(|default| default.listed.len().max(1)).fold(1, usize::saturating_mul);
        let open = generics.const_params().find(|param| self.of(&param.ident).is_none());
        if let Some(param) = open {
            let message = format!("the values of `{name}` are tuned, and `{}` has none", param.ident);
            let help = format!("write `{0} = 8` or `{0} = [8, 16]`, too", param.ident);
            diags.error(code::BAD_ATTRIBUTE, span, message).help(help);
        } else if generics.type_params().next().is_some() {
            diags
                .error(code::BAD_ATTRIBUTE, span, "a kernel with type parameters cannot be tuned")
                .help("leave the list out, or write a kernel without type parameters for the type to tune");
        } else if count > MAX_CANDIDATES {
            let message = format!("the lists give {count} combinations, and each is measured");
            let help = format!("list fewer values: up to {MAX_CANDIDATES} combinations in all");
            diags.error(code::BAD_ATTRIBUTE, span, message).help(help);
        } else {
            return;
        }
        // Nor is the first value a default: a parameter behind it may have none, which is rustc's error.
        self.0.retain(|default| default.listed.is_empty());
    }

    /// The const arguments to tune, in the order of the parameters; none where nothing is listed.
    pub(crate) fn candidates(&self, generics: &syn::Generics) -> Vec<Vec<&TokenStream>> {
        if self.0.iter().all(|default| default.listed.is_empty()) {
            return Vec::new();
        }
        let mut candidates = vec![Vec::new()];
        for default in generics.const_params().filter_map(|param| self.of(&param.ident)) {
            let values: Vec<_> = match default.listed.is_empty() {
                true => vec![&default.tokens],
                false => default.listed.iter().map(|(_, tokens)| tokens).collect(),
            };
            let extend = |candidate: &Vec<_>| -> Vec<Vec<_>> {
                values.iter().map(|value| candidate.iter().copied().chain([*value]).collect()).collect()
            };
            candidates = candidates.iter().flat_map(extend).collect();
        }
        candidates
    }

    /// The default of a const parameter.
    pub(crate) fn of(&self, name: &Ident) -> Option<&ConstDefault> {
        self.0.iter().find(|default| default.name == *name)
    }
}

/// A number, perhaps negative, or a `bool`.
pub(crate) fn literal_number(value: &Expr) -> Option<i128> {
    match value {
        Expr::Group(group) => literal_number(&group.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => literal_number(&unary.expr).map(|value| -value),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            Lit::Bool(value) => Some(value.value.into()),
            _ => None,
        },
        _ => None,
    }
}
