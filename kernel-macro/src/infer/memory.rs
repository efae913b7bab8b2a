//! Inference of `core::mem::swap`, `replace` and `take`, which exchange what references lead to.

use crate::ast::{Expr, ExprKind, PathCall};
use crate::builtin::names::memory_function;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, MemoryFunction};

use super::block::strip;
use super::finish::Deferred;
use super::mismatch::Because;
use super::reference::is_place;
use super::unify::Term;
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// `mem::swap(&mut a, &mut b)` and its like; `None` for other calls.
    pub(super) fn infer_memory_call(&mut self, PathCall { expr, path, span, args }: PathCall<'a>) -> Option<Term> {
        let function = memory_function(path)?;
        let name = path.segments.last().map(ToString::to_string).unwrap_or_default();
        let wanted = if function == MemoryFunction::Take { 1 } else { 2 };
        if args.len() != wanted {
            self.report_arity(&name, wanted, args, span);
            self.infer_unknown_arguments(args);
            return Some(Term::Error);
        }
        let place = self.infer_exchanged(&args[0], &Expect::Nothing);
        self.tables.calls.insert(expr.id, Callee::Memory(function));
        Some(match function {
            MemoryFunction::Swap => {
                let other = self.infer_exchanged(&args[1], &Expect::Type(place.clone(), Because::Nothing));
                if !self.table.unify(&other, &place) {
                    let (expected, found) = (self.describe(&place), self.describe(&other));
                    let (expected, found) = (expected.trim_matches('`'), found.trim_matches('`'));
                    let message = format!("expected `&mut {expected}`, found `&mut {found}`");
                    self.error(code::MISMATCHED_TYPES, args[1].span, message)
                        .note("both values must have the same type");
                }
                Term::Unit
            }
            MemoryFunction::Replace => {
                self.check(&args[1], &place, Because::Nothing);
                place
            }
            MemoryFunction::Take => {
                self.deferred.push(Deferred::Default { expr, term: place.clone() });
                place
            }
        })
    }

    /// An argument that must be a reference to write through.
    fn infer_exchanged(&mut self, arg: &'a Expr, expect: &Expect) -> Term {
        if let ExprKind::Borrow { mutable: true, operand } = &strip(arg).kind
            && !is_place(operand)
        {
            // Of a value, what is stored there is dropped.
            let term = self.infer(operand, expect);
            self.record(strip(arg).id, term.clone());
            self.record(arg.id, term.clone());
            return term;
        }
        let term = self.infer_reference(arg, expect);
        let found = match self.reference_of(arg) {
            Some(true) => return term,
            Some(false) => "a `&` reference",
            None => "a value",
        };
        if !matches!(self.table.shallow(&term), Term::Error | Term::Never) {
            let source = text(super::slice::sliced(arg));
            let message = format!("expected a `&mut` reference, found {found}");
            self.error(code::MISMATCHED_TYPES, arg.span, message).help(format!("write `&mut {source}`"));
        }
        Term::Error
    }
}
