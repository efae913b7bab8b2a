//! Methods of the integers that are more than an op, for all widths. Overflow wraps, as in a release build.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use crate::ast::Expr;

impl FnCx<'_, '_, '_> {
    pub(super) fn is_signed(&self, value: ValueId) -> bool {
        self.shape(value).0.is_signed()
    }

    pub(super) fn wrapping_neg(&mut self, x: ValueId) -> ValueId {
        if self.is_signed(x) {
            return self.op(Op::Neg, &[x]);
        }
        let zero = self.int_like(x, 0);
        self.op(Op::Sub, &[zero, x])
    }

    pub(super) fn rotate_left(&mut self, x: ValueId, amount: ValueId) -> ValueId {
        self.rotate(x, amount, Op::Shl, Op::Shr)
    }

    pub(super) fn rotate_right(&mut self, x: ValueId, amount: ValueId) -> ValueId {
        self.rotate(x, amount, Op::Shr, Op::Shl)
    }

    /// Both shifts take their amount modulo the width. NVIDIA's driver knows a rotation by what is left of the width, not by `-amount`, which is
    /// as good: 37 µs instead of 47 for a loop of them in GLSL on an H200.
    fn rotate(&mut self, x: ValueId, amount: ValueId, there: Op, back: Op) -> ValueId {
        let scalar = self.shape(x).0;
        let bits = self.cast(x, scalar.unsigned());
        let width = self.u32(scalar.bits());
        let rest = self.op(Op::Sub, &[width, amount]);
        let (a, b) = (self.b.op(there, &[bits, amount]), self.b.op(back, &[bits, rest]));
        let rotated = self.b.op(Op::Or, &[a, b]);
        self.cast(rotated, scalar)
    }

    pub(super) fn count_zeros(&mut self, x: ValueId) -> ValueId {
        let ones = self.b.op(Op::CountOnes, &[x]);
        let all = self.u32(self.shape(x).0.bits());
        self.b.op(Op::Sub, &[all, ones])
    }

    /// Swaps neighbouring bytes, then neighbouring pairs of bytes, and so on up to the halves.
    pub(super) fn swap_bytes(&mut self, x: ValueId) -> ValueId {
        let scalar = self.shape(x).0;
        let mut bits = self.cast(x, scalar.unsigned());
        let mut width = 8;
        while width < scalar.bits() {
            let by = self.u32(width);
            let (mut up, mut down) = (self.b.op(Op::Shl, &[bits, by]), self.b.op(Op::Shr, &[bits, by]));
            if 2 * width < scalar.bits() {
                // The lower one of each two neighbours.
                let low = u64::MAX / ((1 << width) + 1);
                let (low, high) = (self.bits(scalar.unsigned(), low), self.bits(scalar.unsigned(), low << width));
                (up, down) = (self.b.op(Op::And, &[up, high]), self.b.op(Op::And, &[down, low]));
            }
            bits = self.b.op(Op::Or, &[up, down]);
            width *= 2;
        }
        self.cast(bits, scalar)
    }

    pub(super) fn abs_diff(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (larger, smaller) = (self.b.op(Op::Max, &[a, b]), self.b.op(Op::Min, &[a, b]));
        let unsigned = self.shape(a).0.unsigned();
        let (larger, smaller) = (self.cast(larger, unsigned), self.cast(smaller, unsigned));
        self.b.op(Op::Sub, &[larger, smaller])
    }

    pub(super) fn unsigned_abs(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.b.op(Op::Abs, &[x]);
        self.cast(magnitude, self.shape(x).0.unsigned())
    }

    pub(super) fn signum_int(&mut self, x: ValueId) -> ValueId {
        let (one, zero, minus_one) = (self.int_like(x, 1), self.int_like(x, 0), self.int_like(x, -1));
        let is_positive = self.b.op(Op::Gt, &[x, zero]);
        let is_negative = self.b.op(Op::Lt, &[x, zero]);
        let below = self.select(is_negative, minus_one, zero);
        self.select(is_positive, one, below)
    }

    /// Repeated squaring; modulo a power of two the order of the products does not matter.
    pub(super) fn pow(&mut self, x: ValueId, exponent: ValueId) -> ValueId {
        let one = self.int_like(x, 1);
        match self.known_scalar(exponent) {
            Some(exponent) => self.power_by(x, exponent as u32).unwrap_or(one),
            None => self.power_loop(x, exponent, one),
        }
    }

    pub(super) fn rem_euclid(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let divisor = self.guard_divisor(expr, Division::Remainder, a, b);
        self.rem_euclid_by(a, divisor)
    }

    /// The same, by a divisor that the op takes.
    pub(super) fn rem_euclid_by(&mut self, a: ValueId, divisor: ValueId) -> ValueId {
        let remainder = self.b.op(Op::Rem, &[a, divisor]);
        if !self.is_signed(a) {
            return remainder;
        }
        let magnitude = self.b.op(Op::Abs, &[divisor]);
        let raised = self.b.op(Op::Add, &[remainder, magnitude]);
        let is_negative = self.compare_to_zero(Op::Lt, remainder);
        self.select(is_negative, raised, remainder)
    }

    pub(super) fn div_euclid(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let divisor = self.guard_divisor(expr, Division::Quotient, a, b);
        self.div_euclid_by(a, divisor)
    }

    /// The same, by a divisor that the op takes.
    pub(super) fn div_euclid_by(&mut self, a: ValueId, divisor: ValueId) -> ValueId {
        let quotient = self.b.op(Op::Div, &[a, divisor]);
        if !self.is_signed(a) {
            return quotient;
        }
        let product = self.b.op(Op::Mul, &[quotient, divisor]);
        let remainder = self.b.op(Op::Sub, &[a, product]);
        let (one, minus_one) = (self.int_like(a, 1), self.int_like(a, -1));
        let is_positive = self.compare_to_zero(Op::Gt, divisor);
        let step = self.select(is_positive, minus_one, one);
        let adjusted = self.b.op(Op::Add, &[quotient, step]);
        let is_negative = self.compare_to_zero(Op::Lt, remainder);
        self.select(is_negative, adjusted, quotient)
    }

    pub(super) fn div_ceil(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let (quotient, remainder) = self.divide_both(expr, Division::Quotient, a, b);
        let one = self.int_like(a, 1);
        let more = self.b.op(Op::Add, &[quotient, one]);
        let has_rest = self.compare_to_zero(Op::Ne, remainder);
        self.select(has_rest, more, quotient)
    }

    /// Bits in common, and half of the others; of signed integers rounded toward zero.
    pub(super) fn midpoint(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (common, other, bit) = (self.b.op(Op::And, &[a, b]), self.b.op(Op::Xor, &[a, b]), self.u32(1));
        let half = self.b.op(Op::Shr, &[other, bit]);
        let floor = self.b.op(Op::Add, &[common, half]);
        if !self.is_signed(a) {
            return floor;
        }
        let one = self.int_like(a, 1);
        let rest = self.b.op(Op::And, &[other, one]);
        let is_negative = self.compare_to_zero(Op::Lt, floor);
        let zero = self.int_like(a, 0);
        let step = self.select(is_negative, rest, zero);
        self.b.op(Op::Add, &[floor, step])
    }

    /// Zero when it does not fit, as in a release build.
    pub(super) fn next_power_of_two(&mut self, x: ValueId) -> ValueId {
        let (one, all) = (self.int_like(x, 1), self.max_like(x));
        let below = self.b.op(Op::Sub, &[x, one]);
        let zeros = self.b.op(Op::LeadingZeros, &[below]);
        let ones = self.b.op(Op::Shr, &[all, zeros]);
        let next = self.b.op(Op::Add, &[ones, one]);
        let is_small = self.b.op(Op::Le, &[x, one]);
        self.select(is_small, one, next)
    }

    /// The logarithm, and whether there is one.
    pub(super) fn ilog2(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let (zeros, top) = (self.b.op(Op::LeadingZeros, &[x]), self.u32(self.shape(x).0.bits() - 1));
        (self.b.op(Op::Sub, &[top, zeros]), self.compare_to_zero(Op::Gt, x))
    }

    /// One bit of the root per round, from the top: a bit stays when the square is not too large.
    pub(super) fn isqrt(&mut self, x: ValueId) -> ValueId {
        let (scalar, lanes) = self.shape(x);
        if scalar.bits() <= 32 && lanes == 1 {
            return self.isqrt_by_float(x, scalar);
        }
        let (zero, top) = (self.int_like(x, 0), self.bits(scalar, 1 << (scalar.bits() / 2 - 1)));
        let ty = self.b.value_type(x);
        let body = self.b.new_loop_body(&[ty, ty]);
        let [root, bit] = *self.b.block_params(body) else { unreachable!("made with two") };
        let parent = self.b.switch_to(body);
        let is_done = self.compare_to_zero(Op::Eq, bit);
        self.when(is_done, |cx| cx.b.break_(body, &[root]));
        let larger = self.b.op(Op::Or, &[root, bit]);
        let square = self.b.op(Op::Mul, &[larger, larger]);
        let fits = self.b.op(Op::Le, &[square, x]);
        let (root, one) = (self.select(fits, larger, root), self.u32(1));
        let bit = self.b.op(Op::Shr, &[bit, one]);
        self.b.continue_(body, &[root, bit]);
        self.b.switch_to(parent);
        self.b.push_loop(body, &[zero, top], &[ty])[0]
    }

    /// The root as a float is at most one off, which the square tells.
    fn isqrt_by_float(&mut self, x: ValueId, scalar: Scalar) -> ValueId {
        let (x, one) = (self.cast(x, Scalar::U32), self.u32(1));
        let root = self.cast(x, Scalar::F32);
        let root = self.b.op(Op::Sqrt, &[root]);
        let (root, most) = (self.cast(root, Scalar::U32), self.u32(0xffff));
        let root = self.b.op(Op::Min, &[root, most]);
        let square = self.b.op(Op::Mul, &[root, root]);
        let is_large = self.b.op(Op::Gt, &[square, x]);
        let less = self.b.op(Op::Sub, &[root, one]);
        let root = self.select(is_large, less, root);
        // (r + 1)^2 is r^2 + 2 r + 1, which may not fit.
        let square = self.b.op(Op::Mul, &[root, root]);
        let (rest, twice) = (self.b.op(Op::Sub, &[x, square]), self.b.op(Op::Add, &[root, root]));
        let is_small = self.b.op(Op::Gt, &[rest, twice]);
        let more = self.b.op(Op::Add, &[root, one]);
        let root = self.select(is_small, more, root);
        self.cast(root, scalar)
    }

    pub(super) fn is_power_of_two(&mut self, x: ValueId) -> ValueId {
        let ones = self.b.op(Op::CountOnes, &[x]);
        let one = self.u32(1);
        self.b.op(Op::Eq, &[ones, one])
    }

    pub(super) fn next_multiple_of(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let divisor = self.guard_divisor(expr, Division::Remainder, a, b);
        let remainder = self.b.op(Op::Rem, &[a, divisor]);
        let rest = self.b.op(Op::Sub, &[divisor, remainder]);
        let next = self.b.op(Op::Add, &[a, rest]);
        let is_multiple = self.compare_to_zero(Op::Eq, remainder);
        self.select(is_multiple, a, next)
    }
}
