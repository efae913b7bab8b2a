//! Programs as people write them: filters, transforms, statistics, colours, dual numbers, finite elements. Each function also stands in a module that only rustc compiles.

#![allow(
    dead_code,
    unused,
    unreachable_pub,
    clippy::all,
    reason = "programs as people write them, of which not every function is called"
)]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

/// Numbers that a function gets.
const N: usize = 64;

each_program! { domains_signals:

signal plain_signal run_signal RunSignal SIGNAL {
    use std::ops::{Add, Sub, Mul};
    #[derive(Clone, Copy, Default, Debug)]
    pub struct Biquad { b: [f32; 3], a: [f32; 2], z: [f32; 2] }
    impl Biquad {
        fn process(&mut self, x: f32) -> f32 {
            let [z1, z2] = &mut self.z;
            let y = self.b[0] * x + *z1;
            *z1 = self.b[1] * x - self.a[0] * y + *z2;
            *z2 = self.b[2] * x - self.a[1] * y;
            y
        }
    }
    pub struct Cascade<const N: usize> { stages: [Biquad; N] }
    impl<const N: usize> Cascade<N> {
        fn process(&mut self, x: f32) -> f32 { self.stages.iter_mut().fold(x, |v, s| s.process(v)) }
    }
    struct Fir<'a> { taps: &'a [f32], delay: [f32; 8], pos: usize }
    impl Fir<'_> {
        fn step(&mut self, x: f32) -> f32 {
            self.delay[self.pos] = x;
            self.pos = (self.pos + 1) % self.delay.len();
            let (newer, older) = self.delay.split_at(self.pos);
            self.taps.iter().zip(newer.iter().rev().chain(older.iter().rev())).map(|(t, d)| t * d).sum()
        }
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct C32 { re: f32, im: f32 }
    impl Add for C32 { type Output = C32; fn add(self, o: C32) -> C32 { C32 { re: self.re + o.re, im: self.im + o.im } } }
    impl Sub for C32 { type Output = C32; fn sub(self, o: C32) -> C32 { C32 { re: self.re - o.re, im: self.im - o.im } } }
    impl Mul for C32 { type Output = C32; fn mul(self, o: C32) -> C32 { C32 { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re } } }
    fn fft(data: &mut [C32; 8]) {
        const W: [C32; 4] = [C32 { re: 1.0, im: 0.0 }, C32 { re: 0.5, im: -0.5 }, C32 { re: 0.0, im: -1.0 }, C32 { re: -0.5, im: -0.5 }];
        let n = data.len();
        let bits = n.trailing_zeros();
        for k in 0..n {
            let r = (k as u32).reverse_bits() >> (32 - bits);
            if k < r as usize { data.swap(k, r as usize); }
        }
        let mut len = 2;
        while len <= n {
            let half = len / 2;
            for base in (0..n).step_by(len) {
                for k in 0..half {
                    let t = data[base + k + half] * W[k * (n / len)];
                    (data[base + k], data[base + k + half]) = (data[base + k] + t, data[base + k] - t);
                }
            }
            len *= 2;
        }
    }
    fn goertzel(xs: &[f32], coeff: f32) -> f32 {
        let (s1, s2) = xs.iter().fold((0.0, 0.0), |(s1, s2), &x| (x + coeff * s1 - s2, s1));
        s1 * s1 + s2 * s2 - coeff * s1 * s2
    }
    pub fn of(i: u32) -> u32 {
        let mut c = Cascade { stages: [Biquad { b: [0.25, 0.5, 0.25], a: [-0.5, 0.25], ..Default::default() }; 3] };
        let taps = [0.5, 0.25, 0.125, 0.0625];
        let mut fir = Fir { taps: &taps, delay: [0.0; 8], pos: 0 };
        let mut out = [0.0f32; 8];
        for (k, o) in out.iter_mut().enumerate() { *o = fir.step(c.process((k as u32 ^ i) as f32)); }
        let mut z = out.map(|re| C32 { re, im: 0.0 });
        fft(&mut z);
        let peak = z.iter().map(|c| c.re * c.re + c.im * c.im).fold(f32::MIN, f32::max);
        peak.to_bits() ^ goertzel(&out, 1.25).to_bits().rotate_left(3)
    }
}

