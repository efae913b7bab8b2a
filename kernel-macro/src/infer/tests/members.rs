//! Messages of methods, fields and arguments.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn methods() {
    check_each(
        &[
            "fn f(n: u32) { n.sqrt(); }",
            "fn f(a: f32) { a.sqrtt(); }",
            "fn f(v: Vec3) { v.xw(); }",
            "fn f(v: Vec3) { v.splat(1.0); }",
            "fn kernel(x: &[f32]) { x.iter(); }",
            "fn kernel(x: &[f32]) { x.shuffle(); }",
        ],
        expect![[r#"
            error: [K0104] no method `sqrt` on type `u32`
                   help: `sqrt` is a method of `f32`: write `(n as f32).sqrt(…)`
             1 | fn f(n: u32) { n.sqrt(); }
               |                  ^^^^
            error: [K0104] no method `sqrtt` on type `f32`
                   help: a method with a similar name exists: `sqrt`
             1 | fn f(a: f32) { a.sqrtt(); }
               |                  ^^^^^
            error: [K0104] no method `xw` on type `Vec3`
                   help: its lanes are `x`, `y`, `z`
             1 | fn f(v: Vec3) { v.xw(); }
               |                   ^^
            error: [K0104] no method `splat` on type `Vec3`
                   help: it is a function of the type: write `Vec3::splat(…)`
             1 | fn f(v: Vec3) { v.splat(1.0); }
               |                   ^^^^^
            error: [K0001] an iterator cannot be used as a value in kernels
                   note: store it in a `let` of its own, `let mut it = x.iter();`, or consume it at once
                   help: go through it with `for`, `it.next()`, or end the chain with `.sum()`, `.fold(…)` or their like
             1 | fn kernel(x: &[f32]) { x.iter(); }
               |                        ^^^^^^^^
            error: [K0104] no method `shuffle` on type `&[f32]`
                   help: slices have `len()`, `iter()`, `first()`, `get(i)`, `swap(i, j)` and others, and indexing
             1 | fn kernel(x: &[f32]) { x.shuffle(); }
               |                          ^^^^^^^
        "#]],
    );
    check_errors(
        "struct P { a: f32 }
fn f(p: P) { p.norm(); }",
        expect![[r#"
            error: [K0104] no method `norm` on type `P`
                   help: write it in an `impl` beside the struct, in a `#[device] mod`
             2 | fn f(p: P) { p.norm(); }
               |                ^^^^
        "#]],
    );
    check_each(
        &[
            "fn f(v: Vec3) { v.tan(); }",
            "fn f(v: Vec4) { v.extend(1.0); }",
            "fn f() { Vec3::splatt(1.0); }",
            "fn f(n: u32) { n.checked_sqrt(); }",
        ],
        expect![[r#"
            error: [K0104] no method `tan` on type `Vec3`
                   help: `tan` is a method of `f32`: apply it to each lane
             1 | fn f(v: Vec3) { v.tan(); }
               |                   ^^^
            error: [K0104] no method `extend` on type `Vec4`
             1 | fn f(v: Vec4) { v.extend(1.0); }
               |                   ^^^^^^
            error: [K0104] no function `splatt` on type `Vec3`
                   help: a method with a similar name exists: `splat`
             1 | fn f() { Vec3::splatt(1.0); }
               |                ^^^^^^
            error: [K0104] no method `checked_sqrt` on type `u32`
                   help: a method with a similar name exists: `checked_shr`
             1 | fn f(n: u32) { n.checked_sqrt(); }
               |                  ^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn ambiguous_numbers() {
    check_errors(
        "fn f() { 2.0.sqrt(); }",
        expect![[r#"
        error: [K0109] can't call method `sqrt` on ambiguous numeric type `{float}`
               help: add a suffix: `2.0_f32.sqrt(…)`
         1 | fn f() { 2.0.sqrt(); }
           |              ^^^^
    "#]],
    );
    check_errors(
        "fn f() { let x = 2.0;
    x.sqrt(); }",
        expect![[r#"
            error: [K0109] can't call method `sqrt` on ambiguous numeric type `{float}`
                   help: write the type where it is declared: `let x: f32 = …`
             2 |     x.sqrt(); }
               |       ^^^^
        "#]],
    );
    check_errors(
        "fn f() { let n = (3).pow(2); }",
        expect![[r#"
        error: [K0109] can't call method `pow` on ambiguous numeric type `{integer}`
               help: add a suffix: `3_u32.pow(…)`
         1 | fn f() { let n = (3).pow(2); }
           |                      ^^^
    "#]],
    );
}

#[test]
fn nothing_determines_the_type() {
    check_each(
        &["fn f() { let e = []; }", "fn f() { [].len(); }", "fn f() { let x: [_; 0] = []; }"],
        expect![[r#"
            error: [K0109] cannot infer the type of `e`
                   help: write it, for example `let e: [f32; 0] = …`
             1 | fn f() { let e = []; }
               |              ^
            error: [K0109] cannot infer the type of this expression
                   help: bind it with `let` and write the type
             1 | fn f() { [].len(); }
               |          ^^
            error: [K0109] cannot infer the type of `x`
                   help: write it, for example `let x: [f32; 0] = …`
             1 | fn f() { let x: [_; 0] = []; }
               |              ^
        "#]],
    );
}

#[test]
fn wrong_number_of_arguments() {
    check_errors(
        "fn g(a: f32) {}
fn f() { g(); }",
        expect![[r#"
            error: [K0106] `g` takes 1 argument, but 0 were given
             2 | fn f() { g(); }
               |          ^
        "#]],
    );
    check_errors(
        "fn g(a: f32) {}
fn f() { g(1.0, 2.0, 3.0); }",
        expect![[r#"
            error: [K0106] `g` takes 1 argument, but 3 were given
             2 | fn f() { g(1.0, 2.0, 3.0); }
               |                 ^^^^^^^^
        "#]],
    );
    check_each(
        &[
            "fn f(a: f32) { a.max(); }",
            "fn f() { Vec3::new(1.0, 2.0); }",
            "fn f() { global_id(1); }",
            "fn f() { vec2(1.0); }",
        ],
        expect![[r#"
            error: [K0106] `max` takes 1 argument, but 0 were given
             1 | fn f(a: f32) { a.max(); }
               |                  ^^^
            error: [K0106] `new` takes 3 arguments, but 2 were given
             1 | fn f() { Vec3::new(1.0, 2.0); }
               |                ^^^
            error: [K0106] `global_id` takes 0 arguments, but 1 was given
             1 | fn f() { global_id(1); }
               |                    ^
            error: [K0106] `vec2` takes 2 arguments, but 1 was given
                   help: write `Vec2::splat(1.0)`
             1 | fn f() { vec2(1.0); }
               |          ^^^^
        "#]],
    );
}

#[test]
fn fields() {
    check_errors(
        "struct Particle { mass: f32, speed: f32 }
fn f(p: Particle) { p.mas; }",
        expect![[r#"
            error: [K0105] struct `Particle` has no field `mas`
                   help: a field with a similar name exists: `mass`
             2 | fn f(p: Particle) { p.mas; }
               |                       ^^^
        "#]],
    );
    check_errors(
        "struct P { a: f32 }
fn f(p: P) { p.velocity; }",
        expect![[r#"
            error: [K0105] struct `P` has no field `velocity`
                   help: its fields are `a`
             2 | fn f(p: P) { p.velocity; }
               |                ^^^^^^^^
        "#]],
    );
    check_each(
        &["fn f(v: Vec2) { v.z; }", "fn f(v: Vec3) { v.xy; }", "fn f(t: (f32, f32)) { t.2; }", "fn f(a: f32) { a.x; }"],
        expect![[r#"
            error: [K0105] no field `z` on type `Vec2`
                   help: its lanes are `x`, `y`
             1 | fn f(v: Vec2) { v.z; }
               |                   ^
            error: [K0105] no field `xy` on type `Vec3`
                   help: a swizzle is a method: write `v.xy()`
             1 | fn f(v: Vec3) { v.xy; }
               |                   ^^
            error: [K0105] no field `2` on type `(f32, f32)`
                   help: its members are `0` to `1`
             1 | fn f(t: (f32, f32)) { t.2; }
               |                         ^
            error: [K0105] no field `x` on type `f32`
             1 | fn f(a: f32) { a.x; }
               |                  ^
        "#]],
    );
    check_errors(
        "struct P { a: f32, b: f32, c: f32 }
fn f() { P { a: 1.0 }; }",
        expect![[r#"
            error: [K0105] missing fields `b`, `c` of struct `P`
             2 | fn f() { P { a: 1.0 }; }
               |          ^
        "#]],
    );
    check_errors(
        "struct P { a: f32 }
fn f() { P { a: 1.0, a: 2.0 }; }",
        expect![[r#"
            error: [K0105] field `a` is given twice
             2 | fn f() { P { a: 1.0, a: 2.0 }; }
               |                      ^
        "#]],
    );
    check_errors(
        "struct P { alpha: f32 }
fn f() { P { alhpa: 1.0 }; }",
        expect![[r#"
            error: [K0105] struct `P` has no field `alhpa`
                   help: a field with a similar name exists: `alpha`
             2 | fn f() { P { alhpa: 1.0 }; }
               |              ^^^^^
        "#]],
    );
}
