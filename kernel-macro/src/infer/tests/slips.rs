//! Mixed numbers, lanes and places: each message points at what must change, and says how.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn numbers() {
    check_each(
        &[
            r##"fn f(x: f32, n: u32) -> f32 { x * n }"##,
            r##"fn f(x: u32, y: i32) -> u32 { x + y }"##,
            r##"fn f(x: u32, y: usize) -> bool { x < y }"##,
            r##"fn f(x: u32) -> f32 { x }"##,
            r##"fn f(x: f32) -> f32 { 2 * x }"##,
            r##"fn f(x: f32) -> f32 { x ^ 2.0 }"##,
            r##"fn f(x: f32) -> bool { x as bool }"##,
            r##"fn f(x: bool) -> f32 { x as f32 }"##,
            r##"fn f(x: f32) -> u32 { x & 1 }"##,
            r##"fn f(x: f32) -> f32 { x % 2 }"##,
            r##"fn f(x: f32) -> f32 { x << 1 }"##,
            r##"fn f() -> f32 { 1.0f64 }"##,
            r##"fn f() -> u32 { -1 }"##,
            r##"fn f() -> u32 { 4294967296 }"##,
            r##"fn f() -> i32 { 0x80000000 }"##,
            r##"fn f(x: u32) -> u32 { if x { 1 } else { 2 } }"##,
            r##"fn f(x: u32) -> u32 { if x = 1 { 1 } else { 2 } }"##,
            r##"fn f(x: u32) -> bool { !!x }"##,
            r##"fn f(x: bool) -> bool { x && 1 }"##,
            r##"fn f(v: Vec3, u: Vec2) -> Vec3 { v + u }"##,
            r##"fn f(v: Vec3) -> bool { v < v }"##,
            r##"fn f(v: Vec3) -> UVec3 { v as UVec3 }"##,
            r##"fn f(v: Vec3) -> f32 { v * v }"##,
        ],
        expect![[r#"
            error: [K0102] expected `f32`, found `u32`
                   note: the left operand is `f32`
                   help: write `n as f32`
             1 | fn f(x: f32, n: u32) -> f32 { x * n }
               |                                   ^
            error: [K0102] expected `u32`, found `i32`
                   note: the left operand is `u32`
                   help: write `y as u32`
             1 | fn f(x: u32, y: i32) -> u32 { x + y }
               |                                   ^
            error: [K0102] expected `u32`, found `usize`
                   note: the left operand is `u32`
                   help: write `y as u32`
             1 | fn f(x: u32, y: usize) -> bool { x < y }
               |                                      ^
            error: [K0102] expected `f32`, found `u32`
                   note: `f` returns `f32`
                   help: write `x as f32`
             1 | fn f(x: u32) -> f32 { x }
               |                       ^
            error: [K0102] expected `f32`, found integer literal
                   note: the right operand is `f32`
                   help: write `2.0`
             1 | fn f(x: f32) -> f32 { 2 * x }
               |                       ^
            error: [K0103] cannot apply `^` to `f32`
                   help: for a power write `x.powi(n)` or `x.powf(y)`; for the bits, `x.to_bits()` and `f32::from_bits`
             1 | fn f(x: f32) -> f32 { x ^ 2.0 }
               |                       ^
            error: [K0107] cannot cast `f32` as `bool`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `x != 0.0`
             1 | fn f(x: f32) -> bool { x as bool }
               |                        ^^^^^^^^^
            error: [K0107] cannot cast `bool` as `f32`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: cast through an integer: `x as u32 as f32`
             1 | fn f(x: bool) -> f32 { x as f32 }
               |                        ^^^^^^^^
            error: [K0103] cannot apply `&` to `f32`
                   help: work on the bits: `x.to_bits()` and `f32::from_bits`
             1 | fn f(x: f32) -> u32 { x & 1 }
               |                       ^
            error: [K0102] expected `f32`, found integer literal
                   note: the left operand is `f32`
                   help: write `2.0`
             1 | fn f(x: f32) -> f32 { x % 2 }
               |                           ^
            error: [K0103] cannot apply `<<` to `f32`
                   help: work on the bits: `x.to_bits()` and `f32::from_bits`
             1 | fn f(x: f32) -> f32 { x << 1 }
               |                       ^
            error: [K0102] expected `f32`, found `f64`
                   note: `f` returns `f32`
                   help: write `1.0f64 as f32`
             1 | fn f() -> f32 { 1.0f64 }
               |                 ^^^^^^
            error: [K0103] cannot apply `-` to `u32`
                   note: unsigned values cannot be negated
                   help: for the largest value write `u32::MAX`
             1 | fn f() -> u32 { -1 }
               |                  ^
            error: [K0005] literal out of range for `u32`
                   note: `u32` holds `0` to `4294967295`
                   help: write `4294967296i64`
             1 | fn f() -> u32 { 4294967296 }
               |                 ^^^^^^^^^^
            error: [K0005] literal out of range for `i32`
                   note: `i32` holds `-2147483648` to `2147483647`
                   help: write `2147483648u32`
             1 | fn f() -> i32 { 0x80000000 }
               |                 ^^^^^^^^^^
            error: [K0102] expected `bool`, found `u32`
                   note: a condition is a `bool`
                   help: write `x != 0`
             1 | fn f(x: u32) -> u32 { if x { 1 } else { 2 } }
               |                          ^
            error: [K0110] cannot assign to immutable variable `x`
                   note: `x` is declared at line 1
                   help: declare it `mut x`
             1 | fn f(x: u32) -> u32 { if x = 1 { 1 } else { 2 } }
               |                          ^
            error: [K0102] expected `bool`, found `()`
                   note: a condition is a `bool`
                   help: compare with `==`
             1 | fn f(x: u32) -> u32 { if x = 1 { 1 } else { 2 } }
               |                          ^^^^^
            error: [K0102] expected `bool`, found `u32`
                   note: `f` returns `bool`
                   help: write `(!!x) != 0`
             1 | fn f(x: u32) -> bool { !!x }
               |                        ^^^
            error: [K0102] expected `bool`, found integer literal
                   note: `&&` combines `bool`s
                   help: write `1 != 0`
             1 | fn f(x: bool) -> bool { x && 1 }
               |                              ^
            error: [K0102] expected `Vec3`, found `Vec2`
                   note: the left operand is `Vec3`
                   help: write `u.extend(…)` with the last lane
             1 | fn f(v: Vec3, u: Vec2) -> Vec3 { v + u }
               |                                      ^
            error: [K0103] cannot compare `Vec3` with `<`
                   help: compare lane by lane with `cmplt`, `cmpge`, …, then `.all()` or `.any()`
             1 | fn f(v: Vec3) -> bool { v < v }
               |                         ^
            error: [K0107] cannot cast `Vec3` as `UVec3`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `v.as_uvec3()`
             1 | fn f(v: Vec3) -> UVec3 { v as UVec3 }
               |                          ^^^^^^^^^^
            error: [K0102] expected `f32`, found `Vec3`
                   note: `f` returns `f32`
                   help: for the dot product write `v.dot(v)`
             1 | fn f(v: Vec3) -> f32 { v * v }
               |                        ^^^^^
        "#]],
    );
}

#[test]
fn places() {
    check_each(
        &[
            r##"fn kernel(x: &[f32]) { x[0] = 1.0; }"##,
            r##"fn kernel(x: &mut [f32], i: i32) { x[i] = 1.0; }"##,
            r##"fn kernel(x: &mut [f32], i: f32) { x[i] = 1.0; }"##,
            r##"fn kernel(x: &mut [f32]) { x = x; }"##,
            r##"fn kernel(x: &mut [f32]) { let y = x; }"##,
        ],
        expect![[r#"
            error: [K0110] cannot assign to an element of `x`
                   note: `x` is `&[f32]`, which is read-only
                   help: declare it `x: &mut [f32]`
             1 | fn kernel(x: &[f32]) { x[0] = 1.0; }
               |                        ^^^^
            error: [K0108] expected `u32` or `usize`, found `i32`
                   note: buffers and arrays are indexed by unsigned integers
                   help: write `i as u32`
             1 | fn kernel(x: &mut [f32], i: i32) { x[i] = 1.0; }
               |                                      ^
            error: [K0108] expected `u32` or `usize`, found `f32`
                   note: buffers and arrays are indexed by unsigned integers
                   help: write `i as u32`
             1 | fn kernel(x: &mut [f32], i: f32) { x[i] = 1.0; }
               |                                      ^
            error: [K0110] cannot assign to the buffer `x`
                   help: assign its elements: `x[i] = …`
             1 | fn kernel(x: &mut [f32]) { x = x; }
               |                            ^
            error: [K0203] the buffer `x` is used as a value
                   note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
                   help: take an element, `x[i]`, or name all of them: `let part = &x[..];`
             1 | fn kernel(x: &mut [f32]) { x = x; }
               |                                ^
            error: [K0203] the buffer `x` is used as a value
                   note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
                   help: take an element, `x[i]`, or name all of them: `let part = &x[..];`
             1 | fn kernel(x: &mut [f32]) { let y = x; }
               |                                    ^
        "#]],
    );
    check_errors(r##"fn kernel(x: &mut [f32]) { let y = &mut x[0]; }"##, expect![""]);
    check_each(
        &[
            r##"fn kernel(x: &[f32]) { let y = x[1..3]; }"##,
            r##"fn kernel(x: &mut [Vec3]) { x[0].q = 1.0; }"##,
            r##"fn f(x: u32) { x = 1; }"##,
            r##"fn f() { let x = 1; x += 1; }"##,
            r##"fn f() { 1 = 2; }"##,
            r##"fn f() { let x: &mut u32; }"##,
            r##"fn f(x: [f32; 4]) -> f32 { x.0 }"##,
            r##"fn f(x: (f32, f32)) -> f32 { x[0] }"##,
            r##"fn f(x: (f32, f32)) -> f32 { x.2 }"##,
            r##"fn f(n: u32) { let x = [0.0; n]; }"##,
            r##"const N: usize = 4; fn f() { let x = [0.0; N]; x[0] = 1.0; }"##,
        ],
        expect![[r#"
            error: [K0203] the slice `x[1..3]` is used as a value
                   help: pass it to a device function, `f(&x[1..3])`, or name it: `let part = &x[1..3];`
             1 | fn kernel(x: &[f32]) { let y = x[1..3]; }
               |                                ^^^^^^^
            error: [K0105] no field `q` on type `Vec3`
                   help: its lanes are `x`, `y`, `z`
             1 | fn kernel(x: &mut [Vec3]) { x[0].q = 1.0; }
               |                                  ^
            error: [K0110] cannot assign to immutable variable `x`
                   note: `x` is declared at line 1
                   help: declare it `mut x`
             1 | fn f(x: u32) { x = 1; }
               |                ^
            error: [K0110] cannot assign to immutable variable `x`
                   note: `x` is declared at line 1
                   help: declare it `mut x`
             1 | fn f() { let x = 1; x += 1; }
               |                     ^
            error: [K0110] cannot assign to this expression
                   note: only variables and elements of `&mut [T]` parameters can be assigned to
             1 | fn f() { 1 = 2; }
               |          ^
            error: [K0204] the variable `x` has no value here
                   note: a reference or slice gets its place where it is declared, and keeps it
                   help: let the choice be an index: `let start = if … { … } else { … };`, then `let part = &x[start..];`
             1 | fn f() { let x: &mut u32; }
               |              ^
            error: [K0105] no field `0` on type `[f32; 4]`
                   help: index it: `x[i]`
             1 | fn f(x: [f32; 4]) -> f32 { x.0 }
               |                              ^
            error: [K0108] cannot index into `(f32, f32)`
                   help: members of a tuple are `x.0`, `.1`, …
             1 | fn f(x: (f32, f32)) -> f32 { x[0] }
               |                              ^
            error: [K0105] no field `2` on type `(f32, f32)`
                   help: its members are `0` to `1`
             1 | fn f(x: (f32, f32)) -> f32 { x.2 }
               |                                ^
            error: [K0112] the variable `n` is used in a constant
                   note: array lengths and consts are known when the kernel is compiled
                   help: use a literal or a `#[device] const`
             1 | fn f(n: u32) { let x = [0.0; n]; }
               |                              ^
            error: [K0110] cannot assign to immutable variable `x`
                   note: `x` is declared at line 1
                   help: declare it `mut x`
             1 | const N: usize = 4; fn f() { let x = [0.0; N]; x[0] = 1.0; }
               |                                                ^
        "#]],
    );
}
