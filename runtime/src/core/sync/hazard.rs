//! Finds where commands of one recording need a barrier between them. Pure: it knows resources by number only.

use std::ops::Range;

use super::pasts::{Pasts, PastsOfAll};

/// The stage of the device in which a command accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    Compute,
    Transfer,
    /// The stage that reads the sizes of launches.
    Indirect,
}

/// How many stages there are.
pub(crate) const STAGES: usize = 3;

/// An access of a command to a range of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) resource: u64,
    pub(crate) bytes: Range<u64>,
    pub(crate) is_write: bool,
}

/// A barrier: what comes after in `after` waits for, and sees, all that came before in `before`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Barrier {
    /// By [`Stage`].
    pub(crate) before: [bool; STAGES],
    /// By [`Stage`].
    pub(crate) after: [bool; STAGES],
}

#[derive(Debug)]
struct Past {
    bytes: Range<u64>,
    is_write: bool,
    stage: Stage,
    command: u64,
}

/// The accesses of a recording so far, and the barriers between them.
#[derive(Debug, Default)]
pub(crate) struct HazardTracker {
    past: PastsOfAll<Past>,
    /// Those of the next command's touches; here for its memory.
    places: Vec<usize>,
    /// Commands numbered below `barriers[a][b]` in stage `a` come before commands from now on in stage `b`.
    barriers: [[u64; STAGES]; STAGES],
    commands: u64,
}

/// Why a command has to wait for an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason {
    /// The earlier command.
    pub(crate) command: u64,
    pub(crate) resource: u64,
    /// The bytes that both access.
    pub(crate) bytes: Range<u64>,
    pub(crate) kind: ReasonKind,
}

/// The kind of hazard between two commands on the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReasonKind {
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite,
}

impl ReasonKind {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::ReadAfterWrite => "read after write",
            Self::WriteAfterRead => "write after read",
            Self::WriteAfterWrite => "write after write",
        }
    }
}

impl HazardTracker {
    /// Why the next command needs a barrier: nothing if it needs none.
    pub(crate) fn reasons(&self, stage: Stage, touches: &[Touch]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for touch in touches {
            for past in self.past.get(touch.resource).into_iter().flat_map(Pasts::iter) {
                let is_ordered = past.command < self.barriers[past.stage as usize][stage as usize];
                if is_ordered || !past.conflicts_with(touch) {
                    continue;
                }
                let kind = match (past.is_write, touch.is_write) {
                    (true, false) => ReasonKind::ReadAfterWrite,
                    (false, _) => ReasonKind::WriteAfterRead,
                    (true, true) => ReasonKind::WriteAfterWrite,
                };
                let bytes = past.bytes.start.max(touch.bytes.start)..past.bytes.end.min(touch.bytes.end);
                reasons.push(Reason { command: past.command, resource: touch.resource, bytes, kind });
            }
        }
        reasons
    }

    /// Makes room for the resources of so many commands.
    pub(crate) fn reserve(&mut self, commands: usize) {
        self.past.reserve(commands);
    }

    /// Notes a barrier between all commands so far and all that come.
    pub(crate) fn order_all(&mut self) {
        self.barriers = [[self.commands; STAGES]; STAGES];
    }

    /// Notes the next command; gives the barrier that must come right before it, if it depends on an earlier one.
    pub(crate) fn command(&mut self, stage: Stage, touches: &[Touch]) -> Option<Barrier> {
        let mut barrier = None;
        self.places.clear();
        for touch in touches {
            let place = self.past.place_of(touch.resource);
            self.places.push(place);
            for past in self.past.at(place).iter() {
                let is_ordered = past.command < self.barriers[past.stage as usize][stage as usize];
                if !is_ordered && past.conflicts_with(touch) {
                    let barrier: &mut Barrier = barrier.get_or_insert_default();
                    barrier.before[past.stage as usize] = true;
                    barrier.after[stage as usize] = true;
                }
            }
        }
        if let Some(barrier) = &barrier {
            for before in (0..STAGES).filter(|stage| barrier.before[*stage]) {
                self.barriers[before][stage as usize] = self.commands;
            }
        }
        for (at, touch) in touches.iter().enumerate() {
            self.note(stage, touch, self.places[at]);
        }
        self.commands += 1;
        barrier
    }

    fn note(&mut self, stage: Stage, touch: &Touch, place: usize) {
        let command = self.commands;
        let past = self.past.at(place);
        // An access that waits for this write waits for all that the write waited for; a repeated read adds nothing.
        past.retain(|past| {
            let is_covered = touch.bytes.start <= past.bytes.start && past.bytes.end <= touch.bytes.end;
            let is_implied = touch.is_write || (!past.is_write && past.stage == stage);
            !(is_covered && is_implied) || past.command == command
        });
        past.push(Past { bytes: touch.bytes.clone(), is_write: touch.is_write, stage, command });
    }
}

impl Past {
    fn conflicts_with(&self, touch: &Touch) -> bool {
        let overlaps = self.bytes.start < touch.bytes.end && touch.bytes.start < self.bytes.end;
        overlaps && (self.is_write || touch.is_write)
    }
}

