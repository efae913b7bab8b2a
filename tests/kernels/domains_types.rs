//! Programs with types and traits of their own: random numbers by a trait, matrices and integers with const generics, activations by types.
//! rustc compiles each of them, too.

#![allow(
    dead_code,
    unused_imports,
    clippy::all,
    reason = "programs as people write them, of which not every function is called"
)]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(gillespie, plain_gillespie, {
    pub(super) trait Rng {
        fn next_u32(&mut self) -> u32;
        fn unit(&mut self) -> f32 {
            (self.next_u32() >> 8) as f32 / (1u32 << 24) as f32
        }
        fn below(&mut self, n: u32) -> u32 {
            ((u64::from(self.next_u32()) * u64::from(n)) >> 32) as u32
        }
    }

    #[derive(Clone, Debug)]
    pub(super) struct Pcg {
        state: u64,
    }

    impl Pcg {
        const MUL: u64 = 6364136223846793005;
        fn seeded(seed: u64) -> Self {
            let mut rng = Self { state: seed.wrapping_add(1442695040888963407) };
            rng.next_u32();
            rng
        }
    }

    impl Rng for Pcg {
        fn next_u32(&mut self) -> u32 {
            let old = self.state;
            self.state = old.wrapping_mul(Self::MUL).wrapping_add(1442695040888963407);
            let xorshifted = (((old >> 18) ^ old) >> 27) as u32;
            xorshifted.rotate_right((old >> 59) as u32)
        }
    }

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum Reaction {
        Birth { rate: u32 },
        Death(u32),
        Predation { rate: u32, gain: i32 },
    }

    #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub(super) struct State {
        prey: i32,
        predators: i32,
    }

    impl Reaction {
        fn propensity(&self, s: &State) -> u32 {
            match *self {
                Self::Birth { rate } => rate * s.prey as u32,
                Self::Death(rate) => rate * s.predators as u32,
                Self::Predation { rate, .. } => rate * s.prey as u32 * s.predators as u32 / 8,
            }
        }

        fn apply(self, s: &mut State) {
            match self {
                Self::Birth { .. } => s.prey += 1,
                Self::Death(_) => s.predators -= 1,
                Self::Predation { gain, .. } => {
                    s.prey -= 1;
                    s.predators += gain;
                }
            }
        }
    }

    const NETWORK: [Reaction; 3] =
        [Reaction::Birth { rate: 10 }, Reaction::Death(9), Reaction::Predation { rate: 6, gain: 1 }];

    fn step<R: Rng>(state: &mut State, rng: &mut R) -> Option<Reaction> {
        let weights = NETWORK.map(|r| r.propensity(state));
        let total: u32 = weights.iter().sum();
        if total == 0 {
            return None;
        }
        let mut left = rng.below(total);
        let (_, reaction) = weights.iter().zip(NETWORK).find(|&(&w, _)| {
            if left < w {
                true
            } else {
                left -= w;
                false
            }
        })?;
        reaction.apply(state);
        Some(reaction)
    }

    pub(super) fn gillespie(i: u32, x: &[u32]) -> u32 {
        let mut rng = Pcg::seeded(x[i as usize % x.len()].into());
        let mut state = State { prey: 10, predators: 4 + (i % 3) as i32 };
        let mut best = state;
        let mut births = 0;
        let extinct = 'run: {
            for round in 0..40 {
                match step(&mut state, &mut rng) {
                    Some(Reaction::Birth { .. }) => births += 1,
                    Some(_) if state.prey == 0 => break 'run Some(round),
                    Some(_) => {}
                    None => break 'run Some(round),
                }
                best = best.max(state);
            }
            None
        };
        let noise = rng.unit();
        extinct.unwrap_or(99) * 1_000_003 ^ (best.prey * 64 + best.predators) as u32 ^ births << 20 ^ noise.to_bits()
    }
});

