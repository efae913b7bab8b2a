//! Small programs of many domains as they are written anywhere: boards, maps, heaps, rings, unions, chains of iterators. rustc compiles each of
//! them, too.

#![expect(
    clippy::let_and_return,
    clippy::manual_contains,
    clippy::manual_unwrap_or,
    clippy::manual_unwrap_or_default,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(flood, plain_flood, {
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct Bitboard(pub(super) u64);
    impl core::ops::BitOr for Bitboard {
        type Output = Self;
        fn bitor(self, rhs: Self) -> Self {
            Self(self.0 | rhs.0)
        }
    }
    impl core::ops::BitAnd for Bitboard {
        type Output = Self;
        fn bitand(self, rhs: Self) -> Self {
            Self(self.0 & rhs.0)
        }
    }
    impl core::ops::Not for Bitboard {
        type Output = Self;
        fn not(self) -> Self {
            Self(!self.0)
        }
    }
    impl core::ops::BitOrAssign for Bitboard {
        fn bitor_assign(&mut self, rhs: Self) {
            self.0 |= rhs.0
        }
    }
    impl core::ops::Shl<u32> for Bitboard {
        type Output = Self;
        fn shl(self, by: u32) -> Self {
            Self(self.0 << by)
        }
    }
    impl Bitboard {
        pub(super) const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
        pub(super) const FILE_H: Self = Self(Self::FILE_A.0 << 7);
        pub(super) fn square(s: u32) -> Self {
            Self(1 << (s & 63))
        }
        pub(super) fn pop(&mut self) -> Option<u32> {
            if self.0 == 0 {
                return None;
            }
            let s = self.0.trailing_zeros();
            self.0 &= self.0 - 1;
            Some(s)
        }
        pub(super) fn neighbours(self) -> Self {
            let east = Self((self & !Self::FILE_H).0 << 1);
            let west = Self((self & !Self::FILE_A).0 >> 1);
            let row = self | east | west;
            row | Self(row.0 << 8) | Self(row.0 >> 8)
        }
    }

    pub(super) fn flood(i: u32, x: &[u32]) -> u32 {
        let walls = Bitboard((x[i as usize] as u64) << 20 | (x[i as usize + 1] as u64));
        let mut seen = Bitboard::square(i * 2);
        let mut rounds = 0u32;
        loop {
            let next = (seen.neighbours() & !walls) | seen;
            if next == seen {
                break;
            }
            seen = next;
            rounds += 1;
        }
        let mut h = rounds;
        let mut rest = seen;
        while let Some(s) = rest.pop() {
            h = h.rotate_left(3) ^ s;
        }
        h
    }
});

both!(hash_map, plain_hash_map, {
    #[derive(Clone, Copy)]
    pub(super) enum Slot<V> {
        Empty,
        Deleted,
        Full { key: u32, value: V },
    }
    pub(super) struct Map<V, const CAP: usize> {
        slots: [Slot<V>; CAP],
        len: usize,
    }
    impl<V: Copy, const CAP: usize> Map<V, CAP> {
        pub(super) fn new() -> Self {
            Map { slots: [Slot::Empty; CAP], len: 0 }
        }
        fn find(&self, key: u32) -> Result<usize, Option<usize>> {
            let mut free = None;
            let start = (key.wrapping_mul(0x9e37_79b9) >> 16) as usize % CAP;
            for step in 0..CAP {
                let at = (start + step) % CAP;
                match &self.slots[at] {
                    Slot::Empty => return Err(free.or(Some(at))),
                    Slot::Deleted => {
                        free.get_or_insert(at);
                    }
                    Slot::Full { key: k, .. } if *k == key => return Ok(at),
                    Slot::Full { .. } => {}
                }
            }
            Err(free)
        }
        pub(super) fn insert(&mut self, key: u32, value: V) -> Option<V> {
            match self.find(key) {
                Ok(at) => {
                    let old = self.get(key);
                    self.slots[at] = Slot::Full { key, value };
                    old
                }
                Err(Some(at)) => {
                    self.slots[at] = Slot::Full { key, value };
                    self.len += 1;
                    None
                }
                Err(None) => None,
            }
        }
        pub(super) fn get(&self, key: u32) -> Option<V> {
            let at = self.find(key).ok()?;
            let Slot::Full { value, .. } = self.slots[at] else { return None };
            Some(value)
        }
        pub(super) fn remove(&mut self, key: u32) -> bool {
            if let Ok(at) = self.find(key) {
                self.slots[at] = Slot::Deleted;
                self.len -= 1;
                true
            } else {
                false
            }
        }
        pub(super) fn len(&self) -> usize {
            self.len
        }
    }

    pub(super) fn hash_map(i: u32, x: &[u32]) -> u32 {
        let mut m = Map::<u32, 16>::new();
        let mut h = 0u32;
        for (k, &v) in x[i as usize..].iter().take(12).enumerate() {
            if let Some(old) = m.insert(v % 13, k as u32) {
                h = h.wrapping_add(old << 8);
            }
            if k % 4 == 3 {
                h ^= m.remove((v + 1) % 13) as u32;
            }
        }
        h ^ (0..13).filter_map(|k| m.get(k)).fold(0, |a: u32, v| a.wrapping_mul(17) + v) ^ m.len() as u32
    }
});

