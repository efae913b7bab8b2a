use gridwise::prelude::*;

#[device]
fn total(x: &[u32]) -> u32 {
    x.iter().sum()
}

// What stands behind would be compiled sixteen times.
#[kernel]
fn many(a: &[u32], b: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let first = if i % 2 == 0 { a } else { b };
    let second = if i % 3 == 0 { a } else { b };
    let third = match i % 4 {
        0 => a,
        1 => &a[1..],
        2 => &b[1..],
        _ => b,
    };
    y[i] = first[0] + second[1] + third[2];
}

#[kernel]
fn shared(a: &[u32], b: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let from = if y.len() > 64 { a } else { b };
    let tile = Shared::<[u32; 64]>::new();
    tile[local_id().x] = from[i];
    barrier();
    y[i] = tile[63 - local_id().x];
}

#[derive(Clone, Copy)]
#[device]
struct Held {
    own: [u32; 4],
}

// Names of the arms, parts of a field, and what is no `let`.
#[kernel]
fn named(a: &[u32], b: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let from = if let Some(n) = i.checked_sub(3) { &a[n..] } else { b };
    let held = Held { own: [i; 4] };
    let own = match i.checked_sub(3) {
        Some(_) => &held.own[1..],
        None => a,
    };
    y[i] = from[0] + own[0] + total(if i > 3 { a } else { b });
}

// The other one is moved: rustc sees it.
#[kernel]
fn moved(a: &mut [u32], b: &mut [u32]) {
    let i = global_id().x;
    let to = if a.len() > 64 { &mut a[1..] } else { &mut b[1..] };
    a[i] = 1;
    to[i] = 2;
}

fn main() {}
