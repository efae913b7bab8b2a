//! Loops that end after few rounds at the latest, and may end sooner: `position` and `any` over a local array, the steps of an insertion
//! sort. Their rounds are written one after the other into a loop that nobody continues, which [`tail_exits`](super::super::tail_exits) nests.

use super::super::edit::walk;
use super::{Changed, Chosen, Copy, MOST_INSTS, MOST_ROUNDS, Pass};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{Block, BlockId, Constant, Function, InstId, InstKind, Root, Unroll, ValueId};
use crate::passes::eval;
use crate::rounds::Counter;

/// Instructions that loops in a loop may become, of which most compute indices.
const MOST_INSTS_OF_INNER: usize = 3 * MOST_INSTS;

/// How many operations deep a condition is followed.
const DEPTH: usize = 8;

/// How such a loop runs.
pub(super) struct Leaving {
    /// The rounds that may be run to their end.
    pub(super) rounds: usize,
    /// Position in the body of the `if` that leaves the loop in the round behind these.
    pub(super) exit: usize,
    /// Its block that does.
    pub(super) leave: BlockId,
}

/// An `if` of a loop's body one of whose blocks leaves the loop.
struct Exit {
    at: usize,
    condition: ValueId,
    leave: BlockId,
    leaves_if: bool,
}

impl Pass<'_> {
    /// How a loop runs that is worth it, and that other things may end than its counter.
    pub(super) fn leaving(&self, id: InstId) -> Option<Leaving> {
        let InstKind::Loop { initial, body, unroll } = &self.view.function.insts[id].kind else { return None };
        let Chosen { most_rounds, first, .. } = self.chosen(initial, *body, *unroll)?;
        find(&self.counter(), first, (&[], &[]), (*body, most_rounds))
    }

    /// Whether the counters of a loop decide how many rounds loops in it have that choose elements, and all of these are not too long.
    pub(super) fn decides_inner(&self, body: BlockId, first: Vec<Option<Constant>>, written: &[bool]) -> bool {
        let (function, counter) = (&*self.view.function, self.counter());
        let block = &function.blocks[body];
        let inner = block.insts.iter().filter_map(|id| match &function.insts[*id].kind {
            InstKind::Loop { initial, body, unroll: Unroll::Auto } => Some((initial, *body)),
            _ => None,
        });
        let inner: Vec<_> = inner.filter(|(_, body)| chooses(function, *body, written)).collect();
        let Some(InstKind::Continue(_, next)) = block.insts.last().map(|last| &function.insts[*last].kind) else {
            return false;
        };
        let left = find(&counter, first.clone(), (&[], &[]), (body, MOST_ROUNDS));
        let (Some(left), false) = (left, inner.is_empty()) else { return false };
        let (mut known, mut size) = (first, 0);
        for _ in 0..left.rounds {
            for (initial, inner) in &inner {
                let starts = initial.iter().map(|value| counter.value(*value, &block.params, &known, 8)).collect();
                let around = (&block.params[..], &known[..]);
                let Some(left) = find(&counter, starts, around, (*inner, MOST_ROUNDS)) else { return false };
                walk(function, *inner, &mut |_, inst| {
                    if !matches!(inst.kind, InstKind::Const(_) | InstKind::Yield(_)) {
                        size += left.rounds;
                    }
                });
            }
            known = next.iter().map(|value| counter.value(*value, &block.params, &known, 8)).collect();
        }
        size <= MOST_INSTS_OF_INNER
    }

    /// Writes the rounds one after the other into the loop, which nobody continues then.
    pub(super) fn unroll_leaving(&mut self, id: InstId, leaving: &Leaving, out: &mut Vec<InstId>) {
        out.push(id);
        let InstKind::Loop { initial, body, .. } = self.view.function.insts[id].kind.clone() else { return };
        let Block { params, mut insts } = self.view.function.blocks[body].clone();
        let Some(last) = insts.pop() else { return };
        let InstKind::Continue(_, next) = self.view.function.insts[last].kind.clone() else { return };
        let leave = self.view.function.blocks[leaving.leave].insts.clone();
        let (mut copy, mut written) = (Copy::new(self.view.function.values.len()), Vec::new());
        let mut current = initial;
        for _ in 0..leaving.rounds {
            copy.round += 1;
            copy.bind(&params, &current);
            self.copy_all(&mut copy, &insts, &mut written);
            current = next.iter().map(|value| copy.get(*value)).collect();
        }
        copy.round += 1;
        copy.bind(&params, &current);
        self.copy_all(&mut copy, &insts[..leaving.exit], &mut written);
        // Each round before has a copy of its own, in a block of its own.
        for id in leave {
            written.extend(self.copy_inst(&mut copy, id, true));
        }
        self.view.function.blocks[body] = Block { params: Vec::new(), insts: written };
        if let InstKind::Loop { initial, .. } = &mut self.view.function.insts[id].kind {
            *initial = Few::default();
        }
        self.changed = Changed::Yes;
    }
}

