//! Inference of the methods of `Option`, `Result` and `bool` that give one value or another.

use std::rc::Rc;

use crate::ast::{BinaryOp, MethodCall, ScalarName};
use crate::typed::{Callee, ChoiceMethod};

use super::closure::{Demand, Gives};
use super::finish::Deferred;
use super::unify::Term;
use super::{Expect, Infer, range};

/// The form of a method's argument.
pub(super) enum Wanted {
    Value(Term),
    /// A value of the type that the method gives, which is open: what is expected of that is expected of it, as in rustc.
    Result(Term),
    /// A reference to a value that others are compared with.
    Needle(Term),
    /// A `usize`.
    Count,
    /// Something to go through, by its elements.
    Iterator(Term),
    /// Something to call.
    Call(Demand),
}

/// A method with its parameters and result.
type Signature = (ChoiceMethod, Vec<Wanted>, Term);

pub(super) fn call(params: Vec<Term>, result: &Term) -> Wanted {
    Wanted::Call(Demand {
        params,
        result: result.clone(),
        gives: Gives::Values,
        changes: false,
        references: Vec::new(),
    })
}

/// Something that gets references.
pub(super) fn lending(params: Vec<Term>, result: &Term) -> Wanted {
    Wanted::Call(Demand {
        params,
        result: result.clone(),
        gives: Gives::References,
        changes: false,
        references: Vec::new(),
    })
}

pub(super) fn option(value: &Term) -> Term {
    Term::Option(Rc::new(value.clone()))
}

fn result(value: &Term, error: &Term) -> Term {
    Term::Result(Rc::new(value.clone()), Rc::new(error.clone()))
}

/// A method of `core::cmp::Ordering`.
fn ordering_method(name: &str) -> Option<Signature> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let is = |op| (ChoiceMethod::IsOrdered(op), Vec::new(), Term::BOOL);
    Some(match name {
        "is_lt" => is(Lt),
        "is_le" => is(Le),
        "is_gt" => is(Gt),
        "is_ge" => is(Ge),
        "is_eq" => is(Eq),
        "is_ne" => is(Ne),
        "reverse" => (ChoiceMethod::Reverse, Vec::new(), Term::Ordering),
        "then" => (ChoiceMethod::ThenOrdering, vec![Wanted::Value(Term::Ordering)], Term::Ordering),
        "then_with" => (ChoiceMethod::ThenWith, vec![call(Vec::new(), &Term::Ordering)], Term::Ordering),
        _ => return None,
    })
}

impl<'a> Infer<'a> {
    /// A method of an `Option`, `Result` or `bool`; `None` when it has no such method.
    pub(super) fn infer_choice_method(&mut self, call: MethodCall<'a>, term: &Term, expect: &Expect) -> Option<Term> {
        let MethodCall { expr, receiver, name, args } = call;
        let text = name.to_string();
        let (method, wanted, result) = match term {
            Term::Option(value) => self.option_method(term, value, &text)?,
            Term::Result(value, error) => self.result_method(value, error, &text)?,
            Term::Scalar(ScalarName::Bool) => self.bool_method(&text)?,
            Term::Ordering => ordering_method(&text)?,
            _ => return None,
        };
        self.tables.calls.insert(expr.id, Callee::Choice(method));
        if method == ChoiceMethod::UnwrapOrDefault {
            self.deferred.push(Deferred::Default { expr, term: result.clone() });
        }
        self.open.push((expr, result.clone()));
        // A reference in an `Option` is the value here, and rustc sees to the rest.
        self.has_references |= method.lends() || text == "as_ref";
        if method.writes() {
            self.tables.writes.insert(expr.id);
            self.require_writable(expr, receiver);
        }
        let before = self.diags.len();
        if wanted.len() != args.len() {
            self.report_arity(&text, wanted.len(), args, range(name.span()));
            self.infer_unknown_arguments(args);
            self.table.poison(&result);
            return Some(result);
        }
        if let (ChoiceMethod::UnwrapOr, [other]) = (method, args) {
            self.note_other_slices(&result, other);
        }
        self.infer_wanted(expr, args, &wanted, expect);
        if self.diags.len() > before {
            self.table.poison(&result);
        }
        Some(result)
    }

    fn bool_method(&mut self, name: &str) -> Option<Signature> {
        let value = self.fresh();
        Some(match name {
            "then" => (ChoiceMethod::Then, vec![call(Vec::new(), &value)], option(&value)),
            "then_some" => (ChoiceMethod::ThenSome, vec![Wanted::Value(value.clone())], option(&value)),
            _ => return None,
        })
    }

