//! Programs about games and records: chess, sudoku, decisions, dates, genomes. rustc compiles each of them, too.

#![allow(dead_code, clippy::all, reason = "programs as people write them, of which not every function is called")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(chess, plain_chess, {
    use core::ops::{BitAnd, BitOr, BitOrAssign, Not};

    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub(super) struct Bitboard(u64);

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Square(u8);

    impl Square {
        pub(super) const fn new(file: u8, rank: u8) -> Option<Self> {
            if file < 8 && rank < 8 { Some(Self(rank * 8 + file)) } else { None }
        }
        pub(super) const fn file(self) -> u8 {
            self.0 & 7
        }
        pub(super) const fn rank(self) -> u8 {
            self.0 >> 3
        }
        fn offset(self, (df, dr): (i8, i8)) -> Option<Self> {
            let file = self.file().checked_add_signed(df)?;
            let rank = self.rank().checked_add_signed(dr)?;
            Self::new(file, rank)
        }
    }

    impl From<Square> for Bitboard {
        fn from(s: Square) -> Self {
            Self(1 << s.0)
        }
    }

    impl BitOr for Bitboard {
        type Output = Self;
        fn bitor(self, rhs: Self) -> Self {
            Self(self.0 | rhs.0)
        }
    }
    impl BitAnd for Bitboard {
        type Output = Self;
        fn bitand(self, rhs: Self) -> Self {
            Self(self.0 & rhs.0)
        }
    }
    impl BitOrAssign for Bitboard {
        fn bitor_assign(&mut self, rhs: Self) {
            *self = *self | rhs;
        }
    }
    impl Not for Bitboard {
        type Output = Self;
        fn not(self) -> Self {
            Self(!self.0)
        }
    }

    impl Bitboard {
        pub(super) const EMPTY: Self = Self(0);

        pub(super) fn contains(self, s: Square) -> bool {
            self & s.into() != Self::EMPTY
        }
        pub(super) const fn count(self) -> u32 {
            self.0.count_ones()
        }
        pub(super) const fn is_empty(self) -> bool {
            self.0 == 0
        }
    }

    impl Iterator for Bitboard {
        type Item = Square;
        fn next(&mut self) -> Option<Square> {
            if self.is_empty() {
                return None;
            }
            let s = Square(self.0.trailing_zeros() as u8);
            self.0 &= self.0 - 1;
            Some(s)
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Piece {
        Knight,
        Bishop,
        Rook,
        King,
    }

    const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    const KNIGHT: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

    impl Piece {
        fn slides(self) -> bool {
            matches!(self, Piece::Bishop | Piece::Rook)
        }

        fn directions(self) -> impl Iterator<Item = (i8, i8)> {
            (0..8).map(move |k| match self {
                Piece::Bishop => DIAGONAL[k % 4],
                Piece::Rook => STRAIGHT[k % 4],
                _ => KNIGHT[k],
            })
        }

        pub(super) fn attacks(self, from: Square, occupied: Bitboard) -> Bitboard {
            let mut out = Bitboard::default();
            for d in self.directions() {
                let mut at = from;
                while let Some(next) = at.offset(d) {
                    out |= next.into();
                    if !self.slides() || occupied.contains(next) {
                        break;
                    }
                    at = next;
                }
            }
            out
        }
    }

    pub(super) fn chess(i: u32, x: &[u32]) -> u32 {
        let occupied = Bitboard(
            u64::from(x[i as usize]) << 32 | u64::from(x[(i as usize + 5) % x.len()].wrapping_mul(0x9e37_79b9)),
        );
        let from = Square::new((i % 8) as u8, (i / 4 % 8) as u8).unwrap();
        let piece = match i % 4 {
            0 => Piece::Knight,
            1 => Piece::Bishop,
            2 => Piece::Rook,
            _ => Piece::King,
        };
        let attacks = piece.attacks(from, occupied);
        let mut sum = 0;
        let mut squares = attacks & !occupied;
        while let Some(s) = squares.next() {
            sum += u32::from(s.rank()) * 8 + u32::from(s.file());
        }
        let mut far = Bitboard::EMPTY;
        let mut rest = attacks;
        while let Some(s) = rest.next() {
            if s > from {
                far |= s.into();
            }
        }
        sum << 8 ^ attacks.count() ^ far.count() << 24
    }
});

