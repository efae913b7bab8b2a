//! Leaves at once where an `if` behind another one would leave: `%t = if c { yield 0 } else { …; yield 1 }; if %t == 1 { yield } else { break }`
//! becomes `if c { break } else { …; yield }`.
//!
//! An `Option` that a loop asks for each round is such a value once its function is inlined, as in `while let Some(x) = stack.pop()`. Drivers do not
//! see through it. Where neither block of the second `if` leaves, as behind `row.get(k)?` in a function that was inlined, each goes to the end of the
//! block of the first one behind which it runs.

use super::edit::{Substitution, add_inst, walk, yields};
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, Inst, InstId, InstKind, ValueId};
use crate::op::Op;

/// Instructions between an `if` and a selection that goes with it, at most: each block has a copy of them.
const MOST_BETWEEN: usize = 12;

/// Values that a condition may be computed from, one from the other.
const DEEPEST: usize = 16;

/// Runs the pass where a block of the second `if` leaves.
pub fn run(function: &mut Function, _: &mut PassCx<'_>) -> Changed {
    let leaves = |block: &BlockId| yields(function, *block).is_none();
    let is_test = |kind: &InstKind| match kind {
        InstKind::If { then_block, else_block, .. } => leaves(then_block) != leaves(else_block),
        _ => false,
    };
    let mut is_any = false;
    walk(function, function.entry, &mut |_, inst| is_any |= is_test(&inst.kind));
    if is_any { thread(function, false) } else { Changed::No }
}

/// Runs the pass where neither leaves, and on selections. Branches that are cheap as selections are such by then.
pub fn run_on_results(function: &mut Function, _: &mut PassCx<'_>) -> Changed {
    let gives = |inst: &Inst| matches!(inst.kind, InstKind::If { .. }) && !inst.results.is_empty();
    let is_any = function.insts.iter().any(|(_, inst)| gives(inst));
    if is_any { thread(function, true) } else { Changed::No }
}

fn thread(function: &mut Function, on_results: bool) -> Changed {
    let mut definitions = vec![None; function.values.len()];
    for (id, inst) in function.insts.iter() {
        inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
    }
    let substitution = Substitution::of(function);
    let mut pass = Threader { function, on_results, definitions, substitution, changed: Changed::No };
    pass.block(pass.function.entry);
    let Threader { substitution, changed, .. } = pass;
    function.insts.values_mut().for_each(|inst| substitution.apply(&mut inst.kind));
    changed
}

struct Threader<'a> {
    function: &'a mut Function,
    /// Whether neither block of the second `if` leaves.
    on_results: bool,
    /// By value: what defines it.
    definitions: Vec<Option<InstId>>,
    substitution: Substitution,
    changed: Changed,
}

/// An `if` by whose results one can tell which way another one goes.
enum Pair {
    /// One of the blocks of the second one leaves.
    Leaves {
        first: InstId,
        /// The block of the first one behind which the second one leaves.
        leaving: BlockId,
        /// The block of the second one that leaves.
        left_to: BlockId,
        /// The block of the second one that goes on.
        stays: BlockId,
    },
    /// Both yield: the blocks of the first one, and behind each the block of the second one that runs.
    Both { first: InstId, arms: [(BlockId, BlockId); 2] },
    /// A selection in place of the second one: the blocks of the first one, and for each the value that is chosen. Where a branch at the
    /// block's end decides, the block has the selection, which may go to the end of that branch's blocks.
    Chosen { first: InstId, arms: [(BlockId, Option<ValueId>); 2] },
}

/// Values of a block in place of others.
struct Known(Vec<(ValueId, ValueId)>);

impl Known {
    fn get(&self, value: ValueId) -> ValueId {
        self.0.iter().find(|(from, _)| *from == value).map_or(value, |(_, to)| *to)
    }
}

