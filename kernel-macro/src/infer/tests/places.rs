//! Messages of indices, assignments and buffers.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn indices() {
    check_each(
        &[
            "fn kernel(i: i32, x: &[f32]) { x[i]; }",
            "fn kernel(x: &[f32]) { x[1.0]; }",
            "fn kernel(x: &[f32]) { x[global_id()]; }",
            "fn f(a: f32) { a[0]; }",
            "fn f(a: [f32; 2]) { a[2]; }",
            "fn f(v: Vec3, n: u32) { v[n]; }",
            "fn f(t: (f32, f32)) { t[0]; }",
        ],
        expect![[r#"
            error: [K0108] expected `u32` or `usize`, found `i32`
                   note: buffers and arrays are indexed by unsigned integers
                   help: write `i as u32`
             1 | fn kernel(i: i32, x: &[f32]) { x[i]; }
               |                                  ^
            error: [K0108] expected `u32` or `usize`, found a float
                   note: buffers and arrays are indexed by unsigned integers
             1 | fn kernel(x: &[f32]) { x[1.0]; }
               |                          ^^^
            error: [K0108] expected `u32` or `usize`, found `UVec3`
                   note: buffers and arrays are indexed by unsigned integers
                   help: take one lane: `global_id().x`
             1 | fn kernel(x: &[f32]) { x[global_id()]; }
               |                          ^^^^^^^^^^^
            error: [K0108] cannot index into `f32`
                   note: buffers, arrays and vectors have elements
             1 | fn f(a: f32) { a[0]; }
               |                ^
            error: [K0108] index 2 is out of range: `a` has 2 elements
             1 | fn f(a: [f32; 2]) { a[2]; }
               |                       ^
            error: [K0102] expected `usize`, found `u32`
                   note: vectors are indexed by `usize`
                   help: write `n as usize`
             1 | fn f(v: Vec3, n: u32) { v[n]; }
               |                           ^
            error: [K0108] cannot index into `(f32, f32)`
                   help: members of a tuple are `t.0`, `.1`, …
             1 | fn f(t: (f32, f32)) { t[0]; }
               |                       ^
        "#]],
    );
    check_errors(
        "fn kernel(x: &[f32]) {
    let mut i = 0;
    x[i];
    i = -1i32;
}",
        expect![[r#"
            error: [K0108] expected `u32` or `usize`, found `i32`
                   note: buffers and arrays are indexed by unsigned integers
                   help: write `i as u32`
             3 |     x[i];
               |       ^
        "#]],
    );
}

#[test]
fn assignments() {
    check_errors(
        "fn f() {
    let x = 1;
    x = 2;
}",
        expect![[r#"
            error: [K0110] cannot assign to immutable variable `x`
                   note: `x` is declared at line 2
                   help: declare it `mut x`
             3 |     x = 2;
               |     ^
        "#]],
    );
    check_errors(
        "fn kernel(x: &[f32]) { x[0] = 1.0; }",
        expect![[r#"
        error: [K0110] cannot assign to an element of `x`
               note: `x` is `&[f32]`, which is read-only
               help: declare it `x: &mut [f32]`
         1 | fn kernel(x: &[f32]) { x[0] = 1.0; }
           |                        ^^^^
    "#]],
    );
    check_errors(
        "const N: u32 = 1;
fn f() { N = 2; }",
        expect![[r#"
            error: [K0110] cannot assign to the const `N`
                   help: copy it to a variable first: `let mut x = …`
             2 | fn f() { N = 2; }
               |          ^
        "#]],
    );
    check_each(
        &[
            "fn kernel(x: &[f32], y: &mut [f32]) { y = x; }",
            "fn f(a: f32) { a + 1.0 = 2.0; }",
            "fn f(v: Vec3) { v.x += 1.0; }",
            "fn f(a: [f32; 2]) { a[0] = 1.0; }",
            "fn f() { global_id().x = 1; }",
        ],
        expect![[r#"
            error: [K0110] cannot assign to the buffer `y`
                   help: assign its elements: `y[i] = …`
             1 | fn kernel(x: &[f32], y: &mut [f32]) { y = x; }
               |                                       ^
            error: [K0203] the buffer `x` is used as a value
                   note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
                   help: take an element, `x[i]`, or name all of them: `let part = &x[..];`
             1 | fn kernel(x: &[f32], y: &mut [f32]) { y = x; }
               |                                           ^
            error: [K0110] cannot assign to this expression
                   note: only variables and elements of `&mut [T]` parameters can be assigned to
             1 | fn f(a: f32) { a + 1.0 = 2.0; }
               |                ^^^^^^^
            error: [K0110] cannot assign to immutable variable `v`
                   note: `v` is declared at line 1
                   help: declare it `mut v`
             1 | fn f(v: Vec3) { v.x += 1.0; }
               |                 ^
            error: [K0110] cannot assign to immutable variable `a`
                   note: `a` is declared at line 1
                   help: declare it `mut a`
             1 | fn f(a: [f32; 2]) { a[0] = 1.0; }
               |                     ^
            error: [K0110] cannot assign to this expression
                   note: only variables and elements of `&mut [T]` parameters can be assigned to
             1 | fn f() { global_id().x = 1; }
               |          ^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn buffers_as_values() {
    check_errors("fn kernel(x: &[f32]) { let z = x; }", expect![""]);
    check_errors(
        "fn g(a: f32) {}
fn kernel(x: &[f32]) { g(x); }",
        expect![[r#"
            error: [K0203] the buffer `x` is used as a value
                   note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
                   help: take an element, `x[i]`, or name all of them: `let part = &x[..];`
             2 | fn kernel(x: &[f32]) { g(x); }
               |                          ^
        "#]],
    );
    check_errors(
        "fn kernel(x: &[f32]) { x; }",
        expect![[r#"
            error: [K0203] the buffer `x` is used as a value
                   note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
                   help: take an element, `x[i]`, or name all of them: `let part = &x[..];`
             1 | fn kernel(x: &[f32]) { x; }
               |                        ^
        "#]],
    );
}

#[test]
fn uninitialised() {
    check_errors(
        "fn f() { let part: &[f32]; }",
        expect![[r#"
            error: [K0204] the variable `part` has no value here
                   note: a reference or slice gets its place where it is declared, and keeps it
                   help: let the choice be an index: `let start = if … { … } else { … };`, then `let part = &x[start..];`
             1 | fn f() { let part: &[f32]; }
               |              ^^^^
        "#]],
    );
    check_errors(
        "fn f() { let x: &mut f32; }",
        expect![[r#"
            error: [K0204] the variable `x` has no value here
                   note: a reference or slice gets its place where it is declared, and keeps it
                   help: let the choice be an index: `let start = if … { … } else { … };`, then `let part = &x[start..];`
             1 | fn f() { let x: &mut f32; }
               |              ^
        "#]],
    );
}
