//! `use` in functions: what it cannot be.

use gridwise::prelude::*;

#[device]
mod states {
    #[derive(Clone, Copy)]
    pub enum State {
        Idle,
        Moving(f32),
    }

    #[derive(Clone, Copy)]
    pub struct Point {
        pub x: f32,
    }

    pub fn speed(v: f32) -> f32 {
        v
    }
}

mod written {
    macro_rules! limit {
        () => {
            pub const LIMIT: f32 = 1.0;
        };
    }
    limit!();
}

#[kernel]
fn all(y: &mut [f32]) {
    use written::*;
    y[0] = LIMIT;
}

#[kernel]
fn of_no_enum(y: &mut [f32]) {
    use states::Point::*;
    y[0] = 1.0;
}

#[kernel]
fn hidden(y: &mut [f32]) {
    use states::speed;
    let speed = speed(y[0]);
    y[0] = speed(speed);
}

#[kernel]
fn unknown(y: &mut [f32]) {
    use states::{State::Gone, State::Idle};
    y[0] = match Idle {
        Idle => 1.0,
        Gone => 2.0,
    };
}

#[kernel]
fn unknown_of_all(y: &mut [f32]) {
    use states::State::*;
    y[0] = match Idle {
        Idle => 1.0,
        Moving(by) => by,
        Gone => 2.0,
    };
}

fn main() {}
