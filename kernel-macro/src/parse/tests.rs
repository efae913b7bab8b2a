//! Parse errors as users see them: one test per construct that is outside the language.

use expect_test::{Expect, expect};

use super::{Role, parse_const, parse_fn, parse_struct};
use crate::diag::Diagnostics;
use crate::diag::test_support::render;

fn check(role: Role, source: &str, expected: Expect) {
    let mut diags = Diagnostics::new();
    parse_fn(&syn::parse_str(source).expect("the test is Rust"), role, &mut diags);
    expected.assert_eq(&render(diags, source));
}

fn check_kernel(source: &str, expected: Expect) {
    check(Role::Kernel, source, expected);
}

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
    y[0] = \"text\";
    for i in (0..4).rev() {}
    let Some(v) = y[1] else { return };
}",
        expect![[""]],
    );
}
