//! Kernels whose invocations work together, on the device that `GRIDWISE_DEVICE` selects: what launches are refused, what
//! the host device reports, and that its order of invocations is what the seed says.

use gridwise::ops::{OpBarrier, OpCopy};
use gridwise::prelude::*;
use gridwise::{BufferRange, DeviceChoice, DeviceKind, Error, HostOptions, ManagerDesc};

#[kernel(workgroup = [32, 2])]
fn swap_halves(x: &[u32], y: &mut [u32]) {
    let tile = Shared::<[u32; 64]>::new();
    let (i, l) = (workgroup_id().x * 64 + local_index(), local_index());
    tile[l] = x[i];
    barrier();
    y[i] = tile[(l + 32) % 64];
}

#[kernel(workgroup = 64)]
fn divergent(y: &mut [u32]) {
    if workgroup_uniform(local_id().x < 10) {
        barrier();
    }
    y[global_id().x] = 1;
}

#[kernel(workgroup = 64)]
fn different_barriers(y: &mut [u32]) {
    if workgroup_uniform(local_id().x == 5) {
        barrier();
    } else {
        barrier();
    }
    y[global_id().x] = 1;
}

#[kernel(workgroup = 64)]
fn panics_between_barriers(y: &mut [u32]) {
    let tile = Shared::<[u32; 64]>::new();
    let l = local_id().x;
    tile[l] = l;
    barrier();
    assert!(l != 7 || y[0] == 0, "seven");
    barrier();
    y[l] = tile[63 - l];
}

#[kernel(workgroup = 16)]
fn arrivals(counter: &[Atomic<u32>], order: &mut [u32]) {
    let i = global_id().x;
    let ticket = counter[0].fetch_add(1, Relaxed);
    barrier();
    order[ticket] = i;
}

#[kernel(workgroup = 64, subgroup = 64)]
fn wide_subgroups(y: &mut [u32]) {
    y[global_id().x] = subgroup_size() + subgroup::add(1u32);
}

#[kernel(workgroup = 64, subgroup = 8)]
fn narrow_subgroups(y: &mut [u32]) {
    y[global_id().x] = subgroup_size() * 100 + subgroup::add(1u32);
}

#[kernel]
fn count_twice(a: &[Atomic<u32>], b: &[Atomic<u32>]) {
    a[0].fetch_add(b[0].load(Relaxed), Relaxed);
}

#[kernel]
fn count(values: &[Atomic<u32>]) {
    values[global_id().x % values.len() as u32].fetch_add(1, Relaxed);
}

#[kernel]
fn tally(votes: &[Atomic<u8>]) {
    votes[global_id().x % votes.len() as u32].fetch_add(1, Relaxed);
}

/// More locals than a fiber of ordinary size has stack.
#[kernel(workgroup = 8)]
fn waits_with_a_table(x: &[u32], y: &mut [u32]) {
    let mut table = [0u32; 1 << 19];
    let l = local_id().x;
    table[x[l] * 50_000] = l + 1;
    table[(1 << 19) - 1] = 100;
    barrier();
    y[l] = table[x[l] * 50_000] + table[(1 << 19) - 1];
}

/// More locals than a thread has stack.
#[kernel(workgroup = 8)]
fn alone_with_a_table(x: &[u32], y: &mut [u32]) {
    let mut table = [0u32; 1 << 22];
    let l = local_id().x;
    table[x[l] * 500_000] = l + 1;
    table[(1 << 22) - 1] = 100;
    y[l] = table[x[l] * 500_000] + table[(1 << 22) - 1];
}

/// As many bytes of locals as an invocation may have, but for four elements that leave room for the other locals.
#[device]
const MOST: usize = (1 << 25) - 4;

#[kernel(workgroup = 1)]
fn almost_too_many_locals(x: &[u32], y: &mut [u32]) {
    let mut table = [0u32; MOST];
    table[x[0] * 500_000] = 7;
    table[MOST - 1] = 100;
    y[0] = table[x[0] * 500_000] + table[MOST - 1];
}

#[kernel(workgroup = 1)]
fn too_many_locals(x: &[u32], y: &mut [u32]) {
    let mut table = [0u32; MOST + 5];
    table[x[0] * 500_000] = 7;
    y[0] = table[x[0] * 500_000];
}

#[device]
fn turned(table: [u32; 1 << 22], at: u32) -> [u32; 1 << 22] {
    let mut copy = table;
    copy[at] += at;
    copy
}

