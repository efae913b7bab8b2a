//! Evaluation of ops on constants is what rustc computes: on all pairs of bytes, on edges and noise of wider integers, on all
//! `f16` and `bf16`. `GRIDWISE_LONG=1` tries 2^20 pairs of each wider type instead of 2^16.

use gridwise_ir::ir::Constant;
use gridwise_ir::op::Op;
use gridwise_ir::passes::eval::{bits, evaluate, from_bits};
use gridwise_ir::types::Scalar;
use half::{bf16, f16};

fn pairs_of_wide() -> usize {
    if std::env::var_os("GRIDWISE_LONG").is_some() { 1 << 20 } else { 1 << 16 }
}

/// Noise, by Marsaglia's xorshift64.
fn noise() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0x9e37_79b9_7f4a_7c15u64), |state| {
        let mut next = *state;
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        Some(next)
    })
}

fn result(op: Op, operands: &[Constant], scalar: Scalar) -> Option<u64> {
    match evaluate(op, operands, scalar)? {
        Constant::Bool(value) => Some(value.into()),
        constant => bits(constant),
    }
}

macro_rules! integers {
    ($($name:ident $ty:ident $scalar:ident $wide:ident;)+) => { $(
        #[test]
        fn $name() {
            let edges: [$ty; 12] =
                [0, 1, 2, 3, 7, $ty::BITS as $ty, $ty::MAX, $ty::MAX - 1, $ty::MIN, $ty::MIN + 1, !0, !1];
            if $ty::BITS == 8 {
                (0..=255u8).for_each(|a| (0..=255u8).for_each(|b| check(a as $ty, b as $ty)));
                return;
            }
            edges.iter().for_each(|a| edges.iter().for_each(|b| check(*a, *b)));
            let mut noise = noise();
            for _ in 0..pairs_of_wide() {
                let (a, b) = (noise.next().unwrap_or(0), noise.next().unwrap_or(0));
                // Numbers of all magnitudes.
                check((a >> (b % 64)) as $ty, (b >> (a % 64)) as $ty);
            }

            fn check(a: $ty, b: $ty) {
                let scalar = Scalar::$scalar;
                let constant = |value: $ty| from_bits(value as u64, scalar);
                let mask = scalar.mask();
                let both = |op: Op| result(op, &[constant(a), constant(b)], scalar);
                let expect = |op: Op, expected: Option<$ty>| {
                    assert_eq!(both(op), expected.map(|value| value as u64 & mask), "{op:?} of {a} and {b}");
                };
                expect(Op::Add, Some(a.wrapping_add(b)));
                expect(Op::Sub, Some(a.wrapping_sub(b)));
                expect(Op::Mul, Some(a.wrapping_mul(b)));
                expect(Op::Div, a.checked_div(b));
                expect(Op::Rem, a.checked_rem(b));
                expect(Op::And, Some(a & b));
                expect(Op::Or, Some(a | b));
                expect(Op::Xor, Some(a ^ b));
                expect(Op::Min, Some(a.min(b)));
                expect(Op::Max, Some(a.max(b)));
                expect(Op::MulHigh, Some(((a as $wide).wrapping_mul(b as $wide) >> $ty::BITS) as $ty));
                let order = [
                    (Op::Eq, a == b), (Op::Ne, a != b), (Op::Lt, a < b), (Op::Le, a <= b), (Op::Gt, a > b), (Op::Ge, a >= b),
                ];
                for (op, expected) in order {
                    let found = result(op, &[constant(a), constant(b)], Scalar::Bool);
                    assert_eq!(found, Some(expected.into()), "{op:?} of {a} and {b}");
                }
                let amount = Constant::U32(b as u32);
                let shifts = [(Op::Shl, a.wrapping_shl(b as u32)), (Op::Shr, a.wrapping_shr(b as u32))];
                for (op, expected) in shifts {
                    let found = result(op, &[constant(a), amount], scalar);
                    assert_eq!(found, Some(expected as u64 & mask), "{op:?} of {a} by {b}");
                }
                let one = |op: Op, to: Scalar| result(op, &[constant(a)], to);
                assert_eq!(one(Op::Not, scalar), Some(!a as u64 & mask), "not {a}");
                assert_eq!(one(Op::ReverseBits, scalar), Some(a.reverse_bits() as u64 & mask), "reversed {a}");
                assert_eq!(one(Op::CountOnes, Scalar::U32), Some(a.count_ones().into()), "ones of {a}");
                assert_eq!(one(Op::LeadingZeros, Scalar::U32), Some(a.leading_zeros().into()), "leading zeros of {a}");
                assert_eq!(one(Op::TrailingZeros, Scalar::U32), Some(a.trailing_zeros().into()), "trailing zeros of {a}");
                if scalar.is_signed() {
                    assert_eq!(one(Op::Neg, scalar), Some((a as i64).wrapping_neg() as u64 & mask), "-{a}");
                    assert_eq!(one(Op::Abs, scalar), Some((a as i64).wrapping_abs() as u64 & mask), "|{a}|");
                }
                let casts = [
                    (Scalar::Bool, u64::from(a != 0)),
                    (Scalar::I8, u64::from((a as i8).cast_unsigned())),
                    (Scalar::U8, u64::from(a as u8)),
                    (Scalar::I16, u64::from((a as i16).cast_unsigned())),
                    (Scalar::U16, u64::from(a as u16)),
                    (Scalar::I32, u64::from((a as i32).cast_unsigned())),
                    (Scalar::U32, u64::from(a as u32)),
                    (Scalar::I64, (a as i64).cast_unsigned()),
                    (Scalar::U64, a as u64),
                    (Scalar::F32, u64::from((a as f32).to_bits())),
                    (Scalar::F64, (a as f64).to_bits()),
                ];
                for (to, expected) in casts {
                    assert_eq!(one(Op::Cast, to), Some(expected), "{a} as {}", to.name());
                }
            }
        }
    )+ };
}

