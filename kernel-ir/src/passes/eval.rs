//! Evaluates ops on constants with exactly Rust's meaning. It folds nothing whose result may differ between machines.

use crate::float16;
use crate::ir::Constant;
use crate::op::Op;
use crate::types::Scalar;

/// How an op's result is found.
pub(crate) enum Evaluation {
    /// [`evaluate`] gives it, the same on all machines.
    Exact,
    /// Rust's function gives it, of the first operand and the second; machines differ in the last digits.
    Near(fn(f32, f32) -> f32),
}

/// How an op's result is found. Each row is named, so that a new one does not compile before it is.
pub(crate) fn evaluation(op: Op) -> Evaluation {
    use Evaluation::{Exact, Near};
    match op {
        Op::Sin => Near(|a, _| a.sin()),
        Op::Cos => Near(|a, _| a.cos()),
        Op::Tan => Near(|a, _| a.tan()),
        Op::Asin => Near(|a, _| a.asin()),
        Op::Acos => Near(|a, _| a.acos()),
        Op::Atan => Near(|a, _| a.atan()),
        Op::Atan2 => Near(f32::atan2),
        Op::Sinh => Near(|a, _| a.sinh()),
        Op::Cosh => Near(|a, _| a.cosh()),
        Op::Tanh => Near(|a, _| a.tanh()),
        Op::Exp => Near(|a, _| a.exp()),
        Op::Exp2 => Near(|a, _| a.exp2()),
        Op::Ln => Near(|a, _| a.ln()),
        Op::Log2 => Near(|a, _| a.log2()),
        Op::Powf => Near(f32::powf),
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Neg | Op::Min | Op::Max | Op::Abs | Op::MulHigh => Exact,
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr => Exact,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Exact,
        Op::Select | Op::Cast | Op::Bitcast | Op::Uniform | Op::Slope => Exact,
        Op::Any | Op::All => Exact,
        Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundTiesEven => Exact,
        Op::Copysign | Op::Sqrt | Op::MulAdd | Op::NearMulAdd | Op::IsNan | Op::IsInf => Exact,
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::ReverseBits => Exact,
    }
}

/// The result of a scalar op on constants, or `None` when it is not exactly rounded, not defined, or not scalar.
///
/// `result` is the scalar type of the result. [`Constant::Zero`] stands for the zero of whatever type the op expects.
pub fn evaluate(op: Op, operands: &[Constant], result: Scalar) -> Option<Constant> {
    if matches!(evaluation(op), Evaluation::Near(_)) {
        return None;
    }
    if op == Op::Select {
        let chosen = if is_true(*operands.first()?)? { operands.get(1)? } else { operands.get(2)? };
        return Some(typed(*chosen, result));
    }
    if operands.len() != op.arity() {
        return None;
    }
    // Zeros without a type get the type of an operand that has one; if none has, any type gives the same result.
    let ty = match op {
        Op::Shl | Op::Shr => result,
        _ => operands.iter().find_map(|operand| scalar_of(*operand)).unwrap_or(result),
    };
    let first = typed(*operands.first()?, ty);
    let second = operands.get(1).map(|operand| match op {
        Op::Shl | Op::Shr => typed(*operand, Scalar::U32),
        _ => typed(*operand, ty),
    });
    match op {
        Op::Uniform | Op::Slope => return Some(first),
        Op::Cast => return cast(first, result),
        Op::Bitcast => return Some(from_bits(bits(first)?, result)),
        Op::MulAdd | Op::NearMulAdd => {
            let [a, b, c] = [bits(first)?, bits(second?)?, bits(typed(operands[2], ty))?];
            if ty == Scalar::F64 {
                return Some(float(ty, f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c))));
            }
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            return Some(float(ty, a.mul_add(b, c).into()));
        }
        _ => {}
    }
    match (first, second) {
        (Constant::Bool(a), None) => (op == Op::Not).then_some(Constant::Bool(!a)),
        (Constant::Bool(a), Some(Constant::Bool(b))) => bool_binary(op, a, b).map(Constant::Bool),
        (a, b) => {
            let scalar = scalar_of(a)?;
            match (scalar.is_float(), b) {
                (true, None) => float_unary(op, scalar, bits(a)?),
                (true, Some(b)) => float_binary(op, scalar, bits(a)?, bits(b)?),
                (false, None) => int_unary(op, scalar, a),
                (false, Some(b)) => int_binary(op, scalar, int(a)?, int(b)?),
            }
        }
    }
}

