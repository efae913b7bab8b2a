//! Each row of `docs/kompute.md` names tests that are there.

use std::collections::HashSet;
use std::path::Path;

use gridwise_tests::kernels;

/// The functions of the runtime's tests and of the suites.
fn tests() -> HashSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = HashSet::new();
    for folder in
        ["../runtime/tests", "../runtime/tests/devices", "suites", "fault-layer/suites", "fault-layer/suites/faults"]
    {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder of tests") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(path).expect("a source file");
            let mut is_test = false;
            for line in text.lines() {
                if let (true, Some(name)) = (is_test, line.strip_prefix("fn ")) {
                    names.extend(name.split_once('(').map(|(name, _)| name.to_owned()));
                }
                is_test = line == "#[test]";
            }
            // Those of the suite of faults stand in lists of names and functions.
            let named =
                |line: &str| line.trim().strip_prefix("(\"")?.split_once("\", ").map(|(_, name)| name.to_owned());
            names.extend(text.lines().filter_map(named).filter_map(|name| Some(name.strip_suffix("),")?.to_owned())));
            // As trials.
            let trials = text.split("Trial::test(\"").skip(1);
            names.extend(trials.filter_map(|trial| Some(trial.split_once('"')?.0.to_owned())));
            // Those of suites with a harness of their own stand in lists; what is in no list is dead code.
            for list in text.split("\ncases! {").skip(1) {
                let list = list.split_once('}').map_or("", |(list, _)| list);
                names.extend(list.split([' ', ',', ';', '\n']).filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }
    names.extend(kernels::all().iter().map(|case| case.name.to_owned()));
    names
}

#[test]
fn every_row_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("../docs/kompute.md")).expect("docs/kompute.md can be read");
    let (tests, mut rows) = (tests(), 0);
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        if line.starts_with("| ---") || line.starts_with("| Kompute |") {
            assert!(line.contains("---") || line.ends_with(" Tests |"), "a table without tests: {line}");
            continue;
        }
        rows += 1;
        let named = line.trim_end_matches(" |").rsplit(" | ").next().expect("a row has columns");
        for name in named.split(", ") {
            let name = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
            assert!(name.is_some_and(|name| tests.contains(name)), "no test {name:?} for this row: {line}");
        }
    }
    assert!(rows > 50, "the tables have {rows} rows");
}