both!(gru, plain_gru, {
    use std::ops::{AddAssign, Index, IndexMut, Mul, MulAssign};

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Vector<const N: usize>([f32; N]);

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Matrix<const R: usize, const C: usize>([[f32; C]; R]);

    impl<const N: usize> Default for Vector<N> {
        fn default() -> Self {
            Self([0.0; N])
        }
    }
    impl<const N: usize> Vector<N> {
        fn zip_with(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
            Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
        }
        fn map(self, f: impl Fn(f32) -> f32) -> Self {
            Self(self.0.map(|v| f(v)))
        }
        fn dot(&self, other: &Self) -> f32 {
            self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
        }
    }
    impl<const N: usize> AddAssign for Vector<N> {
        fn add_assign(&mut self, rhs: Self) {
            for (a, b) in self.0.iter_mut().zip(rhs.0) {
                *a += b;
            }
        }
    }
    impl<const N: usize> MulAssign<f32> for Vector<N> {
        fn mul_assign(&mut self, k: f32) {
            self.0.iter_mut().for_each(|v| *v *= k);
        }
    }
    impl<const R: usize, const C: usize> Mul<Vector<C>> for Matrix<R, C> {
        type Output = Vector<R>;
        fn mul(self, v: Vector<C>) -> Vector<R> {
            Vector(self.0.map(|row| Vector(row).dot(&v)))
        }
    }
    impl<const N: usize> Index<usize> for Vector<N> {
        type Output = f32;
        fn index(&self, k: usize) -> &f32 {
            &self.0[k]
        }
    }
    impl<const N: usize> IndexMut<usize> for Vector<N> {
        fn index_mut(&mut self, k: usize) -> &mut f32 {
            &mut self.0[k]
        }
    }

    pub(super) trait Activation {
        fn of(x: f32) -> f32;
    }
    pub(super) struct Sigmoid;
    pub(super) struct HardTanh;
    impl Activation for Sigmoid {
        fn of(x: f32) -> f32 {
            0.5 + 0.5 * x / (1.0 + x.abs())
        }
    }
    impl Activation for HardTanh {
        fn of(x: f32) -> f32 {
            x.clamp(-1.0, 1.0)
        }
    }

    pub(super) struct Gate<const I: usize, const H: usize> {
        w: Matrix<H, I>,
        u: Matrix<H, H>,
        bias: Vector<H>,
    }

    impl<const I: usize, const H: usize> Gate<I, H> {
        fn apply<A: Activation>(&self, x: Vector<I>, h: Vector<H>) -> Vector<H> {
            let mut sum = self.w * x;
            sum += self.u * h;
            sum += self.bias;
            sum.map(A::of)
        }
    }

    fn weights<const R: usize, const C: usize>(x: &[u32], seed: usize) -> Matrix<R, C> {
        Matrix(std::array::from_fn(|r| {
            std::array::from_fn(|c| {
                let raw = x[(seed + r * C + c) % x.len()] as u8 as i8;
                f32::from(raw) / 128.0
            })
        }))
    }

    fn gate(x: &[u32], seed: usize) -> Gate<2, 3> {
        let Matrix([bias]) = weights::<1, 3>(x, seed + 40);
        Gate { w: weights(x, seed), u: weights(x, seed + 17), bias: Vector(bias) }
    }

    pub(super) fn gru(i: u32, x: &[u32]) -> u32 {
        let seed = i as usize;
        let update = gate(x, seed);
        let reset = gate(x, seed + 7);
        let candidate: Gate<2, 3> = gate(x, seed + 23);
        let mut h = Vector::<3>::default();
        for t in 0..4 {
            let input = Vector([t as f32 * 0.25, (i % 5) as f32 - 2.0]);
            let z = update.apply::<Sigmoid>(input, h);
            let r = reset.apply::<Sigmoid>(input, h);
            let n = candidate.apply::<HardTanh>(input, r.zip_with(h, |r, h| r * h));
            h = z.zip_with(n, |z, n| (1.0 - z) * n).zip_with(z.zip_with(h, |z, h| z * h), |a, b| a + b);
            h[t % 3] += 0.125;
            h *= 0.75;
        }
        h.0.iter().fold(0, |hash: u32, v| hash.rotate_left(9) ^ v.to_bits())
    }
});

