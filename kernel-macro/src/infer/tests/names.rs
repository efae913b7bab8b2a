//! Messages of names and types that are unknown, or known as something else.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn unknown_values() {
    check_errors(
        "fn f(radius: f32) -> f32 { raduis }",
        expect![[r#"
        error: [K0100] cannot find value `raduis` in this scope
               help: a name with a similar spelling exists: `radius`
         1 | fn f(radius: f32) -> f32 { raduis }
           |                            ^^^^^^
    "#]],
    );
    check_errors("fn f() -> f32 { PI }", expect![""]);
    check_errors(
        "fn f() -> f32 { f32::EPSILN }",
        expect![[r#"
        error: [K0100] no constant `EPSILN` on type `f32`
               help: a constant with a similar name exists: `EPSILON`
         1 | fn f() -> f32 { f32::EPSILN }
           |                 ^^^^^^^^^^^
    "#]],
    );
    check_errors(
        "fn f() -> f128 { f128::MAX }",
        expect![[r#"
            error: [K0101] type `f128` is not available in kernels yet
                   help: use `f64`
             1 | fn f() -> f128 { f128::MAX }
               |           ^^^^
            error: [K0100] cannot find value `f128::MAX` in this scope
                   help: `f128` is not available in kernels yet: use `f64`
             1 | fn f() -> f128 { f128::MAX }
               |                  ^^^^^^^^^
        "#]],
    );
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
    check_each(
        &[
            "fn f() -> u32 { global_id.x }",
            "fn f() -> usize { usize::MAX }",
            "fn f() { let x = y; }",
            "fn f() { let x = COUNT; }",
            "fn f() { { let x = 1; } x; }",
        ],
        expect![[r#"
            error: [K0100] cannot find value `global_id` in this scope
                   help: `global_id` is a function: write `global_id()`
             1 | fn f() -> u32 { global_id.x }
               |                 ^^^^^^^^^
            error: [K0100] cannot find value `y` in this scope
                   help: declare it with `let y = …`, or make it a parameter
             1 | fn f() { let x = y; }
               |                  ^
            error: [K0100] cannot find value `COUNT` in this scope
                   help: a const needs `#[device]` to be used in kernels
             1 | fn f() { let x = COUNT; }
               |                  ^^^^^
            error: [K0100] cannot find value `x` in this scope
                   help: declare it with `let x = …`, or make it a parameter
             1 | fn f() { { let x = 1; } x; }
               |                         ^
        "#]],
    );
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
    check_errors("fn f() { barrier(); }", expect![""]);
    check_each(
        &[
            "fn f(a: f32) -> f32 { sqrt(a) }",
            "fn f(n: u32) -> f32 { f32(n) }",
            "fn f() -> Vec3 { Vec3(1.0, 2.0, 3.0) }",
            "fn f(a: f32) { a(1); }",
            "fn f() { frobnicate(); }",
            "fn f() { Vec5::new(1.0); }",
        ],
        expect![[r#"
            error: [K0100] cannot find function `sqrt` in this scope
                   help: it is a method: write `a.sqrt()`
             1 | fn f(a: f32) -> f32 { sqrt(a) }
               |                       ^^^^
            error: [K0100] expected a function, found type `f32`
                   help: write `n as f32`
             1 | fn f(n: u32) -> f32 { f32(n) }
               |                       ^^^
            error: [K0100] expected a function, found type `Vec3`
                   help: write `Vec3::new(…)`
             1 | fn f() -> Vec3 { Vec3(1.0, 2.0, 3.0) }
               |                  ^^^^
            error: [K0100] expected a function, found the variable `a`
                   note: kernels have no function pointers
             1 | fn f(a: f32) { a(1); }
               |                ^
            error: [K0100] cannot find function `frobnicate` in this scope
                   help: a function needs `#[device]` to be called from kernels
             1 | fn f() { frobnicate(); }
               |          ^^^^^^^^^^
            error: [K0100] cannot find function `Vec5::new` in this scope
                   help: a type with a similar name exists: `Vec2`
             1 | fn f() { Vec5::new(1.0); }
               |          ^^^^^^^^^
        "#]],
    );
    check_errors(
        "struct P { a: f32 }
fn f() { P::new(1.0); }",
        expect![[r#"
            error: [K0100] cannot find function `P::new` in this scope
                   help: write it in an `impl` beside the struct, in a `#[device] mod`
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
                   help: call it, `g(…)`, or pass a closure that does, `|x| g(x)`
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
    check_errors(
        "fn f(a: f128) {}",
        expect![[r#"
            error: [K0101] type `f128` is not available in kernels yet
                   help: use `f64`
             1 | fn f(a: f128) {}
               |         ^^^^
        "#]],
    );
    check_errors("fn f(a: u8) {}", expect![""]);
    check_each(
        &[
            "fn f(a: Vec5) {}",
            "fn f(a: Particle) {}",
            "fn f() { let v = Vec3 { x: 1.0, y: 2.0, z: 3.0 }; }",
            "fn f() { let v = Particle { x: 1.0 }; }",
            "fn kernel(x: &[f64], s: Shared) {}",
        ],
        expect![[r#"
            error: [K0101] cannot find type `Vec5` in this scope
                   help: a type with a similar name exists: `Vec2`
             1 | fn f(a: Vec5) {}
               |         ^^^^
            error: [K0101] cannot find type `Particle` in this scope
                   help: a struct needs `#[derive(GpuData)]` to be used in kernels, an enum `#[device]`
             1 | fn f(a: Particle) {}
               |         ^^^^^^^^
            error: [K0101] expected a struct, found type `Vec3`
                   help: write `Vec3::new(…)`
             1 | fn f() { let v = Vec3 { x: 1.0, y: 2.0, z: 3.0 }; }
               |                  ^^^^
            error: [K0101] cannot find struct `Particle` in this scope
                   help: a struct needs `#[derive(GpuData)]` to be used in kernels
             1 | fn f() { let v = Particle { x: 1.0 }; }
               |                  ^^^^^^^^
            error: [K0101] `Shared` needs the type that it holds
                   help: write `Shared<[f32; 256]>`
             1 | fn kernel(x: &[f64], s: Shared) {}
               |                         ^^^^^^
        "#]],
    );
}

#[test]
fn types_of_items_are_written_out() {
    check_each(
        &["fn f(a: _) -> [_; 2] { a }", "fn kernel(x: &[_]) {}", "const N: _ = 1;"],
        expect![[r#"
            error: [K0109] types of items are written out: `_` is for local variables
                   help: write the type
             1 | fn f(a: _) -> [_; 2] { a }
               |         ^
            error: [K0109] types of items are written out: `_` is for local variables
                   help: write the type
             1 | fn f(a: _) -> [_; 2] { a }
               |               ^^^^^^
            error: [K0109] types of items are written out: `_` is for local variables
                   help: write the type
             1 | fn kernel(x: &[_]) {}
               |              ^^^^
            error: [K0109] types of items are written out: `_` is for local variables
                   help: write the type
             1 | const N: _ = 1;
               |          ^
        "#]],
    );
}
