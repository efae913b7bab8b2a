//! Messages about `char`: each names the way to write it.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn conversions() {
    check_each(
        &[
            r##"fn f(c: char) -> f32 { c as f32 }"##,
            r##"fn f(n: u32) -> char { n as char }"##,
            r##"fn f(n: f32) -> char { n as char }"##,
            r##"fn f(n: bool) -> char { n as char }"##,
            r##"fn f(c: char) -> bool { c as bool }"##,
            r##"fn f(c: char) -> u32 { c }"##,
            r##"fn f(n: u8) -> char { n }"##,
            r##"fn f(n: u32) -> char { n }"##,
            r##"fn f(n: u32) -> u32 { u32::from(char::try_from(n).unwrap()) }"##,
            r##"fn f(c: char) -> u8 { u8::try_from(c).unwrap() }"##,
            r##"fn f(n: u32) -> char { char::from(n) }"##,
        ],
        expect![[r#"
            error: [K0107] cannot cast `char` as `f32`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: cast through an integer: `c as u32 as f32`
             1 | fn f(c: char) -> f32 { c as f32 }
               |                        ^^^^^^^^
            error: [K0107] cannot cast `u32` as `char`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: not every number is a character: `char::from_u32(n)` gives an `Option`
             1 | fn f(n: u32) -> char { n as char }
               |                        ^^^^^^^^^
            error: [K0107] cannot cast `f32` as `char`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: not every number is a character: `char::from_u32(n as u32)` gives an `Option`
             1 | fn f(n: f32) -> char { n as char }
               |                        ^^^^^^^^^
            error: [K0107] cannot cast `bool` as `char`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: choose: `if n { 't' } else { 'f' }`
             1 | fn f(n: bool) -> char { n as char }
               |                         ^^^^^^^^^
            error: [K0107] cannot cast `char` as `bool`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: write `c != '\0'`
             1 | fn f(c: char) -> bool { c as bool }
               |                         ^^^^^^^^^
            error: [K0102] expected `u32`, found `char`
                   note: `f` returns `u32`
                   help: write `c as u32`
             1 | fn f(c: char) -> u32 { c }
               |                        ^
            error: [K0102] expected `char`, found `u8`
                   note: `f` returns `char`
                   help: write `n as char`
             1 | fn f(n: u8) -> char { n }
               |                       ^
            error: [K0102] expected `char`, found `u32`
                   note: `f` returns `char`
                   help: write `char::from_u32(n)`, which gives an `Option`
             1 | fn f(n: u32) -> char { n }
               |                        ^
            error: [K0104] `char` is not made from `u32` by `TryFrom`
                   note: kernels support it for integers, and from slices to arrays
                   help: write `char::from_u32(n)`, which gives an `Option`
             1 | fn f(n: u32) -> u32 { u32::from(char::try_from(n).unwrap()) }
               |                                                ^
            error: [K0104] `u8` is not made from `char` by `TryFrom`
                   note: kernels support it for integers, and from slices to arrays
                   help: by way of the number: `u8::try_from(c as u32)`
             1 | fn f(c: char) -> u8 { u8::try_from(c).unwrap() }
               |                                    ^
            error: [K0102] expected `char`, found `u32`
                   help: write `char::from_u32(n)`, which gives an `Option`
             1 | fn f(n: u32) -> char { char::from(n) }
               |                                   ^
        "#]],
    );
}

#[test]
fn operators() {
    check_each(
        &[
            r##"fn f(c: char) -> char { c + 1 }"##,
            r##"fn f(c: char) -> char { -c }"##,
            r##"fn f(c: char) -> bool { c == 97 }"##,
            r##"fn f() -> u32 { let mut n = 0; for c in 'a'..='z' { n += c as u32; } n }"##,
            r##"fn f(c: char, x: [u32; 4]) -> u32 { x[c] }"##,
            r##"fn f(c: char) -> bool { matches!(c, 1..=2) }"##,
            r##"fn f(c: char) -> u32 { subgroup::add(c) }"##,
        ],
        expect![[r#"
            error: [K0103] cannot apply `+` to `char`
                   help: compute with the number: `c as u32`, and `char::from_u32(…)` back
             1 | fn f(c: char) -> char { c + 1 }
               |                         ^
            error: [K0103] cannot apply `-` to `char`
             1 | fn f(c: char) -> char { -c }
               |                          ^
            error: [K0102] expected `char`, found integer literal
                   note: the left operand is `char`
             1 | fn f(c: char) -> bool { c == 97 }
               |                              ^^
            error: [K0102] expected an integer, found `char`
                   note: ranges count with integers
                   help: count bytes, `for b in b'a'..=b'z'`, and write `char::from(b)` inside
             1 | fn f() -> u32 { let mut n = 0; for c in 'a'..='z' { n += c as u32; } n }
               |                                         ^^^
            error: [K0108] expected `u32` or `usize`, found `char`
                   note: buffers and arrays are indexed by unsigned integers
                   help: write `c as u32`
             1 | fn f(c: char, x: [u32; 4]) -> u32 { x[c] }
               |                                       ^
            error: [K0102] expected `char`, found integer literal
                   note: the matched value is `char`
             1 | fn f(c: char) -> bool { matches!(c, 1..=2) }
               |                                     ^
            error: [K0102] expected `char`, found integer literal
                   note: the matched value is `char`
             1 | fn f(c: char) -> bool { matches!(c, 1..=2) }
               |                                         ^
            error: [K0102] expected `u32`, found `char`
                   note: `f` returns `u32`
                   help: write `subgroup::add(c) as u32`
             1 | fn f(c: char) -> u32 { subgroup::add(c) }
               |                        ^^^^^^^^^^^^^^^^
            error: [K0303] a subgroup operation does not take `char`
                   note: subgroups exchange integers, `f16`, `f32`, `f64`, `bool` and vectors
             1 | fn f(c: char) -> u32 { subgroup::add(c) }
               |                                      ^
        "#]],
    );
}

#[test]
fn methods() {
    check_each(
        &[
            r##"fn f(c: char) -> bool { c.is_alphabetic() }"##,
            r##"fn f(c: char) -> bool { c.is_numeric() }"##,
            r##"fn f(c: char) -> u32 { c.to_uppercase() }"##,
            r##"fn f(c: char) -> char { c.sqrt() }"##,
            r##"fn f(c: char) -> bool { c.is_digit() }"##,
            r##"fn f(c: char, d: char) -> bool { c.eq_ignore_ascii_case(d) }"##,
        ],
        expect![[r#"
            error: [K0104] no method `is_alphabetic` on type `char`
                   help: Unicode's tables depend on the version of Rust: of ASCII write `is_ascii_alphabetic()` and its like, else look it up in a table that the host passes
             1 | fn f(c: char) -> bool { c.is_alphabetic() }
               |                           ^^^^^^^^^^^^^
            error: [K0104] no method `is_numeric` on type `char`
                   help: Unicode's tables depend on the version of Rust: of ASCII write `is_ascii_digit()`, or `is_digit(radix)`
             1 | fn f(c: char) -> bool { c.is_numeric() }
               |                           ^^^^^^^^^^
            error: [K0104] no method `to_uppercase` on type `char`
                   help: Unicode's tables depend on the version of Rust: of ASCII write `to_ascii_uppercase()` or `to_ascii_lowercase()`
             1 | fn f(c: char) -> u32 { c.to_uppercase() }
               |                          ^^^^^^^^^^^^
            error: [K0104] no method `sqrt` on type `char`
             1 | fn f(c: char) -> char { c.sqrt() }
               |                           ^^^^
            error: [K0106] `is_digit` takes 1 argument, but 0 were given
             1 | fn f(c: char) -> bool { c.is_digit() }
               |                           ^^^^^^^^
            error: [K0102] expected `&char`, found `char`
                   help: write `&d`
             1 | fn f(c: char, d: char) -> bool { c.eq_ignore_ascii_case(d) }
               |                                                         ^
        "#]],
    );
}

#[test]
fn slices() {
    check_errors(
        r##"fn f<T: Copy>(x: &[char], y: T) -> u32 { x.len() as u32 }"##,
        expect![[r#"
            error: [K0205] the parameter `x` cannot be a slice
                   note: not every number is a `char`, and a buffer may hold any
                   help: use `u32`, and `char::from_u32(…)`, which gives an `Option`; of a `char`, `c as u32`
             1 | fn f<T: Copy>(x: &[char], y: T) -> u32 { x.len() as u32 }
               |                  ^^^^^^^
        "#]],
    );
}
