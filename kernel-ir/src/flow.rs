//! Where structured control flow comes out: whether the instruction after an `if`, `switch` or `loop` is ever reached.

use crate::arena::EntityId;
use crate::ir::{BlockId, Function, InstKind};

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
    // Blocks are seen once each, so that a malformed function cannot trap the walk in a cycle.
    let mut seen = vec![false; function.blocks.len()];
    let mut todo = vec![body];
    while let Some(block) = todo.pop() {
        if !function.blocks.contains(block) || std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        for inst in function.blocks[block].insts.iter().filter_map(|inst| function.insts.get(*inst)) {
            match &inst.kind {
                InstKind::Break(target, _) if *target == body => return true,
                kind @ (InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. }) => {
                    todo.extend(kind.blocks());
                }
                _ => {}
            }
        }
    }
    false
}
