//! Sums over a subgroup of numbers that are zero or one: the bits of a ballot, which devices count at once.

use super::edit::add_inst;
use super::{Changed, PassCx, eval};
use crate::arena::EntityId;
use crate::ir::{Constant, Fold, Function, InstId, InstKind, Span, SubgroupOp, ValueId};
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Scalar, Type, Types};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    if !function.insts.iter().any(|(_, inst)| counted(&inst.kind).is_some()) {
        return Changed::No;
    }
    let definitions = definitions(function);
    let (ballot_type, word) = (cx.types.vector(Scalar::U32, 4), cx.types.scalar(Scalar::U32));
    let mut changed = Changed::No;
    let blocks: Vec<_> = function.blocks.ids().collect();
    for block in blocks {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        // Of which condition there is a ballot already, of the same invocations.
        let mut last: Option<(ValueId, ValueId)> = None;
        for id in insts {
            let inst = &function.insts[id];
            if inst.kind.has_blocks() {
                last = None;
            }
            let condition = counted(&inst.kind).and_then(|(value, _)| flag(function, cx.types, &definitions, value));
            let is_word = |ty| matches!(cx.types.get(ty), Type::Scalar(Scalar::U32 | Scalar::I32));
            if let (Some(condition), Some((_, op)), [result]) = (condition, counted(&inst.kind), &inst.results[..])
                && is_word(function.values[*result].ty)
            {
                let (location, ty) = (inst.location, function.values[*result].ty);
                let ballot = match last {
                    Some((known, ballot)) if known == condition => ballot,
                    _ => {
                        let kind = InstKind::Subgroup(SubgroupOp::Ballot, [condition].into());
                        let (inst, ballot) = add_inst(function, kind, ballot_type, location);
                        out.push(inst);
                        ballot
                    }
                };
                last = Some((condition, ballot));
                let count = InstKind::Subgroup(op, [ballot].into());
                function.insts[id].kind = if ty == word {
                    count
                } else {
                    let (inst, count) = add_inst(function, count, word, location);
                    out.push(inst);
                    InstKind::Op(Op::Cast, [count].into())
                };
                changed = Changed::Yes;
            }
            out.push(id);
        }
        function.blocks[block].insts = out;
    }
    changed
}

/// The operand of a sum over the subgroup, and what counts the bits of a ballot in the same lanes.
fn counted(kind: &InstKind) -> Option<(ValueId, SubgroupOp)> {
    let InstKind::Subgroup(SubgroupOp::Reduce(Fold::Add, span), operands) = kind else { return None };
    let op = match span {
        Span::All => SubgroupOp::BallotCount,
        Span::Inclusive => SubgroupOp::BallotInclusiveCount,
        Span::Exclusive => SubgroupOp::BallotExclusiveCount,
        Span::Cluster(_) => return None,
    };
    Some((*operands.first()?, op))
}

/// The condition under which a number is one, where it is zero otherwise.
fn flag(function: &Function, types: &Types, definitions: &[Option<InstId>], value: ValueId) -> Option<ValueId> {
    let definition = |value: ValueId| Some(&function.insts[(*definitions.get(value.index())?)?].kind);
    let is_constant = |value: ValueId, number: u64| match definition(value) {
        Some(InstKind::Const(Constant::Zero)) => number == 0,
        Some(InstKind::Const(constant)) => eval::bits(*constant) == Some(number),
        _ => false,
    };
    match definition(value)? {
        InstKind::Op(Op::Cast, operands) => match types.get(function.values[operands[0]].ty) {
            Type::Scalar(Scalar::Bool) => Some(operands[0]),
            // It may come by way of another integer.
            Type::Scalar(scalar) if scalar.is_int() => flag(function, types, definitions, operands[0]),
            _ => None,
        },
        InstKind::Op(Op::Select, operands) => {
            (is_constant(operands[1], 1) && is_constant(operands[2], 0)).then_some(operands[0])
        }
        _ => None,
    }
}