both!(sudoku, plain_sudoku, {
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct Digits(u16);

    impl Digits {
        const ALL: Self = Self(0b1_1110);

        const fn only(d: u8) -> Self {
            Self(1 << d)
        }
        fn single(self) -> Option<u8> {
            (self.0.is_power_of_two()).then(|| self.0.trailing_zeros() as u8)
        }
        fn iter(self) -> impl Iterator<Item = u8> {
            (1..=4).filter(move |&d| self.0 >> d & 1 == 1)
        }
    }

    impl core::ops::SubAssign for Digits {
        fn sub_assign(&mut self, other: Self) {
            self.0 &= !other.0;
        }
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct Board {
        cells: [u8; 16],
    }

    const BLANK: u8 = 0;

    impl Board {
        fn peers(at: usize) -> impl Iterator<Item = usize> {
            let (r, c) = (at / 4, at % 4);
            let (br, bc) = (r & !1, c & !1);
            let row = (0..4).map(move |k| r * 4 + k);
            let col = (0..4).map(move |k| k * 4 + c);
            let block = (0..4).map(move |k| (br + k / 2) * 4 + bc + k % 2);
            row.chain(col).chain(block).filter(move |&p| p != at)
        }

        fn candidates(&self, at: usize) -> Digits {
            let mut left = Digits::ALL;
            for p in Self::peers(at) {
                if let d @ 1.. = self.cells[p] {
                    left -= Digits::only(d);
                }
            }
            left
        }

        fn first_blank(&self) -> Option<usize> {
            (0..self.cells.len())
                .filter(|&at| self.cells[at] == BLANK)
                .min_by_key(|&at| self.candidates(at).0.count_ones())
        }

        fn solve(mut self) -> Option<Self> {
            let mut trail = [(0usize, Digits::ALL); 16];
            let mut depth = 0;
            'search: loop {
                let Some(at) = self.first_blank() else { return Some(self) };
                let mut entry = (at, self.candidates(at));
                loop {
                    let (at, left) = entry;
                    let next = left.iter().next();
                    match next {
                        Some(d) => {
                            self.cells[at] = d;
                            let mut left = left;
                            left -= Digits::only(d);
                            trail[depth] = (at, left);
                            depth += 1;
                            continue 'search;
                        }
                        None => {
                            self.cells[at] = BLANK;
                            if depth == 0 {
                                return None;
                            }
                            depth -= 1;
                            entry = trail[depth];
                        }
                    }
                }
            }
        }
    }

    pub(super) fn sudoku(i: u32, x: &[u32]) -> u32 {
        let mut board = Board { cells: [BLANK; 16] };
        for k in 0..3 {
            let v = x[(i as usize + k) % x.len()];
            let at = (v >> 2) as usize % 16;
            if let Some(d) = board.candidates(at).iter().nth((v & 1) as usize) {
                board.cells[at] = d;
            }
        }
        let singles = (0..16).filter_map(|at| board.candidates(at).single()).count() as u32;
        board.solve().map_or(1 << 31, |b| b.cells.iter().fold(0u32, |h, &c| h << 2 ^ h >> 30 ^ (c as u32 - 1)))
            ^ singles
    }
});

