//! Parts of tensors wherever a tensor can be: what they reach, what waits for what, and what is refused.

use gridwise_runtime::ops::{OpCopy, OpFill, OpSyncDevice, OpSyncHost};
use gridwise_runtime::{
    Contents, Error, GpuData, Grid, KernelArgs, Manager, ManagerDesc, MemoryKind, QueueChoice, TensorDesc,
};

use crate::harness::{On, cases};
use crate::kernels::{Mark, Saxpy};
use crate::ramp;

cases! {
    each: kernels_get_the_part_only, parts_begin_where_the_device_can_bind_them, barriers_are_where_parts_overlap,
        one_launch_reads_and_writes_parts_of_one_tensor, operations_take_parts, fills_keep_to_their_bytes,
        the_host_reads_and_writes_parts, parts_are_seen_as_other_types, random_parts_are_as_a_vector_has_them,
        parts_keep_their_tensor_alive, views_of_parts_never_wait_for_each_other, grids_come_from_parts,
        ranges_that_cannot_be, queues_take_parts_in_turns;
}

/// Elements of 4 bytes after which the device can bind a part.
fn step(manager: &Manager) -> usize {
    (manager.device().limits.part_alignment as usize / 4).max(1)
}

fn barriers(sequence: &gridwise_runtime::Sequence) -> usize {
    let dot = sequence.to_dot();
    let told = dot.split(" barriers\"").next().and_then(|before| before.rsplit(' ').next());
    told.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{dot}"))
}

fn kernels_get_the_part_only(on: On) {
    on.run(|manager| {
        let x = manager.tensor(&ramp(256)).unwrap();
        let mut y = manager.tensor(&vec![1.0f32; 256]).unwrap();
        let sequence = manager.sequence().unwrap();
        let (from, mut to) = (x.part(64..192).unwrap(), y.part_mut(128..).unwrap());
        assert_eq!((from.len(), to.len(), from.name()), (128, 128, x.name()));
        Saxpy::dispatch(&sequence, Grid::items(128), 2.0, &from, &mut to).unwrap();
        for round in 1..4 {
            sequence.eval().unwrap();
            let expected: Vec<f32> =
                (0..256).map(|i| if i < 128 { 1.0 } else { 1.0 + round as f32 * 2.0 * (i - 64) as f32 }).collect();
            assert_eq!(y.to_vec().unwrap(), expected);
        }
        // Where the part ends, the kernel's slice does.
        let mut marks = manager.tensor(&[9u32; 256]).unwrap();
        let sequence = manager.sequence().unwrap();
        Mark::dispatch(&sequence, Grid::items(65), 0, &mut marks.part_mut(64..128).unwrap()).unwrap();
        let error = sequence.eval().unwrap_err();
        assert!(
            matches!(&error, Error::KernelPanic { count: 1, message, .. } if message.contains("len is 64")),
            "{error}"
        );
        let marks = marks.to_vec().unwrap();
        assert!(marks[..64].iter().chain(&marks[128..]).all(|mark| *mark == 9), "{marks:?}");
        assert!(marks[64..128].iter().copied().eq(0..64), "{marks:?}");
    });
}

fn parts_begin_where_the_device_can_bind_them(on: On) {
    on.run(|manager| {
        let x = manager.tensor(&ramp(600)).unwrap();
        let mut y = manager.tensor_of_len::<f32>(8).unwrap();
        let alignment = manager.device().limits.part_alignment;
        assert_eq!(on == On::Host, alignment == 1);
        for first in [1, 2, 3, 5, step(manager), 3 * step(manager), step(manager) + 1] {
            let sequence = manager.sequence().unwrap();
            let part = x.part(first..first + 8).unwrap();
            let recorded = Saxpy::dispatch(&sequence, Grid::items(8), 1.0, &part, &mut y);
            if (4 * first as u64).is_multiple_of(alignment) {
                recorded.unwrap();
                y.write(&[0.0; 8]).unwrap();
                sequence.eval().unwrap();
                assert_eq!(y.to_vec().unwrap(), ramp(600)[first..first + 8]);
                continue;
            }
            let error = recorded.unwrap_err();
            let is_told = matches!(&error, Error::Misaligned { offset, alignment: told, .. }
                if (*offset, *told) == (4 * first as u64, alignment));
            assert!(is_told, "{error}");
            // As the error says: a copy begins where it can.
            let mut copy = manager.tensor_of_len(8).unwrap();
            sequence.record(OpCopy::new(&part, &mut copy)).unwrap().eval().unwrap();
            assert_eq!(copy.to_vec().unwrap(), ramp(600)[first..first + 8]);
        }
    });
}

