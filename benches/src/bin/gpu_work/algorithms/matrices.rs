//! Products of sparse matrices, of many matrices, of layers, and convolutions.

use gridwise::algorithms::SparseRows;
use gridwise::algorithms::{Activation, BatchedGemm, Convolution, GemmShape, Matrices, OpConvolve, OpGemm, OpSpmv};
use gridwise::prelude::*;
use gridwise_benches::Error as BenchError;

use super::{Job, around_zero, floats};
use crate::error::Error;
use crate::work::{Bench, check, places, word};

/// The longest row of a matrix whose rows are of all lengths: powers of two, each half as often as the one before.
const LONGEST: u32 = 16;

pub(crate) fn sparse(bench: &mut Bench<'_>) -> Result<(), Error> {
    let exponent = bench.pick(8u32, 21);
    let rows = 1usize << exponent;
    let even = |_: usize| 16;
    let uneven = |row: usize| 1u32 << word(row).trailing_zeros().min(LONGEST);
    let kinds: [(&str, &dyn Fn(usize) -> u32); 2] = [("rows of 16", &even), ("rows of 1 to 2^16", &uneven)];
    for (kind, length) in kinds {
        let mut starts = vec![0u32];
        for row in 0..rows {
            starts.push(starts[row] + length(row));
        }
        let elements = starts[rows] as usize;
        let columns: Vec<u32> = (rows..rows + elements).map(|place| word(place) & (rows as u32 - 1)).collect();
        let (numbers, vector) = (floats(2 * rows + elements, elements), floats(0, rows));
        let expected = starts.windows(2).map(|ends| {
            let row = ends[0] as usize..ends[1] as usize;
            row.map(|at| f64::from(numbers[at]) * f64::from(vector[columns[at] as usize])).sum::<f64>()
        });
        let expected: Vec<f64> = expected.collect();
        let (starts, columns) = (bench.manager.tensor(&starts)?, bench.manager.tensor(&columns)?);
        let (values, x) = (bench.manager.tensor(&numbers)?, bench.manager.tensor(&vector)?);
        let mut y = bench.manager.tensor_of_len::<f32>(rows)?;
        let matrix = SparseRows { starts: &starts, columns: &columns, values: &values };
        let name = format!("sparse product 2^{exponent}, {kind}");
        let job = Job { name, times: 5, bytes: 8 * elements + 12 * rows, operations: 2 * elements };
        job.measure(bench, OpSpmv::new(matrix, 1.0, &x, 0.0, &mut y)?)?;
        job.compare(bench, &y.to_vec()?, &expected)?;
    }
    Ok(())
}

/// Products of matrices with equal sides, whose elements are those of a list; either factor may lie by columns.
fn batch<T: gridwise::algorithms::Factor>(
    bench: &mut Bench<'_>,
    name: &str,
    [left, right]: [&[T]; 2],
    is_transposed: [bool; 2],
    number: impl Fn(T) -> f64,
) -> Result<(), Error> {
    let (side, count) = bench.pick((48usize, 3usize), (512, 64));
    let (a, b) = (bench.manager.tensor(left)?, bench.manager.tensor(right)?);
    let mut c = bench.manager.tensor_of_len::<f32>(count * side * side)?;
    let shape = GemmShape { rows: side as u32, columns: side as u32, depth: side as u32 };
    let [a, b] = [(&a, is_transposed[0]), (&b, is_transposed[1])].map(|(tensor, is_transposed)| {
        let matrices = Matrices::new(tensor);
        if is_transposed { matrices.transposed() } else { matrices }
    });
    let job = Job {
        name: format!("batched gemm {count} × {side}, {name}"),
        times: 3,
        bytes: count * side * side * (2 * size_of::<T>() + 4),
        operations: 2 * count * side * side * side,
    };
    job.measure(bench, OpGemm::batched(BatchedGemm::new(shape, count as u32), a, b, &mut c)?)?;
    let at = |matrix: usize, row: usize, column: usize, is_transposed: bool| {
        let [row, column] = if is_transposed { [column, row] } else { [row, column] };
        (matrix * side + row) * side + column
    };
    let expected = |place: usize| {
        let (matrix, row, column) = (place / side / side, place / side % side, place % side);
        let product = |k: usize| {
            number(left[at(matrix, row, k, is_transposed[0])]) * number(right[at(matrix, k, column, is_transposed[1])])
        };
        (place, (0..side).map(product).sum())
    };
    let found = c.to_vec()?;
    check("gridwise", &found, places(found.len()).map(expected), 1e-5)?;
    job.agree(bench, &found)
}

