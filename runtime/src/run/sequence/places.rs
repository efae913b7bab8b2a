//! The arrangements of a recording whose tensors change places: each is made ready once, and found again. It must not submit or wait.

use std::sync::Arc;

use super::state::State;
use super::uses::BufferUse;
use crate::core::error::{Result, SwapFault};
use crate::device::Device;
use crate::memory::buffer::Buffer;
use crate::record::event::Mark;
use crate::record::steps::Step;
use crate::record::swap::{Pairs, refusal};
use crate::run::host_calls::Part;
use crate::run::vulkan::Recording;

/// How many arrangements are kept besides the present one.
const MOST: usize = 8;

/// Buffers that are not where they were recorded: each with the one that is in its place, by the id of the first.
type Moved = Vec<(Arc<Buffer>, Arc<Buffer>)>;

/// An arrangement that is not the present one.
#[derive(Default)]
struct Arrangement {
    moved: Moved,
    steps: Arc<Vec<Step>>,
    uses: Vec<BufferUse>,
    events: [Vec<Arc<Mark>>; 2],
    parts: Option<Arc<Vec<Part>>>,
    recording: Option<Recording>,
    is_prepared: bool,
}

/// The places of a recording's tensors.
#[derive(Default)]
pub(super) struct Places {
    /// Those of the present arrangement.
    present: Moved,
    /// Those that the next evaluation is to have.
    wanted: Moved,
    others: Vec<Arrangement>,
}

/// Whether both move the same buffers to the same places.
fn is_same(a: &Moved, b: &Moved) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(&a.0, &b.0) && Arc::ptr_eq(&a.1, &b.1))
}

/// The buffer that was recorded where this one is.
fn recorded<'m>(moved: &'m Moved, buffer: &'m Arc<Buffer>) -> &'m Arc<Buffer> {
    moved.iter().find(|(_, now)| Arc::ptr_eq(now, buffer)).map_or(buffer, |(recorded, _)| recorded)
}

/// The buffer that is where this one was recorded.
fn now<'m>(moved: &'m Moved, buffer: &'m Arc<Buffer>) -> &'m Arc<Buffer> {
    moved.iter().find(|(recorded, _)| Arc::ptr_eq(recorded, buffer)).map_or(buffer, |(_, now)| now)
}

fn put(moved: &mut Moved, recorded: &Arc<Buffer>, now: &Arc<Buffer>) {
    match moved.binary_search_by_key(&recorded.id, |(recorded, _)| recorded.id) {
        Ok(at) if Arc::ptr_eq(recorded, now) => drop(moved.remove(at)),
        Ok(at) => moved[at].1 = now.clone(),
        Err(_) if Arc::ptr_eq(recorded, now) => {}
        Err(at) => moved.insert(at, (recorded.clone(), now.clone())),
    }
}

impl Places {
    fn swap(&mut self, (a, b): &(Arc<Buffer>, Arc<Buffer>)) {
        let [of_a, of_b] = [a, b].map(|buffer| recorded(&self.wanted, buffer).clone());
        put(&mut self.wanted, &of_a, b);
        put(&mut self.wanted, &of_b, a);
    }

    /// Whether there is no arrangement but that of the recording.
    fn are_settled(&self) -> bool {
        self.present.is_empty() && self.wanted.is_empty() && self.others.is_empty()
    }

    /// The present arrangement is the recording from now on.
    fn settle(&mut self) {
        self.present.clear();
        self.wanted.clear();
        self.others.clear();
    }
}

impl State {
    /// Lets two buffers change places, from the next evaluation on.
    ///
    /// # Errors
    /// When no recorded step uses either of them.
    pub(super) fn swap(&mut self, pairs: &Pairs) -> Result<()> {
        let (a, b) = &pairs.whole;
        let places = &self.places;
        let is_used = |buffer: &Arc<Buffer>| {
            let id = now(&places.present, recorded(&places.wanted, buffer)).id;
            match self.is_prepared {
                true => self.uses.iter().any(|used| used.buffer.id == id),
                false => self.steps.iter().any(|step| {
                    let mut is_found = false;
                    step.for_each_use(|buffer, _, _| is_found |= buffer.id == id);
                    is_found
                }),
            }
        };
        if !is_used(a) && !is_used(b) {
            return Err(refusal(a, b, SwapFault::Unused));
        }
        self.places.swap(&pairs.whole);
        pairs.staged.iter().for_each(|staged| self.places.swap(staged));
        Ok(())
    }

    /// Makes the arrangement that is wanted the present one.
    ///
    /// # Errors
    /// When a step cannot be arranged, or there is no memory for the table of a list; the recording is then as it was.
    pub(super) fn arrange(&mut self, device: &Arc<Device>) -> Result<()> {
        if is_same(&self.places.present, &self.places.wanted) {
            return Ok(());
        }
        let found = self.places.others.iter().position(|other| is_same(&other.moved, &self.places.wanted));
        let at = match found {
            Some(at) => at,
            None => {
                let steps = self.arranged(device)?;
                let others = &mut self.places.others;
                if others.len() == MOST {
                    others.remove(0);
                }
                let moved = self.places.wanted.clone();
                others.push(Arrangement { moved, steps: Arc::new(steps), ..Arrangement::default() });
                others.len() - 1
            }
        };
        let other = &mut self.places.others[at];
        std::mem::swap(&mut self.places.present, &mut other.moved);
        std::mem::swap(&mut self.steps, &mut other.steps);
        std::mem::swap(&mut self.uses, &mut other.uses);
        std::mem::swap(&mut self.events, &mut other.events);
        std::mem::swap(&mut self.parts, &mut other.parts);
        std::mem::swap(&mut self.recording, &mut other.recording);
        std::mem::swap(&mut self.is_prepared, &mut other.is_prepared);
        Ok(())
    }

    /// The steps in the arrangement that is wanted.
    fn arranged(&self, device: &Arc<Device>) -> Result<Vec<Step>> {
        let Places { present, wanted, .. } = &self.places;
        let moves = |buffer: &Arc<Buffer>| {
            let owner = buffer.with_memory();
            let to = now(wanted, recorded(present, owner));
            Ok((!Arc::ptr_eq(to, owner)).then(|| buffer.moved_to(to)))
        };
        let mut steps = Vec::clone(&self.steps);
        for step in &mut steps {
            if let Step::Commands(commands) = step {
                let moved = commands.uses.iter().find_map(|(buffer, _)| Some((buffer, moves(buffer).ok()??)));
                if let Some((buffer, to)) = moved {
                    return Err(refusal(buffer, &to, SwapFault::OwnCommands));
                }
            }
            step.follow(device, &moves)?;
        }
        Ok(steps)
    }

    /// Makes the arrangement that is wanted the recording itself, before something is added to it.
    ///
    /// # Errors
    /// As [`arrange`](Self::arrange).
    pub(super) fn settle_places(&mut self, device: &Arc<Device>) -> Result<()> {
        if !self.places.are_settled() {
            self.arrange(device)?;
            self.places.settle();
        }
        Ok(())
    }

    /// Forgets all arrangements but the present one.
    pub(super) fn forget_places(&mut self) {
        self.places.settle();
    }
}
