//! Intervals of what loops carry, from the first values upwards: an interval that no round leaves, from which on nobody does.
//!
//! Stack pointers and ends of searches move both ways, so that nothing is known of them but what guards in the loop say. An interval is
//! guessed as small as it can be, and grows to the next number that something in the loop is compared with, until all values that go on
//! to another round are in it.

use super::edit::walk;
use super::ranges::Range;
use crate::arena::SecondaryMap;
use crate::ir::{BlockId, Function, InstKind};
use crate::op::Op;

/// How often an interval grows to a number that is compared with; the next time it is all of its type.
const GROWTHS: u32 = 5;

/// The intervals of all loops of a function.
#[derive(Default)]
pub(super) struct Spans {
    of: SecondaryMap<BlockId, Vec<Span>>,
    /// By loop: the numbers that something in it is compared with, and those beside them, ascending.
    limits: SecondaryMap<BlockId, Vec<i128>>,
}

/// The interval of one parameter of a loop.
#[derive(Clone, Copy)]
struct Span {
    range: Range,
    /// All of its type.
    full: Range,
    growths: u32,
}

impl Spans {
    /// Notes a loop's parameter, in order: its first values, what all rounds are known to keep to, and all values of its type; `None` for
    /// what is no integer. Whether something better than that may come out.
    pub(super) fn add(&mut self, body: BlockId, first: Range, known: Range, full: Option<Range>) -> bool {
        let Some(full) = full else {
            self.of[body].push(Span { range: Range::ANY, full: Range::ANY, growths: 0 });
            return false;
        };
        let lo = if known.lo > full.lo { known.lo } else { first.lo };
        let hi = if known.hi < full.hi { known.hi } else { first.hi };
        self.of[body].push(Span { range: Range::new(lo, hi), full, growths: 0 });
        true
    }

    /// Finds the numbers that intervals of a loop grow to.
    pub(super) fn find_limits(
        &mut self,
        function: &Function,
        body: BlockId,
        constant: impl Fn(&InstKind) -> [Range; 2],
    ) {
        let mut found = vec![-1, 0, 1];
        walk(function, body, &mut |_, inst| {
            if let InstKind::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::Min | Op::Max, _) = &inst.kind
            {
                for range in constant(&inst.kind).into_iter().filter(|range| range.lo == range.hi) {
                    found.extend([range.lo - 1, range.lo, range.lo + 1]);
                }
            }
        });
        found.sort_unstable();
        found.dedup();
        self.limits[body] = found;
    }

    /// The interval that a parameter keeps to, its first values included.
    pub(super) fn enter(&mut self, body: BlockId, index: usize, first: Range) -> Option<Range> {
        let span = self.of[body].get_mut(index)?;
        span.range = span.range.join(first);
        Some(span.range)
    }

    /// Whether a value that goes on to the next round is in the interval, which grows if not.
    pub(super) fn confirm(&mut self, body: BlockId, index: usize, value: Range) -> bool {
        let limits = &self.limits[body];
        let Some(span) = self.of[body].get_mut(index) else { return true };
        if value.is_within(span.range) || span.full == Range::ANY {
            return true;
        }
        let is_last = span.growths >= GROWTHS;
        span.growths += 1;
        let Range { mut lo, mut hi } = span.range;
        if value.lo < lo {
            let next = limits.iter().rev().copied().find(|limit| *limit <= value.lo && !is_last);
            lo = next.unwrap_or(span.full.lo).max(span.full.lo);
        }
        if value.hi > hi {
            let next = limits.iter().copied().find(|limit| *limit >= value.hi && !is_last);
            hi = next.unwrap_or(span.full.hi).min(span.full.hi);
        }
        span.range = Range::new(lo, hi);
        false
    }
}
