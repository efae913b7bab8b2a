use gridwise::prelude::*;

#[kernel]
fn case(x: &[u32], z: &[u32], y: &mut [u32]) {
    let mut part = &x[..];
    if x[0] > 3 {
        part = &z[1..];
    }
    let fixed = &x[1..];
    fixed = &fixed[1..];
    let mut written = &mut y[1..];
    written = &mut written[1..];
    let own = [1u32, 2, 3];
    let mut rest = &own[..];
    rest = 4;
    part = rest;
    y[0] = part[0] + rest[0];
}

fn main() {}
