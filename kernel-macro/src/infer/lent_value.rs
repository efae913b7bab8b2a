//! References of which one is chosen, kept in a variable that changes, or returned. They stand for the values that they lead to, as what
//! iterators lend does: nobody writes what a `&` reference leads to while it lives, so nobody can tell. rustc sees the references in the
//! original.

use crate::ast::{Expr, ExprKind, Fn, Item, Pattern, TypeExpr};
use crate::diag::code;
use crate::program::ItemId;
use crate::source::text;
use crate::typed::Resolution;

use super::Infer;
use super::block::strip;
use super::finish::Deferred;
use super::index_impl::end_of;
use super::reference::is_self;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// Whether the value of a `let` is a reference that stands for a value: one of several, or that of a variable which may change.
    pub(super) fn is_kept_value(&mut self, pattern: &Pattern, value: &'a Expr) -> bool {
        match &strip(value).kind {
            ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { label: None, .. } => {
                let mut ends = Vec::new();
                end_of(value, &mut ends);
                ends.iter().any(|end| self.is_kept_end(end))
            }
            ExprKind::Tuple(_) => self.note_kept_members(value),
            ExprKind::Borrow { mutable: false, .. } | ExprKind::Path(_) => {
                matches!(pattern, Pattern::Binding { mutable: true, inner: None, .. }) && self.is_kept_end(value)
            }
            _ => false,
        }
    }

    fn is_kept_end(&self, end: &Expr) -> bool {
        match &strip(end).kind {
            ExprKind::Borrow { mutable: false, operand } => self.may_be_value(operand),
            ExprKind::Path(path) => {
                path.as_name().and_then(|name| self.variable(name)).is_some_and(|(binding, local)| {
                    self.tables.references.get(&binding) == Some(&false) && !self.has_elements(&local.term)
                })
            }
            ExprKind::Tuple(members) => members.iter().any(|member| self.is_kept_end(member)),
            _ => false,
        }
    }

    /// Whether a place has a value to copy: it is no slice, and not in shared memory, which other invocations write.
    fn may_be_value(&self, place: &Expr) -> bool {
        match &strip(place).kind {
            ExprKind::Array(_) | ExprKind::Repeat { .. } | ExprKind::Slice { .. } => false,
            ExprKind::Path(path) => {
                let named = path.as_name().and_then(|name| self.variable(name));
                named.is_some_and(|(_, local)| !self.has_elements(&local.term))
            }
            _ => !self.is_in_shared(place) && !self.is_part(strip(place)),
        }
    }

    fn has_elements(&self, term: &Term) -> bool {
        matches!(self.table.shallow(term), Term::Buffer { .. } | Term::Array(..) | Term::Shared(_) | Term::Image(_))
    }

    fn is_in_shared(&self, place: &Expr) -> bool {
        match &strip(place).kind {
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => self.is_in_shared(base),
            ExprKind::Path(path) => {
                let named = path.as_name().and_then(|name| self.variable(name));
                named.is_some_and(|(_, local)| matches!(self.table.shallow(&local.term), Term::Shared(_)))
            }
            _ => false,
        }
    }

    /// Notes that the references with which an expression ends stand for values.
    pub(super) fn note_kept_ends(&mut self, expr: &'a Expr) {
        let mut ends = Vec::new();
        end_of(expr, &mut ends);
        ends.into_iter().for_each(|end| self.note_kept_end(end));
    }

    fn note_kept_end(&mut self, end: &'a Expr) {
        let inner = strip(end);
        if self.tables.given_slices.contains_key(&inner.id) {
            return;
        }
        match &inner.kind {
            ExprKind::Borrow { mutable: false, operand } if !self.is_in_shared(operand) => {
                self.keep_value(end);
                self.deferred.push(Deferred::Kept { place: operand });
            }
            ExprKind::Path(path) => {
                let named = path.as_name().and_then(|name| self.variable(name));
                if let Some((binding, _)) = named
                    && self.tables.references.contains_key(&binding)
                {
                    self.keep_value(end);
                    self.deferred.push(Deferred::Kept { place: inner });
                }
            }
            ExprKind::Method { .. } => {
                self.tables.open_ends.insert(inner.id);
            }
            ExprKind::Tuple(members) => members.iter().for_each(|member| self.note_kept_end(member)),
            ExprKind::Call { callee, args, .. } => {
                let is_choice = callee.as_name().is_some_and(|name| name == "Some" || name == "Ok");
                if let ([arg], true) = (args.as_slice(), is_choice) {
                    self.note_kept_end(arg);
                }
            }
            _ => {}
        }
    }

    /// Notes that the `&` references in a tuple that patterns take apart stand for values; whether there are any.
    pub(super) fn note_kept_members(&mut self, value: &'a Expr) -> bool {
        let inner = strip(value);
        let ExprKind::Tuple(members) = &inner.kind else { return false };
        let any = members.iter().any(|member| self.is_kept_end(member));
        if any {
            members.iter().for_each(|member| self.note_kept_end(member));
            let is_lent = self.takes_self_by_reference();
            for member in members.iter().map(strip).filter(|member| is_lent && is_self(member)) {
                self.tables.copied_self.insert(member.id);
                self.deferred.push(Deferred::Kept { place: member });
            }
        }
        any
    }

    fn keep_value(&mut self, end: &Expr) {
        self.has_references = true;
        for id in [end.id, strip(end).id] {
            self.given.insert(id);
            self.tables.lent.insert(id);
        }
    }

    /// Notes that a call gives references, or a struct holds some, which are values here.
    pub(super) fn note_lending(&mut self, function: &Fn) {
        let refers = |item: &ItemId| matches!(&self.program.items[*item].item, Item::Struct(it) if it.refers());
        self.has_references |= function.lends()
            || function.given_elements().is_some_and(TypeExpr::holds_references)
            || self.program.held_slices.keys().any(refers);
    }

    /// Notes the references that a `return` or the end of a function gives.
    pub(super) fn note_returned(&mut self, value: &'a Expr) {
        self.note_given_slices(value);
        let program = self.program;
        if let Item::Fn(function) = &program.items[self.item].item
            && function.lends()
            && self.closure_stack.is_empty()
        {
            self.note_kept_ends(value);
        }
    }

    /// Notes that the type of a variable has references in it.
    pub(super) fn note_references_in(&mut self, ty: &TypeExpr) {
        self.has_references |= ty.holds_references();
    }

    /// Reports references that cannot stand for the values that they lead to.
    pub(super) fn check_kept(&mut self, place: &Expr) {
        let Some(ty) = self.table.resolve(&self.term(place)) else { return };
        let is_atomic = super::holds_atomics(self.program, &ty);
        let copies = |item: &Item| match item {
            Item::Impl(of) => of.of.as_ref().and_then(|path| path.segments.last()).is_some_and(|name| name == "Copy"),
            _ => false,
        };
        let moves = self.program.may_move(&ty) && !self.program.items.iter().any(|(_, item)| copies(&item.item));
        let is_own_atomic = is_atomic && !matches!(self.tables.paths.get(&place.id), Some(Resolution::Unit));
        if !moves && !is_own_atomic {
            return;
        }
        let (source, name) = (text(place), self.name_of(&ty));
        let why = if is_atomic { "holds atomics" } else { "is not `Copy`" };
        let help = match is_atomic {
            true => "choose the index, and name the element where it is used: `let slot = &table[index];`",
            false => "derive `Clone, Copy` for it; or choose the index, and write `&x[index]` where it is used",
        };
        self.error(
            code::REFERENCE_USE,
            place.span,
            format!("a reference to `{source}` cannot be stored, chosen, changed or returned"),
        )
        .note(format!("`{name}` {why}, and kernels have no pointers: such a reference is a copy of the value"))
        .help(help);
    }
}
