//! Order that users ask for: calls of the host between operations, and events across sequences.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gridwise_runtime::ops::{OpBarrier, OpCopy, OpFill, OpHost, OpSignal, OpWait};
use gridwise_runtime::{Error, Evaluation, Grid, Manager, ManagerDesc, QueueChoice, Sequence, Tensor};

use crate::futures::block_on;
use crate::harness::{On, cases};
use crate::kernels::{Mark, Saxpy};

cases! {
    each: the_host_is_called_between_operations, calls_that_fail_end_the_run,
        calls_may_evaluate_and_others_wait_their_turn, calls_may_drop_their_sequence_and_not_wait_for_it,
        runs_with_calls_keep_nothing_behind_their_end, events_order_what_shares_nothing,
        chains_side_by_side_share_their_barriers;
}

fn each_with_queues(on: On, test: impl Fn(&Manager)) {
    on.run_with(ManagerDesc { queues: QueueChoice::AtLeast(2), ..ManagerDesc::default() }, test);
}

/// The sequence, `y`, `z`, and how often the second call was made.
type WithCalls = (Sequence, Arc<Mutex<Tensor<f32>>>, Tensor<f32>, Arc<AtomicU32>);

/// `y` becomes 1, the host doubles it, the device adds `x`, the host counts, the device copies to `z`.
fn with_calls(manager: &Manager, len: usize) -> WithCalls {
    let x = manager.tensor(&vec![5.0f32; len]).unwrap();
    let y = Arc::new(Mutex::new(manager.tensor_of_len::<f32>(len).unwrap()));
    let mut z = manager.tensor_of_len::<f32>(len).unwrap();
    let sequence = manager.sequence_on(1).unwrap();
    let count = Arc::new(AtomicU32::new(0));
    sequence.record(OpFill::new(&mut y.lock().unwrap(), 1.0)).unwrap();
    let between = y.clone();
    let double = OpHost::fallible(move || {
        let mut y = between.lock().unwrap();
        let doubled: Vec<f32> = y.to_vec()?.iter().map(|value| value * 2.0).collect();
        y.write(&doubled)
    });
    sequence.record(double).unwrap();
    Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &x, &mut y.lock().unwrap()).unwrap();
    let counted = count.clone();
    let call = OpHost::new(move || {
        counted.fetch_add(1, SeqCst);
    });
    sequence.record(call).unwrap().record(OpCopy::new(&y.lock().unwrap(), &mut z)).unwrap();
    (sequence, y, z, count)
}

fn the_host_is_called_between_operations(on: On) {
    each_with_queues(on, |manager| {
        let len = 3000;
        let (sequence, y, z, count) = with_calls(manager, len);
        for round in 1..4 {
            sequence.eval().unwrap();
            assert_eq!((z.to_vec().unwrap(), count.load(SeqCst)), (vec![7.0; len], round));
        }
        block_on(sequence.eval_async().unwrap()).unwrap();
        let running = sequence.eval_async().unwrap();
        let refused = sequence.clear();
        assert!(matches!(refused, Ok(()) | Err(Error::SequenceInFlight { .. })));
        while !running.wait_timeout(Duration::from_millis(1)).unwrap() {}
        let (sequence, _y, z, _) = with_calls(manager, len);
        // What comes after the start of a run comes after all of it, calls included.
        let running = sequence.eval_async().unwrap();
        assert_eq!(z.to_vec().unwrap(), vec![7.0; len]);
        running.wait().unwrap();
        let profile = sequence.eval_profiled().unwrap();
        let names: Vec<&str> = profile.ops().iter().map(|op| op.name.as_str()).collect();
        assert_eq!(names, ["fill", "host", "saxpy", "host", "copy"]);
        assert!(profile.ops().windows(2).all(|pair| pair[0].end <= pair[1].end), "{profile}");
        assert!(sequence.to_dot().contains("host"));
        drop(y);
        drop(sequence.eval_async().unwrap());
    });
}

