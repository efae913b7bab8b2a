use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Large {
    values: [f32; 33],
}

#[kernel]
fn case(large: Large, out: &mut [f32]) {
    out[0] = large.values[3];
}

fn main() {}