/// The constant with a type: [`Constant::Zero`] becomes the zero of `scalar`, others stay.
pub fn typed(constant: Constant, scalar: Scalar) -> Constant {
    match constant {
        Constant::Zero => from_bits(0, scalar),
        other => other,
    }
}

/// The scalar with these bits, those above its width cut off; for `bool` any but zero is true.
pub fn from_bits(bits: u64, scalar: Scalar) -> Constant {
    match scalar {
        Scalar::Bool => Constant::Bool(bits != 0),
        Scalar::I32 => Constant::I32(bits as i32),
        Scalar::U32 => Constant::U32(bits as u32),
        Scalar::F32 => Constant::F32(bits as u32),
        other => Constant::Bits(other, bits & other.mask()),
    }
}

/// The constant's bits, zeros above its width; none for `bool`.
pub fn bits(constant: Constant) -> Option<u64> {
    match constant {
        Constant::Bool(_) => None,
        Constant::I32(value) => Some(u64::from(value as u32)),
        Constant::U32(value) | Constant::F32(value) => Some(value.into()),
        Constant::Bits(_, bits) => Some(bits),
        Constant::Zero => Some(0),
    }
}

/// The number that an integer constant is; none for others.
pub fn int(constant: Constant) -> Option<i128> {
    let scalar = scalar_of(constant).filter(|scalar| scalar.is_int())?;
    let bits = bits(constant)?;
    let above = 64 - scalar.bits();
    Some(if scalar.is_signed() { i128::from((bits << above) as i64 >> above) } else { bits.into() })
}

/// The constant as a condition; none when it is not a `bool`.
pub fn is_true(constant: Constant) -> Option<bool> {
    match constant {
        Constant::Bool(value) => Some(value),
        Constant::Zero => Some(false),
        _ => None,
    }
}

/// The constant's type; none for [`Constant::Zero`], which has any.
pub fn scalar_of(constant: Constant) -> Option<Scalar> {
    match constant {
        Constant::Bool(_) => Some(Scalar::Bool),
        Constant::I32(_) => Some(Scalar::I32),
        Constant::U32(_) => Some(Scalar::U32),
        Constant::F32(_) => Some(Scalar::F32),
        Constant::Bits(scalar, _) => Some(scalar),
        Constant::Zero => None,
    }
}

/// The float nearest to an `f64`. A NaN has the same bits always, so that results do not depend on the machine that compiles.
fn float(scalar: Scalar, value: f64) -> Constant {
    let bits = match scalar {
        _ if value.is_nan() => quiet_nan(scalar),
        Scalar::F16 => float16::f32_to_f16(float16::round_to_odd(value)).into(),
        Scalar::Bf16 => float16::f32_to_bf16(float16::round_to_odd(value)).into(),
        Scalar::F32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    };
    from_bits(bits, scalar)
}

/// The bits of a NaN.
pub fn quiet_nan(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x7e00,
        Scalar::Bf16 => 0x7fc0,
        Scalar::F32 => f32::NAN.to_bits().into(),
        _ => f64::NAN.to_bits(),
    }
}

