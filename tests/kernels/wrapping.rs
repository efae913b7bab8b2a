//! `core::num::Wrapping`: generators and hashes as people write them. rustc compiles the program, too.

#![allow(dead_code, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(generators, plain_generators, {
    use std::num::Wrapping;

    #[derive(Clone, Copy)]
    struct Lcg {
        state: Wrapping<u64>,
    }
    impl Lcg {
        const STEP: Wrapping<u64> = Wrapping(6_364_136_223_846_793_005);
        fn new(seed: u32) -> Self {
            Self { state: Wrapping(u64::from(seed)) * Self::STEP + Wrapping(1) }
        }
        fn next(&mut self) -> u32 {
            self.state = self.state * Self::STEP + Wrapping(1_442_695_040_888_963_407);
            let Wrapping(x) = self.state ^ (self.state >> 22);
            (x >> 11) as u32
        }
    }
    fn mixed(mut h: Wrapping<u32>) -> Wrapping<u32> {
        h ^= h >> 16;
        h *= Wrapping(0x85eb_ca6b);
        h ^= h >> 13;
        h *= 0xc2b2_ae35;
        h ^ h >> 16
    }
    pub(super) fn generators(i: u32, x: &[u32]) -> u32 {
        let mut lcg = Lcg::new(i);
        let mut sums = [Wrapping(0u32); 4];
        for (k, v) in x.iter().enumerate() {
            sums[k % 4] += mixed(Wrapping(*v)) - Wrapping(lcg.next());
            sums[(k + 1) % 4] -= *v;
        }
        sums.iter().fold(Wrapping(i), |all, sum| (all << 5) + *sum).0
    }
});

both!(widths, plain_widths, {
    use core::num::Wrapping;

    fn bytes(a: u8, b: u8) -> u32 {
        let (a, b) = (Wrapping(a), Wrapping(b));
        let mut c = a * b + Wrapping(200);
        c |= b & !a;
        c <<= 1;
        c >>= 9;
        u32::from((c - a).0) << 8 | u32::from((-b).0)
    }
    fn signed(a: i16, b: i64) -> i64 {
        let low = -Wrapping(a) * Wrapping(a) >> 3;
        let high = Wrapping(b) * Wrapping(-7) - Wrapping(i64::MAX);
        high.0 ^ i64::from(low.0)
    }
    fn largest(x: &[u32]) -> Wrapping<u32> {
        x.iter().map(|v| Wrapping(*v) + Wrapping(5)).max().unwrap_or_default()
    }
    pub(super) fn widths(i: u32, x: &[u32]) -> u32 {
        let v = x[i as usize];
        let least = -Wrapping(i32::MIN + i as i32);
        let wide = signed(v as i16, i64::from(v) << 31 | i64::from(i));
        let order = (Wrapping(v) > Wrapping(i)) as u32 + 2 * (Wrapping(v) == Wrapping(9)) as u32;
        let sum = bytes(v as u8, i as u8) ^ least.0 as u32 ^ wide as u32 ^ (wide >> 32) as u32;
        sum.wrapping_add(order) ^ largest(x).0
    }
});

both!(divided, plain_divided, {
    use std::num::Wrapping;

    fn quotients<const SIGN: i32>(i: u32, v: u32) -> u32 {
        let (least, one) = (Wrapping(i32::MIN), Wrapping(SIGN));
        let mut of_all = Wrapping(v as i32) / Wrapping(i as i32 + 1) + least / one;
        of_all %= Wrapping(1000) * one;
        of_all /= Wrapping(i as i32 % 3 - 4);
        of_all.0 as u32
    }
    pub(super) fn divided(i: u32, x: &[u32]) -> u32 {
        let v = x[i as usize];
        let bytes = Wrapping(i8::MIN) / Wrapping((i as i8 & 1) - 2) + Wrapping(v as i8) % Wrapping(7);
        let wide = Wrapping(i64::MIN + i64::from(v)) % Wrapping(-1) + Wrapping(i64::MIN) / Wrapping(-1);
        let rest = (Wrapping(v) % Wrapping(i + 5) / Wrapping(3)).0;
        rest ^ quotients::<-1>(i, v) ^ quotients::<7>(i, v) << 9 ^ bytes.0 as u32 ^ (wide.0 >> 40) as u32
    }
});

both!(sizes, plain_sizes, {
    use std::num::Wrapping;

    /// The lower halves, which do not depend on the width.
    pub(super) fn sizes(i: u32, x: &[u32]) -> u32 {
        let mut at = Wrapping(i as usize) - Wrapping(5);
        for v in x {
            at = at * Wrapping(31) + Wrapping(*v as usize);
            at ^= at << 7;
        }
        let mut step = Wrapping(-3isize) * Wrapping(i as isize);
        step -= Wrapping(x.len() as isize);
        step = !step + -step + (step >> 2) / Wrapping(i as isize + 1) + step % Wrapping(5);
        at.0 as u32 ^ step.0 as u32
    }
});

domain!("wrapping", {
    generators, Generators, plain_generators;
    widths, Widths, plain_widths;
    divided, Divided, plain_divided;
    sizes, Sizes, plain_sizes;
});
