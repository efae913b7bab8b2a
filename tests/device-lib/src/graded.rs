//! Types with Rust's standard traits, derived and written, for kernels of another crate.

use gridwise::prelude::*;

/// Grades with a default.
#[device]
pub mod grades {
    use gridwise::prelude::*;

    /// A grade whose default is not the first one.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Grade {
        /// Below all.
        Low,
        /// The default.
        #[default]
        Middle,
        /// Above all.
        High,
    }

    /// A weight, 1 unless something else is said.
    #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
    pub struct Weight(pub f32);

    impl Default for Weight {
        fn default() -> Self {
            Weight(1.0)
        }
    }

    /// Both, and more.
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub struct Graded {
        /// Its grade.
        pub grade: Grade,
        /// Its weight.
        pub weight: Weight,
        /// Two weights more.
        pub others: [Weight; 2],
        /// Nothing yet.
        pub parent: Option<Weight>,
        /// The identity.
        pub turn: Mat2,
    }
}
