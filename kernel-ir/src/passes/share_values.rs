//! Computes every pure value once: later equal instructions in the same or nested blocks use the first one's result.
//!
//! Loads are shared only from buffers that the kernel never writes, and only when unchecked.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::edit::Substitution;
use super::{Changed, PassCx};
use crate::hash::Mixer;
use crate::ir::{BlockId, Function, ImageOp, InstId, InstKind, Place, Root};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    // Some of the values are loaded or hold constants that are there already.
    let room = function.values.len() / 2;
    let mut sharer = Sharer {
        function,
        cx,
        substitution: Substitution::default(),
        known: HashMap::with_capacity_and_hasher(room, BuildHasherDefault::default()),
        scope: Vec::with_capacity(room),
        changed: Changed::No,
    };
    sharer.block(sharer.function.entry);
    sharer.changed
}

struct Sharer<'a, 'm> {
    function: &'a mut Function,
    cx: &'a PassCx<'m>,
    substitution: Substitution,
    /// Instructions in scope by the hash of what they compute.
    known: HashMap<u64, InstId, BuildHasherDefault<Passthrough>>,
    /// Keys of `known` in order of entry.
    scope: Vec<u64>,
    changed: Changed,
}

impl Sharer<'_, '_> {
    fn block(&mut self, block: BlockId) {
        let start = self.scope.len();
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
            for key in self.scope.drain(start..) {
                self.known.remove(&key);
            }
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
        let key = hasher.finish();
        let Some(&first) = self.known.get(&key) else {
            self.known.insert(key, id);
            self.scope.push(key);
            return false;
        };
        let known = &self.function.insts[first];
        // Two different instructions may have one hash; the later one is then just not shared.
        if known.kind != inst.kind || self.function.values[known.results[0]].ty != ty {
            return false;
        }
        let first = known.results[0];
        if self.function.values[first].name.is_none() {
            self.function.values[first].name = self.function.values[result].name.take();
        }
        self.substitution.set(result, first);
        true
    }

    fn is_pure(&self, kind: &InstKind) -> bool {
        match kind {
            InstKind::Const(_)
            | InstKind::Op(..)
            | InstKind::Coop(..)
            | InstKind::Compose(_)
            | InstKind::Extract(..)
            | InstKind::Insert(..)
            | InstKind::Param(_)
            | InstKind::ConstParam(_)
            | InstKind::Builtin(_)
            | InstKind::Len(_)
            | InstKind::MemberLen(..) => true,
            InstKind::Load(place @ Place { root: Root::Buffer(buffer) | Root::Member(buffer, _), .. }) => {
                !place.is_checked() && self.cx.kernel.is_some_and(|kernel| !kernel.buffers[*buffer].writable)
            }
            InstKind::Image(ImageOp::Size(_) | ImageOp::Levels, ..) => true,
            _ => false,
        }
    }
}

/// Keys that are hashes already.
#[derive(Default)]
struct Passthrough(u64);

impl Hasher for Passthrough {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
