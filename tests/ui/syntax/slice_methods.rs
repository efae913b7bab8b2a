use gridwise::prelude::*;

#[kernel]
fn case(x: &[u32], y: &mut [u32]) {
    let own = [1u32, 2, 3];
    let part = x.get(1, 3);
    let pairs = x.array_chunks(2).count();
    let has = x.contains(3);
    own.fill(3);
    y.copy_from_slice(own);
    x[1..].reverse();
    y.iter_mut().for_each(|v| {
        if *v > 3 {
            return;
        }
        *v += 1
    });
    y.iter_mut().map(|v| *v + 1).for_each(|v| own[0] += v);
    for pair in y.iter_mut().enumerate() {
        *pair.1 = 1;
    }
    for (a, b) in y.iter_mut().zip(x.iter().map(|v| v + 1)).take(2) {
        *a = b;
    }
    for v in x.iter_mut() {
        *v = 1;
    }
}

// What rustc sees of it: an element may be lent once.
#[kernel]
fn lent(y: &mut [u32]) {
    for (a, b) in y.iter_mut().zip(y.iter()) {
        *a += b;
    }
}

fn main() {}