both!(utility, plain_utility, {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum Action {
        Attack { target: u8 },
        Heal,
        Flee,
        Idle,
    }

    #[derive(Clone, Copy)]
    pub(super) struct Agent {
        health: f32,
        ammo: u8,
        enemies: [Option<f32>; 3],
    }

    pub(super) enum Curve {
        Linear { slope: f32, offset: f32 },
        Quadratic(f32),
        Step(f32),
    }

    impl Curve {
        fn eval(&self, x: f32) -> f32 {
            let y = match self {
                Curve::Linear { slope, offset } => slope * x + offset,
                Curve::Quadratic(k) => k * x * x,
                &Curve::Step(at) if x < at => 0.0,
                Curve::Step(_) => 1.0,
            };
            y.clamp(0.0, 1.0)
        }
    }

    pub(super) trait Consider {
        fn score(&self, agent: &Agent) -> f32;

        fn and<C: Consider>(self, other: C) -> And<Self, C>
        where
            Self: Sized,
        {
            And(self, other)
        }
    }

    pub(super) struct And<A, B>(A, B);
    impl<A: Consider, B: Consider> Consider for And<A, B> {
        fn score(&self, agent: &Agent) -> f32 {
            self.0.score(agent) * self.1.score(agent)
        }
    }

    pub(super) struct LowHealth(Curve);
    impl Consider for LowHealth {
        fn score(&self, agent: &Agent) -> f32 {
            self.0.eval(1.0 - agent.health)
        }
    }
    pub(super) struct HasAmmo;
    impl Consider for HasAmmo {
        fn score(&self, agent: &Agent) -> f32 {
            (agent.ammo > 0) as u8 as f32
        }
    }
    pub(super) struct Near(Curve);
    impl Consider for Near {
        fn score(&self, agent: &Agent) -> f32 {
            agent.nearest().map_or(0.0, |(_, d)| self.0.eval(1.0 / (1.0 + d)))
        }
    }

    impl Agent {
        fn nearest(&self) -> Option<(usize, f32)> {
            self.enemies
                .iter()
                .enumerate()
                .filter_map(|(i, d)| Some((i, (*d)?)))
                .min_by(|(_, a), (_, b)| a.total_cmp(b))
        }

        fn decide(&self) -> (Action, f32) {
            let attack = Near(Curve::Linear { slope: 2.0, offset: 0.0 }).and(HasAmmo);
            let heal = LowHealth(Curve::Quadratic(1.25));
            let flee = LowHealth(Curve::Step(0.75)).and(Near(Curve::Step(0.25)));
            let target = self.nearest().map_or(0, |(i, _)| i as u8);
            let options = [
                (Action::Attack { target }, attack.score(self)),
                (Action::Heal, heal.score(self)),
                (Action::Flee, flee.score(self)),
                (Action::Idle, 0.125),
            ];
            options.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
        }
    }

    pub(super) fn utility(i: u32, x: &[u32]) -> u32 {
        let v = x[i as usize].wrapping_mul(0x9e37_79b9) ^ i;
        let enemy = |k: u32| (v >> k & 1 == 1).then_some((v >> (k + 3) & 15) as f32 * 0.5);
        let agent =
            Agent { health: (v & 7) as f32 / 8.0, ammo: (v >> 3 & 3) as u8, enemies: [enemy(5), enemy(10), enemy(15)] };
        let (action, score) = agent.decide();
        let code = match action {
            Action::Attack { target: t @ 1.. } => 16 + t as u32,
            Action::Attack { .. } => 15,
            Action::Heal => 1,
            Action::Flee => 2,
            Action::Idle => 3,
        };
        code | ((score * 1000.0 + 0.25) as u32) << 8
    }
});

