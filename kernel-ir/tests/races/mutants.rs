//! Kernels that are proven, without one of their barriers: refused, or harmless for a reason that stands here.

use gridwise_ir::interpret::{FindingKind, Inputs, Options, Value, run};
use gridwise_ir::ir::Module;

use crate::analysed;

/// Barriers that a kernel of the folder `free` does not need for its own accesses, by the kernel and the barrier's number.
const HARMLESS: &[(&str, usize, &str)] = &[
    ("blelloch", 2, "the last step leaves each invocation the two elements that it writes out"),
    ("block_counts", 0, "the count is changed and read by atomics, which race with nobody: it may be read too early"),
    ("fft_shared", 1, "the last step leaves each invocation the two points that it writes out"),
    ("histogram", 0, "all accesses of the bins are atomic: bins may be cleared late"),
    ("histogram", 1, "all accesses of the bins are atomic: bins may be read too early"),
    ("histogram_parts", 0, "all accesses of the bins are atomic: bins may be read too early"),
];

/// A kernel as written, without one of its barriers.
struct Mutant {
    name: String,
    barrier: usize,
    text: String,
}

fn mutants() -> Vec<Mutant> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/races/kernels/free");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut mutants = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let barriers = (0..lines.len()).filter(|line| lines[*line].trim_start().starts_with("barrier "));
        for (barrier, at) in barriers.enumerate() {
            let without: Vec<&str> = (0..lines.len()).filter(|line| *line != at).map(|line| lines[line]).collect();
            mutants.push(Mutant { name: name.clone(), barrier, text: without.join("\n") });
        }
    }
    mutants
}

/// The races that the interpreter finds in so many workgroups, in several orders.
pub(crate) fn races(module: &Module, groups: u32) -> usize {
    let kernel = module.kernel.as_ref().expect("a kernel");
    let widths = kernel.workgroup.map(|width| width.known().unwrap_or(1));
    let inputs = Inputs {
        groups: [groups, 1, 1],
        items: Some([groups * widths[0], widths[1], widths[2]]),
        params: kernel.params.iter().map(|_| Value::u32(64)).collect(),
        buffers: kernel.buffers.iter().map(|_| (0..4096).map(Value::u32).collect()).collect(),
        ..Inputs::default()
    };
    let found = (0..8).map(|seed| {
        let options = Options { seed, fuel: 1_000_000, ..Options::default() };
        let outcome = run(module, &inputs, &options);
        outcome.findings.iter().filter(|finding| matches!(finding.kind, FindingKind::Race(_))).count()
    });
    found.sum()
}

#[test]
fn barriers_are_needed_where_they_stand() {
    let mutants = mutants();
    let mut harmless = Vec::new();
    for Mutant { name, barrier, text } in &mutants {
        let module = gridwise_ir::parse::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        if analysed(&module).races.is_empty() {
            harmless.push((name.as_str(), *barrier));
        }
    }
    println!("{} barriers deleted, {} of them harmless: {harmless:?}", mutants.len(), harmless.len());
    let expected: Vec<(&str, usize)> = HARMLESS.iter().map(|(name, barrier, _)| (*name, *barrier)).collect();
    assert_eq!(harmless, expected);
    for Mutant { name, text, .. } in mutants.iter().filter(|it| expected.contains(&(it.name.as_str(), it.barrier))) {
        let module = gridwise_ir::parse::parse(text).expect("parsed before");
        assert_eq!(races(&module, 2), 0, "{name}");
    }
}
