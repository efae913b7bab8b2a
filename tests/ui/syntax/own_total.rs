//! Sums of one's own types, of values and of references, where the chain does not tell which is meant.

use gridwise::prelude::*;

#[device]
mod totals {
    use core::iter::Sum;

    #[derive(Clone, Copy)]
    pub struct V(pub u32);

    impl Sum for V {
        fn sum<I: Iterator<Item = V>>(iter: I) -> V {
            iter.fold(V(0), |a, b| V(a.0 + b.0))
        }
    }

    impl<'a> Sum<&'a V> for V {
        fn sum<I: Iterator<Item = &'a V>>(iter: I) -> V {
            iter.fold(V(1), |a, b| V(a.0 ^ b.0))
        }
    }
}
use totals::V;

#[kernel]
fn sums(y: &mut [u32]) {
    let own = [V(1), V(2)];
    let lent: V = own.iter().map(|v| v).sum();
    let first: V = own.iter().zip(own).map(|(a, _)| a).sum();
    y[0] = lent.0 + first.0 + own.iter().sum::<V>().0;
}

fn main() {}
