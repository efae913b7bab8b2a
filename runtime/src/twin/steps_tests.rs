//! Hand-written twins that are async functions, run as the host device runs the generated ones. No fibers: Miri runs these.

use gridwise_ir::descriptor::{KernelDescriptor, Location, Param, ParamKind, known};

use super::tests::SITES;
use super::*;

const HERE: Location = Location { file: "kernel.rs", line: 3, column: 5 };
const THERE: Location = Location { file: "kernel.rs", line: 9, column: 1 };

static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    workgroup: known([4, 2, 1]),
    params: &[Param { name: "y", kind: ParamKind::Buffer { binding: 0, writable: true, stride: 4, align: 4 } }],
    ..super::tests::DESCRIPTOR
};

const WIDTH: usize = 8;

/// Runs a kernel over a workgroup of 8, with a buffer of 8 zeros.
fn run(seed: Option<u64>, kernel: impl AsyncFn(&Invocation<'_>, SliceMut<'_, u32>)) -> (Vec<u32>, Option<HostFailure>) {
    let mut y = vec![0u32; WIDTH];
    let options = HostOptions { seed, ..HostOptions::default() };
    let launch = LaunchContext::new(&DESCRIPTOR, [4, 2, 1], [1, 1, 1]).with_options(options);
    let buffers = [HostBuffer { data: y.as_mut_ptr().cast(), len: WIDTH as u32 }];
    // SAFETY: the buffer outlives `args`, holds what it says, and only this thread accesses it.
    let args = unsafe { HostArgs::new(&launch, &buffers, &[]) };
    let taken = args.slice_mut::<u32>(0);
    HostGroup::new(&launch, [0; 3]).run_steps(async |cx| kernel(cx, taken).await);
    (y, launch.failure().cloned())
}

/// The neighbour's number, by way of shared memory, as a device function that waits.
async fn of_neighbour(tile: SharedRef<'_, [u32; WIDTH]>, own: &mut u32) -> u32 {
    let local = local_index() as usize;
    tile.set(|tile| tile.get_mut(local), *own);
    reach(&THERE).await;
    *own += 1;
    let found = tile.get(|tile| tile.get((local + 1) % WIDTH));
    reach(&THERE).await;
    found
}

#[test]
fn barriers_order_shared_memory_and_locals_live_across_them() {
    for seed in [None, Some(1), Some(99)] {
        let (y, failure) = run(seed, async |cx, y| {
            let tile = cx.shared::<[u32; WIDTH]>(0);
            let local = cx.local_index();
            let (mut own, mut sum) = (local * 10, [0; 3]);
            for slot in &mut sum {
                *slot = {
                    let _frame = Frame::enter(Ambient, &HERE);
                    of_neighbour(tile, &mut own).await
                };
                assert_eq!(local_index(), local, "the current invocation follows the task");
            }
            cx.reach(&HERE).await;
            let [a, b, c] = sum;
            y.set(cx, &SITES[0], local as usize, |element| Some(element), a + b * 100 + c * 10_000 + own % 10);
        });
        assert_eq!(failure, None);
        let expected = |local: u32| {
            let next = (local + 1) % 8 * 10;
            next + (next + 1) * 100 + (next + 2) * 10_000 + 3
        };
        assert_eq!(y, (0..8).map(expected).collect::<Vec<_>>());
    }
}

#[test]
fn divergent_barriers_are_failures() {
    let (_, failure) = run(None, async |cx, _| {
        if cx.local_index() < 5 {
            cx.reach(&HERE).await;
        }
    });
    let expected =
        HostFailure::DivergentBarrier { barrier: HERE, waiting: 5, invocations: 8, other: None, group: [0; 3] };
    assert_eq!(failure, Some(expected));
}

#[test]
fn a_panic_comes_out_and_the_thread_goes_on() {
    let run_and_panic = || {
        run(None, async |cx, _| {
            cx.reach(&HERE).await;
            assert!(cx.local_index() != 3, "three");
            cx.reach(&THERE).await;
        })
    };
    let payload = std::panic::catch_unwind(run_and_panic).expect_err("a panic");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"three"));
    let (y, _) = run(None, async |cx, y| y.set(cx, &SITES[0], cx.local_index() as usize, |at| Some(at), 7));
    assert_eq!(y, [7; WIDTH]);
}

#[test]
fn an_invocation_that_stops_lets_the_others_go_on() {
    let (y, failure) = run(None, async |cx, y| {
        cx.reach(&HERE).await;
        if cx.local_index() == 2 {
            cx.panic(&SITES[0], format_args!("two"));
        }
        cx.reach(&THERE).await;
        y.set(cx, &SITES[0], cx.local_index() as usize, |at| Some(at), 1);
    });
    assert_eq!((y, failure), (vec![1, 1, 0, 1, 1, 1, 1, 1], None));
}

#[test]
fn nested_arrays_are_read_and_written_by_indices() {
    let (y, failure) = run(None, async |cx, y| {
        let tile = cx.shared::<[[u32; 4]; 2]>(0);
        let local = cx.local_index() as usize;
        tile.inner(cx, &SITES[0], local / 4).store(cx, &SITES[0], local as u32 * 10, local % 4);
        cx.reach(&HERE).await;
        let found = tile.inner(cx, &SITES[0], 1 - local / 4).load(cx, &SITES[0], local % 4);
        // Nowhere is zero, and stays so.
        let nowhere = tile.inner(cx, &SITES[0], 2 + local);
        nowhere.store(cx, &SITES[0], 7, 0);
        let nothing = nowhere.load(cx, &SITES[0], 0) + tile.inner(cx, &SITES[0], 0).load(cx, &SITES[0], 4);
        y.set(cx, &SITES[0], local, |element| Some(element), found + nothing);
    });
    assert_eq!(failure, None);
    assert_eq!(y, [40, 50, 60, 70, 0, 10, 20, 30]);
}

#[test]
fn those_that_end_early_are_told_from_those_that_wait() {
    for seed in [None, Some(5)] {
        // All pass one barrier together; then some wait elsewhere, and some have returned.
        let (_, failure) = run(seed, async |cx, _| {
            cx.reach(&HERE).await;
            if cx.local_index() >= 3 {
                cx.reach(&THERE).await;
            }
        });
        let expected =
            HostFailure::DivergentBarrier { barrier: THERE, waiting: 5, invocations: 8, other: None, group: [0; 3] };
        assert_eq!(failure, Some(expected), "{seed:?}");
    }
}

#[test]
fn subgroups_share_what_an_operation_gives_all() {
    for seed in [None, Some(3)] {
        let (y, failure) = run(seed, async |cx, y| {
            let local = cx.local_index();
            subgroup::arrive(cx, &HERE, local).await;
            let sum = subgroup::add(cx, &HERE, local);
            let mut large = 0;
            if local % 2 == 0 {
                subgroup::arrive(cx, &THERE, local).await;
                large = subgroup::max(cx, &THERE, local);
            }
            y.set(cx, &SITES[0], local as usize, |element| Some(element), sum * 100 + large);
        });
        assert_eq!(failure, None);
        assert_eq!(y, [2806, 2800, 2806, 2800, 2806, 2800, 2806, 2800], "{seed:?}");
    }
}
