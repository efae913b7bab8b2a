//! Messages of the methods of `Option`, `Result` and `bool`, and of what they are given to call.

use expect_test::expect;

use super::harness::{accepted, check_errors};

#[test]
fn accepted_forms() {
    accepted("fn f(a: u32) -> u32 { Some(a).map(|v| v + 1).and_then(|v| a.checked_sub(v)).unwrap_or_else(|| 3) }");
    accepted("fn f(a: f32) -> f32 { Some(a).map(f32::sqrt).map_or(0.0, |v| v * 2.0) }");
    accepted(
        "fn f(a: u32) -> Option<u32> { let mut n = 0; (a > 3).then(|| n += a); let mut o = Some(n); o.replace(a); o.take() }",
    );
    accepted("fn f(a: u32) -> Option<f32> { let g = |v: u32| v as f32; Some(a).map(g) }");
}

#[test]
fn refused_forms() {
    check_errors(
        "
fn f(a: u32, o: Option<u32>) {
    let b = o.map(5);
    let c = o.map(|v, w| v);
    let d = o.map_or(1.5, |v| v);
    let e = o.and_then(|v| v + 1);
    let g = o.map(a);
    o.take();
    o.replace(1.0);
    let mut n = 0;
    let h = o.map(move |v| { n += v; n });
    let i = o.and_then(|v| None);
    let j = o.map();
}",
        expect![[r#"
            error: [K0102] expected a closure or the name of a function, found an integer
                   help: write `|x| …`
             2 |     let b = o.map(5);
               |                   ^
            error: [K0106] expected a closure with 1 parameter, found one with 2
             3 |     let c = o.map(|v, w| v);
               |                   ^^^^^^^^
            error: [K0102] expected a float, found `u32`
             4 |     let d = o.map_or(1.5, |v| v);
               |                               ^
            error: [K0102] expected `Option<_>`, found `u32`
             5 |     let e = o.and_then(|v| v + 1);
               |                            ^^^^^
            error: [K0100] expected a function, found the variable `a`
                   note: kernels have no function pointers
             6 |     let g = o.map(a);
               |                   ^
            error: [K0110] cannot assign to immutable variable `o`
                   note: `o` is declared at line 1
                   help: declare it `mut o`
             7 |     o.take();
               |     ^
            error: [K0110] cannot assign to immutable variable `o`
                   note: `o` is declared at line 1
                   help: declare it `mut o`
             8 |     o.replace(1.0);
               |     ^
            error: [K0102] expected `u32`, found float literal
                   note: the receiver asks for `u32`
                   help: write `1`
             8 |     o.replace(1.0);
               |               ^^^
            error: [K0110] the closure changes the variable `n` of the enclosing function
                   note: a `move` closure has a copy of its own
                   help: remove `move`
            10 |     let h = o.map(move |v| { n += v; n });
               |                              ^
            error: [K0109] cannot infer the type of `i`
                   help: write it, for example `let i: Option<f32> = …`
            11 |     let i = o.and_then(|v| None);
               |         ^
            error: [K0106] `map` takes 1 argument, but 0 were given
            12 |     let j = o.map();
               |               ^^^
        "#]],
    );
}
