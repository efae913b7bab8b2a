//! Compile-fail cases: what rustc prints for a wrong kernel, and that right ones compile without a warning.
//!
//! `TRYBUILD=overwrite` rewrites the expected output; read the difference before committing it.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
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
        cases.compile_fail(format!("ui/{category}/*.rs"));
    }
}
