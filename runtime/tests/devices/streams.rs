//! Data that passes in chunks: the same results as at once, on any queues, whatever fails in between.

use gridwise_runtime::ops::OpCopy;
use gridwise_runtime::{Error, Grid, Manager, ManagerDesc, QueueChoice, Sequence, Stream, Tensor};

use crate::harness::{On, cases};
use crate::kernels::{Mark, Saxpy};
use crate::ramp;

cases! {
    each: streams_give_what_one_launch_gives, streams_fail_whole_and_run_again, sinks_that_panic_leave_nothing_behind;
}

fn each_with_queues(on: On, test: impl Fn(&Manager)) {
    for queues in [QueueChoice::One, QueueChoice::AtLeast(3)] {
        on.run_with(ManagerDesc { queues, ..ManagerDesc::default() }, &test);
    }
}

/// Three times the input.
fn triple(
    sequence: &Sequence,
    input: &Tensor<f32>,
    output: &mut Tensor<f32>,
    len: usize,
) -> gridwise_runtime::Result<()> {
    sequence.record(OpCopy::new(input, output))?;
    Saxpy::dispatch(sequence, Grid::items(len), 2.0, input, output)?;
    Ok(())
}

fn streams_give_what_one_launch_gives(on: On) {
    each_with_queues(on, |manager| {
        for (len, chunk, in_flight) in [
            (0, 7, 1),
            (1, 7, 3),
            (10_000, 1000, 3),
            (10_001, 1000, 2),
            (999, 1000, 4),
            (3000, 1, 3),
            (500, 10, usize::MAX),
        ] {
            let mut stream =
                Stream::new(manager, chunk, in_flight, |seq, part| triple(seq, part.input, part.output, part.len))
                    .unwrap();
            let data = ramp(len.min(300 * chunk));
            let expected: Vec<f32> = data.iter().map(|value| value * 3.0).collect();
            for _ in 0..2 {
                assert_eq!(stream.map(&data).unwrap(), expected, "{len} by {chunk}");
            }
        }
    });
}

fn sinks_that_panic_leave_nothing_behind(on: On) {
    each_with_queues(on, |manager| {
        let mut stream =
            Stream::new(manager, 4, 3, |seq, part| triple(seq, part.input, part.output, part.len)).unwrap();
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let source = |into: &mut [f32]| {
                into.fill(1.0);
                Ok(4)
            };
            stream.run::<Error>(source, |_| std::panic::resume_unwind(Box::new("sink")))
        }));
        assert!(unwound.is_err());
        assert_eq!(stream.map(&[5.0; 10]).unwrap(), [15.0; 10]);
    });
}

fn streams_fail_whole_and_run_again(on: On) {
    each_with_queues(on, |manager| {
        let empty = Stream::<f32, f32, _>::new(manager, 0, 2, |_, _| Ok(()));
        assert!(matches!(empty, Err(Error::EmptyStream { chunk: 0, in_flight: 2 })));
        let mut stream =
            Stream::new(manager, 100, 3, |seq, part| triple(seq, part.input, part.output, part.len)).unwrap();
        let source = |fails_at: usize| {
            let mut given = 0;
            move |into: &mut [f32]| {
                given += 1;
                into.fill(given as f32);
                // Sources may give less than is asked for, and say more than there is.
                if given == fails_at {
                    Err("source".to_owned())
                } else {
                    Ok(if given > 9 { 0 } else { 40 + 100 * (given % 2) })
                }
            }
        };
        #[derive(Debug, PartialEq)]
        struct Failed(String);
        impl From<Error> for Failed {
            fn from(error: Error) -> Self {
                Self(error.to_string())
            }
        }
        for round in 0..3 {
            let mut pull = source(if round == 0 { 6 } else { 99 });
            let mut seen = Vec::new();
            let passed = stream.run(
                |into| pull(into).map_err(Failed),
                |from: &[f32]| {
                    seen.push((from.len(), from[0]));
                    if round == 1 && seen.len() == 4 { Err(Failed("sink".to_owned())) } else { Ok(()) }
                },
            );
            let all: Vec<(usize, f32)> = (1..10).map(|n| (if n % 2 == 1 { 100 } else { 40 }, 3.0 * n as f32)).collect();
            match round {
                0 => assert_eq!(passed, Err(Failed("source".to_owned()))),
                1 => assert_eq!(passed, Err(Failed("sink".to_owned()))),
                _ => assert_eq!((passed, seen.len()), (Ok(660), 9)),
            }
            assert_eq!(seen, all[..seen.len()]);
        }
        // A kernel that fails in one chunk, and not in those before.
        let mut stream = Stream::<u32, u32, _>::new(manager, 8, 2, |seq, part| {
            Mark::dispatch(seq, Grid::items(part.len), u32::from(part.len < 8), part.output)?;
            Mark::dispatch(seq, Grid::items(if part.len < 8 { 8 } else { 1 }), u32::from(part.len < 8), part.output)?;
            Ok(())
        })
        .unwrap();
        assert!(stream.map(&[0; 24]).is_ok());
        assert!(matches!(stream.map(&[0; 20]), Err(Error::KernelPanic { .. })));
        assert_eq!(stream.map(&[0; 8]).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    });
}
