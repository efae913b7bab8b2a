//! Right kernels, which compile without a warning.
#![deny(warnings)]
#![forbid(unsafe_code)]

use gridwise::prelude::*;

#[device]
const SCALE: f32 = 2.0;

/// A pair.
#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Pair {
    first: f32,
    second: f32,
}

/// Adds the members of pairs.
#[kernel]
fn sums(pairs: &[Pair], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = pairs[i].first + pairs[i].second;
}

#[device]
fn scaled(x: f32) -> f32 {
    x * SCALE
}

/// A kernel with documentation.
#[kernel(workgroup = 64)]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = scaled(x[i]);
}

#[kernel]
fn told_inside(out: &mut [f32]) {
    //! Documentation inside of the body.
    #![allow(clippy::excessive_precision)]
    out[0] = inner::told(1.0) + told_of(0.5);
}

#[device]
fn told_of(x: f32) -> f32 {
    //! The same of a device function.
    x
}

#[device]
mod inner {
    //! The same of a module, and of its functions.

    pub fn told(x: f32) -> f32 {
        //! The text it shows.
        x
    }
}

fn main() -> gridwise::Result<()> {
    let mgr = Manager::host();
    let x = mgr.tensor(&[1.0f32, 2.0])?;
    let mut out = mgr.tensor(&[0.0f32; 2])?;
    let seq = mgr.sequence()?;
    Case::dispatch(&seq, Grid::items(2), &x, &mut out)?;
    seq.eval()?;
    assert_eq!(out.to_vec()?, [2.0, 4.0]);

    let pairs = mgr.tensor(&[Pair { first: 1.0, second: 2.0 }])?;
    seq.clear()?;
    Sums::dispatch(&seq, Grid::items(1), &pairs, &mut out)?;
    seq.eval()?;
    assert_eq!(out.to_vec()?, [3.0, 4.0]);
    Ok(())
}
