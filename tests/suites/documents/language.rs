//! The tests of the language: `language.txt` names tests for each row of `docs/language.md`, and each test exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gridwise_tests::kernels;

/// A row of the document: its section and its first column.
type Row = (String, String);

/// The rows of the tables of features, whose first column is headed `Rust`.
fn rows_of(document: &str) -> BTreeSet<Row> {
    let (mut rows, mut section) = (BTreeSet::new(), String::new());
    let (mut is_inside, mut has_features) = (false, false);
    for line in document.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.to_owned();
        }
        let is_table = line.starts_with("| ");
        let is_header = is_table && !is_inside;
        is_inside = is_table;
        if is_header {
            has_features = line.starts_with("| Rust |");
        } else if is_table && has_features && !line.starts_with("| ---") {
            let feature = line[2..].split(" | ").next().expect("a row has columns");
            assert!(rows.insert((section.clone(), feature.to_owned())), "two rows are named alike: {feature}");
        }
    }
    rows
}

/// The tests that the manifest names for each row.
fn tests_of(manifest: &str) -> BTreeMap<Row, Vec<&str>> {
    let mut tests: BTreeMap<Row, Vec<&str>> = BTreeMap::new();
    let (mut section, mut row) = (String::new(), None);
    for line in manifest.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.to_owned();
        } else if line.starts_with(' ') {
            let row: &Row = row.as_ref().expect("tests stand below a row");
            tests.entry(row.clone()).or_default().extend(line.split_whitespace());
        } else {
            row = Some((section.clone(), line.to_owned()));
        }
    }
    tests
}

#[test]
fn every_row_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(root.join("../docs/language.md")).expect("docs/language.md can be read");
    let rows = rows_of(&document);
    let tests = tests_of(include_str!("language.txt"));
    assert!(rows.len() > 40, "the document has {} rows", rows.len());

    let without: Vec<_> = rows.iter().filter(|row| !tests.contains_key(*row)).collect();
    assert!(without.is_empty(), "rows of docs/language.md without tests in language.txt: {without:#?}");
    let stale: Vec<_> = tests.keys().filter(|row| !rows.contains(*row)).collect();
    assert!(stale.is_empty(), "rows of language.txt that docs/language.md does not have: {stale:#?}");

    let names: Vec<_> = kernels::all().iter().map(|case| case.name).collect();
    for (row, tests) in tests {
        for name in tests {
            let is_there = if name.contains("::") {
                names.contains(&name)
            } else {
                root.join(format!("ui/{name}.stderr")).exists()
            };
            assert!(is_there, "no test {name} for this row: {row:?}");
        }
    }
}
