//! Time per kernel of our macro, against naga in this process and against a glslangValidator process, taken in turns.
//!
//! Nothing can link a proc-macro crate, so its modules are compiled here a second time, from the same files.

// Parts of the macro's modules serve the other attributes, which nobody measures.
#![allow(dead_code, unused_imports)]

#[path = "../../../../kernel-macro/src/ast/mod.rs"]
mod ast;
#[path = "../../../../kernel-macro/src/attribute/mod.rs"]
mod attribute;
#[path = "../../../../kernel-macro/src/builtin/mod.rs"]
mod builtin;
#[path = "../../../../kernel-macro/src/check/mod.rs"]
mod check;
#[path = "../../../../kernel-macro/src/diag/mod.rs"]
mod diag;
#[path = "../../../../kernel-macro/src/dump.rs"]
mod dump;
#[path = "../../../../kernel-macro/src/emit/mod.rs"]
mod emit;
#[path = "../../../../kernel-macro/src/expand/mod.rs"]
mod expand;
#[path = "../../../../kernel-macro/src/gather/mod.rs"]
mod gather;
#[path = "../../../../kernel-macro/src/infer/mod.rs"]
mod infer;
#[path = "../../../../kernel-macro/src/krate.rs"]
mod krate;
#[path = "../../../../kernel-macro/src/lower/mod.rs"]
mod lower;
#[path = "../../../../kernel-macro/src/parse/mod.rs"]
mod parse;
#[path = "../../../../kernel-macro/src/program/mod.rs"]
mod program;
#[path = "../../../../kernel-macro/src/source.rs"]
mod source;
#[path = "../../../../kernel-macro/src/typed/mod.rs"]
mod typed;

mod allocator;
mod ours;
mod peers;
mod workloads;

use std::process::ExitCode;
use std::time::Duration;

use gridwise_benches::{Error, Figure, Goal, Machine, Options, Report, Samples, Stage, interleave, time};

use crate::ours::{STAGES, run_stages};
use crate::peers::Glslang;
use crate::workloads::{WORKLOADS, Workload};

/// Recorded runs, when the command line does not say.
const RUNS: usize = 200;

/// Our median against naga's.
const NAGA_GOAL: Goal = Goal::Ratio(2.0);

/// Budget of a kernel with the macro optimised, and without.
const BUDGET: Goal = Goal::Microseconds(if cfg!(debug_assertions) { 10_000.0 } else { 1_000.0 });

fn main() -> ExitCode {
    allocator::enter();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let options = Options::parse(std::env::args().skip(1), RUNS)?;
    let mut report = Report::new(format!("macro-{}", options.profile), Machine::here(&options.profile));
    let glslang = Glslang::find()?;
    if glslang.is_none() {
        report.notes.push("glslangValidator is not installed: not measured".to_owned());
    }
    report.notes.push(format!("allocator of both: {}", allocator::name()));
    for workload in &WORKLOADS {
        check(workload, &mut report)?;
        measure(workload, glslang.as_ref(), options.runs, &mut report)?;
        measure_stages(workload, options.runs, &mut report)?;
    }
    let path = report.write(&options.out)?;
    println!("{report}written: {}\n", path.display());
    Ok(())
}

/// That each contender compiles the kernel, and that our module and naga's are valid.
fn check(workload: &Workload, report: &mut Report) -> Result<(), Error> {
    ours::check_expansion(workload, &ours::expand_kernel(workload)?)?;
    let ours = run_stages(workload)?.compiled.words;
    let theirs = peers::naga_words(workload)?;
    let name = workload.name;
    let checked = peers::validate(name, &ours)? && peers::validate(name, &theirs)?;
    let valid = if checked { "both valid by spirv-val" } else { "spirv-val is not installed: not validated" };
    report.notes.push(format!("{name}: {} words, naga's {}; {valid}", ours.len(), theirs.len()));
    Ok(())
}

/// All contenders on one kernel, in turns. The macro begins with tokens: rustc lexes a file whether or not there is a macro in it. With what lexes
/// here in rustc's place it is told as well, since naga begins with text.
fn measure(workload: &Workload, glslang: Option<&Glslang>, runs: usize, report: &mut Report) -> Result<(), Error> {
    let mut alone = || {
        let tokens = ours::lex_kernel(workload)?;
        let taken = time(|| Ok::<_, Error>(ours::expand_tokens(tokens)));
        ours::forget_sources();
        taken
    };
    let mut ours = || {
        let taken = time(|| ours::expand_kernel(workload));
        ours::forget_sources();
        taken
    };
    let mut naga = || time(|| peers::naga_words(workload));
    let warmup = (runs / 10).max(3);
    let in_process = interleave(&mut [&mut alone, &mut naga], warmup, runs)?;
    push(report, workload.name, "naga in process", [&in_process[0], &in_process[1]], vec![NAGA_GOAL, BUDGET]);
    let in_process = interleave(&mut [&mut ours, &mut naga], warmup, runs)?;
    let name = format!("{}, from text", workload.name);
    push(report, &name, "naga in process", [&in_process[0], &in_process[1]], Vec::new());
    if let Some(glslang) = glslang {
        glslang.prepare(workload)?;
        let mut process = || time(|| glslang.compile(workload));
        let with_process = interleave(&mut [&mut ours, &mut process], warmup, runs)?;
        push(report, workload.name, "glslangValidator", [&with_process[0], &with_process[1]], Vec::new());
    }
    Ok(())
}

fn push(report: &mut Report, name: &str, peer: &str, samples: [&Samples; 2], goals: Vec<Goal>) {
    let [ours, theirs] = samples.map(|samples| samples.summary(1));
    report.figures.push(Figure { name: name.to_owned(), unit: "kernel", peer: peer.to_owned(), ours, theirs, goals });
}

/// Our stages, and those that lead to SPIR-V against naga, which makes nothing else.
fn measure_stages(workload: &Workload, runs: usize, report: &mut Report) -> Result<(), Error> {
    let mut samples = vec![Samples::default(); STAGES.len()];
    let mut ours = || {
        let staged = run_stages(workload)?;
        ours::forget_sources();
        samples.iter_mut().zip(staged.times).for_each(|(samples, time)| samples.push(time));
        let of_words = STAGES.iter().zip(staged.times).filter(|(name, _)| !ours::NOT_FOR_WORDS.contains(name));
        Ok::<Duration, Error>(of_words.map(|(_, time)| time).sum())
    };
    let mut naga = || time(|| peers::naga_words(workload));
    let words = interleave(&mut [&mut ours, &mut naga], 0, runs)?;
    push(report, &format!("{}, SPIR-V only", workload.name), "naga in process", [&words[0], &words[1]], Vec::new());
    report.stages.extend(STAGES.into_iter().zip(&samples).map(|(name, samples)| Stage {
        workload: workload.name.to_owned(),
        name,
        time: samples.summary(1),
    }));
    Ok(())
}
