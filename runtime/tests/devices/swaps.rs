//! Tensors and images that change places in a recording.

use gridwise_runtime::image::{R32Float, Rgba8Unorm};
use gridwise_runtime::ops::{OpClearImage, OpCopy, OpCopyImage, OpHost, OpMultiply, OpSyncHost};
use gridwise_runtime::{
    Contents, Error, Grid, KernelArgs, Manager, ManagerDesc, RecordingError, Sequence, SwapFault, Tensor, TensorDesc,
};

use crate::harness::{Device, On, Outcome, cases, ignored, open};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    each: states_change_places, several_pairs_change_places, three_states_take_turns, parts_and_copies_change_places,
        images_change_places, swaps_with_calls_of_the_host, swapped_recordings_go_on, swapped_tensors_are_rebuilt,
        parameters_and_swaps, swaps_that_cannot_be, what_ran_is_waited_for;
    once_on_vulkan: shared_memory_takes_the_place_of_addresses;
}

fn fault<T>(result: Result<T, Error>) -> SwapFault {
    match result.map(drop) {
        Err(Error::Recording(RecordingError::CannotSwap { fault, .. })) => fault,
        other => panic!("{other:?}"),
    }
}

/// `next = state * by`
fn step(manager: &Manager, state: &Tensor<f32>, by: &Tensor<f32>, next: &mut Tensor<f32>) -> Sequence {
    let sequence = manager.sequence().unwrap();
    sequence.record(OpMultiply::new(state, by, next)).unwrap();
    sequence
}

fn states_change_places(on: On) {
    on.run(|manager| {
        let (mut state, mut next) = (manager.tensor(&ramp(300)).unwrap(), manager.tensor(&[0.0f32; 300]).unwrap());
        let two = manager.tensor(&[2.0f32; 300]).unwrap();
        let sequence = step(manager, &state, &two, &mut next);
        for round in 1..=20 {
            sequence.eval().unwrap();
            sequence.swap(&mut state, &mut next).unwrap();
            assert_eq!(state.to_vec().unwrap()[299], 299.0 * f32::powi(2.0, round));
            assert_eq!(sequence.len(), 1);
        }
        // An even number of swaps is none.
        sequence.swap(&mut state, &mut next).unwrap().swap(&mut next, &mut state).unwrap();
        sequence.eval().unwrap();
        assert_eq!(next.to_vec().unwrap()[1], f32::powi(2.0, 21));
    });
}

fn several_pairs_change_places(on: On) {
    on.run(|manager| {
        let (mut a, mut b) = (manager.tensor(&[1.0f32; 8]).unwrap(), manager.tensor(&[0.0f32; 8]).unwrap());
        let (mut c, mut d) = (manager.tensor(&[1.0f32; 8]).unwrap(), manager.tensor(&[0.0f32; 8]).unwrap());
        let factors = [2.0f32, 3.0].map(|factor| manager.tensor(&[factor; 8]).unwrap());
        let sequence = manager.sequence().unwrap();
        sequence.record(OpMultiply::new(&a, &factors[0], &mut b)).unwrap();
        sequence.record(OpMultiply::new(&c, &factors[1], &mut d)).unwrap();
        for round in 1..=6 {
            sequence.eval().unwrap();
            sequence.swap(&mut a, &mut b).unwrap();
            if round % 2 == 0 {
                // The third and the fourth keep their places in odd rounds: `d` is computed again.
                sequence.swap(&mut c, &mut d).unwrap();
            }
        }
        assert_eq!((a.to_vec().unwrap()[7], c.to_vec().unwrap()[7]), (64.0, 27.0));
    });
}

