//! Closures, with the types of their parameters stated.

use super::Renderer;
use crate::ast::{Closure, Expr};
use crate::tokens::{Tokens, tokens, tokens_at};
use crate::typed::Ty;

impl Renderer<'_> {
    pub(super) fn closure(&mut self, expr: &Expr, closure: &Closure) -> Tokens {
        let typed = self.typed.closures.get(&expr.id);
        let mut params = Vec::new();
        for (position, (pattern, written)) in closure.params.iter().enumerate() {
            let ty = match written {
                Some(ty) => ty.tokens.clone().into(),
                None => self.ty(typed.and_then(|typed| typed.params.get(position)).unwrap_or(&Ty::Error)),
            };
            let pattern = self.pattern(pattern);
            params.push(tokens!(#pattern: #ty));
        }
        let span = expr.span.start;
        let moves = closure.moves.map(|span| tokens_at!(span=> move));
        let body = self.bare(&closure.body);
        match &closure.result {
            Some(result) => {
                let result = &result.tokens;
                tokens_at!(span=> #moves |#(#params),*| -> #result { #body })
            }
            None => tokens_at!(span=> #moves |#(#params),*| { #body }),
        }
    }
}