both!(big, plain_big, {
    use std::cmp::Ordering;
    use std::ops::{Add, BitXor, Mul, Not, Rem, Shl, ShlAssign, Sub, SubAssign};

    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    pub(super) struct Big<const N: usize> {
        limbs: [u32; N],
    }

    impl<const N: usize> Big<N> {
        pub(super) const ZERO: Self = Self { limbs: [0; N] };
        pub(super) const ONE: Self = {
            let mut limbs = [0; N];
            limbs[0] = 1;
            Self { limbs }
        };
        pub(super) const BITS: u32 = N as u32 * 32;

        fn bit(&self, k: u32) -> bool {
            self.limbs[(k / 32) as usize] >> (k % 32) & 1 == 1
        }
        fn is_zero(&self) -> bool {
            self.limbs.iter().all(|&l| l == 0)
        }
        fn leading_zeros(&self) -> u32 {
            match self.limbs.iter().rposition(|&l| l != 0) {
                Some(top) => (N - 1 - top) as u32 * 32 + self.limbs[top].leading_zeros(),
                None => Self::BITS,
            }
        }
        fn overflowing_add(mut self, rhs: Self) -> (Self, bool) {
            let mut carry = false;
            for (a, b) in self.limbs.iter_mut().zip(&rhs.limbs) {
                let (sum, c1) = a.overflowing_add(*b);
                let (sum, c2) = sum.overflowing_add(carry as u32);
                *a = sum;
                carry = c1 | c2;
            }
            (self, carry)
        }
        fn checked_add(self, rhs: Self) -> Option<Self> {
            let (sum, false) = self.overflowing_add(rhs) else { return None };
            Some(sum)
        }
        fn pow_mod(self, mut exp: u32, modulus: Self) -> Self {
            let (mut base, mut acc) = (self % modulus, Self::ONE);
            while exp > 0 {
                if exp & 1 != 0 {
                    acc = acc * base % modulus;
                }
                base = base * base % modulus;
                exp >>= 1;
            }
            acc
        }
    }
    impl<const N: usize> From<u64> for Big<N> {
        fn from(v: u64) -> Self {
            let mut out = Self::ZERO;
            out.limbs[0] = v as u32;
            if N > 1 {
                out.limbs[1 % N] = (v >> 32) as u32;
            }
            out
        }
    }
    impl<const N: usize> Add for Big<N> {
        type Output = Self;
        fn add(self, rhs: Self) -> Self {
            self.overflowing_add(rhs).0
        }
    }
    impl<const N: usize> Sub for Big<N> {
        type Output = Self;
        fn sub(self, rhs: Self) -> Self {
            self + !rhs + Self::ONE
        }
    }
    impl<const N: usize> SubAssign for Big<N> {
        fn sub_assign(&mut self, rhs: Self) {
            *self = *self - rhs;
        }
    }
    impl<const N: usize> Not for Big<N> {
        type Output = Self;
        fn not(self) -> Self {
            Self { limbs: self.limbs.map(|l| !l) }
        }
    }
    impl<const N: usize> Mul for Big<N> {
        type Output = Self;
        fn mul(self, rhs: Self) -> Self {
            let mut out = [0u32; N];
            for (i, &a) in self.limbs.iter().enumerate() {
                let mut carry = 0u64;
                for (o, &b) in out[i..].iter_mut().zip(rhs.limbs.iter()) {
                    let t = u64::from(a) * u64::from(b) + u64::from(*o) + carry;
                    *o = t as u32;
                    carry = t >> 32;
                }
            }
            Self { limbs: out }
        }
    }
    impl<const N: usize> Shl<u32> for Big<N> {
        type Output = Self;
        fn shl(self, by: u32) -> Self {
            let (words, bits) = ((by / 32) as usize, by % 32);
            Self {
                limbs: std::array::from_fn(|k| {
                    let Some(low) = k.checked_sub(words) else { return 0 };
                    let mut v = self.limbs[low] << bits;
                    if bits > 0 && low > 0 {
                        v |= self.limbs[low - 1] >> (32 - bits);
                    }
                    v
                }),
            }
        }
    }
    impl<const N: usize> Rem for Big<N> {
        type Output = Self;
        fn rem(mut self, modulus: Self) -> Self {
            assert!(!modulus.is_zero(), "remainder by zero");
            while self >= modulus {
                let mut shift = modulus.leading_zeros() - self.leading_zeros();
                if modulus << shift > self {
                    shift -= 1;
                }
                self -= modulus << shift;
            }
            self
        }
    }
    impl<const N: usize> Ord for Big<N> {
        fn cmp(&self, other: &Self) -> Ordering {
            self.limbs.iter().rev().cmp(other.limbs.iter().rev())
        }
    }
    impl<const N: usize> PartialOrd for Big<N> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    pub(super) fn big(i: u32, x: &[u32]) -> u32 {
        let at = |k: u32| x[((i * 3 + k) as usize) % x.len()];
        let a = Big::<4>::from(u64::from(at(0)) << 20 | u64::from(at(1)));
        let m: Big<4> = (u64::from(at(2)) | 1 << 33).into();
        let r = a.pow_mod(65537, m);
        let s = a * m << 5;
        let o = Big::<2>::from(u64::MAX).checked_add(Big { limbs: [i % 2, 0] });
        let cmp = match a.cmp(&m) {
            Ordering::Less => 1,
            Ordering::Equal => 2,
            Ordering::Greater => 3,
        };
        let top = [a, m, r, s].into_iter().reduce(|a, b| if a < b { b } else { a }).map_or(0, |b| b.leading_zeros());
        r.limbs.into_iter().reduce(|a, b| a.rotate_left(11) ^ b).unwrap_or_default()
            ^ s.limbs[2]
            ^ cmp
            ^ o.is_some() as u32 * 64
            ^ top << 10
            ^ u32::from(s.bit(70)) << 30
    }
});

