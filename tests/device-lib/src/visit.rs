//! Functions that call closures which change what is around them, and such that divide slices.

use gridwise::prelude::*;

/// Calls a closure for all divisors of a number, in order, until it says that it has enough.
#[device]
pub fn divisors(n: u32, mut visit: impl FnMut(u32) -> bool) -> u32 {
    let mut tried = 0;
    for i in 1..=n {
        tried += 1;
        if n % i == 0 && visit(i) {
            return tried;
        }
    }
    tried
}

/// Calls a closure for each two neighbours and for each part of `size` elements.
#[device]
pub fn parts_of(x: &[u32], size: usize, visit: &mut impl FnMut(u32, u32)) {
    for w in x.windows(2) {
        visit(w[0], w[1]);
    }
    let (head, tail) = x.split_at(size);
    for (a, b) in head.chunks(2).zip(tail.rchunks(2)) {
        visit(a[0], b[b.len() - 1]);
    }
}

/// Adds the first element of each part to its last one.
#[device]
pub fn fold_parts(x: &mut [u32], size: usize) -> u32 {
    for c in x.chunks_exact_mut(size) {
        c[size - 1] += c[0];
    }
    x.get(1..3).map_or(0, |part| part[1])
}
