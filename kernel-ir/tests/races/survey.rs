//! How many kernels of a folder of lowered modules are proven, and why the others are not.

use std::time::Instant;

use gridwise_ir::ir::{InstKind, Root};

use crate::analysed;
use crate::mutants::{LONG, races};

/// Reads the modules in the folder that `GRIDWISE_RACES_SURVEY` names.
#[test]
fn survey() {
    let Ok(folder) = std::env::var("GRIDWISE_RACES_SURVEY") else { return };
    let (mut proven, mut conditional, mut refused) = (0, 0, 0);
    let mut total = std::time::Duration::ZERO;
    for path in lowered(&folder) {
        let text = std::fs::read_to_string(&path).expect("a module");
        let module = gridwise_ir::parse::parse(&text).expect("a module");
        let mut module = module;
        gridwise_ir::passes::expose(&mut module).expect("a small module");
        let started = Instant::now();
        let analysis = gridwise_ir::races::analyse(&module);
        let took = started.elapsed();
        total += took;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let at = |location: Option<gridwise_ir::ir::SourceLocation>| {
            location.map_or("?".to_owned(), |at| format!("{}:{}:{}", module.files[at.file], at.line, at.column))
        };
        match (analysis.races.is_empty(), analysis.conditions.is_empty()) {
            (true, true) => proven += 1,
            (true, false) => {
                conditional += 1;
                println!("IF   {name} {took:?}");
                for condition in &analysis.conditions {
                    println!("       {:?} at {}", condition.obligation, at(condition.location));
                }
            }
            (false, _) => {
                refused += 1;
                println!("RACE {name} {took:?}");
                for race in &analysis.races {
                    let [a, b] = &race.accesses;
                    println!(
                        "       `{}` {:?}: {} at {}, {} at {} {:?}",
                        race.name,
                        race.reason,
                        a.0.name(),
                        at(a.1),
                        b.0.name(),
                        at(b.1),
                        race.invocations
                    );
                }
            }
        }
        if took.as_millis() > 20 {
            println!("SLOW {name} {took:?}");
        }
    }
    println!("{proven} proven, {conditional} with conditions, {refused} refused; {total:?} in all");
}

/// Deletes each barrier of the kernels that are accepted, and tells how many of these mutants still are.
#[test]
fn mutants() {
    let Ok(folder) = std::env::var("GRIDWISE_RACES_MUTANTS") else { return };
    let (mut mutants, mut accepted) = (0, 0);
    for path in lowered(&folder) {
        let text = std::fs::read_to_string(&path).expect("a module");
        let is_proven =
            |text: &str| gridwise_ir::parse::parse(text).is_ok_and(|module| analysed(&module).races.is_empty());
        let lines: Vec<&str> = text.lines().collect();
        let barriers = (0..lines.len()).filter(|line| lines[*line].trim_start().starts_with("barrier "));
        let barriers: Vec<usize> = barriers.collect();
        if barriers.is_empty() || !is_proven(&text) {
            continue;
        }
        for barrier in barriers {
            let mutant: Vec<&str> = (0..lines.len()).filter(|line| *line != barrier).map(|line| lines[line]).collect();
            mutants += 1;
            if is_proven(&mutant.join("\n")) {
                accepted += 1;
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                println!("still proven: {name} without {}: {}", lines[barrier].trim(), reason(&mutant.join("\n")));
            }
        }
    }
    println!("{mutants} mutants, {accepted} still proven");
}

/// Why a kernel may do without a barrier: by what it accesses shared memory, or by what the interpreter finds.
fn reason(text: &str) -> &'static str {
    let Ok(mut module) = gridwise_ir::parse::parse(text) else { return "it is no module" };
    if gridwise_ir::passes::expose(&mut module).is_err() {
        return "it is too large";
    }
    let Some(kernel) = &module.kernel else { return "it is no kernel" };
    let insts = || module.functions[kernel.function].insts.iter().map(|(_, inst)| &inst.kind);
    let places = || insts().filter_map(|kind| Some((kind, kind.place()?)));
    if places().any(|(_, place)| place.is_unordered) {
        return "the author vouches for accesses";
    }
    let mut shared = places().filter(|(_, place)| matches!(place.root, Root::Shared(_)));
    if shared.all(|(kind, _)| matches!(kind, InstKind::Atomic(_))) {
        return "all accesses of shared memory are atomic";
    }
    // Barriers put accesses of one workgroup in order. Not all arguments are numbers, as the interpreter gets them here.
    match std::panic::catch_unwind(|| races(&module, 1, LONG)) {
        Ok(0) => "the interpreter finds no race",
        Ok(_) => "THE INTERPRETER FINDS A RACE",
        Err(_) => "the interpreter was not asked",
    }
}

/// The modules of a folder.
fn lowered(folder: &str) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "lowered")).collect();
    paths.sort();
    paths
}
