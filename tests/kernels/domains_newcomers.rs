//! Programs as people write them who have not read the language's tables: errors named by texts, sizes without a number, tables in statics,
//! macros of a module's own, sorts that end functions. rustc compiles each of them, too.

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

both!(named_errors, plain_named_errors, {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Token {
        Num(i64),
        Op(Op),
        LParen,
        RParen,
        Eof,
    }
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Op {
        Add,
        Sub,
        Mul,
        Div,
    }
    impl Op {
        fn prec(self) -> u8 {
            match self {
                Op::Add | Op::Sub => 1,
                Op::Mul | Op::Div => 2,
            }
        }
        fn apply(self, a: i64, b: i64) -> Result<i64, &'static str> {
            Ok(match self {
                Op::Add => a.wrapping_add(b),
                Op::Sub => a.wrapping_sub(b),
                Op::Mul => a.wrapping_mul(b),
                Op::Div => {
                    if b == 0 {
                        return Err("division by zero");
                    } else {
                        a.wrapping_div(b)
                    }
                }
            })
        }
    }
    pub struct Lexer<'a> {
        src: &'a [u8],
        pos: usize,
    }
    impl<'a> Lexer<'a> {
        pub fn new(src: &'a [u8]) -> Self {
            Lexer { src, pos: 0 }
        }
        fn peek(&self) -> Option<u8> {
            self.src.get(self.pos).copied()
        }
        fn bump(&mut self) -> Option<u8> {
            let c = self.peek()?;
            self.pos += 1;
            Some(c)
        }
        pub fn next_token(&mut self) -> Result<Token, &'static str> {
            while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
                self.pos += 1;
            }
            let Some(c) = self.bump() else { return Ok(Token::Eof) };
            match c {
                b'0'..=b'9' => {
                    let mut n = i64::from(c - b'0');
                    while let Some(d @ b'0'..=b'9') = self.peek() {
                        n = n * 10 + i64::from(d - b'0');
                        self.pos += 1;
                    }
                    Ok(Token::Num(n))
                }
                b'+' => Ok(Token::Op(Op::Add)),
                b'-' => Ok(Token::Op(Op::Sub)),
                b'*' => Ok(Token::Op(Op::Mul)),
                b'/' => Ok(Token::Op(Op::Div)),
                b'(' => Ok(Token::LParen),
                b')' => Ok(Token::RParen),
                _ => Err("unexpected character"),
            }
        }
    }
    struct Stack<T, const N: usize> {
        items: [T; N],
        len: usize,
    }
    impl<T: Copy, const N: usize> Stack<T, N> {
        fn new(fill: T) -> Self {
            Self { items: [fill; N], len: 0 }
        }
        fn push(&mut self, t: T) -> Result<(), &'static str> {
            if self.len == N {
                return Err("stack overflow");
            }
            self.items[self.len] = t;
            self.len += 1;
            Ok(())
        }
        fn pop(&mut self) -> Option<T> {
            if self.len == 0 {
                None
            } else {
                self.len -= 1;
                Some(self.items[self.len])
            }
        }
        fn last(&self) -> Option<&T> {
            self.items[..self.len].last()
        }
    }
    fn reduce(vals: &mut Stack<i64, 16>, op: Op) -> Result<(), &'static str> {
        let b = vals.pop().ok_or("missing operand")?;
        let a = vals.pop().ok_or("missing operand")?;
        vals.push(op.apply(a, b)?)
    }
    pub fn eval(src: &[u8]) -> Result<i64, &'static str> {
        let mut lx = Lexer::new(src);
        let mut vals = Stack::<i64, 16>::new(0);
        let mut ops: Stack<Token, 16> = Stack::new(Token::Eof);
        loop {
            match lx.next_token()? {
                Token::Num(n) => vals.push(n)?,
                Token::Op(op) => {
                    while let Some(&Token::Op(top)) = ops.last() {
                        if top.prec() < op.prec() {
                            break;
                        }
                        ops.pop();
                        reduce(&mut vals, top)?;
                    }
                    ops.push(Token::Op(op))?;
                }
                Token::LParen => ops.push(Token::LParen)?,
                Token::RParen => loop {
                    match ops.pop() {
                        Some(Token::LParen) => break,
                        Some(Token::Op(op)) => reduce(&mut vals, op)?,
                        _ => return Err("unbalanced parenthesis"),
                    }
                },
                Token::Eof => break,
            }
        }
        while let Some(t) = ops.pop() {
            if let Token::Op(op) = t {
                reduce(&mut vals, op)?;
            } else {
                return Err("unbalanced parenthesis");
            }
        }
        vals.pop().ok_or("empty")
    }
    const ALPHABET: &[u8; 16] = b"0123456789+-*/()";
    pub(super) fn named_errors(i: u32, x: &[u32]) -> u32 {
        let mut text = [b' '; 12];
        for (k, slot) in text.iter_mut().enumerate() {
            let r = x[(i as usize * 7 + k * 3) % x.len()];
            *slot = if k % 2 == 0 { ALPHABET[(r % 10) as usize] } else { ALPHABET[10 + (r % 6) as usize] };
        }
        if i % 3 == 0 {
            text[11] = b'7';
        }
        match eval(&text) {
            Ok(v) => v as u32,
            Err("division by zero") => 0xdead,
            Err(e) => 0xbad0 + (e == "empty") as u32,
        }
    }
});

