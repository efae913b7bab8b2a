//! Comparisons of types without an order that the macro sees, and forms that Rust has otherwise.
#[allow(unused_imports)]
use std::cmp::Ordering;

use gridwise::prelude::*;

use owned::{Odd, Plain, Wide};

#[device]
mod owned {
    use std::cmp::Ordering;

    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Plain(pub(super) u32);

    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub(super) struct Wide(pub(super) f32, pub(super) u32);

    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Odd(pub(super) u32);

    impl PartialOrd for Odd {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            self.0.partial_cmp(&other.0)
        }

        fn lt(&self, other: &Self) -> bool {
            self.0 + 1 < other.0
        }
    }
}

#[kernel]
fn compared(out: &mut [u32]) {
    let i = global_id().x;
    let (x, f) = (out[i], out[i] as f32);
    out[i] += (Plain(x) < Plain(3)) as u32;
    out[i] += ((1, Plain(x)) >= (2, Plain(3))) as u32;
    out[i] += (Wide(f, x).cmp(&Wide(f, 2)) == Ordering::Less) as u32;
    out[i] += ((Odd(x), 1) < (Odd(4), 2)) as u32;
    out[i] += (f.cmp(&1.0) == Ordering::Less) as u32;
    out[i] += (x.cmp(3) == Ordering::Less) as u32;
    out[i] += (Vec2::splat(f) < Vec2::ONE) as u32;
    out[i] += ([x; 100] < [3; 100]) as u32;
    out[i] += ((x, 1) < (x, 1.5)) as u32;
    out[i] += x.partial_cmp(&1).is_less() as u32;
    let by_bits: Ordering = x;
}

#[device]
#[derive(Clone, Copy)]
enum Large {
    Small = 1,
    Medium = 3_000_000_000,
}

#[device]
#[derive(Clone, Copy)]
#[repr(u64)]
enum Huge {
    Small = 1,
    Huge = 5_000_000_000,
}

fn main() {}