#[cfg(test)]
mod tests {
    use super::Stage::{Compute, Indirect, Transfer};
    use super::*;

    fn read(resource: u64) -> Touch {
        Touch { resource, bytes: 0..16, is_write: false }
    }

    fn write(resource: u64) -> Touch {
        Touch { is_write: true, ..read(resource) }
    }

    fn barrier(before: Stage, after: Stage) -> Option<Barrier> {
        let mut barrier = Barrier::default();
        barrier.before[before as usize] = true;
        barrier.after[after as usize] = true;
        Some(barrier)
    }

    #[test]
    fn independent_commands_need_none() {
        let mut tracker = HazardTracker::default();
        assert_eq!(tracker.command(Compute, &[read(1), write(2)]), None);
        assert_eq!(tracker.command(Compute, &[read(1), write(3)]), None);
        assert_eq!(tracker.command(Transfer, &[read(1), write(4)]), None);
    }

    #[test]
    fn each_kind_of_hazard_needs_one() {
        for (first, second) in [(write(1), read(1)), (read(1), write(1)), (write(1), write(1))] {
            let mut tracker = HazardTracker::default();
            assert_eq!(tracker.command(Compute, std::slice::from_ref(&first)), None);
            assert_eq!(tracker.command(Compute, std::slice::from_ref(&second)), barrier(Compute, Compute));
        }
    }

    #[test]
    fn stages_are_those_of_the_commands() {
        let mut tracker = HazardTracker::default();
        tracker.command(Transfer, &[write(1)]);
        assert_eq!(tracker.command(Compute, &[read(1), write(2)]), barrier(Transfer, Compute));
        assert_eq!(tracker.command(Transfer, &[read(2)]), barrier(Compute, Transfer));
    }

    #[test]
    fn sizes_of_launches_are_read_in_a_stage_of_their_own() {
        let mut tracker = HazardTracker::default();
        tracker.command(Compute, &[write(1)]);
        assert_eq!(tracker.command(Indirect, &[read(1)]), barrier(Compute, Indirect));
        assert_eq!(tracker.command(Compute, &[read(1)]), barrier(Compute, Compute));
        let both = Some(Barrier { before: [true, false, true], after: [true, false, false] });
        assert_eq!(tracker.command(Compute, &[write(1)]), both);
    }

    #[test]
    fn one_barrier_serves_all_that_came_before() {
        let mut tracker = HazardTracker::default();
        tracker.command(Compute, &[write(1)]);
        tracker.command(Compute, &[write(2)]);
        assert_eq!(tracker.command(Compute, &[read(1), write(3)]), barrier(Compute, Compute));
        assert_eq!(tracker.command(Compute, &[read(2), write(4)]), None);
        // But it says nothing of another stage.
        assert_eq!(tracker.command(Transfer, &[read(2)]), barrier(Compute, Transfer));
    }

    #[test]
    fn apart_in_one_resource_is_no_hazard() {
        let mut tracker = HazardTracker::default();
        tracker.command(Compute, &[Touch { bytes: 0..8, ..write(1) }]);
        assert_eq!(tracker.command(Compute, &[Touch { bytes: 8..16, ..write(1) }]), None);
        assert_eq!(tracker.command(Compute, &[Touch { bytes: 7..9, ..read(1) }]), barrier(Compute, Compute));
    }

    #[test]
    fn reads_before_a_write_are_not_forgotten_by_later_reads() {
        let mut tracker = HazardTracker::default();
        tracker.command(Compute, &[read(1)]);
        tracker.command(Transfer, &[read(1)]);
        let both = Some(Barrier { before: [true, true, false], after: [true, false, false] });
        assert_eq!(tracker.command(Compute, &[write(1)]), both);
    }

    #[test]
    fn reasons_name_what_both_touch() {
        let mut tracker = HazardTracker::default();
        tracker.command(Compute, &[Touch { bytes: 0..8, ..write(1) }, read(2)]);
        let touches = [Touch { bytes: 4..16, ..read(1) }, write(2), read(3)];
        let reason = |resource, bytes, kind| Reason { command: 0, resource, bytes, kind };
        let expected = [reason(1, 4..8, ReasonKind::ReadAfterWrite), reason(2, 0..16, ReasonKind::WriteAfterRead)];
        assert_eq!(tracker.reasons(Compute, &touches), expected);
        tracker.order_all();
        assert_eq!(tracker.reasons(Compute, &touches), []);
        assert_eq!(tracker.command(Transfer, &touches), None);
    }

    #[test]
    fn an_overwritten_range_is_still_guarded_by_the_write() {
        let mut tracker = HazardTracker::default();
        tracker.command(Compute, &[write(1)]);
        tracker.command(Transfer, &[write(1)]);
        assert_eq!(tracker.command(Compute, &[read(1)]), barrier(Transfer, Compute));
        assert_eq!(tracker.command(Compute, &[read(1)]), None);
    }
}
