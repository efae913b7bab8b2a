//! Patterns, `match`, enums, `Option` and `Result`, against rustc.

use super::twin::twin;

#[test]
fn matches_on_numbers() {
    twin! { fn f(a: u32) -> u32 { match a % 12 { 0 => 7, 1 | 2 => 8, 3..=5 => 9, 6..8 => 10, n => n * 2 } } }
    twin! { fn f(a: u32) -> u32 { match a { 0 => 7, u32::MAX => 8, 0x8000_0000.. => 9, ..100 => 10, _ => 11 } } }
    twin! { fn f(a: i32) -> i32 { match a { i32::MIN..=-2 => 1, -1 => 2, 0 => 3, 1..=i32::MAX => 4 } } }
    twin! { fn f(a: i32) -> i32 { match a % 4 { -3 => 1, -2 => 2, -1 => 3, 0 => 4, 1 => 5, 2 => 6, _ => 7 } } }
    twin! { fn f(a: u32) -> u32 { match a % 9 { n @ 1..=3 => n, n @ (4 | 6) => n * 10, n if n == 5 => 50, n if n > 7 => n + 100, _ => 0 } } }
    // The first of two arms for a number.
    twin! { fn f(a: u32) -> u32 { match a % 12 { 0 => 7, 1..=5 => 8, 4..=8 => 9, 8 | 9 => 10, _ => 11 } } }
    twin! { fn f(a: bool, b: bool) -> u32 { match (a, b) { (true, true) => 3, (true, false) => 2, (false, true) => 1, (false, false) => 0 } } }
    twin! { fn f(a: bool) -> u32 { match a { true => 3, false => 2 } } }
    twin! { fn f(a: f32) -> u32 { match a { 0.0 => 1, 1.0..=2.5 => 2, -1.5 => 3, _ => 4 } } }
    twin! { fn f(a: usize) -> usize { match a { 0 => 1, 1..4 => 2, n => n / 2 } } }
    twin! { fn f(a: u32) -> u32 { match a % 6 { 0 => 1, 1 => return 9, 2 => 3, 3 => { let b = a + 1; b * 2 } 4 => 5, _ => return 6 } } }
    twin! { fn f(a: u32) -> u32 { let mut n = 0; match a % 3 { 0 => n = 5, 1 => n += 2, _ => {} } n } }
    twin! { fn f(a: u32) -> u32 { let mut n = 0; for i in 0..10 { match i { 0 => continue, 7 if a > 3 => break, 4 => n += 10, _ => n += 1 } } n } }
    twin! { fn f(a: u32) -> bool { matches!(a % 8, 1 | 3..=5) && !matches!(a, n if n % 2 == 0) } }
}

#[test]
fn nested_patterns() {
    twin! { fn f(a: u32, b: i32) -> i32 { match (a % 4, b) { (0, 0) => 1, (0, _) => 2, (1 | 2, n @ 3..) => n, (_, n) if n < 0 => -n % 7, (n, _) => n as i32 } } }
    twin! { fn f(a: u32, b: u32) -> u32 { match (a % 5, b % 5) { (n, 3) | (3, n) => n + 10, (0, n) | (n, 0) | (n, 1) => n, _ => 77 } } }
    twin! { fn f(a: u32, b: u32) -> u32 { match (a % 5, b % 5) { (n, _) | (_, n) if n > 2 => n, _ => 77 } } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut tries = 0; let r = match (a % 5, b % 5) { (n, _) | (_, n) if { tries += 1; n > 2 } => n, _ => 77 }; r * 10 + tries } }
    twin! { fn f(t: [i32; 4]) -> i32 { match t { [0, ..] => 1, [.., -1] => 2, [a, 1, .., b] => a % 8 + b % 8, [_, b, rest @ ..] => b % 16 + rest[0] % 16 + rest[1] % 16 } } }
    twin! { fn f(p: (i32, f32)) -> i32 { let (a, _) = p; let ((x, y), [z, .., w]) = ((a, 2), [1, 2, 3, 4]); x % 100 + y + z * w } }
    twin! { fn f(t: [i32; 4], k: u32) -> i32 { match t { [_, rest @ .., _] => { let i = (k % 2) as usize; rest[i] } } } }
}

