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

lent plain_lent lent_kernel LentKernel LENT {
    use core::iter::{Product, Sum};
    use core::ops::{Add, AddAssign};
    /// Its sum of references is another one than that of values.
    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct W(u32);
    impl Add for W {
        type Output = W;
        fn add(self, o: W) -> W {
            W(self.0.wrapping_mul(3) ^ o.0)
        }
    }
    impl AddAssign for W {
        fn add_assign(&mut self, o: W) {
            self.0 = self.0.wrapping_mul(5) ^ o.0;
        }
    }
    impl Sum for W {
        fn sum<I: Iterator<Item = W>>(iter: I) -> W {
            iter.fold(W(1), |a, b| W(a.0 + b.0))
        }
    }
    impl<'a> Sum<&'a W> for W {
        fn sum<I: Iterator<Item = &'a W>>(iter: I) -> W {
            iter.fold(W(7), |a, b| W(a.0 ^ b.0 << 1))
        }
    }
    #[derive(Clone, Copy)]
    pub(super) struct Body {
        weight: W,
        id: u32,
    }
    pub(super) struct Down(u32);
    impl Iterator for Down {
        type Item = W;
        fn next(&mut self) -> Option<W> {
            self.0 = self.0.checked_sub(1)?;
            Some(W(self.0 * 3))
        }
    }
    fn made(v: u32) -> W {
        W(v * 2)
    }
    fn values(x: &[W]) -> impl Iterator<Item = W> {
        x.iter().copied()
    }
    fn lent(x: &[W]) -> impl Iterator<Item = &W> {
        x.iter().skip(1)
    }
    fn passed<I: Iterator<Item = W>>(it: I) -> W {
        it.sum()
    }
    fn passed_lent<'a>(it: impl Iterator<Item = &'a W>) -> W {
        it.sum()
    }
    fn of_slice(x: &[W]) -> u32 {
        let all: W = x.iter().sum();
        all.0 ^ x.iter().rev().take(2).copied().sum::<W>().0
    }
    pub(super) fn of(i: u32) -> u32 {
        let own = [W(i), W(3), W(i % 5), W(9)];
        let bodies = [Body { weight: W(i), id: 1 }, Body { weight: W(5), id: i }];
        let a: W = own.iter().sum();
        let b: W = own.iter().copied().sum();
        let c: W = own.into_iter().sum();
        let d = own.iter().filter(|w| w.0 > 2).sum::<W>();
        let e = bodies.iter().map(|b| b.weight).sum::<W>();
        let f = bodies.iter().map(|b| b.weight + W(1)).rev().sum::<W>();
        let g = (0..i % 6).map(made).sum::<W>();
        let h = (0..4).map(|k| own[k]).sum::<W>();
        let k = own.iter().step_by(2).sum::<W>();
        let l = Down(i % 7).sum::<W>();
        let m = values(&own).sum::<W>();
        let n = lent(&own).sum::<W>();
        let o = passed(own.iter().copied()) + passed_lent(own.iter());
        let p = W(i) + own.iter().copied().sum();
        let mut q = W(2);
        q += bodies.iter().map(|b| b.weight).sum();
        let r = own.iter().map(|w| W(w.0 + 1)).rev().sum::<W>();
        let all = [a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, r];
        all.iter().fold(of_slice(&own), |h, w| h.rotate_left(3).wrapping_mul(7) ^ w.0)
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[TOTALS, LENT];
