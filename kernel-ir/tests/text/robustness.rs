//! Damaged text: parser, verifier and printer answer, whatever stands there.

use gridwise_ir::parse::parse;
use gridwise_ir::verify::verify;

/// Parses, verifies and prints; what was parsed must survive printing.
fn survive(text: &str) {
    if let Ok(module) = parse(text) {
        let printed = module.to_string();
        let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(again.to_string(), printed);
        if let Err(errors) = verify(&module) {
            assert!(!errors.errors().is_empty() && !errors.to_string().is_empty());
        }
    }
}

const TEXT: &str = include_str!("every_construct.ir");

#[test]
fn cut_anywhere() {
    TEXT.char_indices().for_each(|(at, _)| survive(&TEXT[..at]));
}

#[test]
fn any_line_missing() {
    let lines: Vec<_> = TEXT.lines().collect();
    for missing in 0..lines.len() {
        survive(&[&lines[..missing], &lines[missing + 1..]].concat().join("\n"));
    }
}

#[test]
fn any_digit_changed() {
    for (at, digit) in TEXT.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let changed = char::from(b'0' + (digit as u8 - b'0' + 1) % 10);
        survive(&format!("{}{changed}{}", &TEXT[..at], &TEXT[at + 1..]));
    }
}
