//! Launches, copies and fills; sequences and tensors among each other; wrong arguments.

use std::thread;
use std::time::Duration;

use gridwise_runtime::descriptor::Feature;
use gridwise_runtime::glam::Vec3;
use gridwise_runtime::ops::{Access, OpCopy, OpDispatch, OpFill, OpMultiply, OpSyncDevice, OpSyncHost, Recorder};
use gridwise_runtime::{
    DeviceChoice, DeviceKind, Error, Grid, KernelArgs, Manager, ManagerDesc, Op, Result, TensorRef,
};

use crate::harness::{On, cases};
use crate::kernels::{Mark, Panics, Saxpy, Wrong};
use crate::ramp;

cases! {
    each: saxpy_runs_and_replays, what_is_recorded_anew_uses_what_it_names, profiles_name_each_operation, the_grid_masks_the_rest, chains_are_ordered,
        sequences_are_ordered_among_each_other, the_host_waits_for_the_device,
        a_running_sequence_refuses_and_everything_may_go, empty_things_are_legal,
        panics_come_back_with_their_place, wide_grids_are_split, large_data_goes_both_ways,
        fills_take_any_element, staged_transfers_run_with_the_sequence, wrong_arguments_are_errors,
        foreign_tensors_are_refused, operations_keep_to_what_they_declare, threads_share_sequences_and_tensors,
        algorithms_are_made_once_and_named, launches_take_algorithms_that_are_ready, limits_are_checked_before_the_driver;
    once: tensors_outlive_their_manager, devices_are_chosen_by_request, a_twin_that_panics_is_an_error;
}

fn saxpy_runs_and_replays(on: On) {
    on.run(|manager| {
        for len in [1, 63, 64, 65, 1000, 1 << 16] {
            let x = manager.tensor(&ramp(len)).unwrap();
            let mut y = manager.tensor(&vec![1.0; len]).unwrap();
            let sequence = manager.sequence().unwrap();
            Saxpy::dispatch(&sequence, Grid::items(len), 2.0, &x, &mut y).unwrap();
            sequence.eval().unwrap();
            sequence.eval().unwrap();
            let expected: Vec<f32> = (0..len).map(|i| 4.0 * i as f32 + 1.0).collect();
            assert_eq!(y.to_vec().unwrap(), expected, "{len}");
        }
    });
}

/// Sets of a recording are kept for the next: never with what was in them before.
fn what_is_recorded_anew_uses_what_it_names(on: On) {
    on.run(|manager| {
        let sequence = manager.sequence().unwrap();
        let x = manager.tensor(&ramp(300)).unwrap();
        let mut kept = manager.tensor(&[0.0f32; 300]).unwrap();
        let mut last = Vec::new();
        for round in 0..60usize {
            sequence.clear().unwrap();
            // Memory and handles of tensors that are gone come back in others.
            let len = 40 + 7 * (round % 5);
            let mut tensors: Vec<_> = (0..1 + round % 4).map(|_| manager.tensor(&vec![1.0f32; len]).unwrap()).collect();
            last.clear();
            let from = manager.tensor(&if round % 3 == 0 { vec![2.0f32; 300] } else { ramp(300) }).unwrap();
            for (index, tensor) in tensors.iter_mut().enumerate() {
                Saxpy::dispatch(&sequence, Grid::items(len), index as f32, &from, tensor).unwrap();
                Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &from, tensor).unwrap();
            }
            Saxpy::dispatch(&sequence, Grid::items(300), 1.0, &x, &mut kept).unwrap();
            // More and more records of traps, in buffers that are made anew.
            let mut marks: Vec<_> = (0..round).map(|_| manager.tensor_of_len::<u32>(8).unwrap()).collect();
            for (index, marks) in marks.iter_mut().enumerate() {
                let shift = if index + 1 == round { 4 } else { 0 };
                Mark::dispatch(&sequence, Grid::items(8), shift, marks).unwrap();
            }
            for _ in 0..2 {
                match sequence.eval() {
                    Ok(()) => assert_eq!(round, 0),
                    Err(Error::KernelPanic { count, .. }) => assert_eq!(count, 4),
                    Err(other) => panic!("{other}"),
                }
            }
            let value = |i: usize| if round % 3 == 0 { 2.0 } else { i as f32 };
            for (index, tensor) in tensors.iter().enumerate() {
                let expected: Vec<f32> = (0..len).map(|i| 1.0 + 2.0 * (1 + index) as f32 * value(i)).collect();
                assert_eq!(tensor.to_vec().unwrap(), expected, "round {round}, tensor {index}");
            }
            let all = marks.iter().take(round.saturating_sub(1)).all(|marks| marks.to_vec().unwrap()[7] == 7);
            assert!(all, "round {round}");
            last.extend(tensors);
        }
        assert_eq!(kept.to_vec().unwrap()[299], 299.0 * 120.0);
    });
}

