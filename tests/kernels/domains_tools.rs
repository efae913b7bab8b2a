//! Programs with numbers, searches and machines of their own, functions passed by name, and elements taken apart. rustc compiles each of
//! them, too.

#![allow(
    dead_code,
    unused_imports,
    clippy::all,
    reason = "programs as people write them, of which not every function is called"
)]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(fixed, plain_fixed, {
    use std::iter::Sum;
    use std::ops::{Add, AddAssign, Deref, Div, Mul, Neg, Sub};
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
    #[repr(transparent)]
    pub(super) struct Fixed<const FRAC: u32>(i32);

    impl<const FRAC: u32> Fixed<FRAC> {
        pub(super) const ONE: Self = Self(1 << FRAC);
        pub(super) const MAX: Self = Self(i32::MAX);
        pub(super) const fn from_int(v: i32) -> Self {
            Self(v << FRAC)
        }
        fn to_f32(self) -> f32 {
            self.0 as f32 / (1u32 << FRAC) as f32
        }
        fn saturating_mul(self, rhs: Self) -> Self {
            let wide = i64::from(self.0) * i64::from(rhs.0) >> FRAC;
            Self(wide.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
        }
        fn checked_div(self, rhs: Self) -> Option<Self> {
            let wide = (i64::from(self.0) << FRAC).checked_div(rhs.0.into())?;
            i32::try_from(wide).ok().map(Self)
        }
        fn sqrt(self) -> Self {
            if self.0 <= 0 {
                return Self(0);
            }
            let target = (self.0 as u64) << FRAC;
            let mut guess = 1u64 << ((64 - target.leading_zeros() + 1) / 2);
            loop {
                let next = (guess + target / guess) / 2;
                if next >= guess {
                    break Self(guess as i32);
                }
                guess = next;
            }
        }
        fn abs(self) -> Self {
            Self(self.0.wrapping_abs())
        }
    }
    impl<const F: u32> Add for Fixed<F> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self(self.0.saturating_add(o.0))
        }
    }
    impl<const F: u32> Sub for Fixed<F> {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self(self.0.saturating_sub(o.0))
        }
    }
    impl<const F: u32> Mul for Fixed<F> {
        type Output = Self;
        fn mul(self, o: Self) -> Self {
            self.saturating_mul(o)
        }
    }
    impl<const F: u32> Div for Fixed<F> {
        type Output = Self;
        fn div(self, o: Self) -> Self {
            self.checked_div(o).unwrap_or(if self.0 < 0 { Self(i32::MIN) } else { Self::MAX })
        }
    }
    impl<const F: u32> Neg for Fixed<F> {
        type Output = Self;
        fn neg(self) -> Self {
            Self(self.0.wrapping_neg())
        }
    }
    impl<const F: u32> AddAssign for Fixed<F> {
        fn add_assign(&mut self, o: Self) {
            *self = *self + o
        }
    }
    impl<const F: u32> Sum for Fixed<F> {
        fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
            iter.fold(Self::default(), |a, b| a + b)
        }
    }
    impl<const F: u32> From<i16> for Fixed<F> {
        fn from(v: i16) -> Self {
            Self(i32::from(v) << F)
        }
    }

    type Q16 = Fixed<16>;
    type Q8 = Fixed<8>;

    fn norm(v: [Q16; 3]) -> Q16 {
        v.iter().map(|&c| c * c).sum::<Q16>().sqrt()
    }
    fn newton(f: impl Fn(Q16) -> Q16, df: impl Fn(Q16) -> Q16, mut x: Q16) -> (Q16, u32) {
        for step in 0u32.. {
            let dx = f(x) / df(x);
            x = x - dx;
            if dx.abs() <= Fixed(2) || step == 12 {
                return (x, step);
            }
        }
        unreachable!()
    }
    fn cubic(x: Q16) -> Q16 {
        x * x * x - Q16::from_int(2)
    }
    fn slope(x: Q16) -> Q16 {
        Q16::from(3i16) * x * x
    }

    pub(super) fn fixed(i: u32, x: &[u32]) -> u32 {
        let raw = |k: usize| x[(i as usize + k) % x.len()] as i32 >> 10;
        let v: [Q16; 3] = std::array::from_fn(|k| Fixed(raw(k)));
        let n = norm(v);
        let unit = v.map(|c| c / n);
        let dot: Q16 = unit.iter().zip(v).map(|(&a, b)| a * b).sum();
        let (root, steps) = newton(cubic, slope, Q16::ONE + Fixed(i as i32 * 100));
        let small: Q8 = (i as i16 - 60).into();
        let q = small.checked_div(Q8::from_int(i as i32 % 4)).map_or(-7, |q| q.0);
        let mut acc = Q16::default();
        acc += root;
        acc += -unit[0];
        let best = [n.0, dot.0, root.0].into_iter().max();
        (acc.0 ^ q ^ dot.0.rotate_left(9)) as u32
            ^ steps << 28
            ^ best.unwrap_or(0) as u32
            ^ n.to_f32().to_bits()
            ^ (unit[1] < unit[2]) as u32
    }
});

