//! Kernels and functions of quaternions and tuples, and one that writes in place.

use gridwise::prelude::*;

/// A place and a direction of a body.
#[derive(GpuData, Clone, Copy, Debug)]
#[repr(C)]
pub struct Pose {
    /// Its direction.
    pub turn: Quat,
    /// Its place.
    pub at: Vec3,
    /// Its size.
    pub scale: f32,
}

/// Points as a camera sees them, beside where they were seen. The parameters are called as those of `backward` are.
#[kernel(workgroup = 64, grad(turn, seq, grid, points))]
pub fn projected(turn: Quat, seq: Vec3, grid: f32, points: &[Vec3], seen: &[Vec2], loss: &mut [f32]) {
    let i = global_id().x;
    let p = turn.normalize() * points[i] + seq;
    loss[i] = (grid * p.xy() / p.z - seen[i]).length_squared();
}

/// Fields that are quaternions, in elements of the invocation's own.
#[kernel(workgroup = 64, grad(poses))]
pub fn posed(poses: &[Pose], points: &[Vec3], y: &mut [Pose]) {
    let i = global_id().x;
    let Pose { turn, at, scale } = poses[i];
    let p = turn * (points[i] * scale) + at;
    y[i] = Pose { turn: turn * turn.conjugate().normalize(), at: turn * p, scale: turn.length() };
}

/// Quaternions in arrays, their lanes, and some that several invocations read.
#[kernel(workgroup = 64, grad(q, pairs))]
pub fn quaternions(q: &[Quat], pairs: &[[Quat; 2]], y: &mut [Quat]) {
    let i = global_id().x as usize;
    let j = (7 * i) % q.len();
    let turned = q[i].normalize().slerp(q[j].normalize(), 0.25);
    let weight = q[i].x * q[j].w + pairs[i][i & 1].z * pairs[i][1].dot(q[j]);
    y[i] = turned * weight + pairs[i][0];
}

/// A step in place: the old places count.
#[kernel(workgroup = 64, grad(speed))]
pub fn moved(dt: f32, speed: &[Vec2], at: &mut [Vec2]) {
    let i = global_id().x;
    at[i] = 0.5 * at[i] + speed[i] * speed[i].x * dt;
}

#[device(grad)]
fn polar(x: f32, y: f32) -> (f32, f32) {
    let (sin, cos) = x.sin_cos();
    (x.hypot(y) + sin, y.atan2(x) * cos)
}

#[device(grad)]
fn exchanged(p: (f32, Vec2), n: u32) -> (Vec2, f32, u32) {
    (p.1 * p.0, p.0 * p.0 + p.1.x, n + 1)
}

#[device(grad)]
fn nested(p: (Pose, [Quat; 2]), k: f32) -> (Quat, (Pose, f32)) {
    let (pose, [a, b]) = p;
    (a * b, (Pose { turn: pose.turn * k, at: pose.turn * pose.at, ..pose }, k * pose.scale))
}

#[device(grad)]
fn turned(q: Quat, v: Vec3) -> Quat {
    Quat::from_vec4((q.normalize() * v).extend(q.w)) * q
}

/// A gradient of a gradient: the slopes of [`polar()`], as a function that has slopes.
#[device(grad)]
fn slopes(x: f32, y: f32) -> (f32, f32) {
    polar::vjp(x, y, (1.0, 0.5))
}

/// The numbers of a pose, times those of another.
#[device]
fn product(a: Pose, b: Pose) -> f32 {
    a.turn.dot(b.turn) + a.at.dot(b.at) + a.scale * b.scale
}

/// For five functions: the product of the adjoints with a direction, and of the change along it with the seed. `values`: how far what
/// `jvp` gives is from what the functions give.
#[kernel(workgroup = 32)]
pub fn products(x: &[Vec2], q: &[Quat], y: &mut [[Vec2; 5]], values: &mut [f32]) {
    let i = global_id().x as usize;
    let (p, n) = (x[i], q.len());
    let (d_x, d_y) = polar::vjp(p.x, p.y, (2.0, 3.0));
    let ((r, a), (dr, da)) = polar::jvp(p.x, p.y, 0.5, -0.25);
    y[i][0] = vec2(d_x * 0.5 - d_y * 0.25, 2.0 * dr + 3.0 * da);
    let (known_r, known_a) = polar(p.x, p.y);
    values[i] = (r - known_r).abs() + (a - known_a).abs();

    let (ds, dv) = exchanged::vjp((p.x, p), 4, (vec2(1.0, 2.0), 3.0, 9));
    let ((_, _, count), (tv, ts, no)) = exchanged::jvp((p.x, p), 4, (0.5, vec2(0.1, 0.2)));
    y[i][1] = vec2(ds * 0.5 + dv.dot(vec2(0.1, 0.2)), tv.dot(vec2(1.0, 2.0)) + 3.0 * ts);
    values[i] += (count + no) as f32 - 5.0;

    let (a, b, c, d) = (q[i], q[(i + 1) % n], q[(i + 2) % n], q[(i + 3) % n]);
    let pose = Pose { turn: a, at: vec3(1.0, 2.0, 3.0), scale: 0.5 };
    let along = Pose { turn: b, at: vec3(1.0, -2.0, 3.0), scale: 0.25 };
    let ((dp, [da, db]), dk) = nested::vjp((pose, [b, c]), 0.5, (d, (along, 2.0)));
    let ((value, _), (tq, (tp, tk))) = nested::jvp((pose, [b, c]), 0.5, (along, [d, a]), 0.75);
    y[i][2] = vec2(product(dp, along) + da.dot(d) + db.dot(a) + dk * 0.75, tq.dot(d) + product(tp, along) + tk * 2.0);
    values[i] += (value - b * c).length();

    let (dq, dv) = turned::vjp(a, along.at, b);
    let (value, tq) = turned::jvp(a, along.at, c, pose.at);
    y[i][3] = vec2(dq.dot(c) + dv.dot(pose.at), tq.dot(b));
    values[i] += (value - turned(a, along.at)).length();

    let (d_x, d_y) = slopes::vjp(p.x, p.y, (2.0, 3.0));
    let (_, (s, t)) = slopes::jvp(p.x, p.y, 0.5, -0.25);
    y[i][4] = vec2(d_x * 0.5 - d_y * 0.25, 2.0 * s + 3.0 * t);
}

/// Both members of a tuple, for the direction of [`products`] to be compared with differences.
#[kernel(workgroup = 32)]
pub fn polars(step: f32, x: &[Vec2], y: &mut [f32]) {
    let i = global_id().x;
    let (r, a) = polar(x[i].x + 0.5 * step, x[i].y - 0.25 * step);
    y[i] = 2.0 * r + 3.0 * a;
}
