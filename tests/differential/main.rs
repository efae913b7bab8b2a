//! Runs random kernels on the device that `GRIDWISE_DEVICE` selects and compares every word with the host twin.

use std::process::ExitCode;
use std::sync::Arc;

use gridwise::prelude::*;
use gridwise_differential::{Data, PROGRAMS, Program, WORDS};
use libtest_mimic::{Arguments, Failed, Trial};

/// Two workgroups of 32, the second not full.
const ITEMS: u32 = 61;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let host = Arc::new(Manager::host());
    let device = match Manager::new() {
        Ok(device) => Arc::new(device),
        Err(error) => {
            eprintln!("no device: {error}");
            return ExitCode::FAILURE;
        }
    };
    eprintln!("device: {}", device.device());
    let trials = PROGRAMS.iter().map(|program| {
        let (host, device) = (Arc::clone(&host), Arc::clone(&device));
        Trial::test(format!("seed_{}", program.seed), move || check(program, &host, &device))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let messages = device.validation_messages();
    for message in &messages {
        eprintln!("validation: {message}");
    }
    if conclusion.has_failed() || !messages.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn check(program: &Program, host: &Manager, device: &Manager) -> Result<(), Failed> {
    let (expected, found) = (run(program, host)?, run(program, device)?);
    let differs = expected.iter().zip(&found).position(|(expected, found)| expected != found);
    differs.map_or(Ok(()), |at| {
        let (invocation, word) = (at / WORDS, at % WORDS);
        let count = expected.iter().zip(&found).filter(|(expected, found)| expected != found).count();
        Err(Failed::from(format!(
            "{count} words differ, first in invocation {invocation}, word {word}: {:#x} on the host, {:#x} on {}",
            expected[at],
            found[at],
            device.device().name
        )))
    })
}

fn run(program: &Program, manager: &Manager) -> Result<Vec<u32>, Failed> {
    let data = data(manager)?;
    let mut out = manager.tensor(&vec![0u32; ITEMS as usize * WORDS])?;
    let seq = manager.sequence()?;
    (program.record)(&seq, &data, &mut out)?;
    seq.eval()?;
    Ok(out.to_vec()?)
}

/// Edge values, and some in between.
fn data(manager: &Manager) -> gridwise::Result<Data> {
    let bits = |k: u32| k.wrapping_mul(0x9e37_79b9) ^ (k << 7);
    let edges = [0, 1, 2, 31, 32, 33, 255, 256, 65_535, 65_536, i32::MAX as u32, 1 << 31, u32::MAX];
    let ints = |k: u32| edges.get(k as usize).copied().unwrap_or_else(|| bits(k) >> (k % 29));
    let floats =
        [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 1e10, -3e9, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let float = |k: u32| floats.get(k as usize).copied().unwrap_or_else(|| (bits(k) as i32 >> 8) as f32 / 1024.0);
    Ok(Data {
        items: ITEMS,
        a: 0xdead_beef,
        b: -12_345,
        c: 2.75,
        x: manager.tensor(&(0..64).map(ints).collect::<Vec<_>>())?,
        y: manager.tensor(&(0..64).map(|k| ints(k).wrapping_neg() as i32).collect::<Vec<_>>())?,
        z: manager.tensor(&(0..64).map(float).collect::<Vec<_>>())?,
    })
}
