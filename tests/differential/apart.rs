//! Programs run in processes beside this one, so that a driver that crashes ends one program and not the suite. A process takes seeds
//! and answers each with a line; it must say nothing else that looks like one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use libtest_mimic::Failed;

/// The variable that makes a process take seeds.
const ASKED: &str = "GRIDWISE_TAKES_SEEDS";

/// How an answer begins.
const ANSWER: &str = "gridwise-answer ";

/// The character in place of line ends within a line.
const LINE_END: char = '\u{1}';

/// Processes that wait for seeds: one for each thread that asks.
#[derive(Default)]
pub(super) struct Pool(Mutex<Vec<Process>>);

struct Process {
    child: Child,
    seeds: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Whether this process takes seeds.
pub(super) fn is_asked() -> bool {
    std::env::var_os(ASKED).is_some()
}

/// Takes seeds until there are no more.
pub(super) fn answer_seeds(check: impl Fn(u64) -> Result<(), Failed>) {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let Ok(seed) = line.parse() else { return };
        let said = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(seed))) {
            Ok(Ok(())) => String::new(),
            Ok(Err(failed)) => failed.message().unwrap_or("failed").replace('\n', &LINE_END.to_string()),
            Err(_) => "it panicked, as told above".to_owned(),
        };
        // What a driver leaves without an end of line must not hide the answer.
        println!("\n{ANSWER}{said}");
    }
}

impl Pool {
    /// Runs a program in one of the processes.
    pub(super) fn check(&self, seed: u64) -> Result<(), Failed> {
        let waiting = self.lock().pop();
        let mut process = match waiting {
            Some(process) => process,
            None => Process::start().map_err(|error| format!("no process for seed {seed}: {error}"))?,
        };
        match process.ask(seed) {
            Some(said) => {
                self.lock().push(process);
                if said.is_empty() { Ok(()) } else { Err(said.replace(LINE_END, "\n").into()) }
            }
            None => {
                let how = process.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                Err(format!("seed {seed} ended its process: {how}").into())
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Ends the processes; whether all are content with what they saw.
    pub(super) fn end(self) -> bool {
        let processes = self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        processes.into_iter().fold(true, |is_well, Process { mut child, seeds, .. }| {
            drop(seeds);
            child.wait().is_ok_and(|status| status.success()) && is_well
        })
    }
}

impl Process {
    fn start() -> std::io::Result<Self> {
        let (program, arguments) = this_program()?;
        let mut child = Command::new(program)
            .args(arguments)
            .env(ASKED, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(seeds), Some(answers)) => Ok(Self { child, seeds, answers: BufReader::new(answers) }),
            _ => Err(std::io::Error::other("no pipes")),
        }
    }

    /// The answer of the process to a seed; `None` when it has ended.
    fn ask(&mut self, seed: u64) -> Option<String> {
        writeln!(self.seeds, "{seed}").ok()?;
        let mut lines = (&mut self.answers).lines().map_while(Result::ok);
        lines.find_map(|line| line.strip_prefix(ANSWER).map(str::to_owned))
    }
}

/// How this program was started: below a loader, its own file is not enough.
fn this_program() -> std::io::Result<(String, Vec<String>)> {
    let program = std::env::args().next().unwrap_or_default();
    let line = std::fs::read_to_string("/proc/self/cmdline").unwrap_or_default();
    let mut words: Vec<String> = line.split('\0').map(str::to_owned).collect();
    match words.iter().position(|word| *word == program) {
        Some(at) if at > 0 => {
            words.truncate(at + 1);
            Ok((words.remove(0), words))
        }
        _ => Ok((std::env::current_exe()?.to_string_lossy().into_owned(), Vec::new())),
    }
}
