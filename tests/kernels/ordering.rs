//! Comparison of what is made of parts, and `Ordering`: derived and written traits, operators, methods, patterns.

#![allow(clippy::bool_comparison, reason = "`bool` has an order, too")]

use std::cmp::Ordering;

use gridwise::prelude::*;
use gridwise_device_lib::grades::{Grade, Weight};

use super::{case, twice};
use crate::case::{Case, Output, patterns};

use cards::{Card, Casual, Key, Level, Nested, Odd, Picky, Signed, Suit, Unit};

const N: usize = 600;

#[device]
mod cards {
    use std::cmp::Ordering;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Suit {
        Clubs,
        Hearts(u32),
        Spades { rank: i32, joker: bool },
    }

    /// Its variants are ordered by their numbers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Signed {
        Up = 5,
        Down = -3,
        Middle = 0,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    #[repr(u32)]
    pub(super) enum Level {
        Top = 0x9000_0000,
        Low = 7,
    }

    #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
    pub(super) struct Card {
        pub(super) suit: Suit,
        pub(super) value: f32,
        pub(super) marks: [u8; 3],
    }

    /// Ordered by the last digit, the larger first; equal by it too.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Key(pub(super) u32);

    impl PartialEq for Key {
        fn eq(&self, other: &Self) -> bool {
            self.0 % 10 == other.0 % 10
        }
    }

    impl Eq for Key {}

    impl PartialOrd for Key {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Key {
        fn cmp(&self, other: &Self) -> Ordering {
            (other.0 % 10).cmp(&(self.0 % 10))
        }
    }

    /// Without an order where both are odd.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Odd(pub(super) u32);

    impl PartialOrd for Odd {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            if self.0 & other.0 & 1 == 1 { None } else { self.0.partial_cmp(&other.0) }
        }
    }

    impl PartialEq<u32> for Odd {
        fn eq(&self, other: &u32) -> bool {
            self.0 == *other + 1
        }
    }

    impl PartialOrd<u32> for Odd {
        fn partial_cmp(&self, other: &u32) -> Option<Ordering> {
            if *other == 3 { None } else { Some(self.0.cmp(other).reverse()) }
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Nested {
        pub(super) key: Key,
        pub(super) other: Option<Key>,
        pub(super) pair: (Suit, [Key; 2]),
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Unit;

    /// Compares small numbers only.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Picky(pub(super) u32);

    impl PartialEq for Picky {
        fn eq(&self, other: &Self) -> bool {
            assert!(self.0 < 100, "{} is too large", self.0);
            self.0 == other.0
        }
    }

    impl PartialOrd for Picky {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            assert!(self.0 < 100, "{} is too large", self.0);
            self.0.partial_cmp(&other.0)
        }
    }

    /// With operators of its own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct Casual(pub(super) u32);

    impl PartialOrd for Casual {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }

        fn lt(&self, other: &Self) -> bool {
            self.0 + 1 < other.0
        }
    }

    impl Ord for Casual {
        fn cmp(&self, other: &Self) -> Ordering {
            self.0.cmp(&other.0)
        }

