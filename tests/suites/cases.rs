//! The harness of suites with tests that not every device can run: what cannot be is reported as ignored, with the reason.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};

/// Runs tests by their names; one that gives a text could not run, for that reason.
pub(crate) fn run(cases: Vec<(&'static str, fn() -> Option<&'static str>)>) -> ExitCode {
    let trial = |(name, test): (&'static str, fn() -> Option<&'static str>)| {
        Trial::ignorable_test(name, move || {
            Ok(test().map_or(Completion::Completed, |reason| Completion::ignored_with(reason)))
        })
    };
    libtest_mimic::run(&Arguments::from_args(), cases.into_iter().map(trial).collect()).exit_code()
}

/// Lists the tests of a suite, and is its `main`. One that is forgotten is dead code, which the compiler reports.
macro_rules! cases {
    (always: $($always:ident),+; unless: $($unless:ident),+;) => {
        fn main() -> std::process::ExitCode {
            $crate::cases::run(vec![
                $((stringify!($always), || {
                    $always();
                    None
                }),)+
                $((stringify!($unless), $unless),)+
            ])
        }
    };
}
pub(crate) use cases;
