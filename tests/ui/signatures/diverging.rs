//! Functions that say that they never return, and do.

use gridwise::prelude::*;

#[device]
fn returns(x: u32) -> ! {
    let _half = x / 2;
}

#[device]
fn gives(x: u32) -> ! {
    if x > 3 {
        panic!("{x}");
    }
    x
}

#[kernel]
fn stops(y: &mut [u32]) -> ! {
    panic!("{}", y[0])
}

fn main() {}
