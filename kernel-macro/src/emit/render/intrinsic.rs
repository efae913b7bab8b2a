//! Calls of built-in functions and methods that mean something else on the host than what the device computes.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::expr::path_tokens;
use super::reference::referent;
use super::slice::method_twin;
use super::{Renderer, local, numbered};
use crate::ast::{Expr, ExprKind, MethodCall, Path, ScalarName};
use crate::builtin::character::MAX_RADIX;
use crate::builtin::elementary::Elementary;
use crate::builtin::int::{BAD_BASE, Number};
use crate::builtin::intrinsic::{Intrinsic, Kind, Row, Sig, rows};
use crate::builtin::iteration::Iteration;
use crate::builtin::lanes::Lanes;
use crate::builtin::matrix::Linear;
use crate::builtin::overflow::Overflow;
use crate::emit::tokens::{Tokens, Word, tokens};
use crate::typed::{Callee, ChoiceMethod, CoopCall, Ty};

impl Renderer<'_> {
    /// `receiver.name(args)`
    pub(super) fn method(&mut self, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, args } = call;
        match self.typed.calls.get(&whole.id) {
            Some(Callee::Atomic(op, order)) if !self.is_original() => {
                self.atomic_method(*op, *order, receiver, name, args)
            }
            Some(Callee::Image(method)) if !self.is_original() => self.image_method(*method, call),
            Some(Callee::Coop(CoopCall::Store(_))) if !self.is_original() => self.matrix_store(receiver, args, whole),
            Some(Callee::Iterate(Iteration::Cmp | Iteration::PartialCmp))
                if !self.is_original() && matches!(self.expr_ty(receiver), Ty::Buffer { .. }) =>
            {
                self.slice_order(name, receiver, &args[0])
            }
            Some(Callee::Iterate(iteration)) if !self.is_original() => self.iteration(*iteration, call),
            Some(Callee::Range(method)) if !self.is_original() => self.range_method(*method, receiver, name, args),
            Some(Callee::TryConvert) if !self.is_original() => self.try_convert(receiver, whole),
            Some(Callee::ToArray) if !self.is_original() => {
                let (twin, values) = (self.twin(), self.elements(receiver));
                tokens!(#twin::to_array(#values))
            }
            Some(Callee::Slice(method)) if !self.is_original() => self.slice_method(*method, call),
            Some(Callee::Compare(method)) if !self.is_original() => self.comparison(*method, call),
            Some(Callee::Choice(ChoiceMethod::Same)) if !self.is_original() => self.expr(receiver),
            Some(Callee::Clone) if !self.is_original() => {
                let value = self.expr(referent(receiver));
                tokens!(::core::clone::Clone::clone(&(#value)))
            }
            Some(Callee::Intrinsic(intrinsic)) if !self.is_original() => self.intrinsic_method(*intrinsic, call),
            Some(Callee::Device(item)) if self.totals(*item, name) => self.own_total(*item, call),
            _ => {
                if !self.is_original()
                    && *self.expr_ty(receiver) == Ty::Error
                    && let Some(total) = self.unknown_total(receiver, name, whole)
                {
                    return total;
                }
                let gives_place =
                    matches!(self.typed.calls.get(&whole.id), Some(Callee::Choice(method)) if method.gives_place());
                // Behind the reference that it gives is a value here.
                let follow = |call: Tokens| if gives_place { tokens!((*#call)) } else { call };
                let is_place = !self.is_original() && self.typed.place_call(self.program, whole).is_some();
                if let Some(written) = self.written_receiver(receiver, whole, !args.is_empty()) {
                    if is_place {
                        let call =
                            self.call_written(written, |cx, place| cx.plain_method(place, true, name, args, whole));
                        return tokens!((*#call));
                    }
                    return self.call_written(written, |cx, place| {
                        let call = cx.plain_method(place, true, name, args, whole);
                        if cx.is_original() { call } else { follow(call) }
                    });
                }
                let receiver = match &referent(receiver).kind {
                    ExprKind::Slice { .. } if !self.is_original() && self.typed.writes.contains(&whole.id) => {
                        let part = self.original_slice(referent(receiver), true);
                        tokens!((#part))
                    }
                    _ => self.expr(receiver),
                };
                let call = self.plain_method(receiver, false, name, args, whole);
                let is_unknown = !self.is_original() && !self.typed.calls.contains_key(&whole.id);
                if is_unknown && self.typed.open_ends.contains(&whole.id) {
                    let twin = self.twin();
                    return tokens!({
                        use #twin::generic::GivenValue as _;
                        #twin::generic::Given(#call).value()
                    });
                }
                match is_place {
                    true => tokens!((*#call)),
                    false if self.is_original() => call,
                    false => follow(call),
                }
            }
        }
    }

    /// A conversion of integers that may fail; `usize` and `isize` have 32 bits.
    pub(super) fn try_convert(&mut self, value: &Expr, whole: &Expr) -> Tokens {
        use ScalarName::{I64, Isize, U32, U64, Usize};
        let to = match self.expr_ty(whole) {
            Ty::Result(to, _) => (**to).clone(),
            _ => Ty::Error,
        };
        let from = match self.expr_ty(value) {
            Ty::Scalar(from) => Some(*from),
            _ => None,
        };
        let by_way = match (from, &to) {
            (Some(U64 | I64 | Isize), Ty::Scalar(Usize)) => Some(Word("u32")),
            (Some(U64 | I64 | Usize | U32), Ty::Scalar(Isize)) => Some(Word("i32")),
            _ => None,
        };
        let (value, to) = (self.expr(value), self.ty(&to));
        let Some(narrow) = by_way else { return tokens!(<#to as ::core::convert::TryFrom<_>>::try_from(#value)) };
        let converted = local("__converted");
        tokens! {
            <::core::primitive::#narrow as ::core::convert::TryFrom<_>>::try_from(#value)
                .map(|#converted| #converted as #to)
        }
    }

    /// A call as the author wrote it; `first`: of arguments that are evaluated before the receiver is borrowed.
    fn plain_method(&mut self, receiver: Tokens, first: bool, name: &Ident, args: &[Expr], whole: &Expr) -> Tokens {
        let args = args.iter().enumerate();
        let args: Vec<_> = args.map(|(position, arg)| self.called(whole, position, arg)).collect();
        let turbofish = match &whole.kind {
            ExprKind::Method { turbofish, .. } => turbofish.as_ref().map(|turbofish| &turbofish.tokens),
            _ => None,
        };
        let callee = self.typed.calls.get(&whole.id).copied();
        let has_twin = self.has_twin(callee) || args.iter().any(|arg| self.slice_of_unknown(arg).is_some());
        let held: Vec<bool> = args.iter().map(|arg| first && !self.typed.closures.contains_key(&arg.id)).collect();
        let call = |name: &Ident, given: Vec<Tokens>| {
            let (mut values, mut names, mut passed) = (Vec::new(), Vec::new(), Vec::new());
            for (position, (arg, is_held)) in given.into_iter().zip(&held).enumerate() {
                if *is_held {
                    let held = numbered(&format!("__given{position}"));
                    values.push(arg);
                    names.push(tokens!(#held));
                    passed.push(tokens!(#held));
                } else {
                    passed.push(arg);
                }
            }
            let call = tokens!(#receiver.#name #turbofish (#(#passed),*));
            // Temporaries live as long as the call.
            if names.is_empty() { call } else { tokens!(match (#(#values,)*) { (#(#names,)*) => #call }) }
        };
        if has_twin {
            let name = method_twin(name);
            return self.call_behind(callee, 1, &args, |_, args| call(&name, args));
        }
        self.call_with(None, &args, |_, args| call(name, args))
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
            return self.intrinsic_method(intrinsic, MethodCall { expr: whole, receiver, name, args: rest });
        }
        let path = path_tokens(callee);
        let args = args.iter().map(|arg| self.argument(arg)).collect::<Vec<_>>();
        if intrinsic == Intrinsic::Elementary(Elementary::FromF64) {
            // Crate `half` rounds twice on some hosts.
            let (twin, ty) = (self.twin(), self.ty(self.expr_ty(whole)));
            return tokens!(<#ty>::from_f32(#twin::round_to_odd(#(#args),*)));
        }
        tokens!(#path(#(#args),*))
    }

    fn intrinsic_method(&mut self, intrinsic: Intrinsic, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, args } = call;
        let ty = self.expr_ty(receiver).clone();
        let mut value = match self.typed.cut(referent(receiver)) {
            // `len()` of a part of a slice.
            Some(_) => self.native_slice(receiver).unwrap_or_else(|| self.slice(receiver, false)),
            _ => self.expr(receiver),
        };
        let row = row(intrinsic);
        let is_lent = row.params.contains(&Sig::Lent);
        let arg = |cx: &mut Self, arg: &Expr| {
            let value = cx.expr(if is_lent { referent(arg) } else { arg });
            if is_lent { tokens!(&(#value)) } else { value }
        };
        let mut args: Vec<_> = args.iter().map(|written| arg(self, written)).collect();
        // The device's `usize` and `isize` have 32 bits: compute on `u32` and `i32`.
        let word = match ty {
            Ty::Scalar(ScalarName::Usize) => Some(Ident::new("__u32", Span::call_site())),
            Ty::Scalar(ScalarName::Isize) => Some(Ident::new("__i32", Span::call_site())),
            _ => None,
        };
        let is_size = word.is_some();
        if let Some(word) = word {
            self.uses_names();
            value = tokens!((#value as #word));
            for (arg, sig) in args.iter_mut().zip(row.params) {
                *arg = match sig {
                    Sig::Same => tokens!((#arg as #word)),
                    Sig::Signed => tokens!((#arg as __i32)),
                    Sig::Unsigned => tokens!((#arg as __u32)),
                    _ => continue,
                };
            }
        }
        if let (Intrinsic::Arithmetic(overflow, op), Some(divisor)) = (intrinsic, args.first_mut())
            && op.divides()
            && overflow != Overflow::Checked
        {
            let kind = if op.is_remainder() { SiteKind::RemainderByZero } else { SiteKind::DivideByZero };
            let (twin, sink, site) = (self.twin(), self.sink(), self.site(kind, whole));
            *divisor = tokens!(#twin::nonzero(#sink, #site, #divisor));
        }
        if let (Intrinsic::Lanes(Lanes::WrappingDiv | Lanes::SaturatingDiv), Some(divisor)) =
            (intrinsic, args.first_mut())
        {
            let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::DivideByZero, whole));
            *divisor = tokens!(#twin::nonzero(#sink, #site, #divisor));
        }
        if let Intrinsic::Character(method) = intrinsic
            && let (Some((least, text)), Some(radix)) = (method.bad_radix(), args.last_mut())
        {
            *radix = self.checked_radix(radix, least, text, whole);
        }
        let panics = match intrinsic {
            Intrinsic::Number(method) => method.panics().map(|text| (format_ident!("checked_{name}"), text)),
            Intrinsic::Arithmetic(Overflow::Strict, op) => {
                let stem = name.to_string();
                Some((format_ident!("checked_{}", stem.trim_start_matches("strict_")), op.panics()))
            }
            _ => None,
        };
        let call = match panics {
            Some((checked, text)) => self.panicking(intrinsic, value, &checked, &mut args, text, whole),
            None => self.call_or_check(intrinsic, &ty, value, name, &args, whole),
        };
        match row.result {
            Sig::Same | Sig::Unsigned | Sig::Signed | Sig::SameAndFlag | Sig::OptionSame if is_size => {
                let twin = self.twin();
                tokens!(#twin::widen(#call))
            }
            _ => call,
        }
    }

    /// The radix of a digit, with a record where it is out of range.
    fn checked_radix(&mut self, radix: &Tokens, least: u32, text: &str, whole: &Expr) -> Tokens {
        let (checked, twin, sink, site) =
            (local("__radix"), self.twin(), self.sink(), self.site(SiteKind::Panic, whole));
        tokens!(match #radix { #checked => {
            if #checked < #least || #checked > #MAX_RADIX {
                #twin::TrapSink::panic(#sink, #site, ::core::format_args!(#text))
            }
            #checked
        } })
    }

    /// The checked form of a method, with a record where it gives `None`.
    fn panicking(
        &mut self,
        intrinsic: Intrinsic,
        value: Tokens,
        checked: &Ident,
        args: &mut [Tokens],
        text: &str,
        whole: &Expr,
    ) -> Tokens {
        let (result, twin, sink, site) =
            (local("__value"), self.twin(), self.sink(), self.site(SiteKind::Panic, whole));
        let panic = tokens!(#twin::TrapSink::panic(#sink, #site, ::core::format_args!(#text)));
        let option = if let (Intrinsic::Number(Number::Ilog), [base]) = (intrinsic, &*args) {
            let (number, base_name) = (local("__number"), local("__base"));
            let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::Panic, whole));
            tokens!(match (#value, #base) { (#number, #base_name) => {
                if #base_name < 2 {
                    #twin::TrapSink::panic(#sink, #site, ::core::format_args!(#BAD_BASE))
                }
                #number.#checked(#base_name)
            } })
        } else {
            tokens!(#value.#checked(#(#args),*))
        };
        tokens!(match #option {
            ::core::option::Option::Some(#result) => #result,
            ::core::option::Option::None => #panic,
        })
    }

    fn call_or_check(
        &mut self,
        intrinsic: Intrinsic,
        ty: &Ty,
        value: Tokens,
        name: &Ident,
        args: &[Tokens],
        whole: &Expr,
    ) -> Tokens {
        self.checked(intrinsic, ty, &value, args, whole).unwrap_or_else(|| match intrinsic {
            Intrinsic::Elementary(Elementary::NextPowerOfTwo) => {
                tokens!(#value.checked_next_power_of_two().unwrap_or(0))
            }
            Intrinsic::Elementary(Elementary::Pow) => tokens!(#value.wrapping_pow(#(#args),*)),
            Intrinsic::Elementary(Elementary::Abs) if matches!(ty, Ty::Scalar(scalar) if scalar.is_signed()) => {
                tokens!(#value.wrapping_abs())
            }
            _ => tokens!(#value.#name(#(#args),*)),
        })
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
            Intrinsic::Elementary(Elementary::Clamp) if is_scalar => {
                (tokens!(clamp), self.site(SiteKind::ClampBounds, whole))
            }
            Intrinsic::Linear(method @ (Linear::Col | Linear::Row)) => {
                let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                self.uses_names();
                let value = if method == Linear::Row { tokens!((#value).transpose()) } else { value.copy() };
                return Some(tokens!(__at(#sink, #site, &#twin::columns(#value), #(#args),*)));
            }
            Intrinsic::Elementary(Elementary::DivEuclid) => (tokens!(div_euclid), self.division_sites(false, whole)),
            Intrinsic::Elementary(Elementary::RemEuclid) => (tokens!(rem_euclid), self.division_sites(true, whole)),
            Intrinsic::Elementary(Elementary::DivCeil) => (tokens!(div_ceil), self.division_sites(false, whole)),
            Intrinsic::Elementary(Elementary::NextMultipleOf) => {
                (tokens!(next_multiple_of), self.division_sites(true, whole))
            }
            _ => return None,
        };
        let (twin, sink) = (self.twin(), self.sink());
        Some(tokens!(#twin::#function(#sink, #sites, #value, #(#args),*)))
    }
}

fn row(intrinsic: Intrinsic) -> &'static Row {
    rows().find(|row| row.intrinsic == intrinsic).expect("every intrinsic has a row")
}
