//! Functions by the name of their trait: the first argument tells the type.

use gridwise::prelude::*;

#[device]
mod shapes {
    pub trait Shape {
        fn area(&self) -> f32;
        fn unit() -> Self;
        fn of_side(side: u32) -> Self;
    }

    #[derive(Clone, Copy)]
    pub struct Square(pub f32);

    impl Shape for Square {
        fn area(&self) -> f32 {
            self.0 * self.0
        }
        fn unit() -> Self {
            Square(1.0)
        }
        fn of_side(side: u32) -> Self {
            Square(side as f32)
        }
    }
}
use shapes::{Shape, Square};

#[kernel]
fn case(y: &mut [f32]) {
    let square: Square = Shape::unit();
    let sided: Square = Shape::of_side(2);
    let wrong = Shape::area(&2u32);
    let missing = Shape::volume(&square);
    let more = Shape::area(&square, 1.0);
    y[0] = Shape::area(&square);
}

fn main() {}
