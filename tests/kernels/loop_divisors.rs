//! Quotients and remainders in loops that do not change the divisor, beside those of the host.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 192;

/// Numbers of all sizes, with the edges of their type.
fn numbers() -> Vec<u64> {
    let edges =
        [0, 1, 2, 3, 7, 10, 1 << 16, 1 << 31, (1 << 31) - 1, (1 << 31) + 1, (1 << 32) - 1, (1 << 32) - 2, 1 << 32];
    let wide = [(1 << 32) + 1, 1 << 63, (1 << 63) - 1, (1 << 63) + 1, u64::MAX, u64::MAX - 1, u64::MAX - 0xffff_fffe];
    let random = patterns(2 * N, 11);
    let number = |at: usize| (u64::from(random[2 * at]) << 32 | u64::from(random[2 * at + 1])) >> (at % 61);
    edges
        .into_iter()
        .chain(wide)
        .chain(20..N as u64)
        .enumerate()
        .map(|(at, edge)| if at < 20 { edge } else { number(at) })
        .collect()
}

/// The numbers, none of which is zero or becomes it in fewer bits.
fn divisors() -> Vec<u64> {
    numbers().into_iter().map(|number| if number as u32 == 0 { number | 5 } else { number }).collect()
}

macro_rules! by_invariant {
    ($name:literal, $kernel:ident, $of:ident, $ty:ident, $case:ident, $type:ident) => {
        #[device]
        fn $of(numbers: &[$ty], divisor: $ty) -> [$ty; 2] {
            let (mut quotients, mut remainders): ($ty, $ty) = (1, 1);
            for &number in numbers {
                // The one quotient that is out of range.
                if number != 1 << ($ty::BITS - 1) || divisor != (0 as $ty).wrapping_sub(1) {
                    quotients = quotients.wrapping_mul(31) ^ number / divisor;
                    remainders = remainders.wrapping_mul(31) ^ number % divisor;
                }
            }
            // Each digit comes from what the one before has left.
            let (mut left, mut digits) = (numbers[3] ^ divisor, 0);
            while left != 0 && digits < 9 {
                remainders = remainders.wrapping_mul(31) ^ left % (divisor >> 1 | 5);
                left /= divisor >> 1 | 5;
                digits += 1;
            }
            [quotients, remainders]
        }

        #[kernel]
        fn $kernel(numbers: &[$ty], divisors: &[$ty], results: &mut [[$ty; 2]]) {
            let me = global_id().x as usize;
            results[me] = $of(numbers, divisors[me]);
        }

        const $case: Case = case!(
            $name,
            [$type],
            |mgr| {
                let [numbers, divisors] = [numbers(), divisors()]
                    .map(|numbers| mgr.tensor(&numbers.into_iter().map(|number| number as $ty).collect::<Vec<_>>()));
                let mut results = mgr.tensor(&[[0 as $ty; 2]; N])?;
                let seq = mgr.sequence()?;
                $type::dispatch(&seq, Grid::items(N), &numbers?, &divisors?, &mut results)?.eval()?;
                let results = results.to_vec()?;
                Ok(vec![Output::Bits(results.into_iter().flatten().map(|number| number as u64).collect())])
            },
            || {
                let [numbers, divisors] = [numbers(), divisors()]
                    .map(|numbers| numbers.into_iter().map(|number| number as $ty).collect::<Vec<_>>());
                let results = divisors.into_iter().flat_map(|divisor| $of(&numbers, divisor));
                vec![Output::Bits(results.map(|number| number as u64).collect())]
            }
        );
    };
}

by_invariant!("loop_divisors::u32", of_u32, u32_of, u32, U32_CASE, OfU32);
by_invariant!("loop_divisors::i32", of_i32, i32_of, i32, I32_CASE, OfI32);
by_invariant!("loop_divisors::u64", of_u64, u64_of, u64, U64_CASE, OfU64);
by_invariant!("loop_divisors::i64", of_i64, i64_of, i64, I64_CASE, OfI64);

/// The entries.
pub const CASES: &[Case] = &[U32_CASE, I32_CASE, U64_CASE, I64_CASE];
