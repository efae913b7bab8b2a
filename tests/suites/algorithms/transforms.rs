//! Fourier transforms against the definition, and forth and back.

use gridwise::algorithms::OpFft;
use gridwise::prelude::*;

use crate::{MANAGER, floats, is_interpreter};

/// The definition, in twice the precision.
fn transformed(x: &[Vec2], sign: f64) -> Vec<[f64; 2]> {
    let len = x.len();
    let step = sign * std::f64::consts::TAU / len as f64;
    (0..len)
        .map(|k| {
            x.iter().enumerate().fold([0.0, 0.0], |sum, (j, v)| {
                let (sin, cos) = (step * (j * k % len) as f64).sin_cos();
                let (re, im) = (f64::from(v.x), f64::from(v.y));
                [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos]
            })
        })
        .collect()
}

pub(crate) fn fourier_transforms() {
    for (len, count) in [
        (1, 3),
        (2, 1),
        (2, 2500),
        (4, 3),
        (8, 5),
        (16, 1),
        (32, 200),
        (64, 2),
        (128, 7),
        (256, 17),
        (512, 9),
        (1024, 5),
        (2048, 1),
        (4096, 1),
    ] {
        let x: Vec<Vec2> = floats(2 * len * count, 14).chunks(2).map(|v| vec2(v[0], v[1]) / 100.0).collect();
        let tensor = MANAGER.tensor(&x).unwrap();
        let (mut y, mut back) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpFft::forward(len as u32, &tensor, &mut y).unwrap()).unwrap();
        seq.record(OpFft::inverse(len as u32, &y, &mut back).unwrap()).unwrap();
        seq.eval().unwrap();
        let bound = 1e-6 * (len as f64).sqrt() * f64::from(len.ilog2().max(1));
        for (found, x) in y.to_vec().unwrap().chunks(len).zip(x.chunks(len)) {
            for (found, expected) in found.iter().zip(transformed(x, -1.0)) {
                let error = (f64::from(found.x) - expected[0]).hypot(f64::from(found.y) - expected[1]);
                assert!(error <= bound, "{len}: {found}, {expected:?}");
            }
        }
        let farthest = back.to_vec().unwrap().iter().zip(&x).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(farthest < 1e-5, "{len}: {farthest}");
    }
    // More than one transform, and three passes, where that is quick. The interpreter takes many minutes for one.
    let device = MANAGER.device();
    let long: &[(u32, usize)] = match device.kind {
        _ if is_interpreter() => &[],
        // Passes of 128 to 512 points in registers, first and last.
        gridwise::DeviceKind::Host => &[(14, 3), (16, 1), (17, 1), (18, 1), (20, 1)],
        _ => &[(14, 3), (16, 3), (17, 1), (18, 2), (19, 2), (20, 1), (21, 1)],
    };
    for (log, count) in long {
        long_fourier_transforms(1 << log, *count);
    }
}

/// Some of the sums by their definition, and forth and back.
fn long_fourier_transforms(len: usize, count: usize) {
    let x: Vec<Vec2> = floats(2 * len * count, 15).chunks(2).map(|v| vec2(v[0], v[1]) / 100.0).collect();
    let tensor = MANAGER.tensor(&x).unwrap();
    let (mut y, mut back) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
    let seq = MANAGER.sequence().unwrap();
    seq.record(OpFft::forward(len as u32, &tensor, &mut y).unwrap()).unwrap();
    seq.record(OpFft::inverse(len as u32, &y, &mut back).unwrap()).unwrap();
    seq.eval().unwrap();
    let bound = 1e-6 * (len as f64).sqrt() * f64::from(len.ilog2());
    let found = y.to_vec().unwrap();
    for (found, x) in found.chunks(len).zip(x.chunks(len)) {
        for k in [0, 1, 7, 8, 31, 33, 1023, 1024, 1025, len / 2, 3 * len / 7, len - 1] {
            let step = -std::f64::consts::TAU / len as f64;
            let sum = x.iter().enumerate().fold([0.0, 0.0], |sum, (j, v)| {
                let (sin, cos) = (step * (j * k % len) as f64).sin_cos();
                let (re, im) = (f64::from(v.x), f64::from(v.y));
                [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos]
            });
            let error = (f64::from(found[k].x) - sum[0]).hypot(f64::from(found[k].y) - sum[1]);
            assert!(error <= bound, "{len}, {k}: {}, {sum:?}", found[k]);
        }
    }
    let farthest = back.to_vec().unwrap().iter().zip(&x).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(farthest < 1e-5, "{len}: {farthest}");
}

