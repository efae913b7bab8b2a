//! Calls of built-in functions and methods that mean something else on the host than what the device computes.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::Ident;

use super::Renderer;
use super::expr::path_tokens;
use crate::ast::{Expr, ExprKind, Path};
use crate::intrinsic::{Intrinsic, Kind, Row, Sig, TABLE};
use crate::tokens::{Tokens, tokens};
use crate::typed::{Callee, Ty};

impl Renderer<'_> {
    /// `receiver.name(args)`
    pub(super) fn method(&mut self, receiver: &Expr, name: &Ident, args: &[Expr], whole: &Expr) -> Tokens {
        match self.typed.calls.get(&whole.id) {
            Some(Callee::Atomic(op, order)) if !self.is_original() => {
                self.atomic_method(*op, *order, receiver, name, args)
            }
            Some(Callee::Intrinsic(intrinsic)) if !self.is_original() => {
                self.intrinsic_method(*intrinsic, receiver, name, args, whole)
            }
            _ => {
                let receiver = self.expr(receiver);
                let args = args.iter().map(|arg| self.bare(arg)).collect::<Vec<_>>();
                let turbofish = match &whole.kind {
                    ExprKind::Method { turbofish, .. } => turbofish.as_ref().map(|turbofish| &turbofish.tokens),
                    _ => None,
                };
                tokens!(#receiver.#name #turbofish (#(#args),*))
            }
        }
    }

    /// `T::name(args)`: methods called this way have their receiver first.
    pub(super) fn intrinsic_call(
        &mut self,
        intrinsic: Intrinsic,
        callee: &Path,
        args: &[Expr],
        whole: &Expr,
    ) -> Tokens {
        if let (Kind::Method, Some(name), [receiver, rest @ ..]) = (row(intrinsic).kind, callee.segments.last(), args) {
            return self.intrinsic_method(intrinsic, receiver, name, rest, whole);
        }
        let path = path_tokens(callee);
        let args = args.iter().map(|arg| self.bare(arg)).collect::<Vec<_>>();
        tokens!(#path(#(#args),*))
    }

    fn intrinsic_method(
        &mut self,
        intrinsic: Intrinsic,
        receiver: &Expr,
        name: &Ident,
        args: &[Expr],
        whole: &Expr,
    ) -> Tokens {
        let ty = self.expr_ty(receiver).clone();
        let mut value = self.expr(receiver);
        let mut args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        let row = row(intrinsic);
        let is_usize = ty == Ty::USIZE;
        if is_usize {
            // The device's `usize` has 32 bits: compute on `u32`.
            self.uses_names();
            value = tokens!((#value as __u32));
            for (arg, sig) in args.iter_mut().zip(row.params) {
                if *sig == Sig::Same {
                    *arg = tokens!((#arg as __u32));
                }
            }
        }
        let call = self.checked(intrinsic, &ty, &value, &args, whole).unwrap_or_else(|| match intrinsic {
            Intrinsic::Pow => tokens!(#value.wrapping_pow(#(#args),*)),
            Intrinsic::Abs if ty == Ty::I32 => tokens!(#value.wrapping_abs()),
            _ => tokens!(#value.#name(#(#args),*)),
        });
        let widens = is_usize && matches!(row.result, Sig::Same | Sig::Unsigned);
        if !widens {
            return call;
        }
        self.uses_names();
        tokens!((#call as __usize))
    }

    /// Intrinsics that Rust lets panic.
    fn checked(
        &mut self,
        intrinsic: Intrinsic,
        ty: &Ty,
        value: &Tokens,
        args: &[Tokens],
        whole: &Expr,
    ) -> Option<Tokens> {
        let is_scalar = matches!(ty, Ty::Scalar(_));
        let (function, sites) = match intrinsic {
            Intrinsic::Clamp if is_scalar => (tokens!(clamp), self.site(SiteKind::ClampBounds, whole)),
            Intrinsic::DivEuclid => (tokens!(div_euclid), self.division_sites(false, whole)),
            Intrinsic::RemEuclid => (tokens!(rem_euclid), self.division_sites(true, whole)),
            Intrinsic::DivCeil => (tokens!(div_ceil), self.division_sites(false, whole)),
            Intrinsic::NextMultipleOf => (tokens!(next_multiple_of), self.division_sites(true, whole)),
            _ => return None,
        };
        let (twin, sink) = (self.twin(), self.sink());
        Some(tokens!(#twin::#function(#sink, #sites, #value, #(#args),*)))
    }
}

fn row(intrinsic: Intrinsic) -> &'static Row {
    TABLE.iter().find(|row| row.intrinsic == intrinsic).expect("every intrinsic has a row")
}
