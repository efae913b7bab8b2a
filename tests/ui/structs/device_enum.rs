use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
enum Text {
    A(&'static str),
}

fn main() {}
