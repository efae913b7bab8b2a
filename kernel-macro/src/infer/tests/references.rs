//! References: where they may stand, what may be written through them, and what arguments must be.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn values() {
    check_each(
        &[
            r##"fn f(a: u32, b: u32) -> u32 { let c = [&a, &b]; *c[0] }"##,
            r##"fn f(a: u32) -> (u32, u32) { let pair = (&a, 1u32); (a, 1) }"##,
            r##"fn f(a: &u32) -> u32 { a }"##,
            r##"fn f(a: &u32) -> f32 { a as f32 }"##,
            r##"fn f(a: &u32, b: u32) -> bool { a == b }"##,
            r##"fn f(a: &mut u32, b: u32) -> u32 { a + b }"##,
            r##"fn f(a: u32) -> u32 { a.max(&a) }"##,
            r##"fn f(a: u32) -> u32 { *a + 1 }"##,
        ],
        expect![[r#"
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `a`, the value
             1 | fn f(a: u32, b: u32) -> u32 { let c = [&a, &b]; *c[0] }
               |                                        ^^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `b`, the value
             1 | fn f(a: u32, b: u32) -> u32 { let c = [&a, &b]; *c[0] }
               |                                            ^^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `*a`, the value
             1 | fn f(a: &u32) -> u32 { a }
               |                        ^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `*a`, the value
             1 | fn f(a: &u32) -> f32 { a as f32 }
               |                        ^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `*a`, the value
             1 | fn f(a: &u32, b: u32) -> bool { a == b }
               |                                 ^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `*a`, the value
             1 | fn f(a: &mut u32, b: u32) -> u32 { a + b }
               |                                    ^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `a`, the value
             1 | fn f(a: u32) -> u32 { a.max(&a) }
               |                             ^^
            error: [K0103] `u32` cannot be dereferenced
                   help: write `a`
             1 | fn f(a: u32) -> u32 { *a + 1 }
               |                        ^
        "#]],
    );
}

#[test]
fn arguments() {
    check_each(
        &[
            r##"fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [u32]) { let mut a = 1; bump(a); out[0] = a; }"##,
            r##"fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [u32]) { let mut a = 1; bump(&a); out[0] = a; }"##,
            r##"fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [u32]) { let a = 1; bump(&mut a); out[0] = a; }"##,
            r##"fn half(x: u32) -> u32 { x / 2 } fn kernel(out: &mut [u32]) { let a = 1; out[0] = half(&a); }"##,
            r##"fn bump(x: &mut u32) { *x += 1; } fn kernel(x: &[u32]) { bump(&mut x[0]); }"##,
            r##"fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [f32]) { bump(&mut out[0]); }"##,
            r##"fn bump(x: &mut u32) { *x += 1; } fn kernel(x: &[u32]) { bump(&mut (x[0] + 1)); }"##,
            r##"fn same<T: Copy>(x: T) -> T { x } fn kernel(out: &mut [u32]) { let a = 1u32; out[0] = *same(&a); }"##,
        ],
        expect![[r#"
            error: [K0102] expected `&mut u32`, found `u32`
                   help: write `&mut a`
             1 | fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [u32]) { let mut a = 1; bump(a); out[0] = a; }
               |                                                                                    ^
            error: [K0102] expected `&mut u32`, found `&u32`
                   help: write `&mut a`
             1 | fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [u32]) { let mut a = 1; bump(&a); out[0] = a; }
               |                                                                                    ^^
            error: [K0110] cannot assign to immutable variable `a`
                   note: `a` is declared at line 1
                   help: declare it `mut a`
             1 | fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [u32]) { let a = 1; bump(&mut a); out[0] = a; }
               |                                                                                     ^
            error: [K0102] expected `u32`, found `&u32`
                   help: write `a`
             1 | fn half(x: u32) -> u32 { x / 2 } fn kernel(out: &mut [u32]) { let a = 1; out[0] = half(&a); }
               |                                                                                        ^^
            error: [K0110] cannot assign to an element of `x`
                   note: `x` is `&[u32]`, which is read-only
                   help: declare it `x: &mut [u32]`
             1 | fn bump(x: &mut u32) { *x += 1; } fn kernel(x: &[u32]) { bump(&mut x[0]); }
               |                                                                    ^^^^
            error: [K0102] expected `&mut u32`, found `&mut f32`
                   help: copy it to a `let` variable of that type, and pass a reference to that
             1 | fn bump(x: &mut u32) { *x += 1; } fn kernel(out: &mut [f32]) { bump(&mut out[0]); }
               |                                                                     ^^^^^^^^^^^
            error: [K0110] a `&mut` reference to a temporary value is not supported in kernels
                   help: store it in a `let mut` variable, and borrow that
             1 | fn bump(x: &mut u32) { *x += 1; } fn kernel(x: &[u32]) { bump(&mut (x[0] + 1)); }
               |                                                               ^^^^^^^^^^^^^^^
            error: [K0103] `u32` cannot be dereferenced
                   help: write `same(&a)`
             1 | fn same<T: Copy>(x: T) -> T { x } fn kernel(out: &mut [u32]) { let a = 1u32; out[0] = *same(&a); }
               |                                                                                        ^^^^^^^^
            error: [K0102] expected `u32`, found `&u32`
                   help: write `a`
             1 | fn same<T: Copy>(x: T) -> T { x } fn kernel(out: &mut [u32]) { let a = 1u32; out[0] = *same(&a); }
               |                                                                                             ^^
        "#]],
    );
}

