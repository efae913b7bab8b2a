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
            Literal::Int { suffix: Some(scalar), value } => {
                self.defer_range(expr, *value, Term::Scalar(*scalar));
                Term::Scalar(*scalar)
            }
            Literal::Float { suffix: Some(scalar), .. } => Term::Scalar(*scalar),
            Literal::Int { suffix: None, value } => {
                let term = self
                    .expected_scalar(expect, |scalar| {
                        matches!(scalar, ScalarName::I32 | ScalarName::U32 | ScalarName::Usize)
                    })
                    .unwrap_or_else(|| self.table.fresh(VarKind::Int { index: false }));
                self.defer_range(expr, *value, term.clone());
                term
            }
            Literal::Float { suffix: None, .. } => self
                .expected_scalar(expect, |scalar| scalar == ScalarName::F32)
                .unwrap_or_else(|| self.table.fresh(VarKind::Float)),
        }
    }

    fn expected_scalar(&self, expect: &Expect, fits: impl Fn(ScalarName) -> bool) -> Option<Term> {
        let (Expect::Type(term, _) | Expect::Cast(term)) = expect else { return None };
        match self.table.shallow(term) {
            Term::Scalar(scalar) if fits(scalar) => Some(Term::Scalar(scalar)),
            _ => None,
        }
    }

    fn defer_range(&mut self, expr: &Expr, value: u128, term: Term) {
        // Small values fit every type: by far the most literals cost nothing.
        if value > 0x7fff_ffff {
            let negative = self.negated == Some(expr.id);
            self.deferred.push(Deferred::Range { span: expr.span, value, term, negative });
        }
    }

    /// Reports a literal that its type cannot hold.
    pub(super) fn check_range(&mut self, span: SpanRange, value: u128, scalar: ScalarName, negative: bool) {
        let (limit, range) = match scalar {
            ScalarName::I32 if negative => (1 << 31, "`-2147483648` to `2147483647`"),
            ScalarName::I32 => ((1 << 31) - 1, "`-2147483648` to `2147483647`"),
            ScalarName::U32 | ScalarName::Usize => (u128::from(u32::MAX), "`0` to `4294967295`"),
            ScalarName::F32 | ScalarName::Bool => return,
        };
        if value <= limit {
            return;
        }
        let message = format!("literal out of range for `{}`", scalar.name());
        let error = self.diags.error(code::BAD_LITERAL, span, message);
        error.note(format!("`{}` holds {range}", scalar.name()));
        match scalar {
            ScalarName::I32 if value <= u128::from(u32::MAX) && !negative => {
                error.help(format!("write `{value}u32`"));
            }
            ScalarName::Usize => {
                error.note("`usize` has 32 bits in kernels");
            }
            _ => {}
        }
    }
}
