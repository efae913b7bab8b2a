//! The command line.

use std::path::PathBuf;

use gridwise_benches::Options;

use crate::error::Error;

/// Recorded runs, when the command line does not say.
const RUNS: usize = 31;

/// The options of the bench.
#[derive(Debug)]
pub(crate) struct GradientOptions {
    pub(crate) common: Options,
    /// Files with times of peers.
    pub(crate) peers: Vec<PathBuf>,
    /// Workloads to run; all when empty.
    pub(crate) only: Vec<String>,
}

impl GradientOptions {
    /// Reads `--peers FILE`, `--only NAME,NAME`, and what all benches take.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Error> {
        let (mut peers, mut only, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or_else(|| gridwise_benches::Error::Argument(flag.clone()))?;
            match flag.as_str() {
                "--peers" => peers.push(value.into()),
                "--only" => only = value.split(',').map(str::to_owned).collect(),
                _ => rest.extend([flag, value]),
            }
        }
        Ok(Self { common: Options::parse(rest.into_iter(), RUNS)?, peers, only })
    }
}
