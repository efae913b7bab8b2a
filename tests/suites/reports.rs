//! Reports of kernels on the device that `GRIDWISE_DEVICE` selects: sinks, bounds, order, and rustc's own words.

#![expect(
    clippy::todo,
    clippy::unimplemented,
    clippy::manual_is_multiple_of,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the text of what is asserted is what is tested"
)]

use std::panic::catch_unwind;
use std::sync::{Arc, Mutex};

use gridwise::descriptor::SiteKind;
use gridwise::prelude::*;
use gridwise::{DeviceChoice, Error, Kernel, ManagerDesc, PrintSink};

#[kernel(workgroup = [4, 2])]
fn count(width: u32) {
    let id = global_id();
    println!("{} {}", id.x, id.y);
    if id.x == 1 {
        println!("again {}", width + id.y);
    }
}

#[kernel(workgroup = 64)]
fn silent(x: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() as u32 {
        x[i] = i + 1;
    }
}

#[kernel(workgroup = 64)]
fn guarded(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    assert!(i < x.len() as u32 && i < out.len() as u32, "too small for {i}");
    out[i] = x[i] / 2;
}

#[kernel(workgroup = 1)]
fn compare(a: u32, b: f32, v: Vec3, which: u32) {
    match which {
        0 => assert!(a < 3 && b > 0.5),
        1 => assert!(a % 2 == 0 || !(b <= 1.0)),
        2 => assert_eq!(a, 3, "a = {a:>4}"),
        3 => assert_ne!(v, vec3(1.0, 2.0, 3.0)),
        4 => assert_eq!(b, 0.1),
        5 => unreachable!("{:?} {v}", (a, b)),
        6 => todo!("case {which:#x}"),
        7 => panic!("{b:e} {:08.3}", b),
        _ => unimplemented!(),
    }
}

/// The same in Rust, to be asked what it says.
fn compare_in_rust(a: u32, b: f32, v: Vec3, which: u32) {
    match which {
        0 => assert!(a < 3 && b > 0.5),
        1 => assert!(a % 2 == 0 || !(b <= 1.0)),
        2 => assert_eq!(a, 3, "a = {a:>4}"),
        3 => assert_ne!(v, vec3(1.0, 2.0, 3.0)),
        4 => assert_eq!(b, 0.1),
        5 => unreachable!("{:?} {v}", (a, b)),
        6 => todo!("case {which:#x}"),
        7 => panic!("{b:e} {:08.3}", b),
        _ => unimplemented!(),
    }
}

/// A manager of the device under test with a sink that keeps all texts.
fn listening(print_bytes: Option<u32>) -> (Manager, Arc<Mutex<Vec<String>>>) {
    let texts = Arc::new(Mutex::new(Vec::new()));
    let kept = texts.clone();
    let print = PrintSink::new(move |printed| {
        let stream = if printed.is_error { "! " } else { "" };
        kept.lock().expect("nobody panics").push(format!("{stream}{}", printed.text));
    });
    let desc = ManagerDesc { print_bytes, print, ..ManagerDesc::from_env().expect("a good environment") };
    (Manager::with(desc).expect("a device"), texts)
}

fn take(texts: &Mutex<Vec<String>>) -> Vec<String> {
    std::mem::take(&mut *texts.lock().expect("nobody panics"))
}

#[test]
fn messages_come_in_order_of_workgroups_and_invocations() {
    let (mgr, texts) = listening(None);
    let seq = mgr.sequence().expect("a sequence");
    Count::dispatch(&seq, Grid::items([6, 3]), 10).expect("recorded");
    let mut expected = Vec::new();
    for (gy, gx) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for (y, x) in (0..2).flat_map(|y| (0..4).map(move |x| (2 * gy + y, 4 * gx + x))) {
            if x < 6 && y < 3 {
                expected.push(format!("{x} {y}\n"));
                expected.extend((x == 1).then(|| format!("again {}\n", 10 + y)));
            }
        }
    }
    // Each run says it again, and nothing of the one before.
    for _ in 0..3 {
        seq.eval().expect("evaluated");
        assert_eq!(take(&texts), expected);
    }
    seq.eval_async().expect("started").wait().expect("evaluated");
    assert_eq!(take(&texts), expected);
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
}

