//! Messages of expressions of another type than expected.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn literal_of_another_kind() {
    check_each(
        &[
            "fn f() -> f32 { let x: f32 = 2; x }",
            "fn f() -> u32 { 2.0 }",
            "fn f(a: f32) -> f32 { 2 * a }",
            "fn f(a: f32) -> f32 { a + -1 }",
            "fn f() -> u32 { 2.5 }",
            "fn f(a: f32, b: bool) -> f32 { if b { a } else { 0 } }",
        ],
        expect![[r#"
            error: [K0102] expected `f32`, found integer literal
                   help: write `2.0`
             1 | fn f() -> f32 { let x: f32 = 2; x }
               |                              ^
            error: [K0102] expected `u32`, found float literal
                   note: `f` returns `u32`
                   help: write `2`
             1 | fn f() -> u32 { 2.0 }
               |                 ^^^
            error: [K0102] expected `f32`, found integer literal
                   note: the right operand is `f32`
                   help: write `2.0`
             1 | fn f(a: f32) -> f32 { 2 * a }
               |                       ^
            error: [K0102] expected `f32`, found integer literal
                   note: the left operand is `f32`
                   help: write `-1.0`
             1 | fn f(a: f32) -> f32 { a + -1 }
               |                           ^^
            error: [K0102] expected `u32`, found float literal
                   note: `f` returns `u32`
             1 | fn f() -> u32 { 2.5 }
               |                 ^^^
            error: [K0102] expected `f32`, found integer literal
                   note: `f` returns `f32`
                   help: write `0.0`
             1 | fn f(a: f32, b: bool) -> f32 { if b { a } else { 0 } }
               |                                                  ^
        "#]],
    );
}

#[test]
fn mismatch_names_declarations() {
    check_errors(
        "fn f(a: f32,
     n: u32) -> f32 {
    let b = a;
    let k = n;
    b * k
}",
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: `b` is `f32` because of its declaration at line 3
                   note: `k` is `u32` because of its declaration at line 4
                   help: write `k as f32`
             5 |     b * k
               |         ^
        "#]],
    );
    check_errors(
        "fn f(a: f32) {
    let mut n = 1u32;
    n = a;
}",
        expect![[r#"
            error: [K0102] expected `u32`, found `f32`
                   note: `n` is `u32` because of its declaration at line 2
                   note: `a` is `f32` because of its declaration at line 1
                   help: write `a as u32`
             3 |     n = a;
               |         ^
        "#]],
    );
}

#[test]
fn mismatch_of_arguments() {
    check_errors(
        "fn g(t: f32, n: u32) -> f32 { t }
fn f(n: u32) -> f32 { g(n, 1) }",
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: parameter `t` of `g` is `f32`
                   help: write `n as f32`
             2 | fn f(n: u32) -> f32 { g(n, 1) }
               |                         ^
        "#]],
    );
    check_errors(
        "fn f(a: f32, n: u32) -> f32 { a.max(n) }",
        expect![[r#"
        error: [K0102] expected `f32`, found `u32`
               help: write `n as f32`
         1 | fn f(a: f32, n: u32) -> f32 { a.max(n) }
           |                                     ^
    "#]],
    );
    check_errors(
        "struct P { mass: f32 }
fn f(n: u32) -> P { P { mass: n } }",
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: field `mass` of `P` is `f32`
                   help: write `n as f32`
             2 | fn f(n: u32) -> P { P { mass: n } }
               |                               ^
        "#]],
    );
}

#[test]
fn mismatch_of_results() {
    check_each(
        &[
            "fn f(n: u32) -> f32 { n }",
            "fn f(n: u32) -> f32 { return n; }",
            "fn kernel(x: &[f32]) { x[0] }",
            "fn f() { return 1; }",
        ],
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: `f` returns `f32`
                   help: write `n as f32`
             1 | fn f(n: u32) -> f32 { n }
               |                       ^
            error: [K0102] expected `f32`, found `u32`
                   note: `f` returns `f32`
                   help: write `n as f32`
             1 | fn f(n: u32) -> f32 { return n; }
               |                              ^
            error: [K0102] expected `()`, found `f32`
                   note: `kernel` returns nothing
                   help: end the expression with `;` if its value is not needed
             1 | fn kernel(x: &[f32]) { x[0] }
               |                        ^^^^
            error: [K0102] this function returns nothing, but this `return` has a value
                   help: write `return;`
             1 | fn f() { return 1; }
               |                 ^
        "#]],
    );
}

#[test]
fn mismatch_of_vectors() {
    check_each(
        &[
            "fn f(v: Vec3, n: u32) -> Vec3 { v * n }",
            "fn f(v: Vec3, u: UVec3) -> Vec3 { v + u }",
            "fn f(v: Vec3) -> Vec3 { let mut w = v; w = 1.0; w }",
            "fn f(v: Vec3, w: Vec2) -> Vec3 { v + w }",
            "fn f(v: Vec3, mut a: f32) { a *= v; }",
        ],
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: the left operand is `Vec3`
                   help: write `n as f32`
             1 | fn f(v: Vec3, n: u32) -> Vec3 { v * n }
               |                                     ^
            error: [K0102] expected `Vec3`, found `UVec3`
                   note: the left operand is `Vec3`
                   help: write `u.as_vec3()`
             1 | fn f(v: Vec3, u: UVec3) -> Vec3 { v + u }
               |                                       ^
            error: [K0102] expected `Vec3`, found float literal
                   help: write `Vec3::splat(1.0)`
             1 | fn f(v: Vec3) -> Vec3 { let mut w = v; w = 1.0; w }
               |                                            ^^^
            error: [K0102] expected `Vec3`, found `Vec2`
                   note: the left operand is `Vec3`
                   help: write `w.extend(…)` with the last lane
             1 | fn f(v: Vec3, w: Vec2) -> Vec3 { v + w }
               |                                      ^
            error: [K0102] expected `f32`, found `Vec3`
                   help: take one lane: `.x`
             1 | fn f(v: Vec3, mut a: f32) { a *= v; }
               |                                  ^
        "#]],
    );
}

#[test]
fn mismatch_of_branches() {
    check_errors(
        "fn f(n: u32, a: f32) {
    let x = if n > 1 {
        a
    } else {
        n
    };
}",
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: the first branch is `f32`, at line 3
                   note: `n` is `u32` because of its declaration at line 1
                   help: write `n as f32`
             5 |         n
               |         ^
        "#]],
    );
    check_errors(
        "fn f(n: u32) { let x = if n > 1 { 1 } else { 2.0 }; }",
        expect![[r#"
        error: [K0102] expected an integer, found float literal
               note: the first branch is an integer
               help: write `2`
         1 | fn f(n: u32) { let x = if n > 1 { 1 } else { 2.0 }; }
           |                                              ^^^
    "#]],
    );
    check_errors(
        "fn f(n: u32) { let x = if n > 1 { 1 } else { }; }",
        expect![[r#"
        error: [K0113] expected an integer, but this branch ends without a value
               note: both branches of an `if` have the same type
         1 | fn f(n: u32) { let x = if n > 1 { 1 } else { }; }
           |                                            ^^^
    "#]],
    );
}

#[test]
fn conditions() {
    check_each(
        &[
            "fn f(n: u32) { if n { } }",
            "fn f(n: u32) { while n - 1 { } }",
            "fn f(n: u32, b: bool) -> bool { b && n }",
            "fn f(n: u32) { if n = 1 { } }",
        ],
        expect![[r#"
            error: [K0102] expected `bool`, found `u32`
                   note: a condition is a `bool`
                   help: write `n != 0`
             1 | fn f(n: u32) { if n { } }
               |                   ^
            error: [K0102] expected `bool`, found `u32`
                   note: a condition is a `bool`
                   help: write `(n - 1) != 0`
             1 | fn f(n: u32) { while n - 1 { } }
               |                      ^^^^^
            error: [K0102] expected `bool`, found `u32`
                   note: `&&` combines `bool`s
                   help: write `n != 0`
             1 | fn f(n: u32, b: bool) -> bool { b && n }
               |                                      ^
            error: [K0110] cannot assign to immutable variable `n`
                   note: `n` is declared at line 1
                   help: declare it `mut n`
             1 | fn f(n: u32) { if n = 1 { } }
               |                   ^
            error: [K0102] expected `bool`, found `()`
                   note: a condition is a `bool`
                   help: compare with `==`
             1 | fn f(n: u32) { if n = 1 { } }
               |                   ^^^^^
        "#]],
    );
}

#[test]
fn statements_without_semicolon() {
    check_errors(
        "fn f(n: u32) { if n > 1 { 1 } else { 2 } n; }",
        expect![[r#"
        error: [K0102] expected `()`, found integer literal
               note: a statement without `;` has no value
               help: end the expression with `;` if its value is not needed
         1 | fn f(n: u32) { if n > 1 { 1 } else { 2 } n; }
           |                           ^
        error: [K0102] expected `()`, found integer literal
               note: a statement without `;` has no value
               help: end the expression with `;` if its value is not needed
         1 | fn f(n: u32) { if n > 1 { 1 } else { 2 } n; }
           |                                      ^
    "#]],
    );
}

#[test]
fn patterns() {
    check_errors(
        "fn f(a: f32) { let (x, y) = a; }",
        expect![[r#"
        error: [K0102] expected `f32`, found a pattern for a tuple of 2 elements
         1 | fn f(a: f32) { let (x, y) = a; }
           |                    ^^^^^^
    "#]],
    );
    check_errors(
        "fn f() { let (x, y) = (1, 2, 3); }",
        expect![[r#"
        error: [K0102] expected `({integer}, {integer}, {integer})`, found a pattern for a tuple of 2 elements
         1 | fn f() { let (x, y) = (1, 2, 3); }
           |              ^^^^^^
    "#]],
    );
}
