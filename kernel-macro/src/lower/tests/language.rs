//! The language proper: operators, order of evaluation, control flow, arrays, tuples, structs and traps, against rustc.

use glam::{IVec3, UVec4, Vec2, Vec3, Vec4};

use super::twin::twin;

#[test]
fn integer_operators() {
    twin! { fn f(a: i32, b: i32) -> (i32, i32) { (a / b, a % b) } }
    twin! { fn f(a: u32, b: u32) -> (u32, u32) { (a / b, a % b) } }
    twin! { fn f(a: i32) -> (i32, i32, i32, i32) { (a / 3, a % 3, a / -1, a % -1) } }
    twin! { fn f(b: i32) -> (i32, i32) { (i32::MIN / b, i32::MIN % b) } }
    twin! { fn f(b: i32) -> (i32, i32) { (i32::MAX / b, (i32::MIN + 1) % b) } }
    twin! { fn f(a: u32) -> (u32, u32) { (a / 7, a % 8) } }
    twin! { fn f(a: i32, b: i32) -> (i32, i32, i32) { (a & b, a | b, a ^ b) } }
    twin! { fn f(a: i32, n: u32) -> (i32, i32) { (a << (n % 32), a >> (n % 32)) } }
    twin! { fn f(a: u32, n: i32) -> (u32, u32) { (a << (n & 31), a >> (n & 31)) } }
    twin! { fn f(a: i32, b: i32) -> (bool, bool, bool) { (a < b, a == b, a >= b) } }
    twin! { fn f(a: u32) -> (u32, bool) { (!a, !(a > 3)) } }
}

#[test]
fn float_operators() {
    twin! { fn f(a: f32, b: f32) -> (f32, f32, f32) { (a + b, a - b, a * b) } }
    twin! { fn f(a: f32, b: f32) -> (f32, f32, f32) { (a / b, a % b, -a) } }
    twin! { fn f(a: f32, b: f32) -> (bool, bool, bool, bool) { (a < b, a <= b, a == b, a != b) } }
    twin! { fn f(a: f32, b: f32) -> (u32, u32) { (a.total_cmp(&b) as i32 as u32, a.partial_cmp(&b).map_or(7, |o| o as i32 as u32)) } }
}

#[test]
fn bool_operators() {
    twin! { fn f(a: bool, b: bool) -> (bool, bool, bool, bool) { (a && b, a || b, a ^ b, !a) } }
    twin! { fn f(a: u32, b: u32) -> bool { b != 0 && a / b > 2 || a == 5 } }
}

#[test]
fn casts() {
    twin! { fn f(a: f32) -> (i32, u32) { (a as i32, a as u32) } }
    twin! { fn f(a: i32, b: u32) -> (f32, f32, u32, i32) { (a as f32, b as f32, a as u32, b as i32) } }
    twin! { fn f(a: bool, n: usize) -> (u32, i32, u32, f32) { (a as u32, a as i32, n as u32, n as f32) } }
}

#[test]
fn vector_operators() {
    twin! { fn f(a: Vec3, b: Vec3) -> (Vec3, Vec3, Vec3, Vec3) { (a + b, a - b, a * b, a / b) } }
    twin! { fn f(a: Vec3, s: f32) -> (Vec3, Vec3, Vec3) { (a * s, s * a, s - a) } }
    twin! { fn f(a: Vec3, b: Vec3) -> (Vec3, Vec3) { (a % b, -a) } }
    twin! { fn f(a: Vec4, b: Vec4) -> (Vec4, Vec4) { (a % b, a / b) } }
    twin! { fn f(a: IVec3, b: IVec3) -> IVec3 { a / b } }
    twin! { fn f(a: IVec3, b: IVec3) -> IVec3 { a % b } }
    twin! { fn f(a: UVec4, s: u32) -> (UVec4, UVec4) { (a / s, a % 5) } }
    twin! { fn f(a: UVec4) -> UVec4 { a / UVec4::new(3, 0, 1, 2) } }
    twin! { fn f(a: Vec2, b: Vec2) -> (bool, bool) { (a == b, a != b) } }
    twin! { fn f(a: Vec3) -> (f32, Vec3) { let mut v = a; v.y = v.x * 2.0; v.z += 1.0; (v.y, v) } }
    twin! { fn f(a: Vec3, s: f32) -> Vec3 { let mut v = a; v *= s; v += a; v -= Vec3::ONE; v } }
}

#[test]
fn order_of_evaluation() {
    twin! { fn f(a: i32) -> (i32, i32) { let mut x = 1; let y = x + { x = a & 7; x }; (x, y) } }
    twin! { fn f(a: i32) -> i32 { let mut x = 1; x += { x = 5; a & 7 }; x } }
    twin! { fn f(a: u32) -> [u32; 3] {
        let mut i = 0; let mut t = [1, 2, 3]; t[i] = { i = 2; a }; t[{ i -= 1; i }] += { i = 1; 10 }; t
    } }
    twin! { fn f(a: f32) -> ([Vec2; 2], u32) {
        let mut n = 0; let mut t = [Vec2::ZERO; 2];
        t[{ n = n * 10 + 1; 0usize }] += { n = n * 10 + 2; Vec2::splat(a) };
        (t, n)
    } }
    twin! { fn f(a: u32) -> (u32, u32) {
        let mut n = 0; let p = ({ n = n * 2 + 1; n }, { n = n * 2 + a % 2; n }); (n, p.1 - p.0)
    } }
}

