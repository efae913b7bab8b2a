//! Random kernels compute the same, and trap the same, before and after every pass.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::interpret::{
    FindingKind, Inputs, InterpretError, Invocation, Options, Outcome, Report, Trap, Value, World, run, run_kernel,
};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::types::Scalar;
use gridwise_ir::verify::verify;

use crate::generate::{Random, kernel};
use crate::run_pass;

const CASES: u64 = 150;
const FUEL: u64 = 20_000;

const PASSES: &[&str] = &[
    "inline_functions",
    "tail_returns",
    "renumber",
    "split_locals",
    "promote_locals",
    "fold_constants",
    "flatten_branches",
    "share_values",
    "eliminate_checks",
    "remove_dead_code",
    "lower_labels",
    "optimize",
];

fn world(random: &mut Random) -> World {
    let mut scalars =
        |scalar, count: usize| -> Vec<Value> { (0..count).map(|_| Value::Scalar(random.constant(scalar))).collect() };
    let (a, b, c) = (scalars(Scalar::U32, 5), scalars(Scalar::U32, 9), scalars(Scalar::F32, 3));
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
    World { invocation, params, buffers: vec![a, b, c, records], traps: Vec::new(), prints: Vec::new(), fuel: FUEL }
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

fn compare(before: &Module, after: &Module, world: &World) -> Result<bool, String> {
    let (mut first, mut second) = (world.clone(), world.clone());
    match run_kernel(before, &mut first) {
        Err(InterpretError::OutOfFuel) => return Ok(false),
        Err(InterpretError::Undefined(what)) => return Err(format!("the generator made something undefined: {what}")),
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

#[test]
fn passes_keep_the_meaning_of_random_kernels() {
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let mut ran = 0;
    for seed in first..first + cases {
        let mut random = Random(seed);
        let before = kernel(&mut random);
        verify(&before).unwrap_or_else(|errors| panic!("seed {seed}: malformed: {errors}\n{before}"));
        let worlds: Vec<World> = (0..4).map(|_| world(&mut random)).collect();
        for name in PASSES {
            let mut after = before.clone();
            run_pass(&mut after, name);
            verify(&after).unwrap_or_else(|errors| panic!("seed {seed}: {name} broke it: {errors}\n{before}\n{after}"));
            for world in &worlds {
                match compare(&before, &after, world) {
                    Ok(finished) => ran += u64::from(finished),
                    Err(what) => panic!("seed {seed}: {name}: {what}\n{before}\n{after}\n{world:?}"),
                }
            }
        }
    }
    let all = cases * 4 * PASSES.len() as u64;
    assert!(ran * 2 > all, "only {ran} of {all} runs ended");
}

/// Runs all invocations of two workgroups in turns. Between barriers they run one after the other, so that what they write
/// is the same in every run, races or not.
fn outcome(module: &Module, random: &World, fuel: u64) -> Option<Outcome> {
    let inputs =
        Inputs { groups: [2, 1, 1], items: None, params: random.params.clone(), buffers: random.buffers.clone() };
    let options = Options { finds_races: false, fuel, ..Options::default() };
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
    reports.iter().filter(|report| is_counted(report)).map(describe).collect()
}

#[test]
fn passes_keep_the_meaning_of_random_launches() {
    const LAUNCHES: u64 = 60;
    // Fewer instructions than a turn has, so that turns end at barriers alone.
    const FUEL: u64 = 2000;
    let mut ran = 0;
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(LAUNCHES);
    for seed in first..first + cases {
        let mut random = Random(seed);
        let before = kernel(&mut random);
        let world = world(&mut random);
        let Some(expected) = outcome(&before, &world, FUEL) else { continue };
        for name in PASSES {
            let mut after = before.clone();
            run_pass(&mut after, name);
            let Some(found) = outcome(&after, &world, 2 * FUEL) else { continue };
            ran += 1;
            let all = |outcome: &Outcome| outcome.buffers.concat();
            let differs = all(&expected).iter().zip(&all(&found)).position(|(a, b)| !same(a, b));
            assert_eq!(differs, None, "seed {seed}: {name}\n{before}\n{after}");
            assert_eq!(reports(&before, &expected.traps), reports(&after, &found.traps), "seed {seed}: {name}");
            assert_eq!(reports(&before, &expected.prints), reports(&after, &found.prints), "seed {seed}: {name}");
        }
    }
    assert!(ran > cases * PASSES.len() as u64 / 2, "only {ran} runs ended");
}
