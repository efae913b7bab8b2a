//! Small programs about text and codes: formatting, calculators, parsers, decoders, automata, errors on their way. rustc compiles each of
//! them, too.

#![expect(clippy::redundant_closure, reason = "this is the form that is tried")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(errors, plain_errors, {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum Low {
        Neg(i32),
        Zero,
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum High {
        Low(Low),
        Big { by: u32 },
        Unit,
    }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Nothing;
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Wrapped<E>(pub(super) E, pub(super) u32);
    impl From<Low> for High {
        fn from(l: Low) -> Self {
            High::Low(l)
        }
    }
    impl From<Nothing> for High {
        fn from(_: Nothing) -> Self {
            High::Unit
        }
    }
    impl<E> From<E> for Wrapped<E> {
        fn from(e: E) -> Self {
            Wrapped(e, 7)
        }
    }
    pub(super) fn low(v: i32) -> Result<u32, Low> {
        match v {
            0 => Err(Low::Zero),
            n if n < 0 => Err(Low::Neg(n)),
            n => Ok(n as u32),
        }
    }
    pub(super) fn odd(v: u32) -> Result<(), Nothing> {
        if v % 2 == 1 { Err(Nothing) } else { Ok(()) }
    }
    pub(super) fn high(v: i32) -> Result<u32, High> {
        let n = low(v)?;
        if n > 60 {
            return Err(High::Big { by: n - 60 });
        }
        odd(n)?;
        Ok(n * 2)
    }
    pub(super) fn wrapped(v: i32) -> Result<u32, Wrapped<Low>> {
        Ok(low(v)? + 1)
    }
    pub(super) fn small(v: u32) -> Result<u32, u8> {
        if v > 50 { Err(v as u8) } else { Ok(v) }
    }
    pub(super) fn number(v: u32) -> Result<u32, u32> {
        Ok(small(v)? * 3)
    }

    pub(super) fn errors(i: u32, x: &[u32]) -> u32 {
        let v = (x[i as usize] & 127) as i32 - 10;
        let a = match high(v) {
            Ok(v) => v,
            Err(High::Low(Low::Neg(n))) => n.unsigned_abs() << 8,
            Err(High::Low(Low::Zero)) => 1 << 20,
            Err(High::Big { by }) => by << 12,
            Err(High::Unit) => 5,
        };
        let b = match wrapped(v) {
            Ok(v) => v,
            Err(Wrapped(Low::Zero, n)) => n,
            Err(Wrapped(Low::Neg(m), n)) => n * 100 + m.unsigned_abs(),
        };
        a ^ b << 4 ^ number(x[i as usize]).unwrap_or_else(|e| e << 20)
    }
});

both!(format, plain_format, {
    pub(super) struct Writer<const N: usize> {
        bytes: [u8; N],
        len: usize,
    }
    impl<const N: usize> Writer<N> {
        pub(super) const fn new() -> Self {
            Self { bytes: [b' '; N], len: 0 }
        }
        pub(super) fn byte(&mut self, b: u8) {
            if let Some(slot) = self.bytes.get_mut(self.len) {
                *slot = b;
                self.len += 1;
            }
        }
        pub(super) fn str(&mut self, s: &[u8]) {
            for &b in s {
                self.byte(b);
            }
        }
        pub(super) fn num(&mut self, mut n: u32) {
            let mut digits = [0u8; 10];
            let mut at = digits.len();
            loop {
                at -= 1;
                digits[at] = b'0' + (n % 10) as u8;
                n /= 10;
                if n == 0 {
                    break;
                }
            }
            self.str(&digits[at..]);
        }
        pub(super) fn hex(&mut self, n: u32) {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            for shift in (0..8).rev() {
                self.byte(HEX[(n >> (4 * shift) & 15) as usize]);
            }
        }
        pub(super) fn as_bytes(&self) -> &[u8] {
            &self.bytes[..self.len]
        }
    }

    pub(super) fn format(i: u32, x: &[u32]) -> u32 {
        let mut w = Writer::<24>::new();
        w.str(b"id=");
        w.num(x[i as usize]);
        w.str(b" 0x");
        w.hex(x[i as usize] ^ i);
        w.as_bytes().iter().enumerate().map(|(k, &b)| u32::from(b) * (k as u32 + 1)).sum()
    }
});