#[test]
fn what_finds_no_room_is_counted() {
    // Room for ten words: a record has four, and two arguments.
    let (mgr, texts) = listening(Some(16 + 4 * 10));
    let seq = mgr.sequence().expect("a sequence");
    Count::dispatch(&seq, Grid::items([4, 2]), 10).expect("recorded");
    for _ in 0..2 {
        seq.eval().expect("evaluated");
        let texts = take(&texts);
        assert_eq!(texts.len(), 2, "{texts:?}");
        let lost = "! kernel `count`: 9 more messages were lost: the print buffer has 56 bytes; \
                    `ManagerDesc::print_bytes` sets its size\n";
        assert_eq!(texts[1], lost);
    }
}

#[test]
fn a_sink_can_use_the_sequence_it_listens_to() {
    let (mgr, _) = listening(None);
    let seq = Arc::new(mgr.sequence().expect("a sequence"));
    Count::dispatch(&seq, Grid::items([1, 1]), 10).expect("recorded");
    let (used, lengths) = (seq.clone(), Arc::new(Mutex::new(Vec::new())));
    let kept = lengths.clone();
    mgr.on_print(move |_| kept.lock().expect("nobody panics").push((used.len(), used.is_running())));
    seq.eval().expect("evaluated");
    assert_eq!(*lengths.lock().expect("nobody panics"), [(1, false)]);
    mgr.on_print(|_| {});
}

#[test]
fn kernels_bind_only_what_they_need() {
    let silent = <Silent as Kernel>::DESCRIPTOR;
    assert_eq!((silent.trap_binding, silent.print_binding, silent.sites.len()), (None, None, 0));
    let count = <Count as Kernel>::DESCRIPTOR;
    assert_eq!((count.trap_binding, count.print_binding, count.sites.len()), (None, Some(0), 2));
    // What was asserted need not be checked again.
    let guarded = <Guarded as Kernel>::DESCRIPTOR;
    let kinds: Vec<_> = guarded.sites.iter().map(|site| site.kind).collect();
    assert_eq!(kinds, [SiteKind::Panic]);
    let compare = <Compare as Kernel>::DESCRIPTOR;
    assert_eq!((compare.trap_binding, compare.print_binding), (Some(0), None));
}

#[test]
fn panics_have_rustcs_words() {
    let (mgr, _) = listening(None);
    let (a, b, v) = (5, 0.25, vec3(1.0, 2.0, 3.0));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let texts: Vec<_> = (0..9)
        .map(|which| {
            let panic = catch_unwind(|| compare_in_rust(a, b, v, which)).expect_err("each case panics");
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).expect("a message")
        })
        .collect();
    std::panic::set_hook(hook);
    for (which, expected) in (0..).zip(texts) {
        let seq = mgr.sequence().expect("a sequence");
        Compare::dispatch(&seq, Grid::items(1), a, b, v, which).expect("recorded");
        match seq.eval() {
            Err(Error::KernelPanic { message, invocation, count, file, .. }) => {
                assert_eq!((message, invocation, count), (expected, [0; 3], 1));
                assert!(file.ends_with("reports.rs"), "{file}");
            }
            other => panic!("case {which}: {other:?}"),
        }
    }
}

