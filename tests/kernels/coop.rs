//! Matrices of subgroups, with numbers small enough for every order of summation to be exact. Subgroups have as many invocations
//! as the device likes: each takes tiles until none is left.

use std::ops::{Add, Mul};

use gridwise::half::bf16;
use gridwise::prelude::*;

use super::case;
use super::traps::report;
use crate::case::{Case, Output, bits};

/// Rows, columns and depth of a device's smallest product.
const S: usize = 8;

/// A tile's elements.
#[device]
const TILE: u32 = 64;

#[device]
type Sum = CoopMatrix<f32, Accumulator, 8, 8>;

/// The entries.
pub const CASES: &[Case] = &[
    case!("coop::products", [Products], run_products, products_expected),
    case!("coop::bytes", [SignedBytes, UnsignedBytes], run_bytes, bytes_expected),
    case!("coop::layouts", [Layouts], run_layouts, layouts_expected),
    case!("coop::operators", [Operators], run_operators, operators_expected),
    case!("coop::gemm", [Gemm], run_gemm, gemm_expected),
    case!("coop::in_functions", [InFunctions], run_in_functions, in_functions_expected),
    case!("coop::behind_the_end_in_a_function", [InFunctions], |mgr| run_short(mgr)),
    case!("coop::bfloat16", [Bfloats], run_bfloats, bfloats_expected),
    case!("coop::load_out_of_range", [Place], |mgr| run_place(mgr, 8, 9, 0)),
    case!("coop::load_far_out_of_range", [Place], |mgr| run_place(mgr, 0xffff_fff8, 8, 0)),
    case!("coop::stride_out_of_range", [Place], |mgr| run_place(mgr, 0, 0x8000_0000, 0)),
    case!("coop::store_out_of_range", [Place], |mgr| run_place(mgr, 0, 8, 1)),
    case!("coop::not_aligned", [Place], |mgr| run_place(mgr, 4, 8, 0)),
    case!("coop::in_place", [Place], |mgr| run_place(mgr, 0, 8, 0)),
];

fn small(seed: u32, count: usize) -> Vec<f32> {
    (0..count as u32).map(|i| ((i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 13) % 9) as f32 - 4.0).collect()
}

pub(super) fn halves(values: &[f32]) -> Vec<f16> {
    values.iter().map(|value| f16::from_f32(*value)).collect()
}

/// `a * b`, of row-major matrices.
fn product<T: Copy + Default + Add<Output = T> + Mul<Output = T>>(
    a: &[T],
    b: &[T],
    (rows, depth, columns): (usize, usize, usize),
) -> Vec<T> {
    let element = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        (0..depth).fold(T::default(), |sum, k| sum + a[row * depth + k] * b[k * columns + column])
    };
    (0..rows * columns).map(element).collect()
}

/// Each tile of `y` is the sum of the products of three tiles of `a` with three of `b`.
#[kernel(workgroup = 64)]
fn products(tiles: u32, a: &[f16], b: &[f16], y: &mut [f32]) {
    let mut tile = workgroup_id().x * num_subgroups() + subgroup_id();
    while tile < tiles {
        let mut sum = Sum::splat(0.5);
        for k in 0..3 {
            let at = (tile * 3 + k) * TILE;
            let left = CoopMatrix::<f16, MatrixA, 8, 8>::load(a, at, 8, RowMajor);
            let right = CoopMatrix::<f16, MatrixB, 8, 8>::load(&b, at, 8, RowMajor);
            sum = left.mul_add(right, sum);
        }
        // SAFETY: each tile belongs to one subgroup.
        unsafe { sum.store(y.unordered(), tile * TILE, 8, RowMajor) };
        tile += num_workgroups().x * num_subgroups();
    }
}

const TILES: usize = 21;

fn run_products(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let count = TILES * 3 * S * S;
    let (a, b) = (mgr.tensor(&halves(&small(1, count)))?, mgr.tensor(&halves(&small(2, count)))?);
    let mut y = mgr.tensor(&[f32::NAN; TILES * S * S])?;
    let seq = mgr.sequence()?;
    Products::dispatch(&seq, Grid::groups(2), TILES as u32, &a, &b, &mut y)?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?)])
}

