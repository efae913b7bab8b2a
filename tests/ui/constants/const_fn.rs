//! A `const fn`, which a const calls: one error.

use gridwise::prelude::*;

#[device]
mod tables {
    pub const TABLE: [u32; 4] = make();

    const fn make() -> [u32; 4] {
        let mut table = [1; 4];
        let mut i = 1;
        while i < 4 {
            table[i] = table[i - 1] * 3;
            i += 1;
        }
        table
    }

    pub fn at(i: u32) -> u32 {
        TABLE[i as usize % 4]
    }
}

#[kernel]
fn read(y: &mut [u32]) {
    let i = global_id().x;
    y[i] = tables::at(i);
}

fn main() {}
