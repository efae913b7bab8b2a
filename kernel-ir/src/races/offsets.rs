//! Rows between elements of a buffer that never fall: an index from one such element up to a later one lies in no other row.

use super::access::{Fact, Walker};
use super::atoms::{Atom, Less, Limit};
use super::form::{AtomId, Form};
use super::index::WORD;
use super::mutants::{Mutant, shift};
use super::rules::Pair;
use crate::ir::BufferId;

/// No offset is larger: it was checked.
const MOST: i128 = (1 << 31) - 1;
/// Rows that an index is known to lie in one of, at most.
const ROWS: i128 = 64;

/// Something lies from an offset on and before a later one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The buffer of the offsets.
    buffer: BufferId,
    /// The index of the offset where the row begins.
    index: Form,
    /// How many offsets later it ends.
    rows: i128,
    /// The conditions under which it lies there.
    requires: Vec<Less>,
}

impl Walker<'_, '_> {
    /// The offset that a form is.
    fn offset(&self, atom: AtomId) -> Option<(BufferId, Form)> {
        match self.index.atoms.get(atom) {
            Atom::Offset(buffer, index) => Some((*buffer, index.clone())),
            _ => None,
        }
    }

    /// The offsets of `end` with which a sum begins, each with the rows from there to the end, and what is added to it.
    fn beginnings(&self, sum: &Form, end: &Form) -> Vec<(Row, Form)> {
        let Some((buffer, last)) = end.as_atom().and_then(|end| self.offset(end)) else { return Vec::new() };
        let begin = sum.terms().iter().filter_map(|(product, factor)| {
            let [atom] = product[..] else { return None };
            let (_, index) = self.offset(atom).filter(|(of, _)| *of == buffer && *factor == 1)?;
            let rows = last.sub(&index).reduced().as_constant().filter(|rows| (1..=ROWS).contains(rows))?;
            let rows = shift(Mutant::Rows, rows);
            Some((Row { buffer, index, rows, requires: Vec::new() }, sum.sub(&Form::atom(atom))))
        });
        begin.collect()
    }

    /// Notes the row that a number lies in which is below an offset: `starts[i] + j < starts[i + 1]`.
    pub(super) fn below_offset(&mut self, low: &Form, end: &Form) {
        for (mut row, rest) in self.beginnings(low, end) {
            let Some(requires) = self.only_adds(low, &rest) else { continue };
            self.limit_rounds(&rest, &requires);
            row.requires = requires;
            self.note(Fact::Row(low.clone().reduced(), row));
        }
    }

    /// Notes the row that a place lies in whose distance from the begin is below a length: `j < starts[i + 1] - starts[i]`.
    pub(super) fn below_length(&mut self, low: &Form, length: &Form) {
        let (end, begin) = length.halves();
        let sum = low.add(&begin);
        for (row, rest) in self.beginnings(&sum, &end) {
            // The length is that of the row: no offset is less than one before it.
            if rest == *low {
                self.note(Fact::Row(sum.clone().reduced(), row));
            }
        }
    }

    /// Notes the row that the places lie in which a loop goes through in steps from a begin to an end.
    pub(super) fn steps_to_offset(&mut self, begin: &Form, step: &Form, round: &Form, end: &Form) {
        let steps = step.mul(round);
        self.below_length(&begin.add(&steps).reduced(), end);
        self.limit_rounds(&steps, &[]);
        for (mut row, rest) in self.beginnings(begin, end) {
            let Some(requires) = self.stays_below(&rest) else { continue };
            row.requires = requires;
            self.note(Fact::Row(begin.add(&steps).reduced(), row));
        }
    }

    /// Notes what the variables of a whole number are below that is less than another one of 32 bits.
    fn limit_rounds(&mut self, whole: &Form, requires: &[Less]) {
        for (product, factor) in whole.terms() {
            if let [atom] = product[..]
                && *factor > 0
            {
                let below = Form::constant((WORD - 1) / factor + 1);
                self.note(Fact::Below(atom, Limit { below, requires: requires.to_vec() }));
            }
        }
    }

    /// Conditions under which a sum of an offset and a rest does not wrap.
    fn only_adds(&self, sum: &Form, rest: &Form) -> Option<Vec<Less>> {
        match self.counter(sum) {
            // It was below an offset in all rounds before, so that only the last step could wrap.
            Some((_, first, step)) => {
                let begun = first.sub(&sum.sub(rest));
                let mut requires = self.stays_below(&begun)?;
                requires.extend(self.stays_below(step)?);
                Some(requires)
            }
            None => self.stays_below(rest),
        }
    }

    /// Conditions under which a form that is added to an offset leaves 32 bits to hold the sum.
    fn stays_below(&self, added: &Form) -> Option<Vec<Less>> {
        let most = self.index.most(added)?;
        let end = Form::constant(WORD - shift(Mutant::Offset, MOST));
        match most.as_constant() {
            Some(number) => end.as_constant().is_some_and(|end| number < end).then(Vec::new),
            None => Some(vec![Less(most, end)]),
        }
    }
}

impl Pair<'_, '_> {
    /// The equation of the rows that follows where two indices are equal, each of which lies in a row of the same buffer.
    pub(super) fn same_row(&mut self, left: &Form, right: &Form) -> Option<(Form, Form)> {
        let (mine, others) = (self.rows_of(left, 0), self.rows_of(right, 1));
        for first in &mine {
            for second in others.iter().filter(|second| second.buffer == first.buffer) {
                let sides = [(first, 0), (second, 1)];
                let ends = sides.map(|(row, side)| {
                    let end = row.index.add(&Form::constant(row.rows)).reduced();
                    self.within(row.buffer, &end, side)
                });
                let [Some(mine), Some(others)] = ends else { continue };
                let requires = first.requires.iter().chain(&second.requires).cloned();
                let conditions = mine.into_iter().chain(others).chain(requires).collect();
                if self.accept(conditions).is_none() {
                    continue;
                }
                let [left, right] = [first, second].map(|row| match row.rows {
                    1 => row.index.clone(),
                    rows => {
                        let within = self.index.atoms.free(vec![Limit::always(Form::constant(rows))]);
                        row.index.add(&within).reduced()
                    }
                });
                return Some((left, right));
            }
        }
        None
    }

    fn rows_of(&self, place: &Form, side: usize) -> Vec<Row> {
        let rows = self.sides[side].facts.iter().filter_map(|fact| match fact {
            Fact::Row(form, row) if form == place => Some(row.clone()),
            _ => None,
        });
        rows.collect()
    }
}
