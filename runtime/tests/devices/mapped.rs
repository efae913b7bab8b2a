//! Kinds of memory, and views of tensors in place: what they show, what they keep off, what they refuse.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{fs, thread};

use gridwise_runtime::ops::{OpCopy, OpFill, OpHost, OpSyncDevice, OpSyncHost};
use gridwise_runtime::{Contents, Error, Grid, Manager, ManagerDesc, MemoryKind, Tensor, TensorDesc};

use crate::harness::{On, Outcome, cases, ignored};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    each: memory_of_all_kinds_holds_tensors, what_is_mapped_is_what_the_device_has,
        evaluations_are_refused_while_a_view_is_held, views_wait_for_other_queues_and_copies,
        memory_out_of_reach_is_an_error, host_side_copies_are_seen_and_filled_in_place;
    once: large_copies_take_few_page_faults;
}

fn tensor_in(manager: &Manager, memory: MemoryKind, data: &[f32]) -> Tensor<f32> {
    manager.tensor_in(memory, TensorDesc { name: "mapped", contents: Contents::Data(data) }).unwrap()
}

fn memory_of_all_kinds_holds_tensors(on: On) {
    on.run(|manager| {
        for len in [0, 1, 1000, 3 << 20] {
            for memory in [MemoryKind::Device, MemoryKind::Upload, MemoryKind::Readback] {
                let mut y = tensor_in(manager, memory, &ramp(len));
                let x = tensor_in(manager, memory, &vec![1.0; len]);
                let sequence = manager.sequence().unwrap();
                Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &x, &mut y).unwrap();
                sequence.eval().unwrap();
                let sum: Vec<f32> = ramp(len).iter().map(|value| value + 1.0).collect();
                assert!(y.to_vec().unwrap() == sum, "{memory:?} {len}");
                assert!(y.view(|values| values == sum).unwrap(), "{memory:?} {len}");
                y.write(&vec![2.0; len]).unwrap();
                assert!(y.to_vec().unwrap() == vec![2.0; len], "{memory:?} {len}");
                if memory != MemoryKind::Device {
                    y.rebuild(&ramp(len + 1)).unwrap();
                    assert!(*y.map().unwrap() == ramp(len + 1), "its kind stays what it was");
                }
            }
        }
    });
}

fn what_is_mapped_is_what_the_device_has(on: On) {
    on.run(|manager| {
        for memory in [MemoryKind::Upload, MemoryKind::Readback] {
            let mut x = tensor_in(manager, memory, &ramp(5000));
            let mut y = tensor_in(manager, memory, &[0.0; 5000]);
            let sequence = manager.sequence().unwrap();
            Saxpy::dispatch(&sequence, Grid::items(5000), 2.0, &x, &mut y).unwrap();
            for round in 1..4 {
                x.map_mut().unwrap().fill(round as f32);
                // The map waits for what runs.
                drop(sequence.eval_async().unwrap());
                let sum = (1..=round).sum::<i32>() as f32 * 2.0;
                assert!(y.map().unwrap().iter().all(|value| *value == sum), "{round} {memory:?}");
            }
            let mut view = y.map_mut().unwrap();
            view[4999] = -1.0;
            assert_eq!(format!("{:?}", &view[4998..]), "[12.0, -1.0]");
            drop(view);
            assert_eq!(y.to_vec().unwrap()[4998..], [12.0, -1.0]);
        }
    });
}

fn evaluations_are_refused_while_a_view_is_held(on: On) {
    on.run(|manager| {
        let mut x = tensor_in(manager, MemoryKind::Upload, &[1.0; 64]);
        let mut y = tensor_in(manager, MemoryKind::Readback, &[0.0; 64]);
        let sequence = manager.sequence().unwrap();
        Saxpy::dispatch(&sequence, Grid::items(64), 1.0, &x, &mut y).unwrap();
        let is_mapped =
            |result: Result<(), Error>| matches!(result, Err(Error::TensorMapped { tensor }) if tensor == "mapped");
        {
            let (first, second) = (y.map().unwrap(), y.map().unwrap());
            assert!(is_mapped(sequence.eval()));
            assert!(is_mapped(sequence.eval_async().map(|_| ())));
            assert!(is_mapped(thread::scope(|scope| scope.spawn(|| sequence.eval()).join().unwrap())));
            assert_eq!((first[0], second[63]), (0.0, 0.0));
        }
        {
            // A read of what is only read.
            let view = x.map().unwrap();
            sequence.eval().unwrap();
            assert_eq!(view[0], 1.0);
        }
        {
            let mut view = x.map_mut().unwrap();
            view[0] = 5.0;
            assert!(is_mapped(sequence.eval()));
            // With calls of the host, it is a run of several parts.
            let parts = manager.sequence().unwrap();
            parts.record(OpHost::new(|| ())).unwrap();
            Saxpy::dispatch(&parts, Grid::items(64), 1.0, &tensor_in(manager, MemoryKind::Device, &[1.0; 64]), &mut y)
                .unwrap();
            parts.eval().unwrap();
        }
        sequence.eval().unwrap();
        assert_eq!(y.map().unwrap()[..2], [7.0, 3.0]);
    });
}