both!(calculator, plain_calculator, {
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub(super) enum Tok {
        Num(i32),
        Op(u8),
        End,
        Bad(u8),
    }
    pub(super) struct Lexer {
        pub(super) pos: usize,
    }
    impl Lexer {
        pub(super) fn next(&mut self, text: &[u8]) -> Tok {
            while self.pos < text.len() && text[self.pos] == b' ' {
                self.pos += 1;
            }
            let Some(&c) = text.get(self.pos) else { return Tok::End };
            self.pos += 1;
            match c {
                d @ b'0'..=b'9' => {
                    let mut n = i32::from(d - b'0');
                    while let Some(d @ b'0'..=b'9') = text.get(self.pos).copied() {
                        n = n * 10 + i32::from(d - b'0');
                        self.pos += 1;
                    }
                    Tok::Num(n)
                }
                op @ (b'+' | b'-' | b'*' | b'/') => Tok::Op(op),
                other => Tok::Bad(other),
            }
        }
    }

    fn rpn(text: &[u8]) -> Result<i32, u32> {
        let mut stack = [0i32; 8];
        let mut n = 0usize;
        let mut lexer = Lexer { pos: 0 };
        loop {
            match lexer.next(text) {
                Tok::Num(v) if n < stack.len() => {
                    stack[n] = v;
                    n += 1;
                }
                Tok::Num(_) => return Err(1),
                Tok::Op(op) => {
                    let [.., a, b] = stack[..n] else { return Err(2) };
                    n -= 1;
                    stack[n - 1] = match op {
                        b'+' => a + b,
                        b'-' => a - b,
                        b'*' => a * b,
                        b'/' if b != 0 => a / b,
                        b'/' => return Err(3),
                        _ => unreachable!(),
                    };
                }
                Tok::End => break,
                Tok::Bad(b) => return Err(100 + b as u32),
            }
        }
        if n == 1 { Ok(stack[0]) } else { Err(4) }
    }

    pub(super) fn calculator(i: u32, _x: &[u32]) -> u32 {
        let r = match i % 6 {
            0 => rpn(b"12 3 4 + *"),
            1 => rpn(b"7 0 /"),
            2 => rpn(b"+"),
            3 => rpn(b"1 2"),
            4 => rpn(b"5 x"),
            _ => rpn(b"100 7 / 2 -"),
        };
        match r {
            Ok(v) => v as u32,
            Err(e) => 0x8000_0000 | e,
        }
    }
});

both!(huffman, plain_huffman, {
    pub(super) struct BitReader {
        pub(super) at: u32,
    }
    impl BitReader {
        pub(super) fn bit(&mut self, x: &[u32]) -> u32 {
            let b = x[(self.at / 32) as usize % x.len()] >> (self.at % 32) & 1;
            self.at += 1;
            b
        }
        pub(super) fn bits(&mut self, x: &[u32], n: u32) -> u32 {
            (0..n).fold(0, |v, _| v << 1 | self.bit(x))
        }
    }
    #[derive(Clone, Copy)]
    pub(super) enum Node {
        Leaf(u8),
        Inner { left: u8, right: u8 },
    }
    pub(super) const TREE: [Node; 7] = [
        Node::Inner { left: 1, right: 2 },
        Node::Leaf(b'e'),
        Node::Inner { left: 3, right: 4 },
        Node::Leaf(b't'),
        Node::Inner { left: 5, right: 6 },
        Node::Leaf(b'a'),
        Node::Leaf(b'q'),
    ];

    pub(super) fn huffman(i: u32, x: &[u32]) -> u32 {
        let mut r = BitReader { at: i * 7 };
        let mut h = 0u32;
        for _ in 0..10 {
            let mut node = &TREE[0];
            let symbol = loop {
                match *node {
                    Node::Leaf(s) => break s,
                    Node::Inner { left, right } => {
                        node = &TREE[if r.bit(x) == 1 { right } else { left } as usize];
                    }
                }
            };
            h = h.wrapping_mul(31).wrapping_add(symbol as u32);
        }
        h ^ r.bits(x, 5)
    }
});

