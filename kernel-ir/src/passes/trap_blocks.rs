//! Blocks that lead to traps, and what the branches to them compare.

use std::collections::HashSet;

use super::facts::Facts;
use crate::ir::{BlockId, Function, InstKind, ValueId};
use crate::op::Op;

impl Facts<'_> {
    /// Finds what the conditions of branches to traps compare.
    pub(super) fn compared_by(&self, mut conditions: Vec<ValueId>) -> HashSet<(ValueId, ValueId)> {
        let mut found = HashSet::new();
        while let Some(condition) = conditions.pop() {
            match self.definition(condition) {
                Some(InstKind::Op(Op::Not | Op::And | Op::Or, parts)) => conditions.extend(parts.iter().copied()),
                Some(InstKind::Op(_, operands)) if operands.len() == 2 => {
                    found.extend([(operands[0], operands[1]), (operands[1], operands[0])]);
                }
                _ => {}
            }
        }
        found
    }

    /// Whether whoever comes to a block comes to a trap, but for dead invocations, which a mask leaves out. The launch is not asked to keep
    /// away from a block that only asks something else first.
    pub(super) fn always_traps(&self, function: &Function, block: BlockId) -> bool {
        let is_mask = |condition: ValueId| match self.definition(condition) {
            None | Some(InstKind::Load(_)) => true,
            Some(InstKind::Op(Op::Not, dead)) => {
                matches!(self.definition(dead[0]), None | Some(InstKind::Load(_) | InstKind::Const(_)))
            }
            // Whether a list has the image: where it has not, the index of the list has trapped.
            Some(InstKind::Op(Op::Lt, of)) => {
                matches!(self.definition(of[1]), Some(InstKind::Len(list)) if self.is_list(*list))
            }
            _ => false,
        };
        traps_at_once(function, block)
            || only_traps(function, block) == Some(true)
                && function.blocks[block].insts.iter().all(|id| match &function.insts[*id].kind {
                    InstKind::If { condition, then_block, .. } => {
                        is_mask(*condition) && traps_at_once(function, *then_block)
                    }
                    _ => true,
                })
    }
}

/// Whether whoever comes to a block comes to a trap.
fn traps_at_once(function: &Function, block: BlockId) -> bool {
    function.blocks[block].insts.iter().any(|id| match &function.insts[*id].kind {
        InstKind::Trap(..) | InstKind::Panic(..) => true,
        InstKind::If { then_block, else_block, .. } => {
            traps_at_once(function, *then_block) && traps_at_once(function, *else_block)
        }
        _ => false,
    })
}

/// Whether a block leads to traps and does nothing else: whoever comes to it comes to one, or to a question before one.
pub(super) fn is_for_traps(function: &Function, block: BlockId) -> bool {
    traps_at_once(function, block) || only_traps(function, block) == Some(true)
}

/// Whether there is a trap in a block without any other effect; `None` where there is another one.
fn only_traps(function: &Function, block: BlockId) -> Option<bool> {
    let mut found = false;
    for id in &function.blocks[block].insts {
        match &function.insts[*id].kind {
            InstKind::Trap(..) | InstKind::Panic(..) => found = true,
            InstKind::If { then_block, else_block, .. } => {
                found |= only_traps(function, *then_block)? | only_traps(function, *else_block)?;
            }
            InstKind::Const(_) | InstKind::Op(..) | InstKind::Yield(_) | InstKind::Return(None) => {}
            _ => return None,
        }
    }
    Some(found)
}
