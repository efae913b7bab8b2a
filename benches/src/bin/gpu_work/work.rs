//! Tools that the workloads share: a repeated launch as one operation, measuring both sides in turns, comparing
//! results.

use std::time::{Duration, Instant};

use gridwise::ops::{Access, Op, OpDispatch, Recorder};
use gridwise::{Grid, Kernel, KernelArgs, Manager, Sequence};
use gridwise_benches::raw::{RawDevice, Reference};
use gridwise_benches::{Error as BenchError, Figure, Goal, Report, Summary, interleave};

use crate::error::Error;
use crate::peers::Peers;
use crate::rooflines::Rooflines;
use crate::shaders::Shaders;

/// How long a GPU takes to come back to its full clock, and more.
const WAKING: Duration = Duration::from_millis(500);

/// How large the workloads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// For a device that is the processor.
    Small,
    /// For a GPU.
    Large,
}

/// Everything a workload measures with.
pub(crate) struct Bench<'a> {
    pub(crate) manager: &'a Manager,
    pub(crate) raw: &'a RawDevice,
    pub(crate) shaders: &'a Shaders,
    pub(crate) scale: Scale,
    pub(crate) runs: usize,
    pub(crate) report: &'a mut Report,
    pub(crate) peers: &'a Peers,
    pub(crate) rooflines: &'a mut Rooflines,
}

/// A workload to measure.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) name: String,
    /// How many of it make a run.
    pub(crate) times: u32,
    /// Bytes that have to be read and written.
    pub(crate) bytes: f64,
    /// Operations that have to be done: of floats, or else one for each element.
    pub(crate) operations: f64,
}

impl Bench<'_> {
    /// Picks a size.
    pub(crate) fn pick<T>(&self, small: T, large: T) -> T {
        if self.scale == Scale::Small { small } else { large }
    }

    /// Measures launches of ours against a reference, and against what is known of other peers.
    pub(crate) fn measure(
        &mut self,
        work: Work,
        launches: &Launches,
        reference: &Reference<'_>,
        goal: f64,
    ) -> Result<(), Error> {
        let times = work.times;
        let sequence = self.manager.sequence()?;
        launches.record(&sequence, times)?;
        let mut ours = || Ok(sequence.eval_profiled()?.device() / times);
        let mut theirs = || Ok(reference.run(times)?);
        self.wake(&mut ours)?;
        let samples = interleave::<Error>(&mut [&mut ours, &mut theirs], 3, self.runs)?;
        let ours = samples[0].summary(1);
        self.report.figures.push(Figure {
            name: work.name.clone(),
            unit: "run",
            peer: "GLSL".to_owned(),
            ours,
            theirs: samples[1].summary(1),
            goals: vec![Goal::Ratio(goal)],
        });
        self.compare(&work, ours);
        Ok(())
    }

    /// Measures launches of ours where there is no reference, against what is known of other peers.
    pub(crate) fn measure_alone(&mut self, work: Work, launches: &Launches) -> Result<(), Error> {
        let times = work.times;
        let sequence = self.manager.sequence()?;
        launches.record(&sequence, times)?;
        let mut ours = || Ok(sequence.eval_profiled()?.device() / times);
        self.wake(&mut ours)?;
        let samples = interleave::<Error>(&mut [&mut ours], 3, self.runs)?;
        let ours = samples[0].summary(1);
        if !self.compare(&work, ours) {
            self.report.notes.push(format!("{}: {:.1} µs, nothing beside it", work.name, ours.median));
        }
        Ok(())
    }

    /// Works until a GPU that has had nothing to do, while results were checked, is back at its full clock.
    fn wake(&self, run: &mut dyn FnMut() -> Result<Duration, Error>) -> Result<(), Error> {
        let start = Instant::now();
        while self.scale == Scale::Large && start.elapsed() < WAKING {
            run()?;
        }
        Ok(())
    }

    /// Puts ours beside the peers of which `--peers` tells; whether there are any.
    fn compare(&mut self, work: &Work, ours: Summary) -> bool {
        self.rooflines.add(work, ours.median);
        let figures = self.peers.figures(&work.name, ours);
        let found = !figures.is_empty();
        self.report.figures.extend(figures);
        found
    }
}

