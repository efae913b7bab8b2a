//! Closures that write through a parameter.

use gridwise::prelude::*;

#[device]
fn each(values: &mut [u32; 4], change: impl Fn(&mut u32)) {
    for value in values {
        change(value);
    }
}

#[kernel]
fn case(y: &mut [u32]) {
    let i = global_id().x as usize;
    let bump = |value: &mut u32| *value += 3;
    let mut a = 1;
    bump(&mut a);
    bump(&mut y[i]);
    y[i] += a;
}

fn main() {}
