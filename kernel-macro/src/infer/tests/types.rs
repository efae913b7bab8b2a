//! Inferred types, as rustc finds them.

use super::carets::check_types;
use super::harness::{accepted, accepted_body};

#[test]
fn literals_take_the_expected_type() {
    check_types(
        "
fn kernel(a: f32, y: &mut [f32]) {
    let n = 1;
    //  ^ i32
    let f = 1.5;
    //  ^ f64
    let u: u32 = 7;
    //           ^ u32
    let later = 3;
    //          ^ u32
    let sum = u + later;
    //  ^^^ u32
    let s = a * (2.0 + 1.0);
    //           ^^^ f32
    let t: (u32, f32) = (1, 2.0);
    //                   ^ u32
    let big = 3000000000 as u32;
    //        ^^^^^^^^^^ u32
    let z = 1 as f32;
    //      ^ i32
    y[0] = s;
    //^ usize
}",
    );
}

#[test]
fn indices_default_to_usize_and_take_u32() {
    check_types(
        "
fn kernel(n: u32, x: &[f32], y: &mut [f32]) {
    let i = 0;
    //  ^ usize
    y[i] = x[i + 1];
    //     ^^^^^^^^ f32
    let j = 0;
    //  ^ u32
    y[j] = x[n];
    let both = j + n;
    for k in 0..4 { y[k] = 1.0; }
    //  ^ usize
    for k in 0..n { y[k] = 1.0; }
    //          ^ u32
    for k in 0..x.len() { y[k] = 1.0; }
    //       ^ usize
    for k in 0..4 { let _ = k as f32; }
    //  ^ i32
}",
    );
}

#[test]
fn branches_loops_and_divergence() {
    check_types(
        "
fn f(a: f32, n: u32) -> f32 {
    let x = if n > 1 { 1.0 } else { return a };
    //                              ^^^^^^^^ !
    let y = if n > 2 { a } else if n > 3 { 2.0 } else { 3.0 };
    //                                     ^^^ f32
    let mut i = 0;
    //      ^ u32
    let found = loop { if i >= n { break i } i += 1; };
    //  ^^^^^ u32
    let label = 'outer: { if n == 4 { break 'outer 5 } 6 };
    //  ^^^^^ i32
    let never = loop { if a > 1.0 { return 1.0; } };
    //  ^^^^^ !
    while i < 5 { i += 1; }
    if n > 7 { return x; } else { y }
    //                            ^ f32
}",
    );
}

#[test]
fn a_block_that_returns_needs_no_value() {
    accepted("fn f(n: u32) -> f32 { if n > 1 { return 1.0; } else { return 2.0; } }");
    accepted("fn f(n: u32) -> f32 { loop { if n > 1 { return 1.0; } } }");
    accepted("fn f(n: u32) -> f32 { { return 1.0; } }");
    accepted("fn f(n: u32) -> f32 { let x: f32 = { return 1.0; }; x }");
    accepted("fn f(n: u32) -> u32 { if n > 1 { 1 } else { return 2; } }");
    accepted("fn f(n: u32) -> u32 { let (a, b) = if n > 1 { (1, 2) } else { return 3 }; a + b }");
}

#[test]
fn vectors_and_scalars() {
    check_types(
        "
fn f(v: Vec3, k: f32, u: UVec2, i: IVec4) -> Vec3 {
    let a = v * 2.0;
    //          ^^^ f32
    let b = 2.0 * v;
    //      ^^^^^^^ Vec3
    let half = 0.5;
    //  ^^^^ f32
    let c = a * half + b * k;
    //      ^^^^^^^^^^^^^^^^ Vec3
    let d = u * 2 + 1;
    //          ^ u32
    let e = 3 * i;
    //      ^ i32
    let g = -v + Vec3::splat(1.0);
    //           ^^^^^^^^^^^^^^^^ Vec3
    let h = v.cmplt(g);
    //  ^ BVec3
    let same = v == g;
    //  ^^^^ bool
    let w = v.extend(1.0);
    //  ^ Vec4
    let t = w.truncate();
    //  ^ Vec3
    let q = u.as_vec2();
    //  ^ Vec2
    let z = v[2];
    //      ^^^^ f32
    let r = v.to_array();
    //  ^ [f32; 3]
    let m = vec3(1.0, 2.0, k).dot(Vec3::new(1.0, 2.0, 3.0));
    //  ^ f32
    let n = glam::Vec3::lerp(v, g, 0.5);
    //  ^ Vec3
    c * z + n * m
}",
    );
}

#[test]
fn numbers_have_their_methods() {
    check_types(
        "
fn f(a: f32, n: u32, m: i32, z: usize) {
    let b = a.mul_add(2.0, 1.0).max(0.0);
    //  ^ f32
    let (s, c) = a.sin_cos();
    //   ^ f32
    let p = n.pow(2).leading_zeros();
    //            ^ u32
    let d = m.abs_diff(-3);
    //  ^ u32
    let e = z.abs_diff(3);
    //  ^ usize
    let bits = f32::from_bits(a.to_bits());
    //  ^^^^ f32
    let g = f32::max(a, 1.0);
    //  ^ f32
    let h = i32::pow(m, 2);
    //  ^ i32
    let sh = n << 3;
    //            ^ i32
    let sv = m >> n;
    //  ^^ i32
}",
    );
}