/// Few locals, and so many values of 16 MiB that the estimate of its stack is above 1 GiB.
#[kernel(workgroup = 1)]
fn passes_tables_on(x: &[u32], y: &mut [u32]) {
    let table = [0u32; 1 << 22];
    let (a, b) = (turned(turned(turned(table, x[1]), x[2]), x[3]), turned(turned(turned(table, x[4]), x[5]), x[6]));
    let (c, d) = (turned(turned(turned(a, x[1]), x[2]), x[3]), turned(turned(turned(b, x[4]), x[5]), x[6]));
    y[0] = a[x[1]] + b[x[4]] * 10 + c[x[1]] * 100 + d[x[6]] * 1000;
}

#[kernel(workgroup = 8)]
fn far_too_many_locals(x: &[u32], y: &mut [u32]) {
    let mut table = [0u32; 1 << 26];
    let l = local_id().x;
    table[x[l] * 500_000] = l + 1;
    y[l] = table[x[l] * 500_000];
}

#[device]
fn changed(table: [u32; 20_000], at: u32) -> [u32; 20_000] {
    let mut copy = table;
    copy[at] += at;
    copy
}

#[device]
fn changed_often(table: [u32; 20_000], at: u32) -> [u32; 20_000] {
    let once = changed(table, at);
    let twice = changed(once, at + 1);
    changed(if at % 2 == 0 { once } else { twice }, at)
}

#[device]
fn filled<const LEN: usize>(value: u32) -> [u32; LEN] {
    let mut table = [value; LEN];
    table[LEN - 1] += 1;
    table
}

/// A chain of calls that pass arrays by value, functions whose size their const arguments decide, and messages.
#[kernel(workgroup = 8)]
fn chain_of_tables(x: &[u32], y: &mut [u32]) {
    let l = local_id().x;
    let table = changed_often(changed_often(changed_often([x[l]; 20_000], l), l + 1), l + 2);
    barrier();
    let (small, large) = (filled::<30_000>(l), filled::<60_000>(l));
    println!("{l}: {}", 0.5f32);
    if l == 5 {
        panic!("table of {}", small[29_999] + large[59_999]);
    }
    y[l] = table[l] + small[29_999] + large[59_999];
}

fn host(options: HostOptions) -> Manager {
    Manager::with(ManagerDesc { device: DeviceChoice::Host, host: options, ..ManagerDesc::default() }).expect("a host")
}

#[test]
fn workgroups_must_be_whole() {
    let mgr = Manager::new().expect("a device");
    let (x, mut y) = (mgr.tensor(&[1u32; 256]).expect("memory"), mgr.tensor(&[0u32; 256]).expect("memory"));
    let seq = mgr.sequence().expect("a sequence");
    let error = SwapHalves::dispatch(&seq, Grid::items([33, 2]), &x, &mut y).expect_err("partial");
    let Error::PartialWorkgroup { kernel, axis, items, width, rounded } = error else { panic!("{error}") };
    assert_eq!((&*kernel, axis, items, width, rounded), ("swap_halves", 0, 33, 32, 64));
    let error = SwapHalves::dispatch(&seq, Grid::items(64), &x, &mut y).expect_err("one row of two");
    assert!(error.to_string().contains("along axis 1 are no multiple of 2"), "{error}");
    seq.eval().expect("nothing was recorded");
    SwapHalves::dispatch(&seq, Grid::items([96, 2]), &x, &mut y).expect("whole");
    SwapHalves::dispatch(&seq, Grid::groups(4), &x, &mut y).expect("whole");
    seq.eval().expect("evaluated");
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
}

