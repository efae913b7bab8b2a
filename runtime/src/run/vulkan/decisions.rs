//! The order of a recording's operations and the barriers between its commands: found once for all recordings of one shape.

use crate::core::sync::hazard::{Barrier, HazardTracker, STAGES, Stage, Touch};
use crate::record::steps::{RecordedOp, Step, by_level};

/// The decisions on a recording.
#[derive(Default)]
pub(crate) struct Decisions {
    /// None for the order of the recording.
    order: Option<Vec<usize>>,
    /// Before each command, in the order in which they are written.
    barriers: Vec<Option<Barrier>>,
    /// Whether these are the decisions on a whole recording.
    are_complete: bool,
    /// The command that comes next.
    next: usize,
    /// Finds the barriers; none where they are known.
    hazards: Option<HazardTracker>,
}

impl Decisions {
    /// Begins a recording, which has the shape of the one before if so said.
    pub(crate) fn begin(&mut self, steps: &[Step], ops: &[RecordedOp], has_same_shape: bool) {
        self.next = 0;
        if has_same_shape && self.are_complete {
            return;
        }
        self.are_complete = false;
        self.order = by_level(steps, ops);
        self.barriers.clear();
        let mut hazards = HazardTracker::default();
        hazards.reserve(steps.len());
        self.hazards = Some(hazards);
    }

    /// Numbers of the operations in the order in which they are written; none for the order of the recording.
    pub(crate) fn order(&self) -> Option<&[usize]> {
        self.order.as_deref()
    }

    /// Whether barriers follow from what commands touch, and not from the decisions before.
    pub(crate) fn ask_for_touches(&self) -> bool {
        self.hazards.is_some()
    }

    /// Notes a barrier between all commands so far and all that come.
    pub(crate) fn order_all(&mut self) {
        if let Some(hazards) = &mut self.hazards {
            hazards.order_all();
        }
    }

    /// The barrier that must come right before the next command, if it needs one.
    pub(crate) fn command(&mut self, stage: Stage, touches: &[Touch]) -> Option<Barrier> {
        if let Some(hazards) = &mut self.hazards {
            let barrier = hazards.command(stage, touches);
            self.barriers.push(barrier);
            return barrier;
        }
        debug_assert!(self.next < self.barriers.len(), "recordings of one shape have as many commands");
        let barrier = self.barriers.get(self.next).copied();
        self.next += 1;
        // A barrier too many is no fault.
        barrier.unwrap_or(Some(Barrier { before: [true; STAGES], after: [true; STAGES] }))
    }

    /// The recording is whole.
    pub(crate) fn settle(&mut self) {
        self.are_complete = true;
        self.hazards = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Manager;
    use crate::memory::buffer::Buffer;
    use crate::run::vulkan::signature::{Likeness, Signature};

    /// The order and the barriers of a recording whose operations have a step each.
    fn written(decisions: &mut Decisions, steps: &[Step], has_same_shape: bool) -> (Vec<usize>, Vec<Option<Barrier>>) {
        let ops: Vec<_> = (0..steps.len()).map(|at| RecordedOp { name: "copy".into(), steps: at..at + 1 }).collect();
        decisions.begin(steps, &ops, has_same_shape);
        let order = decisions.order().map_or_else(|| (0..ops.len()).collect(), <[usize]>::to_vec);
        let barrier_before = |op: &usize| {
            let mut touches = Vec::new();
            if decisions.ask_for_touches() {
                steps[*op].for_each_touch(|_, touch| touches.push(touch));
            }
            decisions.command(Stage::Transfer, &touches)
        };
        let barriers = order.iter().map(barrier_before).collect();
        decisions.settle();
        (order, barriers)
    }

    #[test]
    fn recordings_of_one_shape_have_the_same_decisions_and_others_their_own() {
        let manager = Manager::host();
        let tensors: Vec<_> = (0..5).map(|_| manager.tensor(&[0u32; 4]).expect("memory")).collect();
        let buffers: Vec<Arc<Buffer>> = tensors.iter().map(|tensor| tensor.handle().buffer).collect();
        let mut state = 1u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let (mut signature, mut decisions) = (Signature::default(), Decisions::default());
        let mut places: Vec<(usize, usize, u64)> = Vec::new();
        let mut found = [0; 3];
        for _ in 0..2000 {
            match random(4) {
                // The same copies, as far as dependencies go, or nearly.
                0 | 1 if !places.is_empty() => {
                    let by = 1 + random(4);
                    places.iter_mut().for_each(|(from, to, _)| (*from, *to) = ((*from + by) % 5, (*to + by) % 5));
                }
                2 if !places.is_empty() => {
                    let at = random(places.len());
                    let (from, to, offset) = &mut places[at];
                    match random(3) {
                        0 => *from = (*to + 1 + random(4)) % 5,
                        1 => *to = (*from + 1 + random(4)) % 5,
                        _ => *offset = 8 - *offset,
                    }
                }
                _ => {
                    let copy = |random: &mut dyn FnMut(usize) -> usize| {
                        let from = random(5);
                        (from, (from + 1 + random(4)) % 5, 8 * random(2) as u64)
                    };
                    places = (0..6).map(|_| copy(&mut random)).collect();
                }
            }
            let copy = |(from, to, offset): &(usize, usize, u64)| Step::Copy {
                from: buffers[*from].clone(),
                from_offset: *offset,
                to: buffers[*to].clone(),
                to_offset: *offset,
                bytes: 8,
            };
            let steps: Vec<Step> = places.iter().map(copy).collect();
            let ops: Vec<_> = (0..6).map(|at| RecordedOp { name: "copy".into(), steps: at..at + 1 }).collect();
            let likeness = signature.compare(&steps, &ops);
            found[likeness as usize] += 1;
            signature.forget();
            let kept = written(&mut decisions, &steps, likeness != Likeness::Different);
            signature.settle();
            assert_eq!(kept, written(&mut Decisions::default(), &steps, false), "{places:?}");
        }
        assert!(found.iter().all(|times| *times > 20), "{found:?}");
    }
}
