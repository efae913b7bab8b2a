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

/// The sum of each workgroup's numbers, by a tree.
#[kernel(workgroup = 256)]
fn tree(columns: u32, x: &[f32], y: &mut [f32]) {
    let mut slots = Shared::<[f32; 256]>::new();
    let (row, local) = (workgroup_id().x * columns, local_id().x);
    let mut sum = 0.0;
    for part in 0..columns / 256 {
        sum += x[row + part * 256 + local];
    }
    let sum = sum_of(&mut slots[..], sum);
    if local == 0 {
        y[row] = sum;
    }
}

/// The sums of all numbers of a workgroup up to each.
#[kernel(workgroup = 256)]
fn scan(columns: u32, x: &[f32], y: &mut [f32]) {
    let slots = Shared::<[[f32; 256]; 2]>::new();
    let (row, local) = (workgroup_id().x * columns, local_id().x);
    slots[0][local] = x[row + local];
    barrier();
    let (mut from, mut stride) = (0u32, 1);
    while stride < 256 {
        let own = slots[from][local];
        let to = 1 - from;
        slots[to][local] = if local >= stride { own + slots[from][local - stride] } else { own };
        barrier();
        from = to;
        stride *= 2;
    }
    y[row + local] = slots[from][local];
}

/// Squares of 16 × 16 numbers on their sides, side by side: one for each 256 columns of a row.
#[kernel(workgroup = [16, 16])]
fn transpose(columns: u32, x: &[f32], y: &mut [f32]) {
    let tile = Shared::<[[f32; 17]; 16]>::new();
    let (local, row) = (local_id(), workgroup_id().x * columns);
    for part in 0..columns / 256 {
        let first = row + part * 256;
        tile[local.y][local.x] = x[first + local.y * 16 + local.x];
        barrier();
        y[first + local.y * 16 + local.x] = tile[local.x][local.y];
        barrier();
    }
}

/// A product of matrices of 256 × 256, in tiles.
#[kernel(workgroup = [16, 16])]
fn matrix_product(columns: u32, x: &[f32], y: &mut [f32]) {
    let a = Shared::<[[f32; 16]; 16]>::new();
    let b = Shared::<[[f32; 16]; 16]>::new();
    let (local, group) = (local_id(), workgroup_id().x);
    let (row, column) = (group / 16 * 16 + local.y, group % 16 * 16 + local.x);
    let mut sum = 0.0;
    for tile in 0..columns / 16 {
        a[local.y][local.x] = x[row * columns + tile * 16 + local.x];
        b[local.y][local.x] = x[(tile * 16 + local.y) * columns + column];
        barrier();
        for k in 0..16 {
            sum += a[local.y][k] * b[k][local.x];
        }
        barrier();
    }
    // SAFETY: each invocation has a row and a column of its own, by `group` and `local`.
    unsafe { y.unordered()[row * columns + column] = sum };
}

/// Sorts the first 256 numbers of each row.
#[kernel(workgroup = 256)]
fn bitonic(columns: u32, x: &[f32], y: &mut [f32]) {
    let slots = Shared::<[f32; 256]>::new();
    let (row, local) = (workgroup_id().x * columns, local_id().x);
    slots[local] = x[row + local];
    barrier();
    let mut size = 2;
    while size <= 256 {
        let mut stride = size / 2;
        while stride > 0 {
            let other = local ^ stride;
            if other > local {
                let (low, high) = (slots[local], slots[other]);
                if (low > high) == (local & size == 0) {
                    slots[local] = high;
                    slots[other] = low;
                }
            }
            barrier();
            stride /= 2;
        }
        size *= 2;
    }
    y[row + local] = slots[local];
}

