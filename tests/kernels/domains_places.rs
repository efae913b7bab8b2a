//! More programs of newcomers: parts of values by an index, scenes of shapes, loops over references to fields,
//! things with names. rustc compiles each of them, too.

#![allow(
    dead_code,
    private_interfaces,
    unreachable_pub,
    unused,
    clippy::all,
    clippy::pedantic,
    reason = "programs as people write them, of which not every function is called"
)]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(lanes, plain_lanes, {
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct V<T> {
        pub x: T,
        pub y: T,
        pub z: T,
    }
    impl<T> Index<usize> for V<T> {
        type Output = T;
        fn index(&self, i: usize) -> &T {
            match i {
                0 => &self.x,
                1 => &self.y,
                2 => &self.z,
                _ => panic!("no lane {i}"),
            }
        }
    }
    impl<T> IndexMut<usize> for V<T> {
        fn index_mut(&mut self, i: usize) -> &mut T {
            match i {
                0 => &mut self.x,
                1 => &mut self.y,
                2 => &mut self.z,
                _ => panic!("no lane {i}"),
            }
        }
    }
    #[derive(Clone, Copy, PartialEq)]
    pub enum Axis {
        X,
        Y,
    }
    pub struct Box2 {
        lo: [u32; 2],
        hi: [u32; 2],
        area: u32,
    }
    impl Index<(bool, Axis)> for Box2 {
        type Output = u32;
        fn index(&self, (top, axis): (bool, Axis)) -> &u32 {
            let k = if axis == Axis::X { 0 } else { 1 };
            if top { &self.hi[k] } else { &self.lo[k] }
        }
    }
    impl IndexMut<(bool, Axis)> for Box2 {
        fn index_mut(&mut self, (top, axis): (bool, Axis)) -> &mut u32 {
            self.area = 0;
            let k = if axis == Axis::X { 0 } else { 1 };
            if top { &mut self.hi[k] } else { &mut self.lo[k] }
        }
    }
    fn cross(a: V<f32>, b: V<f32>) -> V<f32> {
        let mut r = a;
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            r[i] = a[j] * b[k] - a[k] * b[j];
        }
        r
    }
    pub(super) fn lanes(i: u32, x: &[u32]) -> u32 {
        let i = i as usize;
        let mut v = V { x: 1u32, y: 2, z: 3 };
        for k in 0..5 {
            v[k % 3] += x[(i + k) % x.len()];
            v[(k + i) % 3] ^= k as u32;
        }
        let mut n = 0;
        v[{
            n += 1;
            n % 3
        }] = v[0] ^ n as u32;
        let c = cross(V { x: 1.0, y: i as f32, z: 2.0 }, V { x: 0.5, y: v[1] as f32, z: -1.0 });
        let mut b = Box2 { lo: [1, 2], hi: [3, 4], area: 9 };
        b[(i % 2 == 0, Axis::Y)] = v.x;
        b[(i % 3 == 0, Axis::X)] *= 3;
        let mut rows = [V { x: 1i64, y: 2, z: 3 }; 2];
        rows[i % 2][i % 3] -= 5;
        rows[1][0] = rows[0][2] + 1;
        v.x ^ v.y.rotate_left(3)
            ^ v.z
            ^ c.x.to_bits()
            ^ c.z.to_bits()
            ^ b.lo[0]
            ^ b.hi[1] << 3
            ^ b.lo[1] << 7
            ^ b.area
            ^ (rows[0].x + rows[1].y * 7 + rows[1].x) as u32
    }
});

