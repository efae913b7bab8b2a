//! Batched products, convolutions, and products of sparse matrices.

use gridwise::algorithms::{
    Activation, BatchedGemm, Convolution, GemmShape, Matrices, OpConvolve, OpGemm, OpSpmv, Progress, SparseRows,
};
use gridwise::descriptor::Feature;
use gridwise::prelude::*;

use super::{MANAGER, floats, has, is_interpreter, words};

/// An activation in `f64`.
fn activated(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Relu => x.max(0.0),
        Activation::Gelu => 0.5 * x * (1.0 + (0.797_884_560_8 * (x + 0.044_715 * x.powi(3))).tanh()),
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
        _ => x,
    }
}

fn is_near(found: &[f32], expected: &[f64]) -> bool {
    let near = |(found, expected): (&f32, &f64)| (f64::from(*found) - expected).abs() <= 1e-5 * expected.abs() + 1e-5;
    found.len() == expected.len() && found.iter().zip(expected).all(near)
}

pub(super) fn batched_products() {
    let sizes: &[[u32; 4]] = if is_interpreter() {
        &[[2, 3, 5, 17], [0, 3, 4, 2]]
    } else {
        &[[0, 3, 4, 2], [2, 0, 4, 2], [3, 5, 7, 0], [1, 1, 1, 1], [3, 5, 70, 17], [2, 65, 64, 33], [4, 100, 3, 16]]
    };
    for (case, [count, rows, columns, depth]) in sizes.iter().copied().enumerate() {
        for transposes in 0..4u32 {
            let (gap, is_shared) = (transposes * 3, transposes == 2);
            let place = |is_transposed: bool, [lines, length]: [u32; 2]| {
                let [lines, length] = if is_transposed { [length, lines] } else { [lines, length] };
                let pitch = length + gap;
                (pitch, lines * pitch + gap)
            };
            let (a_turned, b_turned) = (transposes & 1 == 1, transposes & 2 == 2);
            let (a_pitch, a_stride) = place(a_turned, [rows, depth]);
            let (b_pitch, b_stride) = place(b_turned, [depth, columns]);
            let b_stride = if is_shared { 0 } else { b_stride };
            let len = |stride: u32, one: u32| (count * stride.max(1) + one) as usize;
            let a = floats(len(a_stride, rows.max(depth) * a_pitch + 1), 41 + case as u64);
            let b = floats(len(b_stride, columns.max(depth) * b_pitch + 1), 42);
            let (old, bias) = (floats((count * rows * columns) as usize, 43), floats(columns as usize, 44));
            let all = [Activation::Identity, Activation::Relu, Activation::Gelu, Activation::Silu];
            let more = [Activation::Sigmoid, Activation::Tanh];
            let activation = all.into_iter().chain(more).nth((case + transposes as usize) % 6).unwrap();
            let (alpha, beta) = (0.0625f32, if transposes == 1 { 0.5 } else { 0.0 });
            let at = |is_turned: bool, pitch: u32, row: u32, column: u32| {
                if is_turned { column * pitch + row } else { row * pitch + column }
            };
            let mut expected = Vec::new();
            for i in 0..count * rows * columns {
                let (batch, row, column) = (i / (rows * columns), i / columns % rows, i % columns);
                let term = |k| {
                    let a = a[(batch * a_stride + at(a_turned, a_pitch, row, k)) as usize];
                    let b = b[(batch * b_stride + at(b_turned, b_pitch, k, column)) as usize];
                    f64::from(a) * f64::from(b)
                };
                let mut value = f64::from(alpha) * (0..depth).map(term).sum::<f64>();
                value += f64::from(beta) * f64::from(old[i as usize]) + f64::from(bias[column as usize]);
                expected.push(activated(activation, value));
            }
            let (left, right) = (MANAGER.tensor(&a).unwrap(), MANAGER.tensor(&b).unwrap());
            let (mut c, bias) = (MANAGER.tensor(&old).unwrap(), MANAGER.tensor(&bias).unwrap());
            let shape = GemmShape { rows, columns, depth };
            let batch = BatchedGemm { alpha, beta, bias: Some(&bias), activation, ..BatchedGemm::new(shape, count) };
            let left = Matrices::new(&left).pitch(a_pitch).stride(a_stride);
            let right = Matrices::new(&right).pitch(b_pitch).stride(b_stride);
            let (left, right) = (turned_as(left, a_turned), turned_as(right, b_turned));
            let op = OpGemm::batched(batch, left, right, &mut c).unwrap();
            MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
            assert!(is_near(&c.to_vec().unwrap(), &expected), "{count} {rows} {columns} {depth} {transposes}");
        }
    }
    halves();
    let (x, mut c) = (MANAGER.tensor(&[1.0f32; 6]).unwrap(), MANAGER.tensor_of_len::<f32>(8).unwrap());
    let batch = BatchedGemm::new(GemmShape { rows: 2, columns: 2, depth: 2 }, 2);
    let error = OpGemm::batched(batch, Matrices::new(&x), Matrices::new(&x).stride(0), &mut c).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `batched gemm`, parameter `a`: expected a tensor of at least 8 elements for its matrices, found 6; pass what is expected, in the order of the parameters"
    );
}

