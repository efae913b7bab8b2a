//! Messages of patterns, `match`, enums, `Option` and `Result`.

use expect_test::expect;

use super::harness::{accepted, check_each, check_errors};

#[test]
fn accepted_forms() {
    accepted(
        "enum E { A, B(u32), C { x: f32 } } fn f(e: E) -> f32 { match e { E::A => 1.0, E::B(n) => n as f32, E::C { x } => x } }",
    );
    accepted("fn f(a: u32) -> Option<u32> { let b = if a > 1 { Some(a) } else { None }; let c = b?; Some(c + 1) }");
    accepted("fn f(a: u32) { let x: Option<f32> = None; if let Some(y) = x { let _ = y; } let _ = a; }");
    accepted("fn f(a: u32) -> u32 { match a { 0 => 1, n => { return n; } } }");
    accepted("fn f(a: u32) -> u32 { let x = match a { 0 => return 1, 1 => 5, _ => 6 }; x }");
    accepted("fn f(a: u32) { match a { 0 => {} 1 => (), _ => return } }");
}

#[test]
fn patterns_of_other_types() {
    check_each(
        &[
            "fn f(a: u32) -> u32 { match a { 1.5 => 1, true => 2, _ => 3 } }",
            "fn f(a: f32) -> u32 { match a { 1 => 1, _ => 3 } }",
            "fn f(a: u32) -> u32 { match a { (x, y) => x, [z] => z } }",
            "fn f(a: u32) -> u32 { match a { Some(x) => x, None => 1 } }",
            "fn f(a: bool) -> u32 { match a { false..=true => 1 } }",
            "fn f(a: (u32, f32)) -> u32 { match a { (x, 1.0) | (_, x) => 1, _ => 0 } }",
        ],
        expect![[r#"
            error: [K0102] expected `u32`, found float literal
                   note: the matched value is `u32`
             1 | fn f(a: u32) -> u32 { match a { 1.5 => 1, true => 2, _ => 3 } }
               |                                 ^^^
            error: [K0102] expected `u32`, found `bool`
                   note: the matched value is `u32`
                   help: write `true as u32`
             1 | fn f(a: u32) -> u32 { match a { 1.5 => 1, true => 2, _ => 3 } }
               |                                           ^^^^
            error: [K0102] expected `f32`, found integer literal
                   note: the matched value is `f32`
                   help: write `1.0`
             1 | fn f(a: f32) -> u32 { match a { 1 => 1, _ => 3 } }
               |                                 ^
            error: [K0102] expected `u32`, found a pattern for a tuple of 2 elements
             1 | fn f(a: u32) -> u32 { match a { (x, y) => x, [z] => z } }
               |                                 ^^^^^^
            error: [K0102] expected `u32`, found a pattern for an array of 1 element
             1 | fn f(a: u32) -> u32 { match a { (x, y) => x, [z] => z } }
               |                                              ^^^
            error: [K0102] expected `u32`, found a pattern for `Option<_>`
                   note: the matched value is `u32`
             1 | fn f(a: u32) -> u32 { match a { Some(x) => x, None => 1 } }
               |                                 ^^^^^^^
            error: [K0102] expected `u32`, found a pattern for `Option<_>`
                   note: the matched value is `u32`
             1 | fn f(a: u32) -> u32 { match a { Some(x) => x, None => 1 } }
               |                                               ^^^^
            error: [K0102] expected `bool`, found a range of numbers
             1 | fn f(a: bool) -> u32 { match a { false..=true => 1 } }
               |                                  ^^^^^^^^^^^^
            error: [K0102] expected `u32`, but `x` is `f32` here
                   note: a variable has the same type in all alternatives
             1 | fn f(a: (u32, f32)) -> u32 { match a { (x, 1.0) | (_, x) => 1, _ => 0 } }
               |                                                       ^
        "#]],
    );
}

#[test]
fn patterns_that_do_not_hang_together() {
    check_each(
        &[
            "fn f(a: (u32, u32)) -> u32 { match a { (x, 0) | (0, y) => 1, _ => 0 } }",
            "fn f(a: (u32, u32)) -> u32 { let (.., ..) = a; let .. = a; 1 }",
            "struct P { a: u32, b: u32 } fn f(p: P) -> u32 { let P { a } = p; let P { c, .. } = p; a }",
        ],
        expect![[r#"
            error: [K0006] the variable `x` is not bound in all alternatives
                   help: bind the same names on both sides of `|`
             1 | fn f(a: (u32, u32)) -> u32 { match a { (x, 0) | (0, y) => 1, _ => 0 } }
               |                                                 ^^^^^^
            error: [K0006] `..` can stand only once in a pattern
             1 | fn f(a: (u32, u32)) -> u32 { let (.., ..) = a; let .. = a; 1 }
               |                                       ^
            error: [K0006] `..` stands for members of a tuple, struct or array
                   help: write `_`
             1 | fn f(a: (u32, u32)) -> u32 { let (.., ..) = a; let .. = a; 1 }
               |                                       ^
            error: [K0006] `..` stands for members of a tuple, struct or array
                   help: write `_`
             1 | fn f(a: (u32, u32)) -> u32 { let (.., ..) = a; let .. = a; 1 }
               |                                                    ^
            error: [K0006] the pattern leaves out fields of `P`
                   help: end it with `..`
             1 | struct P { a: u32, b: u32 } fn f(p: P) -> u32 { let P { a } = p; let P { c, .. } = p; a }
               |                                                     ^^^^^^^
            error: [K0105] struct `P` has no field `c`
                   help: a field with a similar name exists: `a`
             1 | struct P { a: u32, b: u32 } fn f(p: P) -> u32 { let P { a } = p; let P { c, .. } = p; a }
               |                                                                          ^
        "#]],
    );
    check_errors(
        "enum E { A, B(u32, f32), C { x: f32 } }
fn f(e: E) -> u32 { match e { E::B(n) => n, E::A(..) => 1, E::C(x) => 2, E::B => 3, E::D => 4 } }",
        expect![[r#"
            error: [K0006] `E::B` has 2 members, but the pattern has 1
                   help: write `_` for one, `..` for all that are left
             2 | fn f(e: E) -> u32 { match e { E::B(n) => n, E::A(..) => 1, E::C(x) => 2, E::B => 3, E::D => 4 } }
               |                               ^^^^^^^
            error: [K0006] `E::A` has no members in parentheses
                   help: write `E::A` alone
             2 | fn f(e: E) -> u32 { match e { E::B(n) => n, E::A(..) => 1, E::C(x) => 2, E::B => 3, E::D => 4 } }
               |                                             ^^^^^^^^
            error: [K0006] `E::C` has no members in parentheses
                   help: write `E::C { … }`
             2 | fn f(e: E) -> u32 { match e { E::B(n) => n, E::A(..) => 1, E::C(x) => 2, E::B => 3, E::D => 4 } }
               |                                                            ^^^^^^^
            error: [K0006] `E::B` has members
                   help: write `E::B(..)`, or a pattern for each member
             2 | fn f(e: E) -> u32 { match e { E::B(n) => n, E::A(..) => 1, E::C(x) => 2, E::B => 3, E::D => 4 } }
               |                                                                          ^^^^
            error: [K0100] no variant `D` in enum `E`
                   help: a variant with a similar name exists: `A`
             2 | fn f(e: E) -> u32 { match e { E::B(n) => n, E::A(..) => 1, E::C(x) => 2, E::B => 3, E::D => 4 } }
               |                                                                                        ^
        "#]],
    );
    check_errors(
        "fn f(a: u32) -> u32 { match a { LIMIT => 1, _ => 2 } }",
        expect![[r#"
        error: [K0100] cannot find const or variant `LIMIT` in this scope
               help: a variable begins with a small letter; a variant is written with its enum in front
         1 | fn f(a: u32) -> u32 { match a { LIMIT => 1, _ => 2 } }
           |                                 ^^^^^
    "#]],
    );
    check_errors(
        "fn f(a: u32) -> bool { let b = (let 1 = a); b }",
        expect![[r#"
        error: [K0006] `let` can stand only in the condition of an `if` or `while`
               note: `let`s are combined by `&&`, not inside parentheses or `||`
               help: for a `bool` write `matches!(value, pattern)`
         1 | fn f(a: u32) -> bool { let b = (let 1 = a); b }
           |                                 ^^^^^^^^^
    "#]],
    );
}

#[test]
fn arms_and_conditions() {
    check_each(
        &[
            "fn f(a: u32) -> f32 { let x = match a { 0 => 1.0, 1 => 2u32, _ => 3.0 }; x }",
            "fn f(a: u32) -> f32 { match a { 0 => 1.0, _ => a } }",
            "fn f(a: u32) -> u32 { match a { n if n => 1, _ => 2 } }",
            "fn f(a: u32) -> u32 { let 1 = a else { let _ = a; }; 1 }",
        ],
        expect![[r#"
            error: [K0102] expected a float, found `u32`
                   note: the first branch is a float
                   help: write `2.0`
             1 | fn f(a: u32) -> f32 { let x = match a { 0 => 1.0, 1 => 2u32, _ => 3.0 }; x }
               |                                                        ^^^^
            error: [K0102] expected `f32`, found `u32`
                   note: `f` returns `f32`
                   help: write `a as f32`
             1 | fn f(a: u32) -> f32 { match a { 0 => 1.0, _ => a } }
               |                                                ^
            error: [K0102] expected `bool`, found `u32`
                   note: a guard is a `bool`
                   help: write `n != 0`
             1 | fn f(a: u32) -> u32 { match a { n if n => 1, _ => 2 } }
               |                                      ^
            error: [K0113] the `else` block of a `let` must not come to its end
                   note: the variables of the pattern have no values there
                   help: end it with `return`, `break` or `continue`
             1 | fn f(a: u32) -> u32 { let 1 = a else { let _ = a; }; 1 }
               |                                                   ^
        "#]],
    );
}

#[test]
fn constructors() {
    check_errors(
        "enum E { A, B(u32), C { x: f32 } }
fn f(a: u32) { let x = E::B; let y = E::A(1); let z = E::C(1.0); let w = E::B(1.0); let v = E::C { y: 1.0 }; let u = E::Aa; }",
        expect![[r#"
            error: [K0100] the variant `E::B` needs its members
                   help: write `E::B(…)`
             2 | fn f(a: u32) { let x = E::B; let y = E::A(1); let z = E::C(1.0); let w = E::B(1.0); let v = E::C { y: 1.0 }; let u = E::Aa; }
               |                        ^^^^
            error: [K0100] `E::A` is not called like a function
                   help: write `E::A` alone: it has no members
             2 | fn f(a: u32) { let x = E::B; let y = E::A(1); let z = E::C(1.0); let w = E::B(1.0); let v = E::C { y: 1.0 }; let u = E::Aa; }
               |                                      ^^^^
            error: [K0100] `E::C` is not called like a function
                   help: write `E::C { … }`
             2 | fn f(a: u32) { let x = E::B; let y = E::A(1); let z = E::C(1.0); let w = E::B(1.0); let v = E::C { y: 1.0 }; let u = E::Aa; }
               |                                                       ^^^^
            error: [K0102] expected `u32`, found float literal
                   help: write `1`
             2 | fn f(a: u32) { let x = E::B; let y = E::A(1); let z = E::C(1.0); let w = E::B(1.0); let v = E::C { y: 1.0 }; let u = E::Aa; }
               |                                                                               ^^^
            error: [K0105] variant `E::C` has no field `y`
                   help: a field with a similar name exists: `x`
             2 | fn f(a: u32) { let x = E::B; let y = E::A(1); let z = E::C(1.0); let w = E::B(1.0); let v = E::C { y: 1.0 }; let u = E::Aa; }
               |                                                                                                    ^
            error: [K0100] no variant `Aa` in enum `E`
                   help: a variant with a similar name exists: `A`
             2 | fn f(a: u32) { let x = E::B; let y = E::A(1); let z = E::C(1.0); let w = E::B(1.0); let v = E::C { y: 1.0 }; let u = E::Aa; }
               |                                                                                                                         ^^
        "#]],
    );
    check_each(
        &[
            "fn f(a: u32) { let x = Some(a, a); let y = None; let z = Ok(a); let w: Option = None; }",
            "enum E { A(f32), B } fn f(e: E) -> u32 { e as u32 }",
            "enum E { A = 5000000000 } fn f() {}",
        ],
        expect![[r#"
            error: [K0109] cannot infer the type of `x`
                   help: write it, for example `let x: Option<f32> = …`
             1 | fn f(a: u32) { let x = Some(a, a); let y = None; let z = Ok(a); let w: Option = None; }
               |                    ^
            error: [K0106] `Some` takes 1 argument, but 2 were given
             1 | fn f(a: u32) { let x = Some(a, a); let y = None; let z = Ok(a); let w: Option = None; }
               |                                ^
            error: [K0109] cannot infer the type of `y`
                   help: write it, for example `let y: Option<f32> = …`
             1 | fn f(a: u32) { let x = Some(a, a); let y = None; let z = Ok(a); let w: Option = None; }
               |                                        ^
            error: [K0109] cannot infer the type of `z`
                   help: write it, for example `let z: Result<u32, f32> = …`
             1 | fn f(a: u32) { let x = Some(a, a); let y = None; let z = Ok(a); let w: Option = None; }
               |                                                      ^
            error: [K0101] `Option` needs the types of its values
                   help: write `Option<T>`
             1 | fn f(a: u32) { let x = Some(a, a); let y = None; let z = Ok(a); let w: Option = None; }
               |                                                                        ^^^^^^
            error: [K0109] cannot infer the type of this expression
                   help: bind it with `let` and write the type
             1 | fn f(a: u32) { let x = Some(a, a); let y = None; let z = Ok(a); let w: Option = None; }
               |                                                                                 ^^^^
            error: [K0107] cannot cast `E` as `u32`
                   note: `as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`
                   help: only enums without members are numbers: use `match`
             1 | enum E { A(f32), B } fn f(e: E) -> u32 { e as u32 }
               |                                          ^^^^^^^^
            error: [K0005] the number of a variant has 32 bits in kernels: `5000000000` is not one of `i32`
                   help: number the variants otherwise, and `match` where the large number is needed
             1 | enum E { A = 5000000000 } fn f() {}
               |              ^^^^^^^^^^
        "#]],
    );
}

#[test]
fn equality() {
    accepted("#[derive(PartialEq)] enum E { A(f32), B } fn f(e: E) -> bool { Some((e, 1)) == None || [e] != [E::B] }");
    check_each(
        &[
            "enum E { A(f32), B } fn f(e: Option<E>) -> bool { e == None }",
            "struct P { a: f32 } fn f(p: P) -> bool { p == p }",
            "fn f(a: (u32, f32)) -> bool { a == (1, 2u32) }",
        ],
        expect![[r#"
            error: [K0103] cannot compare `Option<E>` with `==`
                   note: it contains `E`
                   help: write `#[derive(Clone, Copy, PartialEq)]` below the `#[device]` of `E`
             1 | enum E { A(f32), B } fn f(e: Option<E>) -> bool { e == None }
               |                                                   ^
            error: [K0103] cannot compare `P` with `==`
                   help: compare its fields, or write `impl PartialEq for P` beside it, in a `#[device] mod`
             1 | struct P { a: f32 } fn f(p: P) -> bool { p == p }
               |                                          ^
            error: [K0102] expected `(u32, f32)`, found `(u32, u32)`
                   note: the left operand is `(u32, f32)`
             1 | fn f(a: (u32, f32)) -> bool { a == (1, 2u32) }
               |                                    ^^^^^^^^^
        "#]],
    );
}

#[test]
fn question_mark() {
    check_each(
        &[
            "fn f(a: Option<u32>) -> u32 { a? }",
            "fn f(a: Option<u32>) { let b = a?; }",
            "fn f(a: u32) -> Option<u32> { a? }",
            "fn f(a: Result<u32, f32>) -> Result<u32, u32> { Ok(a?) }",
            "fn f(a: u32) -> Option<u32> { a }",
        ],
        expect![[r#"
            error: [K0102] `?` on `Option<u32>` in a function that returns `u32`
                   note: `?` returns `None` or an error early, which this function cannot return
                   help: use `match` to turn one into the other
             1 | fn f(a: Option<u32>) -> u32 { a? }
               |                               ^^
            error: [K0102] `?` on `Option<u32>` in a function that returns `()`
                   note: `?` returns `None` or an error early, which this function cannot return
                   help: use `let … else { return; }` or `match`
             1 | fn f(a: Option<u32>) { let b = a?; }
               |                                ^^
            error: [K0103] `?` is for `Option` and `Result`, found `u32`
             1 | fn f(a: u32) -> Option<u32> { a? }
               |                               ^^
            error: [K0102] `?` returns `f32`, but the function's error is `u32`
                   help: write a `match` that converts the error
             1 | fn f(a: Result<u32, f32>) -> Result<u32, u32> { Ok(a?) }
               |                                                    ^^
            error: [K0102] expected `Option<u32>`, found `u32`
                   note: `f` returns `Option<u32>`
                   help: write `Some(a)`
             1 | fn f(a: u32) -> Option<u32> { a }
               |                               ^
        "#]],
    );
}
