//! Kernels with gradients, each with a construct of its own.
#![allow(missing_docs, reason = "kernels, not an interface")]

mod known;
mod layers;
mod poses;
mod written;

use std::sync::atomic::Ordering;

use gridwise::prelude::*;
pub use known::*;
pub use layers::*;
pub use poses::*;
pub use written::*;

/// An element of its own, and a parameter by value that all share.
#[kernel(workgroup = 64, grad(x, a))]
pub fn squares(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() as u32 {
        y[i] = a * x[i] * x[i];
    }
}

/// A product of a matrix and a vector, behind an early return.
#[kernel(workgroup = 64, grad(m, x))]
pub fn rows(m: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x as usize;
    if row >= y.len() {
        return;
    }
    let mut sum = 0.0;
    for column in 0..x.len() {
        sum += m[row * x.len() + column] * x[column];
    }
    y[row] = sum;
}

/// Three elements for each invocation.
#[kernel(workgroup = 64, grad(x))]
pub fn triples(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[3 * i] * x[3 * i + 1] + x[3 * i + 2];
}

#[device]
fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// The logistic loss of each sample.
#[kernel(workgroup = 64, grad(weights))]
pub fn logistic(table: &[f32], weights: &[f32], label: &[f32], loss: &mut [f32]) {
    let sample = global_id().x;
    let samples = label.len() as u32;
    let mut score = 0.0;
    for feature in 0..weights.len() as u32 {
        score += weights[feature] * table[feature * samples + sample];
    }
    let probability = sigmoid(score);
    let chosen = if label[sample] > 0.5 { probability } else { 1.0 - probability };
    loss[sample] = -chosen.ln();
}

/// Branches, functions, powers.
#[kernel(workgroup = 64, grad(x))]
pub fn branches(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let v = x[i];
    let w = x[(i + 1) % x.len() as u32];
    y[i] = if v > 0.1 {
        v.sin() * w.exp()
    } else if v < -0.5 {
        let root = (1.0 + v * v).sqrt();
        root.powf(1.5) + w.tanh() / root
    } else {
        v.atan2(1.5 + w) + v.max(w) - (v * w).abs()
    };
}

/// A loop that ends when its data says so, whose values no counter tells.
#[kernel(workgroup = 64, grad(x, c))]
pub fn iterates(x: &[f32], c: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let mut v = x[i];
    let mut rounds = 0u32;
    loop {
        v = 0.5 * v.sin() + 0.3 * v * c[i] + 0.2;
        rounds += 1;
        if rounds == 3 * i + 1 {
            break;
        }
        if rounds % 3 == 0 {
            v -= 0.25 * v * v;
            continue;
        }
        v = 0.8 * v.cos();
    }
    y[i] = v;
}

/// Vectors, of which several invocations read each.
#[kernel(workgroup = 64, grad(p))]
pub fn vectors(p: &[Vec3], y: &mut [f32]) {
    let i = global_id().x;
    let a = p[i];
    let b = p[(i + 1) % p.len() as u32];
    let normal = a.cross(b).normalize();
    y[i] = a.dot(b) + (a - b).length() * normal.x;
}

/// One sum of everything.
#[kernel(workgroup = 64, grad(x))]
pub fn total(x: &[f32], loss: &[Atomic<f32>]) {
    let i = global_id().x;
    let v = x[i];
    loss[0].fetch_add(v * v * v, Ordering::Relaxed);
}

/// An array of the invocation, by indices that only it knows.
#[kernel(workgroup = 64, grad(x))]
pub fn arrays(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let mut kept = [0.0f32; 4];
    for k in 0..n {
        let old = kept[(k & 3) as usize];
        kept[((k + i) & 3) as usize] = old * 0.5 + x[i] * x[(k + i) % x.len() as u32];
    }
    y[i] = kept[0] * kept[1] + kept[2].sin() + kept[(i & 3) as usize];
}

/// A const parameter, and outputs that a loop writes.
#[kernel(workgroup = 32, N = 3, grad(x))]
pub fn strided<const N: u32>(x: &[f32], y: &mut [f32]) {
    let mut at = global_id().x * N;
    for k in 0..N {
        y[at] = x[at] * x[at] * (k as f32 + 1.0);
        at += 1;
    }
}

#[derive(GpuData, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Body {
    pub at: Vec2,
    pub mass: f32,
    pub id: u32,
}

