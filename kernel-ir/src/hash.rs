//! A fast hash for short keys, which come from the compiler itself: that of rustc. A map with it must not be iterated on the way to the
//! words, like any hash map.

pub use rustc_hash::{FxHashMap as FastMap, FxHashSet as FastSet, FxHasher as Mixer};
