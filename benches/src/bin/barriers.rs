//! The host device beside a Vulkan device that is the processor, too, on kernels whose invocations wait for each other.
//!
//! `tests/env/on current target/release/barriers` compares with lavapipe. Both use the processor, so their times are those that all threads
//! of this process have run, which other programs on the machine do not change much.

use gridwise::prelude::*;
use gridwise::{DeviceChoice, ManagerDesc};

/// The sum of a workgroup's numbers, by a tree.
#[device]
fn sum_of(slots: &mut [f32], own: f32) -> f32 {
    let local = local_id().x as usize;
    slots[local] = own;
    barrier();
    let mut stride = 128;
    while stride > 0 {
        if local < stride {
            slots[local] += slots[local + stride];
        }
        barrier();
        stride /= 2;
    }
    let sum = slots[0];
    barrier();
    sum
}

/// Brings each row to a mean of 0 and a variance of 1.
#[kernel(workgroup = 256)]
fn layer_norm(columns: u32, x: &[f32], y: &mut [f32]) {
    let mut slots = Shared::<[f32; 256]>::new();
    let columns = columns as usize;
    let row = workgroup_id().x as usize * columns;
    let local = local_id().x as usize;
    let mut sum = 0.0;
    for i in (local..columns).step_by(256) {
        sum += x[row + i];
    }
    let mean = sum_of(&mut slots[..], sum) / columns as f32;
    let mut squares = 0.0;
    for i in (local..columns).step_by(256) {
        let difference = x[row + i] - mean;
        squares += difference * difference;
    }
    let variance = sum_of(&mut slots[..], squares) / columns as f32;
    let scale = 1.0 / (variance + 1e-5).sqrt();
    for i in (local..columns).step_by(256) {
        y[row + i] = (x[row + i] - mean) * scale;
    }
}

/// One barrier: what each workgroup has, the other way round.
#[kernel(workgroup = 256)]
fn reversed(columns: u32, x: &[f32], y: &mut [f32]) {
    let slots = Shared::<[f32; 256]>::new();
    let (row, local) = (workgroup_id().x * columns, local_id().x);
    slots[local] = x[row + local];
    barrier();
    y[row + local] = slots[255 - local];
}

/// Sums of subgroups.
#[kernel(workgroup = 256)]
fn subgroup_sums(columns: u32, x: &[f32], y: &mut [f32]) {
    let at = workgroup_id().x * columns + local_id().x;
    y[at] = subgroup::add(x[at]) + subgroup::max(x[at]);
}

const ROWS: usize = 16;
const COLUMNS: usize = 1000;
const LAUNCHES: u32 = 50;

/// Seconds that the threads of this process have run.
fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of this function's own.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "every process has such a clock");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

type Record = fn(&Sequence, u32, &Tensor<f32>, &mut Tensor<f32>) -> gridwise::Result<()>;

/// Milliseconds of the processor for a launch, and what it wrote.
fn measured(manager: &Manager, record: Record) -> gridwise::Result<(f64, Vec<f32>)> {
    let values: Vec<f32> = (0..ROWS * COLUMNS).map(|i| (i % 37) as f32).collect();
    let x = manager.tensor(&values)?;
    let mut y = manager.tensor(&vec![0.0f32; ROWS * COLUMNS])?;
    let sequence = manager.sequence()?;
    record(&sequence, COLUMNS as u32, &x, &mut y)?;
    sequence.eval()?;
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let start = processor_seconds();
        for _ in 0..LAUNCHES {
            sequence.eval()?;
        }
        least = least.min((processor_seconds() - start) * 1e3 / f64::from(LAUNCHES));
    }
    Ok((least, y.to_vec()?))
}

fn main() -> gridwise::Result<()> {
    let host = Manager::with(ManagerDesc { device: DeviceChoice::Host, ..ManagerDesc::default() })?;
    let other = Manager::with(ManagerDesc::default())?;
    let kernels: [(&str, Record); 3] = [
        ("layer_norm", |seq, n, x, y| LayerNorm::dispatch(seq, Grid::groups(ROWS as u32), n, x, y).map(|_| ())),
        ("reversed", |seq, n, x, y| Reversed::dispatch(seq, Grid::groups(ROWS as u32), n, x, y).map(|_| ())),
        ("subgroup_sums", |seq, n, x, y| SubgroupSums::dispatch(seq, Grid::groups(ROWS as u32), n, x, y).map(|_| ())),
    ];
    println!("host beside {}: milliseconds of the processor for a launch", other.device().name);
    println!("{:<14} {:>8} {:>8} {:>6}", "kernel", "host", "other", "ratio");
    for (name, record) in kernels {
        let (ours, _) = measured(&host, record)?;
        let (theirs, _) = measured(&other, record)?;
        println!("{name:<14} {ours:>8.3} {theirs:>8.3} {:>6.2}", ours / theirs);
    }
    Ok(())
}
