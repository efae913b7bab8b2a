//! `sum` and `product` of types with an `impl Sum` or `impl Product` of their own.
//! Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { own_totals:
totals plain_totals totals_kernel TotalsKernel TOTALS {
    use core::iter::{Product, Sum};
    use core::ops::{Add, Mul};
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub(super) struct V {
        x: u32,
        y: u32,
    }
    impl V {
        const ZERO: Self = Self { x: 0, y: 0 };
    }
    impl Add for V {
        type Output = V;
        fn add(self, o: V) -> V {
            V { x: self.x + o.x, y: self.y ^ o.y }
        }
    }
    impl Sum for V {
        fn sum<I: Iterator<Item = V>>(iter: I) -> V {
            iter.fold(V::ZERO, |a, b| a + b)
        }
    }
    impl<'a> Sum<&'a V> for V {
        fn sum<I: Iterator<Item = &'a V>>(iter: I) -> V {
            iter.fold(V::ZERO, |a, b| a + *b)
        }
    }
    #[derive(Clone, Copy)]
    pub(super) struct Particle {
        position: V,
        mass: u32,
    }
    #[derive(Clone, Copy)]
    pub(super) struct Mod(u32);
    impl Mul for Mod {
        type Output = Self;
        fn mul(self, o: Self) -> Self {
            Self(self.0 * o.0 % 997)
        }
    }
    impl Product for Mod {
        fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
            iter.fold(Self(1), |a, b| a * b)
        }
    }
    impl Product<u32> for Mod {
        fn product<I>(iter: I) -> Self
        where
            I: Iterator<Item = u32>,
        {
            iter.map(Mod).product()
        }
    }
    #[derive(Clone, Copy, Default)]
    pub(super) struct Span {
        low: u32,
        high: u32,
    }
    impl Sum<u32> for Span {
        fn sum<I: Iterator<Item = u32>>(iter: I) -> Self {
            let mut span = Span { low: u32::MAX, high: 0 };
            for v in iter {
                span.low = span.low.min(v);
                span.high = span.high.max(v);
            }
            span
        }
    }
    #[derive(Clone, Copy)]
    pub(super) struct Poly<const K: usize>([u32; K]);
    impl<const K: usize> Sum for Poly<K> {
        fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
            let mut all = [0; K];
            for p in iter {
                for (a, b) in all.iter_mut().zip(p.0) {
                    *a += b;
                }
            }
            Self(all)
        }
    }
    fn sum_all<T: Copy + Sum<T>>(x: &[T; 2]) -> T {
        x.iter().copied().sum()
    }
    pub(super) fn of(i: u32) -> u32 {
        let v = |x: u32, y: u32| V { x, y };
        let all = [v(i, 2), v(3, i), v(i * i, 1)];
        let a: V = all.iter().sum();
        let b = all.iter().copied().filter(|v| v.x > 3).sum::<V>();
        let c: V = (0..i).map(|k| v(k, k * 3)).sum();
        let ps = [Particle { position: v(i, i), mass: 2 }, Particle { position: v(1, 2), mass: i }];
        let d = ps.iter().map(|p| p.position).sum::<V>() + ps.iter().filter(|p| p.mass > 4).map(|p| p.position).sum::<V>();
        let e: Mod = (1..=i).map(Mod).product();
        let f = (1..i % 9 + 1).product::<Mod>();
        let g: Span = [i, 9, 31].into_iter().map(|v| v ^ 5).sum();
        let h: Poly<3> = [Poly([i, 1, 2]), Poly([3, i, 4])].into_iter().sum();
        let k = sum_all(&[v(1, 2), v(i, 3)]);
        a.x ^ a.y * 3 ^ b.x * 5 ^ b.y ^ c.x ^ c.y ^ d.x * 7 ^ d.y ^ e.0 ^ f.0 * 11 ^ g.low ^ g.high ^ h.0[1] ^ h.0[2] ^ k.x
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[TOTALS];