fn profiles_name_each_operation(on: On) {
    on.run(|manager| {
        // So long that clocks which tell microseconds see each operation.
        let len = 1 << 20;
        let x = manager.tensor(&ramp(len)).unwrap();
        let (mut y, mut z) = (manager.tensor(&vec![0.0f32; len]).unwrap(), manager.tensor_of_len::<f32>(len).unwrap());
        let sequence = manager.sequence().unwrap();
        assert!(sequence.eval_profiled().unwrap().ops().is_empty());
        Saxpy::dispatch(&sequence, Grid::items(0), 1.0, &x, &mut y).unwrap();
        let empty = sequence.eval_profiled().unwrap();
        assert_eq!((empty.ops().len(), empty.device()), (1, Duration::ZERO));
        sequence.reopen().unwrap();
        Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &x, &mut y).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(0), 1.0, &x, &mut y).unwrap();
        sequence.record(OpFill::new(&mut z, 1.0)).unwrap();
        sequence.record(OpCopy::new(&y, &mut z)).unwrap();
        // With and without, in turns: the recording changes, its meaning does not.
        for round in 1..4 {
            let profile = sequence.eval_profiled().unwrap();
            let names: Vec<&str> = profile.ops().iter().map(|op| op.name.as_str()).collect();
            assert_eq!(names, ["saxpy", "saxpy", "saxpy", "fill", "copy"]);
            let [_, launch, empty, fill, copy] = profile.ops() else { panic!("{profile:?}") };
            assert!(launch.duration() > Duration::ZERO && copy.duration() > Duration::ZERO, "{profile}");
            assert_eq!(empty.duration(), Duration::ZERO);
            assert!(copy.start >= fill.start && copy.end <= profile.device(), "{profile}");
            assert!(profile.device() <= profile.host(), "{profile}");
            sequence.eval().unwrap();
            assert_eq!(z.to_vec().unwrap()[2], 4.0 * round as f32);
        }
    });
}

fn the_grid_masks_the_rest(on: On) {
    on.run(|manager| {
        let x = manager.tensor(&[1.0f32; 200]).unwrap();
        let mut y = manager.tensor(&[0.0f32; 200]).unwrap();
        let sequence = manager.sequence().unwrap();
        Saxpy::dispatch(&sequence, Grid::items(70), 1.0, &x, &mut y).unwrap();
        Saxpy::dispatch(&sequence, Grid::groups(2), 2.0, &x, &mut y).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(0), 9.0, &x, &mut y).unwrap();
        sequence.eval().unwrap();
        let expected: Vec<f32> = (0..200).map(|i| f32::from(u8::from(i < 70) + 2 * u8::from(i < 128))).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
    });
}

