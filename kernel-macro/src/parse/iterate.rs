//! `for` loops and ranges.

use syn::RangeLimits;

use super::Parser;
use super::expr::to_label;
use super::pat::PatternPlace;
use crate::ast::{ExprKind, Unroll};

impl Parser<'_> {
    pub(super) fn for_loop(&mut self, looping: &syn::ExprForLoop) -> ExprKind {
        let label = looping.label.as_ref().map(|label| to_label(&label.name));
        let iterated = self.boxed(&looping.expr);
        let pattern = self.pattern(&looping.pat, PatternPlace::Always);
        let body = self.block(&looping.body);
        ExprKind::For { label, pattern: Box::new(pattern), iterated, body, unroll: Unroll::Auto }
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
