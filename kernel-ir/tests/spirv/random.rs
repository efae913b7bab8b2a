//! Random kernels, as they are and optimised, become SPIR-V that `spirv-val` accepts.

use gridwise_ir::batch::{Request, find};
use gridwise_ir::ir::Module;
use gridwise_ir::passes::optimize;
use gridwise_ir::spirv::{EmitError, emit, emit_with};

use crate::generate::{Random, kernel};
use crate::support::{module, validate};

const CASES: u64 = 40;

/// Validates a module and its optimised twin.
fn validate_both(name: &str, module: &Module) {
    match emit(module) {
        Ok(emitted) => validate(name, &emitted.words),
        // A pass takes care of these.
        Err(EmitError::OuterLoop { .. }) => {}
        Err(error) => panic!("{name}: {error}\n{module}"),
    }
    let mut optimised = module.clone();
    optimize(&mut optimised);
    let kernel = optimised.kernel.as_ref().expect("it is a kernel");
    let batch = find(&optimised, kernel, Request::Items(4)).ok().flatten();
    let emitted =
        emit_with(&optimised, batch.as_ref()).unwrap_or_else(|error| panic!("{name}, optimised: {error}\n{optimised}"));
    validate(&format!("{name}, optimised"), &emitted.words);
}

#[test]
fn random_kernels_validate() {
    for seed in 0..CASES {
        validate_both(&format!("seed {seed}"), &kernel(&mut Random(seed)));
    }
}

#[test]
fn every_construct_of_the_text_format_validates() {
    validate_both("every construct", &module(include_str!("../text/every_construct.ir")));
}