both!(codes, plain_codes, {
    pub const fn part1by1(mut n: u32) -> u32 {
        n &= 0x0000ffff;
        n = (n | (n << 8)) & 0x00FF00FF;
        n = (n | (n << 4)) & 0x0F0F0F0F;
        n = (n | (n << 2)) & 0x33333333;
        (n | (n << 1)) & 0x55555555
    }
    pub const fn morton2((x, y): (u32, u32)) -> u32 {
        part1by1(x) | (part1by1(y) << 1)
    }
    pub fn morton3_64(p: [u32; 3]) -> u64 {
        let spread = |v: u32| -> u64 {
            let mut v = v as u64 & 0x1f_ffff;
            for (s, m) in [
                (32, 0x1f00000000ffff),
                (16, 0x1f0000ff0000ff),
                (8, 0x100f00f00f00f00f),
                (4, 0x10c30c30c30c30c3),
                (2, 0x1249249249249249),
            ] {
                v = (v | v << s) & m;
            }
            v
        };
        p.iter().enumerate().map(|(k, &c)| spread(c) << k).fold(0, |a, b| a | b)
    }
    const fn make_table() -> [u32; 256] {
        let mut table = [0u32; 256];
        let mut i = 0;
        while i < 256 {
            let mut c = i as u32;
            let mut k = 0;
            while k < 8 {
                c = if c & 1 == 1 { 0xEDB88320 ^ (c >> 1) } else { c >> 1 };
                k += 1;
            }
            table[i] = c;
            i += 1;
        }
        table
    }
    static CRC_TABLE: [u32; 256] = make_table();
    pub fn crc32<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u32 {
        !bytes.into_iter().fold(!0, |c, &b| CRC_TABLE[((c ^ b as u32) & 0xff) as usize] ^ (c >> 8))
    }
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    enum Slot {
        #[default]
        Empty,
        Deleted,
        Full {
            key: u32,
            value: u32,
        },
    }
    pub struct Map<const CAP: usize> {
        slots: [Slot; CAP],
        len: usize,
    }
    impl<const CAP: usize> Default for Map<CAP> {
        fn default() -> Self {
            Map { slots: [Slot::default(); CAP], len: 0 }
        }
    }
    impl<const CAP: usize> Map<CAP> {
        const MASK: usize = CAP - 1;
        fn hash(key: u32) -> usize {
            (key.wrapping_mul(0x9E37_79B9) >> 16) as usize & Self::MASK
        }
        fn probe(key: u32) -> impl Iterator<Item = usize> {
            let h = Self::hash(key);
            (0..CAP).map(move |i| (h + i) & Self::MASK)
        }
        pub fn get(&self, key: u32) -> Option<&u32> {
            for i in Self::probe(key) {
                match &self.slots[i] {
                    Slot::Full { key: k, value } if *k == key => return Some(value),
                    Slot::Empty => return None,
                    _ => {}
                }
            }
            None
        }
        pub fn insert(&mut self, key: u32, value: u32) -> Option<u32> {
            let mut free = None;
            for i in Self::probe(key) {
                match self.slots[i] {
                    Slot::Full { key: k, value: old } if k == key => {
                        self.slots[i] = Slot::Full { key, value };
                        return Some(old);
                    }
                    Slot::Full { .. } => continue,
                    Slot::Deleted => {
                        free.get_or_insert(i);
                    }
                    Slot::Empty => {
                        let at = free.unwrap_or(i);
                        self.slots[at] = Slot::Full { key, value };
                        self.len += 1;
                        return None;
                    }
                }
            }
            if let Some(at) = free {
                self.slots[at] = Slot::Full { key, value };
                self.len += 1;
            }
            None
        }
        pub fn remove(&mut self, key: u32) -> Option<u32> {
            let at = Self::probe(key).find(|&i| matches!(self.slots[i], Slot::Full { key: k, .. } if k == key))?;
            let Slot::Full { value, .. } = std::mem::replace(&mut self.slots[at], Slot::Deleted) else {
                unreachable!()
            };
            self.len -= 1;
            Some(value)
        }
        pub fn entry_or_insert(&mut self, key: u32, v: u32) -> &mut Slot {
            let h = Self::hash(key);
            if self.slots[h] == Slot::Empty {
                self.slots[h] = Slot::Full { key, value: v };
            }
            &mut self.slots[h]
        }
    }
    pub fn rle(data: &[u8], out: &mut [(u8, u8)]) -> usize {
        let mut n = 0;
        let mut it = data.iter().copied();
        let Some(mut cur) = it.next() else { return 0 };
        let mut count = 1u8;
        for b in it {
            if b == cur && count < u8::MAX {
                count += 1;
            } else {
                out[n] = (cur, count);
                n += 1;
                (cur, count) = (b, 1);
            }
        }
        out[n] = (cur, count);
        n + 1
    }
    pub(super) fn codes(i: u32, x: &[u32]) -> u32 {
        let mut map = Map::<16>::default();
        let mut h = morton2((i, x[i as usize])) as u64;
        for k in 0..20 {
            let key = x[(i as usize + k) % x.len()] % 23;
            h = h.wrapping_mul(31);
            h += match k % 3 {
                0 | 1 => map.insert(key, k as u32).unwrap_or(77),
                _ => map.remove(key).map_or(5, |v| v + 1),
            } as u64;
        }
        h ^= map.get(x[i as usize] % 23).copied().unwrap_or_default() as u64 ^ map.len as u64;
        h ^= morton3_64([i, x[3], x[i as usize + 1]]);
        let bytes: [u8; 16] = core::array::from_fn(|k| (x[(i as usize + k / 3) % x.len()] % 2) as u8);
        let mut runs = [(0, 0); 16];
        let n = rle(&bytes, &mut runs);
        for &(b, c) in &runs[..n] {
            h = h.rotate_left(7) ^ (b as u64) << 8 ^ c as u64;
        }
        crc32(&bytes) ^ h as u32 ^ (h >> 32) as u32
    }
});

