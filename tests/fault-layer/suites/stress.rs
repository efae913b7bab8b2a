//! Many threads, all orders of dropping, panics in the midst of things, and the executors that programs use; on the device that
//! `GRIDWISE_DEVICE` selects.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;

use gridwise::ops::{Access, OpFill, Recorder};
use gridwise::prelude::*;
use gridwise::{Manager, Op};

#[kernel]
fn add(a: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] += a * x[i];
}

fn manager() -> Manager {
    Manager::new().expect("a device")
}

/// One case at a time: the validation layer of 1.3.239 looks the device of a call up in a map that it changes, without a lock, when
/// another device is made (KhronosGroup/Vulkan-ValidationLayers#4391), and with a thousand threads one call in some runs met that.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_thousand_threads_share_a_manager() {
    let _turn = turn();
    const THREADS: u32 = 1000;
    let mgr = manager();
    let shared = mgr.tensor(&[1u32; 256]).expect("memory");
    let start = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        let spawn = |number: u32| {
            let (mgr, shared, start) = (mgr.clone(), &shared, &start);
            let body = move || {
                start.wait();
                let mut mine = mgr.tensor(&[number; 256]).expect("memory");
                let sequence = mgr.sequence().expect("made");
                Add::dispatch(&sequence, Grid::items(256), number, shared, &mut mine).expect("fits");
                sequence.eval().expect("runs");
                drop(sequence.eval_async().expect("starts"));
                drop(sequence);
                assert_eq!(mine.to_vec().expect("readable"), [3 * number; 256]);
            };
            thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, body).expect("a thread")
        };
        let threads: Vec<_> = (0..THREADS).map(spawn).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    });
    assert_eq!(mgr.statistics().tensors, 1);
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
}

/// All orders of `0..count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for order in orders(count - 1) {
        for place in 0..count {
            let mut longer = order.clone();
            longer.insert(place, count - 1);
            all.push(longer);
        }
    }
    all
}

#[test]
fn things_are_dropped_in_every_order() {
    let _turn = turn();
    let first = manager();
    for order in orders(6) {
        let mgr = first.clone();
        let x = mgr.tensor(&[1u32; 5000]).expect("memory");
        let mut y = mgr.tensor(&[0u32; 5000]).expect("memory");
        let algorithm = mgr.algorithm::<Add>().expect("made");
        let sequence = mgr.sequence().expect("made");
        for _ in 0..3 {
            Add::dispatch(&sequence, Grid::items(5000), 1, &x, &mut y).expect("fits");
        }
        let running = sequence.eval_async().expect("starts");
        let mut things: [Option<Box<dyn Send>>; 6] = [
            Some(Box::new(mgr)),
            Some(Box::new(x)),
            Some(Box::new(y)),
            Some(Box::new(algorithm)),
            Some(Box::new(sequence)),
            Some(Box::new(running)),
        ];
        for index in order {
            things[index] = None;
        }
    }
    assert_eq!((first.statistics().tensors, first.validation_messages()), (0, Vec::new()));
}

#[test]
fn a_manager_of_its_own_for_each_order() {
    let _turn = turn();
    for order in orders(3) {
        let mgr = manager();
        let mut x = mgr.tensor(&[1u32; 100]).expect("memory");
        let sequence = mgr.sequence().expect("made");
        sequence.record(OpFill::new(&mut x, 5)).expect("fits");
        let running = sequence.eval_async().expect("starts");
        let mut things: [Option<Box<dyn Send>>; 3] =
            [Some(Box::new(mgr)), Some(Box::new(x)), Some(Box::new((sequence, running)))];
        for index in order {
            things[index] = None;
        }
    }
}

/// Panics while it is recorded.
struct Panics;

impl Op for Panics {
    fn name(&self) -> &str {
        "panics"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> gridwise::Result<()> {
        recorder.barrier();
        std::panic::resume_unwind(Box::new("recording"));
    }
}

/// Panics before it is submitted.
struct PanicsLater;

impl Op for PanicsLater {
    fn name(&self) -> &str {
        "panics later"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> gridwise::Result<()> {
        recorder.before_submit(|| std::panic::resume_unwind(Box::new("submitting")));
        Ok(())
    }
}

#[test]
fn a_thread_that_panics_harms_no_other() {
    let _turn = turn();
    let mgr = manager();
    let tensor = Arc::new(mgr.tensor(&[1u32; 100]).expect("memory"));
    let sequence = mgr.sequence().expect("made");
    thread::scope(|scope| {
        for _ in 0..8 {
            let (tensor, sequence) = (&tensor, &sequence);
            scope.spawn(move || {
                // The view holds the tensor for the host; recording and submitting go on in user code.
                let viewed = catch_unwind(AssertUnwindSafe(|| {
                    tensor.view(|_| std::panic::resume_unwind(Box::new("viewing"))).map(|(): ()| ())
                }));
                assert!(viewed.is_err());
                assert!(catch_unwind(AssertUnwindSafe(|| sequence.record(Panics).map(|_| ()))).is_err());
            });
        }
    });
    assert!(sequence.is_empty(), "nothing of what panicked is kept");
    sequence.record(PanicsLater).expect("fits");
    let mut other = mgr.tensor(&[0u32; 100]).expect("memory");
    Add::dispatch(&sequence, Grid::items(100), 2, &tensor, &mut other).expect("fits");
    assert!(catch_unwind(AssertUnwindSafe(|| sequence.eval())).is_err());
    sequence.clear().expect("idle");
    Add::dispatch(&sequence, Grid::items(100), 2, &tensor, &mut other).expect("fits");
    sequence.eval().expect("runs");
    assert_eq!(other.to_vec().expect("readable"), [2; 100]);
    Arc::into_inner(tensor).expect("the last").write(&[7; 100]).expect("nobody holds it");
}

/// Several evaluations that are awaited.
async fn work(mgr: Manager) -> gridwise::Result<u32> {
    let x = mgr.tensor(&[1u32; 20_000])?;
    let mut y = mgr.tensor(&[0u32; 20_000])?;
    let sequence = mgr.sequence()?;
    for _ in 0..4 {
        Add::dispatch(&sequence, Grid::items(20_000), 1, &x, &mut y)?;
    }
    for _ in 0..5 {
        sequence.eval_async()?.await?;
    }
    Ok(y.to_vec()?[19_999])
}

#[test]
fn pollster_drives_evaluations() {
    let _turn = turn();
    assert_eq!(pollster::block_on(work(manager())).expect("runs"), 20);
}

#[test]
fn tokio_drives_evaluations() {
    let _turn = turn();
    let mgr = manager();
    let one = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    assert_eq!(one.block_on(work(mgr.clone())).expect("runs"), 20);
    let many = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build().expect("a runtime");
    many.block_on(async {
        let tasks: Vec<_> = (0..20).map(|_| tokio::spawn(work(mgr.clone()))).collect();
        for task in tasks {
            assert_eq!(task.await.expect("no panic").expect("runs"), 20);
        }
        // A task that is aborted gives up its evaluation, and nothing else.
        let aborted = tokio::spawn(work(mgr.clone()));
        tokio::task::yield_now().await;
        aborted.abort();
        _ = aborted.await;
    });
}

#[test]
fn async_executor_drives_evaluations() {
    let _turn = turn();
    let mgr = manager();
    let executor = async_executor::Executor::new();
    let tasks: Vec<_> = (0..10).map(|_| executor.spawn(work(mgr.clone()))).collect();
    pollster::block_on(executor.run(async {
        for task in tasks {
            assert_eq!(task.await.expect("runs"), 20);
        }
    }));
}