#[test]
fn divergent_barriers_are_errors_on_the_host() {
    let mgr = host(HostOptions::default());
    let mut y = mgr.tensor(&[0u32; 128]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Divergent::dispatch(&seq, Grid::items(128), &mut y).expect("recorded");
    let error = seq.eval().expect_err("divergent");
    let Error::DivergentBarrier { kernel, line, column, waiting, invocations, .. } = error else { panic!("{error}") };
    assert_eq!((&*kernel, line, column, waiting, invocations), ("divergent", 20, 9, 10, 64));
    let seq = mgr.sequence().expect("a sequence");
    DifferentBarriers::dispatch(&seq, Grid::items(64), &mut y).expect("recorded");
    let error = seq.eval().expect_err("two barriers").to_string();
    assert!(error.contains("others wait at") && error.contains("together.rs:28:9"), "{error}");
}

#[test]
fn a_panic_does_not_keep_others_at_the_barrier() {
    let mgr = Manager::new().expect("a device");
    let mut y = mgr.tensor(&[0u32; 64]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    PanicsBetweenBarriers::dispatch(&seq, Grid::items(64), &mut y).expect("recorded");
    seq.eval().expect("zero is fine");
    let error = seq.eval().expect_err("seven panics");
    let Error::KernelPanic { message, count, invocation, .. } = error else { panic!("{error}") };
    assert_eq!((message.as_str(), count, invocation), ("seven", 1, [7, 0, 0]));
    let expected: Vec<u32> = (0..64).rev().collect();
    assert_eq!(y.to_vec().expect("readable"), expected);
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
}

#[test]
fn the_seed_decides_the_order() {
    let order = |seed| {
        let mgr = host(HostOptions { seed, ..HostOptions::default() });
        let (counter, mut order) = (mgr.tensor(&[0u32]).expect("memory"), mgr.tensor(&[0u32; 256]).expect("memory"));
        let seq = mgr.sequence().expect("a sequence");
        Arrivals::dispatch(&seq, Grid::items(256), &counter, &mut order).expect("recorded");
        seq.eval().expect("evaluated");
        order.to_vec().expect("readable")
    };
    let (first, second) = (order(Some(1)), order(Some(2)));
    assert_eq!(first, order(Some(1)));
    assert_ne!(first, second);
    let mut all = first.clone();
    all.sort_unstable();
    assert_eq!(all, (0..256).collect::<Vec<_>>());
    let in_groups_of_16 = first.chunks(16).map(|chunk| chunk[0] / 16).collect::<Vec<_>>();
    assert_ne!(in_groups_of_16, (0..16).collect::<Vec<_>>(), "workgroups are permuted, too");
}

#[test]
fn subgroup_sizes_are_asked_for() {
    let mgr = Manager::new().expect("a device");
    let mut y = mgr.tensor(&[0u32; 64]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    let subgroup = mgr.device().limits.subgroup;
    let result = WideSubgroups::dispatch(&seq, Grid::items(64), &mut y);
    if subgroup.max_size < 64 {
        let error = result.expect_err("no such subgroups");
        assert!(matches!(error, Error::SubgroupSizeUnavailable { asked: 64, .. }), "{error}");
    } else {
        result.expect("recorded");
        seq.eval().expect("evaluated");
        assert_eq!(y.to_vec().expect("readable"), [128; 64]);
    }
    let seq = mgr.sequence().expect("a sequence");
    let result = NarrowSubgroups::dispatch(&seq, Grid::items(64), &mut y);
    if (subgroup.min_size..=subgroup.max_size).contains(&8) {
        result.expect("recorded");
        seq.eval().expect("evaluated");
        assert_eq!(y.to_vec().expect("readable"), [808; 64]);
    } else {
        let error = result.expect_err("no such subgroups");
        assert!(error.to_string().contains("asks for subgroups of 8"), "{error}");
    }
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    let odd = ManagerDesc {
        device: DeviceChoice::Host,
        host: HostOptions { subgroup_size: 12, ..HostOptions::default() },
        ..ManagerDesc::default()
    };
    assert!(matches!(Manager::with(odd), Err(Error::BadSubgroupSize { size: 12 })));
    assert_eq!(host(HostOptions { subgroup_size: 8, ..HostOptions::default() }).device().limits.subgroup.size, 8);
}

#[test]
fn atomics_are_writes() {
    let mgr = Manager::new().expect("a device");
    let values = mgr.tensor(&[0u32; 4]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    let error = CountTwice::dispatch(&seq, Grid::items(1), &values, &values).expect_err("written twice");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    for _ in 0..20 {
        Count::dispatch(&seq, Grid::items(1000), &values).expect("recorded");
    }
    seq.eval().expect("evaluated");
    assert_eq!(values.to_vec().expect("readable"), [5000; 4]);
    if mgr.device().kind != DeviceKind::Host {
        assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    }
}

/// Such atomics are exchanged with the words that they are in, of which an application's buffer may have a part only.
#[test]
fn atomics_of_bytes_stay_within_a_borrowed_buffer() {
    let mgr = Manager::new().expect("a device");
    let mut copy = mgr.tensor(&[0u8; 1024]).expect("memory");
    // Stands for a buffer of an application's.
    let whole = mgr.tensor(&[7u8; 1024]).expect("memory");
    let Some(range) = whole.vulkan_buffer() else {
        assert_eq!(mgr.device().kind, DeviceKind::Host, "others have buffers");
        return;
    };
    let borrow = |name, offset, bytes, len| {
        let range = BufferRange { buffer: range.buffer, offset: range.offset + offset, bytes };
        // SAFETY: of this manager, with all usages; `whole` lives longer and is not used meanwhile.
        unsafe { mgr.tensor_from_buffer::<u8>(name, range, len) }
    };
    let refused = borrow("odd", 256, 7, 5);
    assert!(matches!(refused, Err(Error::OutOfRange { bytes: 8, size: 7, .. })), "{refused:?}");
    let (odd, all) = (borrow("odd", 256, 11, 5).expect("two words"), borrow("all", 0, 1024, 1024).expect("all of it"));
    let seq = mgr.sequence().expect("a sequence");
    Tally::dispatch(&seq, Grid::items(500), &odd).expect("recorded");
    // Nobody knows that these two are one.
    seq.record(OpBarrier).expect("recorded").record(OpCopy::new(&all, &mut copy)).expect("recorded");
    seq.eval().expect("evaluated");
    let mut expected = [7u8; 1024];
    expected[256..261].fill(107);
    assert_eq!(copy.to_vec().expect("readable"), expected);
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
}

#[test]
fn large_locals_have_room_on_the_host() -> gridwise::Result<()> {
    let manager = host(HostOptions::default());
    let x = manager.tensor(&(0..8u32).collect::<Vec<_>>())?;
    let mut y = manager.tensor(&[0u32; 8])?;
    let seq = manager.sequence()?;
    WaitsWithATable::dispatch(&seq, Grid::groups(1), &x, &mut y)?;
    seq.eval()?;
    assert_eq!(y.to_vec()?, [101, 102, 103, 104, 105, 106, 107, 108]);
    y.write(&[0; 8])?;
    let seq = manager.sequence()?;
    AloneWithATable::dispatch(&seq, Grid::groups(1), &x, &mut y)?;
    seq.eval()?;
    assert_eq!(y.to_vec()?, [101, 102, 103, 104, 105, 106, 107, 108]);
    Ok(())
}

#[test]
fn chains_of_calls_and_messages_have_room_on_the_host() -> gridwise::Result<()> {
    let manager = host(HostOptions::default());
    let x = manager.tensor(&(0..8u32).collect::<Vec<_>>())?;
    let mut y = manager.tensor(&[0u32; 8])?;
    let seq = manager.sequence()?;
    ChainOfTables::dispatch(&seq, Grid::groups(1), &x, &mut y)?;
    let error = seq.eval().unwrap_err();
    assert!(matches!(&error, Error::KernelPanic { message, .. } if message == "table of 12"), "{error}");
    Ok(())
}

#[test]
fn locals_up_to_the_limit_run_on_the_host() -> gridwise::Result<()> {
    let manager = host(HostOptions::default());
    let x = manager.tensor(&(0..8u32).collect::<Vec<_>>())?;
    let mut y = manager.tensor(&[0u32; 8])?;
    let seq = manager.sequence()?;
    AlmostTooManyLocals::dispatch(&seq, Grid::items(1), &x, &mut y)?.eval()?;
    assert_eq!(y.to_vec()?[0], 107);
    let error = TooManyLocals::dispatch(&seq, Grid::items(1), &x, &mut y)?.eval().unwrap_err();
    let limit = 134_217_728;
    assert!(
        matches!(error, Error::LocalsTooLarge { asked, limit: found, .. } if asked > limit && found == limit),
        "{error}"
    );
    let estimate = <PassesTablesOn as gridwise::Kernel>::DESCRIPTOR.host_stack;
    assert!(estimate.bytes > 1 << 30 && estimate.locals < limit, "{estimate:?}");
    match PassesTablesOn::dispatch(&seq, Grid::items(1), &x, &mut y)?.eval() {
        Ok(()) => assert_eq!(y.to_vec()?[0], 1 + 4 * 10 + 2 * 100 + 12 * 1000),
        // A system that grants no more memory than it has.
        Err(error) => assert!(matches!(error, Error::OutOfMemory { .. }), "{error}"),
    }
    Ok(())
}

#[test]
fn locals_beyond_the_limit_are_an_error_on_the_host() -> gridwise::Result<()> {
    let manager = host(HostOptions::default());
    let x = manager.tensor(&[0u32; 8])?;
    let mut y = manager.tensor(&[0u32; 8])?;
    let seq = manager.sequence()?;
    FarTooManyLocals::dispatch(&seq, Grid::groups(1), &x, &mut y)?;
    let error = seq.eval().unwrap_err();
    assert!(matches!(error, Error::LocalsTooLarge { asked: 268_435_456, limit: 134_217_728, .. }), "{error}");
    Ok(())
}
