//! Pure operations: one arm of a `match` per op, guards where SPIR-V leaves open what Rust defines.

use rspirv::spirv::{GlslStd450Op as GLOp, Op as Spv};

use super::function::FunctionWriter;
use super::math::{Helper, constant_divisor};
use super::module::Writer;
use super::registers::is_narrow;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::{Constant, InstKind, ValueId};
use crate::op::{Op, TypeRule};
use crate::passes::eval;
use crate::types::Scalar;

/// The family of an op, which names the function that writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Choice,
    Reduction,
    Conversion,
    /// The operand itself.
    Same,
    Shift,
    Arithmetic,
    Logic,
    Comparison,
    Extreme,
    Bits,
    Function,
}

/// The family of an op. Each row is named, so that a new one does not compile before it is.
fn family(op: Op) -> Family {
    match op {
        Op::Select => Family::Choice,
        Op::Any | Op::All => Family::Reduction,
        Op::Cast | Op::Bitcast => Family::Conversion,
        Op::Uniform | Op::Slope => Family::Same,
        Op::Shl | Op::Shr => Family::Shift,
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Neg => Family::Arithmetic,
        Op::And | Op::Or | Op::Xor | Op::Not => Family::Logic,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Family::Comparison,
        Op::Min | Op::Max | Op::Abs => Family::Extreme,
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::ReverseBits | Op::MulHigh => Family::Bits,
        Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundTiesEven | Op::Copysign | Op::Sqrt => Family::Function,
        Op::MulAdd | Op::NearMulAdd | Op::IsNan | Op::IsInf => Family::Function,
        Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => Family::Function,
        Op::Sinh | Op::Cosh | Op::Tanh | Op::Exp | Op::Exp2 | Op::Ln | Op::Log2 | Op::Powf => Family::Function,
    }
}

/// Panics because a family's function does not know an op of that family: the table and the function disagree.
pub(super) fn is_not_written(op: Op) -> ! {
    unreachable!("`{}` has no SPIR-V in its family", op.name())
}

impl FunctionWriter<'_, '_> {
    /// Writes an op with a result.
    pub(super) fn pure_op(&mut self, op: Op, operands: &[ValueId], result: ValueId) -> Id {
        let (ids, ty) = (self.ids(operands), self.function.values[result].ty);
        let first_type = self.function.values[operands[0]].ty;
        let family = family(op);
        match family {
            Family::Choice => {
                let ty = self.w.register_type(ty);
                return self.w.op(Spv::Select, ty, &ids);
            }
            Family::Reduction => {
                let bool_ = self.w.bool_type();
                let spv = if op == Op::Any { Spv::Any } else { Spv::All };
                return self.w.op(spv, bool_, &ids);
            }
            Family::Same => return ids[0],
            _ => {}
        }
        let lanes = self.w.lanes_of(first_type);
        let to = self.w.lanes_of(ty).scalar;
        if lanes.count == 1 && (is_narrow(lanes.scalar) || is_narrow(to)) {
            return self.narrow_op(op, [lanes.scalar, to], operands, &ids, result);
        }
        if is_done_in_f32(op, lanes.scalar) {
            return self.through_f32(op, lanes, &ids);
        }
        if op == Op::Div
            && let Some(factor) = self.exact_inverse(operands[1], lanes)
        {
            return self.lanes_op(Op::Mul, lanes, &[ids[0], factor]);
        }
        if op == Op::Div
            && let Some(quotient) = self.by_constant(lanes, operands, ids[0])
        {
            return quotient;
        }
        if op == Op::Div
            && let Some(inverse) = self.reciprocal_root(lanes, operands)
        {
            return inverse;
        }
        if op == Op::Rem
            && let Some(rest) = self.rest_by_constant(lanes, operands, ids[0])
        {
            return rest;
        }
        if op == Op::Or
            && let Some(rotated) = self.wide_rotation(lanes, operands)
        {
            return rotated;
        }
        match op {
            Op::Cast => self.w.cast(lanes, to, ids[0]),
            Op::Bitcast => self.w.bitcast(lanes, lanes.of(to), ids[0]),
            Op::Add | Op::Sub if lanes.scalar.is_float() => {
                self.contracted(op, lanes, operands, &ids).unwrap_or_else(|| self.lanes_op(op, lanes, &ids))
            }
            Op::Div
                if self.w.kernel.float_rules.approximate_functions && self.root_of(operands[1], lanes).is_some() =>
            {
                self.over_root(lanes, operands, ids[0])
            }
            Op::Div | Op::Rem if lanes.scalar.is_int() && lanes.scalar.bits() == 64 && !self.is_const(operands[1]) => {
                self.divide_wide(op, lanes, &ids)
            }
            Op::Or | Op::Xor if self.may_swap_bytes(lanes.scalar, operands) => self.joined_apart(op, lanes, &ids),
            _ => match family {
                Family::Shift => self.shift(op, lanes, lanes.scalar.bits(), &ids, operands[1]),
                _ => self.lanes_op(op, lanes, &ids),
            },
        }
    }

