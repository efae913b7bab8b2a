//! The accesses of one kind to a scalar: the last of each invocation, neighbours of one place and time as one run.
//!
//! None is forgotten while a later access may conflict with it. Memory grows with the places that access the scalar, as invocations that
//! run the same code have numbers one behind the other; and after a barrier the whole workgroup looks through the runs once.

use std::collections::BTreeMap;

use super::clock::{Clock, Meeting};
use super::thread::Spot;

/// Neighbouring invocations, by the number of the first.
#[derive(Debug, Clone, Copy)]
struct Run {
    last: u32,
    time: u32,
    spot: Spot,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: BTreeMap<u32, Run>,
    /// A meeting at which all of these accesses were over.
    met: Option<Meeting>,
}

impl Runs {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Notes an invocation's access, in place of its last.
    pub(super) fn insert(&mut self, number: u32, time: u32, spot: Spot) {
        let around = self.runs.range(..=number).next_back().filter(|(_, run)| number <= run.last);
        if let Some((first, run)) = around.map(|(first, run)| (*first, *run)) {
            if run.time == time && run.spot == spot {
                return;
            }
            self.runs.remove(&first);
            if first < number {
                self.runs.insert(first, Run { last: number - 1, ..run });
            }
            if number < run.last {
                self.runs.insert(number + 1, run);
            }
        }
        self.met = None;
        let is_like = |run: &Run| run.time == time && run.spot == spot;
        let (mut first, mut last) = (number, number);
        if let Some(behind) = number.checked_add(1)
            && let Some(run) = self.runs.get(&behind).copied().filter(is_like)
        {
            self.runs.remove(&behind);
            last = run.last;
        }
        let before = self.runs.range(..number).next_back().map(|(first, run)| (*first, *run));
        if let Some((start, _)) = before.filter(|(_, run)| run.last + 1 == number && is_like(run)) {
            self.runs.remove(&start);
            first = start;
        }
        self.runs.insert(first, Run { last, time, spot });
    }

    /// An invocation that made one of these accesses, and where, if the clock's does not know that it did.
    pub(super) fn unknown(&mut self, clock: &Clock) -> Option<(u32, Spot)> {
        if self.met.as_ref().is_some_and(|meeting| clock.was_at(meeting)) {
            return None;
        }
        for (first, run) in &self.runs {
            let mut numbers = *first..=run.last;
            if let Some(number) = numbers.find(|number| !clock.knows_of(*number, run.time)) {
                return Some((number, run.spot));
            }
        }
        let met_all = |(first, run): (&u32, &Run)| (*first..=run.last).all(|number| clock.met(number, run.time));
        self.met = self.runs.iter().all(met_all).then(|| clock.meeting());
        None
    }

    /// Forgets runs that the clock's invocation knows wholly, or is.
    pub(super) fn forget_known(&mut self, clock: &Clock) {
        self.runs.retain(|first, run| (*first..=run.last).any(|number| !clock.knows_of(number, run.time)));
        self.met = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::EntityId;
    use crate::interpret::clock::meet;
    use crate::ir::{FunctionId, InstId};

    fn spot(number: usize) -> Spot {
        Spot { function: FunctionId::new(0), inst: InstId::new(number) }
    }

    #[test]
    fn neighbours_are_one_run_in_any_order() {
        const MANY: u32 = 1 << 16;
        let mut runs = Runs::default();
        for step in 0..MANY {
            runs.insert(step.wrapping_mul(0x9e37_79b1) % MANY, 3, spot(0));
        }
        assert_eq!(runs.runs.len(), 1);
        runs.insert(100, 4, spot(0));
        runs.insert(101, 3, spot(1));
        assert_eq!(runs.runs.keys().copied().collect::<Vec<_>>(), [0, 100, 101, 102]);
        runs.insert(100, 3, spot(0));
        runs.insert(101, 3, spot(0));
        assert_eq!(runs.runs.len(), 1);
    }

    #[test]
    fn a_workgroup_that_met_looks_through_the_runs_once() {
        let mut clocks: Vec<Clock> = (0..64).map(|local| Clock::new(0, local)).collect();
        let mut runs = Runs::default();
        for clock in &clocks {
            runs.insert(clock.number, clock.time, spot(0));
        }
        assert_eq!(runs.unknown(&clocks[5]), Some((0, spot(0))));
        meet(clocks.iter_mut());
        assert_eq!(runs.unknown(&clocks[5]), None);
        assert!(runs.met.as_ref().is_some_and(|meeting| clocks.iter().all(|clock| clock.was_at(meeting))));
        runs.insert(7, clocks[7].time, spot(1));
        assert_eq!(runs.unknown(&clocks[7]), None, "an invocation knows of itself");
        assert_eq!(runs.unknown(&clocks[5]), Some((7, spot(1))));
        meet(clocks.iter_mut());
        runs.forget_known(&clocks[0]);
        assert!(runs.is_empty());
    }
}
