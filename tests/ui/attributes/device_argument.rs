use gridwise::prelude::*;

#[device(fast)]
fn f(x: f32) -> f32 {
    x
}

fn main() {}