fn chains_are_ordered(on: On) {
    on.run(|manager| {
        let len = 5000;
        let mut a = manager.tensor(&ramp(len)).unwrap();
        let mut b = manager.tensor_of_len::<f32>(len).unwrap();
        let mut c = manager.tensor_of_len::<f32>(len).unwrap();
        let sequence = manager.sequence().unwrap();
        for _ in 0..10 {
            Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &a, &mut b).unwrap();
            Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &b, &mut c).unwrap();
            sequence.record(OpCopy::new(&c, &mut a)).unwrap();
            sequence.record(OpFill::new(&mut b, 1.0)).unwrap().record(OpFill::new(&mut c, 0.5)).unwrap();
        }
        sequence.eval().unwrap();
        // From the second round on, b starts at 1 and c at 0.5: a grows by 1.5 in each.
        let expected: Vec<f32> = (0..len).map(|i| i as f32 + 9.0 * 1.5).collect();
        assert_eq!(a.to_vec().unwrap(), expected);
    });
}

fn sequences_are_ordered_among_each_other(on: On) {
    on.run(|manager| {
        let len = 10_000;
        let one = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut sum = manager.tensor_of_len::<f32>(len).unwrap();
        let sequences: Vec<_> = (0..4).map(|_| manager.sequence().unwrap()).collect();
        for sequence in &sequences {
            Saxpy::dispatch(sequence, Grid::items(len), 1.0, &one, &mut sum).unwrap();
        }
        for _ in 0..5 {
            let running: Vec<_> = sequences.iter().map(|sequence| sequence.eval_async().unwrap()).collect();
            drop(running);
            while sequences.iter().any(|sequence| sequence.is_running()) {
                thread::yield_now();
            }
        }
        assert_eq!(sum.to_vec().unwrap(), vec![20.0; len]);
    });
}

fn the_host_waits_for_the_device(on: On) {
    on.run(|manager| {
        let len = 100_000;
        let one = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut sum = manager.tensor_of_len::<f32>(len).unwrap();
        let sequence = manager.sequence().unwrap();
        for _ in 0..20 {
            Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &one, &mut sum).unwrap();
        }
        for _ in 0..3 {
            sum.write(&vec![1.0; len]).unwrap();
            let running = sequence.eval_async().unwrap();
            assert_eq!(sum.to_vec().unwrap(), vec![21.0; len]);
            sum.write(&vec![5.0; len]).unwrap();
            assert_eq!(sum.to_vec().unwrap(), vec![5.0; len]);
            running.wait().unwrap();
        }
    });
}

fn a_running_sequence_refuses_and_everything_may_go(on: On) {
    on.run(|manager| {
        let len = 400_000;
        let x = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut y = manager.tensor_of_len::<f32>(len).unwrap();
        let mut other = manager.tensor_of_len::<f32>(len).unwrap();
        let sequence = manager.sequence().unwrap();
        for _ in 0..40 {
            Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &x, &mut y).unwrap();
        }
        let running = sequence.eval_async().unwrap();
        let in_flight = |result: Result<()>| matches!(result, Err(Error::SequenceInFlight { .. }));
        let refused = [
            in_flight(sequence.eval()),
            in_flight(sequence.clear()),
            in_flight(Saxpy::dispatch(&sequence, Grid::items(1), 1.0, &x, &mut other).map(drop)),
        ];
        if sequence.is_running() {
            assert_eq!(refused, [true; 3]);
            assert!(!running.wait_timeout(Duration::from_nanos(1)).unwrap() || !sequence.is_running());
        }
        assert!(running.wait_timeout(Duration::from_secs(600)).unwrap());
        running.wait().unwrap();
        if refused != [true; 3] {
            // The device was done before all were refused: what was not has changed the recording, or has run it again.
            sequence.clear().unwrap();
            y.write(&vec![40.0; len]).unwrap();
            for _ in 0..40 {
                Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &x, &mut y).unwrap();
            }
        }
        sequence.eval_within(Duration::MAX).unwrap();
        assert_eq!(y.to_vec().unwrap(), vec![80.0; len]);

        let running = sequence.eval_async().unwrap();
        drop(x);
        drop(sequence);
        drop(y);
        drop(running);
    });
}

fn tensors_outlive_their_manager() {
    let tensor = Manager::new().unwrap().tensor(&[1u32, 2, 3]).unwrap();
    assert_eq!(tensor.to_vec().unwrap(), [1, 2, 3]);
}

