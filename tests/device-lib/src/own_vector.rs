//! A type with the name of one of glam's, which functions name from the crate on.

use gridwise::device;

/// The type, and its lengths.
#[device]
pub mod vectors {
    /// Two numbers.
    #[derive(Clone, Copy)]
    pub struct Vec2 {
        /// The first.
        pub x: f32,
        /// The second.
        pub y: f32,
    }

    impl Vec2 {
        /// The vector of two numbers.
        pub fn new(x: f32, y: f32) -> Self {
            Self { x, y }
        }

        /// The way along both axes.
        pub fn length(self) -> f32 {
            self.x + self.y
        }
    }
}

/// Lengths of `(x, y)` and of `(x, 2 y)`, the second one twice.
#[device]
pub fn own_length(x: f32, y: f32) -> f32 {
    let longer = crate::own_vector::vectors::Vec2 { x, y: 2.0 * y };
    crate::own_vector::vectors::Vec2::new(x, y).length() + 2.0 * longer.length()
}
