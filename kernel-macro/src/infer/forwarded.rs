//! Methods of traits that only call the type's own method of the same name: `fn sqrt(self) -> f32 { f32::sqrt(self) }`. Which of the two
//! is called makes no difference.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Fn, Item, UnaryOp};

use super::Infer;
use super::associated::Candidate;
use super::block::strip;

impl<'a> Infer<'a> {
    /// Whether the method of a trait is the type's own: with `self` and the parameters, in their order, as the arguments.
    pub(super) fn is_forwarded(&self, candidate: &Candidate) -> bool {
        let (Some(function), Some(owner)) = (self.method_of(candidate), self.program.items[candidate.member].owner)
        else {
            return false;
        };
        let Item::Impl(implementation) = &self.program.items[owner].item else { return false };
        let (Some(receiver), true, Some(tail)) =
            (&function.receiver, function.body.statements.is_empty(), &function.body.tail)
        else {
            return false;
        };
        let by_value = match receiver.kind {
            syn::ReceiverKind::Value => true,
            syn::ReceiverKind::Reference(_, _, None) => false,
            _ => return false,
        };
        match &strip(tail).kind {
            // By a reference, Rust would find the trait's method first.
            ExprKind::Method { receiver, name, turbofish: None, args, .. } => {
                by_value && *name == function.name && is_name(receiver, "self") && passes_on(function, 1, args)
            }
            ExprKind::Call { callee, args, .. } => {
                let own = implementation.self_ty.tokens.to_string();
                let ([of, name], Some((first, rest))) = (callee.segments.as_slice(), args.split_first()) else {
                    return false;
                };
                let is_self = if by_value { is_name(first, "self") } else { is_lent_self(first) };
                (of == "Self" || *of == own)
                    && !callee.leading_colon
                    && callee.generics.is_empty()
                    && callee.through.is_none()
                    && *name == function.name
                    && is_self
                    && passes_on(function, 1, rest)
            }
            _ => false,
        }
    }
}

/// Whether the arguments are the parameters from `skip` on.
fn passes_on(function: &Fn, skip: usize, args: &[Expr]) -> bool {
    let params = function.params.get(skip..).unwrap_or_default();
    params.len() == args.len()
        && params.iter().zip(args).all(|(param, arg)| as_name(arg).is_some_and(|name| *name == param.name))
}

fn as_name(expr: &Expr) -> Option<&Ident> {
    match &strip(expr).kind {
        ExprKind::Path(path) => path.as_name(),
        _ => None,
    }
}

fn is_name(expr: &Expr, wanted: &str) -> bool {
    as_name(expr).is_some_and(|name| name == wanted)
}

/// `*self`
fn is_lent_self(expr: &Expr) -> bool {
    match &strip(expr).kind {
        ExprKind::Unary(UnaryOp::Deref, inner) => is_name(inner, "self"),
        _ => false,
    }
}