#[test]
fn conditions_with_let() {
    twin! { fn f(a: u32, b: u32) -> u32 { if let 1..=5 = a % 8 { 1 } else if let (n, 3) = (a, b % 4) { n } else { 3 } } }
    twin! {
        [ fn half(a: u32) -> Option<u32> { if a & 1 == 0 { Some(a / 2) } else { None } } ]
        fn f(a: u32, b: u32) -> u32 {
            if let Some(x) = half(a) && x > 2 && let Some(y) = half(x) && let (z, true) = (y + 1, b > 1) { return x + y + z; }
            let Some(c) = half(b) else { return 1000 };
            let mut n = c;
            let mut rounds = 0;
            while let Some(next) = half(n) && rounds < 5 { n = next; rounds += 1; }
            n + rounds * 100
        }
    }
}

#[test]
fn options_and_results() {
    twin! {
        [
            fn half(a: u32) -> Option<u32> { if a & 1 == 0 { Some(a / 2) } else { None } }
            fn eighth(a: u32) -> Option<u32> { let b = half(half(a)?)?; half(b) }
        ]
        fn f(a: u32) -> (u32, bool, u32) { (eighth(a).unwrap_or(99), half(a).is_some(), half(a + 1).or(eighth(a)).unwrap_or_default()) }
    }
    twin! {
        [
            fn parse(a: i32) -> Result<u32, i32> { if a < 0 { Err(a) } else { Ok(a as u32) } }
            fn both(a: i32, b: i32) -> Result<(u32, u32), i32> { Ok((parse(a)?, parse(b)?)) }
        ]
        fn f(a: i32, b: i32) -> (u32, i32, bool) {
            let (x, y) = match both(a, b) { Ok((x, y)) => (x, y as i32), Err(e) => (5, e) };
            (x, y, parse(a).ok().is_none() && parse(b).is_ok())
        }
    }
    twin! { fn f(a: u32, b: u32) -> u32 {
        let x = if a > 3 { Some(a) } else { None };
        let y = if b > 3 { Some(b) } else { None };
        let pair = match x.zip(y) { Some((p, q)) => p & q, None => 1 };
        let z: Option<Option<u32>> = if a > 9 { Some(x) } else { None };
        pair + x.xor(y).unwrap_or(2) % 16 + x.and(y).unwrap_or(3) % 16 + z.flatten().unwrap_or(4) % 16
            + x.ok_or(b).err().unwrap_or(5) % 16 + x.or(y).is_none() as u32
    } }
    twin! { fn f(a: u32) -> (f32, u32) {
        let r: Result<f32, u32> = if a > 3 { Err(a) } else { Ok(1.5) };
        let s = r.and(Ok(2.5)).or(Err((a, 1.0)));
        let unit: Option<()> = if a > 5 { Some(()) } else { None };
        let Err((e, _)) = s else { return (s.unwrap_or(0.0) + unit.is_some() as u32 as f32, 0) };
        (r.unwrap_or(7.0), e)
    } }
}

#[test]
fn enums() {
    twin! {
        [
            #[derive(Clone, Copy)] enum Shape { Point, Circle(f32), Rect { w: f32, h: f32 }, Both(u32, [i32; 2]) }
            fn area(s: Shape) -> f32 { match s { Shape::Point => 0.0, Shape::Circle(r) => r * r * 3.0, Shape::Rect { w, h } => w * h, Shape::Both(n, [a, _]) => n as f32 + a as f32 } }
            fn make(k: u32, a: f32) -> Shape { match k % 4 { 0 => Shape::Point, 1 => Shape::Circle(a), 2 => Shape::Rect { h: 2.0, w: a }, _ => Shape::Both(k, [1, 2]) } }
        ]
        fn f(k: u32, a: f32) -> (f32, bool) {
            let mut shapes = [Shape::Point; 3];
            shapes[(k % 3) as usize] = make(k, a);
            let mut sum = 0.0;
            for i in 0..3 { sum += area(shapes[i]); }
            (sum, matches!(shapes[1], Shape::Rect { w: 0.0.., .. }))
        }
    }
    twin! {
        [
            #[derive(Clone, Copy)] enum Code { A, B = 5, C, D = -3 }
            #[derive(Clone, Copy)] enum Plain { X, Y, Z }
            fn code(k: u32) -> Code { match k % 4 { 0 => Code::A, 1 => Code::B, 2 => Code::C, _ => Code::D } }
        ]
        fn f(k: u32) -> (u32, i32, usize) {
            let plain = if k > 5 { Plain::Y } else if k > 3 { Plain::Z } else { Plain::X };
            (code(k) as u32, code(k) as i32, plain as usize)
        }
    }
    twin! {
        [
            #[derive(Clone, Copy)] struct Meters(f32);
            #[derive(Clone, Copy)] struct Pair { a: u32, b: Option<u32>, m: Meters }
            fn build(a: u32) -> Pair { let base = Pair { a: 1, b: None, m: Meters(2.0) }; Pair { b: Some(a), ..base } }
        ]
        fn f(a: u32) -> (u32, f32) {
            let p = build(a);
            let Pair { b, m: Meters(m), .. } = p;
            let q = Pair { a: 3, ..p };
            match q { Pair { a: 3, b: Some(n @ 1..=9), .. } => (n, m), Pair { a, .. } => (a + b.unwrap_or(0), q.m.0) }
        }
    }
}