#[test]
fn structs_arrays_and_consts() {
    check_types(
        "
struct Particle { position: Vec3, mass: f32, kind: [u32; 2] }
const COUNT: usize = 2 + 2;
const GRAVITY: f32 = -9.81;
fn weight(p: Particle) -> f32 { p.mass * GRAVITY }
fn kernel(particles: &mut [Particle], out: &mut [f32]) {
    let i = global_id().x;
    //      ^^^^^^^^^^^ UVec3
    let p = particles[i];
    //  ^ Particle
    let w = weight(p);
    //      ^^^^^^^^^ f32
    let mut table = [0.0; COUNT];
    //      ^^^^^ [f32; 4]
    table[3] = w;
    let fresh = Particle { mass: 1.0, position: Vec3::ZERO, kind: [1, 2] };
    //                                                            ^^^^^^ [u32; 2]
    particles[i].position.x += 1.0;
    particles[i].kind[1] = 3;
    let pair = (fresh.kind[0], 1);
    //  ^^^^ (u32, i32)
    out[i] = pair.1 as f32 + f32::consts::PI + std::f32::consts::TAU;
    let rows = [[0; 3]; 2];
    //  ^^^^ [[i32; 3]; 2]
    let one = rows[1][2];
    //  ^^^ i32
}",
    );
}

#[test]
fn shadowing_and_scopes() {
    check_types(
        "
fn f(a: f32) -> u32 {
    let a = a as u32;
    //  ^ u32
    let b = { let a = 1.5; a };
    //                     ^ f64
    for a in 0..a { let c = a; }
    //                      ^ u32
    let a = (a, b);
    //  ^ (u32, f64)
    a.0
}",
    );
}

#[test]
fn what_rust_accepts_is_accepted() {
    accepted_body("let _ = a > 1.0 && n != 2 || m < -1; let _ = !(n == 3) ^ true;");
    accepted_body("let i = -2147483648; let j: i32 = -2147483648;");
    accepted_body("u[0] |= 1 << 3; u[1] ^= !0; u[2] >>= 1u32; u[3] %= 7;");
    accepted_body("if a > 1.0 { y[0] = 1.0 }");
    accepted_body("'a: for i in 0..3 { 'b: for j in 0..=i { if i == j { continue 'a; } else { break 'b } } }");
    accepted_body("let _ = a as i32 as u32 as usize as f32; let _ = (a > 1.0) as u32; let _ = n as u32;");
    accepted_body("let mut v = Vec2::ZERO; v += 1.0; v *= Vec2::X; v.y = 2.0; v[0] = v.y; y[0] = v.length();");
    accepted_body("let x = x.len(); let n = x / 2; u[n] = x as u32;");
    accepted_body("let mut i = 0; loop { i += 1; if i == n { break; } }");
    accepted_body("return;");
    accepted_body("let z = { y[0] = 1.0; }; z");
    accepted_body("let q = [x[0], 1.0]; y[0] = q[1];");
}

/// Code after a jump, and jumps in odd places: nothing of it may trip the stages behind inference.
#[test]
fn unreachable_code_is_accepted() {
    accepted_body("return; y[0] = 1.0;");
    accepted_body("let z: f32 = return; y[0] = z;");
    accepted_body("let z = return; z");
    accepted_body("let (p, q) = { if n > 1 { return; } (1, 2.0) }; y[p as u32] = q;");
    accepted_body("y[0] = a + return;");
    accepted_body("y[0] = a.max(return);");
    accepted_body("let v = Vec3::new(a, return, 1.0); y[0] = v.x;");
    accepted_body("loop { break; } y[0] = 1.0;");
    accepted_body("loop { if n > 1 { continue; } else { return; } }");
    accepted_body("let z = loop { break return; };");
    accepted_body("let z = 'a: { if n > 1 { break 'a 1.0; } return; }; y[0] = z;");
    accepted_body("'a: { if n > 1 { break 'a; } y[0] = 1.0; }");
    accepted_body("while n > 1 { return; }");
    accepted_body("for i in 0..(return) { y[0] = 1.0; }");
    accepted_body("let t = [1.0, return]; y[0] = t[0];");
    accepted_body("let b = n > 1 && return; y[0] = 1.0;");
    accepted_body("y[return] = 1.0;");
    accepted_body("let z = if n > 1 { return } else { return }; z");
    accepted_body("let z = -return; z");
    accepted_body("let z = (return).max(1.0);");
    accepted_body("let z = !{ return }; let w = { return; 1 } as f32;");
    accepted_body("let mut z = 1.0; z = return; z += return;");
    accepted_body("{ return }.x; (return)[0]; if (return) { } else { }");
}

#[test]
fn empty_arrays_need_their_length() {
    accepted("fn f() { let e: [f32; 0] = []; }");
}
