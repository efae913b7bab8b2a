//! Messages of operators, casts and literals.

use expect_test::expect;

use super::harness::check_errors;

#[test]
fn operators_on_wrong_types() {
    check_errors(
        "fn f(a: bool, b: bool) { a + b; }",
        expect![[r#"
        error: [K0103] cannot apply `+` to `bool`
               help: convert it to a number first, `as u32`, or use `&`, `|`, `^`
         1 | fn f(a: bool, b: bool) { a + b; }
           |                          ^
    "#]],
    );
    check_errors(
        "fn f(a: f32, b: bool) { a + b; }",
        expect![[r#"
        error: [K0102] expected `f32`, found `bool`
               note: the left operand is `f32`
               help: write `b as u32 as f32`
         1 | fn f(a: f32, b: bool) { a + b; }
           |                             ^
    "#]],
    );
    check_errors(
        "fn f(a: f32) { a << 1; }",
        expect![[r#"
        error: [K0103] cannot apply `<<` to `f32`
               help: work on the bits: `x.to_bits()` and `f32::from_bits`
         1 | fn f(a: f32) { a << 1; }
           |                ^
    "#]],
    );
    check_errors(
        "fn f(a: f32) { a & 1; }",
        expect![[r#"
        error: [K0103] cannot apply `&` to `f32`
               help: work on the bits: `x.to_bits()` and `f32::from_bits`
         1 | fn f(a: f32) { a & 1; }
           |                ^
    "#]],
    );
    check_errors(
        "fn f(a: f32) { !a; }",
        expect![[r#"
        error: [K0103] cannot apply `!` to `f32`
               note: `!` is for `bool` and integers
         1 | fn f(a: f32) { !a; }
           |                 ^
    "#]],
    );
    check_errors(
        "fn f(n: u32) { -n; }",
        expect![[r#"
        error: [K0103] cannot apply `-` to `u32`
               note: unsigned values cannot be negated
               help: convert first, `n as i32`, or write `n.wrapping_neg()`
         1 | fn f(n: u32) { -n; }
           |                 ^
    "#]],
    );
    check_errors(
        "fn f() -> u32 { -1 }",
        expect![[r#"
        error: [K0103] cannot apply `-` to `u32`
               note: unsigned values cannot be negated
               help: for the largest value write `u32::MAX`
         1 | fn f() -> u32 { -1 }
           |                  ^
    "#]],
    );
    check_errors(
        "fn f(v: Vec3, w: Vec3) { v < w; }",
        expect![[r#"
        error: [K0103] cannot compare `Vec3` with `<`
               help: compare lane by lane with `cmplt`, `cmpge`, …, then `.all()` or `.any()`
         1 | fn f(v: Vec3, w: Vec3) { v < w; }
           |                          ^
    "#]],
    );
    check_errors(
        "fn f(v: Vec3) { v & v; }",
        expect![[r#"
        error: [K0103] cannot apply `&` to `Vec3`
               help: work on the bits of each lane: `v.x.to_bits()` and `f32::from_bits`
         1 | fn f(v: Vec3) { v & v; }
           |                 ^
    "#]],
    );
    check_errors(
        "fn f(v: Vec3) { !v; }",
        expect![[r#"
        error: [K0103] cannot apply `!` to `Vec3`
               note: `!` is for vectors of integers and of `bool`
         1 | fn f(v: Vec3) { !v; }
           |                  ^
    "#]],
    );
    check_errors(
        "fn f(v: UVec3) { v & 1.0; }",
        expect![[r#"
            error: [K0102] expected `u32`, found float literal
                   note: the left operand is `UVec3`
                   help: write `1`
             1 | fn f(v: UVec3) { v & 1.0; }
               |                      ^^^
        "#]],
    );
    check_errors(
        "fn f(v: UVec3, n: i32) { v | n; }",
        expect![[r#"
        error: [K0102] expected `u32`, found `i32`
               note: the left operand is `UVec3`
               help: write `n as u32`
         1 | fn f(v: UVec3, n: i32) { v | n; }
           |                              ^
    "#]],
    );
    check_errors(
        "fn f(v: UVec3, w: IVec3) { v ^ w; }",
        expect![[r#"
        error: [K0102] expected `UVec3`, found `IVec3`
               note: the left operand is `UVec3`
               help: write `w.as_uvec3()`
         1 | fn f(v: UVec3, w: IVec3) { v ^ w; }
           |                                ^
    "#]],
    );
    check_errors(
        "fn f(v: UVec3, n: u32) { n & v; }",
        expect![[r#"
        error: [K0102] expected `u32`, found `UVec3`
               note: the left operand is `u32`
               help: take one lane: `.x`
         1 | fn f(v: UVec3, n: u32) { n & v; }
           |                              ^
    "#]],
    );
    check_errors(
        "fn f(v: BVec3, b: bool) { v & b; }",
        expect![[r#"
            error: [K0102] expected `BVec3`, found `bool`
                   note: the left operand is `BVec3`
                   help: write `BVec3::splat(b)`
             1 | fn f(v: BVec3, b: bool) { v & b; }
               |                               ^
        "#]],
    );
    check_errors(
        "fn f(v: UVec3, n: usize) { v << n; }",
        expect![[r#"
        error: [K0103] cannot shift a vector by `usize`
               note: glam shifts vectors by integers of fixed width
               help: write `n as u32`
         1 | fn f(v: UVec3, n: usize) { v << n; }
           |                                 ^
    "#]],
    );
    check_errors(
        "fn f(v: UVec3, w: UVec2) { v << w; }",
        expect![[r#"
        error: [K0102] expected an integer, found `UVec2`
               note: `<<` shifts by an integer, or by as many as the vector has lanes
         1 | fn f(v: UVec3, w: UVec2) { v << w; }
           |                                 ^
    "#]],
    );
    check_errors(
        "fn f(v: UVec3, w: UVec3) { let mut v = v; v <<= w; }",
        expect![[r#"
        error: [K0103] `<<=` shifts all lanes of a vector by one number
               help: write `v = v << w`
         1 | fn f(v: UVec3, w: UVec3) { let mut v = v; v <<= w; }
           |                                                 ^
    "#]],
    );
    check_errors(
        "fn f(v: UVec3) { v << 1.0; }",
        expect![[r#"
        error: [K0102] expected an integer, found float literal
               note: `<<` shifts by an integer, or by as many as the vector has lanes
               help: write `1`
         1 | fn f(v: UVec3) { v << 1.0; }
           |                       ^^^
    "#]],
    );
    check_errors(
        "fn f(v: Vec3) { v << 1; }",
        expect![[r#"
        error: [K0103] cannot apply `<<` to `Vec3`
               help: work on the bits of each lane: `v.x.to_bits()` and `f32::from_bits`
         1 | fn f(v: Vec3) { v << 1; }
           |                 ^
    "#]],
    );
    check_errors(
        "fn f(n: u32, m: i32) { n + m; }",
        expect![[r#"
        error: [K0102] expected `u32`, found `i32`
               note: the left operand is `u32`
               help: write `m as u32`
         1 | fn f(n: u32, m: i32) { n + m; }
           |                            ^
    "#]],
    );
    check_errors(
        "fn f(n: u32, z: usize) { n < z; }",
        expect![[r#"
        error: [K0102] expected `u32`, found `usize`
               note: the left operand is `u32`
               help: write `z as u32`
         1 | fn f(n: u32, z: usize) { n < z; }
           |                              ^
    "#]],
    );
    check_errors(
        "fn f(n: u32) { n << 1.0; }",
        expect![[r#"
        error: [K0102] expected an integer, found float literal
               note: `<<` shifts by an integer
               help: write `1`
         1 | fn f(n: u32) { n << 1.0; }
           |                     ^^^
    "#]],
    );
    check_errors(
        "fn f(v: UVec2) { -v; }",
        expect![[r#"
        error: [K0103] cannot apply `-` to `UVec2`
               note: unsigned values cannot be negated
               help: convert first: `.as_ivec2()`
         1 | fn f(v: UVec2) { -v; }
           |                   ^
    "#]],
    );
}

#[test]
fn casts() {
    check_errors(
        "fn f(n: u32) { n as bool; }",
        expect![[r#"
            error: [K0107] cannot cast `u32` as `bool`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `n != 0`
             1 | fn f(n: u32) { n as bool; }
               |                ^^^^^^^^^
        "#]],
    );
    check_errors(
        "fn f(a: f32) { a as bool; }",
        expect![[r#"
            error: [K0107] cannot cast `f32` as `bool`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `a != 0.0`
             1 | fn f(a: f32) { a as bool; }
               |                ^^^^^^^^^
        "#]],
    );
    check_errors(
        "fn f(b: bool) { b as f32; }",
        expect![[r#"
            error: [K0107] cannot cast `bool` as `f32`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: cast through an integer: `b as u32 as f32`
             1 | fn f(b: bool) { b as f32; }
               |                 ^^^^^^^^
        "#]],
    );
    check_errors(
        "fn f(v: Vec3) { v as UVec3; }",
        expect![[r#"
            error: [K0107] cannot cast `Vec3` as `UVec3`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `v.as_uvec3()`
             1 | fn f(v: Vec3) { v as UVec3; }
               |                 ^^^^^^^^^^
        "#]],
    );
    check_errors(
        "fn f(a: f32) { a as Vec3; }",
        expect![[r#"
            error: [K0107] cannot cast `f32` as `Vec3`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `Vec3::splat(a)`
             1 | fn f(a: f32) { a as Vec3; }
               |                ^^^^^^^^^
        "#]],
    );
    check_errors(
        "fn f(a: [f32; 2]) { a as f32; }",
        expect![[r#"
            error: [K0107] cannot cast `[f32; 2]` as `f32`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
             1 | fn f(a: [f32; 2]) { a as f32; }
               |                     ^^^^^^^^
        "#]],
    );
}

#[test]
fn literals_out_of_range() {
    check_errors(
        "fn f() { let n = 3000000000; }",
        expect![[r#"
        error: [K0005] literal out of range for `i32`
               note: `i32` holds `-2147483648` to `2147483647`
               help: write `3000000000u32`
         1 | fn f() { let n = 3000000000; }
           |                  ^^^^^^^^^^
    "#]],
    );
    check_errors(
        "fn f() -> u32 { 4294967296 }",
        expect![[r#"
            error: [K0005] literal out of range for `u32`
                   note: `u32` holds `0` to `4294967295`
                   help: write `4294967296i64`
             1 | fn f() -> u32 { 4294967296 }
               |                 ^^^^^^^^^^
        "#]],
    );
    check_errors(
        "fn f() -> usize { 5000000000 }",
        expect![[r#"
        error: [K0005] literal out of range for `usize`
               note: `usize` holds `0` to `4294967295`
               note: `usize` has 32 bits in kernels
         1 | fn f() -> usize { 5000000000 }
           |                   ^^^^^^^^^^
    "#]],
    );
    check_errors(
        "fn f() -> i32 { -2147483649 }",
        expect![[r#"
            error: [K0005] literal out of range for `i32`
                   note: `i32` holds `-2147483648` to `2147483647`
                   help: write `-2147483649i64`
             1 | fn f() -> i32 { -2147483649 }
               |                  ^^^^^^^^^^
        "#]],
    );
}

#[test]
fn matrices_and_what_stands_beside_them() {
    check_errors(
        "fn f(m: Mat3, v: Vec3) -> Vec3 { v * m }",
        expect![[r#"
        error: [K0103] cannot apply `*` to `Vec3` and `Mat3`
               help: a vector stands on the right side
         1 | fn f(m: Mat3, v: Vec3) -> Vec3 { v * m }
           |                                      ^
    "#]],
    );
    check_errors(
        "fn f(m: Mat4, v: Vec3) -> Vec3 { m * v }",
        expect![[r#"
        error: [K0103] cannot apply `*` to `Mat4` and `Vec3`
               help: write `m.transform_point3(v)` or `m.transform_vector3(v)`
         1 | fn f(m: Mat4, v: Vec3) -> Vec3 { m * v }
           |                                      ^
    "#]],
    );
    check_errors(
        "fn f(m: Mat3, v: Vec2) -> Vec2 { m * v }",
        expect![[r#"
        error: [K0103] cannot apply `*` to `Mat3` and `Vec2`
               help: write `m.transform_point2(v)` or `m.transform_vector2(v)`
         1 | fn f(m: Mat3, v: Vec2) -> Vec2 { m * v }
           |                                      ^
    "#]],
    );
    check_errors(
        "fn f(q: Quat, v: Vec3) -> Vec3 { q + v }",
        expect![[r#"
        error: [K0103] cannot apply `+` to `Quat` and `Vec3`
               help: `Quat` is multiplied with `Quat`, `Vec3` and `f32`, and added to `Quat`
         1 | fn f(q: Quat, v: Vec3) -> Vec3 { q + v }
           |                                      ^
    "#]],
    );
    check_errors(
        "fn f(m: Mat2) -> Mat2 { m / m }",
        expect![[r#"
        error: [K0103] cannot apply `/` to `Mat2` and `Mat2`
               help: `Mat2` is multiplied with `Mat2`, `Vec2` and `f32`, and added to `Mat2`
         1 | fn f(m: Mat2) -> Mat2 { m / m }
           |                             ^
    "#]],
    );
    check_errors(
        "fn f(m: Mat2) -> Mat2 { m * 2 }",
        expect![[r#"
        error: [K0102] expected `f32`, found integer literal
               note: the left operand is `Mat2`
               help: write `2.0`
         1 | fn f(m: Mat2) -> Mat2 { m * 2 }
           |                             ^
    "#]],
    );
    check_errors(
        "fn f(m: Mat2) -> Vec2 { m.w_axis }",
        expect![[r#"
        error: [K0105] no field `w_axis` on type `Mat2`
               help: its columns are `x_axis`, `y_axis`
         1 | fn f(m: Mat2) -> Vec2 { m.w_axis }
           |                           ^^^^^^
    "#]],
    );
    check_errors(
        "fn f(m: Mat2) -> Vec2 { m[0] }",
        expect![[r#"
        error: [K0108] cannot index into `Mat2`
               help: a column is `m.x_axis`, or `m.col(i)`
         1 | fn f(m: Mat2) -> Vec2 { m[0] }
           |                         ^
    "#]],
    );
    check_errors(
        "fn f(q: Quat) -> f32 { q.i }",
        expect![[r#"
        error: [K0105] no field `i` on type `Quat`
               help: its lanes are `x`, `y`, `z`, `w`
         1 | fn f(q: Quat) -> f32 { q.i }
           |                          ^
    "#]],
    );
    check_errors(
        "fn f(m: Mat4) -> Mat4 { m.invert() }",
        expect![[r#"
        error: [K0104] no method `invert` on type `Mat4`
               help: a method with a similar name exists: `inverse`
         1 | fn f(m: Mat4) -> Mat4 { m.invert() }
           |                           ^^^^^^
    "#]],
    );
    check_errors(
        "fn f(a: f32) -> Mat4 { Mat4(a) }",
        expect![[r#"
        error: [K0100] expected a function, found type `Mat4`
               help: write `Mat4::from_cols(…)`
         1 | fn f(a: f32) -> Mat4 { Mat4(a) }
           |                        ^^^^
    "#]],
    );
    check_errors(
        "fn f(m: Mat4) -> bool { m < m }",
        expect![[r#"
        error: [K0103] cannot compare `Mat4` with `<`
         1 | fn f(m: Mat4) -> bool { m < m }
           |                         ^
    "#]],
    );
}