fn products_expected() -> Vec<Output> {
    let count = TILES * 3 * S * S;
    let (a, b) = (small(1, count), small(2, count));
    let mut y = vec![0.5; TILES * S * S];
    for tile in 0..TILES * 3 {
        let part = tile * S * S..(tile + 1) * S * S;
        let more = product(&a[part.clone()], &b[part], (S, S, S));
        y[tile / 3 * S * S..][..S * S].iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    vec![Output::exact(y)]
}

macro_rules! of_bytes {
    ($name:ident, $byte:ty, $sum:ty, $start:expr) => {
        #[kernel(workgroup = 64)]
        fn $name(a: &[$byte], b: &[$byte], y: &mut [$sum]) {
            if subgroup_id() == 0 {
                let left = CoopMatrix::<$byte, MatrixA, 8, 8>::load(a, 0, 8, RowMajor);
                let right = CoopMatrix::<$byte, MatrixB, 8, 8>::load(b, 0, 8, RowMajor);
                let sum = left.mul_add(right, CoopMatrix::<$sum, Accumulator, 8, 8>::splat($start));
                sum.store(y, 0, 8, RowMajor);
            }
        }
    };
}
of_bytes!(signed_bytes, i8, i32, i32::MAX);
of_bytes!(unsigned_bytes, u8, u32, 4_294_000_000);

fn some_bytes(seed: u8) -> Vec<u8> {
    (0..64u8).map(|i| i.wrapping_mul(37).wrapping_add(seed)).collect()
}

fn run_bytes(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (a, b) = (some_bytes(3), some_bytes(200));
    let signed = |bytes: &[u8]| bytes.iter().map(|byte| byte.cast_signed()).collect::<Vec<_>>();
    let (c, d) = (mgr.tensor(&signed(&a))?, mgr.tensor(&signed(&b))?);
    let (a, b) = (mgr.tensor(&a)?, mgr.tensor(&b)?);
    let (mut y, mut z) = (mgr.tensor(&[7u32; 64])?, mgr.tensor(&[7i32; 64])?);
    let seq = mgr.sequence()?;
    UnsignedBytes::dispatch(&seq, Grid::groups(1), &a, &b, &mut y)?;
    SignedBytes::dispatch(&seq, Grid::groups(1), &c, &d, &mut z)?;
    seq.eval()?;
    Ok(vec![Output::U32(y.to_vec()?), Output::I32(z.to_vec()?)])
}

fn bytes_expected() -> Vec<Output> {
    let (a, b) = (some_bytes(3), some_bytes(200));
    let wide = |bytes: &[u8]| bytes.iter().map(|byte| i64::from(*byte)).collect::<Vec<_>>();
    let signed = |bytes: &[u8]| bytes.iter().map(|byte| i64::from(byte.cast_signed())).collect::<Vec<_>>();
    let y = product(&wide(&a), &wide(&b), (S, S, S)).into_iter().map(|sum| (sum + 4_294_000_000) as u32);
    let z = product(&signed(&a), &signed(&b), (S, S, S)).into_iter().map(|sum| (sum + i64::from(i32::MAX)) as i32);
    vec![Output::U32(y.collect()), Output::I32(z.collect())]
}

/// `a` transposed times `b`, the result transposed; by way of shared memory of vectors, with gaps between the rows.
///
/// # Safety
/// A workgroup has one subgroup or more, whole ones.
#[kernel(workgroup = 32)]
unsafe fn layouts(a: &[UVec4], b: &[f16], y: &mut [f32]) {
    let rows = Shared::<[UVec4; 24]>::new();
    let sums = Shared::<[f32; 128]>::new();
    let i = local_index();
    if i < 8 {
        rows[2 + i * 2] = a[i];
    }
    barrier();
    if subgroup_id() == 0 {
        let left = CoopMatrix::<f16, MatrixA, 8, 8>::load(&rows[2..], 0, 2, ColumnMajor);
        let right = CoopMatrix::<f16, MatrixB, 8, 8>::load(&b[16..], 8, 16, RowMajor);
        let sum = left.mul_add(right, Sum::splat(0.0));
        sum.store(&mut sums[..], 4, 12, ColumnMajor);
    }
    barrier();
    for step in 0..4 {
        y[i + step * 32] = sums[i + step * 32];
    }
}

fn run_layouts(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let a = halves(&small(3, 64));
    let words = a.chunks(8).map(|row| {
        let word = |at: usize| u32::from(row[at].to_bits()) | u32::from(row[at + 1].to_bits()) << 16;
        uvec4(word(0), word(2), word(4), word(6))
    });
    let (a, b) = (mgr.tensor(&words.collect::<Vec<_>>())?, mgr.tensor(&halves(&small(4, 16 + 8 + 16 * 8)))?);
    let mut y = mgr.tensor(&[f32::NAN; 128])?;
    let seq = mgr.sequence()?;
    // SAFETY: it has.
    unsafe { Layouts::dispatch(&seq, Grid::groups(1), &a, &b, &mut y) }?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?)])
}