both!(worley, plain_worley, {
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
    pub(super) struct Feature {
        distance: f32,
        id: u32,
    }

    #[derive(Clone, Copy, Debug, Default)]
    pub(super) enum Metric {
        #[default]
        Euclidean,
        Manhattan,
        Chebyshev,
        Minkowski {
            p: i32,
        },
    }

    impl Metric {
        fn measure(self, [x, y, z]: [f32; 3]) -> f32 {
            let (x, y, z) = (x.abs(), y.abs(), z.abs());
            match self {
                Metric::Euclidean => x * x + y * y + z * z,
                Metric::Manhattan => x + y + z,
                Metric::Chebyshev => [x, y, z].into_iter().fold(f32::NEG_INFINITY, f32::max),
                Metric::Minkowski { p } if p <= 1 => x + y + z,
                Metric::Minkowski { p } => [x, y, z].iter().map(|v| v.powi(p)).sum(),
            }
        }
    }

    const fn hash(mut v: u32) -> u32 {
        v ^= v >> 16;
        v = v.wrapping_mul(0x7feb_352d);
        v ^= v >> 15;
        v = v.wrapping_mul(0x846c_a68b);
        v ^ v >> 16
    }

    pub(super) struct Worley<const K: usize = 2> {
        seed: u32,
        metric: Metric,
    }

    impl<const K: usize> Worley<K> {
        fn cell(&self, cell: [i32; 3]) -> impl Iterator<Item = ([f32; 3], u32)> {
            let base = cell.iter().fold(self.seed, |h, &c| hash(h ^ c as u32));
            (0..1 + base % 3).map(move |k| {
                let id = hash(base.wrapping_add(k));
                let unit = |shift: u32| (hash(id ^ shift) >> 16) as f32 / 65536.0;
                ([unit(1) + cell[0] as f32, unit(2) + cell[1] as f32, unit(3) + cell[2] as f32], id)
            })
        }

        fn nearest(&self, at: [f32; 3]) -> [Feature; K] {
            let mut best = [Feature { distance: f32::INFINITY, ..Default::default() }; K];
            let home = at.map(|c| c.floor() as i32);
            for dz in -1..=1 {
                for dy in -1..=1 {
                    for dx in -1..=1 {
                        for (p, id) in self.cell([home[0] + dx, home[1] + dy, home[2] + dz]) {
                            let delta = std::array::from_fn(|k| p[k] - at[k]);
                            let found = Feature { distance: self.metric.measure(delta), id };
                            if let Some(slot) = best.iter().position(|b| found.distance < b.distance) {
                                best[slot..].rotate_right(1);
                                best[slot] = found;
                            }
                        }
                    }
                }
            }
            best
        }
    }

    pub(super) fn worley(i: u32, x: &[u32]) -> u32 {
        let metric = match i % 5 {
            0 => Metric::default(),
            1 => Metric::Manhattan,
            2 => Metric::Chebyshev,
            p => Metric::Minkowski { p: p as i32 - 2 },
        };
        let worley: Worley = Worley { seed: x[0], metric };
        let three = Worley::<3> { seed: i, ..Worley { seed: 0, metric } };
        let at = [i as f32 * 0.37, (x[i as usize % x.len()] % 64) as f32 * 0.11, -1.25];
        let [first, second] = worley.nearest(at);
        let third = three.nearest(at).into_iter().max_by(|a, b| a.distance.total_cmp(&b.distance)).unwrap();
        first.distance.to_bits()
            ^ second.id
            ^ third.id.rotate_left(3)
            ^ ((second.distance - first.distance) * 1024.0) as u32
    }
});

domain!("domains_types", {
    gillespie, Gillespie, plain_gillespie;
    gru, Gru, plain_gru;
    big, Big, plain_big;
    worley, Worley, plain_worley;
});