fn three_states_take_turns(on: On) {
    on.run(|manager| {
        let mut states = [1.0f32, 10.0, 0.0].map(|value| manager.tensor(&[value; 4]).unwrap());
        let sequence = manager.sequence().unwrap();
        let [old, new, next] = &mut states;
        // next = new + old
        sequence.record(OpCopy::new(new, next)).unwrap();
        sequence.dispatch(Grid::items(4), KernelArgs::new::<Saxpy>().value(1.0f32).read(old).write(next)).unwrap();
        let mut expected = [1.0, 10.0];
        for _ in 0..12 {
            sequence.eval().unwrap();
            let [old, new, next] = &mut states;
            sequence.swap(old, new).unwrap().swap(new, next).unwrap();
            expected = [expected[1], expected[0] + expected[1]];
            assert_eq!([0, 1].map(|at| states[at].to_vec().unwrap()[3]), expected);
        }
    });
}

fn parts_and_copies_change_places(on: On) {
    on.run(|manager| {
        let (mut a, mut b) = (manager.tensor(&ramp(128)).unwrap(), manager.tensor(&[7.0f32; 128]).unwrap());
        let mut half = manager.tensor(&[0.0f32; 64]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpCopy::new(&*a.part(64..).unwrap(), &mut half)).unwrap();
        sequence.record(OpSyncHost::new(&a)).unwrap();
        sequence.eval().unwrap();
        assert_eq!((half.to_vec().unwrap()[0], a.staged().unwrap()[127]), (64.0, 127.0));
        sequence.swap(&mut a, &mut b).unwrap();
        sequence.eval().unwrap();
        assert_eq!((half.to_vec().unwrap()[0], a.staged().unwrap()[127]), (7.0, 7.0));
        assert_eq!(b.staged().unwrap()[127], 127.0);
        // Nor need the first have a copy.
        let (mut a, mut b) = (manager.tensor(&ramp(128)).unwrap(), manager.tensor(&[7.0f32; 128]).unwrap());
        let sequence = manager.sequence().unwrap();
        sequence.record(OpSyncHost::new(&b)).unwrap().eval().unwrap();
        sequence.swap(&mut a, &mut b).unwrap().eval().unwrap();
        assert_eq!((a.staged().unwrap()[127], b.staged().unwrap()[127]), (7.0, 127.0));
    });
}

fn images_change_places(on: On) {
    on.run(|manager| {
        let mut front = manager.image_2d::<Rgba8Unorm>(16, 16).unwrap();
        let mut back = manager.image_2d::<Rgba8Unorm>(16, 16).unwrap();
        let mut shown = manager.image_2d::<Rgba8Unorm>(16, 16).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpCopyImage::new(&front, &mut shown)).unwrap();
        sequence.record(OpClearImage::new(&mut back, [1.0, 0.0, 0.0, 1.0].into())).unwrap();
        sequence.eval().unwrap();
        assert_eq!(shown.to_vec().unwrap()[0], [0u8; 4]);
        sequence.swap(&mut front, &mut back).unwrap().eval().unwrap();
        assert_eq!(shown.to_vec().unwrap()[255], [255u8, 0, 0, 255]);
        let mut small = manager.image_2d::<Rgba8Unorm>(8, 16).unwrap();
        assert_eq!(fault(sequence.swap(&mut front, &mut small)), SwapFault::Extents);
        let [mut one, mut other] = [(); 2].map(|()| manager.image_1d::<R32Float>(4).unwrap());
        assert_eq!(fault(sequence.swap(&mut one, &mut other)), SwapFault::Unused);
    });
}

fn swaps_with_calls_of_the_host(on: On) {
    on.run(|manager| {
        let (mut state, mut next) = (manager.tensor(&[1.0f32; 4]).unwrap(), manager.tensor(&[0.0f32; 4]).unwrap());
        let two = manager.tensor(&[2.0f32; 4]).unwrap();
        let sequence = step(manager, &state, &two, &mut next);
        sequence.record(OpHost::new(|| {})).unwrap();
        sequence.record(OpMultiply::new(&next, &two, &mut state)).unwrap();
        for _ in 0..4 {
            sequence.eval().unwrap();
            sequence.swap(&mut state, &mut next).unwrap();
        }
        // Each round begins with `next`, twice what it was before.
        assert_eq!(state.to_vec().unwrap(), [f32::powi(2.0, 4); 4]);
    });
}

