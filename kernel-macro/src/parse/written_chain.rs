//! Chains over elements that are written, as the `for` loops that they are: `for v in values` with a `&mut` parameter, `filter` and `fold` after
//! `iter_mut`. Only such a loop knows the places of its elements. Knows names and not types.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Expr as Syn, ExprClosure, ExprForLoop, ExprMethodCall, FnArg, Pat, parse_quote};

use super::Parser;
use super::sort::jumps;
use super::ty::ungroup;

/// A name as a reference that something is written through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// To elements, as far as the form tells.
    Elements,
    /// To anything.
    Place,
    /// Of a variable that hides such a reference.
    Hidden,
}

/// Names of steps that keep it known where an element lies.
const BY_POSITION: [&str; 6] = ["enumerate", "zip", "rev", "skip", "take", "step_by"];

impl Parser<'_> {
    /// Notes the parameters that are `&mut` references.
    pub(super) fn note_written_parameters<'t>(&mut self, params: impl Iterator<Item = &'t FnArg>) {
        for param in params {
            if let FnArg::Typed(typed) = param
                && let Pat::Ident(name) = &*typed.pat
                && let syn::Type::Reference(reference) = ungroup(&typed.ty)
                && reference.mutability.is_some()
            {
                let is_array = matches!(ungroup(&reference.elem), syn::Type::Slice(_) | syn::Type::Array(_));
                let writer = if is_array { Writer::Elements } else { Writer::Place };
                self.writers.push((name.ident.clone(), writer));
            }
        }
    }

    /// Notes the names of a `let`, which hide parameters.
    pub(super) fn note_hidden_parameters(&mut self, pattern: &Pat) {
        if self.writers.is_empty() {
            return;
        }
        let mut names = Vec::new();
        idents(pattern.to_token_stream(), &mut names);
        for name in names {
            if self.is_writer(&name) {
                self.writers.push((name, Writer::Hidden));
            }
        }
    }

    /// Notes the names that a loop gives to elements which are written.
    pub(super) fn note_written_elements(&mut self, pattern: &Pat, chain: &Syn) {
        match (chain, pattern) {
            (Syn::Paren(inner), _) => self.note_written_elements(pattern, &inner.expr),
            (Syn::Reference(reference), Pat::Ident(name)) if reference.mutability.is_some() => {
                self.writers.push((name.ident.clone(), Writer::Elements));
            }
            (Syn::MethodCall(call), Pat::Ident(name)) if call.method == "iter_mut" => {
                self.writers.push((name.ident.clone(), Writer::Elements));
            }
            (Syn::MethodCall(call), _) if ["rev", "skip", "take", "step_by"].iter().any(|step| call.method == step) => {
                self.note_written_elements(pattern, &call.receiver);
            }
            (Syn::MethodCall(call), Pat::Tuple(names)) if names.elems.len() == 2 => {
                match (call.method.to_string().as_str(), call.args.first()) {
                    ("enumerate", None) => self.note_written_elements(&names.elems[1], &call.receiver),
                    ("zip", Some(other)) => {
                        self.note_written_elements(&names.elems[0], &call.receiver);
                        self.note_written_elements(&names.elems[1], other);
                    }
                    _ => self.note_hidden_parameters(pattern),
                }
            }
            _ => self.note_hidden_parameters(pattern),
        }
    }

    fn writer(&self, name: &Ident) -> Writer {
        self.writers.iter().rev().find(|(writer, _)| writer == name).map_or(Writer::Hidden, |(_, kind)| *kind)
    }

    /// Whether a name is that of a `&mut` reference, as far as its form tells.
    pub(super) fn is_writer(&self, name: &Ident) -> bool {
        self.writer(name) != Writer::Hidden
    }

    fn names_elements(&self, path: &syn::ExprPath) -> bool {
        path.path.get_ident().is_some_and(|name| self.writer(name) == Writer::Elements)
    }

    /// The loop with `iter_mut` where a `&mut` parameter is gone through, and without `filter`; `None` where it stays as it is.
    pub(super) fn written_loop(&self, looping: &ExprForLoop) -> Option<ExprForLoop> {
        if let Some(nested) = nested_loops(looping) {
            return Some(self.written_loop(&nested).unwrap_or(nested));
        }
        let mut chain = (*looping.expr).clone();
        let named = self.name_iterator(&mut chain);
        let filters = match &chain {
            Syn::MethodCall(call) if call.method == "filter" => is_written(&call.receiver),
            _ => false,
        };
        if !named && !filters {
            return None;
        }
        let (pattern, body) = ((*looping.pat).clone(), &looping.body);
        let mut made = ExprForLoop { expr: Box::new(chain.clone()), ..looping.clone() };
        if let Syn::MethodCall(call) = &chain
            && filters
        {
            let closure = plain_closure(call, 1)?;
            let (pattern, condition) = same_names(pattern, closure)?;
            let span = call.method.span();
            made.pat = Box::new(pattern);
            made.expr = call.receiver.clone();
            made.body = syn::parse2(quote_spanned!(span=> { if #condition #body })).ok()?;
        }
        Some(made)
    }

    /// Writes `iter_mut()` behind the names of `&mut` parameters that a chain goes through; whether it did.
    fn name_iterator(&self, chain: &mut Syn) -> bool {
        match chain {
            Syn::Paren(inner) => self.name_iterator(&mut inner.expr),
            Syn::Path(path) if self.names_elements(path) => {
                *chain = parse_quote!(#path.iter_mut());
                true
            }
            Syn::MethodCall(call) if call.method == "into_iter" && call.args.is_empty() => match &*call.receiver {
                Syn::Path(path) if self.names_elements(path) => {
                    call.method = Ident::new("iter_mut", call.method.span());
                    true
                }
                _ => false,
            },
            Syn::MethodCall(call) if BY_POSITION.iter().any(|step| call.method == step) || call.method == "filter" => {
                // A bare name is no iterator, but in an argument of `zip`.
                let receiver = !matches!(*call.receiver, Syn::Path(_)) && self.name_iterator(&mut call.receiver);
                let argument = call.method == "zip" && call.args.first_mut().is_some_and(|arg| self.name_iterator(arg));
                receiver || argument
            }
            _ => false,
        }
    }

    /// The block that `fold` or `for_each` behind `iter_mut` is; `None` for any other call.
    pub(super) fn written_chain(&self, call: &ExprMethodCall) -> Option<Syn> {
        if call.turbofish.is_some() {
            return None;
        }
        let span = call.method.span();
        let chain = &call.receiver;
        match (call.method.to_string().as_str(), call.args.len()) {
            ("fold", 2) if is_written(chain) => {
                let (init, closure) = (&call.args[0], plain_closure_at(call, 1, 2)?);
                let (before, element, body) = (&closure.inputs[0], &closure.inputs[1], &closure.body);
                let state = Ident::new("__state", Span::mixed_site().located_at(span));
                let folded = quote_spanned!(span=> {
                    let mut #state = #init;
                    for #element in #chain {
                        let #before = #state;
                        #state = #body;
                    }
                    #state
                });
                syn::parse2(folded).ok()
            }
            ("for_each", 1) if is_filtered(chain) || is_flattened(chain) => {
                let closure = plain_closure(call, 1)?;
                let (element, body) = (&closure.inputs[0], &closure.body);
                syn::parse2(quote_spanned!(span=> for #element in #chain { #body; })).ok()
            }
            _ => None,
        }
    }
}

/// Whether a chain goes through elements by position to write them, perhaps some of them only.
fn is_written(chain: &Syn) -> bool {
    match chain {
        Syn::Paren(inner) => is_written(&inner.expr),
        Syn::MethodCall(call) if call.method == "iter_mut" => call.args.is_empty(),
        Syn::MethodCall(call) if BY_POSITION.iter().any(|step| call.method == step) => {
            is_written(&call.receiver) || call.method == "zip" && call.args.iter().any(is_written)
        }
        _ => is_filtered(chain),
    }
}

fn is_flattened(chain: &Syn) -> bool {
    matches!(chain, Syn::MethodCall(call) if call.method == "flatten" && call.args.is_empty() && is_written(&call.receiver))
}

/// The loop in a loop that one over `rows.iter_mut().flatten()` is. A `break` would leave only the inner one.
fn nested_loops(looping: &ExprForLoop) -> Option<ExprForLoop> {
    let Syn::MethodCall(call) = &*looping.expr else { return None };
    if !is_flattened(&looping.expr) || looping.label.is_some() || has_break(looping.body.to_token_stream()) {
        return None;
    }
    let span = call.method.span();
    let row = Ident::new("__row", Span::mixed_site().located_at(span));
    let mut made = looping.clone();
    let (pattern, body) = (&looping.pat, &looping.body);
    made.pat = parse_quote!(#row);
    made.expr = call.receiver.clone();
    made.body = syn::parse2(quote_spanned!(span=> { for #pattern in #row.iter_mut() #body })).ok()?;
    Some(made)
}

fn has_break(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "break",
        TokenTree::Group(group) => has_break(group.stream()),
        _ => false,
    })
}

fn is_filtered(chain: &Syn) -> bool {
    matches!(chain, Syn::MethodCall(call) if call.method == "filter" && is_written(&call.receiver))
}

fn plain_closure(call: &ExprMethodCall, params: usize) -> Option<&ExprClosure> {
    plain_closure_at(call, 0, params)
}

/// The closure of a call, if it takes so many parameters without types and nothing leaves it early.
fn plain_closure_at(call: &ExprMethodCall, position: usize, params: usize) -> Option<&ExprClosure> {
    let Some(Syn::Closure(closure)) = call.args.get(position) else { return None };
    let is_plain = closure.capture.is_none()
        && closure.asyncness.is_none()
        && !jumps(&closure.body)
        && closure.inputs.len() == params
        && !closure.inputs.iter().any(|param| matches!(param, Pat::Type(_)));
    is_plain.then_some(closure)
}

/// The pattern of a loop and the condition of its `filter` with the same names for the elements.
fn same_names(pattern: Pat, closure: &ExprClosure) -> Option<(Pat, TokenStream)> {
    let condition = closure.body.to_token_stream();
    match (pattern, &closure.inputs[0]) {
        (Pat::Tuple(mut names), Pat::Tuple(asked)) if names.elems.len() == asked.elems.len() => {
            let mut condition = condition;
            for (name, asked) in names.elems.iter_mut().zip(&asked.elems) {
                condition = with_name(name, asked, condition)?;
            }
            Some((Pat::Tuple(names), condition))
        }
        (mut name, asked) => {
            let condition = with_name(&mut name, asked, condition)?;
            Some((name, condition))
        }
    }
}

fn with_name(name: &mut Pat, asked: &Pat, condition: TokenStream) -> Option<TokenStream> {
    let Pat::Ident(asked) = asked else {
        return matches!(asked, Pat::Wild(_)).then_some(condition);
    };
    if let Pat::Wild(wild) = name {
        let hidden = Ident::new("__asked", Span::mixed_site().located_at(wild.underscore_token.spans[0]));
        *name = parse_quote!(#hidden);
    }
    match name {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() && asked.by_ref.is_none() => {
            Some(renamed(condition, &asked.ident, &name.ident))
        }
        _ => None,
    }
}

/// Tokens in which `to` stands for a name, with a reference less: `filter` lends what the loop takes.
fn renamed(tokens: TokenStream, from: &Ident, to: &Ident) -> TokenStream {
    let mut made = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut behind_value = false;
    // Of a field and of a path a name is no variable.
    let (mut dots, mut colons) = (0, 0);
    while let Some(token) = tokens.next() {
        let is_member = dots == 1 || colons > 1;
        let counted = |mark: char, count: usize| match &token {
            TokenTree::Punct(punct) if punct.as_char() == mark => count + 1,
            _ => 0,
        };
        (dots, colons) = (counted('.', dots), counted(':', colons));
        match token {
            TokenTree::Punct(star) if star.as_char() == '*' && !behind_value => match tokens.peek() {
                Some(TokenTree::Ident(name)) if name == from => {}
                _ => made.extend([TokenTree::Punct(star)]),
            },
            TokenTree::Ident(name) if name == *from && !is_member => {
                made.extend([TokenTree::Ident(to.clone())]);
                behind_value = true;
            }
            TokenTree::Group(group) => {
                let delimiter = group.delimiter();
                let mut own = Group::new(delimiter, renamed(group.stream(), from, to));
                own.set_span(group.span());
                made.extend([TokenTree::Group(own)]);
                behind_value = delimiter != Delimiter::Brace;
            }
            other => {
                behind_value = !matches!(other, TokenTree::Punct(_));
                made.extend([other]);
            }
        }
    }
    made
}

/// All names in a pattern, of types, too.
fn idents(tokens: TokenStream, names: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => names.push(name),
            TokenTree::Group(group) => idents(group.stream(), names),
            _ => {}
        }
    }
}
