//! Consts that loops compute: what is not evaluated, and what rustc would refuse.

use gridwise::prelude::*;

#[device]
fn square(n: u32) -> u32 {
    n * n
}

#[device]
const SQUARES: [u32; 4] = {
    let mut t = [0; 4];
    let mut i = 0;
    while i < 4 {
        t[i] = square(i as u32);
        i += 1;
    }
    t
};

#[device]
const TOO_LONG: [u32; 4] = {
    let mut t = [1; 4];
    let mut i = 1;
    while i <= 4 {
        t[i] = t[i - 1] * 2;
        i += 1;
    }
    t
};

#[device]
const OVERFLOW: u32 = {
    let mut v = 1u32;
    loop {
        v *= 3;
    }
};

#[device]
const ENDLESS: u32 = {
    let v = 1;
    while v > 0 {}
    v
};

fn main() {}
