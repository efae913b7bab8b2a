//! Sequences on several queues: listed, refused, side by side, ordered where they share.

use std::thread;
use std::time::Duration;

use gridwise_runtime::ops::{OpBarrier, OpCopy, OpFill};
use gridwise_runtime::{
    DeviceChoice, DeviceKind, Error, Grid, Manager, ManagerDesc, PipelineCache, QueueChoice, QueueKind, Sequence,
    Tensor,
};

use crate::futures::block_on;
use crate::harness::{Device, On, Outcome, cases, ignored, open};
use crate::kernels::{Mark, Saxpy};

cases! {
    each: queues_are_listed_and_refused, what_is_handed_to_and_fro_is_ordered,
        a_pipeline_of_queues_gives_what_one_queue_gives, tasks_wait_on_all_queues,
        parts_of_one_tensor_go_side_by_side, errors_and_times_come_from_their_queue;
    once_on_vulkan: transfer_queues_run_no_kernels;
}

/// Runs a test on each device, with three queues that compute.
fn each_with_queues(on: On, test: impl Fn(&Manager)) {
    on.run_with(ManagerDesc { queues: QueueChoice::AtLeast(3), ..ManagerDesc::default() }, test);
}

fn sum_of(sequences: &[Sequence], len: usize, manager: &Manager) -> (Tensor<f32>, Tensor<f32>) {
    let one = manager.tensor(&vec![1.0f32; len]).unwrap();
    let mut sum = manager.tensor_of_len::<f32>(len).unwrap();
    for sequence in sequences {
        Saxpy::dispatch(sequence, Grid::items(len), 1.0, &one, &mut sum).unwrap();
    }
    (one, sum)
}

fn queues_are_listed_and_refused(on: On) {
    each_with_queues(on, |manager| {
        let queues = manager.queues();
        assert!(queues.len() >= 3 && queues[0].kind == QueueKind::Compute);
        let families = &manager.device().queue_families;
        assert!(queues.iter().all(|queue| queue.index < families[queue.family as usize].count));
        let none = manager.sequence_on(queues.len());
        assert!(matches!(none, Err(Error::NoQueue { queue, available }) if queue == available));
    });
    let device = ManagerDesc::from_env().unwrap().device;
    for device in [DeviceChoice::Host, device] {
        let desc = |families: &[(u32, u32)]| ManagerDesc {
            device: device.clone(),
            queues: QueueChoice::Families(families.to_vec()),
            pipeline_cache: PipelineCache::Off,
            ..ManagerDesc::default()
        };
        assert!(matches!(Manager::with(desc(&[(77, 1)])), Err(Error::QueueUnavailable { family: 77, asked: 1, .. })));
        assert!(matches!(Manager::with(desc(&[])), Err(Error::QueueCannot { queue: 0, .. })));
        let families = Manager::with(desc(&[(0, 1)])).unwrap().device().queue_families.clone();
        match families[0].count.checked_add(1) {
            Some(count) => assert!(matches!(
                Manager::with(desc(&[(0, count)])),
                Err(Error::QueueUnavailable { family: 0, asked, .. }) if asked == count
            )),
            None => assert!(matches!(Manager::with(desc(&[(0, 9)])), Err(Error::TooManyQueues { asked: 9, .. }))),
        }
    }
}

fn what_is_handed_to_and_fro_is_ordered(on: On) {
    each_with_queues(on, |manager| {
        let sequences: Vec<_> = (0..3).map(|queue| manager.sequence_on(queue).unwrap()).collect();
        let (_one, sum) = sum_of(&sequences, 50_000, manager);
        let rounds = 20;
        for _ in 0..rounds {
            let running: Vec<_> = sequences.iter().map(|sequence| sequence.eval_async().unwrap()).collect();
            running.into_iter().for_each(|running| running.wait().unwrap());
        }
        assert_eq!(sum.to_vec().unwrap(), vec![3.0 * rounds as f32; 50_000]);
    });
}

fn a_pipeline_of_queues_gives_what_one_queue_gives(on: On) {
    each_with_queues(on, |manager| {
        let len = 4096;
        let mut x = manager.tensor_of_len::<f32>(len).unwrap();
        let mut y = manager.tensor_of_len::<f32>(len).unwrap();
        let mut z = manager.tensor_of_len::<f32>(len).unwrap();
        let [fill, add, copy] = [0, 1, 2].map(|queue| manager.sequence_on(queue).unwrap());
        fill.record(OpFill::new(&mut x, 2.0)).unwrap().record(OpFill::new(&mut y, 1.0)).unwrap();
        Saxpy::dispatch(&add, Grid::items(len), 3.0, &x, &mut y).unwrap();
        copy.record(OpCopy::new(&y, &mut z)).unwrap().record(OpBarrier).unwrap();
        Saxpy::dispatch(&copy, Grid::items(len), 1.0, &x, &mut z).unwrap();
        for _ in 0..10 {
            drop((fill.eval_async().unwrap(), add.eval_async().unwrap()));
            copy.eval().unwrap();
            assert_eq!(z.to_vec().unwrap(), vec![9.0; len]);
            // The host's writes come between, too.
            drop(add.eval_async());
            x.write(&vec![0.0; len]).unwrap();
            y.write(&vec![0.0; len]).unwrap();
            assert_eq!(y.to_vec().unwrap(), vec![0.0; len]);
            while add.is_running() || fill.is_running() {
                thread::yield_now();
            }
        }
    });
}

