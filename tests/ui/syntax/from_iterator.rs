//! `impl FromIterator` and `impl Extend`, which collect; and a sum without an `impl Sum`.

use gridwise::prelude::*;

#[device]
mod bags {
    pub struct Bag([u32; 4]);

    impl FromIterator<u32> for Bag {
        fn from_iter<I: IntoIterator<Item = u32>>(_: I) -> Self {
            Bag([0; 4])
        }
    }

    impl Extend<u32> for Bag {
        fn extend<I: IntoIterator<Item = u32>>(&mut self, _: I) {}
    }
}

#[device]
mod sums {
    #[derive(Clone, Copy)]
    pub struct Point(u32);

    pub fn total(n: u32) -> u32 {
        (0..n).map(Point).sum::<Point>().0
    }
}

fn main() {}
