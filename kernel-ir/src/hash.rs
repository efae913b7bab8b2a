//! A fast hash for short keys, the same on every machine. Keys come from the compiler itself, so nobody can choose bad ones.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with small keys. Like any hash map it must not be iterated on the way to the words.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// The hash of what was written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}