stats plain_stats run_stats RunStats STATS {
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Welford { n: u32, mean: f32, m2: f32 }
    impl Welford {
        pub fn push(&mut self, x: f32) { self.n += 1; let d = x - self.mean; self.mean += d / self.n as f32; self.m2 += d * (x - self.mean); }
        pub fn variance(&self) -> Option<f32> { (self.n > 1).then(|| self.m2 / (self.n - 1) as f32) }
        pub fn merge(self, o: Self) -> Self {
            if o.n == 0 { return self; }
            let n = self.n + o.n;
            let d = o.mean - self.mean;
            Self { n, mean: self.mean + d * o.n as f32 / n as f32, m2: self.m2 + o.m2 + d * d * (self.n as f32 * o.n as f32) / n as f32 }
        }
    }
    #[derive(Clone, Debug)]
    pub struct Histogram<const B: usize> { bins: [u32; B], lo: f32, hi: f32, under: u32, over: u32 }
    impl<const B: usize> Histogram<B> {
        pub fn new(lo: f32, hi: f32) -> Self { Self { bins: [0; B], lo, hi, under: 0, over: 0 } }
        pub fn add(&mut self, x: f32) {
            match ((x - self.lo) / (self.hi - self.lo) * B as f32).floor() as i32 {
                i32::MIN..=-1 => self.under += 1,
                k if (k as usize) < B => self.bins[k as usize] += 1,
                _ => self.over += 1,
            }
        }
        pub fn mode(&self) -> Option<usize> { self.bins.iter().enumerate().max_by_key(|&(_, &c)| c).map(|(k, _)| k) }
        pub fn quantile(&self, q: f32) -> Option<f32> {
            let total: u32 = self.bins.iter().sum();
            let want = (q * total as f32) as u32;
            let k = self.bins.iter().scan(0u32, |acc, &c| { *acc += c; Some(*acc) }).position(|acc| acc > want)?;
            Some(self.lo + (k as f32 + 0.5) * (self.hi - self.lo) / B as f32)
        }
    }
    fn median(v: &mut [f32]) -> f32 {
        v.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
        let mid = v.len() / 2;
        if v.len() % 2 == 0 { (v[mid - 1] + v[mid]) * 0.5 } else { v[mid] }
    }
    pub fn of(i: u32) -> u32 {
        let mut s = i;
        let mut rnd = || { s = s.wrapping_mul(1664525).wrapping_add(1013904223); (s >> 8) as f32 / (1 << 24) as f32 };
        let mut xs = [0.0f32; 15];
        for x in &mut xs { *x = rnd() + rnd(); }
        let (mut a, mut b) = (Welford::default(), Welford::default());
        xs.iter().enumerate().for_each(|(k, &x)| if k % 3 == 0 { a.push(x) } else { b.push(x) });
        let mut h = Histogram::<8>::new(0.25, 1.75);
        for &x in xs.iter() { h.add(x); }
        let m = median(&mut xs);
        let q = h.quantile(0.9).unwrap_or(f32::NAN);
        let var = a.merge(b).variance().unwrap();
        m.to_bits() ^ q.to_bits().rotate_left(5) ^ (var * 1024.0) as u32 ^ h.mode().map_or(99, |k| k as u32) << 28 ^ h.under << 8 ^ h.over
    }
}

