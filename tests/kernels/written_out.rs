//! Loops that are written out though their rounds are not known: those that shift a counter to the right until nothing of it is left, and
//! those that fill arrays, with a bound beside the one that is not known. rustc compiles each of them, too.

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

both!(few_rounds, plain_few_rounds, {
    #[derive(Clone, Copy, Default)]
    struct Section {
        factors: [u32; 3],
        state: u32,
    }

    impl Section {
        fn step(&mut self, x: u32) -> u32 {
            let y = self.factors[0].wrapping_mul(x).wrapping_add(self.state);
            self.state = self.factors[1].wrapping_mul(x) ^ self.factors[2].wrapping_mul(y);
            y
        }
    }

    fn sections(x: &[u32], len: usize) -> [Section; 4] {
        let mut sections = [Section::default(); 4];
        for (section, factors) in sections.iter_mut().zip(x[..len].chunks_exact(3)) {
            section.factors = [factors[0], factors[1], factors[2]];
        }
        sections
    }

    /// The largest numbers among the first ones, in order.
    fn largest(x: &[u32], count: usize) -> ([u32; 6], usize) {
        let (mut kept, mut len) = ([0; 6], 0usize);
        for number in x.iter().copied().take(count.min(9)) {
            let mut number = number & 0xffff;
            for place in &mut kept[..len.min(6)] {
                if *place < number {
                    core::mem::swap(place, &mut number);
                }
            }
            if len < 6 {
                kept[len] = number;
                len += 1;
            }
        }
        (kept, len)
    }

    fn first_above(x: &[u32], count: usize, limit: u32) -> (usize, [u32; 8]) {
        let mut seen = [7; 8];
        for i in 0..count.min(8) {
            if x[i] > limit {
                return (i, seen);
            }
            seen[i] = x[i] ^ seen[(i + 1) % 8];
        }
        (count.min(8), seen)
    }

    pub(super) fn few_rounds(i: u32, x: &[u32]) -> u32 {
        let len = (i % 17) as usize;
        let mut sections = sections(x, len);
        let mut sound = 1;
        for number in &x[..8] {
            sound ^= number;
            for section in &mut sections {
                sound = section.step(sound);
            }
        }
        let (kept, count) = largest(&x[(i % 48) as usize..], len % 11);
        let (found, seen) = first_above(&x[(i % 32) as usize..], len, 1 << 30);
        let all = kept
            .into_iter()
            .chain(seen)
            .fold(count as u32 ^ (found as u32) << 8, |all, part| all.rotate_left(5).wrapping_add(part));
        sound ^ all
    }
});

domain!("written_out", {
    powers, Powers, plain_powers;
    whole_powers, WholePowers, plain_whole_powers;
    bits_of_bytes, BitsOfBytes, plain_bits_of_bytes;
    few_rounds, FewRounds, plain_few_rounds;
});
