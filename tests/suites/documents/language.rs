//! The table of the language names a test for each row, and each test is there.

use std::path::Path;

use gridwise_tests::kernels;

#[test]
fn every_row_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("../docs/language.md")).expect("docs/language.md can be read");
    let names: Vec<_> = kernels::all().iter().map(|case| case.name).collect();
    let mut rows = 0;
    // Of each table, the header tells whether its rows are features.
    let (mut is_inside, mut names_tests) = (false, false);
    for line in text.lines() {
        let is_table = line.starts_with("| ");
        let is_header = is_table && !is_inside;
        is_inside = is_table;
        let tests = line.trim_end_matches(" |").rsplit(" | ").next().expect("a row has columns");
        if is_header {
            names_tests = tests == "Tests";
            assert!(names_tests || !line.starts_with("| Rust |"), "a table of features without tests: {line}");
        }
        if !is_table || !names_tests || is_header || line.starts_with("| ---") {
            continue;
        }
        rows += 1;
        let tests: Vec<_> = tests.split(", ").collect();
        assert!(tests.iter().all(|test| test.len() > 2), "a row without a test: {line}");
        for test in tests {
            let name = test.trim_matches('`');
            let is_there = if name.contains("::") {
                names.contains(&name)
            } else {
                root.join(format!("ui/{name}.stderr")).exists()
            };
            assert!(is_there, "no test {name} for this row: {line}");
        }
    }
    assert!(rows > 40, "the table has {rows} rows");
}
