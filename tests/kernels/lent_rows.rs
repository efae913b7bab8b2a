//! Rows of arrays as slices, iterators lent to loops that take their elements apart, and what stands in tuples of a `let`. rustc compiles the
//! programs, too.

#![allow(dead_code, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(rows_as_slices, plain_rows_as_slices, {
    #[derive(Clone, Copy)]
    struct Row {
        c: [u32; 4],
        k: u32,
    }
    fn total(x: &[u32]) -> u32 {
        x.iter().sum()
    }
    fn largest<T: Copy + PartialOrd>(x: &[T]) -> T {
        let mut m = x[0];
        for v in &x[1..] {
            if *v > m {
                m = *v;
            }
        }
        m
    }
    fn dot<const N: usize>(rows: &[[u32; N]], w: &[u32]) -> u32 {
        rows.iter().map(|r| r.iter().zip(w).map(|(a, b)| a * b).sum::<u32>() ^ largest(r)).fold(0, |a, b| a ^ b)
    }
    pub(super) fn rows_as_slices(i: u32, x: &[u32]) -> u32 {
        let rows = [[i, 1, 2, 9], [3, 4, 5, i]];
        let mut s = 0;
        for r in &rows {
            s += total(r);
        }
        for (k, r) in rows.iter().enumerate() {
            s += total(r) * k as u32 + largest(r);
        }
        let (words, _) = x.as_chunks::<3>();
        for w in words {
            s = s.wrapping_add(total(w) ^ 5);
        }
        let many = words.iter().map(|w| largest(w)).filter(|v| *v < 900).max().unwrap_or(3);
        let structs = [Row { c: rows[0], k: 2 }, Row { c: rows[1], k: i }];
        let k = structs.iter().map(|row| total(&row.c) * row.k).sum::<u32>()
            + structs.iter().map(|Row { c, k }| total(c) ^ k).sum::<u32>();
        let by = rows.iter().max_by_key(|r| total(*r)).map(|r| total(r)).unwrap_or(0);
        let sorted = {
            let mut own = rows;
            own.sort_by_key(|r| largest(r));
            own[0][1]
        };
        s ^ many ^ k ^ by ^ sorted ^ dot(&rows, &x[..4])
    }
});

