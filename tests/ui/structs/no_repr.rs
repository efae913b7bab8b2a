use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct P {
    a: f32,
}

fn main() {}
