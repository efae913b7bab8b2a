//! Inference of `for` loops and ranges.

use crate::ast::{Block, Expr, Label, Pattern};
use crate::diag::code;

use super::elements::Elements;
use super::iterator::over;
use super::mismatch::Because;
use super::unify::{Term, VarKind};
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    pub(super) fn infer_for(
        &mut self,
        expr: &'a Expr,
        label: Option<&'a Label>,
        pattern: &'a Pattern,
        iterated: &'a Expr,
        body: &'a Block,
    ) -> Term {
        let element = self.element_of(iterated);
        if self.writes_elements && self.is_written(iterated) {
            self.note_written(expr, pattern, iterated);
        } else {
            let term = self.table.shallow(&self.term(iterated));
            if matches!(term, Term::Iterator(_)) || Elements::of(&term).is_some() {
                self.note_values(pattern);
            }
        }
        let scope = self.visible.len();
        self.bind_pattern(pattern, &element);
        self.infer_body(expr, label, body);
        self.visible.truncate(scope);
        Term::Unit
    }

    /// `start..end` and its like, where an iterator may stand.
    pub(super) fn infer_range(&mut self, start: &'a Expr, end: Option<&'a Expr>) -> Term {
        let first = self.infer(start, &Expect::Nothing);
        let last = end.map(|end| (end, self.infer(end, &Expect::Nothing)));
        for (bound, term) in std::iter::once((start, &first)).chain(last.as_ref().map(|(end, term)| (*end, term))) {
            let term = self.table.shallow(term);
            if !matches!(term, Term::Error | Term::Never) && !self.is_integer(&term) {
                let found = self.describe(&term);
                let error =
                    self.diags.error(code::MISMATCHED_TYPES, bound.span, format!("expected an integer, found {found}"));
                error.note("ranges count with integers");
                if self.table.kind(&term) == Some(VarKind::Float) || term == Term::F32 {
                    error.help("count with integers and convert inside: `i as f32`");
                }
                return over(&Term::Error);
            }
        }
        let Some((end, last)) = last else { return over(&first) };
        match (self.table.shallow(&first), self.table.shallow(&last)) {
            (Term::Never, other) | (other, Term::Never) => return over(&other),
            _ => {}
        }
        if !self.table.unify(&first, &last) {
            self.report_mismatch(end, &first, &last, Because::RangeStart);
            return over(&Term::Error);
        }
        over(&first)
    }
}
