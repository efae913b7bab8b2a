//! Enums and tuple structs that kernels of another crate take apart.

use gridwise::prelude::*;

/// A length.
#[device]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meters(pub f32);

/// A shape.
#[device]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Nothing.
    Point,
    /// By its radius.
    Circle(Meters),
    /// By its sides.
    Rect {
        /// To the right.
        width: Meters,
        /// Up.
        height: Meters,
    },
}

/// The area; circles have π = 3 here, so that it is exact.
#[device]
pub fn area(shape: Shape) -> f32 {
    match shape {
        Shape::Point => 0.0,
        Shape::Circle(Meters(radius)) => 3.0 * radius * radius,
        Shape::Rect { width, height: Meters(height) } => width.0 * height,
    }
}

/// The side of a square of the shape's kind and size, if it has one.
#[device]
pub fn side(shape: Shape) -> Option<Meters> {
    let Shape::Rect { width, height } = shape else { return None };
    if width.0 == height.0 { Some(width) } else { None }
}