both!(priority, plain_priority, {
    pub(super) struct Heap<T, const CAP: usize> {
        items: [T; CAP],
        len: usize,
    }
    impl<T: Copy + Default + PartialOrd, const CAP: usize> Heap<T, CAP> {
        pub(super) fn new() -> Self {
            Self { items: [T::default(); CAP], len: 0 }
        }
        pub(super) fn push(&mut self, item: T) -> Result<(), T> {
            if self.len == CAP {
                return Err(item);
            }
            let mut at = self.len;
            self.items[at] = item;
            self.len += 1;
            while at > 0 {
                let parent = (at - 1) / 2;
                if self.items[parent] <= self.items[at] {
                    break;
                }
                self.items.swap(parent, at);
                at = parent;
            }
            Ok(())
        }
        pub(super) fn pop(&mut self) -> Option<T> {
            let top = *self.items[..self.len].first()?;
            self.len -= 1;
            self.items[0] = self.items[self.len];
            let mut at = 0;
            loop {
                let mut least = at;
                for child in [2 * at + 1, 2 * at + 2] {
                    if child < self.len && self.items[child] < self.items[least] {
                        least = child;
                    }
                }
                if least == at {
                    return Some(top);
                }
                self.items.swap(at, least);
                at = least;
            }
        }
    }
    #[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
    pub(super) struct Task {
        pub(super) cost: f32,
        pub(super) id: u32,
    }

    pub(super) fn priority(i: u32, x: &[u32]) -> u32 {
        let mut heap: Heap<Task, 8> = Heap::new();
        let mut lost = 0;
        for k in 0..10u32 {
            let cost = (x[((i + k) % 48) as usize] & 15) as f32;
            if heap.push(Task { cost, id: k }).is_err() {
                lost += 1;
            }
        }
        let mut h = lost;
        while let Some(Task { cost, id }) = heap.pop() {
            h = h * 11 % 1_000_003 + cost as u32 * 10 + id;
        }
        h
    }
});

