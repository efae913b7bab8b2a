//! Elements of buffers whose elements differ: where two are equal, so are their indices, if both lie within the buffer.

use super::access::Fact;
use super::atoms::{Atom, Less, Limit};
use super::form::Form;
use super::index::WORD;
use super::mutants::{Mutant, shift};
use super::rules::Pair;
use crate::ir::BufferId;

impl Pair<'_, '_> {
    /// The equation of the indices that follows from one of elements, and holds whenever that does. `None` where the sides are not
    /// elements of one such buffer, or may lie outside of it: there both are zero.
    pub(super) fn indices(&mut self, left: &Form, right: &Form) -> Option<(Form, Form)> {
        let [(buffer, first), (other, second)] = [self.element(left)?, self.element(right)?];
        if buffer != other {
            return None;
        }
        let mut conditions = self.within(buffer, &first, 0)?;
        conditions.extend(self.within(buffer, &second, 1)?);
        self.accept(conditions)?;
        Some((first, second))
    }

    fn element(&self, form: &Form) -> Option<(BufferId, Form)> {
        match self.index.atoms.get(form.as_atom()?) {
            Atom::Distinct(buffer, index) => Some((*buffer, index.clone())),
            _ => None,
        }
    }

    /// The conditions under which an index is less than the length of a buffer where an access stands: none where a fact there says so.
    pub(super) fn within(&mut self, buffer: BufferId, index: &Form, side: usize) -> Option<Vec<Less>> {
        let len = self.index.len(buffer).add(&Form::constant(shift(Mutant::Within, 1)));
        let facts = self.sides[side].facts.iter().filter_map(|fact| match fact {
            Fact::Value(form, limit) if form == index => Some(limit.clone()),
            Fact::Whole(form, limit) if form == index && form.is_natural() => Some(limit.clone()),
            _ => None,
        });
        let mut limits: Vec<Limit> = facts.collect();
        // A variable, or what comes so many places behind it.
        let offset = index.constant_part();
        if let Some(atom) = index.sub(&Form::constant(offset)).as_atom().filter(|_| offset >= 0) {
            limits.extend(
                self.limits(atom, side)
                    .into_iter()
                    .map(|Limit { below, requires }| Limit { below: below.add(&Form::constant(offset)), requires }),
            );
        }
        if let Some(most) = self.index.most(index) {
            limits.push(Limit::always(most.add(&Form::constant(1))));
        }
        // A bound that no length reaches says nothing.
        limits.retain(|limit| limit.below.as_constant().is_none_or(|below| below < WORD));
        let mut ways: Vec<Vec<Less>> = Vec::new();
        for Limit { below, mut requires } in limits {
            if !self.is_less(&below, &len) {
                requires.push(Less(below, len.clone()));
            }
            if requires.is_empty() {
                return Some(requires);
            }
            if self.expressible(&requires) && requires.iter().all(|less| self.may_ask_for(less)) {
                ways.push(requires);
            }
        }
        ways.into_iter().min_by_key(Vec::len)
    }

    /// Whether a launch may be asked to fulfil something: one that could, and no more than this proof may ask for.
    fn may_ask_for(&mut self, less: &Less) -> bool {
        let Less(low, high) = less;
        !self.is_less(high, &low.add(&Form::constant(1))) && self.is_allowed(less)
    }
}