#[test]
fn consts_in_patterns() {
    twin! {
        [
            const LIMIT: u32 = 3;
            const PAIR: (u32, bool) = (1, true);
            const NOTHING: Option<u32> = None;
            const FIVE: Option<u32> = Some(5);
        ]
        fn f(a: u32, b: bool) -> u32 {
            let x = match a { LIMIT => 1, 0..LIMIT => 2, _ => 3 };
            let y = match (a % 4, b) { PAIR => 10, _ => 20 };
            let z = match if a > 4 { FIVE } else { NOTHING } { Some(LIMIT) => 100, FIVE => 200, NOTHING => 300, Some(n) => n };
            x + y + z
        }
    }
}

#[test]
fn loops_over_ranges_and_arrays() {
    twin! { fn f(t: [i32; 4]) -> i32 { let mut n = 0; for x in t { n = n * 3 % 1000 + x % 10; } n } }
    twin! { fn f(t: [i32; 4]) -> [i32; 4] { let mut t = t; for (i, x) in t.into_iter().enumerate() { t[3 - i] = x / 2; } t } }
    twin! { fn f(t: [i32; 4]) -> i32 { let mut n = 0; for (i, x) in t.iter().copied().rev().enumerate() { if i == 2 { continue; } n = n * 3 % 1000 + x % 10 + i as i32; } n } }
    twin! { fn f(a: u32, b: u32) -> u32 { let mut n = 7u32; for i in (a % 9..b % 9).rev() { n = n.wrapping_mul(31) ^ i; } for i in (a % 9..=b % 9).rev() { n = n.wrapping_mul(31) ^ i; } n } }
    twin! { fn f(a: u32, k: u32) -> u32 { let mut n = 7u32; for i in (3..a % 40).step_by((k % 5 + 1) as usize) { n = n.wrapping_mul(31) ^ i; } n } }
    twin! { fn f(a: i32, k: u32) -> i32 { let mut n = 7i32; for i in (-20..a % 40).step_by((k % 5 + 1) as usize).rev() { n = n.wrapping_mul(31) ^ i; } n } }
    twin! { fn f(a: i32, k: u32) -> i32 { let mut n = 7i32; for (j, i) in (-20..a % 40).rev().step_by((k % 5 + 1) as usize).enumerate() { n = n.wrapping_mul(31) ^ i + j as i32; } n } }
    twin! { fn f(a: u32) -> u32 { let mut n = 0u32; for i in (u32::MAX - a % 9..=u32::MAX).step_by(4) { n = n.wrapping_mul(31) ^ i; } n } }
    twin! { fn f(a: u32) -> u32 { let mut n = 0u32; for i in (0..=a % 9).rev().step_by(4) { n = n.wrapping_mul(31) ^ i; } for i in (i32::MIN..=i32::MAX).step_by(1 << 30) { n = n.wrapping_mul(31) ^ i as u32; } n } }
    twin! { fn f(a: i8, b: i8) -> i32 { let mut n = 7i32; for (j, i) in (a..=b).rev().step_by(77).enumerate() { n = n.wrapping_mul(31) ^ i as i32 + j as i32; } for i in (a..b).step_by(300) { n = n.wrapping_mul(31) ^ i as i32; } n } }
    twin! { fn f(a: u64) -> u64 { let mut n = 7u64; for (j, i) in (a..u64::MAX).step_by(0x6000_0000).enumerate() { n = n.wrapping_mul(31) ^ i; if j > 4 { break; } } n } }
    twin! { fn f(a: i64) -> i64 { let mut n = 7i64; for i in (a.wrapping_sub(9)..=a).step_by(4) { n = n.wrapping_mul(31) ^ i; } n } }
    twin! { fn f(a: i64, b: u8) -> u32 { match (a, b) { (i64::MIN..=-1, 0..=9 | 200..) => 1, (0, n) => n as u32, (1.., 7 | 8 | 255) => 2, (n, _) if n % 2 == 0 => 3, _ => 4 } } }
    twin! { fn f(a: u8) -> u32 { match a { 0 => 1, 1 => 5, 2 | 3 => 6, 127 => 7, 128..=254 => 8, 255 => 9, _ => 10 } } }
    twin! { fn f(a: usize) -> usize { let mut n = 0; for i in (a % 5..12).step_by(3).rev() { if i == 6 { continue; } n = n * 16 + i; if i == 2 { break; } } n } }
    twin! { fn f(a: u32) -> u32 { let mut n = a & 3; for (x, y) in [(1, 2), (3, 4)] { n += x * y; } for _ in [0u32; 0] { n += 1; } n } }
}