fn barriers_are_where_parts_overlap(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor_of_len::<f32>(1024).unwrap();
        let source = manager.tensor(&ramp(1024)).unwrap();
        let sequence = manager.sequence().unwrap();
        for start in (0..1024).step_by(128) {
            let mut part = x.part_mut(start..start + 128).unwrap();
            Saxpy::dispatch(&sequence, Grid::items(128), 1.0, &source.part(..128).unwrap(), &mut part).unwrap();
        }
        assert_eq!(barriers(&sequence), 0, "{}", sequence.to_dot());
        // One that overlaps two of them; one beside it; one that reads across both.
        Saxpy::dispatch(
            &sequence,
            Grid::items(128),
            1.0,
            &source.part(..128).unwrap(),
            &mut x.part_mut(64..192).unwrap(),
        )
        .unwrap();
        assert_eq!(barriers(&sequence), 1, "{}", sequence.to_dot());
        sequence.record(OpFill::new(&mut x.part_mut(192..256).unwrap(), 5.0)).unwrap();
        assert_eq!(barriers(&sequence), 1 + 1, "{}", sequence.to_dot());
        sequence.record(OpFill::new(&mut x.part_mut(1000..1003).unwrap(), 6.0)).unwrap();
        assert_eq!(barriers(&sequence), 2, "{}", sequence.to_dot());
        let mut y = manager.tensor_of_len::<f32>(128).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(128), 1.0, &x.part(128..256).unwrap(), &mut y).unwrap();
        assert_eq!(barriers(&sequence), 3, "{}", sequence.to_dot());
        let dot = sequence.to_dot();
        assert!(dot.contains("[512..768]") && dot.contains("[768..1024]"), "{dot}");
        sequence.eval().unwrap();
        let written = x.to_vec().unwrap();
        let expected = |i: usize| match i {
            64..128 => (i + (i - 64)) as f32,
            128..192 => (i - 128 + i - 64) as f32,
            192..256 => 5.0,
            1000..1003 => 6.0,
            _ => (i % 128) as f32,
        };
        assert!(written.iter().enumerate().all(|(i, value)| *value == expected(i)), "{written:?}");
        assert_eq!(y.to_vec().unwrap(), written[128..256]);
    });
}

fn one_launch_reads_and_writes_parts_of_one_tensor(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&ramp(256)).unwrap();
        let sequence = manager.sequence().unwrap();
        let (mut first, mut second) = x.split_at_mut(128).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(128), 1.0, &first, &mut second).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(128), 1.0, &second, &mut first).unwrap();
        // In a part again, with nothing before the middle.
        let (nothing, mut all) = first.split_at_mut(0).unwrap();
        assert!(nothing.is_empty());
        Saxpy::dispatch(&sequence, Grid::items(0), 1.0, &nothing, &mut all).unwrap();
        sequence.eval().unwrap();
        let second: Vec<f32> = (0..128).map(|i| (2 * i + 128) as f32).collect();
        let first: Vec<f32> = (0..128).map(|i| (3 * i + 128) as f32).collect();
        assert_eq!(x.to_vec().unwrap(), [first, second].concat());
        // What overlaps is refused, however it is come by.
        let mut other = manager.tensor(&[0.0f32; 256]).unwrap();
        std::mem::swap(&mut *x.part_mut(64..).unwrap(), &mut other);
        let mut overlapping = other;
        let error =
            Saxpy::dispatch(&sequence, Grid::items(64), 1.0, &x.part(0..128).unwrap(), &mut overlapping).unwrap_err();
        assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
        Saxpy::dispatch(&sequence, Grid::items(64), 1.0, &x.part(0..64).unwrap(), &mut overlapping).unwrap();
        let error = sequence.record(OpCopy::new(&x.part(0..192).unwrap(), &mut overlapping)).unwrap_err();
        assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
        // Read twice is fine, also where one is within the other.
        let args = KernelArgs::new::<Saxpy>().value(1.0f32).read(&x.part(0..64).unwrap()).write(&mut overlapping);
        sequence.dispatch(Grid::items(64), args).unwrap();
    });
}

