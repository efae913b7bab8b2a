//! Small programs about numbers: fixed point, big integers, dual numbers, intervals, matrices, quaternions, operators with references. rustc
//! compiles each of them, too.

#![expect(clippy::assign_op_pattern, clippy::unused_unit, reason = "these are the forms that are tried")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(ref_ops, plain_ref_ops, {
    use core::ops::{Add, AddAssign, Mul, Neg, Sub};
    #[derive(Clone, Copy, PartialEq, Default)]
    pub(super) struct Complex {
        pub(super) re: i32,
        pub(super) im: i32,
    }
    impl Add<&Complex> for &Complex {
        type Output = Complex;
        fn add(self, o: &Complex) -> Complex {
            Complex { re: self.re.wrapping_add(o.re), im: self.im.wrapping_add(o.im) }
        }
    }
    impl Add for Complex {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            &self + &o
        }
    }
    impl Add<&Complex> for Complex {
        type Output = Complex;
        fn add(self, o: &Complex) -> Complex {
            &self + o
        }
    }
    impl<'a> Sub<&'a Complex> for &Complex {
        type Output = Complex;
        fn sub(self, o: &'a Complex) -> Complex {
            let Complex { re, im } = self;
            Complex { re: re.wrapping_sub(o.re), im: im.wrapping_sub(o.im) }
        }
    }
    impl Mul<&Complex> for Complex {
        type Output = Self;
        fn mul(self, o: &Self) -> Self {
            Complex {
                re: self.re.wrapping_mul(o.re).wrapping_sub(self.im.wrapping_mul(o.im)),
                im: self.re.wrapping_mul(o.im).wrapping_add(self.im.wrapping_mul(o.re)),
            }
        }
    }
    impl AddAssign<&Complex> for Complex {
        fn add_assign(&mut self, o: &Complex) {
            *self = *self + o;
        }
    }
    impl Neg for &Complex {
        type Output = Complex;
        fn neg(self) -> Complex {
            Complex { re: self.re.wrapping_neg(), im: -(self.im & 0xff) }
        }
    }
    impl Neg for Complex {
        type Output = Complex;
        fn neg(self) -> Complex {
            -&self
        }
    }
    impl Complex {
        pub(super) fn twice(&self) -> Complex {
            self + self
        }
        pub(super) fn bits(self) -> u32 {
            (self.re as u32) ^ (self.im as u32).rotate_left(9)
        }
    }

    pub(super) fn ref_ops(i: u32, x: &[u32]) -> u32 {
        let a = Complex { re: x[i as usize] as i32, im: 1 };
        let b = Complex { re: 3, im: i as i32 };
        let c = a + &b;
        let p = &c;
        let d = p + &b;
        let mut e = &d - p;
        e += &c;
        e += &(a * &b);
        let own = [a, b, c];
        let mut s = Complex::default();
        for v in &own {
            s += v;
        }
        for v in own.iter() {
            s = s + v;
        }
        let f = own.iter().fold(Complex::default(), |acc, v| acc + v);
        (d.bits() ^ e.bits()).wrapping_add(s.bits())
            ^ (-&f).bits()
            ^ (-f).bits()
            ^ own[(i % 3) as usize].twice().bits()
            ^ (&own[1] + &own[(i % 3) as usize]).bits()
    }
});

