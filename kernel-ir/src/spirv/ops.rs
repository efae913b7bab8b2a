//! Pure operations: one arm of a `match` per op, guards where SPIR-V leaves open what Rust defines.

use rspirv::spirv::{GlslStd450Op as GLOp, Op as Spv};

use super::blocks::FunctionWriter;
use super::math::Helper;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::{Constant, InstKind, ValueId};
use crate::op::Op;
use crate::types::{Scalar, TypeId};

impl FunctionWriter<'_, '_> {
    /// Writes an op with a result of type `ty`.
    pub(super) fn pure_op(&mut self, op: Op, operands: &[ValueId], ty: TypeId) -> Id {
        let ids = self.ids(operands);
        let first_type = self.function.values[operands[0]].ty;
        match op {
            Op::Select => {
                let ty = self.w.value_type(ty);
                return self.w.op(Spv::Select, ty, &ids);
            }
            Op::Any | Op::All => {
                let bool_ = self.w.bool_type();
                let spv = if op == Op::Any { Spv::Any } else { Spv::All };
                return self.w.op(spv, bool_, &ids);
            }
            _ => {}
        }
        let lanes = self.w.lanes_of(first_type);
        match op {
            Op::Cast => {
                let to = self.w.lanes_of(ty).scalar;
                self.w.cast(lanes, to, ids[0])
            }
            Op::Bitcast => {
                let to = lanes.of(self.w.lanes_of(ty).scalar);
                self.w.bitcast(lanes, to, ids[0])
            }
            Op::Shl | Op::Shr => self.shift(op, lanes, &ids, operands[1]),
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Neg => self.arithmetic(op, lanes, &ids),
            Op::And | Op::Or | Op::Xor | Op::Not => self.logic(op, lanes, &ids),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => self.compare(op, lanes, &ids),
            Op::Min | Op::Max | Op::Abs => self.extreme(op, lanes, &ids),
            Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::ReverseBits | Op::MulHigh => {
                self.bit_op(op, lanes, &ids)
            }
            _ => self.float_function(op, lanes, &ids),
        }
    }

    fn arithmetic(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let is_float = lanes.scalar == Scalar::F32;
        match op {
            Op::Rem if is_float => self.w.call_helper(Helper::Fmod, lanes, ids),
            Op::Rem if lanes.scalar == Scalar::U32 => self.w.op(Spv::UMod, ty, ids),
            Op::Rem => {
                // `OpSRem` of a negative operand may be anything.
                let quotient = self.w.op(Spv::SDiv, ty, ids);
                let whole = self.w.op(Spv::IMul, ty, &[quotient, ids[1]]);
                self.w.op(Spv::ISub, ty, &[ids[0], whole])
            }
            Op::Neg if !is_float => {
                let zero = self.w.const_lanes(lanes, 0);
                self.w.op(Spv::ISub, ty, &[zero, ids[0]])
            }
            Op::Div if lanes.scalar == Scalar::U32 => self.w.op(Spv::UDiv, ty, ids),
            _ if is_float => {
                let spv = match op {
                    Op::Add => Spv::FAdd,
                    Op::Sub => Spv::FSub,
                    Op::Mul => Spv::FMul,
                    Op::Div => Spv::FDiv,
                    _ => Spv::FNegate,
                };
                self.w.float_op(spv, ty, ids)
            }
            _ => {
                let spv = match op {
                    Op::Add => Spv::IAdd,
                    Op::Sub => Spv::ISub,
                    Op::Mul => Spv::IMul,
                    _ => Spv::SDiv,
                };
                self.w.op(spv, ty, ids)
            }
        }
    }

    fn logic(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let spv = match (op, lanes.scalar == Scalar::Bool) {
            (Op::And, true) => Spv::LogicalAnd,
            (Op::And, false) => Spv::BitwiseAnd,
            (Op::Or, true) => Spv::LogicalOr,
            (Op::Or, false) => Spv::BitwiseOr,
            (Op::Xor, true) => Spv::LogicalNotEqual,
            (Op::Xor, false) => Spv::BitwiseXor,
            (_, true) => Spv::LogicalNot,
            (_, false) => Spv::Not,
        };
        self.w.op(spv, ty, ids)
    }

    fn shift(&mut self, op: Op, lanes: Lanes, ids: &[Id], amount: ValueId) -> Id {
        let ty = self.w.lanes_type(lanes);
        let mut by = ids[1];
        if self.known_u32(amount).is_none_or(|amount| amount >= 32) {
            let words = lanes.of(Scalar::U32);
            let (word_type, mask) = (self.w.lanes_type(words), self.w.const_lanes(words, 31));
            by = self.w.op(Spv::BitwiseAnd, word_type, &[by, mask]);
        }
        let spv = match (op, lanes.scalar) {
            (Op::Shl, _) => Spv::ShiftLeftLogical,
            (_, Scalar::I32) => Spv::ShiftRightArithmetic,
            _ => Spv::ShiftRightLogical,
        };
        self.w.op(spv, ty, &[ids[0], by])
    }

