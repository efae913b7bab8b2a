//! `x.into()`: what `From` of the type gives that its surroundings ask for.

use std::rc::Rc;

use crate::ast::{Expr, ExprKind};
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Len, Ty};

use super::Infer;
use super::associated::converts;
use super::block::strip;
use super::finish::Deferred;
use super::generic::Request;
use super::method::find_row;
use super::mismatch::Because;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// `Vec3::from(array)` is glam's `from_array`; of a tuple, `new` is simpler. `None` for what glam has not.
    pub(super) fn infer_vector_from(&mut self, expr: &'a Expr, receiver: &Term, value: &'a Expr) -> Option<Term> {
        let row = find_row("from_array", receiver, None)?;
        let Term::Vector(scalar, lanes) = *receiver else { return None };
        if let ExprKind::Tuple(members) = &strip(value).kind {
            let (name, members) = (self.describe(receiver), members.iter().map(text).collect::<Vec<_>>().join(", "));
            let name = name.trim_matches('`');
            let message = format!("`{name}` is not made from a tuple in kernels");
            self.error(code::UNKNOWN_METHOD, value.span, message).help(format!("write `{name}::new({members})`"));
            self.infer_arguments_only(std::slice::from_ref(value));
            return Some(Term::Error);
        }
        let array = Term::Array(Rc::new(Term::Scalar(scalar)), Len::Known(lanes.into()));
        self.check(value, &array, Because::Nothing);
        self.tables.calls.insert(expr.id, Callee::Intrinsic(row.intrinsic));
        Some(receiver.clone())
    }

    /// The type is known when that of everything around is.
    pub(super) fn infer_into(&mut self, expr: &'a Expr, receiver: &'a Expr, from: Term) -> Term {
        let to = self.fresh();
        self.open.push((expr, to.clone()));
        self.deferred.push(Deferred::Into { expr, receiver, from, to: to.clone() });
        to
    }

    /// Finds the conversion of the error that `?` returns; whether there is one.
    pub(super) fn convert_error(&mut self, expr: &'a Expr, from: &Term, to: &Term) -> bool {
        let (from, to) = (self.table.shallow(from), self.table.shallow(to));
        if let (Term::Scalar(from), Term::Scalar(to)) = (&from, &to) {
            if converts(*from, *to) {
                self.tables.calls.insert(expr.id, Callee::Convert);
            }
            return converts(*from, *to);
        }
        for candidate in self.candidates(&to, "from", Some("From")) {
            let Some(function) = self.method_of(&candidate) else { continue };
            let [param] = function.params.as_slice() else { continue };
            let wanted = self.within(candidate.member, candidate.params.clone(), |cx| cx.term_of(&param.ty));
            if param.ty.reference().is_some() || !self.table.would_unify(&wanted, &from) {
                continue;
            }
            self.table.unify(&wanted, &from);
            self.table.unify(&candidate.self_term, &to);
            self.tables.calls.insert(expr.id, Callee::Device(candidate.member));
            if candidate.is_generic {
                let (span, item, params) = (expr.span, candidate.member, candidate.params);
                self.requests.push(Request { expr: expr.id, span, item, params, chains: Vec::new() });
            }
            return true;
        }
        false
    }

    /// Finds the conversion.
    pub(super) fn check_into(&mut self, expr: &'a Expr, receiver: &Expr, from: &Term, to: &Term) {
        let (Some(from), Some(to)) = (self.table.resolve(from), self.table.resolve(to)) else { return };
        match (&from, &to) {
            (Ty::Error | Ty::Never, _) | (_, Ty::Error | Ty::Never) => return,
            (Ty::Scalar(from), Ty::Scalar(to)) if from == to || converts(*from, *to) => {
                self.tables.calls.insert(expr.id, Callee::Convert);
                return;
            }
            // Every type is `From` itself.
            _ if from == to => {
                self.tables.calls.insert(expr.id, Callee::Convert);
                return;
            }
            _ => {}
        }
        let (from_term, to_term) = (Term::from(&from), Term::from(&to));
        let candidates = self.candidates(&to_term, "from", Some("From"));
        let found = candidates.into_iter().find(|candidate| {
            let Some(function) = self.method_of(candidate) else { return false };
            function.params.first().is_some_and(|param| {
                let wanted = self.member_term(candidate, function, &param.ty);
                self.table.would_unify(&wanted, &from_term)
            })
        });
        match found {
            Some(candidate) => {
                self.tables.calls.insert(expr.id, Callee::Device(candidate.member));
                if let (true, Some(function)) = (candidate.is_generic, self.method_of(&candidate)) {
                    self.table.unify(&candidate.self_term, &to_term);
                    if let Some(param) = function.params.first() {
                        let params = candidate.params.clone();
                        let wanted = self.within(candidate.member, params, |cx| cx.term_of(&param.ty));
                        self.table.unify(&wanted, &from_term);
                    }
                    let (span, item, params) = (expr.span, candidate.member, candidate.params);
                    self.requests.push(Request { expr: expr.id, span, item, params, chains: Vec::new() });
                }
            }
            None => {
                let (source, from, to) = (text(receiver), self.name_of(&from), self.name_of(&to));
                let error =
                    self.error(code::UNKNOWN_METHOD, expr.span, format!("`{to}` is not made from `{from}` by `into`"));
                match &to_term {
                    Term::Vector(..) if matches!(from_term, Term::Array(..)) => {
                        error.help(format!("write `{to}::from({source})`"))
                    }
                    Term::Vector(..) if matches!(from_term, Term::Tuple(_)) => {
                        error.help(format!("write `{to}::new(…)` with the members"))
                    }
                    Term::Array(..) if matches!(from_term, Term::Vector(..)) => {
                        error.help(format!("write `{source}.to_array()`"))
                    }
                    Term::Scalar(_) => error.help(format!("write `{source} as {to}`, which may lose something")),
                    _ => error.help(format!("write `impl From<{from}> for {to}` in the `#[device] mod` of the type")),
                };
            }
        }
    }
}