both!(chains, plain_chains, {
    pub(super) fn chains(i: u32, x: &[u32]) -> u32 {
        let x = &x[i as usize..];
        let a: u32 = x
            .iter()
            .zip(x.iter().skip(1))
            .map(|(a, b)| a.abs_diff(*b))
            .take_while(|&d| d < 1 << 30)
            .fold(0, u32::wrapping_add);
        let b = x.windows(3).filter(|w| w[0] < w[1] && w[1] > w[2]).count() as u32;
        let c = x.chunks(5).map(|c| c.iter().copied().max().unwrap_or(0)).fold(0u32, |a, v| a ^ v);
        let d = (0..4u32).flat_map(|r| (0..r).map(move |c| r * 10 + c)).filter(|v| v % 3 != 1).sum::<u32>();
        let e = x
            .iter()
            .scan(0u32, |s, &v| {
                *s = s.wrapping_add(v);
                Some(*s)
            })
            .step_by(3)
            .last()
            .unwrap_or_default();
        let f = x.iter().position(|&v| v > 40).unwrap_or(x.len()) as u32;
        let g = x.iter().map(|v| v % 17).min_by_key(|v| v.abs_diff(9)).unwrap();
        let (lo, hi) = x.iter().fold((u32::MAX, u32::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        let s = x
            .iter()
            .rev()
            .skip_while(|v| **v > 100)
            .take(3)
            .enumerate()
            .map(|(k, v)| v << k)
            .fold(0, |a: u32, b| a.wrapping_add(b));
        a ^ b ^ c ^ d ^ e ^ f ^ g ^ lo ^ hi ^ s
    }
});

both!(closures, plain_closures, {
    fn apply<F: Fn(u32) -> u32>(n: u32, f: F) -> u32 {
        let mut v = n;
        for _ in 0..3 {
            v = f(v);
        }
        v
    }

    fn compose(f: impl Fn(u32) -> u32, g: impl Fn(u32) -> u32, v: u32) -> u32 {
        g(f(v))
    }

    pub(super) fn closures(i: u32, x: &[u32]) -> u32 {
        let k = x[i as usize];
        let mut count = 0u32;
        let found = 'outer: {
            for a in 1..20u32 {
                for b in a..20 {
                    count += 1;
                    if (a * a + b * b) % 23 == k % 23 {
                        break 'outer Some((a, b));
                    }
                    if b * a > 150 {
                        break;
                    }
                }
            }
            None
        };
        let r = if let Some((a, b)) = found { a << 8 | b } else { 0 };
        let mut total = 0;
        'rows: for r in 0..6 {
            for c in 0..6 {
                if c > r {
                    continue 'rows;
                }
                if r * c == 12 {
                    break 'rows;
                }
                total += r * c;
            }
        }
        r ^ apply(i, |v| v.wrapping_mul(3) ^ k) ^ compose(|v| v + 1, |v| v * 2, i) ^ count << 16 ^ total
    }
});

both!(shadow, plain_shadow, {
    pub(super) fn shadow(i: u32, x: &[u32]) -> u32 {
        let o = x.get(i as usize).copied().filter(|v| v % 2 == 1);
        let a = match o {
            Some(x) => x,
            None => 0,
        };
        let b = if let Some(x) = o { x } else { 9 };
        let c = {
            let x = a ^ b;
            x
        };
        let (p, q) = match o {
            Some(x) => (x, x),
            None => (1, 2),
        };
        a ^ b << 1 ^ c << 2 ^ p ^ q
    }
});

both!(collections, plain_collections, {
    #[derive(Clone, Copy)]
    pub(super) struct Stack<T, const N: usize> {
        data: [T; N],
        len: usize,
    }
    impl<T: Copy + Default, const N: usize> Default for Stack<T, N> {
        fn default() -> Self {
            Self { data: [T::default(); N], len: 0 }
        }
    }
    impl<T: Copy + Default, const N: usize> Stack<T, N> {
        pub(super) fn push(&mut self, v: T) -> Result<(), Full> {
            let Some(slot) = self.data.get_mut(self.len) else { return Err(Full) };
            *slot = v;
            self.len += 1;
            Ok(())
        }
        pub(super) fn pop(&mut self) -> Option<T> {
            self.len = self.len.checked_sub(1)?;
            Some(self.data[self.len])
        }
        pub(super) fn peek(&self) -> Option<&T> {
            self.data[..self.len].last()
        }
        pub(super) fn is_empty(&self) -> bool {
            self.len == 0
        }
        pub(super) fn iter(&self) -> impl Iterator<Item = T> {
            self.data.into_iter().take(self.len)
        }
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Full;
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Ring<const N: usize> {
        buf: [u32; N],
        head: usize,
        len: usize,
    }
    impl<const N: usize> Ring<N> {
        pub(super) const fn new() -> Self {
            Self { buf: [0; N], head: 0, len: 0 }
        }
        pub(super) fn push_back(&mut self, v: u32) -> Option<u32> {
            let at = (self.head + self.len) % N;
            if self.len == N {
                self.head = (self.head + 1) % N;
                Some(core::mem::replace(&mut self.buf[at], v))
            } else {
                self.buf[at] = v;
                self.len += 1;
                None
            }
        }
        pub(super) fn pop_front(&mut self) -> Option<u32> {
            if self.len == 0 {
                None
            } else {
                let v = self.buf[self.head];
                self.head = (self.head + 1) % N;
                self.len -= 1;
                Some(v)
            }
        }
        pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
            (0..self.len).map(move |k| self.buf[(self.head + k) % N])
        }
    }

    pub(super) fn collections(i: u32, x: &[u32]) -> u32 {
        let mut s = Stack::<u32, 6>::default();
        let mut errors = 0;
        for &v in &x[i as usize..i as usize + 9] {
            if v % 3 == 0 {
                s.pop();
            }
            match s.push(v) {
                Ok(()) => (),
                Err(Full) => errors += 1,
            }
        }
        let mut r = Ring::<4>::new();
        let mut lost = 0;
        for v in s.iter() {
            if let Some(old) = r.push_back(v) {
                lost ^= old;
            }
        }
        let top = s.peek().copied().unwrap_or(7);
        let first = r.pop_front().unwrap_or(1);
        errors << 20 ^ lost ^ top ^ first ^ r.iter().fold(0u32, |a, v| a.rotate_left(1) ^ v) ^ s.is_empty() as u32
    }
});