fn swapped_recordings_go_on(on: On) {
    on.run(|manager| {
        let (mut state, mut next) = (manager.tensor(&[1.0f32; 4]).unwrap(), manager.tensor(&[0.0f32; 4]).unwrap());
        let two = manager.tensor(&[2.0f32; 4]).unwrap();
        let sequence = step(manager, &state, &two, &mut next);
        // Before the first evaluation, too.
        sequence.swap(&mut state, &mut next).unwrap();
        sequence.record(OpCopy::new(&next, &mut state)).unwrap();
        sequence.eval().unwrap();
        // What was recorded first read `state`, which is what was `next`: zeros.
        assert_eq!((state.to_vec().unwrap()[0], next.to_vec().unwrap()[0]), (0.0, 0.0));
        state.write(&[3.0; 4]).unwrap();
        sequence.reopen().unwrap();
        sequence.swap(&mut state, &mut next).unwrap();
        sequence.record(OpMultiply::new(&next, &two, &mut state)).unwrap();
        sequence.eval().unwrap();
        assert_eq!(sequence.len(), 3);
        // A new recording knows nothing of it.
        sequence.record(OpMultiply::new(&state, &two, &mut next)).unwrap();
        state.write(&[5.0; 4]).unwrap();
        sequence.eval().unwrap();
        assert_eq!(next.to_vec().unwrap(), [10.0; 4]);
    });
}

fn swapped_tensors_are_rebuilt(on: On) {
    on.run(|manager| {
        let (mut state, mut next) = (manager.tensor(&[1.0f32; 4]).unwrap(), manager.tensor(&[0.0f32; 4]).unwrap());
        let two = manager.tensor(&[2.0f32; 4]).unwrap();
        let sequence = step(manager, &state, &two, &mut next);
        for round in 0..6 {
            sequence.eval().unwrap();
            sequence.swap(&mut state, &mut next).unwrap();
            if round % 2 == 0 {
                state.rebuild(&[round as f32; 4]).unwrap();
            }
        }
        assert_eq!(state.to_vec().unwrap(), [8.0; 4]);
        assert!(manager.live_tensors().len() <= 5, "{:?}", manager.live_tensors());
    });
}

fn parameters_and_swaps(on: On) {
    on.run(|manager| {
        let (mut x, mut y) = (manager.tensor(&[1.0f32; 70]).unwrap(), manager.tensor(&[0.0f32; 70]).unwrap());
        let sequence = manager.sequence().unwrap();
        let a = sequence.parameter(1.0f32);
        sequence.dispatch(Grid::items(70), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y)).unwrap();
        let (mut expected, mut other) = (1.0, 0.0);
        for value in [1.0, 2.0, 2.0, 3.0, -1.0] {
            a.set(value);
            sequence.eval().unwrap();
            other += value * expected;
            sequence.swap(&mut x, &mut y).unwrap();
            (expected, other) = (other, expected);
        }
        assert_eq!((x.to_vec().unwrap()[69], y.to_vec().unwrap()[69]), (expected, other));
    });
}

