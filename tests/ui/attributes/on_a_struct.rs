use gridwise::prelude::*;

#[kernel]
struct S;

fn main() {}
