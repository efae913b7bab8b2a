//! The rules of operations between the lanes of a subgroup: the transpose of what each moves from lane to lane.

use crate::ir::{Builtin, Fold, InstKind, Span, SubgroupOp, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type};

use super::reverse::Reverse;
use super::rules;

/// The operands that the rule looks at, and whether it looks at the result.
pub(super) fn needs(op: SubgroupOp) -> ([bool; 2], bool) {
    match op {
        SubgroupOp::Reduce(Fold::Min | Fold::Max, Span::All) => ([true, false], true),
        SubgroupOp::Shuffle | SubgroupOp::ShuffleXor | SubgroupOp::ShuffleUp | SubgroupOp::ShuffleDown => {
            ([false, true], false)
        }
        _ => ([false; 2], false),
    }
}

/// Whether there is a rule for values of a type.
pub(super) fn has_rule(op: SubgroupOp, ty: &Type) -> bool {
    match op {
        SubgroupOp::Reduce(Fold::Add, Span::All | Span::Inclusive | Span::Exclusive)
        | SubgroupOp::BroadcastFirst
        | SubgroupOp::Shuffle
        | SubgroupOp::ShuffleXor
        | SubgroupOp::ShuffleUp
        | SubgroupOp::ShuffleDown => true,
        SubgroupOp::Reduce(Fold::Min | Fold::Max, Span::All) => matches!(ty, Type::Scalar(_)),
        _ => false,
    }
}

/// Whether the result is linear in the first operand.
pub(super) const fn is_linear(op: SubgroupOp) -> bool {
    matches!(
        op,
        SubgroupOp::Reduce(Fold::Add, _)
            | SubgroupOp::BroadcastFirst
            | SubgroupOp::Shuffle
            | SubgroupOp::ShuffleXor
            | SubgroupOp::ShuffleUp
            | SubgroupOp::ShuffleDown
    )
}

impl Reverse<'_, '_> {
    fn lanes(&mut self, op: SubgroupOp, operands: &[ValueId]) -> ValueId {
        let ty = self.b.value_type(operands[0]);
        self.b.define(InstKind::Subgroup(op, operands.into()), ty)
    }

    fn sum(&mut self, g: ValueId, span: Span) -> ValueId {
        self.lanes(SubgroupOp::Reduce(Fold::Add, span), &[g])
    }

    fn where_else(&mut self, condition: ValueId, yes: ValueId, no: Option<ValueId>) -> ValueId {
        let ty = self.b.value_type(yes);
        let no = no.unwrap_or_else(|| rules::zero(&mut self.b, ty));
        self.b.op(Op::Select, &[condition, yes, no])
    }

    /// The operation's rule.
    pub(super) fn backward_subgroup(&mut self, op: SubgroupOp, operands: &[ValueId], result: ValueId) {
        if !self.is_active(operands[0]) {
            return;
        }
        let g = self.adjoint(result);
        let share = match op {
            SubgroupOp::Reduce(Fold::Add, Span::Inclusive) => {
                let (all, before) = (self.sum(g, Span::All), self.sum(g, Span::Exclusive));
                self.b.op(Op::Sub, &[all, before])
            }
            SubgroupOp::Reduce(Fold::Add, Span::Exclusive) => {
                let (all, before) = (self.sum(g, Span::All), self.sum(g, Span::Inclusive));
                self.b.op(Op::Sub, &[all, before])
            }
            SubgroupOp::Reduce(Fold::Add, _) => self.sum(g, Span::All),
            SubgroupOp::Reduce(..) => self.winner(g, operands[0], result),
            SubgroupOp::BroadcastFirst => {
                let all = self.sum(g, Span::All);
                let truth = self.b.types_mut().scalar(Scalar::Bool);
                let is_first = self.b.define(InstKind::Subgroup(SubgroupOp::Elect, [].as_slice().into()), truth);
                self.where_else(is_first, all, None)
            }
            SubgroupOp::ShuffleXor => {
                let mask = self.get(operands[1]);
                self.lanes(op, &[g, mask])
            }
            _ => self.moved(op, g, operands[1]),
        };
        self.give(operands[0], share);
    }

    /// All goes to the lowest lane that has the result.
    fn winner(&mut self, g: ValueId, operand: ValueId, result: ValueId) -> ValueId {
        let all = self.sum(g, Span::All);
        let (own, best) = (self.get(operand), self.get(result));
        let has = self.b.op(Op::Eq, &[own, best]);
        let lane = self.b.builtin(Builtin::SubgroupLocalId);
        let none = self.b.const_u32(u32::MAX);
        let candidate = self.b.op(Op::Select, &[has, lane, none]);
        let first = self.lanes(SubgroupOp::Reduce(Fold::Min, Span::All), &[candidate]);
        let is_first = self.b.op(Op::Eq, &[lane, first]);
        self.where_else(is_first, all, None)
    }

    /// Shuffles by the same operand in all lanes. A lane that reads from none has its own value.
    fn moved(&mut self, op: SubgroupOp, g: ValueId, by: ValueId) -> ValueId {
        let by = self.get(by);
        let lane = self.b.builtin(Builtin::SubgroupLocalId);
        if op == SubgroupOp::Shuffle {
            let source = self.lanes(op, &[lane, by]);
            let is_there = self.b.op(Op::Eq, &[source, by]);
            let all = self.sum(g, Span::All);
            let is_own = self.b.op(Op::Eq, &[lane, by]);
            let taken = self.where_else(is_own, all, None);
            return self.where_else(is_there, taken, Some(g));
        }
        let (there, back) = match op {
            SubgroupOp::ShuffleUp => (Op::Sub, SubgroupOp::ShuffleDown),
            _ => (Op::Add, SubgroupOp::ShuffleUp),
        };
        // From the lane that read here, if there is one.
        let reader = self.lanes(back, &[lane, by]);
        let expected = self.b.op(if there == Op::Sub { Op::Add } else { Op::Sub }, &[lane, by]);
        let is_read = self.b.op(Op::Eq, &[reader, expected]);
        let from = self.lanes(back, &[g, by]);
        let from = self.where_else(is_read, from, None);
        // And the own one, if there was nothing to read.
        let source = self.lanes(op, &[lane, by]);
        let wanted = self.b.op(there, &[lane, by]);
        let has_read = self.b.op(Op::Eq, &[source, wanted]);
        let ty = self.b.value_type(g);
        let zero = rules::zero(&mut self.b, ty);
        let own = self.where_else(has_read, zero, Some(g));
        self.b.op(Op::Add, &[from, own])
    }
}