both!(marching, plain_marching, {
    use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, Neg, Sub};
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct V3 {
        pub x: f32,
        pub y: f32,
        pub z: f32,
    }
    impl V3 {
        pub const ZERO: V3 = V3 { x: 0.0, y: 0.0, z: 0.0 };
        pub const fn new(x: f32, y: f32, z: f32) -> Self {
            Self { x, y, z }
        }
        pub fn dot(self, o: Self) -> f32 {
            self.x * o.x + self.y * o.y + self.z * o.z
        }
        pub fn length(self) -> f32 {
            self.dot(self).sqrt()
        }
        pub fn normalized(self) -> Self {
            self / self.length()
        }
        pub fn map<F: Fn(f32) -> f32>(self, f: F) -> Self {
            Self::new(f(self.x), f(self.y), f(self.z))
        }
    }
    impl Add for V3 {
        type Output = V3;
        fn add(self, o: V3) -> V3 {
            V3::new(self.x + o.x, self.y + o.y, self.z + o.z)
        }
    }
    impl Sub for V3 {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
        }
    }
    impl Mul<f32> for V3 {
        type Output = V3;
        fn mul(self, k: f32) -> V3 {
            self.map(|c| c * k)
        }
    }
    impl Mul<V3> for f32 {
        type Output = V3;
        fn mul(self, v: V3) -> V3 {
            v * self
        }
    }
    impl Div<f32> for V3 {
        type Output = V3;
        fn div(self, k: f32) -> V3 {
            self * (1.0 / k)
        }
    }
    impl Neg for V3 {
        type Output = V3;
        fn neg(self) -> V3 {
            V3::ZERO - self
        }
    }
    impl AddAssign for V3 {
        fn add_assign(&mut self, o: V3) {
            *self = *self + o;
        }
    }
    impl Index<usize> for V3 {
        type Output = f32;
        fn index(&self, i: usize) -> &f32 {
            match i {
                0 => &self.x,
                1 => &self.y,
                2 => &self.z,
                _ => panic!("index {i} out of range"),
            }
        }
    }
    impl IndexMut<usize> for V3 {
        fn index_mut(&mut self, i: usize) -> &mut f32 {
            match i {
                0 => &mut self.x,
                1 => &mut self.y,
                _ => &mut self.z,
            }
        }
    }
    pub trait Sdf {
        fn dist(&self, p: V3) -> f32;
        fn normal(&self, p: V3) -> V3 {
            const H: f32 = 0.001;
            let mut n = V3::ZERO;
            for k in 0..3 {
                let mut e = V3::ZERO;
                e[k] = H;
                n[k] = self.dist(p + e) - self.dist(p - e);
            }
            n.normalized()
        }
    }
    pub struct Sphere {
        pub center: V3,
        pub radius: f32,
    }
    pub struct Plane {
        pub normal: V3,
        pub d: f32,
    }
    pub struct Union<A, B>(pub A, pub B);
    pub struct Rounded<S> {
        pub inner: S,
        pub by: f32,
    }
    impl Sdf for Sphere {
        fn dist(&self, p: V3) -> f32 {
            (p - self.center).length() - self.radius
        }
    }
    impl Sdf for Plane {
        fn dist(&self, p: V3) -> f32 {
            self.normal.dot(p) + self.d
        }
    }
    impl<A: Sdf, B: Sdf> Sdf for Union<A, B> {
        fn dist(&self, p: V3) -> f32 {
            self.0.dist(p).min(self.1.dist(p))
        }
    }
    impl<S> Sdf for Rounded<S>
    where
        S: Sdf,
    {
        fn dist(&self, p: V3) -> f32 {
            self.inner.dist(p) - self.by
        }
    }
    #[derive(Clone, Copy, Debug)]
    pub struct Hit {
        pub t: f32,
        pub steps: u32,
        pub normal: V3,
    }
    pub fn march<S: Sdf>(scene: &S, from: V3, dir: V3) -> Option<Hit> {
        let mut t = 0.0;
        for steps in 0..64 {
            let p = from + dir * t;
            let d = scene.dist(p);
            if d < 1e-3 {
                return Some(Hit { t, steps, normal: scene.normal(p) });
            }
            t += d;
            if t > 50.0 {
                break;
            }
        }
        None
    }
    pub(super) fn marching(i: u32, x: &[u32]) -> u32 {
        let u = (i % 8) as f32 / 4.0 - 1.0;
        let v = (i / 8) as f32 / 4.0 - 1.0;
        let scene = Union(
            Rounded { inner: Sphere { center: V3::new(0.0, 0.0, 3.0), radius: 0.8 }, by: 0.2 },
            Plane { normal: V3 { y: 1.0, ..V3::ZERO }, d: 1.0 + (x[i as usize] % 4) as f32 * 0.25 },
        );
        let dir = V3::new(u, v, 1.5).normalized();
        match march(&scene, V3::ZERO, dir) {
            Some(Hit { t, normal, steps }) => {
                let mut c = 0.5 * normal;
                c += V3::new(0.5, 0.5, 0.5);
                (t + -c[0] + c[2]).to_bits() ^ steps
            }
            None => 0,
        }
    }
});

