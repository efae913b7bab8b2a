//! Generic types for kernels of other crates.

use gridwise::prelude::*;

/// A struct, a trait and an enum.
#[device]
pub(crate) mod item {
    use std::ops::Sub;

    /// From one value to a larger one.
    #[derive(Debug, Clone, Copy)]
    pub struct Span<T> {
        /// The smaller.
        pub from: T,
        /// The larger.
        pub to: T,
    }

    impl<T: Copy + PartialOrd + Sub<Output = T>> Span<T> {
        /// The span between two values, in any order.
        pub fn between(a: T, b: T) -> Self {
            if a <= b { Self { from: a, to: b } } else { Self { from: b, to: a } }
        }

        /// How wide it is.
        pub fn width(self) -> T {
            self.to - self.from
        }

        /// Whether a value lies in it.
        pub fn contains(self, value: T) -> bool {
            self.from <= value && value <= self.to
        }
    }

    /// A span of integers.
    pub type IntSpan = Span<i32>;

    /// A value that may be missing.
    #[derive(Debug, Clone, Copy)]
    pub enum Reading<T> {
        /// There is none.
        Missing,
        /// There is one.
        Value(T),
    }

    impl<T: Copy> Reading<T> {
        /// The value, or another.
        pub fn or(self, other: T) -> T {
            if let Reading::Value(value) = self { value } else { other }
        }
    }
}
