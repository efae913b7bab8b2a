//! Messages of loops, jumps and missing values; and that errors neither hide nor multiply each other.

use expect_test::expect;

use super::harness::{check_each, check_errors};

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
    check_each(
        &[
            "fn f(n: u32) -> u32 { let x = n; }",
            "fn f(n: u32) -> u32 { if n > 1 { 2 } }",
            "fn f(n: u32) { if n > 1 { 2 } n; }",
            "fn f(n: u32) -> u32 { return; }",
            "fn f(n: u32) -> u32 { loop { if n > 1 { break 1; } break; } }",
            "fn f(n: u32) -> u32 { let x: u32 = { n; }; x }",
        ],
        expect![[r#"
            error: [K0113] expected `u32`, but the block ends without a value
                   note: `f` returns `u32`
                   help: end the block with an expression without a semicolon
             1 | fn f(n: u32) -> u32 { let x = n; }
               |                                  ^
            error: [K0113] expected `u32`, but this `if` has no `else`
                   help: add an `else` branch with a value
             1 | fn f(n: u32) -> u32 { if n > 1 { 2 } }
               |                       ^^^^^^^^^^^^^^
            error: [K0113] this `if` has no `else`, so its value is lost
                   help: add an `else` branch, or end the expression with `;`
             1 | fn f(n: u32) { if n > 1 { 2 } n; }
               |                           ^
            error: [K0113] expected `u32`, but this `return` has no value
                   note: `f` returns `u32`
             1 | fn f(n: u32) -> u32 { return; }
               |                       ^^^^^^
            error: [K0113] expected `u32`, but this `break` has no value
                   help: give every `break` of this loop a value of that type
             1 | fn f(n: u32) -> u32 { loop { if n > 1 { break 1; } break; } }
               |                                                    ^^^^^
            error: [K0113] expected `u32`, but the block ends without a value
                   help: remove the semicolon at the end of line 1
             1 | fn f(n: u32) -> u32 { let x: u32 = { n; }; x }
               |                                         ^
        "#]],
    );
}

#[test]
fn loop_control() {
    check_each(
        &[
            "fn f() { break; }",
            "fn f() { continue; }",
            "fn f() { while true { break 1; } }",
            "fn f() { 'outer: loop { break 'outre; } }",
            "fn f() { 'a: { break; } }",
            "fn f() { loop { 'a: { break; } } }",
            "fn f() { 'a: { continue 'a; } }",
            "fn f() { 'a: loop { continue 'b; } }",
        ],
        expect![[r#"
            error: [K0111] `break` outside of a loop
                   help: `return` leaves the function
             1 | fn f() { break; }
               |          ^^^^^
            error: [K0111] `continue` outside of a loop
                   help: `return` leaves the function
             1 | fn f() { continue; }
               |          ^^^^^^^^
            error: [K0111] `break` with a value leaves a `while` or `for` loop
                   note: only `loop` and labelled blocks have a value
                   help: store the value in a variable before the `break`
             1 | fn f() { while true { break 1; } }
               |                             ^
            error: [K0111] use of undeclared label `'outre`
                   help: a label with a similar name exists: `'outer`
             1 | fn f() { 'outer: loop { break 'outre; } }
               |                               ^^^^^^
            error: [K0111] `break` outside of a loop
                   help: `return` leaves the function
             1 | fn f() { 'a: { break; } }
               |                ^^^^^
            error: [K0111] `break` without a label inside of a labelled block
                   help: name the loop or block to leave with a label
             1 | fn f() { loop { 'a: { break; } } }
               |                       ^^^^^
            error: [K0111] `continue` names a labelled block
                   help: `break` leaves a block; `continue` needs a loop
             1 | fn f() { 'a: { continue 'a; } }
               |                         ^^
            error: [K0111] use of undeclared label `'b`
                   help: a label with a similar name exists: `'a`
             1 | fn f() { 'a: loop { continue 'b; } }
               |                              ^^
        "#]],
    );
}

#[test]
fn ranges() {
    check_each(
        &[
            "fn f() { for i in 0.0..1.0 { } }",
            "fn f(n: u32, m: i32) { for i in n..m { } }",
            "fn f(n: u32, a: f32) { for i in 0..a { } }",
            "fn f(n: u32) { for (i, j) in 0..n { } }",
        ],
        expect![[r#"
            error: [K0102] expected an integer, found a float
                   note: ranges count with integers
                   help: count with integers and convert inside: `i as f32`
             1 | fn f() { for i in 0.0..1.0 { } }
               |                   ^^^
            error: [K0102] expected `u32`, found `i32`
                   note: the range starts with `u32`
                   help: write `m as u32`
             1 | fn f(n: u32, m: i32) { for i in n..m { } }
               |                                    ^
            error: [K0102] expected an integer, found `f32`
                   note: ranges count with integers
                   help: count with integers and convert inside: `i as f32`
             1 | fn f(n: u32, a: f32) { for i in 0..a { } }
               |                                    ^
            error: [K0102] expected `u32`, found a pattern for a tuple of 2 elements
             1 | fn f(n: u32) { for (i, j) in 0..n { } }
               |                    ^^^^^^
        "#]],
    );
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

#[test]
fn what_follows_a_jump_is_typed_all_the_same() {
    check_errors(
        "fn f() { return; let x: f32 = {}; }",
        expect![[r#"
        error: [K0113] expected `f32`, but the block ends without a value
               help: end the block with an expression without a semicolon
         1 | fn f() { return; let x: f32 = {}; }
           |                                ^
    "#]],
    );
    check_errors(
        "fn f(n: u32) -> u32 { let z = if n > 1 { return 1 } + 2; z }",
        expect![[r#"
        error: [K0103] cannot apply `+` to `()`
         1 | fn f(n: u32) -> u32 { let z = if n > 1 { return 1 } + 2; z }
           |                               ^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
}
