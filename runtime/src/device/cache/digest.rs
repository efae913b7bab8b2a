//! A digest that names modules and pipelines, and tells whether a file is whole. It is no defence against forgery.
//! A digest of our own, because that of the standard library may change with the compiler, and files outlive programs.

/// Collects bytes and gives 128 bits that other bytes hardly have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Digest {
    lanes: [u64; 2],
    len: u64,
}

/// Odd numbers without a pattern: the fraction of the golden ratio, and of the square roots of 2 and 3.
const MULTIPLIERS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Digest {
    pub(crate) fn new() -> Self {
        Self { lanes: [MULTIPLIERS[1], MULTIPLIERS[2]], len: 0 }
    }

    /// Adds bytes. The boundaries between calls count: the same bytes in other portions give another digest.
    #[must_use]
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            self.add(u64::from_le_bytes(*chunk));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last));
        self.add(bytes.len() as u64);
        self
    }

    /// Adds words.
    #[must_use]
    pub(crate) fn words(mut self, words: &[u32]) -> Self {
        let (pairs, rest) = words.as_chunks::<2>();
        for [low, high] in pairs {
            self.add(u64::from(*low) | u64::from(*high) << 32);
        }
        self.add(rest.first().copied().unwrap_or_default().into());
        self.add(words.len() as u64);
        self
    }

    fn add(&mut self, chunk: u64) {
        let [a, b] = self.lanes;
        // The addend keeps a lane that met its own value from staying at zero.
        self.lanes =
            [fold(a ^ chunk, MULTIPLIERS[0]).wrapping_add(b), fold(b ^ chunk.rotate_left(32), MULTIPLIERS[1]) ^ a];
        self.len += 1;
    }

    pub(crate) fn finish(self) -> u128 {
        let [a, b] = self.lanes;
        let a = fold(a ^ self.len, MULTIPLIERS[2]).wrapping_add(b);
        let b = fold(b ^ a, MULTIPLIERS[0]);
        u128::from(a) << 64 | u128::from(b)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_bit_counts() {
        let base: Vec<u8> = (0..37).collect();
        let mut seen = HashSet::from([Digest::new().bytes(&base).finish()]);
        for bit in 0..8 * base.len() {
            let mut other = base.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(Digest::new().bytes(&other).finish()), "bit {bit}");
        }
        for len in 0..base.len() {
            assert!(seen.insert(Digest::new().bytes(&base[..len]).finish()), "length {len}");
        }
    }

    #[test]
    fn parts_and_zeros_count() {
        let of = |parts: &[&[u8]]| parts.iter().fold(Digest::new(), |digest, part| digest.bytes(part)).finish();
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[&[0; 8]]), of(&[&[0; 16]]));
        assert_ne!(Digest::new().words(&[1, 0]).finish(), Digest::new().words(&[1]).finish());
        assert_eq!(of(&[b"ab"]), of(&[b"ab"]));
    }
}
