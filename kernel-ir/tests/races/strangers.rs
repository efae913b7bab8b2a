//! Kernels as people write them: the folder `free` has those that do not race, `racy` those that do, and `conditional` those that do on
//! some launches. Each is a kernel as lowered, which `KERNEL_DUMP=lowered` writes.

use std::path::{Path, PathBuf};

use gridwise_ir::ir::{Bound, Module};
use gridwise_ir::races::Analysis;

use crate::analysed;

fn kernels(folder: &str) -> Vec<(String, Module, Analysis)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/races/kernels").join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a kernel");
        let module = gridwise_ir::parse::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let analysis = analysed(&module);
        (name, module, analysis)
    };
    paths.iter().map(read).collect()
}

#[test]
fn what_does_not_race_is_proven() {
    for (name, _, analysis) in kernels("free") {
        assert!(analysis.races.is_empty(), "{name}: {:#?}", analysis.races);
    }
}

#[test]
fn what_races_is_refused_with_its_places() {
    for (name, module, analysis) in kernels("racy") {
        let race = analysis.races.first().unwrap_or_else(|| panic!("{name} is proven: {:#?}", analysis.conditions));
        let kernel = module.kernel.as_ref().expect("a kernel");
        let is_known = kernel.buffers.iter().any(|(_, buffer)| buffer.name == race.name)
            || kernel.shared.iter().any(|(_, shared)| shared.name == race.name);
        assert!(is_known, "{name}: {race:?}");
        assert!(race.accesses.iter().all(|(_, location, _)| location.is_some()), "{name}: {race:?}");
        assert!(race.accesses[0].0.conflicts(race.accesses[1].0), "{name}: {race:?}");
    }
}

#[test]
fn what_races_on_some_launches_has_a_condition_on_them() {
    fn speaks(bound: &Bound) -> bool {
        match bound {
            Bound::Items(0) | Bound::Param(..) => true,
            Bound::Binary(_, operands) => operands.iter().any(speaks),
            _ => false,
        }
    }
    for (name, _, analysis) in kernels("conditional") {
        assert!(analysis.races.is_empty(), "{name}: {:#?}", analysis.races);
        let is_of_width = analysis.conditions.iter().any(|condition| speaks(&condition.obligation.index));
        assert!(is_of_width, "{name}: {:#?}", analysis.conditions);
    }
}
