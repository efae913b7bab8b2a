//! From the start of a process to the first result: without kept pipelines, with an empty folder for them, with a filled one; and of a
//! program that does the same by hand, with modules that are there already and nothing kept.
//!
//! Starts itself as a child for each run. Drivers have caches of their own, which their own settings turn off
//! (`MESA_SHADER_CACHE_DISABLE=true`, `__GL_SHADER_DISK_CACHE=0`).

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use gridwise::Kernel;
use gridwise::descriptor::{HAS_FMA, IS_FULL, IS_PROVEN, KernelDescriptor};
use gridwise::prelude::*;
use gridwise_benches::raw::{RawDevice, Reference, Stage};
use gridwise_ir::faults::Faults;
use gridwise_ir::variant::{VariantDesc, variant};

#[kernel(workgroup = 256)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

#[kernel(workgroup = 64)]
fn row_sums<const WIDTH: u32>(from: &[f32], sums: &mut [f32]) {
    let row = global_id().x;
    let mut sum = 0.0;
    for column in 0..WIDTH {
        sum += (from[row * WIDTH + column] * 0.5).sin();
    }
    sums[row] = sum;
}

/// Elements of the input.
const LEN: usize = 1 << 14;
const RUNS: usize = 21;
/// Values of `WIDTH`.
const WIDTHS: [usize; 4] = [8, 16, 32, 64];

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("--child") => child(),
        Some("--by-hand") => by_hand(std::env::args().nth(2).as_deref().unwrap_or_default()),
        None => parent(),
        Some(other) => Err(format!("unknown argument `{other}`").into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Five pipelines, one result each; prints what the manager did.
fn child() -> Result<(), Box<dyn Error>> {
    let manager = Manager::new()?;
    let x = manager.tensor(&vec![1.0f32; LEN])?;
    let mut y = manager.tensor(&vec![2.0f32; LEN])?;
    let mut sums = manager.tensor_of_len::<f32>(LEN / 8)?;
    let sequence = manager.sequence()?;
    Saxpy::dispatch(&sequence, Grid::items(LEN), 3.0, &x, &mut y)?;
    RowSums::<8>::dispatch(&sequence, Grid::items(LEN / 8), &x, &mut sums)?;
    RowSums::<16>::dispatch(&sequence, Grid::items(LEN / 16), &x, &mut sums)?;
    RowSums::<32>::dispatch(&sequence, Grid::items(LEN / 32), &x, &mut sums)?;
    RowSums::<64>::dispatch(&sequence, Grid::items(LEN / 64), &x, &mut sums)?;
    sequence.eval()?;
    if y.to_vec()?.iter().any(|value| *value != 5.0) {
        return Err("a wrong result".into());
    }
    println!("{}: {}", manager.device(), manager.statistics());
    Ok(())
}

/// The same five pipelines and results with Vulkan's own calls.
fn by_hand(device: &str) -> Result<(), Box<dyn Error>> {
    let raw = RawDevice::open(device)?;
    let of = |kernel: &KernelDescriptor, width: Option<usize>| {
        let words = kernel.spirv.words().ok_or("no words")?;
        let told = [IS_PROVEN, HAS_FMA, IS_FULL].map(|id| (id, 1));
        let constants: Vec<_> = told.into_iter().chain(width.map(|width| (0, width as u64))).collect();
        let faults = Faults::NONE;
        let desc = VariantDesc { entry_point: kernel.entry_point, constants: &constants, keeps_names: false, faults };
        let bytes = variant(&words, &desc)?.into_iter().flat_map(u32::to_le_bytes).collect();
        let mut push = vec![0; kernel.push_constant_size as usize];
        push[..4].copy_from_slice(&3.0f32.to_le_bytes());
        Ok::<(Vec<u8>, Vec<u8>), Box<dyn Error>>((bytes, push))
    };
    let mut made = vec![(of(<Saxpy as Kernel>::DESCRIPTOR, None)?, [0, 1], LEN / 256)];
    for width in WIDTHS {
        made.push((of(<RowSums<8> as Kernel>::DESCRIPTOR, Some(width))?, [0, 2], LEN / width / 64));
    }
    let stages = made.iter().map(|((spirv, push), buffers, groups)| Stage {
        spirv,
        constants: &[],
        push: push.clone(),
        buffers,
        groups: [*groups as u32, 1, 1],
    });
    let stages: Vec<_> = stages.collect();
    let reference = Reference::new(&raw, &[4 * LEN as u64, 4 * LEN as u64, LEN as u64 / 2], &stages)?;
    reference.write(0, &vec![1.0f32; LEN])?;
    reference.write(1, &vec![2.0f32; LEN])?;
    reference.run(1)?;
    if reference.read::<f32>(1)?.iter().any(|value| *value != 5.0) {
        return Err("a wrong result".into());
    }
    println!("by hand");
    Ok(())
}

/// The process to start.
#[derive(Clone, Copy)]
enum Child<'a> {
    /// The runtime, which keeps its pipelines in a folder or nowhere.
    Ours(Option<&'a Path>),
    ByHand,
}

/// Runs a child; the time of it all, and what it printed.
fn time_child(child: Child<'_>, device: &str) -> Result<(Duration, String), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    match child {
        Child::Ours(folder) => {
            command.arg("--child").env("GRIDWISE_CACHE_DIR", folder.map_or("off".as_ref(), Path::as_os_str))
        }
        Child::ByHand => command.args(["--by-hand", device]),
    };
    let begun = Instant::now();
    let output = command.output()?;
    let elapsed = begun.elapsed();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok((elapsed, String::from_utf8_lossy(&output.stdout).trim().to_owned()))
}

fn parent() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("gridwise-first-launch-{}", std::process::id()));
    let device = Manager::new()?.device().name.clone();
    let contenders = [
        ("off", Child::Ours(None), false),
        ("cold", Child::Ours(Some(&folder)), true),
        ("warm", Child::Ours(Some(&folder)), false),
        ("hand", Child::ByHand, false),
    ];
    let mut times = [(); 4].map(|()| Vec::new());
    let mut said = [(); 4].map(|()| String::new());
    for _ in 0..RUNS {
        // In turns; the cold run fills the folder for the warm one.
        for (at, (_, child, is_cold)) in contenders.iter().enumerate() {
            if *is_cold {
                remove(&folder)?;
            }
            let (time, text) = time_child(*child, &device)?;
            times[at].push(time);
            said[at] = text;
        }
    }
    remove(&folder)?;
    println!("{:<6} {:>10} {:>10} {:>10}", "cache", "10 % ms", "median ms", "90 % ms");
    for ((name, ..), (times, said)) in contenders.iter().zip(times.iter_mut().zip(&said)) {
        times.sort_unstable();
        let at = |tenths: usize| times[(times.len() - 1) * tenths / 10].as_secs_f64() * 1e3;
        println!("{name:<6} {:>10.1} {:>10.1} {:>10.1}   {said}", at(1), at(5), at(9));
    }
    Ok(())
}

fn remove(folder: &PathBuf) -> Result<(), std::io::Error> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