/// Dies in many places, before, between and behind barriers, and counts each death and each index out of range once.
#[kernel(workgroup = 32)]
fn die_in_many_ways(x: &[u32], rounds: &[u32], y: &mut [u32]) {
    let tile = Shared::<[u32; 32]>::new();
    let (i, l) = (global_id().x, local_id().x);
    let mut table = [1u32, 2, 3, 4];
    assert!(x[i] % 31 != 0, "at once {}", x[i]);
    tile[l] = x[i];
    barrier();
    let next = tile[(l + 1) % 32];
    for k in 0..rounds[workgroup_id().x] {
        barrier();
        assert!(next % 23 != k + 1, "in round {k}");
        tile[l] += x[i + next % 3 * 31] % 5;
        table[next % 5] += k;
        if next % 29 == k {
            panic!("in a branch");
        }
        barrier();
        tile[l] += 10 / (tile[l] % 7) + step(next, k);
    }
    barrier();
    y[i + tile[31 - l] % 2 * 200] = table[l % 4] / (next % 13);
    let v = x.len() as u32 - i - 1;
    assert_eq!(x[v] % 37, next % 37 + (x[v] % 37 != 5) as u32 * 38, "in the end");
}

#[device]
fn step(value: u32, k: u32) -> u32 {
    let odd = [3u32, 5, 7];
    if value % 41 == 3 {
        return odd[value % 4];
    }
    assert!(value % 43 != k, "in a function");
    value / (value % 17)
}

#[test]
fn deaths_are_counted_once() {
    let mgr = Manager::new().expect("a device");
    let host = Manager::host();
    let count = |mgr: &Manager, x: &[u32], rounds: &[u32]| {
        let (x, rounds) = (mgr.tensor(x).expect("memory"), mgr.tensor(rounds).expect("memory"));
        let mut y = mgr.tensor_of_len::<u32>(128).expect("memory");
        let seq = mgr.sequence().expect("a sequence");
        DieInManyWays::dispatch(&seq, Grid::items(128), &x, &rounds, &mut y).expect("recorded");
        match seq.eval() {
            Ok(()) => 0,
            Err(Error::KernelPanic { count, .. }) => count,
            Err(error) => panic!("{error}"),
        }
    };
    let (mut state, mut all) = (1u32, 0);
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    for launch in 0..1000 {
        let x: Vec<u32> = (0..128).map(|_| random()).collect();
        let rounds: Vec<u32> = (0..4).map(|_| random() % 4).collect();
        let expected = count(&host, &x, &rounds);
        assert_eq!(count(&mgr, &x, &rounds), expected, "launch {launch}");
        all += u64::from(expected);
    }
    assert!(all > 100_000, "{all} deaths are too few");
}

#[test]
fn messages_come_before_the_error() {
    let desc = ManagerDesc { device: DeviceChoice::Host, ..ManagerDesc::default() };
    assert_eq!(desc.print, desc.clone().print, "clones share a sink");
    let (mgr, texts) = listening(None);
    let seq = mgr.sequence().expect("a sequence");
    Count::dispatch(&seq, Grid::items([1, 1]), 0).expect("recorded");
    Compare::dispatch(&seq, Grid::items(1), 0, 0.0, Vec3::ZERO, 9).expect("recorded");
    assert!(matches!(seq.eval(), Err(Error::KernelPanic { .. })));
    assert_eq!(take(&texts), ["0 0\n"]);
}

/// Nobody but the evaluation can say that what follows was not run.
#[test]
fn a_sink_that_panics_between_calls_of_the_host_is_an_error() -> gridwise::Result<()> {
    let print = PrintSink::new(|_| std::panic::resume_unwind(Box::new("no room")));
    let mgr = Manager::with(ManagerDesc { print, ..ManagerDesc::from_env()? })?;
    let mut x = mgr.tensor(&[0u32; 4])?;
    let seq = mgr.sequence()?;
    Count::dispatch(&seq, Grid::items([4, 2]), 1)?;
    seq.record(gridwise::ops::OpHost::new(|| ()))?;
    Silent::dispatch(&seq, Grid::items(4), &mut x)?;
    let error = seq.eval_async()?.wait().expect_err("the sink panics");
    assert!(matches!(&error, Error::HostCallFailed { cause, .. } if cause.contains("sink")), "{error}");
    assert_eq!(x.to_vec()?, [0; 4]);
    Ok(())
}
