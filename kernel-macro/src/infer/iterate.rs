//! Inference of `for` loops: what they go through.

use crate::ast::{AdapterKind, Block, Expr, Iterated, Label, Pattern, Range, Source};
use crate::diag::code;
use crate::source::text;

use super::mismatch::Because;
use super::unify::{Term, VarKind};
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    pub(super) fn infer_for(
        &mut self,
        expr: &'a Expr,
        label: Option<&'a Label>,
        pattern: &'a Pattern,
        iterated: &'a Iterated,
        body: &'a Block,
    ) -> Term {
        let element = self.element_of(iterated);
        let scope = self.visible.len();
        self.bind_pattern(pattern, &element);
        self.infer_body(expr, label, body);
        self.visible.truncate(scope);
        Term::Unit
    }

    fn element_of(&mut self, iterated: &'a Iterated) -> Term {
        let mut element = match &iterated.source {
            Source::Range(range) => {
                let start = self.infer(&range.start, &Expect::Nothing);
                let end = self.infer(&range.end, &Expect::Nothing);
                self.element_of_range(range, &start, &end)
            }
            Source::Array(array) => self.element_of_array(array),
        };
        for adapter in &iterated.adapters {
            match &adapter.kind {
                AdapterKind::Plain | AdapterKind::Rev => {}
                AdapterKind::StepBy(step) => self.check(step, &Term::USIZE, Because::Step),
                AdapterKind::Enumerate => element = Term::tuple(vec![Term::USIZE, element]),
            }
        }
        element
    }

    fn element_of_array(&mut self, array: &'a Expr) -> Term {
        let term = self.infer_base(array);
        let term = self.table.shallow(&term);
        match &term {
            Term::Array(element, _) | Term::ArrayOf(element, _) => (**element).clone(),
            Term::Error | Term::Never => Term::Error,
            _ => {
                let found = self.describe(&term);
                let source = text(array);
                let error = self.diags.error(
                    code::MISMATCHED_TYPES,
                    array.span,
                    format!("expected a range or an array, found {found}"),
                );
                match &term {
                    Term::Buffer { .. } => error.help(format!("loop over the indices: `for i in 0..{source}.len()`")),
                    Term::Scalar(scalar) if scalar.is_int() => error.help(format!("write `0..{source}`")),
                    Term::Vector(..) => error.help(format!("write `{source}.to_array()`")),
                    _ => error.note("kernels go through ranges and arrays"),
                };
                Term::Error
            }
        }
    }

    fn element_of_range(&mut self, bounds: &'a Range, start: &Term, end: &Term) -> Term {
        for (bound, term) in [(&bounds.start, start), (&bounds.end, end)] {
            let term = self.table.shallow(term);
            if !matches!(term, Term::Error | Term::Never) && !self.is_integer(&term) {
                let found = self.describe(&term);
                let error =
                    self.diags.error(code::MISMATCHED_TYPES, bound.span, format!("expected an integer, found {found}"));
                error.note("`for` counts with `i32`, `u32` or `usize`");
                if self.table.kind(&term) == Some(VarKind::Float) || term == Term::F32 {
                    error.help("count with integers and convert inside: `i as f32`");
                }
                return Term::Error;
            }
        }
        let (start_term, end_term) = (self.table.shallow(start), self.table.shallow(end));
        match (&start_term, &end_term) {
            (Term::Never, other) | (other, Term::Never) => return other.clone(),
            _ => {}
        }
        if !self.table.unify(start, end) {
            let because = Because::RangeStart;
            self.report_mismatch(&bounds.end, start, end, because);
            return Term::Error;
        }
        start.clone()
    }
}
