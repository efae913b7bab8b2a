//! Evaluates ops on constants with exactly Rust's meaning. It folds nothing whose result may differ between machines.

use crate::ir::Constant;
use crate::op::Op;
use crate::types::Scalar;

/// The bits every NaN computed here has, so that results do not depend on the machine that compiles.
const NAN: u32 = 0x7fc0_0000;

/// The result of a scalar op on constants, or `None` when it is not exactly rounded, not defined, or not scalar.
///
/// `result` is the scalar type of the result. [`Constant::Zero`] stands for the zero of whatever type the op expects.
pub fn evaluate(op: Op, operands: &[Constant], result: Scalar) -> Option<Constant> {
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
        Op::Cast => return cast(first, result),
        Op::Bitcast => return Some(from_bits(bits(first)?, result)),
        Op::MulAdd => {
            let (Constant::F32(a), Some(Constant::F32(b)), Constant::F32(c)) = (first, second, typed(operands[2], ty))
            else {
                return None;
            };
            return Some(float(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c))));
        }
        _ => {}
    }
    match (first, second) {
        (Constant::Bool(a), None) => (op == Op::Not).then_some(Constant::Bool(!a)),
        (Constant::Bool(a), Some(Constant::Bool(b))) => bool_binary(op, a, b).map(Constant::Bool),
        (Constant::I32(a), None) => i32_unary(op, a),
        (Constant::U32(a), None) => u32_unary(op, a),
        (Constant::F32(a), None) => f32_unary(op, a),
        (Constant::I32(a), Some(Constant::U32(b))) => {
            shift(op).map(|left| if left { Constant::I32(a.wrapping_shl(b)) } else { Constant::I32(a.wrapping_shr(b)) })
        }
        (Constant::I32(a), Some(Constant::I32(b))) => i32_binary(op, a, b),
        (Constant::U32(a), Some(Constant::U32(b))) => u32_binary(op, a, b),
        (Constant::F32(a), Some(Constant::F32(b))) => f32_binary(op, a, b),
        _ => None,
    }
}

/// The constant with a type: [`Constant::Zero`] becomes the zero of `scalar`, others stay.
pub fn typed(constant: Constant, scalar: Scalar) -> Constant {
    match constant {
        Constant::Zero => from_bits(0, scalar),
        other => other,
    }
}

/// The scalar with these bits; for `bool` any but zero is true.
pub fn from_bits(bits: u32, scalar: Scalar) -> Constant {
    match scalar {
        Scalar::Bool => Constant::Bool(bits != 0),
        Scalar::I32 => Constant::I32(bits as i32),
        Scalar::U32 => Constant::U32(bits),
        Scalar::F32 => Constant::F32(bits),
    }
}

/// The constant's 32 bits; none for `bool`.
pub fn bits(constant: Constant) -> Option<u32> {
    match constant {
        Constant::Bool(_) => None,
        Constant::I32(value) => Some(value as u32),
        Constant::U32(value) | Constant::F32(value) => Some(value),
        Constant::Zero => Some(0),
    }
}

/// The constant as a condition; none when it is not a `bool`.
pub fn is_true(constant: Constant) -> Option<bool> {
    match constant {
        Constant::Bool(value) => Some(value),
        Constant::Zero => Some(false),
        _ => None,
    }
}

/// The type of the constant; none for [`Constant::Zero`].
pub(crate) fn scalar_of(constant: Constant) -> Option<Scalar> {
    match constant {
        Constant::Bool(_) => Some(Scalar::Bool),
        Constant::I32(_) => Some(Scalar::I32),
        Constant::U32(_) => Some(Scalar::U32),
        Constant::F32(_) => Some(Scalar::F32),
        Constant::Zero => None,
    }
}

fn float(value: f32) -> Constant {
    Constant::F32(if value.is_nan() { NAN } else { value.to_bits() })
}

fn shift(op: Op) -> Option<bool> {
    match op {
        Op::Shl => Some(true),
        Op::Shr => Some(false),
        _ => None,
    }
}

