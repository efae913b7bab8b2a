//! Inference of literals, and whether their values fit their types.

use crate::ast::{Expr, Literal, ScalarName, SpanRange};
use crate::diag::code;

use super::finish::Deferred;
use super::unify::{Term, VarKind};
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    pub(super) fn infer_literal(&mut self, expr: &'a Expr, literal: &'a Literal, expect: &Expect) -> Term {
        match literal {
            Literal::Bool(_) => Term::BOOL,
            Literal::Char(_) => Term::Scalar(ScalarName::Char),
            Literal::Text(..) => Term::Scalar(ScalarName::Text),
            Literal::Int { suffix: Some(scalar), value } => {
                self.defer_range(expr, *value, Term::Scalar(*scalar));
                Term::Scalar(*scalar)
            }
            Literal::Float { suffix: Some(scalar), text } => {
                self.defer_magnitude(expr, text, Term::Scalar(*scalar));
                Term::Scalar(*scalar)
            }
            Literal::Int { suffix: None, value } => {
                let term = self
                    .expected_scalar(expect, ScalarName::is_int)
                    .unwrap_or_else(|| self.table.fresh(VarKind::Int { index: false }));
                self.defer_range(expr, *value, term.clone());
                term
            }
            Literal::Float { suffix: None, text } => {
                let term = self
                    .expected_scalar(expect, ScalarName::is_float)
                    .unwrap_or_else(|| self.table.fresh(VarKind::Float));
                self.defer_magnitude(expr, text, term.clone());
                term
            }
        }
    }

    fn expected_scalar(&self, expect: &Expect, fits: impl Fn(ScalarName) -> bool) -> Option<Term> {
        // The one integer that `as char` takes.
        if let Expect::Cast(term) = expect
            && self.table.shallow(term) == Term::Scalar(ScalarName::Char)
        {
            return fits(ScalarName::U8).then_some(Term::Scalar(ScalarName::U8));
        }
        let (Expect::Type(term, _) | Expect::Cast(term)) = expect else { return None };
        match self.table.shallow(term) {
            Term::Scalar(scalar) if fits(scalar) => Some(Term::Scalar(scalar)),
            _ => None,
        }
    }

    fn defer_range(&mut self, expr: &Expr, value: u128, term: Term) {
        // Small values fit every type: by far the most literals cost nothing.
        if value > 0x7f {
            let negative = self.negated == Some(expr.id);
            self.deferred.push(Deferred::Range { span: expr.span, value, term, negative });
        }
    }

    fn defer_magnitude(&mut self, expr: &Expr, text: &'a str, term: Term) {
        // Only an exponent or many digits can leave the range of `f32`.
        if text.len() > 38 || text.contains(['e', 'E']) {
            self.deferred.push(Deferred::Magnitude { span: expr.span, text, term });
        }
    }

    /// Reports a float literal that would be infinite.
    pub(super) fn check_magnitude(&mut self, span: SpanRange, text: &str, scalar: ScalarName) {
        let (is_finite, largest) = match scalar {
            ScalarName::F32 => (text.parse().is_ok_and(f32::is_finite), f32::MAX.into()),
            _ => (text.parse().is_ok_and(f64::is_finite), f64::MAX),
        };
        if is_finite {
            return;
        }
        let name = scalar.name();
        let error = self.error(code::BAD_LITERAL, span, format!("literal out of range for `{name}`"));
        error.note(format!("the largest `{name}` is {largest:e}; the literal would be infinite"));
        error.help(format!("write `{name}::INFINITY` if that is meant"));
    }

    /// Reports a literal that its type cannot hold.
    pub(super) fn check_range(&mut self, span: SpanRange, value: u128, scalar: ScalarName, negative: bool) {
        if !scalar.is_int() || scalar == ScalarName::U128 {
            return;
        }
        let (min, max) = scalar.limits();
        let limit = if negative && scalar.is_signed() { min.unsigned_abs() } else { max.unsigned_abs() };
        if value <= limit {
            return;
        }
        let message = format!("literal out of range for `{}`", scalar.name());
        let error = self.error(code::BAD_LITERAL, span, message);
        error.note(format!("`{}` holds `{min}` to `{max}`", scalar.name()));
        match scalar {
            ScalarName::Usize | ScalarName::Isize => {
                error.note(format!("`{}` has 32 bits in kernels", scalar.name()));
            }
            _ => {
                let wider = [scalar.unsigned(), ScalarName::U32, ScalarName::I64, ScalarName::U64].into_iter();
                let holds = |other: &ScalarName| {
                    let (min, max) = other.limits();
                    if negative { value <= min.unsigned_abs() } else { value <= max.unsigned_abs() }
                };
                if let Some(other) = wider.filter(holds).find(|other| *other != scalar) {
                    let sign = if negative { "-" } else { "" };
                    error.help(format!("write `{sign}{value}{}`", other.name()));
                }
            }
        }
    }
}
