//! Conversions that may fail, slices that patterns would take apart, and arrays of which the host has no slices.

use expect_test::expect;

use super::harness::check_errors;

#[test]
fn mistakes() {
    check_errors(
        "fn k(x: &[i64], s: &[f32], y: &mut [u32]) {
            let a: Result<f32, _> = x[0].try_into();
            let b = u8::try_from(1.5);
            let c: [u32; 2] = y[..2].try_into();
            let d: Result<u16, core::num::TryFromIntError> = 3u8.try_into();
            let e = y[..2].try_into().is_ok();
            let f = s[0].try_into();
        }",
        expect![[r#"
            error: [K0104] `f32` is not made from `i64` by `TryFrom`
                   note: kernels support it for integers, and from slices to arrays
                   help: write a function that gives a `Result`, and call it with `x[0]`
             2 |             let a: Result<f32, _> = x[0].try_into();
               |                                          ^^^^^^^^
            error: [K0104] `u8` is not made from `f64` by `TryFrom`
                   note: kernels support it for integers, and from slices to arrays
                   help: write a function that gives a `Result`, and call it with `1.5`
             3 |             let b = u8::try_from(1.5);
               |                                  ^^^
            error: [K0102] expected `[u32; 2]`, found `Result<[u32; _], TryFromSliceError>`
             4 |             let c: [u32; 2] = y[..2].try_into();
               |                               ^^^^^^^^^^^^^^^^^
            error: [K0109] cannot infer the type of this expression
                   help: bind it with `let` and write the type
             4 |             let c: [u32; 2] = y[..2].try_into();
               |                               ^^^^^^^^^^^^^^^^^
            error: [K0102] this conversion fails with `Infallible`, and `TryFromIntError` is asked for
                   help: convert it: `.map_err(|_| …)`
             5 |             let d: Result<u16, core::num::TryFromIntError> = 3u8.try_into();
               |                                                                  ^^^^^^^^
            error: [K0109] cannot infer the type of this expression
                   help: bind it with `let` and write the type
             6 |             let e = y[..2].try_into().is_ok();
               |                     ^^^^^^^^^^^^^^^^^
            error: [K0104] no method `try_into` on type `f32`
             7 |             let f = s[0].try_into();
               |                          ^^^^^^^^
        "#]],
    );
}

#[test]
fn consts_of_traits_are_not_those_of_the_type() {
    check_errors(
        "fn k(y: &mut [u32]) { y[0] = <u32 as Limits>::MAX; }",
        expect![[r#"
            error: [K0100] no `impl Limits for u32` with a const `MAX` is known here
                   help: write the trait and its `impl` in a `#[device] mod`
             1 | fn k(y: &mut [u32]) { y[0] = <u32 as Limits>::MAX; }
               |                              ^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn arrays_in_smaller_pieces() {
    check_errors(
        "fn k(rows: &mut [[u8; 4]], words: &mut [[u32; 4]]) {
            rows[0].fill(1);
            words[0].fill(1);
            let word = &mut words[1];
            word.fill(2);
            let row = &mut rows[1];
            row.fill(2);
            for v in row.iter_mut() {
                *v += 1;
            }
            let pair = rows[2].split_at(2);
        }",
        expect![[r#"
            error: [K0115] cannot make a slice of this array
                   note: slices are made of buffers, of shared and local variables, and of array fields that are as aligned as the element
                   help: copy it to a variable: `let mut own = …;`, use that, and store it back if it changed
             7 |             row.fill(2);
               |             ^^^
            error: [K0115] cannot make a slice of this array
                   note: slices are made of buffers, of shared and local variables, and of array fields that are as aligned as the element
                   help: copy it to a variable: `let mut own = …;`, use that, and store it back if it changed
             8 |             for v in row.iter_mut() {
               |                      ^^^
            error: [K0115] cannot make a slice of this array
                   note: slices are made of buffers, of shared and local variables, and of array fields that are as aligned as the element
                   help: copy it to a variable: `let mut own = …;`, use that, and store it back if it changed
            11 |             let pair = rows[2].split_at(2);
               |                        ^^^^^^^
        "#]],
    );
}
