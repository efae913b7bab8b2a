//! Saturating arithmetic of narrow integers, of all pairs of bytes, and whole roots at squares and beside them.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output};

/// Pairs of bytes.
const PAIRS: u32 = 1 << 16;

twice! {
    /// Both bytes of a number in all ways, with signs and without.
    fn bytes_of(x: u32) -> [i32; 6] {
        let (a, b) = ((x & 255) as u8, (x >> 8) as u8);
        let (c, d) = (a as i8, b as i8);
        [
            a.saturating_add(b) as i32,
            a.saturating_sub(b) as i32,
            a.saturating_mul(b) as i32,
            c.saturating_add(d) as i32,
            c.saturating_sub(d) as i32,
            c.saturating_mul(d) as i32,
        ]
    }

    /// The same of 16 bits, by noise and by the ends.
    fn words_of(x: u32) -> [i32; 6] {
        let noise = x.wrapping_mul(0x9e37_79b9);
        let (a, b) = match x & 7 {
            0 => (0, (noise >> 16) as u16),
            1 => (u16::MAX, (noise >> 16) as u16),
            2 => (1 << 15, (noise >> 16) as u16),
            3 => ((1 << 15) - 1, (noise >> 24) as u16),
            4 => ((noise >> 8 & 511) as u16, (noise >> 23) as u16),
            5 => ((noise >> 16) as u16, 1 << 15),
            _ => ((noise & 0xffff) as u16, (noise >> 16) as u16),
        };
        let (c, d) = (a as i16, b as i16);
        [
            a.saturating_add(b) as i32,
            a.saturating_sub(b) as i32,
            a.saturating_mul(b) as i32,
            c.saturating_add(d) as i32,
            c.saturating_sub(d) as i32,
            c.saturating_mul(d) as i32,
        ]
    }

    /// Roots of a square, of its neighbours, of noise, and of the largest numbers.
    fn roots_of(x: u32) -> [i32; 6] {
        let square = x.wrapping_mul(x);
        let noise = x.wrapping_mul(0x9e37_79b9);
        [
            square.isqrt() as i32,
            square.wrapping_sub(1).isqrt() as i32,
            (square + x + x).isqrt() as i32,
            noise.isqrt() as i32,
            (u32::MAX - x).isqrt() as i32 + (noise as u16).isqrt() as i32 * 3,
            (i32::MAX - x as i32).isqrt() + ((x & 127) as i8).isqrt() as i32 * 3,
        ]
    }
}

#[kernel]
fn bytes(out: &mut [[i32; 6]]) {
    let i = global_id().x;
    if i < out.len() as u32 {
        out[i as usize] = bytes_of(i);
    }
}

#[kernel]
fn words(out: &mut [[i32; 6]]) {
    let i = global_id().x;
    if i < out.len() as u32 {
        out[i as usize] = words_of(i);
    }
}

#[kernel]
fn roots(out: &mut [[i32; 6]]) {
    let i = global_id().x;
    if i < out.len() as u32 {
        out[i as usize] = roots_of(i);
    }
}

macro_rules! of_all {
    ($name:literal, $Kernel:ident, $function:ident) => {
        case!(
            $name,
            [$Kernel],
            |mgr| {
                let mut out = mgr.tensor(&vec![[0i32; 6]; PAIRS as usize])?;
                let seq = mgr.sequence()?;
                $Kernel::dispatch(&seq, Grid::items(PAIRS), &mut out)?.eval()?;
                Ok(vec![Output::I32(out.to_vec()?.concat())])
            },
            || vec![Output::I32((0..PAIRS).flat_map(plain::$function).collect())]
        )
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    of_all!("saturated::bytes", Bytes, bytes_of),
    of_all!("saturated::words", Words, words_of),
    of_all!("saturated::roots", Roots, roots_of),
];