fn empty_things_are_legal(on: On) {
    on.run(|manager| {
        let x = manager.tensor::<f32>(&[]).unwrap();
        let mut y = manager.tensor_of_len::<f32>(0).unwrap();
        let mut marks = manager.tensor_of_len::<u32>(0).unwrap();
        y.write(&[]).unwrap();
        assert!(y.to_vec().unwrap().is_empty() && y.is_empty());
        let sequence = manager.sequence().unwrap();
        sequence.eval().unwrap();
        sequence.eval_async().unwrap().wait().unwrap();
        Saxpy::dispatch(&sequence, Grid::items(x.len()), 1.0, &x, &mut y).unwrap();
        sequence.record(OpCopy::new(&x, &mut y)).unwrap();
        sequence.record(OpFill::new(&mut y, 1.0)).unwrap();
        sequence.record(OpSyncHost::new(&x)).unwrap().record(OpSyncDevice::all([])).unwrap();
        assert_eq!(sequence.len(), 5);
        sequence.eval().unwrap();
        sequence.clear().unwrap();
        Mark::dispatch(&sequence, Grid::items(3), 0, &mut marks).unwrap();
        assert!(matches!(sequence.eval(), Err(Error::KernelPanic { count: 3, .. })));
    });
}

fn panics_come_back_with_their_place(on: On) {
    on.run(|manager| {
        let mut y = manager.tensor_of_len::<u32>(100).unwrap();
        let mut z = manager.tensor_of_len::<u32>(8).unwrap();
        let sequence = manager.sequence().unwrap();
        Mark::dispatch(&sequence, Grid::items(100), 0, &mut y).unwrap();
        Mark::dispatch(&sequence, Grid::items(4), 7, &mut z).unwrap();
        for _ in 0..2 {
            let error = sequence.eval().unwrap_err();
            let Error::KernelPanic { kernel, message, text, file, line, column, invocation, count } = &error else {
                panic!("{error}")
            };
            assert_eq!((&**kernel, *text, *file, *line, *column), ("mark", "y[i + shift]", "kernels.rs", 7, 5));
            assert_eq!(*count, 3);
            let index = invocation[0] + 7;
            assert_eq!(*message, format!("index out of bounds: the len is 8 but the index is {index}"));
        }
        assert_eq!(y.to_vec().unwrap(), (0..100).collect::<Vec<u32>>());
        assert_eq!(z.to_vec().unwrap(), [0, 0, 0, 0, 0, 0, 0, 0]);
        let running = sequence.eval_async().unwrap();
        assert!(matches!(running.wait(), Err(Error::KernelPanic { .. })));
        assert!(matches!(sequence.eval_profiled(), Err(Error::KernelPanic { .. })));
        sequence.clear().unwrap();
        Mark::dispatch(&sequence, Grid::items(8), 0, &mut z).unwrap();
        sequence.eval().unwrap();
        assert_eq!(z.to_vec().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    });
}

fn wide_grids_are_split(on: On) {
    on.run(|manager| {
        let len = 65_536 * 64 + 5;
        let x = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut y = manager.tensor_of_len::<f32>(len).unwrap();
        let mut marks = manager.tensor_of_len::<u32>(1).unwrap();
        let sequence = manager.sequence().unwrap();
        Saxpy::dispatch(&sequence, Grid::items(len), 3.0, &x, &mut y).unwrap();
        sequence.eval().unwrap();
        assert!(y.to_vec().unwrap().iter().all(|value| *value == 3.0));
        // This one has no word to tell it where a second dispatch begins.
        let wide =
            Mark::dispatch(&sequence, Grid::groups(manager.device().limits.max_groups[0] as u64 + 1), 0, &mut marks);
        assert!(matches!(wide, Err(Error::GridTooLarge { axis: 0, .. })));
        let deep = Saxpy::dispatch(&sequence, Grid::groups((1, 1u64 << 32)), 3.0, &x, &mut y);
        assert!(matches!(deep, Err(Error::GridTooLarge { axis: 1, .. })));
        let negative = Saxpy::dispatch(&sequence, Grid::items(-5), 3.0, &x, &mut y);
        assert!(matches!(negative, Err(Error::NegativeGrid { axis: 0, asked: -5, .. })));
    });
}

fn large_data_goes_both_ways(on: On) {
    on.run(|manager| {
        // Three pieces of staging, the last one short.
        let data: Vec<u32> = (0..5_000_001).collect();
        let mut tensor = manager.tensor(&data).unwrap();
        assert!(tensor.to_vec().unwrap() == data);
        let reversed: Vec<u32> = data.iter().rev().copied().collect();
        tensor.write(&reversed).unwrap();
        let mut read = vec![0; data.len()];
        tensor.read_into(&mut read).unwrap();
        assert!(read == reversed);
    });
}

fn fills_take_any_element(on: On) {
    on.run(|manager| {
        for len in [1, 7, 5461, 5462, 100_000] {
            let mut vectors = manager.tensor_of_len::<Vec3>(len).unwrap();
            let mut blocks = manager.tensor_of_len::<[u32; 20_000]>(len.min(3)).unwrap();
            let sequence = manager.sequence().unwrap();
            let block: [u32; 20_000] = std::array::from_fn(|i| i as u32);
            sequence.record(OpFill::new(&mut vectors, Vec3::new(1.0, 2.0, 3.0))).unwrap();
            sequence.record(OpFill::new(&mut blocks, block)).unwrap();
            sequence.eval().unwrap();
            assert!(vectors.to_vec().unwrap().iter().all(|value| *value == Vec3::new(1.0, 2.0, 3.0)));
            assert!(blocks.to_vec().unwrap().iter().all(|value| *value == block));
        }
    });
}

fn staged_transfers_run_with_the_sequence(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&[0.0f32; 3]).unwrap();
        let mut y = manager.tensor(&[1.0f32; 3]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpSyncDevice::new(&x)).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(3), 2.0, &x, &mut y).unwrap();
        sequence.record(OpSyncHost::new(&y)).unwrap();
        assert_eq!(y.staged().unwrap(), [0.0; 3]);
        x.stage(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(x.to_vec().unwrap(), [0.0; 3], "not before the sequence runs");
        sequence.eval().unwrap();
        assert_eq!(y.staged().unwrap(), [3.0, 5.0, 7.0]);
        x.stage(&[10.0, 10.0, 10.0]).unwrap();
        let running = sequence.eval_async().unwrap();
        assert_eq!(y.staged().unwrap(), [23.0, 25.0, 27.0]);
        running.wait().unwrap();
    });
}

