//! Copies of boxes, padded rows, host access to ranges, and host calls that stay on their thread.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;

use gridwise_runtime::ops::{BoxIn, OpCopyBox, OpFill, OpHost};
use gridwise_runtime::{Error, Grid, RecordingError};

use crate::harness::{On, cases};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    each: boxes_of_every_shape, boxes_of_bytes_and_parts, boxes_within_a_tensor, boxes_that_cannot_be, boxes_are_ordered,
        padded_rows_are_parts, the_host_uses_a_range_meanwhile, local_calls_stay_on_their_thread;
}

fn boxes_of_every_shape(on: On) {
    on.run(|manager| {
        let from: Vec<u32> = (0..4000).collect();
        let source = manager.tensor(&from).unwrap();
        let cases = [
            (BoxIn { first: 0, row: 10, plane: 100 }, BoxIn { first: 0, row: 10, plane: 100 }, [10, 10, 40]),
            (BoxIn { first: 7, row: 20, plane: 400 }, BoxIn { first: 3, row: 5, plane: 30 }, [5, 6, 4]),
            (BoxIn { first: 99, row: 100, plane: 0 }, BoxIn { first: 0, row: 1, plane: 0 }, [1, 40, 1]),
            (BoxIn { first: 1, row: 0, plane: 50 }, BoxIn { first: 2, row: 0, plane: 9 }, [8, 1, 50]),
            (BoxIn { first: 3999, row: 0, plane: 0 }, BoxIn { first: 3999, row: 0, plane: 0 }, [1, 1, 1]),
            (BoxIn::default(), BoxIn::default(), [4000, 1, 1]),
            (BoxIn::default(), BoxIn::default(), [0, 7, 7]),
        ];
        for (from_box, to_box, extent) in cases {
            let mut target = manager.tensor(&[9_999u32; 4000]).unwrap();
            let copy = OpCopyBox::new(&source, from_box, &mut target, to_box, extent);
            manager.sequence().unwrap().record(copy).unwrap().eval().unwrap();
            let mut expected = vec![9_999; 4000];
            for (z, y, x) in
                (0..extent[2]).flat_map(|z| (0..extent[1]).flat_map(move |y| (0..extent[0]).map(move |x| (z, y, x))))
            {
                let at = |place: BoxIn| place.first + z * place.plane + y * place.row + x;
                expected[at(to_box)] = from[at(from_box)];
            }
            assert_eq!(target.to_vec().unwrap(), expected, "{from_box:?} {to_box:?} {extent:?}");
        }
    });
}

