//! Computes every pure value once: later equal instructions in the same or nested blocks use the first one's result.
//!
//! Loads are shared only from buffers that the kernel never writes, and only when unchecked.

use std::hash::{Hash, Hasher};

use super::edit::Substitution;
use super::{Changed, PassCx};
use crate::hash::Mixer;
use crate::ir::{BlockId, Function, ImageOp, InstId, InstKind, Place, Root};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let substitution = Substitution::of(function);
    let known = Known::of(function);
    let mut sharer = Sharer { function, cx, substitution, known, changed: Changed::No };
    sharer.block(sharer.function.entry);
    sharer.changed
}

struct Sharer<'a, 'm> {
    function: &'a mut Function,
    cx: &'a PassCx<'m>,
    substitution: Substitution,
    known: Known,
    changed: Changed,
}

impl Sharer<'_, '_> {
    fn block(&mut self, block: BlockId) {
        let outside = self.known.entered.len();
        let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
        insts.retain(|&id| {
            self.substitution.apply(&mut self.function.insts[id].kind);
            if self.is_shared(id) {
                self.changed = Changed::Yes;
                return false;
            }
            if self.function.insts[id].kind.has_blocks() {
                for nested in self.function.insts[id].kind.blocks() {
                    self.block(nested);
                }
            }
            true
        });
        self.function.blocks[block].insts = insts;
        // Behind the entry block there is nothing.
        if block != self.function.entry {
            self.known.forget(outside);
        }
    }

    /// Replaces the instruction's result by an equal one in scope, or enters it.
    fn is_shared(&mut self, id: InstId) -> bool {
        let inst = &self.function.insts[id];
        let [result] = inst.results[..] else { return false };
        if !self.is_pure(&inst.kind) {
            return false;
        }
        let ty = self.function.values[result].ty;
        let mut hasher = Mixer::default();
        inst.kind.hash(&mut hasher);
        ty.hash(&mut hasher);
        let is_equal = |known: InstId| {
            let known = &self.function.insts[known];
            known.kind == inst.kind && self.function.values[known.results[0]].ty == ty
        };
        let Some(first) = self.known.find_or_enter(hasher.finish(), id, is_equal) else { return false };
        let first = self.function.insts[first].results[0];
        if self.function.values[first].name.is_none() {
            self.function.values[first].name = self.function.values[result].name.take();
        }
        self.substitution.set(result, first);
        true
    }

    fn is_pure(&self, kind: &InstKind) -> bool {
        match kind {
            InstKind::Coop(..) => true,
            InstKind::Load(place @ Place { root: Root::Buffer(buffer) | Root::Member(buffer, _), .. }) => {
                !place.is_checked() && self.cx.kernel.is_some_and(|kernel| !kernel.buffers[*buffer].writable)
            }
            InstKind::Image(ImageOp::Size(_) | ImageOp::Levels, ..) => true,
            kind => kind.is_pure(),
        }
    }
}

/// The instructions in scope, by the hash of what they compute: each stands in the first free place from where its hash points to.
struct Known {
    /// A power of two of them, at least twice as many as are ever taken.
    places: Vec<Option<(u32, InstId)>>,
    /// The places that are taken, in the order in which they were.
    entered: Vec<usize>,
}

impl Known {
    fn of(function: &Function) -> Self {
        // Some of the values are loaded or hold constants that are there already.
        let room = function.values.len() / 2;
        Self { places: vec![None; (2 * function.values.len()).next_power_of_two()], entered: Vec::with_capacity(room) }
    }

    /// The instruction with this hash that is equal, or none, and then this one is known from now on.
    fn find_or_enter(&mut self, hash: u64, id: InstId, is_equal: impl Fn(InstId) -> bool) -> Option<InstId> {
        let (mark, last) = (hash as u32, self.places.len() - 1);
        let mut at = (hash >> 32) as usize & last;
        while let Some((known, first)) = self.places[at] {
            if known == mark && is_equal(first) {
                return Some(first);
            }
            at = (at + 1) & last;
        }
        self.places[at] = Some((mark, id));
        self.entered.push(at);
        None
    }

    /// Forgets all but those that were entered first.
    fn forget(&mut self, kept: usize) {
        // The last first: what was entered behind a place that was taken is gone before that place is free.
        for at in self.entered.drain(kept..) {
            self.places[at] = None;
        }
    }
}