fn calls_that_fail_end_the_run(on: On) {
    each_with_queues(on, |manager| {
        let mut x = manager.tensor(&[0u32; 4]).unwrap();
        let sequence = manager.sequence().unwrap();
        let fails = Arc::new(AtomicU32::new(1));
        let asked = fails.clone();
        let call = OpHost::fallible(move || match asked.load(SeqCst) {
            1 => Err(std::io::Error::other("no more tea")),
            2 => panic!("spilled"),
            _ => Ok(()),
        });
        sequence.record(OpFill::new(&mut x, 1)).unwrap().record(call).unwrap().record(OpFill::new(&mut x, 2)).unwrap();
        for (mode, text) in [(1, "no more tea"), (2, "it panicked: spilled")] {
            fails.store(mode, SeqCst);
            let failed = |error: Error| matches!(&error, Error::HostCallFailed { cause, .. } if cause == text);
            assert!(failed(sequence.eval().unwrap_err()));
            assert!(failed(sequence.eval_async().unwrap().wait().unwrap_err()));
            assert!(failed(sequence.eval_profiled().unwrap_err()));
            assert_eq!(x.to_vec().unwrap(), [1; 4]);
        }
        fails.store(0, SeqCst);
        sequence.eval().unwrap();
        assert_eq!(x.to_vec().unwrap(), [2; 4]);
        // A kernel that fails keeps the host from being called.
        sequence.clear().unwrap();
        let called = fails.clone();
        Mark::dispatch(&sequence, Grid::items(5), 0, &mut x).unwrap();
        let call = OpHost::new(move || called.store(9, SeqCst));
        sequence.record(call).unwrap();
        assert!(matches!(sequence.eval(), Err(Error::KernelPanic { .. })));
        assert_eq!(fails.load(SeqCst), 0);
        sequence.clear().unwrap();
        sequence.record(OpFill::new(&mut x, 3)).unwrap().eval().unwrap();
        assert_eq!(x.to_vec().unwrap(), [3; 4]);
    });
}

fn calls_may_evaluate_and_others_wait_their_turn(on: On) {
    each_with_queues(on, |manager| {
        let len = 500;
        let one = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut sum = manager.tensor_of_len::<f32>(len).unwrap();
        let inner = manager.sequence_on(1).unwrap();
        Saxpy::dispatch(&inner, Grid::items(len), 1.0, &one, &mut sum).unwrap();
        let outer: Vec<Sequence> = (0..4)
            .map(|at| {
                let outer = manager.sequence_on(at % 2).unwrap();
                Saxpy::dispatch(&outer, Grid::items(len), 1.0, &one, &mut sum).unwrap();
                outer
            })
            .collect();
        let inner = Arc::new(Mutex::new(inner));
        for outer in &outer {
            let inner = inner.clone();
            outer.record(OpHost::fallible(move || inner.lock().unwrap().eval())).unwrap();
            Saxpy::dispatch(outer, Grid::items(len), 1.0, &one, &mut sum).unwrap();
        }
        for _ in 0..3 {
            let running: Vec<_> = outer.iter().map(|outer| outer.eval_async().unwrap()).collect();
            running.into_iter().for_each(|running| running.wait().unwrap());
        }
        assert_eq!(sum.to_vec().unwrap(), vec![3.0 * 4.0 * 3.0; len]);
    });
}

fn calls_may_drop_their_sequence_and_not_wait_for_it(on: On) {
    each_with_queues(on, |manager| {
        let mut x = manager.tensor(&[0u32; 4]).unwrap();
        let kept = Arc::new(Mutex::new(None::<(Sequence, Option<Evaluation>)>));
        let waited = Arc::new(Mutex::new(None));
        for drops in [false, true] {
            let sequence = manager.sequence().unwrap();
            let (own, told) = (kept.clone(), waited.clone());
            let call = OpHost::new(move || {
                let mut own = own.lock().unwrap();
                let (_, running) = own.as_mut().unwrap();
                *told.lock().unwrap() = running.take().map(|running: Evaluation| running.wait());
                if drops {
                    *own = None;
                }
            });
            sequence.record(OpFill::new(&mut x, 1)).unwrap().record(call).unwrap();
            sequence.record(OpFill::new(&mut x, 2)).unwrap();
            {
                // The call finds both.
                let mut kept = kept.lock().unwrap();
                let running = sequence.eval_async().unwrap();
                *kept = Some((sequence, Some(running)));
            }
            assert_eq!(x.to_vec().unwrap(), [2; 4]);
            let refused = waited.lock().unwrap().take();
            assert!(matches!(refused, Some(Err(Error::SequenceInFlight { .. }))), "{refused:?}");
            assert_eq!(kept.lock().unwrap().take().is_none(), drops);
        }
    });
}

/// Sets its mark when it is dropped.
struct Marks(Arc<AtomicU32>);

impl Drop for Marks {
    fn drop(&mut self) {
        self.0.store(1, SeqCst);
    }
}

fn runs_with_calls_keep_nothing_behind_their_end(on: On) {
    on.run(|manager| {
        for round in 0..300 {
            let gone = Arc::new(AtomicU32::new(0));
            let (marks, sequence) = (Marks(gone.clone()), manager.sequence().unwrap());
            let call = OpHost::new(move || assert_eq!(marks.0.load(SeqCst), 0));
            sequence.record(call).unwrap();
            let running = sequence.eval_async().unwrap();
            while !running.wait_timeout(Duration::from_secs(1)).unwrap() {}
            drop((running, sequence));
            assert_eq!(gone.load(SeqCst), 1, "round {round}: another thread still has it");
        }
    });
}