fn memory_out_of_reach_is_an_error(on: On) {
    on.run(|manager| {
        let mut x = tensor_in(manager, MemoryKind::Device, &[1.0; 8]);
        let mapped = match x.map_mut() {
            Ok(mut view) => {
                view[0] = 3.0;
                true
            }
            Err(Error::NotMappable { tensor }) => {
                assert_eq!(tensor, "mapped");
                false
            }
            Err(other) => panic!("{other}"),
        };
        match on {
            On::Host => assert!(mapped, "the host reaches its own memory"),
            On::Vulkan => {}
            On::Baseline => assert!(!mapped, "no more than the least has no memory that the host reaches for nothing"),
        }
        assert_eq!(x.to_vec().unwrap()[..2], [if mapped { 3.0 } else { 1.0 }, 1.0]);
        assert_eq!(*tensor_in(manager, MemoryKind::Upload, &[1.0; 8]).map().unwrap(), [1.0; 8]);
    });
}

fn views_wait_for_other_queues_and_copies(on: On) {
    on.run_with(ManagerDesc { keeps_contents: true, ..ManagerDesc::default() }, |manager| {
        let mut from = manager.tensor_of_len::<u32>(1 << 16).unwrap();
        let desc = TensorDesc { name: "to", contents: Contents::<u32>::Uninit(1 << 16) };
        let mut to = manager.tensor_in(MemoryKind::Readback, desc).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpFill::new(&mut from, 9)).unwrap().record(OpCopy::new(&from, &mut to)).unwrap();
        for _ in 0..10 {
            to.map_mut().unwrap().fill(0);
            drop(sequence.eval_async().unwrap());
            assert!(to.map().unwrap().iter().all(|value| *value == 9));
        }
        let words = to.cast::<[u32; 2]>().unwrap();
        assert_eq!(words.map().unwrap()[77], [9, 9]);
    });
}

fn host_side_copies_are_seen_and_filled_in_place(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&[1u32; 5]).unwrap();
        let (up, down) = (manager.sequence().unwrap(), manager.sequence().unwrap());
        up.record(OpSyncDevice::new(&x)).unwrap();
        down.record(OpSyncHost::new(&x)).unwrap();
        let mut into = [9; 5];
        x.staged_into(&mut into).unwrap();
        assert_eq!(into, [0; 5], "zeros at first");
        down.eval().unwrap();
        x.staged_into(&mut into).unwrap();
        assert_eq!((into, x.view_staged(<[u32]>::to_vec).unwrap()), ([1; 5], vec![1; 5]));
        let filled = x.fill_staged(|values| {
            assert_eq!(values, [1; 5], "what was downloaded last");
            values[3] = 7;
            "filled"
        });
        assert_eq!(filled.unwrap(), "filled");
        assert_eq!(x.to_vec().unwrap(), [1; 5], "not before it is uploaded");
        drop(up.eval_async().unwrap());
        assert_eq!(x.to_vec().unwrap(), [1, 1, 1, 7, 1]);
        assert_eq!(x.part(3..).unwrap().view_staged(<[u32]>::to_vec).unwrap(), [7, 1]);
        x.part_mut(1..2).unwrap().fill_staged(|values| values[0] = 5).unwrap();
        assert_eq!(x.staged().unwrap(), [1, 5, 1, 7, 1]);
        let error = x.staged_into(&mut [0; 4]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 5, found: 4, .. }), "{error}");
        // A closure that evaluates what writes the copy is told, and one that panics harms nothing.
        let refused = x.view_staged(|_| down.eval().map(|_| ())).unwrap().unwrap_err();
        assert!(matches!(refused, Error::TensorMapped { .. }), "{refused}");
        let ended = catch_unwind(AssertUnwindSafe(|| x.fill_staged(|_| panic!("on purpose")).unwrap()));
        assert!(ended.is_err());
        up.eval().unwrap();
        assert_eq!(x.to_vec().unwrap(), [1, 5, 1, 7, 1]);
        let mut none = manager.tensor::<u32>(&[]).unwrap();
        none.staged_into(&mut []).unwrap();
        assert_eq!(none.fill_staged(|values| values.len()).unwrap() + none.view_staged(<[u32]>::len).unwrap(), 0);
    });
}

/// Page faults of this thread that read nothing from a disk, as Linux counts them.
fn page_faults() -> Option<u64> {
    let status = fs::read_to_string("/proc/thread-self/stat").ok()?;
    status.rsplit_once(')')?.1.split_whitespace().nth(7)?.parse().ok()
}

fn large_copies_take_few_page_faults() -> Outcome {
    let huge = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    if !huge.contains("[madvise]") && !huge.contains("[always]") {
        return ignored("no huge pages here");
    }
    const LEN: usize = 16 << 20; // words: 64 MiB, which are 16,384 pages of 4 KiB
    let faults_of = |what: &str, run: &mut dyn FnMut()| {
        let before = page_faults().unwrap();
        run();
        let faults = page_faults().unwrap() - before;
        // Where memory is in pieces, some of its huge pages are not to be had.
        assert!(faults < 6000, "{what}: {faults} page faults");
    };
    let manager = Manager::host();
    let data = vec![3u32; LEN];
    let mut made = None;
    faults_of("a tensor of data", &mut || made = Some(manager.tensor(&data).unwrap()));
    let mut tensor = made.unwrap();
    faults_of("to_vec", &mut || assert!(tensor.to_vec().unwrap()[LEN - 1] == 3));
    faults_of("stage", &mut || tensor.stage(&data).unwrap());
    faults_of("staged", &mut || assert!(tensor.staged().unwrap()[LEN - 1] == 3));
    faults_of("zeros", &mut || drop(manager.tensor_of_len::<u32>(LEN).unwrap()));
    let mut into = data;
    faults_of("staged_into", &mut || tensor.staged_into(&mut into).unwrap());
    Outcome::Done
}
