//! Programs that people bring along: a tokenizer, big numbers, a machine of one's own, matches in a text. Each also stands in a module
//! that only rustc compiles.

#![allow(clippy::needless_range_loop, clippy::suspicious_arithmetic_impl, reason = "written as for a kernel")]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

both!(lexer, plain_lexer, {
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Token {
        Number(u32),
        Name { start: usize, len: usize },
        Symbol(u8),
        Bad(u8),
        End,
    }
    use Token::*;

    impl Token {
        fn code(self) -> u32 {
            match self {
                Number(n) => n << 2,
                Name { start, len } => ((start as u32) << 10 | (len as u32) << 2) | 1,
                Symbol(s) | Bad(s) if s < b' ' => 0xffff_0000 | u32::from(s),
                Symbol(s) => u32::from(s) << 2 | 2,
                Bad(c) => u32::from(c) << 2 | 3,
                End => u32::MAX,
            }
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Lexer {
        at: usize,
        end: usize,
    }

    impl Lexer {
        fn peek(&self, text: &[u8]) -> Option<u8> {
            (self.at < self.end).then(|| text[self.at])
        }

        fn eat_while(&mut self, text: &[u8], test: impl Fn(u8) -> bool) -> usize {
            let start = self.at;
            while let Some(c) = self.peek(text)
                && test(c)
            {
                self.at += 1;
            }
            self.at - start
        }

        fn next(&mut self, text: &[u8]) -> Token {
            self.eat_while(text, |c| c.is_ascii_whitespace());
            let start = self.at;
            let Some(c) = self.peek(text) else { return End };
            match c {
                b'0'..=b'9' => {
                    let len = self.eat_while(text, |c| c.is_ascii_digit());
                    let digits = &text[start..start + len];
                    let value =
                        digits.iter().try_fold(0u32, |n, &c| n.checked_mul(10)?.checked_add(u32::from(c - b'0')));
                    value.filter(|n| *n < 1 << 20).map_or(Bad(c), Number)
                }
                b'a'..=b'z' | b'_' => {
                    let len = self.eat_while(text, |c| c.is_ascii_alphanumeric() || c == b'_');
                    Name { start, len }
                }
                _ => {
                    self.at += 1;
                    if b"+-*/()=".contains(&c) { Symbol(c) } else { Bad(c) }
                }
            }
        }
    }

    /// The tokens of a line, as many as there is room for.
    pub(super) fn tokens(text: &[u8], start: usize, end: usize, out: &mut [u32]) -> u32 {
        let mut lexer = Lexer { at: start, end };
        let mut count = 0;
        for slot in out.iter_mut() {
            let token = lexer.next(text);
            if token == End {
                break;
            }
            *slot = token.code();
            count += 1;
        }
        count
    }
});

const LINE: usize = 24;
const MOST: usize = 12;

fn source() -> Vec<u8> {
    let letters = b"ab_9 1(+)0=  x7\t*-#Z/ 42\x01z";
    patterns(LINE * 40, 71).into_iter().map(|v| letters[v as usize % letters.len()]).collect()
}

#[kernel(workgroup = 32)]
fn tokenize(text: &[u8], codes: &mut [u32], counts: &mut [u32]) {
    let line = global_id().x as usize;
    let Some(count) = counts.get_mut(line) else { return };
    let room = &mut codes[line * MOST_ON_A_LINE..(line + 1) * MOST_ON_A_LINE];
    *count = lexer::tokens(text, line * 24, line * 24 + 24, room);
}

#[device]
const MOST_ON_A_LINE: usize = 12;

fn expected_tokenize() -> Vec<Output> {
    let (text, mut codes) = (source(), vec![0; 40 * MOST]);
    let rooms = codes.chunks_mut(MOST).enumerate();
    let counts = rooms.map(|(i, room)| plain_lexer::tokens(&text, i * LINE, (i + 1) * LINE, room)).collect();
    vec![Output::U32(codes), Output::U32(counts)]
}

both!(big, plain_big, {
    use core::cmp::Ordering;
    use core::ops::{Add, AddAssign, Mul};

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct Big<const N: usize> {
        limbs: [u32; N],
    }

    impl<const N: usize> Big<N> {
        const ZERO: Self = Big { limbs: [0; N] };

        pub(super) fn new(v: u32) -> Self {
            let mut made = Self::ZERO;
            made.limbs[0] = v;
            made
        }

        fn bits(&self) -> u32 {
            match self.limbs.iter().rposition(|&l| l != 0) {
                Some(i) => i as u32 * 32 + 32 - self.limbs[i].leading_zeros(),
                None => 0,
            }
        }
    }

    impl<const N: usize> Add for Big<N> {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            let (mut sum, mut carry) = (Self::ZERO, false);
            for i in 0..N {
                let (a, first) = self.limbs[i].overflowing_add(other.limbs[i]);
                let (b, second) = a.overflowing_add(u32::from(carry));
                sum.limbs[i] = b;
                carry = first | second;
            }
            sum
        }
    }

    impl<const N: usize> AddAssign<u32> for Big<N> {
        fn add_assign(&mut self, other: u32) {
            *self = *self + Self::new(other);
        }
    }

    impl<const N: usize> Mul for Big<N> {
        type Output = Self;
        fn mul(self, other: Self) -> Self {
            let mut out = [0u32; N];
            for (i, &a) in self.limbs.iter().enumerate() {
                let mut carry = 0u64;
                for (j, &b) in other.limbs[..N - i].iter().enumerate() {
                    let t = u64::from(out[i + j]) + u64::from(a) * u64::from(b) + carry;
                    out[i + j] = t as u32;
                    carry = t >> 32;
                }
            }
            Big { limbs: out }
        }
    }

    impl<const N: usize> PartialOrd for Big<N> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
        }
    }

    /// `n!` and what is known about it.
    pub(super) fn factorial(n: u32) -> [u32; 8] {
        let mut product = Big::<6>::new(1);
        for k in 2..=n {
            product = product * Big::new(k);
        }
        let before = product;
        product += 7;
        let [a, b, c, d, e, f] = product.limbs;
        [a, b, c, d, e, f, product.bits(), (before < product) as u32 * 2 + (product == Big::new(8)) as u32]
    }
});