/// Products of whole tiles, of matrices with gaps between them: in registers, and by the device's matrices where it has some.
pub(super) fn batches_of_whole_tiles() {
    if is_interpreter() || MANAGER.device().kind == gridwise::DeviceKind::Host {
        return;
    }
    whole_tiles::<f32>([24, 256, 256, 32], |x| x);
    whole_tiles::<f32>([50, 256, 128, 16], |x| x);
    if has(Feature::Float16) {
        whole_tiles::<f16>([3, 128, 256, 64], f16::from_f32);
        whole_tiles::<f16>([2, 256, 128, 32], f16::from_f32);
    }
    whole_tiles::<bf16>([3, 128, 256, 64], bf16::from_f32);
}

fn whole_tiles<T: gridwise::algorithms::Factor>([count, rows, columns, depth]: [u32; 4], number: fn(f32) -> T) {
    let small = |len: u32, seed| -> Vec<f32> {
        words(len as usize, seed).into_iter().map(|word| (word % 7) as f32 - 3.0).collect()
    };
    for turned in 0..4u32 {
        let [a_sides, b_sides] = [([rows, depth], turned & 1), ([depth, columns], turned & 2)]
            .map(|([lines, length], is_turned)| if is_turned == 0 { [lines, length] } else { [length, lines] });
        let [a_pitch, b_pitch] = [a_sides, b_sides].map(|[_, length]| length + turned * 8);
        let (a_stride, b_stride) = (a_sides[0] * a_pitch + 16, if turned == 3 { 0 } else { b_sides[0] * b_pitch });
        let (a, b) = (small(count * a_stride, 71), small(count.max(1) * b_sides[0] * b_pitch, 72));
        let (old, bias) = (small(count * rows * columns, 73), small(columns, 74));
        let tensor = |x: &[f32]| MANAGER.tensor(&x.iter().map(|x| number(*x)).collect::<Vec<T>>()).unwrap();
        let (left, right) = (tensor(&a), tensor(&b));
        let (of_columns, mut c) = (MANAGER.tensor(&bias).unwrap(), MANAGER.tensor(&old).unwrap());
        let is_finished = turned % 2 == 1;
        let batch = BatchedGemm {
            alpha: 0.5,
            beta: if turned > 1 { 2.0 } else { 0.0 },
            bias: is_finished.then_some(&of_columns),
            activation: if is_finished { Activation::Relu } else { Activation::Identity },
            ..BatchedGemm::new(GemmShape { rows, columns, depth }, count)
        };
        let left = Matrices::new(&left).pitch(a_pitch).stride(a_stride);
        let right = Matrices::new(&right).pitch(b_pitch).stride(b_stride);
        let left = if turned & 1 == 1 { left.transposed() } else { left };
        let right = if turned & 2 == 2 { right.transposed() } else { right };
        let op = OpGemm::batched(batch, left, right, &mut c).unwrap();
        let seq = MANAGER.sequence().unwrap();
        match seq.record(op) {
            Err(gridwise::Error::MissingFeature { .. }) => return,
            recorded => recorded.unwrap().eval().unwrap(),
        };
        let found = c.to_vec().unwrap();
        for i in (0..count * rows * columns).step_by(31) {
            let (matrix, row, column) = (i / (rows * columns), i / columns % rows, i % columns);
            let at = |turned: bool, pitch: u32, line: u32, place: u32| {
                (if turned { place * pitch + line } else { line * pitch + place }) as usize
            };
            let term = |k: u32| {
                let a = a[(matrix * a_stride) as usize + at(turned & 1 == 1, a_pitch, row, k)];
                a * b[(matrix * b_stride) as usize + at(turned & 2 == 2, b_pitch, k, column)]
            };
            let mut expected = 0.5 * (0..depth).map(term).sum::<f32>() + batch.beta * old[i as usize];
            if is_finished {
                expected = (expected + bias[column as usize]).max(0.0);
            }
            assert_eq!(found[i as usize], expected, "{count} {rows} {columns} {depth} {turned}: {i}");
        }
    }
}