/// Structs.
#[kernel(workgroup = 64, grad(bodies))]
pub fn energies(bodies: &[Body], y: &mut [f32]) {
    let i = global_id().x;
    let body = bodies[i];
    if body.id != 3 {
        y[i] = body.mass * body.at.length() + body.at.x * body.at.x;
    }
}

/// The softmax of each row, a workgroup for each.
#[kernel(workgroup = 64, grad(x))]
pub fn softmax_rows(width: u32, x: &[f32], y: &mut [f32]) {
    let part = Shared::<[f32; 64]>::new();
    let (lane, row) = (local_index(), workgroup_id().x);
    let mut best = f32::NEG_INFINITY;
    let mut at = lane;
    while at < width {
        best = best.max(x[row * width + at]);
        at += 64;
    }
    part[lane] = best;
    barrier();
    let mut stride = 32;
    while stride > 0 {
        if lane < stride {
            part[lane] = part[lane].max(part[lane + stride]);
        }
        barrier();
        stride /= 2;
    }
    let best = part[0];
    barrier();
    let mut sum = 0.0;
    let mut at = lane;
    while at < width {
        sum += (x[row * width + at] - best).exp();
        at += 64;
    }
    part[lane] = sum;
    barrier();
    let mut stride = 32;
    while stride > 0 {
        if lane < stride {
            part[lane] += part[lane + stride];
        }
        barrier();
        stride /= 2;
    }
    let sum = part[0];
    let mut at = lane;
    while at < width {
        y[row * width + at] = (x[row * width + at] - best).exp() / sum;
        at += 64;
    }
}

/// The sum of a value of each invocation, which all get.
#[device]
fn sum_of_group(part: &mut [f32], value: f32) -> f32 {
    let lane = local_index();
    part[lane] = value;
    barrier();
    let mut stride = 16;
    while stride > 0 {
        if lane < stride {
            part[lane] += part[lane + stride];
        }
        barrier();
        stride /= 2;
    }
    let sum = part[0];
    barrier();
    sum
}

/// Each row less its mean and over its deviation, for rows that there are.
#[kernel(workgroup = 32, grad(x, gain))]
pub fn layer_norm(x: &[f32], gain: &[f32], y: &mut [f32]) {
    let mut part = Shared::<[f32; 32]>::new();
    let (lane, row) = (local_index(), workgroup_id().x);
    if row as usize >= x.len() / 32 {
        return;
    }
    let value = x[row * 32 + lane];
    let mean = sum_of_group(&mut part[..], value) / 32.0;
    let distance = value - mean;
    let variance = sum_of_group(&mut part[..], distance * distance) / 32.0;
    y[row * 32 + lane] = distance / (variance + 1e-3).sqrt() * gain[lane];
}

/// A sum of squares, in halves that grow.
#[kernel(workgroup = 64, grad(x))]
pub fn group_sums(x: &[f32], y: &mut [f32]) {
    let part = Shared::<[f32; 64]>::new();
    let lane = local_index();
    let v = x[global_id().x];
    part[lane] = v * v;
    barrier();
    let mut step = 1;
    while step < 64 {
        if lane % (2 * step) == 0 {
            part[lane] += part[lane + step];
        }
        barrier();
        step *= 2;
    }
    if lane == 0 {
        y[workgroup_id().x] = part[0];
    }
}

/// Products of neighbours, over and over: each round needs what the one before left.
#[kernel(workgroup = 16, grad(x))]
pub fn products_of_halves(x: &[f32], y: &mut [f32]) {
    let part = Shared::<[f32; 16]>::new();
    let lane = local_index();
    part[lane] = x[global_id().x];
    barrier();
    let mut stride = 8;
    while stride > 0 {
        if lane < stride {
            part[lane] = part[lane] * (1.0 + 0.5 * part[lane + stride]);
        }
        barrier();
        stride /= 2;
    }
    y[global_id().x] = part[0] + part[lane] * part[lane];
}

/// A product of matrices, tile by tile.
#[kernel(workgroup = [8, 8], grad(a, b))]
pub fn tiled_product(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let left = Shared::<[[f32; 8]; 8]>::new();
    let right = Shared::<[[f32; 8]; 8]>::new();
    let (at, local) = (global_id(), local_id());
    let mut sum = 0.0;
    for tile in 0..n / 8 {
        left[local.y][local.x] = a[at.y * n + tile * 8 + local.x];
        right[local.y][local.x] = b[(tile * 8 + local.y) * n + at.x];
        barrier();
        for k in 0..8u32 {
            sum += left[local.y][k] * right[k][local.x];
        }
        barrier();
    }
    c[at.y * n + at.x] = sum;
}

