//! What a reader of the README alone writes: forms that kernels have, and messages that teach where they do not.

use expect_test::expect;

use super::harness::{accepted, check_errors};

#[test]
fn forms() {
    accepted("enum Err { Small } fn f(x: u32) -> Result<u32, Err> { if x > 1 { Ok(x) } else { Err(Err::Small) } }");
    accepted("fn f(x: u32, n: usize) -> u32 { std::cmp::max(x, 7) + core::cmp::min(n, 3) as u32 }");
    accepted("fn f(x: [f32; 3]) -> Vec3 { Vec3::from(x) + Vec3::from([1.0; 3]) }");
    accepted("const T: &[u8; 3] = b\"abc\"; fn f(i: u32) -> u8 { T[i] + b\"xyz\"[i] }");
    accepted("fn f(x: [u32; 4]) -> u32 { let mut x = x; x.sort(); x.sort_by(|a, b| b.cmp(a)); x[0] }");
    accepted("fn f(x: [(u32, f32); 4]) -> u32 { let mut x = x; x.sort_by_key(|v| v.0); x[0].0 }");
    accepted("fn f(x: &mut [f32]) { x.sort_unstable_by(f32::total_cmp); }");
}

#[test]
fn functions_of_two() {
    check_errors(r##"fn f(x: f32) -> f32 { std::cmp::max(x, 1.0) }"##, expect![[""]]);
    check_errors(r##"fn f(x: u32) -> u32 { std::cmp::max(x, 1, 2) }"##, expect![[""]]);
    check_errors(r##"fn f(x: u32, y: i32) -> u32 { std::cmp::min(x, y) }"##, expect![[""]]);
}

#[test]
fn vectors() {
    check_errors(r##"fn f(x: f32) -> Vec2 { Vec2::from((x, 1.0)) }"##, expect![[""]]);
    check_errors(r##"fn f(x: [f32; 3]) -> Vec2 { Vec2::from(x) }"##, expect![[""]]);
    check_errors(r##"fn f(x: [f32; 2]) -> Vec2 { x.into() }"##, expect![[""]]);
    check_errors(r##"fn f(x: Vec2) -> [f32; 2] { x.into() }"##, expect![[""]]);
    check_errors(r##"fn f(x: f32) -> Vec2 { (x, x).into() }"##, expect![[""]]);
}

#[test]
fn sorting() {
    check_errors(r##"fn f(x: &mut [f32]) { x.sort(); }"##, expect![[""]]);
    check_errors(r##"fn f(x: [u32; 2]) { let mut x = x; let a = x.sort(); }"##, expect![[""]]);
    check_errors(r##"fn f(x: &mut [f32]) { x.sort_by(|a, b| { return a.total_cmp(b); }); }"##, expect![[""]]);
}

#[test]
fn places_in_options_and_enums() {
    check_errors(r##"fn f() { let mut o = Some(1u32); if let Some(v) = &mut o { *v += 1; } }"##, expect![[""]]);
    check_errors(
        r##"enum E { A(u32), B } fn f(e: &mut E) { match e { E::A(n) => *n += 1, E::B => {} } }"##,
        expect![[""]],
    );
}

#[test]
fn options_as_iterators() {
    check_errors(r##"fn f(o: Option<u32>) -> u32 { o.iter().sum::<u32>() }"##, expect![[""]]);
    check_errors(r##"fn f(o: Option<u32>) { for v in o {} }"##, expect![[""]]);
    check_errors(r##"fn f(o: Option<Result<u32, u32>>) { o.transpose(); }"##, expect![[""]]);
}

#[test]
fn slices_that_are_chosen() {
    check_errors(r##"fn f(x: &[u32], n: u32) { let part = if n > 1 { &x[1..] } else { &x[2..] }; }"##, expect![[""]]);
    check_errors(r##"fn f(x: &mut [u32]) {} fn g() { f(&mut [1, 2]); }"##, expect![[""]]);
    check_errors(r##"const WORDS: [&[u8]; 2] = [b"ab", b"c"]; fn f() {}"##, expect![[""]]);
}

#[test]
fn values_that_are_not_copy() {
    check_errors(
        r##"struct P { a: u32 } fn f(p: [P; 2]) -> u32 { let mut s = 0; for v in &p { s += v.a; } s }"##,
        expect![[""]],
    );
    check_errors(r##"struct P { a: u32 } fn f(p: [P; 2]) -> u32 { p.iter().map(|v| v.a).sum() }"##, expect![[""]]);
}

#[test]
fn closures_and_iterators_as_results() {
    check_errors(r##"fn f(n: u32) -> impl Fn(u32) -> u32 { move |x| x + n }"##, expect![[""]]);
    check_errors(r##"struct Count { n: u32 } fn f(c: Count) { for v in c {} }"##, expect![[""]]);
    check_errors(r##"fn f() { let s = "text"; }"##, expect![[""]]);
}
