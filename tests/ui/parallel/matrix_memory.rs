use gridwise::prelude::*;

#[device]
fn load(x: &[f16]) -> CoopMatrix<f16, MatrixA, 16, 16> {
    CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0, 16, RowMajor)
}

#[kernel(workgroup = 32)]
fn memory(x: &[f16], i: &[u32], v: &[Vec3], y: &mut [f32], layout: u32) {
    let own = [f16::ZERO; 256];
    let a = CoopMatrix::<f16, MatrixA, 16, 16>::load(&own[..], 0, 16, RowMajor);
    let b = CoopMatrix::<f16, MatrixA, 16, 16>::load(v, 0, 16, RowMajor);
    let c = CoopMatrix::<f32, Accumulator, 16, 16>::load(x, 0, 16, RowMajor);
    let d = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0, 16, layout);
    let e = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0, 16);
    let f = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0.0, 16, RowMajor);
    d.store(i, 0, 8, RowMajor);
}

#[kernel(workgroup = 32)]
fn hands_on(x: &[f16], y: &mut [f16]) {
    let own = [f16::ZERO; 256];
    load(x).store(y, 0, 16, RowMajor);
    load(&own[..]).store(y, 0, 16, RowMajor);
}

fn main() {}
