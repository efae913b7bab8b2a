//! The two bytes of 16 bits exchanged in every way people write it: some drivers take a shortcut here, and a wrong one.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

pub(super) const CASES: &[Case] = &[case!("bytes::exchanged", [Exchanged], exchanged_run, exchanged_expected)];

const N: usize = 64;
const COLUMNS: usize = 12;

fn input() -> Vec<u32> {
    (0..N as u32).map(|k| k.wrapping_mul(0x9e37_79b9) >> (k % 20)).collect()
}

#[kernel(workgroup = 32)]
fn exchanged(eight: u32, x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let word = x[i];
    let half = word as u16;
    let signed = half as i16;
    let o = i * 12;
    out[o] = half.swap_bytes() as u32;
    out[o + 1] = signed.swap_bytes() as u32;
    out[o + 2] = half.rotate_left(8) as u32;
    out[o + 3] = half.rotate_right(8) as u32;
    out[o + 4] = ((half << 8) | (half >> 8)) as u32;
    out[o + 5] = ((half << 8) ^ (half >> 8)) as u32;
    out[o + 6] = ((signed << 8) | (signed >> 8)) as u32;
    out[o + 7] = half.rotate_left(eight) as u32;
    out[o + 8] = ((word << 8) | (word >> 8)) as u16 as u32;
    out[o + 9] = ((word & 0xff) << 8) | ((word >> 8) & 0xff);
    out[o + 10] = ((word & 0xff) << 8) | ((word & 0xff00) >> 8);
    out[o + 11] = ((word << 8) & 0xff00_ff00) | ((word >> 8) & 0x00ff_00ff);
}

fn exchanged_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let x = mgr.tensor(&input())?;
    let mut out = mgr.tensor(&vec![0u32; N * COLUMNS])?;
    let seq = mgr.sequence()?;
    Exchanged::dispatch(&seq, Grid::items(N as u32), 8, &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

#[allow(clippy::manual_rotate, reason = "the sign makes it no rotation")]
fn exchanged_expected() -> Vec<Output> {
    let row = |word: u32| {
        let (half, signed) = (word as u16, word as i16);
        let swapped = u32::from(half.swap_bytes());
        let mixed = ((signed << 8) | (signed >> 8)) as u32;
        let pairs = ((word << 8) & 0xff00_ff00) | ((word >> 8) & 0x00ff_00ff);
        let own = signed.swap_bytes() as u32;
        let cut = u32::from(((word << 8) | (word >> 8)) as u16);
        [swapped, own, swapped, swapped, swapped, swapped, mixed, swapped, cut, swapped, swapped, pairs]
    };
    vec![Output::U32(input().into_iter().flat_map(row).collect())]
}
