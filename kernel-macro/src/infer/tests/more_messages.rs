//! Messages of operators, members, places, loops and checks.

use expect_test::expect;

use super::harness::check_errors;

#[test]
fn operators_on_wrong_types() {
    check_errors("fn f(a: bool, b: bool) { a + b; }", expect![[r#"
        error: [K0103] cannot apply `+` to `bool`
               help: convert it to a number first, `as u32`, or use `&`, `|`, `^`
         1 | fn f(a: bool, b: bool) { a + b; }
           |                          ^
    "#]]);
    check_errors("fn f(a: f32, b: bool) { a + b; }", expect![[r#"
        error: [K0102] expected `f32`, found `bool`
               note: the left operand is `f32`
               help: write `b as u32 as f32`
         1 | fn f(a: f32, b: bool) { a + b; }
           |                             ^
    "#]]);
    check_errors("fn f(a: f32) { a << 1; }", expect![[r#"
        error: [K0103] cannot apply `<<` to `f32`
               help: work on the bits: `x.to_bits()` and `f32::from_bits`
         1 | fn f(a: f32) { a << 1; }
           |                ^
    "#]]);
    check_errors("fn f(a: f32) { a & 1; }", expect![[r#"
        error: [K0103] cannot apply `&` to `f32`
               help: work on the bits: `x.to_bits()` and `f32::from_bits`
         1 | fn f(a: f32) { a & 1; }
           |                ^
    "#]]);
    check_errors("fn f(a: f32) { !a; }", expect![[r#"
        error: [K0103] cannot apply `!` to `f32`
               note: `!` is for `bool` and integers
         1 | fn f(a: f32) { !a; }
           |                 ^
    "#]]);
    check_errors("fn f(n: u32) { -n; }", expect![[r#"
        error: [K0103] cannot apply `-` to `u32`
               note: unsigned values cannot be negated
               help: convert first, `n as i32`, or write `n.wrapping_neg()`
         1 | fn f(n: u32) { -n; }
           |                 ^
    "#]]);
    check_errors("fn f() -> u32 { -1 }", expect![[r#"
        error: [K0103] cannot apply `-` to `u32`
               note: unsigned values cannot be negated
               help: for the largest value write `u32::MAX`
         1 | fn f() -> u32 { -1 }
           |                  ^
    "#]]);
    check_errors("fn f(a: bool, b: bool) { a < b; }", expect![[r#"
        error: [K0103] cannot compare `bool` with `<`
               help: write `!a & b` for `a < b`
         1 | fn f(a: bool, b: bool) { a < b; }
           |                          ^
    "#]]);
    check_errors("fn f(v: Vec3, w: Vec3) { v < w; }", expect![[r#"
        error: [K0103] cannot compare `Vec3` with `<`
               help: compare lane by lane with `cmplt`, `cmpge`, …, then `.all()` or `.any()`
         1 | fn f(v: Vec3, w: Vec3) { v < w; }
           |                          ^
    "#]]);
    check_errors("fn f(v: UVec3) { v & v; }", expect![[r#"
        error: [K0103] cannot apply `&` to `UVec3`
               help: bit operators on vectors are not available yet: apply it to each lane
         1 | fn f(v: UVec3) { v & v; }
           |                  ^
    "#]]);
    check_errors("fn f(a: (f32, f32)) { a == a; }", expect![[r#"
        error: [K0103] cannot compare `(f32, f32)` with `==`
               help: comparing aggregates is not available yet: compare the members
         1 | fn f(a: (f32, f32)) { a == a; }
           |                       ^
    "#]]);
    check_errors("fn f(n: u32, m: i32) { n + m; }", expect![[r#"
        error: [K0102] expected `u32`, found `i32`
               note: the left operand is `u32`
               help: write `m as u32`
         1 | fn f(n: u32, m: i32) { n + m; }
           |                            ^
    "#]]);
    check_errors("fn f(n: u32, z: usize) { n < z; }", expect![[r#"
        error: [K0102] expected `u32`, found `usize`
               note: the left operand is `u32`
               help: write `z as u32`
         1 | fn f(n: u32, z: usize) { n < z; }
           |                              ^
    "#]]);
    check_errors("fn f(n: u32) { n << 1.0; }", expect![[r#"
        error: [K0102] expected an integer, found float literal
               note: `<<` shifts by an integer
               help: write `1`
         1 | fn f(n: u32) { n << 1.0; }
           |                     ^^^
    "#]]);
    check_errors("fn f(v: UVec2) { -v; }", expect![[r#"
        error: [K0103] cannot apply `-` to `UVec2`
               note: unsigned values cannot be negated
               help: convert first: `.as_ivec2()`
         1 | fn f(v: UVec2) { -v; }
           |                   ^
    "#]]);
}

#[test]
fn methods() {
    check_errors("fn f(n: u32) { n.sqrt(); }", expect![[r#"
        error: [K0104] no method `sqrt` on type `u32`
               help: `sqrt` is a method of `f32`: write `(n as f32).sqrt(…)`
         1 | fn f(n: u32) { n.sqrt(); }
           |                  ^^^^
    "#]]);
    check_errors("fn f(a: f32) { a.sqrtt(); }", expect![[r#"
        error: [K0104] no method `sqrtt` on type `f32`
               help: a method with a similar name exists: `sqrt`
         1 | fn f(a: f32) { a.sqrtt(); }
           |                  ^^^^^
    "#]]);
    check_errors("fn f(v: Vec3) { v.xy(); }", expect![[r#"
        error: [K0104] no method `xy` on type `Vec3`
               help: swizzles are not available yet: write `Vec2::new(v.x, v.y)`
         1 | fn f(v: Vec3) { v.xy(); }
           |                   ^^
    "#]]);
    check_errors("fn f(v: Vec3) { v.splat(1.0); }", expect![[r#"
        error: [K0104] no method `splat` on type `Vec3`
               help: it is a function of the type: write `Vec3::splat(…)`
         1 | fn f(v: Vec3) { v.splat(1.0); }
           |                   ^^^^^
    "#]]);
    check_errors("fn f(a: f32) { a.clone(); }", expect![[r#"
        error: [K0104] no method `clone` on type `f32`
               help: values are `Copy`: leave it out
         1 | fn f(a: f32) { a.clone(); }
           |                  ^^^^^
    "#]]);
    check_errors("fn kernel(x: &[f32]) { x.iter(); }", expect![[r#"
        error: [K0104] no method `iter` on type `&[f32]`
               help: loop over indices: `for i in 0..x.len()`
         1 | fn kernel(x: &[f32]) { x.iter(); }
           |                          ^^^^
    "#]]);
    check_errors("fn kernel(x: &[f32]) { x.first(); }", expect![[r#"
        error: [K0104] no method `first` on type `&[f32]`
               help: buffers have `len()`, `is_empty()` and indexing
         1 | fn kernel(x: &[f32]) { x.first(); }
           |                          ^^^^^
    "#]]);
    check_errors(
        "struct P { a: f32 }
fn f(p: P) { p.norm(); }",
        expect![[r#"
            error: [K0104] no method `norm` on type `P`
                   help: methods of structs are not available yet: write a `#[device] fn`
             2 | fn f(p: P) { p.norm(); }
               |                ^^^^
        "#]],
    );
    check_errors("fn f(v: Vec3) { v.sin(); }", expect![[r#"
        error: [K0104] no method `sin` on type `Vec3`
               help: `sin` is a method of `f32`: apply it to each lane
         1 | fn f(v: Vec3) { v.sin(); }
           |                   ^^^
    "#]]);
    check_errors("fn f(v: Vec4) { v.extend(1.0); }", expect![[r#"
        error: [K0104] no method `extend` on type `Vec4`
         1 | fn f(v: Vec4) { v.extend(1.0); }
           |                   ^^^^^^
    "#]]);
    check_errors("fn f() { Vec3::splatt(1.0); }", expect![[r#"
        error: [K0104] no function `splatt` on type `Vec3`
               help: a method with a similar name exists: `splat`
         1 | fn f() { Vec3::splatt(1.0); }
           |                ^^^^^^
    "#]]);
    check_errors("fn f(n: u32) { n.checked_add(1); }", expect![[r#"
        error: [K0104] no method `checked_add` on type `u32`
               help: `Option` is not available in kernels yet: compare first
         1 | fn f(n: u32) { n.checked_add(1); }
           |                  ^^^^^^^^^^^
    "#]]);
}

#[test]
fn ambiguous_numbers() {
    check_errors("fn f() { 2.0.sqrt(); }", expect![[r#"
        error: [K0109] can't call method `sqrt` on ambiguous numeric type `{float}`
               help: add a suffix: `2.0_f32.sqrt(…)`
         1 | fn f() { 2.0.sqrt(); }
           |              ^^^^
    "#]]);
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
    check_errors("fn f() { let n = (3).pow(2); }", expect![[r#"
        error: [K0109] can't call method `pow` on ambiguous numeric type `{integer}`
               help: add a suffix: `3_u32.pow(…)`
         1 | fn f() { let n = (3).pow(2); }
           |                      ^^^
    "#]]);
}

#[test]
fn nothing_determines_the_type() {
    check_errors("fn f() { let e = []; }", expect![[r#"
        error: [K0109] cannot infer the type of `e`
               help: write it, for example `let e: [f32; 0] = …`
         1 | fn f() { let e = []; }
           |              ^
    "#]]);
    check_errors("fn f() { [].len(); }", expect![[r#"
        error: [K0109] cannot infer the type of this expression
               help: bind it with `let` and write the type
         1 | fn f() { [].len(); }
           |          ^^
    "#]]);
    check_errors("fn f() { let x: [_; 0] = []; }", expect![[r#"
        error: [K0109] cannot infer the type of `x`
               help: write it, for example `let x: [f32; 0] = …`
         1 | fn f() { let x: [_; 0] = []; }
           |              ^
    "#]]);
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
    check_errors("fn f(a: f32) { a.max(); }", expect![[r#"
        error: [K0106] `max` takes 1 argument, but 0 were given
         1 | fn f(a: f32) { a.max(); }
           |                  ^^^
    "#]]);
    check_errors("fn f() { Vec3::new(1.0, 2.0); }", expect![[r#"
        error: [K0106] `new` takes 3 arguments, but 2 were given
         1 | fn f() { Vec3::new(1.0, 2.0); }
           |                ^^^
    "#]]);
    check_errors("fn f() { global_id(1); }", expect![[r#"
        error: [K0106] `global_id` takes 0 arguments, but 1 was given
         1 | fn f() { global_id(1); }
           |                    ^
    "#]]);
    check_errors("fn f() { vec2(1.0); }", expect![[r#"
        error: [K0106] `vec2` takes 2 arguments, but 1 was given
         1 | fn f() { vec2(1.0); }
           |          ^^^^
    "#]]);
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
    check_errors("fn f(v: Vec2) { v.z; }", expect![[r#"
        error: [K0105] no field `z` on type `Vec2`
               help: its lanes are `x`, `y`
         1 | fn f(v: Vec2) { v.z; }
           |                   ^
    "#]]);
    check_errors("fn f(v: Vec3) { v.xy; }", expect![[r#"
        error: [K0105] no field `xy` on type `Vec3`
               help: swizzles are not available yet: write `Vec2::new(v.x, v.y)`
         1 | fn f(v: Vec3) { v.xy; }
           |                   ^^
    "#]]);
    check_errors("fn f(t: (f32, f32)) { t.2; }", expect![[r#"
        error: [K0105] no field `2` on type `(f32, f32)`
               help: its members are `0` to `1`
         1 | fn f(t: (f32, f32)) { t.2; }
           |                         ^
    "#]]);
    check_errors("fn f(a: f32) { a.x; }", expect![[r#"
        error: [K0105] no field `x` on type `f32`
         1 | fn f(a: f32) { a.x; }
           |                  ^
    "#]]);
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

#[test]
fn casts() {
    check_errors("fn f(n: u32) { n as bool; }", expect![[r#"
        error: [K0107] cannot cast `u32` as `bool`
               note: `as` converts between numbers, and from `bool` to integers
               help: write `n != 0`
         1 | fn f(n: u32) { n as bool; }
           |                ^^^^^^^^^
    "#]]);
    check_errors("fn f(a: f32) { a as bool; }", expect![[r#"
        error: [K0107] cannot cast `f32` as `bool`
               note: `as` converts between numbers, and from `bool` to integers
               help: write `a != 0.0`
         1 | fn f(a: f32) { a as bool; }
           |                ^^^^^^^^^
    "#]]);
    check_errors("fn f(b: bool) { b as f32; }", expect![[r#"
        error: [K0107] cannot cast `bool` as `f32`
               note: `as` converts between numbers, and from `bool` to integers
               help: cast through an integer: `b as u32 as f32`
         1 | fn f(b: bool) { b as f32; }
           |                 ^^^^^^^^
    "#]]);
    check_errors("fn f(v: Vec3) { v as UVec3; }", expect![[r#"
        error: [K0107] cannot cast `Vec3` as `UVec3`
               note: `as` converts between numbers, and from `bool` to integers
               help: write `v.as_uvec3()`
         1 | fn f(v: Vec3) { v as UVec3; }
           |                 ^^^^^^^^^^
    "#]]);
    check_errors("fn f(a: f32) { a as Vec3; }", expect![[r#"
        error: [K0107] cannot cast `f32` as `Vec3`
               note: `as` converts between numbers, and from `bool` to integers
               help: write `Vec3::splat(a)`
         1 | fn f(a: f32) { a as Vec3; }
           |                ^^^^^^^^^
    "#]]);
    check_errors("fn f(a: [f32; 2]) { a as f32; }", expect![[r#"
        error: [K0107] cannot cast `[f32; 2]` as `f32`
               note: `as` converts between numbers, and from `bool` to integers
         1 | fn f(a: [f32; 2]) { a as f32; }
           |                     ^^^^^^^^
    "#]]);
}

#[test]
fn indices() {
    check_errors("fn kernel(i: i32, x: &[f32]) { x[i]; }", expect![[r#"
        error: [K0108] expected `u32` or `usize`, found `i32`
               note: buffers and arrays are indexed by unsigned integers
               help: write `i as u32`
         1 | fn kernel(i: i32, x: &[f32]) { x[i]; }
           |                                  ^
    "#]]);
    check_errors("fn kernel(x: &[f32]) { x[1.0]; }", expect![[r#"
        error: [K0108] expected `u32` or `usize`, found a float
               note: buffers and arrays are indexed by unsigned integers
         1 | fn kernel(x: &[f32]) { x[1.0]; }
           |                          ^^^
    "#]]);
    check_errors("fn kernel(x: &[f32]) { x[global_id()]; }", expect![[r#"
        error: [K0108] expected `u32` or `usize`, found `UVec3`
               note: buffers and arrays are indexed by unsigned integers
               help: take one lane: `global_id().x`
         1 | fn kernel(x: &[f32]) { x[global_id()]; }
           |                          ^^^^^^^^^^^
    "#]]);
    check_errors("fn f(a: f32) { a[0]; }", expect![[r#"
        error: [K0108] cannot index into `f32`
               note: buffers, arrays and vectors have elements
         1 | fn f(a: f32) { a[0]; }
           |                ^
    "#]]);
    check_errors("fn f(a: [f32; 2]) { a[2]; }", expect![[r#"
        error: [K0108] index 2 is out of range: `a` has 2 elements
         1 | fn f(a: [f32; 2]) { a[2]; }
           |                       ^
    "#]]);
    check_errors("fn f(v: Vec3, n: u32) { v[n]; }", expect![[r#"
        error: [K0102] expected `usize`, found `u32`
               note: vectors are indexed by `usize`
               help: write `n as usize`
         1 | fn f(v: Vec3, n: u32) { v[n]; }
           |                           ^
    "#]]);
    check_errors("fn f(t: (f32, f32)) { t[0]; }", expect![[r#"
        error: [K0108] cannot index into `(f32, f32)`
               help: members of a tuple are `t.0`, `.1`, …
         1 | fn f(t: (f32, f32)) { t[0]; }
           |                       ^
    "#]]);
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
    check_errors("fn kernel(x: &[f32]) { x[0] = 1.0; }", expect![[r#"
        error: [K0110] cannot assign to an element of `x`
               note: `x` is `&[f32]`, which is read-only
               help: declare it `x: &mut [f32]`
         1 | fn kernel(x: &[f32]) { x[0] = 1.0; }
           |                        ^^^^
    "#]]);
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
    check_errors("fn kernel(x: &[f32], y: &mut [f32]) { y = x; }", expect![[r#"
        error: [K0110] cannot assign to the buffer `y`
               help: assign its elements: `y[i] = …`
         1 | fn kernel(x: &[f32], y: &mut [f32]) { y = x; }
           |                                       ^
        error: [K0203] the buffer `x` is used as a value
               note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
               help: copy elements instead
         1 | fn kernel(x: &[f32], y: &mut [f32]) { y = x; }
           |                                           ^
    "#]]);
    check_errors("fn f(a: f32) { a + 1.0 = 2.0; }", expect![[r#"
        error: [K0110] cannot assign to this expression
               note: only variables and elements of `&mut [T]` parameters can be assigned to
         1 | fn f(a: f32) { a + 1.0 = 2.0; }
           |                ^^^^^^^
    "#]]);
    check_errors("fn f(v: Vec3) { v.x += 1.0; }", expect![[r#"
        error: [K0110] cannot assign to immutable variable `v`
               note: `v` is declared at line 1
               help: declare it `mut v`
         1 | fn f(v: Vec3) { v.x += 1.0; }
           |                 ^
    "#]]);
    check_errors("fn f(mut a: f32, mut b: f32) { (a, b) = (b, a); }", expect![[r#"
        error: [K0001] assigning to a pattern is not supported in kernels
               help: assign one variable after the other
         1 | fn f(mut a: f32, mut b: f32) { (a, b) = (b, a); }
           |                                ^^^^^^
    "#]]);
    check_errors("fn f(a: [f32; 2]) { a[0] = 1.0; }", expect![[r#"
        error: [K0110] cannot assign to immutable variable `a`
               note: `a` is declared at line 1
               help: declare it `mut a`
         1 | fn f(a: [f32; 2]) { a[0] = 1.0; }
           |                     ^
    "#]]);
    check_errors("fn f() { global_id().x = 1; }", expect![[r#"
        error: [K0110] cannot assign to this expression
               note: only variables and elements of `&mut [T]` parameters can be assigned to
         1 | fn f() { global_id().x = 1; }
           |          ^^^^^^^^^^^
    "#]]);
}

#[test]
fn loop_control() {
    check_errors("fn f() { break; }", expect![[r#"
        error: [K0111] `break` outside of a loop
               help: `return` leaves the function
         1 | fn f() { break; }
           |          ^^^^^
    "#]]);
    check_errors("fn f() { continue; }", expect![[r#"
        error: [K0111] `continue` outside of a loop
               help: `return` leaves the function
         1 | fn f() { continue; }
           |          ^^^^^^^^
    "#]]);
    check_errors("fn f() { while true { break 1; } }", expect![[r#"
        error: [K0111] `break` with a value leaves a `while` or `for` loop
               note: only `loop` and labelled blocks have a value
               help: store the value in a variable before the `break`
         1 | fn f() { while true { break 1; } }
           |                             ^
    "#]]);
    check_errors("fn f() { 'outer: loop { break 'outre; } }", expect![[r#"
        error: [K0111] use of undeclared label `'outre`
               help: a label with a similar name exists: `'outer`
         1 | fn f() { 'outer: loop { break 'outre; } }
           |                               ^^^^^^
    "#]]);
    check_errors("fn f() { 'a: { break; } }", expect![[r#"
        error: [K0111] `break` outside of a loop
               help: `return` leaves the function
         1 | fn f() { 'a: { break; } }
           |                ^^^^^
    "#]]);
    check_errors("fn f() { loop { 'a: { break; } } }", expect![[r#"
        error: [K0111] `break` without a label inside of a labelled block
               help: name what to leave with a label
         1 | fn f() { loop { 'a: { break; } } }
           |                       ^^^^^
    "#]]);
    check_errors("fn f() { 'a: { continue 'a; } }", expect![[r#"
        error: [K0111] `continue` names a labelled block
               help: `break` leaves a block; `continue` needs a loop
         1 | fn f() { 'a: { continue 'a; } }
           |                         ^^
    "#]]);
    check_errors("fn f() { 'a: loop { continue 'b; } }", expect![[r#"
        error: [K0111] use of undeclared label `'b`
               help: a label with a similar name exists: `'a`
         1 | fn f() { 'a: loop { continue 'b; } }
           |                              ^^
    "#]]);
}

#[test]
fn ranges() {
    check_errors("fn f() { for i in 0.0..1.0 { } }", expect![[r#"
        error: [K0102] expected an integer, found a float
               note: `for` counts with `i32`, `u32` or `usize`
               help: count with integers and convert inside: `i as f32`
         1 | fn f() { for i in 0.0..1.0 { } }
           |                   ^^^
    "#]]);
    check_errors("fn f(n: u32, m: i32) { for i in n..m { } }", expect![[r#"
        error: [K0102] expected `u32`, found `i32`
               note: the range starts with `u32`
               help: write `m as u32`
         1 | fn f(n: u32, m: i32) { for i in n..m { } }
           |                                    ^
    "#]]);
    check_errors("fn f(n: u32, a: f32) { for i in 0..a { } }", expect![[r#"
        error: [K0102] expected an integer, found `f32`
               note: `for` counts with `i32`, `u32` or `usize`
               help: count with integers and convert inside: `i as f32`
         1 | fn f(n: u32, a: f32) { for i in 0..a { } }
           |                                    ^
    "#]]);
    check_errors("fn f(n: u32) { for (i, j) in 0..n { } }", expect![[r#"
        error: [K0102] expected `u32`, found a pattern for a tuple of 2 elements
         1 | fn f(n: u32) { for (i, j) in 0..n { } }
           |                    ^^^^^^
    "#]]);
}

#[test]
fn buffers_as_values() {
    check_errors("fn kernel(x: &[f32]) { let z = x; }", expect![[r#"
        error: [K0203] the buffer `x` is used as a value
               note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
               help: copy elements instead
         1 | fn kernel(x: &[f32]) { let z = x; }
           |                                ^
    "#]]);
    check_errors(
        "fn g(a: f32) {}
fn kernel(x: &[f32]) { g(x); }",
        expect![[r#"
            error: [K0203] the buffer `x` is used as a value
                   note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
                   help: copy elements instead
             2 | fn kernel(x: &[f32]) { g(x); }
               |                          ^
        "#]],
    );
    check_errors("fn kernel(x: &[f32]) { x; }", expect![[r#"
        error: [K0203] the buffer `x` is used as a value
               note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
               help: copy elements instead
         1 | fn kernel(x: &[f32]) { x; }
           |                        ^
    "#]]);
}

#[test]
fn literals_out_of_range() {
    check_errors("fn f() { let n = 3000000000; }", expect![[r#"
        error: [K0005] literal out of range for `i32`
               note: `i32` holds `-2147483648` to `2147483647`
               help: write `3000000000u32`
         1 | fn f() { let n = 3000000000; }
           |                  ^^^^^^^^^^
    "#]]);
    check_errors("fn f() -> u32 { 4294967296 }", expect![[r#"
        error: [K0005] literal out of range for `u32`
               note: `u32` holds `0` to `4294967295`
         1 | fn f() -> u32 { 4294967296 }
           |                 ^^^^^^^^^^
    "#]]);
    check_errors("fn f() -> usize { 5000000000 }", expect![[r#"
        error: [K0005] literal out of range for `usize`
               note: `usize` holds `0` to `4294967295`
               note: `usize` has 32 bits in kernels
         1 | fn f() -> usize { 5000000000 }
           |                   ^^^^^^^^^^
    "#]]);
    check_errors("fn f() -> i32 { -2147483649 }", expect![[r#"
        error: [K0005] literal out of range for `i32`
               note: `i32` holds `-2147483648` to `2147483647`
         1 | fn f() -> i32 { -2147483649 }
           |                  ^^^^^^^^^^
    "#]]);
}

#[test]
fn patterns() {
    check_errors("fn f(a: f32) { let (x, y) = a; }", expect![[r#"
        error: [K0102] expected `f32`, found a pattern for a tuple of 2 elements
         1 | fn f(a: f32) { let (x, y) = a; }
           |                    ^^^^^^
    "#]]);
    check_errors("fn f() { let (x, y) = (1, 2, 3); }", expect![[r#"
        error: [K0102] expected `({integer}, {integer}, {integer})`, found a pattern for a tuple of 2 elements
         1 | fn f() { let (x, y) = (1, 2, 3); }
           |              ^^^^^^
    "#]]);
}

#[test]
fn uninitialised() {
    check_errors("fn f() { let x; x = 1; }", expect![[r#"
        error: [K0204] the variable `x` has no value here
               note: kernels initialise variables where they declare them
               help: write the value, which may be an `if` or a block: `let x = if … { … } else { … };`
         1 | fn f() { let x; x = 1; }
           |              ^
        error: [K0110] cannot assign to immutable variable `x`
               note: `x` is declared at line 1
               help: declare it `mut x`
         1 | fn f() { let x; x = 1; }
           |                 ^
    "#]]);
    check_errors("fn f() { let x: f32; }", expect![[r#"
        error: [K0204] the variable `x` has no value here
               note: kernels initialise variables where they declare them
               help: write the value, which may be an `if` or a block: `let x = if … { … } else { … };`
         1 | fn f() { let x: f32; }
           |              ^
    "#]]);
}

#[test]
fn first_error_silences_what_follows() {
    check_errors(
        "fn f() -> f32 {
    let a = unknown;
    let b = a + 1;
    let c: u32 = b.sqrt();
    b * c
}",
        expect![[r#"
            error: [K0100] cannot find value `unknown` in this scope
                   help: declare it with `let unknown = …`, or make it a parameter
             2 |     let a = unknown;
               |             ^^^^^^^
        "#]],
    );
}

#[test]
fn all_errors_in_one_go() {
    check_errors(
        "fn f(n: u32) -> f32 {
    let a: f32 = n;
    let b = undefined1;
    n.sqrt();
    1
}",
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: `n` is `u32` because of its declaration at line 1
                   help: write `n as f32`
             2 |     let a: f32 = n;
               |                  ^
            error: [K0100] cannot find value `undefined1` in this scope
                   help: declare it with `let undefined1 = …`, or make it a parameter
             3 |     let b = undefined1;
               |             ^^^^^^^^^^
            error: [K0104] no method `sqrt` on type `u32`
                   help: `sqrt` is a method of `f32`: write `(n as f32).sqrt(…)`
             4 |     n.sqrt();
               |       ^^^^
            error: [K0102] expected `f32`, found integer literal
                   note: `f` returns `f32`
                   help: write `1.0`
             5 |     1
               |     ^
        "#]],
    );
}
