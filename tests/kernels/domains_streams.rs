//! Programs as people write them: decoders, parsers, iterators, slices, codes of bytes. Each function also stands in a module that only rustc compiles.

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

each_program! { domains_streams:

huffman plain_huffman run_huffman RunHuffman HUFFMAN {
    pub struct BitReader<'a> { data: &'a [u8], bit: usize }
    impl BitReader<'_> {
        fn next(&mut self) -> Option<bool> {
            let byte = self.data.get(self.bit / 8)?;
            let v = byte >> (self.bit % 8) & 1;
            self.bit += 1;
            Some(v == 1)
        }
        fn take(&mut self, n: u32) -> Option<u32> {
            (0..n).try_fold(0, |acc, i| Some(acc | (self.next()? as u32) << i))
        }
    }
    struct Canonical { counts: [u16; 16], symbols: [u16; 19] }
    impl Canonical {
        fn new(lengths: &[u8]) -> Option<Canonical> {
            let mut counts = [0u16; 16];
            for &l in lengths { counts[l as usize] += 1; }
            let mut left = 1i32;
            for &c in &counts[1..] { left <<= 1; left -= c as i32; if left < 0 { return None; } }
            counts[0] = 0;
            let mut offs = [0u16; 16];
            for i in 1..15 { offs[i + 1] = offs[i] + counts[i]; }
            let mut symbols = [0u16; 19];
            for (sym, &len) in lengths.iter().enumerate().filter(|&(_, &l)| l != 0) {
                symbols[usize::from(offs[usize::from(len)])] = sym as u16;
                offs[usize::from(len)] += 1;
            }
            Some(Self { counts, symbols })
        }
        fn decode(&self, r: &mut BitReader<'_>) -> Option<u16> {
            let (mut code, mut first, mut index) = (0i32, 0i32, 0i32);
            for &count in self.counts.iter().skip(1) {
                code |= i32::from(r.next()?);
                let count = i32::from(count);
                if code - count < first { return self.symbols.get((index + code - first) as usize).copied(); }
                index += count;
                first = (first + count) << 1;
                code <<= 1;
            }
            None
        }
    }
    pub fn of(i: u32) -> u32 {
        let lengths = [3u8, 3, 3, 3, 3, 2, 4, 4];
        let Some(table) = Canonical::new(&lengths) else { return 1 };
        let data = (i.wrapping_mul(0x9e37_79b9) as u64).wrapping_mul(0x1234_5678_9abc).to_le_bytes();
        let mut r = BitReader { data: &data, bit: 0 };
        let extra = r.take(3).unwrap_or(0);
        let mut h = extra;
        while let Some(sym) = table.decode(&mut r) { h = h.wrapping_mul(9) + sym as u32; }
        h
    }
}

lz plain_lz run_lz RunLz LZ {
    struct Encoder<'a> { src: &'a [u8], out: &'a mut [u8], len: usize }
    impl<'a> Encoder<'a> {
        fn emit(&mut self, b: u8) -> Option<()> { *self.out.get_mut(self.len)? = b; self.len += 1; Some(()) }
        fn longest_match(&self, at: usize) -> Option<(usize, usize)> {
            (at.saturating_sub(15)..at)
                .map(|from| (self.src[from..].iter().zip(&self.src[at..]).take_while(|(a, b)| a == b).count().min(9), at - from))
                .filter(|&(len, _)| len >= 3)
                .max_by_key(|&(len, dist)| (len, std::cmp::Reverse(dist)))
        }
        fn run(mut self) -> Option<usize> {
            let mut at = 0;
            while at < self.src.len() {
                if let Some((len, dist)) = self.longest_match(at) {
                    self.emit(0x80 | (len as u8 - 3) << 4 | dist as u8)?;
                    at += len;
                } else {
                    self.emit(self.src[at] & 0x7f)?;
                    at += 1;
                }
            }
            Some(self.len)
        }
    }
    fn rle<const N: usize>(src: &[u8], out: &mut [(u8, u8); N]) -> usize {
        let mut n = 0;
        let mut it = src.iter().copied();
        let Some(mut cur) = it.next() else { return 0 };
        let mut count = 1u8;
        for b in it {
            if b == cur && count < u8::MAX { count += 1 } else { out[n] = (cur, count); n += 1; (cur, count) = (b, 1); }
        }
        out[n] = (cur, count);
        n + 1
    }
    pub fn of(i: u32) -> u32 {
        let mut text = *b"abcabcabcaabbbbcabcabcdddd";
        let n = text.len();
        text[i as usize % n] = b'z';
        let mut out = [0u8; 26];
        let len = Encoder { src: &text, out: &mut out, len: 0 }.run();
        let mut rl = [(0u8, 0u8); 26];
        let k = rle(&text, &mut rl);
        let h = rl[..k].iter().fold(0u32, |h, &(b, c)| h.wrapping_mul(37) ^ (b as u32) << 3 ^ c as u32);
        out[..len.unwrap_or(0)].iter().fold(h, |h, &b| h.wrapping_mul(31) ^ u32::from(b))
    }
}