both!(fixed_point, plain_fixed_point, {
    use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
    pub(super) struct Fixed<const FRAC: u32>(pub(super) i32);
    impl<const FRAC: u32> Fixed<FRAC> {
        pub(super) const ONE: Self = Self(1 << FRAC);
        pub(super) fn from_int(v: i32) -> Self {
            Self(v.wrapping_shl(FRAC))
        }
        pub(super) fn to_bits(self) -> u32 {
            self.0 as u32
        }
        pub(super) fn sqrt(self) -> Self {
            let mut lo = 0i64;
            let mut hi = 1i64 << 31;
            let target = (self.0.max(0) as i64) << FRAC;
            while lo + 1 < hi {
                let mid = (lo + hi) / 2;
                if mid * mid <= target { lo = mid } else { hi = mid }
            }
            Self(lo as i32)
        }
    }
    impl<const FRAC: u32> Add for Fixed<FRAC> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self(self.0.wrapping_add(o.0))
        }
    }
    impl<const FRAC: u32> Sub for Fixed<FRAC> {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self(self.0.wrapping_sub(o.0))
        }
    }
    impl<const FRAC: u32> Mul for Fixed<FRAC> {
        type Output = Self;
        fn mul(self, o: Self) -> Self {
            Self(((self.0 as i64 * o.0 as i64) >> FRAC) as i32)
        }
    }
    impl<const FRAC: u32> Div for Fixed<FRAC> {
        type Output = Option<Self>;
        fn div(self, o: Self) -> Option<Self> {
            if o.0 == 0 { None } else { Some(Self((((self.0 as i64) << FRAC) / o.0 as i64) as i32)) }
        }
    }
    impl<const FRAC: u32> Neg for Fixed<FRAC> {
        type Output = Self;
        fn neg(self) -> Self {
            Self(self.0.wrapping_neg())
        }
    }
    impl<const FRAC: u32> AddAssign for Fixed<FRAC> {
        fn add_assign(&mut self, o: Self) {
            *self = *self + o;
        }
    }
    impl<const FRAC: u32> From<i32> for Fixed<FRAC> {
        fn from(v: i32) -> Self {
            Self::from_int(v)
        }
    }

    pub(super) fn fixed_point(i: u32, x: &[u32]) -> u32 {
        let a = Fixed::<8>::from_int(x[i as usize] as i32 & 0xff);
        let b: Fixed<8> = Fixed::from(3);
        let mut c = a * b + Fixed::ONE;
        c += -b;
        let d = (c / a).unwrap_or_default();
        let r = c.sqrt();
        (d.to_bits() << 4) ^ r.to_bits() ^ if a > b { 1 } else { 0 } ^ (a.max(b).to_bits() << 1)
    }
});

both!(bigint, plain_bigint, {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) struct U<const LIMBS: usize> {
        pub(super) limbs: [u32; LIMBS],
    }
    impl<const LIMBS: usize> Default for U<LIMBS> {
        fn default() -> Self {
            Self { limbs: [0; LIMBS] }
        }
    }
    impl<const LIMBS: usize> U<LIMBS> {
        pub(super) fn from_u32(v: u32) -> Self {
            let mut r = Self::default();
            r.limbs[0] = v;
            r
        }
        pub(super) fn overflowing_add(mut self, other: &Self) -> (Self, bool) {
            let mut carry = false;
            for (a, &b) in self.limbs.iter_mut().zip(other.limbs.iter()) {
                let (s, c1) = a.overflowing_add(b);
                let (s, c2) = s.overflowing_add(carry as u32);
                *a = s;
                carry = c1 || c2;
            }
            (self, carry)
        }
        pub(super) fn mul_small(&self, m: u32) -> Self {
            let mut out = Self::default();
            let mut carry = 0u64;
            for (i, &limb) in self.limbs.iter().enumerate() {
                let t = limb as u64 * m as u64 + carry;
                out.limbs[i] = t as u32;
                carry = t >> 32;
            }
            out
        }
        pub(super) fn div_rem_small(mut self, d: u32) -> (Self, u32) {
            let mut rem = 0u64;
            for limb in self.limbs.iter_mut().rev() {
                let cur = (rem << 32) | *limb as u64;
                *limb = (cur / d as u64) as u32;
                rem = cur % d as u64;
            }
            (self, rem as u32)
        }
        pub(super) fn is_zero(&self) -> bool {
            self.limbs.iter().all(|&l| l == 0)
        }
        pub(super) fn bit_length(&self) -> u32 {
            match self.limbs.iter().rposition(|&l| l != 0) {
                Some(top) => top as u32 * 32 + 32 - self.limbs[top].leading_zeros(),
                None => 0,
            }
        }
    }
    impl<const LIMBS: usize> PartialOrd for U<LIMBS> {
        fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
            Some(self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
        }
    }

    pub(super) fn bigint(i: u32, x: &[u32]) -> u32 {
        let mut f = U::<4>::from_u32(1);
        for k in 1..=(i % 20 + 2) {
            f = f.mul_small(k);
        }
        let (g, carry) = f.overflowing_add(&U { limbs: [x[i as usize], !0, !0, 7] });
        let mut digits = [0u8; 40];
        let mut n = 0;
        let mut v = g;
        while !v.is_zero() {
            let (q, r) = v.div_rem_small(10);
            digits[n] = b'0' + r as u8;
            n += 1;
            v = q;
        }
        digits[..n].reverse();
        let h = digits[..n].iter().fold(5381u32, |h, &d| h.wrapping_mul(33) ^ u32::from(d));
        h ^ carry as u32 ^ (f < g) as u32 ^ g.bit_length()
    }
});

