//! `?` where no `impl From` makes the function's error of the one found.

use gridwise::prelude::*;

#[device]
mod errors {
    #[derive(Clone, Copy)]
    pub(super) struct Low(pub(super) u32);

    #[derive(Clone, Copy)]
    pub(super) struct High(pub(super) u32);

    pub(super) fn low(v: u32) -> Result<u32, Low> {
        if v > 9 { Err(Low(v)) } else { Ok(v) }
    }

    pub(super) fn high(v: u32) -> Result<u32, High> {
        Ok(low(v)? + 1)
    }
}

#[kernel]
fn convert(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = errors::high(x[i]).unwrap_or(0);
}

fn main() {}