json plain_json run_json RunJson JSON {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Error { Eof, Unexpected(u8, usize), Overflow }
    pub struct Lexer<'a> { src: &'a [u8], pos: usize }
    impl<'a> Lexer<'a> {
        pub fn new(src: &'a [u8]) -> Self { Self { src, pos: 0 } }
        fn peek(&self) -> Option<u8> { self.src.get(self.pos).copied() }
        fn bump(&mut self) -> Option<u8> { let b = self.peek()?; self.pos += 1; Some(b) }
        fn skip_ws(&mut self) { while self.peek().is_some_and(|b| b.is_ascii_whitespace()) { self.pos += 1; } }
        fn number(&mut self) -> Result<i64, Error> {
            let neg = self.peek() == Some(b'-');
            if neg { self.pos += 1; }
            let mut v: i64 = 0;
            let start = self.pos;
            while let Some(d @ b'0'..=b'9') = self.peek() {
                v = v.checked_mul(10).and_then(|v| v.checked_add((d - b'0') as i64)).ok_or(Error::Overflow)?;
                self.pos += 1;
            }
            if self.pos == start { return Err(self.peek().map_or(Error::Eof, |b| Error::Unexpected(b, self.pos))); }
            Ok(if neg { -v } else { v })
        }
        fn depth(&mut self) -> Result<(u32, i64), Error> {
            let (mut depth, mut max, mut sum) = (0u32, 0u32, 0i64);
            loop {
                self.skip_ws();
                let Some(b) = self.peek() else { break };
                match b {
                    b'{' | b'[' => { depth += 1; max = max.max(depth); self.pos += 1; }
                    b'}' | b']' => { depth = depth.checked_sub(1).ok_or(Error::Unexpected(b, self.pos))?; self.pos += 1; }
                    b',' | b':' => { self.bump(); }
                    b'"' => { self.bump(); while self.bump().ok_or(Error::Eof)? != b'"' {} }
                    b'-' | b'0'..=b'9' => sum += self.number()?,
                    b't' if self.src[self.pos..].starts_with(b"true") => self.pos += 4,
                    other => return Err(Error::Unexpected(other, self.pos)),
                }
            }
            if depth != 0 { Err(Error::Eof) } else { Ok((max, sum)) }
        }
    }
    pub fn of(i: u32) -> u32 {
        let mut text = *b"{\"a\": [1, 22, -333, {\"b\": true}], \"k\": 99999}";
        let n = text.len();
        text[i as usize % n] ^= (i / 16) as u8;
        match Lexer::new(&text).depth() {
            Ok((d, s)) => d << 16 ^ s as u32,
            Err(Error::Eof) => 7,
            Err(Error::Unexpected(b, at)) => 0x8000_0000 | u32::from(b) << 8 | at as u32,
            Err(Error::Overflow) => 9,
        }
    }
}

