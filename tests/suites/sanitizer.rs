//! Faults that a device hides, in the sanitizer: each is an error that names both places in this file.

use gridwise::__private::twin::{HostArgs, HostGroup};
use gridwise::descriptor::KernelDescriptor;
use gridwise::prelude::*;
use gridwise::{Error, HostOptions, Kernel, KernelArgs, ManagerDesc};

/// The line of this file that ends with the comment `// NAME`.
fn line(name: &str) -> usize {
    let marker = format!("// {name}");
    include_str!("sanitizer.rs").lines().position(|line| line.ends_with(&marker)).expect("a marked line") + 1
}

fn faults(result: gridwise::Result<()>) -> Vec<String> {
    match result {
        Err(Error::KernelFaults { faults, .. }) => faults,
        other => panic!("no faults: {other:?}"),
    }
}

/// A sanitizer with some order of invocations.
fn manager(seed: u64) -> Manager {
    let host = HostOptions { seed: (seed > 0).then_some(seed), ..HostOptions::default() };
    let desc = ManagerDesc { device: gridwise::DeviceChoice::Sanitizer, host, ..ManagerDesc::default() };
    Manager::with(desc).expect("the sanitizer always starts")
}

/// # Safety
/// It races: the sanitizer shall find it.
#[kernel(workgroup = 64)]
unsafe fn reverse(x: &[u32], y: &mut [u32]) {
    let tile = Shared::<[u32; 64]>::new();
    let i = local_index();
    tile[i] = x[i]; // written
    y[i] = tile[63 - i]; // read
}

/// `reverse` as a crate has it that was compiled without the sanitizer.
struct WithoutIr;

// SAFETY: the descriptor and the function are those of a kernel.
unsafe impl Kernel for WithoutIr {
    const DESCRIPTOR: &'static KernelDescriptor = &KernelDescriptor { ir: None, ..*<Reverse as Kernel>::DESCRIPTOR };
    const CONSTANTS: &'static [u64] = <Reverse as Kernel>::CONSTANTS;

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        <Reverse as Kernel>::host(args, group);
    }
}

#[test]
fn a_kernel_without_its_intermediate_form_is_an_error() {
    let mgr = manager(0);
    let (x, mut y) = (mgr.tensor(&[1u32; 64]).expect("memory"), mgr.tensor(&[2u32; 64]).expect("memory"));
    let seq = mgr.sequence().expect("a sequence");
    let args = KernelArgs::new::<WithoutIr>().read(&x).write(&mut y);
    let error = seq.dispatch(Grid::items(64), args).expect("recorded").eval().expect_err("nothing to run");
    assert!(matches!(&error, Error::NoIntermediate { kernel } if **kernel == *"reverse"), "{error}");
    assert_eq!(y.to_vec().expect("readable"), [2; 64]);
}

#[test]
fn a_missing_barrier_is_a_race() {
    for seed in 0..4 {
        let mgr = manager(seed);
        let x = mgr.tensor(&(0..64u32).collect::<Vec<_>>()).expect("memory");
        let mut y = mgr.tensor_of_len::<u32>(64).expect("memory");
        let seq = mgr.sequence().expect("a sequence");
        // SAFETY: the sanitizer keeps races defined.
        unsafe { Reverse::dispatch(&seq, Grid::items(64), &x, &mut y) }.expect("recorded");
        let found = faults(seq.eval());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("data race on `tile["), "{found:?}");
        for place in ["written", "read"] {
            assert!(found[0].contains(&format!("suites/sanitizer.rs:{}:", line(place))), "{place}: {found:?}");
        }
    }
}

/// # Safety
/// It races: the sanitizer shall find it.
#[kernel(workgroup = 32)]
unsafe fn count(x: &[u32], bins: &mut [u32]) {
    let bin = x[global_id().x] % 4;
    bins[bin] += 1; // lost
}

#[test]
fn lost_updates_are_a_race() {
    let mgr = manager(0);
    let x = mgr.tensor(&(0..64u32).collect::<Vec<_>>()).expect("memory");
    let mut bins = mgr.tensor_of_len::<u32>(4).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    // SAFETY: the sanitizer keeps races defined.
    unsafe { Count::dispatch(&seq, Grid::items(64), &x, &mut bins) }.expect("recorded");
    let found = faults(seq.eval());
    assert!(found.iter().all(|fault| fault.starts_with("data race on `bins[")), "{found:?}");
    assert!(found[0].contains(&format!("suites/sanitizer.rs:{}:", line("lost"))), "{found:?}");
}

/// # Safety
/// It races: the sanitizer shall find it.
#[kernel(workgroup = 32)]
unsafe fn count_apart(x: &[u32], bins: &mut [&mut [u32]]) {
    let i = global_id().x;
    let k = i % 2;
    bins[k][x[i] % 4] += 1; // lost apart
}

