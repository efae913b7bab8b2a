//! Slices: what arguments must be, and where slices may be named.

use expect_test::expect;

use super::harness::check_errors;

#[test]
fn arguments() {
    check_errors(
        r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[f32], y: &mut [u32]) { y[0] = total(x); }"##,
        expect![[r#"
            error: [K0102] expected `&[u32]`, found `&[f32]`
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[f32], y: &mut [u32]) { y[0] = total(x); }
               |                                                                                        ^
        "#]],
    );
    check_errors(
        r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; y[0] = total(a); }"##,
        expect![[r#"
            error: [K0102] expected a slice, found `[u32; 2]`
                   help: write `&a`
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; y[0] = total(a); }
               |                                                                                                ^
        "#]],
    );
    check_errors(
        r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = 5u32; y[0] = total(&a); }"##,
        expect![[r#"
            error: [K0108] cannot make a slice of `u32`
                   note: buffers and arrays have slices
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = 5u32; y[0] = total(&a); }
               |                                                                                            ^
        "#]],
    );
    check_errors(
        r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a: [u32; 0] = []; y[0] = total(&a); }"##,
        expect![[r#"
            error: [K0108] an array without elements has no slices
                   note: there is nothing that the function could read
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a: [u32; 0] = []; y[0] = total(&a); }
               |                                                                                                    ^
        "#]],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(x); }"##,
        expect![[r#"
        error: [K0102] expected `&mut [u32]`, found `&[u32]`
               help: what is written must be `&mut`, here and where it is declared
         1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(x); }
           |                                                                ^
    "#]],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(&mut x[1..]); }"##,
        expect![[r#"
            error: [K0110] `x[1..]` cannot be written
                   help: declare it `&mut [T]`
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(&mut x[1..]); }
               |                                                                     ^^^^^^
        "#]],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { put(&y[1..]); }"##,
        expect![[r#"
        error: [K0102] expected `&mut [u32]`, found `&[u32]`
               help: what is written must be `&mut`, here and where it is declared
         1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { put(&y[1..]); }
           |                                                                    ^^^^^^^
    "#]],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; put(&mut a); y[0] = a[0]; }"##,
        expect![[r#"
            error: [K0110] cannot assign to immutable variable `a`
                   note: `a` is declared at line 1
                   help: declare it `mut a`
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; put(&mut a); y[0] = a[0]; }
               |                                                                                            ^
        "#]],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [[u32; 4]]) { put(&mut y[0]); }"##,
        expect![[r#"
            error: [K0115] this array has no slices
                   note: buffers have, shared variables as a whole, and arrays in variables of the function
                   help: copy it to a variable: `let mut own = …;`, use that, and store it back if it changed
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [[u32; 4]]) { put(&mut y[0]); }
               |                                                                              ^^^^
        "#]],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel() { let tile = Shared::<[u32; 4]>::new(); put(&mut tile); }"##,
        expect![[r#"
            error: [K0102] expected a slice, found the shared variable `tile`
                   help: write `tile[..]`
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel() { let tile = Shared::<[u32; 4]>::new(); put(&mut tile); }
               |                                                                                                  ^^^^
        "#]],
    );
    check_errors(
        r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[u32], y: &mut [u32]) { y[0] = total(&x[1i32..]); }"##,
        expect![[r#"
            error: [K0108] expected `u32` or `usize`, found `i32`
                   note: buffers and arrays are indexed by unsigned integers
                   help: write `1i32 as u32`
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[u32], y: &mut [u32]) { y[0] = total(&x[1i32..]); }
               |                                                                                           ^^^^
        "#]],
    );
}

#[test]
fn values() {
    check_errors(
        r##"fn kernel(x: &[u32]) { let part = x[1..3]; }"##,
        expect![[r#"
            error: [K0203] the slice `x[1..3]` is used as a value
                   help: pass it to a device function, `f(&x[1..3])`, or name it: `let part = &x[1..3];`
             1 | fn kernel(x: &[u32]) { let part = x[1..3]; }
               |                                   ^^^^^^^
        "#]],
    );
    check_errors(
        r##"fn f(x: &[u32]) -> u32 { let at = |i: u32| x[i]; at(1) }"##,
        expect![[r#"
        error: [K0115] a closure cannot name a slice of the function around it
               note: it is a function of its own, and a slice is known only where it is made
               help: read the element before, and name that; or write a `#[device] fn` that takes the slice
         1 | fn f(x: &[u32]) -> u32 { let at = |i: u32| x[i]; at(1) }
           |                                            ^^^^
    "#]],
    );
    check_errors(
        r##"fn kernel(x: &[u32], y: &mut [u32]) { let part = &x[1..3]; let at = |i: u32| part[i]; y[0] = at(1); }"##,
        expect![[r#"
            error: [K0115] a closure cannot name a slice of the function around it
                   note: it is a function of its own, and a slice is known only where it is made
                   help: read the element before, and name that; or write a `#[device] fn` that takes the slice
             1 | fn kernel(x: &[u32], y: &mut [u32]) { let part = &x[1..3]; let at = |i: u32| part[i]; y[0] = at(1); }
               |                                                                              ^^^^^^^
        "#]],
    );
}

#[test]
fn parameters() {
    check_errors(
        r##"fn f(x: &[bool]) -> bool { x[0] }"##,
        expect![[r#"
        error: [K0205] the parameter `x` cannot be a slice
               note: `bool` has no layout in buffers
               help: store `u32`: `flag as u32`, and read it with `!= 0`
         1 | fn f(x: &[bool]) -> bool { x[0] }
           |         ^^^^^^^
    "#]],
    );
    check_errors(
        r##"fn f<T: Copy>(x: &[T]) -> T { x[0] }"##,
        expect![[r#"
        error: [K0205] the parameter `x` cannot be a slice
               note: the type of its elements depends on a parameter
               help: write one function for each type of elements
         1 | fn f<T: Copy>(x: &[T]) -> T { x[0] }
           |                  ^^^^
    "#]],
    );
}
