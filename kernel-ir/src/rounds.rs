//! The number of rounds of a loop whose counters start at constants and alone decide its end. Changes nothing.

use crate::arena::EntityId;
use crate::hash::FastMap;
use crate::ir::{BlockId, Constant, Function, Inst, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{Scalar, Type, Types};

/// How many operations deep a counter is followed.
const DEPTH: usize = 6;

/// A loop that is left at one place, from which each round goes on to the end of the body.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    /// Position in the body of the `if` that decides whether there is another round.
    pub(crate) exit: usize,
    /// The block of it that goes on, and yields at once.
    pub(crate) stay: BlockId,
    /// The block of it that leaves the loop.
    pub(crate) leave: BlockId,
    /// How often control passes it.
    pub(crate) rounds: usize,
}

/// The only way out of a loop, from which each round goes on to the end of the body.
pub(crate) struct Exit<'a> {
    /// Position in the body of the `if` that decides whether there is another round.
    pub(crate) at: usize,
    pub(crate) stay: BlockId,
    pub(crate) leave: BlockId,
    pub(crate) condition: ValueId,
    /// Whether there is another round where the condition holds, or where it does not.
    pub(crate) stays_if: bool,
    /// The values of the body's parameters in the next round.
    pub(crate) next: &'a [ValueId],
}

/// A loop with a counter, and access to the values from before it.
pub(crate) struct Counter<'a, D> {
    pub(crate) function: &'a Function,
    pub(crate) types: &'a Types,
    /// The instruction that defines a value, inside of the loop or before it.
    pub(crate) definition: D,
}

