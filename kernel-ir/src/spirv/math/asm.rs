//! Shorthand to write scalar code by hand: every method appends one operation and gives back its result.

use rspirv::spirv::{GlslStd450Op as GLOp, Op as Spv};

use super::Helper;
use crate::op::Op;
use crate::spirv::module::Writer;
use crate::spirv::types::Lanes;
use crate::spirv::words::Id;
use crate::types::Scalar;

/// 1.5 * 2^23: between its neighbours are whole numbers.
const LARGE: f32 = 12_582_912.0;

/// The body of a helper being written.
pub(super) struct Asm<'w, 'm> {
    pub(super) w: &'w mut Writer<'m>,
    /// `f32`, or `f64` in a helper for that.
    pub(super) float: Id,
    /// `u32`, or `u64` in a helper for `f64`.
    pub(super) word: Id,
    /// The float.
    pub(super) scalar: Scalar,
    /// Whether the device's `Fma` rounds once, in the code that is written now.
    pub(super) has_fma: bool,
    bool_: Id,
    int: Id,
}

/// One method per operation: name, operands, SPIR-V opcode, type of the result.
macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $name:ident($($operand:ident),+) $via:ident $op:ident $ty:ident;)+) => {
        $($(#[doc = $doc])+
        pub(super) fn $name(&mut self, $($operand: Id),+) -> Id {
            let ty = self.$ty;
            self.w.$via(Spv::$op, ty, &[$($operand),+])
        })+
    };
}

impl<'w, 'm> Asm<'w, 'm> {
    /// The body of a helper on floats of one type.
    pub(super) fn new(w: &'w mut Writer<'m>, scalar: Scalar) -> Self {
        let [float, word, bool_, int] =
            [scalar, scalar.unsigned(), Scalar::Bool, scalar.signed()].map(|scalar| w.lanes_type(Lanes::one(scalar)));
        Self { w, float, word, scalar, has_fma: false, bool_, int }
    }

    operations! {
        /// `a + b`.
        fadd(a, b) float_op FAdd float;
        /// `a - b`.
        fsub(a, b) float_op FSub float;
        /// `a * b`.
        fmul(a, b) float_op FMul float;
        /// `a / b`.
        fdiv(a, b) float_op FDiv float;
        /// `-a`.
        fneg(a) float_op FNegate float;
        /// Ordered `a == b`.
        feq(a, b) op FOrdEqual bool_;
        /// Ordered `a < b`.
        flt(a, b) op FOrdLessThan bool_;
        /// Ordered `a > b`.
        fgt(a, b) op FOrdGreaterThan bool_;
        /// `a + b`, wrapping.
        iadd(a, b) op IAdd word;
        /// `a - b`, wrapping.
        isub(a, b) op ISub word;
        /// `a * b`, wrapping.
        imul(a, b) op IMul word;
        /// `a % b`.
        umod(a, b) op UMod word;
        /// `a & b`.
        and(a, b) op BitwiseAnd word;
        /// `a | b`.
        or(a, b) op BitwiseOr word;
        /// `a ^ b`.
        xor(a, b) op BitwiseXor word;
        /// `a << b` for `b` below 32.
        shl(a, b) op ShiftLeftLogical word;
        /// `a >> b` for `b` below 32, with zeros.
        shr(a, b) op ShiftRightLogical word;
        /// `a >> b` for `b` below 32, with the sign.
        sar(a, b) op ShiftRightArithmetic word;
        /// `a == b`.
        ieq(a, b) op IEqual bool_;
        /// `a != b`.
        ine(a, b) op INotEqual bool_;
        /// Unsigned `a < b`.
        ult(a, b) op ULessThan bool_;
        /// Unsigned `a <= b`.
        ule(a, b) op ULessThanEqual bool_;
        /// Unsigned `a >= b`.
        uge(a, b) op UGreaterThanEqual bool_;
        /// Signed `a < b`.
        slt(a, b) op SLessThan bool_;
        /// Signed `a >= b`.
        sge(a, b) op SGreaterThanEqual bool_;
        /// Both.
        both(a, b) op LogicalAnd bool_;
        /// Either.
        either(a, b) op LogicalOr bool_;
        /// Exactly one.
        differ(a, b) op LogicalNotEqual bool_;
        /// Neither is it.
        negate(a) op LogicalNot bool_;
        /// The bits of a float or `i32`.
        bits(a) op Bitcast word;
        /// The float with these bits.
        as_float(a) op Bitcast float;
        /// `a as f32` of a `u32`.
        float_of(a) op ConvertUToF float;
        /// `a as f32` of an `i32`, given by its bits.
        float_of_signed(a) op ConvertSToF float;
        /// The sign and the bits of a whole float as an `i32`; it must fit.
        signed_of(a) op ConvertFToS int;
        /// The bits of a whole float that is not below zero; it must fit.
        word_of(a) op ConvertFToU word;
        /// The word `b` if `a` holds, else `c`.
        select(a, b, c) op Select word;
        /// The float `b` if `a` holds, else `c`.
        fselect(a, b, c) op Select float;
    }