both!(duals, plain_duals, {
    use core::ops::*;
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Dual<T> {
        pub(super) v: T,
        pub(super) d: T,
    }
    impl<T: Copy + Add<Output = T>> Add for Dual<T> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self { v: self.v + o.v, d: self.d + o.d }
        }
    }
    impl<T> Mul for Dual<T>
    where
        T: Copy + Add<Output = T> + Mul<Output = T>,
    {
        type Output = Self;
        fn mul(self, o: Self) -> Self {
            Self { v: self.v * o.v, d: self.v * o.d + self.d * o.v }
        }
    }
    impl<T: Copy + Mul<Output = T>> Mul<T> for Dual<T> {
        type Output = Self;
        fn mul(self, k: T) -> Self {
            Self { v: self.v * k, d: self.d * k }
        }
    }
    pub(super) fn poly<T: Copy + Add<Output = T> + Mul<Output = T>>(x: T, c: &[T; 3]) -> T {
        let mut acc = c[0];
        for k in [c[1], c[2]] {
            acc = acc * x + k;
        }
        acc
    }

    pub(super) fn duals(i: u32, x: &[u32]) -> u32 {
        let c = |v: i32| Dual { v, d: 0 };
        let r = poly(Dual { v: i as i32, d: 1 }, &[c(1), c(2), c((x[i as usize] & 0xff) as i32)]);
        let s = r * 3 + c(1);
        let p = poly(2.0f32, &[1.0, 0.5, 0.25]);
        r.v as u32 ^ (s.d as u32) << 10 ^ p as u32
    }
});

both!(intervals, plain_intervals, {
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub(super) struct Interval {
        pub(super) lo: f32,
        pub(super) hi: f32,
    }
    impl Interval {
        pub(super) const ALL: Self = Self { lo: f32::NEG_INFINITY, hi: f32::INFINITY };
        pub(super) fn new(a: f32, b: f32) -> Self {
            if a <= b { Self { lo: a, hi: b } } else { Self { lo: b, hi: a } }
        }
        pub(super) fn contains(&self, x: f32) -> bool {
            (self.lo..=self.hi).contains(&x)
        }
        pub(super) fn hull(self, o: Self) -> Self {
            Self { lo: self.lo.min(o.lo), hi: self.hi.max(o.hi) }
        }
        pub(super) fn intersect(self, o: Self) -> Option<Self> {
            let lo = self.lo.max(o.lo);
            let hi = self.hi.min(o.hi);
            (lo <= hi).then_some(Self { lo, hi })
        }
    }
    impl core::ops::Mul for Interval {
        type Output = Interval;
        fn mul(self, o: Self) -> Self {
            let p = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi];
            Interval {
                lo: p.iter().copied().fold(f32::INFINITY, f32::min),
                hi: p.into_iter().fold(f32::NEG_INFINITY, f32::max),
            }
        }
    }
    impl From<f32> for Interval {
        fn from(v: f32) -> Self {
            Self { lo: v, hi: v }
        }
    }
    impl From<(f32, f32)> for Interval {
        fn from((a, b): (f32, f32)) -> Self {
            Self::new(a, b)
        }
    }

    pub(super) fn intervals(i: u32, x: &[u32]) -> u32 {
        let a = Interval::from((i as f32 - 16.0, (x[i as usize] & 31) as f32 - 8.0));
        let b: Interval = 2.0f32.into();
        let c = a * b;
        let d = c.intersect(Interval::new(-20.0, 10.0)).map_or(Interval::ALL, |v| v.hull(Interval { lo: 0.0, ..v }));
        (c.lo as i32 as u32) ^ ((c.hi as i32 as u32) << 8) ^ (d.hi.min(99.0) as u32) << 3 ^ u32::from(d.contains(1.5))
    }
});

