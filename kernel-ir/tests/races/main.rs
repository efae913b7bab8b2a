//! Whether kernels can race: what the analysis accepts, and that the interpreter finds nothing in it.

mod cases;
mod mutants;
mod programs;
mod soundness;
mod strangers;
mod survey;

use gridwise_ir::ir::Module;
use gridwise_ir::passes;
use gridwise_ir::races::{Analysis, analyse};

/// The analysis of a module as lowered.
fn analysed(module: &Module) -> Analysis {
    let mut module = module.clone();
    passes::expose(&mut module).expect("a small module");
    analyse(&module)
}
