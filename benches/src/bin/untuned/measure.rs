//! Measuring a workload on all sides in turns, and the table of what came out.

use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gridwise::descriptor::{IS_FULL, IS_PROVEN, IS_WHOLE, KernelDescriptor, NATIVES};
use gridwise::ops::{Access, Op, OpDispatch, Recorder};
use gridwise::{Grid, Manager};
use gridwise_benches::raw::{RawDevice, Reference, Stage};
use gridwise_benches::{Error as BenchError, Figure, Goal, Machine, Report, Summary, interleave};
use gridwise_ir::faults::Faults;
use gridwise_ir::variant::{VariantDesc, tally, variant};
use serde::Serialize;

use crate::cuda::{Cuda, Job};
use crate::error::Error;
use crate::openmp::Native;
use crate::options::UntunedOptions;
use crate::workload::{Held, ParamKind, Workload};

/// Our time over CUDA's for one workload, at most.
const MOST: f64 = 1.15;
/// How long a GPU is kept busy before it is measured.
const WAKING: Duration = Duration::from_millis(100);
/// How long a run should take, in launches.
const RUN: Duration = Duration::from_millis(3);
/// Launches of the longest run.
const MOST_TIMES: u32 = 20;

/// The devices and options that workloads are measured with.
pub(crate) struct Bench<'a> {
    pub(crate) manager: &'a Manager,
    pub(crate) raw: &'a RawDevice,
    pub(crate) cuda: Option<&'a Cuda>,
    pub(crate) options: &'a UntunedOptions,
    pub(crate) is_gpu: bool,
}

/// A side that is measured: it runs, and tells how long one run took.
type Side<'s> = dyn FnMut() -> Result<Duration, Error> + 's;

/// The peers of a workload that are there.
struct Peers<'a> {
    glsl: Option<Reference<'a>>,
    cuda: Option<Job<'a>>,
    native: Option<Native>,
}

/// A launch, so many times, as one operation, so that one pair of timestamps is around all of them.
struct Repeat(OpDispatch, u32);

impl Op for Repeat {
    fn name(&self) -> &str {
        "repeat"
    }

    fn accesses(&self) -> Vec<Access> {
        self.0.accesses()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> gridwise::Result<()> {
        (0..self.1).try_for_each(|_| self.0.record(recorder))
    }
}

impl Bench<'_> {
    /// Runs all sides once and compares what they wrote, then measures them.
    pub(crate) fn measure(&self, workload: &Workload) -> Result<Row, Error> {
        let mut tensors = Vec::new();
        for (data, _) in workload.buffers() {
            tensors.push(data.tensor(self.manager)?);
        }
        let first = self.ours(workload, &mut tensors, 1)?;
        first.eval()?;
        let ours = results(workload, &tensors)?;
        let folder = self.options.references.as_deref();
        let glsl = folder.map(|folder| self.glsl(workload, folder)).transpose()?;
        if let Some(glsl) = &glsl {
            glsl.run(1)?;
            workload.compare("GLSL", &ours, &written(workload, glsl)?)?;
        }
        let cuda = match (self.cuda, folder) {
            (Some(cuda), Some(folder)) => Some(cuda.job(workload, folder)?),
            _ => None,
        };
        if let Some(cuda) = &cuda {
            cuda.run(1)?;
            workload.compare("CUDA", &ours, &cuda.results()?)?;
        }
        let mut native = match folder {
            Some(folder) if !self.is_gpu => Native::open(workload, folder)?,
            _ => None,
        };
        if let Some(native) = &mut native {
            native.run(1)?;
            workload.compare("C++", &ours, &native.results())?;
        }
        self.time(workload, &mut tensors, Peers { glsl, cuda, native })
    }

