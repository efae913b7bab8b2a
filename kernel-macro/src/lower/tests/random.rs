//! Random programs, from source: what their IR computes stays the same through all passes together. What fails is made short
//! before it is shown.

#[allow(dead_code, reason = "the programs' other users need the rest")]
#[path = "../../../../tests/differential/generator/mod.rs"]
mod generator;
#[path = "../../../../tests/differential/minimise.rs"]
mod minimise;

use std::panic::{AssertUnwindSafe, catch_unwind};

use gridwise_ir::interpret::{FindingKind, Inputs, Options, Value, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::parse::parse;
use gridwise_ir::passes::optimize;
use gridwise_ir::verify::verify;

use crate::infer::tests::harness::{infer_source, kernel_of};
use crate::lower::lower_kernel;

/// What the programs share, as the harness of the device tests has it.
const SHARED: &str = "
    struct Pair { first: u32, second: [i32; 3], third: f32 }
    enum Shape { Empty, Line(i32), Area { width: u32, height: f32 } }
    fn small(value: u32) -> Option<u32> { if value < 0x1000_0000 { Some(value) } else { None } }
    fn grown(shape: Shape, by: u32) -> Shape {
        match shape {
            Shape::Empty => Shape::Line(by as i32),
            Shape::Line(length) if length < 0 => Shape::Empty,
            Shape::Line(length) => Shape::Area { width: by, height: length as f32 },
            Shape::Area { width, .. } => Shape::Area { width: width.wrapping_add(by), height: 0.5 },
        }
    }
    fn tame(value: f32) -> f32 { if value.abs() < 1e-30 { 0.0 } else { value } }
    fn word_of(value: f32) -> u32 {
        if value.is_nan() { 0x7fc0_0000 } else if value == 0.0 { 0 } else { value.to_bits() }
    }
    fn code(shape: Shape) -> u32 {
        match shape {
            Shape::Empty => 1,
            Shape::Line(length) => length as u32 ^ 2,
            Shape::Area { width, height } => width.rotate_left(9) ^ word_of(height),
        }
    }
";

/// Instructions of one invocation.
const FUEL: u64 = 2_000_000;

/// Programs per run; `CASES` in the environment says another number, `SEED` another start.
const CASES: u64 = 120;

/// Proposals of the minimiser.
const ATTEMPTS: usize = 30_000;

/// What came of a program.
#[derive(Debug, PartialEq)]
enum Verdict {
    Same,
    /// The passes changed what it computes.
    Differs(String),
    /// It says nothing about the passes.
    Invalid(String),
}

fn source_of(seed: u64) -> String {
    let program = generator::items(seed, "kernel");
    format!("{SHARED}{}{}", program.helpers.concat(), program.kernel)
}

#[test]
fn passes_keep_what_random_programs_compute() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let first = number("SEED", 40_000);
    let optimised = |module: &mut Module| {
        let _ = optimize(module);
    };
    for seed in first..first + number("CASES", CASES) {
        let source = source_of(seed);
        match verdict(&source, &optimised) {
            Verdict::Same => {}
            Verdict::Invalid(what) => panic!("seed {seed}: {what}\n{source}"),
            Verdict::Differs(what) => {
                let short = minimise::minimise(&source, ATTEMPTS, |proposed| differs(proposed, &optimised));
                panic!("seed {seed}: {what}; in short:\n{short}");
            }
        }
    }
}

#[test]
fn what_fails_is_made_short() {
    // Passes with a fault: products become sums.
    let faulty =
        |module: &mut Module| *module = parse(&module.to_string().replace("= mul ", "= add ")).expect("it was IR");
    let seed = (40_000..).find(|&seed| differs(&source_of(seed), &faulty)).expect("many programs multiply");
    let short = minimise::minimise(&source_of(seed), ATTEMPTS, |proposed| differs(proposed, &faulty));
    assert!(differs(&short, &faulty), "still fails: {short}");
    let is_product = short.contains('*') || short.contains("mul");
    assert!(is_product && short.split_whitespace().count() < 40, "{} words: {short}", short.split_whitespace().count());
}

fn differs(source: &str, change: &dyn Fn(&mut Module)) -> bool {
    catch_unwind(AssertUnwindSafe(|| matches!(verdict(source, change), Verdict::Differs(_)))).unwrap_or(false)
}

/// Compares what a program computes before and after `change`.
fn verdict(source: &str, change: &dyn Fn(&mut Module)) -> Verdict {
    if let Err(error) = syn::parse_str::<syn::File>(source) {
        return Verdict::Invalid(error.to_string());
    }
    let (program, diags) = infer_source(source);
    let errors = diags.into_list();
    if let Some(error) = errors.first() {
        return Verdict::Invalid(error.text());
    }
    let before = lower_kernel(&program, kernel_of(&program), [8, 1, 1], true).module;
    if let Err(errors) = verify(&before) {
        return Verdict::Invalid(errors.to_string());
    }
    let mut after = before.clone();
    change(&mut after);
    if let Err(errors) = verify(&after) {
        return Verdict::Differs(errors.to_string());
    }
    let expected = match outcome(&before, FUEL) {
        Ok(expected) => expected,
        Err(what) => return Verdict::Invalid(what),
    };
    match outcome(&after, FUEL * 2) {
        Ok(found) => {
            let place =
                expected.iter().flatten().zip(found.iter().flatten()).position(|(expected, found)| expected != found);
            place.map_or(Verdict::Same, |place| Verdict::Differs(format!("element {place} of the buffers differs")))
        }
        Err(what) => Verdict::Differs(what),
    }
}

/// What a workgroup leaves in the buffers; a message if it does what no random program should.
fn outcome(module: &Module, fuel: u64) -> Result<Vec<Vec<Value>>, String> {
    let scalar = |constant| Value::Scalar(constant);
    let bits = |k: u32| {
        if k < 16 { [0, 1, 2, 31, 32, 255, 1 << 31, u32::MAX][k as usize / 2] } else { k.wrapping_mul(0x9e37_79b9) }
    };
    let buffers = vec![
        (0..64).map(|k| scalar(Constant::U32(bits(k)))).collect(),
        (0..64).map(|k| scalar(Constant::I32(bits(k).wrapping_neg() as i32))).collect(),
        (0..64).map(|k| scalar(Constant::F32(((bits(k) as i32 >> 8) as f32 / 64.0).to_bits()))).collect(),
        vec![scalar(Constant::U32(0)); 8 * generator::WORDS],
    ];
    let params = vec![
        scalar(Constant::U32(0xdead_beef)),
        scalar(Constant::I32(-12_345)),
        scalar(Constant::F32(2.75f32.to_bits())),
    ];
    // A kernel that was cut down may have fewer.
    let kernel = module.kernel.as_ref().expect("a kernel");
    let params = params.into_iter().take(kernel.params.len()).collect();
    let inputs = Inputs { groups: [1, 1, 1], items: None, params, buffers };
    let outcome = run(module, &inputs, &Options { fuel, subgroup_size: 4, ..Options::default() });
    if let Some(trap) = outcome.traps.first() {
        return Err(format!("it traps: {}", module.sites[trap.site].text));
    }
    match outcome.findings.first() {
        Some(finding) if finding.kind == FindingKind::OutOfFuel => Err("it does not end".to_owned()),
        Some(finding) => Err(format!("the interpreter finds {:?}", finding.kind)),
        None => Ok(outcome.buffers),
    }
}