fn operations_take_parts(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&(0..100u32).collect::<Vec<_>>()).unwrap();
        let mut y = manager.tensor(&[7u32; 10]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpCopy::new(&x.part(3..8).unwrap(), &mut y.part_mut(5..).unwrap())).unwrap();
        let (from, mut to) = x.split_at_mut(90).unwrap();
        sequence.record(OpCopy::new(&from.part(..10).unwrap(), &mut to)).unwrap();
        sequence.record(OpSyncDevice::new(&x.part(50..53).unwrap())).unwrap();
        sequence.record(OpSyncHost::new(&x.part(49..54).unwrap())).unwrap();
        x.part_mut(51..53).unwrap().stage(&[1001, 1002]).unwrap();
        x.part_mut(50..51).unwrap().stage(&[1000]).unwrap();
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [7, 7, 7, 7, 7, 3, 4, 5, 6, 7]);
        assert_eq!(x.part(49..54).unwrap().staged().unwrap(), [49, 1000, 1001, 1002, 53]);
        let (from, to) = (x.part(..10).unwrap().to_vec().unwrap(), x.part(90..).unwrap().to_vec().unwrap());
        assert_eq!(from, to);
        let error = sequence.record(OpCopy::new(&x.part(3..8).unwrap(), &mut y)).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 10, found: 5, .. }), "{error}");
    });
}

/// Fills all parts of a small tensor, and compares.
fn fill_parts<T: GpuData + PartialEq + std::fmt::Debug>(manager: &Manager, zero: T, value: T) {
    let len = 11;
    for start in 0..len {
        for end in start..=len {
            let mut x = manager.tensor(&vec![zero; len]).unwrap();
            let fill = OpFill::new(&mut x.part_mut(start..end).unwrap(), value);
            manager.sequence().unwrap().record(fill).unwrap().eval().unwrap();
            let expected: Vec<T> = (0..len).map(|i| if (start..end).contains(&i) { value } else { zero }).collect();
            assert_eq!(x.to_vec().unwrap(), expected, "{start}..{end}");
        }
    }
}

fn fills_keep_to_their_bytes(on: On) {
    on.run(|manager| {
        fill_parts(manager, 1u8, 0xab);
        fill_parts(manager, [1u8; 3], [7, 8, 9]);
        fill_parts(manager, 1u16, 0xabcd);
        fill_parts(manager, 1u64, 0x0123_4567_89ab_cdef);
    });
}

fn the_host_reads_and_writes_parts(on: On) {
    on.run(|manager| {
        // The last is behind the bus where there is one: its bytes go through staging memory.
        for (memory, len) in [(MemoryKind::Readback, 1000), (MemoryKind::Upload, 1000), (MemoryKind::Device, 3 << 20)] {
            let contents: Vec<u16> = (0..len).map(|i| i as u16).collect();
            let desc = TensorDesc { name: "whole", contents: Contents::Data(&contents) };
            let mut x = manager.tensor_in(memory, desc).unwrap();
            x.part_mut(1..4).unwrap().write(&[7, 8, 9]).unwrap();
            let mut read = [0; 5];
            x.part(..5).unwrap().read_into(&mut read).unwrap();
            assert_eq!(read, [0, 7, 8, 9, 4]);
            let (mut first, last) = x.split_at_mut(len - 3).unwrap();
            assert_eq!(last.view(<[u16]>::to_vec).unwrap(), contents[len - 3..]);
            first.part_mut(5..len - 3).unwrap().write(&vec![3; len - 8]).unwrap();
            let all = x.to_vec().unwrap();
            assert!(all[..5] == read && all[5..len - 3].iter().all(|value| *value == 3));
            assert_eq!(all[len - 3..], contents[len - 3..]);
            let error = x.part_mut(1..4).unwrap().write(&[1]).unwrap_err();
            assert!(matches!(error, Error::LengthMismatch { expected: 3, found: 1, .. }), "{error}");
            if memory != MemoryKind::Device {
                x.part_mut(2..4).unwrap().map_mut().unwrap().fill(5);
                assert_eq!(*x.part(1..6).unwrap().map().unwrap(), [7, 5, 5, 4, 3]);
            }
        }
        // More pieces than there are slots for them, of which no two are alike.
        let numbers: Vec<u32> = (0..3 << 19).collect();
        let desc = TensorDesc { name: "numbers", contents: Contents::Data(&numbers) };
        assert!(manager.tensor_in(MemoryKind::Device, desc).unwrap().to_vec().unwrap() == numbers);
    });
}

