//! Calls of built-in functions and methods that mean something else on the host than what the device computes.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Renderer;
use super::expr::path_tokens;
use crate::ast::{Expr, Path};
use crate::intrinsic::{Intrinsic, Kind, Row, Sig, TABLE};
use crate::typed::{Callee, Ty};

impl Renderer<'_> {
    /// `receiver.name(args)`
    pub(super) fn method(&mut self, receiver: &Expr, name: &Ident, args: &[Expr], whole: &Expr) -> TokenStream {
        match self.typed.calls.get(&whole.id) {
            Some(Callee::Intrinsic(intrinsic)) if !self.is_original() => {
                self.intrinsic_method(*intrinsic, receiver, name, args, whole)
            }
            _ => {
                let receiver = self.expr(receiver);
                let args = args.iter().map(|arg| self.bare(arg)).collect::<Vec<_>>();
                quote!(#receiver.#name(#(#args),*))
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
    ) -> TokenStream {
        if let (Kind::Method, Some(name), [receiver, rest @ ..]) = (row(intrinsic).kind, callee.segments.last(), args) {
            return self.intrinsic_method(intrinsic, receiver, name, rest, whole);
        }
        let path = path_tokens(callee);
        let args = args.iter().map(|arg| self.bare(arg)).collect::<Vec<_>>();
        quote!(#path(#(#args),*))
    }

    fn intrinsic_method(
        &mut self,
        intrinsic: Intrinsic,
        receiver: &Expr,
        name: &Ident,
        args: &[Expr],
        whole: &Expr,
    ) -> TokenStream {
        let ty = self.expr_ty(receiver).clone();
        let mut value = self.expr(receiver);
        let mut args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        let row = row(intrinsic);
        let is_usize = ty == Ty::USIZE;
        if is_usize {
            // The device's `usize` has 32 bits: compute on `u32`.
            value = quote!((#value as ::core::primitive::u32));
            for (arg, sig) in args.iter_mut().zip(row.params) {
                if *sig == Sig::Same {
                    *arg = quote!((#arg as ::core::primitive::u32));
                }
            }
        }
        let call = self.checked(intrinsic, &ty, &value, &args, whole).unwrap_or_else(|| match intrinsic {
            Intrinsic::Pow => quote!(#value.wrapping_pow(#(#args),*)),
            Intrinsic::Abs if ty == Ty::I32 => quote!(#value.wrapping_abs()),
            _ => quote!(#value.#name(#(#args),*)),
        });
        let widens = is_usize && matches!(row.result, Sig::Same | Sig::Unsigned);
        if widens { quote!((#call as ::core::primitive::usize)) } else { call }
    }

    /// Intrinsics that Rust lets panic.
    fn checked(
        &mut self,
        intrinsic: Intrinsic,
        ty: &Ty,
        value: &TokenStream,
        args: &[TokenStream],
        whole: &Expr,
    ) -> Option<TokenStream> {
        let is_scalar = matches!(ty, Ty::Scalar(_));
        let (function, sites) = match intrinsic {
            Intrinsic::Clamp if is_scalar => (quote!(clamp), self.site(SiteKind::ClampBounds, whole)),
            Intrinsic::DivEuclid => (quote!(div_euclid), self.division_sites(false, whole)),
            Intrinsic::RemEuclid => (quote!(rem_euclid), self.division_sites(true, whole)),
            Intrinsic::DivCeil => (quote!(div_ceil), self.division_sites(false, whole)),
            Intrinsic::NextMultipleOf => (quote!(next_multiple_of), self.division_sites(true, whole)),
            _ => return None,
        };
        let (twin, sink) = (&self.twin, self.sink());
        Some(quote!(#twin::#function(#sink, #sites, #value, #(#args),*)))
    }
}

fn row(intrinsic: Intrinsic) -> &'static Row {
    TABLE.iter().find(|row| row.intrinsic == intrinsic).expect("every intrinsic has a row")
}
