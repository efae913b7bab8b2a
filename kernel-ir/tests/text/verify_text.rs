//! The verifier on text: each file holds modules with, on the line where it belongs, every error that is expected.
//!
//! `; error: Kind: part of the message` stands behind an instruction, the head of a function, or an entity's declaration;
//! `|` separates several. Errors about an instruction must quote that line, and carry its location when it has one.

use gridwise_ir::parse::parse;
use gridwise_ir::verify::{VerifyError, verify};

struct Line<'t> {
    /// Function the line is in, as `fn0`.
    function: Option<String>,
    code: &'t str,
    expected: Vec<&'t str>,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut function = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let (code, comment) = line.split_once(" ; ").unwrap_or((line, ""));
        let code = code.trim();
        let word = code.split(' ').next().unwrap_or_default();
        if word.strip_prefix("fn").is_some_and(|digits| digits.parse::<u32>().is_ok()) {
            function = Some(word.to_owned());
        }
        let expected = comment.trim().strip_prefix("error: ").map(|all| all.split(" | ").collect()).unwrap_or_default();
        lines.push(Line { function: function.clone(), code, expected });
    }
    lines
}

/// Whether an error is about a line.
fn is_about(error: &VerifyError, line: &Line<'_>) -> bool {
    if error.function.map(|id| id.to_string()) != line.function && error.function.is_some() {
        return false;
    }
    match &error.text {
        Some(text) => {
            line.code == text || line.code.strip_prefix(text).is_some_and(|rest| rest.starts_with([' ', '@']))
        }
        // Only the entry block has no owner to quote.
        None if error.entity.starts_with("block") => line.code.starts_with("fn"),
        None => line.code.split(' ').next() == Some(&error.entity),
    }
}

fn check_module(text: &str) -> Vec<String> {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let errors = verify(&module).err().map(|errors| errors.errors().to_vec()).unwrap_or_default();
    let mut lines = lines(text);
    let mut problems = Vec::new();
    for error in &errors {
        let shown = format!("{:?}: {}", error.kind, error.message);
        let is_expected = |expected: &&str| {
            let (kind, message) = expected.split_once(": ").unwrap();
            kind == format!("{:?}", error.kind) && error.message.contains(message)
        };
        let found = lines.iter_mut().filter(|line| is_about(error, line)).find_map(|line| {
            let position = line.expected.iter().position(is_expected)?;
            line.expected.remove(position);
            Some(line.code)
        });
        match found {
            None => problems.push(format!("unexpected: {error} [{shown}]")),
            Some(code) => {
                let location = error.location.map(|at| format!("@{}:{}:{}", at.file, at.line, at.column));
                if code.contains('@') && location.is_none_or(|location| !code.contains(&location)) {
                    problems.push(format!("not located: {error}"));
                }
            }
        }
    }
    for line in lines {
        problems.extend(line.expected.iter().map(|expected| format!("missing at `{}`: {expected}", line.code)));
    }
    problems
}

#[track_caller]
fn check_file(text: &str) {
    let problems: Vec<_> = text.split("; ---").flat_map(check_module).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn module() {
    check_file(include_str!("verify/module.ir"));
}

#[test]
fn structure() {
    check_file(include_str!("verify/structure.ir"));
}

#[test]
fn types() {
    check_file(include_str!("verify/types.ir"));
}

#[test]
fn memory() {
    check_file(include_str!("verify/memory.ir"));
}

#[test]
fn parallel() {
    check_file(include_str!("verify/parallel.ir"));
}

#[test]
fn matrices() {
    check_file(include_str!("verify/matrices.ir"));
}
