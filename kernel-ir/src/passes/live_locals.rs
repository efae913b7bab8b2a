//! Live local variables: for each structured instruction, the variables that are stored inside and live behind it. It
//! changes nothing.

use crate::arena::{EntityId, SecondaryMap};
use crate::ir::{BlockId, Function, InstId, InstKind, LocalId, Place, Root};

/// Loops nested deeper than this count every local their outermost loops load as live there.
const EXACT_DEPTH: usize = 5;

/// The locals under study, numbered.
pub(super) struct Slots {
    /// The local of each slot.
    pub(super) locals: Vec<LocalId>,
    of: Vec<Option<usize>>,
}

impl Slots {
    /// Numbers the locals that `wanted` accepts.
    pub(super) fn new(function: &Function, wanted: impl Fn(LocalId) -> bool) -> Self {
        let mut slots = Self { locals: Vec::new(), of: vec![None; function.locals.len()] };
        for local in function.locals.ids().filter(|local| wanted(*local)) {
            slots.of[local.index()] = Some(slots.locals.len());
            slots.locals.push(local);
        }
        slots
    }

    /// The slot of a local.
    pub(super) fn of(&self, local: LocalId) -> Option<usize> {
        self.of.get(local.index()).copied().flatten()
    }

    fn of_place(&self, place: &Place) -> Option<usize> {
        match place.root {
            Root::Local(local) => self.of(local),
            Root::Buffer(_) | Root::Shared(_) | Root::Member(..) => None,
        }
    }
}

/// A set of slots. Most functions have few, whose sets need no memory of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SlotSet {
    first: u64,
    rest: Vec<u64>,
}

impl SlotSet {
    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }

    /// The word that a slot's bit is in, if it is there.
    fn word_mut(&mut self, slot: usize) -> Option<&mut u64> {
        match (slot / 64).checked_sub(1) {
            None => Some(&mut self.first),
            Some(at) => self.rest.get_mut(at),
        }
    }

    pub(super) fn contains(&self, slot: usize) -> bool {
        let word = match (slot / 64).checked_sub(1) {
            None => self.first,
            Some(at) => self.rest.get(at).copied().unwrap_or(0),
        };
        word >> (slot % 64) & 1 == 1
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words().enumerate().flat_map(|(at, word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }

    fn insert(&mut self, slot: usize) {
        if self.rest.len() < slot / 64 {
            self.rest.resize(slot / 64, 0);
        }
        if let Some(word) = self.word_mut(slot) {
            *word |= 1 << (slot % 64);
        }
    }

    fn remove(&mut self, slot: usize) {
        if let Some(word) = self.word_mut(slot) {
            *word &= !(1 << (slot % 64));
        }
    }

    fn union(&mut self, other: &Self) {
        self.first |= other.first;
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        for (word, other) in self.rest.iter_mut().zip(&other.rest) {
            *word |= other;
        }
    }
}

/// The result of [`analyse`].
pub(super) struct LiveLocals {
    /// By the first block of a structured instruction: locals stored in a block of it, at any depth.
    pub(super) stored: SecondaryMap<BlockId, SlotSet>,
    /// By the same: locals whose value behind the instruction may be read.
    pub(super) after: SecondaryMap<BlockId, SlotSet>,
    /// Locals whose value at the start of the loop body may be read.
    pub(super) at_start: SecondaryMap<BlockId, SlotSet>,
    /// Whether some `break` leaves the loop with this body.
    pub(super) is_broken: SecondaryMap<BlockId, bool>,
}

/// Analyses one function.
pub(super) fn analyse(function: &Function, slots: &Slots) -> LiveLocals {
    let blocks = &function.blocks;
    let mut live = LiveLocals {
        stored: SecondaryMap::of(blocks),
        after: SecondaryMap::of(blocks),
        at_start: SecondaryMap::of(blocks),
        is_broken: SecondaryMap::of(blocks),
    };
    let mut relevant = SecondaryMap::of(blocks);
    collect_stores(function, slots, function.entry, &mut live, &mut relevant);
    let mut walker = Walker { function, slots, relevant, live, break_to: SecondaryMap::of(blocks), depth: 0 };
    walker.block(function.entry, &SlotSet::default());
    walker.live
}

/// Fills `stored` and `is_broken` for everything in the block and returns what the block stores. Notes the instructions of each block that
/// what is live depends on: loops are walked many times.
fn collect_stores(
    function: &Function,
    slots: &Slots,
    block: BlockId,
    live: &mut LiveLocals,
    relevant: &mut SecondaryMap<BlockId, Vec<InstId>>,
) -> SlotSet {
    let mut all = SlotSet::default();
    let insts = &function.blocks[block].insts;
    let mut found = Vec::with_capacity(insts.len() / 2);
    for &id in insts {
        match &function.insts[id].kind {
            InstKind::Load(place) if slots.of_place(place).is_none() => continue,
            InstKind::Store(place, _) => {
                let Some(slot) = slots.of_place(place) else { continue };
                all.insert(slot);
            }
            InstKind::Break(target, _) => live.is_broken[*target] = true,
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => {
                let mut stored = SlotSet::default();
                let blocks = function.insts[id].kind.blocks();
                for nested in blocks.iter() {
                    stored.union(&collect_stores(function, slots, *nested, live, relevant));
                }
                all.union(&stored);
                live.stored[blocks[0]] = stored;
            }
            InstKind::Load(_) => {}
            kind if kind.is_terminator() => {}
            _ => continue,
        }
        found.push(id);
    }
    relevant[block] = found;
    all
}

struct Walker<'a> {
    function: &'a Function,
    slots: &'a Slots,
    /// The instructions of each block that matter here.
    relevant: SecondaryMap<BlockId, Vec<InstId>>,
    live: LiveLocals,
    /// The variables that are live behind the loop with this body.
    break_to: SecondaryMap<BlockId, SlotSet>,
    depth: usize,
}