/// Operations that run one after the other.
#[derive(Default)]
pub(crate) struct Launches {
    ops: Vec<Box<dyn Op>>,
}

impl Launches {
    /// Adds a launch; `fill` gives the arguments.
    pub(crate) fn with<K: Kernel>(mut self, grid: Grid, fill: impl FnOnce(KernelArgs) -> KernelArgs) -> Self {
        self.ops.push(Box::new(OpDispatch::new(grid, fill(KernelArgs::new::<K>()))));
        self
    }

    /// Adds any operation.
    pub(crate) fn with_op(mut self, op: impl Op + 'static) -> Self {
        self.ops.push(Box::new(op));
        self
    }

    /// Records all of it so many times, as one operation.
    pub(crate) fn record(&self, sequence: &Sequence, times: u32) -> Result<(), Error> {
        sequence.record(Repeat { ops: &self.ops, times })?;
        Ok(())
    }

    /// Runs all of it once.
    pub(crate) fn run(&self, manager: &Manager) -> Result<Duration, Error> {
        let sequence = manager.sequence()?;
        self.record(&sequence, 1)?;
        Ok(sequence.eval_profiled()?.device())
    }
}

/// Launches as one operation, so that one pair of timestamps is around all of them.
struct Repeat<'a> {
    ops: &'a [Box<dyn Op>],
    times: u32,
}

impl Op for Repeat<'_> {
    fn name(&self) -> &str {
        "repeat"
    }

    fn accesses(&self) -> Vec<Access> {
        self.ops.iter().flat_map(|op| op.accesses()).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> gridwise::Result<()> {
        (0..self.times).flat_map(|_| self.ops).try_for_each(|op| op.record(recorder))
    }
}

/// Elements of four bytes for an exponent. Drivers allocate a little less than 2^32 bytes at once: there it is half a million fewer.
pub(crate) fn len_of(exponent: u32) -> usize {
    let len = 1usize << exponent;
    if exponent < 30 { len } else { len - (1 << 19) }
}

/// Random bits that are the same in every run: splitmix64, by Sebastiano Vigna. So many words from the first on.
pub(crate) fn random_words(len: usize) -> Vec<u32> {
    (0..len).map(word).collect()
}

/// One of these words.
pub(crate) fn word(place: usize) -> u32 {
    let state = (place as u64 + 2).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as u32
}

/// Random numbers from 0 to 1, with 24 bits each.
pub(crate) fn random_floats(len: usize) -> Vec<f32> {
    random_words(len).into_iter().map(unit).collect()
}

/// A word as a number from 0 to 1.
pub(crate) fn unit(word: u32) -> f32 {
    (word >> 8) as f32 / 16_777_216.0
}

/// Compares a contender's numbers with those expected at some places, up to a relative error.
pub(crate) fn check(
    contender: &str,
    found: &[f32],
    places: impl IntoIterator<Item = (usize, f64)>,
    tolerance: f64,
) -> Result<(), Error> {
    for (place, expected) in places {
        let value = f64::from(found.get(place).copied().unwrap_or(f32::NAN));
        let is_near = (value - expected).abs() <= tolerance * expected.abs().max(1e-6);
        if !is_near {
            let detail = format!("at {place}: {value}, expected {expected}");
            return Err(BenchError::WrongResult { contender: contender.to_owned(), detail }.into());
        }
    }
    Ok(())
}

/// Some places in so many, the ends among them.
pub(crate) fn places(len: usize) -> impl Iterator<Item = usize> + Clone {
    let step = (len / 997).max(1);
    (0..len).step_by(step).chain(len.checked_sub(1))
}