fn wrong_arguments_are_errors(on: On) {
    on.run(|manager| {
        let x = manager.tensor(&[1.0f32; 4]).unwrap();
        let mut y = manager.tensor(&[1.0f32; 4]).unwrap();
        let wide = manager.tensor(&[Vec3::ONE; 4]).unwrap();
        let sequence = manager.sequence().unwrap();
        let new = KernelArgs::new::<Saxpy>;
        let mismatches = [
            new(),
            new().value(1.0f32).read(&x),
            new().read(&x),
            new().value(Vec3::ONE).read(&x).write(&mut y),
            new().value(1.0f32).write(&mut y).read(&x),
            new().value(1.0f32).read(&wide).write(&mut y),
            new().value(1.0f32).read(&x).write(&mut y).value(true),
        ];
        for args in mismatches {
            let result = sequence.record(OpDispatch::new(Grid::items(4), args)).map(|_| ());
            assert!(matches!(result, Err(Error::ArgumentMismatch { .. })), "{result:?}");
        }
        let alias = new().value(1.0f32).read(&y).write(&mut y);
        assert!(matches!(sequence.dispatch(Grid::items(4), alias), Err(Error::AliasedTensor { .. })));
        assert!(sequence.is_empty());

        assert!(matches!(y.write(&[1.0]), Err(Error::LengthMismatch { expected: 4, found: 1, .. })));
        assert!(matches!(y.read_into(&mut [1.0; 5]), Err(Error::LengthMismatch { expected: 4, found: 5, .. })));
        let mut short = manager.tensor(&[0.0f32; 3]).unwrap();
        let copied = sequence.record(OpCopy::new(&x, &mut short)).map(|_| ());
        assert!(matches!(copied, Err(Error::LengthMismatch { .. })));
    });
}

