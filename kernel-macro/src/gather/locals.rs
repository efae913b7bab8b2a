//! The names of the variables in scope while an item's names are gathered.

use std::rc::Rc;

use gridwise_ir::hash::FastMap;

/// Names in scope, innermost last; one may be there several times.
#[derive(Debug, Default)]
pub(super) struct Locals {
    names: Vec<Rc<str>>,
    counts: FastMap<Rc<str>, usize>,
}

impl Locals {
    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.names.len()
    }

    /// Brings a name into scope.
    pub(super) fn push(&mut self, name: &str) {
        let name: Rc<str> = name.into();
        *self.counts.entry(name.clone()).or_default() += 1;
        self.names.push(name);
    }

    /// Leaves the scope in which all but the first `len` were declared.
    pub(super) fn truncate(&mut self, len: usize) {
        for name in self.names.drain(len..) {
            if let Some(count) = self.counts.get_mut(&name) {
                *count -= 1;
            }
        }
    }

    /// Whether a name is in scope.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count > 0)
    }
}
