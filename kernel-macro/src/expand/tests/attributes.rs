//! Arguments of `#[kernel]` that relax float arithmetic.

use expect_test::expect;

use super::driver::{accepted, check_each, check_errors};

#[test]
fn fast_math() {
    for attribute in ["fast_math", "workgroup = 64, fast_math(contract)", "fast_math(no_nan, approximate_functions,)"] {
        accepted(&format!("#[kernel({attribute})] fn k(x: &mut [f32]) {{ x[0] = x[1] * x[2] + x[3].sin(); }}"));
    }
}

#[test]
fn fast_math_that_cannot_be_read() {
    check_each(
        &[
            "#[kernel(fast_math(contracts))] fn k(x: &mut [f32]) {}",
            "#[kernel(fast_math(contract, fast))] fn k(x: &mut [f32]) {}",
            "#[kernel(fast_math())] fn k(x: &mut [f32]) {}",
            "#[kernel(fast_math = true)] fn k(x: &mut [f32]) {}",
            "#[kernel(subnormals = true)] fn k(x: &mut [f32]) {}",
            "#[kernel(fast_math, fast_math)] fn k(x: &mut [f32]) {}",
            "#[kernel(workgroup(8))] fn k(x: &mut [f32]) {}",
            "#[kernel(fastmath)] fn k(x: &mut [f32]) {}",
        ],
        expect![[r#"
            error: [K0002] `fast_math` has no part `contracts`
                   help: did you mean `contract`?
             1 | #[kernel(fast_math(contracts))] fn k(x: &mut [f32]) {}
               |                    ^^^^^^^^^
            error: [K0002] `fast_math` has no part `fast`
                   help: it can give up `contract`, `reassociate`, `no_nan`, `approximate_functions`
             1 | #[kernel(fast_math(contract, fast))] fn k(x: &mut [f32]) {}
               |                              ^^^^
            error: [K0002] `fast_math()` gives up nothing
                   note: it can give up `contract`, `reassociate`, `no_nan`, `approximate_functions`
                   help: write `fast_math` for all of it, or name the parts
             1 | #[kernel(fast_math())] fn k(x: &mut [f32]) {}
               |          ^^^^^^^^^
            error: [K0002] `fast_math` takes no value
                   note: it can give up `contract`, `reassociate`, `no_nan`, `approximate_functions`
                   help: write `fast_math` for all of it, or `fast_math(contract)`
             1 | #[kernel(fast_math = true)] fn k(x: &mut [f32]) {}
               |          ^^^^^^^^^
            error: [K0002] `subnormals` takes no value
                   help: write `subnormals` alone: it applies to all floats of the kernel
             1 | #[kernel(subnormals = true)] fn k(x: &mut [f32]) {}
               |          ^^^^^^^^^^
            error: [K0002] `fast_math` is given twice
                   help: keep one of them
             1 | #[kernel(fast_math, fast_math)] fn k(x: &mut [f32]) {}
               |                     ^^^^^^^^^
            error: [K0002] cannot read the arguments of `#[kernel]`: expected identifier
                   help: write `#[kernel(workgroup = 64)]`
             1 | #[kernel(workgroup(8))] fn k(x: &mut [f32]) {}
               |                    ^
            error: [K0002] `#[kernel]` has no argument `fastmath`
                   help: did you mean `fast_math`?
             1 | #[kernel(fastmath)] fn k(x: &mut [f32]) {}
               |          ^^^^^^^^
        "#]],
    );
}

#[test]
fn type_lists() {
    for attribute in ["T = [f32, u32]", "workgroup = 64, T = [f32, [u32; 4],]", "T = [Vec3]"] {
        accepted(&format!("#[kernel({attribute})] fn k<T: Copy>(x: &mut [T]) {{ x[0] = x[1]; }}"));
    }
    accepted("#[kernel(workgroup = N, T = [f32], N = 64)] fn k<T: Copy, const N: usize>(x: &mut [T]) { x[0] = x[1]; }");
}

#[test]
fn type_lists_that_cannot_be_read() {
    check_each(
        &[
            "#[kernel] fn k<T: Copy>(x: &mut [T]) {}",
            "#[kernel(T)] fn k<T: Copy>(x: &mut [T]) {}",
            "#[kernel(T = f32)] fn k<T: Copy>(x: &mut [T]) {}",
            "#[kernel(T = [])] fn k<T: Copy>(x: &mut [T]) {}",
            "#[kernel(T = [f32, u32, f32])] fn k<T: Copy>(x: &mut [T]) {}",
            "#[kernel(A = [f32], B = [A])] fn k<A: Copy, B: Copy>(x: &mut [A], y: &mut [B]) {}",
            "#[kernel(U = [f32], T = [f32])] fn k<T: Copy>(x: &mut [T]) {}",
        ],
        expect![[r#"
            error: [K0002] the type parameter `T` of the kernel has no list of types
                   note: a kernel is compiled while the crate is built, once for each type it is dispatched with
                   help: name them in the attribute: `#[kernel(T = [f32, u32])]`
             1 | #[kernel] fn k<T: Copy>(x: &mut [T]) {}
               |                ^
            error: [K0002] `T` needs a list of types
                   help: write `T = [f32, u32]`
             1 | #[kernel(T)] fn k<T: Copy>(x: &mut [T]) {}
               |          ^
            error: [K0002] `T` stands for a list of types
                   help: write `T = [f32]`
             1 | #[kernel(T = f32)] fn k<T: Copy>(x: &mut [T]) {}
               |              ^^^
            error: [K0002] the list of types for `T` is empty
                   help: name the types that the kernel is compiled for: `T = [f32, u32]`
             1 | #[kernel(T = [])] fn k<T: Copy>(x: &mut [T]) {}
               |          ^
            error: [K0002] `f32` is listed twice for `T`
                   help: keep one of them
             1 | #[kernel(T = [f32, u32, f32])] fn k<T: Copy>(x: &mut [T]) {}
               |                         ^^^
            error: [K0101] cannot find type `A` in this scope
                   help: a struct needs `#[derive(GpuData)]` to be used in kernels, an enum `#[device]`
             1 | #[kernel(A = [f32], B = [A])] fn k<A: Copy, B: Copy>(x: &mut [A], y: &mut [B]) {}
               |                          ^
            error: [K0002] `#[kernel]` has no argument `U`
                   help: it knows `workgroup`, `subgroup`, `fast_math`, `subnormals`, `items_per_invocation`, `grad`
             1 | #[kernel(U = [f32], T = [f32])] fn k<T: Copy>(x: &mut [T]) {}
               |          ^
        "#]],
    );
}

#[test]
fn too_many_combinations() {
    let list = "[u8, u16, u32, u64, i8, i16, i32, i64, f32]";
    check_errors(
        &format!("#[kernel(A = {list}, B = {list})] fn k<A: Copy, B: Copy>(x: &mut [A], y: &mut [B]) {{}}"),
        expect![[r#"
            error: [K0002] 81 combinations of types are over 64
                   note: the lists have 9 × 9 types, and each combination is a module of its own
                   help: shorten the lists, or write a kernel for each group of types that belong together
             1 | #[kernel(A = [u8, u16, u32, u64, i8, i16, i32, i64, f32], B = [u8, u16, u32, u64, i8, i16, i32, i64, f32])] fn k<A: Copy, B: Copy>(x: &mut [A], y: &mut [B]) {}
               |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn errors_of_one_instance() {
    check_each(
        &[
            "#[kernel(T = [f32, u32, bool])] fn k<T: Copy>(x: &mut [T], k: T) { x[0] = k; }",
            "#[kernel(T = [f32, u32])] fn k<T: Copy>(x: &mut [T], y: &mut [f32]) { y[0] = x[0].fract(); }",
            "#[kernel(T = [f32])] fn k<T: std::ops::Add>(x: &mut [T::Output]) {}",
            "#[kernel(T = [f32, usize])] fn k<T: Copy>(x: &mut [f32]) { let v = [1, 2]; x[0] = v[x.len()]; }",
        ],
        expect![[r#"
            error: [K0205] parameter `x` of type `&mut [bool]` cannot reach the device
                   note: in `k::<bool>`
                   note: `bool` has no layout in buffers
                   help: store `u32`: `flag as u32`, and read it with `!= 0`
             1 | #[kernel(T = [f32, u32, bool])] fn k<T: Copy>(x: &mut [T], k: T) { x[0] = k; }
               |                                                  ^^^^^^^^
            error: [K0104] no method `fract` on type `u32`
                   note: in `k::<u32>`
                   help: `fract` is a method of `f32`: write `(x[0] as f32).fract(…)`
             1 | #[kernel(T = [f32, u32])] fn k<T: Copy>(x: &mut [T], y: &mut [f32]) { y[0] = x[0].fract(); }
               |                                                                                   ^^^^^
            error: [K0003] `T::Output` in the signature of a kernel is not supported
                   help: make it a type parameter with a list of its own
             1 | #[kernel(T = [f32])] fn k<T: std::ops::Add>(x: &mut [T::Output]) {}
               |                                                      ^^^^^^^^^
            error: [K0102] expected `f32`, found an integer
                   help: write `v[x.len()] as f32`
             1 | #[kernel(T = [f32, usize])] fn k<T: Copy>(x: &mut [f32]) { let v = [1, 2]; x[0] = v[x.len()]; }
               |                                                                                   ^^^^^^^^^^
        "#]],
    );
}
