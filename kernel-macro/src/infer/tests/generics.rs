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
                   note: the error is in <parsed string 1>, line 1
                   note: unsigned values cannot be negated
                   help: convert first, `x as i32`, or write `x.wrapping_neg()`
             5 |     u[0] = outer(u[1]);
               |            ^^^^^
        "#]],
    );
}
