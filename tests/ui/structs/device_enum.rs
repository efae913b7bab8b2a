use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
enum Text {
    A(&'static f32),
}

fn main() {}
