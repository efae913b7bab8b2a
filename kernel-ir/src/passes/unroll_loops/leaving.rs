//! Loops that end after few rounds at the latest, and may end sooner: `position` and `any` over a local array, the steps of an insertion
//! sort. Their rounds are written one after the other into a loop that nobody continues, which [`tail_exits`](super::super::tail_exits) nests.

use super::super::edit::walk;
use crate::ir::{BlockId, Constant, InstId, InstKind, ValueId};
use crate::passes::eval;
use crate::rounds::Counter;

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
