//! Functions that write through references.

use gridwise::prelude::*;

/// Exchanges two values.
#[device]
pub fn exchange(a: &mut u32, b: &mut u32) {
    let old = *a;
    *a = *b;
    *b = old;
}

/// The position of the first of the largest values; the value itself goes to `top`.
#[device]
pub fn largest_of<const LEN: usize>(values: &[u32; LEN], top: &mut u32) -> u32 {
    let mut position = 0;
    *top = values[0];
    for i in 1..LEN as u32 {
        if values[i] > *top {
            *top = values[i];
            position = i;
        }
    }
    position
}

/// The sum of the squares of all elements.
#[device]
pub fn sum_of_squares(values: &[u32]) -> u32 {
    let mut sum = 0;
    for i in 0..values.len() {
        sum += square(values[i]);
    }
    sum
}

#[device]
fn square(x: u32) -> u32 {
    x * x
}
