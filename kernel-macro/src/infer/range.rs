//! Methods of ranges: membership, their ends, and their elements one by one. Iteration over ranges is in `iterator`.

use std::rc::Rc;

use crate::ast::{Expr, ExprKind, MethodCall, UnaryOp};
use crate::builtin::iteration::Iteration;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, RangeMethod};

use super::block::strip;
use super::iterator::over;
use super::option::option;
use super::unify::Term;
use super::{Expect, Infer, range};

impl<'a> Infer<'a> {
    /// A method of a range over numbers of a type.
    pub(super) fn infer_range_method(
        &mut self,
        call: MethodCall<'a>,
        (item, inclusive): (&Rc<Term>, bool),
        expect: &Expect,
    ) -> Term {
        let MethodCall { expr, receiver, name, args } = call;
        let text = name.to_string();
        if text == "by_ref" && args.is_empty() {
            self.tables.calls.insert(expr.id, Callee::Iterate(Iteration::ByRef));
            self.require_range_place(receiver, &text);
            return over(&self.counted(receiver, item));
        }
        let Some(method) = RangeMethod::from_name(&text, inclusive) else {
            let item = self.counted(receiver, item);
            if Iteration::from_name(&text).is_some_and(Iteration::borrows) && is_place(receiver) {
                self.require_own_range(receiver, &text);
            }
            return self.infer_iterator_method(call, &item, expect);
        };
        self.tables.calls.insert(expr.id, Callee::Range(method));
        if let (RangeMethod::Contains, [value]) = (method, args) {
            self.infer_searched(value, item);
        } else if !args.is_empty() || method == RangeMethod::Contains {
            self.report_arity(&text, usize::from(method == RangeMethod::Contains), args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        if method.writes() {
            self.require_range_place(receiver, &text);
        }
        match method {
            RangeMethod::Contains | RangeMethod::IsEmpty => Term::BOOL,
            RangeMethod::Len => {
                self.counted(receiver, item);
                Term::USIZE
            }
            RangeMethod::Start | RangeMethod::End => {
                self.has_references = true;
                (**item).clone()
            }
            RangeMethod::Clone => Term::Range(item.clone(), inclusive),
            RangeMethod::Next | RangeMethod::NextBack => option(&self.counted(receiver, item)),
        }
    }

    /// Requires a variable that a method changes: of a range that nobody sees behind the call there is an easier way.
    pub(super) fn require_range_place(&mut self, receiver: &'a Expr, name: &str) {
        if is_place(receiver) {
            return self.require_own_range(receiver, name);
        }
        let source = text(strip(receiver));
        self.error(code::NOT_ASSIGNABLE, receiver.span, format!("`{name}` changes a temporary range"))
            .help(format!("store it: `let mut range = {source};`"));
    }

    /// Requires a range that is a variable or a member of one.
    fn require_own_range(&mut self, receiver: &'a Expr, name: &str) {
        let mut place = receiver;
        loop {
            place = match &place.kind {
                ExprKind::Paren(inner, ..)
                | ExprKind::Field { base: inner, .. }
                | ExprKind::Unary(UnaryOp::Deref, inner) => inner,
                ExprKind::Index { .. } => {
                    self.error(code::NOT_ASSIGNABLE, receiver.span, format!("`{name}` changes a range in an array"))
                        .help("copy it to a `let mut` variable, call the method, and store it back");
                    return;
                }
                _ => break,
            };
        }
        self.require_written(receiver, true);
    }
}

/// Whether an expression names what lies somewhere.
pub(crate) fn is_place(expr: &Expr) -> bool {
    matches!(
        strip(expr).kind,
        ExprKind::Path(_) | ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Unary(UnaryOp::Deref, _)
    )
}
