//! Operators for values and for references that differ, with an operand of which only rustc knows what it is.

use gridwise::prelude::*;

#[device]
mod sums {
    use core::ops::Add;

    #[derive(Clone, Copy)]
    pub(super) struct Sum(pub(super) u32);

    impl Add for Sum {
        type Output = Sum;
        fn add(self, other: Sum) -> Sum {
            Sum(self.0 + other.0)
        }
    }

    impl Add<&Sum> for Sum {
        type Output = Sum;
        fn add(self, other: &Sum) -> Sum {
            Sum(self.0 + 2 * other.0)
        }
    }
}

use sums::Sum;

#[kernel]
fn add(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let own = [Sum(x[i]), Sum(1)];
    let known = own[0] + own[1] + &own[1];
    y[i] = own.iter().fold(known, |sum, v| sum + v).0;
}

fn main() {}
