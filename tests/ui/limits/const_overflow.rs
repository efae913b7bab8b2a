use gridwise::prelude::*;

#[device]
const BIG: u32 = 65536 * 65536;

fn main() {}
