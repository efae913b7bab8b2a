//! Methods of `f32` that are more than an op, as the standard library computes them. Those that glam's vectors share work on lanes.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::passes::eval;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::ast::Expr;

impl FnCx<'_, '_, '_> {
    /// By the binary logarithm: devices compute the natural one from it, which would round once more.
    pub(super) fn log10(&mut self, x: ValueId) -> ValueId {
        if self.shape(x).0 == Scalar::F64 {
            return self.log10_of_double(x);
        }
        let log2 = self.b.op(Op::Log2, &[x]);
        self.scale(log2, std::f32::consts::LOG10_2, std::f64::consts::LOG10_2)
    }

    pub(super) fn log(&mut self, x: ValueId, base: ValueId) -> ValueId {
        let (x, base) = (self.ln(x), self.ln(base));
        self.b.op(Op::Div, &[x, base])
    }

    /// The product with a factor, given for `f32` and for `f64`.
    pub(super) fn scale(&mut self, x: ValueId, factor: f32, wide: f64) -> ValueId {
        let is_wide = self.shape(x).0 == Scalar::F64;
        let factor = self.float_like(x, if is_wide { wide } else { factor.into() });
        self.b.op(Op::Mul, &[x, factor])
    }

    pub(super) fn recip(&mut self, x: ValueId) -> ValueId {
        let one = self.float_like(x, 1.0);
        self.b.op(Op::Div, &[one, x])
    }

    pub(super) fn fract(&mut self, x: ValueId) -> ValueId {
        let whole = self.round_vector(Op::Trunc, x);
        self.b.op(Op::Sub, &[x, whole])
    }

    /// A rounding op. glam's `Vec4` goes through integers, so that its results are never `-0.0`: adding `0.0` does the same.
    pub(super) fn round_vector(&mut self, op: Op, x: ValueId) -> ValueId {
        let rounded = self.b.op(op, &[x]);
        if self.shape(x) != (Scalar::F32, 4) {
            return rounded;
        }
        let zero = self.float_like(x, 0.0);
        self.b.op(Op::Add, &[rounded, zero])
    }

    /// The `f32` next to an `f64`, such that rounding it further gives what rounding the `f64` once gives: an inexact one is odd.
    pub(super) fn round_to_odd(&mut self, x: ValueId) -> ValueId {
        let near = self.cast(x, Scalar::F32);
        let (back, bits, one) = (self.cast(near, Scalar::F64), self.bitcast(near, Scalar::U32), self.u32(1));
        let (size, exact_size) = (self.b.op(Op::Abs, &[back]), self.b.op(Op::Abs, &[x]));
        let (below, above) = (self.op(Op::Sub, &[bits, one]), self.op(Op::Add, &[bits, one]));
        let is_over = self.b.op(Op::Gt, &[size, exact_size]);
        let other = self.select(is_over, below, above);
        let low = self.op(Op::And, &[bits, one]);
        let is_odd = self.op(Op::Eq, &[low, one]);
        let (is_exact, is_nan) = (self.b.op(Op::Eq, &[back, x]), self.b.op(Op::IsNan, &[x]));
        let stays = self.op(Op::Or, &[is_odd, is_exact]);
        let stays = self.op(Op::Or, &[stays, is_nan]);
        let bits = self.select(stays, bits, other);
        self.bitcast(bits, Scalar::F32)
    }

    /// 1 with the sign of the operand, also for zeros; NaN stays.
    pub(super) fn signum(&mut self, x: ValueId) -> ValueId {
        let one = self.float_like(x, 1.0);
        let sign = self.b.op(Op::Copysign, &[one, x]);
        let is_nan = self.b.op(Op::IsNan, &[x]);
        self.select(is_nan, x, sign)
    }

    /// Repeated squaring in the order of the compiler's run-time library; rounds like it.
    pub(super) fn powi(&mut self, x: ValueId, exponent: ValueId) -> ValueId {
        let one = self.float_like(x, 1.0);
        let Some(bits) = self.known_scalar(exponent) else {
            let magnitude = self.unsigned_abs(exponent);
            let power = self.power_loop(x, magnitude, one);
            let inverse = self.recip(power);
            let is_negative = self.compare_to_zero(Op::Lt, exponent);
            return self.select(is_negative, inverse, power);
        };
        let exponent = (bits as u32).cast_signed();
        let power = self.power_by(x, exponent.unsigned_abs()).unwrap_or(one);
        if exponent < 0 { self.recip(power) } else { power }
    }

    /// `x` to a constant power by repeated squaring; `None` for power 0.
    pub(super) fn power_by(&mut self, x: ValueId, mut exponent: u32) -> Option<ValueId> {
        let mut square = x;
        let mut power = None;
        loop {
            if exponent & 1 == 1 {
                power = Some(power.map_or(square, |power| self.multiplied(power, square)));
            }
            exponent >>= 1;
            if exponent == 0 {
                return power;
            }
            square = self.multiplied(square, square);
        }
    }

    /// The product of numbers of one type, which may have 128 bits.
    fn multiplied(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if self.is_wide(a) { self.wide_product(a, b) } else { self.b.op(Op::Mul, &[a, b]) }
    }

    /// `x` to a `u32` power by repeated squaring; `one` is 1 of its type.
    pub(super) fn power_loop(&mut self, x: ValueId, exponent: ValueId, one: ValueId) -> ValueId {
        let (ty, word) = (self.b.value_type(x), self.b.value_type(exponent));
        let body = self.b.new_loop_body(&[ty, ty, word]);
        let [power, square, left] = *self.b.block_params(body) else { unreachable!("made with three") };
        let parent = self.b.switch_to(body);
        let bit = self.u32(1);
        let low = self.b.op(Op::And, &[left, bit]);
        let is_odd = self.compare_to_zero(Op::Ne, low);
        let product = self.multiplied(power, square);
        let power = self.select(is_odd, product, power);
        let left = self.b.op(Op::Shr, &[left, bit]);
        let is_done = self.compare_to_zero(Op::Eq, left);
        self.when(is_done, |cx| cx.b.break_(body, &[power]));
        let square = self.multiplied(square, square);
        self.b.continue_(body, &[power, square, left]);
        self.b.switch_to(parent);
        self.b.push_loop(body, &[one, x, exponent], &[ty])[0]
    }

    /// The root of the sum of squares, scaled by a power of two so that nothing overflows or vanishes on the way.
    pub(super) fn hypot(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let (x, y) = (self.b.op(Op::Abs, &[x]), self.b.op(Op::Abs, &[y]));
        let larger = self.b.op(Op::Max, &[x, y]);
        // Below the first power of two squares would lose bits, above the second one they would overflow; the third one
        // brings anything outside those bounds into the middle.
        let is_wide = self.shape(x).0 == Scalar::F64;
        let (least, most, by) = if is_wide { (-450, 500, 600) } else { (-40, 60, 98) };
        let bounds = [least, most, by, -by, 0].map(|power| self.float_like(x, 2f64.powi(power)));
        let [small, large, up, down, one] = bounds;
        let is_small = self.b.op(Op::Lt, &[larger, small]);
        let is_large = self.b.op(Op::Gt, &[larger, large]);
        let scaled_up = self.select(is_small, up, one);
        let factor = self.select(is_large, down, scaled_up);
        let scaled_down = self.select(is_small, down, one);
        let back = self.select(is_large, up, scaled_down);
        let (a, b) = (self.b.op(Op::Mul, &[x, factor]), self.b.op(Op::Mul, &[y, factor]));
        let (a, b) = (self.b.op(Op::Mul, &[a, a]), self.b.op(Op::Mul, &[b, b]));
        let sum = self.b.op(Op::Add, &[a, b]);
        let root = self.b.op(Op::Sqrt, &[sum]);
        let length = self.b.op(Op::Mul, &[root, back]);
        // An infinity wins even over NaN.
        let (x_inf, y_inf) = (self.b.op(Op::IsInf, &[x]), self.b.op(Op::IsInf, &[y]));
        let any_inf = self.b.op(Op::Or, &[x_inf, y_inf]);
        let infinity = self.float_like(x, f64::INFINITY);
        self.select(any_inf, infinity, length)
    }

    pub(super) fn rem_euclid_float(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let remainder = self.b.op(Op::Rem, &[a, b]);
        let magnitude = self.b.op(Op::Abs, &[b]);
        let raised = self.b.op(Op::Add, &[remainder, magnitude]);
        let zero = self.float_like(a, 0.0);
        let is_negative = self.b.op(Op::Lt, &[remainder, zero]);
        self.select(is_negative, raised, remainder)
    }

    pub(super) fn div_euclid_float(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let quotient = self.b.op(Op::Div, &[a, b]);
        let whole = self.b.op(Op::Trunc, &[quotient]);
        let remainder = self.b.op(Op::Rem, &[a, b]);
        let (zero, one) = (self.float_like(a, 0.0), self.float_like(a, 1.0));
        let (less, more) = (self.b.op(Op::Sub, &[whole, one]), self.b.op(Op::Add, &[whole, one]));
        let is_positive = self.b.op(Op::Gt, &[b, zero]);
        let adjusted = self.select(is_positive, less, more);
        let is_negative = self.b.op(Op::Lt, &[remainder, zero]);
        self.select(is_negative, adjusted, whole)
    }

    /// `f32::min` gives the other operand for a NaN; glam's vectors give the second unless the first is smaller.
    pub(super) fn min(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.extreme(Op::Min, Op::Lt, a, b)
    }

    /// `f32::max` gives the other operand for a NaN; glam's vectors give the second unless the first is larger.
    pub(super) fn max(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.extreme(Op::Max, Op::Gt, a, b)
    }

    fn extreme(&mut self, op: Op, wins: Op, a: ValueId, b: ValueId) -> ValueId {
        match self.shape(a) {
            (Scalar::F32, 2..) => self.glam_extreme(wins, a, b),
            // As crate `half` does it, with the first of two equal zeros.
            (Scalar::F16 | Scalar::Bf16, _) => {
                let other_wins = self.b.op(wins, &[b, a]);
                let is_nan = self.b.op(Op::IsNan, &[a]);
                let takes_other = self.b.op(Op::Or, &[is_nan, other_wins]);
                self.select(takes_other, b, a)
            }
            _ => self.b.op(op, &[a, b]),
        }
    }

    /// The first operand where it wins, else the second, also for NaN.
    pub(super) fn glam_extreme(&mut self, wins: Op, a: ValueId, b: ValueId) -> ValueId {
        let first = self.b.op(wins, &[a, b]);
        self.select(first, a, b)
    }

    /// Scalars trap on bounds in the wrong order; vectors of glam do not look at that.
    pub(super) fn clamp(&mut self, expr: &Expr, x: ValueId, min: ValueId, max: ValueId) -> ValueId {
        let (scalar, count) = self.shape(x);
        if count == 1 && !self.are_known_bounds(scalar, min, max) {
            let in_order = self.b.op(Op::Le, &[min, max]);
            let wrong = self.b.op(Op::Not, &[in_order]);
            self.when(wrong, |cx| {
                let operands = [cx.trap_operand(min), cx.trap_operand(max)];
                cx.trap(expr, SiteKind::ClampBounds, operands);
            });
        }
        if count > 1 || !scalar.is_float() {
            let raised = self.max(x, min);
            return self.min(raised, max);
        }
        let is_below = self.b.op(Op::Lt, &[x, min]);
        let raised = self.select(is_below, min, x);
        let is_above = self.b.op(Op::Gt, &[raised, max]);
        self.select(is_above, max, raised)
    }

    fn are_known_bounds(&self, scalar: Scalar, min: ValueId, max: ValueId) -> bool {
        let (Some(min), Some(max)) = (self.known_scalar(min), self.known_scalar(max)) else { return false };
        let [min, max] = [min, max].map(|bits| eval::from_bits(bits, scalar));
        eval::evaluate(Op::Le, &[min, max], Scalar::Bool).and_then(eval::is_true) == Some(true)
    }

    pub(super) fn is_finite(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.b.op(Op::Abs, &[x]);
        let infinity = self.float_like(x, f64::INFINITY);
        self.b.op(Op::Lt, &[magnitude, infinity])
    }

    /// Compares the bits as a signed integer with zero: zeros and NaN have signs too.
    pub(super) fn sign_test(&mut self, x: ValueId, op: Op) -> ValueId {
        let bits = self.bitcast(x, self.shape(x).0.signed());
        self.compare_to_zero(op, bits)
    }

    pub(super) fn sin_cos(&mut self, x: ValueId) -> ValueId {
        let (sin, cos) = match self.shape(x).0 {
            Scalar::F64 => self.sin_cos_of_double(x),
            _ => (self.b.op(Op::Sin, &[x]), self.b.op(Op::Cos, &[x])),
        };
        let float = self.b.value_type(x);
        let pair = self.shared.types.tuple(self.b.types_mut(), vec![float, float]);
        self.compose(pair, &[sin, cos])
    }
}