fn events_order_what_shares_nothing(on: On) {
    each_with_queues(on, |manager| {
        let len = 200_000;
        let (mut a, mut b) = (manager.tensor_of_len::<f32>(len).unwrap(), manager.tensor_of_len::<u32>(4).unwrap());
        let one = manager.tensor(&vec![1.0f32; len]).unwrap();
        let (first, second) = (manager.sequence().unwrap(), manager.sequence_on(1).unwrap());
        let event = manager.event();
        assert!(event.is_complete().unwrap() && event.wait_timeout(Duration::MAX).unwrap());
        for _ in 0..10 {
            Saxpy::dispatch(&first, Grid::items(len), 1.0, &one, &mut a).unwrap();
        }
        first.record(OpSignal::new(&event)).unwrap();
        second.record(OpWait::new(&event)).unwrap().record(OpFill::new(&mut b, 1)).unwrap();
        second.eval().unwrap();
        for _ in 0..3 {
            let running = first.eval_async().unwrap();
            second.eval().unwrap();
            assert!(event.is_complete().unwrap() && running.wait_timeout(Duration::ZERO).unwrap());
            event.wait().unwrap();
        }
        // Nothing but an event, and one's own.
        let lone = manager.sequence().unwrap();
        lone.record(OpWait::new(&event)).unwrap().record(OpSignal::new(&event)).unwrap();
        lone.eval().unwrap();
        lone.eval_async().unwrap().wait().unwrap();
        let foreign = Manager::host().event();
        assert!(matches!(lone.record(OpSignal::new(&foreign)), Err(Error::ForeignEvent { .. })));
    });
}

fn chains_side_by_side_share_their_barriers(on: On) {
    on.run(|manager| {
        let x = manager.tensor(&[1.0f32; 100]).unwrap();
        let mut chains: Vec<_> = (0..3).map(|_| [(); 3].map(|()| manager.tensor(&[0.0f32; 100]).unwrap())).collect();
        let sequence = manager.sequence().unwrap();
        for [a, b, c] in &mut chains {
            Saxpy::dispatch(&sequence, Grid::items(100), 2.0, &x, a).unwrap();
            Saxpy::dispatch(&sequence, Grid::items(100), 3.0, a, b).unwrap();
            Saxpy::dispatch(&sequence, Grid::items(100), 4.0, b, c).unwrap();
        }
        assert!(sequence.to_dot().contains("9 operations, 2 barriers"), "{}", sequence.to_dot());
        for round in 1..4 {
            let profile = sequence.eval_profiled().unwrap();
            assert_eq!(profile.ops().len(), 9);
            // In the order of the recording, though the device comes to the third operation late.
            let start = |op: usize| profile.ops()[op].start;
            if manager.device().kind != gridwise_runtime::DeviceKind::Host {
                assert!(start(0) <= start(1) && start(3) <= start(2) && start(6) <= start(4), "{profile}");
            }
            // a = 2 r, b gains 3 a, c gains 4 b.
            let a: Vec<f32> = (1..=round).map(|round| 2.0 * round as f32).collect();
            let b: Vec<f32> = (1..=round).map(|round| a[..round].iter().map(|a| 3.0 * a).sum()).collect();
            let last = b.iter().map(|b| 4.0 * b).sum::<f32>();
            for [_, _, c] in &chains {
                assert_eq!(c.to_vec().unwrap(), [last; 100]);
            }
        }
        // A barrier by hand keeps all in order.
        sequence.clear().unwrap();
        for [a, b, _] in &mut chains {
            Saxpy::dispatch(&sequence, Grid::items(100), 1.0, &x, a).unwrap();
            Saxpy::dispatch(&sequence, Grid::items(100), 1.0, a, b).unwrap();
            sequence.record(OpBarrier).unwrap();
        }
        assert!(sequence.to_dot().contains("9 operations, 6 barriers"), "{}", sequence.to_dot());
        sequence.eval().unwrap();
        // Of two launches that fail the one that was recorded first is told of, though it runs last.
        sequence.clear().unwrap();
        let (mut p, mut q) = (manager.tensor(&[0u32; 8]).unwrap(), manager.tensor(&[0u32; 8]).unwrap());
        Mark::dispatch(&sequence, Grid::items(8), 0, &mut p).unwrap();
        Mark::dispatch(&sequence, Grid::items(1), 11, &mut p).unwrap();
        Mark::dispatch(&sequence, Grid::items(8), 0, &mut q).unwrap();
        Mark::dispatch(&sequence, Grid::items(1), 0, &mut q).unwrap();
        Mark::dispatch(&sequence, Grid::items(1), 22, &mut q).unwrap();
        let mut r = manager.tensor(&[0u32; 8]).unwrap();
        Mark::dispatch(&sequence, Grid::items(1), 33, &mut r).unwrap();
        let error = sequence.eval().unwrap_err().to_string();
        assert!(error.contains("11") && !error.contains("22") && !error.contains("33"), "{error}");
        assert_eq!((p.to_vec().unwrap()[7], q.to_vec().unwrap()[7]), (7, 7));
    });
}
