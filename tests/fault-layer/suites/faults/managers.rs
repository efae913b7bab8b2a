//! Two managers, of which one fails while tensors are copied between them: the error is told, the other goes on, nothing hangs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gridwise::ops::{OpCopy, OpFill};
use gridwise::prelude::*;
use gridwise::{Contents, Error, ManagerDesc, PageVec, PipelineCache, Result, TensorDesc};
use gridwise_fault_layer::Control;
use libtest_mimic::Failed;

use crate::sweep::{LOST, QUICK, check_error, check_live, leaks, note, positions_of, watch};

/// The trials.
pub(crate) const ALL: &[crate::Case] = &[
    ("managers::copies_by_memory_of_the_host", copies_by_memory_of_the_host),
    ("managers::copies_by_shared_memory", copies_by_shared_memory),
    ("managers::copies_by_imported_memory", copies_by_imported_memory),
];

fn copies_by_memory_of_the_host(faults: Control) -> Result<(), Failed> {
    sweep(faults, &Program { name: "copies_by_memory_of_the_host", run, is_baseline: true, lends: false })
}

fn copies_by_shared_memory(faults: Control) -> Result<(), Failed> {
    let run = run_borrowed;
    sweep(faults, &Program { name: "copies_by_shared_memory", run, is_baseline: false, lends: false })
}

fn copies_by_imported_memory(faults: Control) -> Result<(), Failed> {
    sweep(faults, &Program { name: "copies_by_imported_memory", run, is_baseline: false, lends: false })
}

/// A program of two managers, and what they have.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[Manager; 2]) -> Result<Vec<u32>>,
    pub(crate) is_baseline: bool,
    /// Whether they share semaphores.
    pub(crate) lends: bool,
}

/// Two managers of one device.
pub(crate) fn open(baseline_only: bool) -> Result<[Manager; 2]> {
    let ManagerDesc { device, .. } = ManagerDesc::from_env()?;
    let open = || {
        let (device, pipeline_cache) = (device.clone(), PipelineCache::Off);
        Manager::with(ManagerDesc { device, baseline_only, pipeline_cache, ..ManagerDesc::default() })
    };
    Ok([open()?, open()?])
}

/// A tensor that only the device reaches.
fn hidden(mgr: &Manager, data: &[u32]) -> Result<Tensor<u32>> {
    #[cfg(unix)]
    match mgr.shareable_tensor(TensorDesc { name: "hidden", contents: Contents::Data(data) }) {
        Err(Error::CannotShare { .. }) => {}
        made => return made,
    }
    mgr.tensor_with(TensorDesc { name: "hidden", contents: Contents::Data(data) })
}

/// The same, of which the memory cannot be given on.
fn borrowed(mgr: &Manager, data: &[u32]) -> Result<Tensor<u32>> {
    let tensor = hidden(mgr, data)?;
    #[cfg(unix)]
    match tensor.share() {
        Err(Error::NotShareable { .. }) => {}
        memory => return mgr.tensor_from_shared("borrowed", memory?),
    }
    Ok(tensor)
}

fn run(managers: &[Manager; 2]) -> Result<Vec<u32>> {
    copy_all(managers, hidden)
}

fn run_borrowed(managers: &[Manager; 2]) -> Result<Vec<u32>> {
    copy_all(managers, borrowed)
}

/// Copies there and back, recorded and not, and from memory of the host.
fn copy_all([one, other]: &[Manager; 2], make: fn(&Manager, &[u32]) -> Result<Tensor<u32>>) -> Result<Vec<u32>> {
    let data: Vec<u32> = (0..1000).collect();
    let mut from = make(one, &data)?;
    let (mut to, mut back) = (make(other, &[0; 1000])?, make(one, &[0; 1000])?);
    from.copy_to(&mut to)?;
    let there = one.sequence()?;
    there
        .record(OpFill::new(&mut from, 7))?
        .record(OpCopy::new(&from, &mut to))?
        .record(OpCopy::new(&to, &mut back))?;
    there.eval()?;
    let running = there.eval_async()?;
    running.wait()?;
    let mut over = other.tensor_over("over", PageVec::from_slice(&data)?)?;
    other.sequence()?.record(OpFill::new(&mut over, 3))?.eval()?;
    Ok([back.to_vec()?, over.to_vec()?].concat())
}

pub(crate) fn works(mgr: &Manager) -> Result<()> {
    let mut tensor = mgr.tensor_of_len::<u32>(4)?;
    mgr.sequence()?.record(OpFill::new(&mut tensor, 5))?.eval()?;
    assert_eq!(tensor.to_vec()?, [5; 4]);
    Ok(())
}

/// One run with a fault, and what must work after it.
fn attempt(faults: Control, code: i32, program: &Program, expected: &[u32]) -> Result<(), String> {
    let Program { run, is_baseline, .. } = *program;
    let managers = match open(is_baseline) {
        Ok(managers) => managers,
        Err(error) => return check_error(&error, code),
    };
    match run(&managers) {
        Ok(found) if found != expected => return Err("wrong data".to_owned()),
        Ok(_) => {}
        Err(error) => check_error(&error, code)?,
    }
    if !(faults.has_fired)() {
        return Ok(());
    }
    let lost = managers.iter().filter(|mgr| matches!(works(mgr), Err(Error::DeviceLost { .. }))).count();
    if lost > usize::from(code == LOST) {
        return Err(format!("{lost} managers are lost"));
    }
    // Whoever is lost is replaced; then all is as before.
    let [one, other] = managers;
    let renewed = |mgr: Manager| match works(&mgr) {
        Ok(()) => Ok(mgr),
        Err(_) => mgr.recover().map(|recovery| recovery.manager().clone()),
    };
    let again = renewed(one).and_then(|one| Ok([one, renewed(other)?])).and_then(|managers| run(&managers));
    match again {
        Ok(found) if found == expected => Ok(()),
        other => Err(format!("afterwards: {other:?}")),
    }
}

/// Fails each call of a program once, in each way.
pub(crate) fn sweep(faults: Control, program: &Program) -> Result<(), Failed> {
    watch();
    let reset = || {
        (faults.reset)();
        (faults.lend)(program.lends);
    };
    reset();
    note(Some(program.name));
    let expected = (program.run)(&open(program.is_baseline)?)?;
    let calls = (faults.calls)();
    check_live(faults, "without a fault")?;
    let quick = std::env::var("GRIDWISE_FAULTS").map_or(QUICK, |_| u32::MAX);
    let (mut positions, mut fired, mut failures) = (0, 0, Vec::new());
    for (function, count, codes) in calls {
        for code in codes {
            for nth in positions_of(count, quick) {
                positions += 1;
                let name = format!("{}: {function} number {nth} of {count} gives {code}", program.name);
                note(Some(&name));
                reset();
                (faults.arm)(function, nth, *code);
                let tried = catch_unwind(AssertUnwindSafe(|| attempt(faults, *code, program, &expected)));
                let tried = tried.unwrap_or_else(|_| Err("it panicked".to_owned()));
                fired += u32::from((faults.has_fired)());
                let told = tried.and_then(|()| check_live(faults, "afterwards").map_err(|_| leaks(faults)));
                if let Err(cause) = told {
                    failures.push(format!("{name}: {cause}"));
                }
            }
        }
    }
    note(None);
    (faults.reset)();
    eprintln!("{}: {fired} of {positions} positions reached", program.name);
    if fired < positions - positions / 4 || positions == 0 {
        failures.push(format!("{fired} of {positions} positions were reached"));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}
