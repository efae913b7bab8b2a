//! From the start of a process to the first result: without kept pipelines, with an empty folder for them, with a filled one.
//!
//! Starts itself as a child for each run. Drivers have caches of their own, which their own settings turn off
//! (`MESA_SHADER_CACHE_DISABLE=true`, `__GL_SHADER_DISK_CACHE=0`).

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use gridwise::prelude::*;

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

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("--child") => child(),
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

/// Runs a child, which keeps its pipelines in a folder or nowhere; the time of it all, and what it printed.
fn time_child(folder: Option<&Path>) -> Result<(Duration, String), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.arg("--child").env("GRIDWISE_CACHE_DIR", folder.map_or("off".as_ref(), Path::as_os_str));
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
    let contenders: [(&str, Option<&Path>, bool); 3] =
        [("off", None, false), ("cold", Some(&folder), true), ("warm", Some(&folder), false)];
    let mut times = [(); 3].map(|()| Vec::new());
    let mut said = [(); 3].map(|()| String::new());
    for _ in 0..RUNS {
        // In turns; the cold run fills the folder for the warm one.
        for (at, (_, kept, is_cold)) in contenders.iter().enumerate() {
            if *is_cold {
                remove(&folder)?;
            }
            let (time, text) = time_child(*kept)?;
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