both!(decompress, plain_decompress, {
    fn lz(src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let (mut s, mut d) = (0usize, 0usize);
        while s < src.len() {
            let token = src[s];
            s += 1;
            if token & 0x80 == 0 {
                let n = token as usize & 0x7f;
                let lit = src.get(s..s + n)?;
                dst.get_mut(d..d + n)?.copy_from_slice(lit);
                s += n;
                d += n;
            } else {
                let dist = *src.get(s)? as usize;
                s += 1;
                if dist == 0 || dist > d {
                    return None;
                }
                for _ in 0..(token & 0x7f) {
                    *dst.get_mut(d)? = dst[d - dist];
                    d += 1;
                }
            }
        }
        Some(d)
    }

    pub(super) fn decompress(i: u32, x: &[u32]) -> u32 {
        let src = [3, b'a', b'b', x[i as usize] as u8, 0x80 | (i as u8 & 15), 2, 1, b'z', 0x83, (i % 9) as u8];
        let mut out = [0u8; 32];
        match lz(&src, &mut out) {
            Some(n) => out[..n].iter().fold(n as u32, |h, &b| h.wrapping_mul(33) ^ b as u32),
            None => u32::MAX,
        }
    }
});

both!(states, plain_states, {
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd)]
    pub(super) enum State {
        #[default]
        Start,
        InWord {
            len: u32,
        },
        Number(u32),
        Error,
    }
    impl State {
        pub(super) fn step(self, b: u8) -> Self {
            use State::*;
            match (self, b) {
                (Error, _) => Error,
                (Start | Number(_), b'a'..=b'z') => InWord { len: 1 },
                (InWord { len }, b'a'..=b'z' | b'0'..=b'9') => InWord { len: len + 1 },
                (Start, d @ b'0'..=b'9') => Number((d - b'0') as u32),
                (Number(n), d) if d.is_ascii_digit() && n < 1000 => Number(n * 10 + u32::from(d - b'0')),
                (_, b' ') => Start,
                _ => Error,
            }
        }
    }

    pub(super) fn states(i: u32, x: &[u32]) -> u32 {
        let mut s = State::default();
        let mut h = 0u32;
        for &v in x[i as usize..].iter().take(9) {
            let b = b"abc 0129z-"[(v % 10) as usize];
            s = s.step(b);
            h = h.rotate_left(5)
                ^ match s {
                    State::Start => 1,
                    State::InWord { len: n @ 1..=3 } => n << 4,
                    State::InWord { .. } => 2,
                    State::Number(n) => n,
                    State::Error => {
                        s = State::Start;
                        77
                    }
                };
            if matches!(s, State::Number(n) if n > 10) {
                h += 1;
            }
        }
        h ^ (s > State::Start) as u32
    }
});

both!(options, plain_options, {
    fn small(v: u32) -> Option<u32> {
        (v < 100).then_some(v)
    }

    fn pair(a: Option<u32>, b: Option<u32>) -> Option<u32> {
        let (a, b) = a.zip(b)?;
        a.checked_sub(b).or_else(|| small(b))
    }

    pub(super) fn options(i: u32, x: &[u32]) -> u32 {
        let a = small(x[i as usize]);
        let b = x.get(i as usize * 3).copied().filter(|v| v % 2 == 0);
        let Some(c) = pair(a, b).map(|v| v * 2).xor(None) else { return a.map_or(7, |v| v + 1000) };
        let d = match (a, b) {
            (Some(x), Some(y)) if x > y => x - y,
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => 0,
            _ => 5,
        };
        let e: Result<u32, u8> = a.ok_or(3).and_then(|v| if v > 2 { Ok(v) } else { Err(9) });
        c ^ d << 4 ^ e.map_err(|e| e as u32).unwrap_or_else(|e| e * 100) ^ a.is_some_and(|v| v > 10) as u32
    }
});

