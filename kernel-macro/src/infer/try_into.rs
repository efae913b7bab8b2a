//! Conversions that may fail: `u8::try_from(x)` and `x.try_into()` of integers, and of slices to arrays. The type of
//! the error depends on both types, as in Rust's library: it is `Infallible` if no conversion can fail.

use std::rc::Rc;

use crate::ast::{Expr, SpanRange};
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, ConversionError, Ty};

use super::associated::converts;
use super::generic::Request;
use super::unify::Term;
use super::{Expect, Infer};

/// A conversion whose types are known when all others are.
pub(super) struct Conversion<'a> {
    expr: &'a Expr,
    value: &'a Expr,
    span: SpanRange,
    from: Term,
    to: Term,
    error: Term,
}

impl<'a> Infer<'a> {
    /// `receiver.try_into()`; `None` for a receiver that is no integer and no slice.
    pub(super) fn infer_try_into(
        &mut self,
        expr: &'a Expr,
        (receiver, term): (&'a Expr, &Term),
        span: SpanRange,
    ) -> Option<Term> {
        match term {
            Term::Scalar(scalar) if scalar.is_int() => {
                let to = self.fresh();
                Some(self.convert_later(expr, receiver, span, (term.clone(), to)))
            }
            Term::Buffer { element, .. } => {
                if self.refuse_atomics(receiver, element) {
                    return Some(Term::Error);
                }
                let made = Term::ArrayOf(element.clone(), Rc::new(self.fresh()));
                let error = Term::ConversionError(ConversionError::Slice);
                let found = Term::Result(Rc::new(made), Rc::new(error));
                self.tables.calls.insert(expr.id, Callee::ToArray);
                self.open.push((expr, found.clone()));
                Some(found)
            }
            _ => None,
        }
    }

    /// `u8::try_from(value)`
    pub(super) fn infer_try_from(&mut self, expr: &'a Expr, value: &'a Expr, to: &Term) -> Term {
        let found = self.infer(value, &Expect::Nothing);
        self.convert_later(expr, value, value.span, (found, to.clone()))
    }

    fn convert_later(&mut self, expr: &'a Expr, value: &'a Expr, span: SpanRange, (from, to): (Term, Term)) -> Term {
        let error = self.fresh();
        let found = Term::Result(Rc::new(to.clone()), Rc::new(error.clone()));
        self.open.push((expr, found.clone()));
        self.conversions.push(Conversion { expr, value, span, from, to, error });
        found
    }

    /// Takes the author's own `impl TryFrom`; whether there is one.
    fn convert_by_own(&mut self, expr: &'a Expr, span: SpanRange, (from, to): (&Term, &Term), error: &Term) -> bool {
        let to = self.table.shallow(to);
        if !matches!(to, Term::Struct(..) | Term::Enum(..)) {
            return false;
        }
        for candidate in self.candidates(&to, "try_from", Some("TryFrom")) {
            let Some(function) = self.method_of(&candidate) else { continue };
            let ([param], Some(result)) = (function.params.as_slice(), &function.result) else { continue };
            let in_member =
                |cx: &mut Self, ty| cx.within(candidate.member, candidate.params.clone(), |cx| cx.term_of(ty));
            let wanted = in_member(self, &param.ty);
            if param.ty.reference().is_some() || !self.table.would_unify(&wanted, from) {
                continue;
            }
            self.table.unify(&wanted, from);
            self.table.unify(&candidate.self_term, &to);
            let found = in_member(self, result);
            self.table.unify(&found, &Term::Result(Rc::new(to), Rc::new(error.clone())));
            self.tables.calls.insert(expr.id, Callee::Device(candidate.member));
            if candidate.is_generic {
                let (item, params) = (candidate.member, candidate.params);
                self.requests.push(Request { expr: expr.id, span, item, params, chains: Vec::new() });
            }
            return true;
        }
        false
    }

    /// Finds out which errors the conversions give.
    pub(super) fn settle_conversions(&mut self) {
        for Conversion { expr, value, span, from, to, error } in std::mem::take(&mut self.conversions) {
            let (Some(source), Some(target)) = (self.table.resolve(&from), self.table.resolve(&to)) else { continue };
            if self.convert_by_own(expr, span, (&Term::from(&source), &to), &error) {
                continue;
            }
            let given = match (&source, &target) {
                (Ty::Error | Ty::Never, _) | (_, Ty::Error | Ty::Never) => None,
                (Ty::Scalar(a), Ty::Scalar(b)) if a.is_int() && b.is_int() => {
                    let is_safe = a == b || converts(*a, *b);
                    Some(if is_safe { ConversionError::Never } else { ConversionError::Int })
                }
                _ => {
                    let (source, target) = (self.name_of(&source), self.name_of(&target));
                    let given = text(value);
                    let help = match (target.as_str(), source.as_str()) {
                        ("char", _) => format!("write `char::from_u32({given})`, which gives an `Option`"),
                        (_, "char") => format!("by way of the number: `{target}::try_from({given} as u32)`"),
                        _ => format!("write a function that gives a `Result`, and call it with `{given}`"),
                    };
                    let message = format!("`{target}` is not made from `{source}` by `TryFrom`");
                    self.error(code::UNKNOWN_METHOD, span, message)
                        .note("kernels support it for integers, and from slices to arrays")
                        .help(help);
                    None
                }
            };
            let Some(given) = given else {
                self.table.poison(&error);
                continue;
            };
            self.table.unify(&from, &Term::from(&source));
            if !self.table.unify(&error, &Term::ConversionError(given)) {
                let (expected, name) = (self.describe(&error), given.name());
                let message = format!("this conversion fails with `{name}`, and {expected} is asked for");
                self.error(code::MISMATCHED_TYPES, span, message).help("convert it: `.map_err(|_| …)`");
            }
            self.tables.calls.insert(expr.id, Callee::TryConvert);
        }
    }
}
