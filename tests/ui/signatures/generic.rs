use gridwise::prelude::*;

#[kernel]
fn case<T>(x: &[T]) {}

fn main() {}