/// The value of a float by its bits; each is an `f64` exactly.
fn value(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => float16::f16_to_f32(bits as u16).into(),
        Scalar::Bf16 => float16::bf16_to_f32(bits as u16).into(),
        Scalar::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

fn cast(from: Constant, result: Scalar) -> Option<Constant> {
    let scalar = scalar_of(from)?;
    Some(match (from, result) {
        _ if scalar == result => from,
        (Constant::Bool(value), _) if result.is_float() => float(result, u8::from(value).into()),
        (Constant::Bool(value), _) => from_bits(value.into(), result),
        (_, Scalar::Bool) if scalar.is_float() => Constant::Bool(value(scalar, bits(from)?) != 0.0),
        (_, Scalar::Bool) => Constant::Bool(bits(from)? != 0),
        _ if scalar.is_float() && result.is_float() => float(result, value(scalar, bits(from)?)),
        _ if scalar.is_float() => {
            let number = value(scalar, bits(from)?);
            // Saturates at the ends of the wider type first, then at those of the narrower.
            if result.is_signed() {
                let end = i64::MAX >> (64 - result.bits());
                from_bits((number as i64).clamp(!end, end) as u64, result)
            } else {
                from_bits((number as u64).min(result.mask()), result)
            }
        }
        // From integers to `f32` at once: two roundings may differ from one.
        (_, Scalar::F32) => Constant::F32((int(from)? as f32).to_bits()),
        (_, Scalar::F64) => float(result, int(from)? as f64),
        (_, Scalar::F16 | Scalar::Bf16) => return None,
        _ => from_bits(int(from)? as u64, result),
    })
}

fn bool_binary(op: Op, a: bool, b: bool) -> Option<bool> {
    Some(match op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor | Op::Ne => a ^ b,
        Op::Eq => a == b,
        _ => return None,
    })
}

fn order<T: PartialOrd>(op: Op, a: T, b: T) -> Option<Constant> {
    Some(Constant::Bool(match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        _ => return None,
    }))
}

fn int_unary(op: Op, scalar: Scalar, operand: Constant) -> Option<Constant> {
    let (value, bits) = (int(operand)?, bits(operand)?);
    let above = 64 - scalar.bits();
    let count = |count: u32| Some(Constant::U32(count));
    match op {
        Op::Neg => Some(from_bits(value.wrapping_neg() as u64, scalar)),
        Op::Not => Some(from_bits(!bits, scalar)),
        Op::Abs => Some(from_bits(value.wrapping_abs() as u64, scalar)),
        Op::ReverseBits => Some(from_bits(bits.reverse_bits() >> above, scalar)),
        Op::CountOnes => count(bits.count_ones()),
        Op::LeadingZeros => count(bits.leading_zeros() - above),
        Op::TrailingZeros => count(bits.trailing_zeros().min(scalar.bits())),
        _ => None,
    }
}

fn int_binary(op: Op, scalar: Scalar, a: i128, b: i128) -> Option<Constant> {
    // Below 128 bits nothing overflows but the product of two large `u64`, whose bits are right all the same.
    let number = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a.wrapping_mul(b),
        Op::Div | Op::Rem => {
            let quotient = a.checked_div(b)?;
            let is_overflow = scalar.is_signed() && quotient == 1 << (scalar.bits() - 1);
            match op {
                _ if is_overflow => return None,
                Op::Div => quotient,
                _ => a % b,
            }
        }
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Shl => a << (b as u32 % scalar.bits()),
        Op::Shr => a >> (b as u32 % scalar.bits()),
        Op::MulHigh if scalar.is_signed() => (a * b) >> scalar.bits(),
        Op::MulHigh => ((a as u128 * b as u128) >> scalar.bits()) as i128,
        _ => return order(op, a, b),
    };
    Some(from_bits(number as u64, scalar))
}

fn float_unary(op: Op, scalar: Scalar, bits: u64) -> Option<Constant> {
    let sign = 1 << (scalar.bits() - 1);
    let a = value(scalar, bits);
    let number = match op {
        // Neg and Abs change one bit, of NaN too.
        Op::Neg => return Some(from_bits(bits ^ sign, scalar)),
        Op::Abs => return Some(from_bits(bits & !sign, scalar)),
        Op::IsNan => return Some(Constant::Bool(a.is_nan())),
        Op::IsInf => return Some(Constant::Bool(a.is_infinite())),
        Op::Floor => a.floor(),
        Op::Ceil => a.ceil(),
        Op::Trunc => a.trunc(),
        Op::Round => a.round(),
        Op::RoundTiesEven => a.round_ties_even(),
        // The root of an `f32` in `f64` has more than twice its digits, so that rounding it again rounds it once.
        Op::Sqrt => a.sqrt(),
        _ => return None,
    };
    Some(float(scalar, number))
}

