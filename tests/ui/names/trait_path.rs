//! Functions of traits by `<T as Trait>`.

use gridwise::prelude::*;

#[device]
mod seeds {
    pub trait Seed {
        fn from_seed(seed: u32) -> Self;
    }

    #[derive(Clone, Copy)]
    pub struct Random(pub u32);

    impl Seed for Random {
        fn from_seed(seed: u32) -> Self {
            Random(seed)
        }
    }
}
use seeds::{Random, Seed};

#[kernel]
fn case(y: &mut [u32]) {
    let random = <Random as Seed>::from_seed(7);
    y[0] = random.0;
}

fn main() {}
