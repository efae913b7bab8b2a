//! The examples of the error index: the wrong ones have their error, the right ones none.

use super::driver::{accepted, expand_source};
use crate::diag::{code, examples};

#[test]
fn wrong_examples_have_their_error_first() {
    let mut failed = Vec::new();
    for example in examples::ALL {
        let errors = expand_source(example.wrong).errors;
        let expected = format!("error: [{}] ", example.code.name());
        if !errors.starts_with(&expected) {
            failed.push(format!("{}:\n{}\n{errors}", example.code.name(), example.wrong));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn right_examples_are_accepted() {
    examples::ALL.iter().for_each(|example| {
        accepted(example.right);
    });
}

#[test]
fn every_code_has_an_example() {
    let codes: Vec<_> = examples::ALL.iter().map(|example| example.code.name()).collect();
    let expected: Vec<_> = code::ALL.iter().filter(|code| **code != code::INTERNAL).map(|code| code.name()).collect();
    assert_eq!(codes, expected, "in order");
}