color plain_color run_color RunColor COLOR {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Rgb { r: u8, g: u8, b: u8 }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Hsv { h: f32, s: f32, v: f32 }
    impl From<u32> for Rgb { fn from(p: u32) -> Self { let [_, r, g, b] = p.to_be_bytes(); Self { r, g, b } } }
    impl From<Rgb> for u32 { fn from(c: Rgb) -> u32 { u32::from_be_bytes([0xff, c.r, c.g, c.b]) } }
    impl From<Rgb> for Hsv {
        fn from(Rgb { r, g, b }: Rgb) -> Self {
            let [r, g, b] = [r, g, b].map(|c| f32::from(c) / 255.0);
            let max = r.max(g).max(b);
            let min = r.min(g).min(b);
            let d = max - min;
            let h = if d == 0.0 { 0.0 } else if max == r { ((g - b) / d).rem_euclid(6.0) } else if max == g { (b - r) / d + 2.0 } else { (r - g) / d + 4.0 };
            Hsv { h: h * 60.0, s: if max > 0.0 { d / max } else { 0.0 }, v: max }
        }
    }
    impl From<Hsv> for Rgb {
        fn from(Hsv { h, s, v }: Hsv) -> Self {
            let f = |n: f32| { let k = (n + h / 60.0) % 6.0; ((v - v * s * k.min(4.0 - k).clamp(0.0, 1.0)) * 255.0 + 0.5) as u8 };
            Rgb { r: f(5.0), g: f(3.0), b: f(1.0) }
        }
    }
    fn blend(dst: Rgb, src: Rgb, a: u8) -> Rgb {
        let mix = |d: u8, s: u8| -> u8 { let t = s as u16 * a as u16 + d as u16 * (255 - a) as u16 + 128; ((t + (t >> 8)) >> 8) as u8 };
        Rgb { r: mix(dst.r, src.r), g: mix(dst.g, src.g), b: mix(dst.b, src.b) }
    }
    fn luma(Rgb { r, g, b }: Rgb) -> u8 { ((77 * u32::from(r) + 150 * u32::from(g) + 29 * u32::from(b)) >> 8) as u8 }
    pub fn of(i: u32) -> u32 {
        let c = Rgb::from(i.wrapping_mul(0x0101_4567));
        let mut hsv: Hsv = c.into();
        hsv.h = (hsv.h + 90.0) % 360.0;
        let turned: Rgb = hsv.into();
        let b = blend(c, turned, i as u8);
        u32::from(b) ^ u32::from(luma(turned)) << 24
    }
}

dual plain_dual run_dual RunDual DUAL {
    use std::ops::*;
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
    pub struct Dual<T> { re: T, eps: T }
    pub trait Num: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self> + PartialOrd {
        const ZERO: Self; const ONE: Self;
        fn from_f32(v: f32) -> Self;
        fn square(self) -> Self { self * self }
        fn powi(self, n: u32) -> Self { (0..n).fold(Self::ONE, |a, _| a * self) }
    }
    impl Num for f32 { const ZERO: f32 = 0.0; const ONE: f32 = 1.0; fn from_f32(v: f32) -> f32 { v } }
    impl<T: Num> Add for Dual<T> { type Output = Self; fn add(self, o: Self) -> Self { Self { re: self.re + o.re, eps: self.eps + o.eps } } }
    impl<T: Num> Sub for Dual<T> { type Output = Self; fn sub(self, o: Self) -> Self { Self { re: self.re - o.re, eps: self.eps - o.eps } } }
    impl<T: Num> Mul for Dual<T> { type Output = Self; fn mul(self, o: Self) -> Self { Self { re: self.re * o.re, eps: self.re * o.eps + self.eps * o.re } } }
    impl<T: Num> Div for Dual<T> { type Output = Self; fn div(self, o: Self) -> Self { Self { re: self.re / o.re, eps: (self.eps * o.re - self.re * o.eps) / (o.re * o.re) } } }
    impl<T: Num> Neg for Dual<T> { type Output = Self; fn neg(self) -> Self { Self { re: -self.re, eps: -self.eps } } }
    impl<T: Num> Num for Dual<T> { const ZERO: Self = Self { re: T::ZERO, eps: T::ZERO }; const ONE: Self = Self { re: T::ONE, eps: T::ZERO }; fn from_f32(v: f32) -> Self { Self { re: T::from_f32(v), eps: T::ZERO } } }
    fn horner<T: Num, const N: usize>(x: T, coeffs: [f32; N]) -> T { coeffs.into_iter().rev().fold(T::ZERO, |a, c| a * x + T::from_f32(c)) }
    fn newton<T: Num>(f: impl Fn(Dual<T>) -> Dual<T>, mut x: T, steps: usize) -> T {
        for _ in 0..steps { let y = f(Dual { re: x, eps: T::ONE }); if y.eps == T::ZERO { break; } x = x - y.re / y.eps; }
        x
    }
    pub fn of(i: u32) -> u32 {
        let target = i as f32 + 2.0;
        let root = newton(|x| x.square() - Dual::from_f32(target), target * 0.5, 6);
        let d = horner(Dual { re: root, eps: 1.0 }, [1.0, -0.5, 0.25]);
        let second = horner(Dual { re: Dual { re: 2.0f32, eps: 1.0 }, eps: Dual::ONE }, [0.0, 0.0, 1.0, i as f32]);
        root.to_bits() ^ d.eps.to_bits().rotate_left(8) ^ second.eps.eps.to_bits() ^ d.re.powi(3).to_bits()
    }
}

