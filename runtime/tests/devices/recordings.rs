//! Recordings over time: begun anew after an evaluation, continued on demand, and followed by tensors that are rebuilt.

use gridwise_runtime::ops::{OpCopy, OpDispatch, OpFill, OpHost, OpMultiply, OpSyncDevice, OpSyncHost};
use gridwise_runtime::{Error, Grid, KernelArgs, Sequence, Tensor};

use crate::harness::{On, cases};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    each: recording_after_an_evaluation_begins_anew, recordings_that_differ_in_one_thing_do_so,
        evaluations_of_every_kind_end_a_recording,
        a_reopened_recording_is_continued, what_is_refused_leaves_the_recording,
        recordings_follow_tensors_that_are_rebuilt, all_operations_follow_what_is_rebuilt,
        other_lengths_are_an_error, rebuilt_tensors_need_no_recording;
}

/// Adds `x` to `y`, once for each launch.
fn add(sequence: &Sequence, x: &Tensor<f32>, y: &mut Tensor<f32>) {
    Saxpy::dispatch(sequence, Grid::items(x.len()), 1.0, x, y).unwrap();
}

/// The example of Kompute's README: products with operations recorded after each evaluation.
fn recording_after_an_evaluation_begins_anew(on: On) {
    on.run(|manager| {
        let (a, b) = (manager.tensor(&[2.0f32, 4.0, 6.0]).unwrap(), manager.tensor(&[2.0f32; 3]).unwrap());
        let mut product = manager.tensor(&[0.0f32; 3]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpMultiply::new(&a, &b, &mut product)).unwrap().eval().unwrap();
        assert_eq!(product.to_vec().unwrap(), [4.0, 8.0, 12.0]);
        // Recorded and evaluated in a loop: each round runs its own operation, not those of the rounds before.
        let (one, mut sum) = (manager.tensor(&[1.0f32]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        for _ in 0..100 {
            add(&sequence, &one, &mut sum);
            assert_eq!(sequence.len(), 1);
            sequence.eval().unwrap();
        }
        assert_eq!(sum.to_vec().unwrap(), [100.0]);
        // A replay stays one.
        sequence.eval().unwrap();
        assert_eq!(sum.to_vec().unwrap(), [101.0]);
    });
}

/// A command buffer may serve the same recording again, and no other.
fn recordings_that_differ_in_one_thing_do_so(on: On) {
    on.run(|manager| {
        let (one, two) = (manager.tensor(&[1.0f32; 4]).unwrap(), manager.tensor(&[2.0f32; 4]).unwrap());
        let mut sums = [(); 2].map(|()| manager.tensor(&[0.0f32; 4]).unwrap());
        let mut expected = [[0.0f32; 4]; 2];
        let sequence = manager.sequence().unwrap();
        // Factor, whether two is added, items, which sum.
        let plain = (1.0, false, 4, 0);
        let rounds = [plain, plain, (3.0, false, 4, 0), plain, (1.0, true, 4, 0), (1.0, true, 2, 0), (1.0, true, 2, 1)];
        for (round, (factor, is_two, items, at)) in rounds.into_iter().chain(rounds).enumerate() {
            let x = if is_two { &two } else { &one };
            for _ in 0..2 {
                Saxpy::dispatch(&sequence, Grid::items(items), factor, x, &mut sums[at]).unwrap();
            }
            // Times are taken only where they are asked for.
            match round % 3 {
                2 => assert_eq!(sequence.eval_profiled().unwrap().ops().len(), 2),
                _ => sequence.eval().unwrap(),
            }
            for sum in &mut expected[at][..items] {
                *sum += 2.0 * factor * if is_two { 2.0 } else { 1.0 };
            }
            for (sum, expected) in sums.iter().zip(expected) {
                assert_eq!(sum.to_vec().unwrap(), expected, "round {round}");
            }
        }
        // The same launches between others, in one operation more, and on parts that begin elsewhere.
        for part in [0, 0, 64] {
            let mut all = manager.tensor(&[0.0f32; 128]).unwrap();
            for _ in 0..2 {
                let mut place = all.part_mut(part..part + 4).unwrap();
                sequence
                    .dispatch(Grid::items(4), KernelArgs::new::<Saxpy>().value(1.0f32).read(&one).write(&mut place))
                    .unwrap();
                sequence.eval().unwrap();
                sequence.record(OpFill::new(&mut place, 5.0)).unwrap();
                sequence
                    .dispatch(Grid::items(4), KernelArgs::new::<Saxpy>().value(1.0f32).read(&one).write(&mut place))
                    .unwrap();
                sequence.eval().unwrap();
            }
            assert_eq!(all.to_vec().unwrap()[part..part + 5], [6.0, 6.0, 6.0, 6.0, 0.0]);
        }
    });
}

fn evaluations_of_every_kind_end_a_recording(on: On) {
    on.run(|manager| {
        let (one, mut sum) = (manager.tensor(&[1.0f32]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        let sequence = manager.sequence().unwrap();
        let evaluations: [fn(&Sequence); 5] = [
            |sequence| sequence.eval().unwrap(),
            |sequence| sequence.eval_async().unwrap().wait().unwrap(),
            |sequence| drop(sequence.eval_profiled().unwrap()),
            |sequence| sequence.eval_within(std::time::Duration::from_secs(60)).unwrap(),
            |sequence| drop(sequence.eval_profiled_async().unwrap().wait().unwrap()),
        ];
        let mut expected = 0.0;
        for eval in evaluations {
            add(&sequence, &one, &mut sum);
            eval(&sequence);
            expected += 1.0;
            assert_eq!((sequence.len(), sum.to_vec().unwrap()), (1, vec![expected]));
        }
        // One with a call of the host, one that fails, and one of nothing.
        sequence.record(OpHost::fallible(|| Err(std::fmt::Error))).unwrap();
        assert!(sequence.eval().is_err());
        add(&sequence, &one, &mut sum);
        assert_eq!(sequence.len(), 1);
        sequence.clear().unwrap();
        sequence.record(OpFill::new(&mut manager.tensor::<u32>(&[]).unwrap(), 1)).unwrap().eval().unwrap();
        add(&sequence, &one, &mut sum);
        assert_eq!(sequence.len(), 1);
    });
}

fn a_reopened_recording_is_continued(on: On) {
    on.run(|manager| {
        let (one, mut sum) = (manager.tensor(&[1.0f32]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        let sequence = manager.sequence().unwrap();
        for runs in 1..=10 {
            sequence.reopen().unwrap();
            add(&sequence, &one, &mut sum);
            assert_eq!(sequence.len(), runs);
            sequence.eval().unwrap();
        }
        assert_eq!(sum.to_vec().unwrap(), [55.0]);
        let mut big = manager.tensor(&ramp(1 << 16)).unwrap();
        let slow = manager.sequence().unwrap();
        slow.record(OpFill::new(&mut big, 1.0)).unwrap();
        let running = slow.eval_async().unwrap();
        if slow.is_running() {
            // It may be complete by now, and is then no error.
            let reopened = slow.reopen().map(|_| ());
            assert!(matches!(reopened, Ok(()) | Err(Error::SequenceInFlight { operation: "reopen" })), "{reopened:?}");
        }
        running.wait().unwrap();
    });
}

fn what_is_refused_leaves_the_recording(on: On) {
    on.run(|manager| {
        let (x, mut short) = (manager.tensor(&[1.0f32, 2.0]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        let mut y = manager.tensor(&[0.0f32; 2]).unwrap();
        let sequence = manager.sequence().unwrap();
        add(&sequence, &x, &mut y);
        sequence.eval().unwrap();
        assert!(sequence.record(OpCopy::new(&x, &mut short)).is_err());
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [2.0, 4.0], "the replay is the one from before");
    });
}

fn recordings_follow_tensors_that_are_rebuilt(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&ramp(100)).unwrap();
        let mut y = manager.tensor(&[0.0f32; 100]).unwrap();
        let sequence = manager.sequence().unwrap();
        add(&sequence, &x, &mut y);
        sequence.eval().unwrap();
        for round in 1..20 {
            x.rebuild(&[round as f32; 100]).unwrap();
            y.rebuild(&[1.0; 100]).unwrap();
            sequence.eval().unwrap();
            assert_eq!(y.to_vec().unwrap(), [round as f32 + 1.0; 100], "round {round}");
        }
        // Old memory is not kept alive by rebuilding.
        assert!(manager.live_tensors().len() <= 4, "{:?}", manager.live_tensors());
    });
}

fn all_operations_follow_what_is_rebuilt(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&[1.0f32; 64]).unwrap();
        let (mut copy, mut half) = (manager.tensor(&[0.0f32; 64]).unwrap(), manager.tensor(&[0.0f32; 32]).unwrap());
        let mut sum = manager.tensor(&[0.0f32; 64]).unwrap();
        let mut counts = manager.tensor(&[1u32, 1, 1]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpSyncDevice::new(&x)).unwrap();
        sequence.record(OpCopy::new(&x, &mut copy)).unwrap();
        sequence.record(OpCopy::new(&*x.part(32..).unwrap(), &mut half)).unwrap();
        let args = KernelArgs::new::<Saxpy>().value(2.0f32).read(&x).write(&mut sum);
        sequence.record(OpDispatch::new(Grid::indirect(&counts), args)).unwrap();
        sequence.record(OpSyncHost::new(&sum)).unwrap();
        x.stage(&[3.0; 64]).unwrap();
        sequence.eval().unwrap();
        assert_eq!((copy.to_vec().unwrap()[0], half.to_vec().unwrap()[31]), (3.0, 3.0));
        assert_eq!(sum.staged().unwrap(), [6.0; 64]);

        x.rebuild(&[5.0; 64]).unwrap();
        for tensor in [&mut copy, &mut sum] {
            tensor.rebuild(&[0.0; 64]).unwrap();
        }
        counts.rebuild(&[0, 1, 1]).unwrap();
        sequence.eval().unwrap();
        // What was staged is what the tensor was rebuilt with.
        assert_eq!((copy.to_vec().unwrap(), half.to_vec().unwrap()), (vec![5.0; 64], vec![5.0; 32]));
        assert_eq!(sum.staged().unwrap(), [0.0; 64], "the new counts start no workgroup");
        x.stage(&[7.0; 64]).unwrap();
        counts.write(&[1, 1, 1]).unwrap();
        sequence.eval().unwrap();
        assert_eq!((half.to_vec().unwrap()[0], sum.staged().unwrap()[63]), (7.0, 14.0));
    });
}

fn other_lengths_are_an_error(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor_named("measured", &ramp(100)).unwrap();
        let mut y = manager.tensor(&[0.0f32; 100]).unwrap();
        let sequence = manager.sequence().unwrap();
        add(&sequence, &x, &mut y);
        sequence.eval().unwrap();
        x.rebuild(&ramp(50)).unwrap();
        for _ in 0..2 {
            let error = sequence.eval().unwrap_err();
            assert!(
                matches!(&error, Error::TensorRebuilt { tensor, recorded: 100, now: Some(50) } if tensor == "measured"),
                "{error}"
            );
        }
        assert_eq!(y.to_vec().unwrap(), ramp(100), "nothing ran");
        // The old length again, and the recording goes on.
        x.rebuild(&ramp(100)).unwrap();
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap()[99], 198.0);
        x.rebuild(&[1.0; 100]).unwrap();
        drop(x);
        let error = sequence.eval().unwrap_err();
        assert!(matches!(error, Error::TensorRebuilt { now: None, .. }), "{error}");
    });
}

fn rebuilt_tensors_need_no_recording(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&[1u32; 10]).unwrap();
        x.rebuild(&[2; 3]).unwrap();
        x.rebuild(&[]).unwrap();
        assert!(x.is_empty());
        x.rebuild(&[3; 4]).unwrap();
        let mut y = manager.tensor(&[0u32; 4]).unwrap();
        manager.sequence().unwrap().record(OpCopy::new(&x, &mut y)).unwrap().eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [3; 4]);
        // Dropped after a recording, not rebuilt: the recording keeps it.
        let (sequence, z) = (manager.sequence().unwrap(), manager.tensor(&[9u32; 4]).unwrap());
        sequence.record(OpCopy::new(&z, &mut y)).unwrap();
        drop(z);
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [9; 4]);
    });
}
