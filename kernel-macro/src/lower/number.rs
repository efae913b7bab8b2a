//! Lowering of the methods in [`crate::builtin::int`], and the panics of methods that have a checked form.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, Type};

use super::function::FnCx;
use crate::ast::Expr;
use crate::builtin::int::{BAD_BASE, Number};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    pub(super) fn number(&mut self, expr: &Expr, method: Number, args: &[ValueId]) -> ValueId {
        use Number as N;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        match method {
            N::Ilog2 => {
                let (logarithm, exists) = self.ilog2(a);
                self.panics_unless(expr, exists, method, logarithm)
            }
            N::Ilog10 => {
                let (logarithm, exists) = self.ilog10(a);
                self.panics_unless(expr, exists, method, logarithm)
            }
            N::Ilog => {
                let two = self.int_like(b, 2);
                let is_bad = self.b.op(Op::Lt, &[b, two]);
                self.when(is_bad, |cx| cx.panic_with(expr, BAD_BASE));
                let (logarithm, exists) = self.ilog(a, b);
                self.panics_unless(expr, exists, method, logarithm)
            }
            N::CheckedIlog10 => {
                let (logarithm, exists) = self.ilog10(a);
                self.some_if(expr, exists, logarithm)
            }
            N::CheckedIlog => {
                let (logarithm, exists) = self.ilog(a, b);
                self.some_if(expr, exists, logarithm)
            }
            N::Isqrt | N::CheckedIsqrt => {
                let exists = self.compare_to_zero(Op::Ge, a);
                let scalar = self.shape(a).0;
                let unsigned = self.cast(a, scalar.unsigned());
                let root = self.isqrt(unsigned);
                let root = self.cast(root, scalar);
                match method {
                    N::Isqrt => self.panics_unless(expr, exists, method, root),
                    _ => self.some_if(expr, exists, root),
                }
            }
            N::IsMultipleOf => {
                let (divisor, is_zero) = self.nonzero_divisor(b);
                let remainder = self.b.op(Op::Rem, &[a, divisor]);
                let tested = self.select(is_zero, a, remainder);
                self.compare_to_zero(Op::Eq, tested)
            }
            N::CheckedNextMultipleOf => self.checked_next_multiple_of(expr, a, b),
            N::UnboundedShl => {
                let width = self.u32(self.shape(a).0.bits());
                let (shifted, fits, zero) =
                    (self.b.op(Op::Shl, &[a, b]), self.b.op(Op::Lt, &[b, width]), self.int_like(a, 0));
                self.select(fits, shifted, zero)
            }
            N::UnboundedShr => self.unbounded_shr(a, b),
            N::CarryingAdd | N::BorrowingSub => self.with_carry(expr, method, a, b, c),
            N::CarryingMul => self.carrying_mul(expr, [a, b], &[c]),
            N::CarryingMulAdd => self.carrying_mul(expr, [a, b], &[c, args[3]]),
            N::FloatMidpoint => self.float_midpoint(a, b),
            N::ToLe | N::FromLe => a,
            N::ToBe | N::FromBe => self.swap_bytes(a),
            N::ToLeBytes | N::ToNeBytes | N::ToBeBytes if self.is_wide(a) => {
                self.wide_to_bytes(a, method == N::ToBeBytes)
            }
            N::ToLeBytes | N::ToNeBytes => self.to_bytes(a, false),
            N::ToBeBytes => self.to_bytes(a, true),
            N::FromLeBytes | N::FromNeBytes => self.from_bytes(expr, a, false),
            N::FromBeBytes => self.from_bytes(expr, a, true),
        }
    }

    /// The value where it exists; else the method's panic ends the invocation.
    fn panics_unless(&mut self, expr: &Expr, exists: ValueId, method: Number, value: ValueId) -> ValueId {
        if let Some(text) = method.panics() {
            self.panic_unless(expr, exists, text);
        }
        value
    }

    /// A panic with a text that is known, where a condition does not hold.
    pub(super) fn panic_unless(&mut self, expr: &Expr, holds: ValueId, text: &str) {
        let fails = self.op(Op::Not, &[holds]);
        self.when(fails, |cx| cx.panic_with(expr, text));
    }

    pub(super) fn some_if(&mut self, expr: &Expr, exists: ValueId, value: ValueId) -> ValueId {
        let ty = self.ty_of(expr).clone();
        self.option_of(&ty, exists, value).unwrap_or(value)
    }

    /// The divisor, 1 for zero; and whether it is zero.
    fn nonzero_divisor(&mut self, divisor: ValueId) -> (ValueId, ValueId) {
        let (is_zero, one) = (self.compare_to_zero(Op::Eq, divisor), self.int_like(divisor, 1));
        (self.select(is_zero, one, divisor), is_zero)
    }

    /// How many powers of ten, but for 1, are at most the value; and whether it has a logarithm.
    fn ilog10(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let scalar = self.shape(x).0;
        let most = scalar.mask() >> u32::from(scalar.is_signed());
        let (one, zero) = (self.u32(1), self.u32(0));
        let mut count = zero;
        let mut power = 10u64;
        while power <= most {
            let limit = self.bits(scalar, power);
            let reaches = self.b.op(Op::Ge, &[x, limit]);
            let step = self.select(reaches, one, zero);
            count = self.b.op(Op::Add, &[count, step]);
            match power.checked_mul(10) {
                Some(next) => power = next,
                None => break,
            }
        }
        (count, self.compare_to_zero(Op::Gt, x))
    }

    /// How often the base divides the value; and whether both have a logarithm.
    fn ilog(&mut self, x: ValueId, base: ValueId) -> (ValueId, ValueId) {
        let two = self.int_like(base, 2);
        let is_base = self.b.op(Op::Ge, &[base, two]);
        let divisor = self.select(is_base, base, two);
        let zero = self.u32(0);
        let (ty, word) = (self.b.value_type(x), self.b.value_type(zero));
        let body = self.b.new_loop_body(&[ty, word]);
        let [rest, count] = *self.b.block_params(body) else { unreachable!("made with two") };
        let parent = self.b.switch_to(body);
        let is_done = self.b.op(Op::Lt, &[rest, divisor]);
        self.when(is_done, |cx| cx.b.break_(body, &[count]));
        let (rest, one) = (self.b.op(Op::Div, &[rest, divisor]), self.u32(1));
        let count = self.b.op(Op::Add, &[count, one]);
        self.b.continue_(body, &[rest, count]);
        self.b.switch_to(parent);
        let logarithm = self.b.push_loop(body, &[x, zero], &[word])[0];
        let is_positive = self.compare_to_zero(Op::Gt, x);
        (logarithm, self.b.op(Op::And, &[is_base, is_positive]))
    }

    fn checked_next_multiple_of(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let (divisor, is_zero) = self.nonzero_divisor(b);
        let remainder = self.b.op(Op::Rem, &[a, divisor]);
        let rest = self.b.op(Op::Sub, &[divisor, remainder]);
        let next = self.b.op(Op::Add, &[a, rest]);
        let is_multiple = self.compare_to_zero(Op::Eq, remainder);
        let (value, overflows) = (self.select(is_multiple, a, next), self.b.op(Op::Lt, &[next, a]));
        let (is_other, is_divisor) = (self.op(Op::Not, &[is_multiple]), self.op(Op::Not, &[is_zero]));
        let overflows = self.b.op(Op::And, &[is_other, overflows]);
        let fits = self.op(Op::Not, &[overflows]);
        let exists = self.b.op(Op::And, &[is_divisor, fits]);
        self.some_if(expr, exists, value)
    }

    fn unbounded_shr(&mut self, a: ValueId, amount: ValueId) -> ValueId {
        let width = self.shape(a).0.bits();
        if self.is_signed(a) {
            let last = self.u32(width - 1);
            let amount = self.b.op(Op::Min, &[amount, last]);
            return self.b.op(Op::Shr, &[a, amount]);
        }
        let width = self.u32(width);
        let (shifted, fits, zero) =
            (self.b.op(Op::Shr, &[a, amount]), self.b.op(Op::Lt, &[amount, width]), self.int_like(a, 0));
        self.select(fits, shifted, zero)
    }

    /// The sum or difference of three, and whether one bit more is needed.
    fn with_carry(&mut self, expr: &Expr, method: Number, a: ValueId, b: ValueId, carry: ValueId) -> ValueId {
        let scalar = self.shape(a).0;
        let carry = self.cast(carry, scalar);
        let (value, flag) = if method == Number::CarryingAdd {
            let first = self.b.op(Op::Add, &[a, b]);
            let value = self.b.op(Op::Add, &[first, carry]);
            let flags = [self.b.op(Op::Lt, &[first, a]), self.b.op(Op::Lt, &[value, first])];
            (value, self.b.op(Op::Or, &flags))
        } else {
            let first = self.b.op(Op::Sub, &[a, b]);
            let value = self.b.op(Op::Sub, &[first, carry]);
            let flags = [self.b.op(Op::Lt, &[a, b]), self.b.op(Op::Lt, &[first, carry])];
            (value, self.b.op(Op::Or, &flags))
        };
        let ty = self.ty(self.ty_of(expr));
        ty.map_or(value, |ty| self.compose(ty, &[value, flag]))
    }

    /// The lower and upper half of a product with something added.
    fn carrying_mul(&mut self, expr: &Expr, factors: [ValueId; 2], terms: &[ValueId]) -> ValueId {
        let (mut low, mut high) = (self.b.op(Op::Mul, &factors), self.b.op(Op::MulHigh, &factors));
        let (one, zero) = (self.int_like(low, 1), self.int_like(low, 0));
        for term in terms {
            let sum = self.b.op(Op::Add, &[low, *term]);
            let carries = self.b.op(Op::Lt, &[sum, low]);
            let carry = self.select(carries, one, zero);
            high = self.b.op(Op::Add, &[high, carry]);
            low = sum;
        }
        let ty = self.ty(self.ty_of(expr));
        ty.map_or(low, |ty| self.compose(ty, &[low, high]))
    }

    /// Half of the sum, which is halved before it is added where it would overflow.
    fn float_midpoint(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (least, most) = match self.shape(a).0 {
            Scalar::F64 => (f64::MIN_POSITIVE * 2.0, f64::MAX / 2.0),
            _ => (f64::from(f32::MIN_POSITIVE * 2.0), f64::from(f32::MAX / 2.0)),
        };
        let (least, most, half) = (self.float_like(a, least), self.float_like(a, most), self.float_like(a, 0.5));
        let sizes = [a, b].map(|x| self.b.op(Op::Abs, &[x]));
        let fit = sizes.map(|size| self.b.op(Op::Le, &[size, most]));
        let both_fit = self.b.op(Op::And, &fit);
        let sum = self.b.op(Op::Add, &[a, b]);
        let plain = self.b.op(Op::Mul, &[sum, half]);
        // A number too small to be halved does not matter beside one so large.
        let parts = [(a, sizes[0]), (b, sizes[1])].map(|(x, size)| {
            let is_tiny = self.b.op(Op::Lt, &[size, least]);
            let halved = self.b.op(Op::Mul, &[x, half]);
            self.select(is_tiny, x, halved)
        });
        let apart = self.b.op(Op::Add, &parts);
        self.select(both_fit, plain, apart)
    }

    /// The bytes, the lowest first or last.
    fn to_bytes(&mut self, value: ValueId, big: bool) -> ValueId {
        let scalar = self.shape(value).0.unsigned();
        let bits = self.bitcast(value, scalar);
        let count = scalar.bits() / 8;
        let mut bytes = Vec::new();
        for index in 0..count {
            let by = self.u32(8 * index);
            let shifted = if index == 0 { bits } else { self.b.op(Op::Shr, &[bits, by]) };
            bytes.push(self.cast(shifted, Scalar::U8));
        }
        if big {
            bytes.reverse();
        }
        let byte = self.b.types_mut().scalar(Scalar::U8);
        let ty = self.b.types_mut().array(byte, count);
        self.compose(ty, &bytes)
    }

    fn from_bytes(&mut self, expr: &Expr, bytes: ValueId, big: bool) -> ValueId {
        let Ty::Scalar(name) = *self.ty_of(expr) else { return bytes };
        if name.is_wide() {
            return self.wide_from_bytes(bytes, big, name.is_signed());
        }
        let (result, scalar) = (super::types::scalar(name), super::types::scalar(name).unsigned());
        let count = match self.b.types().get(self.b.value_type(bytes)) {
            Type::Array(_, len) => len.known().unwrap_or(0),
            _ => 0,
        };
        let mut bits = None;
        for index in 0..count {
            let place = if big { count - 1 - index } else { index };
            let byte = self.b.extract(bytes, &[index]);
            let (byte, by) = (self.cast(byte, scalar), self.u32(8 * place));
            let moved = if place == 0 { byte } else { self.b.op(Op::Shl, &[byte, by]) };
            bits = Some(bits.map_or(moved, |bits| self.b.op(Op::Or, &[bits, moved])));
        }
        self.bitcast(bits.unwrap_or(bytes), result)
    }
}
