//! Sine and cosine of one angle, which are computed together where one stands behind the other.

use rspirv::spirv::Op as Spv;

use super::function::FunctionWriter;
use super::math::Helper;
use super::types::Lanes;
use crate::ir::{Inst, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::types::Scalar;

impl FunctionWriter<'_, '_> {
    /// Writes a sine or cosine if the other function of the same angle is written already or is among the `rest` of the block.
    pub(super) fn joint_angle(&mut self, inst: &Inst, rest: &[InstId]) -> bool {
        let Some((op, angle)) = turn(inst) else { return false };
        let lanes = self.w.lanes_of(self.function.values[angle].ty);
        if lanes != Lanes::one(Scalar::F32) || self.w.kernel.float_rules.approximate_functions {
            return false;
        }
        let known = self.angles.iter().find(|known| known.0 == angle).map(|known| known.1);
        let pair = match known {
            Some(pair) => pair,
            None => {
                let is_joined = |id: &InstId| {
                    turn(&self.function.insts[*id]).is_some_and(|other| other.0 != op && other.1 == angle)
                };
                if !rest.iter().any(is_joined) {
                    return false;
                }
                let operand = self.value(angle);
                let pair = self.w.call_helper(Helper::SinCos, lanes, &[operand]);
                self.angles.push((angle, pair));
                pair
            }
        };
        let ty = self.w.lanes_type(lanes);
        let value = self.w.op(Spv::CompositeExtract, ty, &[pair, u32::from(op == Op::Cos)]);
        self.define(inst.results[0], value);
        true
    }
}

/// A sine or cosine, and its angle.
fn turn(inst: &Inst) -> Option<(Op, ValueId)> {
    match &inst.kind {
        InstKind::Op(op @ (Op::Sin | Op::Cos), operands) => Some((*op, operands[0])),
        _ => None,
    }
}