both!(beam, plain_beam, {
    const WIDTH: usize = 4;
    const VOCAB: usize = 6;
    const LENGTH: usize = 5;

    #[derive(Clone, Copy, Debug)]
    pub(super) struct Hypothesis {
        tokens: [u8; LENGTH],
        len: usize,
        score: f32,
        done: bool,
    }

    #[derive(Clone, Copy)]
    pub(super) struct Beam<const W: usize> {
        items: [Option<Hypothesis>; W],
    }

    impl Default for Hypothesis {
        fn default() -> Self {
            Self { tokens: [u8::MAX; LENGTH], len: 0, score: 0.0, done: false }
        }
    }

    impl Hypothesis {
        const END: u8 = 0;
        fn extended(mut self, token: u8, log_prob: f32) -> Option<Self> {
            if self.done {
                return None;
            }
            *self.tokens.get_mut(self.len)? = token;
            self.len += 1;
            self.score += log_prob;
            self.done = token == Self::END || self.len == LENGTH;
            Some(self)
        }
        fn normalized(&self) -> f32 {
            self.score / (self.len.max(1) as f32)
        }
        fn last(&self) -> Option<u8> {
            self.tokens[..self.len].last().copied()
        }
    }

    impl<const W: usize> Beam<W> {
        const EMPTY: Self = Self { items: [None; W] };
        fn offer(&mut self, candidate: Hypothesis) -> bool {
            let worst = self.items.iter().enumerate().min_by(|(_, a), (_, b)| {
                let key = |h: &Option<Hypothesis>| h.map_or(f32::NEG_INFINITY, |h| h.score);
                key(a).total_cmp(&key(b))
            });
            match worst {
                Some((slot, None)) => {
                    self.items[slot] = Some(candidate);
                    true
                }
                Some((slot, Some(old))) if old.score < candidate.score => {
                    self.items[slot].replace(candidate);
                    true
                }
                _ => false,
            }
        }
        fn iter(&self) -> impl Iterator<Item = Hypothesis> {
            self.items.into_iter().flatten()
        }
        fn all_done(&self) -> bool {
            self.iter().all(|h| h.done)
        }
    }

    struct Model<'a> {
        table: &'a [u32],
        seed: u32,
    }
    impl Model<'_> {
        fn log_prob(&self, previous: Option<u8>, token: u8) -> f32 {
            let row = previous.map_or(VOCAB, usize::from);
            let raw = self.table[(row * VOCAB + token as usize + self.seed as usize) % self.table.len()];
            -((raw >> 20) as f32 / 4096.0) - 0.25
        }
    }

    pub(super) fn beam(i: u32, x: &[u32]) -> u32 {
        let model = Model { table: x, seed: i };
        let mut beam = Beam::<WIDTH>::EMPTY;
        beam.offer(Hypothesis::default());
        let mut rounds = 0;
        while !beam.all_done() {
            let mut next = Beam::EMPTY;
            for hypothesis in beam.iter() {
                if hypothesis.done {
                    next.offer(hypothesis);
                    continue;
                }
                for token in 0..VOCAB as u8 {
                    let lp = model.log_prob(hypothesis.last(), token);
                    if let Some(longer) = hypothesis.extended(token, lp) {
                        next.offer(longer);
                    }
                }
            }
            beam = next;
            rounds += 1;
        }
        let Some(best) = beam.iter().max_by(|a, b| a.normalized().partial_cmp(&b.normalized()).unwrap()) else {
            return 0;
        };
        best.tokens.iter().fold(best.len as u32, |h, &t| h.wrapping_mul(257) ^ t as u32)
            ^ best.score.to_bits()
            ^ rounds << 29
    }
});