    /// An op whose operands all have the same type.
    pub(super) fn lanes_op(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        match family(op) {
            Family::Arithmetic => self.arithmetic(op, lanes, ids),
            Family::Logic => self.logic(op, lanes, ids),
            Family::Comparison => self.compare(op, lanes, ids),
            Family::Extreme => self.w.extreme(op, lanes, ids),
            Family::Bits => self.w.bit_op(op, lanes, ids),
            Family::Function => self.float_function(op, lanes, ids),
            Family::Choice | Family::Reduction | Family::Conversion | Family::Same | Family::Shift => {
                is_not_written(op)
            }
        }
    }

    /// Does an op on `f16` or `bf16` in `f32`, whose digits suffice to round twice without harm.
    fn through_f32(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let singles = lanes.of(Scalar::F32);
        let ids: Vec<_> = ids.iter().map(|id| self.w.cast(lanes, Scalar::F32, *id)).collect();
        let result = self.lanes_op(op, singles, &ids);
        let is_float = !matches!(op.rule(), TypeRule::Equality | TypeRule::Order | TypeRule::FloatTest);
        if is_float { self.w.cast(singles, lanes.scalar, result) } else { result }
    }

    fn arithmetic(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let is_float = lanes.scalar.is_float();
        match op {
            Op::Rem if is_float => {
                let helper = if lanes.scalar == Scalar::F64 { Helper::FmodDouble } else { Helper::Fmod };
                self.w.call_helper(helper, lanes, ids)
            }
            Op::Rem if lanes.scalar.is_unsigned() => self.w.op(Spv::UMod, ty, ids),
            Op::Rem => {
                // `OpSRem` of a negative operand may be anything.
                let quotient = self.w.op(Spv::SDiv, ty, ids);
                let whole = self.w.op(Spv::IMul, ty, &[quotient, ids[1]]);
                self.w.op(Spv::ISub, ty, &[ids[0], whole])
            }
            Op::Neg if lanes.scalar == Scalar::Bf16 => self.w.change_sign(Spv::BitwiseXor, lanes, ids[0]),
            Op::Neg if !is_float => {
                let zero = self.w.const_lanes(lanes, 0);
                self.w.op(Spv::ISub, ty, &[zero, ids[0]])
            }
            Op::Div if lanes.scalar.is_unsigned() => self.w.op(Spv::UDiv, ty, ids),
            _ if is_float => {
                let spv = match op {
                    Op::Add => Spv::FAdd,
                    Op::Sub => Spv::FSub,
                    Op::Mul => Spv::FMul,
                    Op::Div => Spv::FDiv,
                    Op::Neg => Spv::FNegate,
                    _ => is_not_written(op),
                };
                self.w.float_op(spv, ty, ids)
            }
            _ => {
                let spv = match op {
                    Op::Add => Spv::IAdd,
                    Op::Sub => Spv::ISub,
                    Op::Mul => Spv::IMul,
                    Op::Div => Spv::SDiv,
                    _ => is_not_written(op),
                };
                self.w.op(spv, ty, ids)
            }
        }
    }

