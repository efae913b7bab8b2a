//! Hand-written twins whose invocations work together, run as the host device runs the generated ones.

use std::sync::atomic::Ordering::Relaxed;

use gridwise_ir::descriptor::{KernelDescriptor, Location, Param, ParamKind, known};

use super::tests::SITES;
use super::*;
use crate::parallel::Atomic;

const HERE: Location = Location { file: "kernel.rs", line: 3, column: 5 };
const THERE: Location = Location { file: "kernel.rs", line: 9, column: 1 };

static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    workgroup: known([8, 4, 2]),
    params: &[Param { name: "y", kind: ParamKind::Buffer { binding: 0, writable: true, stride: 4, align: 4 } }],
    ..super::tests::DESCRIPTOR
};

const WIDTH: usize = 64;

/// Runs a kernel over two workgroups of 64, with a buffer of 64 zeros.
fn run(
    options: HostOptions,
    kernel: impl Fn(&Invocation<'_>, SliceMut<'_, u32>) + Copy,
) -> (Vec<u32>, Option<HostFailure>) {
    let mut y = vec![0u32; WIDTH];
    let launch = LaunchContext::new(&DESCRIPTOR, [16, 4, 2], [2, 1, 1]).with_options(options);
    let buffers = [HostBuffer { data: y.as_mut_ptr().cast(), len: WIDTH as u32 }];
    // SAFETY: the buffer outlives `args`, holds what it says, and only this thread accesses it.
    let args = unsafe { HostArgs::new(&launch, &buffers, &[]) };
    for group in [[0, 0, 0], [1, 0, 0]] {
        let y = args.slice_mut::<u32>(0);
        HostGroup::new(&launch, group).run_fibers(|cx| kernel(cx, y));
    }
    (y, launch.failure().cloned())
}

fn put(cx: &Invocation<'_>, y: SliceMut<'_, u32>, value: u32) {
    y.set(cx, &SITES[0], cx.local_index() as usize, |element| Some(element), value);
}

#[test]
fn barriers_order_shared_memory() {
    for seed in [None, Some(1), Some(99)] {
        let (y, failure) = run(HostOptions { seed, ..HostOptions::default() }, |cx, y| {
            let tile = cx.shared::<[u32; WIDTH]>(0);
            let l = cx.local_index() as usize;
            tile.set(|tile| tile.get_mut(l), l as u32 + cx.workgroup_id().x * 1000);
            cx.barrier(&HERE);
            // Each round a barrier, in a loop, and in a device function.
            let mut sum = 0;
            for step in 1..4 {
                sum += tile.get(|tile| tile.get((l + step) % WIDTH));
                barrier(&THERE);
                assert_eq!(local_index() as usize, l, "the current invocation follows the fiber");
            }
            put(cx, y, sum);
        });
        assert_eq!(failure, None);
        let expected = |l: usize| (1..4).map(|step| ((l + step) % WIDTH) as u32 + 1000).sum::<u32>();
        assert_eq!(y, (0..WIDTH).map(expected).collect::<Vec<_>>());
    }
}

#[test]
fn divergent_barriers_are_failures() {
    let (_, failure) = run(HostOptions::default(), |cx, _| {
        if cx.local_index() < 40 {
            cx.barrier(&HERE);
        }
    });
    let expected =
        HostFailure::DivergentBarrier { barrier: HERE, waiting: 40, invocations: 64, other: None, group: [0; 3] };
    assert_eq!(failure, Some(expected));
    let (_, failure) =
        run(HostOptions::default(), |cx, _| cx.barrier(if cx.local_index() == 0 { &THERE } else { &HERE }));
    let Some(HostFailure::DivergentBarrier { barrier, waiting, other, .. }) = failure else { panic!("no failure") };
    assert_eq!((barrier, waiting, other), (THERE, 1, Some(HERE)));
}

#[test]
fn a_panic_in_a_fiber_comes_out_and_the_thread_goes_on() {
    let run_and_panic = || {
        run(HostOptions::default(), |cx, _| {
            cx.barrier(&HERE);
            assert!(cx.local_index() != 9, "nine");
            cx.barrier(&THERE);
        })
    };
    let payload = std::panic::catch_unwind(run_and_panic).expect_err("a panic");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"nine"));
    assert_eq!(run(HostOptions::default(), |cx, y| put(cx, y, 7)).0, [7; WIDTH]);
}

#[test]
fn subgroups_exchange_at_one_place() {
    for subgroup_size in [1, 4, 16, 32, 64, 128] {
        let (y, failure) = run(HostOptions { subgroup_size, seed: Some(5) }, |cx, y| {
            let lane = cx.subgroup_local_id();
            let sum = subgroup::add(cx, &HERE, lane);
            let scan = subgroup::exclusive_add(Ambient, &THERE, 1u32);
            assert_eq!(scan, lane);
            let lanes = cx.subgroup_size().min(64);
            assert_eq!(sum, lanes * (lanes - 1) / 2);
            assert_eq!(
                subgroup::ballot_count(cx, &HERE, subgroup::ballot(cx, &HERE, lane % 2 == 0)),
                lanes.div_ceil(2)
            );
            put(cx, y, subgroup::shuffle_xor(cx, &THERE, lane, 1));
        });
        assert_eq!(failure, None);
        let size = subgroup_size;
        let expected = |l: u32| if size == 1 { 0 } else { (l % size) ^ 1 };
        assert_eq!(y, (0..64).map(expected).collect::<Vec<_>>(), "{size}");
    }
}

#[test]
fn stragglers_of_a_loop_catch_up() {
    let (y, failure) = run(HostOptions::default(), |cx, y| {
        let lane = cx.subgroup_local_id();
        let mut together = 0;
        for _ in 0..=lane % 4 {
            together = subgroup::ballot_count(cx, &HERE, subgroup::ballot(cx, &HERE, true));
        }
        put(cx, y, together * 100 + subgroup::add(cx, &THERE, 1u32));
    });
    assert_eq!(failure, None);
    assert_eq!(y[..4], [3232, 2432, 1632, 832]);
}

#[test]
fn atomics_reach_buffers_and_shared_memory() {
    let (y, failure) = run(HostOptions { seed: Some(3), ..HostOptions::default() }, |cx, y| {
        let counts = cx.shared::<[Atomic<u32>; 4]>(0);
        let l = cx.local_index() as usize;
        counts.atomic(|counts| counts.get_mut(l % 4)).fetch_add(1, Relaxed);
        cx.barrier(&HERE);
        if l < 4 {
            let count = counts.atomic(|counts| counts.get_mut(l)).load(Relaxed);
            y.set(cx, &SITES[0], l, |element| Some(element), count);
        }
    });
    assert_eq!((&y[..4], failure), (&[16; 4][..], None));
}
