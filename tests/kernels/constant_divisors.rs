//! Quotients and remainders of integers by constants, beside those of the host.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 600;

/// Numbers of all sizes, with the edges of their type.
fn numbers() -> Vec<u64> {
    let edges = [0, 1, 2, u64::MAX, 1 << 63, (1 << 63) - 1, (1 << 32) - 1, 1 << 32, u64::MAX - 1, 86_400_000_000_000];
    let random = patterns(2 * N, 9);
    let number = |at: usize| {
        let wide = u64::from(random[2 * at]) << 32 | u64::from(random[2 * at + 1]);
        if at < edges.len() { edges[at] } else { wide >> (at % 61) }
    };
    (0..N).map(number).collect()
}

/// The same in 32 bits.
fn words() -> Vec<i32> {
    numbers().into_iter().map(|number| (number >> 32 ^ number) as i32).collect()
}

macro_rules! of_constants {
    ($kernel:ident, $host:ident, $ty:ident, $($divisor:expr),*) => {
        #[kernel]
        fn $kernel(x: &[$ty], quotients: &mut [$ty], remainders: &mut [$ty]) {
            let me = global_id().x as usize;
            let value = x[me];
            let mut quotient: $ty = 1;
            let mut remainder: $ty = 1;
            $(
                quotient = quotient.wrapping_mul(31) ^ value / $divisor;
                remainder = remainder.wrapping_mul(31) ^ value % $divisor;
            )*
            quotients[me] = quotient;
            remainders[me] = remainder;
        }

        fn $host(value: $ty) -> [$ty; 2] {
            let divisors: &[$ty] = &[$($divisor),*];
            let hash = |hash: $ty, number: $ty| hash.wrapping_mul(31) ^ number;
            [
                divisors.iter().fold(1, |sum, divisor| hash(sum, value / divisor)),
                divisors.iter().fold(1, |sum, divisor| hash(sum, value % divisor)),
            ]
        }
    };
}

of_constants!(
    unsigned,
    unsigned_of,
    u64,
    1,
    2,
    3,
    5,
    6,
    7,
    9,
    10,
    11,
    60,
    100,
    400,
    641,
    1000,
    86_400,
    146_097,
    1 << 40,
    1_000_000_007,
    (1 << 32) - 1,
    (1 << 32) + 1,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    u64::MAX - 1,
    u64::MAX
);

of_constants!(
    signed,
    signed_of,
    i64,
    1,
    2,
    -2,
    3,
    -3,
    4,
    -4,
    5,
    7,
    -7,
    10,
    12,
    100,
    400,
    -400,
    1000,
    86_400,
    146_097,
    -719_468,
    1 << 40,
    -(1 << 40),
    (1 << 32) + 1,
    i64::MAX,
    i64::MIN + 1,
    i64::MIN
);

of_constants!(
    signed_words,
    signed_words_of,
    i32,
    1,
    2,
    -2,
    3,
    -3,
    4,
    -4,
    5,
    7,
    -7,
    10,
    12,
    64,
    100,
    365,
    400,
    -400,
    1000,
    1461,
    86_400,
    146_097,
    -719_468,
    1 << 30,
    -(1 << 30),
    (1 << 30) + 1,
    1_000_000_007,
    i32::MAX,
    i32::MIN + 1,
    i32::MIN
);

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "constant_divisors::unsigned",
        [Unsigned],
        |mgr| {
            let (mut quotients, mut remainders) = (mgr.tensor(&[0u64; N])?, mgr.tensor(&[0u64; N])?);
            let seq = mgr.sequence()?;
            Unsigned::dispatch(&seq, Grid::items(N), &mgr.tensor(&numbers())?, &mut quotients, &mut remainders)?
                .eval()?;
            Ok(vec![Output::Bits(quotients.to_vec()?), Output::Bits(remainders.to_vec()?)])
        },
        || {
            let expected: Vec<_> = numbers().into_iter().map(unsigned_of).collect();
            [0, 1].map(|at| Output::Bits(expected.iter().map(|both| both[at]).collect())).into()
        }
    ),
    case!(
        "constant_divisors::signed",
        [Signed],
        |mgr| {
            let x: Vec<i64> = numbers().into_iter().map(|value| value as i64).collect();
            let (mut quotients, mut remainders) = (mgr.tensor(&[0i64; N])?, mgr.tensor(&[0i64; N])?);
            let seq = mgr.sequence()?;
            Signed::dispatch(&seq, Grid::items(N), &mgr.tensor(&x)?, &mut quotients, &mut remainders)?.eval()?;
            let bits = |values: Vec<i64>| Output::Bits(values.into_iter().map(|value| value as u64).collect());
            Ok(vec![bits(quotients.to_vec()?), bits(remainders.to_vec()?)])
        },
        || {
            let expected: Vec<_> = numbers().into_iter().map(|value| signed_of(value as i64)).collect();
            [0, 1].map(|at| Output::Bits(expected.iter().map(|both| both[at] as u64).collect())).into()
        }
    ),
    case!(
        "constant_divisors::signed_words",
        [SignedWords],
        |mgr| {
            let (mut quotients, mut remainders) = (mgr.tensor(&[0i32; N])?, mgr.tensor(&[0i32; N])?);
            let seq = mgr.sequence()?;
            SignedWords::dispatch(&seq, Grid::items(N), &mgr.tensor(&words())?, &mut quotients, &mut remainders)?
                .eval()?;
            Ok(vec![Output::I32(quotients.to_vec()?), Output::I32(remainders.to_vec()?)])
        },
        || {
            let expected: Vec<_> = words().into_iter().map(signed_words_of).collect();
            [0, 1].map(|at| Output::I32(expected.iter().map(|both| both[at]).collect())).into()
        }
    ),
];