both!(more_chains, plain_more_chains, {
    pub(super) fn more_chains(i: u32, x: &[u32]) -> u32 {
        let x = &x[i as usize..i as usize + 20];
        let a = x
            .chunks_exact(4)
            .map(|c| c[0] ^ c[3])
            .zip(x.iter().rev())
            .filter_map(|(a, &b)| a.checked_sub(b))
            .fold(0u32, u32::wrapping_add);
        let b = x.iter().copied().enumerate().max_by_key(|&(k, v)| (v % 16, !k)).map(|(k, _)| k as u32).unwrap_or(0);
        let c = x.iter().any(|v| *v == 5) as u32 + x.iter().all(|&v| v < u32::MAX) as u32;
        let d = x[7..].iter().map(|&v| u64::from(v)).sum::<u64>() as u32;
        let e = x.iter().flat_map(|v| v.to_le_bytes()).map(u32::from).sum::<u32>();
        let f = x.iter().map(|&v| v as f32).map(f32::sqrt).fold(0.0, f32::max) as u32;
        let (ev, od): (u32, u32) = x.iter().fold((0, 0), |(e, o), v| if v % 2 == 0 { (e + 1, o) } else { (e, o + 1) });
        let g = 9;
        let h = std::iter::once(3u32).chain(x.iter().copied().take(2)).chain([7, 8]).fold(0, |a, v| a ^ v);
        let k = 16;
        a ^ b ^ c ^ d ^ e ^ f ^ ev << 8 ^ od ^ g ^ h ^ k
    }
});

