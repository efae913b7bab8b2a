//! Closures that read slices of the function around, passed for `impl Fn`.

#![allow(clippy::needless_borrows_for_generic_args, reason = "kernels are written in every way")]

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output};

const N: usize = 96;

/// Functions that take closures, for kernels and for the host alike.
#[device]
fn sum_of(n: u32, f: impl Fn(u32) -> u32) -> u32 {
    let mut sum = 0;
    for i in 0..n {
        sum += f(i);
    }
    sum
}

/// Passes on what it got: itself, by reference, and in another closure.
#[device]
fn passed_on(n: u32, f: impl Fn(u32) -> u32 + Copy) -> u32 {
    sum_of(n, f) * 2 + sum_of(n, &f) + sum_of(n, |i| f(i) + 1)
}

#[device]
fn search<F>(n: usize, is_before: F) -> usize
where
    F: Fn(usize) -> bool,
{
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[device]
fn first<T: Copy>(n: u32, make: impl Fn(u32) -> Option<T>, otherwise: T) -> T {
    for i in 0..n {
        if let Some(found) = make(i) {
            return found;
        }
    }
    otherwise
}

twice! {
    fn lower_bound(x: &[u32], value: u32) -> usize {
        search(x.len(), |i| x[i] < value)
    }

    fn everywhere_in(x: &[u32], a: u32) -> u32 {
        let get = |i: u32| x[i as usize % x.len()];
        let scaled = |i: u32| get(i) * a;
        let mut sum = sum_of(3, get) + sum_of(2, &get) * 3 + passed_on(2, get) + get(1);
        sum += sum_of(4, scaled) + sum_of(3, |i| get(i) + a);
        // One in another.
        sum += sum_of(3, |n| sum_of(n, |k| get(k) + n));
        // With early returns, and a loop that is left.
        sum += sum_of(5, |i| {
            if i % 2 == 0 {
                return x[0];
            }
            for &v in x {
                if v > a {
                    return v;
                }
            }
            i
        });
        sum + first(4, |i| if x[i as usize % x.len()] > a { Some(x[i as usize % x.len()]) } else { None }, 1000)
    }

    /// A variable that changes after the call, and one that hides the slice.
    fn changed(x: &[u32], a: u32) -> u32 {
        let mut n = a;
        let before = sum_of(2, |i| x[i as usize] + n);
        n += 1;
        let x = &x[1..];
        before * 1000 + sum_of(2, |i| x[i as usize] + n)
    }
}

#[kernel]
fn everywhere(x: &[u32], out: &mut [[u32; 4]]) {
    let i = global_id().x;
    let part = &x[(i % 7) as usize..];
    let own = [i, 2 * i, 7, 1];
    let tail = &own[1..];
    let searched = lower_bound(x, i) * 1000 + lower_bound(part, i) * 10 + lower_bound(&own[2..], i);
    let all = everywhere_in(part, i) + everywhere_in(&own, 3);
    let direct = sum_of(3, |k| tail[k as usize] + part[k as usize]) + passed_on(2, |k| x[k as usize] + part[1]);
    out[i] = [searched as u32, all, direct, changed(part, i)];
}

fn expected_of(x: &[u32], i: u32) -> [u32; 4] {
    let part = &x[(i % 7) as usize..];
    let own = [i, 2 * i, 7, 1];
    let tail = &own[1..];
    let searched =
        plain::lower_bound(x, i) * 1000 + plain::lower_bound(part, i) * 10 + plain::lower_bound(&own[2..], i);
    let all = plain::everywhere_in(part, i) + plain::everywhere_in(&own, 3);
    let direct = sum_of(3, |k| tail[k as usize] + part[k as usize]) + passed_on(2, |k| x[k as usize] + part[1]);
    [searched as u32, all, direct, plain::changed(part, i)]
}

fn data() -> Vec<u32> {
    (0..20).map(|i| i * i / 3).collect()
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "passed_slices::everywhere",
    [Everywhere],
    |mgr| {
        let (x, mut out) = (mgr.tensor(&data())?, mgr.tensor(&vec![[0u32; 4]; N])?);
        let seq = mgr.sequence()?;
        Everywhere::dispatch(&seq, Grid::items(N), &x, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.concat())])
    },
    || {
        let x = data();
        vec![Output::U32((0..N as u32).flat_map(|i| expected_of(&x, i)).collect())]
    }
)];
