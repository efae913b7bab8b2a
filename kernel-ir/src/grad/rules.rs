//! The rule of every operation: what each operand's adjoint gets of the result's. Knows no control flow and no memory.

use crate::builder::FunctionBuilder;
use crate::ir::{Constant, InstKind, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId};

/// The operands that the rule of an op looks at, and whether it looks at the result, given which operands are active.
pub(super) fn needs(op: Op, active: &[bool]) -> (Vec<bool>, bool) {
    let is = |at: usize| active.get(at).copied().unwrap_or(false);
    let (operands, result): (Vec<bool>, bool) = match op {
        Op::Add | Op::Sub | Op::Neg | Op::Cast => (vec![], false),
        Op::Mul => (vec![is(1), is(0)], false),
        Op::MulAdd | Op::NearMulAdd => (vec![is(1), is(0), false], false),
        Op::Div => (vec![false, true], is(1)),
        Op::Rem => (vec![is(1), is(1)], false),
        Op::Min | Op::Max | Op::Copysign | Op::Atan2 => (vec![true, true], false),
        Op::Powf => (vec![true, true], is(1)),
        Op::Select => (vec![true], false),
        Op::Slope => (vec![false, false, is(1)], false),
        Op::Sqrt | Op::Tan | Op::Tanh | Op::Exp | Op::Exp2 => (vec![], true),
        Op::Abs | Op::Sin | Op::Cos | Op::Asin | Op::Acos | Op::Atan | Op::Sinh | Op::Cosh | Op::Ln | Op::Log2 => {
            (vec![true], false)
        }
        // Nothing passes these, or they are refused.
        Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundTiesEven => (vec![], false),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNan | Op::IsInf => (vec![], false),
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr | Op::ReverseBits | Op::MulHigh => (vec![], false),
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::Any | Op::All => (vec![], false),
        Op::Bitcast | Op::Uniform => (vec![], false),
    };
    (operands, result)
}

/// The number in every lane of a scalar or vector of floats.
pub(super) fn number(b: &mut FunctionBuilder<'_>, ty: TypeId, value: f64) -> ValueId {
    let (scalar, lanes) = match *b.types().get(ty) {
        Type::Vector(scalar, lanes) => (scalar, lanes),
        Type::Scalar(scalar) => (scalar, 1),
        _ => unreachable!("rules are for lanes of floats"),
    };
    let one = if scalar == Scalar::F64 {
        b.const_bits(scalar, value.to_bits())
    } else if scalar == Scalar::F32 {
        b.const_f32(value as f32)
    } else {
        let single = b.const_f32(value as f32);
        let narrow = b.types_mut().scalar(scalar);
        b.cast(single, narrow)
    };
    if lanes == 1 { one } else { b.compose(ty, &vec![one; usize::from(lanes)]) }
}

/// The zero of a type.
pub(super) fn zero(b: &mut FunctionBuilder<'_>, ty: TypeId) -> ValueId {
    b.define(InstKind::Const(Constant::Zero), ty)
}

/// The adjoint before anything is added to it: negative zero, which leaves no trace in the first sum, or the zero of a type with
/// members.
pub(super) fn nothing(b: &mut FunctionBuilder<'_>, ty: TypeId) -> ValueId {
    match b.types().get(ty) {
        Type::Scalar(scalar) | Type::Vector(scalar, _) if scalar.is_float() => number(b, ty, -0.0),
        _ => zero(b, ty),
    }
}