    /// A float literal.
    pub(super) fn f(&mut self, value: f32) -> Id {
        self.w.const_floats(Lanes::one(self.scalar), value.into())
    }

    /// A word literal.
    pub(super) fn u(&mut self, value: u32) -> Id {
        self.wide(value.into())
    }

    /// A word literal that may be wider than 32 bits.
    pub(super) fn wide(&mut self, value: u64) -> Id {
        self.w.const_scalar(self.scalar.unsigned(), value)
    }

    /// A function of `GLSL.std.450` from floats to a float.
    pub(super) fn glsl(&mut self, op: GLOp, operands: &[Id]) -> Id {
        let ty = self.float;
        self.w.glsl_op(op, ty, operands)
    }

    /// The size of a float.
    pub(super) fn fabs(&mut self, a: Id) -> Id {
        self.glsl(GLOp::FAbs, &[a])
    }

    /// The size of `a` with the sign of `b`.
    pub(super) fn copysign(&mut self, a: Id, b: Id) -> Id {
        self.w.copysign(Lanes::one(self.scalar), a, b)
    }

    /// Position of the highest one bit; not of zero.
    pub(super) fn highest_bit(&mut self, a: Id) -> Id {
        let ty = self.word;
        if self.scalar == Scalar::F64 {
            let lanes = Lanes::one(Scalar::U64);
            let zeros = self.w.bit_op(Op::LeadingZeros, lanes, &[a]);
            let (zeros, top) = (self.w.cast(Lanes::one(Scalar::U32), Scalar::U64, zeros), self.u(63));
            return self.isub(top, zeros);
        }
        self.w.glsl_op(GLOp::FindUMsb, ty, &[a])
    }

    /// The smaller of two words.
    pub(super) fn umin(&mut self, a: Id, b: Id) -> Id {
        let ty = self.word;
        self.w.glsl_op(GLOp::UMin, ty, &[a, b])
    }

    /// A float between two bounds; NaN becomes one of them.
    pub(super) fn clamp(&mut self, a: Id, low: f32, high: f32) -> Id {
        let (low, high) = (self.f(low), self.f(high));
        self.glsl(GLOp::NClamp, &[a, low, high])
    }

    /// `a * b + c`, by one instruction where the device has one; it may round once or twice. Compilers may join several of them to something
    /// else that is as exact, so no such sum may be one that loses digits on purpose.
    pub(super) fn fused(&mut self, a: Id, b: Id, c: Id) -> Id {
        self.glsl(GLOp::Fma, &[a, b, c])
    }

    /// `a * b + c` rounded once, on devices whose `Fma` rounds once: the rest that a product loses, for example.
    pub(super) fn fused_alone(&mut self, a: Id, b: Id, c: Id) -> Id {
        let ty = self.float;
        self.w.glsl_op_alone(GLOp::Fma, ty, &[a, b, c])
    }

