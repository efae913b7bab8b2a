//! Programs as somebody writes them who knows Rust and has read the README: numbers to the left of one's own types, consts that are
//! called `ZERO`, tables of bytes, `std::cmp::max`, errors called `Err`. Each function also stands in a module that only rustc
//! compiles.

#![allow(
    dead_code,
    clippy::explicit_iter_loop,
    clippy::identity_op,
    clippy::needless_range_loop,
    clippy::unnecessary_min_or_max,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// Numbers that a function gets, and those that no buffer has to hold for it.
const N: usize = 256;

/// A module for kernels, the same one as rustc compiles it, a kernel of its function `of`, and the corpus entry.
macro_rules! both {
    ($($name:ident $plain:ident $kernel:ident $Kernel:ident $case:ident { $($tokens:tt)* })*) => {
        $(
            #[device]
            mod $name {
                use gridwise::prelude::*;
                $($tokens)*
            }
            mod $plain {
                use gridwise::prelude::*;
                $($tokens)*
            }
            #[kernel(workgroup = 32)]
            fn $kernel(out: &mut [u32]) {
                let i = global_id().x;
                out[i] = $name::of(i);
            }
            const $case: Case = case!(
                concat!("firsts::", stringify!($name)),
                [$Kernel],
                |mgr| {
                    let mut out = mgr.tensor_of_len::<u32>(N)?;
                    let seq = mgr.sequence()?;
                    $Kernel::dispatch(&seq, Grid::items(N as u32), &mut out)?.eval()?;
                    Ok(vec![Output::U32(out.to_vec()?)])
                },
                || vec![Output::U32((0..N as u32).map($plain::of).collect())]
            );
        )*
    };
}

