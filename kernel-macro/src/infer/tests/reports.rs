//! Messages of `assert!`, `panic!`, `println!`, `dbg!` and their like; and what they are accepted with.

use expect_test::expect;

use super::harness::{accepted_body, check_each};

#[test]
fn accepted() {
    accepted_body(
        "assert!(n > 0); assert!(n > 0, \"n = {n}\"); assert_eq!(n, 3, \"{} {a:?}\", m); assert_ne!(a, 1.0);",
    );
    accepted_body("debug_assert!(n > 0); debug_assert_eq!(n, 2); debug_assert_ne!(m, -2, \"m\");");
    accepted_body("let v: u32 = if n > 1 { 2 } else { panic!() }; u[0] = v;");
    accepted_body("let v = if n > 1 { todo!() } else if n > 2 { unimplemented!(\"{n}\") } else { 1.5 }; y[0] = v;");
    accepted_body(
        "println!(); print!(\"a\"); eprintln!(\"{0:?} {0}\", n); std::println!(\"{:?}\", (n, [a; 2], vec2(a, a), ()));",
    );
    accepted_body("y[0] = dbg!(a * 2.0); let (p, q) = dbg!(n, m); u[0] = p + q as u32; dbg!();");
    accepted_body("let width = 8usize; println!(\"{a:>width$.3} {a:+.*e} {n:#010b}\", 2);");
    accepted_body("unreachable!(\"{}\", x[0])");
    accepted_body("loop { if n > u[0] { panic!(\"{{}} {n:02x}\", ) } }");
}