    /// About `1 / x` of an `x` above zero, 5 units off at worst; neither may be near the ends of floats. Where divisions are rounded as
    /// usual they take longer than all of this.
    pub(super) fn rough_inverse(&mut self, x: Id) -> Id {
        let has_fma = self.w.has_fma(self.scalar);
        self.branch(
            has_fma,
            |a| {
                let root = a.glsl(GLOp::InverseSqrt, &[x]);
                a.fmul(root, root)
            },
            |a| {
                let one = a.f(1.0);
                a.fdiv(one, x)
            },
        )
    }

    /// `x / y` of a `y` above zero, about a unit off; neither `y` nor its inverse nor the quotient may be near the ends of floats.
    pub(super) fn near_quotient(&mut self, x: Id, y: Id) -> Id {
        let has_fma = self.w.has_fma(self.scalar);
        self.branch(
            has_fma,
            |a| {
                let root = a.glsl(GLOp::InverseSqrt, &[y]);
                let inverse = a.fmul(root, root);
                let quotient = a.fmul(x, inverse);
                let minus = a.fneg(quotient);
                let rest = a.fused_alone(minus, y, x);
                a.fused_alone(rest, inverse, quotient)
            },
            |a| a.fdiv(x, y),
        )
    }

    /// A polynomial of `x` by its coefficients, highest power first.
    pub(super) fn poly(&mut self, x: Id, coefficients: &[f32]) -> Id {
        let mut sum = self.f(coefficients[0]);
        for &coefficient in &coefficients[1..] {
            let next = self.f(coefficient);
            sum = self.fused(sum, x, next);
        }
        sum
    }

    /// The whole number nearest to `a * b`, as a float, and the bits of a float that has it in its lowest ones. Within -2^21 ..= 2^21;
    /// the sum with a number so large that its digits end before the point rounds.
    pub(super) fn nearest(&mut self, a: Id, b: Id) -> [Id; 2] {
        let large = self.f(LARGE);
        let product = self.fmul(a, b);
        let sum = self.fadd(product, large);
        [self.fsub(sum, large), self.bits(sum)]
    }

    /// `a * 2^n` for a normal `a` and a whole number `n` within -300 ..= 300, by the bits that [`Self::nearest`] gives, rounded once.
    pub(super) fn scale_by_bits(&mut self, a: Id, n: Id) -> Id {
        let (one, unit, mantissa) = (self.u(1), self.u(127 << 23), self.u(23));
        // Two steps, for 2^n alone may be out of range. All of the large number is shifted out.
        let first = self.sar(n, one);
        let second = self.isub(n, first);
        [first, second].into_iter().fold(a, |product, power| {
            let exponent = self.shl(power, mantissa);
            let bits = self.iadd(exponent, unit);
            let factor = self.as_float(bits);
            self.fmul(product, factor)
        })
    }

    /// `a` with NaN where `x` is NaN.
    pub(super) fn or_nan(&mut self, x: Id, a: Id) -> Id {
        let is_nan = self.is_nan(x);
        self.fselect(is_nan, x, a)
    }

    /// A float's bits without the sign.
    pub(super) fn size_bits(&mut self, a: Id) -> Id {
        let (bits, mask) = (self.bits(a), self.wide(self.scalar.mask() >> 1));
        self.and(bits, mask)
    }

    /// Whether a float is negative, by its sign bit.
    pub(super) fn sign_bit(&mut self, a: Id) -> Id {
        let all = self.scalar.mask();
        let (bits, mask) = (self.bits(a), self.wide(all ^ all >> 1));
        self.and(bits, mask)
    }

    /// Whether a float is NaN.
    pub(super) fn is_nan(&mut self, a: Id) -> Id {
        let ty = self.bool_;
        self.w.op(Spv::FUnordNotEqual, ty, &[a, a])
    }

