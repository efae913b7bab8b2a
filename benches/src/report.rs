//! Figures as a table with ratios and verdicts, as a JSON file and as a picture.

use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::{Error, Machine, Summary, picture};

/// One workload, ours and a peer's, taken in turns.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The workload.
    pub name: String,
    /// The unit of one time.
    pub unit: &'static str,
    /// The peer that ours is measured against.
    pub peer: String,
    /// Our times.
    pub ours: Summary,
    /// The peer's times.
    pub theirs: Summary,
    /// The goals, if any.
    pub goals: Vec<Goal>,
}

/// The goal of a figure.
#[derive(Debug, Clone, Copy, Serialize)]
pub enum Goal {
    /// Our median is at most so many times the peer's.
    Ratio(f64),
    /// Our median takes at most so many microseconds.
    Microseconds(f64),
}

/// A part of our own time.
#[derive(Debug, Clone, Serialize)]
pub struct Stage {
    /// The workload.
    pub workload: String,
    /// The part.
    pub name: &'static str,
    /// Its time.
    pub time: Summary,
}

/// Everything one run found out.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Name of the bench and of its file.
    pub bench: String,
    /// The machine on which it ran.
    pub machine: Machine,
    /// Ours against peers.
    pub figures: Vec<Figure>,
    /// The stages of our time.
    pub stages: Vec<Stage>,
    /// Notes that a reader needs: contenders that are missing and why, checks that were made.
    pub notes: Vec<String>,
}

impl Figure {
    /// Our median as a multiple of the peer's.
    pub fn ratio(&self) -> f64 {
        if self.theirs.median > 0.0 { self.ours.median / self.theirs.median } else { f64::NAN }
    }

    /// For each goal, whether it is reached.
    pub fn reached(&self) -> Vec<bool> {
        let is_reached = |goal: &Goal| match goal {
            Goal::Ratio(limit) => self.ratio() <= *limit,
            Goal::Microseconds(limit) => self.ours.median <= *limit,
        };
        self.goals.iter().map(is_reached).collect()
    }

    fn verdict(&self) -> String {
        let reached = self.reached().into_iter().map(|reached| if reached { "reached" } else { "MISSED" });
        let verdict = |(goal, reached): (&Goal, &str)| format!("{goal} {reached}");
        self.goals.iter().zip(reached).map(verdict).collect::<Vec<_>>().join(", ")
    }
}

impl Goal {
    /// The ratio to be reached, of a goal that is one.
    pub(crate) fn ratio(&self) -> Option<f64> {
        match self {
            Self::Ratio(limit) => Some(*limit),
            Self::Microseconds(_) => None,
        }
    }
}

impl Display for Goal {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ratio(limit) => write!(f, "≤ {limit:.2}×"),
            Self::Microseconds(limit) => write!(f, "≤ {limit:.0} µs"),
        }
    }
}

impl Report {
    /// A report with nothing in it.
    pub fn new(bench: impl Into<String>, machine: Machine) -> Self {
        Self { bench: bench.into(), machine, figures: Vec::new(), stages: Vec::new(), notes: Vec::new() }
    }

    /// How many figures reach their goals, how many have none, and how many of all ratios are at most 1.00.
    pub fn tally(&self) -> String {
        let figures = self.figures.iter().filter(|figure| figure.ratio().is_finite());
        let (with_goal, without): (Vec<_>, Vec<_>) = figures.partition(|figure| !figure.goals.is_empty());
        let reached = with_goal.iter().filter(|figure| !figure.reached().contains(&false)).count();
        let faster = with_goal.iter().chain(&without).filter(|figure| figure.ratio() <= 1.0).count();
        format!(
            "{reached} of {} goals reached, {} without a goal, {faster} of {} ratios at most 1.00",
            with_goal.len(),
            without.len(),
            with_goal.len() + without.len()
        )
    }

    /// Writes the report as JSON in `folder`, which is made when it is not there, and a picture of the ratios beside it (`.svg`);
    /// gives the JSON file's path.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, Error> {
        let path = folder.join(format!("{}.json", self.bench));
        let mut json = serde_json::to_value(self)?;
        for (figure, json) in self.figures.iter().zip(json["figures"].as_array_mut().into_iter().flatten()) {
            json["ratio"] = serde_json::json!(figure.ratio());
            json["reached"] = serde_json::json!(figure.reached());
        }
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
        std::fs::write(&path, serde_json::to_string_pretty(&json)?).map_err(Error::file(&path))?;
        self.write_picture(&path.with_extension("svg"))?;
        Ok(path)
    }

    /// Draws the ratios, if there are any.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_picture(&self, path: &Path) -> Result<(), Error> {
        if self.figures.is_empty() {
            return Ok(());
        }
        std::fs::write(path, picture::svg(self)?).map_err(Error::file(path))
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Machine { cpu, cores, date, profile, debug_assertions, device, driver, .. } = &self.machine;
        let assertions = if *debug_assertions { " with debug assertions" } else { "" };
        writeln!(f, "{}: profile {profile}{assertions}, {cpu}, {cores} cores, {date}", self.bench)?;
        if let (Some(device), Some(driver)) = (device, driver) {
            writeln!(f, "on {device}, {driver}")?;
        }
        write_figures(f, &self.figures)?;
        write_stages(f, &self.stages)?;
        if !self.figures.is_empty() {
            writeln!(f, "{}", self.tally())?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))
    }
}

fn write_figures(f: &mut Formatter<'_>, figures: &[Figure]) -> std::fmt::Result {
    let Some(first) = figures.first() else { return Ok(()) };
    let names = figures.iter().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
    let peers = figures.iter().map(|figure| figure.peer.chars().count()).max().unwrap_or(0);
    writeln!(f, "\nmedian [p10 … p90] in µs per {}; noise = odd against even runs", first.unit)?;
    writeln!(
        f,
        "{:names$}  {:^26}  {:peers$}  {:^26}  {:>6}  {:>6}  goals",
        "workload", "gridwise", "peer", "peer's time", "noise", "ratio"
    )?;
    for figure in figures {
        let noise = figure.ours.noise.max(figure.theirs.noise) * 100.0;
        writeln!(
            f,
            "{:names$}  {:>26}  {:peers$}  {:>26}  {noise:>5.1}%  {:>6.3}  {}",
            figure.name,
            spread(&figure.ours),
            figure.peer,
            spread(&figure.theirs),
            figure.ratio(),
            figure.verdict()
        )?;
    }
    Ok(())
}

fn spread(summary: &Summary) -> String {
    let Summary { median, p10, p90, .. } = summary;
    let digits = if *median < 100.0 { 2 } else { 0 };
    format!("{median:.digits$} [{p10:.digits$} … {p90:.digits$}]")
}

/// One line per workload, one column per stage.
fn write_stages(f: &mut Formatter<'_>, stages: &[Stage]) -> std::fmt::Result {
    let Some(first) = stages.first() else { return Ok(()) };
    let columns: Vec<&Stage> = stages.iter().filter(|stage| stage.workload == first.workload).collect();
    let mut header = true;
    for row in stages.chunks(columns.len()) {
        if std::mem::take(&mut header) {
            write!(f, "\n{:10}", "stage, µs")?;
            columns.iter().try_for_each(|stage| write!(f, " {:>9}", stage.name))?;
            writeln!(f)?;
        }
        write!(f, "{:10}", row[0].workload)?;
        row.iter().try_for_each(|stage| write!(f, " {:>9.1}", stage.time.median))?;
        writeln!(f)?;
    }
    Ok(())
}
