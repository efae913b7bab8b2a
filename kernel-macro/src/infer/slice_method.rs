//! Inference of the methods of arrays and slices. Elements that Rust lends are values here.

use std::rc::Rc;

use crate::ast::{Expr, ExprKind, MethodCall, ScalarName};
use crate::builtin::slice::SliceMethod;
use crate::builtin::standard::Standard;
use crate::diag::code;
use crate::source::text;
use crate::typed::Callee;

use super::block::strip;
use super::finish::Deferred;
use super::iterable::{Called, Elements};
use super::iterator::over;
use super::mismatch::Because;
use super::option::{Wanted, call, lending, option};
use super::unify::Term;
use super::{Expect, Infer, range};

impl<'a> Infer<'a> {
    /// A method of an array or slice.
    pub(super) fn infer_slice_method(&mut self, called: Called<'a, '_>, method: SliceMethod) -> Term {
        let Called { expr, receiver, term, elements: Elements { element, slice }, name, args } = called;
        let text = name.to_string();
        let method = match (method, args) {
            (SliceMethod::Get, [arg]) if is_range(arg) || self.names_range(arg) => {
                SliceMethod::GetPart { mutable: false }
            }
            _ => method,
        };
        self.tables.calls.insert(expr.id, Callee::Slice(method));
        self.has_references |= !method.writes();
        let result = match method {
            SliceMethod::First | SliceMethod::Last | SliceMethod::Get => option(element),
            SliceMethod::Contains | SliceMethod::StartsWith | SliceMethod::EndsWith | SliceMethod::Equal => Term::BOOL,
            SliceMethod::SplitAt { .. }
            | SliceMethod::SplitAtChecked
            | SliceMethod::SplitEnd { .. }
            | SliceMethod::GetPart { .. } => return self.infer_part(called, method),
            SliceMethod::AsChunks { .. } | SliceMethod::EndChunk { .. } | SliceMethod::SplitChunk { .. } => {
                return self.infer_chunks(called, method);
            }
            SliceMethod::Map
            | SliceMethod::MapLanes
            | SliceMethod::PartitionPoint
            | SliceMethod::Search
            | SliceMethod::SearchBy
            | SliceMethod::SearchByKey => return self.infer_searching(called, method),
            _ => Term::Unit,
        };
        if self.refuse_shared_elements(receiver, true) || self.refuse_atomics(receiver, element) {
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        if method.writes() {
            self.require_written_elements(receiver, term, slice == Some(true));
        }
        if args.len() != method.arity() {
            self.report_arity(&text, method.arity(), args, range(name.span()));
            self.infer_unknown_arguments(args);
            return result;
        }
        match (method, args) {
            (SliceMethod::Get | SliceMethod::Swap | SliceMethod::Rotate { .. }, _) => {
                args.iter().for_each(|arg| self.check(arg, &Term::USIZE, Because::Step));
            }
            (SliceMethod::Fill, [arg]) => self.check(arg, element, Because::Nothing),
            (SliceMethod::Contains, [arg]) => self.infer_needle(receiver, arg, element),
            (SliceMethod::CopyFrom, [arg]) => self.check_slice_of(arg, element, false),
            (SliceMethod::StartsWith | SliceMethod::EndsWith, [arg]) => {
                self.check_slice_of(arg, element, false);
                let of = Standard::PartialEq;
                self.deferred.push(Deferred::Compared { operand: receiver, term: (**element).clone(), of });
            }
            _ => {}
        }
        result
    }

    /// A method that makes slices: `split_at` and its like, `get` of a range.
    fn infer_part(&mut self, called: Called<'a, '_>, method: SliceMethod) -> Term {
        let Called { elements: Elements { element, .. }, name, args, .. } = called;
        if args.len() != method.arity() {
            self.report_arity(&name.to_string(), method.arity(), args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        match args {
            [arg] if matches!(method, SliceMethod::GetPart { .. }) && self.names_range(arg) => {
                let found = self.infer(arg, &Expect::Nothing);
                if let Term::Range(item, _) = self.table.shallow(&found)
                    && !self.table.unify(&item, &Term::USIZE)
                {
                    self.report_index(arg, &item);
                }
            }
            [arg] if matches!(method, SliceMethod::GetPart { .. }) => {
                if let ExprKind::Range { start, end, .. } = &strip(arg).kind {
                    for end in std::iter::once(start).chain(end) {
                        self.check(end, &Term::USIZE, Because::Step);
                    }
                }
                self.record(strip(arg).id, over(&Term::USIZE));
                self.record(arg.id, over(&Term::USIZE));
            }
            _ => args.iter().for_each(|middle| self.check(middle, &Term::USIZE, Because::Step)),
        }
        let Some(part) = self.part_of(called, method.writes()) else { return Term::Error };
        match method {
            SliceMethod::GetPart { .. } => option(&part),
            SliceMethod::SplitEnd { .. } => option(&Term::tuple(vec![(**element).clone(), part])),
            SliceMethod::SplitAtChecked => option(&Term::tuple(vec![part.clone(), part])),
            _ => Term::tuple(vec![part.clone(), part]),
        }
    }

    /// A method that calls something for elements: `map` of an array, `partition_point`, `binary_search` and its like.
    fn infer_searching(&mut self, called: Called<'a, '_>, method: SliceMethod) -> Term {
        let Called { expr, receiver, term, elements: Elements { element, .. }, name, args } = called;
        let item = || vec![(**element).clone()];
        let found = || Term::Result(Rc::new(Term::USIZE), Rc::new(Term::USIZE));
        let (wanted, result) = match method {
            SliceMethod::Map => {
                let made = self.fresh();
                let result = match term {
                    Term::Array(_, len) => Term::Array(Rc::new(made.clone()), *len),
                    Term::ArrayOf(_, len) => Term::ArrayOf(Rc::new(made.clone()), len.clone()),
                    _ => Term::Error,
                };
                (vec![call(item(), &made)], result)
            }
            SliceMethod::PartitionPoint => (vec![lending(item(), &Term::BOOL)], Term::USIZE),
            SliceMethod::SearchBy => (vec![lending(item(), &Term::Ordering)], found()),
            SliceMethod::SearchByKey => {
                let key = self.fresh();
                self.order_later(expr, name, &key, true);
                (vec![Wanted::Needle(key.clone()), lending(item(), &key)], found())
            }
            _ => {
                self.order_later(expr, name, element, true);
                (vec![Wanted::Needle((**element).clone())], found())
            }
        };
        if self.refuse_shared_elements(receiver, method != SliceMethod::Map) || self.refuse_atomics(receiver, element) {
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        if args.len() != wanted.len() {
            self.report_arity(&name.to_string(), wanted.len(), args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        let before = self.diags.len();
        self.has_references |= method != SliceMethod::Map;
        self.open.push((expr, result.clone()));
        self.infer_wanted(expr, args, &wanted, &Expect::Nothing);
        if self.diags.len() > before {
            self.table.poison(&result);
        }
        result
    }

    /// `map` of a vector; `None` for other receivers and methods.
    pub(super) fn infer_lanes_method(&mut self, method: MethodCall<'a>, term: &Term) -> Option<Term> {
        let MethodCall { expr, name, args, .. } = method;
        let Term::Vector(scalar, _) = *term else { return None };
        if name != "map" || scalar == ScalarName::Bool {
            return None;
        }
        self.tables.calls.insert(expr.id, Callee::Slice(SliceMethod::MapLanes));
        if args.len() != 1 {
            self.report_arity("map", 1, args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Some(Term::Error);
        }
        let lane = Term::Scalar(scalar);
        self.infer_wanted(expr, args, &[call(vec![lane.clone()], &lane)], &Expect::Nothing);
        Some(term.clone())
    }

    /// The argument of `contains`, a reference to what is compared with each element.
    fn infer_needle(&mut self, receiver: &'a Expr, arg: &'a Expr, element: &Term) {
        self.infer_searched(arg, element);
        self.deferred.push(Deferred::Compared { operand: receiver, term: element.clone(), of: Standard::PartialEq });
    }

    /// A reference to what is looked for.
    pub(super) fn infer_searched(&mut self, arg: &'a Expr, element: &Term) {
        let before = self.diags.len();
        let found = self.infer_reference(arg, &Expect::Type(element.clone(), Because::Nothing));
        self.coerce(arg, &found, element, Because::Nothing);
        let is_value = matches!(strip(arg).kind, ExprKind::Literal(_)) && self.reference_of(arg).is_none();
        if is_value && self.diags.len() == before {
            let source = text(arg);
            self.error(code::MISMATCHED_TYPES, arg.span, "expected a reference, found a value")
                .help(format!("write `&{source}`"));
        }
    }

    /// Reports elements that cannot be written.
    pub(super) fn require_written_elements(&mut self, receiver: &'a Expr, term: &Term, writable: bool) {
        let is_part = self.is_part(super::slice::sliced(receiver));
        if let Term::Buffer { .. } = term {
            if !writable {
                let source = text(receiver);
                self.error(
                    code::NOT_ASSIGNABLE,
                    receiver.span,
                    format!("the elements of `{source}` cannot be written"),
                )
                .help("a reference that elements are written through must be `&mut`, here and in its declaration");
            }
        } else if !is_part {
            let before = self.diags.len();
            self.require_written(receiver, true);
            if self.diags.len() == before {
                self.refuse_mixed(receiver);
            }
        }
    }
}

/// Whether an argument is a range as written.
pub(super) fn is_range(arg: &Expr) -> bool {
    matches!(strip(arg).kind, ExprKind::Range { .. })
}