/// A filter over a tile and its halo.
#[kernel(workgroup = 32, grad(x, weights))]
pub fn filtered(x: &[f32], weights: &[f32], y: &mut [f32]) {
    let tile = Shared::<[f32; 36]>::new();
    let (lane, at) = (local_index(), global_id().x);
    let len = x.len() as u32;
    tile[lane] = x[(at + len - 2) % len];
    if lane < 4 {
        tile[lane + 32] = x[(at + 30) % len];
    }
    barrier();
    let mut sum = 0.0;
    for k in 0..5u32 {
        sum += tile[lane + k] * weights[k];
    }
    y[at] = sum * sum;
}

/// Values of other invocations, several times one after another.
#[kernel(workgroup = 16, grad(x))]
pub fn smoothed(rounds: u32, x: &[f32], y: &mut [f32]) {
    let a = Shared::<[Vec2; 16]>::new();
    let lane = local_index();
    a[lane] = vec2(x[global_id().x], 0.5);
    barrier();
    for _ in 0..rounds {
        let near = a[(lane + 1) % 16];
        let own = a[lane];
        barrier();
        a[lane] = vec2(own.x * near.y + 0.3 * near.x, 0.9 * own.y + 0.1 * near.x * own.x);
        barrier();
    }
    y[global_id().x] = a[lane].x + a[15 - lane].y;
}

/// Sums, shares and neighbours of a subgroup.
#[kernel(workgroup = 32, grad(x))]
pub fn lanes(x: &[f32], y: &mut [f32]) {
    let v = x[global_id().x];
    let sum = subgroup::add(v * v);
    let before = subgroup::exclusive_add(v);
    let until = subgroup::inclusive_add(v * 0.5);
    let first = subgroup::broadcast_first(v);
    let other = subgroup::shuffle_xor(v, 1);
    let up = subgroup::shuffle_up(v, 1);
    let down = subgroup::shuffle_down(v, 2);
    let second = subgroup::shuffle(v, 1);
    y[global_id().x] = sum * v + before * until + first * other + up * down * second;
}

/// The largest and the smallest of a subgroup.
#[kernel(workgroup = 32, grad(x))]
pub fn extremes(x: &[f32], y: &mut [f32]) {
    let v = x[global_id().x];
    y[global_id().x] = v * subgroup::max(v) + subgroup::min(v * v);
}

/// A function with derivatives: branches, a loop whose rounds its data tells, an array, an integer among its arguments.
#[device(grad)]
pub fn swirl(x: f32, rounds: u32, y: f32) -> f32 {
    let mut kept = [x, y];
    let mut v = x * y.sin();
    for round in 0..rounds {
        v = 0.5 * v.cos() + kept[(round & 1) as usize] * y;
        if v > 0.8 {
            v -= 0.25 * v * v;
        }
        kept[(round & 1) as usize] = v;
    }
    v + kept[0] * kept[1]
}

/// A function of vectors.
#[device(grad)]
pub fn bend(p: Vec3, by: [f32; 2]) -> Vec2 {
    let turned = vec2(p.x * by[0].cos() - p.y * by[0].sin(), p.x * by[0].sin() + p.y * by[0].cos());
    turned * (p.z.exp() + by[1]) / (1.0 + p.length())
}

/// Values, slopes and changes of functions, for kernels to compare.
#[kernel(workgroup = 32)]
pub fn derivatives(points: &[Vec4], swirled: &mut [Vec4], bent: &mut [Vec4], gradient: &mut [Vec4]) {
    let i = global_id().x;
    let at = points[i];
    let (dx, dy) = swirl::vjp(at.x, i % 5, at.y, 2.0);
    let (value, change) = swirl::jvp(at.x, i % 5, at.y, at.z, at.w);
    swirled[i] = vec4(dx, dy, value, change);
    let (p, by) = (at.truncate(), [at.w, 0.25]);
    let (dp, dby) = bend::vjp(p, by, vec2(1.0, -0.5));
    let (now, change) = bend::jvp(p, by, vec3(0.3, -0.2, 0.5), [1.0, 2.0]);
    bent[i] = vec4(now.x, now.y, change.x, change.y);
    gradient[i] = vec4(dp.x, dp.y, dp.z, dby[0] + 2.0 * dby[1]);
}