        fn max(self, other: Self) -> Self {
            Self(self.0 + other.0)
        }
    }
}

#[device]
fn suit_of(x: u32) -> Suit {
    match x % 3 {
        0 => Suit::Clubs,
        1 => Suit::Hearts(x / 3 % 4),
        _ => Suit::Spades { rank: (x / 3 % 3) as i32 - 1, joker: x & 32 == 0 },
    }
}

#[device]
fn float_of(x: u32) -> f32 {
    match x % 7 {
        0 => f32::NAN,
        1 => -0.0,
        2 => f32::INFINITY,
        n => n as f32 - 4.0,
    }
}

/// The sign of a NaN is open on some devices.
#[device]
fn negated(x: f32) -> f32 {
    if x.is_nan() { -2.0 } else { -x }
}

/// A number for each outcome.
#[device]
fn code(order: Option<Ordering>) -> u32 {
    match order {
        Some(Ordering::Less) => 1,
        Some(Ordering::Equal) => 2,
        Some(Ordering::Greater) => 3,
        None => 4,
    }
}

#[device]
fn operators<T: PartialOrd>(a: T, b: T) -> u32 {
    let six = [a < b, a <= b, a > b, a >= b, a == b, a != b];
    let mut bits = 0;
    for i in 0..6u32 {
        bits |= (six[i as usize] as u32) << i;
    }
    bits * 5 + code(a.partial_cmp(&b))
}

#[device]
fn total<T: Ord + Copy>(a: T, b: T) -> u32 {
    let order = a.cmp(&b);
    let (larger, smaller) = (a.max(b), a.min(b));
    code(Some(order)) + (larger == a) as u32 * 10 + (smaller == a) as u32 * 100 + operators(a, b) * 1000
}

twice! {
    fn numbers(x: u32) -> u32 {
        let (a, b) = (x % 5, x / 5 % 5);
        let (f, g) = (float_of(a), float_of(x / 25));
        let mut sum = operators(a, b) + operators(a as i8 - 2, b as i8 - 2) * 3 + total(a as u64, b as u64);
        sum += operators(f, g) * 5 + code(Some(f.total_cmp(&g))) * 7 + code(Some(negated(f).total_cmp(&negated(g))));
        sum += operators(f as f64, g as f64) + code(Some((f as f64).total_cmp(&(g as f64)))) * 11;
        sum += total(a & 1 == 0, b & 1 == 0) + (a.clamp(1, 3) + (a & 1 == 0).clamp(false, true) as u32);
        sum + operators((), ()) + total((a < b) > (f < g), a > b)
    }

    fn tuples(x: u32) -> u32 {
        let (a, b) = (x % 6, x / 6 % 6);
        let mut sum = total((a / 2, b / 3), (b / 2, a / 3)) + operators((a, float_of(b)), (a, float_of(x / 36)));
        sum += total([a & 1, b & 1, 3], [b & 1, a & 1, 3]) + operators([(a, 1.0), (b, 2.0)], [(a, float_of(b)), (b, 2.0)]);
        sum += total((a == 0).then_some(b), (b == 0).then_some(a)) + total((a / 4, ((), [b / 4; 0], 1u8)), (b / 4, ((), [], 1)));
        let result = |n: u32| if n & 1 == 0 { Ok(n / 2) } else { Err((n / 3, n > 3)) };
        sum += total(result(a), result(b));
        let smallest = (a, b).min((b, a)).min((3, 3));
        let kept = (a, b).clamp((1, 4), (4, 1));
        sum + smallest.0 * 10 + smallest.1 + kept.0 * 1000 + kept.1 * 100 + (Some(a).max(None) == Some(a)) as u32
    }

    fn derived(x: u32) -> u32 {
        let (a, b) = (x % 97, x / 11 % 97);
        let (s, t) = (suit_of(a), suit_of(b));
        let card = |n: u32| Card { suit: suit_of(n / 2), value: float_of(n), marks: [n as u8 & 1, n as u8 & 2, 0] };
        let signed = |n: u32| match n % 3 { 0 => Signed::Up, 1 => Signed::Down, _ => Signed::Middle };
        let level = |n: u32| if n & 1 == 0 { Level::Top } else { Level::Low };
        let grade = |n: u32| match n % 3 { 0 => Grade::High, 1 => Grade::Low, _ => Grade::Middle };
        let sum = total(s, t) + operators(card(a), card(b)) * 3 + total(signed(a), signed(b)) * 5;
        sum + total(level(a), level(b)) + total(grade(a), grade(b)) * 7 + total(Unit, Unit)
            + operators(Weight(float_of(a)), Weight(float_of(b))) + (grade(a) == Grade::default()) as u32
            + (s.max(t) >= Suit::Hearts(2)) as u32 * 9 + (Some(s) > None) as u32
    }

    fn written(x: u32) -> u32 {
        let (a, b) = (x % 50, x / 50 % 50);
        let nested = |n: u32, m: u32| Nested {
            key: Key(n),
            other: (m & 1 == 0).then_some(Key(m)),
            pair: (suit_of(n / 10), [Key(m / 2), Key(n)]),
        };
        let mut sum = total(Key(a), Key(b)) + operators(Odd(a), Odd(b)) * 3 + total(nested(a, b), nested(b, a)) * 5;
        sum += total(nested(a, b), nested(a + 10, b)) + operators((Key(a), Odd(b)), (Key(a + 20), Odd(a)));
        sum += operators([Odd(a), Odd(b)], [Odd(a), Odd(x % 3)]) + (Odd(a) < b) as u32 + (Odd(a) >= b) as u32 * 2;
        sum += (Odd(a) == b) as u32 * 3 + (Odd(a) != b) as u32 * 5 + (Key(a) == Key(b)) as u32 + (Key(a) != Key(b)) as u32 * 7;
        sum += (Casual(a) < Casual(b)) as u32 + Casual(a).max(Casual(b)).0 + (Casual(a) > Casual(b)) as u32 * 2;
        sum + code(Casual(a).partial_cmp(&Casual(b)))
    }

    fn orderings(x: u32) -> u32 {
        let (a, b, c) = (x % 4, x / 4 % 4, x / 16 % 4);
        let order = a.cmp(&b);
        let by_all = order.then(b.cmp(&c)).then_with(|| if c == 3 { Ordering::Equal } else { c.cmp(&a).reverse() });
        let bits = [order.is_lt(), order.is_le(), order.is_gt(), order.is_ge(), order.is_eq(), order.is_ne()];
        let mut sum = (by_all as i32 + 1) as u32;
        for i in 0..6u32 {
            sum = sum * 2 + bits[i as usize] as u32;
        }
        sum += match (order, by_all) {
            (Ordering::Less, _) => 100,
            (Ordering::Equal, Ordering::Greater) => 200,
            (_, Ordering::Less | Ordering::Equal) => 300,
            _ => 400,
        };
        let least = if by_all == Ordering::Less || order > by_all { order.min(by_all) } else { Ordering::Greater };
        if let Ordering::Greater = least {
            return sum + 1000;
        }
        sum + total(order, by_all) + code(Some(least)) + order as i8 as u8 as u32
    }

    fn in_chains(x: u32) -> u32 {
        let (a, b) = (x % 13, x / 13 % 13);
        let items = [(a % 3, 1), (b % 3, 2), (a / 4, 3), (b / 4, 4)];
        let (least, most) = (items.iter().min().copied(), items.iter().copied().max());
        let floats = [float_of(a), float_of(b), float_of(x % 7), float_of(x / 7)];
        let nearest = floats.iter().copied().min_by(|f, g| f.total_cmp(g)).unwrap_or_default();
        let farthest = (0..4u32).filter(|i| i % 3 != x % 3).max_by(|i, j| {
            floats[*i as usize].partial_cmp(&floats[*j as usize]).unwrap_or(Ordering::Equal)
        });
        let by_key = items.iter().min_by_key(|item| (Key(item.0), item.1)).map_or(0, |item| item.1);
        let keys = items.into_iter().map(|item| Key(item.0 * 7 + item.1)).max().map_or(9, |key| key.0);
        let suits = (0..a).map(suit_of).max_by_key(|suit| (*suit == Suit::Clubs, *suit));
        let mut asked = 0;
        let last = items.iter().min_by(|p, q| {
            asked += 1;
            p.0.cmp(&q.0).reverse().then(Ordering::Less)
        });
        let none = (0..0u32).map(|v| (v, Key(v))).min().is_none();
        let sum = nearest.to_bits() % 1000 + farthest.unwrap_or(7) * 10 + by_key * 100 + keys * 1000 + asked;
        sum + least.map_or(0, |it| it.0 * 5 + it.1) + most.map_or(0, |it| it.0 * 7 + it.1 * 3) + none as u32
            + suits.map_or(50, |suit| total(suit, Suit::Hearts(1))) + last.map_or(0, |it| it.1 * 77)
    }

    fn sorted(x: u32) -> u32 {
        let mut items = [(x % 7, 0u32), (x / 7 % 7, 1), (x / 49 % 7, 2), (x / 343 % 7, 3)];
        for i in 0..3 {
            for j in 0..3 - i {
                let (left, right) = (items[j], items[j + 1]);
                if left.0.cmp(&right.0).reverse().then_with(|| left.1.cmp(&right.1)).is_gt() {
                    items[j] = right;
                    items[j + 1] = left;
                }
            }
        }
        items[0].0 * 1000 + items[1].1 * 100 + items[2].1 * 10 + items[3].0
    }
}

#[kernel(workgroup = 64)]
fn all_orders(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let v = x[i];
    let n = x.len() as u32;
    out[i] = numbers(v);
    out[i + n] = tuples(v);
    out[i + 2 * n] = derived(v);
    out[i + 3 * n] = written(v);
    out[i + 4 * n] = orderings(v);
    out[i + 5 * n] = sorted(v);
    out[i + 6 * n] = in_chains(v);
}

/// The largest pair of a workgroup.
#[kernel(workgroup = 64)]
fn largest_pairs(x: &[u32], out: &mut [u32]) {
    let values = Shared::<[u32; 64]>::new();
    let lane = local_index();
    values[lane] = x[global_id().x];
    barrier();
    let mut stride = 32;
    while stride > 0 {
        if lane < stride {
            let (a, b) = ((values[lane] % 8, values[lane]), (values[lane + stride] % 8, values[lane + stride]));
            if a.cmp(&b) == Ordering::Less {
                values[lane] = b.1;
            }
        }
        barrier();
        stride /= 2;
    }
    if lane == 0 {
        out[workgroup_id().x] = values[0];
    }
}

#[kernel(workgroup = 64)]
fn picky_orders(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let (a, b) = ((x[i] % 2, Picky(x[i])), (i % 2, Picky(5)));
    out[i] = (a < b) as u32 + 2 * (a == b) as u32;
}

/// Nothing but the default methods of `Ord`, which go by `<`.
#[kernel(workgroup = 64)]
fn largest_keys(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = Key(x[i]).max(Key(i)).0;
}

#[kernel(workgroup = 64)]
fn smallest_keys(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = (Some(Key(x[i])), i).min((Some(Key(i + 3)), x[i])).1;
}

#[kernel(workgroup = 64)]
fn keys_in_bounds(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = [Key(x[i])].clamp([Key(8)], [Key(3)])[0].0;
}

#[kernel(workgroup = 64)]
fn clamped_pairs(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = (x[i], 1).clamp((3, 5), (x[i] % 7, 9)).0;
}

fn input() -> Vec<u32> {
    patterns(N, 5).into_iter().enumerate().map(|(i, v)| if i % 2 == 0 { i as u32 } else { v % 5000 }).collect()
}

fn reported(
    mgr: &Manager,
    input: &[u32],
    run: for<'s> fn(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let (x, mut out) = (mgr.tensor(input)?, mgr.tensor(&vec![9u32; input.len()])?);
    let seq = mgr.sequence()?;
    run(&seq, Grid::items(input.len()), &x, &mut out)?;
    let report = super::traps::report(&seq)?;
    Ok(vec![report, Output::U32(out.to_vec()?)])
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "ordering::values",
        [AllOrders],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&input())?, mgr.tensor(&vec![0u32; 7 * N])?);
            let seq = mgr.sequence()?;
            AllOrders::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            use plain::{derived, in_chains, numbers, orderings, sorted, tuples, written};
            let functions = [numbers, tuples, derived, written, orderings, sorted, in_chains];
            vec![Output::U32(functions.iter().flat_map(|f| input().into_iter().map(f)).collect())]
        }
    ),
    case!(
        "ordering::in_shared_memory",
        [LargestPairs],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&patterns(256, 8))?, mgr.tensor(&[0u32; 4])?);
            let seq = mgr.sequence()?;
            LargestPairs::dispatch(&seq, Grid::items(256), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let largest = |group: &[u32]| group.iter().map(|v| (v % 8, *v)).max().map_or(0, |pair| pair.1);
            vec![Output::U32(patterns(256, 8).chunks(64).map(largest).collect())]
        }
    ),
    case!(
        "ordering::only_where_needed",
        [PickyOrders],
        |mgr| reported(mgr, &[101, 104, 7, 5, 105, 2], PickyOrders::dispatch),
        || {
            let values: Vec<u32> = vec![0, 1, 0, 2, 0, 1];
            vec![Output::Report("no kernel panic".to_owned()), Output::U32(values)]
        }
    ),
    case!(
        "ordering::by_default_methods",
        [LargestKeys, SmallestKeys, KeysInBounds],
        |mgr| {
            let x = mgr.tensor(&input())?;
            let mut outputs = Vec::new();
            for run in [LargestKeys::dispatch, SmallestKeys::dispatch, KeysInBounds::dispatch]
                as [for<'s> fn(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>; 3]
            {
                let mut out = mgr.tensor(&[0u32; N])?;
                let seq = mgr.sequence()?;
                run(&seq, Grid::items(N), &x, &mut out)?;
                seq.eval()?;
                outputs.push(Output::U32(out.to_vec()?));
            }
            Ok(outputs)
        },
        || {
            let of = |f: fn(u32, u32) -> u32| Output::U32((0u32..).zip(input()).map(|(i, v)| f(i, v)).collect());
            vec![
                of(|i, v| Key(v).max(Key(i)).0),
                of(|i, v| (Some(Key(v)), i).min((Some(Key(i + 3)), v)).1),
                of(|_, v| [Key(v)].clamp([Key(8)], [Key(3)])[0].0),
            ]
        }
    ),
    case!("ordering::that_panics", [PickyOrders], |mgr| reported(mgr, &[101, 104, 204, 5], PickyOrders::dispatch)),
    case!("ordering::wrong_bounds", [ClampedPairs], |mgr| reported(mgr, &[5, 13, 14, 6], ClampedPairs::dispatch)),
];
