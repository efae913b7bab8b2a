//! Integer arithmetic that wraps, saturates, or says that it overflowed.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::division::Division;
use super::function::FnCx;
use crate::ast::Expr;
use crate::builtin::overflow::{Arithmetic, Overflow};

/// A wrapped result, and whether it is not the whole one.
pub(super) struct Wrapped {
    pub(super) value: ValueId,
    pub(super) flag: ValueId,
}

impl FnCx<'_, '_, '_> {
    /// A method of the table in [`crate::builtin::overflow`].
    pub(super) fn arithmetic(
        &mut self,
        expr: &Expr,
        (overflow, op): (Overflow, Arithmetic),
        a: ValueId,
        b: ValueId,
    ) -> ValueId {
        if overflow == Overflow::Wrapping
            && !self.is_wide(a)
            && let Some(value) = self.plain(op, a, b)
        {
            return value;
        }
        if overflow == Overflow::Saturating
            && !self.is_wide(a)
            && let Some(value) = self.saturated_in_words(op, a, b)
        {
            return value;
        }
        let Wrapped { value, flag } = self.flagged(expr, op, (a, b), overflow != Overflow::Checked);
        match overflow {
            Overflow::Wrapping => value,
            Overflow::Overflowing => {
                let ty = self.ty(self.ty_of(expr));
                ty.map_or(value, |ty| self.compose(ty, &[value, flag]))
            }
            Overflow::Checked => {
                let fits = self.op(Op::Not, &[flag]);
                let ty = self.ty_of(expr).clone();
                self.option_of(&ty, fits, value).unwrap_or(value)
            }
            Overflow::Strict => {
                let fits = self.op(Op::Not, &[flag]);
                self.panic_unless(expr, fits, op.panics());
                value
            }
            Overflow::Saturating => {
                let limit = if self.is_wide(a) { self.wide_limit(op) } else { self.limit(op, a, b) };
                self.select(flag, limit, value)
            }
        }
    }

    /// A result and whether it overflowed; divisions by zero trap, or are flagged.
    pub(super) fn flagged(&mut self, expr: &Expr, op: Arithmetic, (a, b): (ValueId, ValueId), traps: bool) -> Wrapped {
        if self.is_wide(a) {
            return self.wide_flagged(op, a, b);
        }
        match op {
            Arithmetic::Add => self.add_flagged(a, b),
            Arithmetic::Sub => self.sub_flagged(a, b),
            Arithmetic::Mul => self.mul_flagged(a, b),
            Arithmetic::Div | Arithmetic::Rem | Arithmetic::DivEuclid | Arithmetic::RemEuclid => {
                self.divide_flagged(expr, op, a, b, traps)
            }
            Arithmetic::Neg => {
                let value = self.wrapping_neg(a);
                let is_signed = self.is_signed(a);
                let bound = self.min_like(a);
                Wrapped { value, flag: self.b.op(if is_signed { Op::Eq } else { Op::Ne }, &[a, bound]) }
            }
            Arithmetic::Abs => {
                let (value, min) = (self.b.op(Op::Abs, &[a]), self.min_like(a));
                Wrapped { value, flag: self.b.op(Op::Eq, &[a, min]) }
            }
            Arithmetic::Shl | Arithmetic::Shr => {
                let op = if op == Arithmetic::Shl { Op::Shl } else { Op::Shr };
                let (value, width) = (self.b.op(op, &[a, b]), self.u32(self.shape(a).0.bits()));
                Wrapped { value, flag: self.b.op(Op::Ge, &[b, width]) }
            }
            Arithmetic::Pow => self.pow_flagged(a, b),
            Arithmetic::AddSigned | Arithmetic::AddUnsigned | Arithmetic::SubUnsigned => self.mixed_flagged(op, a, b),
        }
    }

    /// Saturating arithmetic of narrow integers, whose whole result fits in 32 bits.
    fn saturated_in_words(&mut self, op: Arithmetic, a: ValueId, b: ValueId) -> Option<ValueId> {
        let (scalar, 1) = self.shape(a) else { return None };
        if scalar.bits() > 16 {
            return None;
        }
        let op = match op {
            Arithmetic::Add => Op::Add,
            Arithmetic::Sub => Op::Sub,
            Arithmetic::Mul => Op::Mul,
            _ => return None,
        };
        // A product of 16 bits without signs takes all 32.
        let is_signed = scalar.is_signed() || op == Op::Sub;
        let word = if is_signed { Scalar::I32 } else { Scalar::U32 };
        let (a, b) = (self.cast(a, word), self.cast(b, word));
        let mut value = self.b.op(op, &[a, b]);
        let most = scalar.mask() >> u32::from(scalar.is_signed());
        if is_signed {
            let least = if scalar.is_signed() { -i64::from(most as u32) - 1 } else { 0 };
            let least = self.int_like(value, least);
            value = self.b.op(Op::Max, &[value, least]);
        }
        if scalar.is_signed() || op != Op::Sub {
            let most = self.bits(word, most);
            value = self.b.op(Op::Min, &[value, most]);
        }
        Some(self.cast(value, scalar))
    }

    /// Arithmetic that needs no more than an op to wrap.
    fn plain(&mut self, op: Arithmetic, a: ValueId, b: ValueId) -> Option<ValueId> {
        Some(match op {
            Arithmetic::Add => self.op(Op::Add, &[a, b]),
            Arithmetic::Sub => self.op(Op::Sub, &[a, b]),
            Arithmetic::Mul => self.op(Op::Mul, &[a, b]),
            Arithmetic::Neg => self.wrapping_neg(a),
            Arithmetic::Abs => self.b.op(Op::Abs, &[a]),
            Arithmetic::Shl => self.b.op(Op::Shl, &[a, b]),
            Arithmetic::Shr => self.b.op(Op::Shr, &[a, b]),
            Arithmetic::Pow => self.pow(a, b),
            _ => return None,
        })
    }

    fn add_flagged(&mut self, a: ValueId, b: ValueId) -> Wrapped {
        let value = self.b.op(Op::Add, &[a, b]);
        if !self.is_signed(a) {
            return Wrapped { value, flag: self.b.op(Op::Lt, &[value, a]) };
        }
        // The sum's sign differs from that of both operands.
        let (x, y) = (self.b.op(Op::Xor, &[a, value]), self.b.op(Op::Xor, &[b, value]));
        self.flagged_by_signs(value, x, y)
    }

    fn sub_flagged(&mut self, a: ValueId, b: ValueId) -> Wrapped {
        let value = self.b.op(Op::Sub, &[a, b]);
        if !self.is_signed(a) {
            return Wrapped { value, flag: self.b.op(Op::Lt, &[a, b]) };
        }
        // The operands' signs differ, and the difference does not have the first one's.
        let (x, y) = (self.b.op(Op::Xor, &[a, b]), self.b.op(Op::Xor, &[a, value]));
        self.flagged_by_signs(value, x, y)
    }

    fn flagged_by_signs(&mut self, value: ValueId, x: ValueId, y: ValueId) -> Wrapped {
        let both = self.b.op(Op::And, &[x, y]);
        Wrapped { value, flag: self.compare_to_zero(Op::Lt, both) }
    }

    fn mul_flagged(&mut self, a: ValueId, b: ValueId) -> Wrapped {
        let (value, high) = (self.b.op(Op::Mul, &[a, b]), self.b.op(Op::MulHigh, &[a, b]));
        // The upper half repeats the sign of the lower.
        let rest = if self.is_signed(a) {
            let sign = self.u32(self.shape(a).0.bits() - 1);
            self.b.op(Op::Shr, &[value, sign])
        } else {
            self.int_like(a, 0)
        };
        Wrapped { value, flag: self.b.op(Op::Ne, &[high, rest]) }
    }

    /// By zero it traps, or is flagged.
    fn divide_flagged(&mut self, expr: &Expr, op: Arithmetic, a: ValueId, b: ValueId, traps: bool) -> Wrapped {
        let mut flag = self.bool(false);
        let mut divisor = b;
        let ones = self.shape(b).0.mask();
        if self.known_scalar(b).is_none_or(|bits| bits == 0 || bits == ones && self.is_signed(b)) {
            let is_zero = self.compare_to_zero(Op::Eq, b);
            let mut bad = is_zero;
            if self.is_signed(a) {
                let (min, minus_one) = (self.min_like(a), self.int_like(b, -1));
                let (is_min, is_minus_one) = (self.b.op(Op::Eq, &[a, min]), self.b.op(Op::Eq, &[b, minus_one]));
                flag = self.b.op(Op::And, &[is_min, is_minus_one]);
                bad = self.b.op(Op::Or, &[is_zero, flag]);
            }
            if traps {
                let division = if op.is_remainder() { Division::Remainder } else { Division::Quotient };
                self.when(is_zero, |cx| {
                    let operands = [cx.trap_operand(a), cx.trap_operand(b)];
                    cx.trap(expr, division.zero(), operands);
                });
            } else {
                flag = bad;
            }
            let one = self.int_like(b, 1);
            divisor = self.select(bad, one, b);
        }
        let value = match op {
            Arithmetic::Div => self.b.op(Op::Div, &[a, divisor]),
            Arithmetic::Rem => self.b.op(Op::Rem, &[a, divisor]),
            Arithmetic::DivEuclid => self.div_euclid_by(a, divisor),
            Arithmetic::RemEuclid => self.rem_euclid_by(a, divisor),
            _ => unreachable!("`{op:?}` is no division"),
        };
        Wrapped { value, flag }
    }

    /// Repeated squaring; a square counts only while some power of it does.
    fn pow_flagged(&mut self, a: ValueId, exponent: ValueId) -> Wrapped {
        let (one, no) = (self.int_like(a, 1), self.bool(false));
        let (ty, word, bool_) = (self.b.value_type(a), self.b.value_type(exponent), self.b.value_type(no));
        let body = self.b.new_loop_body(&[ty, ty, word, bool_]);
        let [power, square, left, flag] = *self.b.block_params(body) else { unreachable!("made with four") };
        let parent = self.b.switch_to(body);
        let is_done = self.compare_to_zero(Op::Eq, left);
        self.when(is_done, |cx| cx.b.break_(body, &[power, flag]));
        let bit = self.u32(1);
        let low = self.b.op(Op::And, &[left, bit]);
        let is_odd = self.compare_to_zero(Op::Ne, low);
        let Wrapped { value, flag: lost } = self.mul_flagged(power, square);
        let lost = self.b.op(Op::And, &[lost, is_odd]);
        let (power, flag) = (self.select(is_odd, value, power), self.b.op(Op::Or, &[flag, lost]));
        let left = self.b.op(Op::Shr, &[left, bit]);
        let Wrapped { value: square, flag: lost } = self.mul_flagged(square, square);
        let goes_on = self.compare_to_zero(Op::Ne, left);
        let lost = self.b.op(Op::And, &[lost, goes_on]);
        let flag = self.b.op(Op::Or, &[flag, lost]);
        self.b.continue_(body, &[power, square, left, flag]);
        self.b.switch_to(parent);
        let results = self.b.push_loop(body, &[one, a, exponent, no], &[ty, bool_]);
        Wrapped { value: results[0], flag: results[1] }
    }

    /// Operands of different signedness: the sum of the bits, flagged unless the other operand's sign makes up for it.
    fn mixed_flagged(&mut self, op: Arithmetic, a: ValueId, b: ValueId) -> Wrapped {
        let other = self.cast(b, self.shape(a).0);
        let Wrapped { value, flag } = match op {
            Arithmetic::SubUnsigned => self.sub_flagged(a, other),
            Arithmetic::AddSigned | Arithmetic::AddUnsigned => self.add_flagged(a, other),
            _ => unreachable!("`{op:?}` has operands of one type"),
        };
        let signed = self.cast(b, self.shape(a).0.signed());
        let is_negative = self.compare_to_zero(Op::Lt, signed);
        Wrapped { value, flag: self.b.op(Op::Xor, &[flag, is_negative]) }
    }

    /// The value nearest to a result that does not fit.
    fn limit(&mut self, op: Arithmetic, a: ValueId, b: ValueId) -> ValueId {
        let (min, max) = (self.min_like(a), self.max_like(a));
        let is_signed = self.is_signed(a);
        let is_negative = match op {
            Arithmetic::Sub if !is_signed => return min,
            Arithmetic::SubUnsigned => return min,
            Arithmetic::AddSigned => self.compare_to_zero(Op::Lt, b),
            _ if !is_signed => return max,
            Arithmetic::Add | Arithmetic::Sub => self.compare_to_zero(Op::Lt, a),
            Arithmetic::Mul => {
                let signs = self.b.op(Op::Xor, &[a, b]);
                self.compare_to_zero(Op::Lt, signs)
            }
            Arithmetic::Pow => {
                let (is_negative, one) = (self.compare_to_zero(Op::Lt, a), self.u32(1));
                let low = self.b.op(Op::And, &[b, one]);
                let is_odd = self.compare_to_zero(Op::Ne, low);
                self.b.op(Op::And, &[is_negative, is_odd])
            }
            Arithmetic::AddUnsigned
            | Arithmetic::Div
            | Arithmetic::Rem
            | Arithmetic::DivEuclid
            | Arithmetic::RemEuclid
            | Arithmetic::Neg
            | Arithmetic::Abs
            | Arithmetic::Shl
            | Arithmetic::Shr => return max,
        };
        self.select(is_negative, min, max)
    }
}
