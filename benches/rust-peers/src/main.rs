//! gridwise beside CubeCL and wgsl-rs: the same workloads on the same Vulkan device, taken in turns, results checked.
//!
//! Each contender runs in processes of its own: what the threads of one do while it waits would be another's time. `--runs N` and `--out FOLDER` as in the other benches. Needs nothing at run time but the Vulkan loader.

mod cube;
mod ours;
mod wgsl;
mod work;

use std::process::{Command, ExitCode};
use std::time::Duration;

use cubecl::wgpu::{AutoCompiler, WgpuRuntime, WgslCompiler};
use gridwise_benches::{Figure, Goal, Machine, Options, Report, Samples};

use crate::cube::{Cube, Mode};
use crate::ours::Form;
use crate::work::{ALL, Contender, Result, Work, check};

/// Says to a process of this program that it is to launch once and print how long that took: for whom.
const FIRST: &str = "--first-launch-of";

/// Says to a process of this program that it is to do one workload and print how long each run took: which one, for whom.
const ONE: &str = "--one";

/// Everybody who takes part; ours first. Of ours, as of CubeCL's, the better form counts, which one that is the processor decides.
const CONTENDERS: [Who; 7] = [
    Who::Gridwise(Form::Numbers),
    Who::Gridwise(Form::Fours),
    Who::WgslRs,
    Who::Cube(Through::Wgsl, Mode::Checked),
    Who::Cube(Through::Wgsl, Mode::UncheckedByFour),
    Who::Cube(Through::SpirV, Mode::Checked),
    Who::Cube(Through::SpirV, Mode::UncheckedByFour),
];

/// A way to write kernels in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Gridwise(Form),
    WgslRs,
    Cube(Through, Mode),
}

/// CubeCL's compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    Wgsl,
    SpirV,
}

