//! Closures, with the types of their parameters stated. The twin takes values in place of the references that Rust
//! hands over.

use proc_macro2::TokenStream;
use quote::ToTokens;

use super::{Renderer, numbered};
use crate::ast::{Closure, Expr, Pattern};
use crate::emit::tokens::{Tokens, Word, tokens, tokens_at};
use crate::typed::Ty;

impl Renderer<'_> {
    pub(super) fn closure(&mut self, expr: &Expr, closure: &Closure) -> Tokens {
        let typed = self.typed.closures.get(&expr.id);
        let is_lent = typed.is_some_and(|typed| typed.lent) && !self.is_original();
        let (mut params, mut lets) = (Vec::new(), TokenStream::new());
        for (position, (pattern, written)) in closure.params.iter().enumerate() {
            let is_state = position == 0 && typed.is_some_and(|typed| typed.has_state);
            let slice = typed.and_then(|typed| typed.params.get(position)).and_then(|ty| self.slice_param(pattern, ty));
            let ty = match (slice, written) {
                (Some(slice), _) => slice,
                (None, Some(ty)) if self.binds_held(pattern) => self.held_written(&ty.tokens),
                (None, Some(ty)) if !is_lent => ty.tokens.clone().into(),
                // A variable that may be a reference for rustc is none here.
                _ if self.is_original() && self.typed.has_references => tokens!(_),
                _ => {
                    let ty = self.ty(typed.and_then(|typed| typed.params.get(position)).unwrap_or(&Ty::Error));
                    let reference = typed.and_then(|typed| typed.references.get(position)).copied().flatten();
                    match reference.or(is_state.then_some(true)) {
                        Some(true) => tokens!(&mut #ty),
                        Some(false) => tokens!(&#ty),
                        None => ty,
                    }
                }
            };
            let pattern = self.pattern(pattern);
            if is_lent {
                let name = numbered(&format!("__lent{position}"));
                tokens!(let #pattern: #ty = *#name;).to_tokens(&mut lets);
                params.push(tokens!(#name));
            } else {
                params.push(tokens!(#pattern: #ty));
            }
        }
        let span = expr.span.start;
        let moves = closure.moves.map(|span| tokens_at!(span=> move));
        let body = self.bare(&closure.body);
        match &closure.result {
            Some(result) => {
                let result = &result.tokens;
                tokens_at!(span=> #moves |#(#params),*| -> #result { #lets #body })
            }
            None => tokens_at!(span=> #moves |#(#params),*| { #lets #body }),
        }
    }

    /// The type of a parameter that is a slice, as the twin has it.
    fn slice_param(&mut self, pattern: &Pattern, ty: &Ty) -> Option<Tokens> {
        let Ty::Buffer { element, mutable, origin: None } = ty else { return None };
        if self.is_original() || ty.is_list() {
            return None;
        }
        pattern.for_each_binding(&mut |_, binding| _ = self.slices.borrow_mut().insert(binding, *mutable));
        let (twin, name) = (self.twin(), Word(if *mutable { "SliceMut" } else { "Slice" }));
        let element = self.ty(element);
        Some(tokens!(#twin::#name<'_, #element>))
    }
}