fn parts_are_seen_as_other_types(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&(0..32u32).collect::<Vec<_>>()).unwrap();
        let part = x.part(4..13).unwrap();
        assert_eq!(part.cast::<[u32; 4]>().unwrap().to_vec().unwrap(), [[4, 5, 6, 7], [8, 9, 10, 11]]);
        assert_eq!(part.part(1..3).unwrap().cast::<[u32; 2]>().unwrap().part(..).unwrap().to_vec().unwrap(), [[5, 6]]);
        let error = part.part(1..).unwrap().cast::<u64>().map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Misaligned { offset: 20, alignment: 8, .. }), "{error}");
        x.part_mut(2..4).unwrap().cast_mut::<u64>().unwrap().write(&[(8 << 32) | 9]).unwrap();
        assert_eq!(x.part(1..5).unwrap().to_vec().unwrap(), [1, 9, 8, 4]);
    });
}

fn random_parts_are_as_a_vector_has_them(on: On) {
    on.run(|manager| {
        let (len, step) = (1 << 10, step(manager));
        let mut seed = 5u64;
        let mut below = |limit: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % limit
        };
        for _ in 0..12 {
            let mut expected = ramp(len);
            let mut x = manager.tensor(&expected).unwrap();
            let sequence = manager.sequence().unwrap();
            for _ in 0..40 {
                // What is read lies before `middle`, what is written behind it, or the other way round.
                let middle = (1 + below(len / step - 1)) * step;
                let (from, to) = (below(middle) / step * step, middle + below(len - middle) / step * step);
                let count = 1 + below((middle - from).min(len - to));
                let (from, to) = if below(2) == 0 { (from, to) } else { (to, from) };
                let (first, second) = x.split_at_mut(middle).unwrap();
                let (read, mut written) = if from < to { (first, second) } else { (second, first) };
                let (read_from, write_to) = if from < to { (from, to - middle) } else { (from - middle, to) };
                let read = read.part(read_from..read_from + count).unwrap();
                let mut written = written.part_mut(write_to..write_to + count).unwrap();
                match below(3) {
                    0 => {
                        let value = below(100) as f32;
                        sequence.record(OpFill::new(&mut written, value)).unwrap();
                        expected[to..to + count].fill(value);
                    }
                    1 => {
                        sequence.record(OpCopy::new(&read, &mut written)).unwrap();
                        expected.copy_within(from..from + count, to);
                    }
                    _ => {
                        Saxpy::dispatch(&sequence, Grid::items(count), 0.5, &read, &mut written).unwrap();
                        (0..count).for_each(|i| expected[to + i] += 0.5 * expected[from + i]);
                    }
                }
            }
            sequence.eval().unwrap();
            assert_eq!(x.to_vec().unwrap(), expected);
        }
    });
}

fn parts_keep_their_tensor_alive(on: On) {
    on.run(|manager| {
        let mut y = manager.tensor(&[1.0f32; 64]).unwrap();
        let sequence = manager.sequence().unwrap();
        let x = manager.tensor(&ramp(128)).unwrap();
        let part = x.part(64..).unwrap().handle();
        Saxpy::dispatch(&sequence, Grid::items(64), 1.0, &x.part(64..).unwrap(), &mut y).unwrap();
        drop(x);
        assert_eq!((part.len(), part.bytes()), (64, 256));
        let running = sequence.eval_async().unwrap();
        drop((sequence, part));
        running.wait().unwrap();
        assert_eq!(y.to_vec().unwrap(), (0..64).map(|i| (i + 65) as f32).collect::<Vec<_>>());
    });
}

fn views_of_parts_never_wait_for_each_other(on: On) {
    on.run(|manager| {
        let desc = TensorDesc { name: "halves", contents: Contents::Data(&[1u32, 2, 3, 4]) };
        let mut x = manager.tensor_in(MemoryKind::Readback, desc).unwrap();
        let fill = manager.sequence().unwrap();
        fill.record(OpFill::new(&mut x, 0)).unwrap();
        let (mut first, mut second) = x.split_at_mut(2).unwrap();
        let is_mapped = |error: Error| matches!(&error, Error::TensorMapped { tensor } if tensor == "halves");
        let view = first.map_mut().unwrap();
        assert!(is_mapped(second.map_mut().map(|_| ()).unwrap_err()));
        assert!(is_mapped(second.map().map(|_| ()).unwrap_err()));
        assert!(is_mapped(second.write(&[7, 8]).unwrap_err()));
        assert!(is_mapped(second.to_vec().unwrap_err()));
        assert!(is_mapped(fill.eval().unwrap_err()));
        drop(view);
        let view = first.map().unwrap();
        assert_eq!((view[1], second.to_vec().unwrap()), (2, vec![3, 4]));
        assert!(is_mapped(second.write(&[7, 8]).unwrap_err()));
        drop(view);
        // The same where a closure looks; and it may read.
        first
            .view(|values| {
                assert_eq!(values, [1, 2]);
                assert!(is_mapped(second.write(&[7, 8]).unwrap_err()));
                assert!(is_mapped(fill.eval().unwrap_err()));
                assert_eq!(second.view(<[u32]>::to_vec).unwrap(), [3, 4]);
            })
            .unwrap();
        second.write(&[7, 8]).unwrap();
        assert_eq!(x.to_vec().unwrap(), [1, 2, 7, 8]);
        fill.eval().unwrap();
        assert_eq!(x.to_vec().unwrap(), [0; 4]);
    });
}

