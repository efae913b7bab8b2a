//! Messages of operators, casts and literals.

use expect_test::expect;

use super::harness::check_each;

#[test]
fn operators_on_wrong_types() {
    check_each(
        &[
            "fn f(a: bool, b: bool) { a + b; }",
            "fn f(a: f32, b: bool) { a + b; }",
            "fn f(a: f32) { a << 1; }",
            "fn f(a: f32) { a & 1; }",
            "fn f(a: f32) { !a; }",
            "fn f(n: u32) { -n; }",
            "fn f() -> u32 { -1 }",
            "fn f(v: Vec3, w: Vec3) { v < w; }",
            "fn f(v: Vec3) { v & v; }",
            "fn f(v: Vec3) { !v; }",
            "fn f(v: UVec3) { v & 1.0; }",
            "fn f(v: UVec3, n: i32) { v | n; }",
            "fn f(v: UVec3, w: IVec3) { v ^ w; }",
            "fn f(v: UVec3, n: u32) { n & v; }",
            "fn f(v: BVec3, b: bool) { v & b; }",
            "fn f(v: UVec3, n: usize) { v << n; }",
            "fn f(v: UVec3, w: UVec2) { v << w; }",
            "fn f(v: UVec3, w: UVec3) { let mut v = v; v <<= w; }",
            "fn f(v: UVec3) { v << 1.0; }",
            "fn f(v: Vec3) { v << 1; }",
            "fn f(n: u32, m: i32) { n + m; }",
            "fn f(n: u32, z: usize) { n < z; }",
            "fn f(n: u32) { n << 1.0; }",
            "fn f(v: UVec2) { -v; }",
        ],
        expect![[r#"
            error: [K0103] cannot apply `+` to `bool`
                   help: convert it to a number first, `as u32`, or use `&`, `|`, `^`
             1 | fn f(a: bool, b: bool) { a + b; }
               |                          ^
            error: [K0102] expected `f32`, found `bool`
                   note: the left operand is `f32`
                   help: write `b as u32 as f32`
             1 | fn f(a: f32, b: bool) { a + b; }
               |                             ^
            error: [K0103] cannot apply `<<` to `f32`
                   help: work on the bits: `x.to_bits()` and `f32::from_bits`
             1 | fn f(a: f32) { a << 1; }
               |                ^
            error: [K0103] cannot apply `&` to `f32`
                   help: work on the bits: `x.to_bits()` and `f32::from_bits`
             1 | fn f(a: f32) { a & 1; }
               |                ^
            error: [K0103] cannot apply `!` to `f32`
                   note: `!` is for `bool` and integers
             1 | fn f(a: f32) { !a; }
               |                 ^
            error: [K0103] cannot apply `-` to `u32`
                   note: unsigned values cannot be negated
                   help: convert first, `n as i32`, or write `n.wrapping_neg()`
             1 | fn f(n: u32) { -n; }
               |                 ^
            error: [K0103] cannot apply `-` to `u32`
                   note: unsigned values cannot be negated
                   help: for the largest value write `u32::MAX`
             1 | fn f() -> u32 { -1 }
               |                  ^
            error: [K0103] cannot compare `Vec3` with `<`
                   help: compare lane by lane with `cmplt`, `cmpge`, …, then `.all()` or `.any()`
             1 | fn f(v: Vec3, w: Vec3) { v < w; }
               |                          ^
            error: [K0103] cannot apply `&` to `Vec3`
                   help: work on the bits of each lane: `v.x.to_bits()` and `f32::from_bits`
             1 | fn f(v: Vec3) { v & v; }
               |                 ^
            error: [K0103] cannot apply `!` to `Vec3`
                   note: `!` is for vectors of integers and of `bool`
             1 | fn f(v: Vec3) { !v; }
               |                  ^
            error: [K0102] expected `u32`, found float literal
                   note: the left operand is `UVec3`
                   help: write `1`
             1 | fn f(v: UVec3) { v & 1.0; }
               |                      ^^^
            error: [K0102] expected `u32`, found `i32`
                   note: the left operand is `UVec3`
                   help: write `n as u32`
             1 | fn f(v: UVec3, n: i32) { v | n; }
               |                              ^
            error: [K0102] expected `UVec3`, found `IVec3`
                   note: the left operand is `UVec3`
                   help: write `w.as_uvec3()`
             1 | fn f(v: UVec3, w: IVec3) { v ^ w; }
               |                                ^
            error: [K0102] expected `u32`, found `UVec3`
                   note: the left operand is `u32`
                   help: take one lane: `.x`
             1 | fn f(v: UVec3, n: u32) { n & v; }
               |                              ^
            error: [K0102] expected `BVec3`, found `bool`
                   note: the left operand is `BVec3`
                   help: write `BVec3::splat(b)`
             1 | fn f(v: BVec3, b: bool) { v & b; }
               |                               ^
            error: [K0103] cannot shift a vector by `usize`
                   note: glam shifts vectors by integers of fixed width
                   help: write `n as u32`
             1 | fn f(v: UVec3, n: usize) { v << n; }
               |                                 ^
            error: [K0102] expected an integer, found `UVec2`
                   note: `<<` shifts by an integer, or by as many as the vector has lanes
             1 | fn f(v: UVec3, w: UVec2) { v << w; }
               |                                 ^
            error: [K0103] `<<=` shifts all lanes of a vector by one number
                   help: write `v = v << w`
             1 | fn f(v: UVec3, w: UVec3) { let mut v = v; v <<= w; }
               |                                                 ^
            error: [K0102] expected an integer, found float literal
                   note: `<<` shifts by an integer, or by as many as the vector has lanes
                   help: write `1`
             1 | fn f(v: UVec3) { v << 1.0; }
               |                       ^^^
            error: [K0103] cannot apply `<<` to `Vec3`
                   help: work on the bits of each lane: `v.x.to_bits()` and `f32::from_bits`
             1 | fn f(v: Vec3) { v << 1; }
               |                 ^
            error: [K0102] expected `u32`, found `i32`
                   note: the left operand is `u32`
                   help: write `m as u32`
             1 | fn f(n: u32, m: i32) { n + m; }
               |                            ^
            error: [K0102] expected `u32`, found `usize`
                   note: the left operand is `u32`
                   help: write `z as u32`
             1 | fn f(n: u32, z: usize) { n < z; }
               |                              ^
            error: [K0102] expected an integer, found float literal
                   note: `<<` shifts by an integer
                   help: write `1`
             1 | fn f(n: u32) { n << 1.0; }
               |                     ^^^
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
    check_each(
        &[
            "fn f(n: u32) { n as bool; }",
            "fn f(a: f32) { a as bool; }",
            "fn f(b: bool) { b as f32; }",
            "fn f(v: Vec3) { v as UVec3; }",
            "fn f(a: f32) { a as Vec3; }",
            "fn f(a: [f32; 2]) { a as f32; }",
        ],
        expect![[r#"
            error: [K0107] cannot cast `u32` as `bool`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `n != 0`
             1 | fn f(n: u32) { n as bool; }
               |                ^^^^^^^^^
            error: [K0107] cannot cast `f32` as `bool`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `a != 0.0`
             1 | fn f(a: f32) { a as bool; }
               |                ^^^^^^^^^
            error: [K0107] cannot cast `bool` as `f32`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: cast through an integer: `b as u32 as f32`
             1 | fn f(b: bool) { b as f32; }
               |                 ^^^^^^^^
            error: [K0107] cannot cast `Vec3` as `UVec3`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `v.as_uvec3()`
             1 | fn f(v: Vec3) { v as UVec3; }
               |                 ^^^^^^^^^^
            error: [K0107] cannot cast `f32` as `Vec3`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `Vec3::splat(a)`
             1 | fn f(a: f32) { a as Vec3; }
               |                ^^^^^^^^^
            error: [K0107] cannot cast `[f32; 2]` as `f32`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
             1 | fn f(a: [f32; 2]) { a as f32; }
               |                     ^^^^^^^^
        "#]],
    );
}

#[test]
fn literals_out_of_range() {
    check_each(
        &[
            "fn f() { let n = 3000000000; }",
            "fn f() -> u32 { 4294967296 }",
            "fn f() -> usize { 5000000000 }",
            "fn f() -> i32 { -2147483649 }",
        ],
        expect![[r#"
            error: [K0005] literal out of range for `i32`
                   note: `i32` holds `-2147483648` to `2147483647`
                   help: write `3000000000u32`
             1 | fn f() { let n = 3000000000; }
               |                  ^^^^^^^^^^
            error: [K0005] literal out of range for `u32`
                   note: `u32` holds `0` to `4294967295`
                   help: write `4294967296i64`
             1 | fn f() -> u32 { 4294967296 }
               |                 ^^^^^^^^^^
            error: [K0005] literal out of range for `usize`
                   note: `usize` holds `0` to `4294967295`
                   note: `usize` has 32 bits in kernels
             1 | fn f() -> usize { 5000000000 }
               |                   ^^^^^^^^^^
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
    check_each(
        &[
            "fn f(m: Mat3, v: Vec3) -> Vec3 { v * m }",
            "fn f(m: Mat4, v: Vec3) -> Vec3 { m * v }",
            "fn f(m: Mat3, v: Vec2) -> Vec2 { m * v }",
            "fn f(q: Quat, v: Vec3) -> Vec3 { q + v }",
            "fn f(m: Mat2) -> Mat2 { m / m }",
            "fn f(m: Mat2) -> Mat2 { m * 2 }",
            "fn f(m: Mat2) -> Vec2 { m.w_axis }",
            "fn f(m: Mat2) -> Vec2 { m[0] }",
            "fn f(q: Quat) -> f32 { q.i }",
            "fn f(m: Mat4) -> Mat4 { m.invert() }",
            "fn f(a: f32) -> Mat4 { Mat4(a) }",
            "fn f(m: Mat4) -> bool { m < m }",
        ],
        expect![[r#"
            error: [K0103] cannot apply `*` to `Vec3` and `Mat3`
                   help: a vector stands on the right side
             1 | fn f(m: Mat3, v: Vec3) -> Vec3 { v * m }
               |                                      ^
            error: [K0103] cannot apply `*` to `Mat4` and `Vec3`
                   help: write `m.transform_point3(v)` or `m.transform_vector3(v)`
             1 | fn f(m: Mat4, v: Vec3) -> Vec3 { m * v }
               |                                      ^
            error: [K0103] cannot apply `*` to `Mat3` and `Vec2`
                   help: write `m.transform_point2(v)` or `m.transform_vector2(v)`
             1 | fn f(m: Mat3, v: Vec2) -> Vec2 { m * v }
               |                                      ^
            error: [K0103] cannot apply `+` to `Quat` and `Vec3`
                   help: `Quat` is multiplied with `Quat`, `Vec3` and `f32`, and added to `Quat`
             1 | fn f(q: Quat, v: Vec3) -> Vec3 { q + v }
               |                                      ^
            error: [K0103] cannot apply `/` to `Mat2` and `Mat2`
                   help: `Mat2` is multiplied with `Mat2`, `Vec2` and `f32`, and added to `Mat2`
             1 | fn f(m: Mat2) -> Mat2 { m / m }
               |                             ^
            error: [K0102] expected `f32`, found integer literal
                   note: the left operand is `Mat2`
                   help: write `2.0`
             1 | fn f(m: Mat2) -> Mat2 { m * 2 }
               |                             ^
            error: [K0105] no field `w_axis` on type `Mat2`
                   help: its columns are `x_axis`, `y_axis`
             1 | fn f(m: Mat2) -> Vec2 { m.w_axis }
               |                           ^^^^^^
            error: [K0108] cannot index into `Mat2`
                   help: a column is `m.x_axis`, or `m.col(i)`
             1 | fn f(m: Mat2) -> Vec2 { m[0] }
               |                         ^
            error: [K0105] no field `i` on type `Quat`
                   help: its lanes are `x`, `y`, `z`, `w`
             1 | fn f(q: Quat) -> f32 { q.i }
               |                          ^
            error: [K0104] no method `invert` on type `Mat4`
                   help: a method with a similar name exists: `inverse`
             1 | fn f(m: Mat4) -> Mat4 { m.invert() }
               |                           ^^^^^^
            error: [K0100] expected a function, found type `Mat4`
                   help: write `Mat4::from_cols(…)`
             1 | fn f(a: f32) -> Mat4 { Mat4(a) }
               |                        ^^^^
            error: [K0103] cannot compare `Mat4` with `<`
             1 | fn f(m: Mat4) -> bool { m < m }
               |                         ^
        "#]],
    );
}
