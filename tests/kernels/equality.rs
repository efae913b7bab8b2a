//! Slices compared with each other, by the elements' own equality. Each function also stands in a module that only rustc compiles.

#![allow(clippy::byte_char_slices, reason = "these are the forms that are tried")]

use gridwise::prelude::*;

use super::forms::{N, numbers};
use super::{both, case};
use crate::case::{Case, Output};

both!(device, plain, {
    use gridwise::prelude::*;

    /// Equal to what is as far from a multiple of 4.
    #[derive(Clone, Copy, GpuData)]
    #[repr(C)]
    pub(super) struct Rest {
        pub(super) v: u32,
    }

    pub(super) fn rest(v: u32) -> Rest {
        Rest { v }
    }

    impl PartialEq for Rest {
        fn eq(&self, other: &Rest) -> bool {
            self.v % 4 == other.v % 4
        }
    }

    pub(super) fn told<T: Copy + PartialEq>(x: &[T], y: &[T]) -> u32 {
        let mut bits = (x == y) as u32 | ((x != y) as u32) << 1;
        if x.starts_with(y) {
            bits |= 4;
        }
        if x.ends_with(y) {
            bits |= 8;
        }
        bits
    }

    pub(super) fn words(text: &[u8], n: usize) -> u32 {
        let word = &text[n..];
        let mut bits = (word == b"abab") as u32;
        bits |= (word.starts_with(b"ab") as u32) << 1;
        bits |= (word.ends_with(&[b'b', b'a']) as u32) << 2;
        bits |= ((*word == [b'a']) as u32) << 3;
        bits |= ((word != &text[..word.len()]) as u32) << 4;
        bits |= ((text[..n] == text[text.len() - n..]) as u32) << 5;
        let own = *b"abba";
        bits |= ((own[..n.min(4)] == *word) as u32) << 6;
        bits |= (own.starts_with(word) as u32) << 7;
        bits |= (own[1..].ends_with(&own[4 - n.min(3)..]) as u32) << 8;
        bits
    }

    pub(super) fn others(n: u32) -> u32 {
        let rests = [rest(n), rest(n + 1), rest(n + 2), rest(5)];
        let nan = if n % 2 == 0 { f32::NAN } else { 0.0 };
        let floats = [nan, -0.0, 0.0, nan];
        let units = [(); 3];
        let nested = [[n, 1], [2, 3], [n, 1]];
        told(&rests, &rests[..2])
            | told(&rests[..2], &[rest(n + 4), rest(n + 9)]) << 4
            | told(&floats, &floats[..]) << 8
            | told(&floats[1..3], &floats[2..]) << 12
            | told(&nested[..1], &nested[2..]) << 16
            | told(&nested, &[[2, 3], [n, 1]]) << 20
            | u32::from(units[1..] == units[..2]) << 24
    }
});

#[kernel(workgroup = 32)]
fn equal(text: &[u8], x: &[u32], out: &mut [[u32; 4]]) {
    let i = global_id().x as usize;
    let tile = Shared::<[u8; 4]>::new();
    if local_index() < 4 {
        tile[local_index()] = text[local_index()];
    }
    barrier();
    let part = &text[i % 8..];
    let in_tile = tile[..2] == part[..2] || tile.ends_with(&part[..1]);
    out[i] = [
        device::words(part, i % 4),
        device::others(x[i]),
        device::told(part, &text[..text.len() - i % 8]),
        in_tile as u32 | ((part != text) as u32) << 1,
    ];
}

const TEXT: &[u8] = b"ababbaabababbbaaab";

fn expected_equal() -> Vec<Output> {
    let numbers = numbers();
    let all = (0..N).flat_map(|i| {
        let part = &TEXT[i % 8..];
        let in_tile = TEXT[..2] == part[..2] || TEXT[..4].ends_with(&part[..1]);
        [
            plain::words(part, i % 4),
            plain::others(numbers[i]),
            plain::told(part, &TEXT[..TEXT.len() - i % 8]),
            u32::from(in_tile) | u32::from(part != TEXT) << 1,
        ]
    });
    vec![Output::U32(all.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "equality::slices",
    [Equal],
    |mgr| {
        let (text, x) = (mgr.tensor(TEXT)?, mgr.tensor(&numbers())?);
        let mut out = mgr.tensor(&vec![[0u32; 4]; N])?;
        let seq = mgr.sequence()?;
        Equal::dispatch(&seq, Grid::items(N), &text, &x, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.concat())])
    },
    expected_equal
)];