both!(expressions, plain_expressions, {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum Token {
        Num(i64),
        Op(Op),
        Open,
        Close,
    }
    #[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
    pub(super) enum Op {
        Add,
        Sub,
        Mul,
        Neg,
    }
    impl Op {
        pub(super) const fn precedence(self) -> u8 {
            match self {
                Op::Add | Op::Sub => 1,
                Op::Mul => 2,
                Op::Neg => 3,
            }
        }
        pub(super) fn apply(self, a: i64, b: i64) -> i64 {
            match self {
                Self::Add => a.wrapping_add(b),
                Self::Sub => a - b,
                Self::Mul => a * b,
                Self::Neg => -b,
            }
        }
    }
    impl TryFrom<u8> for Op {
        type Error = u8;
        fn try_from(b: u8) -> Result<Self, u8> {
            Ok(match b {
                b'+' => Op::Add,
                b'-' => Op::Sub,
                b'*' => Op::Mul,
                _ => return Err(b),
            })
        }
    }
    pub(super) fn lex(text: &[u8], at: &mut usize) -> Result<Option<Token>, u8> {
        while let Some(b' ') = text.get(*at) {
            *at += 1;
        }
        let Some(&b) = text.get(*at) else { return Ok(None) };
        *at += 1;
        Ok(Some(match b {
            b'(' => Token::Open,
            b')' => Token::Close,
            b'0'..=b'9' => {
                let mut n = (b - b'0') as i64;
                while *at < text.len() && text[*at].is_ascii_digit() {
                    n = n * 10 + (text[*at] - b'0') as i64;
                    *at += 1;
                }
                Token::Num(n)
            }
            _ => Token::Op(Op::try_from(b)?),
        }))
    }
    pub(super) fn eval(text: &[u8]) -> Result<i64, u8> {
        let mut nums = [0i64; 16];
        let mut n = 0;
        let mut ops = [Token::Open; 16];
        let mut m = 0;
        let mut at = 0;
        let mut unary = true;
        while let Some(token) = lex(text, &mut at)? {
            match token {
                Token::Num(v) => {
                    nums[n] = v;
                    n += 1;
                    unary = false;
                }
                Token::Open => {
                    ops[m] = token;
                    m += 1;
                    unary = true;
                }
                Token::Close => {
                    loop {
                        if m == 0 {
                            return Err(b')');
                        }
                        m -= 1;
                        let Token::Op(op) = ops[m] else { break };
                        if op == Op::Neg {
                            nums[n - 1] = -nums[n - 1];
                        } else {
                            n -= 1;
                            nums[n - 1] = op.apply(nums[n - 1], nums[n]);
                        }
                    }
                    unary = false;
                }
                Token::Op(op) => {
                    let op = if unary && op == Op::Sub { Op::Neg } else { op };
                    while m > 0
                        && let Token::Op(top) = ops[m - 1]
                        && top.precedence() >= op.precedence()
                        && op != Op::Neg
                    {
                        m -= 1;
                        if top == Op::Neg {
                            nums[n - 1] = -nums[n - 1];
                        } else {
                            n -= 1;
                            nums[n - 1] = top.apply(nums[n - 1], nums[n]);
                        }
                    }
                    ops[m] = Token::Op(op);
                    m += 1;
                    unary = true;
                }
            }
        }
        while m > 0 {
            m -= 1;
            match ops[m] {
                Token::Op(Op::Neg) => nums[n - 1] = -nums[n - 1],
                Token::Op(op) => {
                    n -= 1;
                    nums[n - 1] = op.apply(nums[n - 1], nums[n]);
                }
                _ => return Err(b'('),
            }
        }
        if n == 1 { Ok(nums[0]) } else { Err(0) }
    }

    pub(super) fn expressions(i: u32, x: &[u32]) -> u32 {
        let mut text = *b"(1+22)*3 - -4*(5-10)";
        text[1] = b'0' + (x[i as usize] % 10) as u8;
        if i % 5 == 4 {
            text[7] = b'?';
        }
        match eval(&text) {
            Ok(v) => v as u32,
            Err(e) => 0xffff_0000 | e as u32,
        }
    }
});

both!(codes, plain_codes, {
    const CRC: [u32; 16] = {
        let mut t = [0u32; 16];
        let mut n = 0;
        while n < 16 {
            let mut c = n as u32;
            let mut k = 0;
            while k < 4 {
                c = if c & 1 != 0 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
                k += 1;
            }
            t[n] = c;
            n += 1;
        }
        t
    };

    fn crc(bytes: impl Fn(usize) -> u8, len: usize) -> u32 {
        !(0..len)
            .map(|k| bytes(k))
            .fold(!0u32, |c, b| [0, 4].iter().fold(c ^ b as u32, |c, _| CRC[(c & 15) as usize] ^ (c >> 4)))
    }

    fn spread(mut v: u32) -> u32 {
        v &= 0xffff;
        for (shift, mask) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
            v = (v | v << shift) & mask;
        }
        v
    }

    pub(super) fn codes(i: u32, x: &[u32]) -> u32 {
        crc(|k| x[i as usize].to_le_bytes()[k], 4) ^ spread(i) | spread(x[i as usize]) << 1
    }
});

