//! Device functions that call each other: each would wait for the other's macro, and rustc would say that there is none. They are
//! found by what was expanded before. Must be sure: all of them stand beside each other in one module of one file, by their text.

use std::sync::{Mutex, PoisonError};

use crate::ast::{Fn, Path, SpanRange};
use crate::diag::{Diagnostics, code};

/// A function that was expanded, and the bare names in it that are no variables.
struct Seen {
    file: String,
    name: String,
    names: Vec<String>,
}

/// All of them. A process that expands a text again, as editors do, replaces what it knew.
static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

/// Reports a function that calls itself through others; `names`: what it names.
pub(crate) fn check_cycle(function: &Fn, names: &[Path], diags: &mut Diagnostics) {
    let bare: Vec<_> = names.iter().filter_map(Path::as_name).collect();
    let own = function.name.to_string();
    let span = function.name.span();
    let file = span.file();
    let seen = Seen { file: file.clone(), name: own.clone(), names: bare.iter().map(ToString::to_string).collect() };
    let cycle = {
        let mut known = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|other| other.name != own || other.file != file);
        if bare.is_empty() {
            return;
        }
        known.push(seen);
        way_back(&known, &file, &own)
    };
    let Some(cycle) = cycle else { return };
    let is_certain = || {
        let text = std::fs::read_to_string(span.local_file()?).ok()?;
        stand_together(&syn::parse_file(&text).ok()?.items, &cycle).then_some(())
    };
    let Some(call) = bare.iter().find(|name| Some(&name.to_string()) == cycle.get(1)) else { return };
    if is_certain().is_some() {
        let message = format!("`{own}` calls itself through `{}`", cycle[1..].join("`, `"));
        diags
            .error(code::RECURSION, SpanRange::token(call.span()), message)
            .note("there is no call stack on the device")
            .help("write a loop, with an array as a stack if need be");
    }
}

/// The functions from `own` back to it, itself first.
fn way_back(known: &[Seen], file: &str, own: &str) -> Option<Vec<String>> {
    let here: Vec<&Seen> = known.iter().filter(|seen| seen.file == file).collect();
    let mut ways = vec![vec![own.to_owned()]];
    let mut reached = vec![own.to_owned()];
    while let Some(way) = ways.pop() {
        let last = way.last()?;
        let Some(seen) = here.iter().find(|seen| seen.name == *last) else { continue };
        for name in &seen.names {
            if name == own {
                return Some(way);
            }
            if !reached.contains(name) {
                reached.push(name.clone());
                ways.push(way.iter().chain([name]).cloned().collect());
            }
        }
    }
    None
}

/// Whether these functions, each the only one of its name in the file, are device functions of one module.
fn stand_together(items: &[syn::Item], names: &[String]) -> bool {
    let mut modules = Vec::new();
    collect(items, names, &mut modules);
    match modules.as_slice() {
        [(found, device)] => found.len() == names.len() && *device,
        _ => false,
    }
}

/// For each module with some of these functions which, and whether all of them have the attribute.
fn collect<'i>(items: &'i [syn::Item], names: &[String], modules: &mut Vec<(Vec<&'i syn::Ident>, bool)>) {
    let (mut found, mut device) = (Vec::new(), true);
    for item in items {
        match item {
            syn::Item::Fn(function) if names.iter().any(|name| function.sig.ident == name) => {
                let is_ours =
                    |attr: &syn::Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "device");
                device &= function.attrs.iter().any(is_ours);
                found.push(&function.sig.ident);
            }
            syn::Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    collect(items, names, modules);
                }
            }
            _ => {}
        }
    }
    if !found.is_empty() {
        modules.push((found, device));
    }
}

#[cfg(test)]
mod tests {
    use super::{Seen, stand_together, way_back};

    fn seen(name: &str, names: &[&str]) -> Seen {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Seen { file: "a.rs".to_owned(), name: name.to_owned(), names }
    }

    #[test]
    fn cycles_are_found_through_any_number_of_functions() {
        let known = [seen("a", &["LIMIT", "b"]), seen("b", &["d", "c"]), seen("d", &["b"]), seen("c", &["a"])];
        assert_eq!(way_back(&known, "a.rs", "a"), Some(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]));
        assert_eq!(way_back(&known, "b.rs", "a"), None);
        assert_eq!(way_back(&known[..2], "a.rs", "a"), None);
    }

    #[test]
    fn only_functions_of_one_module_count() {
        let items = |text: &str| syn::parse_file(text).map(|file| file.items).unwrap_or_default();
        let names = ["a".to_owned(), "b".to_owned()];
        assert!(stand_together(&items("mod m { #[device] fn a() {} #[gridwise::device] fn b() {} }"), &names));
        assert!(!stand_together(&items("#[device] fn a() {} mod m { #[device] fn b() {} }"), &names));
        assert!(!stand_together(&items("#[device] fn a() {} fn b() {}"), &names));
        assert!(!stand_together(&items("#[device] fn a() {} #[device] fn b() {} mod m { fn a() {} }"), &names));
    }
}