integers! {
    ops_on_i8 i8 I8 i16;
    ops_on_u8 u8 U8 u16;
    ops_on_i16 i16 I16 i32;
    ops_on_u16 u16 U16 u32;
    ops_on_i32 i32 I32 i64;
    ops_on_u32 u32 U32 u64;
    ops_on_i64 i64 I64 i128;
    ops_on_u64 u64 U64 u128;
}

#[test]
fn floats_to_integers() {
    let floats = noise().take(pairs_of_wide()).flat_map(|bits| {
        [f64::from_bits(bits), bits as i64 as f64 / 65536.0, bits as f64, f64::from(bits as i32) / 256.0, 0.5, f64::NAN]
    });
    for value in floats.chain([-128.5, -129.0, 127.9, 128.0, 255.5, 256.0, f64::INFINITY, f64::NEG_INFINITY, -0.0]) {
        let single = value as f32;
        let wide = Constant::Bits(Scalar::F64, value.to_bits());
        let narrow = Constant::F32(single.to_bits());
        let cases: [(Scalar, u64, u64); 8] = [
            (Scalar::I8, u64::from(value as i8 as u8), u64::from(single as i8 as u8)),
            (Scalar::U8, u64::from(value as u8), u64::from(single as u8)),
            (Scalar::I16, u64::from(value as i16 as u16), u64::from(single as i16 as u16)),
            (Scalar::U16, u64::from(value as u16), u64::from(single as u16)),
            (Scalar::I32, u64::from(value as i32 as u32), u64::from(single as i32 as u32)),
            (Scalar::U32, u64::from(value as u32), u64::from(single as u32)),
            (Scalar::I64, value as i64 as u64, single as i64 as u64),
            (Scalar::U64, value as u64, single as u64),
        ];
        for (to, of_wide, of_narrow) in cases {
            assert_eq!(result(Op::Cast, &[wide], to), Some(of_wide), "{value:e} as {}", to.name());
            assert_eq!(result(Op::Cast, &[narrow], to), Some(of_narrow), "{single:e}f32 as {}", to.name());
        }
    }
}

macro_rules! halves {
    ($($name:ident $ty:ident $scalar:ident;)+) => { $(
        /// Each value alone, and beside values of all kinds.
        #[test]
        fn $name() {
            let scalar = Scalar::$scalar;
            let constant = |value: $ty| from_bits(value.to_bits().into(), scalar);
            let same = |found: Option<u64>, expected: $ty| {
                found == Some(expected.to_bits().into())
                    || expected.is_nan() && found.is_some_and(|bits| $ty::from_bits(bits as u16).is_nan())
            };
            let others = [0u16, 0x8000, 1, 0x8001, 0x3c00, 0x3f80, 0x4248, 0xc0a0, 0x7bff, 0x7f7f, 0x7c00, 0x7f80, 0x7e00];
            for a in (0..=u16::MAX).map($ty::from_bits) {
                assert!(same(result(Op::Neg, &[constant(a)], scalar), -a), "-{a:?}");
                let wide = result(Op::Cast, &[constant(a)], Scalar::F64);
                assert!(a.is_nan() || wide == Some(f64::from(a).to_bits()), "{a:?} as f64");
                for b in others.map($ty::from_bits) {
                    let operands = [constant(a), constant(b)];
                    let cases = [(Op::Add, a + b), (Op::Sub, a - b), (Op::Mul, a * b), (Op::Div, a / b), (Op::Rem, a % b)];
                    for (op, expected) in cases {
                        assert!(same(result(op, &operands, scalar), expected), "{op:?} of {a:?} and {b:?}");
                    }
                    assert_eq!(result(Op::Lt, &operands, Scalar::Bool), Some((a < b).into()), "{a:?} < {b:?}");
                    assert_eq!(result(Op::Eq, &operands, Scalar::Bool), Some((a == b).into()), "{a:?} == {b:?}");
                }
            }
        }
    )+ };
}

halves! {
    ops_on_f16 f16 F16;
    ops_on_bf16 bf16 Bf16;
}
