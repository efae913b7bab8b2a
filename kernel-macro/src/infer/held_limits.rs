//! The limits of structs with slices, and their errors.

use gridwise_ir::arena::EntityId as _;

use crate::ast::{Expr, Impl, Item, Shape, SpanRange};
use crate::diag::code;
use crate::source::text;
use crate::typed::UNWRITTEN;

use super::Infer;
use super::slice::sliced;
use super::unify::Term;
use super::variant::Constructor;

impl<'a> Infer<'a> {
    pub(super) fn refuse_held(&mut self, value: &Expr) {
        let source = text(sliced(value));
        self.error(
            code::REFERENCE_USE,
            value.span,
            format!("a slice of `{source}` cannot be a member of a struct here"),
        )
        .note("the struct could be used after the buffer or array that the slice is a part of has become another")
        .help("make the struct in a function that takes the slice, `fn f(part: &[T])`, and use it there");
    }

    /// Reports a pattern that takes a struct with slices apart; whether it did.
    pub(super) fn refuse_held_pattern(&mut self, constructor: &Constructor<'a>, span: SpanRange) -> bool {
        let Term::Struct(item, _) = constructor.term else { return false };
        let Item::Struct(definition) = &self.program.items[item].item else { return false };
        if self.held_count(item) == 0 {
            return false;
        }
        let field = constructor.names.first().map(|(name, _)| name.to_string()).unwrap_or_default();
        let field = if definition.shape == Shape::Tuple { "0" } else { &field };
        self.error(
            code::BAD_PATTERN,
            span,
            format!("a pattern cannot take `{}` apart, which holds slices", definition.name),
        )
        .help(format!("name the value, and write its fields where they are used: `view.{field}`"));
        true
    }

    /// Reports an `impl` of a trait for a struct with slices.
    pub(super) fn refuse_held_impl(&mut self, implementation: &'a Impl) {
        let Some(of) = &implementation.of else { return };
        let term = self.term_of(&implementation.self_ty);
        if self.holds_slices(&term) {
            let (name, of) = (self.describe(&term), of.text());
            self.error(
                code::UNSUPPORTED_SYNTAX,
                implementation.self_ty.span,
                format!("an `impl` of `{of}` for {name}, which holds slices, is not supported in kernels"),
            )
            .note("the functions of a trait are compiled once, and the buffer of each slice must be known where they are called")
            .help("write the functions as methods, in an `impl` of the type alone");
        }
    }

    /// Reports an element by index of an array whose elements hold slices; whether it did.
    pub(super) fn refuse_held_element(&mut self, array: &Expr, element: &Term) -> bool {
        if self.program.held_slices.is_empty() || !self.holds_slices(element) {
            return false;
        }
        let (source, name) = (text(array), self.describe(element));
        self.error(code::BAD_INDEX, array.span, format!("`{source}` cannot be indexed: {name} holds slices"))
            .note("an index out of range reads a zero, and there is none of a struct with slices")
            .help("go through the array, `for view in views`; or keep an array of the starts, and make the struct where it is used");
        true
    }

    /// Reports variables that keep, from one round of a loop to the next, a slice that no variable tells.
    pub(super) fn check_held_locals(&mut self) {
        for (binding, depth) in std::mem::take(&mut self.depths.0) {
            let Some(local) = self.local(binding).cloned() else { continue };
            let held = self.held_in(&local.term).into_iter().map(|(slot, _)| self.table.shallow(&slot));
            let is_lost = |slot: Term| match slot {
                Term::Buffer { origin: Some(origin), .. } => {
                    let is_told = self.origin_roots.get(&origin).is_some_and(|root| root.index() < UNWRITTEN);
                    !is_told && self.depths.1.get(&origin).is_some_and(|made| *made > depth)
                }
                _ => false,
            };
            if held.into_iter().any(is_lost) {
                self.error(
                    code::REFERENCE_USE,
                    super::range(local.span),
                    format!("`{}` cannot keep a slice of this from one round of a loop to the next", local.name),
                )
                .note("the slice is of a field or of a literal, and is made in the loop")
                .help("make the slice before the loop; or keep an index");
            }
        }
    }
}