#[test]
fn unknown_and_unused_arguments() {
    check_each(
        &[
            r#"fn f(x: u32) { println!("{y}"); }"#,
            r#"fn f(x: u32) { println!("{} {}", x); }"#,
            r#"fn f(x: u32) { println!("{1}", x); }"#,
            r#"fn f(x: u32) { println!("{}"); }"#,
            r#"fn f(x: u32) { println!("x", x); }"#,
            r#"fn f(x: u32) { println!("{}", x, wide = 3); }"#,
        ],
        expect![[r#"
            error: [K0100] cannot find value `y` in this scope
                   help: a name with a similar spelling exists: `x`
             1 | fn f(x: u32) { println!("{y}"); }
               |                         ^^^^^
            error: [K0114] the format string takes 2 arguments, but 1 argument is given
                   help: add an argument after the string, or write `{{` for a brace
             1 | fn f(x: u32) { println!("{} {}", x); }
               |                         ^^^^^^^
            error: [K0114] the format string takes 2 arguments, but 1 argument is given
                   help: add an argument after the string, or write `{{` for a brace
             1 | fn f(x: u32) { println!("{1}", x); }
               |                         ^^^^^
            error: [K0114] the format string takes 1 argument, but 0 arguments are given
                   help: add an argument after the string, or write `{{` for a brace
             1 | fn f(x: u32) { println!("{}"); }
               |                         ^^^^
            error: [K0114] this argument is not in the format string
                   help: add `{}` to the string where it shall stand
             1 | fn f(x: u32) { println!("x", x); }
               |                              ^
            error: [K0114] the argument `wide` is not in the format string
                   help: add `{}` to the string where it shall stand
             1 | fn f(x: u32) { println!("{}", x, wide = 3); }
               |                                         ^
        "#]],
    );
}

#[test]
fn formats() {
    check_each(
        &[
            r#"fn f(x: u32) { println!("{x:d}"); }"#,
            r#"fn f(x: u32) { println!("{x + 1}"); }"#,
            r#"fn f(x: u32) { println!("{x"); }"#,
            r#"fn f(x: u32) { println!("x}"); }"#,
            r#"fn f(x: u32) { println!("{x:p}"); }"#,
        ],
        expect![[r#"
            error: [K0114] unknown format `d` in `{x:d}`
                   help: the formats are none, `?`, `x`, `X`, `o`, `b`, `e`, `E`, after width and precision: `{:08.3}`
             1 | fn f(x: u32) { println!("{x:d}"); }
               |                         ^^^^^^^
            error: [K0114] `{x + 1}` shows an expression, but a placeholder takes a name or number only
                   help: give the expression as an argument: `"{}", expression`
             1 | fn f(x: u32) { println!("{x + 1}"); }
               |                         ^^^^^^^^^
            error: [K0114] `{` without `}` in the format string
                   help: write `{{` for a brace
             1 | fn f(x: u32) { println!("{x"); }
               |                         ^^^^
            error: [K0114] unmatched `}` in the format string
                   help: write `}}` for a brace
             1 | fn f(x: u32) { println!("x}"); }
               |                         ^^^^
            error: [K0114] `{x:p}` shows a pointer, but kernels have none
                   help: show the value, `{}`, or the index it was read at
             1 | fn f(x: u32) { println!("{x:p}"); }
               |                         ^^^^^^^
        "#]],
    );
}

#[test]
fn types_that_a_format_does_not_show() {
    check_each(
        &[
            r#"fn f(x: f32) { println!("{x:x}"); }"#,
            r#"fn f(x: Vec3) { println!("{:b}", x); }"#,
            r#"fn f(x: bool) { println!("{x:e}"); }"#,
            r#"fn f(x: [u32; 3]) { println!("{x}"); }"#,
            r#"fn f(x: u32) { println!("{:>1$}", x, x); }"#,
            r#"fn kernel(x: &[f32]) { println!("{x:?}"); }"#,
        ],
        expect![[r#"
            error: [K0114] `f32` has no bits to show
                   help: show those it is made of: `x.to_bits()`
             1 | fn f(x: f32) { println!("{x:x}"); }
               |                         ^^^^^^^
            error: [K0114] only integers are shown by their bits, found `Vec3`
                   help: use `{:?}`
             1 | fn f(x: Vec3) { println!("{:b}", x); }
               |                                  ^
            error: [K0114] only numbers have exponents, found `bool`
                   help: use `{:?}`
             1 | fn f(x: bool) { println!("{x:e}"); }
               |                          ^^^^^^^
            error: [K0114] `[u32; 3]` has no format `{}`
                   help: show it with `{:?}`
             1 | fn f(x: [u32; 3]) { println!("{x}"); }
               |                              ^^^^^
            error: [K0114] width and precision are `usize`, found `u32`
                   help: convert it: `as usize`
             1 | fn f(x: u32) { println!("{:>1$}", x, x); }
               |                                      ^
            error: [K0203] the buffer `x` is used as a value
                   note: kernels index buffers: `x[i]` is a `f32`; `x.len()` is their length
                   help: take an element, `x[i]`, or name all of them: `let part = &x[..];`
             1 | fn kernel(x: &[f32]) { println!("{x:?}"); }
               |                                 ^^^^^^^
        "#]],
    );
}

#[test]
fn messages_are_literals() {
    check_each(
        &[
            r#"fn f(x: u32) { panic!(x); }"#,
            r#"fn f(x: u32) { assert!(x > 1, x); }"#,
            r#"fn f(x: u32) { assert_eq!(x); }"#,
            r#"fn f(x: u32) { println!("{}" x); }"#,
        ],
        expect![[r#"
            error: [K0114] the message of `panic!` must be a string literal
                   help: write `panic!("{}", x)`
             1 | fn f(x: u32) { panic!(x); }
               |                       ^
            error: [K0114] the message of `assert!` must be a string literal
                   help: write `assert!(x > 1, "{}", x)`
             1 | fn f(x: u32) { assert!(x > 1, x); }
               |                               ^
            error: [K0106] `assert_eq!` takes 2 values, and a message if you like
             1 | fn f(x: u32) { assert_eq!(x); }
               |                ^^^^^^^^^
            error: [K0114] expected `,`
             1 | fn f(x: u32) { println!("{}" x); }
               |                              ^
        "#]],
    );
}

#[test]
fn operands() {
    check_each(
        &[
            r#"fn f(x: u32) { assert!(x); }"#,
            r#"fn f(x: u32) { assert_eq!(x, 1.0); }"#,
            r#"fn f(x: [u32; 2]) { assert_ne!(x, 3); }"#,
            r#"const N: u32 = dbg!(3);"#,
            r#"fn f(x: [u32; 200]) { println!("{x:?}"); }"#,
        ],
        expect![[r#"
            error: [K0102] expected `bool`, found `u32`
                   note: a condition is a `bool`
                   help: write `x != 0`
             1 | fn f(x: u32) { assert!(x); }
               |                        ^
            error: [K0102] expected `u32`, found float literal
                   note: the left operand is `u32`
                   help: write `1`
             1 | fn f(x: u32) { assert_eq!(x, 1.0); }
               |                              ^^^
            error: [K0102] expected `[u32; 2]`, found integer literal
                   note: the left operand is `[u32; 2]`
             1 | fn f(x: [u32; 2]) { assert_ne!(x, 3); }
               |                                   ^
            error: [K0112] `dbg!` in a constant
                   help: a constant is a value known while the program compiles: assert in the function that uses it
             1 | const N: u32 = dbg!(3);
               |                ^^^
            error: [K0114] the values of this message take 200 words, and a record has 128
                   help: show fewer values, or one element after the other
             1 | fn f(x: [u32; 200]) { println!("{x:?}"); }
               |                       ^^^^^^^
        "#]],
    );
}
