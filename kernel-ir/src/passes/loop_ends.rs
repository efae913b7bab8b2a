//! Loops of which it is plain that they end, whatever the values in them. It knows counters and halving; what it does not
//! know may end all the same.

use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::types::{Type, Types};

/// Largest bound for which a counter that doubles, signed or not, passes it before it wraps.
const DOUBLING: u32 = 1 << 30;

/// Whether the loop with this body ends after some number of rounds, if each round does.
pub(crate) fn ends(function: &Function, types: &Types, body: BlockId) -> bool {
    let mut initial = &[][..];
    let mut defined_at = vec![None; function.values.len()];
    for (_, inst) in function.insts.iter() {
        if let InstKind::Loop { initial: first, body: of, .. } = &inst.kind
            && *of == body
        {
            initial = first;
        }
        inst.results.iter().for_each(|result| defined_at[result.index()] = Some(&inst.kind));
    }
    let cx = Cx { function, types, body, initial, definitions: defined_at };
    let Some(exit) = cx.exit() else { return false };
    let mut continues = Vec::new();
    cx.continues(body, &mut continues);
    let inside = cx.values_inside();
    let params = function.blocks[body].params.iter().enumerate();
    params.into_iter().any(|(at, param)| {
        let next = continues.iter().map(|values| values.get(at).copied());
        next.clone().count() > 0
            && next.into_iter().all(|next| next.is_some_and(|next| cx.nears(&exit, *param, at, next, &inside)))
    })
}

/// The condition that keeps a loop going.
struct Condition {
    op: Op,
    left: ValueId,
    right: ValueId,
}

struct Cx<'f> {
    function: &'f Function,
    types: &'f Types,
    body: BlockId,
    initial: &'f [ValueId],
    definitions: Vec<Option<&'f InstKind>>,
}

impl<'f> Cx<'f> {
    /// The comparison that leaves the loop where it fails, and that each round makes.
    fn exit(&self) -> Option<Condition> {
        for id in &self.function.blocks[self.body].insts {
            match &self.function.insts[*id].kind {
                InstKind::If { condition, then_block, else_block } => {
                    let (stays, leaves) = (self.leaves(*else_block), self.leaves(*then_block));
                    if stays || leaves {
                        return self.condition(*condition, stays);
                    }
                }
                InstKind::Switch { .. } | InstKind::Loop { .. } => {}
                _ => continue,
            }
            // A round may begin anew before it comes to the comparison.
            if self.continues_within(*id) {
                return None;
            }
        }
        None
    }

    fn leaves(&self, block: BlockId) -> bool {
        let last = self.function.blocks[block].insts.last();
        last.is_some_and(
            |last| matches!(&self.function.insts[*last].kind, InstKind::Break(body, _) if *body == self.body),
        )
    }

    /// The comparison that holds where the loop goes on.
    fn condition(&self, value: ValueId, goes_on: bool) -> Option<Condition> {
        match (self.definition(value)?, goes_on) {
            (InstKind::Op(Op::Not, operands), _) => self.condition(operands[0], !goes_on),
            (InstKind::Op(op @ (Op::Lt | Op::Gt | Op::Ne), operands), true) => {
                Some(Condition { op: *op, left: operands[0], right: operands[1] })
            }
            (InstKind::Op(op @ (Op::Ge | Op::Le | Op::Eq), operands), false) => {
                let op = match op {
                    Op::Ge => Op::Lt,
                    Op::Le => Op::Gt,
                    _ => Op::Ne,
                };
                Some(Condition { op, left: operands[0], right: operands[1] })
            }
            _ => None,
        }
    }

    /// Whether each round brings a parameter nearer to the end of the loop, without stepping over it.
    fn nears(&self, exit: &Condition, param: ValueId, at: usize, next: ValueId, inside: &[bool]) -> bool {
        let Some(InstKind::Op(step, operands)) = self.definition(next) else { return false };
        let by = match operands[..] {
            [a, b] if a == param => self.constant(b),
            [a, b] if b == param && matches!(step, Op::Add | Op::Mul) => self.constant(a),
            _ => None,
        };
        let Some(by) = by else { return false };
        let (rises, bound) = match (exit.op, exit.left == param, exit.right == param) {
            (Op::Lt, true, _) | (Op::Gt, _, true) => {
                (Some(true), if exit.left == param { exit.right } else { exit.left })
            }
            (Op::Gt, true, _) | (Op::Lt, _, true) => {
                (Some(false), if exit.left == param { exit.right } else { exit.left })
            }
            (Op::Ne, true, _) => (None, exit.right),
            (Op::Ne, _, true) => (None, exit.left),
            _ => return false,
        };
        if bound == param || inside[bound.index()] {
            return false;
        }
        let end = self.constant(bound);
        // Halving brings what is negative to zero or to -1, and stays there.
        let halves_to =
            end.is_some() && rises == Some(false) || end == Some(0) && rises.is_none() && self.is_unsigned(param);
        match step {
            // It visits every value before it comes around.
            Op::Add => by == 1 && rises != Some(false),
            Op::Sub => by == 1 && rises != Some(true),
            Op::Shr => (1..32).contains(&by) && halves_to,
            Op::Div => by > 1 && halves_to,
            Op::Shl | Op::Mul => {
                let doubles = by == if *step == Op::Shl { 1 } else { 2 };
                let starts = self.initial.get(at).and_then(|first| self.constant(*first));
                let passes = end.is_some_and(|end| end <= DOUBLING);
                doubles && passes && starts.is_some_and(|first| first > 0) && rises == Some(true)
            }
            _ => false,
        }
    }

    fn is_unsigned(&self, value: ValueId) -> bool {
        matches!(self.types.get(self.function.values[value].ty), Type::Scalar(scalar) if scalar.is_unsigned())
    }

    fn constant(&self, value: ValueId) -> Option<u32> {
        match self.definition(value)? {
            InstKind::Const(Constant::U32(word)) => Some(*word),
            InstKind::Const(Constant::Zero) => Some(0),
            InstKind::Const(Constant::I32(word)) => u32::try_from(*word).ok(),
            _ => None,
        }
    }

    fn definition(&self, value: ValueId) -> Option<&'f InstKind> {
        self.definitions[value.index()]
    }

    /// The values of all jumps to the next round.
    fn continues(&self, block: BlockId, found: &mut Vec<&'f [ValueId]>) {
        for id in &self.function.blocks[block].insts {
            match &self.function.insts[*id].kind {
                InstKind::Continue(body, values) if *body == self.body => found.push(values),
                kind => kind.blocks().into_iter().for_each(|inner| self.continues(inner, found)),
            }
        }
    }

    fn continues_within(&self, id: InstId) -> bool {
        let mut found = Vec::new();
        self.function.insts[id].kind.blocks().into_iter().for_each(|block| self.continues(block, &mut found));
        !found.is_empty()
    }

    /// By value: whether a round defines it.
    fn values_inside(&self) -> Vec<bool> {
        let mut inside = vec![false; self.function.values.len()];
        let mut mark = |values: &[ValueId]| values.iter().for_each(|value| inside[value.index()] = true);
        let mut todo = vec![self.body];
        while let Some(block) = todo.pop() {
            mark(&self.function.blocks[block].params);
            for id in &self.function.blocks[block].insts {
                let inst = &self.function.insts[*id];
                mark(&inst.results);
                todo.extend(inst.kind.blocks());
            }
        }
        inside
    }
}