both!(sorts, plain_sorts, {
    pub fn largest<T: PartialOrd + Copy>(v: &[T]) -> T {
        let mut m = v[0];
        for &x in v.iter() {
            if x > m {
                m = x;
            }
        }
        m
    }
    pub fn clamp_all<T: Ord + Copy, const N: usize>(v: [T; N], lo: T, hi: T) -> [T; N] {
        v.map(|x| x.clamp(lo, hi))
    }
    pub fn span<T>(a: T, b: T, c: T) -> (T, T)
    where
        T: Ord + Copy,
    {
        (a.min(b).min(c), a.max(b).max(c))
    }
    pub fn ord_max<T: Ord>(a: T, b: T) -> T {
        Ord::max(a, b)
    }
    pub fn sorted<T: Ord + Copy, const N: usize>(mut v: [T; N]) -> [T; N] {
        v.sort();
        v
    }
    pub fn sort_in(v: &mut [u32]) {
        v.sort_unstable()
    }
    pub fn sort_by(v: &mut [u32]) {
        v.sort_unstable_by(|a, b| b.cmp(a))
    }
    pub fn median(v: &mut [u32; 5]) -> u32 {
        v.sort();
        v[2]
    }
    pub fn insertion_sort<T: PartialOrd>(v: &mut [T]) {
        for i in 1..v.len() {
            let mut j = i;
            while j > 0 && v[j - 1] > v[j] {
                v.swap(j - 1, j);
                j -= 1;
            }
        }
    }
    pub fn quick_select(v: &mut [u32], k: usize) -> u32 {
        let (mut lo, mut hi) = (0, v.len() - 1);
        loop {
            if lo == hi {
                return v[lo];
            }
            let pivot = v[(lo + hi) / 2];
            let (mut i, mut j) = (lo, hi);
            while i <= j {
                while v[i] < pivot {
                    i += 1;
                }
                while v[j] > pivot {
                    j -= 1;
                }
                if i <= j {
                    v.swap(i, j);
                    i += 1;
                    if j == 0 {
                        break;
                    }
                    j -= 1;
                }
            }
            if k <= j {
                hi = j;
            } else if k >= i {
                lo = i;
            } else {
                return v[k];
            }
        }
    }
    pub(super) fn sorts(i: u32, x: &[u32]) -> u32 {
        let i = i as usize;
        let mut v: [u32; 5] = x[i..i + 5].try_into().unwrap();
        let c = clamp_all(v, 10, 1000);
        let (lo, hi) = span(c[0], c[1], c[2]);
        let m = median(&mut v.clone());
        let s = sorted(v.map(|a| (a % 7, a)));
        sort_in(&mut v[1..]);
        let q = quick_select(&mut v, 3);
        sort_by(&mut v);
        let mut f: [f32; 4] = std::array::from_fn(|k| x[i + k] as f32);
        insertion_sort(&mut f);
        let far = usize::MAX - i;
        let near = isize::MIN + 1;
        largest(&f).to_bits()
            ^ lo
            ^ hi
            ^ m
            ^ s[1].1
            ^ q.rotate_left(9)
            ^ v[0]
            ^ ord_max(lo, 77)
            ^ far as u32
            ^ u32::from(near < 0)
            ^ u32::from(usize::BITS >= 32)
            ^ largest(&v)
            ^ (i < usize::MAX) as u32
    }
});