both!(matrices, plain_matrices, {
    use core::ops::{Add, Index, IndexMut, Mul};
    pub(super) trait Num: Copy + Add<Output = Self> + Mul<Output = Self> {
        const ZERO: Self;
        const ONE: Self;
    }
    impl Num for u32 {
        const ZERO: u32 = 0;
        const ONE: u32 = 1;
    }
    impl Num for f32 {
        const ZERO: f32 = 0.0;
        const ONE: f32 = 1.0;
    }
    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Matrix<T, const R: usize, const C: usize> {
        m: [[T; C]; R],
    }
    impl<T: Num, const R: usize, const C: usize> Matrix<T, R, C> {
        pub(super) fn from_fn(f: impl Fn(usize, usize) -> T) -> Self {
            let mut m = [[T::ZERO; C]; R];
            for r in 0..R {
                for c in 0..C {
                    m[r][c] = f(r, c);
                }
            }
            Self { m }
        }
        pub(super) fn transpose(&self) -> Matrix<T, C, R> {
            Matrix::from_fn(|r, c| self.m[c][r])
        }
        pub(super) fn mul<const K: usize>(&self, o: &Matrix<T, C, K>) -> Matrix<T, R, K> {
            Matrix::from_fn(|r, c| (0..C).fold(T::ZERO, |s, k| s + self[(r, k)] * o[(k, c)]))
        }
        pub(super) fn row(&self, r: usize) -> &[T; C] {
            &self.m[r]
        }
    }
    impl<T: Num, const N: usize> Matrix<T, N, N> {
        pub(super) fn identity() -> Self {
            Self::from_fn(|r, c| if r == c { T::ONE } else { T::ZERO })
        }
        pub(super) fn pow(mut self, mut e: u32) -> Self {
            let mut acc = Self::identity();
            while e > 0 {
                if e & 1 == 1 {
                    acc = acc.mul(&self);
                }
                self = self.mul(&self);
                e >>= 1;
            }
            acc
        }
        pub(super) fn trace(&self) -> T {
            let mut t = T::ZERO;
            for k in 0..N {
                t = t + self.m[k][k];
            }
            t
        }
    }
    impl<T, const R: usize, const C: usize> Index<(usize, usize)> for Matrix<T, R, C> {
        type Output = T;
        fn index(&self, (r, c): (usize, usize)) -> &T {
            &self.m[r][c]
        }
    }
    impl<T, const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<T, R, C> {
        fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut T {
            &mut self.m[r][c]
        }
    }

    pub(super) fn matrices(i: u32, x: &[u32]) -> u32 {
        let mut a = Matrix::<u32, 2, 3>::from_fn(|r, c| x[i as usize] % 5 + (r * 3 + c) as u32);
        a[(1, 2)] += 1;
        let b = a.mul(&a.transpose());
        let fib: Matrix<u32, 2, 2> = Matrix::from_fn(|r, c| if r == 1 && c == 1 { 0 } else { 1 });
        let p = fib.pow(i % 20);
        b.trace() ^ p[(0, 1)] << 8 ^ b.row(1)[0] ^ (p == Matrix::identity()) as u32
    }
});

both!(traits, plain_traits, {
    pub(super) trait Shape {
        const SIDES: u32;
        fn area(&self) -> f32;
        fn scaled(&self, k: f32) -> Self
        where
            Self: Sized;
        fn describe(&self) -> u32 {
            Self::SIDES * 1000 + self.area() as u32
        }
    }
    #[derive(Clone, Copy)]
    pub(super) struct Sq(pub(super) f32);
    #[derive(Clone, Copy)]
    pub(super) struct Tri {
        pub(super) b: f32,
        pub(super) h: f32,
    }
    impl Shape for Sq {
        const SIDES: u32 = 4;
        fn area(&self) -> f32 {
            self.0 * self.0
        }
        fn scaled(&self, k: f32) -> Self {
            Sq(self.0 * k)
        }
    }
    impl Shape for Tri {
        const SIDES: u32 = 3;
        fn area(&self) -> f32 {
            0.5 * self.b * self.h
        }
        fn scaled(&self, k: f32) -> Self {
            Tri { b: self.b * k, ..*self }
        }
        fn describe(&self) -> u32 {
            42
        }
    }
    pub(super) fn both<A: Shape, B: Shape>(a: &A, b: &B) -> u32 {
        a.scaled(2.0).describe() + b.scaled(3.0).area() as u32
    }
    pub(super) fn any(s: impl Shape) -> u32 {
        s.describe()
    }

    pub(super) fn traits(i: u32, x: &[u32]) -> u32 {
        let s = Sq(i as f32);
        let t = Tri { b: (x[i as usize] & 15) as f32, h: 2.0 };
        both(&s, &t) ^ any(t) << 16 ^ s.describe() << 8 ^ <Sq as Shape>::SIDES
    }
});

