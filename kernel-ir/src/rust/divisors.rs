//! Divisors that are guarded: 1 stands in their place behind a trap. As Rust checks its divisions, the text divides by the divisor itself.

use std::collections::{HashMap, HashSet};

use crate::descriptor::SiteKind;
use crate::ir::{BlockId, Function, InstKind, Module, ValueId};
use crate::op::Op;
use crate::types::Type;

/// The guarded divisors of a function.
#[derive(Debug, Default)]
pub(super) struct Divisors {
    /// The divisor that each guarded value stands for.
    guarded: HashMap<ValueId, ValueId>,
    /// The conditions of the traps whose divisions check themselves.
    conditions: HashSet<ValueId>,
}

impl Divisors {
    pub(super) fn of(module: &Module, function: &Function) -> Self {
        // A report shows words.
        let casts = function.insts.iter().filter_map(|(_, inst)| match &inst.kind {
            InstKind::Op(Op::Cast | Op::Bitcast, operands) => Some((inst.results[0], operands[0])),
            _ => None,
        });
        let casts: HashMap<_, _> = casts.collect();
        let mut of_value = HashMap::new();
        for (_, block) in function.blocks.iter() {
            // A guard is behind its trap, in the same block: a choice that the author wrote is not.
            let mut trapped = HashMap::new();
            for id in &block.insts {
                let inst = &function.insts[*id];
                match &inst.kind {
                    InstKind::If { condition, then_block, .. } => {
                        if let Some(word) = divisor(module, function, *then_block) {
                            trapped.insert(*condition, [word, casts.get(&word).copied().unwrap_or(word)]);
                        }
                    }
                    InstKind::Op(Op::Select, operands)
                        if trapped.get(&operands[0]).is_some_and(|words| words.contains(&operands[2]))
                            && matches!(module.types.get(function.values[operands[2]].ty), Type::Scalar(_)) =>
                    {
                        of_value.insert(inst.results[0], (operands[2], operands[0]));
                    }
                    _ => {}
                }
            }
        }
        let mut found = Self::default();
        for (_, inst) in function.insts.iter() {
            if let InstKind::Op(Op::Div | Op::Rem, operands) = &inst.kind
                && let Some((divisor, condition)) = of_value.get(&operands[1])
            {
                found.guarded.insert(operands[1], *divisor);
                found.conditions.insert(*condition);
            }
        }
        found
    }

    /// The divisor itself, for one that is guarded.
    pub(super) fn itself(&self, divisor: ValueId) -> ValueId {
        self.guarded.get(&divisor).copied().unwrap_or(divisor)
    }

    /// Whether a division behind the branch with this condition checks what traps in it.
    pub(super) fn checks(&self, condition: ValueId) -> bool {
        self.conditions.contains(&condition)
    }
}

/// The divisor for which a block traps, first of all or in a branch, as a word.
fn divisor(module: &Module, function: &Function, block: BlockId) -> Option<ValueId> {
    function.blocks[block].insts.iter().find_map(|id| match &function.insts[*id].kind {
        InstKind::Trap(site, operands) => {
            use SiteKind::{DivideByZero, DivideOverflow, RemainderByZero, RemainderOverflow};
            let kind = module.sites[*site].kind;
            let is_division = matches!(kind, DivideByZero | RemainderByZero | DivideOverflow | RemainderOverflow);
            is_division.then(|| operands[1])
        }
        InstKind::If { then_block, .. } => divisor(module, function, *then_block),
        _ => None,
    })
}