both! {

numbers_first plain_numbers_first run_numbers_first RunNumbersFirst NUMBERS_FIRST {
    use core::ops::{Add, AddAssign, Div, Mul, Shl, Sub};

    #[derive(Clone, Copy)]
    pub(super) struct Triple([i32; 3]);

    impl Mul<Triple> for i32 {
        type Output = Triple;
        fn mul(self, by: Triple) -> Triple {
            Triple(by.0.map(|x| x.wrapping_mul(self)))
        }
    }
    impl Add<Triple> for i32 {
        type Output = i32;
        fn add(self, other: Triple) -> i32 {
            self.wrapping_add(other.0[0])
        }
    }
    impl Sub<Triple> for u32 {
        type Output = u32;
        fn sub(self, other: Triple) -> u32 {
            self.wrapping_sub(other.0[1] as u32)
        }
    }
    impl Div<Triple> for u32 {
        type Output = u32;
        fn div(self, by: Triple) -> u32 {
            (self / 3).wrapping_add(by.0[1] as u32)
        }
    }
    impl Shl<Triple> for u32 {
        type Output = u32;
        fn shl(self, by: Triple) -> u32 {
            self << 3 ^ by.0[1] as u32
        }
    }
    impl AddAssign<Triple> for u32 {
        fn add_assign(&mut self, other: Triple) {
            *self = self.wrapping_add(other.0[2] as u32);
        }
    }

    pub(super) fn of(i: u32) -> u32 {
        let v = 3 * Triple([i as i32, 2, 3]);
        let w = -2 * v;
        let mut sum = i - v;
        sum += w;
        sum += v;
        ((5 + w) as u32).wrapping_add(sum).wrapping_add(i / v).wrapping_add(i << v)
    }
}

consts_named_zero plain_consts_named_zero run_consts_named_zero RunConstsNamedZero CONSTS_NAMED_ZERO {
    use core::ops::{Add, Mul};

    trait Number: Copy + Add<Output = Self> + Mul<Output = Self> {
        const ZERO: Self;
        const ONE: Self;
    }
    impl Number for u32 {
        const ZERO: u32 = 0;
        const ONE: u32 = 1;
    }
    impl Number for f32 {
        const ZERO: f32 = 0.0;
        const ONE: f32 = 1.0;
    }

    fn polynomial<T: Number>(factors: &[T], x: T) -> T {
        factors.iter().rev().fold(T::ZERO, |sum, &factor| sum * x + factor)
    }
    fn identity<T: Number, const N: usize>() -> [[T; N]; N] {
        let mut cells = [[T::ZERO; N]; N];
        for k in 0..N {
            cells[k][k] = T::ONE;
        }
        cells
    }

    pub(super) fn of(i: u32) -> u32 {
        let whole = polynomial(&[1u32, 2, i], 3) + identity::<u32, 3>()[1][1] + identity::<u32, 3>()[1][2];
        whole + polynomial(&[1.0f32, i as f32], 2.0) as u32
    }
}

tables_of_bytes plain_tables_of_bytes run_tables_of_bytes RunTablesOfBytes TABLES_OF_BYTES {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    const PRIMES: &'static [u32; 4] = &[2, 3, 5, 7];
    const LEN: usize = HEX.len();

    struct Named;
    impl Named {
        const ROW: &'static [u8; 3] = b"xyz";
    }

    fn sum(x: &[u32]) -> u32 {
        x.iter().sum()
    }
    fn sum_of_four(x: &[u32; 4]) -> u32 {
        x.iter().sum()
    }
    fn total<const LEN: usize>(x: &[u8; LEN]) -> u32 {
        x.iter().map(|&byte| u32::from(byte)).sum()
    }

    pub(super) fn of(i: u32) -> u32 {
        let mut all = b"\x01\xffab"[i as usize % 4] as u32 + HEX[(i & 15) as usize] as u32 + HEX.len() as u32 + LEN as u32;
        for &byte in HEX {
            all = all.wrapping_mul(3) + byte as u32;
        }
        for byte in HEX.iter().rev() {
            all = (all % 1_000_000) * 3 + *byte as u32;
        }
        all += sum(PRIMES) + sum(&PRIMES[1..]) + PRIMES.iter().max().unwrap() + HEX.contains(&(i as u8)) as u32;
        all += Named::ROW[i as usize % 3] as u32;
        all += HEX.iter().position(|&byte| byte == (i % 128) as u8).map_or(99, |at| at as u32);
        let own = *PRIMES;
        all + own[1] + sum_of_four(PRIMES) + total(HEX) + total(b"abc") + total(Named::ROW)
    }
}

larger_and_smaller plain_larger_and_smaller run_larger_and_smaller RunLargerAndSmaller LARGER_AND_SMALLER {
    use std::cmp::{max, min};

    pub(super) fn of(i: u32) -> u32 {
        let a = std::cmp::max(i, 7) + core::cmp::min(3, i) + max(i * 2, 9) + min(i as usize, 12) as u32;
        let mut best = 0;
        for k in 0..i % 9 {
            best = max(best, k * i % 7);
        }
        let b: i64 = std::cmp::min(i as i64 - 40, -3);
        let c = max(1, 2);
        (a + best + c).wrapping_add(b as u32)
    }
}

vectors_of_arrays plain_vectors_of_arrays run_vectors_of_arrays RunVectorsOfArrays VECTORS_OF_ARRAYS {
    pub(super) fn of(i: u32) -> u32 {
        let v = Vec3::from([i as f32, 2.0, 3.0]) + Vec3::from([1.0; 3]);
        let cells = [i, 4];
        let w = UVec2::from(cells);
        (v.x + v.y * v.z) as u32 + w.x * w.y
    }
}

errors_named_err plain_errors_named_err run_errors_named_err RunErrorsNamedErr ERRORS_NAMED_ERR {
    #[derive(Clone, Copy)]
    pub(super) enum Err {
        Small,
        Big(u32),
    }

    fn checked(i: u32) -> Result<u32, Err> {
        if i < 10 {
            Err(Err::Small)
        } else if i > 200 {
            Err(Err::Big(i))
        } else {
            Ok(i)
        }
    }

    pub(super) fn of(i: u32) -> u32 {
        let first = match checked(i) {
            Ok(value) => value,
            Err(Err::Small) => 1,
            Err(Err::Big(value)) => value * 2,
        };
        first + if let Ok(value) | Err(Err::Big(value)) = checked(i + 1) { value } else { 0 }
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[
    NUMBERS_FIRST,
    CONSTS_NAMED_ZERO,
    TABLES_OF_BYTES,
    LARGER_AND_SMALLER,
    VECTORS_OF_ARRAYS,
    ERRORS_NAMED_ERR,
];
