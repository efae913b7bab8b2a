//! Tests that hold the error index to the table of codes, and every code to a test of its own.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::{code, examples};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// `docs/errors.md` as the table has it. `BLESS=1 cargo test -p gridwise-macro` rewrites it.
#[test]
fn index_lists_every_code() {
    let mut text = String::from(
        "# Errors of the kernel compiler\n\nGenerated from `kernel-macro/src/diag/code.rs`; `BLESS=1 cargo test -p gridwise-macro` rewrites it.\n\n\
         | code | meaning |\n| --- | --- |\n",
    );
    for code in code::ALL {
        let _ = writeln!(text, "| {} | {} |", code.name(), code.title());
    }
    text.push_str(
        "\n`cannot find macro `…` in this scope`, from rustc, at a call, type or const inside a kernel: what the name stands for is\n\
         not a `#[device]` item or a `#[derive(GpuData)]` struct, or is not in scope. Kernels reach other items by macros of the\n\
         same name, which these attributes define: add the attribute to the item, or import it. Where the item stands in a file of\n\
         the same crate, K0125 says so instead; rustc speaks of items of other crates and of those that macros write. Functions of other languages that are methods in Rust end there, too:\n\
         `sqrt(x)` is `x.sqrt()`, `mix(a, b, t)` is `a.lerp(b, t)`, `max(a, b)` is `a.max(b)`.\n",
    );
    for example in examples::ALL {
        let _ = write!(text, "\n## {}: {}\n\n", example.code.name(), example.code.title());
        // Shaders lie beside a user's source, not beside this text; the tests of the macro compile these.
        let right = if example.right.contains("include_spirv!") { "ignore" } else { "" };
        for (fence, source) in [("compile_fail", example.wrong), (right, example.right)] {
            let _ = write!(
                text,
                "```rust{}{fence}\n# use gridwise::prelude::*;\n{source}\n# fn main() {{}}\n```\n",
                if fence.is_empty() { "" } else { "," }
            );
            if fence == "compile_fail" {
                text.push_str("\nRight:\n\n");
            }
        }
    }
    let path = root().join("docs/errors.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &text).expect("docs/ can be written");
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "docs/errors.md is out of date: bless it");
}

#[test]
fn every_code_has_a_test() {
    let mut tests = String::new();
    for folder in ["tests/ui", "kernel-macro/src"] {
        collect(&root().join(folder), &mut tests);
    }
    // A bug of the compiler cannot be provoked on purpose.
    let untested =
        code::ALL.iter().filter(|code| **code != code::INTERNAL && !tests.contains(&format!("[{}]", code.name())));
    let untested: Vec<_> = untested.map(|code| code.name()).collect();
    assert!(untested.is_empty(), "no test shows {untested:?}");
}

/// Appends the expected outputs below `folder`: `.stderr` files, and Rust files with in-process tests.
fn collect(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_test = path.extension().is_some_and(|e| e == "stderr") || path.to_string_lossy().contains("test");
        if path.is_dir() {
            collect(&path, text);
        } else if is_test {
            text.push_str(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
}