#[kernel(workgroup = 32)]
fn factorials(out: &mut [[u32; 8]]) {
    let i = global_id().x;
    out[i] = big::factorial(i);
}

fn expected_factorials() -> Vec<Output> {
    vec![Output::U32((0..40).flat_map(plain_big::factorial).collect())]
}

both!(machine, plain_machine, {
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Fault {
        Empty,
        Full,
        Unknown(u32),
        Fuel,
    }

    #[derive(Clone, Copy)]
    enum Op {
        Halt,
        Const,
        Add,
        Sub,
        Jump,
        JumpIf,
        Load,
        Store,
    }

    impl TryFrom<u32> for Op {
        type Error = Fault;
        fn try_from(word: u32) -> Result<Self, Fault> {
            use Op::*;
            Ok(match word {
                0 => Halt,
                1 => Const,
                2 => Add,
                3 => Sub,
                4 => Jump,
                5 => JumpIf,
                6 => Load,
                7 => Store,
                other => return Err(Fault::Unknown(other)),
            })
        }
    }

    #[derive(Clone, Copy)]
    struct Stack<const N: usize> {
        values: [i32; N],
        len: usize,
    }

    impl<const N: usize> Stack<N> {
        fn push(&mut self, value: i32) -> Result<(), Fault> {
            let Some(slot) = self.values.get_mut(self.len) else { return Err(Fault::Full) };
            *slot = value;
            self.len += 1;
            Ok(())
        }

        fn pop(&mut self) -> Result<i32, Fault> {
            self.len = self.len.checked_sub(1).ok_or(Fault::Empty)?;
            Ok(self.values[self.len])
        }
    }

    pub(super) fn run(code: &[u32], input: i32) -> Result<i32, Fault> {
        use Op::*;
        let mut stack = Stack::<4> { values: [0; 4], len: 0 };
        let mut cells = [input, 0, 0, 0];
        let mut pc = 0;
        for _fuel in 0..100 {
            let op = Op::try_from(code.get(pc).copied().unwrap_or(0))?;
            let arg = code.get(pc + 1).copied().unwrap_or(0);
            pc += 1;
            match op {
                Halt => return stack.pop(),
                Const => {
                    stack.push(arg as i32)?;
                    pc += 1;
                }
                Add | Sub => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    stack.push(if let Add = op { a.wrapping_add(b) } else { a.wrapping_sub(b) })?;
                }
                Jump => pc = arg as usize,
                JumpIf => pc = if stack.pop()? != 0 { arg as usize } else { pc + 1 },
                Load => {
                    stack.push(cells[arg as usize & 3])?;
                    pc += 1;
                }
                Store => {
                    cells[arg as usize & 3] = stack.pop()?;
                    pc += 1;
                }
            }
        }
        Err(Fault::Fuel)
    }

    pub(super) fn code_of(result: Result<i32, Fault>) -> i32 {
        match result {
            Ok(v) => v,
            Err(Fault::Unknown(op)) => -(op as i32),
            Err(fault) => match fault {
                Fault::Empty => 100_001,
                Fault::Full => 100_002,
                _ => 100_003,
            },
        }
    }
});

