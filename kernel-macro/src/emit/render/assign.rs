//! Assignments, in Rust's order: the value before the place; for `+=` and its like on vectors the place first.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Span};

use super::operator::{Operand, symbol};
use super::place::{Chain, StepExpr, as_slice, index_names};
use super::reference::operand_of;
use super::{Renderer, local};
use crate::ast::{BinaryOp, Expr, ScalarName};
use crate::emit::tokens::{Tokens, tokens, tokens_at};
use crate::typed::Ty;

impl Renderer<'_> {
    /// `target = value`
    pub(super) fn assign(&mut self, target: &Expr, value: &Expr) -> Tokens {
        if let Some(tokens) = self.slice_assign(target, value) {
            return tokens;
        }
        let chain = self.chain(target);
        let is_shared = !self.is_original() && self.is_shared_variable(chain.root);
        let is_user = self.is_user_element(chain.root);
        let is_plain = chain.indices().next().is_none() && !is_shared && !is_user;
        if self.is_original() || is_plain {
            let (target, value) = (self.bare(target), self.bare(value));
            return tokens_at!(chain.root.span.start=> #target = #value);
        }
        let value = self.bare(value);
        let whole = match is_shared {
            true => self.whole_shared_element(&chain),
            false if self.is_shared_buffer(chain.root) => self.whole_element(&chain),
            false => None,
        };
        if let Some((buffer, site, index)) = whole {
            let sink = self.sink();
            // Arguments are evaluated in order: the value before the index.
            return tokens!(#buffer.store(#sink, #site, #value, #index));
        }
        if !is_shared
            && !is_user
            && !self.is_shared_buffer(chain.root)
            && let [(whole, StepExpr::Index(base, index))] = chain.steps.as_slice()
            && matches!(self.expr_ty(base), Ty::Array(..))
        {
            let (index, array) = (self.index(index), self.whole(&chain));
            let (sink, site) = (self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
            self.uses_names();
            return tokens!(__put(#sink, #site, #value, #index, &mut #array));
        }
        let (names, stored, ty) = (index_names(&chain), local("__value"), self.ty(self.expr_ty(target)));
        let (root, lets) = (self.root_let(&chain, true), self.index_lets(&chain, &names));
        let store = if is_shared {
            self.shared_set(&chain, &names, tokens!(#stored))
        } else if self.is_shared_buffer(chain.root) {
            self.buffer_set(&chain, &names, tokens!(#stored))
        } else {
            self.with_element(&chain, &names, |_, place| tokens!(#place = #stored))
        };
        tokens!({ let #stored: #ty = #value; #root #lets #store; })
    }

    /// `target op= value`
    pub(super) fn assign_op(
        &mut self,
        op: BinaryOp,
        target: &Expr,
        value: &Expr,
        op_span: Span,
        whole: &Expr,
    ) -> Tokens {
        let chain = self.chain(target);
        let (target_ty, value_ty) = (self.expr_ty(target), self.expr_ty(value));
        if self.is_original() {
            let (target, value) = (self.bare(target), self.bare(value));
            let symbol = symbol(&format!("{}=", op.symbol()), op_span);
            return tokens_at!(op_span=> #target #symbol #value);
        }
        let by_user = self.typed.writes.contains(&whole.id);
        // Rust's own operation, where it is the device's too.
        let is_own = chain.steps.is_empty()
            && !self.is_user_element(chain.root)
            && !self.is_shared_variable(chain.root)
            && !self.is_shared_buffer(chain.root);
        if is_own && !by_user && is_float(target_ty) && is_float(value_ty) {
            let (target, value) = (self.bare(target), self.bare(value));
            let symbol = symbol(&format!("{}=", op.symbol()), op_span);
            return tokens_at!(op_span=> #target #symbol #value);
        }
        let (names, right) = (index_names(&chain), local("__value"));
        let is_reference = self.reference_of(value).is_some();
        let value = match by_user {
            true if self.lent_operands(whole).is_some_and(|lent| lent.right) => self.user_operand(value, true),
            true => self.bare(value),
            false => self.bare(operand_of(self, value)),
        };
        // `Wrapping<T> += T`
        let is_member = !matches!(op, BinaryOp::Shl | BinaryOp::Shr)
            && self.program.is_wrapping(target_ty)
            && !self.program.is_wrapping(value_ty);
        let value = if is_member { tokens!(::core::num::Wrapping(#value)) } else { value };
        let (root, lets) = (self.root_let(&chain, true), self.index_lets(&chain, &names));
        let lets = tokens!(#root #lets);
        let right_let = tokens!(let #right = #value;);
        // `+=` of a primitive type evaluates its value first; of a vector or a reference it is a call, with the place first.
        let before = match target_ty {
            Ty::Scalar(_) | Ty::Error if !is_reference => tokens!(#right_let #lets),
            _ => tokens!(#lets #right_let),
        };
        // Memory that others reach is read and written as a whole.
        let is_shared = self.is_shared_variable(chain.root) || self.is_shared_buffer(chain.root);
        let combine = |this: &mut Self, old: Tokens| {
            if by_user {
                let (new, symbol) = (local("__new"), symbol(&format!("{}=", op.symbol()), op_span));
                return tokens!({ let mut #new = #old; #new #symbol #right; #new });
            }
            if *target_ty == Ty::Error && is_shared {
                let new = local("__new");
                let change = this.unknown_assign(op, tokens!(#new), tokens!(#right), op_span, whole);
                return tokens!({ let mut #new = #old; #change; #new });
            }
            let old = if old.is_postfix() { old } else { tokens!((#old)) };
            let left = Operand { tokens: old, ty: target_ty };
            let right = Operand { tokens: tokens!(#right), ty: value_ty };
            this.binary(op, left, right, op_span, whole)
        };
        let store = if self.is_shared_variable(chain.root) {
            let (get, old) = (self.shared_get(&chain, &names), local("__old"));
            let new = combine(self, tokens!(#old));
            let set = self.quietly(|this| this.shared_set(&chain, &names, new));
            tokens!(let #old = #get; #set)
        } else if self.is_shared_buffer(chain.root) {
            let (get, old) = (self.buffer_get(&chain, &names), local("__old"));
            let new = combine(self, tokens!(#old));
            let set = self.quietly(|this| this.buffer_set(&chain, &names, new));
            tokens!(let #old = #get; #set)
        } else if (*target_ty == Ty::Error || *value_ty == Ty::Error)
            && names.is_empty()
            && !self.is_user_element(chain.root)
        {
            // With the `*` of a reference: the variable of a loop may be one.
            let place = self.bare(target);
            self.unknown_assign(op, place, tokens!(#right), op_span, whole)
        } else if *target_ty == Ty::Error || *value_ty == Ty::Error {
            self.with_element(&chain, &names, |this, place| {
                this.unknown_assign(op, place, tokens!(#right), op_span, whole)
            })
        } else if names.is_empty() && !self.is_user_element(chain.root) {
            let place = self.bare(target);
            let new = combine(self, place.copy());
            tokens!(#place = #new)
        } else {
            let own = (!by_user && is_float(target_ty) && is_float(value_ty))
                .then(|| symbol(&format!("{}=", op.symbol()), op_span));
            self.with_element(&chain, &names, |this, place| match own {
                Some(symbol) => tokens!(#place #symbol #right),
                None => {
                    let new = combine(this, place.copy());
                    tokens!(#place = #new)
                }
            })
        };
        tokens!({ #before #store; })
    }

    /// Renders a second access to a place: what is out of range was recorded at the first.
    pub(super) fn quietly(&mut self, access: impl FnOnce(&mut Self) -> Tokens) -> Tokens {
        self.is_quiet = true;
        let tokens = access(self);
        self.is_quiet = false;
        tokens
    }

    pub(super) fn buffer_set(&mut self, chain: &Chain<'_>, names: &[Ident], value: Tokens) -> Tokens {
        if let ([(whole, _)], [index]) = (chain.steps.as_slice(), names) {
            let (buffer, site) = (self.root(chain, names), self.site(SiteKind::IndexOutOfBounds, whole));
            let sink = self.sink();
            return tokens!(#buffer.store(#sink, #site, #value, #index));
        }
        let (buffer, site, part) = self.buffer_part(chain, names);
        let (sink, index) = (self.sink(), &names[0]);
        tokens!(#buffer.set(#sink, #site, #index, #part, #value))
    }

    /// Runs an action on the place a chain names, if all its indices are in range.
    fn with_element(
        &mut self,
        chain: &Chain<'_>,
        names: &[Ident],
        action: impl FnOnce(&mut Self, Tokens) -> Tokens,
    ) -> Tokens {
        let mut place = self.root(chain, names);
        let (mut guards, mut names) = (Vec::new(), names.iter());
        let element = local("__element");
        for (whole, step) in &chain.steps {
            match step {
                StepExpr::Member(member) => {
                    let member = Self::member(member);
                    place = tokens!(#place.#member);
                }
                StepExpr::Index(base, _) => {
                    let (index, elements) = (names.next(), as_slice(place, self.expr_ty(base), true));
                    let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                    guards.push(tokens! {
                        if let __Some(#element) = #twin::index_mut(#sink, #site, #elements, #index)
                    });
                    place = tokens!((*#element));
                }
            }
        }
        let inner = action(self, place);
        guards.into_iter().rev().fold(tokens!(#inner;), |body, guard| tokens!(#guard { #body }))
    }
}

/// Whether operators compute the same on the host and on the device.
fn is_float(ty: &Ty) -> bool {
    matches!(ty, Ty::Scalar(ScalarName::F32 | ScalarName::F64) | Ty::Vector(ScalarName::F32, _))
}