both!(grids, plain_grids, {
    pub struct Grid {
        cells: [[u32; 8]; 4],
    }
    impl Grid {
        fn rows(&self) -> u32 {
            self.cells[1].chunks(3).map(|c| c.iter().sum::<u32>()).fold(0, |a, b| a * 3 + b)
        }
        fn windows(&self) -> u32 {
            self.cells.iter().map(|row| row.windows(2).filter(|w| w[0] < w[1]).count() as u32).sum()
        }
        fn blocks(&mut self) {
            for row in self.cells.iter_mut() {
                for c in row.chunks_exact_mut(4) {
                    c.reverse();
                    c[0] += 1;
                }
            }
        }
        fn transpose(&mut self) {
            for r in 0..4 {
                for c in r + 1..4 {
                    let t = self.cells[r][c];
                    self.cells[r][c] = self.cells[c][r];
                    self.cells[c][r] = t;
                }
            }
        }
        fn col(&self, c: usize) -> impl Iterator<Item = u32> + '_ {
            self.cells.iter().map(move |r| r[c])
        }
    }
    pub(super) fn grids(i: u32, x: &[u32]) -> u32 {
        let mut g =
            Grid { cells: std::array::from_fn(|r| std::array::from_fn(|c| x[i as usize + r * 8 + c] & 0xffff)) };
        let a = g.rows() ^ g.windows();
        g.blocks();
        g.transpose();
        let pattern = [1u32, 2, 3].iter().map(|v| v * i).cycle().take(7).sum::<u32>();
        let w = (1..4).map(|k| k * k).cycle().skip(1).step_by(2).take(5).fold(0, |a, b| a * 10 + b);
        let wide: u128 = (x[i as usize] as u128) << 70 | x[i as usize + 1] as u128;
        let m = wide % 1_000_000_007;
        a ^ g.rows()
            ^ g.col(2).max().unwrap_or(0)
            ^ pattern
            ^ w
            ^ m as u32
            ^ g.col(1).zip(g.col(3)).filter(|(a, b)| a < b).count() as u32
    }
});

