//! A module in one with `#[device]`, of whose items one has it, too, and another one has not.

use gridwise::prelude::*;

#[device]
mod sizes {
    mod inner {
        use gridwise::prelude::*;

        #[device]
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
