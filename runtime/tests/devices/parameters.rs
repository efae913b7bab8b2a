//! Parameters of recordings: what replays read anew, and what they do not.

use std::sync::Arc;
use std::time::Duration;

use gridwise_runtime::ops::{OpDispatch, OpHost};
use gridwise_runtime::{Error, Grid, KernelArgs, RecordingError};

use crate::harness::{On, cases};
use crate::kernels::{Mark, Saxpy};
use crate::ramp;

cases! {
    each: replays_read_parameters_anew, one_parameter_serves_many_launches, evaluations_of_all_kinds_read_parameters,
        a_run_keeps_what_it_began_with, calls_of_the_host_set_parameters, checks_hold_for_every_value, wide_launches_have_parameters,
        grids_of_the_device_have_parameters, parameters_of_other_sequences_are_errors, parameters_of_other_sizes_are_errors;
}

fn replays_read_parameters_anew(on: On) {
    on.run(|manager| {
        let (x, mut y) = (manager.tensor(&ramp(1000)).unwrap(), manager.tensor(&[0.0f32; 1000]).unwrap());
        let sequence = manager.sequence().unwrap();
        let a = sequence.parameter(1.0f32);
        sequence.dispatch(Grid::items(1000), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y)).unwrap();
        let mut expected = 0.0;
        for value in [1.0, 1.0, -3.0, 0.5, 1e6, 0.0] {
            a.set(value);
            sequence.eval().unwrap();
            expected += value * 999.0;
            assert_eq!(y.to_vec().unwrap()[999], expected, "after {value}");
        }
        assert_eq!(sequence.len(), 1);
        drop(a);
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap()[999], expected);
    });
}

fn one_parameter_serves_many_launches(on: On) {
    on.run(|manager| {
        let x = manager.tensor(&[1.0f32; 100]).unwrap();
        let mut ys: Vec<_> = (0..8).map(|_| manager.tensor(&[0.0f32; 100]).unwrap()).collect();
        let sequence = manager.sequence().unwrap();
        let (a, b) = (sequence.parameter(1.0f32), sequence.parameter(10.0f32));
        for round in 0..3 {
            for (at, y) in ys.iter_mut().enumerate() {
                let args = KernelArgs::new::<Saxpy>();
                let args = match (at + round) % 3 {
                    0 => args.argument(&a),
                    1 => args.argument(&b.clone()),
                    _ => args.argument(100.0f32),
                };
                sequence.dispatch(Grid::items(100), args.read(&x).write(y)).unwrap();
            }
        }
        sequence.eval().unwrap();
        b.set(20.0);
        sequence.eval().unwrap();
        a.set(-1.0);
        sequence.eval().unwrap();
        for y in &ys {
            assert_eq!(y.to_vec().unwrap()[99], 111.0 + 121.0 + 119.0);
        }
    });
}

fn evaluations_of_all_kinds_read_parameters(on: On) {
    on.run(|manager| {
        let (x, mut y) = (manager.tensor(&[1.0f32]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        let sequence = manager.sequence().unwrap();
        let a = sequence.parameter(1.0f32);
        let args = KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y);
        sequence.record(OpDispatch::new(Grid::items(1), args)).unwrap();
        a.set(2.0);
        sequence.eval_profiled().unwrap();
        a.set(3.0);
        sequence.eval_async().unwrap().wait().unwrap();
        a.set(4.0);
        sequence.eval_within(Duration::from_secs(60)).unwrap();
        assert_eq!(y.to_vec().unwrap(), [9.0]);
        // The old value holds in a recording that goes on, and in one that is begun anew.
        sequence.reopen().unwrap();
        sequence.dispatch(Grid::items(1), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y)).unwrap();
        sequence.eval().unwrap();
        sequence.dispatch(Grid::items(1), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y)).unwrap();
        sequence.eval().unwrap();
        assert_eq!((sequence.len(), y.to_vec().unwrap()), (1, vec![21.0]));
    });
}

fn a_run_keeps_what_it_began_with(on: On) {
    on.run(|manager| {
        let (x, mut y) = (manager.tensor(&[1.0f32; 1 << 16]).unwrap(), manager.tensor(&[0.0f32; 1 << 16]).unwrap());
        let sequence = manager.sequence().unwrap();
        let a = sequence.parameter(0.0f32);
        for _ in 0..4 {
            let args = KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y);
            sequence.dispatch(Grid::items(1 << 16), args).unwrap();
        }
        for round in 1..20u16 {
            a.set(round.into());
            let running = sequence.eval_async().unwrap();
            a.set(1e9);
            running.wait().unwrap();
        }
        assert!(y.to_vec().unwrap().iter().all(|value| *value == 4.0 * 190.0));
    });
}

