//! Inference of the methods of arrays and slices. Elements that Rust lends are values here.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind};
use crate::diag::code;
use crate::slice_method::SliceMethod;
use crate::source::text;
use crate::standard::Standard;
use crate::typed::Callee;

use super::block::strip;
use super::choice::option;
use super::finish::Deferred;
use super::mismatch::Because;
use super::unify::Term;
use super::{Expect, Infer, range};

impl<'a> Infer<'a> {
    /// A method of an array or slice; `None` for other receivers and methods.
    pub(super) fn infer_slice_method(
        &mut self,
        expr: &'a Expr,
        (receiver, term): (&'a Expr, &Term),
        name: &'a Ident,
        args: &'a [Expr],
    ) -> Option<Term> {
        let (element, writable) = match term {
            Term::Array(element, _) | Term::ArrayOf(element, _) => ((**element).clone(), true),
            Term::Buffer { element, mutable, .. } => ((**element).clone(), *mutable),
            _ => return None,
        };
        let text = name.to_string();
        let method = SliceMethod::from_name(&text)?;
        self.tables.calls.insert(expr.id, Callee::Slice(method));
        self.has_references |= !method.writes();
        let result = match method {
            SliceMethod::First | SliceMethod::Last | SliceMethod::Get => option(&element),
            SliceMethod::Contains => Term::BOOL,
            SliceMethod::SplitAt { .. } => {
                let [middle] = args else {
                    self.report_arity(&text, 1, args, range(name.span()));
                    self.infer_unknown_arguments(args);
                    return Some(Term::Error);
                };
                self.check(middle, &Term::USIZE, Because::Step);
                let part = self.part_of(expr, (receiver, term), &Rc::new(element), method.writes());
                return Some(part.map_or(Term::Error, |part| Term::tuple(vec![part.clone(), part])));
            }
            _ => Term::Unit,
        };
        if self.refuse_shared_elements(receiver, true) || self.refuse_atomics(receiver, &element) {
            self.infer_unknown_arguments(args);
            return Some(Term::Error);
        }
        if method.writes() {
            self.require_written_elements(receiver, term, writable);
        }
        if args.len() != method.arity() {
            self.report_arity(&text, method.arity(), args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Some(result);
        }
        match (method, args) {
            (SliceMethod::Get, [arg]) if matches!(strip(arg).kind, ExprKind::Range { .. }) => {
                let source = crate::source::text(receiver);
                self.diags
                    .error(code::UNSUPPORTED_SYNTAX, arg.span, "`get` of a range is not supported in kernels")
                    .note("it would give a slice that may not be there")
                    .help(format!("compare with `{source}.len()`, and write `&{source}[a..b]`"));
                self.element_of(arg);
            }
            (SliceMethod::Get | SliceMethod::Swap, _) => {
                args.iter().for_each(|arg| self.check(arg, &Term::USIZE, Because::Step));
            }
            (SliceMethod::Fill, [arg]) => self.check(arg, &element, Because::Nothing),
            (SliceMethod::Contains, [arg]) => self.infer_needle(receiver, arg, &element),
            (SliceMethod::CopyFrom, [arg]) => self.check_slice_of(arg, &element, false),
            _ => {}
        }
        Some(result)
    }

    /// The argument of `contains`, a reference to what is compared with each element.
    fn infer_needle(&mut self, receiver: &'a Expr, arg: &'a Expr, element: &Term) {
        let before = self.diags.len();
        let found = self.infer_reference(arg, &Expect::Type(element.clone(), Because::Nothing));
        self.coerce(arg, &found, element, Because::Nothing);
        let is_value = matches!(strip(arg).kind, ExprKind::Literal(_)) && self.reference_of(arg).is_none();
        if is_value && self.diags.len() == before {
            let source = text(arg);
            self.diags
                .error(code::MISMATCHED_TYPES, arg.span, "expected a reference, found a value")
                .help(format!("write `&{source}`"));
        }
        self.deferred.push(Deferred::Compared { operand: receiver, term: element.clone(), of: Standard::PartialEq });
    }

    /// Reports elements that cannot be written.
    pub(super) fn require_written_elements(&mut self, receiver: &'a Expr, term: &Term, writable: bool) {
        let is_part = matches!(super::slice::sliced(receiver).kind, ExprKind::Slice { .. });
        if let Term::Buffer { .. } = term {
            if !writable {
                let source = text(receiver);
                self.diags
                    .error(code::NOT_ASSIGNABLE, receiver.span, format!("the elements of `{source}` cannot be written"))
                    .help("what is written must be `&mut`, here and where it is declared");
            }
        } else if !is_part {
            let before = self.diags.len();
            self.require_written(receiver, true);
            if self.diags.len() == before {
                self.refuse_remote(receiver);
            }
        }
    }
}
