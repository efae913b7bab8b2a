//! Events of one manager for which the device of another waits, by semaphores that the layer lets them share.

use std::time::{Duration, Instant};

use gridwise::ops::{OpFill, OpSignal, OpWait};
use gridwise::prelude::*;
use gridwise::{Contents, Error, Evaluation, Event, ManagerDesc, Result, TensorDesc, WaitWay};
use gridwise_fault_layer::Control;
use libtest_mimic::Failed;

use crate::managers::{Program, open, sweep, works};
use crate::sweep::{LOST, check_live, note, watch};

/// The trials.
pub(crate) const ALL: &[crate::Case] = &[
    ("events::the_device_waits", the_device_waits),
    ("events::devices_take_turns", devices_take_turns),
    ("events::a_device_that_is_lost_keeps_nobody", a_device_that_is_lost_keeps_nobody),
    ("events::each_call_fails", each_call_fails),
];

/// The same, of trials that leave something behind.
pub(crate) const LAST: &[crate::Case] =
    &[("events::a_device_that_hangs_keeps_nobody", a_device_that_hangs_keeps_nobody)];

#[kernel(workgroup = 64)]
fn step(y: &mut [u32], factor: u32) {
    let i = global_id().x;
    let mut value = y[i];
    for _ in 0..100 {
        value = value * factor + 1;
    }
    y[i] = value;
}

/// As many managers of one device, which share semaphores.
fn sharing<const N: usize>(faults: Control) -> Result<[Manager; N]> {
    watch();
    (faults.reset)();
    (faults.lend)(true);
    let mut made = Vec::new();
    while made.len() < N {
        made.extend(open(false)?);
    }
    made.truncate(N);
    Ok(made.try_into().unwrap_or_else(|_| unreachable!("as many as asked for")))
}

/// A run that waits for an event, on the first queue of a manager, and signals another.
fn behind(mgr: &Manager, before: &Event) -> Result<(Event, Sequence)> {
    let (done, seq) = (mgr.event(), mgr.sequence()?);
    seq.record(OpWait::new(before))?;
    seq.record(OpFill::new(&mut mgr.tensor_of_len::<u32>(64)?, 1))?.record(OpSignal::new(&done))?;
    Ok((done, seq))
}

fn the_device_waits(faults: Control) -> Result<(), Failed> {
    note(Some("the_device_waits"));
    {
        let [one, other] = sharing(faults)?;
        let (event, seq) = (one.event(), one.sequence()?);
        let mut y = one.tensor(&vec![1u32; 1 << 20])?;
        Step::dispatch(&seq, Grid::items(1 << 20), &mut y, 3)?.record(OpSignal::new(&event))?;
        assert_eq!(other.wait_way(&event), WaitWay::SharedSemaphore);
        let (_, waits) = behind(&other, &event)?;
        // Nobody has signalled it; then the first wait is for a run that began before anybody asked for it.
        waits.eval()?;
        for _ in 0..3 {
            let running = seq.eval_async()?;
            let submitted = other.statistics().submissions;
            let waiting = waits.eval_async()?;
            assert_eq!(other.statistics().submissions, submitted + 1, "it is the device's already");
            waiting.wait()?;
            assert!(event.is_complete()?);
            running.wait()?;
        }
        // Where one of them has less, the host waits.
        let [poor, _] = open(true)?;
        assert_eq!((poor.wait_way(&event), one.wait_way(&poor.event())), (WaitWay::Host, WaitWay::Host));
        behind(&poor, &event)?.1.eval()?;
    }
    note(None);
    (faults.reset)();
    check_live(faults, "afterwards")
}

/// Two devices add to one memory by turns, and the host waits for the last of them only.
fn turns([one, other]: &[Manager; 2]) -> Result<Vec<u32>> {
    let mut own = one.shareable_tensor(TensorDesc { name: "turns", contents: Contents::Data(&[1u32; 256]) })?;
    let mut theirs = other.tensor_from_shared("turns", own.share()?)?;
    let (mine, yours) = (one.event(), other.event());
    let (first, second) = (one.sequence()?, other.sequence()?);
    first.record(OpWait::new(&yours))?;
    Step::dispatch(&first, Grid::items(256), &mut own, 3)?.record(OpSignal::new(&mine))?;
    second.record(OpWait::new(&mine))?;
    Step::dispatch(&second, Grid::items(256), &mut theirs, 5)?.record(OpSignal::new(&yours))?;
    let mut runs: Vec<Evaluation> = Vec::new();
    for _ in 0..4 {
        // A sequence runs once at a time.
        runs.push(first.eval_async()?);
        runs.push(second.eval_async()?);
        runs.drain(..).try_for_each(|run| run.wait())?;
    }
    theirs.to_vec()
}

