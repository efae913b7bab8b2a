//! Arrays of constants that data index: of bytes, pairs and rows, in arms and loops, and such as are changed later.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 96;

fn numbers() -> Vec<u32> {
    patterns(N, 91)
}

twice! {
    fn letter(x: u32) -> u8 {
        const LETTERS: [u8; 32] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        LETTERS[(x >> 27) as usize] ^ LETTERS[(x & 31) as usize]
    }

    fn rows(x: u32) -> i32 {
        let rows = [[1i16, -2, 3], [-4, 5, -6], [7, -8, 9], [i16::MAX, i16::MIN, 0]];
        let pairs = [(2u8, -1i32), (3, 70_000), (255, i32::MIN)];
        let (times, offset) = pairs[(x % 3) as usize];
        i32::from(rows[(x >> 30) as usize][(x / 3 % 3) as usize]).wrapping_mul(i32::from(times)).wrapping_add(offset)
    }

    fn in_arms(x: u32) -> f32 {
        let at = (x % 4) as usize;
        match x % 3 {
            0 => [0.5f32, 1.5, -0.0, f32::MAX][at],
            1 => {
                let mut sum = 0.0;
                for k in 0..x % 5 {
                    let weights = [0.25f32, 4.0, 0.125, 1.0];
                    sum += weights[(x >> k & 3) as usize];
                }
                sum
            }
            _ => [true, false, false, true].map(|is| if is { 1.0 } else { -1.0 })[at],
        }
    }

    fn changed(x: u32) -> u32 {
        let mut table = [3u32, 1, 4, 1, 5, 9, 2, 6];
        let before = table[(x & 7) as usize];
        for k in 0..x % 4 {
            table[(x >> k & 7) as usize] += k + 1;
        }
        let mut other = [10u32, 20, 30, 40];
        if x % 2 == 0 {
            other = [1, 2, 3, 4];
        }
        let zeros = [0u32; 6];
        before + 10 * table[(x >> 3 & 7) as usize] + 1000 * other[(x >> 5 & 3) as usize] + zeros[(x % 6) as usize]
    }

    /// Rounds of a counter read the table beside data that do; and one that is read before it is there in the round.
    fn mixed(x: u32) -> u32 {
        let mut hash = x;
        let mut last = [0u32; 4];
        for k in 0..4 {
            let primes = [0x85eb_ca6bu32, 0xc2b2_ae35, 0x27d4_eb2f, 0x1656_67b1];
            hash = hash.rotate_left(7).wrapping_mul(primes[k]) ^ primes[(hash & 3) as usize];
            hash ^= last[(hash >> 4 & 3) as usize];
            last = [2, 3, 5, 7];
        }
        hash
    }
}

#[kernel(workgroup = [32])]
fn constants_by_data(x: &[u32], bytes: &mut [u8], numbers: &mut [[u32; 4]]) {
    let i = global_id().x as usize;
    if i < x.len() {
        bytes[i] = letter(x[i]);
        numbers[i] = [rows(x[i]) as u32, in_arms(x[i]).to_bits(), changed(x[i]), mixed(x[i])];
    }
}

fn expected() -> Vec<Output> {
    let x = numbers();
    let row = |x: &u32| [plain::rows(*x) as u32, plain::in_arms(*x).to_bits(), plain::changed(*x), plain::mixed(*x)];
    let bytes = x.iter().map(|x| u32::from(plain::letter(*x))).collect();
    vec![Output::U32(bytes), Output::U32(x.iter().flat_map(row).collect())]
}

/// The entry.
pub const CASES: &[Case] = &[case!(
    "constant_tables::by_data",
    [ConstantsByData],
    |mgr| {
        let x = mgr.tensor(&numbers())?;
        let (mut bytes, mut numbers) = (mgr.tensor(&[0u8; N])?, mgr.tensor(&vec![[0u32; 4]; N])?);
        let seq = mgr.sequence()?;
        ConstantsByData::dispatch(&seq, Grid::items(N), &x, &mut bytes, &mut numbers)?;
        seq.eval()?;
        let bytes = bytes.to_vec()?.into_iter().map(u32::from).collect();
        Ok(vec![Output::U32(bytes), Output::U32(numbers.to_vec()?.concat())])
    },
    expected
)];
