//! Our macro in this process: the whole expansion, and the same in stages with a clock between them.
//!
//! Runs on proc_macro2's own tokens; in rustc each token handed over costs a little more.

use std::time::{Duration, Instant};

use gridwise_benches::Error;
use gridwise_ir::batch::Request;
use gridwise_ir::compile::{CompileOptions, Compiled, compile};
use gridwise_ir::passes::{Aims, optimize_with};
use gridwise_ir::spirv;
use gridwise_ir::verify::verify;
use proc_macro2::TokenStream;

use crate::ast::{Fn, Item, TypeKind};
use crate::attribute::KernelAttr;
use crate::check::check_kernel;
use crate::diag::Diagnostics;
use crate::emit::codegen::{BuiltKernel, dispatch_items, kernel_items};
use crate::expand;
use crate::gather::{Place, names_of_fn};
use crate::infer::infer_item;
use crate::krate::facade_path;
use crate::lower::{Lowered, lower_kernel};
use crate::parse::{Signature, read_kernel};
use crate::program::assemble::{MainItem, assemble};
use crate::workloads::Workload;

/// The stages, in order. `lex` makes tokens of text, which rustc does before it calls a macro.
pub(crate) const STAGES: [&str; 9] =
    ["lex", "parse", "reparse", "infer", "lower", "verify", "passes", "spirv", "codegen"];

/// Stages that a compiler without Rust around it would not have.
pub(crate) const NOT_FOR_WORDS: [&str; 2] = ["reparse", "codegen"];

/// The result of one pass through the stages.
#[derive(Debug)]
pub(crate) struct Staged {
    pub(crate) times: [Duration; STAGES.len()],
    pub(crate) compiled: Compiled,
}

/// Text to generated tokens.
pub(crate) fn expand_kernel(workload: &Workload) -> Result<TokenStream, Error> {
    lex_kernel(workload).map(expand_tokens)
}

/// The tokens of the attribute and of the function, as rustc hands them to the macro.
pub(crate) fn lex_kernel(workload: &Workload) -> Result<[TokenStream; 2], Error> {
    Ok([lex(workload, workload.attribute)?, lex(workload, workload.rust)?])
}

/// One call of the macro.
pub(crate) fn expand_tokens([attribute, item]: [TokenStream; 2]) -> TokenStream {
    expand::kernel(attribute, item)
}

/// That an expansion is the kernel and not an error.
pub(crate) fn check_expansion(workload: &Workload, tokens: &TokenStream) -> Result<(), Error> {
    let text = tokens.to_string();
    if text.contains("compile_error") || !text.contains("implementation !") {
        return Err(wrong(workload, text));
    }
    Ok(())
}

/// Forgets the text of all tokens made so far, of which none may be left: otherwise each run adds to a table.
pub(crate) fn forget_sources() {
    proc_macro2::extra::invalidate_current_thread_spans();
}

/// One expansion with a clock between the stages; what `expand::kernel` does, in the same order, but for what it gathers:
/// these kernels name no other item.
pub(crate) fn run_stages(workload: &Workload) -> Result<Staged, Error> {
    let mut clock = Clock { times: [Duration::ZERO; STAGES.len()], stage: 0, last: Instant::now() };
    let (attribute, item) = (lex(workload, workload.attribute)?, lex(workload, workload.rust)?);
    clock.next();

    let mut diags = Diagnostics::new();
    let parsed = parse(workload, &attribute, &item, &mut diags)?;
    let names = names_of_fn(&parsed.function, &mut diags);
    clock.next();

    let parsed = parse(workload, &attribute, &item, &mut diags)?;
    clock.next();

    let place = Place::of(&parsed.function.name);
    let main = MainItem { item: Item::Fn(parsed.function.clone()), file: place.file, position: place.position };
    let assembled = assemble(main, Vec::new()).map_err(|e| wrong(workload, format!("{e:?}")))?;
    let (mut program, item) = (assembled.program, assembled.item);
    infer_item(&mut program, item, &mut diags);
    check_kernel(&program, item, &mut diags);
    let workgroup = parsed.attribute.workgroup(&program, item, &mut diags);
    clock.next();

    let Lowered { module, messages, .. } = lower_kernel(&program, item, workgroup, true);
    clock.next();

    verify(&module).map_err(|e| wrong(workload, e.to_string()))?;
    clock.next();

    let mut optimized = module.clone();
    clock.skip();
    let _ = optimize_with(&mut optimized, Aims { leaves: true, ..Aims::default() });
    clock.next();

    verify(&optimized).map_err(|e| wrong(workload, e.to_string()))?;
    let emitted = spirv::emit(&optimized).map_err(|e| wrong(workload, e.to_string()))?;
    clock.next();

    let compiled = compile(module, &compile_options(&parsed.function)).map_err(|e| wrong(workload, e.to_string()))?;
    if compiled.words != emitted.words {
        return Err(wrong(workload, "the stages give other words than the whole".to_owned()));
    }
    clock.skip();
    let krate = facade_path();
    let mut tokens = dispatch_items(parsed.signature, &parsed.function, &parsed.attribute, &krate);
    let built = BuiltKernel { compiled, variant: None, messages };
    tokens.extend(kernel_items(&program, item, &built, &krate));
    clock.next();

    drop((tokens, names));
    finish(workload, diags)?;
    Ok(Staged { times: clock.times, compiled: built.compiled })
}

/// A kernel as parsed.
struct Parsed {
    signature: Signature,
    attribute: KernelAttr,
    function: Fn,
}

fn parse(
    workload: &Workload,
    attribute: &TokenStream,
    item: &TokenStream,
    diags: &mut Diagnostics,
) -> Result<Parsed, Error> {
    let (signature, function) = read_kernel(item, diags).map_err(|e| wrong(workload, e.to_string()))?;
    let attribute = KernelAttr::parse(attribute.clone(), &function.generics.source, diags);
    Ok(Parsed { signature, attribute, function })
}

fn finish(workload: &Workload, diags: Diagnostics) -> Result<(), Error> {
    diags.finish().map_err(|tokens| wrong(workload, tokens.to_string()))
}

fn lex(workload: &Workload, text: &str) -> Result<TokenStream, Error> {
    text.parse().map_err(|error: proc_macro2::LexError| wrong(workload, error.to_string()))
}

/// One item per invocation, so that the stages are all there is.
fn compile_options(function: &Fn) -> CompileOptions {
    let slices = (0..).zip(&function.params).filter(|(_, param)| matches!(param.ty.kind, TypeKind::Slice { .. }));
    let buffer_positions = slices.map(|(position, _)| position).collect();
    CompileOptions { buffer_positions, batch: Request::One, ..CompileOptions::default() }
}

fn wrong(workload: &Workload, detail: String) -> Error {
    Error::WrongResult { contender: format!("the macro on {}", workload.name), detail }
}

/// Writes down how long each stage took.
struct Clock {
    times: [Duration; STAGES.len()],
    stage: usize,
    last: Instant,
}

impl Clock {
    /// Ends a stage.
    fn next(&mut self) {
        let now = Instant::now();
        self.times[self.stage] = now - self.last;
        self.stage += 1;
        self.last = Instant::now();
    }

    /// Discards the time since the last stage ended.
    fn skip(&mut self) {
        self.last = Instant::now();
    }
}
