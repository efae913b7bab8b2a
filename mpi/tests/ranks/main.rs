//! Programs on one to four ranks: each case starts this binary again by `mpirun` and reads how it ended.
//!
//! The device is that of the environment, as everywhere: `GRIDWISE_DEVICE`, or what the Vulkan loader finds. `GRIDWISE_MPI_WRAPPER` names
//! a program and its arguments that start each rank, such as `tests/env/on current`.

mod collectives;
mod errors;
mod halos;
#[path = "../../../tests/fault-layer/suites/faults/layer.rs"]
mod layer;
mod lost;

use std::error::Error;
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use gridwise_mpi::{Rank, run};
use libtest_mimic::{Arguments, Failed, Trial};

type Outcome = Result<(), Box<dyn Error>>;

/// The case that a rank runs; unset in the process that starts the ranks.
const CASE: &str = "GRIDWISE_MPI_CASE";

/// The case whose ranks all name the host device by the environment.
const ONE_DEVICE: &str = "ranks_on_one_device";

/// Ranks that wait for one that is gone would wait for ever.
const LIMIT: Duration = Duration::from_secs(120);

struct Case {
    name: &'static str,
    /// Numbers of ranks to run it on.
    ranks: &'static [usize],
    program: fn(&Rank) -> Outcome,
    /// The error that must end all ranks; `None` where all must succeed.
    error: Option<&'static str>,
}

const fn works(name: &'static str, ranks: &'static [usize], program: fn(&Rank) -> Outcome) -> Case {
    Case { name, ranks, program, error: None }
}

const fn fails(name: &'static str, error: &'static str, program: fn(&Rank) -> Outcome) -> Case {
    Case { name, ranks: &[4], program, error: Some(error) }
}

const CASES: &[Case] = &[
    works("halos_of_lines", &[1, 2, 3, 4], halos::lines),
    works("halos_of_planes", &[1, 2, 4], halos::planes),
    works("halos_of_boxes", &[1, 2, 4], halos::boxes),
    works("heat_has_the_bits_of_one_rank", &[1, 2, 4], halos::heat),
    works("halos_are_used_in_turn", &[2], halos::turns),
    works("broadcasts", &[1, 4], collectives::broadcasts),
    works("gathers_of_unequal_parts", &[1, 3, 4], collectives::gathers),
    works("scatters", &[1, 4], collectives::scatters),
    works("reductions_have_a_fixed_order", &[1, 2, 4], collectives::reductions),
    works("reductions_of_few_elements", &[1, 3], collectives::few_elements),
    works("disagreements_are_errors_on_all_ranks", &[2, 4], errors::disagreements),
    works("one_rank_that_cannot_is_told_to_the_others", &[2, 4], errors::one_rank_cannot),
    works("boxes_that_do_not_fit", &[4], errors::boxes),
    works("communicators_of_other_sizes", &[4], errors::other_communicators),
    works("communicators_of_one_and_three_ranks", &[4], errors::uneven_communicators),
    works("devices_of_ranks", &[1, 4], errors::devices),
    works(ONE_DEVICE, &[1, 4], errors::one_device),
    fails("an_error_ends_all_ranks", "error: rank 1 of 4: out of cheese", errors::fails),
    fails("a_panic_ends_all_ranks", "error: rank 1 of 4 panicked", errors::panics),
    works("a_lost_device_is_told_to_the_neighbours", &[2, 4], lost::is_told),
    fails("a_lost_device_ends_all_ranks", "the device is lost; call", lost::ends_all),
    fails("a_killed_rank_ends_all_ranks", "signal 9", errors::is_killed),
    fails("a_halo_dropped_in_flight_does_not_wait", "error: rank 1 of 4: gave up", halos::gives_up),
];

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        let Some(case) = CASES.iter().find(|case| case.name == name) else {
            eprintln!("there is no case `{name}`");
            return ExitCode::FAILURE;
        };
        if name == ONE_DEVICE {
            // SAFETY: no other thread is there yet.
            unsafe { std::env::set_var("GRIDWISE_DEVICE", "host") };
        }
        if name.contains("lost")
            // SAFETY: no other thread is there yet.
            && let Err(error) = unsafe { lost::load() }
        {
            eprintln!("the fault layer does not load: {error}");
            return ExitCode::FAILURE;
        }
        return run(case.program);
    }
    let trials = CASES.iter().flat_map(|case| {
        case.ranks
            .iter()
            .map(move |&ranks| Trial::test(format!("{} on {ranks}", case.name), move || check(case, ranks)))
    });
    // Ranks of several cases beside each other would only wait for cores.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn check(case: &Case, ranks: usize) -> Result<(), Failed> {
    let output = start(case.name, ranks)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    match case.error {
        None if output.status.success() => Ok(()),
        None => Err(format!("{}\n{text}", output.status).into()),
        Some(_) if output.status.success() => Err("all ranks succeeded".into()),
        Some(error) if text.contains(error) => Ok(()),
        Some(error) => Err(format!("no `{error}` in\n{text}").into()),
    }
}

/// Runs a case by `mpirun`, for as long as it may take.
fn start(name: &str, ranks: usize) -> Result<Output, Failed> {
    let mut command = Command::new("mpirun");
    // Containers run as root, and have fewer cores than ranks.
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
    let wrapper = std::env::var("GRIDWISE_MPI_WRAPPER").unwrap_or_default();
    command
        .args(wrapper.split_whitespace())
        .arg(std::env::current_exe()?)
        .env(CASE, name)
        .env("OMPI_MCA_mpi_yield_when_idle", "1");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > LIMIT {
            child.kill()?;
            let output = child.wait_with_output()?;
            return Err(format!("not done after {LIMIT:?}:\n{}", String::from_utf8_lossy(&output.stderr)).into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(child.wait_with_output()?)
}
