//! Grids that the device finds: written by the host and by operations, ordered, checked, refused.

use gridwise_runtime::glam::UVec3;
use gridwise_runtime::ops::{Access, OpCopy, OpDispatch, OpFill, Recorder};
use gridwise_runtime::{
    Contents, Error, Grid, KernelArgs, Manager, ManagerDesc, Op, QueueChoice, Result, Tensor, TensorDesc,
};

use crate::harness::{On, cases};
use crate::kernels::{Mark, Saxpy};

cases! {
    each: grids_are_found_when_the_launch_begins, grids_come_from_operations_before,
        a_launch_may_write_the_grid_that_it_came_from, counts_over_a_limit_run_nothing,
        checks_that_rest_on_the_grid_stay_in, places_that_hold_no_grid_are_refused,
        operations_declare_the_grids_they_read, queues_hand_grids_to_each_other;
    vulkan: modules_take_grids_from_the_device;
}

/// `y`, to which a launch of 64 invocations a workgroup adds 1.
fn adds_one(manager: &Manager, len: usize) -> (Tensor<f32>, Tensor<f32>) {
    (manager.tensor(&vec![1.0f32; len]).unwrap(), manager.tensor(&vec![0.0f32; len]).unwrap())
}

fn ones(tensor: &Tensor<f32>) -> usize {
    let values = tensor.to_vec().unwrap();
    let ones = values.iter().take_while(|value| **value == 1.0).count();
    assert!(values[ones..].iter().all(|value| *value == 0.0), "{values:?}");
    ones
}

fn grids_are_found_when_the_launch_begins(on: On) {
    on.run(|manager| {
        let (x, mut y) = adds_one(manager, 640);
        let mut counts = manager.tensor(&[1u32; 7]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpFill::new(&mut y, 0.0)).unwrap();
        sequence
            .dispatch(Grid::indirect(&counts).at(4), KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(&mut y))
            .unwrap();
        for groups in [1, 5, 0, 10] {
            counts.write(&[99, 99, 99, 99, groups, 1, 1]).unwrap();
            sequence.eval().unwrap();
            assert_eq!(ones(&y), groups as usize * 64);
        }
        // Runs of two sequences that follow each other without anybody waiting in between.
        let other = manager.sequence().unwrap();
        other.record(OpFill::new(&mut y, 0.0)).unwrap();
        let args = KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(&mut y);
        other.dispatch(Grid::indirect(&counts).at(4), args).unwrap();
        let running = [sequence.eval_async().unwrap(), other.eval_async().unwrap()];
        drop(running);
        assert_eq!(ones(&y), 640);
        counts.write(&[99, 99, 99, 99, u32::MAX, 1, 0]).unwrap();
        let refused = sequence.eval();
        assert!(matches!(refused, Err(Error::IndirectGridTooLarge { .. })), "{refused:?}");
    });
}

fn grids_come_from_operations_before(on: On) {
    on.run(|manager| {
        let (x, mut y) = adds_one(manager, 320);
        let kept = manager.tensor(&[UVec3::new(9, 9, 9), UVec3::new(2, 1, 1)]).unwrap();
        let mut counts = manager.tensor_of_len::<UVec3>(2).unwrap();
        let sequence = manager.sequence().unwrap();
        let grid = Grid::indirect(&counts).at(1);
        for _ in 0..3 {
            sequence.record(OpCopy::new(&kept, &mut counts)).unwrap();
            sequence.record(OpFill::new(&mut y, 0.0)).unwrap();
            sequence.dispatch(&grid, KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(&mut y)).unwrap();
            sequence.record(OpFill::new(&mut counts, UVec3::ONE)).unwrap();
        }
        for _ in 0..3 {
            sequence.eval().unwrap();
            assert_eq!(ones(&y), 128);
        }
        let dot = sequence.to_dot();
        assert!(dot.contains("op0 -> op2 [constraint=false, label=\"read after write"), "{dot}");
        assert!(dot.contains("op2 -> op3 [constraint=false, label=\"write after read"), "{dot}");
    });
}