    fn time(
        &self,
        workload: &Workload,
        tensors: &mut [Box<dyn Held>],
        Peers { glsl, cuda, mut native }: Peers<'_>,
    ) -> Result<Row, Error> {
        let once = self.ours(workload, tensors, 1)?;
        let start = Instant::now();
        let mut least = Duration::MAX;
        let keeps_checks = loop {
            let profile = once.eval_profiled()?;
            least = least.min(profile.device());
            if !self.is_gpu || start.elapsed() > WAKING {
                break profile.ops().iter().any(|op| op.keeps_checks);
            }
        };
        let times = (RUN.as_nanos() / least.as_nanos().max(1)).clamp(1, MOST_TIMES.into()) as u32;
        let sequence = self.ours(workload, tensors, times)?;
        let mut ours = || Ok(sequence.eval_profiled()?.device() / times);
        let mut glsl = glsl.as_ref().map(|glsl| move || Ok(glsl.run(times)?));
        let mut cuda = cuda.as_ref().map(|cuda| move || cuda.run(times));
        let mut native = native.as_mut().map(|native| move || native.run(times));
        let (has_glsl, has_cuda, has_native) = (glsl.is_some(), cuda.is_some(), native.is_some());
        let mut contenders: Vec<&mut Side<'_>> = vec![&mut ours];
        contenders.extend(glsl.iter_mut().map(|side| side as &mut Side<'_>));
        contenders.extend(cuda.iter_mut().map(|side| side as &mut Side<'_>));
        contenders.extend(native.iter_mut().map(|side| side as &mut Side<'_>));
        let samples = interleave::<Error>(&mut contenders, 2, self.options.common.runs)?;
        let mut summaries = samples.iter().map(|samples| samples.summary(1));
        let ours = summaries.next().unwrap_or_else(|| samples[0].summary(1));
        Ok(Row {
            name: workload.name,
            ours,
            glsl: if has_glsl { summaries.next() } else { None },
            cuda: if has_cuda { summaries.next() } else { None },
            native: if has_native { summaries.next() } else { None },
            checks: checks_left(workload.kernel),
            keeps_checks,
        })
    }

    /// A sequence with so many launches.
    fn ours(
        &self,
        workload: &Workload,
        tensors: &mut [Box<dyn Held>],
        times: u32,
    ) -> Result<gridwise::Sequence, Error> {
        let mut args = (workload.args)();
        let mut tensors = tensors.iter_mut();
        for param in &workload.params {
            args = match &param.kind {
                ParamKind::Value { is_ours: false, .. } => args,
                ParamKind::Value { value, .. } => value.add(args),
                ParamKind::Buffer { is_written, .. } => match tensors.next() {
                    Some(tensor) => tensor.add(args, *is_written),
                    None => args,
                },
            };
        }
        let sequence = self.manager.sequence()?;
        sequence.record(Repeat(OpDispatch::new(Grid::groups(workload.groups), args), times))?;
        Ok(sequence)
    }

    fn glsl(&self, workload: &Workload, folder: &Path) -> Result<Reference<'_>, Error> {
        let path = folder.join(format!("{}.spv", workload.file()));
        let spirv = std::fs::read(&path).map_err(BenchError::file(&path))?;
        let push = workload.params.iter().filter_map(|param| match &param.kind {
            ParamKind::Value { value, .. } => Some(value.bytes()),
            ParamKind::Buffer { .. } => None,
        });
        let push: Vec<u8> = push.flatten().collect();
        let sizes: Vec<u64> = workload.buffers().map(|(data, _)| data.bytes().len() as u64).collect();
        let buffers: Vec<usize> = (0..sizes.len()).collect();
        let stage = Stage { spirv: &spirv, constants: &[], push, buffers: &buffers, groups: workload.groups };
        let reference = Reference::new(self.raw, &sizes, &[stage])?;
        for (at, (data, _)) in workload.buffers().enumerate() {
            reference.write(at, data.bytes())?;
        }
        Ok(reference)
    }
}

fn results(workload: &Workload, tensors: &[Box<dyn Held>]) -> Result<Vec<Vec<u8>>, Error> {
    let written = workload.buffers().zip(tensors).filter(|((_, is_written), _)| *is_written);
    written.map(|(_, tensor)| tensor.bytes()).collect()
}

fn written(workload: &Workload, reference: &Reference<'_>) -> Result<Vec<Vec<u8>>, Error> {
    let written = workload.buffers().enumerate().filter(|(_, (_, is_written))| *is_written);
    written.map(|(at, _)| Ok(reference.read::<u8>(at)?)).collect()
}

/// A workload's figures.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    name: &'static str,
    ours: Summary,
    glsl: Option<Summary>,
    cuda: Option<Summary>,
    native: Option<Summary>,
    /// Checks that stay on the device where a launch keeps its obligations.
    checks: usize,
    /// Whether the launch did not keep them, and ran with the others, too.
    keeps_checks: bool,
}

/// All figures of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    machine: Machine,
    rows: Vec<Row>,
}

impl Row {
    fn ratio(&self, peer: Option<Summary>) -> Option<f64> {
        peer.map(|peer| self.ours.median / peer.median)
    }
}

impl Table {
    pub(crate) fn new(machine: Machine) -> Self {
        Self { machine, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Writes the figures as JSON, and a picture of the ratios beside it (`.svg`).
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<PathBuf, Error> {
        std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
        let path = folder.join("untuned.json");
        let text = serde_json::to_string_pretty(self).map_err(BenchError::from)?;
        std::fs::write(&path, text).map_err(BenchError::file(&path))?;
        self.report().write_picture(&path.with_extension("svg"))?;
        Ok(path)
    }

    /// The ratios to CUDA, on a processor to C++, or to GLSL where neither is there.
    fn report(&self) -> Report {
        let mut report = Report::new("kernels without hints", self.machine.clone());
        for row in &self.rows {
            let peers = [("CUDA", row.cuda), ("C++", row.native), ("GLSL", row.glsl)];
            let Some((peer, theirs)) = peers.into_iter().find_map(|(name, peer)| Some((name, peer?))) else { continue };
            let (name, goals) = (row.name.to_owned(), vec![Goal::Ratio(MOST)]);
            report.figures.push(Figure { name, unit: "run", peer: peer.to_owned(), ours: row.ours, theirs, goals });
        }
        report
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let is_native = self.rows.iter().any(|row| row.native.is_some());
        let other = |row: &Row| if is_native { row.native } else { row.cuda };
        let name = if is_native { "C++" } else { "CUDA" };
        writeln!(f, "| workload | gridwise, µs | GLSL | {name} | / GLSL | / {name} | checks |")?;
        writeln!(f, "| --- | --- | --- | --- | --- | --- | --- |")?;
        let time = |summary: Option<Summary>| summary.map_or(String::new(), |summary| format!("{:.1}", summary.median));
        let number = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        for row in &self.rows {
            let ratios = [row.glsl, other(row)].map(|peer| number(row.ratio(peer)));
            let times = [Some(row.ours), row.glsl, other(row)].map(time);
            let all = if row.keeps_checks { ", and others" } else { "" };
            writeln!(f, "| {} | {} | {} | {}{all} |", row.name, times.join(" | "), ratios.join(" | "), row.checks)?;
        }
        let mean = |peer: &dyn Fn(&Row) -> Option<Summary>| {
            let ratios: Vec<f64> = self.rows.iter().filter_map(|row| row.ratio(peer(row))).collect();
            let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
            (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
        };
        let means = [number(mean(&|row| row.glsl)), number(mean(&other))];
        let checks: usize = self.rows.iter().map(|row| row.checks).sum();
        writeln!(f, "| geometric mean of {} | | | | {} | {checks} |", self.rows.len(), means.join(" | "))
    }
}

/// The module that the usual launch's pipeline is made of.
pub(crate) fn usual_words(kernel: &KernelDescriptor) -> Option<Vec<u32>> {
    let words = kernel.spirv.words()?;
    let entry_point = kernel.batch.map_or(kernel.entry_point, |batch| batch.entry_point);
    let constants: Vec<_> = [IS_PROVEN, IS_WHOLE, IS_FULL].into_iter().chain(NATIVES).map(|id| (id, 1)).collect();
    let desc = VariantDesc { entry_point, constants: &constants, keeps_names: false, faults: Faults::NONE };
    variant(&words, &desc).ok()
}

/// The checks in that module.
fn checks_left(kernel: &KernelDescriptor) -> usize {
    usual_words(kernel).map_or(0, |words| tally(&words).checks)
}
