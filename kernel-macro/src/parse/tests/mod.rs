//! Parse errors as users see them: one test per construct that is outside the language.

mod expressions;
mod items;

use expect_test::Expect;

use super::{Role, parse_fn};
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

/// One statement in a kernel.
fn check_body(statement: &str, expected: Expect) {
    check_kernel(&format!("fn k(x: &mut [f32]) {{ {statement} }}"), expected);
}
