//! Passes of 64 to 1024 points of a longer transform: each invocation transforms 8 to 32 of them in registers, exchanges them with
//! the others of its column through shared memory, and transforms what it got. It does not choose these passes.
//!
//! A workgroup has 8 to 32 columns next to each other, so that it reads and writes at least 64 bytes at once. Real and imaginary parts are
//! exchanged one after the other: the memory that every device has holds the columns of either. Inverse transforms are forward ones of numbers whose
//! parts are swapped.

use crate::prelude::*;

/// The logarithm of the length of the tables of roots of unity.
#[device]
const TABLE_LOG: u32 = super::TABLE_LOG;

/// The logarithm of the columns of a workgroup, in passes of `1 << log` points, where there are such passes.
pub(super) fn columns_log(log: u32) -> Option<u32> {
    match log {
        6 | 7 => Some(5),
        8 | 9 => Some(4),
        10 => Some(3),
        _ => None,
    }
}

/// `cos(2π·k/32)`.
#[device]
const COSINES: [f32; 32] = [
    1.0,
    0.980_785_25,
    0.923_879_5,
    0.831_469_6,
    0.707_106_77,
    0.555_570_24,
    0.382_683_43,
    0.195_090_32,
    0.0,
    -0.195_090_32,
    -0.382_683_43,
    -0.555_570_24,
    -0.707_106_77,
    -0.831_469_6,
    -0.923_879_5,
    -0.980_785_25,
    -1.0,
    -0.980_785_25,
    -0.923_879_5,
    -0.831_469_6,
    -0.707_106_77,
    -0.555_570_24,
    -0.382_683_43,
    -0.195_090_32,
    0.0,
    0.195_090_32,
    0.382_683_43,
    0.555_570_24,
    0.707_106_77,
    0.831_469_6,
    0.923_879_5,
    0.980_785_25,
];