/// The sum of all numbers up to the input; other entries run other ends of the code.
const PROGRAM: [u32; 26] = [6, 0, 5, 7, 6, 1, 0, 6, 1, 6, 0, 2, 7, 1, 6, 0, 1, 1, 3, 7, 0, 4, 0, 9, 2, 1];

#[kernel(workgroup = 32)]
fn execute(code: &[u32], inputs: &[i32], out: &mut [i32]) {
    let i = global_id().x as usize;
    out[i] = machine::code_of(machine::run(&code[i % 4 * 7..], inputs[i]));
}

fn inputs() -> Vec<i32> {
    patterns(96, 5).into_iter().map(|v| (v % 13) as i32 - 2).collect()
}

fn expected_execute() -> Vec<Output> {
    let run = |(i, v): (usize, i32)| plain_machine::code_of(plain_machine::run(&PROGRAM[i % 4 * 7..], v));
    vec![Output::I32(inputs().into_iter().enumerate().map(run).collect())]
}

both!(text, plain_text, {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub(super) struct Match {
        pub(super) len: u32,
        pub(super) distance: u32,
    }

    fn common(a: &[u8], b: &[u8]) -> usize {
        a.iter().zip(b.iter()).take_while(|(x, y)| x == y).count()
    }

    /// The longest part of what was, at least three long and the nearest of such, that goes on at a place.
    pub(super) fn longest(text: &[u8], at: usize, window: usize) -> Match {
        let longest = (text.len() - at).min(16);
        let ahead = &text[at..at + longest];
        let first = at.saturating_sub(window);
        let best = (first..at)
            .rev()
            .map(|from| Match { len: common(&text[from..], ahead) as u32, distance: (at - from) as u32 })
            .filter(|m| m.len >= 3)
            .max_by_key(|m| (m.len, u32::MAX - m.distance));
        best.unwrap_or_default()
    }
});

#[kernel(workgroup = 32)]
fn find_matches(text: &[u8], lengths: &mut [u32], distances: &mut [u32], window: u32) {
    let at = global_id().x as usize;
    let text::Match { len, distance } = text::longest(text, at, window as usize);
    lengths[at] = len;
    distances[at] = distance;
}

const TEXT: &[u8] =
    b"she sells sea shells on the sea shore; the shells she sells are sea shells, for sure, for sure, for sure";

fn expected_matches() -> Vec<Output> {
    let all: Vec<_> = (0..TEXT.len()).map(|at| plain_text::longest(TEXT, at, 40)).collect();
    vec![Output::U32(all.iter().map(|m| m.len).collect()), Output::U32(all.iter().map(|m| m.distance).collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "everyday::tokenizer",
        [Tokenize],
        |mgr| {
            let text = mgr.tensor(&source())?;
            let (mut codes, mut counts) = (mgr.tensor(&vec![0u32; 40 * MOST])?, mgr.tensor(&vec![0u32; 40])?);
            let seq = mgr.sequence()?;
            Tokenize::dispatch(&seq, Grid::items(40), &text, &mut codes, &mut counts)?;
            seq.eval()?;
            Ok(vec![Output::U32(codes.to_vec()?), Output::U32(counts.to_vec()?)])
        },
        expected_tokenize
    ),
    case!(
        "everyday::big_numbers",
        [Factorials],
        |mgr| {
            let mut out = mgr.tensor(&vec![[0u32; 8]; 40])?;
            let seq = mgr.sequence()?;
            Factorials::dispatch(&seq, Grid::items(40), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        expected_factorials
    ),
    case!(
        "everyday::machine",
        [Execute],
        |mgr| {
            let (code, inputs, mut out) = (mgr.tensor(&PROGRAM)?, mgr.tensor(&inputs())?, mgr.tensor(&vec![0i32; 96])?);
            let seq = mgr.sequence()?;
            Execute::dispatch(&seq, Grid::items(96), &code, &inputs, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?)])
        },
        expected_execute
    ),
    case!(
        "everyday::matches",
        [FindMatches],
        |mgr| {
            let (text, count) = (mgr.tensor(TEXT)?, TEXT.len());
            let (mut lengths, mut distances) = (mgr.tensor(&vec![0u32; count])?, mgr.tensor(&vec![0u32; count])?);
            let seq = mgr.sequence()?;
            FindMatches::dispatch(&seq, Grid::items(count), &text, &mut lengths, &mut distances, 40)?;
            seq.eval()?;
            Ok(vec![Output::U32(lengths.to_vec()?), Output::U32(distances.to_vec()?)])
        },
        expected_matches
    ),
];
