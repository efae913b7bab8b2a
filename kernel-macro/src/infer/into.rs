//! `x.into()`: what `From` of the type gives that its surroundings ask for.

use std::rc::Rc;

use crate::ast::{Bound, Expr, ExprKind, GenericKind, Item, ScalarName, TypeExpr, TypeKind};
use crate::builtin::matrix::QUAT_LANES;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Len, Ty};

use super::associated::converts;
use super::finish::Deferred;
use super::generic::Request;
use super::method::find_row;
use super::mismatch::Because;
use super::unify::{Term, VarKind};
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// `Vec3::from(…)` of an array, of a tuple of lanes and shorter vectors, or of a vector of `bool`.
    pub(super) fn infer_vector_from(&mut self, expr: &'a Expr, receiver: &Term, value: &'a Expr) -> Option<Term> {
        let Term::Vector(scalar, lanes) = *receiver else { return None };
        let found = self.infer(value, &Expect::Nothing);
        let found = self.table.shallow(&found);
        let element = Term::Scalar(scalar);
        match &found {
            Term::Tuple(members) => {
                for member in members.iter() {
                    if let Some(VarKind::Int { .. } | VarKind::Float) = self.table.kind(member) {
                        self.table.unify(member, &element);
                    }
                }
            }
            Term::Vector(..) | Term::Quat => {}
            _ => {
                let array = Term::Array(Rc::new(element), Len::Known(lanes.into()));
                self.coerce(value, &found, &array, Because::Nothing);
                let row = find_row("from_array", receiver, None)?;
                self.tables.calls.insert(expr.id, Callee::Intrinsic(row.intrinsic));
                return Some(receiver.clone());
            }
        }
        if let (Some(from), Some(to)) = (self.table.resolve(&found), self.table.resolve(receiver)) {
            if from != Ty::Error && from != to && !converts_lanes(&from, &to) {
                let (from, to) = (self.name_of(&from), self.name_of(&to));
                let message = format!("`{to}` is not made from `{from}`");
                self.error(code::UNKNOWN_METHOD, value.span, message)
                    .help(format!("write `{to}::new(…)` with the lanes"));
            }
        } else {
            self.report_unknown(value);
        }
        self.tables.calls.insert(expr.id, Callee::Convert);
        Some(receiver.clone())
    }

    /// The type is known when that of everything around is.
    pub(super) fn infer_into(&mut self, expr: &'a Expr, receiver: &'a Expr, from: Term) -> Term {
        let to = match self.conversion_bound(receiver) {
            Some(ty) => self.term_of(ty),
            None => self.fresh(),
        };
        self.open.push((expr, to.clone()));
        self.deferred.push(Deferred::Into { expr, receiver, from, to: to.clone() });
        to
    }

    /// `U` where a value is a parameter of a type that `Into<U>` bounds: rustc knows no other conversion of it.
    fn conversion_bound(&self, receiver: &Expr) -> Option<&'a TypeExpr> {
        let ExprKind::Path(path) = &super::block::strip(receiver).kind else { return None };
        let name = path.as_name()?;
        let (binding, _) = self.variable(name)?;
        let program = self.program;
        let Item::Fn(function) = &program.items[self.item].item else { return None };
        let param = function.params.iter().find(|param| param.binding == binding)?;
        let TypeKind::Path(ty) = &param.ty.kind else { return None };
        let generic = function.generics.params.iter().find(|generic| ty.as_name() == Some(&generic.name))?;
        let GenericKind::Type { bounds, .. } = &generic.kind else { return None };
        let mut targets = bounds.iter().filter_map(|bound| match bound {
            Bound::Trait { path, .. } if path.segments.last()? == "Into" => path.last_args()?.args.first()?.ty.as_ref(),
            _ => None,
        });
        targets.next().filter(|_| targets.next().is_none())
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
            _ if from == to || converts_lanes(&from, &to) => {
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
                    Term::Vector(..) if matches!(from_term, Term::Vector(..)) => error.help(format!(
                        "write the lanes, `{source}.xy()`, or the conversion, `{source}.as_vec3()` and its like"
                    )),
                    Term::Array(..) if matches!(from_term, Term::Vector(..)) => {
                        error.help(format!("`{source}.to_array()` has as many elements as there are lanes"))
                    }
                    Term::Vector(..) if matches!(from_term, Term::Tuple(_)) => {
                        error.help(format!("write `{to}::new(…)` with the lanes"))
                    }
                    Term::Scalar(_) => error.help(format!("write `{source} as {to}`, which may lose something")),
                    _ => error.help(format!("write `impl From<{from}> for {to}` in the `#[device] mod` of the type")),
                };
            }
        }
    }
}

/// Whether glam has `To::from(from)` of a vector or quaternion, or for a vector.
fn converts_lanes(from: &Ty, to: &Ty) -> bool {
    let lanes_of = |ty: &Ty| match ty {
        Ty::Vector(scalar, lanes) => Some((*scalar, *lanes)),
        Ty::Quat => Some((ScalarName::F32, QUAT_LANES)),
        _ => None,
    };
    let is = |ty: &Ty, scalar: ScalarName| *ty == Ty::Scalar(scalar);
    match (from, to) {
        (Ty::Vector(ScalarName::Bool, from), Ty::Vector(to, lanes)) => from == lanes && *to != ScalarName::Bool,
        (Ty::Quat, Ty::Vector(ScalarName::F32, QUAT_LANES)) => true,
        (Ty::Array(element, Len::Known(len)), Ty::Vector(scalar, lanes)) => {
            is(element, *scalar) && *len == u32::from(*lanes)
        }
        (_, Ty::Array(element, Len::Known(len))) => {
            lanes_of(from).is_some_and(|(scalar, lanes)| is(element, scalar) && *len == u32::from(lanes))
        }
        (_, Ty::Tuple(members)) => lanes_of(from).is_some_and(|(scalar, lanes)| {
            scalar != ScalarName::Bool && members.len() == usize::from(lanes) && members.iter().all(|it| is(it, scalar))
        }),
        (Ty::Tuple(members), Ty::Vector(scalar, lanes)) if *scalar != ScalarName::Bool => {
            let counts: Vec<u8> = members
                .iter()
                .map(|member| match member {
                    Ty::Scalar(own) if own == scalar => 1,
                    Ty::Vector(own, count) if own == scalar => *count,
                    _ => 0,
                })
                .collect();
            let parts: &[&[u8]] = match lanes {
                2 => &[&[1, 1]],
                3 => &[&[1, 1, 1], &[2, 1]],
                _ => &[&[1, 1, 1, 1], &[3, 1], &[1, 3], &[2, 1, 1], &[2, 2]],
            };
            parts.contains(&counts.as_slice())
        }
        _ => false,
    }
}
