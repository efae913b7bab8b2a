//! Arguments of `#[kernel]` that relax float arithmetic.

use expect_test::expect;

use super::driver::{accepted, check_errors};

#[test]
fn fast_math() {
    for attribute in ["fast_math", "workgroup = 64, fast_math(contract)", "fast_math(no_nan, approximate_functions,)"] {
        accepted(&format!("#[kernel({attribute})] fn k(x: &mut [f32]) {{ x[0] = x[1] * x[2] + x[3].sin(); }}"));
    }
}

#[test]
fn fast_math_that_cannot_be_read() {
    check_errors(
        "#[kernel(fast_math(contracts))] fn k(x: &mut [f32]) {}",
        expect![[r#"
        error: [K0002] `fast_math` has no part `contracts`
               help: did you mean `contract`?
         1 | #[kernel(fast_math(contracts))] fn k(x: &mut [f32]) {}
           |                    ^^^^^^^^^
    "#]],
    );
    check_errors(
        "#[kernel(fast_math(contract, fast))] fn k(x: &mut [f32]) {}",
        expect![[r#"
        error: [K0002] `fast_math` has no part `fast`
               help: it can give up `contract`, `reassociate`, `no_nan`, `approximate_functions`
         1 | #[kernel(fast_math(contract, fast))] fn k(x: &mut [f32]) {}
           |                              ^^^^
    "#]],
    );
    check_errors(
        "#[kernel(fast_math())] fn k(x: &mut [f32]) {}",
        expect![[r#"
        error: [K0002] `fast_math()` gives up nothing
               note: it can give up `contract`, `reassociate`, `no_nan`, `approximate_functions`
               help: write `fast_math` for all of it, or name what
         1 | #[kernel(fast_math())] fn k(x: &mut [f32]) {}
           |          ^^^^^^^^^
    "#]],
    );
    check_errors(
        "#[kernel(fast_math = true)] fn k(x: &mut [f32]) {}",
        expect![[r#"
        error: [K0002] `fast_math` takes no value
               note: it can give up `contract`, `reassociate`, `no_nan`, `approximate_functions`
               help: write `fast_math` for all of it, or `fast_math(contract)`
         1 | #[kernel(fast_math = true)] fn k(x: &mut [f32]) {}
           |          ^^^^^^^^^
    "#]],
    );
    check_errors(
        "#[kernel(fast_math, fast_math)] fn k(x: &mut [f32]) {}",
        expect![[r#"
        error: [K0002] `fast_math` is given twice
               help: keep one of them
         1 | #[kernel(fast_math, fast_math)] fn k(x: &mut [f32]) {}
           |                     ^^^^^^^^^
    "#]],
    );
    check_errors(
        "#[kernel(workgroup(8))] fn k(x: &mut [f32]) {}",
        expect![[r#"
        error: [K0002] cannot read the arguments of `#[kernel]`: expected identifier
               help: write `#[kernel(workgroup = 64)]`
         1 | #[kernel(workgroup(8))] fn k(x: &mut [f32]) {}
           |                    ^
    "#]],
    );
    check_errors(
        "#[kernel(fastmath)] fn k(x: &mut [f32]) {}",
        expect![[r#"
        error: [K0002] `#[kernel]` has no argument `fastmath`
               help: did you mean `fast_math`?
         1 | #[kernel(fastmath)] fn k(x: &mut [f32]) {}
           |          ^^^^^^^^
    "#]],
    );
}
