//! The interpreter on whole launches: what parallel programs compute in any order, and what it finds when one is wrong.

mod programs;
mod sanitizer;
mod subgroups;

use gridwise_ir::interpret::{FindingKind, Inputs, Options, Outcome, Value, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::passes::{optimize, simplify};

/// The verified module a text describes.
#[track_caller]
fn module(text: &str) -> Module {
    let module = gridwise_ir::parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    module
}

fn words(values: impl IntoIterator<Item = u32>) -> Vec<Value> {
    values.into_iter().map(Value::u32).collect()
}

/// The numbers in a buffer.
fn numbers(values: &[Value]) -> Vec<u32> {
    let number = |value: &Value| match value {
        Value::Scalar(Constant::U32(number)) => *number,
        Value::Scalar(Constant::I32(number)) => *number as u32,
        other => panic!("not a number: {other:?}"),
    };
    values.iter().map(number).collect()
}

fn launch(module: &Module, groups: u32, buffers: Vec<Vec<Value>>, seed: u64) -> Outcome {
    let inputs = Inputs { groups: [groups, 1, 1], items: None, params: Vec::new(), buffers, ..Inputs::default() };
    run(module, &inputs, &Options { seed, ..Options::default() })
}

/// As the sanitizer runs it.
fn simplified(module: &Module) -> Module {
    let mut simplified = module.clone();
    simplify(&mut simplified).expect("programs are small");
    simplified
}

/// Runs the program as it is, as the sanitizer does, and optimised, in several orders: each time the last buffer must be as expected, and nothing
/// found.
#[track_caller]
fn computes(text: &str, groups: u32, buffers: Vec<Vec<Value>>, expected: &[u32]) {
    let lowered = module(text);
    let mut optimised = lowered.clone();
    optimize(&mut optimised);
    for module in [simplified(&lowered), lowered, optimised] {
        for seed in 0..6 {
            let outcome = launch(&module, groups, buffers.clone(), seed);
            let found: Vec<_> = outcome.findings.iter().map(|found| found.describe(&module).to_string()).collect();
            assert!(found.is_empty(), "seed {seed}: {found:?}");
            assert!(outcome.traps.is_empty(), "seed {seed}: {:?}", outcome.traps);
            assert_eq!(numbers(outcome.buffers.last().expect("an output")), expected, "seed {seed}");
        }
    }
}

/// Whether a race on the object is found.
fn finds_race(text: &str, groups: u32, buffers: Vec<Vec<Value>>, object: &str) -> bool {
    let module = module(text);
    let [found, found_simplified] = [simplified(&module), module].map(|module| {
        let outcome = launch(&module, groups, buffers.clone(), 0);
        outcome.findings.iter().any(|finding| match &finding.kind {
            FindingKind::Race(conflict) => conflict.object.split(['[', '.']).next() == Some(object),
            _ => false,
        })
    });
    assert_eq!(found, found_simplified, "the sanitizer must find what there is: {text}");
    found
}

/// The text without one of its barriers, for each of them.
fn without_each_barrier(text: &str) -> Vec<String> {
    const BARRIER: &str = "barrier workgroup\n";
    let at = text.match_indices(BARRIER).map(|(at, _)| at);
    at.map(|at| [&text[..at], &text[at + BARRIER.len()..]].concat()).collect()
}
