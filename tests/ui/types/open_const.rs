//! A const of a generic type whose arguments nothing tells.

use gridwise::prelude::*;

#[device]
mod numbers {
    #[derive(Clone, Copy)]
    pub(super) struct Fixed<const BITS: u32>(pub(super) u32);

    impl<const BITS: u32> Fixed<BITS> {
        pub(super) const ONE: Self = Self(1 << BITS);
        pub(super) const MASK: u32 = (1 << BITS) - 1;
    }
}

#[kernel]
fn mask(y: &mut [u32]) {
    let i = global_id().x;
    let one: numbers::Fixed<8> = numbers::Fixed::ONE;
    y[i] = one.0 + numbers::Fixed::MASK;
}

fn main() {}