pub(crate) fn batched(bench: &mut Bench<'_>) -> Result<(), Error> {
    let len = bench.pick(3 * 48 * 48, 64 * 512 * 512);
    let (left, right) = (floats(0, len), floats(len, len));
    for (name, is_transposed) in
        [("f32", [false, false]), ("f32, a by columns", [true, false]), ("f32, b by columns", [false, true])]
    {
        batch(bench, name, [&left, &right], is_transposed, f64::from)?;
    }
    let [left, right] = [left, right].map(|numbers| numbers.into_iter().map(f16::from_f32).collect::<Vec<_>>());
    batch(bench, "f16, b by columns", [&left, &right], [false, true], |number| number.to_f32().into())
}

/// Compares a sum around zero: its error is that of its terms, which are about one.
fn check_sum(place: usize, found: f32, expected: f64) -> Result<(), Error> {
    if (f64::from(found) - expected).abs() <= 1e-4 * expected.abs().max(1.0) {
        return Ok(());
    }
    let detail = format!("at {place}: {found}, expected {expected}");
    Err(BenchError::WrongResult { contender: "gridwise".to_owned(), detail }.into())
}

/// A layer of a network: weights lie output by output, each output has a bias, and negative ones become zero.
pub(crate) fn layer(bench: &mut Bench<'_>) -> Result<(), Error> {
    let side = bench.pick(96usize, 4096);
    let (input, weights) = (around_zero(0, side * side), around_zero(side * side, side * side));
    let offsets = around_zero(2 * side * side, side);
    let (x, w) = (bench.manager.tensor(&input)?, bench.manager.tensor(&weights)?);
    let (bias, mut y) = (bench.manager.tensor(&offsets)?, bench.manager.tensor_of_len::<f32>(side * side)?);
    let shape = GemmShape { rows: side as u32, columns: side as u32, depth: side as u32 };
    let layer = BatchedGemm { bias: Some(&bias), activation: Activation::Relu, ..BatchedGemm::new(shape, 1) };
    let name = format!("layer {side}, bias and relu");
    let job = Job { name, times: 2, bytes: 12 * side * side, operations: 2 * side * side * side };
    job.measure(bench, OpGemm::batched(layer, Matrices::new(&x), Matrices::new(&w).transposed(), &mut y)?)?;
    let found = y.to_vec()?;
    for place in places(found.len()) {
        let (row, column) = (&input[place / side * side..][..side], &weights[place % side * side..][..side]);
        let products = row.iter().zip(column).map(|(a, b)| f64::from(*a) * f64::from(*b));
        let expected = (products.sum::<f64>() + f64::from(offsets[place % side])).max(0.0);
        check_sum(place, found[place], expected)?;
    }
    job.agree(bench, &found)
}

pub(crate) fn convolve(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (count, channels, filters, side) = bench.pick((2usize, 3usize, 5usize, 9usize), (32, 64, 64, 56));
    let plane = side * side;
    let numbers = around_zero(0, count * channels * plane);
    let factors = around_zero(numbers.len(), filters * channels * 9);
    let (x, weights) = (bench.manager.tensor(&numbers)?, bench.manager.tensor(&factors)?);
    let mut y = bench.manager.tensor_of_len::<f32>(count * filters * plane)?;
    let convolution = Convolution {
        image: [side as u32; 2],
        window: [3; 2],
        padding: [1; 2],
        ..Convolution::new(count as u32, channels as u32, filters as u32)
    };
    let job = Job {
        name: format!("convolution {count}×{channels}×{side}×{side}, {filters} of 3×3"),
        times: 3,
        bytes: 4 * (numbers.len() + factors.len() + count * filters * plane),
        operations: 18 * count * filters * channels * plane,
    };
    job.measure(bench, OpConvolve::new(convolution, &x, &weights, &mut y)?)?;
    let found = y.to_vec()?;
    for place in places(found.len()) {
        let (image, filter) = (place / plane / filters, place / plane % filters);
        let (row, column) = (place / side % side, place % side);
        let mut expected = 0.0;
        for at in 0..channels * 9 {
            let (channel, y, x) = (at / 9, row + at / 3 % 3, column + at % 3);
            if (1..=side).contains(&y) && (1..=side).contains(&x) {
                let pixel = numbers[((image * channels + channel) * side + y - 1) * side + x - 1];
                expected += f64::from(pixel) * f64::from(factors[filter * channels * 9 + at]);
            }
        }
        check_sum(place, found[place], expected)?;
    }
    job.agree(bench, &found)
}
