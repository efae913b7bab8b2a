use gridwise::prelude::*;

// A kernel's parameters come from the host, where nothing is referred to; a device function's may be references.
#[kernel]
fn case(x: &f32, out: &mut [f32]) {
    out[0] = 1.0;
}

#[device]
fn first(values: &[f32; 3]) -> &f32 {
    &values[0]
}

fn main() {}