both!(turns, plain_turns, {
    use std::ops::{Add, Mul, MulAssign, Neg, Sub};
    pub trait Float:
        Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> + Default + PartialOrd
    {
        fn one() -> Self;
        fn sqrt(self) -> Self;
        fn inverse(self) -> Self;
    }
    impl Float for f32 {
        fn one() -> Self {
            1.0
        }
        fn sqrt(self) -> Self {
            self.sqrt()
        }
        fn inverse(self) -> Self {
            1.0 / self
        }
    }
    impl Float for f64 {
        fn one() -> Self {
            1.0
        }
        fn sqrt(self) -> Self {
            self.sqrt()
        }
        fn inverse(self) -> Self {
            1.0 / self
        }
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Quaternion<F> {
        pub w: F,
        pub x: F,
        pub y: F,
        pub z: F,
    }
    impl<F: Float> Quaternion<F> {
        pub fn identity() -> Self {
            Self { w: F::one(), x: F::default(), y: F::default(), z: F::default() }
        }
        pub fn conj(&self) -> Self {
            let &Self { w, x, y, z } = self;
            Self { w, x: -x, y: -y, z: -z }
        }
        pub fn norm2(self) -> F {
            self.w * self.w + self.x * self.x + self.y * self.y + self.z * self.z
        }
        pub fn normalize(mut self) -> Self {
            let r = self.norm2().sqrt().inverse();
            self *= r;
            self
        }
        pub fn rotate(self, v: [F; 3]) -> [F; 3] {
            let [x, y, z] = v;
            let p = Quaternion { w: F::default(), x, y, z };
            let Quaternion { x, y, z, .. } = self * p * self.conj();
            [x, y, z]
        }
    }
    impl<F: Float> Mul for Quaternion<F> {
        type Output = Self;
        fn mul(self, r: Self) -> Self {
            Self {
                w: self.w * r.w - self.x * r.x - self.y * r.y - self.z * r.z,
                x: self.w * r.x + self.x * r.w + self.y * r.z - self.z * r.y,
                y: self.w * r.y - self.x * r.z + self.y * r.w + self.z * r.x,
                z: self.w * r.z + self.x * r.y - self.y * r.x + self.z * r.w,
            }
        }
    }
    impl<F: Float> MulAssign<F> for Quaternion<F> {
        fn mul_assign(&mut self, k: F) {
            for c in [&mut self.w, &mut self.x, &mut self.y, &mut self.z] {
                *c = *c * k;
            }
        }
    }
    #[derive(Clone, Copy, PartialEq, Debug, Default)]
    pub struct Complex {
        re: f64,
        im: f64,
    }
    impl Complex {
        const fn new(re: f64, im: f64) -> Self {
            Self { re, im }
        }
        fn norm_sqr(&self) -> f64 {
            self.re * self.re + self.im * self.im
        }
    }
    impl Add<Complex> for Complex {
        type Output = Complex;
        fn add(self, Complex { re, im }: Complex) -> Complex {
            Complex::new(self.re + re, self.im + im)
        }
    }
    impl Mul for Complex {
        type Output = Complex;
        fn mul(self, rhs: Complex) -> Complex {
            Complex::new(self.re * rhs.re - self.im * rhs.im, self.re * rhs.im + self.im * rhs.re)
        }
    }
    fn escape(c: Complex, limit: usize) -> Option<usize> {
        let mut z = Complex { re: 0.0, im: 0.0 };
        for i in 0..limit {
            if z.norm_sqr() > 4.0 {
                return Some(i);
            }
            z = z * z + c;
        }
        None
    }
    pub(super) fn turns(i: u32, x: &[u32]) -> u32 {
        let t = (x[i as usize] % 100) as f32 / 10.0;
        let q = Quaternion { w: 1.0, x: t, y: 0.5, z: -t }.normalize();
        let a = q.rotate([1.0, 2.0, 3.0]);
        let d = Quaternion::<f64>::identity() * Quaternion { w: t as f64, x: 1.0, y: 2.0, z: 3.0 };
        let e = escape(Complex::new((i % 8) as f64 / 4.0 - 1.5, (i / 8) as f64 / 4.0 - 1.0), 100);
        a.iter().fold(0, |h: u32, v| h.rotate_left(8) ^ v.to_bits())
            ^ (d.norm2().to_bits() >> 32) as u32
            ^ e.map_or(0, |n| n as u32 + 1)
    }
});

both!(units, plain_units, {
    // slices of rows through functions, arrays of texts, Option<&'static str>, lookup by name
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Unit {
        name: &'static str,
        factor: f32,
    }
    const UNITS: [Unit; 4] = [
        Unit { name: "m", factor: 1.0 },
        Unit { name: "cm", factor: 0.01 },
        Unit { name: "km", factor: 1000.0 },
        Unit { name: "in", factor: 0.0254 },
    ];
    const NAMES: [&str; 3] = ["m", "furlong", "km"];
    fn factor(name: &'static str) -> Option<f32> {
        UNITS.iter().find(|u| u.name == name).map(|u| u.factor)
    }
    fn name_of(k: u32) -> &'static str {
        match k {
            0 => "m",
            1 => "in",
            2 => "km",
            _ => "parsec",
        }
    }
    fn kind(s: &'static str) -> Result<u32, &'static str> {
        match s {
            "m" | "km" => Ok(1),
            "in" => Ok(2),
            "parsec" => Err("too far"),
            other => Err(other),
        }
    }
    const MORE: &[&str] = &["m", "parsec"];
    fn first_error(x: &[u32]) -> Option<&'static str> {
        x.iter().find_map(|&v| kind(name_of(v % 5)).err())
    }
    pub(super) fn units(i: u32, x: &[u32]) -> u32 {
        let n = name_of(x[i as usize] % 4);
        let f = factor(n).unwrap_or(-1.0) + factor(NAMES[(i % 3) as usize]).map_or(0.5, |f| f * 2.0);
        let rows = [[i, 2, 3, 4], [5, 6, x[i as usize], 8]];
        let r = (i % 2) as usize;
        let w = rows[r].windows(2).filter(|w| w[0] < w[1]).count();
        let e = first_error(&x[i as usize..][..3]);
        let mut names = ["a"; 3];
        names[(i % 3) as usize] = "b";
        let at = names.iter().position(|n| *n == "b").unwrap();
        let code = match (e, kind(n)) {
            (None, Ok(k)) => k,
            (Some("too far"), _) => 10,
            (Some(_), Err(t)) if t != "too far" => 11,
            (Some(e), k) => 12 + k.unwrap_or(5),
            (None, Err(_)) => 13,
        };
        f.to_bits()
            ^ (w as u32) << 5
            ^ code
            ^ (at as u32) << 9
            ^ (NAMES[1] == "furlong") as u32
            ^ (MORE[(i % 2) as usize] == n) as u32 * 64
    }
});

