use gridwise::prelude::*;

#[device]
fn each(n: u32, mut visit: impl FnMut(u32)) {
    for i in 0..n {
        visit(i);
    }
}

#[device]
fn twice(x: u32, f: impl Fn(u32) -> u32) -> u32 {
    f(f(x))
}

#[kernel]
fn case(x: &[u32], out: &mut [u32]) {
    let mut sum = 0;
    each(3, |i| sum += x[i as usize]);
    each(4, |i: f32| sum += 1);
    each(5, move |i| sum += i);
    let mut add = |v: u32| sum += v;
    let copy = add;
    let mut next = |v: u32| {
        sum += 1;
        v + sum
    };
    out[0] = twice(2, next);
    each(6, 7);
}

// What rustc sees of it: one closure changes what another one reads, a closure that changes something for `Fn`.
#[kernel]
fn lent(out: &mut [u32]) {
    let mut sum = 0;
    each(3, |i| {
        each(2, |j| sum += i * j);
        sum += 1;
    });
    out[0] = twice(1, |v| v + 1);
    let mut add = |v: u32| sum += v;
    sum = 2;
    each(4, &mut add);
    out[1] = sum;
}

fn main() {}