fn swaps_that_cannot_be(on: On) {
    on.run(|manager| {
        let (mut a, mut b) = (manager.tensor(&[1.0f32; 64]).unwrap(), manager.tensor(&[0.0f32; 64]).unwrap());
        let (mut c, mut short) = (manager.tensor(&[9.0f32; 64]).unwrap(), manager.tensor(&[0.0f32; 3]).unwrap());
        let sequence = manager.sequence().unwrap();
        assert_eq!(fault(sequence.swap(&mut a, &mut b)), SwapFault::Unused);
        sequence.record(OpCopy::new(&a, &mut b)).unwrap();
        assert_eq!(fault(sequence.swap(&mut a, &mut short)), SwapFault::Lengths { first: 64, second: 3 });
        {
            let (mut first, mut second) = a.split_at_mut(32).unwrap();
            assert_eq!(fault(sequence.swap(&mut *first, &mut *second)), SwapFault::View);
        }
        let elsewhere = Manager::host();
        assert_eq!(
            fault(sequence.swap(&mut a, &mut elsewhere.tensor(&[0.0f32; 64]).unwrap())),
            SwapFault::OtherManager
        );
        let error = sequence.swap(&mut a, &mut short).unwrap_err();
        assert!(error.to_string().contains("they have 64 and 3 elements"), "{error}");
        // What was refused has not changed anything; one that is not recorded takes the place of one that is.
        sequence.eval().unwrap();
        assert_eq!(b.to_vec().unwrap(), [1.0; 64]);
        sequence.swap(&mut a, &mut c).unwrap().eval().unwrap();
        assert_eq!((a.to_vec().unwrap()[0], b.to_vec().unwrap()[0]), (9.0, 9.0));
    });
}

fn what_ran_is_waited_for(on: On) {
    on.run(|manager| {
        let len = 1 << 18;
        let (mut state, mut next) = (manager.tensor(&vec![1.0f32; len]).unwrap(), manager.tensor_of_len(len).unwrap());
        let two = manager.tensor(&vec![2.0f32; len]).unwrap();
        let sequence = step(manager, &state, &two, &mut next);
        for _ in 0..10 {
            let running = sequence.eval_async().unwrap();
            let swapped = sequence.swap(&mut state, &mut next).map(drop);
            running.wait().unwrap();
            match swapped {
                Ok(()) => {}
                Err(Error::SequenceInFlight { operation: "swap tensors" }) => {
                    sequence.swap(&mut state, &mut next).unwrap();
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(state.to_vec().unwrap().iter().all(|value| *value == 1024.0));
    });
}

/// Launches find their buffers by addresses, which memory that managers share has not.
fn shared_memory_takes_the_place_of_addresses() -> Outcome {
    let desc = ManagerDesc { validation: true, by_address: Some(true), ..ManagerDesc::from_env().unwrap() };
    let manager = Device { manager: open(desc) };
    let mut shared = match manager.shareable_tensor(TensorDesc { name: "shared", contents: Contents::Data(&ramp(300)) })
    {
        Ok(tensor) => tensor,
        Err(error @ Error::CannotShare { .. }) => return ignored(error),
        Err(other) => panic!("{other}"),
    };
    let mut sum = manager.tensor(&[1.0f32; 300]).unwrap();
    let mut own = manager.tensor(&[10.0f32; 300]).unwrap();
    let sequence = manager.sequence().unwrap();
    Saxpy::dispatch(&sequence, Grid::items(300), 2.0, &own, &mut sum).unwrap();
    let mut expected = 1.0;
    // Read, by turns: each arrangement is made ready once, and found again.
    for round in 0..6 {
        sequence.eval().unwrap();
        expected += 2.0 * if round % 2 == 0 { 10.0 } else { 299.0 };
        assert_eq!(sum.to_vec().unwrap()[299], expected, "round {round}");
        sequence.swap(&mut own, &mut shared).unwrap();
    }
    // Written.
    sequence.swap(&mut sum, &mut shared).unwrap().eval().unwrap();
    assert_eq!((shared.to_vec().unwrap()[299], sum.to_vec().unwrap()[299]), (expected, 299.0 + 2.0 * 10.0));
    sequence.swap(&mut shared, &mut sum).unwrap().eval().unwrap();
    assert_eq!((shared.to_vec().unwrap()[299], sum.to_vec().unwrap()[299]), (319.0, expected + 2.0 * 10.0));
    Outcome::Done
}