both!(terms, plain_terms, {
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Tok {
        Num(u32),
        Op(u8),
        Open,
        Close,
    }
    struct Lexer<'a> {
        text: &'a [u8],
        at: usize,
    }
    impl<'a> Lexer<'a> {
        fn new(text: &'a [u8]) -> Self {
            Self { text, at: 0 }
        }
        fn peek(&self) -> Option<u8> {
            self.text.get(self.at).copied()
        }
    }
    impl<'a> Iterator for Lexer<'a> {
        type Item = Tok;
        fn next(&mut self) -> Option<Tok> {
            let c = self.peek()?;
            self.at += 1;
            Some(match c {
                b'0'..=b'9' => {
                    let mut n = u32::from(c - b'0');
                    while let Some(d @ b'0'..=b'9') = self.peek() {
                        n = n * 10 + u32::from(d - b'0');
                        self.at += 1;
                    }
                    Tok::Num(n)
                }
                b'(' => Tok::Open,
                b')' => Tok::Close,
                op => Tok::Op(op),
            })
        }
    }
    fn prec(op: u8) -> u8 {
        match op {
            b'+' | b'-' => 1,
            b'*' | b'/' | b'%' => 2,
            _ => 0,
        }
    }
    fn apply(st: &mut [u32; 8], n: &mut usize, op: u8) -> Result<(), u8> {
        if *n < 2 {
            return Err(op);
        }
        let (a, b) = (st[*n - 2], st[*n - 1]);
        *n -= 1;
        st[*n - 1] = match op {
            b'+' => a + b,
            b'-' => a.wrapping_sub(b),
            b'*' => a * b,
            b'/' => a.checked_div(b).ok_or(op)?,
            b'%' => a.checked_rem(b).ok_or(b'%')?,
            _ => return Err(op),
        };
        Ok(())
    }
    fn eval(text: &[u8]) -> Result<u32, u8> {
        let (mut st, mut n) = ([0u32; 8], 0);
        let (mut ops, mut m) = ([0u8; 8], 0usize);
        let mut lex = Lexer::new(text).peekable();
        while let Some(tok) = lex.next() {
            match tok {
                Tok::Num(v) => {
                    *st.get_mut(n).ok_or(b'!')? = v;
                    n += 1;
                }
                Tok::Open => {
                    *ops.get_mut(m).ok_or(b'?')? = b'(';
                    m += 1;
                }
                Tok::Close => loop {
                    m = m.checked_sub(1).ok_or(b')')?;
                    if ops[m] == b'(' {
                        break;
                    }
                    apply(&mut st, &mut n, ops[m])?;
                },
                Tok::Op(op) => {
                    while m > 0 && prec(ops[m - 1]) >= prec(op) {
                        m -= 1;
                        apply(&mut st, &mut n, ops[m])?;
                    }
                    ops[m] = op;
                    m += 1;
                    if let Some(Tok::Op(_)) = lex.peek() {
                        return Err(b'2');
                    }
                }
            }
        }
        while m > 0 {
            m -= 1;
            apply(&mut st, &mut n, ops[m])?;
        }
        match st[..n] {
            [v] => Ok(v),
            [] => Err(0),
            _ => Err(1),
        }
    }
    pub(super) fn terms(i: u32, x: &[u32]) -> u32 {
        let d = |k: u32| b'0' + (x[(i + k) as usize] % 10) as u8;
        let texts = [
            [d(0), b'+', d(1), b'*', d(2), d(3)],
            [b'(', d(4), b'-', d(5), b')', b'1'],
            [d(1), b'/', d(2), b'%', d(3), b'+'],
            [d(1), b'*', b'*', d(4), b'+', b'1'],
        ];
        texts.iter().fold(i, |h, t| {
            h.wrapping_mul(31)
                ^ match eval(&t[..]) {
                    Ok(v) => v,
                    Err(e) => 1000 + e as u32,
                }
        })
    }
});

both!(taken_in_turn, plain_taken_in_turn, {
    pub(super) fn taken_in_turn(i: u32, x: &[u32]) -> u32 {
        let mut own = [i, 2, 3, 4, 5, 6, 7];
        let whole = own.len() / 2 * 2;
        let (parts, rest) = own.split_at_mut(whole);
        for (k, p) in parts.chunks_exact_mut(2).enumerate() {
            p[0] += k as u32;
            p.swap(0, 1);
        }
        for r in rest.iter_mut() {
            *r *= 3;
        }
        let mut it = own.iter().enumerate().skip(1).step_by(2);
        let mut s = 0;
        while let Some((k, v)) = it.next() {
            s = s * 3 + k as u32 * v;
            if s > 100 {
                break;
            }
        }
        for (k, v) in &mut it {
            s += v + k as u32;
            if k > 4 {
                break;
            }
        }
        let l = it.last().map_or(1, |(k, _)| k as u32);
        let mut ch = x.chunks(3).zip(own.iter().copied()).filter(|(c, v)| c[0] > *v);
        for (c, v) in ch.by_ref().take(2) {
            s ^= c.len() as u32 * v;
        }
        let mut fl = x.iter().map(|v| v % 9).inspect(|_| ()).fuse();
        let a = fl.find(|v| *v == 4).unwrap_or(77);
        let b = fl.position(|v| v == 2).map_or(66, |p| p as u32);
        let c = fl.nth(1).unwrap_or(55);
        let any = fl.any(|v| v == 8);
        let rest = fl.fold(0u32, |a, b| a * 2 ^ b);
        s ^ l ^ a << 4 ^ b << 8 ^ c << 12 ^ any as u32 ^ rest ^ own.iter().fold(0, |a, b| a * 7 ^ b)
    }
});

domain!("lent_rows", {
    rows_as_slices, RowsAsSlices, plain_rows_as_slices;
    terms, Terms, plain_terms;
    taken_in_turn, TakenInTurn, plain_taken_in_turn;
});
