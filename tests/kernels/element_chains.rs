//! Elements to write among other conditions: chains of `let` and `&&`, and tuples that are taken apart. Each program also stands in a module
//! that only rustc compiles.

#![allow(unused_imports, reason = "modules with all names, whatever they use")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 48;

each_program! { element_chains:
tuples plain_tuples tuples_kernel TuplesKernel TUPLES {
    /// Moves what is there, until one of the two has no more.
    fn move_to(from: &[u32; 5], to: &mut [u32], at: usize) -> u32 {
        let (Some(&value), Some(place)) = (from.get(at + 1), to.get_mut(at)) else { return 1000 };
        *place += value;
        *place
    }
    pub(super) fn of(i: u32) -> u32 {
        let from = [i, i + 1, i * i, 7, 9];
        let mut to = [3; 4];
        let mut sum = 0;
        for at in 0..7 {
            sum += move_to(&from, &mut to, at);
            if let (Some(first), Some(last)) = (from.first(), to.last_mut()) {
                *last += *first;
            }
            if let (Some(near), Some(far)) = (to.get_mut((i % 6) as usize), from.get(at)) {
                *near ^= far;
            } else {
                sum += 10_000;
            }
        }
        to.iter().fold(sum, |sum, value| sum.wrapping_mul(31) ^ value)
    }
}
chains plain_chains chains_kernel ChainsKernel CHAINS {
    pub(super) fn of(i: u32) -> u32 {
        let limits = [2u32, 8, 17];
        let (mut counts, mut rest) = ([0u32; 3], [1u32; 2]);
        for at in 0..5 {
            let n = i / (at as u32 + 1);
            if n > 3 && let Some(limit) = limits.get(at) && n < *limit && let Some(count) = counts.get_mut(at) {
                *count += n;
            } else if n % 2 == 1 && let Some(other) = rest.get_mut(n as usize % 3) {
                *other = *other * 3 + n;
            } else {
                rest[0] += 100;
            }
        }
        let best = if let Some(first) = counts.first_mut() && i > 9 {
            *first += 5;
            *first
        } else {
            limits[0]
        };
        if i & 4 == 0 && let Some(last) = rest.last_mut() {
            *last += best;
        }
        counts.iter().chain(&rest).fold(best, |sum, value| sum.wrapping_mul(31) ^ value)
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[TUPLES, CHAINS];