both!(utf8, plain_utf8, {
    fn decode(bytes: &[u8]) -> Option<(char, usize)> {
        let (&first, rest) = bytes.split_first()?;
        let (n, init) = match first {
            0x00..=0x7f => return Some((first as char, 1)),
            0xc2..=0xdf => (1, first & 0x1f),
            0xe0..=0xef => (2, first & 0x0f),
            0xf0..=0xf4 => (3, first & 7),
            _ => return None,
        };
        let code = rest
            .get(..n)?
            .iter()
            .try_fold(init as u32, |c, &b| if b & 0xc0 == 0x80 { Some(c << 6 | (b & 0x3f) as u32) } else { None })?;
        char::from_u32(code).map(|c| (c, n + 1))
    }

    pub(super) fn utf8(i: u32, x: &[u32]) -> u32 {
        let text: [u8; 9] = [b'a', 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0 | (x[i as usize] as u8 & 3), 0x9f, 0x98];
        let mut rest = &text[..];
        let mut h = 0;
        while let Some((c, n)) = decode(rest) {
            h = h * 31 % 65521 + c as u32;
            rest = &rest[n..];
        }
        h + rest.len() as u32
    }
});

both!(pairs, plain_pairs, {
    fn parse_pair(text: &[u8]) -> Option<(u32, u32)> {
        let comma = text.iter().position(|&b| b == b',')?;
        let (l, r) = (&text[..comma], &text[comma + 1..]);
        Some((number(l)?, number(r)?))
    }

    fn number(text: &[u8]) -> Option<u32> {
        if text.is_empty() {
            return None;
        }
        text.iter().try_fold(0u32, |n, &b| b.is_ascii_digit().then(|| n * 10 + u32::from(b - b'0')))
    }

    pub(super) fn pairs(i: u32, x: &[u32]) -> u32 {
        let mut text = *b"12,345";
        text[(x[i as usize] % 6) as usize] = b"0,x7"[(i % 4) as usize];
        parse_pair(&text).map_or(u32::MAX, |(a, b)| a * 1000 + b)
    }
});

both!(patterns, plain_patterns, {
    pub(super) fn patterns(i: u32, x: &[u32]) -> u32 {
        let t = (x[i as usize], i % 4, x[i as usize] % 7 == 0);
        let a = match t {
            (n @ (0 | 2 | 4..=9), _, _) => n + 1,
            (n, 0 | 1, true) if n > 100 => n / 2,
            (_, k @ 1.., false) => k << 5,
            (n, ..) => n,
        };
        let arr = [t.0, t.1, a];
        let b = match arr {
            [0, ..] => 1,
            [.., last] if last > 50 => last,
            [first, mid, _] if first == mid => 3,
            [_, rest @ ..] => rest[0] + rest[1],
        };
        let c = match (t.0 as i32 - 20).signum() {
            -1 => 10,
            0 => 20,
            1 => 30,
            _ => unreachable!("signum"),
        };
        let d = match &arr[..] {
            [] => 0,
            [one] => *one,
            [a, b, ..] if a < b => b - a,
            [a, ..] => *a,
        };
        let Some(e @ 0..50) = a.checked_sub(3) else { return b ^ c };
        let f = match char::from_digit(t.1, 10) {
            Some('0') => 1,
            Some(c @ '1'..='2') => c as u32,
            Some(_) => 5,
            None => 6,
        };
        a ^ b ^ c ^ d ^ e ^ f
    }
});

both!(distance, plain_distance, {
    fn edit(a: &[u8], b: &[u8]) -> usize {
        let mut row = [0usize; 12];
        for (j, slot) in row.iter_mut().enumerate() {
            *slot = j;
        }
        for (i, &ca) in a.iter().enumerate() {
            let mut prev = core::mem::replace(&mut row[0], i + 1);
            for (j, &cb) in b.iter().enumerate() {
                let cost = prev + usize::from(ca != cb);
                prev = row[j + 1];
                row[j + 1] = cost.min(prev + 1).min(row[j] + 1);
            }
        }
        row[b.len()]
    }

    pub(super) fn distance(i: u32, x: &[u32]) -> u32 {
        let mut w = *b"kitten";
        w[i as usize % 6] = b'a' + (x[i as usize] % 26) as u8;
        edit(&w, b"sitting") as u32 + edit(&w[..3], &w[2..]) as u32 * 16
    }
});

domain!("domains_text", {
    errors, Errors, plain_errors;
    format, Format, plain_format;
    calculator, Calculator, plain_calculator;
    huffman, Huffman, plain_huffman;
    decompress, Decompress, plain_decompress;
    states, States, plain_states;
    options, Options, plain_options;
    expressions, Expressions, plain_expressions;
    codes, Codes, plain_codes;
    utf8, Utf8, plain_utf8;
    pairs, Pairs, plain_pairs;
    patterns, Patterns, plain_patterns;
    distance, Distance, plain_distance;
});
