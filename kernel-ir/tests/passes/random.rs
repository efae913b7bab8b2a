//! Random kernels that compute the same, and trap the same, before and after every pass. A failing kernel is made short
//! before it is shown.

#[path = "../../../tests/differential/minimise.rs"]
mod minimise;

use std::panic::{AssertUnwindSafe, catch_unwind};

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::interpret::{
    FindingKind, Inputs, InterpretError, Invocation, Options, Outcome, Report, Trap, Value, World, run, run_kernel,
};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::parse::parse;
use gridwise_ir::types::Scalar;
use gridwise_ir::verify::verify;

use crate::generate::{Random, kernel};
use crate::run_pass;
use crate::text::seeds;

const CASES: u64 = 300;
const FUEL: u64 = 20_000;
/// How the message about a kernel that says nothing about passes begins.
const UNDEFINED: &str = "the generator made something undefined";

const PASSES: &[&str] = &[
    "inline_functions",
    "tail_returns",
    "tail_breaks",
    "tail_continues",
    "renumber",
    "split_locals",
    "split_columns",
    "promote_locals",
    "fold_constants",
    "unroll_loops",
    "unroll_partly",
    "constant_divisions",
    "loop_divisions",
    "version_loops",
    "thread_branches",
    "thread_results",
    "flatten_branches",
    "compared_numbers",
    "hoist_invariants",
    "share_values",
    "eliminate_checks",
    "remove_dead_code",
    "count_lanes",
    "join_bytes",
    "join_loads",
    "lower_labels",
    "late_panics",
    "leave_at_head",
    "optimize",
];

/// Those behind which an invocation leaves at its first trap.
const LEAVING: &[&str] = &["leave_at_traps", "optimize_for_launches"];

pub(crate) fn world(random: &mut Random) -> World {
    let mut scalars =
        |scalar, count: usize| -> Vec<Value> { (0..count).map(|_| Value::Scalar(random.constant(scalar))).collect() };
    let (a, b, c) = (scalars(Scalar::U32, 5), scalars(Scalar::U32, 9), scalars(Scalar::F32, 3));
    // Of the last two, which are lists, the members: one of them is empty.
    let (parts, rows) = (scalars(Scalar::U32, 7), scalars(Scalar::F32, 5));
    let lists = vec![None, None, None, None, Some(vec![3, 0, 4]), Some(vec![2, 3])];
    let params = [scalars(Scalar::U32, 1), scalars(Scalar::I32, 1), scalars(Scalar::F32, 1)].concat();
    let records = (0..4)
        .map(|_| {
            let array = Value::Composite(scalars(Scalar::U32, 4));
            let mut members = [scalars(Scalar::U32, 1), scalars(Scalar::F32, 1)].concat();
            members.push(array);
            Value::Composite(members)
        })
        .collect();
    let [lx, ly, gx, gy] = [4, 2, 3, 2].map(|bound| random.below(bound) as u32);
    let invocation = Invocation {
        global_id: [gx * 4 + lx, gy * 2 + ly, 0],
        local_id: [lx, ly, 0],
        workgroup_id: [gx, gy, 0],
        num_workgroups: [3, 2, 1],
    };
    let buffers = vec![a, b, c, records, parts, rows];
    World { invocation, params, buffers, lists, traps: Vec::new(), prints: Vec::new(), fuel: FUEL }
}

/// NaN equals NaN: which one an op gives is open.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Scalar(Constant::F32(a)), Value::Scalar(Constant::F32(b))) => {
            a == b || (f32::from_bits(*a).is_nan() && f32::from_bits(*b).is_nan())
        }
        (Value::Composite(a), Value::Composite(b)) => a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => a == b,
    }
}

/// Up to the panic: where others wait for invocations that panicked, these walk on, and their reads may be out of range.
fn traps<'a>(module: &'a Module, world: &World) -> Vec<(&'a str, Vec<u32>)> {
    let panic = world.traps.iter().position(|trap| module.sites[trap.site].kind == SiteKind::Panic);
    let end = panic.map_or(world.traps.len(), |at| at + 1);
    let describe = |trap: &Trap| (module.sites[trap.site].text.as_str(), trap.operands.clone());
    world.traps[..end].iter().chain(&world.prints).map(describe).collect()
}

pub(crate) fn compare(before: &Module, after: &Module, world: &World) -> Result<bool, String> {
    let (mut first, mut second) = (world.clone(), world.clone());
    match run_kernel(before, &mut first) {
        Err(InterpretError::OutOfFuel) => return Ok(false),
        Err(InterpretError::Undefined(what)) => return Err(format!("{UNDEFINED}: {what}")),
        Ok(()) | Err(InterpretError::Panicked) => {}
    }
    second.fuel = FUEL * 4;
    run_kernel(after, &mut second).map_err(|error| error.to_string())?;
    if traps(before, &first) != traps(after, &second) {
        return Err(format!("traps {:?}, then {:?}", traps(before, &first), traps(after, &second)));
    }
    let buffers = first.buffers.iter().flatten().zip(second.buffers.iter().flatten());
    match buffers.enumerate().find(|(_, (a, b))| !same(a, b)) {
        Some((at, (a, b))) => Err(format!("element {at} of the buffers is {a:?}, then {b:?}")),
        None => Ok(true),
    }
}

