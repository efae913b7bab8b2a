//! Replaces an `if` whose blocks only compute a few cheap values by those computations and a `select` per result.
//!
//! It moves nothing that could trap, read memory or be undefined when its block would not have run.

use super::edit::yields;
use super::{Changed, PassCx};
use crate::ir::{BlockId, Function, Inst, InstId, InstKind};
use crate::op::Op;
use crate::types::Scalar;

/// An `if` with more instructions than this in its blocks stays.
const MOST_INSTS: usize = 8;

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    block(function, function.entry, cx)
}

fn block(function: &mut Function, id: BlockId, cx: &PassCx<'_>) -> Changed {
    let mut changed = Changed::No;
    let insts = std::mem::take(&mut function.blocks[id].insts);
    let mut out = Vec::with_capacity(insts.len());
    for inst in insts {
        for nested in function.insts[inst].kind.blocks() {
            changed |= block(function, nested, cx);
        }
        if is_cheap(function, inst, cx) {
            flatten(function, inst, &mut out);
            changed = Changed::Yes;
        } else {
            out.push(inst);
        }
    }
    function.blocks[id].insts = out;
    changed
}

fn is_cheap(function: &Function, id: InstId, cx: &PassCx<'_>) -> bool {
    let InstKind::If { then_block, else_block, .. } = function.insts[id].kind else { return false };
    let insts = [then_block, else_block].map(|block| &function.blocks[block].insts);
    // Each block also holds its yield.
    insts[0].len() + insts[1].len() <= MOST_INSTS + 2
        && [then_block, else_block].iter().all(|block| yields(function, *block).is_some())
        && insts.into_iter().all(|insts| insts[..insts.len() - 1].iter().all(|id| may_move(function, *id, cx)))
}

/// Whether the instruction is cheap, and may run although its block would not.
fn may_move(function: &Function, id: InstId, cx: &PassCx<'_>) -> bool {
    let inst = &function.insts[id];
    match &inst.kind {
        InstKind::Const(_)
        | InstKind::Compose(_)
        | InstKind::Extract(..)
        | InstKind::Insert(..)
        | InstKind::Param(_)
        | InstKind::Builtin(_)
        | InstKind::Len(_) => true,
        // An integer divisor may be zero, and exact float division takes many instructions.
        InstKind::Op(Op::Div | Op::Rem | Op::Sqrt | Op::MulAdd, _) => false,
        // Exact conversion of floats to integers takes several instructions.
        InstKind::Op(Op::Cast, operands) => {
            cx.types.element_scalar(function.values[operands[0]].ty) != Some(Scalar::F32)
        }
        InstKind::Op(op, _) => *op < Op::Sin || *op > Op::Powf,
        _ => false,
    }
}

fn flatten(function: &mut Function, id: InstId, out: &mut Vec<InstId>) {
    let location = function.insts[id].location;
    let results = std::mem::take(&mut function.insts[id].results);
    let InstKind::If { condition, then_block, else_block } = function.insts[id].kind else { unreachable!("an if") };
    let mut yielded = [then_block, else_block].map(|block| {
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        let last = insts.pop().expect("a block ends with a terminator");
        out.append(&mut insts);
        match &mut function.insts[last].kind {
            InstKind::Yield(values) => std::mem::take(values).into_iter(),
            _ => unreachable!("both blocks yield"),
        }
    });
    for result in results {
        let [Some(yes), Some(no)] = yielded.each_mut().map(Iterator::next) else {
            unreachable!("one value per result")
        };
        let kind = InstKind::Op(Op::Select, vec![condition, yes, no]);
        out.push(function.insts.push(Inst { kind, results: vec![result], location }));
    }
}
