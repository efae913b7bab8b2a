//! Variables that are slices, and get other slices of the same elements: `rest = &rest[1..];`.

use crate::ast::{BindingId, Expr, ExprId, ExprKind};
use crate::diag::code;
use crate::source::text;
use crate::typed::Resolution;

use super::Infer;
use super::block::strip;
use super::slice::{slice_of, sliced};
use super::unify::Term;

impl<'a> Infer<'a> {
    /// Notes whose elements a slice in a variable has, and that it may change if it is declared `mut`.
    pub(super) fn note_slice_root(&mut self, binding: BindingId, mutable: bool, value: &Expr, term: &Term) {
        let Term::Buffer { mutable: writes, .. } = *term else { return };
        let Some(root) = self.slice_root(value) else { return };
        self.slice_roots.insert(binding, root);
        if mutable && !writes {
            self.tables.moving.insert(binding);
        }
    }

    /// Notes whose elements the slices have that a call or a pattern makes of one.
    pub(super) fn note_origin(&mut self, origin: ExprId, slice: &Expr) {
        if let Some(root) = self.slice_root(slice) {
            self.origin_roots.insert(origin, root);
        }
    }

    /// The type of a variable that is declared `mut`: a slice that a call made may become another one of the same elements.
    pub(super) fn made_to_move(&mut self, binding: BindingId, value: &Expr, term: Term) -> Term {
        let Term::Buffer { element, mutable: false, origin: Some(_) } = self.table.shallow(&term) else { return term };
        if self.slice_root(value).is_none() {
            return term;
        }
        let term = slice_of((*element).clone(), false);
        self.note_slice_root(binding, true, value, &term);
        term
    }

    /// The variable whose elements a slice has, which was inferred; `None` where it is none, or one of several buffers.
    pub(super) fn slice_root(&self, slice: &Expr) -> Option<BindingId> {
        if self.is_of_list(slice) {
            return None;
        }
        if let Term::Buffer { origin: Some(origin), .. } = self.table.shallow(&self.term(sliced(slice))) {
            return self.origin_roots.get(&origin).copied();
        }
        match &sliced(slice).kind {
            ExprKind::Slice { base, .. } => self.slice_root(base),
            ExprKind::Index { base, index } => match self.table.shallow(&self.term(index)) {
                Term::Range(..) => self.slice_root(base),
                _ => None,
            },
            ExprKind::Path(_) => match self.tables.paths.get(&sliced(slice).id) {
                Some(Resolution::Binding(binding)) => {
                    let root = self.slice_roots.get(binding).copied();
                    let is_reference =
                        self.tables.references.contains_key(binding) && !self.is_parameter(sliced(slice));
                    root.or((!is_reference).then_some(*binding))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `rest = &rest[1..];`; whether it is that, right or wrong.
    pub(super) fn infer_slice_assign(&mut self, place: &'a Expr, value: &'a Expr) -> bool {
        let ExprKind::Path(path) = &strip(place).kind else { return false };
        let Some((binding, local)) = path.as_name().and_then(|name| self.variable(name)) else { return false };
        let (name, term) = (local.name.clone(), local.term.clone());
        if !self.slice_roots.contains_key(&binding) || self.is_captured(binding) {
            return false;
        }
        let Term::Buffer { element, mutable: writes, .. } = self.table.shallow(&term) else { return false };
        self.infer_base(place);
        let before = self.diags.len();
        if !self.tables.moving.contains(&binding) {
            if self.infer_slice(value, false).is_some() || self.diags.len() == before {
                self.refuse_fixed(place, &name, writes);
            }
            return true;
        }
        self.check_slice_of(value, &element, false);
        if self.diags.len() > before || self.slice_root(value) == self.slice_roots.get(&binding).copied() {
            return true;
        }
        let source = text(sliced(value));
        self.error(
            code::BUFFER_USE,
            value.span,
            format!("`{name}` cannot become a slice of something else, `{source}`"),
        )
        .note("kernels have no pointers: a slice in a variable keeps to the buffer or array that it was made of")
        .help("move the code that uses it into a function of a slice, and call that with the one or the other");
        true
    }

    fn refuse_fixed(&mut self, place: &Expr, name: &str, writes: bool) {
        let kind = if writes { "`&mut` slice" } else { "immutable variable" };
        let error = self.error(code::NOT_ASSIGNABLE, place.span, format!("cannot assign to the {kind} `{name}`"));
        match writes {
            true => error
                .note("slices that are written keep to the elements that they were made of")
                .help(format!("keep where it begins in a variable, and write `{name}[start..]` where it is used")),
            false => error.help(format!("declare it `mut {name}`")),
        };
    }
}
