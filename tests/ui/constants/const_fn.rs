//! `const fn`s: what consts cannot call, and a kernel that is none.

use gridwise::prelude::*;

#[device]
mod tables {
    pub const FILLED: [u32; 4] = filled(7);
    pub const DOUBLED: u32 = twice(3_000_000_000);
    pub const ROOT: f32 = 2.0f32.to_radians();

    const fn filled<const LEN: usize>(value: u32) -> [u32; LEN] {
        [value; LEN]
    }

    const fn twice(n: u32) -> u32 {
        n * 2
    }

    pub fn at(i: u32) -> u32 {
        FILLED[i as usize % 4] + DOUBLED + ROOT as u32
    }
}

#[kernel]
const fn read(y: &mut [u32]) {
    let i = global_id().x;
    y[i] = tables::at(i);
}

fn main() {}