#[test]
fn sugar() {
    twin! { fn f(a: u32, b: u32) -> (u32, u32) { let (mut x, mut y) = (a, b); (x, y) = (y, x / 2); let mut t = [1, 2, 3]; [t[0], _, t[2]] = [x, 9, y]; (_, x) = (x, t[2] ^ t[1]); (x, y) } }
    twin! { fn f(a: u32) -> u32 { const N: usize = 3; const BASE: u32 = 4; const LIMIT: u32 = 2 + BASE; let t = [a; N]; match t[1] { LIMIT => 7, BASE => 8, n => n / 2 + N as u32 } } }
    twin! { fn f(a: u32) -> u32 { let n = const { 3 * 4 + 1 }; const TABLE: [u32; 4] = [3, 1, 4, 1]; TABLE[(a % 4) as usize] + n } }
    twin! {
        [
            #[derive(Clone, Copy)] struct Meters(f32);
            fn g((a, b): (u32, f32), Meters(c): Meters, _: u32, [x, .., y]: [i32; 3]) -> f32 { a as f32 + b + c + (x - y) as f32 }
        ]
        fn f(a: u32, b: f32) -> f32 { g((a % 100, b), Meters(2.0), 5, [1, 2, 9]) }
    }
    twin! { fn f(a: u32) -> u32 { let x = a & 3; let (x, y) = (x + 1, x); y + { let y = y * 2; let x = (x, y); x.0 + x.1 } } }
    twin! { fn f(a: u32) -> u32 { let x: Option<u32> = Some(a); let y: Result<u32, i32> = Ok(a); let z: Result<f32, u32> = Err(a); x.unwrap() / 2 + y.expect("fine") / 4 + z.unwrap_err() / 4 } }
}

#[test]
fn equality() {
    twin! { fn f(a: i32, b: i32) -> (bool, bool, bool) { ((a, b) == (b, a), [a, 1] != [1, b], (a, (b, 2.0)) == (1, (0, 2.0))) } }
    twin! { fn f(a: u32, b: u32) -> (bool, bool, bool) {
        let x = if a > 3 { Some(a) } else { None }; let y = if b > 3 { Some(b) } else { None };
        let r: Result<u32, u32> = if a > 3 { Ok(1) } else { Err(1) }; let s: Result<u32, u32> = if b > 3 { Ok(1) } else { Err(1) };
        (x == y, r != s, x == None || y == Some(4))
    } }
    twin! {
        [
            #[derive(Clone, Copy, PartialEq)] enum Shape { Point, Circle(f32), Rect { w: f32, h: f32 } }
            fn make(k: u32, a: f32) -> Shape { match k % 3 { 0 => Shape::Point, 1 => Shape::Circle(a), _ => Shape::Rect { w: a, h: 2.0 } } }
        ]
        fn f(k: u32, l: u32, a: f32, b: f32) -> (bool, bool) { (make(k, a) == make(l, b), [make(k, a)] != [make(k, a)]) }
    }
}

#[test]
fn swizzles() {
    use glam::{Vec2Swizzles as _, Vec3Swizzles as _, Vec4Swizzles as _};
    twin! { fn f(a: glam::Vec3) -> (glam::Vec2, glam::Vec3, glam::Vec4) { (a.xz(), a.zyx(), a.xxyz()) } }
    twin! { fn f(a: glam::Vec2, b: glam::UVec4) -> (glam::Vec4, glam::UVec2, glam::UVec3) { (a.yxyx(), b.wx(), b.zzw()) } }
}