fn float_binary(op: Op, scalar: Scalar, a_bits: u64, b_bits: u64) -> Option<Constant> {
    let sign = 1 << (scalar.bits() - 1);
    let (a, b) = (value(scalar, a_bits), value(scalar, b_bits));
    // As for the root: `f64` has more than twice the digits of the others and two, so rounding again is harmless.
    let number = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Rem => a % b,
        Op::Copysign => return Some(from_bits(a_bits & !sign | b_bits & sign, scalar)),
        // Zeros of different signs are equal; which of them Rust's min and max give is open, so fold neither.
        Op::Min | Op::Max if a == 0.0 && b == 0.0 && a_bits != b_bits => return None,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        _ => return order(op, a, b),
    };
    Some(float(scalar, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(value: f32) -> Constant {
        Constant::F32(value.to_bits())
    }

    #[test]
    fn casts_saturate_as_in_rust() {
        assert_eq!(evaluate(Op::Cast, &[f(f32::NAN)], Scalar::I32), Some(Constant::I32(0)));
        assert_eq!(evaluate(Op::Cast, &[f(1e20)], Scalar::U32), Some(Constant::U32(u32::MAX)));
        assert_eq!(evaluate(Op::Cast, &[f(-5.0)], Scalar::U32), Some(Constant::U32(0)));
        assert_eq!(evaluate(Op::Cast, &[f(-0.0)], Scalar::Bool), Some(Constant::Bool(false)));
    }

    #[test]
    fn what_is_not_defined_is_not_folded() {
        let zero = Constant::I32(0);
        assert_eq!(evaluate(Op::Div, &[Constant::I32(1), zero], Scalar::I32), None);
        assert_eq!(evaluate(Op::Rem, &[Constant::I32(i32::MIN), Constant::I32(-1)], Scalar::I32), None);
        assert_eq!(evaluate(Op::Sin, &[f(1.0)], Scalar::F32), None);
        assert_eq!(evaluate(Op::Min, &[f(0.0), f(-0.0)], Scalar::F32), None);
    }

    #[test]
    fn zeros_take_the_type_of_the_other_operand() {
        assert_eq!(evaluate(Op::Lt, &[Constant::Zero, Constant::I32(-1)], Scalar::Bool), Some(Constant::Bool(false)));
        assert_eq!(evaluate(Op::Eq, &[Constant::Zero, Constant::Zero], Scalar::Bool), Some(Constant::Bool(true)));
        assert_eq!(evaluate(Op::Shl, &[Constant::I32(1), Constant::U32(33)], Scalar::I32), Some(Constant::I32(2)));
        assert_eq!(evaluate(Op::Shr, &[Constant::Zero, Constant::U32(3)], Scalar::I32), Some(Constant::I32(0)));
    }

    #[test]
    fn exact_ops_have_results() {
        let [i, u, x, b] = [Constant::I32(6), Constant::U32(3), f(1.5), Constant::Bool(true)];
        for op in Op::ALL {
            let has_result = [i, u, x, b].into_iter().any(|operand| {
                let mut operands = vec![operand; op.arity()];
                if matches!(op, Op::Shl | Op::Shr) {
                    operands[1] = u;
                }
                scalar_of(operand).is_some_and(|result| evaluate(*op, &operands, result).is_some())
            });
            // Of lanes, whose results have another shape.
            let of_lanes = matches!(op, Op::Any | Op::All);
            let is_exact = matches!(evaluation(*op), Evaluation::Exact);
            assert_eq!(has_result, is_exact && !of_lanes, "`{}`", op.name());
        }
    }

    #[test]
    fn nan_has_one_pattern() {
        assert_eq!(evaluate(Op::Div, &[f(0.0), f(0.0)], Scalar::F32), Some(f(f32::NAN)));
        assert_eq!(evaluate(Op::Neg, &[f(f32::NAN)], Scalar::F32), Some(f(-f32::NAN)));
    }
}