/// How often each number of a row occurs.
#[kernel(workgroup = 256)]
fn histogram(columns: u32, x: &[f32], y: &mut [f32]) {
    let bins = Shared::<[Atomic<u32>; 256]>::new();
    let (row, local) = (workgroup_id().x * columns, local_id().x);
    bins[local].store(0, Relaxed);
    barrier();
    for i in (local..columns).step_by(256) {
        bins[x[row + i] as u32 & 255].fetch_add(1, Relaxed);
    }
    barrier();
    y[row + local] = bins[local].load(Relaxed) as f32;
}

/// Sums of subgroups.
#[kernel(workgroup = 256, subgroup = 8)]
fn subgroup_sums(columns: u32, x: &[f32], y: &mut [f32]) {
    let at = workgroup_id().x * columns + local_id().x;
    y[at] = subgroup::add(x[at]) + subgroup::max(x[at]);
}

/// Workgroups, numbers for each, and launches in a measurement.
const SIZES: [(u32, u32, u32); 2] = [(16, 1000, 50), (256, 256, 10)];

/// Seconds that the threads of this process have run.
fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of this function's own.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "every process has such a clock");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

type Record = fn(&Sequence, Grid, u32, &Tensor<f32>, &mut Tensor<f32>) -> gridwise::Result<()>;

/// A device with what is launched there.
struct Side {
    sequence: Sequence,
    y: Tensor<f32>,
    /// Milliseconds of the processor for a launch.
    least: f64,
}

impl Side {
    fn new(manager: &Manager, record: Record, (groups, columns): (u32, u32)) -> gridwise::Result<Self> {
        let count = groups * columns;
        let values: Vec<f32> = (0..count).map(|i| (i * 7919 % 251) as f32).collect();
        let x = manager.tensor(&values)?;
        let mut y = manager.tensor(&vec![0.0f32; count as usize])?;
        let sequence = manager.sequence()?;
        record(&sequence, Grid::groups(groups), columns, &x, &mut y)?;
        sequence.eval()?;
        Ok(Self { sequence, y, least: f64::INFINITY })
    }

    fn measure(&mut self, launches: u32) -> gridwise::Result<()> {
        let start = processor_seconds();
        for _ in 0..launches {
            self.sequence.eval()?;
        }
        self.least = self.least.min((processor_seconds() - start) * 1e3 / f64::from(launches));
        Ok(())
    }
}

macro_rules! kernels {
    ($($name:ident)+) => {
        [$((stringify!($name), |seq, grid, n, x, y| $name::dispatch(seq, grid, n, x, y).map(|_| ()))),+]
    };
}

fn main() -> gridwise::Result<()> {
    let only = std::env::args().nth(1);
    let host = Manager::with(ManagerDesc { device: DeviceChoice::Host, ..ManagerDesc::default() })?;
    let other = Manager::with(ManagerDesc::default())?;
    let kernels: [(&str, Record); 9] =
        kernels!(LayerNorm Reversed Tree Scan Transpose MatrixProduct Bitonic Histogram SubgroupSums);
    println!("host beside {}: milliseconds of the processor for a launch", other.device().name);
    println!("{:<14} {:>11} {:>8} {:>8} {:>6}", "kernel", "numbers", "host", "other", "ratio");
    for (name, record) in kernels {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        for (groups, columns, launches) in SIZES {
            // The matrices of a product are square.
            if name == "MatrixProduct" && groups != columns {
                continue;
            }
            let mut sides =
                [Side::new(&host, record, (groups, columns))?, Side::new(&other, record, (groups, columns))?];
            for _ in 0..15 {
                for side in &mut sides {
                    side.measure(launches)?;
                }
            }
            let [ours, theirs] = &sides;
            let differs =
                ours.y.to_vec()?.iter().zip(theirs.y.to_vec()?).any(|(a, b)| (a - b).abs() > 1e-3 * b.abs().max(1.0));
            let remark = if differs { "  differs" } else { "" };
            println!(
                "{name:<14} {groups:>4} × {columns:<4} {:>8.3} {:>8.3} {:>6.2}{remark}",
                ours.least,
                theirs.least,
                ours.least / theirs.least
            );
        }
    }
    Ok(())
}