tokens plain_tokens run_tokens RunTokens TOKENS {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Op { Add, Sub, Mul, Div, LParen }
    impl Op { fn prec(self) -> u8 { match self { Op::Add | Op::Sub => 1, Op::Mul | Op::Div => 2, Op::LParen => 0 } } }
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EvalError { Stack, DivZero, BadChar(u8), Unbalanced }
    struct Stack<T, const N: usize> { items: [T; N], len: usize }
    impl<T: Copy, const N: usize> Stack<T, N> {
        fn new(fill: T) -> Self { Stack { items: [fill; N], len: 0 } }
        fn push(&mut self, v: T) -> Result<(), EvalError> { *self.items.get_mut(self.len).ok_or(EvalError::Stack)? = v; self.len += 1; Ok(()) }
        fn pop(&mut self) -> Option<T> { self.len = self.len.checked_sub(1)?; Some(self.items[self.len]) }
        fn peek(&self) -> Option<&T> { self.items[..self.len].last() }
    }
    fn apply(vals: &mut Stack<i32, 8>, op: Op) -> Result<(), EvalError> {
        let (Some(b), Some(a)) = (vals.pop(), vals.pop()) else { return Err(EvalError::Stack) };
        let v = match op {
            Op::Add => a.wrapping_add(b),
            Op::Sub => a.wrapping_sub(b),
            Op::Mul => a.wrapping_mul(b),
            Op::Div if b == 0 => return Err(EvalError::DivZero),
            Op::Div => a.wrapping_div(b),
            Op::LParen => return Err(EvalError::Unbalanced),
        };
        vals.push(v)
    }
    fn eval(text: &[u8]) -> Result<i32, EvalError> {
        let mut vals = Stack::<i32, 8>::new(0);
        let mut ops = Stack::<Op, 8>::new(Op::Add);
        let mut i = 0;
        'outer: while i < text.len() {
            match text[i] {
                b' ' => {}
                d @ b'0'..=b'9' => {
                    let mut v = i32::from(d - b'0');
                    while let Some(d) = text.get(i + 1).filter(|c| c.is_ascii_digit()) { v = v * 10 + i32::from(d - b'0'); i += 1; }
                    vals.push(v)?;
                }
                b'(' => ops.push(Op::LParen)?,
                b')' => loop {
                    match ops.pop() {
                        Some(Op::LParen) => { i += 1; continue 'outer; }
                        Some(op) => apply(&mut vals, op)?,
                        None => return Err(EvalError::Unbalanced),
                    }
                },
                c => {
                    let op = match c { b'+' => Op::Add, b'-' => Op::Sub, b'*' => Op::Mul, b'/' => Op::Div, other => return Err(EvalError::BadChar(other)) };
                    while let Some(&top) = ops.peek() && top.prec() >= op.prec() { ops.pop(); apply(&mut vals, top)?; }
                    ops.push(op)?;
                }
            }
            i += 1;
        }
        while let Some(op) = ops.pop() { apply(&mut vals, op)?; }
        vals.pop().ok_or(EvalError::Stack)
    }
    pub fn of(i: u32) -> u32 {
        let mut text = *b"12+(3*47-(8/2))*5 - 9/(1-1)";
        text[25] = b'0' + (i % 10) as u8;
        if i > 40 { let n = text.len(); text[i as usize % n] = b'(' ; }
        match eval(&text) { Ok(v) => v as u32, Err(EvalError::BadChar(c)) => 0xff00 | u32::from(c), Err(e) => 0xe000 + (e == EvalError::DivZero) as u32 }
    }
}

iters plain_iters run_iters RunIters ITERS {
    fn runs(xs: &[u8]) -> u32 { xs.windows(2).filter(|w| w[0] != w[1]).count() as u32 + 1 }
    fn longest_increasing(xs: &[i32]) -> usize {
        let mut tails = [0; 16];
        let mut len = 0;
        for &x in xs {
            let at = tails[..len].partition_point(|&t| t < x);
            tails[at] = x;
            if at == len { len += 1; }
        }
        len
    }
    fn kadane(xs: &[i32]) -> i32 { xs.iter().skip(1).fold((xs[0], xs[0]), |(cur, best), &x| { let cur = x.max(cur + x); (cur, best.max(cur)) }).1 }
    fn majority(xs: &[u8]) -> Option<u8> {
        let (cand, _) = xs.iter().fold((None, 0), |(c, n), &x| match c { Some(y) if y == x => (c, n + 1), _ if n == 0 => (Some(x), 1), _ => (c, n - 1) });
        cand.filter(|&c| xs.iter().filter(|&&x| x == c).count() * 2 > xs.len())
    }
    fn primes(limit: u32) -> impl Iterator<Item = u32> { (2..limit).filter(|n| (2u32..).take_while(|d| d * d <= *n).all(|d| n % d != 0)) }
    fn pairs(n: u32) -> u32 { (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| (a * b) % 3 == 1).map(|(a, b)| a ^ b).sum() }
    pub fn of(i: u32) -> u32 {
        let xs: [i32; 12] = core::array::from_fn(|k| ((k as u32 * 7919 + i * 104729) % 41) as i32 - 20);
        let bytes = xs.map(|x| (x & 3) as u8);
        let mut h = runs(&bytes) + longest_increasing(&xs) as u32 * 16;
        h = h.wrapping_mul(31).wrapping_add(kadane(&xs) as u32);
        h = h.wrapping_mul(31).wrapping_add(majority(&bytes).map_or(77, u32::from));
        h = h.wrapping_mul(31).wrapping_add(primes(i).last().unwrap_or(0));
        h = h.wrapping_mul(31).wrapping_add(pairs(i % 12));
        let (lo, hi) = xs.iter().fold((i32::MAX, i32::MIN), |(lo, hi), &x| (lo.min(x), hi.max(x)));
        h ^= (hi - lo) as u32;
        let idx = xs.iter().enumerate().min_by_key(|(_, x)| (*x - 3).unsigned_abs()).map(|(k, _)| k).unwrap();
        h = h.wrapping_mul(31).wrapping_add(idx as u32);
        let p: i32 = xs.chunks_exact(3).map(|c| c.iter().product::<i32>()).sum();
        h = h.wrapping_mul(31).wrapping_add(p as u32);
        let total = xs.iter().try_fold(0i32, |a, &x| if x == 20 { None } else { a.checked_add(x) });
        h = h.wrapping_mul(31).wrapping_add(total.unwrap_or(-1) as u32);
        let alternating: i32 = xs.iter().zip([1, -1].iter().cycle()).map(|(a, s)| a * s).sum();
        h = h.wrapping_mul(31).wrapping_add(alternating as u32);
        let s: u32 = (1..=10u32).rev().step_by(3).zip(5..).map(|(a, b): (u32, u32)| a * b).sum();
        let sorted = xs.is_sorted() || xs.iter().rev().is_sorted_by(|a, b| a <= b);
        let z = std::iter::successors(Some(i), |&n| (n > 1).then(|| if n % 2 == 0 { n / 2 } else { 3 * n + 1 })).count() as u32;
        let last_neg = xs.iter().rposition(|x| x.is_negative()).unwrap_or(u32::MAX as usize);
        h ^ s ^ z << 8 ^ u32::from(sorted) ^ (last_neg as u32) << 16
    }
}

