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
               help: leave it out: where the kernel reads what it writes, `backward` turns the given adjoint into that of the old contents; or write to another tensor than the one that is read
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
        "#[kernel(grad(x))]\nfn k(x: &[&[f32]], y: &mut [f32]) { y[0] = x[0][0]; }",
        expect![[r#"
        error: [K0502] `x` is a list of buffers, whose gradient cannot be asked for yet
               help: pass its buffers as parameters of their own, or one buffer with a row for each
         1 | #[kernel(grad(x))]
           |               ^
    "#]],
    );
    check(
        "#[kernel(grad(x))]\nfn k(x: &Image2D<R32Float>, y: &mut [f32]) { y[0] = x.load(uvec2(0, 0)); }",
        expect![[r#"
        error: [K0502] `x` is an image, whose gradient cannot be asked for yet
               help: pass the texels as a `&[f32]`, or as a slice of vectors
         1 | #[kernel(grad(x))]
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
                   help: compute the value from floats, not from their bits, or say its slope: `with_slope(value, x, slope)`
             3 |     y[0] = f32::from_bits(x[0].to_bits() + 1);
               |                           ^
        "#]],
    );
    check(
        "#[kernel(grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    y[global_id().x] = subgroup::mul(x[global_id().x]);\n}",
        expect![[r#"
            error: [K0500] no gradient flows through this operation of a subgroup
                   help: gradients flow through `subgroup::add`, its prefix sums, `min` and `max` of scalars, `broadcast_first` and shuffles; write the others by these, or through shared memory
             3 |     y[global_id().x] = subgroup::mul(x[global_id().x]);
               |                        ^^^^^^^^
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
fn lanes_that_differ() {
    check(
        "#[kernel(workgroup = 64, grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let i = global_id().x;\n    y[i] = subgroup::shuffle(x[i], i % 3);\n}",
        expect![[r#"
            error: [K0500] the gradient of this operation needs an operand that is the same in all lanes
                   help: shuffle by a constant or another value that is the same in all invocations
             4 |     y[i] = subgroup::shuffle(x[i], i % 3);
               |            ^^^^^^^^
        "#]],
    );
    check(
        "#[kernel(workgroup = 64, grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let i = global_id().x;\n    let mut sum = 0.0;\n    for _ in 0..i {\n        sum += subgroup::add(x[i]);\n    }\n    y[i] = sum;\n}",
        expect![[r#"
            error: [K0500] no gradient flows through an operation of a subgroup in a loop that invocations may leave apart
                   help: let all invocations go through the loop together, with bounds that are the same in each
             6 |         sum += subgroup::add(x[i]);
               |                ^^^^^^^^
        "#]],
    );
}

#[test]
fn shared_memory() {
    let kernel = |body: &str| {
        format!(
            "#[kernel(workgroup = 64, grad(x))]\nfn k(n: u32, x: &[f32], y: &mut [f32]) {{\n    let tile = Shared::<[f32; 64]>::new();\n    let (l, i) = (local_index(), global_id().x);\n{body}}}"
        )
    };
    accepted(&kernel("    tile[l] = x[i];\n    barrier();\n    y[i] = tile[63 - l];\n"));
    check(
        "#[kernel(workgroup = 64, grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let sum = Shared::<[Atomic<f32>; 1]>::new();\n    sum[0].fetch_add(x[global_id().x], Relaxed);\n    barrier();\n    y[global_id().x] = sum[0].load(Relaxed);\n}",
        expect![[r#"
            error: [K0500] no gradient flows through atomic operations on the shared variable `sum`
                   help: store each invocation's share to an element of its own, and add the elements up behind a barrier
             4 |     sum[0].fetch_add(x[global_id().x], Relaxed);
               |     ^^^
        "#]],
    );
    // Each invocation as many rounds as it likes, and the elements are gone behind them.
    check(
        &kernel(
            "    tile[l] = x[i];\n    barrier();\n    let mut v = 1.0;\n    for k in 0..l {\n        v *= tile[k];\n    }\n    barrier();\n    if l > 3 {\n        for k in 0..l {\n            v *= tile[k];\n        }\n    }\n    barrier();\n    tile[l] = v;\n    barrier();\n    y[i] = tile[63 - l];\n",
        ),
        expect![[r#"
            error: [K0500] the gradient needs what the shared variable `tile` held here, and invocations that are apart cannot put it back
                   help: read what is needed into variables before the shared variable is written again, or keep the loop out of branches and loops that differ between invocations
            14 |             v *= tile[k];
               |                  ^^^^
        "#]],
    );
    check(
        &kernel(
            "    tile[l] = x[i];\n    barrier();\n    while tile[0] < 1.0 {\n        barrier();\n        tile[l] = tile[l] * 2.0 + tile[l] * tile[l];\n        barrier();\n    }\n    y[i] = tile[63 - l];\n",
        ),
        expect![[r#"
            error: [K0500] the test of this loop waits for other invocations or reads shared memory
                   help: write `while condition { … }` with a condition that reads no shared memory, and the barriers in the body
             7 |     while tile[0] < 1.0 {
               |     ^^^^^
        "#]],
    );
    check(
        "#[kernel(workgroup = 32, grad(x))]\nfn k(x: &[f32], y: &mut [f32]) {\n    let tile = Shared::<[f32; 1024]>::new();\n    let l = local_index();\n    tile[l] = x[l];\n    barrier();\n    for k in 0..9u32 {\n        let v = tile[l + k] * tile[l];\n        barrier();\n        tile[l] = v;\n        barrier();\n    }\n    y[l] = tile[63 - l];\n}",
        expect![[r#"
            error: [K0500] the gradient has to keep what the shared variable `tile` held, and it is too large or its size is not known
                   help: give the workgroup and the variable numbers as sizes, at most 16 elements for each invocation
             8 |         let v = tile[l + k] * tile[l];
               |                 ^^^^
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
        "#[kernel(grad(x))]\nunsafe fn k(x: &[f32], y: &mut [f32]) {\n    let i = global_id().x;\n    y[i] = 2.0 * x[i];\n    barrier();\n    y[i] += y[i ^ 1];\n}",
        expect![[r#"
            error: [K0500] no gradient flows through an output that invocations hand to each other over a barrier
                   help: split the kernel at the barrier, and derive both parts
             6 |     y[i] += y[i ^ 1];
               |             ^
        "#]],
    );
}

/// A kernel that loads the factors `a` and `b`.
fn check_matrices(by: &str, rest: &str, expected: Expect) {
    let head = "unsafe fn k(s: f32, x: &[f16], w: &[f16], z: &[Vec2], y: &mut [f32]) {";
    let a = "    let a = CoopMatrix::<f16, MatrixA, 8, 8>::load(x, 0, 8, RowMajor);";
    let b = "    let b = CoopMatrix::<f16, MatrixB, 8, 8>::load(w, 0, 8, RowMajor);";
    check(&format!("#[kernel(workgroup = 32, grad({by}))]\n{head}\n{a}\n{b}\n{rest}\n}}"), expected);
}

#[test]
fn matrices() {
    check_matrices(
        "x",
        "    let c = a.mul_add(b, CoopMatrix::<f32, Accumulator, 8, 8>::splat(0.0));\n    c.map(|value| value.max(0.0)).store(y, 0, 8, RowMajor);",
        expect![[r#"
            error: [K0500] no gradient flows through functions of a matrix's elements
                   help: store the matrix, and let a kernel of its own change the elements: one that has a gradient over floats
             6 |     c.map(|value| value.max(0.0)).store(y, 0, 8, RowMajor);
               |     ^
        "#]],
    );
    check_matrices(
        "s, x",
        "    let c = a.mul_add(b, CoopMatrix::<f32, Accumulator, 8, 8>::splat(0.0));\n    (c * s).store(y, 0, 8, RowMajor);",
        expect![[r#"
            error: [K0500] no gradient flows from a matrix of a subgroup to a number
                   help: leave the number out of `grad(…)`, or multiply or add it in a kernel of its own, over floats
             6 |     (c * s).store(y, 0, 8, RowMajor);
               |      ^
        "#]],
    );
    check_matrices(
        "x",
        "    let t = Shared::<[f32; 64]>::new();\n    a.mul_add(b, CoopMatrix::<f32, Accumulator, 8, 8>::splat(0.0)).store(&mut t[..], 0, 8, RowMajor);\n    barrier();\n    y[local_index()] = t[local_index()];",
        expect![[r#"
            error: [K0500] no gradient flows through a matrix that lies in shared memory or among elements of another type
                   help: load matrices from buffers and store them to buffers, `&[f16]` or `&mut [f32]`, with elements of the matrix's own type
             6 |     a.mul_add(b, CoopMatrix::<f32, Accumulator, 8, 8>::splat(0.0)).store(&mut t[..], 0, 8, RowMajor);
               |     ^
        "#]],
    );
    check_matrices(
        "w, z",
        "    let v = CoopMatrix::<f16, MatrixA, 8, 8>::load(z, 0, 4, RowMajor);\n    v.mul_add(b, CoopMatrix::<f32, Accumulator, 8, 8>::splat(0.0)).store(y, 0, 8, RowMajor);",
        expect![[r#"
            error: [K0500] no gradient flows through a matrix that lies in shared memory or among elements of another type
                   help: load matrices from buffers and store them to buffers, `&[f16]` or `&mut [f32]`, with elements of the matrix's own type
             5 |     let v = CoopMatrix::<f16, MatrixA, 8, 8>::load(z, 0, 4, RowMajor);
               |             ^^^^^^^^^^
        "#]],
    );
    check_matrices(
        "x, w",
        "    let mut f = a;\n    for i in 0..3 {\n        f = f + a;\n    }\n    f.mul_add(b, CoopMatrix::<f32, Accumulator, 8, 8>::splat(0.0)).store(y, 0, 8, RowMajor);",
        expect![[r#"
            error: [K0500] the gradient needs the transpose of this factor, which cannot be had
                   help: load each factor from a buffer in the block that multiplies it, into a variable of its own
             6 |     for i in 0..3 {
               |     ^^^
        "#]],
    );
    check_matrices(
        "x",
        "    let c = a.mul_add(b, CoopMatrix::<f32, Accumulator, 8, 8>::splat(0.0));\n    c.row_max().store(y, 0, 8, RowMajor);",
        expect![[r#"
            error: [K0500] no gradient flows through this operation on matrices of a subgroup
                   help: gradients flow through loads, stores, products, sums, differences, `convert`, `into_a`, `into_b`, `row_sum` and `column_sum`; do the rest in a kernel of its own, over floats
             6 |     c.row_max().store(y, 0, 8, RowMajor);
               |     ^
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
