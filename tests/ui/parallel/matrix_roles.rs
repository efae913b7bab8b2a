use gridwise::prelude::*;

#[kernel(workgroup = 32)]
fn multiply(x: &[f16], y: &mut [f32]) {
    let a = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0, 16, RowMajor);
    let b = CoopMatrix::<f16, MatrixB, 8, 16>::load(x, 0, 16, RowMajor);
    let c = CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0);
    let d = CoopMatrix::<i32, Accumulator, 16, 16>::splat(0);
    let right = CoopMatrix::<f16, MatrixB, 16, 16>::load(x, 0, 16, RowMajor);
    a.mul_add(b, c).store(y, 0, 16, RowMajor);
    right.mul_add(a, c).store(y, 0, 16, RowMajor);
    a.mul_add(right, d);
    a.mul_add(c);
    let e = a * right;
    let f = c * 2;
    let g = c.convert::<i32>();
    let h = c.inverse();
    let i = CoopMatrix::<f32, Accumulator, 16, 16>::zero();
}

fn main() {}
