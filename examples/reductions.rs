//! One sum in seven steps, from an atomic addition for each element to `OpReduce`, with the device's time of each step. Each
//! result is checked. The guide's chapter on reductions explains the steps.

use std::{error::Error, process::ExitCode, time::Duration};

use gridwise::algorithms::OpReduce;
use gridwise::prelude::*;

/// Step 1: every invocation adds its element to one cell.
#[kernel(workgroup = 256)]
fn by_atomics(x: &[u32], total: &[Atomic<u32>]) {
    total[0].fetch_add(x[global_id().x], Relaxed);
}

/// Step 2: a workgroup adds up its elements in shared memory; neighbours first.
#[kernel(workgroup = 256)]
fn by_neighbours(x: &[u32], sums: &mut [u32]) {
    let parts = Shared::<[u32; 256]>::new();
    let local = local_id().x;
    parts[local] = x[global_id().x];
    barrier();
    let mut stride = 1;
    while stride < 256 {
        if local % (2 * stride) == 0 {
            parts[local] += parts[local + stride];
        }
        barrier();
        stride *= 2;
    }
    if local == 0 {
        sums[workgroup_id().x] = parts[0];
    }
}

/// Step 3: the same by halves, so that the invocations that still work are neighbours.
#[kernel(workgroup = 256)]
fn by_halves(x: &[u32], sums: &mut [u32]) {
    let parts = Shared::<[u32; 256]>::new();
    let local = local_id().x;
    parts[local] = x[global_id().x];
    barrier();
    let mut stride = 128;
    while stride > 0 {
        if local < stride {
            parts[local] += parts[local + stride];
        }
        barrier();
        stride /= 2;
    }
    if local == 0 {
        sums[workgroup_id().x] = parts[0];
    }
}

/// Step 4: each invocation adds up many elements first, one from each stretch of the grid's width.
#[kernel(workgroup = 256)]
fn by_strides(x: &[u32], sums: &mut [u32]) {
    let parts = Shared::<[u32; 256]>::new();
    let local = local_id().x;
    let mut sum = 0;
    let mut i = global_id().x;
    while i < x.len() as u32 {
        sum += x[i];
        i += num_workgroups().x * 256;
    }
    parts[local] = sum;
    barrier();
    let mut stride = 128;
    while stride > 0 {
        if local < stride {
            parts[local] += parts[local + stride];
        }
        barrier();
        stride /= 2;
    }
    if local == 0 {
        sums[workgroup_id().x] = parts[0];
    }
}

/// Step 5: subgroups add up without shared memory; one invocation adds the few sums that are left.
#[kernel(workgroup = 256)]
fn by_subgroups(x: &[u32], sums: &mut [u32]) {
    let parts = Shared::<[u32; 256]>::new();
    let mut sum = 0;
    let mut i = global_id().x;
    while i < x.len() as u32 {
        sum += x[i];
        i += num_workgroups().x * 256;
    }
    let sum = subgroup::add(sum);
    if subgroup_local_id() == 0 {
        parts[subgroup_id()] = sum;
    }
    barrier();
    if local_id().x == 0 {
        let mut total = 0;
        for k in 0..num_subgroups() {
            total += parts[k];
        }
        sums[workgroup_id().x] = total;
    }
}

/// Step 6: loads of four elements at once.
#[kernel(workgroup = 256)]
fn by_vectors(x: &[UVec4], sums: &mut [u32]) {
    let parts = Shared::<[u32; 256]>::new();
    let mut four = UVec4::ZERO;
    let mut i = global_id().x;
    while i < x.len() as u32 {
        four += x[i];
        i += num_workgroups().x * 256;
    }
    let sum = subgroup::add(four.element_sum());
    if subgroup_local_id() == 0 {
        parts[subgroup_id()] = sum;
    }
    barrier();
    if local_id().x == 0 {
        let mut total = 0;
        for k in 0..num_subgroups() {
            total += parts[k];
        }
        sums[workgroup_id().x] = total;
    }
}

/// Workgroups of the steps whose invocations add up many elements: enough to fill a large GPU.
const GROUPS: u32 = 1024;
const RUNS: usize = 7;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let exponent = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => 20,
        [exponent] => exponent.parse::<u32>().ok().filter(|n| (10..=28).contains(n)).ok_or("a number from 10 to 28")?,
        _ => return Err("usage: reductions [EXPONENT]   (2^EXPONENT elements; default: 20)".into()),
    };
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let len = 1u32 << exponent;
    let values: Vec<u32> = (0..len).map(|i| i.wrapping_mul(2_654_435_761) >> 16).collect();
    let expected = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
    let x = mgr.tensor(&values)?;
    let times = Times { mgr: &mgr, x: &x, expected, bytes: 4.0 * f64::from(len) };

    let all = len / 256;
    times.step("1 one atomic cell", 1, |seq, sums| {
        // Every run starts from zero.
        seq.record(gridwise::ops::OpFill::new(sums, 0))?;
        ByAtomics::dispatch(seq, Grid::items(len), &x, &*sums)?;
        Ok(())
    })?;
    times.step("2 neighbours", all, |seq, sums| ByNeighbours::dispatch(seq, Grid::items(len), &x, sums).map(|_| ()))?;
    times.step("3 halves", all, |seq, sums| ByHalves::dispatch(seq, Grid::items(len), &x, sums).map(|_| ()))?;
    let groups = Grid::groups(GROUPS.min(all));
    times.step("4 strides", GROUPS.min(all), |seq, sums| ByStrides::dispatch(seq, groups, &x, sums).map(|_| ()))?;
    times.step("5 subgroups", GROUPS.min(all), |seq, sums| BySubgroups::dispatch(seq, groups, &x, sums).map(|_| ()))?;
    times.step("6 vectors", GROUPS.min(all), |seq, sums| {
        ByVectors::dispatch(seq, groups, &*x.cast::<UVec4>()?, sums).map(|_| ())
    })?;
    times.step("7 OpReduce", 1, |seq, sums| seq.record(OpReduce::sum(&x, sums)?).map(|_| ()))?;
    println!("checked: all sums are {expected}");
    Ok(())
}

struct Times<'a> {
    mgr: &'a Manager,
    x: &'a Tensor<u32>,
    expected: u32,
    bytes: f64,
}

impl Times<'_> {
    /// Records a step, runs it, and prints the median of the device's times. The host adds the sums that the step leaves.
    fn step(
        &self,
        name: &str,
        sums: u32,
        record: impl FnOnce(&Sequence, &mut Tensor<u32>) -> gridwise::Result<()>,
    ) -> Result<(), Box<dyn Error>> {
        let mut sums = self.mgr.tensor_of_len::<u32>(sums as usize)?;
        let seq = self.mgr.sequence()?;
        record(&seq, &mut sums)?;
        let mut times =
            (0..RUNS).map(|_| Ok(seq.eval_profiled()?.device())).collect::<gridwise::Result<Vec<Duration>>>()?;
        times.sort_unstable();
        let found = sums.to_vec()?.into_iter().fold(0u32, u32::wrapping_add);
        if found != self.expected {
            return Err(format!(
                "{name}: the sum of {} elements is {found} instead of {}",
                self.x.len(),
                self.expected
            )
            .into());
        }
        let time = times[RUNS / 2];
        println!("{name:<18} {:>9.1} µs {:>8.1} GB/s", 1e6 * time.as_secs_f64(), self.bytes / time.as_secs_f64() / 1e9);
        Ok(())
    }
}
