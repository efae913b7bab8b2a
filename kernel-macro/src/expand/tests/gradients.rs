//! Kernels that cannot be derived: the error at its place, and the way out. And those that can, of which it looks as if they could not.

use expect_test::{Expect, expect};

use super::driver::{accepted, check_errors};

fn check(source: &str, expected: Expect) {
    check_errors(source, expected);
}

#[test]
fn arguments() {
    check(
        "#[kernel(grad)]\nfn k(x: &[f32], y: &mut [f32]) { y[0] = x[0]; }",
        expect![[r#"
        error: [K0002] `grad` needs the names of parameters
               help: write `grad(x, w)` with the inputs whose gradients are wanted
         1 | #[kernel(grad)]
           |          ^^^^
    "#]],
    );
    check(
        "#[kernel(grad(z))]\nfn k(x: &[f32], y: &mut [f32]) { y[0] = x[0]; }",
        expect![[r#"
        error: [K0502] the kernel has no parameter `z`
               help: name some of its parameters: `x`, `y`
         1 | #[kernel(grad(z))]
           |               ^
    "#]],
    );
    check(
        "#[kernel(grad(y))]\nfn k(x: &[f32], y: &mut [f32]) { y[0] = x[0]; }",
        expect![[r#"
        error: [K0502] the kernel writes `y`, so its gradient cannot be asked for
               help: name what is read only: each `&mut` parameter with floats is an output, whose adjoint is given
         1 | #[kernel(grad(y))]
           |               ^
    "#]],
    );
    check(
        "#[kernel(grad(n))]\nfn k(n: u32, x: &[f32], y: &mut [f32]) { y[0] = x[n]; }",
        expect![[r#"
        error: [K0502] `n` has no floats, so it has no gradient
               help: name parameters with floats in them
         1 | #[kernel(grad(n))]
           |               ^
    "#]],
    );
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) { y[0] = x[0].floor(); }",
        expect![[r#"
        error: [K0502] no output depends on `x` in a way that has a gradient
               help: leave it out of `grad(…)`, or let an output depend on it
         1 | #[kernel(grad(x))]
           |               ^
    "#]],
    );
}

#[test]
fn operations() {
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    y[0] = f32::from_bits(x[0].to_bits() + 1);\n}",
        expect![[r#"
            error: [K0500] no gradient flows through the bits of a float
                   help: compute the value from floats, not from their bits; functions of `f64` but `sqrt` are made of bits, so take those of `f32`
             3 |     y[0] = f32::from_bits(x[0].to_bits() + 1);
               |                           ^
        "#]],
    );
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    y[global_id().x] = subgroup::add(x[global_id().x]);\n}",
        expect![[r#"
            error: [K0500] no gradient flows through operations of a subgroup yet
                   help: add to an `Atomic<f32>` of a buffer in place of a sum of the subgroup, or write the gradient by hand
             3 |     y[global_id().x] = subgroup::add(x[global_id().x]);
               |                        ^^^^^^^^
        "#]],
    );
    check(
        "#[kernel(workgroup = 64, grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let tile: Shared<[f32; 64]> = Shared::new();\n    let l = local_index();\n    tile[l] = x[global_id().x];\n    barrier();\n    y[global_id().x] = tile[63 - l];\n}",
        expect![[r#"
            error: [K0500] no gradient flows through the shared variable `tile` yet
                   help: read the buffer where its elements are used, without a copy in shared memory
             5 |     tile[l] = x[global_id().x];
               |     ^^^^
        "#]],
    );
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], m: &[Atomic<f32>]) {\n    m[0].fetch_max(x[global_id().x], Relaxed);\n}",
        expect![[r#"
            error: [K0500] the only atomic operation that gradients flow through is an addition
                   help: add with `fetch_add`, or write each value to an element of its own
             3 |     m[0].fetch_max(x[global_id().x], Relaxed);
               |     ^
        "#]],
    );
}

#[test]
fn memory_that_others_change() {
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], next: &[Atomic<u32>], y: &mut [f32]) {\n    let at = next[0].fetch_add(1, Relaxed);\n    y[at] = x[global_id().x];\n}",
        expect![[r#"
            error: [K0500] the gradient needs the result of an atomic operation
                   help: do not use the result: a gradient flows through the added value only, and the gradient's launch does not repeat atomic operations
             3 |     let at = next[0].fetch_add(1, Relaxed);
               |              ^^^^
        "#]],
    );
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], sum: &[Atomic<f32>]) {\n    if global_id().x == 0 {\n        sum[0].store(0.0, Relaxed);\n    }\n    sum[0].fetch_add(x[global_id().x], Relaxed);\n}",
        expect![[r#"
            error: [K0500] the only atomic operation that gradients flow through is an addition
                   help: add with `fetch_add`, or write each value to an element of its own
             4 |         sum[0].store(0.0, Relaxed);
               |         ^^^
        "#]],
    );
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let i = global_id().x;\n    y[i] = 2.0 * x[i];\n    barrier();\n    y[i] += y[i ^ 1];\n}",
        expect![[r#"
            error: [K0500] no gradient flows through an output that invocations hand to each other over a barrier
                   help: split the kernel at the barrier, and derive both parts
             6 |     y[i] += y[i ^ 1];
               |             ^
        "#]],
    );
}

#[test]
fn elements_that_are_gone() {
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let i = global_id().x;\n    y[i] = y[i] * x[i];\n}",
        expect![[r#"
            error: [K0501] the gradient needs this element of `y`, which the kernel overwrites
                   help: write the result to another buffer, so that what is read is still there when the gradient is computed
             4 |     y[i] = y[i] * x[i];
               |            ^
        "#]],
    );
}

#[test]
fn what_looks_lost_and_is_not() {
    // The sum needs no element that was.
    accepted(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let i = global_id().x;\n    y[i] += 2.0 * x[i];\n}",
    );
    // Nothing flows through what chooses.
    accepted(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let i = global_id().x;\n    y[i] = if x[i].to_bits() >> 31 == 1 { 0.0 } else { x[i] };\n}",
    );
}
