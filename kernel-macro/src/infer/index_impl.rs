//! `x[i]` of a type with an `impl Index`: a call whose result is a place. The use of the place decides between the
//! functions of `Index` and `IndexMut`.

use crate::ast::{Block, Expr, ExprKind, Fn, Item, SpanRange};
use crate::diag::code;
use crate::source::text;
use crate::typed::Callee;

use super::Infer;
use super::block::strip;
use super::generic::Request;
use super::reference::is_self;
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
        if let Item::Fn(function) = &self.program.items[member].item
            && gives_one_of(function)
            && self.assigned_place != Some(place.id)
        {
            let message =
                format!("`index_mut` of {name} ends with one of several places, which is only assigned to in kernels");
            self.error(code::NOT_ASSIGNABLE, place.span, message)
                .note("the place of a reference must be known when the kernel is compiled")
                .help(format!(
                    "write `let mut element = {source};`, change that, and store it back: `{source} = element;`"
                ));
            return;
        }
        self.tables.calls.insert(place.id, Callee::Device(member));
        if is_generic {
            self.requests.push(Request { expr: place.id, span: place.span, item: member, params, chains: Vec::new() });
        }
    }

    /// Requires that a method whose result is a `&mut` reference is called on a variable of the invocation's own.
    pub(super) fn require_own_receiver(&mut self, function: &Fn, receiver: &'a Expr) {
        let is_lent =
            matches!(self.root_of(receiver), (_, Some(binding)) if self.closure_references.contains(&binding));
        if is_lent || self.leads_to_own(receiver) || matches!(self.table.shallow(&self.term(receiver)), Term::Error) {
            return;
        }
        let name = &function.name;
        let of =
            if let ExprKind::Path(_) = strip(receiver).kind { format!("*{}", text(receiver)) } else { text(receiver) };
        self.error(
            code::NOT_ASSIGNABLE,
            receiver.span,
            format!("the reference that `{name}` gives would write memory that other invocations reach"),
        )
        .note("a method that gives a `&mut` reference may change only the invocation's own variables")
        .help(format!("copy it first: `let mut own = {of};`, then `own.{name}(…)`, and store it back: `{of} = own;`"));
    }

    /// Notes the references that a function whose result is a place ends with; reports what is none, and more than one to write.
    pub(super) fn note_given(&mut self, function: &'a Fn) {
        let mut given = Vec::new();
        ends_of(&function.body, &mut given);
        let writes = function.writes_self();
        for end in &given {
            if matches!(end.kind, ExprKind::Borrow { .. }) || writes && passes_on(end) {
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
        let is_one = matches!(&function.body.tail, Some(tail) if is_one_place(tail));
        let is_element = self.is_index_mut() && gives_one_of(function);
        if writes && (!is_one || function.returns_early) && !is_element {
            let span = function.body.tail.as_ref().map_or(SpanRange::token(function.name.span()), |tail| tail.span);
            let message = format!("`{}` must end with exactly one `&mut` reference to a part of `self`", function.name);
            self.error(code::REFERENCE_USE, span, message)
                .note("the place must be known when the kernel is compiled")
                .help("keep the parts in an array: `&mut self.parts[i]`; or write a method, `fn set(&mut self, i: usize, value: T)`");
        }
    }

    /// Whether the function that is inferred is the `index_mut` of an `impl IndexMut`.
    fn is_index_mut(&self) -> bool {
        let item = &self.program.items[self.item];
        let of = item.owner.map(|owner| &self.program.items[owner].item);
        let is_it = |path: &crate::ast::Path| path.segments.last().is_some_and(|name| name == "IndexMut");
        matches!(of, Some(Item::Impl(implementation)) if implementation.of.as_ref().is_some_and(is_it))
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

/// Whether a function ends with one of several places to write.
pub(crate) fn gives_one_of(function: &Fn) -> bool {
    let is_end = |end: &&Expr| matches!(end.kind, ExprKind::Borrow { mutable: true, .. }) || may_leave(end);
    let is_one = matches!(&function.body.tail, Some(tail) if is_one_place(tail));
    function.gives_written_place()
        && !is_one
        && !function.returns_early
        && ends_of_function(function).iter().all(is_end)
}

/// The expressions with which a function ends.
pub(crate) fn ends_of_function(function: &Fn) -> Vec<&Expr> {
    let mut ends = Vec::new();
    ends_of(&function.body, &mut ends);
    ends
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

/// Whether an end may be the one place that a function gives: a reference, `self`, or what another function gives.
pub(crate) fn is_one_place(end: &Expr) -> bool {
    matches!(strip(end).kind, ExprKind::Borrow { .. }) || passes_on(strip(end))
}

/// Whether an end may be a reference that the function was given: `self`, or what another function gives.
fn passes_on(end: &Expr) -> bool {
    matches!(end.kind, ExprKind::Method { .. }) || is_self(end)
}

/// Whether control may not come out of an end: `panic!(…)` and its like.
fn may_leave(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Macro(_) | ExprKind::Return(_) | ExprKind::Loop { .. } | ExprKind::Error)
}
