//! Runs random kernels on the device that `GRIDWISE_DEVICE` selects and on the host, and compares every word; also with what
//! rustc makes of the same text.

mod apart;

use std::process::ExitCode;
use std::sync::Arc;

use gridwise::prelude::*;
use gridwise_differential::{Data, Inputs, PROGRAMS, Packed, Plain, Pose, Program, WORDS};
use libtest_mimic::{Arguments, Failed, Trial};

/// Two workgroups of 32.
const ITEMS: u32 = 64;
/// The second not full, for kernels whose invocations do not need each other.
const FEWER_ITEMS: u32 = 61;

fn main() -> ExitCode {
    let device = match Manager::new() {
        Ok(device) => device,
        Err(error) => {
            eprintln!("no device: {error}");
            return ExitCode::FAILURE;
        }
    };
    if apart::is_asked() {
        return take_seeds(&device);
    }
    let arguments = Arguments::from_args();
    eprintln!("device: {}", device.device());
    let pool = Arc::new(apart::Pool::default());
    let trials = PROGRAMS.iter().map(|program| {
        let missing = program.kernel.features.iter().find(|needed| !device.device().has(needed.feature));
        if let Some(missing) = missing {
            eprintln!("ignored: seed_{}: {} has no {:?}", program.seed, device.device().name, missing.feature);
        }
        let pool = Arc::clone(&pool);
        Trial::test(format!("seed_{}", program.seed), move || pool.check(program.seed))
            .with_ignored_flag(missing.is_some())
    });
    let trials = trials.collect();
    drop(device);
    let conclusion = libtest_mimic::run(&arguments, trials);
    let is_well = Arc::into_inner(pool).is_none_or(apart::Pool::end);
    if conclusion.has_failed() || !is_well { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The main loop of a process that takes seeds.
fn take_seeds(device: &Manager) -> ExitCode {
    let host = Manager::host();
    apart::answer_seeds(|seed| {
        let program = PROGRAMS.iter().find(|program| program.seed == seed).ok_or("there is no such program")?;
        check(program, &host, device)
    });
    let messages = device.validation_messages();
    for message in &messages {
        eprintln!("validation: {message}");
    }
    if messages.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check(program: &Program, host: &Manager, device: &Manager) -> Result<(), Failed> {
    let on_host = run(program, host)?;
    if let Some(plain) = program.plain {
        compare("by rustc alone", &plain_words(plain), "on the host", &on_host)?;
    }
    match run(program, device) {
        Err(error @ gridwise::Error::MissingSubgroupOperations { .. }) => {
            eprintln!("only on the host: seed_{}: {error}", program.seed);
            Ok(())
        }
        found => compare("on the host", &on_host, &device.device().name, &found?),
    }
}

fn compare(first: &str, expected: &[u32], second: &str, found: &[u32]) -> Result<(), Failed> {
    let differs = expected.iter().zip(found).position(|(expected, found)| expected != found);
    differs.map_or(Ok(()), |at| {
        let (invocation, word) = (at / WORDS, at % WORDS);
        let count = expected.iter().zip(found).filter(|(expected, found)| expected != found).count();
        Err(Failed::from(format!(
            "{count} words differ, first in invocation {invocation}, word {word}: {:#x} {first}, {:#x} {second}",
            expected[at], found[at],
        )))
    })
}

/// The words of the plain function for all invocations.
fn plain_words(plain: Plain) -> Vec<u32> {
    let inputs = inputs();
    let mut words: Vec<u32> = (0..FEWER_ITEMS).flat_map(|item| plain(&inputs, item)).collect();
    words.resize(ITEMS as usize * WORDS, 0);
    words
}

fn run(program: &Program, manager: &Manager) -> gridwise::Result<Vec<u32>> {
    let items = if program.together { ITEMS } else { FEWER_ITEMS };
    let mut data = Data::new(&inputs(), items, manager)?;
    let mut out = manager.tensor(&vec![0u32; ITEMS as usize * WORDS])?;
    let seq = manager.sequence()?;
    (program.record)(&seq, &mut data, &mut out)?;
    seq.eval()?;
    out.to_vec()
}

/// Edge values, and some in between.
fn inputs() -> Inputs {
    let bits = |k: u32| k.wrapping_mul(0x9e37_79b9) ^ (k << 7);
    let edges = [0, 1, 2, 31, 32, 33, 255, 256, 65_535, 65_536, i32::MAX as u32, 1 << 31, u32::MAX];
    let ints = |k: u32| edges.get(k as usize).copied().unwrap_or_else(|| bits(k) >> (k % 29));
    let floats =
        [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 1e10, -3e9, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let float = |k: u32| floats.get(k as usize).copied().unwrap_or_else(|| (bits(k) as i32 >> 8) as f32 / 1024.0);
    // As many bits as the type has, some of them edges too.
    let half = |k: u32| {
        let value = f16::from_bits((bits(k) >> 9) as u16);
        if k.is_multiple_of(3) || value.to_f32().abs() < 6.2e-5 { f16::from_f32(float(k)) } else { value }
    };
    let small = |k: u32| (bits(k) as i32 >> 20) as f32 / 64.0 + 0.3;
    let columns =
        |k: u32, count: u32| (0..count).map(move |cell| if cell == k % 40 { float(k) } else { small(k * 16 + cell) });
    let cells = |k: u32, count: u32| columns(k, count).collect::<Vec<_>>();
    let packed = |k: u32| Packed {
        half: half(k + 5),
        brain: bf16::from_f32(float(k)),
        byte: ints(k) as u8,
        short: bits(k) as i16,
        wide: u64::from(ints(k)) << 32 | u64::from(bits(k)),
    };
    let pose = |k: u32| Pose {
        turn: Mat2::from_cols_slice(&cells(k, 4)),
        frame: Mat3::from_cols_slice(&cells(k + 64, 9)),
        view: Mat4::from_cols_slice(&cells(k + 128, 16)),
    };
    Inputs {
        x: (0..64).map(ints).collect(),
        y: (0..64).map(|k| ints(k).wrapping_neg() as i32).collect(),
        z: (0..64).map(float).collect(),
        packed: (0..64).map(packed).collect(),
        halves: (0..64).map(half).collect(),
        bytes: (0..64).map(|k| ints(k) as u8).collect(),
        poses: (0..64).map(pose).collect(),
    }
}
