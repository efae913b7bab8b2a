//! The allocations of repeated work: none in a replay, and a known number in a launch that is recorded anew.
//! On the device that `GRIDWISE_DEVICE` selects, and on the host device.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use gridwise::ops::{OpCopy, OpFill};
use gridwise::prelude::*;
use gridwise::{DeviceKind, ManagerDesc};

/// Counts what this thread asks for.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise; likewise below.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations that `work` makes on this thread.
fn count(work: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

#[kernel]
fn bounded(y: &mut [u32]) {
    let i = global_id().x;
    assert!(y[i] < 1_000_000, "too many");
    y[i] += 1;
}

/// The device by the environment, without validation, which is no part of a steady state; and with the poorest device's ways.
fn managers() -> Vec<Manager> {
    let desc = ManagerDesc { validation: false, ..ManagerDesc::from_env().expect("a good environment") };
    let less = ManagerDesc { baseline_only: true, ..desc.clone() };
    [desc, less].map(|desc| Manager::with(desc).expect("a device")).into()
}

#[test]
fn a_replay_asks_for_no_memory() {
    for mgr in managers() {
        let is_host = mgr.device().kind == DeviceKind::Host;
        let x = mgr.tensor(&[1.0f32; 1000]).expect("memory");
        let (mut y, mut z) =
            (mgr.tensor(&[0.0f32; 1000]).expect("memory"), mgr.tensor(&[0.0f32; 1000]).expect("memory"));
        let mut counts = mgr.tensor(&[0u32; 64]).expect("memory");
        let (first, second) = (mgr.sequence().expect("made"), mgr.sequence().expect("made"));
        for _ in 0..10 {
            Saxpy::dispatch(&first, Grid::items(1000), 1.0, &x, &mut y).expect("fits");
        }
        Bounded::dispatch(&first, Grid::items(64), &mut counts).expect("fits");
        second.record(OpCopy::new(&y, &mut z)).expect("fits").record(OpFill::new(&mut y, 0.5)).expect("fits");
        for _ in 0..3 {
            first.eval().expect("runs");
            second.eval().expect("runs");
        }
        let asked = count(|| {
            for _ in 0..100 {
                first.eval().expect("runs");
                second.eval().expect("runs");
            }
        });
        let mut data = vec![0.0f32; 1000];
        let moved = count(|| {
            for _ in 0..100 {
                y.write(&data).expect("writable");
                z.read_into(&mut data).expect("readable");
            }
        });
        let waited = count(|| {
            for _ in 0..100 {
                first.eval_async().expect("starts").wait().expect("runs");
            }
        });
        eprintln!("{}: 200 replays {asked}, 200 transfers {moved}, 100 waited for {waited}", mgr.device());
        // The host device runs the kernels themselves, on threads that it tells what to do.
        if !is_host {
            assert_eq!((asked, moved), (0, 0), "of 200 replays and 200 transfers");
            assert_eq!(waited, 0, "of 100 evaluations that were waited for");
        }
    }
}

#[test]
fn a_launch_recorded_anew_asks_for_little() {
    for mgr in managers() {
        let x = mgr.tensor(&[1.0f32; 1000]).expect("memory");
        let mut y = mgr.tensor(&[0.0f32; 1000]).expect("memory");
        let sequence = mgr.sequence().expect("made");
        let mut round = || {
            sequence.clear().expect("idle");
            Saxpy::dispatch(&sequence, Grid::items(1000), 1.0, &x, &mut y).expect("fits");
            sequence.eval().expect("runs");
        };
        (0..5).for_each(|_| round());
        let asked = count(|| (0..100).for_each(|_| round()));
        eprintln!("{}: {} allocations a recorded launch", mgr.device(), asked as f64 / 100.0);
        // What is recorded: the operation's name, its step, its arguments; and what the encoder needs for a moment.
        if mgr.device().kind != DeviceKind::Host {
            assert!(asked <= 1200, "{asked} for 100 launches that were recorded and run");
        }
    }
}