fn calls_of_the_host_set_parameters(on: On) {
    on.run(|manager| {
        let (x, mut y) = (manager.tensor(&[1.0f32]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        let sequence = manager.sequence().unwrap();
        let a = Arc::new(sequence.parameter(1.0f32));
        let args = |y: &mut _| KernelArgs::new::<Saxpy>().argument(&*a).read(&x).write(y);
        sequence.dispatch(Grid::items(1), args(&mut y)).unwrap();
        let between = a.clone();
        sequence.record(OpHost::new(move || between.set(10.0))).unwrap();
        sequence.dispatch(Grid::items(1), args(&mut y)).unwrap();
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [11.0]);
        a.set(5.0);
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [26.0]);
    });
}

fn checks_hold_for_every_value(on: On) {
    on.run(|manager| {
        let mut y = manager.tensor(&[9u32; 70]).unwrap();
        let sequence = manager.sequence().unwrap();
        let shift = sequence.parameter(0u32);
        sequence.dispatch(Grid::items(64), KernelArgs::new::<Mark>().argument(&shift).write(&mut y)).unwrap();
        sequence.eval().unwrap();
        for beyond in [7, 100, u32::MAX] {
            shift.set(beyond);
            let error = sequence.eval().unwrap_err();
            assert!(matches!(error, Error::KernelPanic { .. }), "{error}");
        }
        shift.set(6);
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap()[69], 63);
    });
}

fn wide_launches_have_parameters(on: On) {
    // More workgroups than lavapipe takes at once: the launch has two parts, with a block each.
    let len = 64 * 65_536 + 5;
    on.run(|manager| {
        let x = manager.tensor(&vec![1.0f32; len]).unwrap();
        let mut y = manager.tensor_of_len::<f32>(len).unwrap();
        let sequence = manager.sequence().unwrap();
        let a = sequence.parameter(1.0f32);
        sequence.dispatch(Grid::items(len), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y)).unwrap();
        sequence.eval().unwrap();
        a.set(2.0);
        sequence.eval().unwrap();
        assert!(y.to_vec().unwrap().iter().all(|value| *value == 3.0));
    });
}

fn grids_of_the_device_have_parameters(on: On) {
    on.run(|manager| {
        let (x, mut y) = (manager.tensor(&[1.0f32; 64]).unwrap(), manager.tensor(&[0.0f32; 64]).unwrap());
        let counts = manager.tensor(&[1u32, 1, 1]).unwrap();
        let sequence = manager.sequence().unwrap();
        let a = sequence.parameter(1.0f32);
        let args = KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y);
        sequence.dispatch(Grid::indirect(&counts), args).unwrap();
        sequence.eval().unwrap();
        a.set(2.5);
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [3.5; 64]);
    });
}

fn parameters_of_other_sequences_are_errors(on: On) {
    on.run(|manager| {
        let (x, mut y) = (manager.tensor(&[1.0f32]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        let (one, other) = (manager.sequence().unwrap(), manager.sequence().unwrap());
        let a = one.parameter(1.0f32);
        let launch = OpDispatch::new(Grid::items(1), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y));
        one.record(launch.clone()).unwrap();
        let error = other.record(launch.clone()).unwrap_err();
        let Error::Recording(RecordingError::ForeignParameter { kernel, argument }) = &error else {
            panic!("{error}");
        };
        assert_eq!((&**kernel, *argument), ("saxpy", "a"));
        assert!(error.to_string().contains("make it with `Sequence::parameter`"), "{error}");
        assert!(other.is_empty());
        // Nor of a sequence that is gone.
        drop(one);
        assert!(other.record(launch).is_err());
    });
}

fn parameters_of_other_sizes_are_errors(on: On) {
    on.run(|manager| {
        let (x, mut y) = (manager.tensor(&[1.0f32]).unwrap(), manager.tensor(&[0.0f32]).unwrap());
        let sequence = manager.sequence().unwrap();
        let (wide, list) = (sequence.parameter(1.0f64), sequence.parameter([0u8; 4096]));
        let args = KernelArgs::new::<Saxpy>().argument(&wide).read(&x).write(&mut y);
        let error = sequence.dispatch(Grid::items(1), args).unwrap_err();
        assert!(
            matches!(&error, Error::ArgumentMismatch { found, .. } if found == "a parameter of 8 bytes"),
            "{error}"
        );
        let args = KernelArgs::new::<Saxpy>().argument(&list).read(&x).write(&mut y);
        assert!(matches!(sequence.dispatch(Grid::items(1), args), Err(Error::ArgumentMismatch { .. })));
        let args = KernelArgs::new::<Saxpy>().argument(1.0f32).argument(&sequence.parameter(1u32)).write(&mut y);
        assert!(matches!(sequence.dispatch(Grid::items(1), args), Err(Error::ArgumentMismatch { .. })));
    });
}