fn boxes_of_bytes_and_parts(on: On) {
    on.run(|manager| {
        let bytes = manager.tensor(&(0..=255).collect::<Vec<u8>>()).unwrap();
        let mut target = manager.tensor(&[0u8; 20]).unwrap();
        let (from, to) = (BoxIn { first: 1, row: 16, plane: 0 }, BoxIn { first: 0, row: 3, plane: 0 });
        let copy = OpCopyBox::new(&*bytes.part(5..).unwrap(), from, &mut *target.part_mut(1..).unwrap(), to, [3, 4, 1]);
        manager.sequence().unwrap().record(copy).unwrap().eval().unwrap();
        let expected = [0, 6, 7, 8, 22, 23, 24, 38, 39, 40, 54, 55, 56, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(target.to_vec().unwrap(), expected);
    });
}

fn boxes_within_a_tensor(on: On) {
    on.run(|manager| {
        // The sides of a plane with a border of one, which is periodic.
        let width = 34;
        let mut plane = manager.tensor(&(0..width as u32 * 10).collect::<Vec<_>>()).unwrap();
        let column = |first| BoxIn { first, row: width, plane: 0 };
        let sequence = manager.sequence().unwrap();
        sequence.record(OpCopyBox::within(&mut plane, column(width - 2), column(0), [1, 10, 1])).unwrap();
        sequence.record(OpCopyBox::within(&mut plane, column(1), column(width - 1), [1, 10, 1])).unwrap();
        sequence.eval().unwrap();
        let plane = plane.to_vec().unwrap();
        for row in plane.chunks(width) {
            assert_eq!((row[0], row[width - 1]), (row[width - 2], row[1]));
        }
    });
}

fn boxes_that_cannot_be(on: On) {
    on.run(|manager| {
        let mut plane = manager.tensor(&[0u32; 100]).unwrap();
        let mut other = manager.tensor(&[0u32; 100]).unwrap();
        let sequence = manager.sequence().unwrap();
        let rows = BoxIn { row: 10, ..BoxIn::default() };
        let mut refused =
            |from, to, extent| sequence.record(OpCopyBox::new(&plane, from, &mut other, to, extent)).map(drop);
        let beyond = refused(BoxIn { first: 1, ..rows }, rows, [10, 10, 1]).unwrap_err();
        assert!(matches!(&beyond, Error::Recording(RecordingError::BoxBeyond { first: 1, len: 100, .. })), "{beyond}");
        for odd in [
            BoxIn { first: usize::MAX, ..rows },
            BoxIn { row: usize::MAX, ..rows },
            BoxIn { row: usize::MAX / 2, plane: usize::MAX / 2, ..rows },
        ] {
            assert!(matches!(
                refused(BoxIn { plane: 30, ..rows }, odd, [10, 3, 3]),
                Err(Error::Recording(RecordingError::BoxBeyond { .. }))
            ));
        }
        assert!(refused(rows, rows, [usize::MAX; 3]).is_err());
        for folded in [BoxIn { row: 9, ..rows }, BoxIn { row: 0, ..rows }] {
            let error = refused(rows, folded, [10, 2, 1]).unwrap_err();
            assert!(matches!(&error, Error::Recording(RecordingError::BoxFolded { .. })), "{error}");
        }
        assert!(matches!(
            refused(BoxIn { plane: 15, ..rows }, rows, [10, 2, 2]),
            Err(Error::Recording(RecordingError::BoxFolded { .. }))
        ));
        let overlapping = OpCopyBox::within(&mut plane, rows, BoxIn { first: 9, ..rows }, [2, 9, 1]);
        assert!(matches!(sequence.record(overlapping).map(drop), Err(Error::AliasedTensor { .. })));
        let beside = OpCopyBox::within(&mut plane, rows, BoxIn { first: 2, ..rows }, [2, 9, 1]);
        sequence.record(beside).unwrap();
        assert_eq!(sequence.len(), 1);
    });
}

fn boxes_are_ordered(on: On) {
    on.run(|manager| {
        let (mut a, mut b) = (manager.tensor(&[0.0f32; 64]).unwrap(), manager.tensor(&[0.0f32; 64]).unwrap());
        let one = manager.tensor(&[1.0f32; 64]).unwrap();
        let sequence = manager.sequence().unwrap();
        let (even, odd) = (BoxIn { first: 0, row: 2, plane: 0 }, BoxIn { first: 1, row: 2, plane: 0 });
        sequence.record(OpFill::new(&mut a, 3.0)).unwrap();
        sequence.record(OpCopyBox::new(&a, even, &mut b, odd, [1, 32, 1])).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(64), 1.0, &one, &mut b).unwrap();
        sequence.record(OpCopyBox::new(&b, odd, &mut a, even, [1, 32, 1])).unwrap();
        sequence.eval().unwrap();
        // The recording follows a tensor that is rebuilt, and tensors change places.
        a.rebuild(&[5.0; 64]).unwrap();
        sequence.eval().unwrap();
        let (a, b) = (a.to_vec().unwrap(), b.to_vec().unwrap());
        assert_eq!((a[0], a[1], b[0], b[1]), (4.0, 3.0, 2.0, 4.0));
    });
}

fn padded_rows_are_parts(on: On) {
    on.run(|manager| {
        let limits = manager.device().limits;
        for width in [1usize, 3, 501, 512] {
            assert_eq!(limits.padded_width::<f32>(width) * 4 % limits.part_alignment as usize, 0);
            assert_eq!(limits.padded_width::<[u8; 3]>(width) * 3 % limits.part_alignment as usize, 0);
            assert!((width..width + 256).contains(&limits.padded_width::<[f32; 3]>(width)));
        }
        let (width, height) = (501, 5);
        let pitch = limits.padded_width::<f32>(width);
        let (x, dense) = (manager.tensor(&[1.0f32; 501]).unwrap(), manager.tensor(&ramp(width * height)).unwrap());
        let mut plane = manager.tensor_of_len::<f32>(pitch * height).unwrap();
        let sequence = manager.sequence().unwrap();
        let (from, to) = (BoxIn { row: width, ..BoxIn::default() }, BoxIn { row: pitch, ..BoxIn::default() });
        sequence.record(OpCopyBox::new(&dense, from, &mut plane, to, [width, height, 1])).unwrap();
        for row in 0..height {
            let mut part = plane.part_mut(row * pitch..row * pitch + width).unwrap();
            Saxpy::dispatch(&sequence, Grid::items(width), row as f32, &x, &mut part).unwrap();
        }
        sequence.eval().unwrap();
        let plane = plane.to_vec().unwrap();
        for row in 0..height {
            assert_eq!(plane[row * pitch + 500], (row * width + 500 + row) as f32);
        }
    });
}