both!(quaternions, plain_quaternions, {
    use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub};
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub(super) struct Q {
        pub(super) s: f32,
        pub(super) v: [f32; 3],
    }
    impl Q {
        pub(super) const I: Q = Q { s: 1.0, v: [0.0; 3] };
        pub(super) fn conj(&self) -> Self {
            Self { s: self.s, v: self.v.map(|c| -c) }
        }
        pub(super) fn norm2(self) -> f32 {
            self.s * self.s + self.v.iter().map(|c| c * c).sum::<f32>()
        }
        pub(super) fn rotate(&self, p: [f32; 3]) -> [f32; 3] {
            (*self * Q { s: 0.0, v: p } * self.conj()).v
        }
    }
    fn cross([a, b, c]: [f32; 3], [d, e, f]: [f32; 3]) -> [f32; 3] {
        [b * f - c * e, c * d - a * f, a * e - b * d]
    }
    impl Mul for Q {
        type Output = Q;
        fn mul(self, o: Q) -> Q {
            let dot: f32 = self.v.iter().zip(&o.v).map(|(a, b)| a * b).sum();
            let c = cross(self.v, o.v);
            let v = core::array::from_fn(|k| self.s * o.v[k] + o.s * self.v[k] + c[k]);
            Q { s: self.s * o.s - dot, v }
        }
    }
    impl MulAssign<f32> for Q {
        fn mul_assign(&mut self, k: f32) {
            self.s *= k;
            for c in self.v.iter_mut() {
                *c *= k;
            }
        }
    }
    impl Add for Q {
        type Output = Self;
        fn add(mut self, o: Self) -> Self {
            self += o;
            self
        }
    }
    impl AddAssign for Q {
        fn add_assign(&mut self, o: Self) {
            self.s += o.s;
            for (a, b) in self.v.iter_mut().zip(o.v) {
                *a += b;
            }
        }
    }
    impl Neg for Q {
        type Output = Self;
        fn neg(self) -> Self {
            let Q { s, v: [a, b, c] } = self;
            Q { s: -s, v: [-a, -b, -c] }
        }
    }
    impl Sub for Q {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            self + -o
        }
    }

    pub(super) fn quaternions(i: u32, x: &[u32]) -> u32 {
        let mut q = Q { s: 0.5, v: [0.5, -0.5, (x[i as usize] & 3) as f32 * 0.25] };
        q *= 2.0;
        let r = q.rotate([1.0, i as f32, 3.0]);
        let d = (q - Q::I).norm2();
        r.iter().fold((d * 64.0) as i32, |h, c| h.wrapping_mul(31) ^ (c * 64.0) as i32) as u32
    }
});

both!(numbers, plain_numbers, {
    fn gcd(a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    }

    const fn is_square(n: u32) -> bool {
        let r = n.isqrt();
        r * r == n
    }

    pub(super) fn numbers(i: u32, x: &[u32]) -> u32 {
        let v = x[i as usize];
        let mut sieve = [true; 64];
        sieve[0] = false;
        sieve[1] = false;
        for p in 2..8 {
            if sieve[p] {
                for m in (p * p..64).step_by(p) {
                    sieve[m] = false;
                }
            }
        }
        let primes = sieve.iter().enumerate().filter(|&(_, &p)| p).map(|(n, _)| n as u32);
        let c = primes.take_while(|&p| p <= v % 64).count() as u32;
        let mut arr: [u32; 5] = std::array::from_fn(|k| x[(i as usize + k) % x.len()]);
        for (a, b) in [(0, 1), (3, 4), (2, 4), (2, 3), (0, 3), (0, 2), (1, 4), (1, 3), (1, 2)] {
            if arr[a] > arr[b] {
                arr.swap(a, b);
            }
        }
        let med = arr[2];
        let col = {
            let mut n = v % 97 + 1;
            let mut steps = 0u32;
            while n != 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        };
        gcd(v, 360) ^ c << 8 ^ med ^ col << 16 ^ is_square(v) as u32
    }
});