impl<D: Fn(ValueId) -> Option<InstId>> Counter<'_, D> {
    /// Whether there is anything to count: what decides about the first round is known. Takes less than counting does.
    pub(crate) fn starts(&self, initial: &[ValueId], body: BlockId) -> bool {
        let block = &self.function.blocks[body];
        let decides = |id: &InstId| match self.function.insts[*id].kind {
            InstKind::If { condition, .. } => Some(condition),
            _ => None,
        };
        let Some(condition) = block.insts.iter().find_map(decides) else { return false };
        let first: Vec<_> = initial.iter().map(|value| self.value(*value, &[], &[], DEPTH)).collect();
        self.value(condition, &block.params, &first, DEPTH).is_some()
    }

    /// The way out of a loop, if there is but one as far as the rest of the body does not jump.
    fn exit(&self, body: BlockId) -> Option<Exit<'_>> {
        let block = &self.function.blocks[body];
        let (last, insts) = block.insts.split_last()?;
        let InstKind::Continue(target, next) = &self.function.insts[*last].kind else { return None };
        let exit = insts.iter().position(|id| !self.function.insts[*id].kind.blocks().is_empty())?;
        let InstKind::If { condition, then_block, else_block } = self.function.insts[insts[exit]].kind else {
            return None;
        };
        let (stay, leave, stays_if) = match (self.only_yields(then_block), self.only_yields(else_block)) {
            (true, false) => (then_block, else_block, true),
            (false, true) => (else_block, then_block, false),
            _ => return None,
        };
        if *target != body || !self.leaves(leave, body) {
            return None;
        }
        Some(Exit { at: exit, stay, leave, condition, stays_if, next })
    }

    /// The only way out of a loop.
    pub(crate) fn only_exit(&self, body: BlockId) -> Option<Exit<'_>> {
        self.exit(body).filter(|exit| !self.jumps_behind(body, exit.at))
    }

    fn jumps_behind(&self, body: BlockId, exit: usize) -> bool {
        let insts = &self.function.blocks[body].insts;
        insts[exit + 1..insts.len() - 1].iter().any(|id| self.jumps_to(&self.function.insts[*id], body))
    }

    /// Counts the rounds of a loop, up to `most`.
    pub(crate) fn count(&self, initial: &[ValueId], body: BlockId, most: usize) -> Option<Counted> {
        let block = &self.function.blocks[body];
        let Exit { at: exit, stay, leave, condition, stays_if, next } = self.exit(body)?;
        // Asked last: most loops that are not counted are so by their ends.
        let jumps = || self.jumps_behind(body, exit);
        if let Some(rounds) = self.count_up(condition, stays_if, initial, &block.params, next) {
            return (rounds <= most && !jumps()).then_some(Counted { exit, stay, leave, rounds });
        }
        // Counters that are known: those that start so, and whose next value follows from such.
        let mut known: Vec<Option<Constant>> =
            initial.iter().map(|value| self.value(*value, &[], &[], DEPTH)).collect();
        let mut later = Vec::with_capacity(next.len());
        for rounds in 0..=most {
            let goes_on = eval::is_true(self.value(condition, &block.params, &known, DEPTH)?)? == stays_if;
            if !goes_on {
                return (!jumps()).then_some(Counted { exit, stay, leave, rounds });
            }
            later.clear();
            later.extend(next.iter().map(|value| self.value(*value, &block.params, &known, DEPTH)));
            std::mem::swap(&mut known, &mut later);
        }
        None
    }

    /// The rounds of a loop that goes on while one counter, to which each round adds a constant, is below another constant.
    fn count_up(
        &self,
        condition: ValueId,
        stays_if: bool,
        initial: &[ValueId],
        params: &[ValueId],
        next: &[ValueId],
    ) -> Option<usize> {
        let op = |value: ValueId| match &self.function.insts[(self.definition)(value)?].kind {
            InstKind::Op(op, operands) => Some((*op, &operands[..])),
            _ => None,
        };
        let number = |value: ValueId| match self.function.insts[(self.definition)(value)?].kind {
            InstKind::Const(Constant::U32(number)) => Some(u64::from(number)),
            _ => None,
        };
        let (Op::Lt, &[counter, end]) = op(condition).filter(|_| stays_if)? else { return None };
        let position = params.iter().position(|param| *param == counter)?;
        let (start, end) = (number(initial[position])?, number(end)?);
        let (Op::Add, &[added_to, step]) = op(next[position])? else { return None };
        let step = number(step).filter(|step| *step > 0 && added_to == counter)?;
        let rounds = end.saturating_sub(start).div_ceil(step);
        // A sum that wraps starts anew.
        let last = start + rounds * step;
        (last <= u32::MAX.into()).then(|| usize::try_from(rounds).ok()).flatten()
    }

    /// The constant that a value is in a round whose parameters are known as far as given.
    pub(crate) fn value(
        &self,
        value: ValueId,
        params: &[ValueId],
        known: &[Option<Constant>],
        depth: usize,
    ) -> Option<Constant> {
        if let Some(position) = params.iter().position(|param| *param == value) {
            return known[position];
        }
        let depth = depth.checked_sub(1)?;
        let inst = &self.function.insts[(self.definition)(value)?];
        match &inst.kind {
            InstKind::Const(constant) => Some(*constant),
            InstKind::Op(op, operands) => {
                let Type::Scalar(scalar) = *self.types.get(self.function.values[value].ty) else { return None };
                // One side may decide, as of `at > 0 && row[at - 1] > row[at]`.
                if let (Op::And | Op::Or, Scalar::Bool) = (op, scalar) {
                    let known = |side: &ValueId| self.value(*side, params, known, depth);
                    let decides = |side: &Constant| eval::is_true(*side) == Some(*op == Op::Or);
                    if let Some(side) = operands.iter().filter_map(known).find(decides) {
                        return Some(side);
                    }
                }
                let mut constants = [Constant::Zero; 3];
                for (constant, operand) in constants.iter_mut().zip(operands) {
                    *constant = self.value(*operand, params, known, depth)?;
                }
                eval::evaluate(*op, &constants[..operands.len()], scalar)
            }
            InstKind::If { condition, then_block, else_block } => {
                let position = inst.results.iter().position(|result| *result == value)?;
                let is_true = eval::is_true(self.value(*condition, params, known, depth)?)?;
                let taken = &self.function.blocks[if is_true { *then_block } else { *else_block }];
                match &self.function.insts[*taken.insts.last()?].kind {
                    InstKind::Yield(values) => self.value(values[position], params, known, depth),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn only_yields(&self, block: BlockId) -> bool {
        let insts = &self.function.blocks[block].insts;
        insts.len() == 1 && matches!(self.function.insts[insts[0]].kind, InstKind::Yield(_))
    }

    /// Whether the block runs straight out of the loop.
    pub(crate) fn leaves(&self, block: BlockId, body: BlockId) -> bool {
        let Some((last, insts)) = self.function.blocks[block].insts.split_last() else { return false };
        matches!(self.function.insts[*last].kind, InstKind::Break(target, _) if target == body)
            && insts.iter().all(|id| self.function.insts[*id].kind.blocks().is_empty())
    }

    /// Whether the instruction, or one in its blocks, jumps within or out of the loop.
    fn jumps_to(&self, inst: &Inst, body: BlockId) -> bool {
        match inst.kind {
            InstKind::Break(target, _) | InstKind::Continue(target, _) => target == body,
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => {
                let jumps = |id: &InstId| self.jumps_to(&self.function.insts[*id], body);
                inst.kind.blocks().iter().any(|block| self.function.blocks[*block].insts.iter().any(jumps))
            }
            _ => false,
        }
    }
}

/// Values that are looked at for one that may be counted.
const MOST_SEEN: usize = 64;

/// The values that loops count, however often they run.
pub(crate) struct Counters<'f> {
    function: &'f Function,
    /// By value: the instruction that defines it.
    definitions: &'f [Option<InstId>],
    /// By parameter of a loop, the values it is given.
    carried: FastMap<ValueId, Vec<ValueId>>,
}

impl<'f> Counters<'f> {
    /// The counters of a function, of which it is known what defines each value.
    pub(crate) fn of(function: &'f Function, definitions: &'f [Option<InstId>]) -> Self {
        let mut carried: FastMap<ValueId, Vec<ValueId>> = FastMap::default();
        for (_, inst) in function.insts.iter() {
            let (InstKind::Loop { initial: values, body, .. } | InstKind::Continue(body, values)) = &inst.kind else {
                continue;
            };
            for (param, value) in function.blocks[*body].params.iter().zip(values) {
                carried.entry(*param).or_default().push(*value);
            }
        }
        Self { function, definitions, carried }
    }

    /// Whether a value is made of constants, and of what loops make of constants round by round.
    pub(crate) fn decide(&self, value: ValueId) -> bool {
        self.decide_within(value, &mut Vec::new())
    }

    /// `seen` are the values that were asked about.
    fn decide_within(&self, value: ValueId, seen: &mut Vec<ValueId>) -> bool {
        if seen.contains(&value) {
            return true;
        }
        if seen.len() == MOST_SEEN {
            return false;
        }
        seen.push(value);
        if let Some(values) = self.carried.get(&value) {
            return values.iter().all(|value| self.decide_within(*value, seen));
        }
        match self.definitions[value.index()].map(|id| &self.function.insts[id].kind) {
            Some(InstKind::Const(_)) => true,
            Some(InstKind::Op(_, operands)) => operands.iter().all(|operand| self.decide_within(*operand, seen)),
            _ => false,
        }
    }
}

/// The instruction that defines each value of a function, by number.
pub(crate) fn definitions(function: &Function) -> Vec<Option<InstId>> {
    let mut definitions = vec![None; function.values.len()];
    for (id, inst) in function.insts.iter() {
        for result in &inst.results {
            definitions[result.index()] = Some(id);
        }
    }
    definitions
}
