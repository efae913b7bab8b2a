//! Times of peers that are no Vulkan programs, taken on the same machine by programs of their own (`peers/`): a line
//! each, with a name and `µs`. The goals beside them are here, too.

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
    times: Vec<Time>,
}

/// One line.
#[derive(Debug)]
struct Time {
    /// The file, without folder and ending.
    peer: String,
    name: String,
    microseconds: f64,
}

impl Peers {
    /// Reads files; lines that end in anything but a time are passed over.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut times = Vec::new();
        for path in paths {
            let text = std::fs::read_to_string(path).map_err(BenchError::file(path))?;
            let peer = path.file_stem().unwrap_or(Path::new("peer").as_os_str()).to_string_lossy().into_owned();
            times.extend(text.lines().filter_map(|line| Time::parse(&peer, line)));
        }
        Ok(Self { times })
    }

    /// Ours beside all peers that do the same work.
    pub(crate) fn figures(&self, name: &str, ours: Summary) -> Vec<Figure> {
        let goal = GOALS.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, goal)| Goal::Ratio(*goal));
        let figure = |time: &Time| Figure {
            name: name.to_owned(),
            unit: "run",
            peer: time.peer.clone(),
            ours,
            // What is known of it is one number.
            theirs: Summary {
                median: time.microseconds,
                p10: time.microseconds,
                p90: time.microseconds,
                noise: 0.0,
                runs: 1,
            },
            goals: goal.into_iter().collect(),
        };
        self.times.iter().filter(|time| time.name == name).map(figure).collect()
    }
}

impl Time {
    fn parse(peer: &str, line: &str) -> Option<Self> {
        let (name, number) = line.trim().strip_suffix("µs")?.trim_end().rsplit_once(char::is_whitespace)?;
        let microseconds = number.parse().ok()?;
        Some(Self { peer: peer.to_owned(), name: name.trim().to_owned(), microseconds })
    }
}