fn foreign_tensors_are_refused(on: On) {
    on.run(|manager| {
        let other = Manager::host();
        let x = other.tensor(&[1.0f32; 4]).unwrap();
        let mut y = manager.tensor_named("mine", &[1.0f32; 4]).unwrap();
        let sequence = manager.sequence().unwrap();
        let result = Saxpy::dispatch(&sequence, Grid::items(4), 1.0, &x, &mut y);
        assert!(matches!(result, Err(Error::ForeignTensor { .. })));
        let result = sequence.record(OpMultiply::new(&x, &x, &mut y)).map(|_| ());
        assert!(matches!(result, Err(Error::ForeignTensor { .. })));
        // A copy is what there is for it.
        sequence.record(OpCopy::new(&x, &mut y)).unwrap().eval().unwrap();
    });
}

/// Copies without saying what it reads.
struct Careless {
    from: TensorRef,
    to: TensorRef,
}

impl Op for Careless {
    fn name(&self) -> &str {
        "careless"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access::write(&self.to)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.fill(&self.to, 5u32)?;
        recorder.copy_bytes(&self.from, 0, &self.to, 0, 4)
    }
}

fn operations_keep_to_what_they_declare(on: On) {
    on.run(|manager| {
        let (from, to) = (manager.tensor(&[1u32; 2]).unwrap(), manager.tensor(&[2u32; 2]).unwrap());
        let sequence = manager.sequence().unwrap();
        let result = sequence.record(Careless { from: from.handle(), to: to.handle() }).map(|_| ());
        assert!(matches!(result, Err(Error::UndeclaredAccess { .. })));
        sequence.eval().unwrap();
        assert_eq!(to.to_vec().unwrap(), [2, 2], "none of its steps is kept");
    });
}

fn threads_share_sequences_and_tensors(on: On) {
    on.run(|manager| {
        let len = 1000;
        let one = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut sum = manager.tensor_of_len::<f32>(len).unwrap();
        let sequences: Vec<_> = (0..3).map(|_| manager.sequence().unwrap()).collect();
        for sequence in &sequences {
            Saxpy::dispatch(sequence, Grid::items(len), 1.0, &one, &mut sum).unwrap();
        }
        thread::scope(|scope| {
            for sequence in &sequences {
                scope.spawn(|| (0..20).for_each(|_| sequence.eval().unwrap()));
            }
            scope.spawn(|| {
                for _ in 0..20 {
                    let values = sum.to_vec().unwrap();
                    assert!(values.iter().all(|value| *value == values[0]), "a read sees whole evaluations");
                }
            });
        });
        assert_eq!(sum.to_vec().unwrap(), vec![60.0; len]);
    });
}

fn algorithms_are_made_once_and_named(on: On) {
    on.run(|manager| {
        let algorithm = manager.algorithm::<Saxpy>().unwrap();
        assert_eq!(algorithm.name(), "saxpy");
        assert_eq!(manager.clone().algorithm::<Saxpy>().unwrap().descriptor(), algorithm.descriptor());
    });
}

/// Pipelines that are made ahead are those that launches take.
fn launches_take_algorithms_that_are_ready(on: On) {
    on.run(|manager| {
        let len = 1 << 16;
        let (x, mut y) = (manager.tensor(&vec![1.0f32; len]).unwrap(), manager.tensor(&vec![1.0f32; len]).unwrap());
        manager.algorithm::<Saxpy>().unwrap();
        let pipelines = |manager: &Manager| {
            let statistics = manager.statistics();
            statistics.pipelines_compiled + statistics.pipelines_loaded
        };
        let before = pipelines(manager);
        let sequence = manager.sequence().unwrap();
        Saxpy::dispatch(&sequence, Grid::items(len), 2.0, &x, &mut y).unwrap().eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), vec![3.0f32; len]);
        assert_eq!(pipelines(manager), before);
    });
}

