//! Programs as people write them: bitboards, genomes, collisions, machines of states. Each function also stands in a module that only rustc compiles.

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

each_program! { domains_boards:

bitboard plain_bitboard run_bitboard RunBitboard BITBOARD {
    use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr, BitOrAssign};
    #[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
    pub struct Bitboard(pub u64);
    impl BitAnd for Bitboard { type Output = Self; fn bitand(self, r: Self) -> Self { Self(self.0 & r.0) } }
    impl BitOr for Bitboard { type Output = Self; fn bitor(self, r: Self) -> Self { Self(self.0 | r.0) } }
    impl BitOrAssign for Bitboard { fn bitor_assign(&mut self, r: Self) { self.0 |= r.0 } }
    impl Not for Bitboard { type Output = Self; fn not(self) -> Self { Self(!self.0) } }
    #[derive(Copy, Clone, PartialEq, Eq, Debug)]
    #[repr(u8)]
    pub enum Dir { N, S, E, W, Ne, Nw, Se, Sw }
    impl Dir {
        pub const ALL: [Dir; 8] = [Dir::N, Dir::S, Dir::E, Dir::W, Dir::Ne, Dir::Nw, Dir::Se, Dir::Sw];
        const fn is_diagonal(self) -> bool { matches!(self, Dir::Ne | Dir::Nw | Dir::Se | Dir::Sw) }
    }
    impl Bitboard {
        pub const EMPTY: Self = Bitboard(0);
        const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
        const NOT_H: u64 = !0x8080_8080_8080_8080;
        pub fn shift(self, d: Dir) -> Self {
            use Dir::*;
            Self(match d {
                N => self.0 << 8, S => self.0 >> 8,
                E => (self.0 & Self::NOT_H) << 1, W => (self.0 & Self::NOT_A) >> 1,
                Ne => (self.0 & Self::NOT_H) << 9, Nw => (self.0 & Self::NOT_A) << 7,
                Se => (self.0 & Self::NOT_H) >> 7, Sw => (self.0 & Self::NOT_A) >> 9,
            })
        }
        pub fn is_empty(self) -> bool { self == Self::EMPTY }
        pub fn pop(&mut self) -> Option<u32> {
            if self.0 == 0 { return None; }
            let sq = self.0.trailing_zeros();
            self.0 &= self.0 - 1;
            Some(sq)
        }
    }
    impl Iterator for Bitboard { type Item = u32; fn next(&mut self) -> Option<u32> { self.pop() } }
    fn ray(from: u32, d: Dir, occ: Bitboard) -> Bitboard {
        let mut acc = Bitboard::EMPTY;
        let mut cur = Bitboard(1 << from);
        loop {
            cur = cur.shift(d);
            if cur.is_empty() { break acc; }
            acc |= cur;
            if !(cur & occ).is_empty() { break acc; }
        }
    }
    fn othello(me: Bitboard, opp: Bitboard, at: Bitboard) -> Bitboard {
        let mut flips = Bitboard::EMPTY;
        for d in Dir::ALL {
            let mut line = Bitboard::EMPTY;
            let mut x = at.shift(d);
            while !(x & opp).is_empty() { line |= x; x = x.shift(d); }
            if !(x & me).is_empty() { flips |= line; }
        }
        flips
    }
    fn solve(n: u32) -> u32 {
        let mut stack = [(0u32, 0u32, 0u32); 40];
        let mut sp = 1;
        let full = (1 << n) - 1;
        let mut count = 0;
        while sp > 0 {
            sp -= 1;
            let (cols, d1, d2) = stack[sp];
            if cols == full { count += 1; continue; }
            let mut free = full & !(cols | d1 | d2);
            while free != 0 {
                let bit = free & free.wrapping_neg();
                free ^= bit;
                stack[sp] = (cols | bit, (d1 | bit) << 1, (d2 | bit) >> 1);
                sp += 1;
            }
        }
        count
    }
    pub fn of(i: u32) -> u32 {
        let occ = Bitboard(0x9e37_79b9_7f4a_7c15u64.rotate_left(i));
        let queen = Dir::ALL.iter().fold(Bitboard::EMPTY, |b, &d| b | ray(i % 64, d, occ));
        let bishop: u32 = Dir::ALL.iter().filter(|d| d.is_diagonal()).map(|&d| ray(i, d, occ).0.count_ones()).sum();
        let mut h = 0u32;
        for sq in queen { h = h.wrapping_mul(33) ^ sq; }
        let f = othello(Bitboard(0x8100_0000_0000_0081 | 1 << (i % 64)), occ, Bitboard(1 << 27));
        h ^ bishop << 24 ^ f.map(|s| s * s).sum::<u32>() ^ solve(4 + i % 3) << 12
    }
}

