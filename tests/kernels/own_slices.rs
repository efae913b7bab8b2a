//! Slices of local arrays whose elements no buffer holds: structs with enums, tuples, flags, characters, options, and values that move.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

pub(super) const CASES: &[Case] = &[
    case!("own_slices::tokens", [OwnTokens], tokens_run, tokens_expected),
    case!("own_slices::methods", [OwnMethods], methods_run, methods_expected),
];

const N: usize = 64;
const LEN: usize = 12;
const COLUMNS: usize = 8;

/// Sums and products of digits, of `LEN` bytes each.
fn input() -> Vec<u8> {
    let byte = |k: usize| match (k * 7 + k / 5) % 11 {
        digit @ 0..7 => b'0' + digit as u8,
        7 | 8 => b'+',
        9 => b'*',
        _ => b' ',
    };
    (0..N * LEN).map(byte).collect()
}

both!(lexer, plain, {
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Kind {
        End,
        Number,
        Plus,
        Times,
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Token {
        pub(super) kind: Kind,
        pub(super) value: u32,
    }

    /// Two values that are moved.
    pub(super) struct Span {
        pub(super) first: usize,
        pub(super) kind: Option<Kind>,
    }

    pub(super) fn lex(text: &[u8], tokens: &mut [Token]) -> usize {
        let mut count = 0;
        for byte in text.iter() {
            let token = match char::from(*byte) {
                '+' => Token { kind: Kind::Plus, value: 0 },
                '*' => Token { kind: Kind::Times, value: 1 },
                c => match c.to_digit(10) {
                    Some(value) => Token { kind: Kind::Number, value },
                    None => continue,
                },
            };
            tokens[count] = token;
            count += 1;
        }
        count
    }

    pub(super) fn total(tokens: &[Token]) -> u32 {
        let mut sum = 0u32;
        for token in tokens {
            match token.kind {
                Kind::Number => sum = sum.wrapping_mul(10).wrapping_add(token.value),
                Kind::Plus => sum ^= 0x55,
                Kind::Times => sum = sum.rotate_left(3),
                Kind::End => sum += 1,
            }
        }
        sum
    }

    pub(super) fn position(tokens: &[Token], kind: Kind) -> usize {
        tokens.iter().position(|token| token.kind == kind).unwrap_or(tokens.len())
    }

    pub(super) fn passed_on(tokens: &[Token]) -> u32 {
        let rest = &tokens[1..];
        total(rest) ^ total(&tokens[..1]).wrapping_mul(3) ^ rest.len() as u32
    }

    pub(super) fn mark(tokens: &mut [Token], at: usize) {
        tokens[at].kind = Kind::Times;
        tokens[at].value += 5;
        tokens.swap(0, at);
        let tail = &mut tokens[at..];
        tail[0] = Token { kind: Kind::Number, value: at as u32 };
        for token in tail.iter_mut() {
            token.value += 1;
        }
    }

    pub(super) fn set(flags: &mut [bool], every: usize) {
        for (i, flag) in flags.iter_mut().enumerate() {
            *flag = i % every == 0;
        }
    }

    pub(super) fn count(flags: &[bool]) -> u32 {
        flags.iter().filter(|flag| **flag).count() as u32 + flags.contains(&false) as u32 * 100
    }

    pub(super) fn weigh(pairs: &[(u32, Option<char>)]) -> u32 {
        pairs.iter().fold(0u32, |sum, (number, letter)| {
            sum.wrapping_mul(7) ^ *number ^ letter.map_or(0, |letter| letter as u32)
        })
    }

    pub(super) fn spans(spans: &[Span]) -> usize {
        let mut sum = 0;
        for i in 0..spans.len() {
            sum += spans[i].first * if spans[i].kind == Some(Kind::Plus) { 3 } else { 1 };
        }
        sum
    }

    pub(super) fn results(text: &[u8], i: u32) -> [u32; 8] {
        let mut tokens = [Token { kind: Kind::End, value: 0 }; 12];
        let count = lex(text, &mut tokens);
        let all = total(&tokens);
        let read = &tokens[..count];
        let part = total(read);
        let plus = position(&tokens, Kind::Plus);
        let passed = passed_on(&tokens[count / 2..count]);
        mark(&mut tokens[2..], 3);
        let marked = total(&tokens);
        let mut flags = [true; 9];
        set(&mut flags[1..8], 1 + (i % 4) as usize);
        let pairs = [(i, Some('x')), (part, None), (7, char::from_u32(i + 60))];
        let own = [Span { first: plus, kind: Some(Kind::Plus) }, Span { first: count, kind: None }];
        [
            all,
            part,
            plus as u32 + 100 * position(&tokens[1..], Kind::Times) as u32,
            passed,
            marked,
            count_of(&flags),
            weigh(&pairs) ^ weigh(&pairs[1..2]),
            spans(&own) as u32,
        ]
    }

    pub(super) fn count_of(flags: &[bool; 9]) -> u32 {
        count(flags) + 1000 * count(&flags[3..5])
    }
});

use lexer::results;

#[kernel(workgroup = 32)]
fn own_tokens(text: &[u8], out: &mut [u32]) {
    let i = global_id().x as usize;
    let found = results(&text[i * 12..i * 12 + 12], i as u32);
    for k in 0..8 {
        out[i * 8 + k] = found[k];
    }
}

fn tokens_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let text = mgr.tensor(&input())?;
    let mut out = mgr.tensor(&vec![0u32; N * COLUMNS])?;
    let seq = mgr.sequence()?;
    OwnTokens::dispatch(&seq, Grid::items(N as u32), &text, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn tokens_expected() -> Vec<Output> {
    let text = input();
    let rows = text.chunks_exact(LEN).zip(0..).flat_map(|(row, i)| plain::results(row, i));
    vec![Output::U32(rows.collect())]
}

both!(boards, plain_boards, {
    /// Whether fields of a board are taken.
    #[derive(Clone, Copy)]
    pub(super) struct Board {
        pub(super) taken: [bool; 8],
    }

    impl Board {
        pub(super) fn take(&mut self, moves: &[(usize, bool)]) -> u32 {
            let mut count = 0;
            for (field, taken) in moves {
                self.taken[*field] = *taken;
                count += 1;
            }
            count
        }

        pub(super) fn bits(self) -> u32 {
            let mut bits = 0;
            for (i, taken) in self.taken.iter().enumerate() {
                bits |= (*taken as u32) << i;
            }
            bits
        }
    }

    pub(super) fn played(x: u32) -> u32 {
        let mut board = Board { taken: [false; 8] };
        let moves = [(x as usize % 8, true), (3, x % 2 == 0), (x as usize / 8 % 8, true), (5, false)];
        let count = board.take(&moves[1..]) + board.take(&moves[..2]);
        board.bits() | count << 8
    }
});

use boards::played;

#[kernel(workgroup = 32)]
fn own_methods(out: &mut [u32]) {
    let i = global_id().x;
    out[i] = played(i);
}

fn methods_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut out = mgr.tensor(&vec![0u32; N])?;
    let seq = mgr.sequence()?;
    OwnMethods::dispatch(&seq, Grid::items(N as u32), &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn methods_expected() -> Vec<Output> {
    vec![Output::U32((0..N as u32).map(plain_boards::played).collect())]
}
