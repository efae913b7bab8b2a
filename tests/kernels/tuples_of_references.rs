//! References in tuples that patterns take apart, and parts of generic values that are not `Copy`. rustc compiles the program, too.

#![allow(dead_code, clippy::all, clippy::pedantic, reason = "a program as people write it")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(values, plain_values, {
    trait Mass {
        fn mass(&self) -> u32;
        fn twice(&self) -> u32 {
            self.mass() * 2
        }
    }
    impl Mass for u32 {
        fn mass(&self) -> u32 {
            *self
        }
    }
    impl Mass for [u32; 2] {
        fn mass(&self) -> u32 {
            self[0] ^ self[1]
        }
    }
    struct Heavy(u32);
    impl Mass for Heavy {
        fn mass(&self) -> u32 {
            self.0
        }
    }
    impl<T: Mass> Mass for Option<T> {
        fn mass(&self) -> u32 {
            if let Some(v) = self { v.mass() + 1 } else { 0 }
        }
    }
    impl<A: Mass, B: Mass> Mass for (A, B) {
        fn mass(&self) -> u32 {
            let (a, b) = self;
            a.mass() + b.twice()
        }
    }
    impl<A: Mass, B: Mass> Mass for Result<A, B> {
        fn mass(&self) -> u32 {
            match self {
                Ok(a) => a.mass(),
                Err(b) => b.mass() ^ 7,
            }
        }
    }
    enum Either<L, R> {
        Left(L),
        Right { value: R, n: u32 },
        Neither,
    }
    impl<L: Mass, R: Mass> Mass for Either<L, R> {
        fn mass(&self) -> u32 {
            match self {
                Either::Left(l) => l.mass(),
                Self::Right { value, n } if *n > 2 => value.mass() + n,
                Self::Right { n, .. } => *n,
                Either::Neither => 3,
            }
        }
    }
    impl<T, U> Either<T, U>
    where
        T: Copy + Into<u32>,
    {
        fn left(&self) -> Option<u32> {
            match self {
                Either::Left(t) => Some((*t).into()),
                _ => None,
            }
        }
        fn is<F: Fn(&T) -> bool>(&self, f: F) -> bool {
            matches!(self, Either::Left(t) if f(t))
        }
    }
    fn largest<T: Copy + PartialOrd>(a: &Option<T>, b: &Option<T>) -> Option<T> {
        match (a, b) {
            (Some(x), Some(y)) => Some(if x > y { *x } else { *y }),
            (Some(x), None) | (None, Some(x)) => Some(*x),
            _ => None,
        }
    }
    pub(super) fn values(i: u32, x: &[u32]) -> u32 {
        let v = x[i as usize] & 0xffff;
        let o = (v % 2 == 0).then_some(v);
        let e: Either<u32, Heavy> = match v % 3 {
            0 => Either::Left(v),
            1 => Either::Right { value: Heavy(v), n: v % 5 },
            _ => Either::Neither,
        };
        let r: Result<Heavy, u32> = if v % 5 < 2 { Ok(Heavy(v)) } else { Err(v) };
        o.mass()
            ^ (o, Heavy(3)).mass()
            ^ e.mass() << 3
            ^ r.mass() << 5
            ^ Some([v, 2]).mass()
            ^ e.left().unwrap_or(1)
            ^ e.is(|l| *l > 4) as u32
            ^ largest(&o, &Some(9)).unwrap_or(0) << 7
            ^ pairs(i, x)
    }
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Shape {
        Circle(u32),
        Rect { w: u32, h: u32 },
        Dot,
    }
    impl Shape {
        fn hit(&self, other: &Self) -> u32 {
            match (self, other) {
                (Shape::Circle(a), Shape::Circle(b)) => a + b,
                (Self::Circle(r), Self::Rect { w, h }) | (Self::Rect { w, h }, Self::Circle(r)) => r * 2 + w.min(h),
                (Self::Rect { w, .. }, Self::Rect { h, .. }) if w > h => w - h,
                (a, Self::Dot) | (Self::Dot, a) => matches!(a, Shape::Dot) as u32,
                _ => 9,
            }
        }
        fn next(&self, o: &Option<Shape>) -> u32 {
            if let (Shape::Rect { w, .. }, Some(Shape::Circle(r))) = (self, o) {
                return w * r;
            }
            let (a, b) = (self, o);
            match (&a, b, &3) {
                (Shape::Circle(r), None, k) => *r + *k,
                _ => 1,
            }
        }
    }
    fn pairs(i: u32, x: &[u32]) -> u32 {
        let shape = |v: u32| match v % 3 {
            0 => Shape::Circle(v % 7),
            1 => Shape::Rect { w: v % 5, h: v % 11 },
            _ => Shape::Dot,
        };
        let (a, b) = (shape(x[i as usize]), shape(x[i as usize + 5]));
        let xs = [a, b];
        a.hit(&b) ^ b.next(&(i % 2 == 0).then_some(a)) << 6 ^ xs[0].hit(&xs[1])
    }
});

domain!("tuples_of_references", {
    values, Values, plain_values;
});