slices plain_slices run_slices RunSlices SLICES {
    fn insertion_sort<T: PartialOrd + Copy>(xs: &mut [T]) {
        for i in 1..xs.len() {
            let mut j = i;
            while j > 0 && xs[j - 1] > xs[j] { xs.swap(j - 1, j); j -= 1; }
        }
    }
    fn partition<T: Copy + PartialOrd>(xs: &mut [T]) -> usize {
        let Some((&pivot, rest)) = xs.split_last() else { return 0 };
        let n = rest.len();
        let mut store = 0;
        for k in 0..n { if xs[k] < pivot { xs.swap(k, store); store += 1; } }
        xs.swap(store, n);
        store
    }
    fn merge(a: &[u32], b: &[u32], out: &mut [u32]) {
        let (mut i, mut j) = (0, 0);
        for slot in out.iter_mut() {
            *slot = match (a.get(i), b.get(j)) {
                (Some(&x), Some(&y)) if x <= y => { i += 1; x }
                (_, Some(&y)) => { j += 1; y }
                (Some(&x), None) => { i += 1; x }
                (None, None) => unreachable!(),
            };
        }
    }
    fn next_permutation(xs: &mut [u8]) -> bool {
        let Some(i) = xs.windows(2).rposition(|w| w[0] < w[1]) else { xs.reverse(); return false };
        let j = xs.iter().rposition(|&x| x > xs[i]).unwrap();
        xs.swap(i, j);
        xs[i + 1..].reverse();
        true
    }
    fn find(hay: &[u8], needle: &[u8]) -> Option<usize> { hay.windows(needle.len()).position(|w| w == needle) }
    fn trim(mut s: &[u8]) -> &[u8] {
        while let [b' ', rest @ ..] = s { s = rest; }
        while let [rest @ .., b' '] = s { s = rest; }
        s
    }
    fn dedup<const N: usize>(xs: &mut [u32; N]) -> usize {
        let mut w = 1;
        for r in 1..N { if xs[r] != xs[w - 1] { xs[w] = xs[r]; w += 1; } }
        w
    }
    fn prefix_sum(xs: &mut [u32]) { let mut acc = 0; for x in xs { acc += *x; *x = acc; } }
    fn transpose(m: &mut [[u32; 4]; 4]) { for i in 0..4 { for j in 0..i { let t = m[i][j]; m[i][j] = m[j][i]; m[j][i] = t; } } }
    pub fn of(i: u32) -> u32 {
        let mut a: [u32; 8] = core::array::from_fn(|k| (k as u32 ^ i).wrapping_mul(0x9e3779b1) >> 28);
        let mut b = a; b.rotate_right(3); b[..4].fill(i);
        insertion_sort(&mut a);
        b.sort_unstable_by_key(|&v| std::cmp::Reverse(v));
        b.reverse();
        let mut out = [0; 16];
        merge(&a, &b, &mut out);
        let n = dedup(&mut out);
        let mut c = [3u8, 1, 4, 1, 5];
        for _ in 0..i { next_permutation(&mut c); }
        let p = partition(&mut c);
        let at = find(b"the quick brown fox", &b"quick brown"[(i % 5) as usize..]).map_or(0, |k| k + 1);
        let t = trim(&b"   padded text  "[i as usize % 4..]).len();
        prefix_sum(&mut out[..n]);
        let mut m: [[u32; 4]; 4] = [[0; 4]; 4];
        for (r, row) in m.iter_mut().enumerate() { for (cc, v) in row.iter_mut().enumerate() { *v = (r * 4 + cc) as u32 + i; } }
        transpose(&mut m);
        m.swap(0, 3);
        let diag: u32 = m.iter().enumerate().map(|(k, row)| row[k]).sum();
        let has = a.contains(&7) as u32 + (a.binary_search(&3).is_ok() as u32) * 2 + (b.starts_with(&[i]) as u32) * 4;
        let found = match a.binary_search(&9) { Ok(k) | Err(k) => k as u32 };
        out[n - 1] ^ (p as u32) << 8 ^ (at as u32) << 12 ^ (t as u32) << 18 ^ c.iter().fold(0, |h, &v| h * 7 + u32::from(v)) ^ diag ^ has << 29 ^ found << 25
    }
}

