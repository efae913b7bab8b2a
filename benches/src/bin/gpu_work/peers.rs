//! Times of peers that are no Vulkan programs, taken on the same machine by programs of their own (`peers/`): a line
//! each, with a name and `µs`. Some tell what their results add up to, as a line with a name and `sum`. The goals beside them are here, too.

use std::path::{Path, PathBuf};

use gridwise_benches::{Error as BenchError, Figure, Goal, Summary};

use crate::error::Error;

/// The goals by the beginning of a workload's name: the first that fits counts.
const GOALS: [(&str, f64); 10] = [
    ("copy", 1.02),
    ("saxpy", 1.02),
    ("reduce", 1.02),
    ("scan", 1.02),
    ("sort", 1.25),
    ("histogram", 1.0),
    ("sgemm", 1.15),
    ("softmax", 0.6),
    ("fft", 1.3),
    ("transpose", 1.0),
];

/// The times that were read, in order.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    times: Vec<Line>,
    sums: Vec<Line>,
}

/// One line.
#[derive(Debug)]
struct Line {
    /// The file, without folder and ending.
    peer: String,
    name: String,
    number: f64,
}

impl Peers {
    /// Reads files; lines that end in anything else are passed over.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut peers = Self::default();
        for path in paths {
            let text = std::fs::read_to_string(path).map_err(BenchError::file(path))?;
            let peer = path.file_stem().unwrap_or(Path::new("peer").as_os_str()).to_string_lossy().into_owned();
            peers.times.extend(text.lines().filter_map(|line| Line::parse(&peer, line, "µs")));
            peers.sums.extend(text.lines().filter_map(|line| Line::parse(&peer, line, "sum")));
        }
        Ok(peers)
    }

    /// Ours beside all peers that do the same work.
    pub(crate) fn figures(&self, name: &str, ours: Summary) -> Vec<Figure> {
        let goal = GOALS.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, goal)| Goal::Ratio(*goal));
        let figure = |time: &Line| Figure {
            name: name.to_owned(),
            unit: "run",
            peer: time.peer.clone(),
            ours,
            // What is known of it is one number.
            theirs: Summary { median: time.number, p10: time.number, p90: time.number, noise: 0.0, runs: 1 },
            goals: goal.into_iter().collect(),
        };
        self.times.iter().filter(|time| time.name == name).map(figure).collect()
    }

    /// Compares what our result adds up to with what is known of the peers'.
    ///
    /// # Errors
    /// When one differs by more than `tolerance`.
    pub(crate) fn agree(&self, name: &str, sum: f64, tolerance: f64) -> Result<(), Error> {
        // So that a number that is none is an error, too.
        let is_near = |line: &&Line| (line.number - sum).abs() <= tolerance;
        match self.sums.iter().filter(|line| line.name == name).find(|line| !is_near(line)) {
            Some(line) => {
                let detail = format!("{name} adds up to {:e}, ours to {sum:e}, within {tolerance:e}", line.number);
                Err(BenchError::WrongResult { contender: line.peer.clone(), detail }.into())
            }
            None => Ok(()),
        }
    }
}

impl Line {
    fn parse(peer: &str, line: &str, unit: &str) -> Option<Self> {
        let (name, number) = line.trim().strip_suffix(unit)?.trim_end().rsplit_once(char::is_whitespace)?;
        Some(Self { peer: peer.to_owned(), name: name.trim().to_owned(), number: number.parse().ok()? })
    }
}
