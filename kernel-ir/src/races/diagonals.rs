//! Cells of a table along a diagonal: rows and columns whose sum, or difference, is the same in all invocations.
//!
//! A cell is `w * row + column`, its column below `w`. Two accesses meet where rows and columns are equal, or where the column beyond one
//! end of a row is taken for the other end of the next one. Each of these says how far apart the rows are; so does the diagonal, and where
//! the two disagree nobody meets. Dynamic programming writes a diagonal and reads those before it.

use super::access::Fact;
use super::atoms::{Less, Limit};
use super::form::{AtomId, Form};
use super::index::WORD;
use super::mutants::{Mutant, shift};
use super::report::Rule;
use super::rules::Pair;
use super::weighing::Solved;

/// Rows between two accesses, at most.
const MOST_ROWS: i128 = 4;

/// The cells of two accesses, by the rows of a table.
struct Rows {
    /// The variable of the row, and whether rows fall where it grows.
    of: AtomId,
    sign: i128,
    /// Rows and columns that the second access is further, with the same variable and the same column.
    rows: i128,
    columns: i128,
}

impl Pair<'_, '_> {
    /// The result of an equation of two cells of a diagonal; `None` where it is none of these.
    pub(super) fn diagonals(&mut self, left: &Form, right: &Form) -> Option<Solved> {
        let [first, second] = [self.columns(0), self.columns(1)];
        for (a, limit) in &first {
            for (b, _) in second.iter().filter(|(_, other)| other.below == limit.below) {
                let Some(rows) = self.rows(&left.sub(a), &right.sub(b), &limit.below) else { continue };
                for sign in [1, -1] {
                    if let Some(solved) = self.on_a_diagonal(&rows, [a, b], limit, sign) {
                        return Some(solved);
                    }
                }
            }
        }
        None
    }

    /// Forms that are below the length of a row, where an access stands.
    fn columns(&self, side: usize) -> Vec<(Form, Limit)> {
        let facts = self.sides[side].facts.iter().filter_map(|fact| match fact {
            Fact::Value(form, limit) => Some((form.clone(), limit.clone())),
            Fact::Below(atom, limit) => Some((Form::atom(*atom), limit.clone())),
            _ => None,
        });
        facts.filter(|(_, limit)| limit.requires.is_empty() && limit.below.as_constant().is_none()).collect()
    }

    /// Two indices without their columns, as rows of this length.
    fn rows(&self, left: &Form, right: &Form, width: &Form) -> Option<Rows> {
        let ((left, first), (right, second)) =
            (self.parts(&left.clone().reduced()), self.parts(&right.clone().reduced()));
        let mut of = None;
        for (atom, factor) in &left {
            let is_same = right.iter().any(|(other, by)| other == atom && by == factor);
            if !is_same {
                return None;
            }
            if self.is_equal(*atom) {
                continue;
            }
            let sign = if factor == width { 1 } else { -1 };
            if of.is_some() || *factor != width.scale(sign) || !self.is_of_both(*atom) {
                return None;
            }
            of = Some((*atom, sign));
        }
        let (of, sign) = of.filter(|_| left.len() == right.len())?;
        let apart = second.sub(&first).reduced();
        (-MOST_ROWS..=MOST_ROWS).find_map(|rows| {
            let columns = apart.sub(&width.scale(rows)).reduced().as_constant()?;
            (columns.abs() <= 1).then_some(Rows { of, sign, rows, columns })
        })
    }

    /// Whether the sum of row and column, or their difference, forbids that the cells are one.
    fn on_a_diagonal(&mut self, rows: &Rows, columns: [&Form; 2], limit: &Limit, sign: i128) -> Option<Solved> {
        let width = &limit.below;
        let row = Form::atom(rows.of).scale(rows.sign);
        let [first, second] = columns.map(|column| row.add(&column.scale(sign)).reduced());
        let is_common = |form: &Form| form.atoms().all(|atom| self.index.atoms.is_uniform(atom) || self.is_equal(atom));
        if !is_common(&first) || !is_common(&second) {
            return None;
        }
        // How many more the sum is in the first access, than in the second one.
        let more = first.sub(&second).sub(&Form::constant(rows.rows)).reduced().as_constant()?;
        let mut conditions = Vec::new();
        // Neither the cells nor the sums wrap around.
        let far = Form::constant(rows.rows.abs() - 1);
        let spare = width.add(&Form::constant(rows.columns.abs() + more.abs()));
        let sums = self.limits(rows.of, 0).into_iter().filter(|limit| self.limits(rows.of, 1).contains(limit));
        let sums = sums.map(|limit| Limit { below: limit.below.add(&far).mul(width).add(&spare), ..limit }).collect();
        self.below(sums, &Form::constant(shift(Mutant::Word, WORD)), &mut conditions)?;
        // In one row, and as many columns apart.
        if more == sign * rows.columns {
            let is_one_cell = rows.columns == 0 && rows.rows == 0;
            self.accept(conditions).filter(|()| is_one_cell)?;
            return Some(Solved::Equal(vec![rows.of], Vec::new()));
        }
        // The first column of a row, and the one beyond the last.
        let (side, crossing) = match rows.columns {
            -1 => (1, sign + 1 + sign * more),
            1 => (0, 1 + sign - sign * more),
            _ => (0, 0),
        };
        if rows.columns != 0 && !self.is_not_first(columns[side], side) {
            let crossing = Form::constant(shift(Mutant::Crossing, crossing.max(0)));
            if !self.is_less(&crossing, width) {
                conditions.push(Less(crossing, width.clone()));
            }
        }
        self.accept(conditions)?;
        self.proof.rule = Rule::Ranges;
        Some(Solved::Never)
    }

    /// Whether a number of 32 bits is not zero where an access stands.
    fn is_not_first(&self, form: &Form, side: usize) -> bool {
        let is_rest = |low: &Form, high: &Form| high.sub(low).reduced() == *form;
        // `n + 1` may be zero as a number of 32 bits.
        let is_word = |limit: &Limit| limit.requires.is_empty() && limit.below.as_atom().is_some();
        self.sides[side].facts.iter().any(|fact| match fact {
            Fact::Order(low, high) => low.is_zero() && high == form || is_rest(low, high),
            Fact::Below(atom, limit) => is_word(limit) && is_rest(&Form::atom(*atom), &limit.below),
            Fact::Value(low, limit) => is_word(limit) && is_rest(low, &limit.below),
            _ => false,
        })
    }
}