fn turned_as(matrices: Matrices<'_, f32>, is_turned: bool) -> Matrices<'_, f32> {
    if is_turned { matrices.transposed() } else { matrices }
}

/// Small products of `f16` and `bf16`, all of them exact.
fn halves() {
    if !has(Feature::Float16) || is_interpreter() {
        return;
    }
    let numbers: Vec<f32> = (0..60).map(|i| (i % 7) as f32 - 3.0).collect();
    let batch = BatchedGemm::new(GemmShape { rows: 5, columns: 3, depth: 4 }, 3);
    let x = MANAGER.tensor(&numbers).unwrap();
    let mut expected = MANAGER.tensor_of_len::<f32>(45).unwrap();
    let op = OpGemm::batched(batch, Matrices::new(&x), Matrices::new(&x).transposed(), &mut expected).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    let x = MANAGER.tensor(&numbers.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>()).unwrap();
    let mut c = MANAGER.tensor_of_len::<f32>(45).unwrap();
    let op = OpGemm::batched(batch, Matrices::new(&x), Matrices::new(&x).transposed(), &mut c).unwrap();
    match MANAGER.sequence().unwrap().record(op) {
        Err(gridwise::Error::MissingFeature { .. }) => return,
        recorded => recorded.unwrap().eval().unwrap(),
    };
    assert_eq!(c.to_vec().unwrap(), expected.to_vec().unwrap());
}

pub(super) fn convolutions() {
    // Images, channels, filters; width and height; window; step; padding; dilation.
    let cases: &[([u32; 3], [[u32; 2]; 5])] = &[
        ([1, 1, 1], [[5, 4], [3, 3], [1, 1], [1, 1], [1, 1]]),
        ([2, 3, 5], [[9, 7], [3, 2], [2, 1], [0, 2], [1, 2]]),
        ([0, 3, 5], [[9, 7], [3, 2], [2, 1], [0, 2], [1, 2]]),
        ([1, 2, 70], [[13, 11], [1, 1], [1, 1], [0, 0], [1, 1]]),
        ([2, 20, 3], [[12, 10], [5, 5], [3, 2], [4, 3], [2, 1]]),
    ];
    for (case, ([count, channels, filters], [image, window, step, padding, dilation])) in
        cases.iter().copied().enumerate().take(if is_interpreter() { 3 } else { 5 })
    {
        let len = |sides: &[u32]| sides.iter().product::<u32>() as usize;
        let x = floats(len(&[count, channels, image[0], image[1]]), 51 + case as u64);
        let weights = floats(len(&[filters, channels, window[0], window[1]]), 52);
        let bias = floats(filters as usize, 53);
        let bias_tensor = MANAGER.tensor(&bias).unwrap();
        let (bias_of, activation) =
            if case % 2 == 1 { (Some(&bias_tensor), Activation::Relu) } else { (None, Activation::Identity) };
        let convolution = Convolution {
            image,
            window,
            step,
            padding,
            dilation,
            bias: bias_of,
            activation,
            ..Convolution::new(count, channels, filters)
        };
        let [width, height] = convolution.result().unwrap();
        let mut expected = Vec::new();
        for i in 0..count * filters * width * height {
            let (x_to, y_to) = (i % width, i / width % height);
            let (filter, number) = (i / width / height % filters, i / width / height / filters);
            let mut sum = if bias_of.is_some() { f64::from(bias[filter as usize]) } else { 0.0 };
            for w in 0..channels * window[0] * window[1] {
                let (dx, dy, channel) = (w % window[0], w / window[0] % window[1], w / window[0] / window[1]);
                let from = |to: u32, d: u32, axis: usize| {
                    let at = i64::from(to * step[axis] + d * dilation[axis]) - i64::from(padding[axis]);
                    usize::try_from(at).ok().filter(|at| *at < image[axis] as usize)
                };
                if let (Some(column), Some(row)) = (from(x_to, dx, 0), from(y_to, dy, 1)) {
                    let plane = (number * channels + channel) as usize;
                    let pixel = x[(plane * image[1] as usize + row) * image[0] as usize + column];
                    let weight = weights[len(&[filter, channels, window[0], window[1]]) + w as usize];
                    sum += f64::from(pixel) * f64::from(weight);
                }
            }
            expected.push(activated(activation, sum));
        }
        let (x, weights) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&weights).unwrap());
        let mut y = MANAGER.tensor_of_len::<f32>(expected.len()).unwrap();
        let op = OpConvolve::new(convolution, &x, &weights, &mut y).unwrap();
        MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
        assert!(is_near(&y.to_vec().unwrap(), &expected), "{case}");
    }
    let x = MANAGER.tensor(&[1.0f32; 4]).unwrap();
    let mut y = MANAGER.tensor_of_len::<f32>(1).unwrap();
    let convolution = Convolution { image: [2, 2], window: [3, 1], ..Convolution::new(1, 1, 1) };
    assert_eq!(
        OpConvolve::new(convolution, &x, &x, &mut y).unwrap_err().to_string(),
        "kernel `convolution`, parameter `convolution`: expected windows that fit into the images with their padding, found windows of [3, 1], [1, 1] and [1, 1] apart, in [2, 2] with a padding of [0, 0]; pass what is expected, in the order of the parameters"
    );
}