pub(crate) fn transforms_of_reals_and_images() {
    let lengths: &[(usize, usize)] = if is_interpreter() {
        &[(2, 3), (8, 2)]
    } else {
        &[(2, 3), (4, 0), (4, 1), (8, 70), (256, 5), (1024, 2), (2048, 1), (4096, 1)]
    };
    for (len, count) in lengths.iter().copied() {
        let x: Vec<f32> = floats(len * count, 15).into_iter().map(|x| x / 100.0).collect();
        let (tensor, mut back) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
        let mut y = MANAGER.tensor_of_len::<Vec2>(count * (len / 2 + 1)).unwrap();
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpFft::forward_real(len as u32, &tensor, &mut y).unwrap()).unwrap();
        seq.record(OpFft::inverse_real(len as u32, &y, &mut back).unwrap()).unwrap();
        seq.eval().unwrap();
        let bound = 2e-6 * (len as f64).sqrt() * f64::from(len.ilog2());
        for (found, x) in y.to_vec().unwrap().chunks(len / 2 + 1).zip(x.chunks(len)) {
            let complex: Vec<Vec2> = x.iter().map(|x| vec2(*x, 0.0)).collect();
            for (found, expected) in found.iter().zip(transformed(&complex, -1.0)) {
                let error = (f64::from(found.x) - expected[0]).hypot(f64::from(found.y) - expected[1]);
                assert!(error <= bound, "{len}: {found}, {expected:?}");
            }
        }
        let error = back.to_vec().unwrap().iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error < 1e-5, "{len}: {error}");
    }
    let sides: &[(usize, usize, usize)] = if is_interpreter() {
        &[(4, 2, 2)]
    } else {
        // Columns of 64 to 1024 points side by side go through registers, sides above 1024 through transposes.
        &[
            (1, 1, 3),
            (8, 4, 0),
            (8, 4, 3),
            (1, 64, 2),
            (64, 32, 1),
            (2, 128, 5),
            (128, 32, 1),
            (256, 16, 2),
            (512, 16, 1),
            (1024, 8, 2),
            (4, 1024, 1),
            (2, 2048, 1),
        ]
    };
    for (rows, columns, count) in sides.iter().copied() {
        let x: Vec<Vec2> = floats(2 * rows * columns * count, 16).chunks(2).map(|v| vec2(v[0], v[1]) / 100.0).collect();
        let (tensor, mut back) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
        let mut y = MANAGER.tensor(&x).unwrap();
        let seq = MANAGER.sequence().unwrap();
        let sides = [rows as u32, columns as u32];
        seq.record(OpFft::forward_2d(sides, &tensor, &mut y).unwrap()).unwrap();
        seq.record(OpFft::inverse_2d(sides, &y, &mut back).unwrap()).unwrap();
        seq.eval().unwrap();
        for (found, x) in y.to_vec().unwrap().chunks(rows * columns).zip(x.chunks(rows * columns)) {
            let by_rows: Vec<Vec2> = x
                .chunks(columns)
                .flat_map(|row| transformed(row, -1.0))
                .map(|[re, im]| vec2(re as f32, im as f32))
                .collect();
            for column in 0..columns {
                let points: Vec<Vec2> = by_rows.iter().skip(column).step_by(columns).copied().collect();
                for (row, expected) in transformed(&points, -1.0).into_iter().enumerate() {
                    let found = found[row * columns + column];
                    let error = (f64::from(found.x) - expected[0]).hypot(f64::from(found.y) - expected[1]);
                    assert!(error <= 1e-3, "{rows} by {columns}: {found}, {expected:?}");
                }
            }
        }
        let error = back.to_vec().unwrap().iter().zip(&x).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(error < 1e-5, "{rows} by {columns}: {error}");
    }
    let (x, mut y) = (MANAGER.tensor(&[1.0f32; 6]).unwrap(), MANAGER.tensor_of_len::<Vec2>(4).unwrap());
    assert_eq!(
        OpFft::forward_real(6, &x, &mut y).unwrap_err().to_string(),
        "kernel `forward real transform`, parameter `len`: expected a power of two from 2 up that divides 6, found 6; pass what is expected, in the order of the parameters"
    );
}
