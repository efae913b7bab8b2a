//! The common part of the language from tokens straight to our tree: no syntax tree of all Rust between them, which takes
//! several times as long to build as ours. Must not report anything: what it cannot read, or what has an error,
//! is read again by way of syn, which stays the one authority on what a function means.
//!
//! Whole constructs that are rare (`match`, closures, macros, struct literals, generic arguments, patterns) are delimited here and
//! handed to syn each by itself.

mod cursor;
mod expr;
mod head;
mod operand;
mod stmt;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};

use super::Parser;
use super::item::{Role, fn_of};
use crate::ast::{Expr, Fn};
use crate::diag::Diagnostics;

use cursor::Cursor;

/// The signature of a function, also with parameters that are no part of the language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    /// Parameters with a name and a type.
    pub(crate) typed: usize,
    /// Whether there is a `self`.
    pub(crate) has_receiver: bool,
}

/// Reads a kernel.
///
/// # Errors
/// When the tokens are no function with a body.
pub(crate) fn read_kernel(item: &TokenStream, diags: &mut Diagnostics) -> syn::Result<(Signature, Fn)> {
    if let Some(function) = read_plain_kernel(item) {
        return Ok((Signature { typed: function.params.len(), has_receiver: false }, function));
    }
    let (source, function) = match read_directly(item, Role::Kernel) {
        Some(read) => read,
        None => {
            let source = syn::parse2::<syn::ItemFn>(item.clone())?;
            let function = super::parse_fn(&source, Role::Kernel, diags);
            (source, function)
        }
    };
    let typed = source.sig.inputs.iter().filter(|input| matches!(input, syn::FnArg::Typed(_))).count();
    Ok((Signature { typed, has_receiver: source.sig.receiver().is_some() }, function))
}

/// A kernel with a plain signature, if there is nothing to report.
pub(super) fn read_plain_kernel(item: &TokenStream) -> Option<Fn> {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let mut diags = Diagnostics::new();
    let function = Parser::new(&mut diags).direct_kernel(&tokens);
    let is_clean = diags.into_list().is_empty();
    function.filter(|_| is_clean)
}

/// A function as syn's tree without the body, and as ours; `None` for what only syn can read, and when there is anything to
/// report.
pub(super) fn read_directly(item: &TokenStream, role: Role) -> Option<(syn::ItemFn, Fn)> {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.pop() else { return None };
    if body.delimiter() != Delimiter::Brace {
        return None;
    }
    let head = |input: ParseStream<'_>| {
        let attrs = input.call(syn::Attribute::parse_outer)?;
        let (vis, sig) = (input.parse()?, input.parse()?);
        let block = syn::Block { brace_token: syn::token::Brace(body.delim_span()), stmts: Vec::new() };
        Ok(syn::ItemFn { attrs, vis, modifiers: Default::default(), sig, block: Box::new(block) })
    };
    let source = head.parse2(tokens.into_iter().collect()).ok()?;
    let function = parse_directly(&source, &body, role)?;
    Some((source, function))
}

fn parse_directly(source: &syn::ItemFn, body: &Group, role: Role) -> Option<Fn> {
    let mut diags = Diagnostics::new();
    let function = fn_of(source, role, &mut diags, |parser| parser.direct_block(body));
    let is_clean = diags.into_list().is_empty();
    function.filter(|_| is_clean)
}

impl Parser<'_> {
    /// An expression that these tokens are, by way of syn.
    fn expr_by_syn(&mut self, tokens: &[TokenTree]) -> Option<Box<Expr>> {
        let expr = syn::parse2(tokens.iter().cloned().collect()).ok()?;
        Some(Box::new(self.expr(&expr)))
    }

    /// Expressions between commas.
    fn direct_list(&mut self, group: &Group) -> Option<Vec<Expr>> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut cursor = Cursor::new(&tokens);
        let mut list = Vec::new();
        while !cursor.is_end() {
            list.push(*self.direct_expr(&mut cursor, true)?);
            if cursor.take_punct(',').is_none() && !cursor.is_end() {
                return None;
            }
        }
        Some(list)
    }
}