    /// Low and high half of the product of two words.
    pub(super) fn wide_mul(&mut self, a: Id, b: Id) -> [Id; 2] {
        let word = self.word;
        if self.scalar == Scalar::F64 {
            let (low, wide) = (self.imul(a, b), Lanes::one(Scalar::U64));
            return [low, self.w.bit_op(Op::MulHigh, wide, &[a, b])];
        }
        let pair = self.w.global(Spv::TypeStruct, None, &[word, word]);
        let product = self.w.op(Spv::UMulExtended, pair, &[a, b]);
        [0, 1].map(|half| self.w.op(Spv::CompositeExtract, word, &[product, half]))
    }

    /// Calls another helper, not one of vectors.
    pub(super) fn call(&mut self, helper: Helper, operands: &[Id]) -> Id {
        self.w.call_helper(helper, Lanes::one(self.scalar), operands)
    }

    /// The float value of one of two branches.
    pub(super) fn branch(
        &mut self,
        condition: Id,
        then: impl FnOnce(&mut Self) -> Id,
        otherwise: impl FnOnce(&mut Self) -> Id,
    ) -> Id {
        self.branch_to(self.float, condition, then, otherwise)
    }

    /// A float's code, written twice: for devices whose `Fma` rounds once, and for others.
    pub(super) fn with_fma(&mut self, write: impl Fn(&mut Self) -> Id) -> Id {
        let ty = self.float;
        self.with_fma_to(ty, write)
    }

    /// The same for a value of any type.
    pub(super) fn with_fma_to(&mut self, ty: Id, write: impl Fn(&mut Self) -> Id) -> Id {
        let has_fma = self.w.has_fma(self.scalar);
        let by_fma = |a: &mut Self| {
            a.has_fma = true;
            let value = write(a);
            a.has_fma = false;
            value
        };
        self.branch_to(ty, has_fma, by_fma, &write)
    }

    /// The value of one of two branches, of any type.
    pub(super) fn branch_to(
        &mut self,
        ty: Id,
        condition: Id,
        then: impl FnOnce(&mut Self) -> Id,
        otherwise: impl FnOnce(&mut Self) -> Id,
    ) -> Id {
        let [yes, no, merge] = [(); 3].map(|()| self.w.new_id());
        self.w.effect(Spv::SelectionMerge, &[merge, 0]);
        self.w.effect(Spv::BranchConditional, &[condition, yes, no]);
        self.w.begin_block(yes);
        let first = then(self);
        let first_end = self.w.label;
        self.w.effect(Spv::Branch, &[merge]);
        self.w.begin_block(no);
        let second = otherwise(self);
        let second_end = self.w.label;
        self.w.effect(Spv::Branch, &[merge]);
        self.w.begin_block(merge);
        self.w.op(Spv::Phi, ty, &[first, first_end, second, second_end])
    }

    /// Runs `body` on two words while `condition` holds for them; gives back the last ones.
    pub(super) fn while_(
        &mut self,
        initial: [Id; 2],
        condition: impl FnOnce(&mut Self, [Id; 2]) -> Id,
        body: impl FnOnce(&mut Self, [Id; 2]) -> [Id; 2],
    ) -> [Id; 2] {
        let [header, test, inside, latch, merge] = [(); 5].map(|()| self.w.new_id());
        let (before, ty) = (self.w.label, self.word);
        self.w.effect(Spv::Branch, &[header]);
        self.w.begin_block(header);
        let next = [(); 2].map(|()| self.w.new_id());
        let state = [0, 1].map(|index| self.w.op(Spv::Phi, ty, &[initial[index], before, next[index], latch]));
        self.w.effect(Spv::LoopMerge, &[merge, latch, 0]);
        self.w.effect(Spv::Branch, &[test]);
        self.w.begin_block(test);
        let goes_on = condition(self, state);
        self.w.effect(Spv::BranchConditional, &[goes_on, inside, merge]);
        self.w.begin_block(inside);
        let last = body(self, state);
        let inside_end = self.w.label;
        self.w.effect(Spv::Branch, &[latch]);
        self.w.begin_block(latch);
        for (id, value) in next.into_iter().zip(last) {
            self.w.op_into(id, Spv::Phi, ty, &[value, inside_end]);
        }
        self.w.effect(Spv::Branch, &[header]);
        self.w.begin_block(merge);
        state
    }
}
