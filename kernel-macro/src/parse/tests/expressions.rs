//! The whole language once, and expressions outside it.

use expect_test::expect;

use super::{check_body, check_kernel};

#[test]
fn whole_language_parses() {
    check_kernel(
        "fn k(a: f32, mut n: usize, p: Particle, x: &[f32], y: &mut [glam::Vec3]) {
            let (i, mut j): (u32, _) = (global_id().x, 1u32);
            'outer: for k in 0..=n { while j < 3 { j += 1; continue 'outer; } }
            let v = loop { break if a < 1.0 { 1.5e3 } else { -a }; };
            let t = [0.0f32; 4];
            let s = Pair { a, b: t[0] };
            if i >= 4 && !(j == 0) || true { return; }
            y[i].x = lerp(a, v) as f32 + s.a.max(2.0) + (i, j).0 as f32;
            { let _ = x.len(); }
        }",
        expect![[""]],
    );
}

#[test]
fn every_statement_is_reported() {
    check_kernel(
        "fn k(y: &mut [f32]) {
    let f = |a: f32| a;
    match 1 { _ => {} }
    y[0] = c\"text\";
    for i in (0..4).rev() {}
    let Some(v) = y[1] else { return };
}",
        expect![[r#"
            error: [K0001] C strings are not supported in kernels
                   help: write bytes, `b"text"`, or keep text on the host
             4 |     y[0] = c"text";
               |            ^^^^^^^
        "#]],
    );
}

#[test]
fn unsupported_syntax() {
    check_body("let a = &x;", expect![""]);
    check_body("let a = &mut x[0];", expect![""]);
    check_body("let a = *x;", expect![""]);
    check_body("unsafe { x[0] = 1.0; }", expect![""]);
    check_body(
        "async { 1 };",
        expect![[r#"
        error: [K0001] `async` is not supported in kernels
               help: remove it: invocations run by themselves
         1 | fn k(x: &mut [f32]) { async { 1 }; }
           |                       ^^^^^
    "#]],
    );
    check_body(
        "let a = vec![1.0; 4];",
        expect![[r#"
        error: [K0001] the macro `vec!` is not supported in kernels
               help: use an array `[value; N]`
         1 | fn k(x: &mut [f32]) { let a = vec![1.0; 4]; }
           |                               ^^^^
    "#]],
    );
    check_body("let a = 0..4;", expect![""]);
    check_body("for v in x.iter() { }", expect![""]);
    check_body("for i in 0.. { }", expect![""]);
    check_body(
        "(x.f)(1.0);",
        expect![[r#"
        error: [K0001] calling anything but a function by its name is not supported in kernels
               help: call a `#[device] fn`
         1 | fn k(x: &mut [f32]) { (x.f)(1.0); }
           |                       ^^^^^
    "#]],
    );
    check_body(
        "Self::new(1.0);",
        expect![[r#"
        error: [K0001] `self` and `Self` are not supported in kernels
               help: kernels and device fns are free functions
         1 | fn k(x: &mut [f32]) { Self::new(1.0); }
           |                       ^^^^
    "#]],
    );
    check_body(
        "let f = <[f32; 4] as Float>::LANES;",
        expect![[r#"
        error: [K0001] this qualified path is not supported in kernels
               help: write `T::NAME`, or `<T as Trait>::NAME` of a type that has a name
         1 | fn k(x: &mut [f32]) { let f = <[f32; 4] as Float>::LANES; }
           |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
}