fn layouts_expected() -> Vec<Output> {
    let (a, b) = (small(3, 64), small(4, 16 + 8 + 16 * 8));
    let a: Vec<f32> = (0..64).map(|at| a[at % 8 * 8 + at / 8]).collect();
    let b: Vec<f32> = (0..64).map(|at| b[24 + at / 8 * 16 + at % 8]).collect();
    let sum = product(&a, &b, (S, S, S));
    let mut y = vec![0.0; 128];
    for at in 0..64 {
        y[4 + at % 8 * 12 + at / 8] = sum[at];
    }
    vec![Output::exact(y)]
}

/// Sums and differences, products by numbers, conversions, matrices in arrays, tuples and options.
#[kernel(workgroup = 32)]
fn operators(factor: f32, a: &[f16], y: &mut [f32], z: &mut [f16]) {
    if subgroup_id() == 0 {
        let left = CoopMatrix::<f16, MatrixA, 8, 8>::load(a, 0, 8, RowMajor);
        let right = CoopMatrix::<f16, MatrixB, 8, 8>::load(a, TILE, 8, RowMajor);
        let mut sums = [Sum::splat(0.0); 3];
        for i in 0..3u32 {
            sums[i] = (left + left * f16::from_f32(2.0)).mul_add(-right, sums[i]) * factor;
            sums[i] += Sum::splat(i as f32);
        }
        let (first, last) = (sums[0], sums[2]);
        let chosen = if factor > 1.0 { Some(last) } else { None };
        if let Some(mut matrix) = chosen {
            matrix -= first;
            matrix *= 0.5;
            matrix.store(y, 0, 8, RowMajor);
        }
        (sums[1] - last).store(y, TILE, 8, RowMajor);
        let narrow = sums[1].convert::<f16>();
        narrow.store(z, 0, 8, RowMajor);
        let half = left.mul_add(right, CoopMatrix::<f16, Accumulator, 8, 8>::splat(f16::from_f32(1.0)));
        half.convert::<f32>().store(y, 2 * TILE, 8, ColumnMajor);
    }
}

fn run_operators(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let a = mgr.tensor(&halves(&small(5, 128)))?;
    let (mut y, mut z) = (mgr.tensor(&[0.0f32; 192])?, mgr.tensor(&[f16::ZERO; 64])?);
    let seq = mgr.sequence()?;
    Operators::dispatch(&seq, Grid::groups(1), 2.0, &a, &mut y, &mut z)?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?), bits(&z.to_vec()?)])
}

fn operators_expected() -> Vec<Output> {
    let a = small(5, 128);
    let plain = product(&a[..64], &a[64..], (S, S, S));
    let sum = |i: usize, at: usize| plain[at] * -3.0 * 2.0 + i as f32;
    let first = (0..64).map(|at| (sum(2, at) - sum(0, at)) * 0.5);
    let second = (0..64).map(|at| sum(1, at) - sum(2, at));
    let third = (0..64).map(|at| plain[at % 8 * 8 + at / 8] + 1.0);
    let narrow: Vec<_> = (0..64).map(|at| f16::from_f32(sum(1, at))).collect();
    vec![Output::exact(first.chain(second).chain(third).collect()), bits(&narrow)]
}

