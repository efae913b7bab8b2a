//! Copies of iterators: machines that go on by themselves from where others are.

use gridwise_ir::ir::LocalId;

use super::machine::{Cursor, Machine};
use crate::lower::function::FnCx;
use crate::lower::place::Spot;

impl FnCx<'_, '_, '_> {
    /// Gives a machine variables of its own, which have the values that they have now.
    pub(super) fn fork(&mut self, machine: &mut Machine<'_>) {
        match machine {
            Machine::Indexed { cursor, .. } => self.fork_cursor(cursor),
            Machine::Lockstep { cursor, left, right, .. } => {
                self.fork_cursor(cursor);
                self.fork(left);
                self.fork(right);
            }
            Machine::Step { inner, state, .. } => {
                *state = state.map(|state| self.forked(state));
                self.fork(inner);
            }
            Machine::Enumerate { inner, counter: state, .. }
            | Machine::Skip { inner, left: state }
            | Machine::StepBy { inner, wait: state, .. } => {
                *state = self.forked(*state);
                self.fork(inner);
            }
            Machine::Peekable { inner, has, ahead, .. } => {
                *has = self.forked(*has);
                ahead.any = self.forked(ahead.any);
                ahead.value = ahead.value.map(|value| self.forked(value));
                self.fork(inner);
            }
            Machine::Take { inner, left, done } => {
                *left = self.forked(*left);
                *done = done.map(|done| self.forked(done));
                self.fork(inner);
            }
            Machine::Flatten { inner, .. } | Machine::Nested { inner, .. } | Machine::Kept(inner) => self.fork(inner),
            Machine::Zip { left, right, .. } => {
                self.fork(left);
                self.fork(right);
            }
            Machine::Chain { first, then, second, .. } => {
                *second = self.forked(*second);
                self.fork(first);
                self.fork(then);
            }
            Machine::Own { value, .. } => {
                let now = self.spot_of(*value).and_then(|spot| self.read(spot));
                if let Some(now) = now {
                    let place = gridwise_ir::ir::Place::local(self.spill(now, "iterator"));
                    *value = self.alias(Spot::at(place));
                }
            }
            // A range that is lent has no copy in Rust.
            Machine::Held(_) | Machine::Given(_) => {}
        }
    }

    fn fork_cursor(&mut self, cursor: &mut Option<Cursor>) {
        if let Some(cursor) = cursor {
            cursor.position = self.forked(cursor.position);
            cursor.more = cursor.more.map(|more| self.forked(more));
        }
    }

    fn forked(&mut self, local: LocalId) -> LocalId {
        let now = self.get(local);
        self.spill(now, "fork")
    }
}