both!(geometry, plain_geometry, {
    use core::ops::{Add, Mul, Sub};
    pub(super) trait Scalar:
        Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Default
    {
    }
    impl Scalar for f32 {}
    impl Scalar for i32 {}
    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    pub(super) struct V2<T> {
        pub(super) x: T,
        pub(super) y: T,
    }
    impl<T: Scalar> V2<T> {
        pub(super) fn new(x: T, y: T) -> Self {
            Self { x, y }
        }
        pub(super) fn dot(self, o: Self) -> T {
            self.x * o.x + self.y * o.y
        }
        pub(super) fn perp_dot(self, o: Self) -> T {
            self.x * o.y - self.y * o.x
        }
    }
    impl<T: Scalar> Sub for V2<T> {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            V2::new(self.x - o.x, self.y - o.y)
        }
    }
    impl<T: Scalar> From<[T; 2]> for V2<T> {
        fn from([x, y]: [T; 2]) -> Self {
            Self { x, y }
        }
    }
    impl<T: Scalar> From<(T, T)> for V2<T> {
        fn from(t: (T, T)) -> Self {
            Self { x: t.0, y: t.1 }
        }
    }
    #[derive(Clone, Copy)]
    pub(super) struct Aabb<T> {
        pub(super) min: V2<T>,
        pub(super) max: V2<T>,
    }
    impl<T: Scalar> Aabb<T> {
        pub(super) fn of(points: &[V2<T>; 4]) -> Self {
            let mut b = Self { min: points[0], max: points[0] };
            for p in points {
                b.grow(*p);
            }
            b
        }
        pub(super) fn grow(&mut self, p: V2<T>) {
            if p.x < self.min.x {
                self.min.x = p.x;
            }
            if p.y < self.min.y {
                self.min.y = p.y;
            }
            if p.x > self.max.x {
                self.max.x = p.x
            } else {
                ()
            }
            if p.y > self.max.y {
                self.max.y = p.y
            }
        }
        pub(super) fn area(&self) -> T {
            let V2 { x, y } = self.max - self.min;
            x * y
        }
    }
    pub(super) trait Contains<P> {
        fn contains(&self, p: &P) -> bool;
    }
    impl<T: Scalar> Contains<V2<T>> for Aabb<T> {
        fn contains(&self, p: &V2<T>) -> bool {
            p.x >= self.min.x && p.y >= self.min.y && p.x <= self.max.x && p.y <= self.max.y
        }
    }
    pub(super) fn count<S: Contains<P>, P: Copy, const N: usize>(s: &S, points: [P; N]) -> usize {
        points.iter().filter(|p| s.contains(p)).count()
    }
    pub(super) fn winding<T: Scalar>(poly: &[V2<T>; 4], p: V2<T>) -> i32 {
        let zero = T::default();
        let mut w = 0;
        for k in 0..poly.len() {
            let (a, b) = (poly[k] - p, poly[(k + 1) % poly.len()] - p);
            if a.y <= zero {
                if b.y > zero && a.perp_dot(b) > zero {
                    w += 1
                }
            } else if b.y <= zero && a.perp_dot(b) < zero {
                w -= 1
            }
        }
        w
    }

    pub(super) fn geometry(i: u32, x: &[u32]) -> u32 {
        let at = |k: u32| -> i32 { (x[((i + k) % 64) as usize] & 15) as i32 };
        let pts: [V2<i32>; 4] = core::array::from_fn(|k| V2::new(at(k as u32), at(k as u32 + 4)));
        let b = Aabb::of(&pts);
        let f: V2<f32> = [1.5f32, 2.5].into();
        let g = V2::from((0.5, 2.0));
        count(&b, pts) as u32
            ^ (b.area() as u32) << 3
            ^ (f.dot(g) as u32) << 12
            ^ (winding(&pts, V2::new(5, 6)) as u32) << 16
    }
});

domain!("domains_math", {
    ref_ops, RefOps, plain_ref_ops;
    fixed_point, FixedPoint, plain_fixed_point;
    bigint, Bigint, plain_bigint;
    duals, Duals, plain_duals;
    intervals, Intervals, plain_intervals;
    matrices, Matrices, plain_matrices;
    traits, Traits, plain_traits;
    quaternions, Quaternions, plain_quaternions;
    numbers, Numbers, plain_numbers;
    geometry, Geometry, plain_geometry;
});
