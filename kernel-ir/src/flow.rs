//! Control flow: whether control comes to what stands behind an instruction, and whether invocations wait for each other.

use crate::arena::EntityId;
use crate::ir::{BlockId, Function, FunctionId, Inst, InstKind, Module};

/// Whether control may come out behind an instruction: not behind terminators, nor behind an `if` or `switch` none of
/// whose blocks yields, nor behind a `loop` that nothing breaks.
pub fn comes_out(function: &Function, kind: &InstKind) -> bool {
    match kind {
        InstKind::If { .. } | InstKind::Switch { .. } => kind.blocks().iter().any(|block| yields(function, *block)),
        InstKind::Loop { body, .. } => is_broken(function, *body),
        _ => !kind.is_terminator(),
    }
}

/// Whether a block of an `if` or `switch` ends with a `yield`; otherwise it diverges.
pub fn yields(function: &Function, block: BlockId) -> bool {
    matches!(terminator(function, block), Some(InstKind::Yield(_)))
}

/// The last instruction of a block, when it is a terminator.
pub fn terminator(function: &Function, block: BlockId) -> Option<&InstKind> {
    let last = function.blocks.get(block)?.insts.last()?;
    Some(&function.insts.get(*last)?.kind).filter(|kind| kind.is_terminator())
}

/// Whether some `break` leaves the loop with this body.
pub fn is_broken(function: &Function, body: BlockId) -> bool {
    // A malformed function may have cycles: no walk without one sees more blocks than there are.
    let mut left = function.blocks.len();
    holds_break(function, body, body, &mut left)
}

fn holds_break(function: &Function, block: BlockId, body: BlockId, left: &mut usize) -> bool {
    let (Some(block), Some(rest)) = (function.blocks.get(block), left.checked_sub(1)) else { return false };
    *left = rest;
    block.insts.iter().filter_map(|inst| function.insts.get(*inst)).any(|inst| match &inst.kind {
        InstKind::Break(target, _) => *target == body,
        kind @ (InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. }) => {
            kind.blocks().iter().any(|nested| holds_break(function, *nested, body, left))
        }
        _ => false,
    })
}

/// Whether invocations neither come together nor wait for what others write: none reads what an atomic operation gives.
pub(crate) fn nobody_waits(module: &Module, functions: &[FunctionId]) -> bool {
    functions.iter().all(|id| {
        let function = &module.functions[*id];
        let mut given = Vec::new();
        for (_, inst) in function.insts.iter() {
            match &inst.kind {
                kind if kind.needs_full_workgroup() || matches!(kind, InstKind::Fence(..)) => return false,
                InstKind::Atomic(_) => {
                    given.resize(function.values.len(), false);
                    inst.results.iter().for_each(|result| given[result.index()] = true);
                }
                _ => {}
            }
        }
        let is_read = |inst: &Inst| {
            let mut found = false;
            inst.kind.for_each_use(|value| found |= given[value.index()]);
            found
        };
        given.is_empty() || !function.insts.iter().any(|(_, inst)| is_read(inst))
    })
}
