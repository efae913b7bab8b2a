//! Leaves at once where an `if` behind another one would leave: `%t = if c { yield 0 } else { …; yield 1 }; if %t == 1 { yield } else { break }`
//! becomes `if c { break } else { …; yield }`.
//!
//! An `Option` that a loop asks for each round is such a value once its function is inlined, as in `while let Some(x) = stack.pop()`. Drivers do not
//! see through it.

use super::edit::{Substitution, walk, yields};
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, ValueId};
use crate::op::Op;

/// Values that a condition may be computed from, one from the other.
const DEEPEST: usize = 16;

/// Runs the pass.
pub fn run(function: &mut Function, _: &mut PassCx<'_>) -> Changed {
    let leaves = |block: &BlockId| yields(function, *block).is_none();
    let is_test = |kind: &InstKind| match kind {
        InstKind::If { then_block, else_block, .. } => leaves(then_block) != leaves(else_block),
        _ => false,
    };
    let mut is_any = false;
    walk(function, function.entry, &mut |_, inst| is_any |= is_test(&inst.kind));
    if !is_any {
        return Changed::No;
    }
    let mut definitions = vec![None; function.values.len()];
    for (id, inst) in function.insts.iter() {
        inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
    }
    let substitution = Substitution::of(function);
    let mut pass = Threader { function, definitions, substitution, changed: Changed::No };
    pass.block(pass.function.entry);
    let Threader { substitution, changed, .. } = pass;
    function.insts.values_mut().for_each(|inst| substitution.apply(&mut inst.kind));
    changed
}

struct Threader<'a> {
    function: &'a mut Function,
    /// By value: what defines it.
    definitions: Vec<Option<InstId>>,
    substitution: Substitution,
    changed: Changed,
}

/// An `if` by whose results one can tell which way another one goes.
struct Pair {
    first: InstId,
    /// The block of the first one behind which the second one leaves.
    leaving: BlockId,
    /// The block of the second one that leaves.
    left_to: BlockId,
    /// The block of the second one that goes on.
    stays: BlockId,
}

impl Threader<'_> {
    fn block(&mut self, block: BlockId) {
        let mut at = 0;
        while at < self.function.blocks[block].insts.len() {
            let id = self.function.blocks[block].insts[at];
            for nested in self.function.insts[id].kind.blocks() {
                self.block(nested);
            }
            if let Some((second, pair)) = self.pair_from(block, at) {
                self.join(block, second, &pair);
                self.changed = Changed::Yes;
            }
            at += 1;
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
        let second = at + 1 + insts[at + 1..].iter().position(|id| !is_pure(id))?;
        let InstKind::If { condition, then_block, else_block } = self.function.insts[insts[second]].kind else {
            return None;
        };
        let [then_stays, else_stays] = [then_block, else_block].map(|block| yields(self.function, block).is_some());
        let (stays, left_to) = match (then_stays, else_stays) {
            (true, false) => (then_block, else_block),
            (false, true) => (else_block, then_block),
            _ => return None,
        };
        let ways = arms.map(|arm| self.truth(condition, insts[at], arm, DEEPEST));
        let leaving = match ways {
            [Some(a), Some(b)] if a != b => arms[usize::from(a == then_stays)],
            _ => return None,
        };
        // What leaves moves in front of what is computed between the two.
        let between = &insts[at + 1..second];
        let is_between = |value: ValueId| self.definitions[value.index()].is_some_and(|id| between.contains(&id));
        (!self.uses(left_to, &is_between)).then_some((second, Pair { first: insts[at], leaving, left_to, stays }))
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

    /// Lets one block of the first `if` leave, and puts what stays into the place of the second.
    fn join(&mut self, block: BlockId, second: usize, pair: &Pair) {
        // There the results of the first one are what this block yields.
        let known = yields(self.function, pair.leaving).unwrap_or_default().to_vec();
        let results = self.function.insts[pair.first].results.clone();
        let mut left = Vec::new();
        walk(self.function, pair.left_to, &mut |id, _| left.push(id));
        for id in left {
            self.function.insts[id].kind.map_uses(|value| {
                let at = results.iter().position(|result| *result == value);
                at.and_then(|at| known.get(at)).copied().unwrap_or(value)
            });
        }
        let moved = std::mem::take(&mut self.function.blocks[pair.left_to].insts);
        let arm = &mut self.function.blocks[pair.leaving].insts;
        arm.pop();
        arm.extend(moved);
        let mut stays = std::mem::take(&mut self.function.blocks[pair.stays].insts);
        let id = self.function.blocks[block].insts[second];
        let results = std::mem::take(&mut self.function.insts[id].results);
        let last = stays.pop().expect("a block ends with a terminator");
        if let InstKind::Yield(values) = &self.function.insts[last].kind {
            results.iter().zip(values).for_each(|(result, value)| self.substitution.set(*result, *value));
        }
        self.function.blocks[block].insts.splice(second..=second, stays);
    }
}