held_next plain_held_next run_held_next RunHeldNext HELD_NEXT {
    #[derive(Copy, Clone)]
    struct Down(u32);

    impl Down {
        fn pop(&mut self) -> Option<u32> {
            if self.0 == 0 {
                return None;
            }
            self.0 -= 1;
            Some(self.0)
        }
    }

    // Nothing but a loop calls it, and nothing but it calls `pop`.
    impl Iterator for Down {
        type Item = u32;

        fn next(&mut self) -> Option<u32> {
            let next = self.pop();
            next
        }
    }

    pub fn of(i: u32) -> u32 {
        let mut h = 0u32;
        for v in Down(i % 5) {
            h = h.wrapping_mul(33) ^ v ^ 1;
        }
        h ^ Down(i % 7).map(|v| v * v).sum::<u32>() << 16
    }
}

collide plain_collide run_collide RunCollide COLLIDE {
    #[derive(Clone, Copy, Debug)]
    pub struct Aabb { min: Vec3, max: Vec3 }
    #[derive(Clone, Copy, Debug)]
    pub struct Ray { origin: Vec3, dir: Vec3 }
    #[derive(Clone, Copy, Debug)]
    pub enum Shape { Sphere { center: Vec3, radius: f32 }, Box(Aabb), Plane { normal: Vec3, d: f32 } }
    #[derive(Clone, Copy, Debug)]
    pub struct Hit { t: f32, normal: Vec3, id: usize }
    pub trait Intersect { fn intersect(&self, ray: &Ray) -> Option<(f32, Vec3)>; }
    impl Aabb {
        fn union(self, o: Aabb) -> Aabb { Aabb { min: self.min.min(o.min), max: self.max.max(o.max) } }
        fn overlaps(&self, o: &Aabb) -> bool { self.min.cmple(o.max).all() && self.max.cmpge(o.min).all() }
        fn center(&self) -> Vec3 { (self.min + self.max) * 0.5 }
    }
    impl Intersect for Aabb {
        fn intersect(&self, ray: &Ray) -> Option<(f32, Vec3)> {
            let inv = ray.dir.recip();
            let (t0, t1) = ((self.min - ray.origin) * inv, (self.max - ray.origin) * inv);
            let (near, far) = (t0.min(t1).max_element(), t0.max(t1).min_element());
            (near <= far && far > 0.0).then(|| (near, -ray.dir.signum()))
        }
    }
    impl Intersect for Shape {
        fn intersect(&self, ray: &Ray) -> Option<(f32, Vec3)> {
            match *self {
                Shape::Sphere { center, radius } => {
                    let oc = ray.origin - center;
                    let b = oc.dot(ray.dir);
                    let disc = b * b - oc.length_squared() + radius * radius;
                    if disc < 0.0 { return None; }
                    let t = [-b - disc.sqrt(), -b + disc.sqrt()].into_iter().find(|&t| t > 1e-3)?;
                    Some((t, (ray.origin + ray.dir * t - center) / radius))
                }
                Shape::Box(ref b) => b.intersect(ray),
                Shape::Plane { normal, d } => {
                    let denom = normal.dot(ray.dir);
                    if denom.abs() < 1e-6 { None } else { let t = (d - normal.dot(ray.origin)) / denom; (t > 0.0).then_some((t, normal)) }
                }
            }
        }
    }
    fn closest(shapes: &[Shape], ray: &Ray) -> Option<Hit> {
        shapes.iter().enumerate()
            .filter_map(|(id, s)| s.intersect(ray).map(|(t, normal)| Hit { t, normal, id }))
            .min_by(|a, b| a.t.partial_cmp(&b.t).unwrap())
    }
    pub fn of(i: u32) -> u32 {
        let shapes = [
            Shape::Sphere { center: vec3(0.0, 0.0, 5.0), radius: 1.5 },
            Shape::Box(Aabb { min: vec3(-1.0, -1.0, 3.0), max: vec3(0.25, 0.5, 4.0) }),
            Shape::Plane { normal: Vec3::Y, d: -1.0 },
        ];
        let ray = Ray { origin: Vec3::ZERO, dir: vec3(i as f32 * 0.0625 - 2.0, 0.25 - i as f32 * 0.015625, 1.0) };
        let b = Aabb { min: Vec3::ZERO, max: Vec3::ONE }.union(Aabb { min: Vec3::NEG_ONE, max: ray.dir.abs() });
        let o = b.overlaps(&Aabb { min: vec3(1.5, 0.0, 0.0), max: Vec3::splat(3.0) });
        match closest(&shapes, &ray) {
            Some(Hit { t, id, .. }) if t < 1000.0 => (t * 64.0) as u32 ^ (id as u32) << 24 ^ u32::from(o) << 31,
            Some(hit) => 5 + hit.normal.y as u32,
            None => b.center().x.to_bits(),
        }
    }
}

