//! Runs the benches: `macro` (time per kernel, at opt-level 0 and 3), `launch` (cost of a dispatch) and `work` (time of kernels on
//! the device); all without arguments.
//!
//! Each bench is a program of its own, built by cargo from here, so that one can be copied to a machine without cargo.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use gridwise_benches::Error;

const USAGE: &str = "usage: gridwise-benches [macro] [launch] [work]";

/// Cargo's profiles to measure the macro in. `dev` has opt-level 0, as macros have in a build that says nothing about them.
const MACRO_PROFILES: [&str; 2] = ["dev", "release"];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = arguments.iter().find(|argument| !["macro", "launch", "work"].contains(&argument.as_str())) {
        eprintln!("{USAGE}");
        return Err(Error::Argument(unknown.clone()));
    }
    let wanted = |bench: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == bench);
    if wanted("macro") {
        MACRO_PROFILES.into_iter().try_for_each(|profile| run_bench("macro_time", profile))?;
    }
    if wanted("launch") {
        run_bench("launch_cost", "release")?;
    }
    if wanted("work") {
        run_bench("gpu_work", "release")?;
    }
    Ok(())
}

/// Builds a bench in a profile and runs it.
fn run_bench(bench: &str, profile: &str) -> Result<(), Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", env!("CARGO_PKG_NAME"), "--bin", bench, "--profile", profile, "--"]);
    command.args(["--profile", profile, "--out"]).arg(folder());
    let program = format!("{bench} in profile {profile}");
    let status = command.status().map_err(|source| Error::Start { program: program.clone(), source })?;
    if status.success() { Ok(()) } else { Err(Error::Program { program, status, output: String::new() }) }
}

/// The folder of the figures: `benches` in cargo's target folder.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let workspace = std::env::var_os("CARGO_MANIFEST_DIR").map(|package| PathBuf::from(package).join(".."));
    target.unwrap_or_else(|| workspace.unwrap_or_default().join("target")).join("benches")
}
