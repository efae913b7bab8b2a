//! gridwise beside CubeCL and wgsl-rs: the same workloads on the same Vulkan device, taken in turns, results checked.
//!
//! `--runs N` and `--out FOLDER` as in the other benches. Needs nothing at run time but the Vulkan loader.

mod cube;
mod ours;
mod wgsl;
mod work;

use std::process::{Command, ExitCode};
use std::time::Duration;

use cubecl::wgpu::{AutoCompiler, WgpuRuntime, WgslCompiler};
use gridwise_benches::{Figure, Goal, Machine, Options, Report, Samples, interleave};

use crate::cube::{Cube, Mode};
use crate::work::{ALL, Contender, Result, Work, check};

/// Says to a process of this program that it is to launch once and print how long that took: for whom.
const FIRST: &str = "--first-launch-of";

/// Everybody who takes part; ours first.
const CONTENDERS: [Who; 6] = [
    Who::Gridwise,
    Who::WgslRs,
    Who::Cube(Through::Wgsl, Mode::Checked),
    Who::Cube(Through::Wgsl, Mode::UncheckedByFour),
    Who::Cube(Through::SpirV, Mode::Checked),
    Who::Cube(Through::SpirV, Mode::UncheckedByFour),
];

/// A way to write kernels in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Gridwise,
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
            Self::Gridwise => "gridwise",
            Self::WgslRs => "wgsl-rs 0.1.0-beta.6",
            Self::Cube(Through::Wgsl, Mode::Checked) => "CubeCL 0.11.3 WGSL checked",
            Self::Cube(Through::Wgsl, Mode::UncheckedByFour) => "CubeCL 0.11.3 WGSL unchecked",
            Self::Cube(Through::SpirV, Mode::Checked) => "CubeCL 0.11.3 SPIR-V checked",
            Self::Cube(Through::SpirV, Mode::UncheckedByFour) => "CubeCL 0.11.3 SPIR-V unchecked",
        }
    }

    fn contender(self) -> Result<Box<dyn Contender>> {
        Ok(match self {
            Self::Gridwise => Box::new(ours::Ours::new(&ours::manager()?)?),
            Self::WgslRs => Box::new(wgsl::Wgsl::new(wgsl::Gpu::new()?)?),
            Self::Cube(Through::Wgsl, mode) => Box::new(Cube::<WgpuRuntime<WgslCompiler>>::new(mode)),
            Self::Cube(Through::SpirV, mode) => Box::new(Cube::<WgpuRuntime<AutoCompiler>>::new(mode)),
        })
    }

    /// The first launch in this process, with all that is there but the kernel.
    fn first_launch(self) -> Result<Duration> {
        match self {
            Self::Gridwise => ours::first_launch(),
            Self::WgslRs => wgsl::first_launch(),
            Self::Cube(Through::Wgsl, mode) => cube::first_launch::<WgpuRuntime<WgslCompiler>>(mode),
            Self::Cube(Through::SpirV, mode) => cube::first_launch::<WgpuRuntime<AutoCompiler>>(mode),
        }
    }

    /// The first launch of a process of its own, with the driver's cache off.
    fn first_launch_elsewhere(self) -> Result<Duration> {
        let mut command = own_program()?;
        let output = command.args([FIRST, self.name()]).env("MESA_SHADER_CACHE_DISABLE", "true").output()?;
        let errors = || format!("the first launch of {}: {}", self.name(), String::from_utf8_lossy(&output.stderr));
        let nanoseconds = String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| errors())?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let done = match arguments.next_if(|first| first == FIRST) {
        Some(_) => print_first_launch(arguments.next().as_deref()),
        None => run(arguments),
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
    for (work, name) in ALL {
        let samples = workload(work, options.runs)?;
        report.figures.extend(figures(name, &samples));
    }
    let mut first: Vec<_> = CONTENDERS.iter().map(|who| || who.first_launch_elsewhere()).collect();
    let mut first: Vec<_> = first.iter_mut().map(|first| first as &mut dyn FnMut() -> _).collect();
    let samples = interleave(&mut first, 1, options.runs)?;
    report.figures.extend(figures("first launch, driver's cache off", &samples));
    report.notes.push("every result was compared, exactly".to_owned());
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

/// A workload by all contenders in turns, and its results.
fn workload(work: Work, runs: usize) -> Result<Vec<Samples>> {
    let (warmup, runs) = if matches!(work, Work::Tiny | Work::TinyAnew) { (50, 20 * runs) } else { (2, runs) };
    let mut contenders = CONTENDERS.iter().map(|who| who.contender()).collect::<Result<Vec<_>>>()?;
    let mut turns: Vec<_> = contenders.iter_mut().map(|contender| || contender.run(work)).collect();
    let mut turns: Vec<_> = turns.iter_mut().map(|turn| turn as &mut dyn FnMut() -> _).collect();
    let samples = interleave(&mut turns, warmup, runs)?;
    for (who, contender) in CONTENDERS.iter().zip(&mut contenders) {
        check(who.name(), contender.as_mut(), work, warmup + runs)?;
    }
    Ok(samples)
}

/// Ours against each of the others, which all of them are to be at least.
fn figures(name: &str, samples: &[Samples]) -> Vec<Figure> {
    let figure = |(who, theirs): (&Who, &Samples)| Figure {
        name: name.to_owned(),
        unit: "evaluation",
        peer: who.name().to_owned(),
        ours: samples[0].summary(1),
        theirs: theirs.summary(1),
        goals: vec![Goal::Ratio(1.0)],
    };
    CONTENDERS.iter().zip(samples).skip(1).map(figure).collect()
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
    let who = CONTENDERS.into_iter().find(|who| Some(who.name()) == name);
    let time = who.ok_or_else(|| format!("nobody is called {name:?}"))?.first_launch()?;
    println!("{}", time.as_nanos());
    Ok(())
}