/// Finds out how many rounds a loop has at most, whose parameters start as `first` says, if they are not more than `most`. `around` are the
/// parameters of a loop around it, as far as they are known.
pub(super) fn find<D: Fn(ValueId) -> Option<InstId>>(
    counter: &Counter<'_, D>,
    mut first: Vec<Option<Constant>>,
    (params, known): (&[ValueId], &[Option<Constant>]),
    (body, most): (BlockId, usize),
) -> Option<Leaving> {
    let params = [&counter.function.blocks[body].params, params].concat();
    first.extend(known);
    let block = &counter.function.blocks[body];
    let (last, insts) = block.insts.split_last()?;
    let InstKind::Continue(target, next) = &counter.function.insts[*last].kind else { return None };
    if *target != body {
        return None;
    }
    let exits: Vec<Exit> = insts.iter().enumerate().filter_map(|(at, id)| exit(counter, (at, *id), body)).collect();
    let mut round = 0;
    let (rounds, last) = loop {
        let is_left = |exit: &&Exit| {
            let condition = counter.value(exit.condition, &params, &first, DEPTH);
            condition.and_then(eval::is_true) == Some(exit.leaves_if)
        };
        if let Some(exit) = exits.iter().find(is_left) {
            break (round, exit);
        }
        if round == most {
            return None;
        }
        round += 1;
        let later = next.iter().map(|value| counter.value(*value, &params, &first, DEPTH));
        first = later.chain(known.iter().copied()).collect();
    };
    let mut is_alone = true;
    walk(counter.function, body, &mut |id, inst| {
        is_alone &= match inst.kind {
            InstKind::Continue(target, _) => target != body || id == block.insts[block.insts.len() - 1],
            // Others wait for those that run a round.
            _ => !inst.kind.needs_full_workgroup() && !matches!(inst.kind, InstKind::Fence(..)),
        };
    });
    is_alone.then_some(Leaving { rounds, exit: last.at, leave: last.leave })
}

fn exit<D: Fn(ValueId) -> Option<InstId>>(
    counter: &Counter<'_, D>,
    (at, id): (usize, InstId),
    body: BlockId,
) -> Option<Exit> {
    let InstKind::If { condition, then_block, else_block } = counter.function.insts[id].kind else { return None };
    let leaves = |block: &BlockId| counter.leaves(*block, body);
    let leave = [then_block, else_block].into_iter().find(leaves)?;
    Some(Exit { at, condition, leave, leaves_if: leave == then_block })
}

/// Whether a block, or one in it, chooses elements of locals that are written.
fn chooses(function: &Function, block: BlockId, written: &[bool]) -> bool {
    let mut found = false;
    walk(function, block, &mut |_, inst| {
        if let Some(place) = inst.kind.place()
            && let Root::Local(local) = place.root
        {
            found |= written[local.index()] && place.values().next().is_some();
        }
    });
    found
}