    fn option_method(&mut self, whole: &Term, value: &Term, name: &str) -> Option<Signature> {
        use ChoiceMethod as M;
        let given = || vec![value.clone()];
        let (whole, other) = (whole.clone(), self.fresh());
        Some(match name {
            "is_some" => (M::IsSome, Vec::new(), Term::BOOL),
            "is_none" => (M::IsNone, Vec::new(), Term::BOOL),
            "is_some_and" => (M::IsSomeAnd, vec![call(given(), &Term::BOOL)], Term::BOOL),
            "is_none_or" => (M::IsNoneOr, vec![call(given(), &Term::BOOL)], Term::BOOL),
            "unwrap_or" => (M::UnwrapOr, vec![Wanted::Value(value.clone())], value.clone()),
            "unwrap_or_default" => (M::UnwrapOrDefault, Vec::new(), value.clone()),
            "unwrap_or_else" => (M::UnwrapOrElse, vec![call(Vec::new(), value)], value.clone()),
            "ok_or" => (M::OkOr, vec![Wanted::Value(other.clone())], result(value, &other)),
            "ok_or_else" => (M::OkOrElse, vec![call(Vec::new(), &other)], result(value, &other)),
            "or" => (M::Or, vec![Wanted::Value(whole.clone())], whole),
            "or_else" => (M::OrElse, vec![call(Vec::new(), &whole)], whole),
            "xor" => (M::Xor, vec![Wanted::Value(whole.clone())], whole),
            "and" => (M::And, vec![Wanted::Value(option(&other))], option(&other)),
            "and_then" => (M::AndThen, vec![call(given(), &option(&other))], option(&other)),
            "map" => (M::Map, vec![call(given(), &other)], option(&other)),
            "map_or" => (M::MapOr, vec![Wanted::Result(other.clone()), call(given(), &other)], other),
            "map_or_else" => (M::MapOrElse, vec![call(Vec::new(), &other), call(given(), &other)], other),
            "zip" => {
                let pair = Term::tuple(vec![value.clone(), other.clone()]);
                (M::Zip, vec![Wanted::Value(option(&other))], option(&pair))
            }
            "unzip" => match self.table.shallow(value) {
                Term::Tuple(pair) if pair.len() == 2 => {
                    (M::Unzip, Vec::new(), Term::tuple(pair.iter().map(option).collect()))
                }
                _ => return None,
            },
            "flatten" => match self.table.shallow(value) {
                inner @ Term::Option(_) => (M::Flatten, Vec::new(), inner),
                _ => return None,
            },
            "transpose" => match self.table.shallow(value) {
                Term::Result(value, error) => (M::Transpose, Vec::new(), result(&option(&value), &error)),
                _ => return None,
            },
            "filter" => (M::Filter, vec![lending(given(), &Term::BOOL)], whole),
            "inspect" => (M::Inspect, vec![lending(given(), &Term::Unit)], whole),
            "copied" | "cloned" | "as_ref" => (M::Same, Vec::new(), whole),
            "take" => (M::Take, Vec::new(), whole),
            "replace" => (M::Replace, vec![Wanted::Value(value.clone())], whole),
            "insert" => (M::Insert, vec![Wanted::Value(value.clone())], value.clone()),
            "get_or_insert" => (M::GetOrInsert, vec![Wanted::Value(value.clone())], value.clone()),
            "get_or_insert_with" => (M::GetOrInsertWith, vec![call(Vec::new(), value)], value.clone()),
            _ => return None,
        })
    }

    fn result_method(&mut self, value: &Term, error: &Term, name: &str) -> Option<Signature> {
        use ChoiceMethod as M;
        let other = self.fresh();
        let (given, failed) = (|| vec![value.clone()], || vec![error.clone()]);
        Some(match name {
            "is_ok" => (M::IsOk, Vec::new(), Term::BOOL),
            "is_err" => (M::IsErr, Vec::new(), Term::BOOL),
            "is_ok_and" => (M::IsOkAnd, vec![call(given(), &Term::BOOL)], Term::BOOL),
            "is_err_and" => (M::IsErrAnd, vec![call(failed(), &Term::BOOL)], Term::BOOL),
            "ok" => (M::Ok, Vec::new(), option(value)),
            "err" => (M::Err, Vec::new(), option(error)),
            "unwrap_or" => (M::UnwrapOr, vec![Wanted::Value(value.clone())], value.clone()),
            "unwrap_or_default" => (M::UnwrapOrDefault, Vec::new(), value.clone()),
            "unwrap_or_else" => (M::UnwrapOrElse, vec![call(failed(), value)], value.clone()),
            "and" => (M::And, vec![Wanted::Value(result(&other, error))], result(&other, error)),
            "and_then" => (M::AndThen, vec![call(given(), &result(&other, error))], result(&other, error)),
            "or" => (M::Or, vec![Wanted::Value(result(value, &other))], result(value, &other)),
            "or_else" => (M::OrElse, vec![call(failed(), &result(value, &other))], result(value, &other)),
            "map" => (M::Map, vec![call(given(), &other)], result(&other, error)),
            "map_err" => (M::MapErr, vec![call(failed(), &other)], result(value, &other)),
            "map_or" => (M::MapOr, vec![Wanted::Result(other.clone()), call(given(), &other)], other),
            "map_or_else" => (M::MapOrElse, vec![call(failed(), &other), call(given(), &other)], other),
            "inspect" => (M::Inspect, vec![lending(given(), &Term::Unit)], result(value, error)),
            "inspect_err" => (M::InspectErr, vec![lending(failed(), &Term::Unit)], result(value, error)),
            "copied" | "cloned" | "as_ref" => (M::Same, Vec::new(), result(value, error)),
            "flatten" => match self.table.shallow(value) {
                Term::Result(value, inner) if self.table.unify(&inner, error) => {
                    (M::Flatten, Vec::new(), result(&value, error))
                }
                _ => return None,
            },
            "transpose" => match self.table.shallow(value) {
                Term::Option(value) => (M::Transpose, Vec::new(), option(&result(&value, error))),
                _ => return None,
            },
            _ => return None,
        })
    }
}
