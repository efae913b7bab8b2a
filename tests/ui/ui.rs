//! Compile-fail cases: what rustc prints for a wrong kernel. Right ones, in `pass/`, are tests of their own: with them trybuild would
//! build all dependencies where it only checks them.
//!
//! `TRYBUILD=overwrite` rewrites the expected output; read the difference before committing it.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    for category in [
        "attributes",
        "constants",
        "gradients",
        "control",
        "images",
        "names",
        "limits",
        "parallel",
        "signatures",
        "structs",
        "syntax",
        "types",
    ] {
        cases.compile_fail(format!("{category}/*.rs"));
    }
}
