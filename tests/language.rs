//! The table of the language names a test for each row, and each test is there.

use std::path::Path;

use crate::kernels;

#[test]
fn every_row_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("../docs/language.md")).expect("docs/language.md can be read");
    let names: Vec<_> = kernels::all().iter().map(|case| case.name).collect();
    let mut rows = 0;
    for line in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")) {
        let tests = line.trim_end_matches(" |").rsplit(" | ").next().expect("a row has columns");
        if tests == "Tests" {
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
