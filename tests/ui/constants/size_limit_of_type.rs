//! Generic functions are compiled once for the host, where a limit of `usize` is another number.

use gridwise::prelude::*;

#[device]
mod limits {
    pub trait Limit {
        const MOST: usize;
    }
    pub struct Own;
    impl Limit for Own {
        const MOST: usize = usize::MAX;
    }
    pub fn most<T: Limit>(_: T) -> usize {
        T::MOST
    }
}
use limits::{Own, most};

#[kernel]
fn case(y: &mut [u32]) {
    y[0] = most(Own) as u32;
}

fn main() {}
