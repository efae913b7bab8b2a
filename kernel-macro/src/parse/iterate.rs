//! `for` loops and ranges.

use syn::RangeLimits;

use super::Parser;
use super::expr::to_label;
use super::pat::PatternPlace;
use super::places_loop::written_places;
use crate::ast::{Expr, ExprKind, Literal, ScalarName, SpanRange, Unroll};

impl Parser<'_> {
    pub(super) fn for_loop(&mut self, looping: &syn::ExprForLoop) -> ExprKind {
        if let Some(rounds) = written_places(looping) {
            return self.expr_kind(&rounds);
        }
        let written = self.written_loop(looping);
        let looping = written.as_ref().unwrap_or(looping);
        let label = looping.label.as_ref().map(|label| to_label(&label.name));
        let iterated = self.boxed(&looping.expr);
        let (pattern, body) = self.scope(|cx| {
            let mut pattern = cx.pattern(&looping.pat, PatternPlace::Always);
            let mut parts = Vec::new();
            cx.name_written(&mut pattern, &iterated, &mut parts);
            let writers = cx.writers.len();
            cx.note_written_elements(&looping.pat, &looping.expr);
            let mut body = cx.unit_block(&looping.body);
            cx.writers.truncate(writers);
            body.statements.splice(0..0, parts);
            (pattern, body)
        });
        ExprKind::For { label, pattern: Box::new(pattern), iterated, body, unroll: Unroll::Auto }
    }

    /// `..end` where it counts positions: `0..end`.
    pub(super) fn range_from_zero(&mut self, range: &syn::ExprRange) -> Expr {
        let (id, span) = (self.next_expr(), SpanRange::of(range));
        let zero = ExprKind::Literal(Literal::Int { value: 0, suffix: Some(ScalarName::Usize) });
        let start = Box::new(self.node(zero, SpanRange::token(span.start)));
        let end = range.end.as_ref().map(|end| self.boxed(end));
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        Expr { id, kind: ExprKind::Range { start, end, inclusive }, span }
    }

    pub(super) fn range(&mut self, range: &syn::ExprRange) -> ExprKind {
        let Some(start) = &range.start else {
            self.unsupported(range, "a range without a start is", "write both ends: `0..n`");
            return ExprKind::Error;
        };
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let start = self.boxed(start);
        ExprKind::Range { start, end: range.end.as_ref().map(|end| self.boxed(end)), inclusive }
    }
}