/// The share of the operand at `at`: the derivative by it times `g`, the result's adjoint. `x`: the operands, `r`: the result. Only those
/// that [`needs`] names are asked for.
pub(super) fn share(
    b: &mut FunctionBuilder<'_>,
    op: Op,
    at: usize,
    g: ValueId,
    x: &dyn Fn(usize) -> ValueId,
    r: &dyn Fn() -> ValueId,
    operand_type: TypeId,
) -> Option<ValueId> {
    let ty = b.value_type(g);
    let mut cx = Rule { b, ty };
    Some(match (op, at) {
        (Op::Add | Op::Uniform, _) | (Op::Sub | Op::Rem, 0) | (Op::MulAdd | Op::NearMulAdd, 2) => g,
        (Op::Sub, _) | (Op::Neg, _) => cx.neg(g),
        (Op::Mul | Op::MulAdd | Op::NearMulAdd, 0) => cx.mul(g, x(1)),
        (Op::Mul | Op::MulAdd | Op::NearMulAdd, _) => cx.mul(g, x(0)),
        (Op::Div, 0) => cx.div(g, x(1)),
        (Op::Div, _) => {
            let share = cx.div(g, x(1));
            let share = cx.mul(share, r());
            cx.neg(share)
        }
        (Op::Rem, _) => {
            let whole = cx.div(x(0), x(1));
            let whole = cx.b.op(Op::Trunc, &[whole]);
            let share = cx.mul(g, whole);
            cx.neg(share)
        }
        (Op::Min | Op::Max, at) => {
            let order = if op == Op::Min { Op::Le } else { Op::Ge };
            let is_first = cx.b.op(order, &[x(0), x(1)]);
            let alone = cx.b.op(Op::IsNan, &[x(1)]);
            let is_first = cx.b.op(Op::Or, &[is_first, alone]);
            cx.where_(is_first, g, at == 0)
        }
        (Op::Abs, _) => {
            let zero = zero(cx.b, cx.ty);
            let (above, below) = (cx.b.op(Op::Gt, &[x(0), zero]), cx.b.op(Op::Lt, &[x(0), zero]));
            let negative = cx.neg(g);
            let rest = cx.where_(below, negative, true);
            cx.b.op(Op::Select, &[above, g, rest])
        }
        (Op::Copysign, 0) => {
            let one = cx.number(1.0);
            let (of, to) = (cx.b.op(Op::Copysign, &[one, x(0)]), cx.b.op(Op::Copysign, &[one, x(1)]));
            let sign = cx.mul(of, to);
            cx.mul(g, sign)
        }
        (Op::Sqrt, _) => {
            let two = cx.number(2.0);
            let twice = cx.mul(two, r());
            cx.div(g, twice)
        }
        (Op::Sin, _) => cx.with(g, Op::Cos, x(0)),
        (Op::Cos, _) => {
            let share = cx.with(g, Op::Sin, x(0));
            cx.neg(share)
        }
        (Op::Tan, _) => {
            let square = cx.square_plus(r(), 1.0);
            cx.mul(g, square)
        }
        (Op::Tanh, _) => {
            let rest = cx.one_minus_square(r());
            cx.mul(g, rest)
        }
        (Op::Asin | Op::Acos, _) => {
            let rest = cx.one_minus_square(x(0));
            let root = cx.b.op(Op::Sqrt, &[rest]);
            let share = cx.div(g, root);
            if op == Op::Asin { share } else { cx.neg(share) }
        }
        (Op::Atan, _) => {
            let square = cx.square_plus(x(0), 1.0);
            cx.div(g, square)
        }
        (Op::Atan2, at) => {
            let (y, x) = (x(0), x(1));
            let (a, c) = (cx.mul(y, y), cx.mul(x, x));
            let square = cx.b.op(Op::Add, &[a, c]);
            let part = cx.div(if at == 0 { x } else { y }, square);
            let share = cx.mul(g, part);
            if at == 0 { share } else { cx.neg(share) }
        }
        (Op::Sinh, _) => cx.with(g, Op::Cosh, x(0)),
        (Op::Cosh, _) => cx.with(g, Op::Sinh, x(0)),
        (Op::Exp, _) => cx.mul(g, r()),
        (Op::Exp2, _) => {
            let scale = cx.number(std::f64::consts::LN_2);
            let scaled = cx.mul(r(), scale);
            cx.mul(g, scaled)
        }
        (Op::Ln, _) => cx.div(g, x(0)),
        (Op::Log2, _) => {
            let scale = cx.number(std::f64::consts::LN_2);
            let scaled = cx.mul(x(0), scale);
            cx.div(g, scaled)
        }
        (Op::Powf, 0) => {
            let one = cx.number(1.0);
            let less = cx.b.op(Op::Sub, &[x(1), one]);
            let power = cx.b.op(Op::Powf, &[x(0), less]);
            let slope = cx.mul(x(1), power);
            let share = cx.mul(g, slope);
            cx.unless_zero(x(1), share)
        }
        (Op::Powf, _) => {
            let log = cx.b.op(Op::Ln, &[x(0)]);
            let slope = cx.mul(r(), log);
            let share = cx.mul(g, slope);
            cx.unless_zero(x(0), share)
        }
        (Op::Slope, 1) => cx.mul(g, x(2)),
        (Op::Select, 1 | 2) => return Some(select(cx.b, x(0), g, at == 1)),
        (Op::Cast, _) => cx.b.cast(g, operand_type),
        _ => return None,
    })
}

/// `g` where the condition says so, else zero: of any type.
fn select(b: &mut FunctionBuilder<'_>, condition: ValueId, g: ValueId, when: bool) -> ValueId {
    let ty = b.value_type(g);
    let zero = zero(b, ty);
    let (yes, no) = if when { (g, zero) } else { (zero, g) };
    b.op(Op::Select, &[condition, yes, no])
}

struct Rule<'b, 'm> {
    b: &'b mut FunctionBuilder<'m>,
    ty: TypeId,
}

impl Rule<'_, '_> {
    fn number(&mut self, value: f64) -> ValueId {
        number(self.b, self.ty, value)
    }

    fn mul(&mut self, a: ValueId, c: ValueId) -> ValueId {
        self.b.op(Op::Mul, &[a, c])
    }

    fn div(&mut self, a: ValueId, c: ValueId) -> ValueId {
        self.b.op(Op::Div, &[a, c])
    }

    fn neg(&mut self, a: ValueId) -> ValueId {
        self.b.op(Op::Neg, &[a])
    }

    fn with(&mut self, g: ValueId, op: Op, x: ValueId) -> ValueId {
        let slope = self.b.op(op, &[x]);
        self.mul(g, slope)
    }

    fn square_plus(&mut self, a: ValueId, more: f64) -> ValueId {
        let (square, more) = (self.mul(a, a), self.number(more));
        self.b.op(Op::Add, &[square, more])
    }

    /// As `(1 - a) (1 + a)`, which keeps its digits near one.
    fn one_minus_square(&mut self, a: ValueId) -> ValueId {
        let one = self.number(1.0);
        let (less, more) = (self.b.op(Op::Sub, &[one, a]), self.b.op(Op::Add, &[one, a]));
        self.mul(less, more)
    }

    fn where_(&mut self, condition: ValueId, g: ValueId, when: bool) -> ValueId {
        select(self.b, condition, g, when)
    }

    fn unless_zero(&mut self, x: ValueId, share: ValueId) -> ValueId {
        let zero = zero(self.b, self.ty);
        let is_zero = self.b.op(Op::Eq, &[x, zero]);
        self.where_(is_zero, share, false)
    }
}