impl Who {
    /// As the report and `--first-launch-of` call it.
    fn name(self) -> &'static str {
        match self {
            Self::Gridwise(Form::Numbers) => "gridwise",
            Self::Gridwise(Form::Fours) => "gridwise by fours",
            Self::WgslRs => "wgsl-rs 0.1.0-beta.6",
            Self::Cube(Through::Wgsl, Mode::Checked) => "CubeCL 0.11.3 WGSL checked",
            Self::Cube(Through::Wgsl, Mode::UncheckedByFour) => "CubeCL 0.11.3 WGSL unchecked",
            Self::Cube(Through::SpirV, Mode::Checked) => "CubeCL 0.11.3 SPIR-V checked",
            Self::Cube(Through::SpirV, Mode::UncheckedByFour) => "CubeCL 0.11.3 SPIR-V unchecked",
        }
    }

    fn contender(self) -> Result<Box<dyn Contender>> {
        Ok(match self {
            Self::Gridwise(form) => Box::new(ours::Ours::new(&ours::manager()?, form)?),
            Self::WgslRs => Box::new(wgsl::Wgsl::new(wgsl::Gpu::new()?)?),
            Self::Cube(Through::Wgsl, mode) => Box::new(Cube::<WgpuRuntime<WgslCompiler>>::new(mode)),
            Self::Cube(Through::SpirV, mode) => Box::new(Cube::<WgpuRuntime<AutoCompiler>>::new(mode)),
        })
    }

    /// The first launch in this process, with all that is there but the kernel.
    fn first_launch(self) -> Result<Duration> {
        match self {
            Self::Gridwise(_) => ours::first_launch(),
            Self::WgslRs => wgsl::first_launch(),
            Self::Cube(Through::Wgsl, mode) => cube::first_launch::<WgpuRuntime<WgslCompiler>>(mode),
            Self::Cube(Through::SpirV, mode) => cube::first_launch::<WgpuRuntime<AutoCompiler>>(mode),
        }
    }

    /// The first launch of a process of its own, with the driver's cache off.
    fn first_launch_elsewhere(self) -> Result<Vec<Duration>> {
        let mut command = own_program()?;
        command.args([FIRST, self.name()]).env("MESA_SHADER_CACHE_DISABLE", "true");
        self.times_of(command)
    }

    /// Some runs of a workload in a process of their own.
    fn run_elsewhere(self, work: &str) -> Result<Vec<Duration>> {
        let mut command = own_program()?;
        command.args([ONE, work, self.name()]);
        self.times_of(command)
    }

    fn times_of(self, mut command: Command) -> Result<Vec<Duration>> {
        let output = command.output()?;
        let errors = || format!("{}: {}", self.name(), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(errors().into());
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let times = printed.lines().map(|line| line.trim().parse().map(Duration::from_nanos));
        Ok(times.collect::<std::result::Result<_, _>>().map_err(|_| errors())?)
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let done = match arguments.peek().map(String::as_str) {
        Some(FIRST) => print_first_launch(arguments.nth(1).as_deref()),
        Some(ONE) => print_runs(arguments.nth(1).as_deref(), arguments.next().as_deref()),
        _ => run(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let options = Options::parse(arguments, 21)?;
    let mut machine = Machine::here(&options.profile);
    let device = ours::manager()?.device().clone();
    (machine.device, machine.driver) = (Some(device.name), Some(device.driver));
    let mut report = Report::new("rust-peers", machine);
    for (_, name) in ALL {
        let samples = in_turns(options.runs, |who| who.run_elsewhere(name))?;
        report.figures.extend(figures(name, &samples));
    }
    let samples = in_turns(options.runs, Who::first_launch_elsewhere)?;
    report.figures.extend(figures("first launch, driver's cache off", &samples));
    report.notes.push("every result was compared, exactly".to_owned());
    report.notes.push("the sum: of ours, over numbers or by fours, the quicker counts".to_owned());
    report.notes.push(
        "again: ours replays a sequence, wgsl-rs encodes with its bindings made before, CubeCL launches".to_owned(),
    );
    report
        .notes
        .push("anew: ours records the sequence, wgsl-rs makes its bindings and encodes, CubeCL launches".to_owned());
    let path = report.write(&options.out)?;
    println!("{report}written: {}", path.display());
    Ok(())
}

/// The times of all contenders, a process of each in turns, after one more that does not count.
fn in_turns(runs: usize, take: impl Fn(Who) -> Result<Vec<Duration>>) -> Result<Vec<Samples>> {
    let mut samples = vec![Samples::default(); CONTENDERS.len()];
    for round in 0..=runs {
        for (who, samples) in CONTENDERS.iter().zip(&mut samples) {
            let times = take(*who)?;
            times.into_iter().filter(|_| round > 0).for_each(|time| samples.push(time));
        }
    }
    Ok(samples)
}

/// Some runs of a workload, and its results.
fn print_runs(work: Option<&str>, name: Option<&str>) -> Result<()> {
    let (work, _) = ALL.into_iter().find(|(_, of)| Some(*of) == work).ok_or("no workload is called so")?;
    let mut contender = who_is(name)?.contender()?;
    let (warmup, runs) = if matches!(work, Work::Tiny | Work::TinyAnew) { (50, 20) } else { (2, 3) };
    let times = (0..warmup + runs).map(|_| contender.run(work)).collect::<Result<Vec<_>>>()?;
    check(name.unwrap_or_default(), contender.as_mut(), work, warmup + runs)?;
    times[warmup..].iter().for_each(|time| println!("{}", time.as_nanos()));
    Ok(())
}

/// The better of ours against each of the others, which all of them are to be at least.
fn figures(name: &str, samples: &[Samples]) -> Vec<Figure> {
    let [a, b] = [&samples[0], &samples[1]].map(|samples| samples.summary(1));
    let ours = if b.median < a.median { b } else { a };
    let figure = |(who, theirs): (&Who, &Samples)| Figure {
        name: name.to_owned(),
        unit: "evaluation",
        peer: who.name().to_owned(),
        ours,
        theirs: theirs.summary(1),
        goals: vec![Goal::Ratio(1.0)],
    };
    CONTENDERS.iter().zip(samples).skip(2).map(figure).collect()
}

/// This program, started as this process was: also where a loader of another system was given its path.
fn own_program() -> Result<Command> {
    let started = std::fs::read("/proc/self/cmdline")?;
    let words: Vec<_> = started.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let own = std::env::args().next().unwrap_or_default();
    let before = words.iter().position(|word| *word == own).unwrap_or_default();
    let mut command = Command::new(words.first().ok_or("a process without a name")?.as_ref());
    command.args(words[1..].iter().take(before).map(|word| word.as_ref()));
    Ok(command)
}

fn print_first_launch(name: Option<&str>) -> Result<()> {
    println!("{}", who_is(name)?.first_launch()?.as_nanos());
    Ok(())
}

fn who_is(name: Option<&str>) -> Result<Who> {
    let who = CONTENDERS.into_iter().find(|who| Some(who.name()) == name);
    Ok(who.ok_or_else(|| format!("nobody is called {name:?}"))?)
}