both!(builders, plain_builders, {
    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    pub(super) struct Config {
        pub(super) width: u32,
        pub(super) height: u32,
        pub(super) flags: Flags,
        pub(super) ratio: Option<f32>,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub(super) struct Flags(u8);
    impl Flags {
        pub(super) const A: Flags = Flags(1);
        pub(super) const B: Flags = Flags(2);
        pub(super) const fn contains(self, o: Flags) -> bool {
            self.0 & o.0 == o.0
        }
        pub(super) fn insert(&mut self, o: Flags) {
            *self |= o
        }
        pub(super) fn bits(&self) -> u8 {
            self.0
        }
    }
    impl core::ops::BitOr for Flags {
        type Output = Flags;
        fn bitor(self, o: Flags) -> Flags {
            Flags(self.0 | o.0)
        }
    }
    impl core::ops::BitOrAssign for Flags {
        fn bitor_assign(&mut self, o: Flags) {
            self.0 |= o.0;
        }
    }
    impl core::ops::Not for Flags {
        type Output = Flags;
        fn not(self) -> Flags {
            Flags(!self.0)
        }
    }
    impl core::ops::Sub for Flags {
        type Output = Flags;
        fn sub(self, o: Flags) -> Flags {
            Flags(self.0 & !o.0)
        }
    }
    impl Config {
        pub(super) fn new() -> Self {
            Self::default()
        }
        pub(super) fn width(mut self, w: u32) -> Self {
            self.width = w;
            self
        }
        pub(super) fn height(self, height: u32) -> Self {
            Self { height, ..self }
        }
        pub(super) fn flag(mut self, f: Flags) -> Self {
            self.flags.insert(f);
            self
        }
        pub(super) fn ratio(mut self) -> Self {
            self.ratio = if self.height > 0 { Some(self.width as f32 / self.height as f32) } else { None };
            self
        }
    }

    pub(super) fn builders(i: u32, x: &[u32]) -> u32 {
        let c = Config::new()
            .width(x[i as usize])
            .height(i % 5)
            .flag(Flags::A | if i % 2 == 0 { Flags::B } else { Flags::default() })
            .ratio();
        let d = Config { height: 3, ..c };
        let Config { width, flags, .. } = d;
        width
            ^ flags.bits() as u32
            ^ c.flags.contains(Flags::B) as u32 * 64
            ^ c.ratio.map_or(0, |r| (r * 16.0) as u32)
            ^ (c == d) as u32
            ^ ((flags - Flags::A) == Flags::B) as u32
    }
});

both!(life, plain_life, {
    pub(super) struct Grid<const W: usize, const H: usize> {
        pub(super) cells: [[u8; W]; H],
    }
    impl<const W: usize, const H: usize> Grid<W, H> {
        pub(super) fn neighbors(&self, r: usize, c: usize) -> u32 {
            let mut n = 0;
            for dr in [H - 1, 0, 1] {
                for dc in [W - 1, 0, 1] {
                    if (dr, dc) != (0, 0) {
                        n += self.cells[(r + dr) % H][(c + dc) % W] as u32;
                    }
                }
            }
            n
        }
        pub(super) fn for_each<F: FnMut(usize, usize, u8)>(&self, mut f: F) {
            for (r, row) in self.cells.iter().enumerate() {
                for (c, &v) in row.iter().enumerate() {
                    f(r, c, v);
                }
            }
        }
        pub(super) fn step(&self) -> Self {
            let mut cells = [[0; W]; H];
            self.for_each(|r, c, v| {
                cells[r][c] = matches!((v, self.neighbors(r, c)), (1, 2 | 3) | (0, 3)) as u8;
            });
            Self { cells }
        }
        pub(super) fn alive(&self) -> u32 {
            let mut n = 0;
            self.for_each(|_, _, v| n += v as u32);
            n
        }
    }

    pub(super) fn life(i: u32, x: &[u32]) -> u32 {
        let mut g = Grid::<5, 4> {
            cells: core::array::from_fn(|r| core::array::from_fn(|c| (x[i as usize] >> (r * 5 + c) & 1) as u8)),
        };
        for _ in 0..3 {
            g = g.step();
        }
        g.alive() ^ g.cells.iter().flatten().fold(0u32, |h, &v| h << 1 | v as u32)
    }
});

both!(union, plain_union, {
    fn find(parent: &mut [u8; 16], mut v: u8) -> u8 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }

    pub(super) fn union(i: u32, x: &[u32]) -> u32 {
        let mut parent: [u8; 16] = core::array::from_fn(|k| k as u8);
        let mut size = [1u8; 16];
        for &v in x.iter().skip(i as usize).take(10) {
            let (a, b) = (find(&mut parent, (v & 15) as u8), find(&mut parent, (v >> 4 & 15) as u8));
            if a == b {
                continue;
            }
            let (a, b) = if size[a as usize] < size[b as usize] { (b, a) } else { (a, b) };
            parent[b as usize] = a;
            size[a as usize] += size[b as usize];
        }
        (0..16).filter(|&k| parent[k as usize] == k).count() as u32
            ^ size.iter().copied().map(u32::from).max().unwrap() << 8
    }
});

both!(knapsack, plain_knapsack, {
    pub(super) fn knapsack(i: u32, x: &[u32]) -> u32 {
        const CAP: usize = 20;
        let mut best = [0u32; CAP + 1];
        for (w, v) in
            x[i as usize..].iter().zip(&x[i as usize + 1..]).take(6).map(|(w, v)| (*w as usize % 9 + 1, v % 50))
        {
            for c in (w..=CAP).rev() {
                best[c] = best[c].max(best[c - w] + v);
            }
        }
        best[CAP]
    }
});