both!(dates, plain_dates, {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Weekday {
        Monday = 1,
        Tuesday,
        Wednesday,
        Thursday,
        Friday,
        Saturday,
        Sunday,
    }

    impl Weekday {
        const ALL: [Self; 7] =
            [Self::Monday, Self::Tuesday, Self::Wednesday, Self::Thursday, Self::Friday, Self::Saturday, Self::Sunday];

        pub(super) fn is_weekend(self) -> bool {
            self >= Weekday::Saturday
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Date {
        year: i32,
        month: u8,
        day: u8,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Days(pub(super) i32);

    const fn is_leap(year: i32) -> bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    impl Date {
        pub(super) fn new(year: i32, month: u8, day: u8) -> Option<Self> {
            let valid = (1..=12).contains(&month) && (1..=Self::days_in_month(year, month)).contains(&day);
            valid.then_some(Self { year, month, day })
        }

        const fn days_in_month(year: i32, month: u8) -> u8 {
            match month {
                2 if is_leap(year) => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            }
        }

        pub(super) fn weekday(self) -> Weekday {
            let Days(n) = self.into();
            Weekday::ALL[(n + 3).rem_euclid(7) as usize]
        }

        pub(super) fn succ(self) -> Self {
            let Self { year, month, day } = self;
            Self::new(year, month, day + 1).or_else(|| Self::new(year, month + 1, 1)).unwrap_or(Self {
                year: year + 1,
                month: 1,
                day: 1,
            })
        }
    }

    impl From<Date> for Days {
        fn from(Date { year, month, day }: Date) -> Self {
            let y = if month <= 2 { year - 1 } else { year };
            let era = y.div_euclid(400);
            let yoe = y.rem_euclid(400);
            let mp = (i32::from(month) + 9) % 12;
            let doy = (153 * mp + 2) / 5 + i32::from(day) - 1;
            let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
            Days(era * 146_097 + doe - 719_468)
        }
    }

    impl From<Days> for Date {
        fn from(Days(z): Days) -> Self {
            let z = z + 719_468;
            let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
            let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
            let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
            let mp = (5 * doy + 2) / 153;
            let month = if mp < 10 { mp + 3 } else { mp - 9 } as u8;
            Date { year: yoe + era * 400 + i32::from(month <= 2), month, day: (doy - (153 * mp + 2) / 5 + 1) as u8 }
        }
    }

    impl core::ops::Sub for Date {
        type Output = i32;
        fn sub(self, rhs: Self) -> i32 {
            Days::from(self).0 - Days::from(rhs).0
        }
    }

    impl core::ops::Add<Days> for Date {
        type Output = Date;
        fn add(self, days: Days) -> Date {
            Days(Days::from(self).0 + days.0).into()
        }
    }

    fn workdays(from: Date) -> impl Iterator<Item = Date> {
        (0..400)
            .scan(from, |next, _| {
                let now = *next;
                *next = now.succ();
                Some(now)
            })
            .filter(|d| !d.weekday().is_weekend())
    }

    pub(super) fn dates(i: u32, x: &[u32]) -> u32 {
        let epoch = Date::new(1970, 1, 1).expect("valid");
        let date = epoch + Days((x[i as usize] % 60_000) as i32 - 20_000);
        let tenth = workdays(date).nth(9).unwrap();
        assert!(tenth > date);
        let odd = Date::new(date.year, 2, 29).map_or(0, |d| d - date) as u32;
        (tenth - date) as u32
            ^ (date.weekday() as u32) << 4
            ^ u32::from(date.month) << 8
            ^ u32::from(date.day) << 12
            ^ odd << 17
    }
});

both!(kmers, plain_kmers, {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[repr(u8)]
    pub(super) enum Base {
        A = 0,
        C = 1,
        G = 2,
        T = 3,
    }

    impl TryFrom<u8> for Base {
        type Error = u8;
        fn try_from(b: u8) -> Result<Self, u8> {
            Ok(match b.to_ascii_uppercase() {
                b'A' => Base::A,
                b'C' => Base::C,
                b'G' => Base::G,
                b'T' => Base::T,
                _ => return Err(b),
            })
        }
    }

    impl Base {
        pub(super) const fn complement(self) -> Self {
            match self {
                Base::A => Base::T,
                Base::C => Base::G,
                Base::G => Base::C,
                Base::T => Base::A,
            }
        }
    }

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub(super) struct Kmer<const K: usize>(u64);

    impl<const K: usize> Kmer<K> {
        pub(super) const MASK: u64 = (1 << (2 * K)) - 1;

        pub(super) fn push(self, base: Base) -> Self {
            Self((self.0 << 2 | base as u64) & Self::MASK)
        }

        pub(super) fn reverse_complement(self) -> Self {
            let mut out = 0;
            let mut bits = self.0;
            for _ in 0..K {
                out = out << 2 | (3 - (bits & 3));
                bits >>= 2;
            }
            Self(out)
        }

        pub(super) fn canonical(self) -> Self {
            self.min(self.reverse_complement())
        }
    }

    pub(super) struct Kmers<const K: usize, const N: usize> {
        seq: [u8; N],
        pos: usize,
        current: Kmer<K>,
        valid: usize,
    }

    impl<const K: usize, const N: usize> Kmers<K, N> {
        pub(super) fn new(seq: [u8; N]) -> Self {
            Self { seq, pos: 0, current: Kmer(0), valid: 0 }
        }
    }

    impl<const K: usize, const N: usize> Iterator for Kmers<K, N> {
        type Item = Kmer<K>;

        fn next(&mut self) -> Option<Self::Item> {
            while let Some(&first) = self.seq.get(self.pos) {
                self.pos += 1;
                match Base::try_from(first) {
                    Ok(base) => {
                        self.current = self.current.push(base);
                        self.valid += 1;
                        if self.valid >= K {
                            return Some(self.current);
                        }
                    }
                    Err(_) => self.valid = 0,
                }
            }
            None
        }
    }

    pub(super) fn kmers(i: u32, x: &[u32]) -> u32 {
        let seq: [u8; 14] =
            core::array::from_fn(|k| b"ACGTacgtN"[(x[(i as usize + k) % x.len()] >> (k & 3)) as usize % 9]);
        let minimizer = {
            let mut all = Kmers::<4, 14>::new(seq);
            let mut least: Option<Kmer<4>> = None;
            while let Some(k) = all.next() {
                let k = k.canonical();
                least = Some(least.map_or(k, |old| old.min(k)));
            }
            least
        };
        let count = {
            let mut all = Kmers::<3, 14>::new(seq);
            let mut n = 0;
            while let Some(k) = all.next() {
                n += u32::from(k.canonical() == k);
            }
            n
        };
        let rolling = seq.windows(3).map(|w| w.iter().fold(0u32, |h, &b| h * 33 + u32::from(b))).max().unwrap_or(0);
        minimizer.map_or(0xffff, |k| k.0 as u32) ^ (count as u32) << 16 ^ rolling << 4
    }
});

domain!("domains_games", {
    chess, Chess, plain_chess;
    sudoku, Sudoku, plain_sudoku;
    utility, Utility, plain_utility;
    dates, Dates, plain_dates;
    kmers, Kmers, plain_kmers;
});
