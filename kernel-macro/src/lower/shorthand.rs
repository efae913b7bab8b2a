//! Shorthands for emitting instructions: constants and what is known of them, lanes, splats, conditional regions.

use gridwise_ir::few::Few;
use gridwise_ir::ir::{Constant, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::passes::eval;
use gridwise_ir::types::{Scalar, Type, TypeId};

use super::function::FnCx;

impl FnCx<'_, '_, '_> {
    pub(super) fn u32(&mut self, value: u32) -> ValueId {
        self.bits(Scalar::U32, value.into())
    }

    pub(super) fn i32(&mut self, value: i32) -> ValueId {
        self.bits(Scalar::I32, value.cast_unsigned().into())
    }

    pub(super) fn f32(&mut self, value: f32) -> ValueId {
        self.bits(Scalar::F32, value.to_bits().into())
    }

    pub(super) fn bool(&mut self, value: bool) -> ValueId {
        self.bits(Scalar::Bool, value.into())
    }

    /// The literal of a float type that is nearest to a number.
    pub(super) fn float(&mut self, scalar: Scalar, value: f64) -> ValueId {
        let wide = Constant::Bits(Scalar::F64, value.to_bits());
        let bits = eval::evaluate(Op::Cast, &[wide], scalar).and_then(eval::bits);
        self.bits(scalar, bits.unwrap_or_else(|| eval::quiet_nan(scalar)))
    }

    /// A scalar literal by its bits, those above its width cut off.
    pub(super) fn bits(&mut self, scalar: Scalar, bits: u64) -> ValueId {
        let id = self.b.const_bits(scalar, bits);
        self.known.insert(id, [bits & scalar.mask()].into());
        id
    }

    /// The bits of a scalar that is constant, zeros above its width.
    pub(super) fn known_scalar(&self, value: ValueId) -> Option<u64> {
        match self.known.get(&value)?[..] {
            [bits] => Some(bits),
            _ => None,
        }
    }

    /// Whether every bit of the value is known to be zero.
    pub(super) fn is_known_zero(&self, value: ValueId) -> bool {
        let is_zero = |value: &ValueId| self.known.get(value).is_some_and(|lanes| lanes.iter().all(|bits| *bits == 0));
        is_zero(&value) || self.zeros.contains(&value)
    }

    /// All bits zero, of any type.
    pub(super) fn zero(&mut self, ty: TypeId) -> ValueId {
        let value = self.b.zero(ty);
        self.zeros.insert(value);
        if let Some((_, lanes)) = self.shape_of_type(ty) {
            self.known.insert(value, vec![0; usize::from(lanes)].into());
        }
        value
    }

    /// An op that is folded when it is plain integer arithmetic on constants, so that constant indices stay recognisable.
    pub(super) fn op(&mut self, op: Op, operands: &[ValueId]) -> ValueId {
        if let Some(bits) = self.fold(op, operands) {
            let scalar = self.shape(operands[0]).0;
            return self.bits(scalar, bits);
        }
        self.b.op(op, operands)
    }

    fn fold(&self, op: Op, operands: &[ValueId]) -> Option<u64> {
        let first = self.known_scalar(operands[0])?;
        let scalar = self.shape(operands[0]).0;
        let constant = |bits| eval::from_bits(bits, scalar);
        match (op, operands) {
            (Op::Neg, _) => eval::evaluate(op, &[constant(first)], scalar).and_then(eval::bits),
            (Op::Add | Op::Sub | Op::Mul, [_, second]) if scalar.is_int() => {
                let second = self.known_scalar(*second)?;
                eval::evaluate(op, &[constant(first), constant(second)], scalar).and_then(eval::bits)
            }
            _ => None,
        }
    }

    pub(super) fn select(&mut self, condition: ValueId, yes: ValueId, no: ValueId) -> ValueId {
        self.b.op(Op::Select, &[condition, yes, no])
    }

    /// A vector, array, tuple or struct from all its members.
    pub(super) fn compose(&mut self, ty: TypeId, members: &[ValueId]) -> ValueId {
        let value = self.b.compose(ty, members);
        if self.shape_of_type(ty).is_some() {
            let lanes: Option<Few<u64>> = members.iter().map(|member| self.known_scalar(*member)).collect();
            if let Some(lanes) = lanes {
                self.known.insert(value, lanes);
            }
        }
        value
    }

    /// A vector of scalars.
    pub(super) fn vector(&mut self, lanes: &[ValueId]) -> ValueId {
        let scalar = self.shape(lanes[0]).0;
        let ty = self.b.types_mut().vector(scalar, lanes.len() as u8);
        self.compose(ty, lanes)
    }

    /// A vector with the same scalar in each lane; the scalar itself for one lane.
    pub(super) fn splat(&mut self, scalar: ValueId, count: u8) -> ValueId {
        if count == 1 { scalar } else { self.vector(&vec![scalar; usize::from(count)]) }
    }

    /// A float literal of the type of `model`.
    pub(super) fn float_like(&mut self, model: ValueId, value: f64) -> ValueId {
        let (scalar, count) = self.shape(model);
        let value = self.float(scalar, value);
        self.splat(value, count)
    }

    /// An integer literal of the type of `model`; -1 has all bits set.
    pub(super) fn int_like(&mut self, model: ValueId, value: i64) -> ValueId {
        let (scalar, count) = self.shape(model);
        let value = self.bits(scalar, value.cast_unsigned());
        self.splat(value, count)
    }

    /// The least value of an integer type.
    pub(super) fn min_like(&mut self, model: ValueId) -> ValueId {
        let (scalar, count) = self.shape(model);
        let bits = if scalar.is_signed() { scalar.mask() ^ scalar.mask() >> 1 } else { 0 };
        let value = self.bits(scalar, bits);
        self.splat(value, count)
    }

    /// The largest value of an integer type.
    pub(super) fn max_like(&mut self, model: ValueId) -> ValueId {
        let (scalar, count) = self.shape(model);
        let value = self.bits(scalar, scalar.mask() >> u32::from(scalar.is_signed()));
        self.splat(value, count)
    }

    /// Scalar and number of lanes (1 for scalars) of a scalar or vector.
    pub(super) fn shape(&self, value: ValueId) -> (Scalar, u8) {
        self.shape_of_type(self.b.value_type(value)).expect("only scalars and vectors have lanes")
    }

    pub(super) fn shape_of_type(&self, ty: TypeId) -> Option<(Scalar, u8)> {
        match *self.b.types().get(ty) {
            Type::Scalar(scalar) => Some((scalar, 1)),
            Type::Vector(scalar, count) => Some((scalar, count)),
            _ => None,
        }
    }

    /// A scalar type, or the vector type with `count` of it.
    pub(super) fn shaped(&mut self, scalar: Scalar, count: u8) -> TypeId {
        if count == 1 { self.b.types_mut().scalar(scalar) } else { self.b.types_mut().vector(scalar, count) }
    }

    /// Lane `index` of a vector; a scalar is its only lane.
    pub(super) fn lane(&mut self, value: ValueId, index: u8) -> ValueId {
        let (scalar, count) = self.shape(value);
        match self.known.get(&value).map(|lanes| lanes[usize::from(index)]) {
            _ if count == 1 => value,
            Some(bits) => self.bits(scalar, bits),
            None => self.b.extract(value, &[u32::from(index)]),
        }
    }

    /// All lanes of a vector in order.
    pub(super) fn lanes(&mut self, value: ValueId) -> Vec<ValueId> {
        let count = self.shape(value).1;
        (0..count).map(|index| self.lane(value, index)).collect()
    }

    /// Rust's `as` to lanes of another scalar.
    pub(super) fn cast(&mut self, value: ValueId, to: Scalar) -> ValueId {
        let (from, count) = self.shape(value);
        if from == to {
            return value;
        }
        if !to.is_float()
            && !from.is_float()
            && let Some(bits) = self.known_scalar(value)
            && let Some(constant) = eval::evaluate(Op::Cast, &[eval::from_bits(bits, from)], to)
        {
            return match eval::is_true(constant) {
                Some(truth) => self.bool(truth),
                None => self.bits(to, eval::bits(constant).unwrap_or_default()),
            };
        }
        let ty = self.shaped(to, count);
        self.b.cast(value, ty)
    }

    /// The same bits as lanes of another scalar.
    pub(super) fn bitcast(&mut self, value: ValueId, to: Scalar) -> ValueId {
        let (from, count) = self.shape(value);
        if from == to {
            return value;
        }
        if let Some(bits) = self.known_scalar(value) {
            return self.bits(to, bits);
        }
        let ty = self.shaped(to, count);
        self.b.bitcast(value, ty)
    }

    /// The bits of a scalar as trap operand, of wider ones the lower 32.
    pub(super) fn trap_operand(&mut self, value: ValueId) -> ValueId {
        let scalar = self.shape(value).0;
        let bits = if scalar.is_float() { self.bitcast(value, scalar.unsigned()) } else { value };
        self.cast(bits, Scalar::U32)
    }

    /// Code that runs only when `condition` holds.
    pub(super) fn when(&mut self, condition: ValueId, then: impl FnOnce(&mut Self)) {
        self.choose(
            condition,
            None,
            |cx| {
                then(cx);
                None
            },
            |_| None,
        );
    }

    /// An `if`; each side gives back what it yields, `None` when control does not come out of it or there is no result.
    pub(super) fn choose(
        &mut self,
        condition: ValueId,
        result: Option<TypeId>,
        then: impl FnOnce(&mut Self) -> Option<ValueId>,
        otherwise: impl FnOnce(&mut Self) -> Option<ValueId>,
    ) -> Option<ValueId> {
        let (then_block, else_block) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(then_block);
        let value = then(self);
        self.yield_(value, result);
        self.b.switch_to(else_block);
        let value = otherwise(self);
        self.yield_(value, result);
        self.b.switch_to(parent);
        let results = self.b.push_if(condition, then_block, else_block, result.as_slice());
        results.first().copied().filter(|_| !self.b.is_terminated())
    }

    /// Control does not come to a place that lacks a value: code without it would be wrong without a word.
    pub(super) fn expect_left(&mut self) {
        assert!(self.b.is_terminated(), "an expression without a value does not leave");
    }

    pub(super) fn yield_(&mut self, value: Option<ValueId>, result: Option<TypeId>) {
        match (result, value) {
            (None, _) => self.b.yield_(&[]),
            (Some(_), Some(value)) => self.b.yield_(&[value]),
            (Some(_), None) => self.expect_left(),
        }
    }
}
