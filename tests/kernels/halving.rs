//! Loops that shift a counter to the right until nothing of it is left. rustc compiles each of them, too.

#![expect(clippy::unreadable_literal, reason = "digits of a polynomial")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(powers, plain_powers, {
    // Exponents of few digits and of any sign; the base stays, so that its squares are shared.
    pub(super) fn powers(i: u32, x: &[u32]) -> u32 {
        let base = 0.75 + (x[(i % 64) as usize] & 0xff) as f32 / 512.0;
        let mut sum = 0u32;
        for step in 0..24 {
            let exponent = 2 * (i & 127) as i32 - 11 * step;
            sum = sum.rotate_left(5) ^ base.powi(exponent).to_bits() ^ (base as f64).powi(exponent).to_bits() as u32;
        }
        sum
    }
});

both!(whole_powers, plain_whole_powers, {
    fn modular(base: u32, mut exponent: u32, modulus: u32) -> u32 {
        let (mut power, mut square) = (1u64, u64::from(base));
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power * square % u64::from(modulus);
            }
            square = square * square % u64::from(modulus);
            exponent >>= 1;
        }
        power as u32
    }

    pub(super) fn whole_powers(i: u32, x: &[u32]) -> u32 {
        let (a, e) = (x[(i % 64) as usize], x[((i + 7) % 64) as usize]);
        let mut wrapped = 1u32;
        let (mut square, mut left) = (a | 1, e & 0x3ff);
        while left != 0 {
            if left & 1 != 0 {
                wrapped = wrapped.wrapping_mul(square);
            }
            square = square.wrapping_mul(square);
            left >>= 1;
        }
        wrapped ^ modular(a, e & 0xffff, 65_521) ^ (a & 7).pow(e & 7) ^ modular(a, e, 97)
    }
});

both!(bits_of_bytes, plain_bits_of_bytes, {
    fn ones(byte: u8) -> u32 {
        let (mut left, mut count) = (byte, 0);
        while left > 0 {
            count += u32::from(left & 1);
            left >>= 1;
        }
        count
    }

    fn digits(mut number: u16) -> (u32, u32) {
        let (mut sum, mut places) = (0, 0);
        loop {
            sum += u32::from(number & 15);
            places += 1;
            number >>= 4;
            if number == 0 {
                return (sum, places);
            }
        }
    }

    fn remainder_of_bits(byte: u8, polynomial: u32) -> u32 {
        let (mut left, mut sum) = (u32::from(byte), 0u32);
        while left != 0 {
            sum = if (left ^ sum) & 1 == 1 { sum >> 1 ^ polynomial } else { sum >> 1 };
            left >>= 1;
        }
        sum
    }

    pub(super) fn bits_of_bytes(i: u32, x: &[u32]) -> u32 {
        let word = x[(i % 64) as usize];
        let (sum, places) = digits((word >> 7) as u16);
        word.to_le_bytes()
            .into_iter()
            .fold(sum << 8 ^ places, |all, byte| all.rotate_left(3) ^ ones(byte) ^ remainder_of_bits(byte, 0xedb88320))
    }
});

domain!("halving", {
    powers, Powers, plain_powers;
    whole_powers, WholePowers, plain_whole_powers;
    bits_of_bytes, BitsOfBytes, plain_bits_of_bytes;
});