fem plain_fem run_fem RunFem FEM {
    use std::ops::{Index, IndexMut, Mul};
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Mat<const R: usize, const C: usize> { data: [[f32; C]; R] }
    impl<const R: usize, const C: usize> Mat<R, C> {
        pub const fn zero() -> Self { Self { data: [[0.0; C]; R] } }
        pub fn transpose(&self) -> Mat<C, R> { Mat { data: core::array::from_fn(|c| core::array::from_fn(|r| self.data[r][c])) } }
        pub fn scale(mut self, s: f32) -> Self { self.data.iter_mut().flatten().for_each(|x| *x *= s); self }
        pub fn rows(&self) -> impl Iterator<Item = &[f32; C]> { self.data.iter() }
    }
    impl<const N: usize> Mat<N, N> {
        pub fn identity() -> Self { let mut m = Self::zero(); for i in 0..N { m[(i, i)] = 1.0; } m }
        pub fn trace(&self) -> f32 { (0..N).map(|i| self[(i, i)]).sum() }
        pub fn determinant(mut self) -> f32 {
            let mut det = 1.0;
            for k in 0..N {
                let p = (k..N).max_by(|&a, &b| self[(a, k)].abs().total_cmp(&self[(b, k)].abs())).unwrap();
                if self[(p, k)] == 0.0 { return 0.0; }
                if p != k { self.data.swap(p, k); det = -det; }
                det *= self[(k, k)];
                for r in k + 1..N {
                    let f = self[(r, k)] / self[(k, k)];
                    for c in k..N { let v = self[(k, c)]; self[(r, c)] -= f * v; }
                }
            }
            det
        }
    }
    impl<const R: usize, const C: usize> Index<(usize, usize)> for Mat<R, C> { type Output = f32; fn index(&self, (r, c): (usize, usize)) -> &f32 { &self.data[r][c] } }
    impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Mat<R, C> { fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut f32 { &mut self.data[r][c] } }
    impl<const R: usize, const K: usize, const C: usize> Mul<Mat<K, C>> for Mat<R, K> {
        type Output = Mat<R, C>;
        fn mul(self, o: Mat<K, C>) -> Mat<R, C> {
            let mut m = Mat::zero();
            for i in 0..R { for j in 0..C { m[(i, j)] = (0..K).map(|k| self[(i, k)] * o[(k, j)]).sum(); } }
            m
        }
    }
    fn stiffness(xy: &[[f32; 2]; 3], e: f32, nu: f32) -> Option<Mat<6, 6>> {
        let [[x1, y1], [x2, y2], [x3, y3]] = *xy;
        let two_a = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1);
        if two_a.abs() < 1e-6 { return None; }
        let (b, c) = ([y2 - y3, y3 - y1, y1 - y2], [x3 - x2, x1 - x3, x2 - x1]);
        let mut bm = Mat::<3, 6>::zero();
        for n in 0..3 {
            bm[(0, 2 * n)] = b[n];
            bm[(1, 2 * n + 1)] = c[n];
            bm[(2, 2 * n)] = c[n];
            bm[(2, 2 * n + 1)] = b[n];
        }
        let k = e / (1.0 - nu * nu);
        let d = Mat { data: [[k, k * nu, 0.0], [k * nu, k, 0.0], [0.0, 0.0, k * (1.0 - nu) * 0.5]] };
        Some((bm.transpose() * d * bm).scale(0.5 / two_a))
    }
    pub fn of(i: u32) -> u32 {
        let t = i as f32 * 0.25;
        let xy = [[0.0, 0.0], [1.0 + t, 0.5], [0.25, 2.0]];
        let Some(k) = stiffness(&xy, 8.0, 0.25) else { return 0 };
        let shifted = k * Mat::identity();
        let mut sub = Mat::<3, 3>::zero();
        for (r, row) in sub.data.iter_mut().enumerate() { for (c, v) in row.iter_mut().enumerate() { *v = shifted[(r, c)] + if r == c { 1.0 } else { 0.0 }; } }
        let most = k.rows().map(|r| r.iter().fold(0.0f32, |m, v| m.max(v.abs()))).fold(0.0, f32::max);
        k.trace().to_bits() ^ sub.determinant().to_bits().rotate_left(9) ^ most.to_bits()
    }
}

