use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn diagonal(x: &[f16], y: &mut [f32]) {
    let lane = subgroup_local_id();
    let a = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, lane * 16, 16, RowMajor);
    let b = CoopMatrix::<f16, MatrixB, 16, 16>::load(x, subgroup_id() * 256, 16, RowMajor);
    let c = CoopMatrix::<f32, Accumulator, 16, 16>::splat(x[lane].to_f32());
    if lane < 4 {
        a.mul_add(b, c).store(y, 0, 16, RowMajor);
    }
}

fn main() {}
