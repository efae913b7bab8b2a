//! Arrays of which every element is written before anything is read, by stores in a row and by loops whose counters are known.

use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, LocalId, Place, Root, Step, ValueId};
use crate::rounds::Counter;
use crate::types::{Size, Type, Types};

/// Rounds of all loops together that are followed for one array.
const MOST_ROUNDS: usize = 1024;

/// How many operations deep an index is followed.
const DEPTH: usize = 8;

/// Looks for arrays that are filled.
pub(super) struct Filling<'f> {
    pub(super) function: &'f Function,
    pub(super) types: &'f Types,
    /// By value: the instruction that defines it.
    pub(super) definitions: &'f [Option<InstId>],
}

/// The elements of an array that are written so far, and the counters that are known.
struct Progress {
    local: LocalId,
    is_written: Vec<bool>,
    rounds_left: usize,
    params: Vec<ValueId>,
    known: Vec<Option<Constant>>,
}

impl<'f> Filling<'f> {
    /// The instruction that defines a value.
    pub(super) fn kind(&self, value: ValueId) -> Option<&'f InstKind> {
        self.definitions[value.index()].map(|id| &self.function.insts[id].kind)
    }

    /// Whether every element is written after a store to the whole array in its block, before anything else touches the array.
    pub(super) fn is_filled(&self, local: LocalId, block: BlockId, store: InstId) -> bool {
        let Type::Array(_, Size::Known(len)) = *self.types.get(self.function.locals[local].ty) else { return false };
        let insts = &self.function.blocks[block].insts;
        let Some(at) = insts.iter().position(|id| *id == store) else { return false };
        let mut progress = Progress {
            local,
            is_written: vec![false; len as usize],
            rounds_left: MOST_ROUNDS,
            params: Vec::new(),
            known: Vec::new(),
        };
        for id in &insts[at + 1..] {
            if self.follow(*id, &mut progress).is_none() {
                return false;
            }
            if !progress.is_written.contains(&false) {
                return true;
            }
        }
        false
    }

    /// Notes what an instruction writes; `None` where it does anything else to the array, or what it does is not known.
    fn follow(&self, id: InstId, progress: &mut Progress) -> Option<()> {
        let kind = &self.function.insts[id].kind;
        match kind {
            InstKind::Store(Place { root: Root::Local(local), path, .. }, _) if *local == progress.local => {
                let [step] = path[..] else { return None };
                let index = match step {
                    Step::Field(index) => index,
                    Step::Index { value, check: None } => self.index(value, progress)?,
                    Step::Index { .. } | Step::Element(_) | Step::Joined { .. } => return None,
                };
                *progress.is_written.get_mut(index as usize)? = true;
                Some(())
            }
            _ if !self.touches(id, progress.local) => Some(()),
            InstKind::Loop { initial, body, .. } => self.follow_rounds(initial, *body, progress),
            _ => None,
        }
    }

    fn follow_rounds(&self, initial: &[ValueId], body: BlockId, progress: &mut Progress) -> Option<()> {
        let counted = self.counter().count(initial, body, progress.rounds_left)?;
        let block = &self.function.blocks[body];
        let (last, insts) = block.insts.split_last()?;
        let InstKind::Continue(_, next) = &self.function.insts[*last].kind else { return None };
        // What stands in front of the test, and the way out, touch nothing.
        if insts[..=counted.exit].iter().any(|id| self.touches(*id, progress.local)) {
            return None;
        }
        let outside = progress.params.len();
        let mut known: Vec<_> = initial.iter().map(|value| self.value(*value, progress)).collect();
        progress.params.extend(&block.params);
        for _ in 0..counted.rounds {
            progress.rounds_left = progress.rounds_left.checked_sub(1)?;
            progress.known.extend(known);
            for id in &insts[counted.exit + 1..] {
                self.follow(*id, progress)?;
            }
            known = next.iter().map(|value| self.value(*value, progress)).collect();
            progress.known.truncate(outside);
        }
        progress.params.truncate(outside);
        Some(())
    }

    fn index(&self, value: ValueId, progress: &Progress) -> Option<u32> {
        match self.value(value, progress)? {
            Constant::U32(index) => Some(index),
            Constant::Zero => Some(0),
            _ => None,
        }
    }

    fn value(&self, value: ValueId, progress: &Progress) -> Option<Constant> {
        self.counter().value(value, &progress.params, &progress.known, DEPTH)
    }

    fn counter(&self) -> Counter<'f, impl Fn(ValueId) -> Option<InstId>> {
        let definitions = self.definitions;
        Counter {
            function: self.function,
            types: self.types,
            definition: move |value: ValueId| definitions[value.index()],
        }
    }

    /// Whether an instruction, or one in its blocks, touches a local.
    fn touches(&self, id: InstId, local: LocalId) -> bool {
        let kind = &self.function.insts[id].kind;
        kind.place().is_some_and(|place| place.root == Root::Local(local))
            || kind
                .blocks()
                .iter()
                .any(|block| self.function.blocks[*block].insts.iter().any(|inner| self.touches(*inner, local)))
    }
}