    /// The value when it is a literal.
    pub(super) fn known_u32(&self, value: ValueId) -> Option<u32> {
        let inst = self.definitions[value.index()]?;
        match self.function.insts[inst].kind {
            InstKind::Const(Constant::U32(value)) => Some(value),
            InstKind::Const(Constant::Zero) => Some(0),
            _ => None,
        }
    }

    fn compare(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes.of(Scalar::Bool));
        let [boolean, float, signed, unsigned] = match op {
            Op::Eq => [Spv::LogicalEqual, Spv::FOrdEqual, Spv::IEqual, Spv::IEqual],
            Op::Ne => [Spv::LogicalNotEqual, Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual],
            Op::Lt => [Spv::Nop, Spv::FOrdLessThan, Spv::SLessThan, Spv::ULessThan],
            Op::Le => [Spv::Nop, Spv::FOrdLessThanEqual, Spv::SLessThanEqual, Spv::ULessThanEqual],
            Op::Gt => [Spv::Nop, Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan],
            _ => [Spv::Nop, Spv::FOrdGreaterThanEqual, Spv::SGreaterThanEqual, Spv::UGreaterThanEqual],
        };
        let spv = match lanes.scalar {
            Scalar::Bool => boolean,
            Scalar::F32 => float,
            Scalar::I32 => signed,
            Scalar::U32 => unsigned,
        };
        self.w.op(spv, ty, ids)
    }

    pub(super) fn extreme(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let glsl = match (op, lanes.scalar) {
            (Op::Abs, Scalar::F32) => GLOp::FAbs,
            (Op::Abs, _) => {
                // `SAbs` says nothing about `i32::MIN`.
                let bools = self.w.lanes_type(lanes.of(Scalar::Bool));
                let zero = self.w.const_lanes(lanes, 0);
                let negated = self.w.op(Spv::ISub, ty, &[zero, ids[0]]);
                let is_negative = self.w.op(Spv::SLessThan, bools, &[ids[0], zero]);
                return self.w.op(Spv::Select, ty, &[is_negative, negated, ids[0]]);
            }
            (Op::Min, Scalar::F32) => GLOp::NMin,
            (Op::Min, Scalar::I32) => GLOp::SMin,
            (Op::Min, _) => GLOp::UMin,
            (_, Scalar::F32) => GLOp::NMax,
            (_, Scalar::I32) => GLOp::SMax,
            _ => GLOp::UMax,
        };
        self.w.glsl_op(glsl, ty, ids)
    }

    fn bit_op(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let words = lanes.of(Scalar::U32);
        let (ty, word_type) = (self.w.lanes_type(lanes), self.w.lanes_type(words));
        match op {
            Op::CountOnes => self.w.op(Spv::BitCount, word_type, ids),
            Op::ReverseBits => self.w.op(Spv::BitReverse, ty, ids),
            Op::LeadingZeros => {
                let bits = self.w.bitcast(lanes, words, ids[0]);
                // Of zero the highest bit is -1, which makes 32.
                let highest = self.w.glsl_op(GLOp::FindUMsb, word_type, &[bits]);
                let top = self.w.const_lanes(words, 31);
                self.w.op(Spv::ISub, word_type, &[top, highest])
            }
            Op::TrailingZeros => {
                let bits = self.w.bitcast(lanes, words, ids[0]);
                // Of zero the lowest bit is -1, the largest `u32`.
                let lowest = self.w.glsl_op(GLOp::FindILsb, word_type, &[bits]);
                let all = self.w.const_lanes(words, 32);
                self.w.glsl_op(GLOp::UMin, word_type, &[lowest, all])
            }
            _ => {
                let pair = self.w.global(Spv::TypeStruct, None, &[ty, ty]);
                let spv = if lanes.scalar == Scalar::I32 { Spv::SMulExtended } else { Spv::UMulExtended };
                let product = self.w.op(spv, pair, ids);
                self.w.op(Spv::CompositeExtract, ty, &[product, 1])
            }
        }
    }

    fn float_function(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let bools = self.w.lanes_type(lanes.of(Scalar::Bool));
        let (glsl, helper) = match op {
            Op::IsNan => return self.w.op(Spv::FUnordNotEqual, bools, &[ids[0], ids[0]]),
            Op::IsInf => {
                let size = self.w.glsl_op(GLOp::FAbs, ty, ids);
                let infinity = self.w.const_lanes(lanes, f32::INFINITY.to_bits());
                return self.w.op(Spv::FOrdEqual, bools, &[size, infinity]);
            }
            Op::Copysign => return self.w.copysign(lanes, ids[0], ids[1]),
            Op::Round => return self.w.round(lanes, ids[0]),
            Op::Floor => (Some(GLOp::Floor), None),
            Op::Ceil => (Some(GLOp::Ceil), None),
            Op::Trunc => (Some(GLOp::Trunc), None),
            Op::RoundTiesEven => (Some(GLOp::RoundEven), None),
            _ => (None, Helper::of(op)),
        };
        match (glsl, helper) {
            (Some(glsl), _) => self.w.glsl_op(glsl, ty, ids),
            (None, Some(helper)) => self.w.call_helper(helper, lanes, ids),
            (None, None) => unreachable!("`{}` is not a function of floats", op.name()),
        }
    }
}
