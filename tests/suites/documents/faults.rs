//! The list of drivers' faults: code outside of the list names each of them, and their tests exist.

use std::path::Path;

use gridwise_ir::faults::Fault;

/// The texts of all Rust files below a folder, except the list itself.
fn sources(folder: &Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() {
            sources(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("src/faults.rs") {
            texts.push(std::fs::read_to_string(&path).expect("a source file"));
        }
    }
}

#[test]
fn every_fault_is_avoided_somewhere_and_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for folder in ["kernel-ir/src", "runtime/src"] {
        sources(&root.join(folder), &mut texts);
    }
    for fault in Fault::ALL {
        let name = format!("Fault::{fault:?}");
        assert!(texts.iter().any(|text| text.contains(&name)), "no code names {name}");
        let tests = fault.record().tests;
        assert!(!tests.is_empty(), "{name} has no test");
        for (file, test) in tests {
            let text =
                std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
            assert!(text.contains(test), "{name}: {file} has no {test}");
        }
    }
}
