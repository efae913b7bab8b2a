//! Inference of shared variables, and of what is no value: they and what holds atomics. Methods of atomics are `atomic`'s.

use std::rc::Rc;

use crate::ast::{Expr, ExprKind, Pattern, TypeExpr};
use crate::diag::code;
use crate::program::Program;
use crate::source::text;
use crate::typed::{Resolution, SharedUse, Ty};

use super::Infer;
use super::block::strip;
use super::mismatch::Because;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// `let name = Shared::<T>::new();`
    pub(super) fn infer_shared_let(
        &mut self,
        pattern: &'a Pattern,
        declared: Option<&'a TypeExpr>,
        value: &'a Expr,
        ty: Option<&'a TypeExpr>,
    ) -> Term {
        let inner = match ty {
            Some(ty) => self.term_of(ty),
            None => self.fresh(),
        };
        let term = Term::Shared(Rc::new(inner));
        if let Some(declared) = declared {
            let expected = self.term_of(declared);
            if !self.table.unify(&term, &expected) {
                self.report_mismatch(value, &expected, &term, Because::LetType(declared.span.start));
            }
        }
        if let Term::Shared(inner) = &term
            && let single @ (Term::Scalar(_) | Term::Vector(..)) = self.table.shallow(inner)
        {
            let written = self.describe(&single);
            let written = written.trim_matches('`');
            let name = match pattern {
                Pattern::Binding { name, .. } => name.to_string(),
                _ => "value".to_owned(),
            };
            self.error(code::SHARED_USE, value.span, format!("shared memory is an array or a struct, no `{written}`"))
                .help(format!("write `Shared::<[{written}; 1]>::new()`, and `{name}[0]` where it is used"));
            self.record(value.id, Term::Error);
            return Term::Error;
        }
        self.record(value.id, term.clone());
        let binding = match pattern {
            Pattern::Binding { binding, .. } => Some(*binding),
            _ => None,
        };
        self.tables.shared.push(SharedUse { expr: value.id, span: value.span, binding });
        term
    }

    /// `Shared::new()` anywhere else.
    pub(super) fn infer_stray_shared(&mut self, expr: &'a Expr, ty: Option<&'a TypeExpr>) -> Term {
        if let Some(ty) = ty {
            self.term_of(ty);
        }
        self.tables.shared.push(SharedUse { expr: expr.id, span: expr.span, binding: None });
        Term::Error
    }

    /// Reports an expression that is used as a value and has none: shared variables and what holds atomics; whether it did.
    pub(super) fn refuse_value(&mut self, expr: &Expr, term: &Term) -> bool {
        // Most expressions are of these.
        if let Term::Unit | Term::Scalar(_) | Term::Vector(..) | Term::Never | Term::Var(_) = self.table.bound(term) {
            return false;
        }
        let shallow = self.table.shallow(term);
        match &shallow {
            Term::Shared(inner) => {
                let source = text(expr);
                let error = self.diags.error(
                    code::SHARED_USE,
                    expr.span,
                    format!("the shared variable `{source}` is used as a value"),
                );
                match self.table.shallow(inner) {
                    Term::Array(..) => error.help(format!("index it: `{source}[i]`")),
                    Term::Struct(_, _) => error.help(format!("use its fields: `{source}.field`")),
                    _ => error.help("shared memory is an array or a struct: `Shared<[T; N]>`"),
                };
            }
            Term::Buffer { origin: None, .. } if matches!(strip(expr).kind, ExprKind::Index { .. }) => {
                self.report_member_value(expr);
            }
            Term::Image(_) if matches!(strip(expr).kind, ExprKind::Index { .. }) => {
                self.refuse_listed_image(expr, &shallow);
            }
            Term::Iterator(_) if self.iterated.contains(&expr.id) => return false,
            Term::Iterator(_) if matches!(strip(expr).kind, ExprKind::Range { .. }) => {
                self.error(
                    code::UNSUPPORTED_SYNTAX,
                    expr.span,
                    "a range without an end cannot be used as a value in kernels",
                )
                .help("write both ends, `a..b`, or write it where it is used");
            }
            Term::Iterator(_) => {
                let error =
                    self.error(code::UNSUPPORTED_SYNTAX, expr.span, "an iterator cannot be used as a value in kernels");
                error.note("store it in a `let` of its own, `let mut it = x.iter();`, or consume it at once").help(
                    "go through it with `for`, `it.next()`, or end the chain with `.sum()`, `.fold(…)` or their like",
                );
            }
            _ if self.lent_atomics.contains(&expr.id) => return false,
            Term::Atomic(_) => {
                let (name, source) = (self.describe(&shallow), text(expr));
                self.error(
                    code::ATOMIC_USE,
                    expr.span,
                    format!("`{source}` is an {name} and cannot be used as a value"),
                )
                .help(format!("read it with `{source}.load(Relaxed)`"));
            }
            other => {
                let holds = self.table.resolve(other).is_some_and(|ty| holds_atomics(self.program, &ty));
                if !holds {
                    return false;
                }
                let source = text(expr);
                let help = match other {
                    Term::Array(..) => format!("read one element: `{source}[i].load(Relaxed)`"),
                    _ => format!("read its fields one by one, the atomic ones with `{source}.field.load(Relaxed)`"),
                };
                self.error(code::ATOMIC_USE, expr.span, format!("`{source}` holds atomics and cannot be copied"))
                    .help(help);
            }
        }
        true
    }

    /// Reports an assignment to a shared variable as a whole, or to an atomic; whether it did.
    pub(super) fn refuse_store(&mut self, place: &Expr, operator: Option<&str>) -> bool {
        if let ExprKind::Path(path) = &strip(place).kind
            && let Some(Resolution::Binding(binding)) = self.tables.paths.get(&strip(place).id)
            && let Some(Term::Shared(_)) = self.local(*binding).map(|local| &local.term)
        {
            let name = path.text();
            self.error(
                code::SHARED_USE,
                place.span,
                format!("cannot assign to the shared variable `{name}` as a whole"),
            )
            .note("every invocation of the workgroup would write all of it")
            .help(format!("assign its elements: `{name}[i] = …`"));
            return true;
        }
        let term = self.term(place);
        let holds = self.table.resolve(&term).is_some_and(|ty| holds_atomics(self.program, &ty));
        if !holds {
            return false;
        }
        let (source, ty) = (text(place), self.describe(&self.table.shallow(&term)));
        let help = match (operator, &self.table.shallow(&term)) {
            (_, Term::Array(..)) => format!("write one element: `{source}[i].store(value, Relaxed)`"),
            (_, Term::Struct(_, _)) => {
                format!("write its fields one by one, the atomic ones with `{source}.field.store(value, Relaxed)`")
            }
            (Some(operator), _) => match fetch_of(operator) {
                Some(fetch) => format!("write `{source}.{fetch}(value, Relaxed)`"),
                None => format!("exchange it in a loop with `{source}.compare_exchange(…)`"),
            },
            (None, _) => format!("write `{source}.store(value, Relaxed)`"),
        };
        let what = match self.table.shallow(&term) {
            Term::Atomic(_) => format!("is an {ty}"),
            _ => "holds atomics".to_owned(),
        };
        self.error(code::ATOMIC_USE, place.span, format!("cannot assign to `{source}`, which {what}")).help(help);
        true
    }
}

/// Whether a value of a type has atomics in it.
pub(crate) fn holds_atomics(program: &Program, ty: &Ty) -> bool {
    match ty {
        Ty::Atomic(_) => true,
        Ty::Array(element, _) | Ty::Buffer { element, .. } | Ty::Shared(element) => holds_atomics(program, element),
        Ty::Tuple(members) => members.iter().any(|member| holds_atomics(program, member)),
        // The elements of a slice in it lie elsewhere.
        Ty::Struct(..) => {
            let is_value = |field: &&Ty| !matches!(field, Ty::Buffer { .. });
            program.fields_of(ty).iter().filter(is_value).any(|field| holds_atomics(program, field))
        }
        _ => false,
    }
}

/// The method that does what an operator would.
fn fetch_of(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "fetch_add",
        "-" => "fetch_sub",
        "&" => "fetch_and",
        "|" => "fetch_or",
        "^" => "fetch_xor",
        _ => return None,
    })
}
