//! Device items that kernels of another crate use: by `use`, full path, re-export and glob.

pub mod color;
mod complex;
mod exchange;
pub mod geometry;
mod graded;
pub mod own_vector;
pub mod shape;
mod span;
mod visit;

pub use complex::number::Complex;
pub use exchange::{exchange, largest_of, sum_of_squares};
pub use graded::grades;
pub use own_vector::own_length;
pub use span::item::{IntSpan, Reading, Span};
pub use visit::{divisors, fold_parts, parts_of};

/// Re-exports under other paths, to gather through.
pub mod prelude {
    pub use crate::color::*;
    pub use crate::geometry::{Particle, advance as step_particle};
}