fn grids_come_from_parts(on: On) {
    on.run(|manager| {
        let first = step(manager).max(3);
        let mut counts = manager.tensor(&vec![9u32; first + 6]).unwrap();
        counts.part_mut(first..).unwrap().write(&[1, 1, 1, 2, 1, 1]).unwrap();
        let mut marks = manager.tensor(&[7u32; 256]).unwrap();
        let sequence = manager.sequence().unwrap();
        let grid = Grid::indirect(&counts.part(first..).unwrap()).at(3);
        let args = KernelArgs::new::<Mark>().value(0u32).write(&mut marks);
        sequence.dispatch(grid, args).unwrap();
        sequence.eval().unwrap();
        let expected: Vec<u32> = (0..256).map(|i| if i < 128 { i } else { 7 }).collect();
        assert_eq!(marks.to_vec().unwrap(), expected);
        let args = KernelArgs::new::<Mark>().value(0u32).write(&mut marks);
        let error = sequence.dispatch(Grid::indirect(&counts.part(first..first + 5).unwrap()).at(3), args).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { .. }), "{error}");
    });
}

fn ranges_that_cannot_be(on: On) {
    on.run(|manager| {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        let mut x = manager.tensor_named("ten", &[1u32; 10]).unwrap();
        for range in [
            (Included(0), Excluded(11)),
            (Included(11), Unbounded),
            (Included(7), Excluded(6)),
            (Unbounded, Included(usize::MAX)),
            (Excluded(usize::MAX), Unbounded),
            (Included(usize::MAX), Included(usize::MAX)),
        ] {
            let error = x.part(range).map(|_| ()).unwrap_err();
            assert!(matches!(error, Error::OutOfRange { size: 40, .. }), "{error}");
            x.part_mut(range).map(|_| ()).unwrap_err();
        }
        let error = x.part(8..12).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, "taking a part: bytes 32..48 of tensor `ten`, which has 40 bytes; choose a range within it");
        x.split_at_mut(11).map(|_| ()).unwrap_err();
        for empty in [x.part(10..).unwrap(), x.part(3..3).unwrap(), x.part(..0).unwrap()] {
            assert!(empty.is_empty() && empty.to_vec().unwrap().is_empty());
            let mut y = manager.tensor(&[2u32; 10]).unwrap();
            let sequence = manager.sequence().unwrap();
            sequence.record(OpCopy::new(&empty, &mut y.part_mut(10..).unwrap())).unwrap();
            let args = KernelArgs::new::<Mark>().value(0u32).write(&mut y.part_mut(10..).unwrap());
            sequence.dispatch(Grid::items(1), args).unwrap();
            let error = sequence.eval().unwrap_err();
            assert!(matches!(error, Error::KernelPanic { .. }), "{error}");
            assert_eq!(y.to_vec().unwrap(), [2; 10]);
        }
    });
}

fn queues_take_parts_in_turns(on: On) {
    on.run_with(ManagerDesc { queues: QueueChoice::AtLeast(2), ..ManagerDesc::default() }, |manager| {
        let mut x = manager.tensor(&[1.0f32; 256]).unwrap();
        let (mut first, mut second) = x.split_at_mut(128).unwrap();
        let (mut a, mut b) = (1.0, 1.0);
        for _ in 0..8 {
            let sequences = [0, 1].map(|queue| manager.sequence_on(queue).unwrap());
            Saxpy::dispatch(&sequences[0], Grid::items(128), 1.0, &first, &mut second).unwrap();
            Saxpy::dispatch(&sequences[1], Grid::items(128), 1.0, &second, &mut first).unwrap();
            sequences.iter().for_each(|sequence| drop(sequence.eval_async().unwrap()));
            b += a;
            a += b;
        }
        assert_eq!(x.to_vec().unwrap(), [[a; 128], [b; 128]].concat());
    });
}
