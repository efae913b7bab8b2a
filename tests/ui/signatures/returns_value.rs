use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32]) -> f32 {
    x[0]
}

fn main() {}
