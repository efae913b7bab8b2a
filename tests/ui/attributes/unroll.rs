use gridwise::prelude::*;

#[kernel]
fn zero(out: &mut [u32]) {
    #[unroll(0)]
    for i in 0..4 {
        out[i] = 1;
    }
}

#[kernel]
fn word(out: &mut [u32]) {
    let mut i = 0;
    #[unroll(always)]
    while i < 4 {
        out[i] = 1;
        i += 1;
    }
}

#[kernel]
fn value(out: &mut [u32]) {
    #[unroll = 4]
    loop {
        out[0] = 1;
        break;
    }
}

#[kernel]
fn no_loop(out: &mut [u32]) {
    #[unroll]
    out[0] = 1;
}

#[kernel]
fn other(out: &mut [u32]) {
    #[cfg(unix)]
    for i in 0..4 {
        out[i] = 1;
    }
}

fn main() {}