fn the_host_uses_a_range_meanwhile(on: On) {
    on.run(|manager| {
        let half = 1 << 16;
        let x = manager.tensor(&vec![1.0f32; half]).unwrap();
        let mut y = manager.tensor(&vec![0.0f32; 2 * half]).unwrap();
        let (slow, quick) = (manager.sequence().unwrap(), manager.sequence().unwrap());
        {
            let (mut first, mut second) = y.split_at_mut(half).unwrap();
            for _ in 0..300 {
                Saxpy::dispatch(&slow, Grid::items(half), 1.0, &x, &mut first).unwrap();
            }
            Saxpy::dispatch(&quick, Grid::items(half), 2.0, &x, &mut second).unwrap();
        }
        quick.eval().unwrap();
        let running = slow.eval_async().unwrap();
        let seen = y.part(half..).unwrap().to_vec().unwrap();
        y.part_mut(half..half + 2).unwrap().write(&[7.0, 8.0]).unwrap();
        let was_running = !running.is_complete().unwrap();
        assert!(seen.iter().all(|value| *value == 2.0));
        running.wait().unwrap();
        if on == On::Host {
            // Elsewhere the driver may be quicker than the host.
            assert!(was_running, "the host waited for the other half");
        }
        let y = y.to_vec().unwrap();
        assert_eq!((y[0], y[half - 1], y[half], y[half + 1], y[half + 2]), (300.0, 300.0, 7.0, 8.0, 2.0));
    });
}

fn local_calls_stay_on_their_thread(on: On) {
    on.run(|manager| {
        let mut y = manager.tensor(&[0u32; 4]).unwrap();
        let sequence = manager.sequence().unwrap();
        let calls = Rc::new(Cell::new(0));
        let counted = calls.clone();
        sequence.record(OpFill::new(&mut y, 3)).unwrap();
        sequence
            .record(OpHost::local(move || {
                counted.set(counted.get() + 1);
                Ok::<_, std::fmt::Error>(())
            }))
            .unwrap();
        sequence.eval().unwrap();
        sequence.eval_profiled().unwrap();
        assert_eq!((calls.get(), y.to_vec().unwrap()), (2, vec![3; 4]));
        let is_refused = |result: Result<(), Error>| {
            matches!(result, Err(Error::Recording(RecordingError::OtherThread { operation: "host" })))
        };
        assert!(is_refused(sequence.eval_async().map(drop)));
        assert!(is_refused(sequence.eval_profiled_async().map(drop)));
        assert!(is_refused(sequence.eval_within(std::time::Duration::from_secs(9))));
        thread::scope(|scope| {
            scope.spawn(|| assert!(is_refused(sequence.eval())));
        });
        assert_eq!((calls.get(), Rc::strong_count(&calls)), (2, 2));
        // A new recording has none, and what the old one held is dropped here.
        sequence.record(OpFill::new(&mut y, 4)).unwrap();
        sequence.eval_async().unwrap().wait().unwrap();
        assert_eq!((Rc::strong_count(&calls), y.to_vec().unwrap()), (1, vec![4; 4]));
        // Dropped elsewhere, it is leaked and not touched.
        let counted = calls.clone();
        sequence
            .record(OpHost::local(move || {
                counted.set(9);
                Ok::<_, std::fmt::Error>(())
            }))
            .unwrap();
        thread::spawn(move || drop(sequence)).join().unwrap();
        assert_eq!((calls.get(), Rc::strong_count(&calls)), (2, 2));
    });
}
