//! Passes of 1024 points of a longer transform: each invocation transforms 32 of them in registers, exchanges them with
//! 31 others through shared memory, and transforms what it got. It does not choose these passes.
//!
//! A workgroup has eight columns next to each other, so that it reads and writes 64 bytes at once. Real and imaginary parts are exchanged one after
//! the other: the memory that every device has holds eight columns of either. Inverse transforms are forward ones of numbers whose parts are swapped.

use crate::prelude::*;

/// Columns of a workgroup.
pub(super) const COLUMNS: u32 = 8;
/// Points of a column, as a power of two.
#[device]
pub(super) const LOG: u32 = 10;

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
fn turned(v: [Vec2; 32], steps: [Vec2; 8], parts: [Vec2; 4]) -> [Vec2; 32] {
    let mut all = v;
    #[unroll]
    for a in 0..8 {
        all[a * 4] = times(v[a * 4], steps[a]);
        #[unroll]
        for b in 1..4 {
            all[a * 4 + b] = times(v[a * 4 + b], times(steps[a], parts[b]));
        }
    }
    all
}

/// The first half of a column's transform, ready for the exchange: the sums of points 32 apart, from `n` on.
#[device]
fn first_half(v: [Vec2; 32], n: u32, roots: &[Vec2]) -> [Vec2; 32] {
    let sums = thirty_two(v);
    let mut steps = [Vec2::X; 8];
    let mut parts = [Vec2::X; 4];
    #[unroll]
    for a in 1..8u32 {
        steps[a as usize] = roots[(a * 4 * n & 1023) as usize];
    }
    #[unroll]
    for b in 1..4u32 {
        parts[b as usize] = roots[(b * n & 1023) as usize];
    }
    turned(sums, steps, parts)
}

/// A root of all that has been transformed, by a coarse step and a fine one.
#[device]
fn root(fine: &[Vec2], coarse: &[Vec2], turns: u32) -> Vec2 {
    let step = turns >> LOG;
    let mut found = Vec2::X;
    if step < coarse.len() as u32 {
        found = times(fine[(turns & 1023) as usize], coarse[step as usize]);
    }
    found
}

/// The place of the 32 points of an invocation before the exchange: here, and, with 33 in place of 1, in the column
/// behind. Points that neighbouring lanes access together lie in different banks, whether they are of eight columns or
/// of one.
#[device]
fn before(column: u32, n: u32) -> u32 {
    column << 10 | n << 5 | (n ^ column << 2)
}

/// The exchange between the workgroup's invocations: each puts its 32 points at `mine` and takes those at `theirs`, see
/// [`before`].
#[device]
fn exchanged(cells: &mut [f32], v: [Vec2; 32], mine: u32, theirs: u32) -> [Vec2; 32] {
    let mut w = [Vec2::ZERO; 32];
    #[unroll]
    for k in 0..32u32 {
        cells[(mine ^ k) & 8191] = v[k as usize].x;
    }
    barrier();
    #[unroll]
    for k in 0..32u32 {
        w[k as usize].x = cells[(theirs ^ k * 33) & 8191];
    }
    barrier();
    #[unroll]
    for k in 0..32u32 {
        cells[(mine ^ k) & 8191] = v[k as usize].y;
    }
    barrier();
    #[unroll]
    for k in 0..32u32 {
        w[k as usize].y = cells[(theirs ^ k * 33) & 8191];
    }
    w
}

/// The first pass of transforms of `len` points: of points that are `stride` apart, eight times as many as workgroups along `x`. Along `y` stand
/// transforms.
#[kernel(workgroup = 256, fast_math(contract))]
pub(super) fn first_1024(inverse: u32, len: u32, stride: u32, roots: &[Vec2], x: &[Vec2], y: &mut [Vec2]) {
    let mut cells = Shared::<[f32; 8192]>::new();
    let t = local_id().x;
    let (column, n) = (t % 8, t / 8);
    let from = workgroup_id().y * len + workgroup_id().x * 8 + column + n * stride;
    let mut v = [Vec2::ZERO; 32];
    #[unroll]
    for k in 0..32u32 {
        v[k as usize] = swapped(inverse != 0, x[from + k * 32 * stride]);
    }
    v = first_half(v, n, roots);
    // Rows lie next to each other in what comes out.
    let (to_column, to_row) = (t / 32, t % 32);
    let mine = before(column, n);
    let theirs = to_column << 10 | (to_row ^ to_column << 2);
    let w = thirty_two(exchanged(&mut cells[..], v, mine, theirs));
    let to = workgroup_id().y * len + (workgroup_id().x * 8 + to_column) * 1024 + to_row;
    #[unroll]
    for k in 0..32u32 {
        y[to + k * 32] = swapped(inverse != 0, w[k as usize]);
    }
}

/// The last pass of transforms of `len` points, where those of `stride` points have been made: of points that are `stride` apart, as many as in the
/// first.
#[kernel(workgroup = 256, fast_math(contract))]
pub(super) fn last_1024(
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
    let mut cells = Shared::<[f32; 8192]>::new();
    let t = local_id().x;
    let (column, n) = (t % 8, t / 8);
    let place = workgroup_id().x * 8 + column;
    let at = workgroup_id().y * len + place + n * stride;
    let mut v = [Vec2::ZERO; 32];
    #[unroll]
    for k in 0..32u32 {
        v[k as usize] = swapped(inverse != 0, x[at + k * 32 * stride]);
    }
    let mut steps = [Vec2::X; 8];
    let mut parts = [Vec2::X; 4];
    let first = root(fine, coarse, n * place);
    steps[0] = first;
    #[unroll]
    for a in 1..8u32 {
        steps[a as usize] = times(first, root(fine, coarse, a * 128 * place));
    }
    #[unroll]
    for b in 1..4u32 {
        parts[b as usize] = root(fine, coarse, b * 32 * place);
    }
    v = first_half(turned(v, steps, parts), n, roots);
    let mine = before(column, n);
    let theirs = column << 10 | (n ^ column << 2);
    let w = thirty_two(exchanged(&mut cells[..], v, mine, theirs));
    #[unroll]
    for k in 0..32u32 {
        // SAFETY: `place` is below the stride, by which the rows of a column are apart.
        unsafe { y.unordered()[at + k * 32 * stride] = swapped(inverse != 0, w[k as usize]) * scale };
    }
}