ints plain_ints run_ints RunInts INTS {
    fn gcd(a: u64, b: u64) -> u64 { let (mut a, mut b) = (a, b); while b != 0 { (a, b) = (b, a % b); } a }
    fn egcd(a: i64, b: i64) -> (i64, i64, i64) {
        let (mut r, mut s, mut t) = ((a, b), (1, 0), (0, 1));
        while r.1 != 0 { let q = r.0.div_euclid(r.1); r = (r.1, r.0 - q * r.1); s = (s.1, s.0 - q * s.1); t = (t.1, t.0 - q * t.1); }
        (r.0, s.0, t.0)
    }
    fn isqrt(n: u32) -> u32 { if n < 2 { return n; } let mut x = 1 << ((n.ilog2() / 2) + 1); loop { let y = (x + n / x) >> 1; if y >= x { break x; } x = y; } }
    fn days_from_civil(y: i32, m: u32, d: u32) -> i32 {
        let y = if m <= 2 { y - 1 } else { y };
        let era = y.div_euclid(400);
        let yoe = y.rem_euclid(400) as u32;
        let doy = (153 * (if m > 2 { m - 3 } else { m + 9 }) + 2) / 5 + d - 1;
        let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
        era * 146_097 + doe as i32 - 719_468
    }
    fn crc8(data: &[u8]) -> u8 { data.iter().fold(0, |crc, b| (0..8).fold(crc ^ b, |c, _| if c & 0x80 != 0 { c << 1 ^ 0x07 } else { c << 1 })) }
    fn gray(n: u32) -> u32 { n ^ n >> 1 }
    fn zigzag(v: i32) -> u32 { ((v << 1) ^ (v >> 31)) as u32 }
    fn leb128(mut v: u64, out: &mut [u8; 10]) -> usize {
        let mut n = 0;
        loop { let byte = (v & 0x7f) as u8; v >>= 7; out[n] = if v == 0 { byte } else { byte | 0x80 }; n += 1; if v == 0 { return n; } }
    }
    pub fn of(i: u32) -> u32 {
        let a = u64::from(i + 1) * 0x1234_5678_9abc;
        let mut h = gcd(a, a.rotate_left(13) | 1) as u32;
        let (g, x, y) = egcd(i64::from(i) * 97 + 3, 1_000_003);
        h ^= (g ^ x ^ y) as u32;
        h = h.wrapping_mul(31) ^ isqrt(i * 12345) ^ (i as u64 * 0xffff_ffff).isqrt() as u32;
        h = h.wrapping_mul(31) ^ days_from_civil(1970 + i as i32 * 7 - 200, 1 + i % 12, 1 + i % 28) as u32;
        h = h.wrapping_mul(31) ^ u32::from(crc8(&i.to_le_bytes()));
        h = h.wrapping_mul(31) ^ gray(i) ^ zigzag(i as i32 - 32);
        let mut buf = [0; 10];
        let n = leb128(a << (i % 20), &mut buf);
        h = h.wrapping_mul(31) ^ buf[..n].iter().map(|&b| b as u32).sum::<u32>();
        h = h.wrapping_mul(31) ^ i.div_ceil(7) ^ i.next_power_of_two() ^ i.abs_diff(40) ^ (i as u16).swap_bytes() as u32 ^ i.midpoint(99);
        h = h.wrapping_mul(31) ^ (i as i32 - 30).rem_euclid(7) as u32 ^ (i as i8).saturating_sub(100) as u32 ^ i.checked_next_multiple_of(9).unwrap_or(0);
        h = h.wrapping_mul(31) ^ i.checked_pow(6).unwrap_or(u32::MAX) ^ 3u32.wrapping_pow(i) ^ (i as i32 - 20).signum() as u32 ^ i.is_power_of_two() as u32;
        let (lo, over) = i.overflowing_mul(0x9000_0001);
        h = h.wrapping_mul(31) ^ lo ^ over as u32 ^ i.reverse_bits() ^ i.leading_ones() ^ (!i).trailing_ones() ^ i.checked_ilog2().unwrap_or(99) ^ i.checked_ilog10().unwrap_or(77);
        h ^ u16::try_from(i * 5000).map_or(1, u32::from) ^ u8::try_from(i as i32 - 10).unwrap_or_default() as u32
    }
}

