//! A module in a `#[device] mod` that names what stands around it.

use gridwise::prelude::*;

#[device]
mod outer {
    const K: u32 = 3;

    pub mod inner {
        pub fn times(x: u32) -> u32 {
            x * super::K
        }
    }

    pub fn twice(x: u32) -> u32 {
        inner::times(x) * 2
    }
}

fn main() {}
