//! A trait's function called by the trait's name: `self` is one of the arguments.

use gridwise::prelude::*;

#[device]
mod shapes {
    pub trait Shape {
        fn area(&self) -> f32;
        fn scaled(&self, by: f32) -> f32 {
            self.area() * by
        }
    }

    #[derive(Clone, Copy)]
    pub struct Square(pub f32);

    impl Shape for Square {
        fn area(&self) -> f32 {
            self.0 * self.0
        }
    }
}
use shapes::{Shape, Square};

#[kernel]
fn case(y: &mut [f32]) {
    let square = Square(y[0]);
    y[0] = Shape::area(&square, 2.0);
    y[1] = Shape::scaled(&square);
    y[2] = Square::scaled(&square);
    y[3] = square.scaled();
}

fn main() {}