fn cast(value: Constant, result: Scalar) -> Option<Constant> {
    Some(match (value, result) {
        (Constant::Bool(v), Scalar::Bool) => Constant::Bool(v),
        (Constant::Bool(v), Scalar::I32) => Constant::I32(i32::from(v)),
        (Constant::Bool(v), Scalar::U32) => Constant::U32(u32::from(v)),
        (Constant::Bool(v), Scalar::F32) => float(f32::from(u8::from(v))),
        (Constant::I32(v), Scalar::Bool) => Constant::Bool(v != 0),
        (Constant::I32(v), Scalar::I32) => Constant::I32(v),
        (Constant::I32(v), Scalar::U32) => Constant::U32(v as u32),
        (Constant::I32(v), Scalar::F32) => float(v as f32),
        (Constant::U32(v), Scalar::Bool) => Constant::Bool(v != 0),
        (Constant::U32(v), Scalar::I32) => Constant::I32(v as i32),
        (Constant::U32(v), Scalar::U32) => Constant::U32(v),
        (Constant::U32(v), Scalar::F32) => float(v as f32),
        (Constant::F32(v), Scalar::Bool) => Constant::Bool(f32::from_bits(v) != 0.0),
        (Constant::F32(v), Scalar::I32) => Constant::I32(f32::from_bits(v) as i32),
        (Constant::F32(v), Scalar::U32) => Constant::U32(f32::from_bits(v) as u32),
        (Constant::F32(v), Scalar::F32) => Constant::F32(v),
        (Constant::Zero, _) => return None,
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

fn i32_unary(op: Op, a: i32) -> Option<Constant> {
    Some(match op {
        Op::Neg => Constant::I32(a.wrapping_neg()),
        Op::Not => Constant::I32(!a),
        Op::Abs => Constant::I32(a.wrapping_abs()),
        Op::ReverseBits => Constant::I32(a.reverse_bits()),
        _ => return u32_count(op, a as u32),
    })
}

fn u32_unary(op: Op, a: u32) -> Option<Constant> {
    Some(match op {
        Op::Not => Constant::U32(!a),
        Op::ReverseBits => Constant::U32(a.reverse_bits()),
        _ => return u32_count(op, a),
    })
}

fn u32_count(op: Op, a: u32) -> Option<Constant> {
    Some(Constant::U32(match op {
        Op::CountOnes => a.count_ones(),
        Op::LeadingZeros => a.leading_zeros(),
        Op::TrailingZeros => a.trailing_zeros(),
        _ => return None,
    }))
}

fn i32_binary(op: Op, a: i32, b: i32) -> Option<Constant> {
    Some(Constant::I32(match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Div => a.checked_div(b)?,
        Op::Rem => a.checked_rem(b)?,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::MulHigh => ((i64::from(a) * i64::from(b)) >> 32) as i32,
        _ => return order(op, a, b),
    }))
}

fn u32_binary(op: Op, a: u32, b: u32) -> Option<Constant> {
    Some(Constant::U32(match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Div => a.checked_div(b)?,
        Op::Rem => a.checked_rem(b)?,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Shl => a.wrapping_shl(b),
        Op::Shr => a.wrapping_shr(b),
        Op::MulHigh => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        _ => return order(op, a, b),
    }))
}

fn f32_unary(op: Op, bits: u32) -> Option<Constant> {
    const SIGN: u32 = 0x8000_0000;
    let a = f32::from_bits(bits);
    Some(match op {
        // Neg and Abs change one bit, of NaN too.
        Op::Neg => Constant::F32(bits ^ SIGN),
        Op::Abs => Constant::F32(bits & !SIGN),
        Op::Floor => float(a.floor()),
        Op::Ceil => float(a.ceil()),
        Op::Trunc => float(a.trunc()),
        Op::Round => float(a.round()),
        Op::RoundTiesEven => float(a.round_ties_even()),
        Op::Sqrt => float(a.sqrt()),
        Op::IsNan => Constant::Bool(a.is_nan()),
        Op::IsInf => Constant::Bool(a.is_infinite()),
        _ => return None,
    })
}

fn f32_binary(op: Op, a_bits: u32, b_bits: u32) -> Option<Constant> {
    let (a, b) = (f32::from_bits(a_bits), f32::from_bits(b_bits));
    Some(match op {
        Op::Add => float(a + b),
        Op::Sub => float(a - b),
        Op::Mul => float(a * b),
        Op::Div => float(a / b),
        Op::Rem => float(a % b),
        Op::Copysign => Constant::F32((a_bits & 0x7fff_ffff) | (b_bits & 0x8000_0000)),
        // Zeros of different signs are equal; which of them Rust's min and max give is open, so fold neither.
        Op::Min | Op::Max if a == 0.0 && b == 0.0 && a_bits != b_bits => return None,
        Op::Min => float(a.min(b)),
        Op::Max => float(a.max(b)),
        _ => return order(op, a, b),
    })
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
    fn nan_has_one_pattern() {
        assert_eq!(evaluate(Op::Div, &[f(0.0), f(0.0)], Scalar::F32), Some(Constant::F32(NAN)));
        assert_eq!(evaluate(Op::Neg, &[Constant::F32(NAN)], Scalar::F32), Some(Constant::F32(NAN | 0x8000_0000)));
    }
}
