//! Products of matrices: at shapes around the tiles of all kernels, and whether whole tiles are multiplied without checks.

use gridwise::algorithms::{Factor, GemmShape, OpGemm};
use gridwise::prelude::*;

use crate::{MANAGER, floats, is_interpreter};

/// Rows, columns and depth: around the tiles of all kernels, and multiples of them.
const SHAPES: [(usize, usize, usize); 16] = [
    (0, 3, 2),
    (2, 3, 0),
    (1, 1, 1),
    (64, 64, 16),
    (65, 63, 17),
    (3, 130, 40),
    (100, 5, 33),
    (32, 32, 16),
    (64, 32, 48),
    (33, 40, 32),
    (7 * 32, 3 * 32, 16),
    (9 * 32 + 5, 72, 64),
    (128, 128, 32),
    (128, 256, 64),
    (300, 136, 96),
    (31, 7, 160),
];

fn multiplies<T: Factor + Copy>(from: fn(f32) -> T, shapes: &[(usize, usize, usize)]) {
    for &(rows, columns, depth) in shapes {
        let small = |len, seed| floats(len, seed).into_iter().map(|value| value % 16.0).collect::<Vec<f32>>();
        let (a, b, c) = (small(rows * depth, 10), small(depth * columns, 11), small(rows * columns, 12));
        let tensor = |values: &[f32]| MANAGER.tensor(&values.iter().copied().map(from).collect::<Vec<T>>()).unwrap();
        let (left, right) = (tensor(&a), tensor(&b));
        // The interpreter takes a second for a million products.
        let is_long = rows * columns * depth > 1_000_000 && is_interpreter();
        for (alpha, beta) in [(2.0, -1.0), (1.0, 0.0)].into_iter().take(if is_long { 1 } else { 2 }) {
            // Without a share of what was there, a NaN there has none.
            let before = if beta == 0.0 { vec![f32::NAN; c.len()] } else { c.clone() };
            let mut product = MANAGER.tensor(&before).unwrap();
            let shape = GemmShape { rows: rows as u32, columns: columns as u32, depth: depth as u32 };
            let op = OpGemm::new(shape, alpha, &left, &right, beta, &mut product).unwrap();
            MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
            let expected: Vec<f32> = (0..c.len())
                .map(|i| {
                    let (row, column) = (i / columns, i % columns);
                    let sum: f32 = (0..depth).map(|k| a[row * depth + k] * b[k * columns + column]).sum();
                    alpha * sum + beta * c[i]
                })
                .collect();
            // Small whole numbers: exact, in whatever order.
            assert!(product.to_vec().unwrap() == expected, "{rows} by {columns} by {depth}");
        }
    }
}

pub(crate) fn products() {
    multiplies(|value| value, &SHAPES);
    // Many large tiles: whole ones by vectors, and by numbers.
    let depth = if is_interpreter() { 16 } else { 48 };
    multiplies(|value| value, &[(256, 6144, depth), (256, 6144, 0), (130, 6200, depth / 2 - 4), (5, 12_301, 18)]);
}

pub(crate) fn products_of_halves() {
    multiplies(f16::from_f32, &SHAPES);
    if MANAGER.device().kind == gridwise::DeviceKind::DiscreteGpu {
        multiplies(f16::from_f32, &[(8 * 128, 384, 256), (11 * 128 + 40, 1000, 96), (1000, 1000, 1000), (1, 4096, 64)]);
    }
}

pub(crate) fn products_of_bfloats() {
    multiplies(bf16::from_f32, &SHAPES);
    if MANAGER.device().kind == gridwise::DeviceKind::DiscreteGpu {
        multiplies(bf16::from_f32, &[(8 * 128, 384, 256), (11 * 128 + 40, 1000, 96), (1000, 1000, 1000)]);
    }
}