both!(random, plain_random, {
    pub(super) trait Rng {
        fn next_u32(&mut self) -> u32;
        fn below(&mut self, n: u32) -> u32 {
            ((self.next_u32() as u64 * n as u64) >> 32) as u32
        }
        fn unit(&mut self) -> f32 {
            (self.next_u32() >> 8) as f32 / (1 << 24) as f32
        }
    }
    #[derive(Clone)]
    pub(super) struct Pcg {
        state: u64,
        inc: u64,
    }
    impl Pcg {
        pub(super) fn seed(s: u64) -> Self {
            let mut r = Self { state: 0, inc: s << 1 | 1 };
            r.next_u32();
            r.state = r.state.wrapping_add(s);
            r
        }
    }
    impl Rng for Pcg {
        fn next_u32(&mut self) -> u32 {
            let old = self.state;
            self.state = old.wrapping_mul(6364136223846793005).wrapping_add(self.inc);
            let x = (((old >> 18) ^ old) >> 27) as u32;
            x.rotate_right((old >> 59) as u32)
        }
    }
    pub(super) struct Lcg(pub(super) u32);
    impl Rng for Lcg {
        fn next_u32(&mut self) -> u32 {
            self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
            self.0
        }
    }
    pub(super) fn shuffle<R: Rng, const N: usize>(r: &mut R, v: &mut [u32; N]) {
        for k in (1..N).rev() {
            let j = r.below(k as u32 + 1) as usize;
            v.swap(k, j);
        }
    }
    pub(super) fn dice(r: &mut impl Rng) -> u32 {
        1 + r.below(6)
    }

    pub(super) fn random(i: u32, x: &[u32]) -> u32 {
        let mut p = Pcg::seed(x[i as usize] as u64);
        let mut l = Lcg(i);
        let mut v: [u32; 8] = std::array::from_fn(|k| k as u32);
        shuffle(&mut p, &mut v);
        let mut q = p.clone();
        let same = p.next_u32() == q.next_u32();
        v.iter().fold(0, |h, d| h << 4 | d) ^ dice(&mut l) ^ dice(&mut p) << 3 ^ (l.unit() * 100.0) as u32 ^ same as u32
    }
});

both!(bytes, plain_bytes, {
    pub(super) fn bytes(i: u32, x: &[u32]) -> u32 {
        let b = x[i as usize].to_be_bytes();
        let sum = b.iter().fold(0u8, |s, &v| s.wrapping_add(v));
        let avg = (b.iter().map(|&v| v as u16).sum::<u16>() / 4) as u8;
        let hex = b.map(|v| {
            let d = v >> 4;
            if d < 10 { b'0' + d } else { b'a' + d - 10 }
        });
        let par = b.iter().fold(0, |p, v| p ^ v.count_ones()) & 1;
        let sat = b[0].saturating_add(b[1]).saturating_sub(7);
        let i16s = [i16::from_le_bytes([b[0], b[1]]), i16::from_be_bytes([b[2], b[3]])];
        let m = i16s.iter().map(|v| v.unsigned_abs()).max().unwrap_or_default();
        u32::from_le_bytes(hex)
            ^ sum as u32
            ^ (avg as u32) << 8
            ^ par << 16
            ^ (sat as u32) << 3
            ^ m as u32
            ^ (b[3] as i8 as i32 as u32)
    }
});

domain!("domains", {
    flood, Flood, plain_flood;
    hash_map, HashMap, plain_hash_map;
    priority, Priority, plain_priority;
    chains, Chains, plain_chains;
    closures, Closures, plain_closures;
    shadow, Shadow, plain_shadow;
    collections, Collections, plain_collections;
    more_chains, MoreChains, plain_more_chains;
    builders, Builders, plain_builders;
    life, Life, plain_life;
    union, Union, plain_union;
    knapsack, Knapsack, plain_knapsack;
    random, Random, plain_random;
    bytes, Bytes, plain_bytes;
});