/// The functions that [`derivatives`] derives.
#[kernel(workgroup = 32)]
pub fn functions(step: f32, points: &[Vec4], swirled: &mut [f32], bent: &mut [Vec2]) {
    let i = global_id().x;
    let at = points[i];
    swirled[i] = swirl(at.x + step * at.z, i % 5, at.y + step * at.w);
    bent[i] = bend(at.truncate() + vec3(0.3, -0.2, 0.5) * step, [at.w + step, 0.25 + 2.0 * step]);
}

/// A step, whose rule takes it for a smooth one.
#[device(grad = smooth_step)]
fn step(x: f32, width: f32) -> f32 {
    if x > 0.0 { 1.0 } else { 0.0 * width }
}

#[device]
fn smooth_step(x: f32, width: f32, seed: f32) -> (f32, f32) {
    let soft = 1.0 / (1.0 + (-x / width).exp());
    let slope = seed * soft * (1.0 - soft) / width;
    (slope, -slope * x / width)
}

/// A direction, of which only the length has a slope.
#[device(grad = lengthened)]
fn aimed(p: Vec2) -> Vec2 {
    p.normalize() * p.length()
}

#[device]
fn lengthened(p: Vec2, seed: Vec2) -> Vec2 {
    p * p.dot(seed)
}

/// Rules of the author's own, and what is taken for constant.
#[kernel(workgroup = 32, grad(x, p))]
pub fn ruled(x: &[f32], p: &[Vec2], y: &mut [f32]) {
    let i = global_id().x;
    let aimed = aimed(p[i]);
    y[i] = 3.0 * step(x[i], 0.5) + x[i] * detach(x[i]) + aimed.x * 2.0 - aimed.y;
}

/// Functions of `f64`.
#[kernel(workgroup = 32, grad(x))]
pub fn doubles(x: &[f64], y: &mut [f64]) {
    let i = global_id().x;
    let v = x[i];
    let w = v.abs() + 0.25;
    y[i] = match i % 6 {
        0 => v.sin() * v.exp() + w.ln(),
        1 => (0.5 * v).tan() + w.powf(1.5 + v) + v.cos(),
        2 => v.atan2(w) + (0.5 * v).asin() - (0.25 * v).acos(),
        3 => v.sinh() + v.cosh() * v.tanh(),
        4 => v.exp_m1() + w.ln_1p() + w.cbrt() + v.asinh(),
        _ => (1.5 + w).acosh() + (0.5 * v).atanh() + w.log2() + v.exp2() + w.log10() + v.atan(),
    };
}

/// A number with a part that is imaginary.
#[derive(GpuData, Clone, Copy)]
#[repr(C)]
pub struct Complex {
    pub re: f32,
    pub im: f32,
}

/// A step of an iteration: a struct in a struct, an integer, an array.
#[derive(GpuData, Clone, Copy)]
#[repr(C)]
pub struct Step {
    pub by: Complex,
    pub rounds: u32,
    pub scale: [f32; 2],
}

/// A function of structs and a matrix.
#[device(grad)]
pub fn iterated(step: Step, from: Complex, turn: Mat2) -> Complex {
    let mut z = from;
    for _ in 0..step.rounds {
        let turned = turn * vec2(z.re, z.im);
        let square = turned.x * turned.x - turned.y * turned.y;
        z = Complex {
            re: step.scale[0] * square + step.by.re,
            im: step.scale[1] * 2.0 * turned.x * turned.y + step.by.im,
        };
    }
    z
}

/// The length and the angle.
#[device(grad)]
pub fn polar(z: Complex) -> [f32; 2] {
    [(z.re * z.re + z.im * z.im).sqrt(), z.im.atan2(z.re)]
}