fn devices_take_turns(faults: Control) -> Result<(), Failed> {
    note(Some("devices_take_turns"));
    {
        let managers = sharing::<2>(faults)?;
        let mut expected = 1u32;
        for factor in [3, 5].repeat(4) {
            (0..100).for_each(|_| expected = expected.wrapping_mul(factor).wrapping_add(1));
        }
        for _ in 0..5 {
            assert!(turns(&managers)? == [expected; 256]);
        }
        // Without the host in between: sequences of their own for each turn.
        let [one, other] = &managers;
        let mut own = one.shareable_tensor(TensorDesc { name: "own", contents: Contents::Data(&[1u32; 256]) })?;
        let mut theirs = other.tensor_from_shared("theirs", own.share()?)?;
        let (mine, yours, mut runs) = (one.event(), other.event(), Vec::new());
        for _ in 0..4 {
            let (first, second) = (one.sequence()?, other.sequence()?);
            first.record(OpWait::new(&yours))?;
            Step::dispatch(&first, Grid::items(256), &mut own, 3)?.record(OpSignal::new(&mine))?;
            runs.push(first.eval_async()?);
            second.record(OpWait::new(&mine))?;
            Step::dispatch(&second, Grid::items(256), &mut theirs, 5)?.record(OpSignal::new(&yours))?;
            runs.push(second.eval_async()?);
        }
        runs.into_iter().try_for_each(|run| run.wait())?;
        assert!(theirs.to_vec()? == [expected; 256]);
    }
    note(None);
    (faults.reset)();
    check_live(faults, "afterwards")
}

fn a_device_that_is_lost_keeps_nobody(faults: Control) -> Result<(), Failed> {
    note(Some("a_device_that_is_lost_keeps_nobody"));
    {
        let [one, other, third] = sharing(faults)?;
        let (event, seq) = (one.event(), one.sequence()?);
        seq.record(OpFill::new(&mut one.tensor_of_len::<u32>(64)?, 1))?.record(OpSignal::new(&event))?;
        let (done, waits) = behind(&other, &event)?;
        let (_, last) = behind(&third, &done)?;
        // Now the semaphores are there: what vanishes below would have signalled one.
        let running = seq.eval_async()?;
        let waiting = waits.eval_async()?;
        last.eval()?;
        waiting.wait()?;
        running.wait()?;
        (faults.swallow_submit)(1);
        let running = seq.eval_async()?;
        let (waiting, chained) = (waits.eval_async()?, last.eval_async()?);
        assert!(!waiting.wait_timeout(Duration::from_millis(40))? && !chained.wait_timeout(Duration::from_millis(40))?);
        // The next wait loses the first device, of which nothing was known before.
        (faults.arm)("vkWaitSemaphores", 1, LOST);
        assert!(matches!(event.wait_timeout(Duration::from_millis(1)), Err(Error::DeviceLost { .. })));
        let since = Instant::now();
        // The third waits for the second, which is not lost.
        chained.wait()?;
        let told = waiting.wait();
        assert!(matches!(&told, Err(Error::DeviceLost { operation }) if operation.contains("event")), "{told:?}");
        assert!(since.elapsed() < Duration::from_secs(5));
        assert!(running.wait().is_err());
        // Later runs are told at once, and the managers go on.
        assert!(matches!(waits.eval(), Err(Error::DeviceLost { .. })));
        works(&other)?;
        works(&third)?;
        // A future is woken, too.
        let renewed = one.recover()?.manager().clone();
        let (event, seq) = (renewed.event(), renewed.sequence()?);
        seq.record(OpFill::new(&mut renewed.tensor_of_len::<u32>(64)?, 1))?.record(OpSignal::new(&event))?;
        let (_, waits) = behind(&other, &event)?;
        let running = seq.eval_async()?;
        waits.eval()?;
        running.wait()?;
        (faults.swallow_submit)(1);
        let running = seq.eval_async()?;
        let waiting = waits.eval_async()?;
        let loses = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            // The second device may ask first, and lose itself: then this one has still to be lost.
            while event.wait_timeout(Duration::from_millis(1)).is_ok() {
                (faults.arm)("vkGetSemaphoreCounterValue", 1, LOST);
            }
            running.wait()
        });
        let told = pollster::block_on(waiting);
        assert!(matches!(told, Err(Error::DeviceLost { .. })), "{told:?}");
        assert!(matches!(loses.join(), Ok(Err(_))));
    }
    note(None);
    (faults.reset)();
    check_live(faults, "afterwards")
}

fn a_device_that_hangs_keeps_nobody(faults: Control) -> Result<(), Failed> {
    note(Some("a_device_that_hangs_keeps_nobody"));
    let [_, other] = sharing(faults)?;
    let ManagerDesc { device, .. } = ManagerDesc::from_env()?;
    let hang_timeout = Some(Duration::from_millis(200));
    let one = Manager::with(ManagerDesc { device, hang_timeout, ..ManagerDesc::default() })?;
    let (event, seq) = (one.event(), one.sequence()?);
    seq.record(OpFill::new(&mut one.tensor_of_len::<u32>(64)?, 1))?.record(OpSignal::new(&event))?;
    let (_, waits) = behind(&other, &event)?;
    let running = seq.eval_async()?;
    waits.eval()?;
    running.wait()?;
    (faults.swallow_submit)(1);
    let running = seq.eval_async()?;
    // Only the second device waits, and gives the first one up.
    let told = waits.eval();
    assert!(matches!(told, Err(Error::DeviceLost { .. })), "{told:?}");
    assert!(matches!(running.wait(), Err(Error::DeviceHung { .. })));
    works(&other)?;
    note(None);
    (faults.reset)();
    Ok(())
}

fn each_call_fails(faults: Control) -> Result<(), Failed> {
    sweep(faults, &Program { name: "events_of_another_device", run: turns, is_baseline: false, lends: true })
}
