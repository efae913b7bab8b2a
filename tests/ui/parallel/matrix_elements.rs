use gridwise::half::bf16;
use gridwise::prelude::*;

#[kernel(workgroup = 32)]
fn writes(y: &mut [f32], count: &[Atomic<u32>]) {
    let sums = CoopMatrix::<f32, Accumulator, 16, 16>::load(y, 0, 16, RowMajor);
    let counted = sums.map(|sum| {
        count[0].fetch_add(1, Ordering::Relaxed);
        sum
    });
    counted.store(y, 0, 16, RowMajor);
}

#[kernel(workgroup = 32)]
fn together(y: &mut [f32]) {
    let sums = CoopMatrix::<f32, Accumulator, 16, 16>::load(y, 0, 16, RowMajor);
    sums.map(|sum| sum + subgroup::add(sum)).store(y, 0, 16, RowMajor);
}

#[device]
fn told(sum: f32) -> f32 {
    println!("{sum}");
    sum
}

#[kernel(workgroup = 32)]
fn prints(y: &mut [f32]) {
    CoopMatrix::<f32, Accumulator, 16, 16>::load(y, 0, 16, RowMajor).map(told).store(y, 0, 16, RowMajor);
}

#[kernel(workgroup = 32)]
fn not_numbers(x: &[bf16], y: &mut [bf16]) {
    let left = CoopMatrix::<bf16, MatrixA, 16, 16>::load(x, 0, 16, RowMajor);
    left.map(|x| x).store(y, 0, 16, RowMajor);
}

#[kernel(workgroup = 32)]
fn not_sums(x: &[f16], y: &mut [f16]) {
    let left = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0, 16, RowMajor);
    left.row_sum().store(y, 0, 16, RowMajor);
    left.into_b().store(y, 0, 16, RowMajor);
}

#[kernel(workgroup = 32)]
fn other_shapes(y: &mut [f32]) {
    let sums = CoopMatrix::<f32, Accumulator, 16, 16>::load(y, 0, 16, RowMajor);
    let wide = CoopMatrix::<f32, Accumulator, 16, 8>::load(y, 0, 8, RowMajor);
    sums.zip_map(wide, |a, b| a * b).store(y, 0, 16, RowMajor);
    sums.map(|sum| sum > 1.0).store(y, 0, 16, RowMajor);
    sums.map().rows_sum().store(y, 0, 16, RowMajor);
}

#[kernel(workgroup = 32)]
fn by_holder(y: &mut [f32]) {
    let lane = subgroup_local_id() as f32;
    let sums = CoopMatrix::<f32, Accumulator, 16, 16>::load(y, 0, 16, RowMajor);
    let shifted = sums.map(|sum| if sum > 0.0 { sum + lane } else { sum });
    shifted.zip_map(sums, |a, b| if local_index() == 0 { a } else { b }).store(y, 0, 16, RowMajor);
}

fn main() {}
