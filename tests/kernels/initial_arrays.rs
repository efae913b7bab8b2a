//! Arrays that start with zeros: filled before they are read, all but an element, in rounds, behind jumps, and read in between.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 128;

fn numbers() -> Vec<u32> {
    patterns(N, 37)
}

twice! {
    fn filled(x: u32) -> u32 {
        let mut window = [0u32; 9];
        for row in 0..3 {
            for column in 0..3 {
                window[3 * row + column] = x.rotate_left((7 * row + column) as u32);
            }
        }
        window[(x % 9) as usize] ^ window[(x >> 8) as usize % 9]
    }

    fn all_but_one(x: u32) -> u32 {
        let mut digits = [0u32; 8];
        for k in 0..7 {
            digits[k + 1] = x >> (4 * k) & 15 | 16;
        }
        digits[(x & 7) as usize] * 100 + digits[(x >> 3 & 7) as usize]
    }

    /// Some leave before the array is full, and read none of it.
    fn left_early(x: u32) -> u32 {
        let mut parts = [0u32; 4];
        for k in 0..4 {
            parts[k] = x ^ (k as u32 * 1000);
            if x % 5 == k as u32 {
                return parts[(x >> 4) as usize % 4];
            }
        }
        parts[(x % 4) as usize]
    }

    fn jumped(x: u32) -> u32 {
        let mut parts = [0u32; 4];
        'fill: {
            if x % 3 == 0 {
                break 'fill;
            }
            for k in 0..4 {
                parts[k] = x.wrapping_mul(k as u32 + 3);
            }
        }
        parts[(x >> 5) as usize % 4].wrapping_add(1)
    }

    fn in_rounds(x: u32) -> u32 {
        let mut hash = x;
        'rounds: for round in 0..x % 5 {
            let mut counts = [0u32; 8];
            let mut order = [0u32; 8];
            for k in 0..8 {
                counts[(hash >> (4 * k) & 7) as usize] += 1;
            }
            for k in 0..8 {
                if counts[k] == 4 {
                    continue 'rounds;
                }
                order[k] = counts[k] * 10 + k as u32;
            }
            let mut copies = [0u32; 8];
            for k in 0..8 {
                copies[k] = order[7 - k];
            }
            hash = hash.wrapping_mul(31) ^ copies[(hash % 8) as usize] ^ round;
        }
        hash
    }

    fn read_between(x: u32) -> u32 {
        let mut sums = [0u32; 6];
        let mut last = [[0u32; 2]; 3];
        for k in 0..6 {
            sums[k] = sums[(x >> k) as usize % 6].wrapping_add(x >> k & 0xff);
            last[k / 2][k % 2] = sums[k] ^ last[((x % 3) as usize + k) % 3][1];
        }
        sums[(x % 6) as usize].wrapping_mul(3) ^ last[(x % 3) as usize][(x >> 9 & 1) as usize]
    }

    fn pairs(x: u32) -> u32 {
        let mut best = [(0u32, 0u32); 5];
        for k in 0..5 {
            best[k] = (x >> k & 0xff, k as u32);
        }
        for k in 1..5 {
            let one = best[k];
            let mut at = k;
            while at > 0 && best[at - 1].0 > one.0 {
                best[at] = best[at - 1];
                at -= 1;
            }
            best[at] = one;
        }
        best.iter().fold(0, |sum, pair| sum * 7 + pair.0 * 5 + pair.1)
    }
}

#[kernel(workgroup = [32])]
fn arrays_of_zeros(x: &[u32], out: &mut [[u32; 7]]) {
    let i = global_id().x as usize;
    if i < x.len() {
        let x = x[i];
        out[i] = [filled(x), all_but_one(x), left_early(x), jumped(x), in_rounds(x), read_between(x), pairs(x)];
    }
}

fn expected() -> Vec<Output> {
    let row = |x: u32| {
        [
            plain::filled(x),
            plain::all_but_one(x),
            plain::left_early(x),
            plain::jumped(x),
            plain::in_rounds(x),
            plain::read_between(x),
            plain::pairs(x),
        ]
    };
    vec![Output::U32(numbers().into_iter().flat_map(row).collect())]
}

/// The entry.
pub const CASES: &[Case] = &[case!(
    "initial_arrays::of_zeros",
    [ArraysOfZeros],
    |mgr| {
        let x = mgr.tensor(&numbers())?;
        let mut out = mgr.tensor(&vec![[0u32; 7]; N])?;
        let seq = mgr.sequence()?;
        ArraysOfZeros::dispatch(&seq, Grid::items(N), &x, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.concat())])
    },
    expected
)];