quat plain_quat run_quat RunQuat QUAT {
    use std::ops::{Add, Mul, MulAssign, Neg, Sub, Index};
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Quaternion { w: f32, v: V3 }
    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    pub struct V3 { x: f32, y: f32, z: f32 }
    impl V3 {
        pub const fn new(x: f32, y: f32, z: f32) -> Self { Self { x, y, z } }
        pub const X: V3 = V3::new(1.0, 0.0, 0.0);
        fn dot(&self, o: &V3) -> f32 { self.x * o.x + self.y * o.y + self.z * o.z }
        fn cross(&self, o: &V3) -> V3 { V3 { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x } }
        fn as_array(self) -> [f32; 3] { let V3 { x, y, z } = self; [x, y, z] }
    }
    impl Add for V3 { type Output = V3; fn add(self, V3 { x, y, z }: V3) -> V3 { V3::new(self.x + x, self.y + y, self.z + z) } }
    impl Mul<f32> for V3 { type Output = V3; fn mul(self, s: f32) -> V3 { V3::new(self.x * s, self.y * s, self.z * s) } }
    impl Mul<V3> for f32 { type Output = V3; fn mul(self, v: V3) -> V3 { v * self } }
    impl Neg for V3 { type Output = V3; fn neg(self) -> V3 { V3::new(-self.x, -self.y, -self.z) } }
    impl Index<usize> for V3 { type Output = f32; fn index(&self, i: usize) -> &f32 { match i { 0 => &self.x, 1 => &self.y, 2 => &self.z, _ => panic!("index {i}") } } }
    impl Quaternion {
        pub const IDENTITY: Self = Self { w: 1.0, v: V3 { x: 0.0, y: 0.0, z: 0.0 } };
        fn conj(self) -> Self { Self { v: -self.v, ..self } }
        fn rotate(self, p: V3) -> V3 { (self * Quaternion { w: 0.0, v: p } * self.conj()).v }
        fn norm_sq(self) -> f32 { self.w.powi(2) + self.v.dot(&self.v) }
    }
    impl Mul for Quaternion {
        type Output = Self;
        fn mul(self, r: Self) -> Self {
            Self { w: self.w * r.w - self.v.dot(&r.v), v: self.w * r.v + r.w * self.v + self.v.cross(&r.v) }
        }
    }
    impl MulAssign for Quaternion { fn mul_assign(&mut self, r: Self) { *self = *self * r; } }
    impl std::iter::Product for Quaternion { fn product<I: Iterator<Item = Self>>(it: I) -> Self { it.fold(Self::IDENTITY, Mul::mul) } }
    pub fn of(i: u32) -> u32 {
        let t = i as f32 * 0.125;
        let q = Quaternion { w: 1.0, v: V3::new(t, 0.5, -0.25) };
        let mut acc = Quaternion::IDENTITY;
        for _ in 0..3 { acc *= q; }
        let p: Quaternion = [q, acc, q.conj()].into_iter().product();
        let v = p.rotate(V3::X);
        let biggest = v.as_array().iter().copied().fold(f32::NEG_INFINITY, f32::max);
        v[(i % 3) as usize].to_bits() ^ p.norm_sq().to_bits().rotate_left(4) ^ biggest.to_bits()
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[SIGNAL, STATS, COLOR, DUAL, FEM, QUAT];
