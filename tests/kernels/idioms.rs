//! Turns of phrase that Rust programmers do not think about: methods by the name of their trait, literals beside type parameters,
//! names that hide what was imported, parts that may not be there, ranges that contain, conversions that lose nothing. Each
//! function also stands in a module that only rustc compiles.

#![allow(
    clippy::eq_op,
    clippy::manual_is_ascii_check,
    clippy::needless_range_loop,
    clippy::question_mark,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

const N: usize = 96;

both!(idioms, plain, {
    use core::ops::{Add, Mul};
    use std::f32::consts::{PI, SQRT_2};

    use gridwise::prelude::*;

    pub(super) trait Shape: Copy {
        const SIDES: u32;
        fn area(&self) -> u32;
        fn grow(&mut self, by: u32);
        fn doubled(self) -> Self;
        fn joined(&self, other: &Self) -> u32 {
            Self::area(self) * 3 + Self::area(other) + Self::SIDES
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Square(pub(super) u32);

    impl Square {
        /// Not what `Self::SIDES` is in the trait, nor `S::SIDES` of a parameter.
        const SIDES: u32 = 99;

        /// Hides the trait's where a method is called, not where the trait's function is.
        pub(super) fn area(&self) -> u32 {
            1_000_000
        }
    }

    impl Shape for Square {
        const SIDES: u32 = 4;
        fn area(&self) -> u32 {
            self.0 * self.0
        }
        fn grow(&mut self, by: u32) {
            self.0 += by;
        }
        fn doubled(self) -> Self {
            Square(self.0 * 2)
        }
    }

    impl Shape for u32 {
        const SIDES: u32 = 1;
        fn area(&self) -> u32 {
            *self + 7
        }
        fn grow(&mut self, by: u32) {
            *self ^= by;
        }
        fn doubled(self) -> Self {
            self << 1
        }
    }

    fn of_any<S: Shape>(shape: &S) -> u32 {
        S::area(shape) + Shape::area(shape) + S::SIDES + Shape::joined(shape, &S::doubled(*shape))
    }

    pub(super) fn traits(n: u32) -> [u32; 6] {
        let mut square = Square(n % 50);
        Shape::grow(&mut square, 3);
        let mut number = n;
        Shape::grow(&mut number, 5);
        [
            Shape::area(&square) + square.area(),
            Shape::area(&number),
            of_any(&square) + of_any(&n),
            Shape::joined(&square, &Shape::doubled(square)),
            Shape::doubled(number % 1000),
            Square::area(&square) + u32::area(&n) + Square::SIDES,
        ]
    }

    #[derive(Clone, Copy)]
    pub(super) struct Meters(pub(super) f32);

    impl Mul<f32> for Meters {
        type Output = Meters;
        fn mul(self, by: f32) -> Meters {
            Meters(self.0 * by)
        }
    }

    fn product<A: Mul<B>, B>(a: A, b: B) -> A::Output {
        a * b
    }

    /// A function whose result tells nothing about the operator.
    fn moved<A, B>(a: A, b: B) -> A
    where
        A: Copy + Add<B, Output = A>,
    {
        a + b
    }

    pub(super) fn literals(n: u32) -> [u32; 6] {
        let x = (n % 100) as f32;
        let v = Vec3::splat(x);
        [
            product(v, 2.0).x as u32,
            product(0.5, v).y as u32,
            product(Meters(x), 1.5).0 as u32,
            product(3, n),
            moved(uvec2(n, 1), 4).y + moved(n as u64, 1 << 33) as u32,
            moved(x as f64, 0.25).to_bits() as u32 | moved(x, 0.25).to_bits(),
        ]
    }

    pub(super) fn of_two(v: u32) -> u32 {
        v + 2
    }

    pub(super) const LIMIT: usize = 3;

    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Stack<const LEN: usize> {
        pub(super) values: [u32; LEN],
        pub(super) len: usize,
    }

    impl<const LEN: usize> Stack<LEN> {
        const EMPTY: Self = Stack { values: [0; LEN], len: 0 };

        pub(super) fn new() -> Self {
            Self::EMPTY
        }

        pub(super) fn push(&mut self, v: u32) -> Option<usize> {
            let Some(slot) = self.values.get_mut(self.len) else { return None };
            *slot = v;
            self.len += 1;
            Some(self.len)
        }

        pub(super) fn is_empty(&self) -> bool {
            *self == Self::EMPTY
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Digit {
        Low(u8),
        High(u8),
    }

    impl TryFrom<u32> for Digit {
        type Error = u32;
        fn try_from(v: u32) -> Result<Self, u32> {
            match v % 16 {
                low @ 0..=4 => Ok(Digit::Low(low as u8)),
                high @ 5..=9 => Ok(Digit::High(high as u8)),
                other => Err(other),
            }
        }
    }

    pub(super) fn hidden(n: u32) -> [u32; 6] {
        use self::of_two;
        let first = of_two(n);
        let of_two = of_two(first) + 1;
        let mut all = [first, of_two, 0, 0, 0, 0];
        {
            use self::of_two;
            all[2] = of_two(of_two(n));
        }
        for of_two in 0..of_two % 4 {
            all[3] += of_two + 1;
        }
        all[4] = match n % 3 {
            0 => of_two,
            of_two => of_two * 10,
        };
        use self::spread as widen;
        let by = |widen: u32| widen + 1;
        if let Some(widen) = n.checked_sub(400) {
            all[5] = by(widen);
        } else {
            all[5] = widen(n, 2);
        }
        all
    }

    fn spread(n: u32, by: u32) -> u32 {
        n * by
    }

    pub(super) fn parts(n: u32) -> [u32; 6] {
        let mut own = [n, n + 1, n + 2, n + 3, n + 4];
        let (at, end) = (n as usize % 7, n as usize % 6);
        let heads = own.get(..end).map_or(1, |part| part.iter().sum::<u32>())
            + own.get(..=end).map_or(2, |part| part.iter().sum::<u32>()) * 3;
        let tails = own.get(at..).map_or(3, |part| part.len() as u32 * 100 + part.first().copied().unwrap_or(9));
        let all = own.get(..).map_or(0, |part| part.len() as u32);
        if let Some(part) = own.get_mut(1..at) {
            part.reverse();
            own[0] += own[4];
        }
        if let Some(part) = own.get_mut(..=2) {
            part[1] *= 2;
        }
        let changed = match own.get_mut(at..end) {
            Some(part) => {
                for v in part.iter_mut() {
                    *v ^= 1;
                }
                part.len() as u32
            }
            None => 50,
        };
        [heads, tails + all, changed, own[0] + own[1] * 2, own[2] + own[3] * 2, own[4]]
    }

    pub(super) fn contained(n: u32) -> [u32; 6] {
        let x = (n % 300) as f32 / 100.0;
        let small = n as u8;
        let mut asked = 0;
        let mut next = || {
            asked += 1;
            asked
        };
        let in_order = (next()..next() + 5).contains(&next());
        let start = n as usize % 5;
        let own = [1i32, -4, 7, 0, 12];
        let inside = own.iter().filter(|v| (-4..7).contains(*v)).count() as u32;
        let nan = (0.0..1.0).contains(&(x - x).sqrt().ln().sqrt());
        [
            (0.5..2.5).contains(&x) as u32
                | ((0.5..=2.0).contains(&x) as u32) << 1
                | ((1.0..).contains(&x) as u32) << 2,
            (b'a'..=b'z').contains(&small) as u32 | (nan as u32) << 1,
            in_order as u32 + asked * 10,
            (start..LIMIT).contains(&2) as u32,
            inside,
            !(n / 2..n).contains(&(n / 3 * 2)) as u32,
        ]
    }

    pub(super) fn conversions(n: u32) -> [u32; 6] {
        let (a, b) = (n as u8, n as i16);
        let wide = u64::from(n) * u64::from(a) + u64::from(n % 2 == 0);
        let signed = i64::from(n) - i64::from(b) - i64::from(-3i32);
        let float = f32::from(a) * f32::from(b) + f32::from(true) + f32::from(n as i8);
        let double = f64::from(n) / f64::from(float) + f64::from(b) + f64::from(n as i32) + f64::from(n < 400);
        let size = usize::from(a) + usize::from(n as u16) + usize::from(n > 5);
        let digit = match Digit::try_from(n) {
            Ok(Digit::Low(v)) => u32::from(v),
            Ok(Digit::High(v)) => u32::from(v) * 100,
            Err(v) => v + 10_000,
        };
        [
            wide as u32 ^ (wide >> 32) as u32,
            signed as u32 ^ (signed >> 32) as u32,
            float.to_bits(),
            (double * 16.0) as i32 as u32,
            size as u32 + u32::from(i32::from(a) > 7) + i32::from(b) as u32,
            digit + u32::from(u16::from(a)),
        ]
    }

    pub(super) fn tried(n: u32) -> [u32; 6] {
        let digits = [n % 10, 2, n % 7, 9];
        let number = digits.iter().try_fold(0u8, |v, &d| v.checked_mul(10)?.checked_add(d as u8));
        let halved = n.checked_sub(100).and_then(|v| {
            let half = v.checked_sub(200)? / 2;
            Some(half + 1)
        });
        let told: Result<u32, u32> = digits.iter().try_fold(1u32, |v, &d| {
            let d = if d == 3 { Err(v) } else { Ok(d) }?;
            Ok(v * 2 + d)
        });
        let mut stack = Stack::<LIMIT>::new();
        let was_empty = stack.is_empty();
        let mut pushed = 0;
        for k in 0..n % 6 {
            pushed += stack.push(k + 1).map_or(100, |len| len as u32);
        }
        [
            number.map_or(1000, u32::from),
            halved.unwrap_or(5),
            told.unwrap_or_else(|v| v + 50_000),
            pushed + was_empty as u32 * 1000,
            stack.values[1] + stack.is_empty() as u32,
            (PI * n as f32 + SQRT_2).to_bits(),
        ]
    }
});

both!(states, plain_states, {
    use core::mem::swap;
    use std::f64::consts::{FRAC_1_PI as PART, TAU};

    use State::{Idle, Jumped as Away, *};

    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum State {
        Idle,
        Moving { by: u32 },
        Jumped(u32),
        Lost,
    }

    impl State {
        pub(super) fn next(self) -> Self {
            match self {
                Idle => Away(1),
                Moving { by } if by > 20 => Lost,
                Moving { by } => Moving { by: by + 7 },
                Jumped(n) => Moving { by: n % 30 },
                Lost => Idle,
            }
        }
    }

    pub(super) fn code(state: State) -> u32 {
        let (mut a, mut b) = (3, 4);
        swap(&mut a, &mut b);
        // Once more, and by another name.
        use self::State::*;
        match state {
            Idle => a,
            Moving { by } => by * 5,
            Jumped(n) => (f64::from(n) * TAU * PART) as u32,
            Lost => {
                use State::Lost as Gone;
                if matches!(state, Gone) { b } else { 0 }
            }
        }
    }
});

/// With the names of another module's enum.
macro_rules! follow {
    ($(#[$attr:meta])* fn $name:ident, $states:ident) => {
        $(#[$attr])*
        fn $name(n: u32) -> [u32; 6] {
            use $states::State;
            use State::*;
            let mut state = match n % 4 {
                0 => Idle,
                1 => Moving { by: n % 50 },
                2 => Jumped(n),
                _ => Lost,
            };
            let mut all = [0; 6];
            for k in 0..5 {
                all[k] = $states::code(state) + if state == Idle { 1000 } else { 0 };
                state = state.next();
            }
            all[5] = match state {
                Moving { by: 1..=9 } => 1,
                Jumped(_) | Lost => 2,
                _ => 3,
            };
            all
        }
    };
}

follow!(#[device] fn followed, states);
follow!(fn plain_followed, plain_states);

#[kernel(workgroup = 32)]
fn globs(x: &[u32], out: &mut [[u32; 6]]) {
    use states::State::{self, *};
    let i = global_id().x;
    let mut all = followed(x[i]);
    if let Moving { by } | Jumped(by) = State::next(Jumped(x[i])) {
        all[5] += by;
    }
    out[i] = all;
}

fn expected_globs() -> Vec<Output> {
    let all = numbers().into_iter().flat_map(|n| {
        let mut all = plain_followed(n);
        all[5] += n % 30;
        all
    });
    vec![Output::U32(all.collect())]
}

/// In buffers, and in the kernel itself.
///
/// # Safety
/// `out` is so short that no index wraps around.
#[kernel(workgroup = 32)]
unsafe fn in_buffers(x: &[u32], out: &mut [[u32; 6]]) {
    let i = global_id().x as usize;
    let before = x.get(..i).map_or(0, |part| part.iter().map(|v| v % 7).sum());
    let behind = x.get(i + 3..).map_or(77, |part| part.iter().take(3).sum());
    let Some(own) = out.get_mut(i..=i) else { return };
    own[0][0] = before;
    own[0][1] = behind;
    let last = x[i];
    use super::idioms::idioms::of_two;
    let of_two = of_two(last);
    if let Some(rest) = out.get_mut(i..) {
        rest[0][2] = of_two;
        rest[0][3] = (10..500).contains(&last) as u32;
    }
    out[i][4] = u32::from(x.get(..=i * 2).is_some());
    out[i][5] = idioms::Shape::area(&x[i]);
}

fn expected_in_buffers() -> Vec<Output> {
    let x = numbers();
    let all = (0..N).flat_map(|i| {
        [
            x[..i].iter().map(|v| v % 7).sum(),
            x.get(i + 3..).map_or(77, |part| part.iter().take(3).sum()),
            x[i] + 2,
            u32::from((10..500).contains(&x[i])),
            u32::from(i * 2 < N),
            x[i] + 7,
        ]
    });
    vec![Output::U32(all.collect())]
}

fn numbers() -> Vec<u32> {
    patterns(N, 977).into_iter().map(|v| v % 1000).collect()
}

macro_rules! kernels {
    ($($kernel:ident $name:ident)*) => {
        $(
            #[kernel(workgroup = 32)]
            fn $kernel(x: &[u32], out: &mut [[u32; 6]]) {
                let i = global_id().x;
                out[i] = idioms::$name(x[i]);
            }
        )*
    };
}

kernels! { run_traits traits  run_literals literals  run_hidden hidden  run_parts parts }
kernels! { run_contained contained  run_conversions conversions  run_tried tried }

macro_rules! run {
    (unsafe $kernel:ident) => {
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![[0u32; 6]; N])?);
            let seq = mgr.sequence()?;
            // SAFETY: the tensors have a few hundred elements.
            unsafe { $kernel::dispatch(&seq, Grid::items(N), &x, &mut out) }?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        }
    };
    ($kernel:ident) => {
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![[0u32; 6]; N])?);
            let seq = mgr.sequence()?;
            $kernel::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        }
    };
}

macro_rules! compared {
    ($name:literal, $kernel:ident, $plain:ident) => {
        case!($name, [$kernel], run!($kernel), || vec![Output::U32(
            numbers().into_iter().flat_map(plain::$plain).collect()
        )])
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    compared!("idioms::traits", RunTraits, traits),
    compared!("idioms::literals", RunLiterals, literals),
    compared!("idioms::hidden", RunHidden, hidden),
    compared!("idioms::parts", RunParts, parts),
    compared!("idioms::contained", RunContained, contained),
    compared!("idioms::conversions", RunConversions, conversions),
    compared!("idioms::tried", RunTried, tried),
    case!("idioms::globs", [Globs], run!(Globs), expected_globs),
    case!("idioms::in_buffers", [InBuffers], run!(unsafe InBuffers), expected_in_buffers),
];