both!(suits, plain_suits, {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Suit {
        Clubs = 1,
        Hearts = 4,
        Spades,
    }
    impl TryFrom<u32> for Suit {
        type Error = u32;
        fn try_from(v: u32) -> Result<Self, Self::Error> {
            Ok(match v {
                1 => Suit::Clubs,
                4 => Self::Hearts,
                5 => Self::Spades,
                n => return Err(n),
            })
        }
    }
    impl From<Suit> for u32 {
        fn from(s: Suit) -> u32 {
            s as u32
        }
    }
    impl std::ops::Not for Suit {
        type Output = Suit;
        fn not(self) -> Suit {
            match self {
                Suit::Clubs => Suit::Spades,
                s => s,
            }
        }
    }
    #[derive(Clone, Copy, Default)]
    pub struct Flags(u8);
    impl Flags {
        pub const A: Flags = Flags(1);
        pub const B: Flags = Flags(1 << 1);
        pub const ALL: Flags = Flags(Self::A.0 | Self::B.0);
        const fn bits(self) -> u8 {
            self.0
        }
        fn contains(self, o: Flags) -> bool {
            self.0 & o.0 == o.0
        }
    }
    impl std::ops::BitOr for Flags {
        type Output = Flags;
        fn bitor(self, o: Flags) -> Flags {
            Flags(self.0 | o.0)
        }
    }
    impl std::ops::BitOrAssign for Flags {
        fn bitor_assign(&mut self, o: Flags) {
            *self = *self | o;
        }
    }
    impl std::ops::Sub for Flags {
        type Output = Flags;
        fn sub(self, o: Flags) -> Flags {
            Flags(self.0 & !o.0)
        }
    }
    pub(super) fn suits(i: u32, x: &[u32]) -> u32 {
        let s = match Suit::try_from(x[i as usize] % 7) {
            Ok(s) => u32::from(!s),
            Err(n) => 100 + n,
        };
        let t: Result<Suit, _> = (i % 6).try_into();
        let mut f = Flags::A;
        if i % 2 == 0 {
            f |= Flags::B;
        }
        let g = f - Flags::A;
        s ^ t.map_or(7, |s| s as u32) << 8
            ^ (g.bits() as u32) << 4
            ^ (f.contains(Flags::ALL) as u32) << 12
            ^ (Suit::Clubs < Suit::Spades) as u32
    }
});

both!(norms, plain_norms, {
    pub trait Norm {
        fn norm(&self) -> f32;
    }
    impl Norm for f32 {
        fn norm(&self) -> f32 {
            self.abs()
        }
    }
    impl Norm for (f32, f32) {
        fn norm(&self) -> f32 {
            self.0 * self.0 + self.1
        }
    }
    fn total<T: Norm + Copy>(v: &[T]) -> f32 {
        v.iter().map(|p| Norm::norm(p)).sum()
    }
    pub(super) fn norms(i: u32, x: &[u32]) -> u32 {
        let own = [(1.0f32, 2.0f32), (i as f32, 3.0)];
        (total(&[1.0f32, -2.0])
            + own.iter().map(|p| Norm::norm(p)).sum::<f32>()
            + own.iter().map(Norm::norm).sum::<f32>())
        .to_bits()
            ^ x[i as usize]
    }
});

domain!("domains_places", {
    lanes, Lanes, plain_lanes;
    marching, Marching, plain_marching;
    turns, Turns, plain_turns;
    units, Units, plain_units;
    suits, Suits, plain_suits;
    norms, Norms, plain_norms;
});
