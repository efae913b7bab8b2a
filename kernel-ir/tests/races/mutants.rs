//! Kernels that are proven, without one of their barriers: refused, or harmless for a reason that stands here.

use gridwise_ir::interpret::{FindingKind, Inputs, Options, Value, run};
use gridwise_ir::ir::{Bound, BoundOp, Module};
use gridwise_ir::races::Analysis;

use crate::analysed;

/// Barriers that a kernel of the folder `free` does not need for its own accesses, by the kernel and the barrier's number.
const HARMLESS: &[(&str, usize, &str)] = &[
    ("blelloch", 2, "the last step leaves each invocation the two elements that it writes out"),
    ("block_counts", 0, "the count is changed and read by atomics, which race with nobody: it may be read too early"),
    ("const_table_of_steps", 0, "the first step adds to each invocation's own element the other one that it wrote"),
    ("fft_shared", 1, "the last step leaves each invocation the two points that it writes out"),
    ("histogram", 0, "all accesses of the bins are atomic: bins may be cleared late"),
    ("histogram", 1, "all accesses of the bins are atomic: bins may be read too early"),
    ("histogram_parts", 0, "all accesses of the bins are atomic: bins may be read too early"),
    ("table_of_steps", 0, "the first step adds to each invocation's own element the other one that it wrote"),
];

/// Orders, and steps of all invocations together, for a kernel.
pub(crate) const LONG: (u64, u64) = (8, 1_000_000);

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
pub(crate) fn races(module: &Module, groups: u32, (seeds, fuel): (u64, u64)) -> usize {
    let kernel = module.kernel.as_ref().expect("a kernel");
    let widths = kernel.workgroup.map(|width| width.known().unwrap_or(1));
    let inputs = Inputs {
        groups: [groups, 1, 1],
        items: Some([groups * widths[0], widths[1], widths[2]]),
        params: kernel.params.iter().map(|_| Value::u32(64)).collect(),
        buffers: kernel.buffers.iter().map(|_| (0..4096).map(Value::u32).collect()).collect(),
        ..Inputs::default()
    };
    let found = (0..seeds).map(|seed| {
        let options = Options { seed, fuel, ..Options::default() };
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
        assert_eq!(races(&module, 2, LONG), 0, "{name}");
    }
}

/// A kernel with one small change: another comparison, a condition that always holds, a position of another kind, a number one off.
fn changed(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    let mut add = |at: usize, line: String| {
        let mut changed: Vec<&str> = lines.clone();
        changed[at] = &line;
        all.push(changed.join("\n"));
    };
    for (at, line) in lines.iter().enumerate() {
        for (from, to) in [("= lt ", "= le "), ("= le ", "= lt "), ("= ge ", "= gt "), ("= gt ", "= ge ")] {
            if let Some((start, operands)) = line.split_once(from) {
                add(at, format!("{start}{to}{operands}"));
                if let Some((first, rest)) = operands.split_once(", ") {
                    let place = rest.find(" @").map_or("", |at| &rest[at..]);
                    add(at, format!("{start}= eq {first}, {first}{place}"));
                }
            }
        }
        for (from, to) in [("= global_id", "= local_id"), ("= local_id", "= global_id")] {
            if line.contains(from) {
                add(at, line.replace(from, to));
            }
        }
        if let Some((start, rest)) = line.split_once(": u32 = const ") {
            let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
            let Ok(number) = rest[..digits].parse::<u32>() else { continue };
            for other in [number.checked_add(1), number.checked_sub(1)].into_iter().flatten() {
                add(at, format!("{start}: u32 = const {other}{}", &rest[digits..]));
            }
        }
    }
    all
}

/// Whether the launch of [`races`] meets a kernel's conditions.
fn meets(module: &Module, analysis: &Analysis, groups: u32) -> bool {
    fn number(bound: &Bound, groups: [u32; 3], widths: [u32; 3]) -> u128 {
        match bound {
            Bound::Const(number) => (*number).into(),
            Bound::Items(axis) => u128::from(groups[usize::from(*axis)]) * u128::from(widths[usize::from(*axis)]),
            Bound::Groups(axis) => groups[usize::from(*axis)].into(),
            Bound::Len(_) => 4096,
            Bound::Extent(..) | Bound::Least(_) | Bound::LeastExtent(..) | Bound::Param(..) => 64,
            Bound::Constant(_) => 1,
            Bound::Binary(op, parts) => {
                BoundOp::apply(*op, number(&parts[0], groups, widths), number(&parts[1], groups, widths))
            }
        }
    }
    let kernel = module.kernel.as_ref().expect("a kernel");
    let widths = kernel.workgroup.map(|width| width.known().unwrap_or(1));
    let is_met = |condition: &gridwise_ir::races::Condition| {
        let value = |bound: &Bound| number(bound, [groups, 1, 1], widths);
        value(&condition.obligation.index) < value(&condition.obligation.length)
    };
    analysis.conditions.iter().all(is_met)
}

/// Changed kernels that are still proven do not race, on launches that meet their conditions. `GRIDWISE_RACES` tries all changes, and not
/// one in twelve.
#[test]
fn changes_are_refused_or_harmless() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/races/kernels/free");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let every = if std::env::var("GRIDWISE_RACES").is_ok() { 1 } else { 12 };
    let (mut count, mut refused, mut silent, mut unmet) = (0, 0, 0, 0);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        for (at, mutant) in changed(&text).into_iter().enumerate().filter(|(at, _)| at % every == 0) {
            let Ok(module) = gridwise_ir::parse::parse(&mutant) else { continue };
            if gridwise_ir::verify::verify(&module).is_err() {
                continue;
            }
            let analysis = analysed(&module);
            count += 1;
            if !analysis.races.is_empty() {
                refused += 1;
                continue;
            }
            let groups: Vec<u32> = [2, 1].into_iter().filter(|groups| meets(&module, &analysis, *groups)).collect();
            let found = std::panic::catch_unwind(|| {
                groups.iter().map(|groups| races(&module, *groups, (2, 20_000))).sum::<usize>()
            });
            match found {
                Ok(_) if groups.is_empty() => unmet += 1,
                Ok(found) => {
                    assert_eq!(found, 0, "{}, change {at}:\n{mutant}", path.display());
                    silent += 1;
                }
                // Not all arguments are numbers, as the interpreter gets them here.
                Err(_) => unmet += 1,
            }
        }
    }
    println!("{count} changes: {refused} refused, {silent} proven and silent, {unmet} not run");
    assert!(refused > 0 && silent > 0);
}
