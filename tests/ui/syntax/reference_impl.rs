//! Traits of references, sums that end early, and what is left of written chunks.

use gridwise::prelude::*;

#[device]
mod shapes {
    pub trait Area {
        fn area(&self) -> u32;
    }
    pub struct Square(pub u32);
    impl Area for &Square {
        fn area(&self) -> u32 {
            self.0 * self.0
        }
    }
    impl<'a> IntoIterator for &'a Square {
        type Item = u32;
        type IntoIter = core::ops::Range<u32>;
        fn into_iter(self) -> Self::IntoIter {
            0..self.0
        }
    }
}

#[kernel]
fn sums(x: &[u32], y: &mut [u32]) {
    let checked: Option<u32> = x.iter().map(|v| v.checked_mul(3)).sum();
    let mut own = [1, 2, 3];
    own.chunks_exact_mut(2).into_remainder()[0] = 1;
    y[0] = checked.unwrap_or(own[2]);
}

fn main() {}