    /// A sum or difference of which one side is a product, as one operation, if the kernel lets it be one.
    fn contracted(&mut self, op: Op, lanes: Lanes, operands: &[ValueId], ids: &[Id]) -> Option<Id> {
        let rules = self.w.kernel.float_rules;
        if !rules.contract || rules.reassociate {
            return None;
        }
        let product = |value: ValueId| match &self.function.insts[self.definitions[value.index()]?].kind {
            InstKind::Op(Op::Mul, factors) => Some(self.ids(factors)),
            _ => None,
        };
        let (mut factors, mut other, is_left) = match (product(operands[0]), product(operands[1])) {
            (Some(factors), _) => (factors, ids[1], true),
            (None, Some(factors)) => (factors, ids[0], false),
            (None, None) => return None,
        };
        let ty = self.w.lanes_type(lanes);
        if op == Op::Sub {
            let negated = if is_left { &mut other } else { &mut factors[0] };
            *negated = self.w.float_op(Spv::FNegate, ty, &[*negated]);
        }
        Some(self.w.glsl_op(GLOp::Fma, ty, &[factors[0], factors[1], other]))
    }

    /// The value whose square root, in `f32`, this one is.
    fn root_of(&self, value: ValueId, lanes: Lanes) -> Option<ValueId> {
        match &self.function.insts[self.definitions[value.index()]?].kind {
            InstKind::Op(Op::Sqrt, operands) if lanes.scalar == Scalar::F32 => Some(operands[0]),
            _ => None,
        }
    }

    /// A quotient by a root, which devices have an instruction for.
    fn over_root(&mut self, lanes: Lanes, operands: &[ValueId], dividend: Id) -> Id {
        let ty = self.w.lanes_type(lanes);
        let radicand = self.root_of(operands[1], lanes).map_or(0, |value| self.value(value));
        let inverse = self.w.glsl_op(GLOp::InverseSqrt, ty, &[radicand]);
        let definition = self.definitions[operands[0].index()].map(|inst| &self.function.insts[inst].kind);
        match definition {
            Some(InstKind::Const(Constant::F32(bits))) if *bits == 1f32.to_bits() => inverse,
            _ => self.w.float_op(Spv::FMul, ty, &[dividend, inverse]),
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
            (Op::Not, true) => Spv::LogicalNot,
            (Op::Not, false) => Spv::Not,
            _ => is_not_written(op),
        };
        self.w.op(spv, ty, ids)
    }

    /// Division of 64-bit integers, in software: see the helper.
    fn divide_wide(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let helper = if lanes.scalar.is_unsigned() { Helper::DivideWide } else { Helper::DivideSignedWide };
        let quotient = self.w.call_helper(helper, lanes, ids);
        if op == Op::Div {
            return quotient;
        }
        let ty = self.w.lanes_type(lanes);
        let taken = self.w.op(Spv::IMul, ty, &[quotient, ids[1]]);
        self.w.op(Spv::ISub, ty, &[ids[0], taken])
    }

    /// The factor that stands for a constant divisor: the inverse of a power of two is one, and the product as exact.
    fn exact_inverse(&mut self, divisor: ValueId, lanes: Lanes) -> Option<Id> {
        let (width, digits) = match lanes.scalar {
            Scalar::F32 => (8, 23),
            Scalar::F64 => (11, 52),
            _ => return None,
        };
        let bits = self.constant_bits(divisor)?;
        let (sign, exponent, most) =
            (bits >> (width + digits), bits >> digits & ((1 << width) - 1), (1u64 << width) - 2);
        let is_power = bits & ((1 << digits) - 1) == 0 && (1..most).contains(&exponent);
        is_power.then(|| self.w.const_lanes(lanes, sign << (width + digits) | (most - exponent) << digits))
    }

