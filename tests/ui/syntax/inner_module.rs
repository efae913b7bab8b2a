//! A module without `#[device]` in one that has it.

use gridwise::prelude::*;

#[device]
mod sizes {
    mod inner {
        pub const SIDE: u32 = 4;

        pub fn twice(x: u32) -> u32 {
            x * 2
        }
    }

    pub fn area() -> u32 {
        inner::SIDE * inner::twice(inner::SIDE)
    }
}

#[kernel]
fn areas(y: &mut [u32]) {
    y[0] = sizes::area();
}

fn main() {}
