//! Functions whose result is a slice. Each function also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

both!(given, plain_given, {
    pub(super) fn row(x: &[u32], r: usize, n: usize) -> &[u32] {
        &x[r * n..(r + 1) * n]
    }

    /// By way of another one, with a lifetime.
    fn pair<'a>(x: &'a [u32], _other: &[u32], r: usize) -> &'a [u32] {
        row(x, r, 2)
    }

    fn head(x: &[u32], n: usize) -> &[u32] {
        if n > x.len() {
            return x;
        }
        &x[..n]
    }

    fn half(x: &[u32], upper: bool) -> &[u32] {
        let (a, b) = x.split_at(x.len() / 2);
        if upper { b } else { a }
    }

    fn behind_zeros(mut x: &[u32]) -> &[u32] {
        while let [first, rest @ ..] = x {
            if *first != 0 {
                break;
            }
            x = rest;
        }
        x
    }

    fn behind_even(x: &[u32]) -> &[u32] {
        let mut k = 0;
        while k < x.len() && x[k] % 2 == 0 {
            k += 1;
        }
        &x[k..]
    }

    fn tail(x: &mut [u32], n: usize) -> &mut [u32] {
        &mut x[n..]
    }

    fn number(mut text: &[u32]) -> (u32, u32) {
        text = behind_even(text);
        let mut n = 0;
        let mut rest = behind_zeros(text);
        while let Some((first, more)) = rest.split_first() {
            if *first > 9 {
                break;
            }
            n = n * 10 + *first;
            rest = more;
        }
        (n, rest.len() as u32)
    }

    fn sum(x: &[u32]) -> u32 {
        x.iter().fold(0, |sum, v| (sum << 1) ^ v)
    }

    fn common<T: Copy + PartialEq>(a: &[T], n: usize) -> &[T] {
        let mut k = 0;
        while k < n && a[k] == a[k + n] {
            k += 1;
        }
        &a[..k]
    }

    pub(super) struct Stack<const LEN: usize> {
        pub(super) items: [u32; LEN],
        pub(super) len: usize,
    }

    impl<const LEN: usize> Stack<LEN> {
        fn as_slice(&self) -> &[u32] {
            &self.items[..self.len]
        }

        fn top(&self) -> Option<&u32> {
            self.as_slice().last()
        }

        fn push(&mut self, v: u32) {
            self.items[self.len] = v;
            self.len += 1;
        }

        fn rest(&mut self) -> &mut [u32] {
            &mut self.items[self.len..]
        }
    }

    pub(super) trait Words {
        fn words(&self) -> &[u32];
        fn mixed(&self) -> u32 {
            self.words().iter().fold(7, |sum, v| sum.rotate_left(3) ^ v)
        }
    }

    impl<const LEN: usize> Words for Stack<LEN> {
        fn words(&self) -> &[u32] {
            &self.items
        }
    }

    fn stacked(h: u32, i: u32) -> u32 {
        let mut stack = Stack { items: [0; 8], len: 0 };
        stack.push(h);
        stack.push(3);
        stack.push(i);
        let seen = sum(stack.as_slice()) ^ *stack.top().unwrap();
        stack.rest().fill(7);
        stack.rest()[0] = 1;
        seen ^ sum(&stack.items) ^ stack.as_slice().iter().max().copied().unwrap_or(0) ^ stack.mixed()
    }

    pub(super) fn all(x: &[u32], i: usize) -> u32 {
        let mut h = row(x, 1, 2)[0] ^ pair(x, x, 2).iter().sum::<u32>();
        let part = row(x, 0, 3);
        h ^= sum(part) ^ part.len() as u32;
        let typed: &[u32] = row(part, 0, 2);
        h ^= typed[i % 2] << 7;
        let mut own: [u32; 6] = std::array::from_fn(|k| x[k]);
        h ^= sum(head(&own, i)) ^ sum(half(&own, i % 2 == 0)) << 2;
        for v in half(&own, true) {
            h = h.rotate_left(3) ^ v;
        }
        h ^= sum(behind_even(&own)) ^ behind_even(half(&own, false)).len() as u32 ^ sum(behind_zeros(&own));
        for v in tail(&mut own, i).iter_mut() {
            *v += 1;
        }
        tail(&mut own, 2)[1] += 5;
        let rest = tail(&mut own, 1);
        rest[0] ^= 9;
        h ^= sum(&own) ^ common(&own, 3).len() as u32;
        let (n, left) = number(&[x[0] % 11, x[1] % 11, x[2] % 11, x[3] % 11]);
        h ^ n << 1 ^ left << 8 ^ stacked(h, i as u32)
    }
});

#[kernel(workgroup = 32)]
fn given_slices(x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    let tile = Shared::<[u32; 32]>::new();
    let t = local_id().x as usize;
    tile[t] = x[i];
    barrier();
    let near = given::row(&tile[..], t / 4, 4);
    let own = given::row(x, i, 1);
    y[i] = near.iter().sum::<u32>() ^ own[0] << 5 ^ given::all(&x[i..i + 8], i % 6);
}

fn x() -> Vec<u32> {
    (0..N as u32 + 8).map(|k| if k % 5 < 2 { 0 } else { k * 37 % 61 }).collect()
}

fn expected() -> Vec<u32> {
    let x = x();
    let near = |i: usize| plain_given::row(&x, i / 4, 4).iter().sum::<u32>() ^ plain_given::row(&x, i, 1)[0] << 5;
    (0..N).map(|i| near(i) ^ plain_given::all(&x[i..i + 8], i % 6)).collect()
}

/// The entry.
pub const CASES: &[Case] = &[case!(
    "given_slices::everywhere",
    [GivenSlices],
    |mgr| {
        let (x, mut y) = (mgr.tensor(&x())?, mgr.tensor_of_len::<u32>(N)?);
        let seq = mgr.sequence()?;
        GivenSlices::dispatch(&seq, Grid::items(N), &x, &mut y)?;
        seq.eval()?;
        Ok(vec![Output::U32(y.to_vec()?)])
    },
    || vec![Output::U32(expected())]
)];
