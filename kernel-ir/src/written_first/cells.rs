//! Sets of a variable's cells, each a number of its type.

use super::sums::Sum;

/// Cells that are looked at, at most: more is more shared memory than devices have.
pub(super) const MOST_CELLS: u32 = 1 << 15;

/// Some of the cells of a variable, by their numbers.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    words: Vec<u64>,
}

impl Cells {
    /// None of so many cells, of which there are at most [`MOST_CELLS`].
    pub(super) fn none(count: u32) -> Self {
        Self { words: vec![0; count.div_ceil(u64::BITS) as usize] }
    }

    /// Adds all values of a sum; those beyond the last cell are none.
    pub(super) fn add(&mut self, numbers: &Sum) {
        let mut added = Self { words: vec![0; self.words.len()] };
        let (word, bit) = place(numbers.fixed);
        let Some(first) = added.words.get_mut(word) else { return };
        *first |= 1 << bit;
        for term in &numbers.terms {
            // The cells of the first so many values of the counter, and as many again behind them.
            let mut there = 1;
            while there < term.count {
                let more = there.min(term.count - there);
                added.repeat(term.times.saturating_mul(more));
                there += more;
            }
        }
        self.words.iter_mut().zip(added.words).for_each(|(own, other)| *own |= other);
    }

    /// Adds to each cell the one that is so far behind it.
    fn repeat(&mut self, distance: u32) {
        let (words, bits) = place(distance);
        for at in (words..self.words.len()).rev() {
            let lower = self.words[at - words];
            let carried = if bits > 0 && at > words { self.words[at - words - 1] >> (u64::BITS - bits) } else { 0 };
            self.words[at] |= lower << bits | carried;
        }
    }

    /// Whether all cells of the other are among these.
    pub(super) fn hold(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(own, other)| other & !own == 0)
    }
}

/// The word of a cell, and the bit in it.
fn place(cell: u32) -> (usize, u32) {
    ((cell / u64::BITS) as usize, cell % u64::BITS)
}

#[cfg(test)]
mod tests {
    use super::super::sums::{Counter, Term};
    use super::*;

    #[test]
    fn cells_are_those_that_the_counters_come_to() {
        let term = |counter, times, count| Term { counter, times, count };
        for (times, counts, far) in [(65, 16, 1), (3, 5, 100), (1, 64, 64), (7, 129, 1000), (64, 3, 63), (4096, 2, 5)] {
            let terms = vec![term(Counter::Part, times, counts), term(Counter::Axis(0), far, 3)];
            let mut cells = Cells::none(4160);
            cells.add(&Sum { fixed: 9, terms });
            let is_in =
                |cell: u32| (0..counts).any(|first| (0..3).any(|second| 9 + first * times + second * far == cell));
            for cell in 0..4160 {
                let mut one = Cells::none(4160);
                one.add(&Sum::fixed(cell));
                assert_eq!(cells.hold(&one), is_in(cell), "{cell} of {times}, {counts}, {far}");
            }
        }
    }
}