#[test]
fn a_race_in_a_list_names_the_buffer() {
    let mgr = manager(0);
    let x = mgr.tensor(&[2u32; 64]).expect("memory");
    let (mut even, mut odd) =
        (mgr.tensor_of_len::<u32>(3).expect("memory"), mgr.tensor_of_len::<u32>(4).expect("memory"));
    let seq = mgr.sequence().expect("a sequence");
    // SAFETY: the sanitizer keeps races defined.
    unsafe { CountApart::dispatch(&seq, Grid::items(64), &x, &mut [&mut even, &mut odd]) }.expect("recorded");
    let found = faults(seq.eval());
    let is_named =
        |fault: &String| ["bins[0][2]", "bins[1][2]"].iter().any(|name| fault.contains(&format!("`{name}`")));
    assert!(found.iter().all(is_named), "{found:?}");
    assert!(found[0].contains(&format!("suites/sanitizer.rs:{}:", line("lost apart"))), "{found:?}");
    // What is in order is written back to where it belongs.
    let seq = mgr.sequence().expect("a sequence");
    // SAFETY: the sanitizer keeps races defined.
    unsafe { CountApart::dispatch(&seq, Grid::items(2), &x, &mut [&mut even, &mut odd]) }.expect("recorded");
    even.write(&[0; 3]).expect("written");
    odd.write(&[0; 4]).expect("written");
    seq.eval().expect("no races");
    assert_eq!((even.to_vec().expect("readable"), odd.to_vec().expect("readable")), (vec![0, 0, 1], vec![0, 0, 1, 0]));
}

#[kernel(workgroup = 16)]
fn half_waits(y: &mut [u32]) {
    let i = local_index();
    if workgroup_uniform(i < 8) {
        barrier(); // waits
    }
    y[i] = i;
}

#[test]
fn a_barrier_for_some_is_found() {
    let mgr = manager(0);
    let mut y = mgr.tensor_of_len::<u32>(16).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    HalfWaits::dispatch(&seq, Grid::items(16), &mut y).expect("recorded");
    let found = faults(seq.eval());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("barrier that not all invocations reach"), "{found:?}");
    assert!(found[0].contains(&format!("suites/sanitizer.rs:{}:", line("waits"))), "{found:?}");
}

#[kernel(workgroup = 16)]
fn sum(x: &[u32], y: &mut [u32]) {
    let tile = Shared::<[u32; 16]>::new();
    let i = local_index();
    tile[i] = x[global_id().x];
    barrier();
    if i == 0 {
        let mut sum = 0;
        for at in 0..16u32 {
            sum += tile[at];
        }
        y[workgroup_id().x] = sum;
    }
}

#[test]
fn what_is_right_has_no_faults() {
    for seed in 0..4 {
        let mgr = manager(seed);
        let x = mgr.tensor(&(0..64u32).collect::<Vec<_>>()).expect("memory");
        let mut y = mgr.tensor_of_len::<u32>(4).expect("memory");
        let seq = mgr.sequence().expect("a sequence");
        Sum::dispatch(&seq, Grid::items(64), &x, &mut y).expect("recorded");
        seq.eval().expect("no fault");
        assert_eq!(y.to_vec().expect("readable"), [120, 376, 632, 888]);
    }
}

#[kernel(workgroup = 1)]
fn past_the_end(y: &mut [u32]) {
    // The host does not know the element, and lets the launch pass.
    let last = y.len() + y[0] as usize;
    y[last] = 1; // outside
}

#[test]
fn panics_are_the_same_as_elsewhere() {
    let mgr = Manager::sanitizer();
    let mut y = mgr.tensor_of_len::<u32>(3).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    PastTheEnd::dispatch(&seq, Grid::items(1), &mut y).expect("recorded");
    match seq.eval() {
        Err(Error::KernelPanic { message, line: at, .. }) => {
            assert_eq!(message, "index out of bounds: the len is 3 but the index is 3");
            assert_eq!(at as usize, line("outside"));
        }
        other => panic!("no panic: {other:?}"),
    }
}

/// Kernels of the corpus that the analysis of races does not understand, or that do race on launches other than theirs. The number may only
/// fall.
const MOST_UNPROVEN: usize = 30;

#[test]
fn kernels_of_the_corpus_are_proven_free_of_races() {
    let mut texts: Vec<(&str, &str)> = gridwise_tests::kernels::all()
        .iter()
        .flat_map(|case| case.kernels)
        .map(|kernel| (kernel.name, kernel.ir.expect("the sanitizer keeps the IR")))
        .collect();
    texts.sort_unstable();
    texts.dedup();
    let mut unproven = Vec::new();
    for (name, text) in &texts {
        let mut module = gridwise_ir::parse::parse(text).expect("a module");
        gridwise_ir::passes::expose(&mut module).expect("a small kernel");
        let analysis = gridwise_ir::races::analyse(&module);
        if let Some(race) = analysis.races.first() {
            unproven.push(format!("{name}: `{}`: {}", race.name, race.reason.text()));
        }
    }
    println!("{} of {} kernels are proven", texts.len() - unproven.len(), texts.len());
    assert!(unproven.len() <= MOST_UNPROVEN, "{} are not proven: {unproven:#?}", unproven.len());
}