#[test]
fn branches_and_loops() {
    twin! { fn f(a: i32) -> i32 { if a > 0 { if a > 5 { 3 } else { 2 } } else if a == 0 { 1 } else { 0 } } }
    twin! { fn f(a: u32) -> u32 { let mut n = 0; let mut k = a % 50; while k > 0 { n += k; k -= 1; } n } }
    twin! { fn f(a: u32) -> u32 { let mut k = 0; loop { k += 3; if k > a % 100 { break k * 2; } } } }
    twin! { fn f(a: u32) -> u32 {
        let mut n = 0;
        'outer: for i in 0..a % 20 {
            for j in 0..i { if j == 5 { continue 'outer; } if i == 15 { break 'outer; } if j % 2 == 1 { continue; } n += i * j; }
            n += 1;
        }
        n
    } }
    twin! { fn f(a: i32) -> i32 { let mut n = 0; for i in -3..=a % 10 { if i == 0 { continue; } n = n * 2 + i; } n } }
    twin! { fn f(a: u32) -> u32 { let mut n = 0; for i in u32::MAX - a % 4..=u32::MAX { n += i & 3; if a == 7 { break; } } n } }
    twin! { fn f(a: i32) -> i32 { let mut n = 0; for _ in 5..a % 12 { n += 1; } for mut k in 0..3 { k *= 2; n += k; } n } }
    twin! { fn f(a: u32) -> u32 { 'b: { if a < 3 { break 'b 1; } if a < 9 { break 'b a + 1; } a / 2 } } }
    twin! { fn f(a: u32) -> u32 { let x = loop { if a > 5 { return 7; } if a == 3 { break 1; } break 2; }; x + 1 } }
    twin! { fn f(a: u32, b: bool) -> u32 { if b { return a; } let c: u32 = if a > 4 { return 1 } else { a }; c * 2 } }
    twin! { fn f(a: u32) -> u32 { loop { return a; } } }
}

#[test]
fn arrays_tuples_and_structs() {
    twin! { fn f(t: [i32; 4], i: u32) -> i32 { let k = (i % 6) as usize; t[k] } }
    twin! { fn f(t: [i32; 4], i: u32) -> [i32; 4] { let mut t = t; let k = (i % 6) as usize; t[k] = 9; t[0] += 1 & t[3]; t } }
    twin! { fn f(a: f32) -> [[f32; 2]; 3] { let mut t = [[0.0; 2]; 3]; for i in 0..3 { t[i][i % 2] = a; } t } }
    twin! { fn f(a: f32, i: u32) -> f32 { let t = [[1.0, 2.0, a], [3.0, 4.0, 5.0]]; let k = (i & 1) as usize; t[k][2] + t[1][k] } }
    twin! { fn f(p: (i32, f32)) -> (f32, i32) { let (a, mut b) = p; b *= 2.0; let q = (b, a); (q.0, q.1) } }
    twin! { fn f(a: u32) -> u32 { let t = [7; 5]; let mut n = 0; for i in 0..t.len() { n += t[i] * i as u32; } n + (a & 1) } }
    twin! { fn f(a: u32) -> u32 { let x = a & 3; let x = x * 2; { let x = x + 1; let _ = x; } x } }
}

#[test]
fn functions_and_structs() {
    twin! {
        [
            #[derive(Clone, Copy)] struct Pair { a: f32, b: f32 }
            #[derive(Clone, Copy)] struct Nest { n: u32, pair: Pair }
            fn swap(p: Pair) -> Pair { Pair { b: p.a, a: p.b } }
            fn grow(mut n: Nest) -> Nest { n.pair = swap(n.pair); n.n += 1; n.pair.a *= 2.0; n }
        ]
        fn f(x: f32, k: usize) -> (f32, f32, u32) {
            let nest = grow(Nest { n: k as u32, pair: Pair { a: x, b: 1.0 } });
            let pair = nest.pair;
            (pair.a, nest.pair.b, nest.n)
        }
    }
    twin! {
        [
            const N: usize = 4;
            const TABLE: [i32; N] = [3, 1, 4, 1];
            fn twice(a: i32) -> i32 { if a > 100 { return 100; } a * 2 }
        ]
        fn f(a: i32, k: usize) -> i32 {
            let mut sum = 0;
            for i in 0..N { sum += twice(TABLE[i]) * 2; }
            sum + TABLE[k] + TABLE[N - 1]
        }
    }
}

/// Literals in a cast operand take the cast's type only where rustc hands it down to them.
#[test]
fn casts_of_choices() {
    twin! { fn f(a: bool) -> u64 { (if a { !0 >> 1 } else { !0 }) as u64 } }
    twin! { fn f(a: bool, b: i32) -> u64 { (if a { 5 } else { b }) as u64 } }
    twin! { fn f(a: u32) -> u64 { (if a > 1 { !0 } else if a > 0 { 7 } else { -1 }) as u64 } }
    twin! { fn f(a: bool) -> u64 { (match a { true => !0 >> 1, false => !0 }) as u64 } }
    twin! { fn f(a: bool) -> u64 { ({ let _ = a; !0 }) as u64 } }
    twin! { fn f(a: bool) -> u64 { (!0) as u64 >> (a as u32) } }
    twin! { fn f(a: bool) -> u64 { (loop { if a { break !0 >> 1; } break 3; }) as u64 } }
}
