//! Values with an `impl Iterator` of their author's: gone through by `for`, by adapters and by what consumes a chain. Each element is a call of
//! `next`.

use crate::ast::{Expr, ExprKind, Item, MethodCall, UnaryOp};
use crate::builtin::iteration::Iteration;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, GivenIterator, Resolution};

use super::block::strip;
use super::generic::Request;
use super::iterator::over;
use super::unify::Term;
use super::{Expect, Infer, is_place, range};

/// `next` runs the author's code, and nothing tells how often it will give an element.
pub(super) const OWN: GivenIterator = GivenIterator {
    has_closure: true,
    is_by_position: false,
    knows_length: false,
    draws: false,
    owns_array: false,
    is_nested: false,
    moves_on_by_loops: false,
};

impl<'a> Infer<'a> {
    /// The type of the elements of a value with an `impl Iterator`, which is noted; `None` for others.
    pub(super) fn own_elements(&mut self, expr: &'a Expr, term: &Term) -> Option<Term> {
        if !matches!(term, Term::Struct(..) | Term::Enum(..)) {
            return None;
        }
        let candidate = self.candidates(term, "next", Some("Iterator")).pop()?;
        let function = self.method_of(&candidate)?;
        let program = self.program;
        let owner = program.items[candidate.member].owner?;
        let others = program.items.iter().filter(|(_, item)| item.owner == Some(owner));
        let overridden = others.into_iter().find_map(|(_, item)| match &item.item {
            Item::Fn(member) if member.name != "next" && member.name != "size_hint" => Some(member.name.to_string()),
            _ => None,
        });
        let source = text(strip(expr));
        let refusal = overridden
            .map(|name| format!("its `impl Iterator` has a `{name}` of its own, which Rust's library may call"));
        if let Some(why) = refusal {
            self.error(code::UNSUPPORTED_SYNTAX, expr.span, format!("`{source}` cannot be gone through in kernels"))
                .note(why)
                .help(format!("call its method: `let mut it = {source}; while let Some(v) = it.next() {{ … }}`"));
            return Some(Term::Error);
        }
        let is_lent = matches!(strip(expr).kind, ExprKind::Borrow { .. }) || self.reference_of(expr).is_some();
        if is_lent && self.refuse_distant(expr) {
            return Some(Term::Error);
        }
        self.table.unify(&candidate.self_term, term);
        let result = self.member_term(&candidate, function, function.result.as_ref()?);
        let Term::Option(element) = self.table.shallow(&result) else { return None };
        if !self.program.held_slices.is_empty() {
            self.cut_by_next(term, candidate.member);
        }
        let mut named = vec![expr.id, strip(expr).id];
        named.dedup();
        for id in named {
            self.tables.own_iterators.insert(id, candidate.member);
            if candidate.is_generic {
                let (item, params) = (candidate.member, candidate.params.clone());
                self.requests.retain(|request| request.expr != id || request.item != item);
                self.requests.push(Request { expr: id, span: expr.span, item, params, chains: Vec::new() });
            }
        }
        Some((*element).clone())
    }

    /// A method of Rust's `Iterator` on such a value; `None` for other receivers and methods.
    pub(super) fn infer_own_iterator_method(
        &mut self,
        call: MethodCall<'a>,
        term: &Term,
        expect: &Expect,
    ) -> Option<Term> {
        let MethodCall { expr, receiver, name, args } = call;
        let iteration = match name.to_string().as_str() {
            "by_ref" if args.is_empty() => Iteration::ByRef,
            name => Iteration::from_name(name)?,
        };
        let element = self.own_elements(receiver, term)?;
        if element == Term::Error {
            self.infer_unknown_arguments(args);
            return Some(Term::Error);
        }
        if (iteration == Iteration::ByRef || iteration.borrows()) && is_place(strip(receiver)) {
            self.require_written(receiver, true);
            if self.refuse_distant(receiver) {
                self.infer_unknown_arguments(args);
                return Some(Term::Error);
            }
        }
        Some(match iteration {
            Iteration::ByRef => {
                self.tables.calls.insert(expr.id, Callee::Iterate(Iteration::ByRef));
                over(&element)
            }
            Iteration::Flatten if !matches!(self.table.shallow(&element), Term::Option(_)) => {
                self.error(
                    code::UNSUPPORTED_SYNTAX,
                    range(name.span()),
                    "`flatten` of a value with an `impl Iterator` of its own is not supported in kernels",
                )
                .help("write nested `for` loops");
                Term::Error
            }
            _ => self.infer_iterator_method(call, &element, expect),
        })
    }

    /// Reports a value that should move on where it lies, of which the host has a copy: an element, a shared variable, and what a reference
    /// in a variable leads to; whether it did.
    fn refuse_distant(&mut self, place: &Expr) -> bool {
        let mut root = place;
        let has_index = loop {
            root = match &root.kind {
                ExprKind::Paren(inner, ..)
                | ExprKind::Unary(UnaryOp::Deref, inner)
                | ExprKind::Borrow { operand: inner, .. }
                | ExprKind::Field { base: inner, .. } => inner,
                ExprKind::Index { .. } => break true,
                _ => break false,
            };
        };
        let is_distant = match self.tables.paths.get(&root.id) {
            Some(Resolution::Binding(binding)) => {
                let is_reference = self.tables.references.contains_key(binding) && !self.is_parameter(root);
                let is_shared = self.local(*binding).is_some_and(|local| matches!(local.term, Term::Shared(_)));
                is_reference || is_shared
            }
            _ => false,
        };
        if !has_index && !is_distant {
            return false;
        }
        let source = text(operand(place));
        self.error(code::REFERENCE_USE, place.span, format!("the iterator `{source}` cannot move on where it lies"))
            .note("its adapters hold a reference to it, and elements and what lies in shared memory are copied here")
            .help(format!(
                "go through a variable of its own, `let mut own = {source};`, and store it back; or call `{source}.next()`"
            ));
        true
    }
}

/// The expression behind `&` and parentheses.
fn operand(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => operand(inner),
        _ => expr,
    }
}
