//! Generic device functions.

use expect_test::expect;

use super::harness::{accepted_to_the_end, check_errors};

#[test]
fn instances() {
    accepted_to_the_end(
        "fn twice<T: Copy + Add<Output = T>>(x: T) -> T { x + x }
         fn four<T: Copy + Add<Output = T>>(x: T) -> T { twice(twice(x)) }
         fn first<T: Copy, const N: usize>(values: [T; N]) -> T { values[N - N] }
         fn kernel(x: &mut [f32], u: &mut [u32]) {
             x[0] = four(x[1]) + twice::<f32>(2.0) + first([1.0, 2.0]) + first::<_, 3>([0.5; 3]);
             u[0] = four(u[1]) + twice(3);
         }",
    );
}

#[test]
fn closures() {
    accepted_to_the_end(
        "fn apply<F: Fn(f32) -> f32>(x: f32, f: F) -> f32 { f(x) }
         fn kernel(a: f32, x: &[f32], y: &mut [f32]) {
             let add = |v: f32| v + a;
             let at = |i: u32| x[i] * 2.0;
             y[0] = apply(x[1], |v| v * a) + apply(1.0, add) + add(2.0) + at(3) + apply(at(4), |_| at(5));
         }",
    );
}

#[test]
fn wrong_closures() {
    check_errors(
        "
fn apply<F: Fn(f32) -> f32>(x: f32, f: F) -> f32 { f(x) }
fn kernel(x: &mut [f32]) {
    let mut sum = 0.0;
    x[0] = apply(1.0, |a, b| a);
    x[0] = apply(1.0, |a: u32| 2.0);
    x[0] = apply(1.0, |a| a > 2.0);
    x[0] = apply(1.0, 3.0);
    x[0] = apply(1.0, |a| { sum += a; sum });
    let f = |a| a + 1.0;
    let g = |a: f32| a + 1.0;
    x[0] = g(1, 2);
    loop {
        apply(1.0, |a| { if a > 1.0 { break; } a });
    }
}",
        expect![[r#"
            error: [K0106] expected a closure with 1 parameter, found one with 2
             4 |     x[0] = apply(1.0, |a, b| a);
               |                       ^^^^^^^^
            error: [K0102] expected a closure that takes `f32`, found `u32`
             5 |     x[0] = apply(1.0, |a: u32| 2.0);
               |                           ^^^
            error: [K0102] expected `f32`, found `bool`
                   help: write `(a > 2.0) as u32 as f32`
             6 |     x[0] = apply(1.0, |a| a > 2.0);
               |                           ^^^^^^^
            error: [K0102] expected a closure, found a float
                   help: write `|x| …`
             7 |     x[0] = apply(1.0, 3.0);
               |                       ^^^
            error: [K0110] the closure changes the variable `sum` of the enclosing function
                   note: it is a value of its own, with copies of its captures
                   help: store it in a variable, `let mut f = |…| …;`, and call that; or return the new value
             8 |     x[0] = apply(1.0, |a| { sum += a; sum });
               |                             ^^^
            error: [K0109] cannot infer the type of `a`
                   help: write it, for example `let a: f32 = …`
             9 |     let f = |a| a + 1.0;
               |              ^
            error: [K0109] the type of this value must be known here
                   help: write the type where it is declared
             9 |     let f = |a| a + 1.0;
               |                 ^
            error: [K0106] `g` takes 1 argument, but 2 were given
            11 |     x[0] = g(1, 2);
               |                 ^
            error: [K0111] `break` outside of a loop
                   help: `return` leaves the function
            13 |         apply(1.0, |a| { if a > 1.0 { break; } a });
               |                                       ^^^^^
        "#]],
    );
}

#[test]
fn arguments() {
    check_errors(
        "
fn zero<T: Default>() -> T { T::default() }
fn same<T>(a: T, b: T) -> T { a }
fn pair<T, const N: usize>(x: T) -> [T; N] { [x; N] }
fn kernel(x: &mut [f32]) {
    zero();
    x[0] = same(1u32, x[1]);
    x[0] = same::<f32, f32>(1.0, 2.0);
    x[0] = pair::<3, f32>(1.0)[0];
    x[0] = pair::<f32, 2>(1.0, 2.0)[0];
}",
        expect![[r#"
            error: [K0109] cannot infer the parameter `T` of `zero`
                   help: write it: `zero::<…>(…)`
             5 |     zero();
               |     ^^^^
            error: [K0102] expected `f32`, found `u32`
                   help: write `same(1u32, x[1]) as f32`
             6 |     x[0] = same(1u32, x[1]);
               |            ^^^^^^^^^^^^^^^^
            error: [K0102] expected `u32`, found `f32`
                   note: parameter `b` of `same` is `u32`
                   help: write `x[1] as u32`
             6 |     x[0] = same(1u32, x[1]);
               |                       ^^^^
            error: [K0106] `same` takes 1 generic argument, but 2 were given
             7 |     x[0] = same::<f32, f32>(1.0, 2.0);
               |                ^^^^^^^^^^^^
            error: [K0106] expected a type for the parameter `T` of `pair`
             8 |     x[0] = pair::<3, f32>(1.0)[0];
               |                   ^
            error: [K0100] cannot find value `f32` in this scope
                   help: `f32` is a type
             8 |     x[0] = pair::<3, f32>(1.0)[0];
               |                      ^^^
            error: [K0106] `pair` takes 1 argument, but 2 were given
             9 |     x[0] = pair::<f32, 2>(1.0, 2.0)[0];
               |                                ^^^
        "#]],
    );
}

#[test]
fn errors_in_instances() {
    check_errors(
        "
fn negated<T: Neg<Output = T>>(x: T) -> T { -x }
fn outer<T: Neg<Output = T>>(x: T) -> T { negated(x) }
fn kernel(x: &mut [f32], u: &mut [u32]) {
    x[0] = outer(x[1]);
    u[0] = outer(u[1]);
}",
        expect![[r#"
            error: [K0103] in `negated::<u32>`: cannot apply `-` to `u32`
                   note: the error is in src/kernel.rs, line 1
                   note: unsigned values cannot be negated
                   help: convert first, `x as i32`, or write `x.wrapping_neg()`
             5 |     u[0] = outer(u[1]);
               |            ^^^^^
        "#]],
    );
}