/// The product of two complex numbers.
#[device]
fn times(a: Vec2, b: Vec2) -> Vec2 {
    vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

/// The number with its parts swapped, where that is asked for.
#[device]
fn swapped(is_asked: bool, v: Vec2) -> Vec2 {
    if is_asked { vec2(v.y, v.x) } else { v }
}

#[device]
fn four(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> [Vec2; 4] {
    let (even, odd) = (a + c, a - c);
    let (sum, difference) = (b + d, b - d);
    let turned = vec2(difference.y, -difference.x);
    [even + sum, odd + turned, even - sum, odd - turned]
}

#[device]
fn eight(v: [Vec2; 8]) -> [Vec2; 8] {
    let half = COSINES[4];
    let even = four(v[0], v[2], v[4], v[6]);
    let odd = four(v[1], v[3], v[5], v[7]);
    let turned = [
        odd[0],
        vec2((odd[1].x + odd[1].y) * half, (odd[1].y - odd[1].x) * half),
        vec2(odd[2].y, -odd[2].x),
        vec2((odd[3].y - odd[3].x) * half, (odd[3].x + odd[3].y) * -half),
    ];
    let mut all = [Vec2::ZERO; 8];
    #[unroll]
    for k in 0..4 {
        all[k] = even[k] + turned[k];
        all[k + 4] = even[k] - turned[k];
    }
    all
}

/// The transform of 16 points, in order.
#[device]
fn sixteen(v: [Vec2; 16]) -> [Vec2; 16] {
    let mut turned = [[Vec2::ZERO; 4]; 4];
    #[unroll]
    for i in 0..4 {
        let fours = four(v[i], v[i + 4], v[i + 8], v[i + 12]);
        turned[0][i] = fours[0];
        #[unroll]
        for q in 1..4 {
            let root = vec2(COSINES[i * q * 2], -COSINES[(i * q * 2 + 24) % 32]);
            turned[q][i] = if i == 0 { fours[q] } else { times(fours[q], root) };
        }
    }
    let mut all = [Vec2::ZERO; 16];
    #[unroll]
    for q in 0..4 {
        let fours = four(turned[q][0], turned[q][1], turned[q][2], turned[q][3]);
        #[unroll]
        for p in 0..4 {
            all[q + p * 4] = fours[p];
        }
    }
    all
}

/// The transform of 32 points, in order.
#[device]
fn thirty_two(v: [Vec2; 32]) -> [Vec2; 32] {
    let mut turned = [[Vec2::ZERO; 8]; 4];
    #[unroll]
    for i in 0..8 {
        let fours = four(v[i], v[i + 8], v[i + 16], v[i + 24]);
        turned[0][i] = fours[0];
        #[unroll]
        for q in 1..4 {
            let root = vec2(COSINES[i * q % 32], -COSINES[(i * q + 24) % 32]);
            turned[q][i] = if i == 0 { fours[q] } else { times(fours[q], root) };
        }
    }
    let mut all = [Vec2::ZERO; 32];
    #[unroll]
    for q in 0..4 {
        let eights = eight(turned[q]);
        #[unroll]
        for p in 0..8 {
            all[q + p * 4] = eights[p];
        }
    }
    all
}

/// Turns point `4·a + b` by the roots `steps[a]` and `parts[b]`.
#[device]
fn turned<const OWN: usize, const STEPS: usize>(v: [Vec2; OWN], steps: [Vec2; STEPS], parts: [Vec2; 4]) -> [Vec2; OWN] {
    let mut all = v;
    #[unroll]
    for a in 0..STEPS {
        all[a * 4] = times(v[a * 4], steps[a]);
        #[unroll]
        for b in 1..4 {
            all[a * 4 + b] = times(v[a * 4 + b], times(steps[a], parts[b]));
        }
    }
    all
}

/// Turns the sums of a column's points, which are invocation `n`'s, for the exchange. The column has `1 << log` points.
#[device]
fn turned_sums<const OWN: usize, const STEPS: usize>(
    sums: [Vec2; OWN],
    n: u32,
    log: u32,
    roots: &[Vec2],
) -> [Vec2; OWN] {
    let mut steps = [Vec2::X; STEPS];
    let mut parts = [Vec2::X; 4];
    let step = n << (TABLE_LOG - log);
    #[unroll]
    for a in 1..STEPS {
        steps[a] = roots[(a as u32 * 4 * step & 1023) as usize];
    }
    #[unroll]
    for b in 1..4u32 {
        parts[b as usize] = roots[(b * step & 1023) as usize];
    }
    turned(sums, steps, parts)
}

/// A root of all that has been transformed, by a coarse step and a fine one.
#[device]
fn root(fine: &[Vec2], coarse: &[Vec2], turns: u32) -> Vec2 {
    let step = turns >> TABLE_LOG;
    let mut found = Vec2::X;
    if step < coarse.len() as u32 {
        found = times(fine[(turns & 1023) as usize], coarse[step as usize]);
    }
    found
}

/// Two kernels: the first and the last pass of transforms of `len` points, `1 << log` of them at a time, which are `stride` apart. A workgroup
/// transforms `columns` such columns, and there are as many along `x`. Along `y` stand transforms.
///
/// Each invocation has `own` points, and `across` of them have a column. They write point `k` at `place(column, n) ^ k` and read that of
/// invocation `k` at `place(column, 0) ^ place(0, k)` and its number: accesses of neighbouring lanes lie in different banks, whether the lanes are of
/// a row or of a column.
macro_rules! columns {
    (
        $first:ident, $last:ident, log $log:literal, columns $columns:literal, own $own:literal by $own_points:ident,
        across $across:literal by $across_points:ident, cells $cells:literal,
        $exchange:ident, $finish:ident, $place:ident: |$column:ident, $n:ident| $at:expr
    ) => {
        /// The place of the points of an invocation before the exchange.
        #[device]
        fn $place($column: u32, $n: u32) -> u32 {
            $at
        }

        /// The exchange between the workgroup's invocations: each puts its points at `mine` and takes those at `theirs`.
        #[device]
        fn $exchange(cells: &mut [f32], v: [Vec2; $own], mine: u32, theirs: u32) -> [Vec2; $own] {
            let mut w = [Vec2::ZERO; $own];
            #[unroll]
            for k in 0..$own as u32 {
                cells[((mine ^ k) & ($cells - 1)) as usize] = v[k as usize].x;
            }
            barrier();
            #[unroll]
            for k in 0..$own as u32 {
                let from = theirs ^ $place(0, k % $across) ^ (k / $across * $across);
                w[k as usize].x = cells[(from & ($cells - 1)) as usize];
            }
            barrier();
            #[unroll]
            for k in 0..$own as u32 {
                cells[((mine ^ k) & ($cells - 1)) as usize] = v[k as usize].y;
            }
            barrier();
            #[unroll]
            for k in 0..$own as u32 {
                let from = theirs ^ $place(0, k % $across) ^ (k / $across * $across);
                w[k as usize].y = cells[(from & ($cells - 1)) as usize];
            }
            w
        }

        /// The second half of the transforms: point `k` of result `p` of the invocation is at `p * across + k`.
        #[device]
        fn $finish(w: [Vec2; $own]) -> [Vec2; $own] {
            let mut all = [Vec2::ZERO; $own];
            #[unroll]
            for p in 0..$own / $across {
                let mut points = [Vec2::ZERO; $across];
                #[unroll]
                for k in 0..$across {
                    points[k] = w[p * $across + k];
                }
                let points = $across_points(points);
                #[unroll]
                for k in 0..$across {
                    all[p * $across + k] = points[k];
                }
            }
            all
        }

        #[kernel(workgroup = 256, fast_math(contract))]
        pub(super) fn $first(
            scale: f32,
            inverse: u32,
            len: u32,
            stride: u32,
            roots: &[Vec2],
            x: &[Vec2],
            y: &mut [Vec2],
        ) {
            let mut cells = Shared::<[f32; $cells]>::new();
            let t = local_id().x;
            let (column, n) = (t % $columns, t / $columns);
            let from = workgroup_id().y * len + workgroup_id().x * $columns + column + n * stride;
            let mut v = [Vec2::ZERO; $own];
            #[unroll]
            for k in 0..$own as u32 {
                v[k as usize] = swapped(inverse != 0, x[from + k * $across * stride]);
            }
            v = turned_sums::<$own, { $own / 4 }>($own_points(v), n, $log, roots);
            // Rows lie next to each other in what comes out.
            let (to_column, to_row) = (t / $across, t % $across);
            let theirs = $place(to_column, 0) ^ to_row;
            let w = $finish($exchange(&mut cells[..], v, $place(column, n), theirs));
            let to = workgroup_id().y * len + (workgroup_id().x * $columns + to_column) * (1 << $log) + to_row;
            #[unroll]
            for k in 0..$own as u32 {
                y[to + k / $across * $across + k % $across * $own] = swapped(inverse != 0, w[k as usize]) * scale;
            }
        }

        #[kernel(workgroup = 256, fast_math(contract))]
        pub(super) fn $last(
            scale: f32,
            inverse: u32,
            len: u32,
            stride: u32,
            roots: &[Vec2],
            fine: &[Vec2],
            coarse: &[Vec2],
            x: &[Vec2],
            y: &mut [Vec2],
        ) {
            let mut cells = Shared::<[f32; $cells]>::new();
            let t = local_id().x;
            let (column, n) = (t % $columns, t / $columns);
            let place = workgroup_id().x * $columns + column;
            let at = workgroup_id().y * len + place + n * stride;
            let mut v = [Vec2::ZERO; $own];
            #[unroll]
            for k in 0..$own as u32 {
                v[k as usize] = swapped(inverse != 0, x[at + k * $across * stride]);
            }
            let mut steps = [Vec2::X; $own / 4];
            let mut parts = [Vec2::X; 4];
            let first = root(fine, coarse, n * place);
            steps[0] = first;
            #[unroll]
            for a in 1..$own as u32 / 4 {
                steps[a as usize] = times(first, root(fine, coarse, a * 4 * $across * place));
            }
            #[unroll]
            for b in 1..4u32 {
                parts[b as usize] = root(fine, coarse, b * $across * place);
            }
            v = turned_sums::<$own, { $own / 4 }>($own_points(turned(v, steps, parts)), n, $log, roots);
            let theirs = $place(column, 0) ^ n;
            let w = $finish($exchange(&mut cells[..], v, $place(column, n), theirs));
            #[unroll]
            for k in 0..$own as u32 {
                let row = k / $across * $across + k % $across * $own;
                // SAFETY: `place` is below the stride, by which the rows of a column are apart.
                unsafe { y.unordered()[at + row * stride] = swapped(inverse != 0, w[k as usize]) * scale };
            }
        }
    };
}

columns!(
    first_64, last_64, log 6, columns 32, own 8 by eight, across 8 by eight, cells 2048,
    exchange_64, finish_64, place_64: |column, n| column << 6 | (n ^ column & 3) << 3 | column >> 2
);
columns!(
    first_128, last_128, log 7, columns 32, own 16 by sixteen, across 8 by eight, cells 4096,
    exchange_128, finish_128, place_128:
        |column, n| column << 7 | (n ^ (column >> 1 & 1)) << 4 | (column & 1) << 3 | column >> 2
);
columns!(
    first_256, last_256, log 8, columns 16, own 16 by sixteen, across 16 by sixteen, cells 4096,
    exchange_256, finish_256, place_256: |column, n| column << 8 | (n ^ column & 1) << 4 | column
);
columns!(
    first_512, last_512, log 9, columns 16, own 32 by thirty_two, across 16 by sixteen, cells 8192,
    exchange_512, finish_512, place_512:
        |column, n| column << 9 | n << 5 | (column & 1) << 4 | (column & 14) ^ (n & 1)
);
columns!(
    first_1024, last_1024, log 10, columns 8, own 32 by thirty_two, across 32 by thirty_two, cells 8192,
    exchange_1024, finish_1024, place_1024: |column, n| column << 10 | n << 5 | (n ^ column << 2)
);
