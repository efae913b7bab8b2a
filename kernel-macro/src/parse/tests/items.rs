//! Items, patterns, types, literals and signatures outside the language.

use expect_test::expect;

use super::{check, check_body, check_kernel};
use crate::diag::Diagnostics;
use crate::diag::test_support::render;
use crate::parse::{Role, parse_const, parse_struct};

#[test]
fn unsupported_items() {
    check_body(
        "fn inner() {}",
        expect![[r#"
            error: [K0001] functions inside functions are not supported in kernels
                   help: write it among the function's own statements, with a name that its module does not have, or outside with `#[device]`
             1 | fn k(x: &mut [f32]) { fn inner() {} }
               |                          ^^^^^
        "#]],
    );
    check_body(
        "static mut S: u32 = 1;",
        expect![[r#"
            error: [K0001] a `static` that changes is not supported in kernels
                   help: use a `#[device] const`, or pass a buffer
             1 | fn k(x: &mut [f32]) { static mut S: u32 = 1; }
               |                       ^^^^^^
        "#]],
    );
    check_body(
        "struct S { a: f32 }",
        expect![[r#"
            error: [K0001] structs inside functions are not supported in kernels
                   help: write it among the function's own statements, with a name that its module does not have, or outside with `#[device]`
             1 | fn k(x: &mut [f32]) { struct S { a: f32 } }
               |                       ^^^^^^
        "#]],
    );
    check_body("use core::f32::consts::PI;", expect![""]);
    check_body(
        "impl S {}",
        expect![[r#"
            error: [K0001] `impl` inside functions is not supported in kernels
                   help: write it beside the type
             1 | fn k(x: &mut [f32]) { impl S {} }
               |                       ^^^^
        "#]],
    );
}

#[test]
fn unsupported_patterns() {
    check_body("let ref a = b;", expect![""]);
    check_body("let &a = p;", expect![""]);
}

#[test]
fn unsupported_types() {
    check_body("let a: &f32 = b;", expect![""]);
    check_body(
        "let a: [f32] = b;",
        expect![[r#"
        error: [K0001] slices by value are not supported in kernels
               help: a kernel's parameters may be `&[T]` or `&mut [T]`; elsewhere use values or arrays `[T; N]`
         1 | fn k(x: &mut [f32]) { let a: [f32] = b; }
           |                              ^^^^^
    "#]],
    );
    check_body(
        "let a: *const f32 = b;",
        expect![[r#"
        error: [K0001] raw pointers are not supported in kernels
               help: a kernel's parameters may be `&[T]` or `&mut [T]`; elsewhere use values or arrays `[T; N]`
         1 | fn k(x: &mut [f32]) { let a: *const f32 = b; }
           |                              ^^^^^^^^^^
    "#]],
    );
    check_body(
        "let a: fn(f32) -> f32 = b;",
        expect![[r#"
        error: [K0001] function pointers are not supported in kernels
               help: take the function by its parameters, `f: impl Fn(f32) -> f32`; its name or a closure may be passed
         1 | fn k(x: &mut [f32]) { let a: fn(f32) -> f32 = b; }
           |                              ^^^^^^^^^^^^^^
    "#]],
    );
    check_body(
        "let a: impl Copy = b;",
        expect![[r#"
            error: [K0001] `impl Trait` is not supported in kernels
                   help: name a type parameter: `fn f<T: Trait>(x: T)`; write the result's type out
             1 | fn k(x: &mut [f32]) { let a: impl Copy = b; }
               |                              ^^^^^^^^^
        "#]],
    );
}

#[test]
fn bad_literal() {
    check_body(
        "let a = 1u256;",
        expect![[r#"
            error: [K0005] `u256` is not a number type of kernels
                   note: the types of literals are i8 to i128, u8 to u128, f32, f64, and isize and usize (32 bits on the device)
                   help: leave it out, or write one of these
             1 | fn k(x: &mut [f32]) { let a = 1u256; }
               |                               ^^^^^
        "#]],
    );
    check_body("let a = 1u8;", expect![""]);
    check_body("let a = 1i64;", expect![""]);
    check_body(
        "let a = 999999999999999999999999999999999999999999;",
        expect![[r#"
        error: [K0005] this integer literal is too large for any integer type
         1 | fn k(x: &mut [f32]) { let a = 999999999999999999999999999999999999999999; }
           |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn bad_signature() {
    check_kernel(
        "fn k(x: &mut [f32]) -> f32 { x[0] }",
        expect![[r#"
        error: [K0003] a kernel returns nothing
               note: a kernel runs once per invocation: there is no single value to return
               help: write results into a `&mut [T]` parameter
         1 | fn k(x: &mut [f32]) -> f32 { x[0] }
           |                        ^^^
    "#]],
    );
    check_kernel(
        "fn k(self, x: &mut [f32]) { }",
        expect![[r#"
        error: [K0003] `self` parameters are not supported
               help: write a free function that takes the value by name
         1 | fn k(self, x: &mut [f32]) { }
           |      ^^^^
    "#]],
    );
    check_kernel(
        "fn k((a, b): (f32, f32), _: f32) { }",
        expect![[r#"
        error: [K0003] a parameter must be a plain name
               help: take the value by a name and take it apart with `let` in the body
         1 | fn k((a, b): (f32, f32), _: f32) { }
           |      ^^^^^^
        error: [K0003] a parameter must be a plain name
               help: name it; a leading underscore says that it is not used: `_unused`
         1 | fn k((a, b): (f32, f32), _: f32) { }
           |                          ^
    "#]],
    );
    check_kernel(
        "fn k<'a, T: Copy>(x: &'a [T]) where T: Send { }",
        expect![[r#"
            error: [K0001] lifetime parameters here are not supported in kernels
                   help: leave lifetimes out: they are elided
             1 | fn k<'a, T: Copy>(x: &'a [T]) where T: Send { }
               |      ^^
        "#]],
    );
    check_kernel(
        "const unsafe extern \"C\" fn k(x: &[f32]) { }",
        expect![[r#"
            error: [K0001] `const fn` as a kernel is not supported in kernels
                   help: remove `const`: a kernel is launched; consts call a `#[device] const fn`
             1 | const unsafe extern "C" fn k(x: &[f32]) { }
               | ^^^^^
            error: [K0001] `extern` is not supported in kernels
                   help: remove it
             1 | const unsafe extern "C" fn k(x: &[f32]) { }
               |              ^^^^^^^^^^
        "#]],
    );
    check_kernel(
        "async fn k(x: &[f32]) { }",
        expect![[r#"
        error: [K0001] `async fn` is not supported in kernels
               help: remove `async`
         1 | async fn k(x: &[f32]) { }
           | ^^^^^
    "#]],
    );
    check_kernel(
        "fn k(x: &f32, y: &mut f32, z: [f32], w: Vec<f32>) { }",
        expect![[r#"
            error: [K0003] a kernel refers to nothing but slices and images
                   note: a launch passes tensors and images by reference, and everything else by value
                   help: pass the value, `f32`, or for one in a buffer its slice, `&[f32]`
             1 | fn k(x: &f32, y: &mut f32, z: [f32], w: Vec<f32>) { }
               |         ^^^^
            error: [K0003] a kernel refers to nothing but slices and images
                   note: a launch passes tensors and images by reference, and everything else by value
                   help: write a slice, `&mut [f32]`, which may have one element
             1 | fn k(x: &f32, y: &mut f32, z: [f32], w: Vec<f32>) { }
               |                  ^^^^^^^^
            error: [K0001] slices by value are not supported in kernels
                   help: a kernel's parameters may be `&[T]` or `&mut [T]`; elsewhere use values or arrays `[T; N]`
             1 | fn k(x: &f32, y: &mut f32, z: [f32], w: Vec<f32>) { }
               |                               ^^^^^
        "#]],
    );
    check(
        Role::Device,
        "fn f(x: &[f32], y: &mut f32) -> &mut f32 { y }",
        expect![[r#"
            error: [K0001] a `&mut` reference as a function's result is not supported in kernels
                   note: kernels have no pointers: the place that a reference names must be known when the kernel is compiled
                   help: return the index, and name the element where the function is called: `&mut x[index]`; or write a method with `&mut self`, of a part of `self`; or `-> f32`, the value
             1 | fn f(x: &[f32], y: &mut f32) -> &mut f32 { y }
               |                                 ^^^^^^^^
        "#]],
    );
}

#[test]
fn consts_and_structs() {
    let mut diags = Diagnostics::new();
    let source = "const _: &str = \"text\";";
    parse_const(&syn::parse_str(source).expect("the test is Rust"), &mut diags);
    expect![[r#"
        error: [K0003] a device const needs a name
               help: name it, or remove `#[device]`
         1 | const _: &str = "text";
           |       ^
    "#]]
    .assert_eq(&render(diags, source));
    let mut diags = Diagnostics::new();
    let source = "enum E { A }";
    parse_struct(&syn::parse_str(source).expect("the test is Rust"), &mut diags);
    expect![[r#"
        error: [K0004] an enum cannot be `GpuData`
               help: mark it `#[device]` instead of deriving: it is a type of variables; in buffers keep a `u32`
         1 | enum E { A }
           | ^^^^
    "#]]
    .assert_eq(&render(diags, source));
}
