//! The facade has each public type of the runtime.

use std::collections::HashSet;
use std::path::Path;

/// The names that a crate's root takes from others.
fn reexports(path: &str) -> HashSet<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a source file");
    let mut names = HashSet::new();
    for list in text.split("\npub use ").skip(1) {
        let list = list.split(';').next().unwrap_or_default();
        let words = list.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned);
        names.extend(words.filter(|word| !word.is_empty()));
    }
    names
}

#[test]
fn the_facade_has_each_type_of_the_runtime() {
    let (runtime, facade) = (reexports("../runtime/src/lib.rs"), reexports("../src/lib.rs"));
    let is_type = |name: &&String| name.starts_with(|c: char| c.is_uppercase());
    let mut missing: Vec<_> = runtime.iter().filter(is_type).filter(|name| !facade.contains(*name)).collect();
    missing.sort();
    assert!(runtime.len() > 50 && missing.is_empty(), "`src/lib.rs` does not re-export {missing:?}");
}
