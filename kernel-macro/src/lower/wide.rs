//! Integers of 128 bits: tuples of two words, the lower one first. The upper one of an `i128` is signed, which tells the two apart. Must not
//! leave an op to a path that knows scalars alone: those panic for a tuple.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, Type, TypeId, Types};

use super::division::Division;
use super::function::FnCx;
use super::overflow::Wrapped;
use crate::ast::{BinaryOp, Expr, ScalarName};
use crate::builtin::elementary::Elementary;
use crate::builtin::overflow::Arithmetic;

/// An integer taken apart.
#[derive(Clone, Copy)]
struct Wide {
    /// `u64`
    low: ValueId,
    /// `u64`, also of an `i128`.
    high: ValueId,
    signed: bool,
}

/// The type of integers of 128 bits.
pub(super) fn wide_type(types: &mut Types, signed: bool) -> TypeId {
    let (low, high) = (types.scalar(Scalar::U64), types.scalar(if signed { Scalar::I64 } else { Scalar::U64 }));
    types.intern(Type::Tuple(vec![low, high]))
}

impl FnCx<'_, '_, '_> {
    /// Whether a value is an integer of 128 bits; tuples are not asked.
    pub(super) fn is_wide(&self, value: ValueId) -> bool {
        self.signedness(value).is_some()
    }

    fn signedness(&self, value: ValueId) -> Option<bool> {
        let types = self.b.types();
        let Type::Tuple(members) = types.get(self.b.value_type(value)) else { return None };
        let [low, high] = members[..] else { return None };
        match (types.get(low), types.get(high)) {
            (Type::Scalar(Scalar::U64), Type::Scalar(Scalar::U64)) => Some(false),
            (Type::Scalar(Scalar::U64), Type::Scalar(Scalar::I64)) => Some(true),
            _ => None,
        }
    }

    fn wide_halves(&mut self, value: ValueId) -> Wide {
        let signed = self.signedness(value).unwrap_or_default();
        let (low, high) = (self.b.extract(value, &[0]), self.b.extract(value, &[1]));
        Wide { low, high: self.cast(high, Scalar::U64), signed }
    }

    fn joined(&mut self, Wide { low, high, signed }: Wide) -> ValueId {
        let high = if signed { self.cast(high, Scalar::I64) } else { high };
        let ty = wide_type(self.b.types_mut(), signed);
        self.compose(ty, &[low, high])
    }

    fn word(&mut self, bits: u64) -> ValueId {
        self.bits(Scalar::U64, bits)
    }

    /// 1 for `true`.
    fn carry(&mut self, flag: ValueId) -> ValueId {
        let (one, zero) = (self.word(1), self.word(0));
        self.select(flag, one, zero)
    }

    /// The constant with these bits.
    pub(super) fn wide(&mut self, bits: u128, signed: bool) -> ValueId {
        let (low, high) = (self.word(bits as u64), self.word((bits >> 64) as u64));
        self.joined(Wide { low, high, signed })
    }

    fn same(&mut self, bits: u128, of: Wide) -> Wide {
        let (low, high) = (self.word(bits as u64), self.word((bits >> 64) as u64));
        Wide { low, high, signed: of.signed }
    }

    /// A value as another number, as `as` gives it: from or to an integer of 128 bits.
    pub(super) fn cast_number(&mut self, value: ValueId, to: ScalarName) -> ValueId {
        if to.is_wide() {
            return self.widened(value, to.is_signed());
        }
        if self.is_wide(value) {
            let low = self.wide_halves(value).low;
            return self.cast(low, super::types::scalar(to));
        }
        self.cast(value, super::types::scalar(to))
    }

    fn widened(&mut self, value: ValueId, signed: bool) -> ValueId {
        if self.is_wide(value) {
            let halves = self.wide_halves(value);
            return self.joined(Wide { signed, ..halves });
        }
        let (low, high) = if self.shape(value).0.is_signed() {
            let low = self.cast(value, Scalar::I64);
            let sign = self.u32(63);
            let high = self.b.op(Op::Shr, &[low, sign]);
            (self.cast(low, Scalar::U64), self.cast(high, Scalar::U64))
        } else {
            (self.cast(value, Scalar::U64), self.word(0))
        };
        self.joined(Wide { low, high, signed })
    }

    /// Whether two integers, of which one has 128 bits at least, are the same when both have; a signed one is extended by its sign.
    pub(super) fn same_number(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let [a, b] = [a, b].map(|value| self.widened(value, true));
        self.compare_op(Op::Eq, a, b)
    }

    /// The lower half, for a number that counts bits; other values stay.
    pub(super) fn amount(&mut self, value: ValueId) -> ValueId {
        if self.is_wide(value) { self.wide_halves(value).low } else { value }
    }

    /// A binary operator but a comparison, of integers of 128 bits.
    pub(super) fn wide_binary(&mut self, expr: &Expr, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        let (x, y) = (self.wide_halves(a), self.wide_halves(b));
        let value = match op {
            BinaryOp::Add => self.wide_add(x, y),
            BinaryOp::Sub => self.wide_sub(x, y),
            BinaryOp::Mul => self.wide_mul(x, y),
            BinaryOp::Div => self.wide_divide(expr, Division::Quotient, x, y),
            BinaryOp::Rem => self.wide_divide(expr, Division::Remainder, x, y),
            BinaryOp::BitAnd | BinaryOp::And => self.each_half(Op::And, x, y),
            BinaryOp::BitOr | BinaryOp::Or => self.each_half(Op::Or, x, y),
            BinaryOp::BitXor => self.each_half(Op::Xor, x, y),
            BinaryOp::Shl | BinaryOp::Shr => return self.wide_shift(op == BinaryOp::Shl, a, y.low),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                unreachable!("comparisons are asked for as such")
            }
        };
        self.joined(value)
    }

    /// A comparison of two numbers.
    pub(super) fn compare_op(&mut self, op: Op, a: ValueId, b: ValueId) -> ValueId {
        if !self.is_wide(a) {
            return self.b.op(op, &[a, b]);
        }
        let (x, y) = (self.wide_halves(a), self.wide_halves(b));
        match op {
            Op::Eq => self.wide_equal(x, y),
            Op::Ne => {
                let equal = self.wide_equal(x, y);
                self.b.op(Op::Not, &[equal])
            }
            Op::Lt => self.wide_less(x, y),
            Op::Gt => self.wide_less(y, x),
            Op::Le => {
                let more = self.wide_less(y, x);
                self.b.op(Op::Not, &[more])
            }
            _ => {
                let less = self.wide_less(x, y);
                self.b.op(Op::Not, &[less])
            }
        }
    }

    fn wide_equal(&mut self, a: Wide, b: Wide) -> ValueId {
        let halves = [self.b.op(Op::Eq, &[a.low, b.low]), self.b.op(Op::Eq, &[a.high, b.high])];
        self.b.op(Op::And, &halves)
    }

    fn wide_less(&mut self, a: Wide, b: Wide) -> ValueId {
        let (mut high, mut other) = (a.high, b.high);
        if a.signed {
            (high, other) = (self.cast(high, Scalar::I64), self.cast(other, Scalar::I64));
        }
        let (above, equal) = (self.b.op(Op::Lt, &[high, other]), self.b.op(Op::Eq, &[high, other]));
        let below = self.b.op(Op::Lt, &[a.low, b.low]);
        let rest = self.b.op(Op::And, &[equal, below]);
        self.b.op(Op::Or, &[above, rest])
    }

    /// `!x` or `-x`.
    pub(super) fn wide_unary(&mut self, op: Op, value: ValueId) -> ValueId {
        let x = self.wide_halves(value);
        let made = if op == Op::Not {
            Wide { low: self.b.op(Op::Not, &[x.low]), high: self.b.op(Op::Not, &[x.high]), signed: x.signed }
        } else {
            self.wide_negated(x)
        };
        self.joined(made)
    }

    fn wide_negated(&mut self, x: Wide) -> Wide {
        let zero = self.same(0, x);
        self.wide_sub(zero, x)
    }

    fn each_half(&mut self, op: Op, a: Wide, b: Wide) -> Wide {
        let (low, high) = (self.b.op(op, &[a.low, b.low]), self.b.op(op, &[a.high, b.high]));
        Wide { low, high, signed: a.signed }
    }

    fn wide_select(&mut self, condition: ValueId, yes: Wide, no: Wide) -> Wide {
        let (low, high) = (self.select(condition, yes.low, no.low), self.select(condition, yes.high, no.high));
        Wide { low, high, signed: yes.signed }
    }

    fn wide_add(&mut self, a: Wide, b: Wide) -> Wide {
        let low = self.b.op(Op::Add, &[a.low, b.low]);
        let carries = self.b.op(Op::Lt, &[low, a.low]);
        let (carry, high) = (self.carry(carries), self.b.op(Op::Add, &[a.high, b.high]));
        Wide { low, high: self.b.op(Op::Add, &[high, carry]), signed: a.signed }
    }

    fn wide_sub(&mut self, a: Wide, b: Wide) -> Wide {
        let low = self.b.op(Op::Sub, &[a.low, b.low]);
        let borrows = self.b.op(Op::Lt, &[a.low, b.low]);
        let (borrow, high) = (self.carry(borrows), self.b.op(Op::Sub, &[a.high, b.high]));
        Wide { low, high: self.b.op(Op::Sub, &[high, borrow]), signed: a.signed }
    }

    fn wide_mul(&mut self, a: Wide, b: Wide) -> Wide {
        let (low, high) = (self.b.op(Op::Mul, &[a.low, b.low]), self.b.op(Op::MulHigh, &[a.low, b.low]));
        let across = [self.b.op(Op::Mul, &[a.low, b.high]), self.b.op(Op::Mul, &[a.high, b.low])];
        let high = self.b.op(Op::Add, &[high, across[0]]);
        Wide { low, high: self.b.op(Op::Add, &[high, across[1]]), signed: a.signed }
    }

    /// A shift by an integer of any type, modulo 128.
    pub(super) fn wide_shift(&mut self, left: bool, value: ValueId, amount: ValueId) -> ValueId {
        let amount = self.cast(amount, Scalar::U32);
        let x = self.wide_halves(value);
        let shifted = self.wide_shifted(left, x, amount);
        self.joined(shifted)
    }

    fn wide_shifted(&mut self, left: bool, x: Wide, amount: ValueId) -> Wide {
        // The op takes its amount modulo 64, so that the bits that change halves are moved in two steps: never by 64.
        let (bit, ones, one) = (self.u32(64), self.u32(63), self.u32(1));
        let far = self.b.op(Op::And, &[amount, bit]);
        let zero = self.u32(0);
        let far = self.b.op(Op::Ne, &[far, zero]);
        let rest = self.b.op(Op::Xor, &[amount, ones]);
        let none = self.word(0);
        if left {
            let across = self.b.op(Op::Shr, &[x.low, one]);
            let across = self.b.op(Op::Shr, &[across, rest]);
            let (low, high) = (self.b.op(Op::Shl, &[x.low, amount]), self.b.op(Op::Shl, &[x.high, amount]));
            let high = self.b.op(Op::Or, &[high, across]);
            return Wide { low: self.select(far, none, low), high: self.select(far, low, high), signed: x.signed };
        }
        let across = self.b.op(Op::Shl, &[x.high, one]);
        let across = self.b.op(Op::Shl, &[across, rest]);
        let low = self.b.op(Op::Shr, &[x.low, amount]);
        let low = self.b.op(Op::Or, &[low, across]);
        let (high, fill) = if x.signed {
            let signed = self.cast(x.high, Scalar::I64);
            let (high, fill) = (self.b.op(Op::Shr, &[signed, amount]), self.b.op(Op::Shr, &[signed, ones]));
            (self.cast(high, Scalar::U64), self.cast(fill, Scalar::U64))
        } else {
            (self.b.op(Op::Shr, &[x.high, amount]), none)
        };
        Wide { low: self.select(far, high, low), high: self.select(far, fill, high), signed: x.signed }
    }

    /// Quotient or remainder, with the panics of Rust.
    fn wide_divide(&mut self, expr: &Expr, division: Division, a: Wide, b: Wide) -> Wide {
        let zero = self.same(0, b);
        let is_zero = self.wide_equal(b, zero);
        let operands = [a.low, b.low].map(|low| self.cast(low, Scalar::U32));
        self.when(is_zero, |cx| cx.trap(expr, division.zero(), operands));
        let one = self.same(1, b);
        let mut b = self.wide_select(is_zero, one, b);
        if !a.signed {
            let (quotient, remainder) = self.wide_divided(a, b);
            return if division == Division::Quotient { quotient } else { remainder };
        }
        let (least, minus_one) = (self.same(1 << 127, a), self.same(u128::MAX, a));
        let tests = [self.wide_equal(a, least), self.wide_equal(b, minus_one)];
        let overflows = self.b.op(Op::And, &tests);
        self.when(overflows, |cx| cx.trap(expr, division.overflow(), operands));
        b = self.wide_select(overflows, one, b);
        let signs = [a, b].map(|x| self.wide_less(x, zero));
        let sizes = [(a, signs[0]), (b, signs[1])].map(|(x, is_negative)| {
            let negated = self.wide_negated(x);
            Wide { signed: false, ..self.wide_select(is_negative, negated, x) }
        });
        let (quotient, remainder) = self.wide_divided(sizes[0], sizes[1]);
        let (size, is_negative) = match division {
            Division::Quotient => (quotient, self.b.op(Op::Xor, &signs)),
            Division::Remainder => (remainder, signs[0]),
        };
        let negated = self.wide_negated(size);
        Wide { signed: true, ..self.wide_select(is_negative, negated, size) }
    }

    /// Quotient and remainder of integers without signs, by a divisor that is not zero. The upper half is divided as a word, or is the
    /// remainder so far; the bits of the lower half follow one by one, unless all fits into words.
    fn wide_divided(&mut self, a: Wide, b: Wide) -> (Wide, Wide) {
        let (zero, one, word) = (self.word(0), self.word(1), self.b.types_mut().scalar(Scalar::U64));
        let is_short = self.b.op(Op::Eq, &[b.high, zero]);
        // Any divisor but zero will do where its quotient is not taken.
        let divisor = self.select(is_short, b.low, one);
        let (quotient, rest) = (self.b.op(Op::Div, &[a.high, divisor]), self.b.op(Op::Rem, &[a.high, divisor]));
        let (above, rest) = (self.select(is_short, quotient, zero), self.select(is_short, rest, a.high));
        let is_word = self.b.op(Op::Eq, &[a.high, zero]);
        let is_word = self.b.op(Op::And, &[is_word, is_short]);
        let (words, all) = (self.word(64), self.word(0));
        let rounds = self.select(is_word, all, words);
        let quotient = self.b.op(Op::Div, &[a.low, divisor]);
        let remainder = self.b.op(Op::Rem, &[a.low, divisor]);
        let start = [rounds, rest, zero, zero, a.low];
        let types = [word; 5];
        let body = self.b.new_loop_body(&types);
        let [left, low, high, digits, bits] = *self.b.block_params(body) else { unreachable!("made with five") };
        let parent = self.b.switch_to(body);
        let is_done = self.b.op(Op::Eq, &[left, zero]);
        self.when(is_done, |cx| cx.b.break_(body, &[low, high, digits]));
        let (amount, top) = (self.u32(1), self.u32(63));
        let left = self.b.op(Op::Sub, &[left, one]);
        let so_far = Wide { low, high, signed: false };
        let carry = self.b.op(Op::Shr, &[high, top]);
        let carries = self.b.op(Op::Ne, &[carry, zero]);
        let bit = self.b.op(Op::Shr, &[bits, top]);
        let bits = self.b.op(Op::Shl, &[bits, amount]);
        let moved = self.wide_shifted(true, so_far, amount);
        let moved = Wide { low: self.b.op(Op::Or, &[moved.low, bit]), ..moved };
        let divisor = Wide { signed: false, ..b };
        let less = self.wide_less(moved, divisor);
        let fits = self.b.op(Op::Not, &[less]);
        let fits = self.b.op(Op::Or, &[fits, carries]);
        let reduced = self.wide_sub(moved, divisor);
        let next = self.wide_select(fits, reduced, moved);
        let digits = self.b.op(Op::Shl, &[digits, amount]);
        let digit = self.carry(fits);
        let digits = self.b.op(Op::Or, &[digits, digit]);
        self.b.continue_(body, &[left, next.low, next.high, digits, bits]);
        self.b.switch_to(parent);
        let [low, high, digits] = self.b.push_loop(body, &start, &[word; 3])[..] else {
            unreachable!("made with three")
        };
        let signed = a.signed;
        let quotient = Wide { low: self.select(is_word, quotient, digits), high: above, signed };
        let remainder = Wide { low: self.select(is_word, remainder, low), high, signed };
        let none = self.select(is_word, zero, remainder.high);
        (quotient, Wide { high: none, ..remainder })
    }

    /// A method that [`has_elementary`](crate::builtin::wide::has_elementary) names.
    pub(super) fn wide_elementary(&mut self, method: Elementary, a: ValueId, b: ValueId) -> ValueId {
        use Elementary as E;
        let x = self.wide_halves(a);
        match method {
            E::CountOnes => self.count_ones_of(x),
            E::CountZeros => {
                let (ones, all) = (self.count_ones_of(x), self.u32(128));
                self.b.op(Op::Sub, &[all, ones])
            }
            E::LeadingZeros => self.zeros_from(Op::LeadingZeros, x.high, x.low),
            E::TrailingZeros => self.zeros_from(Op::TrailingZeros, x.low, x.high),
            E::RotateLeft | E::RotateRight => {
                let all = self.u32(128);
                let other = self.b.op(Op::Sub, &[all, b]);
                let (up, down) = if method == E::RotateLeft { (b, other) } else { (other, b) };
                let bits = Wide { signed: false, ..x };
                let (up, down) = (self.wide_shifted(true, bits, up), self.wide_shifted(false, bits, down));
                let made = self.each_half(Op::Or, up, down);
                self.joined(Wide { signed: x.signed, ..made })
            }
            E::CastSigned | E::CastUnsigned => self.joined(Wide { signed: method == E::CastSigned, ..x }),
            E::Pow => self.wide_power(a, b),
            E::SignumInt => {
                let [zero, one, minus_one] = [0, 1, u128::MAX].map(|bits| self.same(bits, x));
                let (is_negative, is_positive) = (self.wide_less(x, zero), self.wide_less(zero, x));
                let above = self.wide_select(is_positive, one, zero);
                let made = self.wide_select(is_negative, minus_one, above);
                self.joined(made)
            }
            E::UnsignedAbs | E::Abs => {
                let (zero, negated) = (self.same(0, x), self.wide_negated(x));
                let is_negative = self.wide_less(x, zero);
                let size = self.wide_select(is_negative, negated, x);
                self.joined(Wide { signed: method == E::Abs, ..size })
            }
            E::ReverseBits => {
                let (low, high) = (self.b.op(Op::ReverseBits, &[x.high]), self.b.op(Op::ReverseBits, &[x.low]));
                self.joined(Wide { low, high, signed: x.signed })
            }
            E::SwapBytes => {
                let (low, high) = (self.swap_bytes(x.high), self.swap_bytes(x.low));
                self.joined(Wide { low, high, signed: x.signed })
            }
            E::IsPowerOfTwo => {
                let (ones, one) = (self.count_ones_of(x), self.u32(1));
                self.b.op(Op::Eq, &[ones, one])
            }
            E::IsPositive | E::IsNegative => {
                let zero = self.same(0, x);
                if method == E::IsNegative { self.wide_less(x, zero) } else { self.wide_less(zero, x) }
            }
            _ => {
                let y = self.wide_halves(b);
                let less = self.wide_less(y, x);
                let made = match method {
                    E::Min => self.wide_select(less, y, x),
                    E::Max => self.wide_select(less, x, y),
                    _ => {
                        let (down, up) = (self.wide_sub(x, y), self.wide_sub(y, x));
                        Wide { signed: false, ..self.wide_select(less, down, up) }
                    }
                };
                self.joined(made)
            }
        }
    }

    fn count_ones_of(&mut self, x: Wide) -> ValueId {
        let halves = [self.b.op(Op::CountOnes, &[x.low]), self.b.op(Op::CountOnes, &[x.high])];
        self.b.op(Op::Add, &halves)
    }

    /// The zeros of one half, and of the other where the first has nothing else.
    fn zeros_from(&mut self, op: Op, first: ValueId, second: ValueId) -> ValueId {
        let (zeros, more) = (self.b.op(op, &[first]), self.b.op(op, &[second]));
        let (word, zero) = (self.u32(64), self.word(0));
        let (all, is_zero) = (self.b.op(Op::Add, &[word, more]), self.b.op(Op::Eq, &[first, zero]));
        self.select(is_zero, all, zeros)
    }

    /// A wrapped result, and whether it overflowed.
    pub(super) fn wide_flagged(&mut self, op: Arithmetic, a: ValueId, b: ValueId) -> Wrapped {
        let x = self.wide_halves(a);
        if let Arithmetic::Shl | Arithmetic::Shr = op {
            let value = self.wide_shift(op == Arithmetic::Shl, a, b);
            let width = self.u32(128);
            return Wrapped { value, flag: self.b.op(Op::Ge, &[b, width]) };
        }
        if op == Arithmetic::Pow {
            let (value, flag) = (self.wide_power(a, b), self.bool(false));
            return Wrapped { value, flag };
        }
        if op == Arithmetic::Neg {
            let (value, flag) = (self.wide_unary(Op::Neg, a), self.bool(false));
            return Wrapped { value, flag };
        }
        let y = self.wide_halves(b);
        let (made, flag) = match op {
            Arithmetic::Sub => {
                let made = self.wide_sub(x, y);
                (made, if x.signed { self.changed_sign(x, [x, y], made) } else { self.wide_less(x, y) })
            }
            Arithmetic::Mul => {
                let made = self.wide_mul(x, y);
                (made, self.is_longer(x, y))
            }
            _ => {
                let made = self.wide_add(x, y);
                (made, if x.signed { self.changed_sign(made, [x, y], made) } else { self.wide_less(made, x) })
            }
        };
        Wrapped { value: self.joined(made), flag }
    }

    /// The lower 128 bits of a product.
    pub(super) fn wide_product(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (x, y) = (self.wide_halves(a), self.wide_halves(b));
        let made = self.wide_mul(x, y);
        self.joined(made)
    }

    fn wide_power(&mut self, x: ValueId, exponent: ValueId) -> ValueId {
        let one = self.signedness(x).unwrap_or_default();
        let one = self.wide(1, one);
        match self.known_scalar(exponent) {
            Some(exponent) => self.power_by(x, exponent as u32).unwrap_or(one),
            None => self.power_loop(x, exponent, one),
        }
    }

    /// Whether a sum has another sign than both operands, or a difference another one than the first, which differs from the second.
    fn changed_sign(&mut self, one: Wide, [x, y]: [Wide; 2], made: Wide) -> ValueId {
        let (a, b) = (self.b.op(Op::Xor, &[x.high, made.high]), self.b.op(Op::Xor, &[y.high, one.high]));
        let both = self.b.op(Op::And, &[a, b]);
        let both = self.cast(both, Scalar::I64);
        let zero = self.int_like(both, 0);
        self.b.op(Op::Lt, &[both, zero])
    }

    /// Whether the product of integers without signs has more than 128 bits.
    fn is_longer(&mut self, a: Wide, b: Wide) -> ValueId {
        let zero = self.word(0);
        let mut tests = [a.high, b.high].map(|high| self.b.op(Op::Ne, &[high, zero])).to_vec();
        tests = vec![self.b.op(Op::And, &tests)];
        let mut high = self.b.op(Op::MulHigh, &[a.low, b.low]);
        for (one, other) in [(a.low, b.high), (a.high, b.low)] {
            let (part, above) = (self.b.op(Op::Mul, &[one, other]), self.b.op(Op::MulHigh, &[one, other]));
            let sum = self.b.op(Op::Add, &[high, part]);
            tests.extend([self.b.op(Op::Ne, &[above, zero]), self.b.op(Op::Lt, &[sum, high])]);
            high = sum;
        }
        self.all_of(Op::Or, tests).unwrap_or(zero)
    }

    /// The largest or smallest value of `u128`, where the result would be beyond it.
    pub(super) fn wide_limit(&mut self, op: Arithmetic) -> ValueId {
        self.wide(if op == Arithmetic::Sub { 0 } else { u128::MAX }, false)
    }

    /// The bytes, the lowest first or last.
    pub(super) fn wide_to_bytes(&mut self, value: ValueId, big: bool) -> ValueId {
        let Wide { low, high, .. } = self.wide_halves(value);
        let mut bytes = Vec::new();
        for half in [low, high] {
            for index in 0..8 {
                let by = self.u32(8 * index);
                let shifted = self.b.op(Op::Shr, &[half, by]);
                bytes.push(self.cast(shifted, Scalar::U8));
            }
        }
        if big {
            bytes.reverse();
        }
        let byte = self.b.types_mut().scalar(Scalar::U8);
        let ty = self.b.types_mut().array(byte, 16);
        self.compose(ty, &bytes)
    }

    pub(super) fn wide_from_bytes(&mut self, bytes: ValueId, big: bool, signed: bool) -> ValueId {
        let halves = [0, 8].map(|first| {
            let mut bits = self.word(0);
            for index in 0..8 {
                let place = first + index;
                let byte = self.b.extract(bytes, &[if big { 15 - place } else { place }]);
                let (byte, by) = (self.cast(byte, Scalar::U64), self.u32(8 * index));
                let moved = self.b.op(Op::Shl, &[byte, by]);
                bits = self.b.op(Op::Or, &[bits, moved]);
            }
            bits
        });
        self.joined(Wide { low: halves[0], high: halves[1], signed })
    }

    /// The four words of a message's record, the lowest first.
    pub(super) fn wide_words(&mut self, value: ValueId) -> [ValueId; 4] {
        let Wide { low, high, .. } = self.wide_halves(value);
        let width = self.u32(32);
        let parts = [low, high].map(|half| [half, self.b.op(Op::Shr, &[half, width])]);
        [parts[0][0], parts[0][1], parts[1][0], parts[1][1]].map(|part| self.cast(part, Scalar::U32))
    }
}
