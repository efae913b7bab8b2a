use gridwise::prelude::*;

#[kernel(workgroup = 32)]
fn pass(m: CoopMatrix<f32, Accumulator, 16, 16>, y: &mut [f32]) {
    m.store(y, 0, 16, RowMajor);
}

fn main() {}