/// The same where an invocation may leave at its first trap: then that one counts, and nothing behind it.
fn compare_leaving(before: &Module, after: &Module, world: &World) -> Result<bool, String> {
    let mut first = world.clone();
    match run_kernel(before, &mut first) {
        Err(InterpretError::OutOfFuel) => return Ok(false),
        Err(InterpretError::Undefined(what)) => return Err(format!("{UNDEFINED}: {what}")),
        Ok(()) | Err(InterpretError::Panicked) => {}
    }
    if first.traps.is_empty() {
        return compare(before, after, world);
    }
    let mut second = World { fuel: FUEL * 4, ..world.clone() };
    match run_kernel(after, &mut second) {
        Ok(()) | Err(InterpretError::Panicked) => {}
        Err(error) => return Err(error.to_string()),
    }
    let first_trap = |module: &Module, world: &World| {
        world.traps.first().map(|trap| (module.sites[trap.site].text.clone(), trap.operands.clone()))
    };
    let [expected, found] = [first_trap(before, &first), first_trap(after, &second)];
    if expected == found { Ok(true) } else { Err(format!("trap {expected:?}, then {found:?}")) }
}

/// Proposals of the minimiser.
const ATTEMPTS: usize = 30_000;

/// A module as text, made as short as can be while `fails` says what is wrong with it.
fn shortened(module: &Module, fails: impl Fn(&Module) -> Option<String>) -> String {
    let failure = |text: &str| {
        let module = parse(text).ok().filter(|module| module.kernel.is_some() && verify(module).is_ok())?;
        catch_unwind(AssertUnwindSafe(|| fails(&module))).ok().flatten()
    };
    let short = minimise::minimise(&module.to_string(), ATTEMPTS, |text| failure(text).is_some());
    format!("{}; in short:\n{short}", failure(&short).unwrap_or_default())
}

type Compare = fn(&Module, &Module, &World) -> Result<bool, String>;

/// The fault of a module after `change`, in one of the worlds; `None` also if nothing can be said.
fn broken(before: &Module, worlds: &[World], change: &dyn Fn(&mut Module), compare: Compare) -> Option<String> {
    let mut after = before.clone();
    change(&mut after);
    if let Err(errors) = verify(&after) {
        return Some(errors.to_string());
    }
    let failures = worlds.iter().filter_map(|world| compare(before, &after, world).err());
    // Cut down, it may divide by zero or index out of range where it did not before.
    failures.into_iter().find(|what| !what.starts_with(UNDEFINED))
}

/// The fault of a whole launch after `change`.
fn broken_launch(before: &Module, world: &World, fuel: u64, change: &dyn Fn(&mut Module)) -> Option<String> {
    let expected = outcome(before, world, fuel)?;
    if expected.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Undefined(_))) {
        return None;
    }
    let mut after = before.clone();
    change(&mut after);
    if let Err(errors) = verify(&after) {
        return Some(errors.to_string());
    }
    // With barriers of its own, the pass makes invocations take other turns, in which those that race write something else.
    let shared = |module: &Module| module.kernel.as_ref().map_or(0, |kernel| kernel.shared.len());
    if shared(&after) > shared(before) && races(before, world, fuel) {
        return None;
    }
    let found = outcome(&after, world, 2 * fuel)?;
    let buffers = expected.buffers.iter().flatten().zip(found.buffers.iter().flatten());
    if let Some(at) = buffers.enumerate().find(|(_, (a, b))| !same(a, b)).map(|(at, _)| at) {
        return Some(format!("element {at} of the buffers differs"));
    }
    let traps = reports(before, &expected.traps) == reports(&after, &found.traps);
    let prints = reports(before, &expected.prints) == reports(&after, &found.prints);
    (!traps || !prints).then(|| "traps or messages differ".to_owned())
}

#[test]
fn what_fails_is_made_short() {
    let faulty =
        |module: &mut Module| *module = parse(&module.to_string().replace("= mul ", "= add ")).expect("it was IR");
    let (module, worlds) = (0..)
        .map(|seed| {
            let mut random = Random(seed);
            let module = kernel(&mut random);
            let worlds: Vec<World> = (0..4).map(|_| world(&mut random)).collect();
            (module, worlds)
        })
        .find(|(module, worlds)| broken(module, worlds, &faulty, compare).is_some())
        .expect("many kernels multiply");
    let short = shortened(&module, |module| broken(module, &worlds, &faulty, compare));
    let lines = |text: &str| text.lines().count();
    let (long, short_lines) = (lines(&module.to_string()), lines(&short));
    assert!(short.contains("= mul ") && short_lines * 3 < long, "{short_lines} of {long} lines: {short}");
}