    /// The bits of a constant, or of all lanes of one.
    fn constant_bits(&self, value: ValueId) -> Option<u64> {
        let kind = |value: ValueId| self.definitions[value.index()].map(|inst| &self.function.insts[inst].kind);
        match kind(value)? {
            InstKind::Const(constant) => eval::bits(*constant),
            InstKind::Compose(members) => {
                let bits = |value: &ValueId| match kind(*value)? {
                    InstKind::Const(constant) => eval::bits(*constant),
                    _ => None,
                };
                let first = bits(members.first()?)?;
                members.iter().all(|member| bits(member) == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// A quotient of `f32` by a constant, if drivers divide by any number slower.
    fn by_constant(&mut self, lanes: Lanes, operands: &[ValueId], numerator: Id) -> Option<Id> {
        if lanes.scalar != Scalar::F32 || self.w.kernel.float_rules.approximate_functions {
            return None;
        }
        let divisor = f32::from_bits(self.constant_bits(operands[1])? as u32);
        let [least, greatest] = constant_divisor::DIVISORS;
        if !(least..=greatest).contains(&divisor.abs()) {
            return None;
        }
        // A whole number is zero or at least one, and no `u64` is too large.
        let is_whole = match self.definitions[operands[0].index()].map(|inst| &self.function.insts[inst].kind) {
            Some(InstKind::Op(Op::Cast, from)) => {
                self.w.module.types.element_scalar(self.function.values[from[0]].ty).is_some_and(Scalar::is_int)
            }
            _ => false,
        };
        let helper = if is_whole { Helper::QuotientNear } else { Helper::Quotient };
        let [divisor, inverse] = [divisor, 1.0 / divisor].map(|number| self.w.const_floats(lanes, number.into()));
        Some(self.w.call_helper(helper, lanes, &[numerator, divisor, inverse]))
    }

    /// One by a root of `f32`.
    fn reciprocal_root(&mut self, lanes: Lanes, operands: &[ValueId]) -> Option<Id> {
        if lanes.scalar != Scalar::F32 || self.w.kernel.float_rules.approximate_functions {
            return None;
        }
        let is_one = self.constant_bits(operands[0])? == u64::from(1f32.to_bits());
        let radicand = self.root_of(operands[1], lanes).filter(|_| is_one)?;
        let radicand = self.value(radicand);
        Some(self.w.call_helper(Helper::RecipOfRoot, lanes, &[radicand]))
    }

    /// A remainder of `f32` by a constant, whose inverse no invocation has to compute.
    fn rest_by_constant(&mut self, lanes: Lanes, operands: &[ValueId], numerator: Id) -> Option<Id> {
        if lanes.scalar != Scalar::F32 {
            return None;
        }
        let divisor = f32::from_bits(self.constant_bits(operands[1])? as u32);
        let [divisor, inverse] = [divisor, 1.0 / divisor.abs()].map(|number| self.w.const_floats(lanes, number.into()));
        Some(self.w.call_helper(Helper::FmodByConstant, lanes, &[numerator, divisor, inverse]))
    }

    fn is_const(&self, value: ValueId) -> bool {
        let definition = self.definitions[value.index()];
        definition.is_some_and(|inst| matches!(self.function.insts[inst].kind, InstKind::Const(_)))
    }

    /// Whether these may be the two bytes of 16 bits, each moved to the other's place.
    pub(super) fn may_swap_bytes(&self, scalar: Scalar, operands: &[ValueId]) -> bool {
        let bits = scalar.bits();
        let [left, right] = [operands[0], operands[1]].map(|value| self.shift_by_a_byte(value, bits));
        bits <= 32 && left.is_some() && right.is_some() && left != right
    }

    /// The direction when a value is shifted, and perhaps masked, by eight bits, or among 16 bits by who knows how many.
    fn shift_by_a_byte(&self, value: ValueId, bits: u32) -> Option<Op> {
        match &self.function.insts[self.definitions[value.index()]?].kind {
            InstKind::Op(op @ (Op::Shl | Op::Shr), operands) => {
                let amount = self.known_u32(operands[1]).map(|amount| amount % bits);
                (amount == Some(8) || (amount.is_none() && bits == 16)).then_some(*op)
            }
            InstKind::Op(Op::And, operands) => operands.iter().find_map(|operand| self.shift_by_a_byte(*operand, bits)),
            _ => None,
        }
    }

    /// `|` and `^` by other means, because of [`Fault::ByteExchange`](crate::faults::Fault::ByteExchange).
    pub(super) fn joined_apart(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let both = self.w.op(Spv::BitwiseAnd, ty, ids);
        let sum = self.w.op(Spv::IAdd, ty, ids);
        // a + b = (a ^ b) + 2 (a & b) = (a | b) + (a & b)
        let either = self.w.op(Spv::ISub, ty, &[sum, both]);
        if op == Op::Or { either } else { self.w.op(Spv::ISub, ty, &[either, both]) }
    }

    /// Shifts what has so many bits, a power of two.
    pub(super) fn shift(&mut self, op: Op, lanes: Lanes, bits: u32, ids: &[Id], amount: ValueId) -> Id {
        let ty = self.w.lanes_type(lanes);
        let mut by = ids[1];
        if let Some(amount) = self.known_u32(amount).filter(|_| lanes.count == 1) {
            by = self.w.const_u32(amount % bits);
        } else if !self.is_below(amount, bits) {
            let words = lanes.of(Scalar::U32);
            let (word_type, mask) = (self.w.lanes_type(words), self.w.const_lanes(words, u64::from(bits) - 1));
            by = self.w.op(Spv::BitwiseAnd, word_type, &[by, mask]);
        }
        let spv = match (op, lanes.scalar) {
            (Op::Shl, _) => Spv::ShiftLeftLogical,
            (Op::Shr, scalar) if scalar.is_signed() => Spv::ShiftRightArithmetic,
            (Op::Shr, _) => Spv::ShiftRightLogical,
            _ => is_not_written(op),
        };
        self.w.op(spv, ty, &[ids[0], by])
    }

    /// Whether a `u32`, or each lane, is certainly below a power of two: a literal, a masked value, a remainder.
    fn is_below(&self, value: ValueId, limit: u32) -> bool {
        let Some(inst) = self.definitions[value.index()] else { return false };
        match &self.function.insts[inst].kind {
            InstKind::Op(Op::And, operands) => operands.iter().any(|operand| self.is_below(*operand, limit)),
            InstKind::Op(Op::Rem, operands) => self.known_u32(operands[1]).is_some_and(|divisor| divisor <= limit),
            InstKind::Compose(members) => members.iter().all(|member| self.is_below(*member, limit)),
            _ => self.known_u32(value).is_some_and(|value| value < limit),
        }
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
            Op::Ge => [Spv::Nop, Spv::FOrdGreaterThanEqual, Spv::SGreaterThanEqual, Spv::UGreaterThanEqual],
            _ => is_not_written(op),
        };
        let spv = match lanes.scalar {
            Scalar::Bool => boolean,
            scalar if scalar.is_float() => float,
            scalar if scalar.is_signed() => signed,
            _ => unsigned,
        };
        self.w.op(spv, ty, ids)
    }

    fn float_function(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let bools = self.w.lanes_type(lanes.of(Scalar::Bool));
        let is_double = lanes.scalar == Scalar::F64;
        let is_approximate = self.w.kernel.float_rules.approximate_functions && lanes.scalar == Scalar::F32;
        let (glsl, helper) = match op {
            _ if is_approximate && approximation(op).is_some() => (approximation(op), None),
            Op::IsNan => return self.w.op(Spv::FUnordNotEqual, bools, &[ids[0], ids[0]]),
            Op::IsInf => {
                let size = self.w.glsl_op(GLOp::FAbs, ty, ids);
                let infinity = self.w.const_floats(lanes, f64::INFINITY);
                return self.w.op(Spv::FOrdEqual, bools, &[size, infinity]);
            }
            Op::Copysign => return self.w.copysign(lanes, ids[0], ids[1]),
            Op::Round => return self.w.round(lanes, ids[0]),
            Op::Sqrt if is_double => (None, Some(Helper::SqrtDouble)),
            Op::Floor if is_double => (None, Some(Helper::FloorDouble)),
            Op::Ceil if is_double => (None, Some(Helper::CeilDouble)),
            Op::Trunc if is_double => (None, Some(Helper::TruncDouble)),
            Op::RoundTiesEven if is_double => (None, Some(Helper::RoundTiesEvenDouble)),
            Op::NearMulAdd => (Some(GLOp::Fma), None),
            Op::Floor => (Some(GLOp::Floor), None),
            Op::Ceil => (Some(GLOp::Ceil), None),
            Op::Trunc => (Some(GLOp::Trunc), None),
            Op::RoundTiesEven => (Some(GLOp::RoundEven), None),
            _ => (None, Helper::of(op)),
        };
        match (glsl, helper) {
            (Some(glsl), _) => self.w.glsl_op(glsl, ty, ids),
            (None, Some(helper)) => self.w.call_helper(helper.of_lanes(lanes), lanes, ids),
            (None, None) => is_not_written(op),
        }
    }
}

/// The function of `GLSL.std.450` that is nearly an op.
fn approximation(op: Op) -> Option<GLOp> {
    Some(match op {
        Op::Sqrt => GLOp::Sqrt,
        Op::MulAdd => GLOp::Fma,
        Op::Sin => GLOp::Sin,
        Op::Cos => GLOp::Cos,
        Op::Tan => GLOp::Tan,
        Op::Asin => GLOp::Asin,
        Op::Acos => GLOp::Acos,
        Op::Atan => GLOp::Atan,
        Op::Atan2 => GLOp::Atan2,
        Op::Sinh => GLOp::Sinh,
        Op::Cosh => GLOp::Cosh,
        Op::Tanh => GLOp::Tanh,
        Op::Exp => GLOp::Exp,
        Op::Exp2 => GLOp::Exp2,
        Op::Ln => GLOp::Log,
        Op::Log2 => GLOp::Log2,
        Op::Powf => GLOp::Pow,
        _ => return None,
    })
}

/// Whether an op on a float is done in `f32`: all but those on bits for `bf16`, which devices do not know, and for `f16` those
/// that need not be exact there.
fn is_done_in_f32(op: Op, scalar: Scalar) -> bool {
    let on_bits = matches!(op, Op::Neg | Op::Abs | Op::Copysign | Op::Cast | Op::Bitcast);
    match scalar {
        Scalar::Bf16 => !on_bits,
        Scalar::F16 => matches!(op, Op::Div | Op::Rem | Op::Sqrt),
        _ => false,
    }
}

impl Writer<'_> {
    /// The smaller or larger of two values, or the absolute of one.
    pub(super) fn extreme(&mut self, op: Op, lanes: Lanes, ids: &[Id]) -> Id {
        let ty = self.lanes_type(lanes);
        let (is_float, is_signed) = (lanes.scalar.is_float(), lanes.scalar.is_signed());
        let glsl = match op {
            Op::Abs if lanes.scalar == Scalar::Bf16 => return self.change_sign(Spv::BitwiseAnd, lanes, ids[0]),
            Op::Abs if is_float => GLOp::FAbs,
            Op::Abs => {
                // `SAbs` says nothing about the least integer.
                let bools = self.lanes_type(lanes.of(Scalar::Bool));
                let zero = self.const_lanes(lanes, 0);
                let negated = self.op(Spv::ISub, ty, &[zero, ids[0]]);
                let is_negative = self.op(Spv::SLessThan, bools, &[ids[0], zero]);
                return self.op(Spv::Select, ty, &[is_negative, negated, ids[0]]);
            }
            Op::Min if is_float => GLOp::NMin,
            Op::Min if is_signed => GLOp::SMin,
            Op::Min => GLOp::UMin,
            Op::Max if is_float => GLOp::NMax,
            Op::Max if is_signed => GLOp::SMax,
            Op::Max => GLOp::UMax,
            _ => is_not_written(op),
        };
        self.glsl_op(glsl, ty, ids)
    }
}
