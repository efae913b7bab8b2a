use gridwise::prelude::*;

#[device]
enum NotCopy {
    A,
    B(f32),
}

#[device]
#[derive(Clone, Copy)]
enum Text {
    A(&'static str),
}

fn main() {}