/// A product of large matrices: each subgroup makes 16 × 16 elements of it, from rows and columns in shared memory.
#[kernel(workgroup = 32)]
fn gemm(m: u32, n: u32, k: u32, a: &[UVec4], b: &[UVec4], y: &mut [f32]) {
    let left = Shared::<[UVec4; 48]>::new();
    let right = Shared::<[UVec4; 48]>::new();
    let (row, column) = (workgroup_id().y * 16, workgroup_id().x * 16);
    let i = local_index();
    let mut sums = [[Sum::splat(0.0); 2]; 2];
    let mut at = 0;
    while at < k {
        let (line, half) = (i / 2, i % 2);
        left[line * 3 + half] = a[((row + line) * k + at) / 8 + half];
        right[line * 3 + half] = b[((at + line) * n + column) / 8 + half];
        barrier();
        for inner in 0..2u32 {
            let mut lefts = [CoopMatrix::<f16, MatrixA, 8, 8>::splat(f16::ZERO); 2];
            for r in 0..2u32 {
                lefts[r] = CoopMatrix::<f16, MatrixA, 8, 8>::load(&left[..], r * 24 + inner, 3, RowMajor);
            }
            for c in 0..2u32 {
                let factor = CoopMatrix::<f16, MatrixB, 8, 8>::load(&right[..], inner * 24 + c, 3, RowMajor);
                for r in 0..2u32 {
                    sums[r][c] = lefts[r].mul_add(factor, sums[r][c]);
                }
            }
        }
        barrier();
        at += 16;
    }
    if subgroup_id() == 0 && row < m {
        for r in 0..2u32 {
            for c in 0..2u32 {
                sums[r][c].store(y, (row + r * 8) * n + column + c * 8, n, RowMajor);
            }
        }
    }
}

const SHAPE: (usize, usize, usize) = (32, 48, 64);

fn packed(values: &[f32]) -> Vec<UVec4> {
    let half = |value: f32| u32::from(f16::from_f32(value).to_bits());
    let words: Vec<u32> = values.chunks(2).map(|pair| half(pair[0]) | half(pair[1]) << 16).collect();
    words.chunks(4).map(|four| uvec4(four[0], four[1], four[2], four[3])).collect()
}

fn run_gemm(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (m, k, n) = SHAPE;
    let (a, b) = (mgr.tensor(&packed(&small(6, m * k)))?, mgr.tensor(&packed(&small(7, k * n)))?);
    let mut y = mgr.tensor(&vec![f32::NAN; m * n])?;
    let seq = mgr.sequence()?;
    let groups = Grid::groups([n as u32 / 16, m as u32 / 16]);
    Gemm::dispatch(&seq, groups, m as u32, n as u32, k as u32, &a, &b, &mut y)?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?)])
}

fn gemm_expected() -> Vec<Output> {
    let (m, k, n) = SHAPE;
    vec![Output::exact(product(&small(6, m * k), &small(7, k * n), SHAPE))]
}

/// The tile in a row and column of tiles, of a matrix whose lines have `width` elements.
#[device]
fn left_of(matrix: &[f16], row: u32, column: u32, width: u32) -> CoopMatrix<f16, MatrixA, 8, 8> {
    CoopMatrix::<f16, MatrixA, 8, 8>::load(matrix, row * 8 * width + column * 8, width, RowMajor)
}

/// Likewise, by way of a part.
#[device]
fn right_of(matrix: &[f16], row: u32, column: u32, width: u32) -> CoopMatrix<f16, MatrixB, 8, 8> {
    let first = row * 8 * width + column * 8;
    CoopMatrix::<f16, MatrixB, 8, 8>::load(&matrix[first as usize..], 0, width, RowMajor)
}

#[device]
fn put_twice(sum: Sum, to: &mut [f32], at: u32) {
    sum.store(to, at, 8, RowMajor);
    sum.store(&mut to[64..], at, 8, ColumnMajor);
}

/// Tiles loaded by functions from a buffer and from shared memory, sums stored by one.
#[kernel(workgroup = 32)]
fn in_functions(width: u32, a: &[f16], y: &mut [f32]) {
    let own = Shared::<[f16; 128]>::new();
    for step in 0..4 {
        let at = step * 32 + local_index();
        own[at] = a[at];
    }
    barrier();
    if subgroup_id() == 0 {
        let mut sum = Sum::splat(0.0);
        for k in 0..width / 8 {
            sum = left_of(a, 0, k, width).mul_add(right_of(a, k, 0, width), sum);
        }
        let shared = left_of(&own[..], 0, 1, 16).mul_add(right_of(&own[..], 0, 0, 16), sum);
        put_twice(sum, y, 0);
        put_twice(shared, y, 128);
    }
}