fn devices_are_chosen_by_request() {
    let devices = Manager::list_devices();
    assert_eq!(devices.last().unwrap().kind, DeviceKind::Host);
    for (index, device) in devices.iter().enumerate().filter(|(_, device)| device.is_suitable()) {
        let manager = Manager::with(ManagerDesc { device: DeviceChoice::Index(index), ..Default::default() }).unwrap();
        assert_eq!(manager.device(), device);
        assert_eq!(device.uuid.is_some(), device.kind != DeviceKind::Host, "{device}");
        assert_eq!(device.numa_node, device.pci.and_then(|address| address.numa_node()), "{device}");
        // By its UUID, as other programs print it, wherever it is listed.
        let Some(uuid) = device.uuid else { continue };
        let request = DeviceChoice::parse(&format!("GPU-{}", uuid.to_string().to_uppercase()));
        assert_eq!(request, DeviceChoice::Uuid(uuid));
        let manager = Manager::with(ManagerDesc { device: request, ..Default::default() }).unwrap();
        assert_eq!(manager.device().uuid, Some(uuid));
    }
    let desc = ManagerDesc { device: "no such device".into(), ..Default::default() };
    assert!(matches!(Manager::with(desc), Err(Error::NoDevice { .. })));
    // What is asked of a device is there, or said to be nowhere.
    for feature in [Feature::Float64, Feature::CooperativeBfloat16] {
        match Manager::with(ManagerDesc { device: DeviceChoice::Having(vec![feature]), ..Default::default() }) {
            Ok(manager) => assert!(manager.device().has(feature)),
            Err(error) => assert!(
                matches!(&error, Error::NoDevice { requested, .. } if requested.contains(&feature.to_string())),
                "{error}"
            ),
        }
    }
}

fn limits_are_checked_before_the_driver(on: On) {
    on.run(|manager| {
        if manager.device().kind != DeviceKind::Host {
            assert!(matches!(manager.algorithm::<Wrong<0>>(), Err(Error::WorkgroupTooLarge { .. })));
            assert!(matches!(manager.algorithm::<Wrong<2>>(), Err(Error::InvalidModule { .. })));
            assert!(matches!(manager.algorithm::<Wrong<3>>(), Err(Error::InvalidModule { .. })));
        }
        let sequence = manager.sequence().unwrap();
        let result = sequence.dispatch(Grid::items(1), KernelArgs::new::<Wrong<1>>());
        assert!(matches!(result, Err(Error::PushConstantsTooLarge { asked: 132, limit: 128, .. })));
        assert!(matches!(manager.algorithm::<Wrong<4>>(), Err(Error::InvalidModule { .. })));
        assert!(matches!(manager.algorithm::<Wrong<5>>(), Err(Error::WorkgroupTooLarge { .. })));
        assert!(matches!(manager.tensor_of_len::<u32>(usize::MAX), Err(Error::BufferTooLarge { .. })));
        assert!(manager.tensor_of_len::<[u32; 1 << 28]>(1 << 31).is_err(), "more than there can be");
    });
}

fn a_twin_that_panics_is_an_error() {
    let manager = Manager::host();
    let x = manager.tensor(&[0.0f32; 1]).unwrap();
    let mut y = manager.tensor(&[0.0f32; 1]).unwrap();
    let sequence = manager.sequence().unwrap();
    Panics::dispatch(&sequence, Grid::items(100_000), &x, &mut y).unwrap();
    for _ in 0..2 {
        let error = sequence.eval().unwrap_err();
        assert!(
            matches!(&error, Error::KernelPanic { kernel, message, .. } if kernel == "saxpy" && message == "twenty thousand")
        );
    }
    assert!(sequence.eval_async().unwrap().wait().is_err());
    sequence.clear().unwrap();
    Panics::dispatch(&sequence, Grid::items(100), &x, &mut y).unwrap();
    sequence.eval().unwrap();
}