bio plain_bio run_bio RunBio BIO {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Base { A = 0, C = 1, G = 2, T = 3 }
    impl TryFrom<u8> for Base {
        type Error = u8;
        fn try_from(b: u8) -> Result<Self, u8> {
            match b.to_ascii_uppercase() { b'A' => Ok(Base::A), b'C' => Ok(Base::C), b'G' => Ok(Base::G), b'T' | b'U' => Ok(Base::T), other => Err(other) }
        }
    }
    impl Base {
        const fn complement(self) -> Self { match self { Base::A => Base::T, Base::C => Base::G, Base::G => Base::C, Base::T => Base::A } }
    }
    fn kmer<const K: usize>(seq: &[u8]) -> Result<u64, u8> {
        let mut fwd = 0u64;
        let mut rev = 0u64;
        for &b in seq.iter().take(K) {
            let base = Base::try_from(b)?;
            fwd = fwd << 2 | base as u64;
            rev = rev >> 2 | (base.complement() as u64) << (2 * (K - 1));
        }
        Ok(fwd.min(rev))
    }
    fn hamming(a: &[u8], b: &[u8]) -> usize { a.iter().zip(b).filter(|(x, y)| x != y).count() }
    fn levenshtein<const N: usize>(a: &[u8], b: &[u8]) -> usize {
        let mut prev: [usize; N] = core::array::from_fn(|j| j);
        for (i, ca) in a.iter().enumerate() {
            let mut cur = [0; N];
            cur[0] = i + 1;
            for (j, cb) in b.iter().enumerate() {
                cur[j + 1] = (prev[j] + usize::from(ca != cb)).min(prev[j + 1] + 1).min(cur[j] + 1);
            }
            prev = cur;
        }
        prev[b.len()]
    }
    fn smith_waterman(a: &[u8], b: &[u8]) -> (i32, usize, usize) {
        const W: usize = 17;
        let mut h = [[0i32; W]; W];
        let mut best = (0, 0, 0);
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                let s = if x == y { 2 } else { -1 };
                let v = [0, h[i][j] + s, h[i][j + 1] - 2, h[i + 1][j] - 2].into_iter().max().unwrap();
                h[i + 1][j + 1] = v;
                if v > best.0 { best = (v, i, j); }
            }
        }
        best
    }
    fn gc(seq: &[u8]) -> f32 { seq.iter().filter(|&&b| matches!(b, b'G' | b'C' | b'g' | b'c')).count() as f32 / seq.len() as f32 }
    pub fn of(i: u32) -> u32 {
        let mut a = *b"ACGTTGCAAGGTCCAT";
        let b = b"TTGACCAGGTACGATC";
        a.rotate_left(i as usize % 16);
        if i % 7 == 3 { a[5] = b'N'; }
        a[..4].reverse();
        let k = match kmer::<7>(&a[2..]) { Ok(k) => k as u32, Err(bad) => return bad.into() };
        let minimizer = a.windows(5).map(|w| kmer::<5>(w).unwrap_or(u64::MAX)).min().map_or(0, |m| m as u32);
        let (score, r, c) = smith_waterman(&a, b);
        k ^ minimizer << 4 ^ (hamming(&a, b) as u32) << 20 ^ (levenshtein::<17>(&a, &b[..12]) as u32) << 25 ^ score as u32 ^ (r * 16 + c) as u32 ^ gc(&a).to_bits()
    }
}

traffic plain_traffic run_traffic RunTraffic TRAFFIC {
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub enum State { #[default] Idle, Heating { target: f32, since: u32 }, Cooling(u32), Fault { code: u8 } }
    #[derive(Debug, Clone, Copy)]
    enum Event { Tick(u32), Set(f32), Sensor { temp: f32 }, Reset }
    impl State {
        fn next(self, e: Event) -> Self {
            use State::*;
            match (self, e) {
                (Fault { .. }, Event::Reset) => Idle,
                (f @ Fault { .. }, _) => f,
                (Idle, Event::Set(target)) if target > 0.0 => Heating { target, since: 0 },
                (Heating { target, .. }, Event::Sensor { temp }) if temp > target + 50.0 => Fault { code: 1 },
                (Heating { target, since }, Event::Sensor { temp }) => if temp >= target { Cooling(since) } else { Heating { target, since } },
                (Heating { since, target }, Event::Tick(n)) => if since + n > 100 { Fault { code: 2 } } else { Heating { target, since: since + n } },
                (Cooling(0), Event::Tick(_)) => Idle,
                (Cooling(n), Event::Tick(m)) => Cooling(n.saturating_sub(m)),
                (_, Event::Reset) => Self::default(),
                (s, _) => s,
            }
        }
    }
    pub fn of(i: u32) -> u32 {
        let mut s = State::default();
        let events = [Event::Set(i as f32 - 3.0), Event::Tick(i), Event::Sensor { temp: i as f32 / 2.0 }, Event::Tick(i * 2), Event::Sensor { temp: 30.0 }, Event::Tick(3), Event::Reset];
        let mut h = 0u32;
        for e in events.iter().take(3 + i as usize % 5) {
            s = s.next(*e);
            h = h.wrapping_mul(31) + match s { State::Idle => 1, State::Heating { since, .. } => 2 + since, State::Cooling(n) => 3 + n * 4, State::Fault { code } => 100 + code as u32 };
        }
        if let State::Fault { code: c @ 1..=2 } = s { h ^= u32::from(c) << 20 }
        h
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[BITBOARD, HELD_NEXT, COLLIDE, BIO, TRAFFIC];