fn tasks_wait_on_all_queues(on: On) {
    each_with_queues(on, |manager| {
        let manager = &manager;
        thread::scope(|scope| {
            for task in 0..12 {
                scope.spawn(move || {
                    let sequence = manager.sequence_on(task % 3).unwrap();
                    let (_one, sum) = sum_of(std::slice::from_ref(&sequence), 1000 * (1 + task), manager);
                    for round in 1..6 {
                        block_on(sequence.eval_async().unwrap()).unwrap();
                        assert_eq!(sum.to_vec().unwrap()[0], round as f32);
                    }
                });
            }
        });
    });
}

fn parts_of_one_tensor_go_side_by_side(on: On) {
    each_with_queues(on, |manager| {
        // On the host device all queues are one.
        let is_host = manager.device().kind == DeviceKind::Host;
        let waits = |expected: u64| if is_host { 0 } else { expected };
        let (len, rounds) = (1 << 16, 5);
        let one = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut sum = manager.tensor_of_len::<f32>(4 * len).unwrap();
        let sequences: Vec<_> = (0..3).map(|queue| manager.sequence_on(queue).unwrap()).collect();
        for (index, sequence) in sequences.iter().enumerate() {
            let mut part = sum.part_mut(index * len..(index + 1) * len).unwrap();
            Saxpy::dispatch(sequence, Grid::items(len), 1.0 + index as f32, &one, &mut part).unwrap();
        }
        // The first run of each comes behind the uploads.
        sequences.iter().for_each(|sequence| sequence.eval().unwrap());
        let before = manager.statistics().queue_waits;
        for _ in 1..rounds {
            let running: Vec<_> = sequences.iter().map(|sequence| sequence.eval_async().unwrap()).collect();
            running.into_iter().for_each(|running| running.wait().unwrap());
        }
        assert_eq!(manager.statistics().queue_waits, before, "they share nothing that is written");
        // Half of the first part and half of the second.
        let across = manager.sequence_on(2).unwrap();
        let mut middle = sum.part_mut(len / 2..len / 2 + len).unwrap();
        Saxpy::dispatch(&across, Grid::items(len), 100.0, &one, &mut middle).unwrap();
        let running: Vec<_> = sequences.iter().chain([&across]).map(|one| one.eval_async().unwrap()).collect();
        running.into_iter().for_each(|running| running.wait().unwrap());
        assert_eq!(manager.statistics().queue_waits, before + waits(1), "both others in one wait");
        sequences[0].eval().unwrap();
        sequences[2].eval().unwrap();
        assert_eq!(manager.statistics().queue_waits, before + waits(2), "the first one waits for what lies across");
        sequences[0].eval().unwrap();
        let found = sum.to_vec().unwrap();
        let runs = rounds as f32 + 1.0;
        let expected = |index: usize| {
            let part = index / len;
            let more = if (len / 2..len / 2 + len).contains(&index) { 100.0 } else { 0.0 };
            let extra = [2.0, 0.0, 1.0, 0.0][part];
            if part == 3 { 0.0 } else { (1.0 + part as f32) * (runs + extra) + more }
        };
        for index in [0, len / 2 - 1, len / 2, len - 1, len, 3 * len / 2, 2 * len - 1, 2 * len, 3 * len - 1, 3 * len] {
            assert_eq!(found[index], expected(index), "element {index}");
        }
    });
}

fn errors_and_times_come_from_their_queue(on: On) {
    each_with_queues(on, |manager| {
        let mut marks = manager.tensor_of_len::<u32>(4).unwrap();
        let wrong = manager.sequence_on(2).unwrap();
        Mark::dispatch(&wrong, Grid::items(5), 0, &mut marks).unwrap();
        assert!(matches!(wrong.eval(), Err(Error::KernelPanic { count: 1, .. })));
        let fine = manager.sequence_on(1).unwrap();
        // So long that clocks which tell microseconds see it.
        let mut x = manager.tensor_of_len::<f32>(1 << 22).unwrap();
        fine.record(OpFill::new(&mut x, 1.0)).unwrap();
        assert!(fine.eval_profiled().unwrap().device() > Duration::ZERO);
        // Whatever goes first.
        let running = fine.eval_async().unwrap();
        drop((x, fine, wrong));
        drop(running);
    });
}

fn transfer_queues_run_no_kernels() -> Outcome {
    let desc = ManagerDesc { queues: QueueChoice::Best, validation: true, ..ManagerDesc::from_env().unwrap() };
    let manager = Device { manager: open(desc) };
    let Some(queue) = manager.queues().iter().position(|queue| queue.kind == QueueKind::Transfer) else {
        return ignored(format_args!("{} has no queue that only transfers", manager.device()));
    };
    let (from, mut to) = (manager.tensor(&[1.0f32; 100]).unwrap(), manager.tensor(&[0.0f32; 100]).unwrap());
    let sequence = manager.sequence_on(queue).unwrap();
    let refused = Saxpy::dispatch(&sequence, Grid::items(100), 1.0, &from, &mut to);
    assert!(matches!(refused, Err(Error::QueueCannot { queue: refused, .. }) if refused == queue));
    let compute = manager.sequence().unwrap();
    Saxpy::dispatch(&compute, Grid::items(100), 1.0, &from, &mut to).unwrap();
    let mut copy = manager.tensor(&[0.0f32; 100]).unwrap();
    sequence.record(OpCopy::new(&to, &mut copy)).unwrap().record(OpBarrier).unwrap();
    sequence.record(OpFill::new(&mut to, 5.0)).unwrap();
    drop(compute.eval_async().unwrap());
    sequence.eval().unwrap();
    assert_eq!((copy.to_vec().unwrap(), to.to_vec().unwrap()), (vec![1.0; 100], vec![5.0; 100]));
    Outcome::Done
}
