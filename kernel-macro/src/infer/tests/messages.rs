//! Messages of names, types and operators.

use expect_test::expect;

use super::harness::check_errors;

#[test]
fn literal_of_another_kind() {
    check_errors("fn f() -> f32 { let x: f32 = 2; x }", expect![[r#"
        error: [K0102] expected `f32`, found integer literal
               help: write `2.0`
         1 | fn f() -> f32 { let x: f32 = 2; x }
           |                              ^
    "#]]);
    check_errors("fn f() -> u32 { 2.0 }", expect![[r#"
        error: [K0102] expected `u32`, found float literal
               note: `f` returns `u32`
               help: write `2`
         1 | fn f() -> u32 { 2.0 }
           |                 ^^^
    "#]]);
    check_errors("fn f(a: f32) -> f32 { 2 * a }", expect![[r#"
        error: [K0102] expected `f32`, found integer literal
               note: the right operand is `f32`
               help: write `2.0`
         1 | fn f(a: f32) -> f32 { 2 * a }
           |                       ^
    "#]]);
    check_errors("fn f(a: f32) -> f32 { a + -1 }", expect![[r#"
        error: [K0102] expected `f32`, found integer literal
               note: the left operand is `f32`
               help: write `-1.0`
         1 | fn f(a: f32) -> f32 { a + -1 }
           |                           ^^
    "#]]);
    check_errors("fn f() -> u32 { 2.5 }", expect![[r#"
        error: [K0102] expected `u32`, found float literal
               note: `f` returns `u32`
         1 | fn f() -> u32 { 2.5 }
           |                 ^^^
    "#]]);
    check_errors("fn f(a: f32, b: bool) -> f32 { if b { a } else { 0 } }", expect![[r#"
        error: [K0102] expected `f32`, found integer literal
               note: `f` returns `f32`
               help: write `0.0`
         1 | fn f(a: f32, b: bool) -> f32 { if b { a } else { 0 } }
           |                                                  ^
    "#]]);
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
    check_errors("fn f(a: f32, n: u32) -> f32 { a.max(n) }", expect![[r#"
        error: [K0102] expected `f32`, found `u32`
               help: write `n as f32`
         1 | fn f(a: f32, n: u32) -> f32 { a.max(n) }
           |                                     ^
    "#]]);
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
    check_errors("fn f(n: u32) -> f32 { n }", expect![[r#"
        error: [K0102] expected `f32`, found `u32`
               note: `f` returns `f32`
               help: write `n as f32`
         1 | fn f(n: u32) -> f32 { n }
           |                       ^
    "#]]);
    check_errors("fn f(n: u32) -> f32 { return n; }", expect![[r#"
        error: [K0102] expected `f32`, found `u32`
               note: `f` returns `f32`
               help: write `n as f32`
         1 | fn f(n: u32) -> f32 { return n; }
           |                              ^
    "#]]);
    check_errors("fn kernel(x: &[f32]) { x[0] }", expect![[r#"
        error: [K0102] expected `()`, found `f32`
               note: `kernel` returns nothing
               help: end the expression with `;` if its value is not needed
         1 | fn kernel(x: &[f32]) { x[0] }
           |                        ^^^^
    "#]]);
    check_errors("fn f() { return 1; }", expect![[r#"
        error: [K0102] this function returns nothing, but this `return` has a value
               help: write `return;`
         1 | fn f() { return 1; }
           |                 ^
    "#]]);
}

#[test]
fn mismatch_of_vectors() {
    check_errors("fn f(v: Vec3, n: u32) -> Vec3 { v * n }", expect![[r#"
        error: [K0102] expected `f32`, found `u32`
               note: the left operand is `Vec3`
               help: write `n as f32`
         1 | fn f(v: Vec3, n: u32) -> Vec3 { v * n }
           |                                     ^
    "#]]);
    check_errors("fn f(v: Vec3, u: UVec3) -> Vec3 { v + u }", expect![[r#"
        error: [K0102] expected `Vec3`, found `UVec3`
               note: the left operand is `Vec3`
               help: write `u.as_vec3()`
         1 | fn f(v: Vec3, u: UVec3) -> Vec3 { v + u }
           |                                       ^
    "#]]);
    check_errors("fn f(v: Vec3) -> Vec3 { let mut w = v; w = 1.0; w }", expect![[r#"
        error: [K0102] expected `Vec3`, found float literal
               help: write `Vec3::splat(1.0)`
         1 | fn f(v: Vec3) -> Vec3 { let mut w = v; w = 1.0; w }
           |                                            ^^^
    "#]]);
    check_errors("fn f(v: Vec3, w: Vec2) -> Vec3 { v + w }", expect![[r#"
        error: [K0102] expected `Vec3`, found `Vec2`
               note: the left operand is `Vec3`
         1 | fn f(v: Vec3, w: Vec2) -> Vec3 { v + w }
           |                                      ^
    "#]]);
    check_errors("fn f(v: Vec3, mut a: f32) { a *= v; }", expect![[r#"
        error: [K0102] expected `f32`, found `Vec3`
               help: take one lane: `.x`
         1 | fn f(v: Vec3, mut a: f32) { a *= v; }
           |                                  ^
    "#]]);
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
    check_errors("fn f(n: u32) { let x = if n > 1 { 1 } else { 2.0 }; }", expect![[r#"
        error: [K0102] expected an integer, found float literal
               note: the first branch is an integer
               help: write `2`
         1 | fn f(n: u32) { let x = if n > 1 { 1 } else { 2.0 }; }
           |                                              ^^^
    "#]]);
    check_errors("fn f(n: u32) { let x = if n > 1 { 1 } else { }; }", expect![[r#"
        error: [K0113] expected an integer, but this branch ends without a value
               note: both branches of an `if` have the same type
         1 | fn f(n: u32) { let x = if n > 1 { 1 } else { }; }
           |                                            ^^^
    "#]]);
}

#[test]
fn conditions() {
    check_errors("fn f(n: u32) { if n { } }", expect![[r#"
        error: [K0102] expected `bool`, found `u32`
               note: a condition is a `bool`
               help: write `n != 0`
         1 | fn f(n: u32) { if n { } }
           |                   ^
    "#]]);
    check_errors("fn f(n: u32) { while n - 1 { } }", expect![[r#"
        error: [K0102] expected `bool`, found `u32`
               note: a condition is a `bool`
               help: write `(n - 1) != 0`
         1 | fn f(n: u32) { while n - 1 { } }
           |                      ^^^^^
    "#]]);
    check_errors("fn f(n: u32, b: bool) -> bool { b && n }", expect![[r#"
        error: [K0102] expected `bool`, found `u32`
               note: `&&` combines `bool`s
               help: write `n != 0`
         1 | fn f(n: u32, b: bool) -> bool { b && n }
           |                                      ^
    "#]]);
    check_errors("fn f(n: u32) { if n = 1 { } }", expect![[r#"
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
    "#]]);
}

#[test]
fn missing_values() {
    check_errors(
        "fn f(n: u32) -> u32 {
    n + 1;
}",
        expect![[r#"
            error: [K0113] expected `u32`, but the block ends without a value
                   note: `f` returns `u32`
                   help: remove the semicolon at the end of line 2
             3 | }
               | ^
        "#]],
    );
    check_errors("fn f(n: u32) -> u32 { let x = n; }", expect![[r#"
        error: [K0113] expected `u32`, but the block ends without a value
               note: `f` returns `u32`
               help: end the block with an expression without a semicolon
         1 | fn f(n: u32) -> u32 { let x = n; }
           |                                  ^
    "#]]);
    check_errors("fn f(n: u32) -> u32 { if n > 1 { 2 } }", expect![[r#"
        error: [K0113] expected `u32`, but this `if` has no `else`
               help: add an `else` branch with a value
         1 | fn f(n: u32) -> u32 { if n > 1 { 2 } }
           |                       ^^^^^^^^^^^^^^
    "#]]);
    check_errors("fn f(n: u32) { if n > 1 { 2 } n; }", expect![[r#"
        error: [K0113] this `if` has no `else`, so its value is lost
               help: add an `else` branch, or end the expression with `;`
         1 | fn f(n: u32) { if n > 1 { 2 } n; }
           |                           ^
    "#]]);
    check_errors("fn f(n: u32) -> u32 { return; }", expect![[r#"
        error: [K0113] expected `u32`, but this `return` has no value
               note: `f` returns `u32`
         1 | fn f(n: u32) -> u32 { return; }
           |                       ^^^^^^
    "#]]);
    check_errors("fn f(n: u32) -> u32 { loop { if n > 1 { break 1; } break; } }", expect![[r#"
        error: [K0113] expected `u32`, but this `break` has no value
               help: give every `break` of this loop a value of that type
         1 | fn f(n: u32) -> u32 { loop { if n > 1 { break 1; } break; } }
           |                                                    ^^^^^
    "#]]);
    check_errors("fn f(n: u32) -> u32 { let x: u32 = { n; }; x }", expect![[r#"
        error: [K0113] expected `u32`, but the block ends without a value
               help: remove the semicolon at the end of line 1
         1 | fn f(n: u32) -> u32 { let x: u32 = { n; }; x }
           |                                         ^
    "#]]);
}

#[test]
fn statements_without_semicolon() {
    check_errors("fn f(n: u32) { if n > 1 { 1 } else { 2 } n; }", expect![[r#"
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
    "#]]);
}

#[test]
fn unknown_values() {
    check_errors("fn f(radius: f32) -> f32 { raduis }", expect![[r#"
        error: [K0100] cannot find value `raduis` in this scope
               help: a name with a similar spelling exists: `radius`
         1 | fn f(radius: f32) -> f32 { raduis }
           |                            ^^^^^^
    "#]]);
    check_errors("fn f() -> f32 { PI }", expect![[r#"
        error: [K0100] cannot find value `PI` in this scope
               help: write `std::f32::consts::PI`
         1 | fn f() -> f32 { PI }
           |                 ^^
    "#]]);
    check_errors("fn f() -> f32 { f32::EPSILN }", expect![[r#"
        error: [K0100] no constant `EPSILN` on type `f32`
               help: a constant with a similar name exists: `EPSILON`
         1 | fn f() -> f32 { f32::EPSILN }
           |                 ^^^^^^^^^^^
    "#]]);
    check_errors("fn f() -> f64 { f64::MAX }", expect![[r#"
        error: [K0101] type `f64` is not available in kernels yet
               help: use `f32`
         1 | fn f() -> f64 { f64::MAX }
           |           ^^^
        error: [K0100] cannot find value `f64::MAX` in this scope
               help: `f64` is not available in kernels yet: use `f32`
         1 | fn f() -> f64 { f64::MAX }
           |                 ^^^^^^^^
    "#]]);
    check_errors(
        "const LIMIT: u32 = 3;
fn f() -> u32 { LIMTI }",
        expect![[r#"
            error: [K0100] cannot find value `LIMTI` in this scope
                   help: a name with a similar spelling exists: `LIMIT`
             2 | fn f() -> u32 { LIMTI }
               |                 ^^^^^
        "#]],
    );
    check_errors("fn f() -> u32 { global_id.x }", expect![[r#"
        error: [K0100] cannot find value `global_id` in this scope
               help: `global_id` is a function: write `global_id()`
         1 | fn f() -> u32 { global_id.x }
           |                 ^^^^^^^^^
    "#]]);
    check_errors("fn f() -> usize { usize::MAX }", expect![[r#"
        error: [K0100] no constant `MAX` on type `usize`
               help: `usize` has 32 bits in kernels: write `u32::MAX as usize`
         1 | fn f() -> usize { usize::MAX }
           |                   ^^^^^^^^^^
    "#]]);
    check_errors("fn f() { let x = y; }", expect![[r#"
        error: [K0100] cannot find value `y` in this scope
               help: declare it with `let y = …`, or make it a parameter
         1 | fn f() { let x = y; }
           |                  ^
    "#]]);
    check_errors("fn f() { let x = COUNT; }", expect![[r#"
        error: [K0100] cannot find value `COUNT` in this scope
               help: a const needs `#[device]` to be used in kernels
         1 | fn f() { let x = COUNT; }
           |                  ^^^^^
    "#]]);
    check_errors("fn f() { { let x = 1; } x; }", expect![[r#"
        error: [K0100] cannot find value `x` in this scope
               help: declare it with `let x = …`, or make it a parameter
         1 | fn f() { { let x = 1; } x; }
           |                         ^
    "#]]);
}

#[test]
fn unknown_functions() {
    check_errors(
        "fn smooth(a: f32) -> f32 { a }
fn f() -> f32 { smoth(1.0) }",
        expect![[r#"
            error: [K0100] cannot find function `smoth` in this scope
                   help: a function with a similar name exists: `smooth`
             2 | fn f() -> f32 { smoth(1.0) }
               |                 ^^^^^
        "#]],
    );
    check_errors("fn f() { barrier(); }", expect![[r#"
        error: [K0100] function `barrier` is not available in kernels
               help: split the kernel in two dispatches
         1 | fn f() { barrier(); }
           |          ^^^^^^^
    "#]]);
    check_errors("fn f(a: f32) -> f32 { sqrt(a) }", expect![[r#"
        error: [K0100] function `sqrt` is not available in kernels
               help: write `x.sqrt()`
         1 | fn f(a: f32) -> f32 { sqrt(a) }
           |                       ^^^^
    "#]]);
    check_errors("fn f(n: u32) -> f32 { f32(n) }", expect![[r#"
        error: [K0100] expected a function, found type `f32`
               help: write `n as f32`
         1 | fn f(n: u32) -> f32 { f32(n) }
           |                       ^^^
    "#]]);
    check_errors("fn f() -> Vec3 { Vec3(1.0, 2.0, 3.0) }", expect![[r#"
        error: [K0100] expected a function, found type `Vec3`
               help: write `Vec3::new(…)`
         1 | fn f() -> Vec3 { Vec3(1.0, 2.0, 3.0) }
           |                  ^^^^
    "#]]);
    check_errors("fn f(a: f32) { a(1); }", expect![[r#"
        error: [K0100] expected a function, found the variable `a`
               note: kernels have no function pointers
         1 | fn f(a: f32) { a(1); }
           |                ^
    "#]]);
    check_errors("fn f() { frobnicate(); }", expect![[r#"
        error: [K0100] cannot find function `frobnicate` in this scope
               help: a function needs `#[device]` to be called from kernels
         1 | fn f() { frobnicate(); }
           |          ^^^^^^^^^^
    "#]]);
    check_errors("fn f() { Vec5::new(1.0); }", expect![[r#"
        error: [K0100] cannot find function `Vec5::new` in this scope
               help: a type with a similar name exists: `Vec2`
         1 | fn f() { Vec5::new(1.0); }
           |          ^^^^^^^^^
    "#]]);
    check_errors(
        "struct P { a: f32 }
fn f() { P::new(1.0); }",
        expect![[r#"
            error: [K0100] cannot find function `P::new` in this scope
                   help: methods of structs are not available yet: write a `#[device] fn`
             2 | fn f() { P::new(1.0); }
               |          ^^^^^^
        "#]],
    );
}

#[test]
fn items_of_another_kind() {
    check_errors(
        "const N: u32 = 1;
fn f() { N(); }",
        expect![[r#"
            error: [K0100] expected a function, found const `N`
             2 | fn f() { N(); }
               |          ^
        "#]],
    );
    check_errors(
        "fn g() {}
fn f() { let x = g; }",
        expect![[r#"
            error: [K0100] the function `g` is used as a value
                   note: kernels have no function pointers
                   help: call it: `g(…)`
             2 | fn f() { let x = g; }
               |                  ^
        "#]],
    );
    check_errors(
        "struct P { a: f32 }
fn f() { let x = P; }",
        expect![[r#"
            error: [K0100] expected a value, found struct `P`
                   help: write `P { … }`
             2 | fn f() { let x = P; }
               |                  ^
        "#]],
    );
    check_errors(
        "fn g() {}
fn f() { let x: g = 1; }",
        expect![[r#"
            error: [K0101] expected a type, found `g`
                   note: `g` is a function
             2 | fn f() { let x: g = 1; }
               |                 ^
        "#]],
    );
    check_errors(
        "fn g() {}
fn f() { let x = g { a: 1 }; }",
        expect![[r#"
            error: [K0101] expected a struct, found function `g`
             2 | fn f() { let x = g { a: 1 }; }
               |                  ^
        "#]],
    );
}

#[test]
fn unknown_types() {
    check_errors("fn f(a: f64) {}", expect![[r#"
        error: [K0101] type `f64` is not available in kernels yet
               help: use `f32`
         1 | fn f(a: f64) {}
           |         ^^^
    "#]]);
    check_errors("fn f(a: u8) {}", expect![[r#"
        error: [K0101] type `u8` is not available in kernels yet
               help: use `u32`
         1 | fn f(a: u8) {}
           |         ^^
    "#]]);
    check_errors("fn f(a: Vec5) {}", expect![[r#"
        error: [K0101] cannot find type `Vec5` in this scope
               help: a type with a similar name exists: `Vec2`
         1 | fn f(a: Vec5) {}
           |         ^^^^
    "#]]);
    check_errors("fn f(a: Particle) {}", expect![[r#"
        error: [K0101] cannot find type `Particle` in this scope
               help: a struct needs `#[derive(GpuData)]` to be used in kernels
         1 | fn f(a: Particle) {}
           |         ^^^^^^^^
    "#]]);
    check_errors("fn f() { let v = Vec3 { x: 1.0, y: 2.0, z: 3.0 }; }", expect![[r#"
        error: [K0101] expected a struct, found type `Vec3`
               help: write `Vec3::new(…)`
         1 | fn f() { let v = Vec3 { x: 1.0, y: 2.0, z: 3.0 }; }
           |                  ^^^^
    "#]]);
    check_errors("fn f() { let v = Particle { x: 1.0 }; }", expect![[r#"
        error: [K0101] cannot find struct `Particle` in this scope
               help: a struct needs `#[derive(GpuData)]` to be used in kernels
         1 | fn f() { let v = Particle { x: 1.0 }; }
           |                  ^^^^^^^^
    "#]]);
    check_errors("fn kernel(x: &[f64], s: Shared) {}", expect![[r#"
        error: [K0101] type `f64` is not available in kernels yet
               help: use `f32`
         1 | fn kernel(x: &[f64], s: Shared) {}
           |                ^^^
        error: [K0101] type `Shared` is not available in kernels yet
               help: use a buffer parameter and a second dispatch
         1 | fn kernel(x: &[f64], s: Shared) {}
           |                         ^^^^^^
    "#]]);
}
