//! `*x.get_mut(i).unwrap() = v;`, `*x.last_mut()? += 1;`, `let v = x.get_mut(i).ok_or(Full)?;` and their like of slices and arrays: an
//! option of a reference is no value here, so they are the `let … else` that says the same. Of fields, elements, and names whose form tells
//! that they are slices or arrays, since a struct may have a method of such a name.

use proc_macro2::{Ident, Span};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Local, Pat, Stmt};

use super::Parser;
use super::found_place::SEARCHES;
use crate::builtin::iteration::Parts;

/// A call that gives an option, with the code for an option without an element.
struct Unwrapped<'e> {
    /// `x.get_mut(i)`
    call: &'e Expr,
    otherwise: proc_macro2::TokenStream,
}

impl Parser<'_> {
    /// An assignment through such an option; `op`: the operator, of which some assign.
    pub(super) fn written_element(&mut self, left: &Expr, right: &Expr, op: Option<&BinOp>) -> Option<Expr> {
        let Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) = bare(left) else { return None };
        // Whether the value or the place comes first depends on the types.
        if op.is_some() && !is_plain(right) {
            return None;
        }
        let Unwrapped { call, otherwise } = self.unwrapped(expr)?;
        let span = left.span();
        let [value, element] =
            ["__value", "__element"].map(|name| Ident::new(name, Span::mixed_site().located_at(span)));
        let op = op.map_or_else(|| quote_spanned!(span=> =), |op| quote!(#op));
        let tokens = quote_spanned!(span=> {
            let #value = #right;
            let Some(#element) = #call else { #otherwise };
            *#element #op #value;
        });
        syn::parse2(tokens).ok()
    }

    /// `let v = x.get_mut(i).unwrap();` and its like; `None` for other statements.
    pub(super) fn unwrapped_let(&self, local: &Local) -> Option<Local> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) = &local.pat else {
            return None;
        };
        let Unwrapped { call, otherwise } = self.unwrapped(&init.expr)?;
        let span = init.expr.span();
        match syn::parse2(quote_spanned!(span=> let Some(#ident) = #call else { #otherwise };)) {
            Ok(Stmt::Local(made)) => Some(made),
            _ => None,
        }
    }

    fn unwrapped<'e>(&self, expr: &'e Expr) -> Option<Unwrapped<'e>> {
        let (call, otherwise) = match bare(expr) {
            Expr::Try(tried) => {
                let span = tried.question_token.span();
                match bare(&tried.expr) {
                    Expr::MethodCall(outer) if outer.method == "ok_or" || outer.method == "ok_or_else" => {
                        let error = error_of(outer)?;
                        // `?` converts the error.
                        (&*outer.receiver, quote_spanned!(span=> return Err(#error)?;))
                    }
                    _ => (&*tried.expr, quote_spanned!(span=> return None;)),
                }
            }
            Expr::MethodCall(outer) if outer.method == "unwrap" && outer.args.is_empty() => {
                let message = "called `Option::unwrap()` on a `None` value";
                (&*outer.receiver, quote_spanned!(outer.method.span()=> panic!(#message);))
            }
            Expr::MethodCall(outer) if outer.method == "expect" => match outer.args.first() {
                Some(Expr::Lit(syn::ExprLit { lit: Lit::Str(message), .. }))
                    if !message.value().contains(['{', '}']) =>
                {
                    (&*outer.receiver, quote_spanned!(outer.method.span()=> panic!(#message);))
                }
                _ => return None,
            },
            _ => return None,
        };
        let Expr::MethodCall(asks) = call else { return None };
        if let Some(elements) = searched(asks) {
            return self.is_sequence(elements).then_some(Unwrapped { call, otherwise });
        }
        let arity = match asks.method.to_string().as_str() {
            "get_mut" => 1,
            "first_mut" | "last_mut" => 0,
            _ => return None,
        };
        let is_range = matches!(asks.args.first(), Some(Expr::Range(_)));
        (asks.args.len() == arity && !is_range && self.is_sequence(&asks.receiver))
            .then_some(Unwrapped { call, otherwise })
    }

    /// Whether a name is that of a slice or an array, as far as the form of its declaration tells; a field or an element may be one.
    fn is_sequence(&self, expr: &Expr) -> bool {
        let path = match bare(expr) {
            Expr::Field(_) | Expr::Index(_) => return is_plain(expr),
            Expr::Path(path) => path,
            _ => return false,
        };
        let Some(name) = path.path.get_ident() else { return false };
        self.slices.iter().any(|slice| slice.name == *name) || self.arrays.contains(name)
    }

    /// Notes variables that are arrays or iterators by their values.
    pub(super) fn note_kind(&mut self, local: &Local) {
        if let Some(init) = &local.init {
            self.note_value(&local.pat, &init.expr);
        }
    }

    fn note_value(&mut self, pattern: &Pat, value: &Expr) {
        match (pattern, value) {
            (Pat::Ident(name), Expr::Array(_) | Expr::Repeat(_)) => self.arrays.push(name.ident.clone()),
            (Pat::Ident(name), Expr::MethodCall(call)) if makes_iterator(&call.method) => {
                self.chains.push(name.ident.clone());
            }
            (Pat::Type(typed), value) => self.note_value(&typed.pat, value),
            (Pat::Tuple(patterns), Expr::Tuple(values)) if patterns.elems.len() == values.elems.len() => {
                patterns.elems.iter().zip(&values.elems).for_each(|(pattern, value)| self.note_value(pattern, value));
            }
            _ => {}
        }
    }
}

/// Whether a method surely gives an iterator, as far as its name tells.
fn makes_iterator(method: &Ident) -> bool {
    let name = method.to_string();
    let is_adapter = matches!(
        name.as_str(),
        "iter"
            | "into_iter"
            | "enumerate"
            | "zip"
            | "chain"
            | "cycle"
            | "skip"
            | "step_by"
            | "filter"
            | "peekable"
            | "rev"
            | "copied"
    );
    is_adapter || Parts::from_name(&name).is_some_and(|parts| !parts.writes())
}

/// The array or slice that `x.iter_mut().find(…)` and its like search.
fn searched(call: &syn::ExprMethodCall) -> Option<&Expr> {
    let is_search = SEARCHES.iter().any(|(name, _)| call.method == name);
    let (true, Expr::MethodCall(source)) = (is_search, bare(&call.receiver)) else { return None };
    let source = match bare(&source.receiver) {
        Expr::MethodCall(inner) if source.method == "rev" => inner,
        _ => source,
    };
    (source.method == "iter_mut").then_some(&*source.receiver)
}

/// The error of `ok_or(error)` or `ok_or_else(|| error)`, where it makes no difference that it is computed only for `None`.
fn error_of(call: &syn::ExprMethodCall) -> Option<&Expr> {
    let argument = call.args.first().filter(|_| call.args.len() == 1)?;
    match argument {
        Expr::Closure(closure) if call.method == "ok_or_else" && closure.inputs.is_empty() => Some(&*closure.body),
        _ => (call.method == "ok_or" && is_error(argument)).then_some(argument),
    }
}

/// Whether an expression evidently is a value: one without an effect, or a variant of such.
fn is_error(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => {
            let is_variant = matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| {
                last.ident.to_string().starts_with(char::is_uppercase)
            }));
            is_variant && call.args.iter().all(is_error)
        }
        Expr::Struct(made) => made.rest.is_none() && made.fields.iter().all(|field| is_error(&field.expr)),
        Expr::Index(_) | Expr::Binary(_) => false,
        _ => is_plain(expr),
    }
}

pub(super) fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        expr => expr,
    }
}

/// Whether an expression evidently has no effect, and needs none of what it stands beside.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(inner) => is_plain(&inner.expr),
        Expr::Unary(inner) => is_plain(&inner.expr),
        Expr::Reference(inner) => is_plain(&inner.expr),
        Expr::Field(inner) => is_plain(&inner.base),
        Expr::Cast(inner) => is_plain(&inner.expr),
        Expr::Index(inner) => is_plain(&inner.expr) && is_plain(&inner.index),
        Expr::Binary(inner) => is_plain(&inner.left) && is_plain(&inner.right),
        _ => false,
    }
}
