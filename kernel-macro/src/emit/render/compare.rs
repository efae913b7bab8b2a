//! Methods that compare, in what runs on the host: on values, where Rust has references or values that look like them.

use gridwise_ir::descriptor::SiteKind;

use super::reference::referent;
use super::{Renderer, local};
use crate::ast::{Expr, MethodCall};
use crate::emit::tokens::{Tokens, tokens};
use crate::program::message::CLAMP_BOUNDS;
use crate::typed::Comparison;

impl Renderer<'_> {
    /// `receiver.cmp(&other)` and its like.
    pub(super) fn comparison(&mut self, method: Comparison, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, args } = call;
        let value = self.expr(receiver);
        let args: Vec<_> = args.iter().map(|arg| self.expr(referent(arg))).collect();
        let of = match method {
            Comparison::Cmp => tokens!(Ord),
            Comparison::PartialCmp => tokens!(PartialOrd),
            Comparison::Operator(crate::ast::BinaryOp::Eq | crate::ast::BinaryOp::Ne) => tokens!(PartialEq),
            Comparison::Operator(_) => tokens!(PartialOrd),
            // A method of each float type.
            Comparison::TotalCmp => {
                let lent = lent(args);
                return tokens!((#value).total_cmp(#(#lent),*));
            }
            Comparison::Max | Comparison::Min => return tokens!(::core::cmp::Ord::#name(#value, #(#args),*)),
            Comparison::Clamp => return self.clamped(value, args, whole),
        };
        let lent = lent(args);
        tokens!(::core::cmp::#of::#name(&(#value), #(#lent),*))
    }

    fn clamped(&mut self, value: Tokens, bounds: Vec<Tokens>, whole: &Expr) -> Tokens {
        let (clamped, min, max) = (local("__value"), local("__min"), local("__max"));
        let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::Panic, whole));
        tokens!(match (#value, #(#bounds),*) { (#clamped, #min, #max) => {
            if !(#min <= #max) {
                #twin::TrapSink::panic(#sink, #site, ::core::format_args!(#CLAMP_BOUNDS))
            }
            ::core::cmp::Ord::clamp(#clamped, #min, #max)
        } })
    }
}

fn lent(values: Vec<Tokens>) -> Vec<Tokens> {
    values.into_iter().map(|value| tokens!(&(#value))).collect()
}