/// Adjoints and changes of [`iterated`] and [`polar`]. `out`: the products with the directions, both ways.
#[kernel(workgroup = 32)]
pub fn of_structs(points: &[Vec4], slope: f32, values: &mut [Vec2], out: &mut [Vec4]) {
    let i = global_id().x;
    let at = points[i] + vec4(0.1, 0.2, -0.1, 0.3) * slope;
    let by = Complex { re: at.x, im: at.y };
    let step = Step { by, rounds: i % 4, scale: [0.5 + slope, 0.25] };
    let (from, turn) = (Complex { re: at.z, im: at.w }, Mat2::from_cols(vec2(0.6, at.x), vec2(-0.8, 0.5)));
    let z = iterated(step, from, turn);
    values[i] = vec2(z.re, z.im);
    let ways = Step { by: Complex { re: 0.1, im: 0.2 }, rounds: 7, scale: [1.0, 0.0] };
    let turning = Mat2::from_cols(vec2(0.0, 0.1), vec2(0.0, 0.0));
    let (value, change) = iterated::jvp(step, from, turn, ways, Complex { re: -0.1, im: 0.3 }, turning);
    let (d_step, d_from, d_turn) = iterated::vjp(step, from, turn, Complex { re: 1.0, im: -2.0 });
    let product = d_step.by.re * 0.1 + d_step.by.im * 0.2 + d_step.scale[0] - 0.1 * d_from.re
        + 0.3 * d_from.im
        + 0.1 * d_turn.x_axis.y;
    let d_z = polar::vjp(by, [1.0, 0.5]);
    let ([length, _], [longer, turned]) = polar::jvp(by, Complex { re: 0.3, im: -0.7 });
    let polar = d_z.re * 0.3 - d_z.im * 0.7 - (longer + 0.5 * turned) + (length - by.re.hypot(by.im));
    out[i] = vec4(
        change.re,
        change.im,
        product - (change.re - 2.0 * change.im),
        polar + value.re - z.re + d_step.rounds as f32,
    );
}

/// A potential with a curvature that changes.
#[device(grad)]
fn potential(at: Complex) -> f32 {
    let (x, y) = (at.re, at.im);
    let mut p = x * x * y;
    for _ in 0..3 {
        p = (0.5 * p).sin() + x * y;
    }
    p
}

/// Its slope, which is derived again.
#[device(grad)]
fn slope_of_potential(at: Complex) -> Complex {
    potential::vjp(at, 1.0)
}

/// Products of second derivatives with directions, forward over reverse, and reverse over reverse.
#[kernel(workgroup = 32)]
pub fn second_derivatives(points: &[Vec4], slopes: &mut [Vec2], products: &mut [Vec4]) {
    let i = global_id().x;
    let at = points[i];
    let (place, way) = (Complex { re: at.x, im: at.y }, Complex { re: at.z, im: at.w });
    let (slope, forward) = slope_of_potential::jvp(place, way);
    slopes[i] = vec2(slope.re, slope.im);
    let reverse = slope_of_potential::vjp(place, way);
    products[i] = vec4(forward.re, forward.im, reverse.re, reverse.im);
}

/// A function whose parameters have names like those that derived functions give their values.
#[device(grad)]
fn named(v_1: f32, v_0: f32, x_0: f32, x: f32) -> f32 {
    v_1 * v_0 * v_0 + x_0 * x * x
}

/// Adjoints of [`named`].
#[kernel(workgroup = 32)]
pub fn of_named(points: &[Vec4], gradient: &mut [Vec4]) {
    let i = global_id().x;
    let at = points[i];
    let (a, b, c, d) = named::vjp(at.x, at.y, at.z, at.w, 1.0);
    gradient[i] = vec4(a, b, c, d);
}

/// A line, with a number that has no gradient.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Line {
    /// The growth.
    pub slope: f32,
    /// Added to the place.
    pub shift: u32,
    /// Its middle.
    pub middle: Vec2,
}

/// A struct by value, and one of which all read all elements.
#[kernel(workgroup = 32, grad(line, lines))]
pub fn lines(line: Line, lines: &[Line], x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let mut sum = line.slope * (x[i] - line.middle.x) + line.middle.y;
    for other in lines {
        sum += other.slope * other.slope * (x[i + other.shift] - other.middle.y);
    }
    y[i] = sum;
}

/// Variables with the names that the derived kernel gives its own.
#[kernel(workgroup = 64, grad(x))]
pub fn names(x: &[f32], y: &mut [f32]) {
    let l_0 = Shared::<[f32; 64]>::new();
    let l = local_index();
    let mut next = [0.0f32; 4];
    let out = if l % 2 == 0 { x[global_id().x] } else { 2.0 * x[global_id().x] };
    for local in 0..4 {
        next[local] = out * local as f32;
    }
    l_0[l] = next[(l % 4) as usize] * next[3];
    barrier();
    let v = l_0[63 - l];
    y[global_id().x] = v * v + out;
}

/// Numbers of 16 bits, whose gradients have as many.
#[kernel(workgroup = 32, grad(x))]
pub fn halves(x: &[f16], y: &mut [f32]) {
    let i = global_id().x;
    let value = x[i].to_f32();
    y[i] = value * value + f16::from_f32(2.0 * value).to_f32();
}
