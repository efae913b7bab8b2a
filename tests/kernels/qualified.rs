//! Functions and consts of traits named in full: `<T as Trait>::name(…)`, of types, of parameters and of `Self`.

#![allow(dead_code, unused_imports, clippy::all, reason = "the forms are tried, also those that have shorter ones")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { qualified:

shapes plain_shapes run_shapes RunShapes SHAPES {
    pub(super) trait Shape {
        const SIDES: u32;
        const NAME: u32 = Self::SIDES * 10;
        fn area(&self) -> u32;
        fn unit() -> Self;
        fn scaled<T: Into<u64>>(&self, by: T) -> u64;
        fn twice(&self) -> u32 {
            Self::area(self) * 2 + <Self as Shape>::NAME + <Self as Shape>::area(self)
        }
        fn grow(&mut self, by: u32);
        fn total(of: &[u32]) -> u32 {
            of.iter().sum::<u32>() * Self::SIDES
        }
    }

    #[derive(Clone, Copy, Default)]
    pub(super) struct Square(u32);

    #[derive(Clone, Copy)]
    pub(super) struct Triangle {
        base: u32,
        height: u32,
    }

    impl Shape for Square {
        const SIDES: u32 = 4;
        fn area(&self) -> u32 {
            self.0 * self.0
        }
        fn unit() -> Self {
            Self(1)
        }
        fn scaled<T: Into<u64>>(&self, by: T) -> u64 {
            by.into() * u64::from(self.0)
        }
        fn grow(&mut self, by: u32) {
            self.0 += by;
        }
    }

    impl Shape for Triangle {
        const SIDES: u32 = 3;
        const NAME: u32 = 77;
        fn area(&self) -> u32 {
            self.base * self.height / 2
        }
        fn unit() -> Self {
            Triangle { base: 1, height: 2 }
        }
        fn scaled<T: Into<u64>>(&self, by: T) -> u64 {
            by.into() * u64::from(self.height)
        }
        fn grow(&mut self, by: u32) {
            self.base += by;
        }
        fn total(of: &[u32]) -> u32 {
            of.len() as u32
        }
    }

    // The type's own method of the same name.
    impl Square {
        const MOST: u32 = 100;
        fn area(&self) -> u32 {
            <Self as Shape>::area(self).min(Self::MOST)
        }
    }

    fn sum<S: Shape>(shape: &S) -> u32 {
        <S as Shape>::area(shape) + Shape::area(shape) + S::area(&<S as Shape>::unit()) + S::SIDES + <S as Shape>::NAME
    }

    fn grown<S: Shape + Copy>(mut shape: S, by: u32) -> S {
        <S as Shape>::grow(&mut shape, by);
        shape
    }

    pub(super) fn of(i: u32) -> u32 {
        let square = Square(i);
        let triangle = Triangle { base: i, height: 3 };
        let mut out = sum(&square) + 3 * sum(&triangle);
        out += 5 * <Square as Shape>::area(&square) + 7 * square.area() + Shape::twice(&triangle);
        out += <Triangle as Shape>::unit().twice() + <Square as Shape>::SIDES + Triangle::NAME;
        out += <Square as Shape>::scaled::<u32>(&square, 9) as u32 + <Triangle as Shape>::scaled(&triangle, 2u8) as u32;
        let mut other = grown(square, 2);
        <Square as Shape>::grow(&mut other, i);
        let own = [i, 2, 3];
        out += other.0 + <Square as Shape>::total(&own) + <Triangle as Shape>::total(&own[1..]);
        out + <u32>::max(i, 5) + <u32 as Ord>::min(i, 3) + <u32 as Default>::default() + <Square as Default>::default().0
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[SHAPES];