fn a_launch_may_write_the_grid_that_it_came_from(on: On) {
    on.run(|manager| {
        let mut counts = manager.tensor(&[1u32; 64]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.dispatch(Grid::indirect(&counts), KernelArgs::new::<Mark>().value(0u32).write(&mut counts)).unwrap();
        sequence.eval().unwrap();
        assert_eq!(counts.to_vec().unwrap(), (0..64).collect::<Vec<u32>>());
        // Now it says [0, 1, 2].
        counts.write(&[vec![0, 1, 2], vec![7; 61]].concat()).unwrap();
        sequence.eval().unwrap();
        assert_eq!(counts.to_vec().unwrap()[..4], [0, 1, 2, 7]);
    });
}

fn counts_over_a_limit_run_nothing(on: On) {
    on.run(|manager| {
        let (x, mut y) = adds_one(manager, 64);
        let mut z = manager.tensor(&[0.0f32; 64]).unwrap();
        let mut counts = manager.tensor(&[1u32, 1, 1]).unwrap();
        let sequence = manager.sequence().unwrap();
        let most = manager.device().limits.max_groups;
        let args = |y: &mut Tensor<f32>| KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(y);
        sequence.dispatch(Grid::indirect(&counts), args(&mut y)).unwrap();
        sequence.dispatch(Grid::groups(1), args(&mut z)).unwrap();
        for (round, axis) in [(1, 0), (2, 1), (3, 2)] {
            let mut asked = [1; 3];
            asked[axis] = most[axis].saturating_add(1);
            if axis > 0 && asked[axis] == most[axis] {
                // Nothing is too much here, and there is nobody who would wait for it.
                continue;
            }
            counts.write(&asked).unwrap();
            match sequence.eval() {
                Err(Error::IndirectGridTooLarge { kernel, asked: found, limit }) => {
                    assert_eq!((&*kernel, found, limit[0]), ("saxpy", asked, most[0].min(u32::MAX / 64)));
                }
                other => panic!("{other:?}"),
            }
            assert_eq!(ones(&y), 0);
            assert_eq!(z.to_vec().unwrap(), [round as f32; 64], "the rest of the sequence runs");
        }
        counts.write(&[1, 1, 1]).unwrap();
        sequence.eval().unwrap();
        assert_eq!(ones(&y), 64);
    });
}

fn checks_that_rest_on_the_grid_stay_in(on: On) {
    on.run(|manager| {
        let counts = manager.tensor(&[2u32, 1, 1]).unwrap();
        let mut y = manager.tensor(&[9u32; 100]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.dispatch(Grid::indirect(&counts), KernelArgs::new::<Mark>().value(0u32).write(&mut y)).unwrap();
        match sequence.eval() {
            Err(Error::KernelPanic { count, .. }) => assert_eq!(count, 28),
            other => panic!("{other:?}"),
        }
        assert_eq!(y.to_vec().unwrap(), (0..100).collect::<Vec<u32>>());
    });
}

fn places_that_hold_no_grid_are_refused(on: On) {
    on.run(|manager| {
        let (x, mut y) = adds_one(manager, 64);
        let counts = manager.tensor(&[1u32; 5]).unwrap();
        let triples = manager.tensor(&[UVec3::ONE; 2]).unwrap();
        let sequence = manager.sequence().unwrap();
        let mut args = || KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(&mut y);
        for grid in
            [Grid::indirect(&counts).at(3), Grid::indirect(&counts).at(usize::MAX), Grid::indirect(&triples).at(2)]
        {
            let refused = sequence.dispatch(grid, args());
            assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{refused:?}");
        }
        sequence.dispatch(Grid::indirect(&counts).at(2), args()).unwrap();
        sequence.dispatch(Grid::indirect(&triples).at(1), args()).unwrap();
        let foreign = Manager::host().tensor(&[1u32; 3]).unwrap();
        let refused = sequence.dispatch(Grid::indirect(&foreign), args());
        assert!(matches!(refused, Err(Error::ForeignTensor { .. })), "{refused:?}");
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [2.0; 64]);
    });
}

/// Launches over a grid that it may not have declared.
struct Launches {
    counts: Tensor<u32>,
    inner: OpDispatch,
    is_declared: bool,
}

impl Op for Launches {
    fn name(&self) -> &str {
        "launches"
    }

    fn accesses(&self) -> Vec<Access> {
        let all = self.inner.accesses().into_iter();
        all.filter(|access| self.is_declared || access.tensor.name() != self.counts.name()).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        self.inner.record(recorder)
    }
}

fn operations_declare_the_grids_they_read(on: On) {
    on.run(|manager| {
        let sequence = manager.sequence().unwrap();
        let (x, mut y) = adds_one(manager, 64);
        let mut launches = |is_declared| {
            let counts = TensorDesc { name: "counts", contents: Contents::Data(&[1u32; 3]) };
            let counts = manager.tensor_with(counts).unwrap();
            let args = KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(&mut y);
            Launches { inner: OpDispatch::new(Grid::indirect(&counts), args), counts, is_declared }
        };
        let refused = sequence.record(launches(false)).map(|_| ());
        assert!(matches!(&refused, Err(Error::UndeclaredAccess { tensor, .. }) if tensor == "counts"), "{refused:?}");
        sequence.record(launches(true)).unwrap().eval().unwrap();
        assert_eq!(ones(&y), 64);
    });
}

fn queues_hand_grids_to_each_other(on: On) {
    let desc = ManagerDesc { queues: QueueChoice::AtLeast(2), ..ManagerDesc::default() };
    on.run_with(desc, |manager| {
        let (x, mut y) = adds_one(manager, 256);
        let mut counts = manager.tensor(&[0u32, 1, 1]).unwrap();
        let (from, mut to) = (manager.tensor(&[3u32, 1, 1]).unwrap(), manager.tensor_of_len::<u32>(3).unwrap());
        let (first, second) = (manager.sequence_on(0).unwrap(), manager.sequence_on(1).unwrap());
        first.record(OpCopy::new(&from, &mut counts)).unwrap();
        second
            .dispatch(Grid::indirect(&counts), KernelArgs::new::<Saxpy>().value(1.0f32).read(&x).write(&mut y))
            .unwrap();
        second.record(OpCopy::new(&counts, &mut to)).unwrap();
        drop(first.eval_async().unwrap());
        second.eval().unwrap();
        assert_eq!((ones(&y), to.to_vec().unwrap()), (192, vec![3, 1, 1]));
    });
}

fn modules_take_grids_from_the_device(on: On) {
    on.run(|manager| {
        let scale =
            crate::spirv::load(manager, crate::spirv::SCALE, &[(0, 3.0f32.into()), crate::spirv::WIDE]).unwrap();
        let from = manager.tensor(&[2.0f32; 300]).unwrap();
        let mut to = manager.tensor(&[0.0f32; 300]).unwrap();
        let mut counts = manager.tensor(&[2u32, 1, 1]).unwrap();
        let sequence = manager.sequence().unwrap();
        let launch = scale.launch(Grid::indirect(&counts)).read(0, &from).write(1, &mut to);
        sequence.record(launch.push(&[300u32, 0])).unwrap();
        sequence.eval().unwrap();
        let done = to.to_vec().unwrap().iter().filter(|value| **value != 0.0).count();
        assert_eq!(done, 128);
        counts.write(&[u32::MAX, 1, 1]).unwrap();
        match sequence.eval() {
            Err(Error::IndirectGridTooLarge { kernel, .. }) => assert_eq!(kernel, "module"),
            other => panic!("{other:?}"),
        }
    });
}