/// Sizes that are computed on copies, with what is computed of some of their results, those at all sides among them.
fn multiplies_on_copies<T: Factor + Copy>(from: fn(f32) -> T, (rows, columns, depth): (usize, usize, usize)) {
    let small = |len, seed| floats(len, seed).into_iter().map(|value| value % 16.0).collect::<Vec<f32>>();
    let (a, b, c) = (small(rows * depth, 13), small(depth * columns, 14), small(rows * columns, 15));
    let tensor = |values: &[f32]| MANAGER.tensor(&values.iter().copied().map(from).collect::<Vec<T>>()).unwrap();
    let (left, right) = (tensor(&a), tensor(&b));
    let shape = GemmShape { rows: rows as u32, columns: columns as u32, depth: depth as u32 };
    for (alpha, beta) in [(2.0, -1.0), (1.0, 0.0)] {
        let before = if beta == 0.0 { vec![f32::NAN; c.len()] } else { c.clone() };
        let mut product = MANAGER.tensor(&before).unwrap();
        let op = OpGemm::new(shape, alpha, &left, &right, beta, &mut product).unwrap();
        MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
        let found = product.to_vec().unwrap();
        assert!(found.iter().all(|value| !value.is_nan()));
        let of = |len: usize| [0, 1, 127, 128, len / 2, len - 2, len - 1];
        for (row, column) in of(rows).into_iter().flat_map(|row| of(columns).map(|column| (row, column))) {
            let sum: f32 = (0..depth).map(|k| a[row * depth + k] * b[k * columns + column]).sum();
            let i = row * columns + column;
            assert_eq!(found[i], alpha * sum + beta * c[i], "{row}, {column} of {rows} by {columns} by {depth}");
        }
    }
}

/// As many as are computed from texels, where there are such matrices: one slice to four, rows and columns left over, and copies.
pub(crate) fn products_of_many_tiles() {
    for depth in [32, 64, 96, 128] {
        multiplies_on_copies(f16::from_f32, (1536 + depth / 4, 2048 + depth / 4, depth));
    }
    multiplies_on_copies(f16::from_f32, (1537, 2049, 257));
    multiplies_on_copies(bf16::from_f32, (1536, 2048, 64));
    multiplies_on_copies(bf16::from_f32, (1537, 2049, 257));
}

/// Products on devices with matrices, or fast enough for a billion products while somebody waits.
pub(crate) fn products_on_copies() {
    if MANAGER.device().kind != gridwise::DeviceKind::Host && !is_interpreter() {
        multiplies_on_copies(|value| value, (1025, 1283, 1027));
        // Lines of `b` and `c` are whole as they are.
        multiplies_on_copies(|value| value, (1281, 1280, 1030));
    }
    // The interpreter takes a second for a million products, and has no matrices for which it would make copies.
    let [a, b, c] = if is_interpreter() { [130, 131, 15] } else { [257, 259, 262] };
    multiplies_on_copies(f16::from_f32, (a, b, c));
    multiplies_on_copies(bf16::from_f32, (a + 3, b + 5, c - 4));
}

#[kernel(workgroup = 64)]
fn mark(places: &[u32], marks: &mut [u32]) {
    // SAFETY: all write the same.
    unsafe { marks.unordered()[places[global_id().x]] = 1 };
}

/// Whether a launch keeps its checks shows nowhere else but in its time, which is half as long again then.
pub(crate) fn whole_tiles_without_checks() {
    let ones = vec![1.0f32; 256 * 6144];
    let seq = MANAGER.sequence().unwrap();
    let (a, b) = (MANAGER.tensor(&ones[..256 * 48]).unwrap(), MANAGER.tensor(&ones[..48 * 6144]).unwrap());
    let mut numbers = MANAGER.tensor(&ones).unwrap();
    let shape = GemmShape { rows: 256, columns: 6144, depth: 48 };
    seq.record(OpGemm::new(shape, 1.0, &a, &b, 0.0, &mut numbers).unwrap()).unwrap();
    let dot = seq.to_dot();
    assert!(!dot.contains("with checks"), "{dot}");
    // Where these go is known to the device alone.
    let (places, mut marks) = (MANAGER.tensor(&[3u32; 64]).unwrap(), MANAGER.tensor(&[0u32; 4]).unwrap());
    let seq = MANAGER.sequence().unwrap();
    Mark::dispatch(&seq, Grid::items(64), &places, &mut marks).unwrap();
    let dot = seq.to_dot();
    assert!(dot.contains("with checks"), "{dot}");
}

pub(crate) fn whole_tiles_of_halves_without_checks() {
    // By small tiles, and by large ones where a device has those.
    for (rows, columns, depth) in [(256, 256, 256), (1536, 2048, 32), (1536, 2048, 96)] {
        let seq = MANAGER.sequence().unwrap();
        let halves = |len: usize| MANAGER.tensor(&vec![f16::ONE; len]).unwrap();
        let (left, right) = (halves(rows * depth), halves(depth * columns));
        let mut product = MANAGER.tensor(&vec![1.0f32; rows * columns]).unwrap();
        let shape = GemmShape { rows: rows as u32, columns: columns as u32, depth: depth as u32 };
        seq.record(OpGemm::new(shape, 1.0, &left, &right, 2.0, &mut product).unwrap()).unwrap();
        let dot = seq.to_dot();
        assert!(!dot.contains("with checks"), "{dot}");
    }
}
