//! Calls of built-in functions and methods: evaluates the arguments and sends each intrinsic where its meaning is written.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use super::types::scalar;
use crate::ast::Expr;
use crate::builtin::elementary::Elementary;
use crate::builtin::intrinsic::{Intrinsic, Length};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// Lowers a call; the receiver, if there is one, is the first argument.
    pub(super) fn lower_intrinsic(&mut self, expr: &Expr, intrinsic: Intrinsic, args: &[&Expr]) -> Option<ValueId> {
        if let Intrinsic::Length(method) = intrinsic {
            return self.lower_length(method, args.first()?);
        }
        let of_wide = matches!(args.first().map(|arg| self.ty_of(arg)), Some(Ty::Scalar(scalar)) if scalar.is_wide());
        let args = self.lower_args(args)?;
        match intrinsic {
            Intrinsic::Elementary(function) if of_wide => {
                Some(self.wide_elementary(function, args[0], args.get(1).copied().unwrap_or(args[0])))
            }
            Intrinsic::Elementary(function) => {
                let second = args.get(1).copied().unwrap_or(args[0]);
                let of_double = self.of_double(function, args[0], second);
                let value = of_double.unwrap_or_else(|| self.elementary(expr, function, &args));
                Some(if self.shared.derives { self.with_known_slopes(function, value, args[0], second) } else { value })
            }
            Intrinsic::Arithmetic(overflow, op) => {
                let second = args.get(1).copied().unwrap_or(args[0]);
                Some(self.arithmetic(expr, (overflow, op), args[0], second))
            }
            Intrinsic::Number(method) => Some(self.number(expr, method, &args)),
            Intrinsic::Ascii(class) => Some(self.is_of_class(args[0], class)),
            Intrinsic::Character(method) => Some(self.character(expr, method, &args)),
            Intrinsic::Vector(method) => self.of_vector(expr, method, &args),
            Intrinsic::Lanes(method) => self.of_lanes(expr, method, &args),
            Intrinsic::Direction(method) => self.of_directions(expr, method, &args),
            Intrinsic::Linear(method) => Some(self.linear(expr, method, &args)),
            Intrinsic::Rotation(method) => Some(self.rotation(expr, method, &args)),
            Intrinsic::Length(_) => None,
        }
    }

    fn lower_length(&mut self, method: Length, of: &Expr) -> Option<ValueId> {
        let len = self.lower_len(of)?;
        Some(match method {
            Length::Len => len,
            Length::IsEmpty => {
                let zero = self.u32(0);
                self.b.op(Op::Eq, &[len, zero])
            }
        })
    }

    /// One arm per row.
    fn elementary(&mut self, expr: &Expr, function: Elementary, args: &[ValueId]) -> ValueId {
        use Elementary as E;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        match function {
            E::Abs => self.b.op(Op::Abs, args),
            E::Sqrt => self.b.op(Op::Sqrt, args),
            E::Sin => self.sin(a),
            E::Cos => self.cos(a),
            E::Tan => self.tan(a),
            E::Asin => self.b.op(Op::Asin, args),
            E::Acos => self.b.op(Op::Acos, args),
            E::Atan => self.b.op(Op::Atan, args),
            E::Sinh => self.b.op(Op::Sinh, args),
            E::Cosh => self.b.op(Op::Cosh, args),
            E::Tanh => self.b.op(Op::Tanh, args),
            E::Exp => self.exp(a),
            E::Exp2 => self.exp2(a),
            E::Ln => self.ln(a),
            E::Log2 => self.log2(a),
            E::Log10 => self.log10(a),
            E::Log => self.log(a, b),
            E::Recip => self.recip(a),
            E::Fract => self.fract(a),
            E::Signum => self.signum(a),
            E::ToDegrees => self.scale(a, 57.295_78, 180.0 / std::f64::consts::PI),
            E::ToRadians => self.scale(a, std::f32::consts::PI / 180.0, std::f64::consts::PI / 180.0),
            E::Floor => self.round_vector(Op::Floor, a),
            E::Ceil => self.round_vector(Op::Ceil, a),
            E::Round => self.round_vector(Op::Round, a),
            E::Trunc => self.round_vector(Op::Trunc, a),
            E::RoundTiesEven => self.b.op(Op::RoundTiesEven, args),
            E::MulAdd => self.b.op(Op::MulAdd, args),
            E::Powf => self.b.op(Op::Powf, args),
            E::PowfVec => self.powf_vector(a, b),
            E::Powi => self.powi(a, b),
            E::Atan2 => self.b.op(Op::Atan2, args),
            E::Hypot => self.hypot(a, b),
            E::RemEuclidFloat => self.rem_euclid_float(a, b),
            E::DivEuclidFloat => self.div_euclid_float(a, b),
            E::Copysign => self.b.op(Op::Copysign, args),
            E::Min => self.min(a, b),
            E::Max => self.max(a, b),
            E::Clamp => self.clamp(expr, a, b, c),
            E::IsNan => self.b.op(Op::IsNan, args),
            E::IsInfinite => self.b.op(Op::IsInf, args),
            E::IsFinite => self.is_finite(a),
            E::IsSignNegative => self.sign_test(a, Op::Lt),
            E::IsSignPositive => self.sign_test(a, Op::Ge),
            E::IsNormal => self.is_normal(a),
            E::IsSubnormal => self.is_subnormal(a),
            E::NextUp => self.next_float(a, true),
            E::NextDown => self.next_float(a, false),
            E::ExpM1 => self.exp_m1(a),
            E::Ln1p => self.ln_1p(a),
            E::Cbrt => self.cbrt(a),
            E::Asinh => self.asinh(a),
            E::Acosh => self.acosh(a),
            E::Atanh => self.atanh(a),
            E::ToBits => self.bitcast(a, self.shape(a).0.unsigned()),
            E::FromBits => match self.ty_of(expr) {
                Ty::Scalar(name) => self.bitcast(a, scalar(*name)),
                _ => a,
            },
            E::FromF32 => match self.ty_of(expr) {
                Ty::Scalar(name) => self.cast(a, scalar(*name)),
                _ => a,
            },
            E::FromF64 => match self.ty_of(expr) {
                Ty::Scalar(name) => {
                    let near = self.round_to_odd(a);
                    self.cast(near, scalar(*name))
                }
                _ => a,
            },
            E::ToF32 => self.cast(a, Scalar::F32),
            E::ToF64 => self.cast(a, Scalar::F64),
            E::SinCos => self.sin_cos(a),
            E::CountLeadingOnes | E::CountTrailingOnes => {
                let inverse = self.op(Op::Not, &[a]);
                let op = if function == E::CountLeadingOnes { Op::LeadingZeros } else { Op::TrailingZeros };
                self.b.op(op, &[inverse])
            }
            E::MidpointUnsigned | E::MidpointSigned => self.midpoint(a, b),
            E::NextPowerOfTwo => self.next_power_of_two(a),
            E::CheckedNextPowerOfTwo => {
                let next = self.next_power_of_two(a);
                let fits = self.compare_to_zero(Op::Ne, next);
                let ty = self.ty_of(expr).clone();
                self.option_of(&ty, fits, next).unwrap_or(next)
            }
            E::CheckedIlog2 => {
                let (logarithm, exists) = self.ilog2(a);
                let ty = self.ty_of(expr).clone();
                self.option_of(&ty, exists, logarithm).unwrap_or(logarithm)
            }
            E::Isqrt => self.isqrt(a),
            E::CastSigned => self.cast(a, self.shape(a).0.signed()),
            E::CastUnsigned => self.cast(a, self.shape(a).0.unsigned()),
            E::RotateLeft => self.rotate_left(a, b),
            E::RotateRight => self.rotate_right(a, b),
            E::CountOnes => self.b.op(Op::CountOnes, args),
            E::CountZeros => self.count_zeros(a),
            E::LeadingZeros => self.b.op(Op::LeadingZeros, args),
            E::TrailingZeros => self.b.op(Op::TrailingZeros, args),
            E::ReverseBits => self.b.op(Op::ReverseBits, args),
            E::SwapBytes => self.swap_bytes(a),
            E::AbsDiff => self.abs_diff(a, b),
            E::UnsignedAbs => self.unsigned_abs(a),
            E::SignumInt => self.signum_int(a),
            E::Pow => self.pow(a, b),
            E::RemEuclid => self.rem_euclid(expr, a, b),
            E::DivEuclid => self.div_euclid(expr, a, b),
            E::DivCeil => self.div_ceil(expr, a, b),
            E::IsPowerOfTwo => self.is_power_of_two(a),
            E::NextMultipleOf => self.next_multiple_of(expr, a, b),
            E::IsPositive => self.compare_to_zero(Op::Gt, a),
            E::IsNegative => self.compare_to_zero(Op::Lt, a),
            E::ToAsciiUppercase => self.change_case(a, (b'a'.into(), b'z'.into())),
            E::ToAsciiLowercase => self.change_case(a, (b'A'.into(), b'Z'.into())),
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
