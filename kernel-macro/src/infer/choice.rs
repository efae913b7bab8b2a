//! Inference of the methods of `Option` and `Result`.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::Expr;
use crate::typed::{Callee, ChoiceMethod};

use super::mismatch::Because;
use super::unify::Term;
use super::{Infer, range};

impl<'a> Infer<'a> {
    /// A method of an `Option` or `Result`; `None` when it has no such method.
    pub(super) fn infer_choice_method(
        &mut self,
        expr: &'a Expr,
        receiver: &Term,
        name: &'a Ident,
        args: &'a [Expr],
    ) -> Option<Term> {
        let text = name.to_string();
        let (method, params, result) = self.choice_method(receiver, &text)?;
        self.tables.calls.insert(expr.id, Callee::Choice(method));
        if params.len() != args.len() {
            self.report_arity(&name.to_string(), params.len(), args, range(name.span()));
            self.infer_arguments_only(args);
            return Some(result);
        }
        for (arg, param) in args.iter().zip(&params) {
            self.check(arg, param, Because::Alternative);
        }
        Some(result)
    }

    /// The method with its parameters and result.
    fn choice_method(&mut self, receiver: &Term, name: &str) -> Option<(ChoiceMethod, Vec<Term>, Term)> {
        use ChoiceMethod as M;
        let option = |value: &Term| Term::Option(Rc::new(value.clone()));
        Some(match (receiver, name) {
            (Term::Option(_), "is_some") => (M::IsSome, Vec::new(), Term::BOOL),
            (Term::Option(_), "is_none") => (M::IsNone, Vec::new(), Term::BOOL),
            (Term::Option(value), "unwrap_or") => (M::UnwrapOr, vec![(**value).clone()], (**value).clone()),
            (Term::Option(value), "unwrap_or_default") => (M::UnwrapOrDefault, Vec::new(), (**value).clone()),
            (Term::Option(value), "ok_or") => {
                let error = self.fresh();
                (M::OkOr, vec![error.clone()], Term::Result(value.clone(), Rc::new(error)))
            }
            (Term::Option(_), "or") => (M::Or, vec![receiver.clone()], receiver.clone()),
            (Term::Option(_), "xor") => (M::Xor, vec![receiver.clone()], receiver.clone()),
            (Term::Option(_), "and") => {
                let other = option(&self.fresh());
                (M::And, vec![other.clone()], other)
            }
            (Term::Option(value), "zip") => {
                let other = self.fresh();
                let pair = Term::tuple(vec![(**value).clone(), other.clone()]);
                (M::Zip, vec![option(&other)], option(&pair))
            }
            (Term::Option(value), "flatten") => match self.table.shallow(value) {
                inner @ Term::Option(_) => (M::Flatten, Vec::new(), inner),
                _ => return None,
            },
            (Term::Result(..), "is_ok") => (M::IsOk, Vec::new(), Term::BOOL),
            (Term::Result(..), "is_err") => (M::IsErr, Vec::new(), Term::BOOL),
            (Term::Result(value, _), "ok") => (M::Ok, Vec::new(), option(value)),
            (Term::Result(_, error), "err") => (M::Err, Vec::new(), option(error)),
            (Term::Result(value, _), "unwrap_or") => (M::UnwrapOr, vec![(**value).clone()], (**value).clone()),
            (Term::Result(value, _), "unwrap_or_default") => (M::UnwrapOrDefault, Vec::new(), (**value).clone()),
            (Term::Result(_, error), "and") => {
                let other = Term::Result(Rc::new(self.fresh()), error.clone());
                (M::And, vec![other.clone()], other)
            }
            (Term::Result(value, _), "or") => {
                let other = Term::Result(value.clone(), Rc::new(self.fresh()));
                (M::Or, vec![other.clone()], other)
            }
            _ => return None,
        })
    }
}
