//! Two traits have a method of one name, one with `&mut self` and one without: which of them is called on an element is not looked at.

use gridwise::prelude::*;

#[device]
mod shapes {
    pub trait Moves {
        fn go(&mut self);
    }

    pub trait Shows {
        fn go(&self) -> f32;
    }

    pub fn all<T: Moves>(shapes: &mut [T]) {
        shapes[0].go();
    }
}

fn main() {}
