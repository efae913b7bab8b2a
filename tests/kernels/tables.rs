//! Consts that loops compute. Each also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 256;

both!(computed, plain_computed, {
    /// The table of CRC-32, reflected.
    pub(super) const CRC: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let mut c = i as u32;
            let mut bit = 0;
            while bit < 8 {
                c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
                bit += 1;
            }
            table[i] = c;
            i += 1;
        }
        table
    };

    #[derive(Clone, Copy)]
    pub(super) struct Prime {
        pub(super) value: u16,
        pub(super) gap: u16,
    }

    /// Primes, with what lies between.
    pub(super) const PRIMES: [Prime; 20] = {
        let mut found = [Prime { value: 2, gap: 0 }; 20];
        let mut count = 1;
        let mut n = 3;
        loop {
            let mut by = 0;
            let mut is_prime = true;
            while by < count {
                if n % found[by].value == 0 {
                    is_prime = false;
                    break;
                }
                by += 1;
            }
            if !is_prime {
                n += 2;
                continue;
            }
            found[count].gap = n - found[count - 1].value;
            found[count].value = n;
            count += 1;
            n += 2;
            if count == 20 {
                break;
            }
        }
        found
    };

    /// Rows that grow from the rows above.
    const BINOMIALS: [[f32; 8]; 8] = {
        let mut rows = [[0.0; 8]; 8];
        let mut row = 0;
        while row < 8 {
            rows[row][0] = 1.0;
            let mut at = 1;
            while at <= row {
                rows[row][at] = rows[row - 1][at - 1] + rows[row - 1][at];
                at += 1;
            }
            row += 1;
        }
        rows
    };

    pub(super) const HALF_SUM: f32 = {
        let mut sum = 0.1;
        let mut i = 0;
        while i < 8 {
            sum += BINOMIALS[7][i] * 0.3;
            i += 1;
        }
        sum / 2.0
    };

    pub(super) fn all(i: u32) -> [u32; 4] {
        let at = i as usize;
        let prime = PRIMES[at % 20];
        let both = (prime.value as u32) << 8 | prime.gap as u32;
        [CRC[at], both, BINOMIALS[at % 8][at / 8 % 8].to_bits(), HALF_SUM.to_bits()]
    }
});

#[kernel(workgroup = 32)]
fn everywhere(out: &mut [[u32; 4]]) {
    let i = global_id().x;
    out[i] = computed::all(i);
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "tables::everywhere",
    [Everywhere],
    |mgr| {
        let mut out = mgr.tensor(&vec![[0u32; 4]; N])?;
        let seq = mgr.sequence()?;
        Everywhere::dispatch(&seq, Grid::items(N), &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.concat())])
    },
    || vec![Output::U32((0..N as u32).flat_map(plain_computed::all).collect())]
)];
