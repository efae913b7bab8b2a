//! The variables in scope, innermost last, found by name or by number. It knows nothing of their types.

use std::rc::Rc;

use gridwise_ir::hash::FastMap;

use crate::ast::BindingId;

/// One variable in scope.
#[derive(Debug)]
struct Entry {
    binding: BindingId,
    name: Rc<str>,
    /// The variable of the same name that it hides.
    hides: Option<BindingId>,
}

/// All variables in scope.
#[derive(Debug, Default)]
pub(super) struct Scope {
    entries: Vec<Entry>,
    by_name: FastMap<Rc<str>, BindingId>,
    positions: FastMap<BindingId, usize>,
}

impl Scope {
    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Brings a variable into scope.
    pub(super) fn push(&mut self, binding: BindingId, name: &str) {
        let name: Rc<str> = name.into();
        let hides = self.by_name.insert(name.clone(), binding);
        self.positions.entry(binding).or_insert(self.entries.len());
        self.entries.push(Entry { binding, name, hides });
    }

    /// Leaves the scope in which all but the first `len` were declared.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.entries.len() > len
            && let Some(Entry { binding, name, hides }) = self.entries.pop()
        {
            match hides {
                Some(hidden) => self.by_name.insert(name, hidden),
                None => self.by_name.remove(&name),
            };
            if self.positions.get(&binding) == Some(&self.entries.len()) {
                self.positions.remove(&binding);
            }
        }
    }

    /// The variable that a name means.
    pub(super) fn named(&self, name: &str) -> Option<BindingId> {
        self.by_name.get(name).copied()
    }

    /// How many variables were in scope when this one was declared; none if it is not in scope.
    pub(super) fn position(&self, binding: BindingId) -> Option<usize> {
        self.positions.get(&binding).copied()
    }

    /// The names, outermost first.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.name)
    }
}