/// Rows of lengths that differ much: empty, short, and longer than several workgroups take.
fn row_lengths(rows: usize, longest: u32, seed: u64) -> Vec<u32> {
    let random = words(rows, seed);
    random
        .iter()
        .enumerate()
        .map(|(row, word)| if row % 400 == 7 { longest } else { word % 5 * (word >> 8) % 9 })
        .collect()
}

pub(super) fn sparse_products_in_one_pass() {
    Progress::Guaranteed.assumed(sparse_products);
    Progress::Guaranteed.assumed(sparse_products_of_doubles);
}

pub(super) fn sparse_products_of_doubles() {
    if has(Feature::Float64) {
        sparse_products_of_all_sizes(true);
    }
}

fn sparse_products_of_all_sizes(are_doubles: bool) {
    let is_slow = is_interpreter() || MANAGER.device().kind == gridwise::DeviceKind::Host;
    let all: &[(usize, u32)] =
        &[(0, 0), (1, 0), (1, 1), (300, 3), (9, 5000), (8000, 3), (900, 9000), (2048, 0), (5000, 0)];
    for (rows, longest) in if is_slow { &all[..5] } else { all } {
        let lengths = row_lengths(*rows, *longest, 61);
        let mut starts = vec![0u32];
        starts.extend(lengths.iter().scan(0, |end, len| {
            *end += len;
            Some(*end)
        }));
        let elements = starts[*rows] as usize;
        let side = 500;
        let columns: Vec<u32> = words(elements, 62).into_iter().map(|word| word % side).collect();
        let small = |len, seed| -> Vec<f32> { floats(len, seed).into_iter().map(|x| (x / 8.0).round()).collect() };
        let (values, x, y) = (small(elements, 63), small(side as usize, 64), small(*rows, 65));
        let expected = |alpha: f32, beta: f32| -> Vec<f32> {
            let row = |row: usize| {
                let own = starts[row] as usize..starts[row + 1] as usize;
                let sum: f32 = own.map(|i| values[i] * x[columns[i] as usize]).sum();
                alpha * sum + if beta == 0.0 { 0.0 } else { beta * y[row] }
            };
            (0..*rows).map(row).collect()
        };
        let (starts_of, columns_of) = (MANAGER.tensor(&starts).unwrap(), MANAGER.tensor(&columns).unwrap());
        let (values_of, x_of) = (MANAGER.tensor(&values).unwrap(), MANAGER.tensor(&x).unwrap());
        let factors: &[(f32, f32)] = if are_doubles { &[] } else { &[(1.0, 0.0), (0.5, 2.0)] };
        for &(alpha, beta) in factors {
            let mut found = MANAGER.tensor(&y).unwrap();
            let matrix = SparseRows { starts: &starts_of, columns: &columns_of, values: &values_of };
            let op = OpSpmv::new(matrix, alpha, &x_of, beta, &mut found).unwrap();
            MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
            let (found, expected) = (found.to_vec().unwrap(), expected(alpha, beta));
            let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            assert!(wrong.is_none(), "{rows}, {longest}, {alpha}: row {wrong:?}");
        }
        if are_doubles {
            let wide = |x: &[f32]| x.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
            let values_of = MANAGER.tensor(&wide(&values)).unwrap();
            let (x_of, mut found) = (MANAGER.tensor(&wide(&x)).unwrap(), MANAGER.tensor(&wide(&y)).unwrap());
            let matrix = SparseRows { starts: &starts_of, columns: &columns_of, values: &values_of };
            let op = OpSpmv::new(matrix, 1.0, &x_of, 0.0, &mut found).unwrap();
            MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
            assert_eq!(found.to_vec().unwrap(), wide(&expected(1.0, 0.0)), "{rows}, {longest}");
        }
    }
}

pub(super) fn sparse_products() {
    sparse_products_of_all_sizes(false);
    // A column that is not there.
    let (starts, columns) = (MANAGER.tensor(&[0u32, 1]).unwrap(), MANAGER.tensor(&[3u32]).unwrap());
    let (one, mut y) = (MANAGER.tensor(&[1.0f32]).unwrap(), MANAGER.tensor(&[0.0f32]).unwrap());
    let matrix = SparseRows { starts: &starts, columns: &columns, values: &one };
    let op = OpSpmv::new(matrix, 1.0, &one, 0.0, &mut y).unwrap();
    let error = MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap_err();
    assert!(matches!(error, gridwise::Error::KernelPanic { .. }), "{error}");
}
