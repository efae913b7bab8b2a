//! Inference of methods of slices that make arrays of their elements: `as_chunks`, `first_chunk`, `split_first_chunk` and their like.

use std::rc::Rc;

use crate::ast::{Expr, ExprKind, GenericArg, ScalarName};
use crate::builtin::slice::SliceMethod;
use crate::diag::code;
use crate::typed::Callee;

use super::iterable::{Called, Elements};
use super::option::option;
use super::unify::Term;
use super::{Infer, range};

impl<'a> Infer<'a> {
    /// `x.as_chunks::<N>()` and its like.
    pub(super) fn infer_chunks(&mut self, called: Called<'a, '_>, method: SliceMethod) -> Term {
        let Called { expr, receiver, elements: Elements { element, .. }, name, args, .. } = called;
        self.tables.calls.insert(expr.id, Callee::Slice(method));
        if !args.is_empty() {
            self.report_arity(&name.to_string(), 0, args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        let Some(len) = self.chunk_len(expr) else { return Term::Error };
        let array = Term::ArrayOf(element.clone(), Rc::new(len));
        let found = match method {
            SliceMethod::EndChunk { .. } => {
                if self.refuse_shared_elements(receiver, true) || self.refuse_atomics(receiver, element) {
                    return Term::Error;
                }
                self.has_references = true;
                option(&array)
            }
            SliceMethod::SplitChunk { last } => {
                let Some(rest) = self.part_of(called, false) else { return Term::Error };
                option(&Term::tuple(if last { vec![rest, array] } else { vec![array, rest] }))
            }
            SliceMethod::AsChunks { from_end } => {
                if let Term::Array(..) | Term::ArrayOf(..) = self.table.shallow(element) {
                    self.error(code::REFERENCE_USE, range(name.span()), "arrays of arrays are not made of slices here")
                        .help("take the inner arrays in order: `for c in x.chunks_exact(n)`");
                    return Term::Error;
                }
                let Some(words) = self.part_of(called, false) else { return Term::Error };
                let Term::Buffer { origin, .. } = words else { return Term::Error };
                let words = Term::Buffer { element: Rc::new(array), mutable: false, origin };
                self.note_origin(receiver.id, receiver);
                let rest = Term::Buffer { element: element.clone(), mutable: false, origin: Some(receiver.id) };
                Term::tuple(if from_end { vec![rest, words] } else { vec![words, rest] })
            }
            _ => return Term::Error,
        };
        self.open.push((expr, found.clone()));
        found
    }

    /// The length of the arrays, if it is written; else what the rest of the function tells. `None` after an error.
    fn chunk_len(&mut self, expr: &'a Expr) -> Option<Term> {
        let ExprKind::Method { turbofish, name, .. } = &expr.kind else { return None };
        let Some(written) = turbofish else { return Some(self.fresh()) };
        let [GenericArg { value: Some(value), .. }] = &written.args[..] else {
            let message = format!("`{name}` takes the length of its arrays, `{name}::<4>()`");
            self.error(code::WRONG_ARGUMENTS, range(name.span()), message);
            return None;
        };
        let len = self.const_argument(ScalarName::Usize, value);
        if let Term::Const(0) = len {
            let message = format!("`{name}` makes arrays of one element or more");
            self.error(code::WRONG_ARGUMENTS, value.span, message);
            return None;
        }
        Some(len)
    }
}
