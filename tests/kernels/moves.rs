//! Values that are not `Copy`: moved, lent, taken apart behind references, changed in arrays and options, and cloned.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

pub(super) const CASES: &[Case] = &[
    case!("moves::values", [MovedValues], values_run, values_expected),
    case!("moves::generic", [MovedPairs], pairs_run, pairs_expected),
];

const N: usize = 64;
const COLUMNS: usize = 10;

fn input() -> Vec<u32> {
    (0..N as u32).map(|k| k.wrapping_mul(0x9e37_79b9) >> (k % 20)).collect()
}

both!(tools, plain, {
    /// A generator that nobody copies by accident.
    pub(super) struct Random {
        pub(super) state: u32,
    }

    impl Random {
        pub(super) fn new(seed: u32) -> Self {
            Self { state: seed ^ 0x9e37_79b9 }
        }

        pub(super) fn next(&mut self) -> u32 {
            self.state = self.state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (self.state >> 16) ^ self.state
        }

        pub(super) fn split(mut self) -> (Random, Random) {
            let other = Random::new(self.next());
            (self, other)
        }

        pub(super) fn into_state(self) -> u32 {
            self.state
        }
    }

    #[derive(Clone, PartialEq, Debug)]
    pub(super) struct Path {
        pub(super) steps: [u32; 4],
        pub(super) len: u32,
    }

    impl Path {
        pub(super) fn push(&mut self, step: u32) {
            self.steps[(self.len % 4) as usize] = step;
            self.len += 1;
        }

        pub(super) fn pushed(mut self, step: u32) -> Self {
            self.push(step);
            self
        }

        pub(super) fn total(&self) -> u32 {
            let Self { steps, len } = self;
            steps.iter().fold(*len, |sum, step| sum.wrapping_mul(7).wrapping_add(*step))
        }
    }

    pub(super) struct Walker {
        pub(super) random: Random,
        pub(super) path: Path,
    }

    impl Walker {
        pub(super) fn walk(&mut self, count: u32) {
            for _ in 0..count {
                let step = self.random.next() % 5;
                self.path.push(step);
            }
        }

        pub(super) fn weight(&self) -> u32 {
            let Walker { random, path } = self;
            random.state ^ path.total()
        }

        pub(super) fn finish(self) -> (u32, Path) {
            let Walker { random, path } = self;
            (random.into_state(), path)
        }
    }

    pub(super) enum Token {
        Number(Random),
        Name { random: Random, len: u32 },
        End,
    }

    /// A look that leaves the token where it is.
    pub(super) fn peek(token: &Token) -> u32 {
        match token {
            Token::Number(random) => random.state,
            Token::Name { random, len } => random.state ^ *len,
            Token::End => 1,
        }
    }

    pub(super) fn is_odd(token: &Token) -> bool {
        if let Token::Number(random) = token
            && random.state % 2 == 1
        {
            true
        } else {
            false
        }
    }

    pub(super) fn consume(token: Token) -> u32 {
        match token {
            Token::Number(mut random) => random.next(),
            Token::Name { random, len } => random.into_state().wrapping_add(len),
            Token::End => 2,
        }
    }

    pub(super) fn weigh(walker: &Walker) -> u32 {
        walker.weight()
    }

    pub(super) fn values(x: u32, i: u32) -> [u32; 10] {
        let random = Random::new(x);
        let (mut first, second) = random.split();
        let a = first.next();
        let mut walker = Walker { random: second, path: Path { steps: [0; 4], len: 0 } };
        walker.walk(i % 7);
        let weight = weigh(&walker);
        let copy = walker.path.clone();
        let (state, path) = walker.finish();
        let same = path == copy;
        let path = path.pushed(a % 3);

        let mut three = [Random::new(i), Random::new(i + 1), Random::new(x)];
        let drawn = three[(x % 3) as usize].next();
        let lent = &three[(i % 3) as usize];
        let mixed = lent.state ^ three[1].state;

        let token = match x % 3 {
            0 => Token::Number(first),
            1 => Token::Name { random: first, len: i },
            _ => Token::End,
        };
        let peeked = peek(&token).wrapping_add(is_odd(&token) as u32);
        let eaten = consume(token);

        let mut slot = if x % 2 == 0 { Some(Path { steps: [i; 4], len: 1 }) } else { None };
        let taken = slot.take();
        let left = slot.is_none();
        let found = match taken {
            Some(path) => path.pushed(9).total(),
            None => 3,
        };

        let mut best = Path { steps: [x % 11; 4], len: 0 };
        for k in 0..4u32 {
            let next = Path { steps: [k, x % 13, i, k], ..best.clone() };
            if next.total() > best.total() {
                best = next;
            }
        }
        let old = core::mem::replace(&mut best, path);
        [
            a,
            weight,
            state,
            same as u32 | (left as u32) << 1,
            best.total(),
            drawn,
            mixed,
            peeked ^ eaten,
            found,
            old.total(),
        ]
    }
});

use tools::values;

#[kernel(workgroup = 32)]
fn moved_values(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let found = values(x[i], i);
    for k in 0..10 {
        out[i * 10 + k] = found[k as usize];
    }
}

fn values_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let x = mgr.tensor(&input())?;
    let mut out = mgr.tensor(&vec![0u32; N * COLUMNS])?;
    let seq = mgr.sequence()?;
    MovedValues::dispatch(&seq, Grid::items(N as u32), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn values_expected() -> Vec<Output> {
    let rows = input().into_iter().zip(0..).flat_map(|(x, i)| plain::values(x, i));
    vec![Output::U32(rows.collect())]
}

both!(pairs, plain_pairs, {
    /// Two values of which one leaves.
    pub(super) struct Pair<T, const LEN: usize> {
        pub(super) first: T,
        pub(super) rest: [u32; LEN],
    }

    impl<T, const LEN: usize> Pair<T, LEN> {
        pub(super) fn new(first: T, fill: u32) -> Self {
            Self { first, rest: [fill; LEN] }
        }

        pub(super) fn replaced<U>(self, first: U) -> (T, Pair<U, LEN>) {
            (self.first, Pair { first, rest: self.rest })
        }
    }

    pub(super) struct Mark {
        pub(super) value: u32,
    }

    pub(super) fn swapped(x: u32) -> (u32, u32, u32) {
        let pair = Pair::<Mark, 3>::new(Mark { value: x }, 5);
        let (mark, other) = pair.replaced((x % 7, x % 2 == 0));
        let (number, is_even) = other.first;
        (mark.value, number + is_even as u32, other.rest[(x % 3) as usize])
    }
});

use pairs::swapped;

#[kernel(workgroup = 32)]
fn moved_pairs(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let (a, b, c) = swapped(x[i]);
    out[i] = a ^ b << 8 ^ c << 16;
}

fn pairs_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let x = mgr.tensor(&input())?;
    let mut out = mgr.tensor(&vec![0u32; N])?;
    let seq = mgr.sequence()?;
    MovedPairs::dispatch(&seq, Grid::items(N as u32), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn pairs_expected() -> Vec<Output> {
    let one = |x| {
        let (a, b, c) = plain_pairs::swapped(x);
        a ^ b << 8 ^ c << 16
    };
    vec![Output::U32(input().into_iter().map(one).collect())]
}
