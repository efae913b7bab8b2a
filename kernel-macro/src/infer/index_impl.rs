//! `x[i]` of a type with an `impl Index`: a call whose result is a place. The use of the place decides between the
//! functions of `Index` and `IndexMut`.

use crate::ast::{Block, Expr, ExprKind, Fn, Item, SpanRange};
use crate::diag::code;
use crate::source::text;
use crate::typed::Callee;

use super::Infer;
use super::block::strip;
use super::generic::Request;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// `base[index]`; `None` when the type has no `impl Index`.
    pub(super) fn infer_user_element(
        &mut self,
        expr: &'a Expr,
        base: &'a Expr,
        index: &'a Expr,
        term: &Term,
    ) -> Option<Term> {
        self.user_function(expr, ("Index", "index"), (base, term), index)
    }

    /// A place that is written as a whole, or that a reference leads to.
    pub(super) fn require_place(&mut self, place: &'a Expr) {
        let outer = std::mem::replace(&mut self.writes_place, true);
        self.require_assignable(place);
        self.writes_place = outer;
    }

    /// Takes `index_mut` for an element that is written.
    pub(super) fn require_written_element(&mut self, place: &'a Expr, base: &'a Expr, index: &'a Expr) {
        let term = self.table.shallow(&self.term(base));
        let (name, source) = (self.describe(&term), text(place));
        if !self.writes_place {
            self.error(
                code::NOT_ASSIGNABLE,
                place.span,
                format!("`{source}` needs `index_mut`, which kernels do not call here"),
            )
            .note("kernels call `index_mut` only to assign to the element, or to take a `&mut` reference to it")
            .help(format!("write `let element = &mut {source};`, and use `element`"));
            return;
        }
        if !self.leads_to_own(base) {
            let of = text(base);
            self.error(
                code::NOT_ASSIGNABLE,
                place.span,
                format!("`index_mut` of {name} would write memory that other invocations reach"),
            )
            .note("a call with `&mut self` may change only the invocation's own variables")
            .help(format!(
                "copy it first: `let mut own = {of};`, then `own[…] = …;`, and store it back: `{of} = own;`"
            ));
            return;
        }
        self.requests.retain(|request| request.expr != place.id);
        let Some((member, params, is_generic)) = self.member_of_element(&term, index) else {
            self.error(
                code::NOT_ASSIGNABLE,
                place.span,
                format!("cannot assign to `{source}`: {name} has no `IndexMut`"),
            )
            .help("write `impl IndexMut` for it in the `#[device] mod` of the type");
            return;
        };
        self.tables.calls.insert(place.id, Callee::Device(member));
        if is_generic {
            self.requests.push(Request { expr: place.id, span: place.span, item: member, params, chains: Vec::new() });
        }
    }

    /// Notes the references that a function of an `impl Index` ends with; reports what is none, and for `index_mut` more than one.
    pub(super) fn note_given(&mut self, function: &'a Fn) {
        let mut given = Vec::new();
        ends_of(&function.body, &mut given);
        for end in &given {
            if let ExprKind::Borrow { .. } = end.kind {
                self.given.insert(end.id);
            } else if !may_leave(end) {
                let help =
                    format!("write `&{}` of a part of `self`", if function.writes_self() { "mut …" } else { "…" });
                self.error(
                    code::REFERENCE_USE,
                    end.span,
                    format!("`{}` has to end with a reference to a part of `self`", function.name),
                )
                .help(help);
            }
        }
        let is_one = matches!(&function.body.tail, Some(tail) if matches!(strip(tail).kind, ExprKind::Borrow { .. }));
        if function.writes_self() && (!is_one || function.returns_early) {
            let span = function.body.tail.as_ref().map_or(SpanRange::token(function.name.span()), |tail| tail.span);
            self.error(code::REFERENCE_USE, span, "`index_mut` must end with exactly one `&mut` reference to a part of `self`")
                .note("the place must be known when the kernel is compiled")
                .help("keep the parts in an array: `&mut self.parts[i]`; or write a method, `fn set(&mut self, i: usize, value: T)`");
        }
    }

    /// Notes the reference that a `return` gives.
    pub(super) fn note_given_early(&mut self, value: &'a Expr) {
        let program = self.program;
        if let (Item::Fn(function), ExprKind::Borrow { .. }) = (&program.items[self.item].item, &value.kind)
            && function.gives_place
            && self.closure_stack.is_empty()
        {
            self.given.insert(value.id);
        }
    }
}

/// The expressions with which control comes to the end of a block.
fn ends_of<'a>(block: &'a Block, ends: &mut Vec<&'a Expr>) {
    if let Some(tail) = &block.tail {
        end_of(tail, ends);
    }
}

/// The expressions with which an expression ends.
pub(super) fn end_of<'a>(expr: &'a Expr, ends: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Paren(inner, ..) => end_of(inner, ends),
        ExprKind::Block { label: None, block } => ends_of(block, ends),
        ExprKind::If { then_block, else_expr, .. } => {
            ends_of(then_block, ends);
            if let Some(else_expr) = else_expr {
                end_of(else_expr, ends);
            }
        }
        ExprKind::Match { arms, .. } => arms.iter().for_each(|arm| end_of(&arm.body, ends)),
        _ => ends.push(expr),
    }
}

/// Whether control may not come out of an end: `panic!(…)` and its like.
fn may_leave(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Macro(_) | ExprKind::Return(_) | ExprKind::Loop { .. } | ExprKind::Error)
}