#[test]
fn writes() {
    check_each(
        &[
            r##"fn f(a: &u32) { *a = 1; }"##,
            r##"fn f(a: &mut u32) { a = 1; }"##,
            r##"fn f(a: &mut u32) { a += 1; }"##,
            r##"fn f() { let mut a = [1, 2]; let r = &a; r[0] = 3; }"##,
            r##"fn f(a: &mut u32) { let add = |v: u32| *a += v; add(1); }"##,
        ],
        expect![[r#"
            error: [K0110] cannot assign through `a`, which is a `&` reference
                   help: make it `&mut`
             1 | fn f(a: &u32) { *a = 1; }
               |                  ^
            error: [K0110] cannot assign to the reference `a` itself
                   note: in kernels a reference names the same place for its whole life
                   help: assign to its referent: `*a = …`
             1 | fn f(a: &mut u32) { a = 1; }
               |                     ^
            error: [K0110] cannot assign to the reference `a` itself
                   note: in kernels a reference names the same place for its whole life
                   help: assign to its referent: `*a = …`
             1 | fn f(a: &mut u32) { a += 1; }
               |                     ^
            error: [K0110] cannot assign through `r`, which is a `&` reference
                   help: make it `&mut`
             1 | fn f() { let mut a = [1, 2]; let r = &a; r[0] = 3; }
               |                                          ^
            error: [K0110] the closure changes the variable `a` of the enclosing function
                   note: it is a value of its own, with copies of its captures
                   help: store it in a variable, `let mut f = |…| …;`, and call that; or return the new value
             1 | fn f(a: &mut u32) { let add = |v: u32| *a += v; add(1); }
               |                                         ^
        "#]],
    );
    check_errors(r##"fn f<'a>(a: &'a u32) -> u32 { *a }"##, expect![""]);
    check_errors(
        r##"fn f(a: &mut u32) -> &mut u32 { a }"##,
        expect![[r#"
            error: [K0001] a `&mut` reference as a function's result is not supported in kernels
                   note: kernels have no pointers: the place that a reference names must be known when the kernel is compiled
                   help: return the index, and name the element where the function is called: `&mut x[index]`; or write a method with `&mut self`, of a part of `self`; or `-> u32`, the value
             1 | fn f(a: &mut u32) -> &mut u32 { a }
               |                      ^^^^^^^^
        "#]],
    );
}

#[test]
fn exchanged() {
    check_errors(
        "
fn kernel(y: &mut [u32]) {
    let (mut a, b) = (1u32, 2u32);
    core::mem::swap(&mut a, b);
    core::mem::swap(&mut a, &b);
    core::mem::swap(&mut a, &mut b);
    let mut c = 1.5;
    std::mem::swap(&mut a, &mut c);
    let old = core::mem::replace(&mut a, 1.5);
    let none = core::mem::take(a);
    core::mem::replace(&mut a);
    let tile = Shared::<[u32; 4]>::new();
    let all = core::mem::take(&mut tile);
}",
        expect![[r#"
            error: [K0102] expected a `&mut` reference, found a value
                   help: write `&mut b`
             3 |     core::mem::swap(&mut a, b);
               |                             ^
            error: [K0102] expected a `&mut` reference, found a `&` reference
                   help: write `&mut b`
             4 |     core::mem::swap(&mut a, &b);
               |                             ^^
            error: [K0110] cannot assign to immutable variable `b`
                   note: `b` is declared at line 2
                   help: declare it `mut b`
             5 |     core::mem::swap(&mut a, &mut b);
               |                                  ^
            error: [K0102] expected `&mut u32`, found `&mut a float`
                   note: both values must have the same type
             7 |     std::mem::swap(&mut a, &mut c);
               |                            ^^^^^^
            error: [K0102] expected `u32`, found float literal
             8 |     let old = core::mem::replace(&mut a, 1.5);
               |                                          ^^^
            error: [K0102] expected a `&mut` reference, found a value
                   help: write `&mut a`
             9 |     let none = core::mem::take(a);
               |                                ^
            error: [K0106] `replace` takes 2 arguments, but 1 was given
            10 |     core::mem::replace(&mut a);
               |     ^^^^^^^^^^^^^^^^^^
            error: [K0300] the shared variable `tile` is used as a value
                   help: index it: `tile[i]`
            12 |     let all = core::mem::take(&mut tile);
               |                                    ^^^^
        "#]],
    );
}

#[test]
fn cells_of_matrices() {
    check_errors(
        r##"fn f(a: [f32; 4]) -> Mat2 { Mat2::from_cols_array(a) }"##,
        expect![[r#"
        error: [K0102] expected `&[f32; 4]`, found `[f32; 4]`
               help: write `&a`
         1 | fn f(a: [f32; 4]) -> Mat2 { Mat2::from_cols_array(a) }
           |                                                   ^
    "#]],
    );
    check_errors(
        r##"fn f(a: [f32; 9]) -> Mat2 { Mat2::from_cols_array(&a) }"##,
        expect![[r#"
        error: [K0102] expected `[f32; 4]`, found `[f32; 9]`
         1 | fn f(a: [f32; 9]) -> Mat2 { Mat2::from_cols_array(&a) }
           |                                                   ^^
    "#]],
    );
    check_errors(r##"fn f(mut a: [f32; 4]) -> Mat2 { Mat2::from_cols_array(&mut a) }"##, expect![[""]]);
    check_errors(
        r##"fn f(a: [f32; 4]) -> Mat2 { Mat2::from_cols_slice(&a) }"##,
        expect![[r#"
        error: [K0104] no function `from_cols_slice` on type `Mat2`
               help: write `from_cols_array(&cells)`, of an array with as many numbers as there are cells
         1 | fn f(a: [f32; 4]) -> Mat2 { Mat2::from_cols_slice(&a) }
           |                                   ^^^^^^^^^^^^^^^
    "#]],
    );
    check_errors(
        r##"fn f(a: [f32; 4]) -> Mat2 { Mat2::from_cols_array() }"##,
        expect![[r#"
        error: [K0106] `from_cols_array` takes 1 argument, but 0 were given
         1 | fn f(a: [f32; 4]) -> Mat2 { Mat2::from_cols_array() }
           |                                   ^^^^^^^^^^^^^^^
    "#]],
    );
}

/// Forms that kernels lack, each with its remedy.
#[test]
fn remedies() {
    check_each(
        &[
            r##"fn f(x: &[[u32; 2]]) -> u32 { let (parts, rest) = x.as_chunks::<4>(); 1 }"##,
            r##"fn f(x: &mut [u32]) { let (parts, rest) = x.as_chunks_mut::<4>(); parts[0][1] = 1; }"##,
            r##"fn f(x: &mut [u32], part: Range<usize>) { x.copy_within(part, 0); }"##,
            r##"fn f(x: u32) -> ! { let y = x; }"##,
            r##"fn f(x: &mut [u32; 4], i: usize) -> Option<&mut u32> { x.get_mut(i) }"##,
        ],
        expect![[r#"
            error: [K0115] arrays of arrays are not made of slices here
                   help: take the inner arrays in order: `for c in x.chunks_exact(n)`
             1 | fn f(x: &[[u32; 2]]) -> u32 { let (parts, rest) = x.as_chunks::<4>(); 1 }
               |                                                     ^^^^^^^^^
            error: [K0104] no method `as_chunks_mut` on type `&mut [u32]`
                   help: write `.chunks_exact_mut(n)` for the parts, and `&mut x[x.len() / n * n..]` for the rest
             1 | fn f(x: &mut [u32]) { let (parts, rest) = x.as_chunks_mut::<4>(); parts[0][1] = 1; }
               |                                             ^^^^^^^^^^^^^
            error: [K0104] no method `copy_within` on type `&mut [u32]`
                   help: write it as a statement, with a range as its argument: `x.copy_within(a..b, to);`
             1 | fn f(x: &mut [u32], part: Range<usize>) { x.copy_within(part, 0); }
               |                                             ^^^^^^^^^^^
            error: [K0113] the function returns, and its type `!` says that it never does
                   help: end it with `panic!(…)` or a loop without an end; or leave the type out
             1 | fn f(x: u32) -> ! { let y = x; }
               |                                ^
            error: [K0001] an option of a `&mut` reference as a function's result is not supported in kernels
                   note: kernels have no pointers: the place that a reference names must be known when the kernel is compiled
                   help: return the position, `-> Option<usize>`, and name the element where the function is called: `if let Some(i) = … { let found = &mut x[i]; … }`; or `-> Option<u32>`, the value
             1 | fn f(x: &mut [u32; 4], i: usize) -> Option<&mut u32> { x.get_mut(i) }
               |                                     ^^^^^^^^^^^^^^^^
            error: [K0104] no method `get_mut` on type `[u32; 4]`
                   help: write `if let Some(v) = x.get_mut(i) { … }`, or `let Some(v) = x.get_mut(i) else { return Err(…) };` and `*v = …`, or `x[i] = …`
             1 | fn f(x: &mut [u32; 4], i: usize) -> Option<&mut u32> { x.get_mut(i) }
               |                                                          ^^^^^^^
        "#]],
    );
}
