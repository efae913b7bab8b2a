//! The frame of a program on several ranks: an error on one of them ends them all.

use std::error::Error as StdError;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use mpi::traits::Communicator;

use crate::error::Error;
use crate::rank::Rank;

/// How long a rank lets another one report why it failed.
const PAUSE: Duration = Duration::from_secs(2);

/// Runs a program on every rank, between MPI's initialization and its end.
///
/// An error or a panic of one rank is printed with the rank's number, and ends the program on all ranks with a non-zero exit status. No
/// rank waits for one that is gone. A rank with [`Error::OtherRank`] lets the other one report first.
///
/// ```no_run
/// use gridwise_mpi::run;
///
/// fn main() -> std::process::ExitCode {
///     run(|rank| {
///         let mgr = rank.manager()?;
///         println!("rank {} of {}: {}", rank.index(), rank.size(), mgr.device());
///         Ok(())
///     })
/// }
/// ```
///
/// A program that initializes MPI itself makes a [`Rank`] of its communicator, and calls `MPI_Abort` where a rank fails.
pub fn run(program: impl FnOnce(&Rank) -> Result<(), Box<dyn StdError>>) -> ExitCode {
    let Some(universe) = mpi::initialize() else {
        report(&Error::Initialized.to_string());
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    // Lives until the abort: what ends a rank on its own must not wait for others, as the end of a communicator may.
    let rank = match Rank::new(&world) {
        Ok(rank) => rank,
        Err(error) => fail(&world, &error),
    };
    match catch_unwind(AssertUnwindSafe(|| program(&rank))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            if let Some(Error::OtherRank { .. }) = error.downcast_ref() {
                // That rank knows the cause: it has the time to print it and to end all.
                std::thread::sleep(PAUSE);
            }
            fail(&world, &*error)
        }
        // The panic's message is printed already.
        Err(_) => {
            report(&format!("rank {} of {} panicked", world.rank(), world.size()));
            world.abort(101)
        }
    }
}

fn fail(world: &impl Communicator, error: &dyn StdError) -> ! {
    report(&format!("rank {} of {}: {error}", world.rank(), world.size()));
    world.abort(1)
}

/// Prints a line by one write: `eprintln!` writes each part of it alone, and the text of other processes comes between them.
fn report(message: &str) {
    // A closed stderr is no reason to fail in another way.
    let _ = std::io::stderr().write_all(format!("error: {message}\n").as_bytes());
}
