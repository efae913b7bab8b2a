//! The order in which workgroups and invocations run: as counted, or permuted by a seed. Pure arithmetic.

/// A permutation of `0..len`.
///
/// A Feistel network over the next power of four permutes a larger range; positions outside of `len` are walked on until
/// one lies inside, which keeps it a permutation and needs no table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permutation {
    len: u64,
    /// Bits of one half.
    half: u32,
    seed: u64,
}

impl Permutation {
    /// A permutation that depends on `seed` alone.
    pub(crate) fn new(len: u64, seed: u64) -> Self {
        let bits = u64::BITS - len.saturating_sub(1).leading_zeros();
        Self { len, half: bits.div_ceil(2).max(1), seed }
    }

    /// The new position of `index`, which is below the length.
    pub(crate) fn get(&self, index: u64) -> u64 {
        let mut position = self.network(index);
        while position >= self.len {
            position = self.network(position);
        }
        position
    }

    fn network(&self, position: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let (mut left, mut right) = (position >> self.half & mask, position & mask);
        for round in 0..4u64 {
            (left, right) = (right, left ^ mix(self.seed ^ (round << 60) ^ right) & mask);
        }
        left << self.half | right
    }
}

/// Every bit of the result depends on every bit of `value` (the finaliser of SplitMix64, Steele et al. 2014).
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_once() {
        for len in [1, 2, 3, 4, 5, 63, 64, 65, 1000] {
            for seed in [0, 1, u64::MAX] {
                let permutation = Permutation::new(len, seed);
                let mut places: Vec<u64> = (0..len).map(|index| permutation.get(index)).collect();
                places.sort_unstable();
                assert_eq!(places, (0..len).collect::<Vec<_>>(), "{len} by {seed}");
            }
        }
    }

    #[test]
    fn seeds_differ() {
        let order = |seed| (0..64).map(|index| Permutation::new(64, seed).get(index)).collect::<Vec<_>>();
        assert_ne!(order(1), order(2));
        assert_ne!(order(1), (0..64).collect::<Vec<_>>());
    }

    #[test]
    fn the_largest_length_terminates() {
        assert!(Permutation::new(u64::MAX, 7).get(u64::MAX - 1) < u64::MAX);
    }
}
