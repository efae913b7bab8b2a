//! The last submissions that used each part of a buffer, once parts of it are used by themselves. Pure: bytes and
//! marks.

use std::array::from_fn;
use std::ops::Range;

use super::{Marks, Ticket};

/// The most parts that are told apart. Of more, the two neighbours that were used longest ago become one, for whose users more is waited.
const MOST: usize = 16;

/// The last submissions, by queue, that wrote some bytes, and that used them at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Last {
    pub(super) writes: Marks,
    pub(super) all: Marks,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    /// It begins where the one before ends.
    end: u64,
    last: Last,
}

/// The parts of a buffer, one after the other. Invariant: none, or the last one ends at the greatest number.
#[derive(Debug, Default)]
pub(super) struct Parts(Vec<Part>);

impl Parts {
    /// One part: all.
    pub(super) fn begin(&mut self, last: Last) {
        self.0.clear();
        // Two more for a moment, so that what is used again and again allocates once.
        self.0.reserve(MOST + 2);
        self.0.push(Part { end: u64::MAX, last });
    }

    /// The last uses of each part that has one of these bytes.
    pub(super) fn of(&self, bytes: &Range<u64>) -> impl Iterator<Item = &Last> {
        let first = self.0.partition_point(|part| part.end <= bytes.start);
        let last = self.0.partition_point(|part| part.end < bytes.end);
        self.0[first..].iter().take((last + 1).saturating_sub(first)).map(|part| &part.last)
    }

    /// Notes that a submission uses these bytes, which are some.
    pub(super) fn note(&mut self, bytes: &Range<u64>, ticket: Ticket, is_write: bool) {
        let first = self.divide(bytes.start);
        let end = self.divide(bytes.end);
        for Part { last, .. } in &mut self.0[first..end] {
            if is_write {
                // It came after all that others did with the bytes: who comes after it comes after them.
                *last = Last::default();
                last.writes[ticket.queue] = ticket.number;
            }
            last.all[ticket.queue] = ticket.number;
        }
        while self.0.len() > MOST {
            self.join();
        }
    }

    /// The index of the part that begins with a byte, made if there is none; beyond the last one for the greatest
    /// number.
    fn divide(&mut self, at: u64) -> usize {
        let index = self.0.partition_point(|part| part.end <= at);
        let start = index.checked_sub(1).map_or(0, |before| self.0[before].end);
        if start == at || index == self.0.len() {
            return index;
        }
        self.0.insert(index, Part { end: at, ..self.0[index] });
        index + 1
    }

    /// Makes one part of two neighbours: of those with the same users, or that were used longest ago.
    fn join(&mut self) {
        let age = |at: &usize| {
            let (one, other) = (&self.0[*at].last, &self.0[at + 1].last);
            let used: u64 = one.all.iter().zip(&other.all).map(|(one, other)| one.max(other)).sum();
            (one != other, used)
        };
        let Some(at) = (0..self.0.len().saturating_sub(1)).min_by_key(age) else { return };
        let (one, other) = (self.0[at].last, &mut self.0[at + 1].last);
        other.writes = from_fn(|queue| one.writes[queue].max(other.writes[queue]));
        other.all = from_fn(|queue| one.all[queue].max(other.all[queue]));
        self.0.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(parts: &Parts, bytes: Range<u64>) -> Vec<(u64, u64)> {
        parts.of(&bytes).map(|last| (last.writes[0], last.all[0])).collect()
    }

    fn write(parts: &mut Parts, bytes: Range<u64>, number: u64) {
        parts.note(&bytes, Ticket { queue: 0, number }, true);
    }

    #[test]
    fn bytes_are_told_apart() {
        let mut parts = Parts::default();
        parts.begin(Last::default());
        write(&mut parts, 0..8, 1);
        write(&mut parts, 8..16, 2);
        parts.note(&(4..12), Ticket { queue: 0, number: 3 }, false);
        assert_eq!(users(&parts, 0..4), [(1, 1)]);
        assert_eq!(users(&parts, 3..9), [(1, 1), (1, 3), (2, 3)]);
        assert_eq!(users(&parts, 15..17), [(2, 2), (0, 0)]);
        assert_eq!(users(&parts, 16..u64::MAX), [(0, 0)]);
        write(&mut parts, 0..u64::MAX, 4);
        assert!(users(&parts, 0..u64::MAX).iter().all(|users| *users == (4, 4)));
    }

    #[test]
    fn the_same_parts_again_are_no_more() {
        let mut parts = Parts::default();
        parts.begin(Last::default());
        for number in 1..100 {
            write(&mut parts, 8 * (number % 4)..8 * (number % 4) + 8, number);
        }
        assert_eq!((parts.0.len(), parts.0.capacity()), (5, MOST + 2));
    }

    #[test]
    fn of_many_parts_the_oldest_are_taken_together() {
        let mut parts = Parts::default();
        parts.begin(Last::default());
        for number in 1..100u64 {
            write(&mut parts, 8 * number..8 * number + 8, number);
            assert!(parts.0.len() <= MOST && parts.0.capacity() == MOST + 2);
        }
        assert_eq!(users(&parts, 8 * 99..8 * 100), [(99, 99)]);
        assert_eq!(users(&parts, 8 * 98..8 * 99), [(98, 98)]);
        // Never less than who was there.
        assert!((1..100).all(|number| users(&parts, 8 * number..8 * number + 1)[0].0 >= number));
        // From the end to the start, the older one of two neighbours is behind the other.
        parts.begin(Last::default());
        (1..100u64).for_each(|number| write(&mut parts, 8 * (99 - number)..8 * (100 - number), number));
        assert!((1..100).all(|number| users(&parts, 8 * (99 - number)..8 * (99 - number) + 1)[0].0 >= number));
    }
}