both!(stack_machine, plain_stack_machine, {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum Op {
        Push(i32),
        Add,
        Sub,
        Mul,
        Dup,
        Swap,
        Over,
        JumpIf { target: usize },
        Call(usize),
        Ret,
        Halt,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Trap {
        Underflow,
        Overflow,
        BadJump(usize),
        OutOfFuel,
    }
    type Result<T = ()> = core::result::Result<T, Trap>;

    #[derive(Default)]
    pub(super) struct Vm {
        stack: [i32; 8],
        sp: usize,
        calls: [usize; 3],
        depth: usize,
        pc: usize,
    }

    impl Vm {
        fn push(&mut self, v: i32) -> Result {
            *self.stack.get_mut(self.sp).ok_or(Trap::Overflow)? = v;
            self.sp += 1;
            Ok(())
        }
        fn pop(&mut self) -> Result<i32> {
            self.sp = self.sp.checked_sub(1).ok_or(Trap::Underflow)?;
            Ok(self.stack[self.sp])
        }
        fn binary(&mut self, f: impl Fn(i32, i32) -> i32) -> Result {
            let b = self.pop()?;
            let a = self.pop()?;
            self.push(f(a, b))
        }
        fn step(&mut self, code: &[Op]) -> Result<bool> {
            let op = *code.get(self.pc).ok_or(Trap::BadJump(self.pc))?;
            self.pc += 1;
            match op {
                Op::Push(v) => self.push(v)?,
                Op::Add => self.binary(i32::wrapping_add)?,
                Op::Sub => self.binary(|a, b| a.wrapping_sub(b))?,
                Op::Mul => self.binary(i32::wrapping_mul)?,
                Op::Dup => {
                    let v = self.pop()?;
                    self.push(v)?;
                    self.push(v)?;
                }
                Op::Swap => {
                    let (b, a) = (self.pop()?, self.pop()?);
                    self.push(b)?;
                    self.push(a)?
                }
                Op::Over => match self.stack[..self.sp] {
                    [.., a, _] => self.push(a)?,
                    _ => return Err(Trap::Underflow),
                },
                Op::JumpIf { target } if target >= code.len() => return Err(Trap::BadJump(target)),
                Op::JumpIf { target } => {
                    if self.pop()? != 0 {
                        self.pc = target;
                    }
                }
                Op::Call(to) => {
                    *self.calls.get_mut(self.depth).ok_or(Trap::Overflow)? = self.pc;
                    self.depth += 1;
                    self.pc = to;
                }
                Op::Ret if self.depth == 0 => return Err(Trap::Underflow),
                Op::Ret => {
                    self.depth -= 1;
                    self.pc = self.calls[self.depth];
                }
                Op::Halt => return Ok(false),
            }
            Ok(true)
        }
        fn run(&mut self, code: &[Op], fuel: u32) -> Result<i32> {
            for _ in 0..fuel {
                if !self.step(code)? {
                    return self.pop();
                }
            }
            Err(Trap::OutOfFuel)
        }
    }

    const FACTORIAL: [Op; 14] = [
        Op::Push(5),
        Op::Push(1),
        Op::Swap,
        Op::Dup,
        Op::Push(-1),
        Op::Add,
        Op::Swap,
        Op::Call(12),
        Op::Over,
        Op::JumpIf { target: 2 },
        Op::Swap,
        Op::Halt,
        Op::Mul,
        Op::Ret,
    ];

    pub(super) fn stack_machine(i: u32, x: &[u32]) -> u32 {
        let mut code = [Op::Halt; 14];
        for (k, op) in code.iter_mut().enumerate() {
            let raw = x[(i as usize * 7 + k) % x.len()];
            *op = match raw % 12 {
                0..=3 => Op::Push(raw as i32 >> 20),
                4 => Op::Add,
                5 => Op::Sub,
                6 => Op::Mul,
                7 => Op::Dup,
                8 => Op::Swap,
                9 => Op::JumpIf { target: (raw >> 8) as usize % 16 },
                10 => Op::Over,
                _ => {
                    if raw & 0x100 == 0 {
                        Op::Call(k / 2)
                    } else {
                        Op::Ret
                    }
                }
            };
        }
        let program = if i % 8 == 0 { FACTORIAL } else { code };
        let mut vm = Vm::default();
        let result = vm.run(&program, 60);
        let code = match result {
            Ok(v) => v as u32,
            Err(Trap::BadJump(at)) => 0xdead_0000 | at as u32,
            Err(trap) => 0xbad0 | (trap == Trap::Overflow) as u32 | ((trap == Trap::OutOfFuel) as u32) << 1,
        };
        code ^ (vm.sp as u32) << 24
    }
});

both!(named_functions, plain_named_functions, {
    pub(super) trait Act {
        fn act(x: f32) -> f32;
    }
    pub(super) struct Twice;
    impl Act for Twice {
        fn act(x: f32) -> f32 {
            x * 2.0
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Value(f32);

    impl Value {
        fn map(self, f: impl Fn(f32) -> f32) -> Self {
            Self(f(self.0))
        }
        fn joined(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
            Self(f(self.0, other.0))
        }
        fn doubled(self) -> Self {
            self.map(Self::own)
        }
        fn own(x: f32) -> f32 {
            x + x
        }
    }

    fn double(x: u32) -> u32 {
        x.wrapping_mul(2)
    }
    fn mixed(x: u32, y: &u32) -> u32 {
        x.rotate_left(3) ^ y
    }
    fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 {
        f(f(x))
    }
    fn over<F: Fn(u32, &u32) -> u32>(x: &[u32], f: F) -> u32 {
        let mut sum = 7;
        for v in x {
            sum = f(sum, v);
        }
        sum
    }
    fn acted<A: Act>(v: Value) -> Value {
        v.map(A::act).map(<A as Act>::act)
    }

    pub(super) fn named_functions(i: u32, x: &[u32]) -> u32 {
        let value = acted::<Twice>(Value(i as f32)).map(f32::sqrt).map(Twice::act).doubled();
        let joined = value.joined(Value(1.5), f32::max).joined(Value(40.0), f32::min);
        let double_of = x.first().copied().map(double).map_or(0, u32::count_ones);
        apply(double, i) + apply(u32::reverse_bits, i) ^ over(x, mixed) ^ joined.0.to_bits() ^ double_of
    }
});

both!(written_elements, plain_written_elements, {
    #[derive(Clone, Copy, Default)]
    pub(super) struct Particle {
        at: (u32, u32),
        life: u32,
    }
    #[derive(Clone, Copy, Default)]
    pub(super) struct Pair(u32, u32);

    pub(super) fn written_elements(i: u32, x: &[u32]) -> u32 {
        let mut all = [Particle { at: (i, 2), life: 3 }; 4];
        for Particle { at: (x, y), life } in &mut all {
            *x += *y;
            *y = *x ^ 5;
            *life -= 1;
        }
        for (k, Particle { life, .. }) in all.iter_mut().enumerate() {
            *life += k as u32;
        }
        let mut pairs = [(1u32, i), (3, 4)];
        for (a, b) in pairs.iter_mut() {
            std::mem::swap(a, b);
        }
        for (a, _) in pairs.iter_mut().rev() {
            *a += 7;
        }
        let mut own = [Pair(1, 2), Pair(i, 4)];
        for (Pair(a, b), (c, d)) in own.iter_mut().zip(&mut pairs) {
            *a += *d;
            *c ^= *b;
        }
        for (Pair(a, _), v) in own.iter_mut().zip([5u32, 6]) {
            *a += v;
        }
        let start = pairs[0].0 * 3 + pairs[1].1 + own[0].0 * 7 + own[1].0 + x.len() as u32;
        all.iter().fold(start, |h, p| h.wrapping_mul(31) ^ p.at.0 ^ p.at.1 << 3 ^ p.life)
    }
});

both!(texts, plain_texts, {
    const HEX: &[u8] = "0123456789abcdef".as_bytes();

    fn hash(text: &[u8]) -> u32 {
        text.iter().fold(5381, |h: u32, &b| h.wrapping_mul(33) ^ u32::from(b))
    }

    pub(super) fn texts(i: u32, x: &[u32]) -> u32 {
        let mut own = [0u8; 5];
        own.copy_from_slice("h\u{20ac}i".as_bytes());
        let line = "key=value".as_bytes();
        let mut sum = hash("abc".as_bytes()) ^ hash(&own) ^ line[i as usize % 9] as u32 ^ line.len() as u32;
        for b in "xyz".bytes() {
            sum = sum.rotate_left(3) ^ b as u32;
        }
        if let Some(at) = line.iter().position(|&b| b == b'=') {
            sum ^= hash(&line[at + 1..]);
        }
        let dot: u32 = "nested".bytes().rev().zip(HEX).map(|(a, b)| u32::from(a) * u32::from(*b)).sum();
        sum ^ dot ^ x[0]
    }
});

domain!("domains_tools", {
    fixed, Fixed, plain_fixed;
    beam, Beam, plain_beam;
    stack_machine, StackMachine, plain_stack_machine;
    named_functions, NamedFunctions, plain_named_functions;
    written_elements, WrittenElements, plain_written_elements;
    texts, Texts, plain_texts;
});