impl Threader<'_> {
    fn block(&mut self, block: BlockId) {
        let mut at = 0;
        while at < self.function.blocks[block].insts.len() {
            let id = self.function.blocks[block].insts[at];
            for nested in self.function.insts[id].kind.blocks() {
                self.block(nested);
            }
            let Some((second, pair)) = self.pair_from(block, at) else {
                at += 1;
                continue;
            };
            self.join(block, second, &pair);
            self.changed = Changed::Yes;
            // What its blocks have now may go on into theirs.
            if matches!(pair, Pair::Leaves { .. }) {
                at += 1;
            }
        }
    }

    /// The `if` that goes with the one at a position of a block, and where it stands.
    fn pair_from(&self, block: BlockId, at: usize) -> Option<(usize, Pair)> {
        let insts = &self.function.blocks[block].insts;
        let InstKind::If { then_block, else_block, .. } = self.function.insts[insts[at]].kind else { return None };
        let arms = [then_block, else_block];
        if self.function.insts[insts[at]].results.is_empty()
            || arms.iter().any(|arm| yields(self.function, *arm).is_none())
        {
            return None;
        }
        let is_pure = |id: &InstId| self.function.insts[*id].kind.is_pure();
        let behind = insts[at + 1..].iter().take(MOST_BETWEEN).take_while(|id| is_pure(id)).enumerate();
        let chosen = behind.filter(|_| self.on_results).find_map(|(between, id)| {
            let InstKind::Op(Op::Select, operands) = &self.function.insts[*id].kind else { return None };
            let ways = arms.map(|arm| self.truth(operands[0], insts[at], arm, DEEPEST));
            let is_told = self.asks_for_tag(operands[0])
                && match ways {
                    [Some(way), Some(other)] => way != other,
                    [Some(_), None] => self.ends_with_branch(arms[1]),
                    [None, Some(_)] => self.ends_with_branch(arms[0]),
                    [None, None] => false,
                };
            let given = |way: bool| if way { operands[1] } else { operands[2] };
            let arms = [0, 1].map(|at| (arms[at], ways[at].map(given)));
            is_told.then_some((at + 1 + between, Pair::Chosen { first: insts[at], arms }))
        });
        if chosen.is_some() {
            return chosen;
        }
        let second = at + 1 + insts[at + 1..].iter().position(|id| !is_pure(id))?;
        let InstKind::If { condition, then_block, else_block } = self.function.insts[insts[second]].kind else {
            return None;
        };
        let [then_stays, else_stays] = [then_block, else_block].map(|block| yields(self.function, block).is_some());
        let ways = arms.map(|arm| self.truth(condition, insts[at], arm, DEEPEST));
        let [Some(way), Some(_)] = ways.map(|way| way.filter(|_| ways[0] != ways[1])) else { return None };
        let (stays, left_to) = match (then_stays, else_stays) {
            (true, false) => (then_block, else_block),
            (false, true) => (else_block, then_block),
            (true, true) if self.on_results && self.asks_for_tag(condition) => {
                let behind = if way { [then_block, else_block] } else { [else_block, then_block] };
                let arms = [(arms[0], behind[0]), (arms[1], behind[1])];
                return Some((second, Pair::Both { first: insts[at], arms }));
            }
            (true, true) | (false, false) => return None,
        };
        if self.on_results {
            return None;
        }
        let leaving = arms[usize::from(way == then_stays)];
        // What leaves moves in front of what is computed between the two.
        let between = &insts[at + 1..second];
        let is_between = |value: ValueId| self.definitions[value.index()].is_some_and(|id| between.contains(&id));
        let pair = Pair::Leaves { first: insts[at], leaving, left_to, stays };
        (!self.uses(left_to, &is_between)).then_some((second, pair))
    }

    /// Whether a condition asks for a member of a composite value, as the tag of an `Option` is.
    fn asks_for_tag(&self, condition: ValueId) -> bool {
        let kind = |value: ValueId| self.definitions[value.index()].map(|id| &self.function.insts[id].kind);
        match kind(condition) {
            Some(InstKind::Op(Op::Not, operands)) => self.asks_for_tag(operands[0]),
            Some(InstKind::Op(Op::Eq | Op::Ne, operands)) => {
                operands.iter().any(|operand| matches!(kind(*operand), Some(InstKind::Extract(..))))
            }
            kind => matches!(kind, Some(InstKind::Extract(..))),
        }
    }

    /// Whether the last thing in a block is a branch that gives what the block yields.
    fn ends_with_branch(&self, block: BlockId) -> bool {
        let insts = &self.function.blocks[block].insts;
        let Some(before_last) = insts.len().checked_sub(2).map(|at| &self.function.insts[insts[at]]) else {
            return false;
        };
        matches!(before_last.kind, InstKind::If { .. })
            && yields(self.function, block)
                .is_some_and(|given| given.iter().any(|value| before_last.results.contains(value)))
    }

    /// Whether a block uses such a value.
    fn uses(&self, block: BlockId, is_one: &dyn Fn(ValueId) -> bool) -> bool {
        let mut found = false;
        walk(self.function, block, &mut |_, inst| inst.kind.for_each_use(|value| found |= is_one(value)));
        found
    }

    /// A condition, if the first `if` goes through `arm`.
    fn truth(&self, condition: ValueId, first: InstId, arm: BlockId, left: usize) -> Option<bool> {
        let left = left.checked_sub(1)?;
        let kind = self.definitions[condition.index()].map(|id| &self.function.insts[id].kind);
        match kind {
            Some(InstKind::Op(Op::Not, operands)) => Some(!self.truth(operands[0], first, arm, left)?),
            Some(InstKind::Op(op @ (Op::Eq | Op::Ne), operands)) => {
                let [a, b] = [0, 1].map(|at| self.number(operands[at], &[], first, arm, left));
                Some((a? == b?) == (*op == Op::Eq))
            }
            _ => Some(self.number(condition, &[], first, arm, left)? != 0),
        }
    }

    /// The number at a path of a value, if the first `if` goes through `arm`.
    fn number(&self, value: ValueId, path: &[u32], first: InstId, arm: BlockId, left: usize) -> Option<u32> {
        let left = left.checked_sub(1)?;
        let id = self.definitions[value.index()]?;
        match &self.function.insts[id].kind {
            InstKind::If { .. } if id == first => {
                let at = self.function.insts[id].results.iter().position(|result| *result == value)?;
                self.number(*yields(self.function, arm)?.get(at)?, path, first, arm, left)
            }
            InstKind::Extract(whole, steps) => self.number(*whole, &[steps, path].concat(), first, arm, left),
            InstKind::Compose(members) => {
                let (member, rest) = path.split_first()?;
                self.number(*members.get(*member as usize)?, rest, first, arm, left)
            }
            InstKind::Const(Constant::Zero) => Some(0),
            InstKind::Const(Constant::U32(value)) => Some(*value),
            InstKind::Const(Constant::Bool(value)) => Some((*value).into()),
            _ => None,
        }
    }

    fn join(&mut self, block: BlockId, second: usize, pair: &Pair) {
        match *pair {
            Pair::Leaves { first, leaving, left_to, stays } => {
                self.leave(block, second, (first, leaving, left_to), stays)
            }
            Pair::Both { first, arms } => self.move_both(block, second, first, arms),
            Pair::Chosen { first, arms } => self.move_choice(block, second, first, arms),
        }
    }

    /// Puts each block of the second `if` behind the block of the first one behind which it runs.
    fn move_both(&mut self, block: BlockId, second: usize, first: InstId, arms: [(BlockId, BlockId); 2]) {
        let insts = &mut self.function.blocks[block].insts;
        let last = insts.remove(second);
        let start = insts.iter().position(|id| *id == first).map_or(second, |at| at + 1);
        let between = insts[start..second].to_vec();
        for (arm, behind) in arms {
            let known = self.compute_in(arm, first, &between);
            let mut moved = Vec::new();
            walk(self.function, behind, &mut |id, _| moved.push(id));
            for id in moved {
                self.function.insts[id].kind.map_uses(|value| known.get(value));
            }
            let mut rest = std::mem::take(&mut self.function.blocks[behind].insts);
            let given = match rest.pop().map(|last| &self.function.insts[last].kind) {
                Some(InstKind::Yield(values)) => values.to_vec(),
                _ => Vec::new(),
            };
            let insts = &mut self.function.blocks[arm].insts;
            let end = insts.len().saturating_sub(1);
            insts.splice(end..end, rest);
            self.yield_too(arm, &given);
        }
        self.give_too(first, last);
    }

    /// Lets each block of the first `if` give what is selected behind it.
    fn move_choice(&mut self, block: BlockId, second: usize, first: InstId, arms: [(BlockId, Option<ValueId>); 2]) {
        let insts = &mut self.function.blocks[block].insts;
        let last = insts.remove(second);
        let start = insts.iter().position(|id| *id == first).map_or(second, |at| at + 1);
        let between = insts[start..second].to_vec();
        let choice = self.function.insts[last].results.first().copied();
        for (arm, given) in arms {
            let known = match given {
                Some(_) => self.compute_in(arm, first, &between),
                None => self.compute_in(arm, first, &[&between[..], &[last]].concat()),
            };
            self.yield_too(arm, &given.or(choice).map(|value| known.get(value)).into_iter().collect::<Vec<_>>());
        }
        self.give_too(first, last);
    }

    /// Computes at the end of a block of the first `if` what is computed behind it: the values in place of its results and of those.
    fn compute_in(&mut self, arm: BlockId, first: InstId, between: &[InstId]) -> Known {
        let results = self.function.insts[first].results.iter().copied();
        let mut known = Known(results.zip(yields(self.function, arm).unwrap_or_default().iter().copied()).collect());
        for id in between {
            let Inst { mut kind, results, location } = self.function.insts[*id].clone();
            let [result] = results[..] else { continue };
            kind.map_uses(|value| known.get(value));
            let (copy, value) = add_inst(self.function, kind, self.function.values[result].ty, location);
            self.definitions.resize(self.function.values.len(), None);
            self.definitions[value.index()] = Some(copy);
            let insts = &mut self.function.blocks[arm].insts;
            insts.insert(insts.len().saturating_sub(1), copy);
            known.0.push((result, value));
        }
        known
    }

    /// Lets a block yield more values.
    fn yield_too(&mut self, arm: BlockId, more: &[ValueId]) {
        let Some(end) = self.function.blocks[arm].insts.last() else { return };
        if let InstKind::Yield(values) = &mut self.function.insts[*end].kind {
            *values = [&values[..], more].concat().into();
        }
    }

    /// Lets the first `if` give what the second one gave.
    fn give_too(&mut self, first: InstId, second: InstId) {
        let moved = std::mem::take(&mut self.function.insts[second].results);
        moved.iter().for_each(|result| self.definitions[result.index()] = Some(first));
        let results = &mut self.function.insts[first].results;
        *results = [&results[..], &moved[..]].concat().into();
    }

    /// Lets one block of the first `if` leave, and puts what stays into the place of the second.
    fn leave(
        &mut self,
        block: BlockId,
        second: usize,
        (first, leaving, left_to): (InstId, BlockId, BlockId),
        stays: BlockId,
    ) {
        // There the results of the first one are what this block yields.
        let known = yields(self.function, leaving).unwrap_or_default().to_vec();
        let results = self.function.insts[first].results.clone();
        let mut left = Vec::new();
        walk(self.function, left_to, &mut |id, _| left.push(id));
        for id in left {
            self.function.insts[id].kind.map_uses(|value| {
                let at = results.iter().position(|result| *result == value);
                at.and_then(|at| known.get(at)).copied().unwrap_or(value)
            });
        }
        let moved = std::mem::take(&mut self.function.blocks[left_to].insts);
        let arm = &mut self.function.blocks[leaving].insts;
        arm.pop();
        arm.extend(moved);
        let mut stays = std::mem::take(&mut self.function.blocks[stays].insts);
        let id = self.function.blocks[block].insts[second];
        let results = std::mem::take(&mut self.function.insts[id].results);
        let last = stays.pop().expect("a block ends with a terminator");
        if let InstKind::Yield(values) = &self.function.insts[last].kind {
            results.iter().zip(values).for_each(|(result, value)| self.substitution.set(*result, *value));
        }
        self.function.blocks[block].insts.splice(second..=second, stays);
    }
}