generic_ends plain_generic_ends run_generic_ends RunGenericEnds GENERIC_ENDS {
    use std::ops::{Add, Mul};

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct C { re: f32, im: f32 }

    impl Mul for C { type Output = C; fn mul(self, o: C) -> C { C { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re } } }
    impl std::iter::Product for C { fn product<I: Iterator<Item = Self>>(it: I) -> Self { it.fold(C { re: 1.0, im: 0.0 }, Mul::mul) } }

    fn first<T: Copy>(xs: &[T], d: T) -> T { match xs.first() { Some(&p) => p, None => d } }
    fn last<T: Copy>(xs: &[T], d: T) -> T { let Some((&p, _rest)) = xs.split_last() else { return d }; p }
    fn greatest<T: Copy + Ord>(xs: &[T], d: T) -> T { if let Some(&p) = xs.iter().max() { p } else { d } }
    fn second<T: Copy + Ord, const N: usize>(xs: &[T; N], d: T) -> T { let Some(&p) = xs.get(1) else { return d }; let Some(q) = xs.first() else { return d }; p.max(*q) }
    fn beyond<T: Copy + Ord>(xs: &[T], d: T) -> T { let m = xs.iter().max(); if let Some(&v) = m && v < d { return v } if let Some(v) = xs.iter().find(|&&v| v > d) { return *v } d }
    fn partition<T: Copy + PartialOrd>(xs: &mut [T]) -> usize {
        let Some((&pivot, rest)) = xs.split_last() else { return 0 };
        let n = rest.len();
        let mut store = 0;
        for k in 0..n { if xs[k] < pivot { xs.swap(k, store); store += 1; } }
        xs.swap(store, n);
        store
    }
    fn majority(xs: &[u8]) -> Option<u8> {
        let (cand, _) = xs.iter().fold((None, 0), |(c, n), &x| match c { Some(y) if y == x => (c, n + 1), _ if n == 0 => (Some(x), 1), _ => (c, n - 1) });
        cand.filter(|&c| xs.iter().filter(|&&x| x == c).count() * 2 > xs.len())
    }

    pub fn of(i: u32) -> u32 {
        let mut a = [i, 4, 7, i / 3];
        let ends = first(&a, 5) + last(&a, 3) * 3 + greatest(&a, 3) + second(&a, 9) * 7 + beyond(&a, 5) * 11;
        let at = partition(&mut a) as u32;
        let x = [i, 2, 3];
        let s = x.iter().copied().fold(1, Add::add) + x.into_iter().reduce(std::ops::BitXor::bitxor).unwrap_or(0);
        let p: C = [C { re: 2.0, im: i as f32 }, C { re: 0.5, im: 1.0 }].into_iter().product();
        ends ^ at << 20 ^ a[1] ^ s << 8 ^ p.im.to_bits() ^ majority(&[1, i as u8 % 2, 1, 0]).map_or(9, u32::from)
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[HUFFMAN, LZ, JSON, TOKENS, ITERS, SLICES, INTS, GENERIC_ENDS];
