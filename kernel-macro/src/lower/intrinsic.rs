//! Calls of built-in functions and methods: evaluates the arguments and sends each intrinsic where its meaning is written.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::ascii::ascii_ranges;
use super::division::Division;
use super::function::FnCx;
use super::owner::{Owner, is_not_lowered, owner};
use super::types::scalar;
use crate::ast::Expr;
use crate::builtin::intrinsic::Intrinsic;
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// Lowers a call; the receiver, if there is one, is the first argument.
    pub(super) fn lower_intrinsic(&mut self, expr: &Expr, intrinsic: Intrinsic, args: &[&Expr]) -> Option<ValueId> {
        let owner = owner(intrinsic);
        if owner == Owner::Length {
            return self.lower_length(intrinsic, args.first()?);
        }
        let args = self.lower_args(args)?;
        match (owner, intrinsic) {
            (_, Intrinsic::Number(method)) => Some(self.number(expr, method, &args)),
            (_, Intrinsic::Linear(method)) => Some(self.linear(expr, method, &args)),
            (Owner::Ascii, _) => Some(self.is_in_ranges(args[0], ascii_ranges(intrinsic))),
            (Owner::Vector, _) => self.of_vector(expr, intrinsic, &args),
            (Owner::Direction, _) => self.of_directions(expr, intrinsic, &args),
            (Owner::Scalar, _) => {
                let second = args.get(1).copied().unwrap_or(args[0]);
                let of_double = self.of_double(intrinsic, args[0], second);
                Some(of_double.unwrap_or_else(|| self.apply(expr, intrinsic, &args)))
            }
            (Owner::Length | Owner::Number | Owner::Linear, _) => is_not_lowered(intrinsic),
        }
    }

    fn lower_length(&mut self, intrinsic: Intrinsic, of: &Expr) -> Option<ValueId> {
        let len = self.lower_len(of)?;
        Some(match intrinsic {
            Intrinsic::BufferLen => len,
            Intrinsic::BufferIsEmpty => {
                let zero = self.u32(0);
                self.b.op(Op::Eq, &[len, zero])
            }
            _ => is_not_lowered(intrinsic),
        })
    }

    /// One row per intrinsic.
    fn apply(&mut self, expr: &Expr, intrinsic: Intrinsic, args: &[ValueId]) -> ValueId {
        use Intrinsic as I;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        match intrinsic {
            I::Abs => self.b.op(Op::Abs, args),
            I::Sqrt => self.b.op(Op::Sqrt, args),
            I::Sin => self.sin(a),
            I::Cos => self.cos(a),
            I::Tan => self.tan(a),
            I::Asin => self.b.op(Op::Asin, args),
            I::Acos => self.b.op(Op::Acos, args),
            I::Atan => self.b.op(Op::Atan, args),
            I::Sinh => self.b.op(Op::Sinh, args),
            I::Cosh => self.b.op(Op::Cosh, args),
            I::Tanh => self.b.op(Op::Tanh, args),
            I::Exp => self.exp(a),
            I::Exp2 => self.exp2(a),
            I::Ln => self.ln(a),
            I::Log2 => self.log2(a),
            I::Log10 => self.log10(a),
            I::Log => self.log(a, b),
            I::Recip => self.recip(a),
            I::Fract => self.fract(a),
            I::Signum => self.signum(a),
            I::ToDegrees => self.scale(a, 57.295_78, 180.0 / std::f64::consts::PI),
            I::ToRadians => self.scale(a, std::f32::consts::PI / 180.0, std::f64::consts::PI / 180.0),
            I::Floor => self.round_vector(Op::Floor, a),
            I::Ceil => self.round_vector(Op::Ceil, a),
            I::Round => self.round_vector(Op::Round, a),
            I::Trunc => self.round_vector(Op::Trunc, a),
            I::RoundTiesEven => self.b.op(Op::RoundTiesEven, args),
            I::MulAdd => self.b.op(Op::MulAdd, args),
            I::Powf => self.b.op(Op::Powf, args),
            I::PowfVec => self.powf_vector(a, b),
            I::Powi => self.powi(a, b),
            I::Atan2 => self.b.op(Op::Atan2, args),
            I::Hypot => self.hypot(a, b),
            I::RemEuclidFloat => self.rem_euclid_float(a, b),
            I::DivEuclidFloat => self.div_euclid_float(a, b),
            I::Copysign => self.b.op(Op::Copysign, args),
            I::Min => self.min(a, b),
            I::Max => self.max(a, b),
            I::Clamp => self.clamp(expr, a, b, c),
            I::IsNan => self.b.op(Op::IsNan, args),
            I::IsInfinite => self.b.op(Op::IsInf, args),
            I::IsFinite => self.is_finite(a),
            I::IsSignNegative => self.sign_test(a, Op::Lt),
            I::IsSignPositive => self.sign_test(a, Op::Ge),
            I::IsNormal => self.is_normal(a),
            I::IsSubnormal => self.is_subnormal(a),
            I::NextUp => self.next_float(a, true),
            I::NextDown => self.next_float(a, false),
            I::ExpM1 => self.exp_m1(a),
            I::Ln1p => self.ln_1p(a),
            I::Cbrt => self.cbrt(a),
            I::Asinh => self.asinh(a),
            I::Acosh => self.acosh(a),
            I::Atanh => self.atanh(a),
            I::ToBits => self.bitcast(a, self.shape(a).0.unsigned()),
            I::FromBits => match self.ty_of(expr) {
                Ty::Scalar(name) => self.bitcast(a, scalar(*name)),
                _ => a,
            },
            I::FromF32 => match self.ty_of(expr) {
                Ty::Scalar(name) => self.cast(a, scalar(*name)),
                _ => a,
            },
            I::FromF64 => match self.ty_of(expr) {
                Ty::Scalar(name) => {
                    let near = self.round_to_odd(a);
                    self.cast(near, scalar(*name))
                }
                _ => a,
            },
            I::ToF32 => self.cast(a, Scalar::F32),
            I::ToF64 => self.cast(a, Scalar::F64),
            I::SinCos => self.sin_cos(a),
            I::Arithmetic(overflow, op) => self.arithmetic(expr, (overflow, op), a, b),
            I::CountLeadingOnes | I::CountTrailingOnes => {
                let inverse = self.op(Op::Not, &[a]);
                let op = if intrinsic == I::CountLeadingOnes { Op::LeadingZeros } else { Op::TrailingZeros };
                self.b.op(op, &[inverse])
            }
            I::MidpointUnsigned | I::MidpointSigned => self.midpoint(a, b),
            I::NextPowerOfTwo => self.next_power_of_two(a),
            I::CheckedNextPowerOfTwo => {
                let next = self.next_power_of_two(a);
                let fits = self.compare_to_zero(Op::Ne, next);
                let ty = self.ty_of(expr).clone();
                self.option_of(&ty, fits, next).unwrap_or(next)
            }
            I::CheckedIlog2 => {
                let (logarithm, exists) = self.ilog2(a);
                let ty = self.ty_of(expr).clone();
                self.option_of(&ty, exists, logarithm).unwrap_or(logarithm)
            }
            I::Isqrt => self.isqrt(a),
            I::CastSigned => self.cast(a, self.shape(a).0.signed()),
            I::CastUnsigned => self.cast(a, self.shape(a).0.unsigned()),
            I::RotateLeft => self.rotate_left(a, b),
            I::RotateRight => self.rotate_right(a, b),
            I::CountOnes => self.b.op(Op::CountOnes, args),
            I::CountZeros => self.count_zeros(a),
            I::LeadingZeros => self.b.op(Op::LeadingZeros, args),
            I::TrailingZeros => self.b.op(Op::TrailingZeros, args),
            I::ReverseBits => self.b.op(Op::ReverseBits, args),
            I::SwapBytes => self.swap_bytes(a),
            I::AbsDiff => self.abs_diff(a, b),
            I::UnsignedAbs => self.unsigned_abs(a),
            I::SignumInt => self.signum_int(a),
            I::Pow => self.pow(a, b),
            I::RemEuclid => self.rem_euclid(expr, a, b),
            I::DivEuclid => self.div_euclid(expr, a, b),
            I::DivCeil => self.div_ceil(expr, a, b),
            I::IsPowerOfTwo => self.is_power_of_two(a),
            I::NextMultipleOf => self.next_multiple_of(expr, a, b),
            I::IsPositive => self.compare_to_zero(Op::Gt, a),
            I::IsNegative => self.compare_to_zero(Op::Lt, a),
            I::ToAsciiUppercase => self.change_case(a, (b'a', b'z')),
            I::ToAsciiLowercase => self.change_case(a, (b'A', b'Z')),
            _ => is_not_lowered(intrinsic),
        }
    }

    /// Quotient and remainder of integers, with one guard.
    pub(super) fn divide_both(
        &mut self,
        expr: &Expr,
        division: Division,
        a: ValueId,
        b: ValueId,
    ) -> (ValueId, ValueId) {
        let divisor = self.guard_divisor(expr, division, a, b);
        let quotient = self.b.op(Op::Div, &[a, divisor]);
        let product = self.b.op(Op::Mul, &[quotient, divisor]);
        (quotient, self.b.op(Op::Sub, &[a, product]))
    }

    /// Compares an integer with zero.
    pub(super) fn compare_to_zero(&mut self, op: Op, value: ValueId) -> ValueId {
        let zero = self.int_like(value, 0);
        self.b.op(op, &[value, zero])
    }
}