fn in_functions_on(mgr: &Manager, len: usize) -> gridwise::Result<(Sequence, Tensor<f32>)> {
    let (a, mut y) = (mgr.tensor(&halves(&small(11, len)))?, mgr.tensor(&[f32::NAN; 256])?);
    let seq = mgr.sequence()?;
    InFunctions::dispatch(&seq, Grid::groups(1), 16, &a, &mut y)?;
    Ok((seq, y))
}

fn run_in_functions(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (seq, y) = in_functions_on(mgr, 256)?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?)])
}

/// Lines of the last tile are missing: the place is the function's.
fn run_short(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (seq, y) = in_functions_on(mgr, 200)?;
    Ok(vec![report(&seq)?, Output::exact(y.to_vec()?)])
}

fn in_functions_expected() -> Vec<Output> {
    let a = small(11, 256);
    let tile = |row: usize, column: usize| -> Vec<f32> {
        (0..64).map(|at| a[(row * 8 + at / 8) * 16 + column * 8 + at % 8]).collect()
    };
    let sum: Vec<f32> = (0..2).fold(vec![0.0; 64], |sum, k| {
        sum.iter().zip(product(&tile(0, k), &tile(k, 0), (S, S, S))).map(|(sum, more)| sum + more).collect()
    });
    let more = product(&tile(0, 1), &tile(0, 0), (S, S, S));
    let shared: Vec<f32> = sum.iter().zip(more).map(|(sum, more)| sum + more).collect();
    let turned = |of: &[f32]| (0..64).map(|at| of[at % 8 * 8 + at / 8]).collect::<Vec<_>>();
    vec![Output::exact([sum.clone(), turned(&sum), shared.clone(), turned(&shared)].concat())]
}

#[kernel(workgroup = 32)]
fn bfloats(a: &[bf16], y: &mut [f32], z: &mut [bf16]) {
    if subgroup_id() == 0 {
        let left = CoopMatrix::<bf16, MatrixA, 16, 16>::load(a, 0, 16, RowMajor);
        let right = CoopMatrix::<bf16, MatrixB, 16, 16>::load(a, 256, 16, ColumnMajor);
        let sum = left.mul_add(right, CoopMatrix::<f32, Accumulator, 16, 16>::splat(1.0));
        sum.store(y, 0, 16, RowMajor);
        left.store(z, 0, 16, ColumnMajor);
    }
}

fn run_bfloats(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let a: Vec<_> = small(8, 512).into_iter().map(bf16::from_f32).collect();
    let (a, mut y, mut z) = (mgr.tensor(&a)?, mgr.tensor(&[0.0f32; 256])?, mgr.tensor(&[bf16::ZERO; 256])?);
    let seq = mgr.sequence()?;
    Bfloats::dispatch(&seq, Grid::groups(1), &a, &mut y, &mut z)?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?), bits(&z.to_vec()?)])
}

fn bfloats_expected() -> Vec<Output> {
    let a = small(8, 512);
    let transposed = |a: &[f32]| (0..256).map(|at| a[at % 16 * 16 + at / 16]).collect::<Vec<_>>();
    let sum = product(&a[..256], &transposed(&a[256..]), (16, 16, 16));
    let turned: Vec<_> = transposed(&a[..256]).into_iter().map(bf16::from_f32).collect();
    vec![Output::exact(sum.into_iter().map(|sum| sum + 1.0).collect()), bits(&turned)]
}

/// Doubles the matrix at a place; another one where that is out of range.
#[kernel(workgroup = 32)]
fn place(offset: u32, stride: u32, elsewhere: u32, y: &mut [f32]) {
    if subgroup_id() == 0 {
        let matrix = Sum::load(y, offset, stride, RowMajor);
        (matrix + matrix).store(y, offset + elsewhere * 8, stride, RowMajor);
    }
}

fn run_place(mgr: &Manager, offset: u32, stride: u32, elsewhere: u32) -> gridwise::Result<Vec<Output>> {
    let mut y = mgr.tensor(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
    let seq = mgr.sequence()?;
    Place::dispatch(&seq, Grid::groups(1), offset, stride, elsewhere, &mut y)?;
    // What is done where there is nothing to report.
    let report = report(&seq)?;
    Ok(vec![report, Output::exact(y.to_vec()?)])
}
