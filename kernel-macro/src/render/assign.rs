//! Assignments, in Rust's order: the value before the place; for `+=` and its like on vectors the place first.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::operator::Operand;
use super::place::{Chain, StepExpr, as_slice, index_names};
use super::{Renderer, local};
use crate::ast::{BinaryOp, Expr};
use crate::typed::Ty;

impl Renderer<'_> {
    /// `target = value`
    pub(super) fn assign(&mut self, target: &Expr, value: &Expr) -> TokenStream {
        let chain = Chain::new(target);
        let is_plain = chain.indices().next().is_none();
        if self.is_original() || is_plain {
            let (target, value) = (self.bare(target), self.bare(value));
            return quote_spanned!(chain.root.span.start=> #target = #value);
        }
        let (names, stored, ty) = (index_names(&chain), local("__value"), self.ty(self.expr_ty(target)));
        let value = self.bare(value);
        let lets = self.index_lets(&chain, &names);
        let store = if self.is_shared_buffer(chain.root) {
            self.buffer_set(&chain, &names, quote!(#stored))
        } else {
            self.with_element(&chain, &names, |_, place| quote!(#place = #stored))
        };
        quote!({ let #stored: #ty = #value; #lets #store; })
    }

    /// `target op= value`
    pub(super) fn assign_op(
        &mut self,
        op: BinaryOp,
        target: &Expr,
        value: &Expr,
        op_span: Span,
        whole: &Expr,
    ) -> TokenStream {
        let chain = Chain::new(target);
        let (target_ty, value_ty) = (self.expr_ty(target), self.expr_ty(value));
        if self.is_original() {
            let (target, value) = (self.bare(target), self.bare(value));
            let symbol: TokenStream = format!("{}=", op.symbol()).parse().expect("an operator");
            return quote_spanned!(op_span=> #target #symbol #value);
        }
        let (names, right) = (index_names(&chain), local("__value"));
        let value = self.bare(value);
        let lets = self.index_lets(&chain, &names);
        let right_let = quote!(let #right = #value;);
        // `+=` of a primitive type evaluates its value first; of a vector it is a call, with the place first.
        let before = match target_ty {
            Ty::Scalar(_) => quote!(#right_let #lets),
            _ => quote!(#lets #right_let),
        };
        let combine = |this: &mut Self, old: TokenStream| {
            let left = Operand { tokens: quote!((#old)), ty: target_ty };
            let right = Operand { tokens: quote!(#right), ty: value_ty };
            this.binary(op, left, right, op_span, whole)
        };
        let store = if self.is_shared_buffer(chain.root) {
            let (get, old) = (self.buffer_get(&chain, &names), local("__old"));
            let new = combine(self, quote!(#old));
            let set = self.buffer_set(&chain, &names, new);
            quote!(let #old = #get; #set)
        } else if names.is_empty() {
            let place = self.bare(target);
            let new = combine(self, place.clone());
            quote!(#place = #new)
        } else {
            self.with_element(&chain, &names, |this, place| {
                let new = combine(this, place.clone());
                quote!(#place = #new)
            })
        };
        quote!({ #before #store; })
    }

    fn buffer_set(&mut self, chain: &Chain<'_>, names: &[Ident], value: TokenStream) -> TokenStream {
        let (buffer, site, part) = self.buffer_part(chain, names);
        let (sink, index) = (self.sink(), &names[0]);
        quote!(#buffer.set(#sink, #site, #index, #part, #value))
    }

    /// Runs an action on the place a chain names, if all its indices are in range.
    fn with_element(
        &mut self,
        chain: &Chain<'_>,
        names: &[Ident],
        action: impl FnOnce(&mut Self, TokenStream) -> TokenStream,
    ) -> TokenStream {
        let mut place = self.expr(chain.root);
        let (mut guards, mut names) = (Vec::new(), names.iter());
        let element = local("__element");
        for (whole, step) in &chain.steps {
            match step {
                StepExpr::Member(member) => {
                    let member = Self::member(member);
                    place = quote!(#place.#member);
                }
                StepExpr::Index(base, _) => {
                    let (index, elements) = (names.next(), as_slice(&place, self.expr_ty(base), true));
                    let (twin, sink, site) = (&self.twin, self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                    guards.push(quote! {
                        if let ::core::option::Option::Some(#element) = #twin::index_mut(#sink, #site, #elements, #index)
                    });
                    place = quote!((*#element));
                }
            }
        }
        let inner = action(self, place);
        guards.into_iter().rev().fold(quote!(#inner;), |body, guard| quote!(#guard { #body }))
    }
}
