//! Inference of `for` loops and ranges.

use std::rc::Rc;

use crate::ast::{Block, Expr, ExprKind, Label, Pattern, ScalarName};
use crate::diag::code;

use super::block::strip;
use super::finish::Deferred;
use super::iterable::Elements;
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

    /// `start..end` and its like.
    pub(super) fn infer_range(&mut self, start: &'a Expr, end: Option<&'a Expr>, inclusive: bool) -> Term {
        let first = self.infer(start, &Expect::Nothing);
        self.deferred.push(Deferred::Counted { expr: start, term: first.clone() });
        let Some(end) = end else { return over(&self.counted(start, &first)) };
        let last = self.infer(end, &Expect::Nothing);
        let made = |item: &Term| Term::Range(Rc::new(item.clone()), inclusive);
        for (bound, term) in [(start, &first), (end, &last)] {
            if !self.is_end(bound, term) {
                return made(&Term::Error);
            }
        }
        match (self.table.shallow(&first), self.table.shallow(&last)) {
            (Term::Never, other) | (other, Term::Never) => return made(&other),
            _ => {}
        }
        if !self.table.unify(&first, &last) {
            match self.is_integer(&self.table.shallow(&first)) && !self.is_integer(&self.table.shallow(&last)) {
                true => self.report_uncounted(end, &last),
                false => self.report_mismatch(end, &first, &last, Because::RangeStart),
            }
            return made(&Term::Error);
        }
        made(&first)
    }

    /// Whether something can be an end of a range: numbers can. Reports what cannot.
    fn is_end(&mut self, bound: &Expr, term: &Term) -> bool {
        let is_number = match self.table.shallow(term) {
            Term::Error | Term::Never => true,
            Term::Scalar(scalar) => scalar.is_int() || scalar.is_float(),
            Term::Var(_) => !matches!(self.table.kind(term), Some(VarKind::Any)),
            _ => false,
        };
        if !is_number {
            self.report_uncounted(bound, term);
        }
        is_number
    }

    /// The elements of a range that is gone through: only integers can be counted.
    pub(super) fn counted(&mut self, expr: &Expr, item: &Term) -> Term {
        let term = self.table.shallow(item);
        if matches!(term, Term::Error | Term::Never) || self.is_integer(&term) {
            return term;
        }
        let at = match &strip(expr).kind {
            ExprKind::Range { start, .. } => start,
            _ => expr,
        };
        self.report_uncounted(at, &term);
        Term::Error
    }

    fn report_uncounted(&mut self, at: &Expr, term: &Term) {
        let found = self.describe(term);
        let error = self.diags.error(code::MISMATCHED_TYPES, at.span, format!("expected an integer, found {found}"));
        error.note("ranges count with integers");
        if *term == Term::Scalar(ScalarName::Char) {
            error.help("count bytes, `for b in b'a'..=b'z'`, and write `char::from(b)` inside");
        }
        if self.table.kind(term) == Some(VarKind::Float) || *term == Term::F32 {
            error.help("count with integers and convert inside: `i as f32`");
        }
    }
}