both!(sizes, plain_sizes, {
    pub const FAR: usize = usize::MAX;
    pub struct Slot {
        pub at: usize,
    }
    impl Slot {
        pub const EMPTY: usize = usize::MAX;
        fn is_empty(&self) -> bool {
            self.at == Self::EMPTY
        }
    }
    pub struct Pair<T> {
        pub of: [T; 2],
        pub at: usize,
    }
    impl<T: Copy> Pair<T> {
        fn is_full(&self) -> bool {
            self.at != usize::MAX
        }
    }
    fn first(x: &[u32], k: u32) -> usize {
        for (i, v) in x.iter().enumerate() {
            if *v % 16 == k {
                return i;
            }
        }
        usize::MAX
    }
    fn kind(n: usize) -> u32 {
        match n {
            0 => 1,
            FAR => 7,
            5..usize::MAX => 4,
            _ => 5,
        }
    }
    type Index = usize;
    const fn far(n: usize) -> usize {
        if n > 3 { usize::MAX } else { n }
    }
    pub(super) fn sizes(i: u32, x: &[u32]) -> u32 {
        const NONE: usize = usize::MAX;
        let mut best = usize::MAX;
        for k in 0..4 {
            best = best.min(first(&x[i as usize..][..5], k));
        }
        let mut distances = [usize::MAX; 4];
        distances[(i % 4) as usize] = best;
        let slot = Slot { at: if i % 3 == 0 { Slot::EMPTY } else { 3 } };
        let pair = Pair { of: [1u32, 2], at: best };
        let n = if i % 2 == 0 { FAR } else { i as usize };
        let found = distances.iter().filter(|d| **d == NONE).count() as u32;
        let flags = [
            slot.is_empty(),
            pair.is_full(),
            Index::MAX == best,
            far(i as usize) == FAR,
            isize::MIN < 0,
            best < isize::MAX as usize,
        ];
        flags.iter().fold(found ^ kind(n) << 4 ^ kind(best) << 8, |all, flag| all << 1 | u32::from(*flag))
            ^ pair.of[1]
            ^ (usize::MAX - i as usize) as u32
    }
});

both!(pairs, plain_pairs, {
    #[derive(Clone, Copy, Debug)]
    pub struct Random(u32);
    impl Random {
        fn new(seed: u32) -> Self {
            Random(seed | 1)
        }
        fn next(&mut self) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            self.0
        }
    }
    #[derive(Clone, Copy, Default, Debug)]
    struct Cell {
        key: u32,
        count: u32,
        live: bool,
    }
    fn draw(random: &mut Random, n: u32) -> u32 {
        (0..n).fold(0, |sum: u32, _| sum.rotate_left(5) ^ random.next())
    }
    fn filled(own: &mut [u32; 4], by: u32) -> u32 {
        own.iter_mut().for_each(|v| *v += by);
        own.iter().sum()
    }
    struct Table {
        cells: [Cell; 6],
    }
    impl Table {
        fn bump(&mut self, key: u32) -> Option<usize> {
            if let Some((at, cell)) = self.cells.iter_mut().enumerate().find(|(_, cell)| cell.live && cell.key == key) {
                cell.count += 1;
                return Some(at);
            }
            let Some((at, cell)) = self.cells.iter_mut().enumerate().find(|(at, cell)| *at > 0 && !cell.live) else {
                return None;
            };
            *cell = Cell { key, count: 1, live: true };
            Some(at)
        }
        fn evict(&mut self) -> u32 {
            let Some((at, least)) = self.cells.iter_mut().enumerate().min_by_key(|(_, cell)| (cell.count, cell.key))
            else {
                return 0;
            };
            least.live = false;
            at as u32
        }
    }
    pub(super) fn pairs(i: u32, x: &[u32]) -> u32 {
        let mut table = Table { cells: [Cell::default(); 6] };
        let mut sum = draw(&mut Random::new(i), 3) ^ draw(&mut Random(x[i as usize]), 2);
        sum ^= filled(&mut [i; 4], 3) ^ filled(&mut [1, 2, 3, i], 1);
        for k in 0..10 {
            let key = x[(i as usize + k * 5) % x.len()] % 7;
            match table.bump(key) {
                Some(at) => sum = sum.rotate_left(3) ^ at as u32,
                None => sum ^= table.evict() << 8,
            }
        }
        table
            .cells
            .iter()
            .filter(|cell| cell.live)
            .fold(sum, |sum, cell| sum.wrapping_mul(31) ^ cell.key ^ cell.count << 16)
    }
});

