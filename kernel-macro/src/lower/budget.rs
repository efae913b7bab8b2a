//! A limit of what is lowered more than once: bodies of functions and closures that are lowered where they are called, which may call
//! others, so that a few lines stand for more code than any device compiles.

use crate::ast::{Expr, SpanRange};

use super::function::FnCx;

/// Expressions that may be lowered in bodies which are lowered in place.
const REPEATED: usize = 200_000;

/// Expressions that may be lowered in all: what a source stands for that repeats code without a call, such as chains of iterators.
const ALL: usize = 4_000_000;

/// The count of a module's lowered expressions so far.
#[derive(Debug, Default)]
pub(super) struct Budget {
    all: usize,
    repeated: usize,
    pub(super) spent: Option<Repeated>,
}

/// The function that is lowered in place too often.
#[derive(Debug)]
pub(crate) struct Repeated {
    /// The functions that call each other, the kernel first.
    pub(crate) chain: Vec<String>,
    /// The expression that was lowered last: of the kernel, if no function is being called.
    pub(crate) at: SpanRange,
}

impl FnCx<'_, '_, '_> {
    /// Counts an expression. When there were too many, no more code is made: control ends here.
    pub(super) fn is_spent(&mut self, expr: &Expr) -> bool {
        let is_repeated = self.copies > 0;
        let budget = &mut self.shared.budget;
        budget.all += 1;
        budget.repeated += usize::from(is_repeated);
        if budget.repeated <= REPEATED && budget.all <= ALL {
            return false;
        }
        if budget.spent.is_none() {
            let around = self.callers.iter().flatten().map(|scope| scope.name());
            let chain = around.chain([self.ast.name.to_string()]).collect();
            budget.spent = Some(Repeated { chain, at: expr.span });
        }
        if !self.b.is_terminated() {
            self.b.unreachable();
        }
        true
    }
}
