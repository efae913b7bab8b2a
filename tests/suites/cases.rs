//! The harness of suites with tests that not every device can run: what cannot be is reported as ignored, with the reason.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};

/// A test; where it gives a text it could not run, for that reason.
type Test = fn() -> Option<&'static str>;

/// Runs tests by their names.
pub(crate) fn run(cases: Vec<(&'static str, Test)>) -> ExitCode {
    let trial = |(name, test): (&'static str, Test)| {
        Trial::ignorable_test(name, move || Ok(test().map_or(Completion::Completed, Completion::ignored_with)))
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