both!(macros, plain_macros, {
    pub trait Real: Copy {
        fn half(self) -> Self;
        const TWO: Self;
    }
    macro_rules! impl_real {
        ($($t:ty),* $(,)?) => {
            $(impl Real for $t { fn half(self) -> Self { self / (2 as $t) } const TWO: Self = 2 as $t; })*
        };
    }
    impl_real!(f32, u32, i64,);
    #[derive(Clone, Copy)]
    pub struct Wide {
        a: u32,
        b: u32,
        c: u32,
    }
    macro_rules! operator {
        ($trait:ident :: $name:ident => |$l:ident, $r:ident| $e:expr; $($field:ident)+) => {
            impl std::ops::$trait for Wide {
                type Output = Wide;
                fn $name(self, other: Wide) -> Wide { Wide { $($field: { let ($l, $r) = (self.$field, other.$field); $e }),+ } }
            }
        };
    }
    operator!(Add::add => |l, r| l.wrapping_add(r); a b c);
    operator!(BitXor::bitxor => |l, r| l ^ r.rotate_left(3); a b c);
    macro_rules! larger {
        ($one:expr) => { $one };
        ($first:expr, $($rest:expr),+) => {{ let most = larger!($($rest),+); let first = $first; if first > most { first } else { most } }};
    }
    macro_rules! mix {
        ($a:ident, $b:ident) => {
            $a = $a.wrapping_add($b);
            $b = $b.rotate_left(7) ^ $a;
        };
    }
    fn halves<T: Real>(v: T) -> (T, T) {
        (v.half(), T::TWO)
    }
    pub(super) fn macros(i: u32, x: &[u32]) -> u32 {
        let (mut most, mut b) = (x[i as usize], i);
        mix!(most, b);
        mix!(b, most);
        let top = larger!(most, b, x[i as usize + 1], i + 1) ^ 1 + larger!(i, 3) * 2;
        let (f, two) = halves(i as f32);
        let (w, _) = halves(-(x[i as usize] as i64));
        let all = (Wide { a: top, b, c: i } + Wide { a: 1, b: most, c: 2 }) ^ Wide { a: i, b: 3, c: most };
        top ^ f.to_bits() ^ two.to_bits() ^ w as u32 ^ all.a ^ all.b ^ all.c ^ halves(b).0
    }
});

both!(btree, plain_btree, {
    const ORDER: usize = 4;
    #[derive(Clone, Copy)]
    struct Node {
        keys: [u32; ORDER],
        vals: [u32; ORDER],
        children: [Option<u16>; ORDER + 1],
        len: u8,
    }
    impl Node {
        fn leaf() -> Self {
            Node { keys: [0; ORDER], vals: [0; ORDER], children: [None; ORDER + 1], len: 0 }
        }
        fn keys(&self) -> &[u32] {
            &self.keys[..self.len as usize]
        }
        fn is_leaf(&self) -> bool {
            self.children.iter().all(Option::is_none)
        }
        fn insert_at(&mut self, at: usize, key: u32, val: u32) {
            let n = self.len as usize;
            self.keys.copy_within(at..n, at + 1);
            self.vals.copy_within(at..n, at + 1);
            self.keys[at] = key;
            self.vals[at] = val;
            self.len += 1;
        }
    }
    fn search(nodes: &[Node], key: u32) -> Result<u32, (usize, usize)> {
        let mut at = 0usize;
        loop {
            let node = &nodes[at];
            match node.keys().binary_search(&key) {
                Ok(k) => return Ok(node.vals[k]),
                Err(k) => match node.children[k] {
                    Some(child) => at = child.into(),
                    None => return Err((at, k)),
                },
            }
        }
    }
    pub(super) fn btree(i: u32, x: &[u32]) -> u32 {
        let mut nodes = [Node::leaf(); 3];
        for (k, key) in [40u32, 80].into_iter().enumerate() {
            nodes[0].insert_at(k, key, key * 2);
        }
        nodes[0].children[0] = Some(1);
        nodes[0].children[1] = Some(2);
        let mut misses = 0;
        for j in 0..6 {
            let key = x[(i as usize + j * 5) % x.len()] % 120;
            match search(&nodes, key) {
                Ok(v) => misses += v << 8,
                Err((n, at)) if (nodes[n].len as usize) < ORDER && nodes[n].is_leaf() => {
                    nodes[n].insert_at(at, key, key ^ i)
                }
                Err(_) => misses += 1,
            }
        }
        nodes.iter().fold(misses, |h, n| n.keys().iter().fold(h, |h, k| h.wrapping_mul(31) ^ k))
    }
});

domain!("domains_newcomers", {
    btree, Btree, plain_btree;
    named_errors, NamedErrors, plain_named_errors;
    codes, Codes, plain_codes;
    sorts, Sorts, plain_sorts;
    grids, Grids, plain_grids;
    sizes, Sizes, plain_sizes;
    pairs, Pairs, plain_pairs;
    macros, Macros, plain_macros;
});