impl Walker<'_> {
    /// The variables that are live at the start of a block, given those behind the instruction that owns it.
    fn block(&mut self, block: BlockId, behind: &SlotSet) -> SlotSet {
        let function = self.function;
        let mut live = SlotSet::default();
        for at in (0..self.relevant[block].len()).rev() {
            let id = self.relevant[block][at];
            match &function.insts[id].kind {
                InstKind::Load(place) => {
                    if let Some(slot) = self.slots.of_place(place) {
                        live.insert(slot);
                    }
                }
                InstKind::Store(place, _) => {
                    if let Some(slot) = self.slots.of_place(place) {
                        // A store of one component needs the others.
                        if place.path.is_empty() { live.remove(slot) } else { live.insert(slot) }
                    }
                }
                InstKind::Yield(_) => live = behind.clone(),
                InstKind::Break(target, _) => live = self.break_to[*target].clone(),
                InstKind::Continue(target, _) => live = self.live.at_start[*target].clone(),
                InstKind::Return(_) | InstKind::Panic(..) | InstKind::Unreachable => live = SlotSet::default(),
                InstKind::Loop { body, .. } => live = self.enter_loop(*body, live),
                kind => {
                    let blocks = kind.blocks();
                    if !blocks.is_empty() {
                        let after = std::mem::take(&mut live);
                        for nested in blocks.iter() {
                            live.union(&self.block(*nested, &after));
                        }
                        self.live.after[blocks[0]] = after;
                    }
                }
            }
        }
        live
    }

    fn enter_loop(&mut self, body: BlockId, after: SlotSet) -> SlotSet {
        self.break_to[body] = after.clone();
        self.live.after[body] = after;
        // The set that is live at the start is G ∪ (X ∩ K) when X is live at each `continue`: a first round with X = ∅ finds G, and
        // a second with X = G finds it again and gets the sets inside right.
        self.depth += 1;
        self.live.at_start[body] = if self.depth <= EXACT_DEPTH {
            self.live.at_start[body] = SlotSet::default();
            self.block(body, &SlotSet::default())
        } else {
            self.loaded(body)
        };
        let start = self.block(body, &SlotSet::default());
        self.depth -= 1;
        self.live.at_start[body].union(&start);
        self.live.at_start[body].clone()
    }

    /// Everything the loop may read from a local, in whatever order.
    fn loaded(&self, body: BlockId) -> SlotSet {
        let mut all = SlotSet::default();
        super::edit::walk(self.function, body, &mut |_, inst| {
            let slot = match &inst.kind {
                InstKind::Load(place) => self.slots.of_place(place),
                InstKind::Store(place, _) if !place.path.is_empty() => self.slots.of_place(place),
                InstKind::Break(target, _) => {
                    all.union(&self.break_to[*target]);
                    None
                }
                InstKind::Continue(target, _) => {
                    all.union(&self.live.at_start[*target]);
                    None
                }
                _ => None,
            };
            if let Some(slot) = slot {
                all.insert(slot);
            }
        });
        all
    }
}