#[test]
fn passes_keep_the_meaning_of_random_kernels() {
    let seeds = seeds(CASES);
    let cases = seeds.end - seeds.start;
    let mut ran = 0;
    for seed in seeds {
        let mut random = Random(seed);
        let before = kernel(&mut random);
        verify(&before).unwrap_or_else(|errors| panic!("seed {seed}: malformed: {errors}\n{before}"));
        let worlds: Vec<World> = (0..4).map(|_| world(&mut random)).collect();
        for name in PASSES.iter().chain(LEAVING) {
            let mut after = before.clone();
            run_pass(&mut after, name);
            verify(&after).unwrap_or_else(|errors| panic!("seed {seed}: {name} broke it: {errors}\n{before}\n{after}"));
            for world in &worlds {
                let compare = if LEAVING.contains(name) { compare_leaving } else { compare };
                match compare(&before, &after, world) {
                    Ok(finished) => ran += u64::from(finished),
                    Err(_) => {
                        let change = |module: &mut Module| run_pass(module, name);
                        let worlds = std::slice::from_ref(world);
                        let short = shortened(&before, |module| broken(module, worlds, &change, compare));
                        panic!("seed {seed}: {name}: {short}\n{world:?}");
                    }
                }
            }
        }
    }
    let all = cases * 4 * (PASSES.len() + LEAVING.len()) as u64;
    assert!(ran * 2 > all, "only {ran} of {all} runs ended");
}

/// Runs all invocations of two workgroups in turns. Between barriers they run one after the other, so that what they write
/// is the same in every run, races or not.
fn outcome(module: &Module, random: &World, fuel: u64) -> Option<Outcome> {
    launch(module, random, Options { finds_races: false, fuel, ..Options::default() })
}

/// Whether two invocations of these workgroups access a cell in no order.
fn races(module: &Module, random: &World, fuel: u64) -> bool {
    let outcome = launch(module, random, Options { finds_races: true, fuel, ..Options::default() });
    let is_race =
        |outcome: Outcome| outcome.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Race(_)));
    outcome.is_none_or(is_race)
}

fn launch(module: &Module, random: &World, options: Options) -> Option<Outcome> {
    let inputs = Inputs {
        groups: [2, 1, 1],
        items: None,
        params: random.params.clone(),
        buffers: random.buffers.clone(),
        lists: random.lists.clone(),
        ..Inputs::default()
    };
    let outcome = run(module, &inputs, &options);
    let is_cut = outcome.findings.iter().any(|finding| finding.kind == FindingKind::OutOfFuel);
    (!is_cut).then_some(outcome)
}

fn reports<'a>(module: &'a Module, reports: &[Report]) -> Vec<(&'a str, Vec<u32>, [u32; 3])> {
    let describe =
        |report: &Report| (module.sites[report.site].text.as_str(), report.operands.clone(), report.invocation);
    let mut panicked = Vec::new();
    let mut is_counted = |report: &&Report| {
        let is_before = !panicked.contains(&report.invocation);
        if module.sites[report.site].kind == SiteKind::Panic {
            panicked.push(report.invocation);
        }
        is_before
    };
    let mut counted: Vec<_> = reports.iter().filter(|report| is_counted(report)).map(describe).collect();
    // Invocations take turns at barriers, of which a pass may make more.
    counted.sort_by_key(|(_, _, invocation)| *invocation);
    counted
}

#[test]
fn passes_keep_the_meaning_of_random_launches() {
    const LAUNCHES: u64 = 60;
    // Fewer instructions than a turn has, so that turns end at barriers alone.
    const FUEL: u64 = 2000;
    let mut ran = 0;
    let seeds = seeds(LAUNCHES);
    let cases = seeds.end - seeds.start;
    for seed in seeds {
        let mut random = Random(seed);
        let before = kernel(&mut random);
        let world = world(&mut random);
        if outcome(&before, &world, FUEL).is_none() {
            continue;
        }
        for name in PASSES {
            let change = |module: &mut Module| run_pass(module, name);
            if broken_launch(&before, &world, FUEL, &change).is_some() {
                let short = shortened(&before, |module| broken_launch(module, &world, FUEL, &change));
                panic!("seed {seed}: {name}: {short}\n{world:?}");
            }
            ran += 1;
        }
    }
    assert!(ran > cases * PASSES.len() as u64 / 2, "only {ran} runs ended");
}
