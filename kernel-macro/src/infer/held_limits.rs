//! The limits of structs with slices, and their errors.

use gridwise_ir::arena::EntityId as _;

use crate::ast::{Expr, ExprId, Impl, Item, Pattern, Shape, SpanRange};
use crate::diag::code;
use crate::program::ItemId;
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

    /// Notes that a `let` takes a struct apart with a pattern of names alone.
    pub(super) fn note_flat(&mut self, pattern: &Pattern) {
        let is_name =
            |it: &Pattern| matches!(it, Pattern::Binding { inner: None, .. } | Pattern::Wild(_) | Pattern::Rest(_));
        let flat = match pattern {
            Pattern::Struct { id, fields, .. } if fields.iter().all(|field| is_name(&field.pattern)) => *id,
            Pattern::TupleStruct { id, members, .. } if members.iter().all(is_name) => *id,
            _ => return,
        };
        if !self.program.held_slices.is_empty() {
            self.flat_patterns.insert(flat);
        }
    }

    /// Reports a pattern that takes a struct with slices apart; whether it did.
    pub(super) fn refuse_held_pattern(&mut self, id: ExprId, constructor: &Constructor<'a>, span: SpanRange) -> bool {
        let Term::Struct(item, _) = constructor.term else { return false };
        let Item::Struct(definition) = &self.program.items[item].item else { return false };
        if !self.program.held_slices.contains_key(&item) || self.flat_patterns.contains(&id) {
            return false;
        }
        let field = constructor.names.first().map(|(name, _)| name.to_string()).unwrap_or_default();
        let field = if definition.shape == Shape::Tuple { "0" } else { &field };
        self.error(
            code::BAD_PATTERN,
            span,
            format!("a pattern cannot take `{}` apart, which holds slices", definition.name),
        )
        .note("a `let` does so with a pattern of names alone, `let View { data, width } = view;`")
        .help(format!("name the value, and write its fields where they are used: `view.{field}`"));
        true
    }

    /// Reports an `impl` of a trait for a struct with slices, if it is no `impl Iterator` and none of a trait of the author's own whose
    /// functions are methods.
    pub(super) fn refuse_held_impl(&mut self, implementation: &'a Impl) {
        let Some(of) = &implementation.of else { return };
        let term = self.term_of(&implementation.self_ty);
        if !self.holds_slices(&term) {
            return;
        }
        let program = self.program;
        let own = program.items[self.item].uses.get(&of.text());
        let own = own.filter(|item| matches!(program.items[**item].item, Item::Trait(_)));
        let why = match own {
            None if of.segments.last().is_some_and(|name| name == "Iterator") => return,
            None => Some("the functions of this trait are compiled once, and the buffer of each slice must be known where they are called".to_owned()),
            Some(definition) => self.held_trait_limit(*definition),
        };
        if let Some(why) = why {
            let (name, of) = (self.describe(&term), of.text());
            self.error(
                code::UNSUPPORTED_SYNTAX,
                implementation.self_ty.span,
                format!("an `impl` of `{of}` for {name}, which holds slices, is not supported in kernels"),
            )
            .note(why)
            .help("write the functions as methods, in an `impl` of the type alone");
        }
    }

    /// The reason why a struct with slices cannot have a trait of the author's own, if there is one.
    fn held_trait_limit(&self, definition: ItemId) -> Option<String> {
        let program = self.program;
        let functions = |of: ItemId| {
            program.members(of).filter_map(|(_, member)| match &member.item {
                Item::Fn(function) => Some(function),
                _ => None,
            })
        };
        let own: Vec<_> = functions(self.item).collect();
        if let Some(left) = functions(definition).find(|it| own.iter().all(|function| function.name != it.name)) {
            return Some(format!("the trait's own `{}` is compiled once, whatever the slices are parts of", left.name));
        }
        if let Some(alone) = own.iter().find(|function| function.receiver.is_none()) {
            return Some(format!("`{}` has no `self`, which tells what the slices are parts of", alone.name));
        }
        let has_form = own.iter().find(|function| function.has_twin());
        has_form.map(|it| format!("`{}` takes or gives slices, references or closures", it.name))
    }

    /// The names of what the slices are parts of in which two types of one struct differ: ` with a part of `x``.
    pub(super) fn held_sources(&self, expected: &Term, found: &Term) -> [String; 2] {
        let held = |term: &Term| self.held_in(term).into_iter().map(|(slot, _)| self.table.shallow(&slot));
        let pair = held(expected).zip(held(found)).find(|(expected, found)| expected != found);
        let Some((expected, found)) = pair else { return Default::default() };
        [self.held_source(&expected), self.held_source(&found)]
    }

    fn held_source(&self, slice: &Term) -> String {
        let Term::Buffer { origin: Some(origin), .. } = slice else { return String::new() };
        let root = self.origin_roots.get(origin).filter(|root| root.index() < UNWRITTEN);
        if let Some(local) = root.and_then(|root| self.local(*root)) {
            return format!(" with a part of `{}`", local.name);
        }
        let Item::Fn(function) = &self.program.items[self.item].item else { return String::new() };
        let given = function.params.iter().find(|param| {
            let local = self.local(param.binding);
            local.is_some_and(|local| {
                self.held_in(&local.term).iter().any(|(slot, _)| self.table.shallow(slot) == *slice)
            })
        });
        match given {
            Some(param) => format!(" with the slice of `{}`", param.name),
            None => " with a part of a field or of a value without a name".to_owned(),
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
